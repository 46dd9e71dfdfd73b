//! Look-ups among the page's elements.

use wasm_bindgen::JsCast;
use web_sys::{Element, Event};

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
