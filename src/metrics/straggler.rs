//! Skew: stages whose last task keeps the cores waiting (the UWFQ paper's Figure 3).

use std::cell::OnceCell;

use serde::{Deserialize, Serialize};

use crate::ids::{CoreId, JobId};
use crate::places;
use crate::trace::{CoreIndex, Trace};
use crate::units::{SlotTime, Span, Time};

/// The one task of a stage that ends after all the others, and what idles behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Straggler {
    /// The job.
    pub job: JobId,
    /// The stage, by place in the job.
    pub stage: u32,
    /// The task's run, by place in the trace's task list.
    pub run: u32,
    /// When the first core ran out of work of this stage: with no task of it pending any more, the
    /// first end of a run whose core got no further task of it.
    pub from: Time,
    /// When the straggler ended.
    pub to: Time,
    /// From the end of the stage's last task but one to that of the straggler.
    pub lag: Span,
    /// Idle core time of the whole cluster between `from` and `to`, in core-µs.
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

/// The stragglers of a trace, in the order of (job, stage). A stage has one if it has two tasks or
/// more and a single one ends last.
///
/// Other stages may be at work meanwhile; where they keep all cores busy a straggler costs nothing
/// and its `idle` is 0.
pub fn stragglers(trace: &Trace) -> Vec<Straggler> {
    let busy = BusyTime::new(trace);
    let run = |place: u32| &trace.tasks[place as usize];
    let in_stages = places::by_key(trace.tasks.len(), |place| {
        u64::from(run(place).job.0) << u32::BITS | u64::from(run(place).stage)
    });
    let stages = in_stages.chunk_by(|&a, &b| (run(a).job, run(a).stage) == (run(b).job, run(b).stage));
    stages.filter_map(|stage| straggler(trace, stage, &busy)).collect()
}

/// The straggler of one stage, whose runs are given in the order of launch.
fn straggler(trace: &Trace, stage: &[u32], busy: &BusyTime) -> Option<Straggler> {
    let run = |place: u32| &trace.tasks[place as usize];
    let last = stage.iter().copied().max_by_key(|&place| run(place).end)?;
    let to = run(last).end;
    let others = stage.iter().filter(|&&place| place != last);
    let lag = to.since(others.map(|&place| run(place).end).max()?);
    if lag == Span(0) {
        return None;
    }
    let last_launch = run(*stage.last()?).start;
    // Each core's last run of the stage: the first met from behind.
    let by_core = places::by_key(stage.len(), |nth| run(stage[nth as usize]).core.0.into());
    let by_core = by_core.into_iter().map(|nth| run(stage[nth as usize])).collect::<Vec<_>>();
    let last_of_core = by_core.chunk_by(|a, b| a.core == b.core).filter_map(|runs| runs.last());
    let ends = last_of_core.map(|run| run.end).filter(|&end| end >= last_launch);
    let from = ends.min()?;
    let all = u128::from(to.since(from).0) * u128::from(trace.cores);
    let idle = all - (busy.until(to) - busy.until(from));
    Some(Straggler {
        job: run(last).job,
        stage: run(last).stage,
        run: last,
        from,
        to,
        lag,
        idle: SlotTime(u64::try_from(idle).unwrap_or(u64::MAX)),
    })
}

/// The cores that idle behind a straggler, core by core in the order of time. Their lengths add up
/// to its `idle`.
pub fn idle_behind(trace: &Trace, index: &CoreIndex, straggler: &Straggler) -> Vec<IdleCore> {
    let Straggler { from, to, .. } = *straggler;
    let mut idle = Vec::new();
    for core in (0..trace.cores).map(CoreId) {
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
    idle
}

/// Core time that idles behind stragglers, in core-µs: in all, and behind each job's own, by place in
/// the file. Where stragglers lag at the same time an idle core counts once. `stragglers` as from
/// [`stragglers()`].
pub fn straggler_idle_time(trace: &Trace, stragglers: &[Straggler]) -> (SlotTime, Vec<SlotTime>) {
    // Only looked into where idle times overlap, which is seldom in a crowded schedule.
    let busy = OnceCell::new();
    let idle = |stragglers: &[Straggler]| {
        // Behind one without idle time no core idles at all, so that it adds nothing to others either.
        let costly = stragglers.iter().filter(|one| one.idle > SlotTime(0));
        let mut times: Vec<(Time, Time, SlotTime)> = costly.map(|one| (one.from, one.to, one.idle)).collect();
        times.sort_unstable();
        let (mut sum, mut counted) = (0, Time::ZERO);
        for (from, to, idle) in times {
            if from >= counted {
                sum += u128::from(idle.0);
            } else if to > counted {
                let busy = busy.get_or_init(|| BusyTime::new(trace));
                let all = u128::from(to.since(counted).0) * u128::from(trace.cores);
                sum += all - (busy.until(to) - busy.until(counted));
            }
            counted = counted.max(to);
        }
        SlotTime(u64::try_from(sum).unwrap_or(u64::MAX))
    };
    let mut by_job = vec![SlotTime(0); trace.jobs.len()];
    for own in stragglers.chunk_by(|a, b| a.job == b.job) {
        by_job[own[0].job.index()] = idle(own);
    }
    (idle(stragglers), by_job)
}

/// Busy core time up to any instant, by look-up.
struct BusyTime {
    /// Starts in order, each with the sum of all up to and including it.
    starts: Vec<(Time, u128)>,
    /// Ends in order, each with the sum of all up to and including it.
    ends: Vec<(Time, u128)>,
}

impl BusyTime {
    fn new(trace: &Trace) -> BusyTime {
        let summed = |mut times: Vec<Time>| {
            times.sort_unstable();
            let mut sum = 0;
            let add = |time: Time| {
                sum += u128::from(time.0);
                (time, sum)
            };
            times.into_iter().map(add).collect()
        };
        BusyTime {
            starts: summed(trace.tasks.iter().map(|run| run.start).collect()),
            ends: summed(trace.tasks.iter().map(|run| run.end).collect()),
        }
    }

    /// Core-µs of all runs before an instant: for every start the time since, less the same for
    /// every end.
    fn until(&self, at: Time) -> u128 {
        let since = |times: &[(Time, u128)]| {
            let count = times.partition_point(|&(time, _)| time < at);
            let sum = count.checked_sub(1).map_or(0, |last| times[last].1);
            u128::from(at.0) * count as u128 - sum
        };
        since(&self.starts) - since(&self.ends)
    }
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
        assert_eq!(stragglers(&trace), std::slice::from_ref(&expected));
        let core = CoreId(1);
        assert_eq!(
            idle_behind(&trace, &CoreIndex::new(&trace), &expected),
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
        let found = stragglers(&trace);
        let idle: Vec<u64> = found.iter().map(|straggler| straggler.idle.0).collect();
        assert_eq!(idle, [2_000_000, 2_000_000]);
        let two = SlotTime(2_000_000);
        assert_eq!(straggler_idle_time(&trace, &found), (two, vec![two, two]));
    }

    /// The catalog's skewed job idles cores under default partitioning and hardly any when it is
    /// cut by its run time.
    #[test]
    fn runtime_partitioning_removes_the_straggler() {
        let scenario = crate::scenario::catalog::find("skew").expect("an entry").scenario();
        let idle = |policy: &str| -> u64 {
            let trace = crate::simulate(&scenario, policy.parse().expect("a policy"));
            let index = CoreIndex::new(&trace);
            let found = stragglers(&trace);
            for straggler in &found {
                let idle = idle_behind(&trace, &index, straggler);
                assert_eq!(idle.iter().map(|idle| idle.to.since(idle.from).0).sum::<u64>(), straggler.idle.0);
            }
            found.iter().map(|straggler| straggler.idle.0).sum()
        };
        assert!(idle("uwfq-p") * 4 < idle("uwfq"), "{} {}", idle("uwfq-p"), idle("uwfq"));
    }
}
