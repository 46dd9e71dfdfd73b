//! Response times: from a job's arrival to the end of its last stage (UWFQ paper 5.1.1).

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
    let worst = (responses.len() / 10).max(1).min(responses.len());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::UserId;
    use crate::units::Time;

    fn job(user: u32, arrival: u64, finish: u64) -> JobRun {
        let seconds = |count: u64| Time(count * 1_000_000);
        JobRun { user: UserId(user), arrival: seconds(arrival), finish: seconds(finish) }
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
}
