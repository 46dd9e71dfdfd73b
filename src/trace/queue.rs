//! Why this one? The ranked queue at any decision or instant of a trace, every stage's key in the
//! policy's own terms, by look-up.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::load::LoadIndex;
use super::{Journal, Round, TaskRun, Trace};
use crate::ids::{CoreId, JobId, Rank, StageId, StageIndex, UserId};
use crate::order::{self, Positions};
use crate::policy::explain::{Clock, Contender, Decision, Explainer, Explanation, Ranking, Target};
use crate::policy::log::{EventKind, JobHistory, Snapshot};
use crate::policy::{Candidate, Context, Policy, PolicyVisitor, View};
use crate::scenario::Scenario;
use crate::units::{SlotTime, Time};

/// Where in a trace a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The offer round that launched a task, before any of its launches; the task by index in the
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
    /// At a dispatch, the index in the queue of the stage whose task was launched.
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
    /// Its index in the job.
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
    /// Running and waiting tasks by user.
    pub loads: Rc<LoadIndex>,
    /// Stages in the order of their global numbers, which is that of arrival.
    stages: Vec<Stage>,
    /// Indices in `stages`, in the order of submission.
    submissions: Vec<u32>,
    /// Launches of each stage's tasks, as indices in the trace's task list.
    launches: Positions,
    /// Finishes of each stage's tasks, as indices in the order of finishing.
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
    /// The number of the event of its job's drop: it waits no longer then.
    until: Option<u32>,
}

/// How far a simulation is.
#[derive(Clone, Copy, Debug)]
struct Position {
    time: Time,
    launched: u32,
    finished: u32,
    /// Events that the policy had received.
    events: u32,
    /// Tasks that the offer round launched; none at an instant.
    launching: u32,
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

    fn position(&self, trace: &Trace, journal: &Journal, at: At) -> Position {
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
    fn waiting(&self, at: Position) -> impl Iterator<Item = (Candidate, usize)> + '_ {
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

    /// The stages of a job.
    fn stages_of(&self, job: Rank) -> std::ops::Range<usize> {
        let from = self.stages.partition_point(|stage| stage.candidate.rank < job);
        from..self.stages.partition_point(|stage| stage.candidate.rank <= job)
    }

    /// A stage as the policy sees it at a position.
    fn candidate(&self, stage: usize, at: Position) -> Candidate {
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
    let position = index.position(trace, journal, at);
    let query = Query { scenario, trace, journal, index, at, position, most };
    trace.policy.kind.visit(query).unwrap_or_else(|| query.answer::<Unexplained>())
}

#[derive(Clone, Copy)]
struct Query<'a> {
    scenario: &'a Scenario,
    trace: &'a Trace,
    journal: &'a Journal,
    index: &'a QueueIndex,
    at: At,
    position: Position,
    most: usize,
}

impl PolicyVisitor for Query<'_> {
    type Output = RankedQueue;

    fn visit<P: Policy>(self) -> RankedQueue {
        self.answer::<P::Explainer>()
    }
}

impl JobHistory for Query<'_> {
    fn running(&self, job: Rank) -> u32 {
        let stages = self.index.stages_of(job);
        stages.map(|stage| self.index.candidate(stage, self.position).running).sum()
    }

    fn attained(&self, job: Rank) -> SlotTime {
        let held = |launch: &u32| {
            let run: &TaskRun = &self.trace.tasks[*launch as usize];
            SlotTime(run.end.min(self.position.time).since(run.start).0)
        };
        let stages = self.index.stages_of(job);
        let launches = stages.flat_map(|stage| self.index.launches.of(stage));
        launches.filter(|&&launch| launch < self.position.launched).map(held).sum()
    }

    fn waiting(&self) -> Vec<StageId> {
        self.index.waiting(self.position).map(|(candidate, _)| candidate.id).collect()
    }

    fn held_cores(&self) -> Vec<(StageId, CoreId)> {
        let (index, position) = (self.index, self.position);
        let mut held = Vec::new();
        for stage in 0..index.stages.len() {
            let candidate = index.candidate(stage, position);
            if candidate.running == 0 {
                continue;
            }
            let finish_order = index.loads.finish_order();
            let finished = index.finishes.of(stage).iter().filter(|&&finish| finish < position.finished);
            let finished: BTreeSet<u32> = finished.map(|&finish| finish_order[finish as usize]).collect();
            let launched = index.launches.of(stage).iter().filter(|&&launch| launch < position.launched);
            let running = launched.filter(|launch| !finished.contains(launch));
            held.extend(running.map(|&launch| (candidate.id, self.trace.tasks[launch as usize].core)));
        }
        held
    }
    fn held(&self, job: Rank) -> [u64; 2] {
        let mut held = [0; 2];
        for stage in self.index.stages_of(job) {
            let running = u64::from(self.index.candidate(stage, self.position).running);
            held[0] += running;
            held[1] += running * self.memory(stage);
        }
        held
    }

    fn used(&self, job: Rank, since: Time) -> [u128; 2] {
        let mut used = [0; 2];
        for stage in self.index.stages_of(job) {
            let launched =
                self.index.launches.of(stage).iter().filter(|&&launch| launch < self.position.launched);
            for &launch in launched {
                let run: &TaskRun = &self.trace.tasks[launch as usize];
                let span = u128::from(run.end.min(self.position.time).since(run.start.max(since)).0);
                used[0] += span;
                used[1] += span * u128::from(self.memory(stage));
            }
        }
        used
    }
}

impl Query<'_> {
    fn memory(&self, stage: usize) -> u64 {
        let Stage { job, index, .. } = self.index.stages[stage];
        self.scenario.jobs()[job.index()].stages[index as usize].memory
    }

    /// Whether the asked task runs on a core whose task before was of the same job.
    fn keeps_core(&self) -> bool {
        let At::Dispatch(task) = self.at else { return false };
        let Some(run) = self.trace.tasks.get(task) else { return false };
        let before = self.trace.tasks[..task].iter().rev().find(|before| before.core == run.core);
        before.is_some_and(|before| before.job == run.job)
    }

    fn explainer<E: Explainer>(&self) -> E {
        let snapshot = Snapshot {
            log: &self.journal.log,
            events: &self.journal.events[..self.position.events as usize],
            at: self.position.time.0 as f64,
            jobs: self,
        };
        E::at(&Context::new(self.scenario, self.trace.policy.partitioning), &snapshot)
    }

    fn answer<E: Explainer>(self) -> RankedQueue {
        let Query { position, .. } = self;
        let explainer: E = self.explainer();
        let mut order: Vec<(Candidate, usize)> = self.index.waiting(position).collect();
        order::sort_by_key(&mut order, |(candidate, _)| explainer.key(candidate));

        let chosen = match self.at {
            At::Dispatch(task) => self.trace.tasks.get(task).and_then(|run| {
                let is_run = |stage: &Stage| (stage.job, stage.index) == (run.job, run.stage);
                order.iter().position(|&(_, stage)| is_run(&self.index.stages[stage]))
            }),
            At::Instant(_) => None,
        };
        // The reason speaks of the first two.
        let most = self.most.max(chosen.map_or(0, |position| position + 1)).max(2).min(order.len());
        let free = self.trace.cores - (position.launched - position.finished);
        let last = position.launched + position.launching;
        let stages: Vec<Waiting> = order[..most]
            .iter()
            .map(|&(ref candidate, index)| {
                let stage = &self.index.stages[index];
                let launched = self.index.launches.before(index, position.launched);
                Waiting {
                    job: stage.job,
                    stage: stage.index,
                    id: candidate.id,
                    user: candidate.user,
                    pending: stage.tasks - launched,
                    running: candidate.running,
                    user_running: candidate.user_running,
                    launches: self.index.launches.before(index, last) - launched,
                    key: explainer.explain(candidate),
                }
            })
            .collect();
        let reason = reason::<E>(self.scenario, &stages, chosen, free, self.keeps_core());
        RankedQueue {
            time: position.time,
            launched: position.launched,
            finished: position.finished,
            free,
            waiting: order.len(),
            stages,
            chosen,
            clock: explainer.clock(),
            reason,
        }
    }
}

/// Where the users are with the policy at a decision or an instant of a trace, such as how much of its burst a queue has
/// used; empty under a policy that does not rank users.
pub fn users_at(
    scenario: &Scenario,
    trace: &Trace,
    journal: &Journal,
    index: &QueueIndex,
    at: At,
) -> Vec<(UserId, Explanation)> {
    let position = index.position(trace, journal, at);
    let query = Query { scenario, trace, journal, index, at, position, most: 0 };
    trace.policy.kind.visit(UsersAt(query)).unwrap_or_default()
}

struct UsersAt<'a>(Query<'a>);

impl PolicyVisitor for UsersAt<'_> {
    type Output = Vec<(UserId, Explanation)>;

    fn visit<P: Policy>(self) -> Self::Output {
        self.0.explainer::<P::Explainer>().users()
    }
}

/// What the policy decided about users and jobs besides the order of stages, in the order of time.
pub fn decisions(scenario: &Scenario, trace: &Trace, journal: &Journal) -> Vec<Decision> {
    trace.policy.kind.visit(Decisions(scenario, trace, journal)).unwrap_or_default()
}

struct Decisions<'a>(&'a Scenario, &'a Trace, &'a Journal);

impl PolicyVisitor for Decisions<'_> {
    type Output = Vec<Decision>;

    fn visit<P: Policy>(self) -> Vec<Decision> {
        let Decisions(scenario, trace, journal) = self;
        P::Explainer::decisions(&Context::new(scenario, trace.policy.partitioning), &journal.log)
    }
}

/// The cores that the policy means jobs to hold, in the order of time; `None` if it has no such targets.
pub fn targets(scenario: &Scenario, trace: &Trace, journal: &Journal) -> Option<Vec<Target>> {
    trace.policy.kind.visit(Targets(scenario, trace, journal))?
}

struct Targets<'a>(&'a Scenario, &'a Trace, &'a Journal);

impl PolicyVisitor for Targets<'_> {
    type Output = Option<Vec<Target>>;

    fn visit<P: Policy>(self) -> Option<Vec<Target>> {
        let Targets(scenario, trace, journal) = self;
        let context = Context::new(scenario, trace.policy.partitioning);
        P::Explainer::targets(&context, &journal.events, &journal.log)
    }
}

/// The waiting stages of a policy from outside this program, in the order of submission.
struct Unexplained;

impl Ranking for Unexplained {
    type Key = u32;

    fn key(&self, stage: &Candidate) -> u32 {
        stage.submission
    }
}

impl Explainer for Unexplained {
    fn at(_: &Context, _: &Snapshot) -> Self {
        Unexplained
    }

    fn explain(&self, _: &Candidate) -> Explanation {
        Explanation::default()
    }

    fn reason(_: &Contender, _: &Contender) -> String {
        "The policy does not explain its order; the stages are listed in the order of submission.".to_owned()
    }
}

/// Why the first goes before the second, and why the chosen one had its turn.
fn reason<E: Explainer>(
    scenario: &Scenario,
    stages: &[Waiting],
    chosen: Option<usize>,
    free: u32,
    keeps_core: bool,
) -> String {
    let Some(first) = stages.first() else { return "No stage waits.".to_owned() };
    let label = |stage: &Waiting| scenario.stage_label(stage.job, stage.stage);
    let Some(second) = stages.get(1) else {
        // At an instant a stage waits only because no core is free for it.
        return match chosen {
            Some(_) => format!("{} is the only stage that waits, so it goes first.", label(first)),
            None if free == 0 => {
                format!("{} is the only stage that waits, and no core is free.", label(first))
            }
            None => format!("{} is the only stage that waits, and no free core suits it.", label(first)),
        };
    };
    let mut labels = [label(first), label(second)];
    if labels[0] == labels[1] {
        labels = [first, second].map(|stage| format!("{} (job {})", label(stage), stage.job.0));
    }
    let contender = |index: usize| {
        let stage = &stages[index];
        let user = &scenario.users()[stage.user.index()];
        Contender {
            label: &labels[index],
            user: &user.name,
            weight: user.weight,
            user_running: stage.user_running,
            key: &stage.key,
        }
    };
    let mut text = E::reason(&contender(0), &contender(1));
    if let Some(index) = chosen.filter(|&index| index > 0) {
        let label = label(&stages[index]);
        let launched: u32 = stages[..index].iter().map(|stage| stage.launches).sum();
        let before = if index == 1 { "the stage".to_owned() } else { format!("the {index} stages") };
        let tasks = if launched == 1 { "1 task".to_owned() } else { format!("{launched} tasks") };
        text += &match (launched, keeps_core) {
            (0, true) => format!(" The core stays with the job that it served, so {label} was next."),
            (0, false) => {
                format!(" No free core had the memory for {before} before it, so {label} was next.")
            }
            _ => format!(
                " {free} cores were free and {before} before it had only {tasks} left for them, so {label} was next."
            ),
        };
    }
    text
}
