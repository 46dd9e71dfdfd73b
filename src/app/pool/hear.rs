//! What the workers say. No trust in any: one that dies, stays silent or answers nonsense costs its task a
//! plain message and is replaced.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use js_sys::{Array, ArrayBuffer};
use wasm_bindgen::JsCast;

use super::intake::{self, Arrival};
use super::slot::{Phase, Slot};
use super::{Inner, News, Task, WORKER_KEEPS, pump};

/// A worker that has not started by then is taken for dead, in milliseconds.
const START_MS: f64 = 20_000.0;
/// A working worker that has said nothing for so long is taken for dead, in milliseconds.
const SILENCE_MS: f64 = 60_000.0;

/// Said of a worker whose answer does not follow the rules; such a worker is not asked again.
pub(super) const NONSENSE: &str = "The simulation worker gave an answer that makes no sense.";

/// Takes in what a worker says.
pub(super) fn hear(inner: &Rc<RefCell<Inner>>, serial: u32, message: &Array) {
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
            let part = message.get(1).as_f64().filter(|part| (0.0..=1.0).contains(part)).unwrap_or(0.0);
            slot.part = part;
            let news = News::Progress { revision: *revision, policy: *policy, part };
            drop(state);
            listener(news);
        }
        // A point is soon there; that the worker lives is all one needs to know.
        ("progress", Some(Task::Sweep { .. })) => {}
        // Told after each task, once the next one has been given: a worker without one has nothing to do.
        ("memory", task) => {
            let too_large =
                task.is_none() && message.get(1).as_f64().is_some_and(|bytes| bytes > WORKER_KEEPS);
            if too_large {
                state.slots.retain(|slot| slot.serial != serial);
            }
        }
        ("panic", _) => {
            let message = message.get(1).as_string().unwrap_or_default();
            drop(state);
            bury(inner, serial, &format!("The simulation stopped by a fault of Fairlane's own ({message})."));
        }
        (_, Some(task)) => {
            let task = task.clone();
            drop(state);
            let Some(answer) = answer(task, &word, message) else {
                bury(inner, serial, NONSENSE);
                return;
            };
            rest(inner, serial, &answer);
            match answer {
                Answer::News(news) => listener(news),
                Answer::Arrival(arrival) => intake::take_in(inner, serial, arrival),
            }
            pump(inner);
        }
        (_, None) => {}
    }
}

/// What a worker's last word on a task comes to.
enum Answer {
    News(News),
    /// A simulation's bytes, which are still to be read.
    Arrival(Arrival),
}

/// Frees a worker that has answered.
fn rest(inner: &Rc<RefCell<Inner>>, serial: u32, answer: &Answer) {
    let mut inner = inner.borrow_mut();
    if let Some(slot) = inner.slots.iter_mut().find(|slot| slot.serial == serial) {
        slot.task = None;
    }
    if let Answer::Arrival(Arrival { revision, policy, .. }) = answer {
        inner.spared.remove(policy);
        inner.arriving.push((*revision, *policy));
    }
}

/// What a worker's last word on a task comes to; none if it makes no sense.
fn answer(task: Task, word: &str, message: &Array) -> Option<Answer> {
    let complaint = || message.get(1).as_string();
    let buffer = |place| message.get(place).dyn_into::<ArrayBuffer>().ok();
    Some(Answer::News(match task {
        Task::Simulate { revision, policy, document, .. } => match word {
            "done" => {
                let (now, later) = (buffer(1)?, buffer(2));
                return Some(Answer::Arrival(Arrival { revision, policy, document, now, later }));
            }
            "error" => News::Simulated { revision, policy, result: Err(complaint()?) },
            _ => return None,
        },
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
    }))
}

/// Tells that a task came to nothing.
pub(super) fn fail(inner: &Rc<RefCell<Inner>>, task: Task, message: &str) {
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
pub(super) fn bury(inner: &Rc<RefCell<Inner>>, serial: u32, message: &str) {
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

/// Ends a worker that cannot be trusted any more; what it has been given meanwhile somebody else does.
pub(super) fn dismiss(inner: &Rc<RefCell<Inner>>, serial: u32) {
    let mut state = inner.borrow_mut();
    let Some(place) = state.slots.iter().position(|slot| slot.serial == serial) else { return };
    let task = state.slots.swap_remove(place).task.take();
    if let Some(task) = task {
        state.put_back(task);
    }
    drop(state);
    pump(inner);
}

/// Ends workers that have not been heard of for too long.
pub(super) fn bury_the_silent(inner: &Weak<RefCell<Inner>>) {
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
