//! Why an attempt was ended before its time, and when its task runs again, in sentences.

use fairlane::metrics::Evaluation;
use fairlane::number;
use fairlane::trace::{KillReason, TaskRun};
use fairlane::units::{Span, Time};

/// Why an attempt was killed, by its index in the trace; `None` if it was not.
pub fn sentence(Evaluation { scenario, trace, .. }: &Evaluation, index: u32) -> Option<String> {
    let reason = trace.kill_reason(index)?;
    let run = &trace.tasks[index as usize];
    let cluster = scenario.cluster();
    let executor = |run: &TaskRun| run.core.0 / cluster.cores_per_executor;
    let job = scenario.job_label(run.job);
    let at = instant(run.end);
    Some(match reason {
        KillReason::Cancelled => format!("killed: {job} was cancelled at {at}"),
        KillReason::Lost => {
            let lost = cluster.losses.iter().filter(|loss| loss.at == run.end).map(|loss| loss.executor);
            let lost: Vec<u32> = lost.collect();
            match lost.first() {
                Some(other) if !lost.contains(&executor(run)) => {
                    format!(
                        "killed: executor {other} was lost at {at}, and a barrier stage loses all its tasks with one"
                    )
                }
                _ => format!("killed: executor {} was lost at {at}", executor(run)),
            }
        }
        KillReason::Overtaken => {
            let is_winner = |(other, it): &(u32, &TaskRun)| {
                let same = (it.job, it.stage, it.task) == (run.job, run.stage, run.task);
                same && it.end == run.end && trace.kill_reason(*other).is_none()
            };
            let winner = (0..).zip(&trace.tasks).find(is_winner).map(|(_, winner)| executor(winner));
            let place = winner.map_or_else(String::new, |executor| format!(" on executor {executor}"));
            format!("killed: another attempt of the task{place} ended first, at {at}")
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
        _ => format!("killed: the policy dropped {job} at {at}"),
    })
}

/// What became of an attempt and of its task, as far as is known at `until`: why it was killed and when the task runs
/// again, or why an attempt before it was. Nothing of a task with one attempt that ended by itself.
pub fn story(measured: &Evaluation, index: u32, until: Time) -> Vec<String> {
    let Evaluation { scenario, trace, .. } = measured;
    let Some(run) = trace.tasks.get(index as usize) else { return Vec::new() };
    let task = |run: &TaskRun| (run.job, run.stage, run.task);
    let others = || (0..).zip(&trace.tasks).filter(|(other, it)| *other != index && task(it) == task(run));
    let mut sentences = Vec::new();
    let last =
        others().filter(|(_, it)| it.start <= run.start && it.end <= until).max_by_key(|(_, it)| it.end);
    if let Some(before) =
        last.filter(|(_, it)| it.end <= run.start).and_then(|(last, _)| sentence(measured, last))
    {
        sentences.push(format!("An earlier attempt of this task was {before}."));
    }
    let beside = others().find(|(_, it)| it.start < run.start && run.start < it.end);
    if let Some((_, beside)) = beside {
        let (core, since) = (beside.core.0, instant(beside.start));
        sentences
            .push(format!("It is a second attempt beside the one on core {core}, which began at {since}."));
    }
    let Some(killed) = sentence(measured, index).filter(|_| run.end <= until) else { return sentences };
    sentences.push(format!("Then it was {killed}."));
    let returns = matches!(trace.kill_reason(index), Some(KillReason::Lost | KillReason::Preempted));
    let going_on = others().any(|(_, it)| it.start < run.end && run.end < it.end);
    if returns && !going_on {
        let again = others().map(|(_, it)| it).filter(|it| it.start >= run.end).min_by_key(|it| it.start);
        sentences.push(match again {
            Some(again) if again.start <= until => {
                format!("The task runs again from {} on, on core {}.", instant(again.start), again.core.0)
            }
            None if trace.jobs[run.job.index()].end() <= until => {
                format!("The task did not run again before {} ended.", scenario.job_label(run.job))
            }
            _ => "The task waits to run again.".to_owned(),
        });
    }
    sentences
}

/// An instant with as many digits as it needs, up to milliseconds.
fn instant(at: Time) -> String {
    format!("{} s", number::trimmed(at.seconds(), 3))
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
        let killed = run.trace.killed.iter().map(|&index| sentence(&run, index));
        assert_eq!(sentence(&run, run.trace.tasks.len() as u32), None);
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
        assert_eq!(sentences("", &cancelled, "fifo"), ["killed: etl was cancelled at 2 s"; 2]);
        let loss = r#","losses":[{"at_s":2,"executor":1,"back_s":1}]"#;
        assert_eq!(sentences(loss, ana, "fifo"), ["killed: executor 1 was lost at 2 s"]);
        let barrier = ana.replace("tasks_s", r#"barrier":true,"tasks_s"#);
        assert_eq!(
            sentences(loss, &barrier, "fifo"),
            [
                "killed: executor 1 was lost at 2 s, and a barrier stage loses all its tasks with one",
                "killed: executor 1 was lost at 2 s"
            ]
        );
        let slow = r#","speeds":[1,0.1],"speculation":{"quantile":0.5}"#;
        assert_eq!(
            sentences(slow, &ana.replace("90,90", "1,1"), "fifo"),
            ["killed: another attempt of the task on executor 0 ended first, at 4.1 s"]
        );
    }

    /// Executors 0 and 1 of a core; the second is lost from 2 to 3 s. The first of ana's tasks of 4 s ends at 4 s; the
    /// second runs again from 3 s on.
    #[test]
    fn why_it_was_killed_and_when_it_runs_again() {
        let scenario = Scenario::from_json(
            r#"{"format":"fairlane/scenario@1","cluster":{"executors":2,"cores_per_executor":1,
                "losses":[{"at_s":2,"executor":1,"back_s":1}]},"jobs":[
                {"user":"ana","name":"etl","arrival_s":0,"stages":[{"tasks_s":[4,4]}]}]}"#,
        )
        .expect("a good scenario");
        let run = evaluated(&scenario, "fifo");
        let at = |index, seconds: u64| story(&run, index, Time(seconds * 1_000_000)).join(" ");
        assert_eq!(at(0, 9), "");
        let lost = "Then it was killed: executor 1 was lost at 2 s.";
        assert_eq!(at(1, 9), format!("{lost} The task runs again from 3 s on, on core 1."));
        assert_eq!(at(2, 9), "An earlier attempt of this task was killed: executor 1 was lost at 2 s.");
        // What is hidden is not told.
        assert_eq!([at(1, 1), at(1, 2)], [String::new(), format!("{lost} The task waits to run again.")]);
        assert_eq!(at(99, 9), "");
    }
}
