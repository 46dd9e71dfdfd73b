//! Dominant shares: of each user the largest part of any resource that its tasks hold (DRF), over time and in the
//! long run (BoPF, section 3.1).

use super::makespan;
use super::over_time::{HoldingChange, IntervalMeans, Intervals, walk};
use crate::scenario::Scenario;
use crate::trace::{TaskRun, Trace};

/// What a cluster has of cores and, if it is modelled, of memory in MB.
pub(super) struct ClusterCapacity {
    cores: f64,
    memory: Option<f64>,
}

impl ClusterCapacity {
    pub(super) fn new(scenario: &Scenario) -> ClusterCapacity {
        let cluster = scenario.cluster();
        let memory = cluster.memory_per_executor.map(|memory| f64::from(cluster.executors) * memory as f64);
        ClusterCapacity { cores: f64::from(cluster.cores()), memory }
    }

    /// The larger of the parts of cores and memory.
    pub(super) fn dominant(&self, cores: f64, memory: f64) -> f64 {
        (cores / self.cores).max(self.memory.map_or(0.0, |all| memory / all))
    }
}

/// Memory that a task holds, in MB.
pub(super) fn memory_of(scenario: &Scenario, run: &TaskRun) -> u64 {
    scenario.jobs()[run.job.index()].stages[run.stage as usize].memory
}

/// Each user's dominant share, a ratio, as means over some intervals: by user, then by interval. At an instant it is
/// the maximum over the resources k of held_k / C_k.
pub fn dominant_shares(scenario: &Scenario, trace: &Trace, intervals: &Intervals) -> Vec<Vec<f64>> {
    let capacity = ClusterCapacity::new(scenario);
    let mut held = vec![[0_u64; 2]; trace.users.len()];
    let mut means: Vec<IntervalMeans> = held.iter().map(|_| IntervalMeans::new(intervals)).collect();
    let start = intervals.starts().first().copied().unwrap_or_default();
    means.iter_mut().for_each(|means| means.set(start, Some(0.0)));
    walk(trace, |at, changes| {
        for &(_, change) in changes {
            let (task, sign) = match change {
                HoldingChange::Launch(task) => (task, 1),
                HoldingChange::End(task) => (task, -1),
                HoldingChange::Arrival(_) | HoldingChange::Exit(_) => continue,
            };
            let run = &trace.tasks[task];
            let user = trace.jobs[run.job.index()].user.index();
            for (held, amount) in held[user].iter_mut().zip([1, memory_of(scenario, run)]) {
                *held = held.wrapping_add_signed(sign * amount as i64);
            }
            let [cores, memory] = held[user].map(|held| held as f64);
            means[user].set(at, Some(capacity.dominant(cores, memory)));
        }
    });
    let known = |means: IntervalMeans| means.finish().into_iter().map(Option::unwrap_or_default).collect();
    means.into_iter().map(known).collect()
}

/// Each user's dominant share in the long run, a ratio, by user: the maximum over the resources k of the mean of what
/// its tasks hold, (1/T) · integral of held_k, over C_k, T being the makespan (BoPF, section 3.1, long-term fairness:
/// no throughput queue has less than a latency queue). Empty if nothing takes any time.
pub fn long_term_shares(scenario: &Scenario, trace: &Trace) -> Vec<f64> {
    let Some(time) = makespan(trace).filter(|makespan| makespan.0 > 0) else { return Vec::new() };
    let capacity = ClusterCapacity::new(scenario);
    let mut used = vec![[0_u128; 2]; trace.users.len()];
    for run in &trace.tasks {
        let span = u128::from(run.end.since(run.start).0);
        let [cores, memory] = &mut used[trace.jobs[run.job.index()].user.index()];
        *cores += span;
        *memory += span * u128::from(memory_of(scenario, run));
    }
    let mean = |used: u128| used as f64 / time.0 as f64;
    used.into_iter().map(|[cores, memory]| capacity.dominant(mean(cores), mean(memory))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Span, Time};

    /// Two executors of two cores and 100 MB. ana's four tasks of 2 s need 10 MB each, ben's of 4 s 90 MB and waits
    /// for the memory of no executor: under FIFO ana holds four cores and 40 of 200 MB until 2 s (dominant: cores,
    /// 1), then ben one core and 90 MB until 6 s (dominant: memory, 0.45).
    ///
    /// In the long run, over 6 s: ana 8 / 24 of the cores (80 / 1200 of the memory), ben 360 / 1200 of the memory (4
    /// / 24 of the cores).
    fn run() -> (Scenario, Trace) {
        let scenario = Scenario::from_json(
            r#"{"format": "fairlane/scenario@1",
                "cluster": {"executors": 2, "cores_per_executor": 2, "memory_mb_per_executor": 100}, "jobs": [
                {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [2, 2, 2, 2], "memory_mb": 10}]},
                {"user": "ben", "arrival_s": 0, "stages": [{"tasks_s": [4], "memory_mb": 90}]}]}"#,
        )
        .expect("a good scenario");
        let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
        assert_eq!(trace.end(), Time(6_000_000));
        (scenario, trace)
    }

    #[test]
    fn shares_over_time_by_hand() {
        let (scenario, trace) = run();
        let shares = dominant_shares(&scenario, &trace, &Intervals::every(Span(2_000_000), trace.end()));
        assert_eq!(shares, [[1.0, 0.0, 0.0], [0.0, 0.45, 0.45]]);
        let halves = dominant_shares(&scenario, &trace, &Intervals::every(Span(4_000_000), trace.end()));
        assert_eq!(halves, [[0.5, 0.0], [0.225, 0.45]]);
    }

    #[test]
    fn long_term_shares_by_hand() {
        let (scenario, trace) = run();
        assert_eq!(long_term_shares(&scenario, &trace), [8.0 / 24.0, 360.0 / 1200.0]);
        let mut nothing = trace;
        nothing.tasks.clear();
        nothing.jobs.clear();
        assert!(long_term_shares(&scenario, &nothing).is_empty());
    }
}
