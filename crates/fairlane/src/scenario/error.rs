//! What is wrong with a scenario.

use std::fmt;

use crate::units::micros_from_seconds;

/// What is wrong with a scenario or generator file: where, what, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// JSON path such as `jobs[3].stages[0].profile`; empty for the file as a whole.
    pub path: String,
    /// What is wrong and how to correct it.
    pub message: String,
    /// Line and column, if the text itself is wrong.
    pub position: Option<(usize, usize)>,
}

/// Returns an error at a JSON path, with a message as for `format!`, unless a condition holds.
macro_rules! ensure {
    ($condition:expr, $path:expr, $($message:expr),+ $(,)?) => {
        let holds = $condition;
        if !holds {
            return Err($crate::scenario::ScenarioError::at($path, format_args!($($message),+).to_string()));
        }
    };
}
pub(crate) use ensure;

/// Whole microseconds of a decimal number of seconds at a JSON path.
pub(crate) fn micros(seconds: f64, path: impl Fn() -> String) -> Result<u64, ScenarioError> {
    micros_from_seconds(seconds).map_err(|error| ScenarioError::at(path(), error.to_string()))
}

impl ScenarioError {
    /// An error at a JSON path: what is wrong, and the remedy.
    pub fn at(path: impl Into<String>, message: impl Into<String>) -> Self {
        ScenarioError { path: path.into(), message: message.into(), position: None }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        if let Some((line, column)) = self.position {
            write!(f, " (line {line}, column {column})")?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}
