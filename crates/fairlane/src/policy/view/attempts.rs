//! Attempts: tasks that may be on several cores, return and run again (docs/model.md sections 18 to 26).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::rc::Rc;

use super::View;
use crate::ids::{CoreId, StageIndex};
use crate::scenario::{Cluster, Exclusion, Scenario, Stage};
use crate::units::{Span, Time};

/// What is known of tasks and their attempts.
#[derive(Clone)]
pub(crate) struct Attempts {
    /// By stage index, of the jobs that have arrived.
    pub(crate) stages: Vec<StageAttempts>,
    /// The attempt on each core.
    pub(crate) cores: Vec<Option<Attempt>>,
    /// Marked tasks of stages that do not wait for a parent.
    pub(crate) marks: u32,
    /// Waiting stages for which it matters where their tasks run, or whether all of them can.
    special: u32,
    /// The cluster's exclusions by executor; those without one are none of these.
    exclusions: Rc<BTreeMap<u32, Vec<Exclusion>>>,
}

/// A task on a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    pub(crate) stage: StageIndex,
    /// Index of the task in its stage.
    pub(crate) task: u32,
    /// How many were launched before it: its index in the trace.
    pub(crate) row: u32,
    pub(crate) start: Time,
}

/// The tasks of a stage that has been submitted.
#[derive(Clone, Default)]
pub(crate) struct StageAttempts {
    pub(crate) tasks: Vec<TaskAttempts>,
    pub(crate) pending: PendingTasks,
    /// Slow tasks that may have a second attempt, in the order in which they get one.
    pub(crate) marks: Vec<u32>,
    /// Tasks, each with an executor on which it has had an attempt; kept only with speculation.
    pub(crate) tried: BTreeSet<(u32, u32)>,
    pub(crate) lengths: AttemptLengths,
    /// `None` if no task prefers executors.
    pub(crate) locality: Option<Locality>,
    pub(crate) is_barrier: bool,
    /// Whether some executors may not take its tasks, always or at times.
    pub(crate) is_limited: bool,
    /// When its first task was launched.
    pub(crate) first_launch: Option<Time>,
    /// Whether its end has been handled, and it was not reopened since.
    pub(crate) ended: bool,
    /// Tasks of an ended stage whose output is lost.
    pub(crate) missing: u32,
    /// Whether the delay before its submission runs.
    pub(crate) delayed: bool,
    /// Marks that count among what the stage offers.
    offered_marks: u32,
    is_special: bool,
}

/// A task's attempts and its end.
#[derive(Clone, Copy, Default)]
pub(crate) struct TaskAttempts {
    /// Those that hold a core.
    pub(crate) running: u32,
    pub(crate) end: TaskEnd,
}

/// Whether a task has ended, and whether its output is still there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TaskEnd {
    /// It is pending or runs.
    #[default]
    Open,
    /// It has ended on an executor during this one of all stays of executors.
    Ended { stay: u32 },
    /// It had ended, and its output is lost.
    Missing,
}

/// Whether a stage waits for the executors that its tasks prefer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Locality {
    pub(crate) level: Level,
    /// When the wait began.
    pub(crate) reset: Time,
}

/// Where a stage launched last: Spark's locality level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// Where its tasks prefer to be, or none of them minds.
    Local,
    /// Anywhere.
    Any,
}

/// The pending tasks of a stage in the order in which they launch: those that have returned first.
#[derive(Clone, Default)]
pub(crate) struct PendingTasks {
    /// Pending tasks, each after its place in the order.
    order: BTreeSet<(i64, u32)>,
    places: BTreeMap<u32, i64>,
    /// The place before all others.
    front: i64,
    /// The same by the executor that they prefer.
    preferring: BTreeMap<u32, BTreeSet<(i64, u32)>>,
    /// The same without preference; empty if no task of the stage has one.
    indifferent: BTreeSet<(i64, u32)>,
    has_preferences: bool,
}

impl PendingTasks {
    pub(crate) fn len(&self) -> u32 {
        self.order.len() as u32
    }

    /// In the order in which they launch.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.order.iter().map(|&(_, task)| task)
    }

    /// Those that prefer an executor.
    pub(crate) fn preferring(&self, executor: u32) -> impl Iterator<Item = u32> + '_ {
        self.preferring.get(&executor).into_iter().flatten().map(|&(_, task)| task)
    }

    /// Those without preference, of a stage of which some tasks have one.
    pub(crate) fn indifferent(&self) -> impl Iterator<Item = u32> + '_ {
        self.indifferent.iter().map(|&(_, task)| task)
    }

    /// The executors that some of them prefer.
    pub(crate) fn preferred(&self) -> impl Iterator<Item = u32> + '_ {
        self.preferring.iter().filter(|(_, tasks)| !tasks.is_empty()).map(|(&executor, _)| executor)
    }

    fn insert(&mut self, place: i64, task: u32, spec: &Stage, tasks: u32) {
        self.order.insert((place, task));
        self.places.insert(task, place);
        if self.has_preferences {
            let preferred = spec.preferred_by(task, tasks);
            for &executor in preferred {
                self.preferring.entry(executor).or_default().insert((place, task));
            }
            if preferred.is_empty() {
                self.indifferent.insert((place, task));
            }
        }
    }

    /// Takes a task out; whether it was pending.
    pub(crate) fn remove(&mut self, task: u32, spec: &Stage, tasks: u32) -> bool {
        let Some(place) = self.places.remove(&task) else { return false };
        self.order.remove(&(place, task));
        self.indifferent.remove(&(place, task));
        for executor in spec.preferred_by(task, tasks) {
            if let Some(others) = self.preferring.get_mut(executor) {
                others.remove(&(place, task));
            }
        }
        true
    }

    /// Tasks return, ascending: they go before all others.
    pub(crate) fn push_front(&mut self, returned: &[u32], spec: &Stage, tasks: u32) {
        for &task in returned.iter().rev() {
            self.front -= 1;
            self.insert(self.front, task, spec, tasks);
        }
    }

    pub(crate) fn clear(&mut self) {
        let PendingTasks { front, has_preferences, .. } = *self;
        *self = PendingTasks { front, has_preferences, ..PendingTasks::default() };
    }
}

/// The lengths of the attempts that have ended by themselves, such that the median is known: Spark's `PercentileHeap`.
#[derive(Clone, Default)]
pub(crate) struct AttemptLengths {
    /// The lesser half, the greatest on top.
    lesser: BinaryHeap<Span>,
    /// The others, the least on top: the median.
    others: BinaryHeap<Reverse<Span>>,
}

impl AttemptLengths {
    pub(crate) fn push(&mut self, length: Span) {
        self.lesser.push(length);
        self.others.extend(self.lesser.pop().map(Reverse));
        if self.others.len() > self.lesser.len() + 1 {
            self.lesser.extend(self.others.pop().map(|Reverse(least)| least));
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.lesser.len() + self.others.len()
    }

    /// Element floor(k / 2) of k, ascending from 0.
    pub(crate) fn median(&self) -> Option<Span> {
        self.others.peek().map(|&Reverse(median)| median)
    }
}

impl Attempts {
    /// `None` if every task of the scenario has one attempt, which ends by itself or with its job, on any core.
    pub(super) fn new(scenario: &Scenario) -> Option<Box<Attempts>> {
        let cluster = scenario.cluster();
        let is_needed = scenario.names_kill_reasons()
            || scenario.jobs().iter().any(|job| job.stages.iter().any(|stage| stage.has_places(cluster)));
        let cores = vec![None; cluster.cores() as usize];
        let mut exclusions: BTreeMap<u32, Vec<Exclusion>> = BTreeMap::new();
        for exclusion in &cluster.exclusions {
            exclusions.entry(exclusion.executor).or_default().push(*exclusion);
        }
        let exclusions = Rc::new(exclusions);
        is_needed.then(|| Box::new(Attempts { stages: Vec::new(), cores, marks: 0, special: 0, exclusions }))
    }

    /// A job with some stages arrives.
    pub(super) fn push(&mut self, stages: usize) {
        self.stages.resize_with(self.stages.len() + stages, StageAttempts::default);
    }

    /// Whether it matters for a waiting stage where its tasks run, or whether all of them can.
    pub(crate) fn has_special(&self) -> bool {
        self.special > 0
    }

    pub(crate) fn of(&self, stage: StageIndex) -> &StageAttempts {
        &self.stages[stage.index()]
    }

    pub(crate) fn of_mut(&mut self, stage: StageIndex) -> &mut StageAttempts {
        &mut self.stages[stage.index()]
    }

    /// All attempts with their cores, in the order of launch.
    pub(crate) fn running(&self) -> Vec<(Attempt, CoreId)> {
        let on_cores = (0..).map(CoreId).zip(&self.cores);
        let mut running: Vec<_> = on_cores.filter_map(|(core, attempt)| Some(((*attempt)?, core))).collect();
        running.sort_unstable_by_key(|(attempt, _)| attempt.row);
        running
    }
}

impl StageAttempts {
    /// Those of a stage that is submitted now.
    pub(crate) fn submitted(spec: &Stage, tasks: u32, now: Time, cluster: &Cluster) -> StageAttempts {
        let has_preferences = spec.has_preferences();
        let mut pending = PendingTasks { has_preferences, ..PendingTasks::default() };
        (0..tasks).for_each(|task| pending.insert(task.into(), task, spec, tasks));
        StageAttempts {
            tasks: vec![TaskAttempts::default(); tasks as usize],
            pending,
            locality: has_preferences.then_some(Locality { level: Level::Local, reset: now }),
            is_barrier: spec.barrier,
            is_limited: spec.is_limited(cluster),
            ..StageAttempts::default()
        }
    }
}

impl View {
    /// What is known of the attempts of a stage, where tasks may have several.
    pub(crate) fn attempts_of(&self, stage: StageIndex) -> Option<&StageAttempts> {
        self.attempts.as_ref().map(|attempts| attempts.of(stage))
    }

    /// Whether an executor takes tasks of a stage: it is of the stage's resource profile and not excluded.
    #[inline]
    pub fn takes(&self, executor: u32, stage: StageIndex) -> bool {
        match &self.attempts {
            Some(attempts) if attempts.of(stage).is_limited => {
                self.is_within_limits(executor, stage, attempts)
            }
            _ => true,
        }
    }

    fn is_within_limits(&self, executor: u32, stage: StageIndex, attempts: &Attempts) -> bool {
        let (spec, cluster) = (self.spec(stage), self.scenario().cluster());
        let of_cluster = attempts.exclusions.get(&executor).into_iter().flatten();
        let is_excluded = of_cluster.into_iter().any(|exclusion| exclusion.covers(Time::ZERO, self.now));
        let is_excluded_by_stage = |first: Time| {
            let mut exclusions = spec.exclusions.iter();
            first < self.now
                && exclusions
                    .any(|exclusion| exclusion.executor == executor && exclusion.covers(first, self.now))
        };
        cluster.resource_profile(executor) == spec.resource_profile
            && !is_excluded
            && !attempts.of(stage).first_launch.is_some_and(is_excluded_by_stage)
    }

    /// Tasks of a stage that are pending and may be launched, copies aside.
    pub(crate) fn pending_tasks(&self, stage: StageIndex) -> u32 {
        let marks = self.attempts_of(stage).map_or(0, |attempts| attempts.offered_marks);
        self.state(stage).pending - marks
    }

    /// Tasks of a stage that are not launched, those of one that waits for a parent included.
    pub(crate) fn not_launched(&self, stage: StageIndex) -> u32 {
        match self.attempts_of(stage) {
            Some(of_stage) if self.state(stage).submitted => of_stage.pending.len(),
            _ => self.state(stage).pending,
        }
    }

    /// A submitted stage offers some pending tasks and marked ones from now on; whether that is another number.
    pub(crate) fn set_pending(&mut self, stage: StageIndex, tasks: u32, marks: u32) -> bool {
        let Some(attempts) = &mut self.attempts else { return false };
        let (state, of_stage) = (&mut self.stages[stage.index()], attempts.of_mut(stage));
        let (before, marks_before) = (state.pending, std::mem::replace(&mut of_stage.offered_marks, marks));
        state.pending = tasks + marks;
        let waits = state.pending > 0;
        let has_places = of_stage.locality.is_some() || of_stage.is_barrier || of_stage.is_limited;
        let is_special = waits && (has_places || marks > 0);
        let was_special = std::mem::replace(&mut of_stage.is_special, is_special);
        attempts.special = attempts.special + u32::from(is_special) - u32::from(was_special);
        attempts.marks = attempts.marks + marks - marks_before;
        let job = &mut self.jobs[state.rank.index()].tasks;
        job.pending = job.pending + state.pending - before;
        let user = &mut self.users[state.user.index()];
        user.pending = user.pending + tasks - (before - marks_before);
        let changed = before != state.pending;
        match (before > 0, waits) {
            (false, true) => {
                self.waiting.insert(stage.0);
                self.waiting_count += 1;
            }
            (true, false) => {
                self.waiting.remove(stage.0);
                self.waiting_count -= 1;
            }
            _ => {}
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_that_of_a_sorted_list() {
        let (mut lengths, mut sorted) = (AttemptLengths::default(), Vec::new());
        let mut state = 7_u64;
        assert_eq!(lengths.median(), None);
        for _ in 0..300 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let length = Span(state >> 58);
            lengths.push(length);
            sorted.push(length);
            sorted.sort_unstable();
            assert_eq!(lengths.median(), Some(sorted[sorted.len() / 2]));
            assert_eq!(lengths.count(), sorted.len());
        }
    }

    #[test]
    fn what_returns_goes_first() {
        let input = crate::scenario::Input::of_tasks([Span(1); 6]).expect("six tasks");
        let spec = Stage { prefers: vec![vec![0], vec![], vec![1, 0]], ..Stage::with_input(input) };
        let mut pending = StageAttempts::submitted(&spec, 6, Time(0), &Cluster::default()).pending;
        assert_eq!(pending.preferring(0).collect::<Vec<_>>(), [0, 1, 4, 5]);
        assert_eq!(pending.indifferent().collect::<Vec<_>>(), [2, 3]);
        assert!((0..5).all(|task| pending.remove(task, &spec, 6)) && !pending.remove(2, &spec, 6));
        pending.push_front(&[2, 4], &spec, 6);
        pending.push_front(&[1], &spec, 6);
        assert_eq!(pending.iter().collect::<Vec<_>>(), [1, 2, 4, 5]);
        assert_eq!(pending.preferring(1).collect::<Vec<_>>(), [4, 5]);
        assert_eq!(pending.preferred().collect::<Vec<_>>(), [0, 1]);
    }
}
