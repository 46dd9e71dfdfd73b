//! How much each user has running and waiting at an instant, by look-up.

use super::positions::Positions;
use super::{Timeline, Trace};
use crate::ids::UserId;
use crate::partition;
use crate::scenario::Scenario;
use crate::units::Time;

/// What a user has on the cluster at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Tasks that hold a core.
    pub running: u32,
    /// Tasks of submitted stages that wait for a core.
    pub waiting: u32,
}

/// A trace's launches, finishes and stage submissions by user.
///
/// About 12 bytes per task. A look-up costs O(log n) per user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadIndex {
    /// Places in the trace's task list in the order in which the tasks finish.
    finish_order: Vec<u32>,
    /// Launches of each user's tasks, as places in the trace's task list.
    launches: Positions,
    /// Finishes of each user's tasks, as places in `finish_order`.
    finishes: Positions,
    /// By user: instants at which stages are submitted, ascending, with the number of tasks of all
    /// the stages submitted by then.
    submissions: Vec<Vec<(Time, u32)>>,
}

impl LoadIndex {
    /// Indexes a trace of a scenario.
    pub fn new(scenario: &Scenario, trace: &Trace) -> LoadIndex {
        let users = scenario.users.len();
        let finish_order = finish_order(trace);
        let user_of = |place: usize| scenario.jobs[trace.tasks[place].job.index()].user.index();
        let launches = Positions::new(users, (0..trace.tasks.len()).map(user_of));
        let finishes = Positions::new(users, finish_order.iter().map(|&place| user_of(place as usize)));
        let mut submissions = vec![Vec::new(); users];
        for (job, times) in scenario.jobs.iter().zip(Timeline::new(scenario, trace).submissions) {
            for (stage, at) in job.stages.iter().zip(times) {
                let count = partition::task_count(stage, trace.policy.partitioning, &scenario.partitioning);
                submissions[job.user.index()].push((at, count as u32));
            }
        }
        for list in &mut submissions {
            list.sort_unstable_by_key(|&(at, _)| at);
            let mut sum = 0;
            for (_, tasks) in list {
                sum += *tasks;
                *tasks = sum;
            }
        }
        LoadIndex { finish_order, launches, finishes, submissions }
    }

    /// What each user has running and waiting at an instant, after all that happens at it.
    pub fn at(&self, trace: &Trace, at: Time) -> Vec<Load> {
        let (launched, finished) = (self.launched(trace, at), self.finished(trace, at));
        (0..self.submissions.len() as u32)
            .map(|user| self.load(UserId(user), at, launched, finished))
            .collect()
    }

    /// What one user has running and waiting at an instant, after all that happens at it.
    pub fn of(&self, trace: &Trace, user: UserId, at: Time) -> Load {
        self.load(user, at, self.launched(trace, at), self.finished(trace, at))
    }

    fn load(&self, user: UserId, at: Time, launched: u32, finished: u32) -> Load {
        let started = self.launches.before(user.index(), launched);
        let submissions = &self.submissions[user.index()];
        let submitted = submissions.partition_point(|&(time, _)| time <= at);
        let tasks = submitted.checked_sub(1).map_or(0, |last| submissions[last].1);
        Load { running: self.running(user, launched, finished), waiting: tasks.saturating_sub(started) }
    }

    /// Tasks of a user that hold a core once so many tasks have been launched and so many finished.
    pub(super) fn running(&self, user: UserId, launched: u32, finished: u32) -> u32 {
        self.launches
            .before(user.index(), launched)
            .saturating_sub(self.finishes.before(user.index(), finished))
    }

    /// Tasks launched up to an instant.
    pub(super) fn launched(&self, trace: &Trace, at: Time) -> u32 {
        trace.tasks.partition_point(|run| run.start <= at) as u32
    }

    /// Places in the trace's task list in the order in which the tasks finish.
    pub(super) fn finish_order(&self) -> &[u32] {
        &self.finish_order
    }

    /// Tasks finished up to an instant.
    pub(super) fn finished(&self, trace: &Trace, at: Time) -> u32 {
        self.finish_order.partition_point(|&place| trace.tasks[place as usize].end <= at) as u32
    }
}

/// Places in the trace's task list in the order in which the tasks finish: by end, and at one
/// instant by launch, which is the order of the engine's events.
fn finish_order(trace: &Trace) -> Vec<u32> {
    let mut order: Vec<u32> = (0..trace.tasks.len() as u32).collect();
    // The sort is stable and the list is in the order of launch.
    order.sort_by_key(|&place| trace.tasks[place as usize].end);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::catalog;
    use crate::trace::CoreIndex;

    /// Counts by walking over the whole trace.
    fn slow(scenario: &Scenario, trace: &Trace, at: Time) -> Vec<Load> {
        let mut loads = vec![Load::default(); scenario.users.len()];
        let submissions = Timeline::new(scenario, trace).submissions;
        for run in &trace.tasks {
            let load = &mut loads[trace.jobs[run.job.index()].user.index()];
            if run.start <= at && at < run.end {
                load.running += 1;
            } else if at < run.start && submissions[run.job.index()][run.stage as usize] <= at {
                load.waiting += 1;
            }
        }
        loads
    }

    #[test]
    fn every_instant_of_the_catalog_counts_as_the_whole_trace_does() {
        for entry in catalog::ENTRIES {
            let scenario = entry.scenario();
            for policy in catalog::suggested(entry) {
                let trace = crate::simulate(&scenario, policy);
                let (cores, loads) = (CoreIndex::new(&trace), LoadIndex::new(&scenario, &trace));
                let mut at = Some(Time::ZERO);
                let mut steps = 0;
                while let Some(now) = at {
                    assert_eq!(loads.at(&trace, now), slow(&scenario, &trace, now), "{policy} {now:?}");
                    at = cores.next_instant(&trace, now);
                    steps += 1;
                    // Some hundreds of instants are enough of the long ones.
                    if steps > 300 {
                        break;
                    }
                }
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
        assert_eq!(index.of(&trace, UserId(1), Time(2_500_000)), Load { running: 1, waiting: 0 });
    }
}
