//! The last resort: what the page's program hands to `assets/fairlane-rescue.js`, which is in the document from the
//! start and goes on without it after a panic or a trap: with a message, the reader's work, one press that goes on, and
//! a report.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Once;

use js_sys::Array;
use wasm_bindgen::prelude::*;

/// A state of the page that the reader may want to keep.
pub trait Work {
    /// The page as text, as the browser stores it; `None` if it is too large.
    fn session(&self) -> Option<String>;
    /// The scenario as a file: its name and its text.
    fn file(&self) -> (String, String);
}

// Each is missing where the program runs without its document, such as in tests.
#[wasm_bindgen(js_namespace = fairlaneRescue)]
extern "C" {
    #[wasm_bindgen(catch, js_name = start)]
    fn hand_over(version: &str, work: &Closure<dyn Fn(bool) -> Array>) -> Result<(), JsValue>;
    #[wasm_bindgen(catch, js_name = note)]
    fn note_step(step: &str, is_readers: bool) -> Result<(), JsValue>;
    #[wasm_bindgen(catch)]
    fn stop(place: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(catch)]
    fn kept() -> Result<Option<String>, JsValue>;
    #[wasm_bindgen(catch, js_name = copy)]
    async fn copy_for(place: &str) -> Result<(), JsValue>;
}

thread_local! {
    static STOPPED: Cell<bool> = const { Cell::new(false) };
    /// The page before the reader's last step, and as it is.
    static WORK: RefCell<[Option<Rc<dyn Work>>; 2]> = const { RefCell::new([None, None]) };
}

/// From now on a panic stops the page and shows a message.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Yew replaces any other hook by its own, which only logs.
        yew::set_custom_panic_hook(Box::new(|info| {
            STOPPED.set(true);
            let place = info.to_string();
            if stop(&place).is_err() {
                web_sys::console::error_1(&place.as_str().into());
            }
        }));
        let work = Closure::<dyn Fn(bool) -> Array>::new(work);
        // Without the script there is no message; the page works.
        let _ = hand_over(env!("CARGO_PKG_VERSION"), &work);
        work.forget();
    });
}

/// The page as text, then the name and the text of a file with the page as it was last. The text is of the page before
/// the last step, unless that is settled: then it is no reason for a fault.
fn work(is_settled: bool) -> Array {
    let text = |text: Option<String>| text.map_or(JsValue::UNDEFINED, JsValue::from);
    WORK.with(|work| {
        // A panic may have come in the middle of anything.
        let Ok(work) = work.try_borrow() else { return Array::new() };
        let [before, now] = &*work;
        let (name, file) = now.as_ref().map(|now| now.file()).unzip();
        let kept = if is_settled { before.as_ref().and(now.as_ref()) } else { before.as_ref() };
        let session = kept.and_then(|kept| kept.session());
        [text(session), text(name), text(file)].into_iter().collect()
    })
}

/// Whether the page has stopped for good: nothing changes any more.
pub fn has_stopped() -> bool {
    STOPPED.get()
}

/// The reader does something: the work before it is what the page goes on with, should that end in a panic.
pub fn begin_step(step: &str, before: Rc<dyn Work>) {
    WORK.with_borrow_mut(|[kept, _]| *kept = Some(before));
    let _ = note_step(step, true);
}

/// Something happens by itself.
pub fn note(step: &str) {
    let _ = note_step(step, false);
}

/// The work as it is now.
pub fn keep(now: Rc<dyn Work>) {
    WORK.with_borrow_mut(|[_, kept]| *kept = Some(now));
}

/// The work that was kept when the page stopped before it was loaded again; an empty text if the page is to start
/// without any.
pub fn rescued() -> Option<String> {
    kept().ok().flatten()
}

/// Copies a report of what went wrong at a place; whether the browser has allowed it.
pub async fn copy_report(place: &str) -> bool {
    copy_for(place).await.is_ok()
}
