//! How a step leads the eye: what it points at is outlined, unfolded and scrolled into view.

use std::rc::Rc;

use gloo::render::request_animation_frame;
use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::browser::dom::find;
use crate::store::{Action, LessonPlace, Tab, ViewAction};
use crate::ui::focus::{focus, scroll_to};

/// After this time a side that a step unfolds is there with its tables.
const AFTER_UNFOLDING_MS: u32 = 120;

/// A style rule that highlights what the step points at, however often that is rendered again.
pub(super) fn highlight(points: &[String]) -> String {
    match points {
        [] => String::new(),
        points => format!(
            "{} {{ outline: 3px solid var(--spot) !important; outline-offset: 2px !important; scroll-margin: 16px 0 48px; }}",
            points.join(", ")
        ),
    }
}

/// A new step gets the focus, so that it is read out and the keys continue from there.
#[hook]
pub(super) fn use_heading_focus(here: LessonPlace, over: bool) {
    use_effect_with((here, over), |_| {
        // Whoever writes goes on writing.
        if find("#document:focus").is_none() {
            focus("#lesson-title");
        }
    });
}

/// Scrolls what a step points at into view: when it is set up, and again when the charts are ready. Later
/// actions of the reader scroll nothing.
#[hook]
pub(super) fn use_scrolling(point: Option<String>, set_ups: u32, settled: bool) {
    let shown = use_mut_ref(|| 0);
    // They outlive what is rendered in between, and end with the step.
    let scrolls = use_mut_ref(|| None);
    use_effect_with((point, set_ups, settled), move |(point, set_ups, settled)| {
        if point.is_none() {
            scrolls.replace(None);
        }
        if *shown.borrow() != *set_ups {
            if *settled {
                shown.replace(*set_ups);
            }
            // A frame later the layout is complete, unless the side unfolds for the step.
            scrolls.replace(point.clone().map(|css| {
                let again = css.clone();
                let frame = request_animation_frame(move |_| scroll_to(&css));
                (frame, Timeout::new(AFTER_UNFOLDING_MS, move || scroll_to(&again)))
            }));
        }
    });
}

/// Opens what hides a thing that a step points at, such as the tables of the comparison.
#[hook]
pub(super) fn use_unfolding(points: &Rc<Vec<String>>, set_ups: u32, settled: bool, send: &Callback<Action>) {
    let send = send.clone();
    use_effect_with((Rc::clone(points), set_ups, settled), move |(points, ..)| {
        let document = gloo::utils::document();
        for css in points.iter() {
            let element = document.query_selector(css).ok().flatten();
            let mut around = element.and_then(|element| element.parent_element());
            while let Some(hiding) =
                around.and_then(|around| around.closest("details:not([open])").ok().flatten())
            {
                // It fails only for names that are none.
                let _ = hiding.set_attribute("open", "");
                around = hiding.parent_element();
            }
            // The comparison, where the side is folded.
            if css.contains("#overview") || css.contains("#by-user") {
                send.emit(Action::View(ViewAction::Show(Tab::Compare)));
            }
        }
    });
}

/// A first answer scrolls its explanation into view.
#[hook]
pub(super) fn use_answer_in_view(here: LessonPlace, answered: bool) {
    use_effect_with((here, answered), |(_, answered)| {
        let frame = answered.then(|| request_animation_frame(|_| scroll_to("#lesson-answer")));
        move || drop(frame)
    });
}
