//! The parts of the page that the first schedule does not need: a second program, loaded once that is painted.
//!
//! [`PARTS`] is the only way into it. Whatever is reached through these functions alone is left out of the first
//! program when the page is built (see `page/`); the two share their memory, so that nothing is copied between
//! them.

use std::future::Future;
use std::pin::Pin;

use yew::prelude::*;

use super::background;
use super::demo;
use super::instants::after_picture;
use super::panels::lanes::marks as lane_marks;
use super::panels::{
    EditorProps, StateProps, block_tip, charts, compare, differences, export, fidelity, help, ideal, job,
    lessons, mine, overview, palette, policies, set_up, share, story, toast, transport, verdict, waiting,
    why,
};
use super::plots::gantt::{marks, moving};

/// The parts by name, each a component and its properties.
macro_rules! parts {
    ($($part:ident: $($component:ident)::+, $($props:ident)::+;)*) => {
        /// The parts of the page in the second program, each a function that renders a component.
        pub struct Parts {
            $(pub $part: fn($($props)::+) -> Html,)*
        }

        /// All of them, available once the second program is.
        pub static PARTS: Parts = Parts {
            $($part: |props| html! { <$($component)::+ ..props /> },)*
        };
    };
}

parts! {
    ideal: ideal::Ideal, ideal::Props;
    compare: compare::Compare, StateProps;
    charts: charts::Charts, charts::Props;
    job: job::JobEditor, job::Props;
    why: why::Why, StateProps;
    overview: overview::Overview, overview::Props;
    waiting: waiting::WaitingStages, waiting::Props;
    lane_marks: lane_marks::LaneMarks, lane_marks::Props;
    block_tip: block_tip::BlockTip, block_tip::Props;
    moving: moving::Moving, moving::Props;
    marks: marks::Marks, marks::Props;
    differences: differences::Differences, differences::Props;
    lesson: lessons::LessonCard, lessons::CardProps;
    palette: palette::Palette, palette::Props;
    policies: policies::Policies, policies::Props;
    transport: transport::Transport, transport::Props;
    verdict: verdict::VerdictList, verdict::Props;
    trust: verdict::Trust, verdict::TrustProps;
    set_up: set_up::SetUp, EditorProps;
    fidelity: fidelity::Fidelity, fidelity::Props;
    lessons: lessons::List, lessons::ListProps;
    share: share::Share, share::Props;
    export: export::ExportItems, StateProps;
    help: help::Help, help::Props;
    mine: mine::Mine, mine::Props;
    story: story::Story, story::Props;
    toast: toast::Toast, toast::Props;
    background: background::Background, background::Props;
    controls: demo::Controls, demo::ControlsProps;
    lab_link: demo::LabLink, demo::LabLinkProps;
}

/// The second program failed to load, most likely for lack of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable;

/// A part of the program that is being loaded.
pub type Loading<T> = Pin<Box<dyn Future<Output = Result<T, Unreachable>>>>;

/// Loads the second program.
#[derive(Clone, Copy)]
pub struct Fetch(pub fn() -> Loading<&'static Parts>);

impl PartialEq for Fetch {
    /// There is one second program.
    fn eq(&self, _: &Fetch) -> bool {
        true
    }
}

/// The second program and whether it is loaded.
#[derive(Clone)]
pub struct Deferred {
    status: Status,
    retry: Callback<MouseEvent>,
}

impl PartialEq for Deferred {
    /// Nothing else is visible.
    fn eq(&self, other: &Deferred) -> bool {
        std::mem::discriminant(&self.status) == std::mem::discriminant(&other.status)
    }
}

#[derive(Clone, Copy)]
enum Status {
    /// Being loaded, or not requested yet.
    Loading,
    Loaded(&'static Parts),
    Failed,
}

impl Deferred {
    /// Whether it is loaded or has failed to load.
    pub fn is_settled(&self) -> bool {
        !matches!(self.status, Status::Loading)
    }

    /// A part, or a hint until it is loaded.
    pub fn show<P>(&self, part: fn(&Parts) -> fn(P) -> Html, props: P) -> Html {
        self.show_or(part, props, || self.hint())
    }

    /// A part, or something else until it is loaded.
    pub fn show_or<P>(
        &self,
        part: fn(&Parts) -> fn(P) -> Html,
        props: P,
        other: impl FnOnce() -> Html,
    ) -> Html {
        match self.status {
            Status::Loaded(parts) => part(parts)(props),
            Status::Loading | Status::Failed => other(),
        }
    }

    fn hint(&self) -> Html {
        match self.status {
            Status::Loaded(_) => Html::default(),
            Status::Loading => html! { <span class="hint awaited" role="status">{ "loading…" }</span> },
            Status::Failed => html! {
                <span class="hint awaited" role="alert">
                    { "This part failed to load. Check your connection and try again. " }
                    <button type="button" class="small again" onclick={self.retry.clone()}>{ "Try again" }</button>
                </span>
            },
        }
    }
}

/// The second program, loaded once the first schedule is painted, earlier if the reader wants one of its parts, and
/// again after a failure.
#[hook]
pub fn use_deferred(fetch: Fetch, wanted: bool) -> Deferred {
    let status = use_state(|| Status::Loading);
    let attempt = use_state(|| 0_u32);
    let load = {
        let setter = status.setter();
        move || {
            wasm_bindgen_futures::spawn_local(async move {
                setter.set(match fetch.0().await {
                    Ok(parts) => Status::Loaded(parts),
                    Err(Unreachable) => Status::Failed,
                });
            });
        }
    };
    // Loading it twice does no harm.
    use_effect_with(
        (wanted, *attempt),
        move |&(wanted, _)| if wanted { load() } else { after_picture(load) },
    );
    let retry = {
        let (attempt, setter) = (attempt.clone(), status.setter());
        Callback::from(move |_| {
            setter.set(Status::Loading);
            attempt.set(*attempt + 1);
        })
    };
    Deferred { status: *status, retry }
}
