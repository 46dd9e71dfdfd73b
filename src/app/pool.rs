//! The page's side of the workers: a few of them, a queue before them, and no trust in any: one
//! that dies, stays silent or answers nonsense costs its task a plain message and is replaced.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

use gloo::timers::callback::Interval;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::store::Document;
use super::wire::{self, Outcome};
use crate::policy::PolicyId;

/// Where Trunk puts the script that starts a worker, relative to the page.
const SCRIPT: &str = "./fairlane-worker_loader.js";
/// A worker that has not started by then is taken for dead, in milliseconds.
const START_MS: f64 = 20_000.0;
/// A working worker that has said nothing for so long is taken for dead, in milliseconds.
const SILENCE_MS: f64 = 60_000.0;
/// A worker that has been at a task nobody wants any more for so long is ended, in milliseconds.
const STALE_MS: f64 = 300.0;
/// How often silence is looked for, in milliseconds.
const WATCH_MS: u32 = 2_000;
/// Most workers at once.
const MOST_WORKERS: usize = 4;

/// Something for a worker to do.
#[derive(Clone)]
pub enum Task {
    /// Simulate a document under a policy.
    Simulate { revision: u32, policy: PolicyId, document: Rc<Document> },
    /// Find out whether a text is a scenario.
    Check { name: String, text: Rc<str> },
}

/// What the workers tell the page.
pub enum News {
    /// A simulation goes on: the part of its tasks launched.
    Progress { revision: u32, policy: PolicyId, part: f64 },
    /// A simulation has ended, or cannot be had.
    Simulated { revision: u32, policy: PolicyId, result: Result<Rc<Outcome>, String> },
    /// A text is a scenario, or why it is not.
    Checked { name: String, text: Rc<str>, result: Result<(), String> },
}

type Listener = Rc<dyn Fn(News)>;

/// A handle to the workers; they end with the last one.
#[derive(Clone)]
pub struct Pool {
    inner: Rc<RefCell<Inner>>,
    _watch: Rc<Interval>,
}

struct Inner {
    slots: Vec<Slot>,
    queue: VecDeque<Task>,
    most: usize,
    next_serial: u32,
    listener: Listener,
}

struct Slot {
    serial: u32,
    worker: Worker,
    phase: Phase,
    task: Option<Task>,
    /// When the task began, in milliseconds.
    since: f64,
    /// When the worker last said something, in milliseconds.
    heard: f64,
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(ErrorEvent)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
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

impl PartialEq for Pool {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Pool {
    /// No workers yet; they start when there is something to do.
    pub fn new(listener: impl Fn(News) + 'static) -> Pool {
        let processors = web_sys::window().map_or(1.0, |window| window.navigator().hardware_concurrency());
        let inner = Rc::new(RefCell::new(Inner {
            slots: Vec::new(),
            queue: VecDeque::new(),
            most: (processors as usize).clamp(1, MOST_WORKERS),
            next_serial: 0,
            listener: Rc::new(listener),
        }));
        let weak = Rc::downgrade(&inner);
        let watch = Interval::new(WATCH_MS, move || bury_the_silent(&weak));
        Pool { inner, _watch: Rc::new(watch) }
    }

    /// Puts a task into the queue.
    pub fn submit(&self, task: Task) {
        self.inner.borrow_mut().queue.push_back(task);
        pump(&self.inner);
    }

    /// Drops the simulations that are not of this revision or whose policy is not wanted.
    pub fn keep_only(&self, revision: u32, wanted: impl Fn(PolicyId) -> bool) {
        let keep = |task: &Task| match task {
            Task::Simulate { revision: of, policy, .. } => *of == revision && wanted(*policy),
            Task::Check { .. } => true,
        };
        let now = js_sys::Date::now();
        let mut inner = self.inner.borrow_mut();
        inner.queue.retain(keep);
        inner.slots.retain(|slot| {
            let stale = slot.task.as_ref().is_some_and(|task| !keep(task));
            !(stale && now - slot.since > STALE_MS)
        });
        drop(inner);
        pump(&self.inner);
    }
}

/// Hands queued tasks to free workers, starting workers as long as there may be more.
fn pump(inner: &Rc<RefCell<Inner>>) {
    loop {
        let mut state = inner.borrow_mut();
        if state.queue.is_empty() {
            return;
        }
        let free = state.slots.iter().position(|slot| slot.task.is_none());
        let place = match free {
            Some(place) => place,
            None if state.slots.len() < state.most => {
                let serial = state.next_serial;
                state.next_serial += 1;
                match start(inner, serial) {
                    Ok(slot) => state.slots.push(slot),
                    Err(message) => {
                        let task = state.queue.pop_front();
                        drop(state);
                        if let Some(task) = task {
                            fail(inner, task, &message);
                        }
                        continue;
                    }
                }
                state.slots.len() - 1
            }
            None => return,
        };
        let task = state.queue.pop_front();
        let slot = &mut state.slots[place];
        slot.task = task;
        slot.since = js_sys::Date::now();
        slot.heard = slot.since;
        if slot.phase == Phase::Ready {
            slot.send();
        }
    }
}

impl Slot {
    /// Sends the task to the worker, which must be ready.
    fn send(&self) {
        let message = match &self.task {
            Some(Task::Simulate { policy, document, .. }) => {
                Array::of3(&"simulate".into(), &(*document.json).into(), &policy.to_string().into())
            }
            Some(Task::Check { text, .. }) => Array::of2(&"check".into(), &(**text).into()),
            None => return,
        };
        // Text can always be cloned; a worker that is gone tells so by its silence.
        let _ = self.worker.post_message(&message);
    }
}

fn start(inner: &Rc<RefCell<Inner>>, serial: u32) -> Result<Slot, String> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(SCRIPT, &options).map_err(
        |_| "This browser did not start a simulation worker. Reload the page, or try another browser.",
    )?;
    let weak = Rc::downgrade(inner);
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        if let Some(inner) = weak.upgrade() {
            hear(&inner, serial, &event.data().unchecked_into());
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
        phase: Phase::Starting,
        task: None,
        since: now,
        heard: now,
        _on_message: on_message,
        _on_error: on_error,
    })
}

/// Takes in what a worker says.
fn hear(inner: &Rc<RefCell<Inner>>, serial: u32, message: &Array) {
    let mut state = inner.borrow_mut();
    let listener = Rc::clone(&state.listener);
    let Some(slot) = state.slots.iter_mut().find(|slot| slot.serial == serial) else { return };
    slot.heard = js_sys::Date::now();
    let word = message.get(0).as_string().unwrap_or_default();
    match (word.as_str(), &slot.task) {
        ("ready", _) => {
            slot.phase = Phase::Ready;
            slot.send();
        }
        ("progress", Some(Task::Simulate { revision, policy, .. })) => {
            let part = message.get(1).as_f64().unwrap_or(0.0);
            let news = News::Progress { revision: *revision, policy: *policy, part };
            drop(state);
            listener(news);
        }
        ("panic", _) => {
            let message = message.get(1).as_string().unwrap_or_default();
            drop(state);
            bury(inner, serial, &format!("The simulation stopped by a fault of Fairlane's own ({message})."));
        }
        (_, Some(_)) => {
            let task = slot.task.take();
            drop(state);
            if let Some(task) = task {
                listener(answer(task, &word, message));
            }
            pump(inner);
        }
        (_, None) => {}
    }
}

/// The news that a worker's last word on a task makes.
fn answer(task: Task, word: &str, message: &Array) -> News {
    let complaint = || match word {
        "error" => message.get(1).as_string().unwrap_or_default(),
        _ => wire::Damaged.to_string(),
    };
    match task {
        Task::Simulate { revision, policy, document } => {
            let result = match word {
                "done" => {
                    let bytes = Uint8Array::new(&message.get(1)).to_vec();
                    wire::decode(&bytes, &document.scenario, policy)
                        .map(Rc::new)
                        .map_err(|error| error.to_string())
                }
                _ => Err(complaint()),
            };
            News::Simulated { revision, policy, result }
        }
        Task::Check { name, text } => {
            let result = if word == "sound" { Ok(()) } else { Err(complaint()) };
            News::Checked { name, text, result }
        }
    }
}

/// Tells that a task came to nothing.
fn fail(inner: &Rc<RefCell<Inner>>, task: Task, message: &str) {
    let listener = Rc::clone(&inner.borrow().listener);
    let message = message.to_owned();
    listener(match task {
        Task::Simulate { revision, policy, .. } => News::Simulated { revision, policy, result: Err(message) },
        Task::Check { name, text } => News::Checked { name, text, result: Err(message) },
    });
}

/// Takes a dead worker out and fails its task; the next task gets a new worker.
fn bury(inner: &Rc<RefCell<Inner>>, serial: u32, message: &str) {
    let mut state = inner.borrow_mut();
    let Some(place) = state.slots.iter().position(|slot| slot.serial == serial) else { return };
    let mut slot = state.slots.swap_remove(place);
    drop(state);
    let task = slot.task.take();
    drop(slot);
    if let Some(task) = task {
        fail(inner, task, message);
    }
    pump(inner);
}

fn bury_the_silent(inner: &Weak<RefCell<Inner>>) {
    let Some(inner) = inner.upgrade() else { return };
    let now = js_sys::Date::now();
    let silent = |slot: &&Slot| {
        let patience = if slot.phase == Phase::Starting { START_MS } else { SILENCE_MS };
        slot.task.is_some() && now - slot.heard > patience
    };
    let serials: Vec<u32> = inner.borrow().slots.iter().filter(silent).map(|slot| slot.serial).collect();
    for serial in serials {
        bury(&inner, serial, "The simulation worker does not answer.");
    }
}
