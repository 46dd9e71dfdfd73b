//! Why this one? The ranked queue at any decision or instant of a trace, every stage's key in the
//! policy's own terms, by look-up.

use std::rc::Rc;

use super::load::LoadIndex;
use super::positions::Positions;
use super::{Journal, Trace, What};
use crate::ids::{JobId, StageId, UserId};
use crate::partition;
use crate::policy::explain::{Clock, Contender, Explanation};
use crate::policy::notes::Past;
use crate::policy::{self, Candidate, Context, Explained, ExplainedVisitor};
use crate::scenario::Scenario;
use crate::units::Time;

/// Where in a trace a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The offer round that launched a task, before any of its launches; the task by place in the
    /// trace.
    Dispatch(usize),
    /// An instant, after all that happened at it.
    Instant(Time),
}

/// The stages that wait, in the order of their keys.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedQueue {
    /// The instant.
    pub time: Time,
    /// Tasks launched before.
    pub launched: u32,
    /// Tasks finished before.
    pub finished: u32,
    /// Cores that are free; at an instant only if nothing waits.
    pub free: u32,
    /// How many stages wait, those not in `stages` included.
    pub waiting: usize,
    /// The first of the waiting stages, best first.
    pub stages: Vec<Waiting>,
    /// At a dispatch, the place in the queue of the stage whose task was launched.
    pub chosen: Option<usize>,
    /// The policy's virtual clock, if it has one.
    pub clock: Option<Clock>,
    /// Why the first goes before the second, and at a dispatch why the chosen one had its turn.
    pub reason: String,
}

/// A submitted stage with pending tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// Its job.
    pub job: JobId,
    /// Its place in the job.
    pub stage: u32,
    /// Its global number.
    pub id: StageId,
    /// Who submitted the job.
    pub user: UserId,
    /// Tasks not yet launched.
    pub pending: u32,
    /// Tasks that hold a core.
    pub running: u32,
    /// Tasks of the user that hold a core.
    pub user_running: u32,
    /// Tasks that this offer round launches; none at an instant.
    pub launches: u32,
    /// The key.
    pub key: Explanation,
}

/// What look-ups in a trace with a journal need, made once per trace.
///
/// About 8 bytes per task and 40 per stage, besides the loads.
#[derive(Clone, Debug)]
pub struct QueueIndex {
    context: Context,
    /// Running and waiting tasks by user.
    pub loads: Rc<LoadIndex>,
    /// Stages in the order of their global numbers, which is that of arrival.
    stages: Vec<Stage>,
    /// Places in `stages`, in the order of submission.
    submissions: Vec<u32>,
    /// Launches of each stage's tasks, as places in the trace's task list.
    launches: Positions,
    /// Finishes of each stage's tasks, as places in the order of finishing.
    finishes: Positions,
}

/// A stage as the index knows it.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// As a policy sees it, but for its running tasks.
    candidate: Candidate,
    job: JobId,
    index: u32,
    tasks: u32,
    /// The number of the event of its submission.
    event: u32,
}

/// How far a simulation is.
#[derive(Clone, Copy, Debug)]
struct Position {
    time: Time,
    launched: u32,
    finished: u32,
    heard: u32,
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
        let mut stages = Vec::new();
        let mut first_stage = vec![0; scenario.jobs().len()];
        for (rank, job) in (0..).map(crate::ids::Rank).zip(scenario.arrival_order()) {
            let spec = &scenario.jobs()[job.index()];
            first_stage[job.index()] = stages.len();
            for (index, stage) in (0..).zip(&spec.stages) {
                let id = StageId(scenario.cluster().first_stage_id + stages.len() as u64);
                let tasks = partition::task_count(stage, trace.policy.partitioning, scenario.partitioning());
                stages.push(Stage {
                    candidate: Candidate {
                        rank,
                        user: spec.user,
                        id,
                        submission: 0,
                        running: 0,
                        user_running: 0,
                        tie: policy::tie(scenario.cluster().fair_tie_break, id),
                    },
                    job,
                    index,
                    tasks: tasks as u32,
                    event: u32::MAX,
                });
            }
        }
        let mut submissions = Vec::with_capacity(stages.len());
        for (event, heard) in (0..).zip(&journal.heard) {
            if let What::Submission(id) = heard.what {
                let place = (id.0 - scenario.cluster().first_stage_id) as usize;
                stages[place].event = event;
                stages[place].candidate.submission = submissions.len() as u32;
                submissions.push(place as u32);
            }
        }
        let stage_of = |place: u32| {
            let run = &trace.tasks[place as usize];
            first_stage[run.job.index()] + run.stage as usize
        };
        let launches = Positions::new(stages.len(), (0..trace.tasks.len() as u32).map(stage_of));
        let finishes = Positions::new(stages.len(), loads.finish_order().iter().copied().map(stage_of));
        QueueIndex { context: Context::new(scenario), loads, stages, submissions, launches, finishes }
    }

    fn position(&self, trace: &Trace, journal: &Journal, at: At) -> Position {
        match at {
            At::Dispatch(task) => {
                let after = journal.rounds.partition_point(|round| round.launched as usize <= task);
                let round = after.checked_sub(1).map(|place| journal.rounds[place]).unwrap_or_default();
                let super::Round { launched, finished, heard } = round;
                let time = trace.tasks.get(launched as usize).map_or(Time::ZERO, |run| run.start);
                Position { time, launched, finished, heard }
            }
            At::Instant(time) => Position {
                time,
                launched: self.loads.launched(trace, time),
                finished: self.loads.finished(trace, time),
                heard: journal.heard.partition_point(|heard| heard.at <= time) as u32,
            },
        }
    }

    /// The stages with pending tasks at a position, in the order of submission.
    fn waiting(&self, at: Position) -> impl Iterator<Item = (Candidate, usize)> + '_ {
        let submitted =
            self.submissions.partition_point(|&place| self.stages[place as usize].event < at.heard);
        let pending =
            move |&place: &usize| self.launches.of(place).last().is_some_and(|&last| last >= at.launched);
        let places = self.submissions[..submitted].iter().map(|&place| place as usize);
        places.filter(pending).map(move |place| (self.candidate(place, at), place))
    }

    /// A stage as the policy sees it at a position.
    fn candidate(&self, place: usize, at: Position) -> Candidate {
        let candidate = self.stages[place].candidate;
        Candidate {
            running: self
                .launches
                .before(place, at.launched)
                .saturating_sub(self.finishes.before(place, at.finished)),
            user_running: self.loads.running(candidate.user, at.launched, at.finished),
            ..candidate
        }
    }
}

/// The queue at a decision or an instant of a trace: the first `most` of the waiting stages (and
/// the chosen one in any case) in the order in which the policy ranks them, with the reason.
///
/// A look-up: the cost follows the number of stages submitted so far, with a small factor, and
/// under UWFQ the number of jobs.
pub fn ranked_queue(
    scenario: &Scenario,
    trace: &Trace,
    journal: &Journal,
    index: &QueueIndex,
    at: At,
    most: usize,
) -> RankedQueue {
    let asking = Asking { scenario, trace, journal, index, at, most };
    trace.policy.kind.visit_explained(index.context.clone(), asking)
}

struct Asking<'a> {
    scenario: &'a Scenario,
    trace: &'a Trace,
    journal: &'a Journal,
    index: &'a QueueIndex,
    at: At,
    most: usize,
}

impl ExplainedVisitor for Asking<'_> {
    type Output = RankedQueue;

    fn visit<P: Explained>(self, context: Context) -> RankedQueue {
        let position = self.index.position(self.trace, self.journal, self.at);
        let heard = position.heard;
        let past = Past { notes: &self.journal.notes, heard, at: position.time.0 as f64 };
        let policy = P::recall(context, &past);
        let mut order: Vec<(Candidate, usize)> = self.index.waiting(position).collect();
        order.sort_by_cached_key(|(candidate, _)| policy.key(candidate));

        let chosen = match self.at {
            At::Dispatch(task) => self.trace.tasks.get(task).and_then(|run| {
                let is_run = |stage: &Stage| (stage.job, stage.index) == (run.job, run.stage);
                order.iter().position(|&(_, place)| is_run(&self.index.stages[place]))
            }),
            At::Instant(_) => None,
        };
        // The reason speaks of the first two.
        let most = self.most.max(chosen.map_or(0, |place| place + 1)).max(2).min(order.len());
        // Never below nothing, whatever the order of finishing that an index of damaged bytes tells.
        let running = position.launched.saturating_sub(position.finished);
        let free = self.trace.cores.saturating_sub(running);
        let mut left = if chosen.is_some() { free } else { 0 };
        let stages: Vec<Waiting> = order[..most]
            .iter()
            .map(|(candidate, place)| {
                let stage = &self.index.stages[*place];
                let pending = stage.tasks - self.index.launches.before(*place, position.launched);
                let launches = pending.min(left);
                left -= launches;
                Waiting {
                    job: stage.job,
                    stage: stage.index,
                    id: candidate.id,
                    user: candidate.user,
                    pending,
                    running: candidate.running,
                    user_running: candidate.user_running,
                    launches,
                    key: policy.explain(candidate),
                }
            })
            .collect();
        let reason = reason::<P>(self.scenario, &stages, chosen, free);
        RankedQueue {
            time: position.time,
            launched: position.launched,
            finished: position.finished,
            free,
            waiting: order.len(),
            stages,
            chosen,
            clock: policy.clock(),
            reason,
        }
    }
}

/// Why the first goes before the second, and why the chosen one had its turn.
fn reason<P: Explained>(scenario: &Scenario, stages: &[Waiting], chosen: Option<usize>, free: u32) -> String {
    let Some(first) = stages.first() else { return "No stage waits.".to_owned() };
    let label = |stage: &Waiting| scenario.stage_label(stage.job, stage.stage);
    let Some(second) = stages.get(1) else {
        return format!("{} is the only stage that waits, so it goes first.", label(first));
    };
    let mut labels = [label(first), label(second)];
    if labels[0] == labels[1] {
        labels = [first, second].map(|stage| format!("{} (job {})", label(stage), stage.job.0));
    }
    let contender = |place: usize| {
        let stage = &stages[place];
        let user = &scenario.users()[stage.user.index()];
        Contender {
            label: &labels[place],
            user: &user.name,
            weight: user.weight,
            user_running: stage.user_running,
            key: &stage.key,
        }
    };
    let mut text = P::reason(&contender(0), &contender(1));
    if let Some(place) = chosen.filter(|&place| place > 0) {
        let taken: u32 = stages[..place].iter().map(|stage| stage.launches).sum();
        let before = if place == 1 { "the stage".to_owned() } else { format!("the {place} stages") };
        let tasks = if taken == 1 { "1 task".to_owned() } else { format!("{taken} tasks") };
        text += &format!(
            " {free} cores were free and {before} before it had only {tasks} left for them, so {} came next.",
            label(&stages[place])
        );
    }
    text
}
