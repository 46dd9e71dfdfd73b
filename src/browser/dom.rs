//! Look-ups among the page's elements.

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement};

/// The first element that matches.
pub fn find(css: &str) -> Option<Element> {
    gloo::utils::document().query_selector(css).ok().flatten()
}

/// What an event is about, or the nearest around it, that matches. Yew listens at the root, so that an event's current
/// target says nothing.
pub fn around(event: &impl AsRef<Event>, css: &str) -> Option<Element> {
    event.as_ref().target()?.dyn_into::<Element>().ok()?.closest(css).ok()?
}

/// Whether an element or one around it matches.
pub fn is_in(element: &Element, css: &str) -> bool {
    element.closest(css).is_ok_and(|found| found.is_some())
}

/// Takes the focus from what has it.
pub fn blur() {
    if let Some(active) =
        gloo::utils::document().active_element().and_then(|active| active.dyn_into::<HtmlElement>().ok())
    {
        // It fails for no element that has the focus.
        let _ = active.blur();
    }
}

/// Whether the reader prefers less motion.
pub fn prefers_reduced_motion() -> bool {
    let query = gloo::utils::window().match_media("(prefers-reduced-motion: reduce)").ok().flatten();
    query.is_some_and(|query| query.matches())
}
