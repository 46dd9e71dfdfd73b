//! What the first picture does without: components of the page, and tasks of a worker. Trunk's builds have it in a
//! file of its own, which is loaded after the picture (feature `split`). Whatever is reached through [`PARTS`] alone
//! is in there.

use std::pin::Pin;

use yew::html::BaseComponent;
use yew::prelude::*;

use super::background::{self, Background};
use super::effects::Dispatch;
use crate::app::{lesson_links, open_files};
use crate::browser::first_paint::after_picture;
use crate::panels::editors::job::{self, JobEditor};
use crate::panels::editors::program::{self, ProgramTab};
use crate::panels::guide::about::{self, About};
use crate::panels::guide::help::{self, Help};
use crate::panels::guide::lessons::{LessonCard, LessonCardProps, List, ListProps, Writer, WriterProps};
use crate::panels::guide::poll::{PollCard, PollFlags, PollProps, PollStory};
use crate::panels::guide::predict::{self, PredictCard};
use crate::panels::lanes::palette::{self, Palette};
use crate::panels::results::charts::{self, Charts};
use crate::panels::results::compare::Compare;
use crate::panels::results::differences::{self, Differences};
use crate::panels::results::inspector::Inspector;
use crate::panels::results::log as log_card;
use crate::panels::results::log::LogCard;
use crate::panels::results::why::Why;
use crate::panels::schedule::block_tip::{self, BlockTip};
use crate::panels::schedule::ideal::{self, Ideal};
use crate::panels::schedule::overview::{self, Overview};
use crate::panels::schedule::story::{self, Story};
use crate::panels::setup::drawer::SetUp;
use crate::panels::setup::policies::{self, Policies};
use crate::panels::setup::task_length::TaskLength;
use crate::panels::share::buttons::{self, Share};
use crate::panels::share::export::ExportItems;
use crate::panels::share::saved_scenarios::Mine;
use crate::panels::toast::{self, Toast};
use crate::panels::{EditorProps, StateProps};
use crate::plots::gantt::Overlays;
use crate::plots::gantt::marks::Marks;
use crate::plots::gantt::motion::Moving;
use crate::results::measurement;
use crate::results::shared::Shared;
use crate::store::{LogImport, OpenedLesson, State};
use crate::workers::import_log;
use crate::workers::pool::Pool;
use crate::workers::work::{LazyWork, Unreachable};
use fairlane::policy::decima;
use fairlane::trace::Difference;
use fairlane_view::link::LessonLink;

type Render<Properties> = fn(Properties) -> Html;

/// What is loaded later.
pub struct LazyParts {
    pub background: Render<background::BackgroundProps>,
    pub story: Render<story::StoryProps>,
    pub overview: Render<overview::OverviewProps>,
    pub palette: Render<palette::PaletteProps>,
    pub task_length: Render<EditorProps>,
    pub ideal: Render<ideal::IdealProps>,
    pub policies: Render<policies::PoliciesProps>,
    pub about: Render<about::AboutProps>,
    pub compare: Render<StateProps>,
    pub block_tip: Render<block_tip::BlockTipProps>,
    pub toast: Render<toast::ToastProps>,
    pub mine: Render<()>,
    pub lessons: Render<ListProps>,
    pub share: Render<buttons::ShareProps>,
    pub export: Render<StateProps>,
    pub help: Render<help::HelpProps>,
    pub lesson: Render<LessonCardProps>,
    pub writer: Render<WriterProps>,
    pub predict: Render<predict::PredictCardProps>,
    pub poll: Render<PollProps>,
    pub poll_flags: Render<PollProps>,
    pub poll_story: Render<PollProps>,
    pub log: Render<log_card::LogProps>,
    pub set_up: Render<EditorProps>,
    pub charts: Render<charts::ChartsProps>,
    pub job: Render<job::JobEditorProps>,
    pub why: Render<StateProps>,
    pub inspector: Render<StateProps>,
    pub program: Render<program::ProgramTabProps>,
    pub differences: Render<differences::DifferencesProps>,
    pub overlays: Overlays,
    /// Installs the program interpreter and Decima's weights.
    pub install_policies: fn(),
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
    background: render::<Background>,
    story: render::<Story>,
    overview: render::<Overview>,
    palette: render::<Palette>,
    task_length: render::<TaskLength>,
    ideal: render::<Ideal>,
    policies: render::<Policies>,
    about: render::<About>,
    compare: render::<Compare>,
    block_tip: render::<BlockTip>,
    toast: render::<Toast>,
    mine: render::<Mine>,
    lessons: render::<List>,
    share: render::<Share>,
    export: render::<ExportItems>,
    help: render::<Help>,
    lesson: render::<LessonCard>,
    writer: render::<Writer>,
    predict: render::<PredictCard>,
    poll: render::<PollCard>,
    poll_flags: render::<PollFlags>,
    poll_story: render::<PollStory>,
    log: render::<LogCard>,
    set_up: render::<SetUp>,
    charts: render::<Charts>,
    job: render::<JobEditor>,
    why: render::<Why>,
    inspector: render::<Inspector>,
    program: render::<ProgramTab>,
    differences: render::<Differences>,
    overlays: Overlays { marks: render::<Marks>, moving: render::<Moving> },
    install_policies,
    difference: State::difference,
    open_files: open_files::open,
    read_lesson: |link| Box::pin(lesson_links::read(link)),
    work: LazyWork { import: import_log::import, measure: measurement::measure, check: measurement::check },
};

fn install_policies() {
    fairlane_custom::install();
    decima::install();
}

fn render<C: BaseComponent>(props: C::Properties) -> Html {
    html! { <C ..props /> }
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
    status: LoadStatus,
    retry: Callback<MouseEvent>,
}

#[derive(Clone, Copy)]
enum LoadStatus {
    Loading,
    Loaded(&'static LazyParts),
    Failed,
}

impl LazyState {
    /// Whether they are loaded or have failed to load.
    pub fn is_settled(&self) -> bool {
        !matches!(self.status, LoadStatus::Loading)
    }

    /// The parts, once they are loaded.
    pub fn loaded(&self) -> Option<Loaded> {
        match self.status {
            LoadStatus::Loaded(parts) => Some(Loaded(parts)),
            LoadStatus::Loading | LoadStatus::Failed => None,
        }
    }

    /// A part, or a hint until it is loaded.
    pub fn show(&self, part: impl FnOnce(&LazyParts) -> Html) -> Html {
        self.show_or(part, || self.hint())
    }

    /// A part, or something else until it is loaded.
    pub fn show_or(&self, part: impl FnOnce(&LazyParts) -> Html, other: impl FnOnce() -> Html) -> Html {
        self.loaded().map_or_else(other, |Loaded(parts)| part(parts))
    }

    fn hint(&self) -> Html {
        if !matches!(self.status, LoadStatus::Failed) {
            return html! { <span class="hint awaited" role="status">{ "loading…" }</span> };
        }
        html! {
            <span class="hint awaited" role="alert">
                { "This part failed to load. Check your connection and try again. " }
                <button type="button" class="small again" onclick={self.retry.clone()}>{ "Try again" }</button>
            </span>
        }
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
    let status = use_state(|| LoadStatus::Loading);
    let attempt = use_state(|| 0_u32);
    let load = {
        let setter = status.setter();
        move || {
            wasm_bindgen_futures::spawn_local(async move {
                setter.set(match load().await {
                    Ok(parts) => LoadStatus::Loaded(parts),
                    Err(Unreachable) => LoadStatus::Failed,
                });
            });
        }
    };
    // Loading them twice does no harm.
    use_effect_with((when, *attempt), move |&(when, _)| match when {
        LoadTiming::Needed(true) | LoadTiming::AfterPicture(true) => load(),
        LoadTiming::AfterPicture(false) => after_picture(load),
        LoadTiming::Needed(false) => {}
    });
    let retry = {
        let (attempt, setter) = (attempt.clone(), status.setter());
        Callback::from(move |_| {
            setter.set(LoadStatus::Loading);
            attempt.set(*attempt + 1);
        })
    };
    LazyState { status: *status, retry }
}
