//! The parts of the page.

pub mod editors;
pub mod guide;
pub mod header;
pub mod lanes;
pub mod notice;
pub mod results;
pub mod schedule;
pub mod setup;
pub mod share;
pub mod tabs;
pub mod toast;

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::store::{Action, Document, State};
use crate::app::effects::prefers_reduced_motion;
use crate::browser::dom::{around, find};
use crate::plots::theme::ThemeColours;
use crate::results::shared::Shared;
use fairlane::policy::PolicyId;

/// About how many ticks the axis of the schedules has.
const TICKS: usize = 8;

/// What an editor shows and changes.
#[derive(Properties, PartialEq)]
pub struct EditorProps {
    pub document: Shared<Document>,
    pub send: Callback<Action>,
}

/// What a panel derives from the whole state.
#[derive(Properties, PartialEq)]
pub struct StateProps {
    pub state: State,
    pub colours: Shared<ThemeColours>,
    pub send: Callback<Action>,
}

/// The head of a table: its columns, each with what it means where the name does not say it.
fn head(columns: impl IntoIterator<Item = (&'static str, &'static str)>) -> Html {
    let column = |(name, meaning): (&'static str, &'static str)| {
        html! { <th scope="col" title={Some(meaning).filter(|meaning| !meaning.is_empty())}>{ name }</th> }
    };
    html! { <thead><tr>{ for columns.into_iter().map(column) }</tr></thead> }
}

/// The head of a table whose columns need no explanation.
fn plain_head<const COLUMNS: usize>(columns: [&'static str; COLUMNS]) -> Html {
    head(columns.map(|name| (name, "")))
}

/// Moves the focus to the first element that matches; one that cannot take it leaves it where it is.
pub(super) fn focus(css: &str) {
    if let Some(element) = find(css).and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// Moves the focus among the elements that match, `by` places in the order of the page; at either end it stays.
fn move_focus(css: &str, by: i32) {
    let document = gloo::utils::document();
    let Ok(elements) = document.query_selector_all(css) else { return };
    let elements: Vec<web_sys::HtmlElement> =
        (0..elements.length()).filter_map(|index| elements.item(index)?.dyn_into().ok()).collect();
    let here = document.active_element();
    let at = elements.iter().position(|element| here.as_ref() == Some(element.as_ref()));
    let next = at.and_then(|at| at.checked_add_signed(by as isize)).and_then(|next| elements.get(next));
    if let Some(next) = next {
        // One that cannot take it leaves it where it is.
        let _ = next.focus();
    }
}

/// Scrolls as little as shows the first element that matches.
fn scroll_to(css: &str) {
    let Some(element) = find(css) else { return };
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_behavior(match prefers_reduced_motion() {
        true => web_sys::ScrollBehavior::Auto,
        false => web_sys::ScrollBehavior::Smooth,
    });
    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
    options.set_inline(web_sys::ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Moves the focus once what has just been requested is on the page.
fn focus_soon(css: &'static str) {
    gloo::timers::callback::Timeout::new(50, move || focus(css)).forget();
}

/// Scrolls to a policy's panel once its schedule is there: before, the panel is only as high as its title.
fn scroll_to_panel(policy: PolicyId) {
    scroll_once_there(format!("#panel-{policy}:not([data-state=pending])"), MOST_LOOKS);
}

/// How often is looked for what is to appear: for ten seconds, every 50 ms.
const MOST_LOOKS: u32 = 200;

fn scroll_once_there(css: String, looks: u32) {
    let look = move || match find(&css) {
        None if looks > 1 => scroll_once_there(css, looks - 1),
        _ => scroll_to(&css),
    };
    gloo::timers::callback::Timeout::new(50, look).forget();
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
