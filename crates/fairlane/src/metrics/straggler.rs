//! Skew: stages whose last task keeps the cores waiting (the UWFQ paper's Figure 3).

use serde::{Deserialize, Serialize};

use super::presence::CoresThere;
use crate::ids::{CoreId, JobId};
use crate::order::GroupedPositions;
use crate::scenario::Scenario;
use crate::trace::{CoreIndex, TaskRun, Trace, finish_order};
use crate::units::{SlotTime, Span, Time};

/// The one task of a stage that ends after all the others, and what idles behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Straggler {
    /// The job.
    pub job: JobId,
    /// The stage, by index in the job.
    pub stage: u32,
    /// The task's run, by index in the trace's task list.
    pub run: u32,
    /// When the first core ran out of work of this stage: with no task of it pending any more, the
    /// first end of a run whose core got no further task of it.
    pub from: Time,
    /// When the straggler ended.
    pub to: Time,
    /// From the end of the stage's last task but one to that of the straggler.
    pub lag: Span,
    /// Idle core time of all cores that are there between `from` and `to`, in core-µs.
    pub idle: SlotTime,
}

/// A core that ran nothing for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleCore {
    /// The core.
    pub core: CoreId,
    /// From when.
    pub from: Time,
    /// Until when.
    pub to: Time,
}

/// The stragglers of a trace, in the order of (job, stage). A stage of a job that finished has one if it has two tasks
/// or more and a single one ends last; what was left of a dropped job's stages is not in the trace.
///
/// Other stages may be at work meanwhile; where they keep all cores busy a straggler costs nothing
/// and its `idle` is 0.
pub fn stragglers(scenario: &Scenario, trace: &Trace) -> Vec<Straggler> {
    stragglers_of(scenario, trace, &finish_order(trace)).0
}

/// [`stragglers`] where the order in which the tasks finish is known, and the busy time at their instants.
pub(super) fn stragglers_of(
    scenario: &Scenario,
    trace: &Trace,
    finish_order: &[u32],
) -> (Vec<Straggler>, BusyTime) {
    // Stages numbered job by job, as far as the trace has runs of them.
    let (mut stages, mut cores) = (vec![0; trace.jobs.len()], 0);
    for run in &trace.tasks {
        cores = (run.core.index() + 1).max(cores);
        stages[run.job.index()] = (run.stage + 1).max(stages[run.job.index()]);
    }
    let mut count = 0;
    for first in &mut stages {
        count += std::mem::replace(first, count);
    }
    let first_stage = stages;
    let stage_of = |run: &TaskRun| (first_stage[run.job.index()] + run.stage) as usize;
    let in_stages = GroupedPositions::new(count as usize, trace.tasks.iter().map(stage_of));
    // The last stage that was looked at on each core.
    let mut seen = vec![usize::MAX; cores];
    let mut stragglers: Vec<Straggler> = (0..count as usize)
        .filter_map(|stage| {
            let is_first = |core: CoreId| std::mem::replace(&mut seen[core.index()], stage) != stage;
            straggler(trace, in_stages.group(stage), is_first)
        })
        .collect();
    let busy = BusyTime::new(scenario, trace, finish_order, &stragglers);
    for straggler in &mut stragglers {
        straggler.idle = busy.idle(straggler.from, straggler.to);
    }
    (stragglers, busy)
}

/// The straggler of one stage, whose runs are given in the order of launch, without its idle time. `is_first` is asked
/// whether a core is met for the first time.
fn straggler(trace: &Trace, stage: &[u32], mut is_first: impl FnMut(CoreId) -> bool) -> Option<Straggler> {
    let run = |index: u32| &trace.tasks[index as usize];
    let last = stage.iter().copied().max_by_key(|&index| run(index).end)?;
    let TaskRun { job, stage: index, end: to, .. } = *run(last);
    trace.jobs[job.index()].finish()?;
    let others = stage.iter().filter(|&&index| index != last);
    let lag = to.since(others.map(|&index| run(index).end).max()?);
    if lag == Span(0) {
        return None;
    }
    let last_launch = run(*stage.last()?).start;
    // Each core's last run of the stage: the first met from behind.
    let last_of_core = stage.iter().rev().map(|&index| run(index)).filter(|run| is_first(run.core));
    let from = last_of_core.map(|run| run.end).filter(|&end| end >= last_launch).min()?;
    Some(Straggler { job, stage: index, run: last, from, to, lag, idle: SlotTime(0) })
}

/// The cores that idle behind a straggler, core by core in the order of time, while they are there. Their lengths add
/// up to its `idle`.
pub fn idle_behind(
    scenario: &Scenario,
    trace: &Trace,
    index: &CoreIndex,
    straggler: &Straggler,
) -> Vec<IdleCore> {
    let there = CoresThere::new(scenario, trace);
    let mut idle = Vec::new();
    for core in (0..trace.cores).map(CoreId) {
        for (from, to) in there.of_core(core, straggler.from, straggler.to) {
            let mut free = from;
            for run in index.runs(trace, core, from, to) {
                if run.start > free {
                    idle.push(IdleCore { core, from: free, to: run.start });
                }
                free = run.end.max(free);
            }
            if free < to {
                idle.push(IdleCore { core, from: free, to });
            }
        }
    }
    idle
}

/// Core time that idles behind stragglers, in core-µs: in all, and behind each job's own, by index in
/// the file. Where stragglers lag at the same time an idle core counts once. `stragglers` as from
/// [`stragglers()`].
pub fn straggler_idle_time(
    scenario: &Scenario,
    trace: &Trace,
    stragglers: &[Straggler],
) -> (SlotTime, Vec<SlotTime>) {
    let busy = BusyTime::new(scenario, trace, &finish_order(trace), stragglers);
    idle_time(stragglers, &busy, trace.jobs.len())
}

/// [`straggler_idle_time`] of `jobs` jobs where the busy time at the stragglers' instants is known.
pub(super) fn idle_time(stragglers: &[Straggler], busy: &BusyTime, jobs: usize) -> (SlotTime, Vec<SlotTime>) {
    let idle = |stragglers: &[Straggler]| {
        // Behind one without idle time no core idles at all, so that it adds nothing to others either.
        let costly = stragglers.iter().filter(|one| one.idle > SlotTime(0));
        let mut times: Vec<(Time, Time)> = costly.map(|one| (one.from, one.to)).collect();
        times.sort();
        let (mut sum, mut counted) = (0, Time::ZERO);
        for (from, to) in times {
            let from = from.max(counted);
            if to > from {
                sum += u128::from(busy.idle(from, to).0);
                counted = to;
            }
        }
        SlotTime(u64::try_from(sum).unwrap_or(u64::MAX))
    };
    let mut by_job = vec![SlotTime(0); jobs];
    for own in stragglers.chunk_by(|a, b| a.job == b.job) {
        by_job[own[0].job.index()] = idle(own);
    }
    (idle(stragglers), by_job)
}

/// Busy core time up to the instants of stragglers.
pub(super) struct BusyTime {
    there: CoresThere,
    /// Ascending.
    instants: Vec<Time>,
    /// Core-µs of all runs before each of them.
    busy: Vec<u128>,
}

impl BusyTime {
    /// Takes one pass over the runs in the order of launch, and one in that of finishing.
    fn new(scenario: &Scenario, trace: &Trace, finish_order: &[u32], stragglers: &[Straggler]) -> BusyTime {
        let mut instants: Vec<Time> = stragglers.iter().flat_map(|one| [one.from, one.to]).collect();
        instants.sort();
        instants.dedup();
        let starts = since(&instants, trace.tasks.iter().map(|run| run.start));
        let ends = since(&instants, finish_order.iter().map(|&run| trace.tasks[run as usize].end));
        let busy = starts.into_iter().zip(ends).map(|(starts, ends)| starts - ends).collect();
        BusyTime { there: CoresThere::new(scenario, trace), instants, busy }
    }

    /// Core time that idles between two of the instants, of the cores that are there.
    fn idle(&self, from: Time, to: Time) -> SlotTime {
        let [from_busy, to_busy] =
            [from, to].map(|at| self.busy[self.instants.partition_point(|&other| other < at)]);
        let busy = u64::try_from(to_busy - from_busy).unwrap_or(u64::MAX);
        SlotTime(self.there.between(from, to).0.saturating_sub(busy))
    }
}

/// For each of some ascending instants, the sum of the time since each of some ascending others before it.
fn since(instants: &[Time], others: impl Iterator<Item = Time>) -> Vec<u128> {
    let (mut others, mut count, mut sum) = (others.peekable(), 0_u128, 0_u128);
    let sum_at = |&at: &Time| {
        while let Some(other) = others.next_if(|&other| other < at) {
            count += 1;
            sum += u128::from(other.0);
        }
        u128::from(at.0) * count - sum
    };
    instants.iter().map(sum_at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    /// Two cores. Job 0's stage has tasks of 1, 1 and 4 s: core 0 runs 0-1 and 1-5, core 1 runs 0-1
    /// and then has no work of the stage: the straggler idles it from 1 to 5, but job 1 keeps it
    /// busy from 2 to 3. Job 1's single task has no others to lag behind.
    #[test]
    fn a_straggler_by_hand() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 2 }, "jobs": [
                { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 4] }] },
                { "user": "ben", "arrival_s": 2, "stages": [{ "tasks_s": [1] }] } ] }"#,
        )
        .expect("a sound workload");
        let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
        let seconds = |count: u64| Time(count * 1_000_000);
        let expected = Straggler {
            job: JobId(0),
            stage: 0,
            run: 2,
            from: seconds(1),
            to: seconds(5),
            lag: Span(4_000_000),
            idle: SlotTime(3_000_000),
        };
        assert_eq!(stragglers(&scenario, &trace), std::slice::from_ref(&expected));
        let core = CoreId(1);
        assert_eq!(
            idle_behind(&scenario, &trace, &CoreIndex::new(&trace), &expected),
            [
                IdleCore { core, from: seconds(1), to: seconds(2) },
                IdleCore { core, from: seconds(3), to: seconds(5) }
            ]
        );
    }

    /// Three cores. Job 0 has two stages that need nothing of each other, of 1 and 4 s and of 1 s alone;
    /// job 1 has one of 3 and 1 s from 1 s on. Cores: 0 runs 0-1 and 1-4, core 1 runs 0-4, core 2
    /// runs 0-1 and 1-2. The first straggler keeps cores waiting from 1 to 4, the second from 2 to
    /// 4; core 2 idles from 2 to 4 behind both and counts once.
    #[test]
    fn idle_time_behind_two_stragglers_counts_once() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 3 }, "jobs": [
                { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1, 4] }, { "tasks_s": [1], "parents": [] }] },
                { "user": "ben", "arrival_s": 1, "stages": [{ "tasks_s": [3, 1] }] } ] }"#,
        )
        .expect("a sound workload");
        let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
        let found = stragglers(&scenario, &trace);
        let idle: Vec<u64> = found.iter().map(|straggler| straggler.idle.0).collect();
        assert_eq!(idle, [2_000_000, 2_000_000]);
        let two = SlotTime(2_000_000);
        assert_eq!(straggler_idle_time(&scenario, &trace, &found), (two, vec![two, two]));
    }

    /// Two executors of a core; the second is lost at 2 s for good, a second after its task. It is idle behind the
    /// straggler until 5 s for that second only.
    #[test]
    fn a_core_that_is_away_does_not_idle_behind_a_straggler() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 2, "cores_per_executor": 1,
                "losses": [{ "executor": 1, "at_s": 2 }] }, "jobs": [
                { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [5, 1] }] } ] }"#,
        )
        .expect("a sound workload");
        let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
        let found = stragglers(&scenario, &trace);
        assert_eq!(found[0].idle, SlotTime(1_000_000));
        let idle = idle_behind(&scenario, &trace, &CoreIndex::new(&trace), &found[0]);
        let second = |count: u64| Time(count * 1_000_000);
        assert_eq!(idle, [IdleCore { core: CoreId(1), from: second(1), to: second(2) }]);
    }

    /// The catalog's skewed job idles cores under default partitioning and hardly any when it is
    /// cut by its run time.
    #[test]
    fn runtime_partitioning_removes_the_straggler() {
        let scenario = crate::catalog::find("skew").expect("an entry").scenario();
        let idle = |policy: &str| -> u64 {
            let trace = crate::simulate(&scenario, policy.parse().expect("a policy"));
            let index = CoreIndex::new(&trace);
            let found = stragglers(&scenario, &trace);
            for straggler in &found {
                let idle = idle_behind(&scenario, &trace, &index, straggler);
                assert_eq!(idle.iter().map(|idle| idle.to.since(idle.from).0).sum::<u64>(), straggler.idle.0);
            }
            found.iter().map(|straggler| straggler.idle.0).sum()
        };
        assert!(idle("uwfq-p") * 4 < idle("uwfq"), "{} {}", idle("uwfq-p"), idle("uwfq"));
    }
}
