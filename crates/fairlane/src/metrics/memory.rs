//! Memory in use, where it is modelled (docs/model.md section 8).

use serde::{Deserialize, Serialize};

use super::over_time::{HoldingChange, IntervalMeans, Intervals, walk};
use super::shares::memory_of;
use super::utilization::ExecutorUse;
use crate::scenario::Scenario;
use crate::trace::Trace;

/// How much of the memory tasks hold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// What is held of the memory that is there up to the makespan, a ratio; `None` if nothing takes any time.
    pub mean: Option<f64>,
    /// The largest part of the whole cluster's memory that is ever held, a ratio.
    pub peak: f64,
}

impl MemoryUse {
    /// That of a schedule; `None` if memory is not modelled.
    pub fn measure(scenario: &Scenario, trace: &Trace) -> Option<MemoryUse> {
        let all = capacity(scenario)?;
        let held = |run| u128::from(memory_of(scenario, run));
        let used: u128 =
            trace.tasks.iter().map(|run| held(run) * u128::from(run.end.since(run.start).0)).sum();
        let cluster = scenario.cluster();
        let per_core = all / f64::from(cluster.cores());
        // An executor that is away takes its memory with it.
        let there = ExecutorUse::of(scenario, trace).held.0;
        let (mut now, mut peak) = (0_u64, 0);
        walk(trace, |_, changes| {
            for &(_, change) in changes {
                match change {
                    HoldingChange::Launch(task) => now += memory_of(scenario, &trace.tasks[task]),
                    HoldingChange::End(task) => now -= memory_of(scenario, &trace.tasks[task]),
                    HoldingChange::Arrival(_) | HoldingChange::Exit(_) => {}
                }
            }
            peak = now.max(peak);
        });
        let mean = (there > 0).then(|| used as f64 / (there as f64 * per_core));
        Some(MemoryUse { mean, peak: peak as f64 / all })
    }
}

/// The memory of all executors in MB, if it is modelled.
fn capacity(scenario: &Scenario) -> Option<f64> {
    let cluster = scenario.cluster();
    cluster.memory_per_executor.map(|memory| f64::from(cluster.executors) * memory as f64)
}

/// Memory that each user's tasks hold, in MB, as means over some intervals: by user, then by interval. `None` if
/// memory is not modelled.
pub fn memory_in_use(scenario: &Scenario, trace: &Trace, intervals: &Intervals) -> Option<Vec<Vec<f64>>> {
    capacity(scenario)?;
    let mut held = vec![0_u64; trace.users.len()];
    let mut means: Vec<IntervalMeans> = held.iter().map(|_| IntervalMeans::new(intervals)).collect();
    let start = intervals.starts().first().copied().unwrap_or_default();
    means.iter_mut().for_each(|means| means.set(start, Some(0.0)));
    walk(trace, |at, changes| {
        for &(_, change) in changes {
            let (task, launched) = match change {
                HoldingChange::Launch(task) => (task, true),
                HoldingChange::End(task) => (task, false),
                HoldingChange::Arrival(_) | HoldingChange::Exit(_) => continue,
            };
            let run = &trace.tasks[task];
            let user = trace.jobs[run.job.index()].user.index();
            let memory = memory_of(scenario, run);
            held[user] = if launched { held[user] + memory } else { held[user] - memory };
            means[user].set(at, Some(held[user] as f64));
        }
    });
    let known = |means: IntervalMeans| means.finish().into_iter().map(Option::unwrap_or_default).collect();
    Some(means.into_iter().map(known).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    fn scenario(memory: &str) -> Scenario {
        let text = format!(
            r#"{{"format": "fairlane/scenario@1", "cluster": {{"cores_per_executor": 2 {memory}}}, "jobs": [
                {{"user": "ana", "arrival_s": 0, "stages": [{{"tasks_s": [1, 3], "memory_mb": 40}}]}},
                {{"user": "ben", "arrival_s": 0, "stages": [{{"tasks_s": [1], "memory_mb": 60}}]}}]}}"#
        );
        Scenario::from_json(&text).expect("a good scenario")
    }

    /// Two cores, 100 MB: ana holds 80 MB until 1 s and 40 MB until 3 s, ben 60 MB from 1 to 2 s. All of it at most,
    /// and (80 + 100 + 40) / 300 on average.
    #[test]
    fn use_by_hand() {
        let scenario = scenario(r#", "memory_mb_per_executor": 100"#);
        let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
        let MemoryUse { mean, peak } = MemoryUse::measure(&scenario, &trace).expect("memory is modelled");
        assert!((mean.expect("tasks ran") - 220.0 / 300.0).abs() < 1e-12);
        assert_eq!(peak, 1.0);
        let by_user = memory_in_use(&scenario, &trace, &Intervals::every(Span(1_000_000), trace.end()));
        assert_eq!(by_user, Some(vec![vec![80.0, 40.0, 40.0], vec![0.0, 60.0, 0.0]]));
    }

    #[test]
    fn without_memory_there_is_no_use_of_it() {
        let scenario = scenario("");
        let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
        assert_eq!(MemoryUse::measure(&scenario, &trace), None);
        assert_eq!(memory_in_use(&scenario, &trace, &Intervals::every(Span(1), trace.end())), None);
    }
}
