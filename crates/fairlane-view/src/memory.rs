//! The memory that tasks hold over time, on each executor or on all together.
//!
//! ```
//! use fairlane_view::memory::MemoryInUse;
//! use fairlane::{Scenario, compare, units::Time};
//! let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1",
//!     "cluster": { "cores_per_executor": 2, "memory_mb_per_executor": 1000 },
//!     "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1, 2], "memory_mb": 300 }] }] }"#)?;
//! let comparison = compare(&scenario, ["drf".parse()?]);
//! let memory = MemoryInUse::new(&comparison.evaluations[0]);
//! assert_eq!([0, 1_000_000, 2_000_000].map(|at| memory.at(0, Time(at))), [600, 300, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::TimeAxis;
use fairlane::metrics::Evaluation;
use fairlane::units::Time;

/// The memory in use, as steps: on each executor, or on all together as if they were one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryInUse {
    /// By executor: the instants at which the memory in use changes, ascending, and its MB from then on.
    steps: Vec<Vec<(Time, u64)>>,
}

impl MemoryInUse {
    /// Adds up what the tasks of a trace hold on each executor.
    pub fn new(run: &Evaluation) -> MemoryInUse {
        let cluster = run.scenario.cluster();
        MemoryInUse::grouped(run, cluster.executors, cluster.cores_per_executor)
    }

    /// Adds up what they hold on all executors, as if these were a single one.
    pub fn of_cluster(run: &Evaluation) -> MemoryInUse {
        MemoryInUse::grouped(run, 1, run.scenario.cluster().cores())
    }

    /// By group of this many cores each.
    fn grouped(Evaluation { scenario, trace, .. }: &Evaluation, groups: u32, cores: u32) -> MemoryInUse {
        let mut changes: Vec<Vec<(Time, i64)>> = vec![Vec::new(); groups as usize];
        for run in &trace.tasks {
            let memory = scenario.jobs()[run.job.index()].stages[run.stage as usize].memory as i64;
            if memory > 0 {
                changes[(run.core.0 / cores) as usize].extend([(run.start, memory), (run.end, -memory)]);
            }
        }
        let steps = changes.into_iter().map(|mut changes| {
            changes.sort_by_key(|(at, _)| *at);
            let (mut steps, mut now): (Vec<(Time, u64)>, i64) = (Vec::new(), 0);
            for (at, change) in changes {
                now += change;
                match steps.last_mut().filter(|(last, _)| *last == at) {
                    Some((_, memory)) => *memory = now as u64,
                    None => steps.push((at, now as u64)),
                }
            }
            steps
        });
        MemoryInUse { steps: steps.collect() }
    }

    /// The memory in use on an executor at an instant, after all that happens at it, in MB.
    pub fn at(&self, executor: usize, at: Time) -> u64 {
        let steps = &self.steps[executor];
        steps.partition_point(|(from, _)| *from <= at).checked_sub(1).map_or(0, |last| steps[last].1)
    }

    /// The most memory that is in use on an executor at once, in MB.
    pub fn peak(&self, executor: usize) -> u64 {
        self.steps[executor].iter().map(|&(_, memory)| memory).max().unwrap_or(0)
    }

    /// The mean memory in use on an executor in each column of a window, in MB.
    pub fn means(&self, executor: usize, axis: TimeAxis, columns: usize) -> Vec<f64> {
        let mut means = vec![0.0; columns];
        let steps = &self.steps[executor];
        for (index, &(from, memory)) in steps.iter().enumerate().filter(|(_, (_, memory))| *memory > 0) {
            let until = steps.get(index + 1).map_or(from, |&(next, _)| next);
            let column = |at| (axis.fraction(at) * columns as f64).clamp(0.0, columns as f64);
            let (from, to) = (column(from), column(until));
            let first = from as usize;
            for (column, mean) in means.iter_mut().enumerate().take(to.ceil() as usize).skip(first) {
                let part = to.min(column as f64 + 1.0) - from.max(column as f64);
                *mean += memory as f64 * part.max(0.0);
            }
        }
        means
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::evaluated;
    use fairlane::Scenario;

    /// Two executors of one core. Each runs one of two tasks of 2 s that hold 4 and then one of 1 s that holds 1;
    /// nothing is held where a task that holds nothing runs.
    #[test]
    fn means_by_hand() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 2, "cores_per_executor": 1, "memory_mb_per_executor": 8 }, "jobs": [
                { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [2, 2], "memory_mb": 4 }, { "tasks_s": [1], "memory_mb": 1, "parents": [0] }] } ] }"#,
        )
        .expect("a good scenario");
        let run = evaluated(&scenario, "fifo");
        let memory = MemoryInUse::new(&run);
        let axis = TimeAxis { from: Time(0), to: Time(4_000_000) };
        assert_eq!(memory.means(0, axis, 4), [4.0, 4.0, 1.0, 0.0]);
        assert_eq!(memory.means(1, axis, 2), [4.0, 0.0]);
        // A window in which a step lies only partly.
        let axis = TimeAxis { from: Time(1_000_000), to: Time(3_000_000) };
        assert_eq!(memory.means(0, axis, 1), [2.5]);
        assert_eq!([memory.peak(0), memory.peak(1)], [4, 4]);
        let whole = MemoryInUse::of_cluster(&run);
        assert_eq!((whole.peak(0), whole.at(0, Time(2_500_000))), (8, 1));
        assert_eq!([memory.at(0, Time(2_000_000)), memory.at(1, Time(2_000_000))], [1, 0]);
    }
}
