//! Fairlane's own files, `fairlane/scenario@1` and `fairlane/generator@1`: their JSON shape and the way
//! from there to a checked [`Scenario`] or a [`Generator`](crate::scenario::Generator) and back.

mod generator;
mod read;
mod shape;
mod write;

use serde_json::Value;

use crate::policy;
use crate::scenario::json::{Kind, check_length};
use crate::scenario::{FORMAT, Limits, PolicyParameters, Scenario, ScenarioError};

const KIND: Kind = Kind { noun: "a scenario", format: FORMAT };

impl Scenario {
    /// Reads and checks a scenario file within the default [`Limits`].
    ///
    /// # Errors
    /// The first error, with its JSON path and the remedy.
    pub fn from_json(text: &str) -> Result<Scenario, ScenarioError> {
        Scenario::from_json_within(text, &Limits::default())
    }

    /// Reads and checks a scenario file within other limits. Lists of users and jobs stay bounded
    /// by the default ones.
    ///
    /// # Errors
    /// As [`Scenario::from_json`].
    pub fn from_json_within(text: &str, limits: &Limits) -> Result<Scenario, ScenarioError> {
        check_length(text, limits)?;
        read::scenario(KIND.read(text)?, limits)
    }

    /// The scenario as a file: the same scenario again when read.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&write::to_file(self)).expect("a scenario has only keys that are text")
    }

    /// The same file without line ends and spaces: for links and storage.
    pub fn to_compact_json(&self) -> String {
        serde_json::to_string(&write::to_file(self)).expect("a scenario has only keys that are text")
    }
}

impl PolicyParameters {
    /// The same parameters but for one, whose name and value the policy checks. `null` removes it.
    ///
    /// # Errors
    /// No such policy or parameter, or a value that it cannot have.
    pub fn with(&self, policy: &str, name: &str, value: Value) -> Result<PolicyParameters, ScenarioError> {
        let mut parameters = self.clone();
        parameters.set(policy, name, value);
        policy::parameters::check(&parameters)?;
        Ok(parameters)
    }
}

// The golden of messages is kept with insta, which is there for native tests only.
#[cfg(test)]
mod tests;
