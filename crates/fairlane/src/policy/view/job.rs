//! A job's state, and what policies see of it.

use std::rc::Rc;

use super::{StageView, TaskCounts, View};
use crate::ids::{JobId, Rank, StageIndex, UserId};
use crate::scenario;
use crate::units::{SlotTime, Time};

/// Where a job is between its arrival and its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobPhase {
    /// The policy has not started it.
    Waiting,
    /// It has been started: its stages are submitted as their parents end.
    Started,
    /// It has finished or was dropped or rejected.
    Ended,
}

#[derive(Clone)]
pub(crate) struct JobState {
    pub(crate) job: JobId,
    pub(crate) arrival: Time,
    /// Index of its first stage.
    pub(crate) first_stage: u32,
    pub(crate) phase: JobPhase,
    /// Whether it ended because it was cancelled.
    pub(crate) cancelled: bool,
    /// Stages that have not ended.
    pub(crate) open_stages: u32,
    pub(crate) tasks: TaskCounts,
    /// Its free cores, where cores belong to jobs.
    pub(crate) free_cores: u32,
    /// Estimated work of the stages not yet submitted.
    pub(crate) unsubmitted: SlotTime,
    /// By stage: the positions of those that need it to end first, ascending.
    pub(crate) children: Rc<[Vec<u32>]>,
}

/// A job as policies see it.
#[derive(Clone, Copy)]
pub struct JobView<'a> {
    pub(super) view: &'a View,
    pub(super) rank: Rank,
    pub(super) state: &'a JobState,
}

impl<'a> JobView<'a> {
    /// Its index in the scenario file.
    pub fn id(&self) -> JobId {
        self.state.job
    }

    /// Its index in the order of arrival.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// As the scenario gives it.
    pub fn spec(&self) -> &'a scenario::Job {
        &self.view.scenario.jobs()[self.state.job.index()]
    }

    /// Who submits it.
    pub fn user(&self) -> UserId {
        self.spec().user
    }

    /// When it arrives.
    pub fn arrival(&self) -> Time {
        self.state.arrival
    }

    /// Its estimated work (the UWFQ paper's L).
    pub fn estimate(&self) -> SlotTime {
        self.spec().estimate
    }

    /// Where it is between its arrival and its end.
    pub fn phase(&self) -> JobPhase {
        self.state.phase
    }

    /// Whether it has ended because it was cancelled; attempts of it may still run.
    pub fn is_cancelled(&self) -> bool {
        self.state.cancelled
    }

    /// Estimated work of its stages that are not yet submitted.
    pub fn unsubmitted(&self) -> SlotTime {
        self.state.unsubmitted
    }

    /// All that policies see.
    pub fn view(&self) -> &'a View {
        self.view
    }

    /// Its stages, in file order.
    pub fn stages(&self) -> impl ExactSizeIterator<Item = StageView<'a>> + use<'a> {
        let (view, first) = (self.view, self.state.first_stage as usize);
        (first..first + self.spec().stages.len()).map(move |index| view.stage(StageIndex(index as u32)))
    }

    /// Its stage at a position in file order.
    pub fn stage(&self, position: u32) -> StageIndex {
        StageIndex(self.state.first_stage + position)
    }

    /// Its tasks that hold a core.
    pub fn running(&self) -> u32 {
        self.state.tasks.running
    }

    /// The cores that it holds: those of its running tasks, and where cores belong to jobs its free ones.
    pub fn held(&self) -> u32 {
        self.running() + self.state.free_cores
    }

    /// Whether it keeps its cores from stage to stage.
    pub fn keeps_cores(&self) -> bool {
        self.view.scenario.cluster().executors_belong.is_some()
    }

    /// Tasks of its submitted stages that are not launched.
    pub fn pending(&self) -> u32 {
        self.state.tasks.pending
    }

    /// Core time that its tasks have held so far, in core-µs. O(stages of the job).
    pub fn attained(&self) -> SlotTime {
        self.stages().map(|stage| stage.attained()).sum()
    }

    /// The largest number of tasks of its stages (ALLOCATION's m; docs/model.md section 9).
    pub fn parallelism(&self) -> u32 {
        self.stages().map(|stage| stage.tasks()).max().unwrap_or(0)
    }
}
