//! A worker and what it is at.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::hear::{NONSENSE, bury, hear};
use super::{Inner, Task};

/// The script that starts a worker, relative to the page: `assets/fairlane-worker_loader.js`.
const SCRIPT: &str = "./fairlane-worker_loader.js";

#[wasm_bindgen]
extern "C" {
    /// Where the script is that this program came with.
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static OWN_SCRIPT: JsValue;
}

/// A worker; dropped, it is ended.
pub(super) struct Slot {
    pub(super) serial: u32,
    worker: Worker,
    pub(super) phase: Phase,
    pub(super) task: Option<Task>,
    /// When the task began, in milliseconds.
    pub(super) since: f64,
    /// When the worker last said something, in milliseconds.
    pub(super) heard: f64,
    /// Which part of the task is done, as far as the worker has told.
    pub(super) part: f64,
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(ErrorEvent)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Starting,
    Ready,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

impl Slot {
    /// Gives the worker a task, or has it wait for one that is still starting.
    pub(super) fn give(&mut self, task: Task) {
        self.task = Some(task);
        self.since = js_sys::Date::now();
        self.heard = self.since;
        self.part = 0.0;
        if self.phase == Phase::Ready {
            self.send();
        }
    }

    /// Sends the task to the worker, which must be ready.
    pub(super) fn send(&self) {
        let message = match &self.task {
            Some(Task::Simulate { policy, document, care, .. }) => Array::of4(
                &"simulate".into(),
                &(*document.json()).into(),
                &policy.to_string().into(),
                &care.word().into(),
            ),
            Some(Task::Check { text, .. }) => Array::of2(&"check".into(), &(**text).into()),
            Some(Task::Sweep { point, document, .. }) => Array::of4(
                &"sweep".into(),
                &(*document.json()).into(),
                &point.policy.to_string().into(),
                &point.setting.to_string().into(),
            ),
            None => return,
        };
        // Text can always be cloned; a worker that is gone tells so by its silence.
        let _ = self.worker.post_message(&message);
    }
}

/// Starts a worker.
///
/// # Errors
/// The browser does not start one; in words.
pub(super) fn start(inner: &Rc<RefCell<Inner>>, serial: u32) -> Result<Slot, String> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(SCRIPT, &options).map_err(
        |_| "This browser did not start a simulation worker. Reload the page, or try another browser.",
    )?;
    let weak = Rc::downgrade(inner);
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        if let Some(inner) = weak.upgrade() {
            match event.data().dyn_into::<Array>() {
                Ok(message) => hear(&inner, serial, &message),
                Err(_) => bury(&inner, serial, NONSENSE),
            }
        }
    });
    let weak = Rc::downgrade(inner);
    let on_error = Closure::<dyn Fn(ErrorEvent)>::new(move |event: ErrorEvent| {
        // Said here, in words; the browser need not log it as an error of the page's own.
        event.prevent_default();
        if let Some(inner) = weak.upgrade() {
            bury(&inner, serial, "The simulation worker stopped unexpectedly.");
        }
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    // It runs the page's own program, which is here already, and compiled. A message is kept for a worker that
    // is still starting, and one that cannot be sent is told by the worker's silence.
    let program = Array::of2(&OWN_SCRIPT.with(JsValue::clone), &wasm_bindgen::module());
    let _ = worker.post_message(&program);
    let now = js_sys::Date::now();
    Ok(Slot {
        serial,
        worker,
        phase: Phase::Starting,
        task: None,
        since: now,
        heard: now,
        part: 0.0,
        _on_message: on_message,
        _on_error: on_error,
    })
}
