//! Jobs that belong together: what Spark calls a job group (`SparkContext.setJobGroup`). The jobs of a group count as
//! one, from the first arrival to the last finish (docs/model.md section 5).

use std::collections::HashMap;

use crate::ids::JobId;
use crate::scenario::Scenario;
use crate::trace::{JobRun, Outcome};

/// The jobs of one user that carry the same group name, or one job that carries none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobGroup {
    /// Its jobs, in the order of the file; at least one.
    pub jobs: Vec<JobId>,
}

/// The job groups of a scenario, in the order of their first jobs. Every job is in one of them.
///
/// ```
/// use fairlane::metrics::{by_job_group, job_groups, mean_response};
/// use fairlane::{Scenario, simulate};
/// let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1",
///     "cluster": { "executors": 1, "cores_per_executor": 1 },
///     "jobs": [
///         { "user": "ana", "group": "report", "arrival_s": 0, "stages": [{ "tasks_s": [2] }] },
///         { "user": "ana", "group": "report", "arrival_s": 1, "stages": [{ "tasks_s": [3] }] },
///         { "user": "ben", "arrival_s": 0, "stages": [{ "tasks_s": [2] }] }
///     ] }"#)?;
/// let trace = simulate(&scenario, "fifo".parse()?);
/// // The jobs end after 2, 6 and 4 s: ana's report from 0 to 7 s, ben's job from 0 to 4 s.
/// let groups = by_job_group(&job_groups(&scenario), &trace.jobs);
/// assert_eq!((mean_response(&trace.jobs), mean_response(&groups)), (Some(4.0), Some(5.5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn job_groups(scenario: &Scenario) -> Vec<JobGroup> {
    let mut groups: Vec<JobGroup> = Vec::new();
    // Only looked up, never iterated.
    let mut known = HashMap::new();
    for (id, job) in (0..).map(JobId).zip(scenario.jobs()) {
        let next = groups.len();
        let index = match job.group.as_str() {
            "" => next,
            name => *known.entry((job.user, name)).or_insert(next),
        };
        match groups.get_mut(index) {
            Some(group) => group.jobs.push(id),
            None => groups.push(JobGroup { jobs: vec![id] }),
        }
    }
    groups
}

/// Each group as if it were one job: every function of this module that takes the jobs of a trace takes these as well.
///
/// A group arrives with its first job and finishes with its last. If a job of it did not finish, the group did not:
/// it was rejected if all its jobs were, and dropped otherwise.
pub fn by_job_group(groups: &[JobGroup], jobs: &[JobRun]) -> Vec<JobRun> {
    groups.iter().map(|group| of_group(group, jobs)).collect()
}

fn of_group(group: &JobGroup, jobs: &[JobRun]) -> JobRun {
    let runs = || group.jobs.iter().map(|job| &jobs[job.index()]);
    let end = runs().map(JobRun::end).max().unwrap_or_default();
    let outcome = if runs().all(|run| run.finish().is_some()) {
        Outcome::Finished(end)
    } else if runs().all(|run| matches!(run.outcome, Outcome::Rejected(_))) {
        Outcome::Rejected(end)
    } else {
        Outcome::Dropped(end)
    };
    JobRun {
        user: jobs[group.jobs[0].index()].user,
        arrival: runs().map(|run| run.arrival).min().unwrap_or_default(),
        started: runs().filter_map(|run| run.started).min(),
        outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::UserId;
    use crate::metrics::{mean_response, mean_response_by_user, worst_decile_mean};
    use crate::scenario::{Input, Job, Stage, User};
    use crate::units::{Span, Time};

    fn at(seconds: u64) -> Time {
        Time(seconds * 1_000_000)
    }

    /// Jobs as (user, group, arrival, finish): ana's "a" is jobs 0 and 2, ben's "a" is job 1, and jobs 3 and 4 carry no
    /// name. Groups respond in 9 - 1, 5 - 2, 4 - 3 and 9 - 3 s; jobs in 3, 3, 4, 1 and 6 s.
    #[test]
    fn groups_by_hand() {
        let jobs = [(0, "a", 1, 4), (1, "a", 2, 5), (0, "a", 5, 9), (0, "", 3, 4), (0, "", 3, 9)];
        let specs = jobs.map(|(user, group, arrival, _)| {
            let input = Input::of_tasks([Span(1)]).expect("a sound input");
            let mut job = Job::new(UserId(user), at(arrival), vec![Stage::with_input(input)]);
            job.group = group.to_owned();
            job
        });
        let scenario = Scenario::builder().users(["ana", "ben"].map(User::named)).jobs(specs).build();
        let groups = job_groups(&scenario.expect("a sound scenario"));
        let members: Vec<Vec<u32>> =
            groups.iter().map(|group| group.jobs.iter().map(|job| job.0).collect()).collect();
        assert_eq!(members, [vec![0, 2], vec![1], vec![3], vec![4]]);

        let mut runs = jobs.map(|(user, _, arrival, finish)| JobRun {
            user: UserId(user),
            arrival: at(arrival),
            started: Some(at(arrival)),
            outcome: Outcome::Finished(at(finish)),
        });
        let grouped = by_job_group(&groups, &runs);
        let responses: Vec<Option<Span>> = grouped.iter().map(JobRun::response).collect();
        assert_eq!(responses, [8, 3, 1, 6].map(|seconds| Some(Span(seconds * 1_000_000))));
        assert_eq!((mean_response(&runs), mean_response(&grouped)), (Some(3.4), Some(4.5)));
        assert_eq!(worst_decile_mean(&grouped), Some(8.0));
        assert_eq!(mean_response_by_user(&grouped, 2), [Some(5.0), Some(3.0)]);

        runs[0].outcome = Outcome::Rejected(at(1));
        assert_eq!(by_job_group(&groups, &runs)[0].outcome, Outcome::Dropped(at(9)));
        runs[2].outcome = Outcome::Rejected(at(5));
        assert_eq!(by_job_group(&groups, &runs)[0].outcome, Outcome::Rejected(at(5)));
    }
}
