//! What a link says of the log that its scenario was imported from.

use serde::{Deserialize, Serialize};

use fairlane::ids::UserId;
use fairlane::metrics::ReplayError;
use fairlane::policy::PolicyId;

/// A log without the schedule that it recorded, which is too long for a link: what it says of each user, and how near
/// the simulation that other policies are compared with is to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkedLog {
    /// The policy that the cluster ran with.
    pub ran_with: PolicyId,
    /// Each user's mean response time as it ran, in seconds; `None` for one none of whose jobs ended.
    pub observed: Vec<Option<f64>>,
    /// The simulation under the log's own scheduler; `None` if no job ended in both.
    pub simulation: Option<LinkedSimulation>,
    /// Users that stand for the jobs of which the log does not say whose they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nobody: Vec<UserId>,
    /// Whether the scenario's cluster or pools are no longer those of the log.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

/// The simulation of a log's scenario under its own scheduler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkedSimulation {
    /// How far its response times are from those of the log.
    pub error: ReplayError,
    /// Each user's mean response time in it, in seconds.
    pub means: Vec<Option<f64>>,
}

impl LinkedLog {
    /// Whether this fits a scenario with that number of users: a link may hold anything.
    pub(super) fn is_of(&self, users: usize) -> bool {
        let is_mean = |mean: &Option<f64>| mean.is_none_or(|mean| mean.is_finite() && mean >= 0.0);
        let are_means = |means: &[Option<f64>]| means.len() == users && means.iter().all(is_mean);
        are_means(&self.observed)
            && self.nobody.iter().all(|user| user.index() < users)
            && self.simulation.as_ref().is_none_or(|simulation| {
                let ReplayError { mean, median, bias } = simulation.error;
                are_means(&simulation.means) && [mean, median, bias].iter().all(|error| error.is_finite())
            })
    }
}
