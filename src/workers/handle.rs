//! A worker as the browser knows it, and its messages.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::browser::{identity, locks};
use crate::workers::messages::{FromWorker, unpack};
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

/// The script that starts a worker, relative to the page: `assets/fairlane-worker_loader.js`.
const SCRIPT: &str = "./fairlane-worker_loader.js";

/// Shown if a worker's answer is invalid; such a worker is replaced.
pub(super) const INVALID: &str = "The simulation worker sent an invalid answer.";

/// Shown if a worker has ended by itself; it is replaced.
const STOPPED: &str = "The simulation worker stopped unexpectedly.";

#[wasm_bindgen]
extern "C" {
    /// Address of the script that loaded this program.
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static OWN_SCRIPT: JsValue;
}

/// A message of a worker and what is attached to it, or why there will be none.
pub(super) type WorkerMessage = Result<(FromWorker, Array), &'static str>;

type Handlers = (Closure<dyn Fn(MessageEvent)>, Closure<dyn Fn(ErrorEvent)>);

/// A worker; dropped, it is terminated.
pub(super) struct WorkerHandle {
    worker: Worker,
    /// The lock that it holds as long as it lives.
    lock: String,
    /// Whether it has not been terminated by the page.
    is_wanted: Rc<Cell<bool>>,
    listener: Rc<dyn Fn(WorkerMessage)>,
    _handlers: Handlers,
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        self.is_wanted.set(false);
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

impl WorkerHandle {
    /// Starts a worker. The browser keeps messages for one that is still starting.
    ///
    /// # Errors
    /// The browser does not start one.
    pub(super) fn start(listener: impl Fn(WorkerMessage) + 'static) -> Result<WorkerHandle, String> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(SCRIPT, &options).map_err(
            |_| "This browser did not start a simulation worker. Reload the page, or try another browser.",
        )?;
        let lock = format!("fairlane-worker-{:016x}", identity::drawn());
        // The program is loaded and compiled already. What cannot be sent is noticed by the worker's silence.
        let program =
            Array::of3(&OWN_SCRIPT.with(JsValue::clone), &wasm_bindgen::module(), &lock.as_str().into());
        let _ = worker.post_message(&program);
        let listener: Rc<dyn Fn(WorkerMessage)> = Rc::new(listener);
        let _handlers = handlers(&worker, &listener);
        Ok(WorkerHandle { worker, lock, is_wanted: Rc::new(Cell::new(true)), listener, _handlers })
    }

    /// Reports it if the worker, which is ready, dies without a word: the browser says nothing of one that it ends for
    /// want of memory.
    pub(super) fn report_death(&self) {
        let (lock, is_wanted) = (self.lock.clone(), Rc::clone(&self.is_wanted));
        let listener = Rc::clone(&self.listener);
        spawn_local(async move {
            if locks::is_released(&lock).await && is_wanted.get() {
                listener(Err(STOPPED));
            }
        });
    }

    /// Sends a message.
    pub(super) fn send(&self, message: &Array) {
        // Bytes and files can always be cloned; a worker that is gone is noticed by its silence.
        let _ = self.worker.post_message(message);
    }
}

/// Makes a worker report to a listener.
fn handlers(worker: &Worker, listener: &Rc<dyn Fn(WorkerMessage)>) -> Handlers {
    let (listener, on_error) = (Rc::clone(listener), Rc::clone(listener));
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        listener(unpack(event.data()).ok_or(INVALID));
    });
    let on_error = Closure::<dyn Fn(ErrorEvent)>::new(move |event: ErrorEvent| {
        // Shown on the page; the browser need not log it as an error of the page.
        event.prevent_default();
        on_error(Err(STOPPED));
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    (on_message, on_error)
}
