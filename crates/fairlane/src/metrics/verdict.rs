//! The verdict on a schedule, user by user: how long they wait, and how many times as long as under the fluid ideal.

use super::fairness::relative_delay;
use super::response::Unfinished;
use super::summary::Summary;
use crate::ids::UserId;
use crate::trace::JobRun;
use crate::units::{MICROS_PER_SECOND, Time};

/// What a schedule means to one user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScheduleVerdict {
    /// The user.
    pub user: UserId,
    /// Mean response time of the user's jobs that finished, in seconds; `None` if none did.
    pub response: Option<f64>,
    /// That mean over the mean response time of the same jobs under the exact fluid UJF: 1 is as soon as under the
    /// ideal, 3 takes three times as long. `None` if no job finished, or if all of them need no time under the ideal.
    pub ratio: Option<f64>,
    /// The user's jobs that did not finish, which are in neither mean.
    pub unfinished: Unfinished,
}

impl ScheduleVerdict {
    /// Why there is no ratio, or what it leaves out; `None` if there is nothing to say.
    pub fn remark(&self) -> Option<String> {
        let unfinished: Vec<String> = self.unfinished.words().collect();
        match (self.ratio, unfinished.is_empty()) {
            (Some(_), true) => None,
            (Some(_), false) => Some(format!("without {}", unfinished.join(", "))),
            (None, false) => Some(format!("no job finished: {}", unfinished.join(", "))),
            (None, true) if self.response.is_some() => {
                Some("the jobs need no time under the ideal".to_owned())
            }
            (None, true) => Some("no jobs".to_owned()),
        }
    }
}

/// The verdict on each user, by [`UserId`].
pub fn verdicts(jobs: &[JobRun], summary: &Summary) -> Vec<ScheduleVerdict> {
    let users = summary.by_user.len();
    let mut unfinished = vec![Unfinished::default(); users];
    if summary.unfinished != Unfinished::default() {
        for job in jobs {
            let one = Unfinished::among(std::slice::from_ref(job));
            unfinished[job.user.index()] += one;
        }
    }
    let verdict = |user: usize| ScheduleVerdict {
        user: UserId(user as u32),
        response: summary.by_user[user],
        ratio: summary.fluid.user_delays[user].map(|delay| 1.0 + delay),
        unfinished: unfinished[user],
    };
    (0..users).map(verdict).collect()
}

/// The verdict on each user as far as a schedule has got by an instant, by [`UserId`]: on the jobs that have ended by
/// then.
pub fn verdicts_by(jobs: &[JobRun], summary: &Summary, at: Time) -> Vec<ScheduleVerdict> {
    /// Sums over a user's jobs that have finished.
    #[derive(Clone, Default)]
    struct Sums {
        finished: u32,
        /// The sums of responses, of those under the ideal, and of how much later jobs finish than there, in µs.
        response: f64,
        ideal: f64,
        delay: f64,
        unfinished: Unfinished,
    }
    let ideal = &summary.fluid.reference;
    let mut sums = vec![Sums::default(); summary.by_user.len()];
    for (index, job) in jobs.iter().enumerate().filter(|(_, job)| job.end() <= at) {
        let sums = &mut sums[job.user.index()];
        match (job.finish(), job.response()) {
            (Some(finish), Some(response)) => {
                sums.finished += 1;
                sums.response += response.0 as f64;
                sums.ideal += ideal.responses[index];
                sums.delay += ideal.delay(index, finish);
            }
            _ => {
                sums.unfinished += Unfinished::among(std::slice::from_ref(job));
            }
        }
    }
    let verdict = |(user, sums): (usize, Sums)| ScheduleVerdict {
        user: UserId(user as u32),
        response: (sums.finished > 0).then(|| sums.response / f64::from(sums.finished) / MICROS_PER_SECOND),
        ratio: relative_delay(sums.delay, sums.ideal).map(|delay| 1.0 + delay).filter(|_| sums.finished > 0),
        unfinished: sums.unfinished,
    };
    sums.into_iter().enumerate().map(verdict).collect()
}

/// The users that a short list shows, in the order of their numbers, and how many it leaves out: all of them if they
/// fit, or else those with the largest ratios and one row less, which says that there are more. Users without a ratio
/// are left out first.
pub fn worst(verdicts: &[ScheduleVerdict], most: usize) -> (Vec<ScheduleVerdict>, usize) {
    if verdicts.len() <= most {
        return (verdicts.to_vec(), 0);
    }
    let shown = most.saturating_sub(1);
    let mut ranked = verdicts.to_vec();
    ranked.sort_by(|a, b| {
        let ratio = |verdict: &ScheduleVerdict| verdict.ratio.unwrap_or(f64::NEG_INFINITY);
        ratio(b).total_cmp(&ratio(a)).then(a.user.cmp(&b.user))
    });
    ranked.truncate(shown);
    ranked.sort_by_key(|verdict| verdict.user);
    (ranked, verdicts.len() - shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Control;
    use crate::metrics::{Baselines, Evaluation, EvaluationDetail, evaluate};
    use crate::scenario::Scenario;

    fn run_of(jobs: &str, policy: &str) -> Evaluation {
        let file = format!(
            r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "executors": 1, "cores_per_executor": 1 }}, "jobs": [{jobs}] }}"#
        );
        let scenario = Scenario::from_json(&file).expect("a good scenario");
        let policy = policy.parse().expect("a policy");
        let mut baselines = Baselines::new(1);
        let run = evaluate(&scenario, policy, EvaluationDetail::Responses, &mut baselines, &mut |_| {
            Control::Continue
        });
        run.expect("nobody asks to stop")
    }

    fn verdicts_of(jobs: &str, policy: &str) -> Vec<ScheduleVerdict> {
        let run = run_of(jobs, policy);
        verdicts(&run.trace.jobs, &run.summary)
    }

    /// One core. ana's two jobs of 3 s arrive at 0 s, ben's of 2 s too, last. Under FIFO they end at 3, 6 and 8 s:
    /// ana's mean is 4.5 s, ben's 8 s. As a fluid each user has half a core until ben's is done at 4 s; by then each
    /// of ana's jobs has had 1 s, and both end at 8 s: means of 8 s and 4 s. So ana waits 4.5 / 8, ben 8 / 4.
    #[test]
    fn ratios_by_hand() {
        let jobs = r#"{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [3] }] },
            { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [3] }] },
            { "user": "ben", "arrival_s": 0, "stages": [{ "tasks_s": [2] }] }"#;
        let verdicts = verdicts_of(jobs, "fifo");
        let figures: Vec<_> = verdicts.iter().map(|verdict| (verdict.response, verdict.ratio)).collect();
        assert_eq!(figures, [(Some(4.5), Some(0.5625)), (Some(8.0), Some(2.0))]);
        assert!(verdicts.iter().all(|verdict| verdict.remark().is_none()));
    }

    /// As by hand above: by 3 s ana's first job has ended, which ends at 8 s under the ideal; by 7 s both have, by 8
    /// s all.
    #[test]
    fn what_has_not_ended_yet_is_in_no_verdict() {
        let jobs = r#"{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [3] }] },
            { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [3] }] },
            { "user": "ben", "arrival_s": 0, "stages": [{ "tasks_s": [2] }] }"#;
        let run = run_of(jobs, "fifo");
        let by = |seconds: u64| {
            let verdicts = verdicts_by(&run.trace.jobs, &run.summary, Time(seconds * 1_000_000));
            verdicts.iter().map(|verdict| (verdict.response, verdict.ratio)).collect::<Vec<_>>()
        };
        assert_eq!(by(2), [(None, None), (None, None)]);
        assert_eq!(by(3), [(Some(3.0), Some(0.375)), (None, None)]);
        assert_eq!(by(7), [(Some(4.5), Some(0.5625)), (None, None)]);
        assert_eq!(by(8), [(Some(4.5), Some(0.5625)), (Some(8.0), Some(2.0))]);
    }

    #[test]
    fn unfinished_jobs_are_no_finished_ones() {
        let mut summary_user = ScheduleVerdict {
            user: UserId(0),
            response: None,
            ratio: None,
            unfinished: Unfinished { dropped: 1, rejected: 2, cancelled: 0 },
        };
        let remark = |verdict: ScheduleVerdict| verdict.remark().unwrap_or_default();
        assert_eq!(remark(summary_user), "no job finished: 1 dropped, 2 rejected");
        summary_user.unfinished = Unfinished::default();
        assert_eq!(remark(summary_user), "no jobs");
        summary_user.response = Some(0.0);
        assert_eq!(remark(summary_user), "the jobs need no time under the ideal");
        let some = ScheduleVerdict {
            ratio: Some(1.5),
            unfinished: Unfinished { dropped: 1, ..Unfinished::default() },
            ..summary_user
        };
        assert_eq!(remark(some), "without 1 dropped");
    }

    #[test]
    fn a_short_list_shows_the_worst_in_their_own_order() {
        let verdict = |(user, ratio): (u32, Option<f64>)| ScheduleVerdict {
            user: UserId(user),
            response: ratio,
            ratio,
            unfinished: Unfinished::default(),
        };
        let all: Vec<ScheduleVerdict> =
            (0..).zip([Some(2.0), None, Some(0.5), Some(3.0)]).map(verdict).collect();
        let users = |most| {
            let (shown, more) = worst(&all, most);
            (shown.iter().map(|verdict| verdict.user.0).collect::<Vec<_>>(), more)
        };
        assert_eq!(users(4), (vec![0, 1, 2, 3], 0));
        assert_eq!(users(3), (vec![0, 3], 2));
        assert_eq!(users(1), (vec![], 4));
    }
}
