//! Instants of the page's start, for whoever measures it: marks in the browser's own performance timeline.

use std::cell::RefCell;

use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::Timeout;

/// The page's program runs.
const PROGRAM: &str = "program";
/// The frame with the first schedule has been painted.
const FIRST_PICTURE: &str = "first-picture";

/// Marks that the program runs.
pub fn program() {
    mark(PROGRAM);
}

/// Marks the first schedule that is drawn; the later ones do not count.
pub fn picture() {
    thread_local! {
        static FRAME: RefCell<Option<AnimationFrame>> = const { RefCell::new(None) };
    }
    FRAME.with_borrow_mut(|frame| {
        // The frame's callback comes before the frame is painted, a task after it.
        let painted = || {
            request_animation_frame(|_| {
                Timeout::new(0, || mark(FIRST_PICTURE)).forget();
            })
        };
        frame.get_or_insert_with(painted);
    });
}

fn mark(name: &str) {
    if let Some(performance) = gloo::utils::window().performance() {
        // A browser that takes no marks cannot be measured; nothing else depends on them.
        let _ = performance.mark(name);
    }
}
