//! A point of a sweep: another setting of the scenario simulated, of which only a figure is sent.

use super::{post, telling, with_known};
use crate::app::sweep::Setting;
use crate::engine::{self, Progress};
use crate::metrics;
use crate::policy::PolicyId;

/// Simulates a scenario with a setting and sends the mean response time in seconds.
pub(super) fn point(json: &str, policy: &str, setting: &str) -> Result<(), String> {
    let policy: PolicyId = policy.parse().map_err(|error| format!("{error}"))?;
    let setting: Setting = setting.parse().map_err(|error| format!("{error}"))?;
    let scenario = with_known(json, |known| setting.apply(known.scenario(), policy.partitioning))?;
    let mut tell = telling();
    let mut observer = |progress: Progress| tell(progress.launched as f64 / progress.tasks.max(1) as f64);
    let trace = engine::simulate_observed(&scenario, policy, &mut observer);
    let trace = trace.map_err(|stopped| stopped.to_string())?;
    post(&["swept".into(), metrics::mean_response(&trace.jobs).into()]);
    Ok(())
}
