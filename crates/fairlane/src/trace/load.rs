//! How much each user has running and waiting at an instant, and when anything changes next, by look-up.

use std::collections::BTreeMap;

use super::attempts::{LaunchKind, PendingChange, launch_kinds, pending_again};
use super::{Timeline, Trace};
use crate::ids::{JobId, UserId};
use crate::order::{self, GroupedPositions};
use crate::scenario::Scenario;
use crate::tournament::{self, Tournament};
use crate::units::Time;

/// What a user has on the cluster at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreLoad {
    /// Tasks that hold a core.
    pub running: u32,
    /// Tasks of submitted stages that wait for a core.
    pub waiting: u32,
}

/// A trace's launches, finishes and stage submissions by user.
///
/// About 12 bytes per task. What runs and waits costs O(log n) per user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadIndex {
    /// Indices in the trace's task list in the order in which the tasks finish.
    finish_order: Vec<u32>,
    /// Launches of each user's tasks, as indices in the trace's task list.
    launches: GroupedPositions,
    /// Finishes of each user's tasks, as indices in `finish_order`.
    finishes: GroupedPositions,
    /// Where each user's stages begin in the two lists that follow; one entry more than there are users.
    first_submission: Vec<u32>,
    /// Instants at which tasks begin to wait or no longer do without a launch: their stages are submitted, they return
    /// or have a second attempt, or their job ends; user by user, each user's ascending.
    submitted_at: Vec<Time>,
    /// How many of the user's tasks have begun to wait by then.
    submitted: Vec<u32>,
}

/// A [`LoadIndex`] as columns, to be handed on as they lie in memory.
pub struct LoadColumns<Numbers, Times> {
    /// The order of finishing; launches by user and finishes by user, each as where the users begin and the
    /// positions; where the users' changes begin of how many tasks have begun to wait, and how many have by each of them.
    pub numbers: [Numbers; 7],
    /// When that was.
    pub times: Times,
}

impl LoadColumns<usize, usize> {
    /// How long the columns are, for a number of users, attempts and changes of how many tasks wait.
    pub fn lengths(users: usize, tasks: usize, changes: usize) -> Self {
        LoadColumns {
            numbers: [tasks, users + 1, tasks, users + 1, tasks, users + 1, changes],
            times: changes,
        }
    }
}

/// Tasks launched, and attempts that ended by themselves, of each stage of the jobs that did not finish.
struct StageProgress(BTreeMap<(usize, u32), [u32; 2]>);

impl StageProgress {
    fn new(scenario: &Scenario, trace: &Trace) -> StageProgress {
        let mut stages: BTreeMap<(usize, u32), [u32; 2]> = BTreeMap::new();
        if trace.jobs.iter().all(|job| job.finish().is_some()) {
            return StageProgress(stages);
        }
        let kinds = launch_kinds(scenario, trace);
        for (run, task) in trace.tasks.iter().zip(0_u32..) {
            let is_first = kinds.as_ref().is_none_or(|kinds| kinds[task as usize] == LaunchKind::First);
            if trace.jobs[run.job.index()].finish().is_none() {
                let [launched, ended] = stages.entry((run.job.index(), run.stage)).or_default();
                *launched += u32::from(is_first);
                *ended += u32::from(trace.killed.binary_search(&task).is_err());
            }
        }
        StageProgress(stages)
    }

    fn launched(&self, job: usize, stage: u32) -> u32 {
        self.0.get(&(job, stage)).map_or(0, |counts| counts[0])
    }

    fn ended(&self, job: usize, stage: u32) -> u32 {
        self.0.get(&(job, stage)).map_or(0, |counts| counts[1])
    }
}

impl LoadIndex {
    /// Indexes a trace of a scenario.
    pub fn new(scenario: &Scenario, trace: &Trace) -> LoadIndex {
        let users = scenario.users().len();
        let finish_order = finish_order(trace);
        let user_of = |task: usize| scenario.jobs()[trace.tasks[task].job.index()].user.index();
        let launches = GroupedPositions::new(users, (0..trace.tasks.len()).map(user_of));
        let finishes = GroupedPositions::new(users, finish_order.iter().map(|&task| user_of(task as usize)));
        let mut submissions = vec![Vec::new(); users];
        let progress = StageProgress::new(scenario, trace);
        for (index, (job, times)) in
            scenario.jobs().iter().zip(Timeline::new(scenario, trace).submissions).enumerate()
        {
            let (run, count) = (&trace.jobs[index], |stage: usize| {
                scenario.partitioning().task_count(&job.stages[stage], trace.policy.partitioning) as u32
            });
            for (stage, at) in times.into_iter().enumerate() {
                let tasks = count(stage);
                let changes = &mut submissions[job.user.index()];
                if run.finish().is_some() {
                    changes.push((at, tasks));
                    continue;
                }
                // What has not been launched when the job ends waits no longer; a stage may not have been submitted.
                let parents = &job.stages[stage].parents;
                let ready =
                    parents.iter().all(|&parent| progress.ended(index, parent) >= count(parent as usize));
                let tasks = if ready && at < run.end() { tasks } else { 0 };
                let launched = progress.launched(index, stage as u32);
                changes.push((at.min(run.end()), tasks));
                changes.push((run.end(), launched.wrapping_sub(tasks)));
            }
        }
        for PendingChange { job, at, more, .. } in pending_again(scenario, trace) {
            submissions[scenario.jobs()[job.index()].user.index()].push((at, more.cast_unsigned()));
        }
        let (mut first_submission, mut submitted_at, mut submitted) = (vec![0], Vec::new(), Vec::new());
        for list in &mut submissions {
            list.sort_by_key(|&(at, _)| at);
            let mut sum = 0_u32;
            for &(at, tasks) in &*list {
                sum = tasks.wrapping_add(sum);
                submitted_at.push(at);
                submitted.push(sum);
            }
            first_submission.push(submitted.len() as u32);
        }
        LoadIndex { finish_order, launches, finishes, first_submission, submitted_at, submitted }
    }

    /// The index as columns.
    pub fn columns(&self) -> LoadColumns<&[u32], &[Time]> {
        let [launch_first, launches] = self.launches.columns();
        let [finish_first, finishes] = self.finishes.columns();
        let Self { finish_order, first_submission, submitted, submitted_at, .. } = self;
        let numbers =
            [finish_order, launch_first, launches, finish_first, finishes, first_submission, submitted];
        LoadColumns { numbers, times: submitted_at }
    }

    /// An index out of its columns, whose lengths are those of [`LoadColumns::lengths`].
    pub fn from_columns(columns: LoadColumns<Vec<u32>, Vec<Time>>) -> LoadIndex {
        let [finish_order, launch_first, launches, finish_first, finishes, first_submission, submitted] =
            columns.numbers;
        LoadIndex {
            finish_order,
            launches: GroupedPositions::from_columns([launch_first, launches]),
            finishes: GroupedPositions::from_columns([finish_first, finishes]),
            first_submission,
            submitted_at: columns.times,
            submitted,
        }
    }

    /// What each user has running and waiting at an instant, after all that happens at it.
    pub fn at(&self, trace: &Trace, at: Time) -> Vec<CoreLoad> {
        let (launched, finished) = (self.launched(trace, at), self.finished(trace, at));
        (1..self.first_submission.len() as u32)
            .map(|next| self.load(UserId(next - 1), at, launched, finished))
            .collect()
    }

    /// What one user has running and waiting at an instant, after all that happens at it.
    pub fn user_load(&self, trace: &Trace, user: UserId, at: Time) -> CoreLoad {
        self.load(user, at, self.launched(trace, at), self.finished(trace, at))
    }

    fn load(&self, user: UserId, at: Time, launched: u32, finished: u32) -> CoreLoad {
        let started = self.launches.before(user.index(), launched);
        let [from, to] = [0, 1].map(|more| self.first_submission[user.index() + more] as usize);
        let so_far = self.submitted_at[from..to].partition_point(|&time| time <= at);
        let tasks = so_far.checked_sub(1).map_or(0, |last| self.submitted[from + last]);
        CoreLoad { running: self.running(user, launched, finished), waiting: tasks.saturating_sub(started) }
    }

    /// Tasks of a user that hold a core after `launched` launches and `finished` finishes.
    pub(super) fn running(&self, user: UserId, launched: u32, finished: u32) -> u32 {
        self.launches
            .before(user.index(), launched)
            .saturating_sub(self.finishes.before(user.index(), finished))
    }

    /// Tasks launched up to an instant.
    pub(super) fn launched(&self, trace: &Trace, at: Time) -> u32 {
        trace.tasks.partition_point(|run| run.start <= at) as u32
    }

    /// The first instant after `at` at which something starts, ends or arrives. Looks at every job's arrival.
    pub fn next_instant(&self, trace: &Trace, at: Time) -> Option<Time> {
        let start = trace.tasks.get(self.launched(trace, at) as usize).map(|run| run.start);
        let end = self.end(trace, self.finished(trace, at));
        let arrivals = trace.jobs.iter().map(|job| job.arrival).filter(|&arrival| arrival > at);
        start.into_iter().chain(end).chain(arrivals).min()
    }

    /// The last instant before `at` at which something starts, ends or arrives. Looks at every job's arrival.
    pub fn previous_instant(&self, trace: &Trace, at: Time) -> Option<Time> {
        let before = Time(at.0.checked_sub(1)?);
        let start = self.launched(trace, before).checked_sub(1).map(|last| trace.tasks[last as usize].start);
        let end = self.finished(trace, before).checked_sub(1).and_then(|last| self.end(trace, last));
        let arrivals = trace.jobs.iter().map(|job| job.arrival).filter(|&arrival| arrival < at);
        start.into_iter().chain(end).chain(arrivals).max()
    }

    /// When the next task finishes after `finished` have.
    fn end(&self, trace: &Trace, finished: u32) -> Option<Time> {
        self.finish_order.get(finished as usize).map(|&task| trace.tasks[task as usize].end)
    }

    /// Tasks finished up to an instant.
    pub(super) fn finished(&self, trace: &Trace, at: Time) -> u32 {
        self.finish_order.partition_point(|&task| trace.tasks[task as usize].end <= at) as u32
    }
}

/// Indices in the trace's task list in the order in which the tasks finish: by end, and at one instant by launch,
/// which is the order of the engine's events. Tasks that a drop ends follow those that end by themselves at that
/// instant and precede those that start at it; jobs dropped at one instant are so in the order of arrival.
pub(crate) fn finish_order(trace: &Trace) -> Vec<u32> {
    if !trace.killed.is_empty() {
        let mut order: Vec<u32> = (0..trace.tasks.len() as u32).collect();
        order.sort_by_key(|&index| {
            let run = &trace.tasks[index as usize];
            if trace.killed.binary_search(&index).is_ok() {
                return (run.end, 1, trace.jobs[run.job.index()].arrival, run.job);
            }
            (run.end, if run.start == run.end { 2 } else { 0 }, Time::ZERO, JobId(0))
        });
        return order;
    }
    merged_finishes(trace).unwrap_or_else(|| {
        // The list is in the order of launch.
        order::by_key(trace.tasks.len(), |index| trace.tasks[index as usize].end.0)
    })
}

/// The same in O(n log R), by holding the ends of the runs on cores against each launch; `None` unless the list is in
/// the order of launch and no two runs hold a core at once.
fn merged_finishes(trace: &Trace) -> Option<Vec<u32>> {
    let mut order = Vec::with_capacity(trace.tasks.len());
    let mut running = Tournament::new(trace.cores as usize);
    let mut finish_until = |running: &mut Tournament, until: u64| {
        while let Some(first) = running.first().filter(|first| (first >> 64) as u64 <= until) {
            order.push((first >> 32) as u32);
            running.clear(tournament::slot(first));
        }
    };
    let mut now = Time::ZERO;
    for (run, index) in trace.tasks.iter().zip(0..) {
        if run.start < now || run.core.0 >= trace.cores {
            return None;
        }
        now = run.start;
        finish_until(&mut running, now.0);
        if running.get(run.core.0).is_some() {
            return None;
        }
        running.set(run.core.0, tournament::key(run.end.0, index, run.core.0));
    }
    finish_until(&mut running, u64::MAX);
    Some(order)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::catalog;
    use crate::trace::TaskRun;
    use crate::trace::attempts::task_of;

    /// The attempts of each task, in the order of launch, with whether each was killed.
    type AttemptsOfTasks = BTreeMap<(u32, u32, u32), Vec<(TaskRun, bool)>>;

    fn attempts(trace: &Trace) -> AttemptsOfTasks {
        let mut attempts = AttemptsOfTasks::new();
        for (index, run) in (0..).zip(&trace.tasks) {
            attempts.entry(task_of(run)).or_default().push((*run, trace.kill_reason(index).is_some()));
        }
        attempts
    }

    /// Counts by walking over all tasks. A task waits if its stage was submitted, its job has not ended, and it has no
    /// attempt or the last of those that have ended was killed.
    fn slow(scenario: &Scenario, trace: &Trace, attempts: &AttemptsOfTasks, at: Time) -> Vec<CoreLoad> {
        let mut loads = vec![CoreLoad::default(); scenario.users().len()];
        let submissions = Timeline::new(scenario, trace).submissions;
        for ((j, job), run) in (0..).zip(scenario.jobs()).zip(&trace.jobs) {
            let count = |stage: u32| {
                let stage = &job.stages[stage as usize];
                scenario.partitioning().task_count(stage, trace.policy.partitioning) as u32
            };
            let of = |stage: u32, task: u32| attempts.get(&(j, stage, task)).into_iter().flatten();
            let has_ended =
                |&stage: &u32| (0..count(stage)).all(|task| of(stage, task).any(|(_, killed)| !killed));
            for (s, stage) in (0..).zip(&job.stages) {
                let is_submitted = submissions[j as usize][s as usize] <= at
                    && (run.finish().is_some() || stage.parents.iter().all(has_ended));
                for task in 0..count(s) {
                    let running = of(s, task).filter(|(run, _)| run.start <= at && at < run.end).count();
                    let last = of(s, task)
                        .filter(|(run, _)| run.end <= at)
                        .max_by_key(|(run, killed)| (run.end, !killed));
                    let is_open = last.is_none_or(|(_, killed)| *killed);
                    let load = &mut loads[run.user.index()];
                    load.running += running as u32;
                    load.waiting += u32::from(is_submitted && is_open && running == 0 && at < run.end());
                }
            }
        }
        loads
    }

    #[test]
    fn every_instant_of_the_catalog_counts_as_the_whole_trace_does() {
        for entry in catalog::ENTRIES.iter() {
            let scenario = entry.scenario();
            for policy in catalog::suggested(entry) {
                let trace = crate::simulate(&scenario, policy);
                let loads = LoadIndex::new(&scenario, &trace);
                let attempts = attempts(&trace);
                let runs = trace.tasks.iter().flat_map(|run| [run.start, run.end]);
                let instants: BTreeSet<Time> = runs.chain(trace.jobs.iter().map(|job| job.arrival)).collect();
                let instants: Vec<Time> = instants.into_iter().collect();
                // A hundred instants are enough of the long ones.
                for step in instants.windows(2).take(100) {
                    let now = step[0];
                    assert_eq!(
                        loads.at(&trace, now),
                        slow(&scenario, &trace, &attempts, now),
                        "{policy} {now:?}"
                    );
                    assert_eq!(loads.next_instant(&trace, now), Some(step[1]));
                    assert_eq!(loads.previous_instant(&trace, step[1]), Some(now));
                }
                let (first, last) = (instants[0], instants[instants.len() - 1]);
                assert_eq!(
                    (loads.previous_instant(&trace, first), loads.next_instant(&trace, last)),
                    (None, None)
                );
            }
        }
    }

    /// One core: ana's two tasks of 1 s at 0 s; ben's at 0.5 s waits until 2 s.
    #[test]
    fn running_and_waiting_by_hand() {
        let scenario = Scenario::from_json(
            r#"{"format": "fairlane/scenario@1", "cluster": {"cores_per_executor": 1}, "jobs": [
                {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [1, 1]}]},
                {"user": "ben", "arrival_s": 0.5, "stages": [{"tasks_s": [1]}]}]}"#,
        )
        .expect("a good scenario");
        let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
        let index = LoadIndex::new(&scenario, &trace);
        let at = |micros| {
            let loads = index.at(&trace, Time(micros));
            loads.iter().map(|load| (load.running, load.waiting)).collect::<Vec<_>>()
        };
        assert_eq!(at(0), [(1, 1), (0, 0)]);
        assert_eq!(at(500_000), [(1, 1), (0, 1)]);
        assert_eq!(at(1_000_000), [(1, 0), (0, 1)]);
        assert_eq!(at(2_000_000), [(0, 0), (1, 0)]);
        assert_eq!(at(3_000_000), [(0, 0), (0, 0)]);
        assert_eq!(index.user_load(&trace, UserId(1), Time(2_500_000)), CoreLoad { running: 1, waiting: 0 });
    }

    /// Two executors of one core. ana's two tasks of 3 s run at once; executor 1 is lost from 1 s to 2 s, and her second
    /// task waits again until it is back.
    #[test]
    fn a_task_that_has_returned_waits_by_hand() {
        let scenario = Scenario::from_json(
            r#"{"format": "fairlane/scenario@1", "cluster": {"executors": 2, "cores_per_executor": 1,
                "losses": [{"at_s": 1, "executor": 1, "back_s": 1}]},
                "jobs": [{"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [3, 3]}]}]}"#,
        )
        .expect("a good scenario");
        let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
        let index = LoadIndex::new(&scenario, &trace);
        let at = |seconds: u64| {
            let load = index.user_load(&trace, UserId(0), Time(seconds * 1_000_000));
            (load.running, load.waiting)
        };
        assert_eq!([0, 1, 2, 3, 5].map(at), [(2, 0), (1, 1), (2, 0), (1, 0), (0, 0)]);
    }
}
