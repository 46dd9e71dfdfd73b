//! How well the cluster is used.

use serde::{Deserialize, Serialize};

use super::presence::CoresThere;
use crate::scenario::Scenario;
use crate::trace::{JobRun, Trace};
use crate::units::{SlotTime, Span, Time};

/// Busy core time, in core-µs: the sum over all task runs of the time they hold their core, overhead
/// included, because a core that launches a task is not free for another.
pub fn busy_time(trace: &Trace) -> SlotTime {
    trace.tasks.iter().map(|run| SlotTime(run.end.since(run.start).0)).sum()
}

/// Makespan: from 0 to the end of the last task and of the last job that finished. `None` if no task ran.
pub fn makespan(trace: &Trace) -> Option<Span> {
    // A job that finishes does so no earlier than its tasks; those of others have to be looked at.
    let all_finished = trace.jobs.iter().all(|job| job.finish().is_some());
    let tasks = if all_finished { &[] } else { &trace.tasks[..] };
    let ends = trace.jobs.iter().filter_map(JobRun::finish).chain(tasks.iter().map(|run| run.end));
    ends.max().map(|end| end.since(Time::ZERO))
}

/// Utilization, a ratio from 0 to 1: busy core time over that of the cores that were there up to the makespan, which is
/// R x makespan where executors do not come and go (docs/model.md section 5). `None` if nothing takes any time.
pub fn utilization(scenario: &Scenario, trace: &Trace) -> Option<f64> {
    makespan(trace)?;
    let ExecutorUse { held, working } = ExecutorUse::of(scenario, trace);
    (held > SlotTime(0)).then(|| working.0 as f64 / held.0 as f64)
}

/// What a schedule costs: core time of the cores that were there up to the makespan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutorUse {
    /// All of it, in core-µs.
    pub held: SlotTime,
    /// What tasks held of it.
    pub working: SlotTime,
}

impl ExecutorUse {
    /// That of a schedule.
    pub fn of(scenario: &Scenario, trace: &Trace) -> ExecutorUse {
        let end = Time::ZERO + makespan(trace).unwrap_or_default();
        let held = CoresThere::new(scenario, trace).between(Time::ZERO, end);
        ExecutorUse { held, working: busy_time(trace) }
    }

    /// What no task held, in core-µs.
    pub fn idle(&self) -> SlotTime {
        SlotTime(self.held.0.saturating_sub(self.working.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    /// Two executors of two cores, the second lost at 2 s for good. Of ana's four tasks of 4 s, two end at 4 s, and the
    /// other two run again until 8 s: every core that is there is busy, 4 x 2 + 2 x 6 core-seconds of them.
    #[test]
    fn cores_that_are_away_are_neither_idle_nor_used() {
        let scenario = Scenario::from_json(
            r#"{"format": "fairlane/scenario@1", "cluster": {"executors": 2, "cores_per_executor": 2,
                "losses": [{"executor": 1, "at_s": 2}]}, "jobs": [
                {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [4, 4, 4, 4]}]}]}"#,
        )
        .expect("a good scenario");
        let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
        let used = ExecutorUse::of(&scenario, &trace);
        let core_seconds = [used.held, used.working, used.idle()].map(SlotTime::seconds);
        assert_eq!((core_seconds, utilization(&scenario, &trace)), ([20.0, 20.0, 0.0], Some(1.0)));
    }

    /// Two executors of a core, the second from 2 s on. The only job has two tasks of 3 s from 1 s on: the second waits
    /// for the executor and ends at 5 s.
    #[test]
    fn what_executors_held_by_hand() {
        let held = |executors_at: &str| {
            let text = format!(
                r#"{{"format":"fairlane/scenario@1","cluster":{{"executors":2,"cores_per_executor":1{executors_at}}},"jobs":[
                    {{"user":"ana","arrival_s":1,"stages":[{{"tasks_s":[3, 3]}}]}}]}}"#
            );
            let scenario = Scenario::from_json(&text).expect("a sound workload");
            let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
            let used = ExecutorUse::of(&scenario, &trace);
            [used.held, used.working, used.idle()].map(SlotTime::seconds)
        };
        assert_eq!(held(r#","executors_at":[[0,1],[2,2]]"#), [8.0, 6.0, 2.0]);
        assert_eq!(held(""), [8.0, 6.0, 2.0]);
    }

    /// Two cores up to 4 s; the only job arrives at 1 s and holds them for 3 s and 1 s.
    #[test]
    fn busy_over_offered() {
        let parts_of = |tasks: &str| {
            let text = format!(
                r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":2}},"jobs":[
                    {{"user":"ana","arrival_s":1,"stages":[{{"tasks_s":{tasks}}}]}}]}}"#
            );
            let scenario = Scenario::from_json(&text).expect("a sound workload");
            let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
            (scenario, trace)
        };
        let (scenario, trace) = parts_of("[3, 1]");
        assert_eq!(busy_time(&trace), SlotTime(4_000_000));
        assert_eq!(utilization(&scenario, &trace), Some(0.5));
        let (scenario, mut empty) = parts_of("[0]");
        assert_eq!(utilization(&scenario, &empty), Some(0.0));
        empty.jobs[0].outcome = crate::trace::Outcome::Finished(Time::ZERO);
        assert_eq!(utilization(&scenario, &empty), None);
    }
}
