//! Ranges of numbers.

use crate::scenario::ScenarioError;
use crate::scenario::error::{ensure, micros};

/// Checks a number that must be finite and more than 0.
pub(super) fn positive(value: f64, path: impl Fn() -> String) -> Result<(), ScenarioError> {
    ensure!(value.is_finite(), path(), "must be a finite number");
    ensure!(value > 0.0, path(), "must be more than 0");
    Ok(())
}

/// Checks a number of seconds, 0 or more.
pub(super) fn span(seconds: f64, path: impl Fn() -> String) -> Result<(), ScenarioError> {
    micros(seconds, path).map(drop)
}

/// Checks a number of seconds that must be more than 0 even in whole microseconds.
pub(super) fn positive_span(seconds: f64, path: impl Fn() -> String) -> Result<(), ScenarioError> {
    ensure!(micros(seconds, &path)? > 0, path(), "must be at least 0.000001 s");
    Ok(())
}
