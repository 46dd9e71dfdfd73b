//! The parts of the page, one beside the other. Those that use each other do so without circles.
//!
//! Uses `browser`, `plots`, `results`, `saved`, `store`, `ui` and `workers`.

pub mod editors;
pub mod guide;
pub mod header;
pub mod lanes;
mod lesson_link;
pub mod measurements;
pub mod notice;
pub mod results;
pub mod schedule;
pub mod setup;
pub mod share;
pub mod tabs;
pub mod toast;

use yew::prelude::*;

use crate::browser::dom::around;
use crate::plots::theme::ThemeColours;
use crate::results::shared::Shared;
use crate::store::{Action, Document, PollAction, State};
use crate::ui::focus::{focus_soon, scroll_once_there};
use crate::ui::send::Handlers;
use fairlane::policy::PolicyId;

/// About how many ticks the axis of the schedules has.
const TICKS: usize = 8;

/// What an editor shows and changes.
#[derive(Clone, Properties, PartialEq)]
pub struct EditorProps {
    pub document: Shared<Document>,
}

/// What a panel derives from the whole state.
#[derive(Clone, Properties, PartialEq)]
pub struct StateProps {
    pub state: State,
    pub colours: Shared<ThemeColours>,
}

/// Asks the class how long a job waits, and has the first guess typed.
fn asking(question: PollAction, send: &Callback<Action>) -> Callback<MouseEvent> {
    send.press_then(Action::Poll(question), || focus_soon("#poll-guess"))
}

/// Scrolls to a policy's panel once its schedule is there: before, the panel is only as high as its title.
fn scroll_to_panel(policy: PolicyId) {
    scroll_once_there(format!("#panel-{policy}:not([data-state=pending])"));
}

/// Where a pointer is in its plot, as a fraction of the width.
fn pointer_fraction(event: &PointerEvent) -> Option<f64> {
    let area = around(event, ".plot")?.get_bounding_client_rect();
    (area.width() > 0.0).then(|| (f64::from(event.client_x()) - area.left()) / area.width())
}

/// The two handlers that make an element seek while it is pressed: down and move.
fn seeking(seek: &Callback<f64>) -> (Callback<PointerEvent>, Callback<PointerEvent>) {
    let to = seek.clone();
    let down = Callback::from(move |event: PointerEvent| {
        // A job's block has gestures of its own.
        if event.button() != 0 || around(&event, "[data-job]").is_some() {
            return;
        }
        if let Some(plot) = around(&event, ".plot") {
            // Without capture the drag ends at the plot's edge, no worse.
            let _ = plot.set_pointer_capture(event.pointer_id());
        }
        if let Some(fraction) = pointer_fraction(&event) {
            to.emit(fraction);
        }
    });
    let to = seek.clone();
    let moved = Callback::from(move |event: PointerEvent| {
        let pressed = event.buttons() & 1 == 1;
        if let Some(fraction) = pressed.then(|| pointer_fraction(&event)).flatten() {
            to.emit(fraction);
        }
    });
    (down, moved)
}
