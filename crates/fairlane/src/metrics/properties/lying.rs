//! What lying about the demand gains (BoPF, sections 2.2 and 9.1: strategyproofness).

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::engine::SimulationError;
use crate::ids::UserId;
use crate::metrics::mean_of;
use crate::policy::{EstimatesRead, PolicyGroup, PolicyId};
use crate::scenario::{Edit, PartitionMode, Scenario};
use crate::trace::JobRun;
use crate::units::{SlotTime, Span};

/// The factors by which a user multiplies what it says it needs.
pub const FACTORS: [f64; 4] = [0.5, 0.75, 1.5, 2.0];

/// Most users whose lies are tried: those with the most work.
pub const MAX_LIARS: usize = 20;

/// A gain of at most this part of the response time counts as none: a schedule of whole tasks changes a little with
/// everything.
const TOLERANCE: f64 = 0.01;

/// What users gain by lying about their demand, one at a time while all others are honest.
///
/// A user lies by a factor if the demand, memory demand and warp of its queue and the estimates of its jobs and
/// stages are multiplied by it ([`Edit::Claim`]). Its true work stays as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lying {
    /// All lies, in the order of users, then of factors.
    pub lies: Vec<Misreport>,
}

/// A lie and what comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Misreport {
    /// The user who lies.
    pub user: UserId,
    /// The factor by which it multiplies its needs.
    pub factor: f64,
    /// How many more of its jobs finish than if it were honest.
    pub finished: i64,
    /// By which part its mean response time is shorter, (honest - lying) / honest, over the jobs that finish;
    /// negative if it is longer. `None` if there is no mean.
    pub gain: Option<f64>,
}

impl Misreport {
    /// Whether it pays: more of its jobs finish, or as many in a shorter time on average.
    pub fn pays(&self) -> bool {
        self.finished > 0 || (self.finished == 0 && self.gain.is_some_and(|gain| gain > TOLERANCE))
    }
}

impl Lying {
    /// Tries the lies of each user. `run` simulates a scenario.
    pub(super) fn measure(
        scenario: &Scenario,
        policy: PolicyId,
        honest: &[JobRun],
        run: &mut dyn FnMut(&Scenario) -> Result<Vec<JobRun>, SimulationError>,
    ) -> Result<Option<Lying>, SimulationError> {
        if !reads_claims(policy) {
            return Ok(None);
        }
        let mut lies = Vec::new();
        for user in liars(scenario) {
            for factor in FACTORS {
                // Twice the demand may be more than a file may say; then nobody can say it.
                let Ok(lying) = scenario.with(&Edit::Claim { user, factor }) else { continue };
                let (before, after) =
                    (UserResult::from_jobs(user, honest), UserResult::from_jobs(user, &run(&lying)?));
                let gain = before.mean.zip(after.mean).filter(|(before, _)| *before > 0.0);
                lies.push(Misreport {
                    user,
                    factor,
                    finished: after.finished - before.finished,
                    gain: gain.map(|(before, after)| (before - after) / before),
                });
            }
        }
        Ok(Some(Lying { lies }))
    }

    /// The lie that gains most: first by jobs that finish, then by time, the first of equal ones. `None` if none pays.
    pub fn best(&self) -> Option<&Misreport> {
        let gain = |lie: &Misreport| (lie.finished, lie.gain.unwrap_or(0.0));
        let better = |one: &Misreport, other: &Misreport| {
            let (one, other) = (gain(one), gain(other));
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).is_gt()
        };
        let paying = self.lies.iter().filter(|lie| lie.pays());
        paying.reduce(|best, lie| if better(lie, best) { lie } else { best })
    }

    /// Whether no lie pays.
    pub fn holds(&self) -> bool {
        self.best().is_none()
    }
}

/// How many simulations lies take.
pub(super) fn lies(scenario: &Scenario, policy: PolicyId) -> u32 {
    if reads_claims(policy) { (liars(scenario).len() * FACTORS.len()) as u32 } else { 0 }
}

/// Whether a policy reads anything of what a user says it needs.
fn reads_claims(policy: PolicyId) -> bool {
    let info = policy.kind.info();
    let of_queues = info.group == PolicyGroup::Queues;
    of_queues || info.estimates != EstimatesRead::None || policy.partitioning == PartitionMode::Runtime
}

/// The users that lie, in their order.
fn liars(scenario: &Scenario) -> Vec<UserId> {
    let mut work = vec![SlotTime(0); scenario.users().len()];
    for job in scenario.jobs() {
        work[job.user.index()].0 += job.work().0;
    }
    let mut users: Vec<UserId> = (0..work.len() as u32).map(UserId).collect();
    users.sort_by_key(|user| (Reverse(work[user.index()]), *user));
    users.truncate(MAX_LIARS);
    users.sort();
    users
}

/// What becomes of a user's jobs.
struct UserResult {
    finished: i64,
    /// The mean response time of those that finish, in seconds.
    mean: Option<f64>,
}

impl UserResult {
    fn from_jobs(user: UserId, jobs: &[JobRun]) -> UserResult {
        let responses = || jobs.iter().filter(|job| job.user == user).filter_map(JobRun::response);
        UserResult { finished: responses().count() as i64, mean: mean_of(responses().map(Span::seconds)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lying(policy: &str, text: &str) -> Option<Lying> {
        let scenario = Scenario::from_json(text).expect("a good scenario");
        let policy: PolicyId = policy.parse().expect("a policy");
        let mut run = |scenario: &Scenario| Ok(crate::simulate(scenario, policy).jobs);
        let honest = run(&scenario).expect("a schedule");
        Lying::measure(&scenario, policy, &honest, &mut run).expect("schedules")
    }

    /// One core, which z holds until 1 s. By then a (3 s) and b (2 s) wait. Shortest first serves b, then a:
    /// responses 1, 6 and 3 s. a says half of its 3 s: it goes first and responds in 4 s, a third sooner; at three
    /// quarters, 2.25 s, it does not. b says the double: it is second and responds in 6 s, twice as late, and at 1.5,
    /// 3 s, the tie goes to a, who arrived first.
    const SIZES: &str = r#"{"format": "fairlane/scenario@1", "cluster": {"cores_per_executor": 1}, "jobs": [
        {"user": "z", "arrival_s": 0, "stages": [{"tasks_s": [1]}]},
        {"user": "a", "arrival_s": 0, "stages": [{"tasks_s": [3]}]},
        {"user": "b", "arrival_s": 0, "stages": [{"tasks_s": [2]}]}]}"#;

    #[test]
    fn the_shortest_first_can_be_lied_to() {
        let lying = lying("sjf-cp", SIZES).expect("it reads estimates");
        let lie =
            |user, factor, gain| Misreport { user: UserId(user), factor, finished: 0, gain: Some(gain) };
        assert_eq!(lying.lies.len(), 12);
        assert_eq!(
            lying.lies[4..],
            [
                lie(1, 0.5, 1.0 / 3.0),
                lie(1, 0.75, 0.0),
                lie(1, 1.5, 0.0),
                lie(1, 2.0, 0.0),
                lie(2, 0.5, 0.0),
                lie(2, 0.75, 0.0),
                lie(2, 1.5, -1.0),
                lie(2, 2.0, -1.0),
            ]
        );
        assert_eq!((lying.best(), lying.holds()), (Some(&lying.lies[4]), false));
    }

    #[test]
    fn who_reads_nothing_cannot_be_lied_to() {
        assert_eq!(lying("fair", SIZES), None);
        assert!(lying("drf", SIZES).expect("a queue policy").holds());
    }
}
