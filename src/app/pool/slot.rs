//! A worker and what it is at.

use std::cell::{Cell, RefCell};
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

/// A worker that was started before there was anything to do.
struct Early {
    worker: Worker,
    said: Rc<Cell<Said>>,
    _listener: Closure<dyn Fn(MessageEvent)>,
}

/// What an early worker has said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Nothing,
    Ready,
    SomethingElse,
}

thread_local! {
    static EARLY: RefCell<Option<Early>> = const { RefCell::new(None) };
}

/// Starts a worker for the first [`start`] to take, so that it gets ready while the page is drawn for the first
/// time.
pub(in crate::app) fn start_early() {
    // If there is none, the first task says why.
    let Ok(worker) = open() else { return };
    let said = Rc::new(Cell::new(Said::Nothing));
    let hears = Rc::clone(&said);
    let listener = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let ready = event.data().dyn_into::<Array>().is_ok_and(|message| message.get(0) == "ready");
        hears.set(if ready && hears.get() == Said::Nothing { Said::Ready } else { Said::SomethingElse });
    });
    worker.set_onmessage(Some(listener.as_ref().unchecked_ref()));
    EARLY.set(Some(Early { worker, said, _listener: listener }));
}

/// A worker that starts.
fn open() -> Result<Worker, JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(SCRIPT, &options)?;
    // It runs the page's own program, which is here already, and compiled. A message is kept for a worker that
    // is still starting, and one that cannot be sent is told by the worker's silence.
    let program = Array::of2(&OWN_SCRIPT.with(JsValue::clone), &wasm_bindgen::module());
    let _ = worker.post_message(&program);
    Ok(worker)
}

/// Starts a worker, or takes the one that was started early.
///
/// # Errors
/// The browser does not start one; in words.
pub(super) fn start(inner: &Rc<RefCell<Inner>>, serial: u32) -> Result<Slot, String> {
    let early = EARLY.take().and_then(|early| match early.said.get() {
        Said::Nothing | Said::Ready => Some(early),
        Said::SomethingElse => {
            early.worker.terminate();
            None
        }
    });
    let phase = match &early {
        Some(early) if early.said.get() == Said::Ready => Phase::Ready,
        _ => Phase::Starting,
    };
    let worker = early.map_or_else(open, |early| Ok(early.worker)).map_err(
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
    let now = js_sys::Date::now();
    Ok(Slot {
        serial,
        worker,
        phase,
        task: None,
        since: now,
        heard: now,
        part: 0.0,
        _on_message: on_message,
        _on_error: on_error,
    })
}
