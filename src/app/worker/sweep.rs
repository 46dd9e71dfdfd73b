//! A point of a sweep: another setting of the scenario simulated, of which only a figure is sent.

use super::{post, scenario_of, telling};
use crate::app::sweep::Setting;
use crate::engine;
use crate::metrics;
use crate::policy::PolicyId;

/// Simulates a scenario with a setting and sends the mean response time in seconds.
pub(super) fn point(json: &str, policy: &str, setting: &str) -> Result<(), String> {
    let policy: PolicyId = policy.parse().map_err(|error| format!("{error}"))?;
    let setting: Setting = setting.parse().map_err(|error| format!("{error}"))?;
    let scenario = setting.apply(&*scenario_of(json)?, policy.partitioning)?;
    let trace = engine::simulate_observed(&scenario, policy, &mut telling());
    let trace = trace.map_err(|stopped| stopped.to_string())?;
    post(&["swept".into(), metrics::mean_response(&trace.jobs).into()]);
    Ok(())
}
