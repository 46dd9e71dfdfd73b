//! The page's side of the workers: a few of them, a queue before them, and no trust in any: one
//! that dies, stays silent or answers nonsense costs its task a plain message and is replaced.

mod sweeps;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

use gloo::timers::callback::Interval;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::shared::Shared;
use super::store::Document;
use super::sweep::SweepPoint;
use super::wire::{self, Care, Outcome};
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

/// Said of a worker whose answer does not follow the rules; such a worker is not asked again.
const NONSENSE: &str = "The simulation worker gave an answer that makes no sense.";

/// What is to be simulated: the newest version of the scenario, and for whom.
pub struct Order<'a> {
    /// The version's number.
    pub revision: u32,
    /// Answers about versions before this one are of no use any more.
    pub oldest: u32,
    /// The version.
    pub document: &'a Shared<Document>,
    /// The policies, the most urgent first.
    pub policies: &'a [PolicyId],
    /// How much is wanted.
    pub care: Care,
}

/// Something a worker is at.
#[derive(Clone)]
enum Task {
    Simulate { revision: u32, policy: PolicyId, document: Shared<Document>, care: Care },
    Check { name: String, text: Rc<str> },
    Sweep { revision: u32, point: SweepPoint, document: Shared<Document> },
}

/// What the workers tell the page.
pub enum News {
    /// A simulation goes on: the part of its tasks launched.
    Progress { revision: u32, policy: PolicyId, part: f64 },
    /// A simulation has ended, or cannot be had.
    Simulated { revision: u32, policy: PolicyId, result: Result<Shared<Outcome>, String> },
    /// A text is a scenario, or why it is not.
    Checked { name: String, text: Rc<str>, result: Result<(), String> },
    /// A point of a sweep: the mean response time in seconds, or why it cannot be had.
    Swept { revision: u32, point: SweepPoint, result: Result<f64, String> },
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
    /// Texts to be checked; they go before simulations.
    checks: VecDeque<(String, Rc<str>)>,
    /// Policies to be simulated. A policy keeps its place when the document changes, so that each
    /// has its turn however fast the changes come.
    wanted: VecDeque<PolicyId>,
    /// Points of a sweep over a version of the document; they go after simulations.
    sweep: Option<(u32, Shared<Document>, VecDeque<SweepPoint>)>,
    /// The newest version of the document.
    newest: Option<(u32, Shared<Document>, Care)>,
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
            checks: VecDeque::new(),
            wanted: VecDeque::new(),
            sweep: None,
            newest: None,
            most: (processors as usize).clamp(1, MOST_WORKERS),
            next_serial: 0,
            listener: Rc::new(listener),
        }));
        let weak = Rc::downgrade(&inner);
        let watch = Interval::new(WATCH_MS, move || bury_the_silent(&weak));
        Pool { inner, _watch: Rc::new(watch) }
    }

    /// Has a text checked.
    pub fn check(&self, name: String, text: Rc<str>) {
        self.inner.borrow_mut().checks.push_back((name, text));
        pump(&self.inner);
    }

    /// Has the newest version simulated under some policies, and nothing else.
    ///
    /// What is being simulated of a slightly older version goes on, because its picture is better than none.
    pub fn simulate(&self, order: &Order) {
        let now = js_sys::Date::now();
        let mut inner = self.inner.borrow_mut();
        inner.newest = Some((order.revision, order.document.clone(), order.care));
        inner.slots.retain(|slot| {
            let stale = match &slot.task {
                Some(Task::Simulate { revision, policy, .. }) => {
                    *revision < order.oldest || !order.policies.contains(policy)
                }
                Some(Task::Check { .. } | Task::Sweep { .. }) | None => false,
            };
            !(stale && now - slot.since > STALE_MS)
        });
        inner.wanted.retain(|policy| order.policies.contains(policy));
        for policy in order.policies {
            let under_way = inner.slots.iter().any(|slot| {
                matches!(&slot.task, Some(Task::Simulate { revision, policy: at, .. }) if *revision == order.revision && at == policy)
            });
            if !under_way && !inner.wanted.contains(policy) {
                inner.wanted.push_back(*policy);
            }
        }
        drop(inner);
        pump(&self.inner);
    }
}

impl Inner {
    fn next_task(&mut self) -> Option<Task> {
        if let Some((name, text)) = self.checks.pop_front() {
            return Some(Task::Check { name, text });
        }
        if let (Some((revision, document, care)), Some(policy)) =
            (self.newest.clone(), self.wanted.pop_front())
        {
            return Some(Task::Simulate { revision, policy, document, care });
        }
        self.next_point()
    }

    /// Where a free worker is, starting one if there may be more.
    fn free_slot(&mut self, inner: &Rc<RefCell<Inner>>) -> Result<Option<usize>, String> {
        if let Some(place) = self.slots.iter().position(|slot| slot.task.is_none()) {
            return Ok(Some(place));
        }
        if self.slots.len() >= self.most {
            return Ok(None);
        }
        let serial = self.next_serial;
        self.next_serial += 1;
        self.slots.push(start(inner, serial)?);
        Ok(Some(self.slots.len() - 1))
    }
}

/// Hands what is to be done to free workers.
fn pump(inner: &Rc<RefCell<Inner>>) {
    loop {
        let mut state = inner.borrow_mut();
        if state.checks.is_empty() && state.wanted.is_empty() && !state.has_points() {
            return;
        }
        let slot = state.free_slot(inner);
        if matches!(slot, Ok(None)) {
            return;
        }
        let Some(task) = state.next_task() else { return };
        match slot {
            Ok(Some(place)) => {
                let slot = &mut state.slots[place];
                slot.task = Some(task);
                slot.since = js_sys::Date::now();
                slot.heard = slot.since;
                if slot.phase == Phase::Ready {
                    slot.send();
                }
            }
            Ok(None) => return,
            Err(message) => {
                drop(state);
                fail(inner, task, &message);
            }
        }
    }
}

impl Slot {
    /// Sends the task to the worker, which must be ready.
    fn send(&self) {
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

fn start(inner: &Rc<RefCell<Inner>>, serial: u32) -> Result<Slot, String> {
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
        // A point is soon there; that the worker lives is all one needs to know.
        ("progress", Some(Task::Sweep { .. })) => {}
        ("panic", _) => {
            let message = message.get(1).as_string().unwrap_or_default();
            drop(state);
            bury(inner, serial, &format!("The simulation stopped by a fault of Fairlane's own ({message})."));
        }
        (_, Some(task)) => {
            let task = task.clone();
            drop(state);
            match answer(task, &word, message) {
                Some(news) => {
                    if let Some(slot) = inner.borrow_mut().slots.iter_mut().find(|slot| slot.serial == serial)
                    {
                        slot.task = None;
                    }
                    listener(news);
                    pump(inner);
                }
                None => bury(inner, serial, NONSENSE),
            }
        }
        (_, None) => {}
    }
}

/// The news that a worker's last word on a task makes; none if it makes no sense.
fn answer(task: Task, word: &str, message: &Array) -> Option<News> {
    let complaint = || message.get(1).as_string();
    let bytes = |place| {
        let buffer: ArrayBuffer = message.get(place).dyn_into().ok()?;
        Some(Uint8Array::new(&buffer).to_vec())
    };
    Some(match task {
        Task::Simulate { revision, policy, document, .. } => {
            let result = match word {
                "done" => {
                    let trace = bytes(1)?;
                    let journal = if message.length() > 2 { Some(bytes(2)?) } else { None };
                    let checks = message.get(3).as_string().map_or(Ok(()), Err);
                    let detail = journal.as_deref().map(|journal| (checks, journal));
                    Ok(Shared::new(wire::decode(&trace, &document.scenario, policy, detail).ok()?))
                }
                "error" => Err(complaint()?),
                _ => return None,
            };
            News::Simulated { revision, policy, result }
        }
        Task::Check { name, text } => {
            let result = match word {
                "sound" => Ok(()),
                "error" => Err(complaint()?),
                _ => return None,
            };
            News::Checked { name, text, result }
        }
        Task::Sweep { revision, point, .. } => {
            let result = match word {
                "swept" => Ok(message.get(1).as_f64().filter(|mean| mean.is_finite())?),
                "error" => Err(complaint()?),
                _ => return None,
            };
            News::Swept { revision, point, result }
        }
    })
}

/// Tells that a task came to nothing.
fn fail(inner: &Rc<RefCell<Inner>>, task: Task, message: &str) {
    let listener = Rc::clone(&inner.borrow().listener);
    let message = message.to_owned();
    listener(match task {
        Task::Simulate { revision, policy, .. } => News::Simulated { revision, policy, result: Err(message) },
        Task::Check { name, text } => {
            let remedy = "Open the file again; if that does not help, reload the page.";
            News::Checked { name, text, result: Err(format!("{message} {remedy}")) }
        }
        Task::Sweep { revision, point, .. } => News::Swept { revision, point, result: Err(message) },
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
