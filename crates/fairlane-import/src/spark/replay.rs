//! How near the simulation under Spark's own scheduler is to what happened.

use serde::Serialize;

use super::Import;
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
    /// The largest mean error at which the simulation says something about the cluster.
    pub const MOST: f64 = 0.15;

    /// Whether the simulation is near enough to the log to predict other schedules.
    pub fn is_near(&self) -> bool {
        self.mean_error <= ReplayReport::MOST
    }
}

impl Import {
    /// Simulates the scenario under Spark's scheduler and compares its response times with those of the log; `None` if
    /// no job has any.
    pub fn replay(&self) -> Option<ReplayReport> {
        let simulated = fairlane::simulate(&self.scenario, spark::INFO.id.parse().ok()?);
        let pairs = simulated.jobs.iter().zip(&self.observed.jobs).filter_map(|(simulated, observed)| {
            let observed = observed.response().filter(|response| response.0 > 0)?;
            Some((simulated.response()?.seconds(), observed.seconds()))
        });
        let pairs: Vec<(f64, f64)> = pairs.collect();
        let mut errors: Vec<f64> =
            pairs.iter().map(|(simulated, observed)| (simulated / observed - 1.0).abs()).collect();
        errors.sort_by(f64::total_cmp);
        let median_error = *errors.get(errors.len() / 2)?;
        let mean_error = errors.iter().sum::<f64>() / errors.len() as f64;
        let [simulated, observed] = pairs
            .iter()
            .fold([0.0, 0.0], |[one, other], (simulated, observed)| [one + simulated, other + observed]);
        Some(ReplayReport {
            policy: spark::INFO.id,
            mean_error,
            median_error,
            bias: simulated / observed - 1.0,
        })
    }
}
