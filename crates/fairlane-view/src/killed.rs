//! Why an attempt was ended before its time, in a sentence.

use crate::export::Measured;
use fairlane::number;
use fairlane::trace::{KillReason, TaskRun};
use fairlane::units::Span;

/// Why an attempt was killed, by its index in the trace; `None` if it was not.
pub fn sentence(Measured { scenario, trace, .. }: Measured, index: u32) -> Option<String> {
    let reason = trace.kill_reason(index)?;
    let run = &trace.tasks[index as usize];
    let cluster = scenario.cluster();
    let executor = |run: &TaskRun| run.core.0 / cluster.cores_per_executor;
    let job = scenario.job_label(run.job);
    Some(match reason {
        KillReason::Cancelled => format!("killed: {job} was cancelled"),
        KillReason::Lost => {
            let lost = cluster.losses.iter().filter(|loss| loss.at == run.end).map(|loss| loss.executor);
            let lost: Vec<u32> = lost.collect();
            match lost.first() {
                Some(other) if !lost.contains(&executor(run)) => {
                    format!("killed: executor {other} was lost, which all tasks of a barrier stage share")
                }
                _ => format!("killed: executor {} was lost", executor(run)),
            }
        }
        KillReason::Overtaken => {
            let is_winner = |(other, it): &(u32, &TaskRun)| {
                let same = (it.job, it.stage, it.task) == (run.job, run.stage, run.task);
                same && it.end == run.end && trace.kill_reason(*other).is_none()
            };
            let winner = (0..).zip(&trace.tasks).find(is_winner).map(|(_, winner)| executor(winner));
            let place = winner.map_or_else(String::new, |executor| format!(" on executor {executor}"));
            format!("killed: another attempt of the task{place} ended first")
        }
        KillReason::Preempted => {
            let (threshold, after) = cluster
                .preemption
                .as_ref()
                .map_or((1.0, Span(0)), |preemption| (preemption.threshold, preemption.after));
            let share = match threshold {
                1.0 => "its fair share".to_owned(),
                0.5 => "half of its fair share".to_owned(),
                part => format!("{} of its fair share", number::percent(part, 0)),
            };
            let party = trace.preempted_for(scenario, index).unwrap_or("another");
            let time = match after {
                Span(0) => String::new(),
                after => format!(" for {} s", number::trimmed(after.seconds(), 3)),
            };
            format!("killed: {party} has held less than {share}{time}")
        }
        _ => format!("killed: the policy dropped {job}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::evaluated;
    use fairlane::Scenario;

    /// The sentences about all killed attempts under a policy, on two executors of a core.
    fn sentences(cluster: &str, jobs: &str, policy: &str) -> Vec<String> {
        let text = format!(
            r#"{{"format":"fairlane/scenario@1","cluster":{{"executors":2,"cores_per_executor":1{cluster}}},"jobs":[{jobs}]}}"#
        );
        let scenario = Scenario::from_json(&text).expect("a good scenario");
        let run = evaluated(&scenario, policy);
        let killed = run.trace.killed.iter().map(|&index| sentence((&run).into(), index));
        assert_eq!(sentence((&run).into(), run.trace.tasks.len() as u32), None);
        killed.map(|sentence| sentence.expect("it was killed")).collect()
    }

    #[test]
    fn why_an_attempt_was_killed_in_words() {
        let ana = r#"{"user":"ana","name":"etl","arrival_s":0,"stages":[{"tasks_s":[90,90]}]}"#;
        let ben = r#"{"user":"ben","name":"query","arrival_s":1,"stages":[{"tasks_s":[1]}]}"#;
        let preempted = sentences(r#","preemption":{}"#, &[ana, ben].join(","), "ujf");
        assert_eq!(preempted, ["killed: ben has held less than half of its fair share for 30 s"]);
        let eager = r#","preemption":{"threshold":0.9,"after_s":0}"#;
        let by_pool = [
            ana.replace("arrival_s", r#"pool":"etl","arrival_s"#),
            ben.replace("arrival_s", r#"pool":"bi","arrival_s"#),
        ];
        assert_eq!(
            sentences(eager, &by_pool.join(","), "spark"),
            ["killed: bi has held less than 90 % of its fair share"]
        );

        let cancelled = ana.replace("arrival_s", r#"cancel_s":2,"interrupt":true,"arrival_s"#);
        assert_eq!(sentences("", &cancelled, "fifo"), ["killed: etl was cancelled"; 2]);
        let loss = r#","losses":[{"at_s":2,"executor":1,"back_s":1}]"#;
        assert_eq!(sentences(loss, ana, "fifo"), ["killed: executor 1 was lost"]);
        let barrier = ana.replace("tasks_s", r#"barrier":true,"tasks_s"#);
        assert_eq!(
            sentences(loss, &barrier, "fifo"),
            [
                "killed: executor 1 was lost, which all tasks of a barrier stage share",
                "killed: executor 1 was lost"
            ]
        );
        let slow = r#","speeds":[1,0.1],"speculation":{"quantile":0.5}"#;
        assert_eq!(
            sentences(slow, &ana.replace("90,90", "1,1"), "fifo"),
            ["killed: another attempt of the task on executor 0 ended first"]
        );
    }
}
