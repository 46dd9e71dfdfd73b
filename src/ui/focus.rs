//! Moves the focus and scrolls to elements. When what had the focus is gone, such as the button of a message or a deleted
//! job, something near gets it: otherwise it falls to the body, and keys begin at the top of the page.

use gloo::render::request_animation_frame;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusEvent, HtmlElement};
use yew::prelude::*;

use crate::browser::dom::{find, is_in, prefers_reduced_motion};
use crate::ui::hooks::use_listener;

/// Moves the focus to the first element that matches; one that cannot take it leaves it where it is.
pub fn focus(css: &str) {
    if let Some(element) = find(css).and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// Moves the focus among the elements that match, `by` places in the order of the page; at either end it stays.
pub fn move_focus(css: &str, by: i32) {
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
pub fn scroll_to(css: &str) {
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
pub fn focus_soon(css: &'static str) {
    gloo::timers::callback::Timeout::new(50, move || focus(css)).forget();
}

/// Scrolls to the first element that matches once there is one; gives up after ten seconds.
pub fn scroll_once_there(css: String) {
    look_for(css, MAX_LOOKS);
}

/// How often an element is looked for, every 50 ms.
const MAX_LOOKS: u32 = 200;

fn look_for(css: String, looks: u32) {
    let look = move || match find(&css) {
        None if looks > 1 => look_for(css, looks - 1),
        _ => scroll_to(&css),
    };
    gloo::timers::callback::Timeout::new(50, look).forget();
}

/// What takes the focus instead, by where the focus was.
const INSTEAD: [(&str, &str); 8] = [
    (".lanes, .toast, #side .editor[aria-label='Chosen job'] > .buttons", "#lanes .block[tabindex='0']"),
    ("#side", ".tabs [aria-selected=true]"),
    (".lesson", "#lessons > summary"),
    (".transport", "#play"),
    (".poll", "#poll-again, .lab:not(.polling) #play"),
    (".predict", "#predict-mode"),
    (".left", "#users"),
    (".lab", "#stage"),
];

/// Whether nothing has the focus, or what is about to lose it.
fn is_lost() -> bool {
    let active = gloo::utils::document().active_element();
    active.is_none_or(|active| active.matches("body, :disabled").unwrap_or(false))
}

/// Gives the focus to an element if nothing has it. What is in a closed menu cannot have it: the menu's button gets it.
pub fn give_if_lost(css: &str) {
    [css, "#further", "#more", "#stage"].into_iter().filter(|_| is_lost()).for_each(focus);
}

/// Moves the focus to something near after a change of the page has removed or switched off what had it.
#[hook]
pub fn use_kept_focus() {
    let last = use_mut_ref(|| None::<(HtmlElement, &'static str)>);
    let known = last.clone();
    use_listener("focusin", (), move |_: &FocusEvent, target: &Element, ()| {
        let near = |(place, _): &&(&str, &str)| is_in(target, place);
        let instead = INSTEAD.iter().find(near).map(|(_, instead)| *instead);
        let element: Option<HtmlElement> = target.clone().dyn_into().ok();
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

/// Gives the focus back, when something closes, to what had it when that opened; to the element that matches if that is
/// gone, and also when it opens over what had the focus.
#[hook]
pub fn use_returned_focus(is_open: bool, otherwise: &'static str) {
    let before = use_mut_ref(|| (false, None::<HtmlElement>));
    let placed = use_mut_ref(|| None::<HtmlElement>);
    // While it is still on the page.
    if is_open && !before.borrow().0 {
        before.borrow_mut().1 = active_element();
    }
    before.borrow_mut().0 = is_open;
    use_effect_with(is_open, move |is_open| {
        let is_out_of_sight = |element: &HtmlElement| element.offset_parent().is_none();
        let opener = before.borrow().1.clone().filter(|element| !element.matches("body").unwrap_or(true));
        match (is_open, opener) {
            (true, Some(opener)) if is_out_of_sight(&opener) => {
                focus(otherwise);
                *placed.borrow_mut() = active_element();
            }
            // The focus is gone, or still where it was put.
            (false, Some(opener))
                if active_element().is_none_or(|active| {
                    is_out_of_sight(&active) || placed.borrow_mut().take() == Some(active)
                }) =>
            {
                let _ = opener.focus();
                if is_lost() {
                    focus(otherwise);
                }
            }
            _ => {}
        }
        if !is_open {
            before.borrow_mut().1 = None;
        }
    });
}

/// The element that has the focus; the body if none has.
fn active_element() -> Option<HtmlElement> {
    gloo::utils::document().active_element().and_then(|element| element.dyn_into().ok())
}
