//! Response times: from a job's arrival to the end of its last stage (UWFQ paper 5.1.1).

use serde::{Deserialize, Serialize};

use super::{mean_by, worst_decile_count};
use crate::order;
use crate::trace::JobRun;
use crate::units::{MICROS_PER_SECOND, Span};

/// The mean of some spans in seconds; 0 of none. Summed as integers, so that order cannot matter.
fn mean(spans: impl ExactSizeIterator<Item = Span>) -> f64 {
    let count = spans.len().max(1);
    let sum: u128 = spans.map(|span| u128::from(span.0)).sum();
    sum as f64 / count as f64 / MICROS_PER_SECOND
}

/// Mean response time of all jobs, in seconds.
pub fn mean_response(jobs: &[JobRun]) -> f64 {
    mean(jobs.iter().map(JobRun::response))
}

/// Mean of the worst 10 % of response times, in seconds: the max(1, floor(0.1 n)) largest.
pub fn worst_decile_mean(jobs: &[JobRun]) -> f64 {
    let mut responses: Vec<Span> = jobs.iter().map(JobRun::response).collect();
    responses.sort_unstable();
    let worst = worst_decile_count(responses.len());
    mean(responses[responses.len() - worst..].iter().copied())
}

/// Mean response time of each user's jobs, in seconds, by user; `None` for a user without jobs.
pub fn mean_response_by_user(jobs: &[JobRun], users: usize) -> Vec<Option<f64>> {
    let mut sums = vec![(0_u128, 0_u32); users];
    for job in jobs {
        let (sum, count) = &mut sums[job.user.index()];
        *sum += u128::from(job.response().0);
        *count += 1;
    }
    let mean =
        |(sum, count): (u128, u32)| (count > 0).then(|| sum as f64 / f64::from(count) / MICROS_PER_SECOND);
    sums.into_iter().map(mean).collect()
}

/// Where a job stands among all jobs of its schedule by response time (UWFQ paper 5.3.1, Table 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Group {
    /// The quickest 80 %: ranks below floor(0.8 n).
    Quickest,
    /// 80 to 95 %: ranks from there to below floor(0.95 n).
    Middle,
    /// The slowest 5 %: all others, so at least one of any jobs.
    Slowest,
}

impl Group {
    /// All groups, the quickest first.
    pub const ALL: [Group; 3] = [Group::Quickest, Group::Middle, Group::Slowest];

    /// The group's ranks in per cent, as tables name it.
    pub fn label(self) -> &'static str {
        match self {
            Group::Quickest => "0-80 %",
            Group::Middle => "80-95 %",
            Group::Slowest => "95-100 %",
        }
    }

    /// The name in keys and column headings.
    pub fn key(self) -> &'static str {
        match self {
            Group::Quickest => "0_80",
            Group::Middle => "80_95",
            Group::Slowest => "95_100",
        }
    }

    /// Its place in [`Group::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Each job's group, by place in the file. Ranks go by response time, ties by place in the file.
///
/// The ranks are those of this very schedule: a job may be of another group under another policy.
pub fn groups(jobs: &[JobRun]) -> Vec<Group> {
    let n = jobs.len();
    let ranked = order::by_key(n, |job| jobs[job as usize].response().0);
    let mut groups = vec![Group::Slowest; n];
    // 0.8 n and 0.95 n rounded down, without the rounding of fractions.
    for (rank, job) in ranked.into_iter().take(n * 19 / 20).enumerate() {
        groups[job as usize] = if rank < n * 4 / 5 { Group::Quickest } else { Group::Middle };
    }
    groups
}

/// Mean of a figure over the jobs of each group, in the figure's unit; jobs without one are left out,
/// `None` for a group in which no job has one.
pub fn group_means(groups: &[Group], figures: impl IntoIterator<Item = Option<f64>>) -> [Option<f64>; 3] {
    let known = groups.iter().zip(figures).filter_map(|(group, figure)| Some((group.index(), figure?)));
    let means = mean_by(Group::ALL.len(), known);
    [means[0], means[1], means[2]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::UserId;
    use crate::units::Time;

    fn job(user: u32, arrival: u64, finish: u64) -> JobRun {
        let seconds = |count: u64| Time(count * 1_000_000);
        JobRun {
            user: UserId(user),
            arrival: seconds(arrival),
            outcome: crate::trace::Outcome::Finished(seconds(finish)),
        }
    }

    #[test]
    fn means_by_hand() {
        // Responses 2, 4 (user 0) and 9 (user 2); the worst tenth of three jobs is one job.
        let jobs = [job(0, 0, 2), job(0, 1, 5), job(2, 1, 10)];
        assert_eq!(mean_response(&jobs), 5.0);
        assert_eq!(worst_decile_mean(&jobs), 9.0);
        assert_eq!(mean_response_by_user(&jobs, 3), [Some(3.0), None, Some(9.0)]);
    }

    #[test]
    fn the_worst_tenth_of_twenty_jobs_is_two_jobs() {
        let jobs: Vec<JobRun> = (1..=20).map(|seconds| job(0, 0, seconds)).collect();
        assert_eq!(worst_decile_mean(&jobs), 19.5);
    }

    /// Twenty jobs, the slowest first in the file: ranks 0 to 15, 16 to 18 and 19, so responses of 1
    /// to 16, 17 to 19 and 20 s.
    #[test]
    fn groups_of_twenty_jobs() {
        let jobs: Vec<JobRun> = (1..=20).rev().map(|seconds| job(0, 0, seconds)).collect();
        let groups = groups(&jobs);
        let seconds = jobs.iter().map(|job| Some(job.response().seconds()));
        assert_eq!(group_means(&groups, seconds), [Some(8.5), Some(18.0), Some(20.0)]);
    }

    /// floor(0.8 n) and floor(0.95 n) of one, two, five and seven jobs.
    #[test]
    fn groups_of_few_jobs_round_down() {
        let sizes = |n: u64| {
            let jobs: Vec<JobRun> = (1..=n).map(|seconds| job(0, 0, seconds)).collect();
            let groups = groups(&jobs);
            Group::ALL.map(|group| groups.iter().filter(|&&other| other == group).count())
        };
        assert_eq!(
            [sizes(0), sizes(1), sizes(2), sizes(5), sizes(7)],
            [[0, 0, 0], [0, 0, 1], [1, 0, 1], [4, 0, 1], [5, 1, 1]]
        );
    }

    #[test]
    fn ties_go_by_place_in_the_file() {
        let jobs = [job(0, 0, 3), job(0, 0, 3), job(0, 1, 4), job(0, 0, 3), job(0, 0, 3)];
        assert_eq!(groups(&jobs)[3..], [Group::Quickest, Group::Slowest]);
    }
}
