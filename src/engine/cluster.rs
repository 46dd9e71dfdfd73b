//! The state that the engine keeps of cores, jobs and stages.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::ids::{CoreId, JobId, Rank, StageId, UserId};
use crate::partition::{self, Mode};
use crate::policy::{self, line::Seat};
use crate::scenario::Scenario;
use crate::units::{SlotTime, Span};

/// The free cores; the one with the lowest number is taken first.
pub(super) struct Cores {
    free: BinaryHeap<Reverse<CoreId>>,
}

impl Cores {
    pub(super) fn new(count: u32) -> Self {
        Cores { free: (0..count).map(|core| Reverse(CoreId(core))).collect() }
    }

    pub(super) fn free(&self) -> usize {
        self.free.len()
    }

    pub(super) fn take(&mut self) -> Option<CoreId> {
        self.free.pop().map(|Reverse(core)| core)
    }

    pub(super) fn release(&mut self, core: CoreId) {
        self.free.push(Reverse(core));
    }
}

/// A job on its way, kept in the order of arrival.
pub(super) struct JobState {
    pub(super) job: JobId,
    /// Where its stages begin in the table of stages.
    pub(super) first_stage: usize,
    /// Stages that have not ended.
    pub(super) open_stages: u32,
    /// Estimated work of the stages not yet submitted.
    pub(super) unsubmitted: SlotTime,
}

/// A stage on its way. The table of stages follows the order of arrival, so that a stage's place
/// in it is its global id less the cluster's first one.
pub(super) struct StageState {
    pub(super) rank: Rank,
    pub(super) job: JobId,
    pub(super) user: UserId,
    /// Place in its job.
    pub(super) index: u32,
    pub(super) tasks: u32,
    pub(super) launched: u32,
    pub(super) running: u32,
    pub(super) finished: u32,
    /// Where the line keeps it while it waits.
    pub(super) seat: Option<Seat>,
    /// How many stages were submitted before it, once it has been.
    pub(super) submission: u32,
    pub(super) open_parents: u32,
    /// Its place among stages of equal running counts, worked out once.
    pub(super) tie: u64,
    /// Durations of the tasks, from submission until the last is launched.
    pub(super) durations: Vec<Span>,
    /// Places in the job of the stages that wait for this one, ascending.
    pub(super) children: Vec<u32>,
}

impl StageState {
    /// Tasks not yet launched.
    pub(super) fn pending(&self) -> u32 {
        self.tasks - self.launched
    }
}

/// The tables at the start.
pub(super) struct Plan {
    pub(super) jobs: Vec<JobState>,
    pub(super) stages: Vec<StageState>,
    /// Tasks of all stages together.
    pub(super) tasks: u64,
}

impl Plan {
    pub(super) fn new(scenario: &Scenario, mode: Mode) -> Plan {
        let mut plan = Plan { jobs: Vec::with_capacity(scenario.jobs().len()), stages: Vec::new(), tasks: 0 };
        for (rank, job) in scenario.arrival_order().into_iter().enumerate() {
            let spec = &scenario.jobs()[job.index()];
            let first_stage = plan.stages.len();
            plan.jobs.push(JobState {
                job,
                first_stage,
                open_stages: spec.stages.len() as u32,
                unsubmitted: spec.stages.iter().map(|stage| stage.estimate).sum(),
            });
            for (index, stage) in spec.stages.iter().enumerate() {
                let tasks = partition::task_count(stage, mode, scenario.partitioning());
                plan.tasks += tasks;
                let id = StageId(scenario.cluster().first_stage_id + plan.stages.len() as u64);
                plan.stages.push(StageState {
                    rank: Rank(rank as u32),
                    job,
                    user: spec.user,
                    index: index as u32,
                    tasks: u32::try_from(tasks).expect("a checked scenario has fewer than 2^32 tasks"),
                    launched: 0,
                    running: 0,
                    finished: 0,
                    seat: None,
                    submission: 0,
                    open_parents: stage.parents.len() as u32,
                    tie: policy::tie(scenario.cluster().fair_tie_break, id),
                    durations: Vec::new(),
                    children: Vec::new(),
                });
            }
            for (index, stage) in spec.stages.iter().enumerate() {
                for &parent in &stage.parents {
                    plan.stages[first_stage + parent as usize].children.push(index as u32);
                }
            }
        }
        plan
    }
}
