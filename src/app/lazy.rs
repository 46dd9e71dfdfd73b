//! What the first picture does without: components of the page, and tasks of a worker. Trunk's builds have it in a
//! file of its own, which is loaded after the picture (feature `split`). Whatever is reached through [`PARTS`] alone
//! is in there.

use std::any::Any;
use std::pin::Pin;

use yew::html::BaseComponent;
use yew::prelude::*;

use super::background::Background;
use super::effects::Dispatch;
use crate::app::{lesson_links, open_files};
use crate::browser::first_paint::after_picture;
use crate::panels::editors::job::JobEditor;
use crate::panels::editors::program::ProgramTab;
use crate::panels::guide::about::About;
use crate::panels::guide::help::Help;
use crate::panels::guide::lessons::{LessonCard, List, Writer};
use crate::panels::guide::poll::{PollCard, PollFlags, PollStory};
use crate::panels::guide::predict::PredictCard;
use crate::panels::lanes::palette::Palette;
use crate::panels::results::charts::Charts;
use crate::panels::results::compare::Compare;
use crate::panels::results::differences::Differences;
use crate::panels::results::inspector::Inspector;
use crate::panels::results::log::LogCard;
use crate::panels::results::why::Why;
use crate::panels::schedule::block_tip::BlockTip;
use crate::panels::schedule::ideal::Ideal;
use crate::panels::schedule::overview::Overview;
use crate::panels::schedule::story::Story;
use crate::panels::setup::drawer::SetUp;
use crate::panels::setup::policies::Policies;
use crate::panels::setup::task_length::TaskLength;
use crate::panels::share::buttons::Share;
use crate::panels::share::export::ExportItems;
use crate::panels::share::saved_scenarios::Mine;
use crate::panels::toast::Toast;
use crate::plots::gantt::marks::Marks;
use crate::plots::gantt::motion::Moving;
use crate::results::measurement;
use crate::results::shared::Shared;
use crate::store::{LogImport, OpenedLesson, State};
use crate::ui::lazy::{LazyComponent, LazyContext, LoadStatus, LoadedComponents, Placeholder, Render};
use crate::workers::import_log;
use crate::workers::pool::Pool;
use crate::workers::work::{LazyWork, Unreachable};
use fairlane::policy::decima;
use fairlane::trace::Difference;
use fairlane_view::link::LessonLink;

/// Lists the components that are loaded later, some with a placeholder of their own.
macro_rules! lazy_components {
    ($($component:ident $(until $placeholder:expr)?;)*) => {
        enum Place { $($component),* }

        $(impl LazyComponent for $component {
            const INDEX: usize = Place::$component as usize;
            $(const PLACEHOLDER: Option<Placeholder<$component>> = Some($placeholder);)?
        })*

        static COMPONENTS: &[&(dyn Any + Send + Sync)] = &[$(&(render::<$component> as Render<$component>)),*];
    };
}

lazy_components! {
    About until nothing;
    Background until nothing;
    BlockTip until nothing;
    Charts;
    Compare;
    Differences;
    ExportItems;
    Help until |_| html! { <button disabled=true>{ "?" }</button> };
    Ideal until |_| html! { <section class="ideal"></section> };
    Inspector;
    JobEditor;
    LessonCard;
    List;
    LogCard;
    Marks until nothing;
    Mine until |_| html! { <button disabled=true>{ "Mine" }</button> };
    Moving until nothing;
    Overview;
    Palette until nothing;
    Policies until |_| html! { <h2>{ "Policies" }</h2> };
    PollCard;
    PollFlags;
    PollStory;
    PredictCard;
    ProgramTab;
    SetUp;
    Share until |_| html! {
        <><button disabled=true>{ "Share" }</button><button disabled=true>{ "Embed" }</button></>
    };
    Story until |props| html! { <p>{ props.state.document.title() }</p> };
    TaskLength until nothing;
    Toast until nothing;
    Why;
    Writer;
}

fn nothing<Properties>(_: &Properties) -> Html {
    Html::default()
}

fn render<C: BaseComponent>(props: C::Properties) -> Html {
    html! { <C ..props /> }
}

/// What is loaded later.
pub struct LazyParts {
    components: LoadedComponents,
    install_policies: fn(),
    /// How the two compared schedules differ.
    pub difference: fn(&State) -> Option<Difference>,
    /// Opens files that the reader chose or dropped.
    pub open_files: fn(Vec<web_sys::File>, Option<LogImport>, Pool, Dispatch),
    /// Reads the document of a link; with it comes the step that is shown first.
    pub read_lesson: fn(LessonLink) -> Pin<Box<dyn Future<Output = ReadLesson>>>,
    /// What a worker does with it.
    pub work: LazyWork,
}

/// A document that was read and the step that is shown first, or why it cannot be had, with the remedy.
pub type ReadLesson = Result<(Shared<OpenedLesson>, usize), String>;

static PARTS: LazyParts = LazyParts {
    components: LoadedComponents(COMPONENTS),
    install_policies,
    difference: State::difference,
    open_files: open_files::open,
    read_lesson: |link| Box::pin(lesson_links::read(link)),
    work: LazyWork { import: import_log::import, measure: measurement::measure, check: measurement::check },
};

/// Installs the program interpreter and Decima's weights.
fn install_policies() {
    fairlane_custom::install();
    decima::install();
}

/// Loads the parts, unless they are there.
///
/// # Errors
/// [`Unreachable`].
pub async fn load() -> Result<&'static LazyParts, Unreachable> {
    let parts = parts().await.map_err(|_| Unreachable)?;
    (parts.install_policies)();
    Ok(parts)
}

/// Loads the parts for a worker, or for the page in its place.
pub fn load_work() -> Pin<Box<dyn Future<Output = Result<&'static LazyWork, Unreachable>>>> {
    Box::pin(async { load().await.map(|parts| &parts.work) })
}

#[cfg(feature = "split")]
#[wasm_split_helpers::wasm_split(later, fallible)]
fn parts() -> Result<&'static LazyParts, wasm_split_helpers::SplitLoaderError> {
    Ok(&PARTS)
}

#[cfg(not(feature = "split"))]
async fn parts() -> Result<&'static LazyParts, Unreachable> {
    Ok(&PARTS)
}

/// The parts, once they are loaded, as a property of a component.
#[derive(Clone, Copy)]
pub struct Loaded(pub &'static LazyParts);

impl PartialEq for Loaded {
    fn eq(&self, _: &Loaded) -> bool {
        // There is one.
        true
    }
}

/// The parts as far as they are loaded.
pub struct LazyState {
    /// The parts, once they are loaded.
    pub loaded: Option<Loaded>,
    /// What the page has to provide for its [`Lazy`](crate::ui::lazy::Lazy) components.
    pub context: LazyContext,
}

impl LazyState {
    /// Whether the parts are loaded or have failed to load.
    pub fn is_settled(&self) -> bool {
        self.context.status != LoadStatus::Loading
    }
}

/// When the parts are loaded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LoadTiming {
    /// Once something needs them.
    Needed(bool),
    /// After the first picture, or once something needs them.
    AfterPicture(bool),
}

/// The parts, loaded once they are wanted, and again after a failure.
#[hook]
pub fn use_later(when: LoadTiming) -> LazyState {
    let state = use_state(|| None::<Result<Loaded, Unreachable>>);
    let load = {
        let setter = state.setter();
        move || {
            wasm_bindgen_futures::spawn_local(async move {
                setter.set(Some(load().await.map(Loaded)));
            });
        }
    };
    // Loading them twice does no harm.
    use_effect_with((when, state.is_none()), move |&(when, is_missing)| match when {
        _ if !is_missing => {}
        LoadTiming::Needed(true) | LoadTiming::AfterPicture(true) => load(),
        LoadTiming::AfterPicture(false) => after_picture(load),
        LoadTiming::Needed(false) => {}
    });
    let retry = use_callback(state.setter(), |_: MouseEvent, setter| setter.set(None));
    let (loaded, status) = match &*state {
        None => (None, LoadStatus::Loading),
        Some(Ok(loaded)) => (Some(*loaded), LoadStatus::Loaded(loaded.0.components)),
        Some(Err(Unreachable)) => (None, LoadStatus::Failed),
    };
    LazyState { loaded, context: LazyContext { status, retry } }
}
