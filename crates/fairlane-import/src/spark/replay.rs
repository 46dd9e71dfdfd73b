//! How near the simulation under Spark's own scheduler is to what happened.

use serde::Serialize;

use super::Import;
use fairlane::metrics::{ReplayError, replay_error};
use fairlane::policy::spark;

/// How far simulated response times are from those of the log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplayReport {
    /// The policy that was simulated.
    pub policy: &'static str,
    /// Error of a job's response time, relative to the log's; the mean over the jobs.
    pub mean_error: f64,
    /// Its median.
    pub median_error: f64,
    /// Error of the mean response time, relative to the log's; negative if the simulation is too fast.
    pub bias: f64,
}

impl ReplayReport {
    /// Whether the simulation is near enough to the log to predict other schedules.
    pub fn is_near(&self) -> bool {
        self.mean_error <= ReplayError::TOLERANCE
    }
}

impl Import {
    /// Simulates the scenario under Spark's scheduler and compares its response times with those of the log; `None` if
    /// no job has any.
    pub fn replay(&self) -> Option<ReplayReport> {
        let simulated = fairlane::simulate(&self.scenario, spark::INFO.id.parse().ok()?);
        let error = replay_error(&self.observed.jobs, &simulated.jobs)?;
        let ReplayError { mean: mean_error, median: median_error, bias } = error;
        Some(ReplayReport { policy: spark::INFO.id, mean_error, median_error, bias })
    }
}
