//! What is wrong with a scenario.

use std::fmt;

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

impl ScenarioError {
    pub(crate) fn at(path: impl Into<String>, message: impl Into<String>) -> Self {
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
