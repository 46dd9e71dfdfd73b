//! A worker with the tasks before it, some of them ahead of time.

use std::collections::VecDeque;

use crate::browser::clock;
use crate::results::shared::Shared;
use crate::store::Document;
use crate::workers::handle::WorkerHandle;
use crate::workers::request::PoolTask;
use crate::workers::watchdog::{Watchdog, WorkerPhase};
use fairlane::metrics::EvaluationDetail;

/// Most simulations that a worker has at once while something is dragged: it begins the next one without waiting for
/// the page, which has frames to draw.
const MAX_QUEUED: usize = 3;

/// A worker and its tasks.
pub(super) struct WorkerSlot {
    pub(super) serial: u32,
    pub(super) worker: WorkerHandle,
    pub(super) phase: WorkerPhase,
    pub(super) watchdog: Watchdog,
    /// The first is under way.
    pub(super) tasks: VecDeque<PoolTask>,
    /// The document that the worker has.
    pub(super) has: Option<Shared<Document>>,
    /// When the first task began, in milliseconds.
    pub(super) since: f64,
    /// Which part of the first task is done, as far as the worker has reported.
    pub(super) part: f64,
}

impl WorkerSlot {
    /// A worker that is starting.
    pub(super) fn new(serial: u32, worker: WorkerHandle) -> WorkerSlot {
        let since = clock::now();
        WorkerSlot {
            serial,
            worker,
            phase: WorkerPhase::Starting,
            watchdog: Watchdog::new(since),
            tasks: VecDeque::new(),
            has: None,
            since,
            part: 0.0,
        }
    }

    /// Gives the worker a task; the browser keeps it for one that is still starting.
    pub(super) fn assign(&mut self, task: PoolTask) {
        if self.tasks.is_empty() {
            self.begin();
        }
        self.worker.send(&task.message(&mut self.has));
        self.tasks.push_back(task);
    }

    /// The worker begins a task.
    fn begin(&mut self) {
        self.since = clock::now();
        self.watchdog = Watchdog::new(self.since);
        self.part = 0.0;
    }

    /// The first task is done; the worker is on to the next one.
    pub(super) fn finish(&mut self) {
        self.tasks.pop_front();
        self.begin();
    }

    /// Whether the worker may get another simulation behind those of a drag that it has.
    pub(super) fn has_room(&self) -> bool {
        let of_drag =
            |task: &PoolTask| matches!(task, PoolTask::Simulate { detail: EvaluationDetail::Responses, .. });
        self.phase == WorkerPhase::Ready && self.tasks.len() < MAX_QUEUED && self.tasks.iter().all(of_drag)
    }
}
