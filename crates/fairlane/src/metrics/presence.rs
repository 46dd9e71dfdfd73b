//! Which cores were there when: what every figure divides by, and what idle time is a part of.

use crate::ids::CoreId;
use crate::scenario::Scenario;
use crate::trace::{ExecutorRun, Trace};
use crate::units::{SlotTime, Time};

/// The cores that are there over time: all of them, or those of the executors that have joined and not left.
///
/// An executor that was lost is away until it is back. One that stays is there until nothing happens any longer, and one
/// that is asked to leave until its last task has ended, because Spark gives it back no earlier.
#[derive(Clone, Debug)]
pub struct CoresThere {
    cores_per_executor: u32,
    /// The stays of executors; none if all are there all of the time.
    stays: Vec<ExecutorRun>,
    /// Ascending, the first from 0 on.
    steps: Vec<Step>,
}

/// A number of cores from an instant on.
#[derive(Clone, Copy, Debug)]
struct Step {
    from: Time,
    cores: u32,
    /// Core-µs before it.
    before: u128,
}

impl CoresThere {
    /// Those of a schedule.
    pub fn new(scenario: &Scenario, trace: &Trace) -> CoresThere {
        let (cluster, end, last) = (scenario.cluster(), trace.end(), trace.last());
        let cores_per_executor = cluster.cores_per_executor;
        let is_lost = |stay: &ExecutorRun| {
            cluster.losses.iter().any(|loss| loss.executor == stay.executor && loss.at == stay.to)
        };
        let mut stays = trace.executors.clone();
        // Tasks of a job that was cancelled may run on after the last job has ended.
        for stay in stays.iter_mut().filter(|stay| stay.to == end && !is_lost(stay)) {
            stay.to = last;
        }
        let mut changes: Vec<(Time, i64)> =
            stays.iter().flat_map(|stay| [(stay.from, 1), (stay.to, -1)]).collect();
        changes.sort_unstable();
        let all = if stays.is_empty() { trace.cores } else { 0 };
        let (mut steps, mut executors) = (vec![Step { from: Time::ZERO, cores: all, before: 0 }], 0);
        for at_once in changes.chunk_by(|(one, _), (other, _)| one == other) {
            let from = at_once[0].0;
            executors += at_once.iter().map(|(_, more)| more).sum::<i64>();
            let before = core_time(&steps, from);
            let cores = cores_per_executor * u32::try_from(executors).unwrap_or(0);
            steps.push(Step { from, cores, before });
        }
        CoresThere { cores_per_executor, stays, steps }
    }

    /// How many are there at an instant.
    pub fn at(&self, at: Time) -> u32 {
        let next = self.steps.partition_point(|step| step.from <= at);
        next.checked_sub(1).map_or(0, |last| self.steps[last].cores)
    }

    /// The core time of those there between two instants, in core-µs; as much as fits if it is too long.
    pub fn between(&self, from: Time, to: Time) -> SlotTime {
        let time = core_time(&self.steps, to).saturating_sub(core_time(&self.steps, from));
        SlotTime(u64::try_from(time).unwrap_or(u64::MAX))
    }

    /// When a core is there between two instants, in the order of time.
    pub fn of_core(&self, core: CoreId, from: Time, to: Time) -> Vec<(Time, Time)> {
        if self.stays.is_empty() {
            return if from < to { vec![(from, to)] } else { Vec::new() };
        }
        let executor = core.0 / self.cores_per_executor;
        let own = self.stays.iter().filter(|stay| stay.executor == executor);
        own.map(|stay| (stay.from.max(from), stay.to.min(to))).filter(|(from, to)| from < to).collect()
    }
}

/// The core time up to an instant, in core-µs.
fn core_time(steps: &[Step], to: Time) -> u128 {
    let next = steps.partition_point(|step| step.from <= to);
    let Some(step) = next.checked_sub(1).and_then(|last| steps.get(last)) else { return 0 };
    step.before + u128::from(step.cores) * u128::from(to.since(step.from).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two executors of two cores. The second is lost at 2 s and back at 5 s; ana's four tasks of 4 s take until 8 s,
    /// as the two that it took with it run again from 4 s on.
    #[test]
    fn a_lost_executor_is_away_until_it_is_back() {
        let scenario = Scenario::from_json(
            r#"{"format": "fairlane/scenario@1", "cluster": {"executors": 2, "cores_per_executor": 2,
                "losses": [{"executor": 1, "at_s": 2, "back_s": 3}]}, "jobs": [
                {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [4, 4, 4, 4]}]}]}"#,
        )
        .expect("a good scenario");
        let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
        let (there, second) = (CoresThere::new(&scenario, &trace), |at: u64| Time(at * 1_000_000));
        assert_eq!([0, 1, 2, 4, 5, 7].map(|at| there.at(second(at))), [4, 4, 2, 2, 4, 4]);
        assert_eq!(there.between(second(0), second(8)), SlotTime(26_000_000));
        assert_eq!(there.between(second(1), second(3)), SlotTime(6_000_000));
        let away = there.of_core(CoreId(3), second(1), second(6));
        assert_eq!(away, [(second(1), second(2)), (second(5), second(6))]);
        assert_eq!(there.of_core(CoreId(0), second(1), second(6)), [(second(1), second(6))]);
    }
}
