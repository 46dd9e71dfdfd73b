//! Slowdown: how many times longer a job takes than alone on the idle cluster, under the same
//! policy and partitioning (UWFQ paper 5.1.1).

use super::{mean_by, mean_of, worst_decile_count};
use crate::trace::JobRun;
use crate::units::Span;

/// A job's slowdown, a ratio: its response time over that alone. A job that takes no time alone has 1
/// if it takes none in company either, and none otherwise.
pub fn slowdown(response: Span, alone: Span) -> Option<f64> {
    match (response, alone) {
        (Span(0), Span(0)) => Some(1.0),
        (_, Span(0)) => None,
        (response, alone) => Some(response.0 as f64 / alone.0 as f64),
    }
}

/// Each job's slowdown by index in the file, a ratio; see [`slowdown`]. `alone` as from
/// [`super::alone_responses`]. A job that does not finish, in company or alone, has none.
pub fn slowdowns(jobs: &[JobRun], alone: &[Option<Span>]) -> Vec<Option<f64>> {
    jobs.iter().zip(alone).map(|(job, &alone)| slowdown(job.response()?, alone?)).collect()
}

/// Mean of the slowdowns that exist, a ratio; `None` of none.
pub fn mean_slowdown(slowdowns: &[Option<f64>]) -> Option<f64> {
    mean_of(slowdowns.iter().copied().flatten())
}

/// Mean of the worst 10 % of slowdowns, a ratio (UWFQ paper, Table 1): the max(1, floor(0.1 n)) largest
/// of the n jobs that have one. `None` of none.
pub fn worst_decile_slowdown(slowdowns: &[Option<f64>]) -> Option<f64> {
    let mut known: Vec<f64> = slowdowns.iter().copied().flatten().collect();
    known.sort_by(f64::total_cmp);
    let worst = worst_decile_count(known.len());
    mean_of(known[known.len() - worst..].iter().copied())
}

/// Mean slowdown of each user's jobs, a ratio, by user; `None` for a user none of whose jobs has one.
pub fn mean_slowdown_by_user(jobs: &[JobRun], slowdowns: &[Option<f64>], users: usize) -> Vec<Option<f64>> {
    let known = jobs.iter().zip(slowdowns).filter_map(|(job, ratio)| Some((job.user.index(), (*ratio)?)));
    mean_by(users, known)
}

/// Jain's fairness index of some figures, a ratio from 1/n (one has everything) to 1 (all equal):
/// (sum of x)^2 / (n x sum of x^2), over the n that exist. `None` of none, or if all are 0.
///
/// R. Jain, D. Chiu and W. Hawe, "A quantitative measure of fairness and discrimination for resource
/// allocation in shared computer systems", DEC-TR-301, 1984. Fairlane applies it to the users' mean
/// slowdowns (docs/model.md section 5).
pub fn jain_index(figures: &[Option<f64>]) -> Option<f64> {
    let known = || figures.iter().copied().flatten();
    let sum: f64 = known().sum();
    let squares: f64 = known().map(|figure| figure * figure).sum();
    (squares > 0.0).then(|| sum * sum / (known().count() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::super::alone_responses;
    use super::*;
    use crate::ids::UserId;
    use crate::{Scenario, engine};

    #[test]
    fn two_equal_jobs_on_one_core() {
        let scenario = Scenario::from_json(
            r#"{"format": "fairlane/scenario@1", "cluster": {"cores_per_executor": 1}, "jobs": [
                {"user": "a", "arrival_s": 5, "stages": [{"tasks_s": [2]}]},
                {"user": "b", "arrival_s": 5, "stages": [{"tasks_s": [2]}]}]}"#,
        )
        .expect("a good scenario");
        let policy = "fifo".parse().expect("a policy");
        let alone = alone_responses(&scenario, policy);
        assert_eq!(alone, [Some(Span(2_000_000)); 2]);
        // The first takes as long as alone, the second twice as long.
        let jobs = engine::simulate(&scenario, policy).jobs;
        assert_eq!(mean_slowdown(&slowdowns(&jobs, &alone)), Some(1.5));
    }

    /// Slowdowns 1, 3 (user 0), 2 (user 2) and none (user 1's job takes time only in company).
    #[test]
    fn users_and_tails_by_hand() {
        let job = |user: u32, response: u64| JobRun {
            user: UserId(user),
            arrival: crate::units::Time(7),
            started: Some(crate::units::Time(7)),
            outcome: crate::trace::Outcome::Finished(crate::units::Time(7 + response)),
        };
        let jobs = [job(0, 5), job(0, 15), job(2, 8), job(1, 1)];
        let slowdowns = slowdowns(&jobs, &[5, 5, 4, 0].map(|alone| Some(Span(alone))));
        assert_eq!(slowdowns, [Some(1.0), Some(3.0), Some(2.0), None]);
        let by_user = mean_slowdown_by_user(&jobs, &slowdowns, 4);
        assert_eq!(by_user, [Some(2.0), None, Some(2.0), None]);
        assert_eq!(worst_decile_slowdown(&slowdowns), Some(3.0));
        assert_eq!((worst_decile_slowdown(&[None]), worst_decile_slowdown(&[])), (None, None));
        assert_eq!(jain_index(&by_user), Some(1.0));
    }

    /// (1 + 2 + 3)^2 / (3 x (1 + 4 + 9)) = 36 / 42.
    #[test]
    fn jain_by_hand() {
        assert_eq!(jain_index(&[Some(1.0), None, Some(2.0), Some(3.0)]), Some(36.0 / 42.0));
        assert_eq!(jain_index(&[Some(4.0), Some(0.0), Some(0.0), Some(0.0)]), Some(0.25));
        assert_eq!((jain_index(&[]), jain_index(&[None]), jain_index(&[Some(0.0)])), (None, None, None));
    }
}
