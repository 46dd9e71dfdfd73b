//! Why this one? The ranked queue at any decision or instant of a trace, every stage's key in the
//! policy's own terms, by look-up.

mod index;

use std::collections::BTreeSet;

pub use index::QueueIndex;

use super::{Journal, TaskRun, Trace};
use crate::ids::{CoreId, JobId, Rank, StageId, UserId};
use crate::policy::explain::{Clock, Contender, Decision, Explainer, Explanation, Ranking, Target};
use crate::policy::log::{JobHistory, Snapshot};
use crate::policy::{Candidate, Context, Policy, PolicyVisitor};
use crate::scenario::Scenario;
use crate::units::Time;
use index::{Position, Stage};

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
        order.sort_by_cached_key(|(candidate, _)| explainer.key(candidate));

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

/// Which of the decisions between jobs is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceFilter {
    /// Any.
    Any,
    /// One between other jobs than those that waited before this launch, by index in the trace.
    OtherJobs(usize),
}

/// The first decision between jobs that launches this task or a later one: an offer round before which tasks of at
/// least two jobs wait. By the first task that it launches; `None` if there is no such round.
pub fn next_choice(
    trace: &Trace,
    journal: &Journal,
    index: &QueueIndex,
    from: usize,
    filter: ChoiceFilter,
) -> Option<usize> {
    let jobs = |task: usize| index.waiting_jobs(index.position(trace, journal, At::Dispatch(task)));
    let before = match filter {
        ChoiceFilter::Any => BTreeSet::new(),
        ChoiceFilter::OtherJobs(task) => jobs(task),
    };
    let first = journal.rounds.partition_point(|round| (round.launched as usize) < from);
    let tasks = journal.rounds[first..].iter().map(|round| round.launched as usize);
    let mut tasks = tasks.take_while(|&task| task < trace.tasks.len());
    tasks.find(|&task| {
        let jobs = jobs(task);
        jobs.len() > 1 && jobs != before
    })
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
