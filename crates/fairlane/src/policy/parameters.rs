//! Parameters of policies: what a policy declares, what a scenario file gives under `"policies"`, and the checks.
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

use serde_json::Value;

use super::custom::{self, MOST_BYTES};
use super::{Context, Info, PolicyKind, spark};
use crate::scenario::{PolicyParameters, Scenario, ScenarioError};
use crate::units::{Span, micros_from_seconds};

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
    /// The text of a [program](super::custom); none where a file says nothing.
    Program,
    /// Pools of Spark's fair scheduler: a list of [`Pool`](spark::Pool)s as a file gives them, empty where it says
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
            return spark::read(value).map(drop);
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
                Some(text) if text.len() <= MOST_BYTES => Ok(()),
                _ => Err(format!("must be a program: a text of at most {} KB", MOST_BYTES >> 10)),
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

/// Deadlines that a scenario does not give, for the policies that know deadlines (docs/model.md section 10).
pub const DEADLINES: ParameterSet = ParameterSet {
    id: "deadlines",
    parameters: &[Parameter {
        name: "factor",
        title: "Deadline factor",
        summary: "A job without a deadline is due after this many times its response alone under FIFO.",
        unit: "×",
        kind: ParameterKind::Number { default: 2.0, least: 0.0, most: 1000.0 },
    }],
};

/// How long after its arrival a job without a deadline is due, from its response time alone under FIFO
/// (docs/model.md section 10).
pub fn default_deadline(scenario: &Scenario, alone: Span) -> Span {
    let factor = DEADLINES.number(scenario, "factor");
    Span((factor * alone.0 as f64 + 0.5).floor() as u64)
}

/// The parameters of all policies: each set once, in the order in which policies are listed.
pub fn sets() -> Vec<ParameterSet> {
    let mut sets: Vec<ParameterSet> = Vec::new();
    for info in PolicyKind::ALL.iter().map(|kind| kind.info()) {
        for set in [info.own()].iter().chain(info.shared) {
            if sets.iter().all(|other| other.id != set.id) {
                sets.push(*set);
            }
        }
    }
    sets
}

/// The parameters that a file gives under a name; `None` if there are no such.
pub(crate) fn find_set(id: &str) -> Option<ParameterSet> {
    sets().into_iter().find(|set| set.id == id).or_else(|| custom::parameters(id))
}

/// What holds of a parameter where a file says nothing; `None` if there is no such parameter.
pub(crate) fn default(set: &str, name: &str) -> Option<Value> {
    let set = find_set(set)?;
    Some(set.find(name)?.kind.default())
}

/// Checks the parameters of a scenario file against what the policies declare.
///
/// # Errors
/// The first policy or parameter that there is not, or value that it cannot have, by its JSON path.
pub fn check(parameters: &PolicyParameters) -> Result<(), ScenarioError> {
    let mut sets = sets();
    sets.push(DEADLINES);
    for (policy, values) in parameters.iter() {
        let program = custom::parameters(policy);
        let Some(set) = sets.iter().chain(&program).find(|set| set.id == policy) else {
            let message = format!("there is no policy \"{policy}\"; the policies are {}", super::id::names());
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

impl Context<'_> {
    /// A [`ParameterKind::Number`] or [`ParameterKind::Whole`] that a policy declares.
    pub fn number(&self, info: &Info, name: &str) -> f64 {
        info.own().number(self.scenario, name)
    }

    /// A [`ParameterKind::OptionalNumber`] that a policy declares.
    pub fn optional_number(&self, info: &Info, name: &str) -> Option<f64> {
        info.own().value(self.scenario, name).as_f64()
    }

    /// A [`ParameterKind::Seconds`] that a policy declares.
    pub fn span(&self, info: &Info, name: &str) -> Span {
        Span(micros_from_seconds(self.number(info, name)).unwrap_or_default())
    }

    /// A [`ParameterKind::Choice`] that a policy declares, as the position of the word among the options.
    pub fn choice(&self, info: &Info, name: &str) -> usize {
        info.own().choice(self.scenario, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_described_in_a_sentence_and_may_have_its_default() {
        for set in sets() {
            for Parameter { name, title, summary, unit: _, kind } in set.parameters {
                assert!(!title.is_empty(), "{}.{name}", set.id);
                assert!(summary.ends_with('.') && !summary.contains(". "), "{}.{name}: {summary}", set.id);
                let default = kind.default();
                assert!(default.is_null() || kind.check(&default).is_ok(), "{}.{name}: {default}", set.id);
            }
        }
    }
}
