//! Response times: from a job's arrival to the end of its last stage (UWFQ paper 5.1.1). Jobs that were dropped,
//! rejected or cancelled have none and count in [`Unfinished`] (docs/model.md section 11).

use serde::{Deserialize, Serialize};

use super::{mean_by, worst_decile_count};
use crate::order;
use crate::trace::{JobRun, Outcome};
use crate::units::{MICROS_PER_SECOND, Span};

/// How many jobs of a schedule did not finish.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfinished {
    /// Ended by the policy before all their tasks had run.
    pub dropped: usize,
    /// Refused by the policy at their arrival.
    pub rejected: usize,
    /// Cancelled before all their tasks had run.
    pub cancelled: usize,
}

impl Unfinished {
    /// Counts them.
    pub fn among(jobs: &[JobRun]) -> Unfinished {
        let mut unfinished = Unfinished::default();
        for job in jobs {
            match job.outcome {
                Outcome::Finished(_) => {}
                Outcome::Dropped(_) => unfinished.dropped += 1,
                Outcome::Rejected(_) => unfinished.rejected += 1,
                Outcome::Cancelled(_) => unfinished.cancelled += 1,
            }
        }
        unfinished
    }

    /// Each count that is not 0 as words: `2 dropped`, `1 rejected`.
    pub fn words(self) -> impl Iterator<Item = String> {
        let counts = [(self.dropped, "dropped"), (self.rejected, "rejected"), (self.cancelled, "cancelled")];
        counts.into_iter().filter(|&(count, _)| count > 0).map(|(count, how)| format!("{count} {how}"))
    }
}

impl std::ops::AddAssign for Unfinished {
    fn add_assign(&mut self, other: Unfinished) {
        self.dropped += other.dropped;
        self.rejected += other.rejected;
        self.cancelled += other.cancelled;
    }
}

/// The mean in seconds of `count` spans with that sum, an integer so that order cannot matter; `None` of none.
fn mean(sum: u128, count: usize) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64 / MICROS_PER_SECOND)
}

/// Mean response time of the jobs that finished, in seconds; `None` if none did.
pub fn mean_response(jobs: &[JobRun]) -> Option<f64> {
    let responses = jobs.iter().filter_map(JobRun::response);
    let (sum, count) = responses.fold((0, 0), |(sum, count), span| (sum + u128::from(span.0), count + 1));
    mean(sum, count)
}

/// Mean of the worst 10 % of response times, in seconds: the max(1, floor(0.1 n)) largest of the n jobs that finished.
/// `None` if none did.
pub fn worst_decile_mean(jobs: &[JobRun]) -> Option<f64> {
    let mut responses: Vec<Span> = jobs.iter().filter_map(JobRun::response).collect();
    responses.sort();
    let worst = &responses[responses.len() - worst_decile_count(responses.len())..];
    mean(worst.iter().map(|span| u128::from(span.0)).sum(), worst.len())
}

/// Response times that half, 95 and 99 per cent of the jobs that finished do not exceed, in seconds: each the smallest
/// such response time (nearest rank).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResponsePercentiles {
    /// The median.
    pub p50: f64,
    /// What one job in twenty exceeds.
    pub p95: f64,
    /// What one job in a hundred exceeds.
    pub p99: f64,
}

impl ResponsePercentiles {
    /// Those of the jobs that finished; `None` if none did.
    pub fn among(jobs: &[JobRun]) -> Option<ResponsePercentiles> {
        let mut responses: Vec<Span> = jobs.iter().filter_map(JobRun::response).collect();
        responses.sort();
        let at = |percent: usize| {
            let rank = (percent * responses.len()).div_ceil(100);
            Some(responses.get(rank.checked_sub(1)?)?.seconds())
        };
        Some(ResponsePercentiles { p50: at(50)?, p95: at(95)?, p99: at(99)? })
    }

    /// How many of `jobs` jobs take at least the 95th percentile, if no two are equal: what that rests on.
    pub fn jobs_from_p95(jobs: usize) -> usize {
        (jobs + 1).saturating_sub((95 * jobs).div_ceil(100)).min(jobs)
    }
}

/// Mean response time of each user's jobs that finished, in seconds, by user; `None` for a user without such jobs.
pub fn mean_response_by_user(jobs: &[JobRun], users: usize) -> Vec<Option<f64>> {
    let mut sums = vec![(0_u128, 0); users];
    for (job, response) in jobs.iter().filter_map(|job| Some((job, job.response()?))) {
        let (sum, count) = &mut sums[job.user.index()];
        *sum += u128::from(response.0);
        *count += 1;
    }
    sums.into_iter().map(|(sum, count)| mean(sum, count)).collect()
}

/// Where a job ranks among the jobs of its schedule that finished, by response time (UWFQ paper 5.3.1, Table 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ResponseGroup {
    /// The quickest 80 %: ranks below floor(0.8 n).
    Quickest,
    /// 80 to 95 %: ranks from there to below floor(0.95 n).
    Middle,
    /// The slowest 5 %: all others, so at least one if any job finished.
    Slowest,
}

impl ResponseGroup {
    /// All groups, the quickest first.
    pub const ALL: [ResponseGroup; 3] =
        [ResponseGroup::Quickest, ResponseGroup::Middle, ResponseGroup::Slowest];

    /// The group's ranks in per cent, as tables name it.
    pub fn label(self) -> &'static str {
        match self {
            ResponseGroup::Quickest => "0-80 %",
            ResponseGroup::Middle => "80-95 %",
            ResponseGroup::Slowest => "95-100 %",
        }
    }

    /// The name in keys and column headings.
    pub fn key(self) -> &'static str {
        match self {
            ResponseGroup::Quickest => "0_80",
            ResponseGroup::Middle => "80_95",
            ResponseGroup::Slowest => "95_100",
        }
    }

    /// Its index in [`ResponseGroup::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Each job's group, by index in the file; `None` for a job that did not finish. Ranks go by response time, ties by
/// index in the file.
///
/// The ranks are those of this very schedule: a job may be of another group under another policy.
pub fn groups(jobs: &[JobRun]) -> Vec<Option<ResponseGroup>> {
    let finished = (0_u32..).zip(jobs).filter_map(|(job, run)| Some((job, run.response()?.0)));
    let finished: Vec<(u32, u64)> = finished.collect();
    let n = finished.len();
    let ranked = order::by_key(n, |index| finished[index as usize].1);
    let mut groups = vec![None; jobs.len()];
    for (rank, index) in ranked.into_iter().enumerate() {
        // 0.8 n and 0.95 n rounded down, without the rounding of fractions.
        let group = match rank {
            rank if rank < n * 4 / 5 => ResponseGroup::Quickest,
            rank if rank < n * 19 / 20 => ResponseGroup::Middle,
            _ => ResponseGroup::Slowest,
        };
        groups[finished[index as usize].0 as usize] = Some(group);
    }
    groups
}

/// Mean of a figure over the jobs of each group, in the figure's unit; jobs without one are left out,
/// `None` for a group in which no job has one.
pub fn group_means(
    groups: &[Option<ResponseGroup>],
    figures: impl IntoIterator<Item = Option<f64>>,
) -> [Option<f64>; 3] {
    let known = groups.iter().zip(figures).filter_map(|(group, figure)| Some(((*group)?.index(), figure?)));
    let means = mean_by(ResponseGroup::ALL.len(), known);
    [means[0], means[1], means[2]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::UserId;
    use crate::units::Time;

    fn job(user: u32, arrival: u64, finish: u64) -> JobRun {
        let seconds = |count: u64| Time(count * 1_000_000);
        let (arrival, outcome) = (seconds(arrival), Outcome::Finished(seconds(finish)));
        JobRun { user: UserId(user), arrival, started: Some(arrival), outcome }
    }

    #[test]
    fn means_by_hand() {
        // Responses 2, 4 (user 0) and 9 (user 2); the worst tenth of three jobs is one job.
        let jobs = [job(0, 0, 2), job(0, 1, 5), job(2, 1, 10)];
        assert_eq!(mean_response(&jobs), Some(5.0));
        assert_eq!(worst_decile_mean(&jobs), Some(9.0));
        assert_eq!(mean_response_by_user(&jobs, 3), [Some(3.0), None, Some(9.0)]);
    }

    #[test]
    fn percentiles_are_response_times_that_occur() {
        assert_eq!(ResponsePercentiles::among(&[]), None);
        let of = |count: u64| {
            let jobs: Vec<JobRun> = (1..=count).rev().map(|seconds| job(0, 0, seconds)).collect();
            ResponsePercentiles::among(&jobs)
                .map(|percentiles| (percentiles.p50, percentiles.p95, percentiles.p99))
        };
        assert_eq!(of(1), Some((1.0, 1.0, 1.0)));
        assert_eq!(of(20), Some((10.0, 19.0, 20.0)));
        assert_eq!(of(200), Some((100.0, 190.0, 198.0)));
    }

    #[test]
    fn the_worst_tenth_of_twenty_jobs_is_two_jobs() {
        let jobs: Vec<JobRun> = (1..=20).map(|seconds| job(0, 0, seconds)).collect();
        assert_eq!(worst_decile_mean(&jobs), Some(19.5));
    }

    /// Twenty jobs, the slowest first in the file: ranks 0 to 15, 16 to 18 and 19, so responses of 1
    /// to 16, 17 to 19 and 20 s.
    #[test]
    fn groups_of_twenty_jobs() {
        let jobs: Vec<JobRun> = (1..=20).rev().map(|seconds| job(0, 0, seconds)).collect();
        let groups = groups(&jobs);
        let seconds = jobs.iter().map(|job| job.response().map(Span::seconds));
        assert_eq!(group_means(&groups, seconds), [Some(8.5), Some(18.0), Some(20.0)]);
    }

    /// floor(0.8 n) and floor(0.95 n) of one, two, five and seven jobs.
    #[test]
    fn groups_of_few_jobs_round_down() {
        let sizes = |n: u64| {
            let jobs: Vec<JobRun> = (1..=n).map(|seconds| job(0, 0, seconds)).collect();
            let groups = groups(&jobs);
            ResponseGroup::ALL.map(|group| groups.iter().filter(|&&other| other == Some(group)).count())
        };
        assert_eq!(
            [sizes(0), sizes(1), sizes(2), sizes(5), sizes(7)],
            [[0, 0, 0], [0, 0, 1], [1, 0, 1], [4, 0, 1], [5, 1, 1]]
        );
    }

    #[test]
    fn ties_go_by_place_in_the_file() {
        let jobs = [job(0, 0, 3), job(0, 0, 3), job(0, 1, 4), job(0, 0, 3), job(0, 0, 3)];
        assert_eq!(groups(&jobs)[3..], [Some(ResponseGroup::Quickest), Some(ResponseGroup::Slowest)]);
    }
}
