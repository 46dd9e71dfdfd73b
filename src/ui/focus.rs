//! Where the focus goes when what had it is gone, such as the button of a message or a deleted job: without this it
//! falls to the body, and keys begin at the top of the page.

use gloo::render::request_animation_frame;
use web_sys::{Element, FocusEvent, HtmlElement};
use yew::prelude::*;

use crate::app::effects::use_listener;
use crate::browser::dom::is_in;
use crate::panels::focus;

/// What takes the focus instead, by where the focus was.
const INSTEAD: [(&str, &str); 7] = [
    (".lanes, .toast, #side .editor[aria-label='Chosen job'] > .buttons", "#lanes .block[tabindex='0']"),
    ("#side", ".tabs [aria-selected=true]"),
    (".lesson", "#lessons > summary"),
    (".transport", "#play"),
    (".predict", "#predict-mode"),
    (".left", "#users"),
    (".lab", "#stage"),
];

/// Whether nothing has the focus, or what is about to lose it.
fn is_lost() -> bool {
    let active = gloo::utils::document().active_element();
    active.is_none_or(|active| active.matches("body, :disabled").unwrap_or(false))
}

/// Gives the focus to an element if nothing has it. What is in the menu of a narrow screen cannot have it.
pub fn give_if_lost(css: &str) {
    [css, "#more", "#stage"].into_iter().filter(|_| is_lost()).for_each(focus);
}

/// Moves the focus to something near after a change of the page has removed or switched off what had it.
#[hook]
pub fn use_kept_focus() {
    let last = use_mut_ref(|| None::<(HtmlElement, &'static str)>);
    let known = last.clone();
    use_listener("focusin", (), move |_: &FocusEvent, target: &Element, ()| {
        let near = |(place, _): &&(&str, &str)| is_in(target, place);
        let instead = INSTEAD.iter().find(near).map(|(_, instead)| *instead);
        let element: Option<HtmlElement> = wasm_bindgen::JsCast::dyn_into(target.clone()).ok();
        *known.borrow_mut() = element.zip(instead);
    });
    // After every change of the page, once it is there.
    use_effect(move || {
        let frame = request_animation_frame(move |_| {
            let is_gone = |element: &HtmlElement| {
                !element.is_connected() || element.matches(":disabled").unwrap_or(false)
            };
            let gone = last
                .borrow()
                .as_ref()
                .filter(|(element, _)| is_lost() && is_gone(element))
                .map(|(_, css)| *css);
            if let Some(css) = gone {
                last.take();
                give_if_lost(css);
            }
        });
        move || drop(frame)
    });
}
