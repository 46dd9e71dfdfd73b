//! The parameters that policies declare, what a scenario's file gives under `"policies"`, and the checks.
//!
//! ```
//! use fairlane::{PolicyKind, Scenario};
//! let alpha = &PolicyKind::Wfair.info().parameters[0];
//! assert_eq!(alpha.name, "alpha");
//! let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1", "policies": { "wfair": { "alpha": -1 } },
//!     "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1] }] }] }"#)?;
//! assert_eq!(scenario.parameters().get("wfair", "alpha"), Some(&(-1).into()));
//! # Ok::<(), fairlane::scenario::ScenarioError>(())
//! ```

pub mod declared;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::{PolicyParameters, Scenario, ScenarioError, pool};
use crate::units::micros_from_seconds;

/// Maximum length of a program, in bytes.
pub const MAX_PROGRAM_BYTES: usize = 65_536;

/// Maximum length of a program's name after `custom:`, in bytes.
const MAX_NAME_BYTES: usize = 40;

/// A parameter of a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its key in a scenario file.
    pub name: &'static str,
    /// Its name on the page.
    pub title: &'static str,
    /// What it does: one sentence.
    pub summary: &'static str,
    /// Its unit as people read it; empty for a number without one.
    pub unit: &'static str,
    /// What it may be, and what holds where a file says nothing.
    pub kind: ParameterKind,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A number within bounds, both included.
    Number {
        /// What holds where a file says nothing.
        default: f64,
        /// The least.
        least: f64,
        /// The largest.
        most: f64,
    },
    /// A whole number within bounds, both included.
    Whole {
        /// What holds where a file says nothing.
        default: u32,
        /// The least.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// A number within bounds, both included, or none, which holds where a file says nothing.
    OptionalNumber {
        /// The least.
        least: f64,
        /// The largest.
        most: f64,
    },
    /// A length of time in seconds.
    Seconds {
        /// What holds where a file says nothing, in seconds.
        default: f64,
    },
    /// One of several words.
    Choice {
        /// The words, each with what it means; the first holds where a file says nothing.
        options: &'static [(&'static str, &'static str)],
    },
    /// The text of a [program](crate::policy::custom); none where a file says nothing.
    Program,
    /// Pools of Spark's fair scheduler: a list of [`Pool`](super::pool::Pool)s as a file gives them, empty where it says
    /// nothing.
    Pools,
}

impl ParameterKind {
    /// What holds where a file says nothing.
    pub fn default(&self) -> Value {
        match *self {
            ParameterKind::Number { default, .. } | ParameterKind::Seconds { default } => default.into(),
            ParameterKind::Whole { default, .. } => default.into(),
            ParameterKind::OptionalNumber { .. } | ParameterKind::Program => Value::Null,
            ParameterKind::Choice { options } => options[0].0.into(),
            ParameterKind::Pools => Value::Array(Vec::new()),
        }
    }

    /// Whether its values are numbers.
    pub fn is_number(&self) -> bool {
        !matches!(self, ParameterKind::Choice { .. } | ParameterKind::Pools | ParameterKind::Program)
    }

    /// Checks a value.
    ///
    /// # Errors
    /// What is wrong with it, and the remedy.
    pub fn check(&self, value: &Value) -> Result<(), ScenarioError> {
        if *self == ParameterKind::Pools {
            return pool::read(value).map(drop);
        }
        self.check_simple(value).map_err(|message| ScenarioError::at("", message))
    }

    fn check_simple(&self, value: &Value) -> Result<(), String> {
        match *self {
            ParameterKind::Number { least, most, .. } | ParameterKind::OptionalNumber { least, most } => {
                match value.as_f64() {
                    Some(number) if (least..=most).contains(&number) => Ok(()),
                    _ => Err(format!("must be a number from {least} to {most}")),
                }
            }
            ParameterKind::Whole { least, most, .. } => match value.as_f64() {
                Some(number) if number.fract() == 0.0 && (least.into()..=most.into()).contains(&number) => {
                    Ok(())
                }
                _ => Err(format!("must be a whole number from {least} to {most}")),
            },
            ParameterKind::Seconds { .. } => match value.as_f64() {
                Some(seconds) => micros_from_seconds(seconds).map(drop).map_err(|error| error.to_string()),
                None => Err("must be a number of seconds".to_owned()),
            },
            ParameterKind::Choice { options } => {
                if options.iter().any(|(word, _)| value == word) {
                    return Ok(());
                }
                let words: Vec<String> = options.iter().map(|(word, _)| format!("\"{word}\"")).collect();
                Err(format!("must be {}", words.join(" or ")))
            }
            ParameterKind::Program => match value.as_str() {
                Some(text) if text.len() <= MAX_PROGRAM_BYTES => Ok(()),
                _ => Err(format!("must be a program: a text of at most {} KB", MAX_PROGRAM_BYTES >> 10)),
            },
            ParameterKind::Pools => Ok(()),
        }
    }
}

/// Parameters that a file gives together, under one name in `"policies"`: those of a policy, or some that several
/// policies share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterSet {
    /// The name in files.
    pub id: &'static str,
    /// The parameters.
    pub parameters: &'static [Parameter],
}

impl ParameterSet {
    /// A parameter's declaration.
    pub fn find(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// The value of a parameter: the scenario's, else the default.
    ///
    /// # Panics
    /// If the set does not declare the parameter.
    pub fn value(&self, scenario: &Scenario, name: &str) -> Value {
        let parameter = self.find(name).expect("a policy reads the parameters that it declares");
        scenario.parameters().get(self.id, name).cloned().unwrap_or_else(|| parameter.kind.default())
    }

    /// A [`ParameterKind::Number`] or [`ParameterKind::Whole`] of the set.
    ///
    /// # Panics
    /// If the set does not declare the parameter.
    pub fn number(&self, scenario: &Scenario, name: &str) -> f64 {
        self.value(scenario, name).as_f64().unwrap_or_default()
    }

    /// A [`ParameterKind::Choice`] of the set, as the position of the word among the options.
    ///
    /// # Panics
    /// If the set does not declare the parameter.
    pub fn choice(&self, scenario: &Scenario, name: &str) -> usize {
        match self.find(name).map(|parameter| parameter.kind) {
            Some(ParameterKind::Choice { options }) => {
                let word = self.value(scenario, name);
                options.iter().position(|(option, _)| word == *option).unwrap_or(0)
            }
            _ => 0,
        }
    }
}

/// The parameters that a file gives under a name; `None` if there are no such.
pub fn find_set(id: &str) -> Option<ParameterSet> {
    declared::SETS.iter().copied().find(|set| set.id == id).or_else(|| program(id))
}

/// The parameters of the program called `custom` or `custom:NAME`; `None` if that is no program's name. Each name is
/// kept for as long as the process runs.
pub fn program(id: &str) -> Option<ParameterSet> {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    if id == declared::PROGRAM.id {
        return Some(declared::PROGRAM);
    }
    let name = id.strip_prefix("custom:")?;
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    // "-p" at the end is runtime partitioning.
    if name.is_empty() || name.len() > MAX_NAME_BYTES || name.ends_with("-p") || !name.bytes().all(is_allowed)
    {
        return None;
    }
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let id = names.get(id).copied().unwrap_or_else(|| {
        let id: &'static str = String::leak(id.to_owned());
        names.insert(id);
        id
    });
    Some(ParameterSet { id, ..declared::PROGRAM })
}

/// What holds of a parameter where a file says nothing; `None` if there is no such parameter.
pub(crate) fn default(set: &str, name: &str) -> Option<Value> {
    Some(find_set(set)?.find(name)?.kind.default())
}

/// The ids of the policies with commas between.
fn policies() -> String {
    let ids: Vec<&str> =
        declared::SETS.iter().map(|set| set.id).filter(|&id| id != declared::DEADLINES.id).collect();
    ids.join(", ")
}

/// Checks the parameters of a scenario file against what the policies declare.
///
/// # Errors
/// The first policy or parameter that there is not, or value that it cannot have, by its JSON path.
pub fn check(parameters: &PolicyParameters) -> Result<(), ScenarioError> {
    for (policy, values) in parameters.iter() {
        let Some(set) = find_set(policy) else {
            let message = format!("there is no policy \"{policy}\"; the policies are {}", policies());
            return Err(ScenarioError::at(format!("policies.{policy}"), message));
        };
        for (name, value) in values {
            let path = format!("policies.{policy}.{name}");
            let Some(parameter) = set.find(name) else {
                let names: Vec<&str> = set.parameters.iter().map(|parameter| parameter.name).collect();
                let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                return Err(ScenarioError::at(
                    path,
                    format!("is unknown; the parameters of {policy} are: {known}"),
                ));
            };
            let at = |error: ScenarioError| ScenarioError::at(format!("{path}{}", error.path), error.message);
            parameter.kind.check(value).map_err(at)?;
        }
    }
    Ok(())
}
