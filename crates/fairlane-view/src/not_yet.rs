//! Why a job's tasks do not run yet, in sentences.

use fairlane::ids::JobId;
use fairlane::metrics::{Evaluation, NotYet};
use fairlane::number::{self, counted};

/// Most users that are named.
const MAX_HOLDERS: usize = 3;

/// Since when the job waits, who holds the cores, which core frees next and who gets it, and whether cores are held by
/// tasks ranked behind the job's (`behind` of them). A sentence each.
pub fn sentences(
    not_yet: &NotYet,
    Evaluation { scenario, trace, .. }: &Evaluation,
    job: JobId,
    behind: usize,
) -> Vec<String> {
    let label = scenario.job_label(job);
    let held = match not_yet.running {
        0 => "no core".to_owned(),
        count => counted(count as usize, "core"),
    };
    let waiting = match not_yet.pending {
        1 => "1 task has".to_owned(),
        count => format!("{count} tasks have"),
    };
    let since = number::about(not_yet.since);
    let mut sentences = vec![format!("{label} holds {held}, and {waiting} waited since {since}.")];

    let user = |index: usize| {
        let (user, cores) = not_yet.holders[index];
        format!("{cores} for {}", trace.users[user.index()])
    };
    let mut holders: Vec<String> = (0..not_yet.holders.len().min(MAX_HOLDERS)).map(user).collect();
    let count = |from: usize| not_yet.holders[from..].iter().map(|(_, cores)| cores).sum::<u32>();
    if not_yet.holders.len() > MAX_HOLDERS {
        holders.push(format!("{} for others", count(MAX_HOLDERS)));
    }
    if !holders.is_empty() {
        let of = counted(not_yet.there as usize, "core");
        let idle = not_yet.there.saturating_sub(count(0));
        let idle = if idle > 0 { format!("; {idle} idle") } else { String::new() };
        let away = match trace.cores.saturating_sub(not_yet.there) {
            0 => String::new(),
            1 => "; 1 more is away".to_owned(),
            away => format!("; {away} more are away"),
        };
        sentences.push(format!("Of {of}, {}{idle}{away}.", number::list(&holders)));
    }

    if let Some(next) = not_yet.next {
        let goes = match next.next.map(|task| &trace.tasks[task]) {
            Some(run) if run.job == job => format!("goes to {label}"),
            Some(run) => format!("goes to {}", scenario.stage_label(run.job, run.stage)),
            None => "stays idle".to_owned(),
        };
        let others = match next.others {
            0 => String::new(),
            1 => "; 1 more becomes free then".to_owned(),
            count => format!("; {count} more become free then"),
        };
        let at = number::about(next.at);
        sentences.push(format!("Core {} frees next, at {at}, and {goes}{others}.", next.core.0));
    }
    if behind > 0 {
        let run = if behind == 1 { "1 core runs a task" } else { &format!("{behind} cores run tasks") };
        sentences.push(format!(
            "Priority inversion: {run} ranked behind {label}. Tasks are not interrupted, so it has to wait for \
                their end."
        ));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::evaluated;
    use fairlane::Scenario;
    use fairlane::metrics::{JobTasks, not_yet};
    use fairlane::trace::CoreIndex;
    use fairlane::units::Time;

    /// Two executors of a core, the second lost at 1 s: ben's job waits for ana's on the only core that is there.
    #[test]
    fn cores_that_are_away_are_not_called_idle() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 2, "cores_per_executor": 1,
                "losses": [{ "executor": 1, "at_s": 1 }] }, "jobs": [
                { "user": "ana", "name": "etl", "arrival_s": 0, "stages": [{ "tasks_s": [4] }] },
                { "user": "ben", "name": "query", "arrival_s": 2, "stages": [{ "tasks_s": [1] }] } ] }"#,
        )
        .expect("a good scenario");
        let run = evaluated(&scenario, "fifo");
        let (index, job) = (CoreIndex::new(&run.trace), JobId(1));
        let tasks = JobTasks::new(&scenario, &run.trace, job);
        let facts = not_yet((&scenario, &run.trace), &index, &tasks, job, Time(3_000_000)).expect("it waits");
        let said = sentences(&facts, &run, job, 0).join(" ");
        assert!(said.contains("Of 1 core, 1 for ana; 1 more is away."), "{said}");
    }

    /// Two cores; under FIFO ana's four tasks of 2 s go before ben's two of 1 s, which arrive at 1 s.
    #[test]
    fn why_not_yet_in_words() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 1, "cores_per_executor": 2 }, "jobs": [
                { "user": "ana", "name": "etl", "arrival_s": 0, "stages": [{ "tasks_s": [2, 2, 2, 2] }] },
                { "user": "ben", "name": "query", "arrival_s": 1, "stages": [{ "tasks_s": [1, 1] }] } ] }"#,
        )
        .expect("a good scenario");
        let run = evaluated(&scenario, "fifo");
        let trace = &run.trace;
        let (index, job) = (CoreIndex::new(trace), JobId(1));
        let tasks = JobTasks::new(&scenario, trace, job);
        let at = |tenths: u64, behind| {
            let facts =
                not_yet((&scenario, trace), &index, &tasks, job, Time(tenths * 100_000)).expect("it waits");
            sentences(&facts, &run, job, behind).join(" ")
        };
        assert_eq!(
            at(15, 0),
            "query holds no core, and 2 tasks have waited since 1.000 s. Of 2 cores, 2 for ana. Core 0 frees next, at \
             2.000 s, and goes to etl; 1 more becomes free then."
        );
        assert!(at(30, 1).contains("at 4.000 s, and goes to query;"), "{}", at(30, 1));
        assert!(at(30, 1).contains("Priority inversion: 1 core runs a task ranked behind query."));
    }
}
