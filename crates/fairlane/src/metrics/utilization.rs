//! How well the cluster is used.

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

/// Utilization, a ratio from 0 to 1: busy core time over R x makespan (docs/model.md section 5). `None` if nothing
/// takes any time.
pub fn utilization(trace: &Trace) -> Option<f64> {
    let offered = f64::from(trace.cores) * makespan(trace)?.0 as f64;
    (offered > 0.0).then(|| busy_time(trace).0 as f64 / offered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    /// Two cores up to 4 s; the only job arrives at 1 s and holds them for 3 s and 1 s.
    #[test]
    fn busy_over_offered() {
        let trace_of = |tasks: &str| {
            let text = format!(
                r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":2}},"jobs":[
                    {{"user":"ana","arrival_s":1,"stages":[{{"tasks_s":{tasks}}}]}}]}}"#
            );
            let scenario = Scenario::from_json(&text).expect("a sound workload");
            crate::simulate(&scenario, "fifo".parse().expect("a policy"))
        };
        let trace = trace_of("[3, 1]");
        assert_eq!(busy_time(&trace), SlotTime(4_000_000));
        assert_eq!(utilization(&trace), Some(0.5));
        let mut empty = trace_of("[0]");
        assert_eq!(utilization(&empty), Some(0.0));
        empty.jobs[0].outcome = crate::trace::Outcome::Finished(Time::ZERO);
        assert_eq!(utilization(&empty), None);
    }
}
