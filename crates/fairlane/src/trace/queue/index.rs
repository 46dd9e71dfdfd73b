//! Where stages and tasks are in a trace, for look-ups of queues.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::At;
use crate::ids::{JobId, Rank, StageIndex};
use crate::order::Positions;
use crate::policy::log::EventKind;
use crate::policy::{Candidate, View};
use crate::scenario::Scenario;
use crate::trace::{Journal, LoadIndex, Round, Trace};
use crate::units::Time;

/// What look-ups in a trace with a journal need, made once per trace.
///
/// About 8 bytes per task and 40 per stage, besides the loads.
#[derive(Clone, Debug)]
pub struct QueueIndex {
    /// Running and waiting tasks by user.
    pub loads: Rc<LoadIndex>,
    /// Stages in the order of their global numbers, which is that of arrival.
    pub(super) stages: Vec<Stage>,
    /// Indices in `stages`, in the order of submission.
    submissions: Vec<u32>,
    /// Launches of each stage's tasks, as indices in the trace's task list.
    pub(super) launches: Positions,
    /// Finishes of each stage's tasks, as indices in the order of finishing.
    pub(super) finishes: Positions,
}

/// A stage as the index knows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    /// As a policy sees it, but for its running tasks.
    candidate: Candidate,
    pub(super) job: JobId,
    pub(super) index: u32,
    pub(super) tasks: u32,
    /// The number of the event of its submission.
    event: u32,
    /// The number of the event of its job's drop: it waits no longer then.
    until: Option<u32>,
}

/// How far a simulation is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) time: Time,
    pub(super) launched: u32,
    pub(super) finished: u32,
    /// Events that the policy had received.
    pub(super) events: u32,
    /// Tasks that the offer round launched; none at an instant.
    pub(super) launching: u32,
}

impl QueueIndex {
    /// Indexes a trace of a scenario and its journal.
    pub fn new(scenario: &Scenario, trace: &Trace, journal: &Journal) -> QueueIndex {
        QueueIndex::with_loads(scenario, trace, journal, Rc::new(LoadIndex::new(scenario, trace)))
    }

    /// [`QueueIndex::new`] where the trace's loads are known already: they are most of the work.
    pub fn with_loads(
        scenario: &Scenario,
        trace: &Trace,
        journal: &Journal,
        loads: Rc<LoadIndex>,
    ) -> QueueIndex {
        let view = View::new(scenario, trace.policy.partitioning);
        let stage = |index| {
            let seen = view.stage(index);
            Stage {
                candidate: view.candidate(index),
                job: view.job(seen.job()).id(),
                index: seen.position(),
                tasks: seen.tasks(),
                event: u32::MAX,
                until: None,
            }
        };
        let mut stages: Vec<Stage> = (0..view.stages()).map(|index| stage(StageIndex(index))).collect();
        let mut submissions = Vec::with_capacity(stages.len());
        for (number, event) in (0..).zip(&journal.events) {
            match event.kind {
                EventKind::Submission(id) => {
                    let stage = (id.0 - scenario.cluster().first_stage_id) as usize;
                    stages[stage].event = number;
                    stages[stage].candidate.submission = submissions.len() as u32;
                    submissions.push(stage as u32);
                }
                EventKind::Drop(rank) => {
                    let from = stages.partition_point(|stage| stage.candidate.rank < rank);
                    let of_job = stages[from..].iter_mut().take_while(|stage| stage.candidate.rank == rank);
                    of_job.for_each(|stage| stage.until = Some(number));
                }
                EventKind::Arrival(_) | EventKind::JobEnd(_) => {}
            }
        }
        let ranks = scenario.ranks();
        let stage_of = |task: u32| {
            let run = &trace.tasks[task as usize];
            view.job(ranks[run.job.index()]).stage(run.stage).index()
        };
        let launches = Positions::new(stages.len(), (0..trace.tasks.len() as u32).map(stage_of));
        let finishes = Positions::new(stages.len(), loads.finish_order().iter().copied().map(stage_of));
        QueueIndex { loads, stages, submissions, launches, finishes }
    }

    pub(super) fn position(&self, trace: &Trace, journal: &Journal, at: At) -> Position {
        match at {
            At::Dispatch(task) => {
                let after = journal.rounds.partition_point(|round| round.launched as usize <= task);
                let round = after.checked_sub(1).map(|index| journal.rounds[index]).unwrap_or_default();
                let Round { launched, finished, events } = round;
                let next = journal.rounds.get(after).map_or(trace.tasks.len() as u32, |next| next.launched);
                let time = trace.tasks.get(launched as usize).map_or(Time::ZERO, |run| run.start);
                Position { time, launched, finished, events, launching: next - launched }
            }
            At::Instant(time) => Position {
                time,
                launched: self.loads.launched(trace, time),
                finished: self.loads.finished(trace, time),
                events: journal.events.partition_point(|event| event.at <= time) as u32,
                launching: 0,
            },
        }
    }

    /// The stages with pending tasks at a position, in the order of submission.
    pub(super) fn waiting(&self, at: Position) -> impl Iterator<Item = (Candidate, usize)> + '_ {
        let submitted =
            self.submissions.partition_point(|&stage| self.stages[stage as usize].event < at.events);
        let pending = move |&stage: &usize| match self.stages[stage] {
            Stage { until: None, .. } => {
                self.launches.of(stage).last().is_some_and(|&last| last >= at.launched)
            }
            Stage { until: Some(until), tasks, .. } => {
                at.events <= until && self.launches.before(stage, at.launched) < tasks
            }
        };
        let stages = self.submissions[..submitted].iter().map(|&stage| stage as usize);
        stages.filter(pending).map(move |stage| (self.candidate(stage, at), stage))
    }

    /// The jobs with pending tasks at a position.
    pub(super) fn waiting_jobs(&self, at: Position) -> BTreeSet<JobId> {
        self.waiting(at).map(|(_, stage)| self.stages[stage].job).collect()
    }

    /// The stages of a job.
    pub(super) fn stages_of(&self, job: Rank) -> std::ops::Range<usize> {
        let from = self.stages.partition_point(|stage| stage.candidate.rank < job);
        from..self.stages.partition_point(|stage| stage.candidate.rank <= job)
    }

    /// A stage as the policy sees it at a position.
    pub(super) fn candidate(&self, stage: usize, at: Position) -> Candidate {
        let candidate = self.stages[stage].candidate;
        Candidate {
            running: self
                .launches
                .before(stage, at.launched)
                .saturating_sub(self.finishes.before(stage, at.finished)),
            user_running: self.loads.running(candidate.user, at.launched, at.finished),
            ..candidate
        }
    }
}
