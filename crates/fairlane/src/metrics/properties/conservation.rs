//! Whether a core idles while work waits (BoPF, section 2.2: Pareto efficiency).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::metrics::shares::memory_of;
use crate::metrics::waiting::{PendingSince, pending_stages};
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::trace::attempts::pending_again;
use crate::units::{SlotTime, Time};

/// Cores that idle while work waits.
///
/// At an instant it is the number of free cores that a pending task fits, at most the number of pending tasks; where
/// memory is modelled, a core counts if its executor also has the memory that the smallest pending task needs. A job
/// that a policy has not admitted yet waits from its arrival on. Cores count while their executor is there, and a task
/// is pending again once its attempt was killed; one that waits for its executor, or for its whole stage, waits too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conservation {
    /// Core time that is idle while work waits, in core-µs.
    pub idle: SlotTime,
    /// When it first is.
    pub first: Option<Time>,
}

/// What changes at an instant: tasks that become pending or are no longer, by their memory; by executor the cores and the
/// memory that are held, and the cores that are there.
#[derive(Default)]
struct CountChange {
    pending: Vec<(u64, i64)>,
    held: Vec<(usize, i64, i64)>,
    there: Vec<(usize, i64)>,
}

impl Conservation {
    pub(super) fn measure(scenario: &Scenario, trace: &Trace) -> Conservation {
        let cluster = scenario.cluster();
        // Without memory all executors are alike.
        let memory = cluster.memory_per_executor;
        let per_executor = if memory.is_some() { cluster.cores_per_executor } else { cluster.cores() };
        let mut changes: BTreeMap<Time, CountChange> = BTreeMap::new();
        for stay in &trace.executors {
            let slot = (stay.executor * cluster.cores_per_executor / per_executor) as usize;
            let cores = i64::from(cluster.cores_per_executor);
            changes.entry(stay.from).or_default().there.push((slot, cores));
            changes.entry(stay.to).or_default().there.push((slot, -cores));
        }
        for again in pending_again(scenario, trace) {
            let needs = scenario.jobs()[again.job.index()].stages[again.stage as usize].memory;
            changes.entry(again.at).or_default().pending.push((needs, again.more.into()));
        }
        for stage in pending_stages(scenario, trace, PendingSince::Arrival, |_| true) {
            let of_stage = scenario.jobs()[stage.job.index()].stages[stage.stage as usize].memory;
            changes.entry(stage.since).or_default().pending.push((of_stage, stage.tasks));
            let end = trace.jobs[stage.job.index()].end();
            changes.entry(end).or_default().pending.push((of_stage, -stage.never_launched));
        }
        for run in &trace.tasks {
            let (executor, needs) = ((run.core.0 / per_executor) as usize, memory_of(scenario, run));
            let begin = changes.entry(run.start).or_default();
            begin.pending.push((needs, -1));
            begin.held.push((executor, 1, needs as i64));
            changes.entry(run.end).or_default().held.push((executor, -1, -(needs as i64)));
        }
        let slots = (cluster.cores() / per_executor) as usize;
        let mut held = vec![(0_i64, 0_i64); slots];
        // All of the time, or while their executors are there.
        let mut there = vec![if trace.executors.is_empty() { i64::from(per_executor) } else { 0 }; slots];
        let mut pending: BTreeMap<u64, i64> = BTreeMap::new();
        let mut conservation = Conservation::default();
        let (mut idle, mut since) = (0_i64, Time::ZERO);
        for (&at, change) in &changes {
            conservation.idle.0 += idle as u64 * at.since(since).0;
            for &(needs, count) in &change.pending {
                *pending.entry(needs).or_default() += count;
            }
            pending.retain(|_, count| *count > 0);
            for &(executor, cores, needs) in &change.held {
                held[executor].0 += cores;
                held[executor].1 += needs;
            }
            for &(executor, cores) in &change.there {
                there[executor] += cores;
            }
            let fit = |(&(cores, used), &there): (&(i64, i64), &i64)| {
                let free = there - cores;
                let (Some(all), Some((&least, _))) = (memory, pending.first_key_value()) else { return free };
                if least == 0 { free } else { free.min((all as i64 - used) / least as i64) }
            };
            let waiting: i64 = pending.values().sum();
            idle = if waiting > 0 { waiting.min(held.iter().zip(&there).map(fit).sum()) } else { 0 };
            since = at;
            if idle > 0 && conservation.first.is_none() {
                conservation.first = Some(at);
            }
        }
        conservation
    }

    /// Whether no core idles while work waits.
    pub fn holds(&self) -> bool {
        self.idle == SlotTime(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conservation(policy: &str, cluster: &str, jobs: &str) -> Conservation {
        let text =
            format!(r#"{{"format": "fairlane/scenario@1", "cluster": {{{cluster}}}, "jobs": [{jobs}]}}"#);
        let scenario = Scenario::from_json(&text).expect("a good scenario");
        Conservation::measure(&scenario, &crate::simulate(&scenario, policy.parse().expect("a policy")))
    }

    /// Two cores. The oracle gives ana's job of 8 core-seconds, due at 9 s, one core for life, so that its other
    /// tasks wait beside an idle core until ben gets that at 1 s. FIFO leaves none idle.
    #[test]
    fn the_oracle_leaves_a_core_idle_and_fifo_none() {
        let jobs = r#"{"user": "ana", "arrival_s": 0, "deadline_s": 9, "stages": [{"tasks_s": [2, 2, 2, 2]}]},
            {"user": "ben", "arrival_s": 1, "deadline_s": 100, "stages": [{"tasks_s": [4, 4]}]}"#;
        let oracle = conservation("deadline-oracle", r#""cores_per_executor": 2"#, jobs);
        assert_eq!(oracle, Conservation { idle: SlotTime(1_000_000), first: Some(Time(0)) });
        assert!(conservation("fifo", r#""cores_per_executor": 2"#, jobs).holds());
    }

    /// One executor of two cores and 100 MB: while ana's task holds 60 MB, until 2 s, ben's of 90 MB does not fit it.
    #[test]
    fn a_core_without_the_memory_does_not_idle() {
        let cluster = r#""executors": 1, "cores_per_executor": 2, "memory_mb_per_executor": 100"#;
        let jobs = r#"{"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [2], "memory_mb": 60}]},
            {"user": "ben", "arrival_s": 0, "stages": [{"tasks_s": [2], "memory_mb": 90}]}"#;
        assert!(conservation("fifo", cluster, jobs).holds());
    }
}
