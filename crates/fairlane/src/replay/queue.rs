//! The stages that wait at a moment, in the order of their keys, and why the first goes first.

use std::ops::Range;

use super::Moment;
use crate::engine::{PlaceWait, place_wait};
use crate::ids::{JobId, StageId, StageIndex, UserId};
use crate::number;
use crate::policy::Policy;
use crate::policy::explain::{Contender, Key, NumberedFacts, PolicyClock};
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::Time;

/// The stages that wait, in the order of their keys.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedQueue {
    /// The instant.
    pub time: Time,
    /// At a decision, the tasks that its offer round launches, by index in the trace.
    pub launches: Option<Range<u32>>,
    /// Cores that are free; at an instant only if nothing waits that they suit.
    pub free: u32,
    /// How many stages wait, those not in `stages` included.
    pub waiting: usize,
    /// The first of the waiting stages, best first.
    pub stages: Vec<WaitingStage>,
    /// At a dispatch, the index in the queue of the stage whose task was launched.
    pub chosen: Option<usize>,
    /// The policy's virtual clock, if it has one.
    pub clock: Option<PolicyClock>,
    /// Why the first goes before the second, and at a dispatch why the chosen one had its turn.
    pub reason: String,
}

/// A submitted stage with pending tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingStage {
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
    pub key: Key,
    /// What it is made of.
    pub facts: NumberedFacts,
    /// What it waits for although cores may be free and it may be first.
    pub place: Option<PlaceWait>,
}

impl PlaceWait {
    /// What follows the name of the stage.
    fn words(self) -> String {
        match self {
            PlaceWait::Executor { until } => format!("waits for its executor until {}", number::about(until)),
            PlaceWait::Limits => "waits for an executor that takes its tasks".to_owned(),
            PlaceWait::Cores(1) => "waits until a core is free".to_owned(),
            PlaceWait::Cores(tasks) => format!("waits until {tasks} cores are free together"),
        }
    }
}

impl Moment<'_> {
    /// The waiting stages in the order of their keys.
    pub fn order(&self) -> Vec<StageIndex> {
        let mut order: Vec<_> =
            self.view.waiting().map(|stage| (self.policy.key(stage), stage.index())).collect();
        order.sort_by(|(one, _), (other, _)| one.cmp(other));
        order.into_iter().map(|(_, stage)| stage).collect()
    }

    /// The queue before a task was launched, by index in the trace, or at an instant.
    pub(super) fn queue(&self, trace: &Trace, task: Option<usize>, most: usize) -> RankedQueue {
        let (view, order, policy) = (self.view, self.order(), self.caught_up());
        let launched =
            self.round.map_or(&[][..], |round| &trace.tasks[round.first as usize..round.end as usize]);
        let place =
            |stage: StageIndex| (view.job(view.stage(stage).job()).id(), view.stage(stage).position());
        let chosen = task.and_then(|task| {
            let run = &trace.tasks[task];
            order.iter().position(|&stage| place(stage) == (run.job, run.stage))
        });
        // The reason speaks of the first two.
        let most = most.max(chosen.map_or(0, |position| position + 1)).max(2).min(order.len());
        let waiting = |&index: &StageIndex| {
            let stage = view.stage(index);
            let (job, position) = place(index);
            WaitingStage {
                job,
                stage: position,
                id: stage.id(),
                user: stage.user(),
                pending: stage.pending(),
                running: stage.running(),
                user_running: view.user_running(stage.user()),
                launches: launched.iter().filter(|run| (run.job, run.stage) == (job, position)).count()
                    as u32,
                key: self.policy.key(stage),
                facts: policy.facts(stage),
                place: place_wait(view, index),
            }
        };
        let stages: Vec<WaitingStage> = order[..most].iter().map(waiting).collect();
        let run = task.map(|task| &trace.tasks[task]);
        let keeps_core = run.zip(task).is_some_and(|(run, task)| {
            let before = trace.tasks[..task].iter().rev().find(|before| before.core == run.core);
            before.is_some_and(|before| before.job == run.job)
        });
        RankedQueue {
            time: view.now(),
            launches: self.round.map(|round| round.first..round.end),
            free: view.free_cores(),
            waiting: order.len(),
            reason: reason(&*policy, view.scenario(), &stages, chosen, view.free_cores(), keeps_core),
            stages,
            chosen,
            clock: self.clock(),
        }
    }
}

/// Why the first goes before the second, and why the chosen one had its turn.
fn reason(
    policy: &dyn Policy,
    scenario: &Scenario,
    stages: &[WaitingStage],
    chosen: Option<usize>,
    free: u32,
    keeps_core: bool,
) -> String {
    let Some(first) = stages.first() else { return "No stage waits.".to_owned() };
    let label = |stage: &WaitingStage| scenario.stage_label(stage.job, stage.stage);
    let Some(second) = stages.get(1) else {
        // At an instant a stage waits only because no core is free for it.
        return match chosen {
            Some(_) => format!("{} is the only stage that waits, so it goes first.", label(first)),
            None if free == 0 => {
                format!("{} is the only stage that waits, and no core is free.", label(first))
            }
            None => match first.place {
                Some(place) => {
                    format!("{} is the only stage that waits, and it {}.", label(first), place.words())
                }
                None => {
                    format!("{} is the only stage that waits, and no free core suits it.", label(first))
                }
            },
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
            facts: &stage.facts,
        }
    };
    let mut text = contender(0).reason(&contender(1), policy);
    let passed_over = &stages[..chosen.unwrap_or(if free > 0 { stages.len() } else { 0 })];
    let left = passed_over.iter().filter(|stage| stage.pending > stage.launches);
    let held: Vec<String> =
        left.filter_map(|stage| Some(format!("{} {}", label(stage), stage.place?.words()))).collect();
    if !held.is_empty() {
        let next = chosen.map(|index| format!(", so {} was next", label(&stages[index])));
        return format!("{text} {}{}.", number::list(&held), next.unwrap_or_default());
    }
    if let Some(index) = chosen.filter(|&index| index > 0) {
        let label = label(&stages[index]);
        let launched: u32 = stages[..index].iter().map(|stage| stage.launches).sum();
        let before = if index == 1 { "the stage".to_owned() } else { format!("the {index} stages") };
        let tasks = if launched == 1 { "1 task".to_owned() } else { format!("{launched} tasks") };
        text += &match (launched, keeps_core) {
            (0, true) if scenario.cluster().executors_belong.is_some() => {
                format!(" The core belongs to the job of {label}, so its stage was next.")
            }
            (0, false) if scenario.cluster().executors_belong.is_some() => format!(
                " A core was given to the job of {label}: those before it need no other, or hold what they are due."
            ),
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
