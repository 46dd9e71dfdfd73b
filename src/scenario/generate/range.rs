//! Ranges of numbers.

use crate::scenario::ScenarioError;
use crate::units::micros_from_seconds;

/// Checks a number that must be finite and more than 0.
pub(super) fn positive(value: f64, path: impl Fn() -> String) -> Result<(), ScenarioError> {
    match value {
        _ if !value.is_finite() => Err(ScenarioError::at(path(), "must be a finite number")),
        _ if value <= 0.0 => Err(ScenarioError::at(path(), "must be more than 0")),
        _ => Ok(()),
    }
}

/// Checks a number of seconds, 0 or more.
pub(super) fn span(seconds: f64, path: impl Fn() -> String) -> Result<(), ScenarioError> {
    micros_from_seconds(seconds).map(|_| ()).map_err(|error| ScenarioError::at(path(), error.to_string()))
}

/// Checks a number of seconds that must be more than 0 even in whole microseconds.
pub(super) fn positive_span(seconds: f64, path: impl Fn() -> String) -> Result<(), ScenarioError> {
    match micros_from_seconds(seconds) {
        Ok(0) => Err(ScenarioError::at(path(), "must be at least 0.000001 s")),
        Ok(_) => Ok(()),
        Err(error) => Err(ScenarioError::at(path(), error.to_string())),
    }
}
