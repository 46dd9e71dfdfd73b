//! A stage's state, and what policies see of it.

use std::rc::Rc;

use super::{JobView, View};
use crate::ids::{JobId, Rank, StageId, StageIndex, UserId};
use crate::scenario;
use crate::units::{SlotTime, Span};

#[derive(Clone)]
pub(crate) struct StageState {
    pub(crate) rank: Rank,
    pub(crate) job: JobId,
    pub(crate) user: UserId,
    /// Index in its job.
    pub(crate) index: u32,
    pub(crate) tasks: u32,
    /// Tasks that may be launched: those that are pending and, once they are marked, copies of slow ones; none while
    /// it waits for a parent again or once its job has ended.
    pub(crate) pending: u32,
    /// Its attempts that hold a core.
    pub(crate) running: u32,
    /// Tasks that have ended.
    pub(crate) finished: u32,
    pub(crate) submitted: bool,
    /// How many stages were submitted before it, once it has been.
    pub(crate) submission: u32,
    pub(crate) open_parents: u32,
    /// Core time of the ended tasks less the launch instants of the running ones, modulo 2^64.
    pub(crate) attained: u64,
    /// Memory that each task holds, in MB.
    pub(crate) memory: u64,
    /// Durations of the tasks, from submission until the last is launched or, where tasks may return, the job ends.
    pub(crate) durations: Option<Rc<[Span]>>,
}

impl StageState {
    /// Duration of a task, by its index, where nothing changes it; 0 while durations are not known.
    pub(crate) fn duration(&self, task: u32) -> Span {
        self.durations.as_ref().map_or(Span(0), |durations| durations[task as usize])
    }
}

/// A stage as policies see it.
#[derive(Clone, Copy)]
pub struct StageView<'a> {
    pub(super) view: &'a View,
    pub(super) stage: StageIndex,
    pub(super) state: &'a StageState,
}

impl<'a> StageView<'a> {
    /// Its index.
    pub fn index(&self) -> StageIndex {
        self.stage
    }

    /// Its global number.
    pub fn id(&self) -> StageId {
        StageId(self.view.scenario.cluster().first_stage_id + u64::from(self.stage.0))
    }

    /// Its position in its job, in file order.
    pub fn position(&self) -> u32 {
        self.state.index
    }

    /// As the scenario gives it.
    pub fn spec(&self) -> &'a scenario::Stage {
        self.view.spec(self.stage)
    }

    /// The rank of its job.
    pub fn job(&self) -> Rank {
        self.state.rank
    }

    /// Who submitted its job.
    pub fn user(&self) -> UserId {
        self.state.user
    }

    /// Its estimated work.
    pub fn estimate(&self) -> SlotTime {
        self.spec().estimate
    }

    /// Whether it has parents.
    pub fn is_root(&self) -> bool {
        self.spec().parents.is_empty()
    }

    /// Whether it has been submitted.
    pub fn is_submitted(&self) -> bool {
        self.state.submitted
    }

    /// How many stages were submitted before it, once it has been.
    pub fn submission(&self) -> u32 {
        self.state.submission
    }

    /// Its tasks.
    pub fn tasks(&self) -> u32 {
        self.state.tasks
    }

    /// Its tasks that are not launched or have returned, and once it is submitted the slow ones that may have a second
    /// attempt; none while it waits for a parent again.
    pub fn pending(&self) -> u32 {
        self.state.pending
    }

    /// Its tasks that hold a core.
    pub fn running(&self) -> u32 {
        self.state.running
    }

    /// Core time that its tasks have held so far, in core-µs.
    pub fn attained(&self) -> SlotTime {
        let running = u64::from(self.state.running).wrapping_mul(self.view.now.0);
        SlotTime(self.state.attained.wrapping_add(running))
    }

    /// Memory that each of its tasks holds, in MB.
    pub fn memory(&self) -> u64 {
        self.state.memory
    }

    /// All that policies see.
    pub fn view(&self) -> &'a View {
        self.view
    }

    /// Its job.
    pub fn job_view(&self) -> JobView<'a> {
        self.view.job(self.state.rank)
    }
}
