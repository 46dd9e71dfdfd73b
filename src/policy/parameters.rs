//! The parameters of policies: where a scenario's [`PolicyParameters`] get their meaning.

use serde_json::Value;

use crate::scenario::{PolicyParameters, ScenarioError};
use crate::units::{Span, micros_from_seconds};

/// What UWFQ does with a stage submitted after its job has finished virtually.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LateStage {
    /// Keep the deadline within the grace period, admit the job again after it (paper 4.2).
    #[default]
    Grace,
    /// Deadline 0 for good.
    Top,
    /// All of UWFQ as the authors' released scheduler class decides: whole milliseconds, late stages
    /// first, users revived (see [`crate::policy::uwfq::Released`]).
    Released,
}

/// Checks the parameters of all policies.
///
/// # Errors
/// The first parameter out of range, with its JSON path and the remedy.
pub fn check(parameters: &PolicyParameters) -> Result<(), ScenarioError> {
    read_grace(parameters)?;
    read_late_stage(parameters)?;
    Ok(())
}

/// UWFQ's grace period (paper 4.2), multiplied by the cores when used.
pub fn uwfq_grace(parameters: &PolicyParameters) -> Span {
    read_grace(parameters).expect("parameters are checked")
}

/// What UWFQ does with late stages.
pub fn uwfq_late_stage(parameters: &PolicyParameters) -> LateStage {
    read_late_stage(parameters).expect("parameters are checked")
}

fn read_grace(parameters: &PolicyParameters) -> Result<Span, ScenarioError> {
    let at = |message: String| ScenarioError::at("policies.uwfq.grace_s", message);
    match parameters.get("uwfq", "grace_s") {
        None => Ok(Span(2_000_000)),
        Some(value) => {
            let seconds = value.as_f64().ok_or_else(|| at("must be a number of seconds".to_owned()))?;
            micros_from_seconds(seconds).map(Span).map_err(|error| at(error.to_string()))
        }
    }
}

fn read_late_stage(parameters: &PolicyParameters) -> Result<LateStage, ScenarioError> {
    match parameters.get("uwfq", "late_stage").map(Value::as_str) {
        None => Ok(LateStage::default()),
        Some(Some("grace")) => Ok(LateStage::Grace),
        Some(Some("top")) => Ok(LateStage::Top),
        Some(Some("released")) => Ok(LateStage::Released),
        Some(_) => {
            Err(ScenarioError::at("policies.uwfq.late_stage", "must be \"grace\", \"top\" or \"released\""))
        }
    }
}
