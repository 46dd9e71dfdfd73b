//! Panels change places by a pointer that drags one by its title.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::store::{Action, Direction, ViewAction};
use fairlane::policy::PolicyId;
use fairlane_view::reorder;

/// How far a pointer moves before a press becomes a drag, in logical pixels.
const MIN_PX: f64 = 5.0;

/// A panel's title under a pressed pointer.
struct TitlePress {
    from: f64,
    /// Whether it is a drag.
    moves: bool,
    /// Listeners of the window: the title itself moves in the page and would lose the pointer.
    _listeners: [EventListener; 3],
}

/// What a panel's title needs to be dragged.
pub struct ReorderHandle {
    pub onpointerdown: Callback<PointerEvent>,
    /// Reports a press that was no drag.
    pub onclick: Callback<MouseEvent>,
}

/// Makes a panel's title its handle; `press` is what a press on it does.
#[hook]
pub fn use_handle(policy: PolicyId, send: &Callback<Action>, press: Callback<MouseEvent>) -> ReorderHandle {
    let pressed: Rc<RefCell<Option<TitlePress>>> = use_mut_ref(|| None);
    let onclick = {
        let pressed = Rc::clone(&pressed);
        Callback::from(move |event: MouseEvent| {
            let moves = pressed.borrow().as_ref().is_some_and(|press| press.moves);
            if !moves {
                press.emit(event);
            }
        })
    };
    let send = send.clone();
    let onpointerdown = Callback::from(move |event: PointerEvent| {
        if event.button() != 0 {
            return;
        }
        let window = gloo::utils::window();
        let moved = {
            let (pressed, send) = (Rc::clone(&pressed), send.clone());
            EventListener::new(&window, "pointermove", move |event| {
                let Some(event) = event.dyn_ref::<web_sys::PointerEvent>() else { return };
                let y = f64::from(event.client_y());
                if let Some(press) = pressed.borrow_mut().as_mut() {
                    press.moves |= (y - press.from).abs() >= MIN_PX;
                    if !press.moves {
                        return;
                    }
                }
                match direction(policy, y) {
                    Ordering::Less => send.emit(Action::View(ViewAction::MovePanel(policy, Direction::Back))),
                    Ordering::Greater => {
                        send.emit(Action::View(ViewAction::MovePanel(policy, Direction::Forward)))
                    }
                    Ordering::Equal => {}
                }
            })
        };
        // The click that follows a release must still see that it was a drag.
        let end = |name: &'static str| {
            let pressed = Rc::clone(&pressed);
            EventListener::new(&window, name, move |_| {
                let pressed = Rc::clone(&pressed);
                Timeout::new(0, move || drop(pressed.take())).forget();
            })
        };
        let listeners = [moved, end("pointerup"), end("pointercancel")];
        let press = TitlePress { from: f64::from(event.client_y()), moves: false, _listeners: listeners };
        *pressed.borrow_mut() = Some(press);
    });
    ReorderHandle { onpointerdown, onclick }
}

/// Which way a policy's panel is to move so that it follows a pointer.
fn direction(policy: PolicyId, y: f64) -> Ordering {
    let Ok(panels) = gloo::utils::document().query_selector_all(".panels > .panel") else {
        return Ordering::Equal;
    };
    let elements =
        (0..panels.length()).filter_map(|index| panels.item(index)?.dyn_into::<web_sys::Element>().ok());
    let elements: Vec<web_sys::Element> = elements.collect();
    let id = format!("panel-{policy}");
    let Some(index) = elements.iter().position(|element| element.id() == id) else { return Ordering::Equal };
    let area = |element: &web_sys::Element| {
        let area = element.get_bounding_client_rect();
        (area.top(), area.bottom())
    };
    reorder::direction(&elements.iter().map(area).collect::<Vec<_>>(), index, y)
}
