//! Hooks for any component: sizes, what is on the screen, events of the whole page.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use yew::prelude::*;

/// Elements that need the keys for text, those that need the space bar, and those that need the arrows.
pub const NEED_TEXT: &str = "input:not([type=checkbox], [type=range]), textarea";

pub const NEED_SPACE: &str = "input, select, button, textarea, a, summary";

pub const NEED_ARROWS: &str =
    "[role=slider], input:not([type=checkbox]), select, textarea, .scroll, [role=tab]";

/// Handles events of the whole page, which may prevent the browser's own reaction, with what was rendered last.
#[hook]
pub fn use_listener<E: JsCast, T: 'static>(
    event: &'static str,
    latest: T,
    handle: impl Fn(&E, &web_sys::Element, &T) + 'static,
) {
    let shared = use_mut_ref(|| None);
    *shared.borrow_mut() = Some(latest);
    use_effect_with((), move |()| {
        let options = EventListenerOptions::enable_prevent_default();
        let document = gloo::utils::document();
        let listener = EventListener::new_with_options(&document, event, options, move |event| {
            let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
            let target = target.unwrap_or_else(gloo::utils::document_element);
            if let (Some(event), Some(latest)) = (event.dyn_ref::<E>(), &*shared.borrow()) {
                handle(event, &target, latest);
            }
        });
        move || drop(listener)
    });
}

/// Calls back with the size of an element at once, and again whenever that changes; `find` is asked once for the
/// element.
#[hook]
pub fn use_size(
    find: impl FnOnce() -> Option<web_sys::Element> + 'static,
    report: impl Fn(web_sys::DomRect) + 'static,
) {
    use_effect_with((), move |()| {
        let watched = find().and_then(|element| {
            let area = element.clone();
            // The observer reports it, too, but a frame later.
            report(area.get_bounding_client_rect());
            let on_resize = Closure::<dyn Fn()>::new(move || report(area.get_bounding_client_rect()));
            let observer = web_sys::ResizeObserver::new(on_resize.as_ref().unchecked_ref()).ok()?;
            observer.observe(&element);
            Some((observer, on_resize))
        });
        move || {
            if let Some((observer, _)) = watched {
                observer.disconnect();
            }
        }
    });
}

/// Whether the window matches a media query, now and whenever that changes.
#[hook]
pub fn use_media(query: &'static str) -> bool {
    let list = use_memo((), move |()| gloo::utils::window().match_media(query).ok().flatten());
    let matches = use_state_eq(|| (*list).as_ref().is_some_and(web_sys::MediaQueryList::matches));
    {
        let matches = matches.setter();
        use_effect_with((), move |()| {
            let listener = (*list).clone().map(|list| {
                EventListener::new(&list.clone(), "change", move |_| matches.set(list.matches()))
            });
            move || drop(listener)
        });
    }
    *matches
}

/// Whether any part of an element is on the screen; `true` until it is known.
#[hook]
pub fn use_on_screen(node: &NodeRef) -> bool {
    let shown = use_state_eq(|| true);
    let (node, setter) = (node.clone(), shown.setter());
    use_effect_with((), move |()| {
        let watched = node.cast::<web_sys::Element>().and_then(|element| {
            let on_change = Closure::<dyn Fn(js_sys::Array)>::new(move |entries: js_sys::Array| {
                let last = entries.pop().dyn_into::<web_sys::IntersectionObserverEntry>();
                setter.set(last.map_or(true, |entry| entry.is_intersecting()));
            });
            let observer = web_sys::IntersectionObserver::new(on_change.as_ref().unchecked_ref()).ok()?;
            observer.observe(&element);
            Some((observer, on_change))
        });
        move || {
            if let Some((observer, _)) = watched {
                observer.disconnect();
            }
        }
    });
    *shown
}

/// Width of an element in logical pixels, updated as it changes; 0 until it is rendered.
#[hook]
pub fn use_width(node: &NodeRef) -> f64 {
    let width = use_state_eq(|| 0.0);
    let (node, setter) = (node.clone(), width.setter());
    use_size(move || node.cast(), move |area| setter.set(area.width()));
    *width
}
