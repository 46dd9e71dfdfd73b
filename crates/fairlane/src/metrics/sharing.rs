//! Equality and fairness over time: Jain's index of what active jobs hold, and of what part of their demand that is
//! (Justice, section V.A; docs/model.md section 10).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::mean_of;
use super::over_time::{HoldingChange, IntervalMeans, Intervals, walk};
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::{Span, Time};

/// Intervals over which the indices are averaged (Justice, section V.A: 60 s).
const INTERVAL: Span = Span(60_000_000);

/// Equality and fairness, ratios up to 1, in each of some intervals or over the whole schedule; `None` where no
/// active job holds a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SharingFigures {
    /// Jain's index of the cores A that the active jobs of one parallelism m hold, (sum A)² / (n · sum A²), averaged
    /// over all m by how many jobs each has. A class of jobs none of which holds a core has no index.
    pub equality: Option<f64>,
    /// Jain's index of min(1, A / m) over all active jobs.
    pub fairness: Option<f64>,
}

impl SharingFigures {
    /// The means over the intervals of 60 s of a schedule.
    pub fn measure(scenario: &Scenario, trace: &Trace) -> SharingFigures {
        let intervals = sharing_over_time(scenario, trace, &busy_intervals(trace));
        SharingFigures {
            equality: mean_of(intervals.iter().filter_map(|sharing| sharing.equality)),
            fairness: mean_of(intervals.iter().filter_map(|sharing| sharing.fairness)),
        }
    }
}

/// Intervals of 60 s from 0 on as far as tasks run in them; what lies between is one interval each, in which nothing is
/// measured. So years without a task cost nothing.
fn busy_intervals(trace: &Trace) -> Intervals {
    let number = |at: Time| at.0 / INTERVAL.0;
    let mut busy: Vec<(u64, u64)> =
        trace.tasks.iter().map(|run| (number(run.start), number(run.end))).collect();
    busy.sort_unstable();
    let mut starts = vec![Time::ZERO];
    let mut next = 0;
    for (first, last) in busy {
        // An interval of which a part is measured begins where one of 60 s does, and ends there.
        for interval in first.max(next)..=last + 1 {
            let start = Time(interval * INTERVAL.0);
            if starts.last() != Some(&start) && start < trace.end() {
                starts.push(start);
            }
        }
        next = next.max(last + 2);
    }
    Intervals::new(starts, trace.end())
}

/// The active jobs of one parallelism m.
#[derive(Clone, Copy, Default)]
struct ParallelismClass {
    jobs: u64,
    /// Sums of A and A².
    held: [u64; 2],
    /// Sums of min(A, m) and its square.
    used: [u64; 2],
}

impl ParallelismClass {
    /// A job of the class holds `after` cores instead of `before`.
    fn change(&mut self, m: u32, before: u32, after: u32) {
        let powers = |amount: u32| [u64::from(amount), u64::from(amount).pow(2)];
        for (sums, before, after) in
            [(&mut self.held, before, after), (&mut self.used, before.min(m), after.min(m))]
        {
            for ((sum, before), after) in sums.iter_mut().zip(powers(before)).zip(powers(after)) {
                *sum = *sum + after - before;
            }
        }
    }
}

/// Jain's indices of the active jobs, by class.
fn indices(classes: &BTreeMap<u32, ParallelismClass>) -> SharingFigures {
    let (mut equality, mut indexed) = (0.0, 0);
    let (mut jobs, mut parts, mut squares) = (0, 0.0, 0.0);
    for (&m, class) in classes {
        jobs += class.jobs;
        let [held, held_squares] = class.held.map(|sum| sum as f64);
        if class.held[1] > 0 {
            // The index times the number of jobs, which is its weight.
            equality += held * held / held_squares;
            indexed += class.jobs;
        }
        let demand = f64::from(m.max(1));
        parts += class.used[0] as f64 / demand;
        squares += class.used[1] as f64 / (demand * demand);
    }
    SharingFigures {
        equality: (indexed > 0).then(|| equality / indexed as f64),
        fairness: (squares > 0.0).then(|| parts * parts / (jobs as f64 * squares)),
    }
}

/// Equality and fairness in each of some intervals: the means over the time at which some active job holds a core.
///
/// O(n log n) in tasks, and O(active values of m) for each instant at which anything changes.
pub fn sharing_over_time(scenario: &Scenario, trace: &Trace, intervals: &Intervals) -> Vec<SharingFigures> {
    let parallelism: Vec<u32> = parallelism(scenario, trace);
    let mut held = vec![0_u32; trace.jobs.len()];
    let mut classes: BTreeMap<u32, ParallelismClass> = BTreeMap::new();
    let [mut equality, mut fairness] = [(); 2].map(|()| IntervalMeans::new(intervals));
    walk(trace, |at, changes| {
        for &(_, change) in changes {
            let (job, running, jobs) = match change {
                HoldingChange::Arrival(job) => (job, held[job.index()], 1),
                HoldingChange::Launch(task) => {
                    let job = trace.tasks[task].job;
                    (job, held[job.index()] + 1, 0)
                }
                HoldingChange::End(task) => {
                    let job = trace.tasks[task].job;
                    (job, held[job.index()] - 1, 0)
                }
                HoldingChange::Exit(job) => (job, held[job.index()], -1),
            };
            let m = parallelism[job.index()];
            let class = classes.entry(m).or_default();
            class.change(m, held[job.index()], running);
            class.jobs = class.jobs.wrapping_add_signed(jobs);
            held[job.index()] = running;
            if class.jobs == 0 && class.held[0] == 0 {
                classes.remove(&m);
            }
        }
        let now = indices(&classes);
        equality.set(at, now.equality);
        fairness.set(at, now.fairness);
    });
    let means = equality.finish().into_iter().zip(fairness.finish());
    means.map(|(equality, fairness)| SharingFigures { equality, fairness }).collect()
}

/// m of each job: the largest number of tasks of its stages under the schedule's partitioning.
fn parallelism(scenario: &Scenario, trace: &Trace) -> Vec<u32> {
    let tasks = |stage| scenario.partitioning().task_count(stage, trace.policy.partitioning) as u32;
    scenario.jobs().iter().map(|job| job.stages.iter().map(tasks).max().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;

    fn trace(jobs: &str) -> (Scenario, Trace) {
        let text = format!(
            r#"{{"format": "fairlane/scenario@1", "cluster": {{"cores_per_executor": 4}}, "jobs": [{jobs}]}}"#
        );
        let scenario = Scenario::from_json(&text).expect("a good scenario");
        let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
        (scenario, trace)
    }

    /// Four cores under FIFO. a (three tasks of 2 s) holds three of them until 2 s, b (three of 2 s) one until 2 s,
    /// then two more until 4 s, c (one of 4 s) the last from 2 s on until 6 s.
    ///
    /// | seconds | a b c (m = 3 3 1) | equality                                | fairness                              |
    /// |---------|-------------------|-----------------------------------------|---------------------------------------|
    /// | 0 to 2  | 3 1 0             | class 3: 4² / (2 · 10) = 0.8; 1: none   | (1 + 1/3)² / (3 · (1 + 1/9)) = 8 / 15 |
    /// | 2 to 4  | - 2 1             | class 3: 1, class 1: 1                  | (2/3 + 1)² / (2 · (4/9 + 1)) = 25 / 26 |
    /// | 4 to 6  | - - 1             | 1                                       | 1                                     |
    #[test]
    fn indices_by_hand() {
        let job = |user: &str, tasks: &str| {
            format!(r#"{{"user": "{user}", "arrival_s": 0, "stages": [{{"tasks_s": {tasks}}}]}}"#)
        };
        let jobs = [job("a", "[2, 2, 2]"), job("b", "[2, 2, 2]"), job("c", "[4]")].join(",");
        let (scenario, trace) = trace(&jobs);
        let intervals = Intervals::every(Span(2_000_000), trace.end());
        assert_eq!(trace.end(), Time(6_000_000));
        let sharing = sharing_over_time(&scenario, &trace, &intervals);
        let close = |actual: Option<f64>, expected: f64| {
            let actual = actual.expect("a figure");
            assert!((actual - expected).abs() < 1e-12, "{actual} is not {expected}");
        };
        for (sharing, (equality, fairness)) in
            sharing.iter().zip([(0.8, 8.0 / 15.0), (1.0, 25.0 / 26.0), (1.0, 1.0)])
        {
            close(sharing.equality, equality);
            close(sharing.fairness, fairness);
        }
        // All within the first minute: means over six seconds.
        let whole = SharingFigures::measure(&scenario, &trace);
        close(whole.equality, (0.8 + 1.0 + 1.0) / 3.0);
        close(whole.fairness, (8.0 / 15.0 + 25.0 / 26.0 + 1.0) / 3.0);
    }

    /// From 1 s to 3 s nobody is active; a job without work never holds a core.
    #[test]
    fn idle_time_has_no_index() {
        let (scenario, trace) = trace(
            r#"{"user": "a", "arrival_s": 0, "stages": [{"tasks_s": [1]}]},
                {"user": "b", "arrival_s": 3, "stages": [{"tasks_s": [1]}]}"#,
        );
        let sharing =
            sharing_over_time(&scenario, &trace, &Intervals::every(Span(1_000_000), Time(4_000_000)));
        let known: Vec<bool> = sharing.iter().map(|sharing| sharing.equality.is_some()).collect();
        assert_eq!(known, [true, false, false, true]);
    }

    /// Two tasks, fifty years apart, and one of three minutes: as with intervals from end to end.
    #[test]
    fn years_without_a_task_are_one_interval() {
        for (arrival, least) in [(1_700_000_000_u64, 4), (300, 4)] {
            let (scenario, trace) = trace(&format!(
                r#"{{"user": "a", "arrival_s": 0, "stages": [{{"tasks_s": [1, 61]}}]}},
                    {{"user": "b", "arrival_s": {arrival}, "stages": [{{"tasks_s": [180]}}]}}"#
            ));
            let intervals = busy_intervals(&trace);
            let count = intervals.starts().len();
            assert!((least..10).contains(&count), "{count} intervals");
            assert!(intervals.starts().is_sorted());
            if arrival < 1_000_000 {
                let every = Intervals::every(INTERVAL, trace.end());
                let known = |intervals: &Intervals| -> Vec<SharingFigures> {
                    let sharing = sharing_over_time(&scenario, &trace, intervals);
                    sharing.into_iter().filter(|sharing| sharing.fairness.is_some()).collect()
                };
                assert_eq!(known(&intervals), known(&every));
            }
        }
    }
}
