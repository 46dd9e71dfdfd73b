//! Instants of the page's start as marks in the browser's performance timeline, for measurements; and what waits
//! for the first picture.

use std::cell::RefCell;

use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::MessageChannel;

/// The page's program runs.
const PROGRAM: &str = "program";
/// The frame with the first schedule has been painted.
const FIRST_PICTURE: &str = "first-picture";

/// How long the first picture may keep other work waiting, in milliseconds: a first simulation can take minutes.
const AT_MOST_MS: u32 = 5_000;

/// Marks that the program runs.
pub fn program() {
    mark(PROGRAM);
    Timeout::new(AT_MOST_MS, start_waiting).forget();
}

/// Marks the first schedule that is drawn; the later ones do not count.
pub fn picture() {
    thread_local! {
        static FRAME: RefCell<Option<AnimationFrame>> = const { RefCell::new(None) };
    }
    FRAME.with_borrow_mut(|frame| {
        // The frame's callback runs before the frame is painted. A message is the first task after it, a timer comes
        // behind others.
        let painted = || {
            request_animation_frame(|_| {
                after_frame(|| mark(FIRST_PICTURE));
                Timeout::new(0, start_waiting).forget();
            })
        };
        frame.get_or_insert_with(painted);
    });
}

type Work = Box<dyn FnOnce()>;

thread_local! {
    /// What is to be done once the first schedule has been painted; `None`: it has, or has taken too long.
    static WAITING: RefCell<Option<Vec<Work>>> = const { RefCell::new(Some(Vec::new())) };
}

/// Does something as the next task.
fn after_frame(work: impl FnOnce() + 'static) {
    if let Ok(channel) = MessageChannel::new() {
        channel.port1().set_onmessage(Some(Closure::once_into_js(work).unchecked_ref()));
        // Null can be cloned.
        let _ = channel.port2().post_message(&JsValue::NULL);
    }
}

fn start_waiting() {
    for work in WAITING.take().unwrap_or_default() {
        work();
    }
}

/// Does something once the first schedule has been painted, or has taken [`AT_MOST_MS`]: at once, if it has.
pub fn after_picture(work: impl FnOnce() + 'static) {
    let painted = WAITING.with_borrow(Option::is_none);
    if painted {
        work();
    } else {
        WAITING.with_borrow_mut(|waiting| waiting.get_or_insert_default().push(Box::new(work)));
    }
}

fn mark(name: &str) {
    if let Some(performance) = gloo::utils::window().performance() {
        // A browser that takes no marks cannot be measured; nothing else depends on them.
        let _ = performance.mark(name);
    }
}
