//! What workers send: results, how far they are, and nothing any more.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use js_sys::ArrayBuffer;
use wasm_bindgen::JsCast;

use super::{Inner, MAX_IDLE_BYTES, pump};
use crate::browser::clock;
use crate::results::shared::Shared;
use crate::store::{Action, Document, DocumentAction, ImportedLog, Opening, ReadLog, RunAction, UiAction};
use crate::workers::handle::{INVALID, WorkerMessage};
use crate::workers::main_thread;
use crate::workers::messages::FromWorker;
use crate::workers::request::PoolTask;
use crate::workers::slot::WorkerSlot;
use crate::workers::watchdog::{Watchdog, WorkerPhase};
use fairlane::policy::OBSERVED;
use fairlane::scenario::Scenario;
use fairlane_view::link::Origin;

/// Handles a worker's message.
pub(super) fn receive(inner: &Rc<RefCell<Inner>>, serial: u32, message: WorkerMessage) {
    let (message, attached) = match message {
        Ok(message) => message,
        Err(why) => return replace(inner, serial, why),
    };
    let mut state = inner.borrow_mut();
    let dispatch = Rc::clone(&state.dispatch);
    let Some(slot) = state.slots.iter_mut().find(|slot| slot.serial == serial) else { return };
    slot.watchdog = Watchdog::new(clock::now());
    let buffer = |index| attached.get(index).dyn_into::<ArrayBuffer>().ok();
    match (message, slot.tasks.front().cloned()) {
        (FromWorker::Ready, _) => {
            slot.phase = WorkerPhase::Ready;
            slot.worker.report_death();
            state.blocked = false;
        }
        (FromWorker::Progress(part), Some(PoolTask::Simulate { revision, admitted, .. })) => {
            slot.part = part.clamp(0.0, 1.0);
            let action = Action::Run(RunAction::Progress(revision, admitted.policy(), slot.part));
            drop(state);
            dispatch(action);
        }
        (FromWorker::Progress(part), Some(PoolTask::Import { name, .. })) => {
            drop(state);
            dispatch(Action::Ui(UiAction::Opening(Opening { name, part: Some(part) })));
        }
        // A point is soon done; its progress is not shown.
        (FromWorker::Progress(_), _) => {}
        // Sent after each task, once the next one has been assigned: a worker without one has nothing to do.
        (FromWorker::Memory(bytes), task) => {
            if task.is_none() && bytes > MAX_IDLE_BYTES {
                state.slots.retain(|slot| slot.serial != serial);
            }
        }
        (FromWorker::Crashed(why), _) => {
            drop(state);
            replace(inner, serial, &format!("The simulation crashed ({why}). Please report this."));
        }
        (_, None) => {}
        (FromWorker::Simulated(report), Some(PoolTask::Simulate { revision, admitted, .. })) => {
            let Some(now) = buffer(0) else {
                drop(state);
                return replace(inner, serial, INVALID);
            };
            let later = buffer(1);
            slot.finish();
            state.spared.remove(&admitted.policy());
            state.decoding.push((revision, admitted.policy()));
            drop(state);
            main_thread::decode(inner, revision, admitted, (report, now, later), Some(serial));
            pump(inner);
        }
        (
            FromWorker::Imported { scenario, ran_with, ties, report, recorded },
            Some(PoolTask::Import { number, name, rules, .. }),
        ) => {
            let buffers = buffer(0).zip(buffer(1));
            slot.finish();
            let slices = Rc::clone(&state.slices);
            drop(state);
            let inner_then = Rc::downgrade(inner);
            wasm_bindgen_futures::spawn_local(async move {
                // The worker has made it, so reading it again here cannot take long or fail.
                let read = Scenario::from_json(&scenario).ok().zip(buffers);
                let document = async {
                    let (scenario, (now, later)) = read?;
                    let mut document = Document::new(scenario, Origin::File(name.clone()));
                    let analysis =
                        slices.decode(recorded, now, Some(later), &document, OBSERVED).await.ok()?;
                    let analysis = Shared::new(analysis);
                    let read = ReadLog { number, rules, analysis, report: *report, ties };
                    document.log = Some(Rc::new(ImportedLog::new(read, ran_with)));
                    Some(document)
                };
                match document.await {
                    Some(document) => dispatch(Action::Document(DocumentAction::Open(Shared::new(document)))),
                    None => {
                        dispatch(Action::not_opened(&name, INVALID.to_owned()));
                        if let Some(inner) = inner_then.upgrade() {
                            replace(&inner, serial, INVALID);
                        }
                    }
                }
            });
            pump(inner);
        }
        (message, Some(task)) => match task.result(message) {
            Some(action) => {
                slot.finish();
                drop(state);
                dispatch(action);
                pump(inner);
            }
            None => {
                drop(state);
                replace(inner, serial, INVALID);
            }
        },
    }
}

/// Terminates a worker and fails its task, or does it on the page if the worker did not start; what it had not begun
/// gets a new worker.
pub(in crate::workers) fn replace(inner: &Rc<RefCell<Inner>>, serial: u32, why: &str) {
    let mut state = inner.borrow_mut();
    let dispatch = Rc::clone(&state.dispatch);
    let Some(index) = state.slots.iter().position(|slot| slot.serial == serial) else { return };
    let WorkerSlot { mut tasks, phase, .. } = state.slots.swap_remove(index);
    let task = tasks.pop_front();
    for waiting in tasks.into_iter().rev() {
        if let PoolTask::Simulate { admitted, .. } = waiting {
            state.wanted.push_front(admitted.policy());
        }
    }
    drop(state);
    match (task, phase) {
        (Some(task), WorkerPhase::Starting) => main_thread::without_worker(inner, task, why),
        (Some(task), WorkerPhase::Ready) => dispatch(task.lost(why)),
        (None, _) => {}
    }
    pump(inner);
}

/// Replaces workers that have been silent for too long.
pub(super) fn replace_dead(inner: &Weak<RefCell<Inner>>) {
    let Some(inner) = inner.upgrade() else { return };
    let now = clock::now();
    let mut dead = Vec::new();
    for slot in &mut inner.borrow_mut().slots {
        if !slot.tasks.is_empty() && slot.watchdog.is_dead(now, slot.phase) {
            dead.push(slot.serial);
        }
    }
    for serial in dead {
        replace(&inner, serial, "The simulation worker does not answer.");
    }
}
