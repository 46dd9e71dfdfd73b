//! The verdict on a schedule, user by user: how long they wait, and how many times as long as under the fluid ideal.

use super::response::Unfinished;
use super::summary::Summary;
use crate::ids::UserId;
use crate::trace::JobRun;

/// What a schedule means to one user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
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

impl Verdict {
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
pub fn verdicts(jobs: &[JobRun], summary: &Summary) -> Vec<Verdict> {
    let users = summary.by_user.len();
    let mut unfinished = vec![Unfinished::default(); users];
    if summary.unfinished != Unfinished::default() {
        for job in jobs {
            let one = Unfinished::among(std::slice::from_ref(job));
            let of_user = &mut unfinished[job.user.index()];
            of_user.dropped += one.dropped;
            of_user.rejected += one.rejected;
        }
    }
    let verdict = |user: usize| Verdict {
        user: UserId(user as u32),
        response: summary.by_user[user],
        ratio: summary.fluid.user_delays[user].map(|delay| 1.0 + delay),
        unfinished: unfinished[user],
    };
    (0..users).map(verdict).collect()
}

/// The users that a short list shows, in the order of their numbers, and how many it leaves out: all of them if they
/// fit, or else those with the largest ratios and one row less, which says that there are more. Users without a ratio
/// are left out first.
pub fn worst(verdicts: &[Verdict], most: usize) -> (Vec<Verdict>, usize) {
    if verdicts.len() <= most {
        return (verdicts.to_vec(), 0);
    }
    let shown = most.saturating_sub(1);
    let mut ranked = verdicts.to_vec();
    ranked.sort_by(|a, b| {
        let ratio = |verdict: &Verdict| verdict.ratio.unwrap_or(f64::NEG_INFINITY);
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
    use crate::metrics::{Baselines, Detail, evaluate};
    use crate::scenario::Scenario;

    fn verdicts_of(jobs: &str, policy: &str) -> Vec<Verdict> {
        let file = format!(
            r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "executors": 1, "cores_per_executor": 1 }}, "jobs": [{jobs}] }}"#
        );
        let scenario = Scenario::from_json(&file).expect("a good scenario");
        let policy = policy.parse().expect("a policy");
        let mut baselines = Baselines::new(1);
        let run = evaluate(&scenario, policy, Detail::Responses, &mut baselines, &mut |_| Control::Continue);
        let run = run.expect("nobody asks to stop");
        verdicts(&run.trace.jobs, &run.summary)
    }

    /// One core. ana's two jobs of 3 s arrive at 0 s, ben's of 2 s too, last. Under FIFO they end at 3, 6 and 8 s: ana's
    /// mean is 4.5 s, ben's 8 s. As a fluid each user has half a core until ben's is done at 4 s; by then each of ana's
    /// jobs has had 1 s, and both end at 8 s: means of 8 s and 4 s. So ana waits 4.5 / 8, ben 8 / 4.
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

    #[test]
    fn unfinished_jobs_are_no_finished_ones() {
        let mut summary_user = Verdict {
            user: UserId(0),
            response: None,
            ratio: None,
            unfinished: Unfinished { dropped: 1, rejected: 2 },
        };
        let remark = |verdict: Verdict| verdict.remark().unwrap_or_default();
        assert_eq!(remark(summary_user), "no job finished: 1 dropped, 2 rejected");
        summary_user.unfinished = Unfinished::default();
        assert_eq!(remark(summary_user), "no jobs");
        summary_user.response = Some(0.0);
        assert_eq!(remark(summary_user), "the jobs need no time under the ideal");
        let some =
            Verdict { ratio: Some(1.5), unfinished: Unfinished { dropped: 1, rejected: 0 }, ..summary_user };
        assert_eq!(remark(some), "without 1 dropped");
    }

    #[test]
    fn a_short_list_shows_the_worst_in_their_own_order() {
        let verdict = |(user, ratio): (u32, Option<f64>)| Verdict {
            user: UserId(user),
            response: ratio,
            ratio,
            unfinished: Unfinished::default(),
        };
        let all: Vec<Verdict> = (0..).zip([Some(2.0), None, Some(0.5), Some(3.0)]).map(verdict).collect();
        let users = |most| {
            let (shown, more) = worst(&all, most);
            (shown.iter().map(|verdict| verdict.user.0).collect::<Vec<_>>(), more)
        };
        assert_eq!(users(4), (vec![0, 1, 2, 3], 0));
        assert_eq!(users(3), (vec![0, 3], 2));
        assert_eq!(users(1), (vec![], 4));
    }
}
