//! The numbers that can be tuned.

use serde_json::Value;

use fairlane::policy::parameters::{ParameterKind, ParameterSet};
use fairlane::policy::{Parameter, PolicyId};
use fairlane::scenario::edit::PartitioningEdit;
use fairlane::scenario::{Edit, Mode, Scenario, ScenarioError};
use fairlane::units::{Span, micros_from_seconds};

/// The name of the advisory task runtime among parameters.
pub const ATR: &str = "atr";

/// A number that can be tuned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Knob {
    /// The advisory task runtime, in seconds.
    AdvisoryTaskRuntime,
    /// A parameter of the policy, its own or shared with others.
    Parameter(ParameterSet, &'static Parameter),
}

impl Knob {
    /// The number of that name under a policy.
    ///
    /// # Errors
    /// There is none: a sentence with the remedy.
    pub fn find(policy: PolicyId, name: &str) -> Result<Knob, String> {
        if name == ATR {
            return match policy.partitioning {
                Mode::Runtime => Ok(Knob::AdvisoryTaskRuntime),
                Mode::Default => Err(format!(
                    "{policy} does not use the advisory task runtime; tune it under {}",
                    policy.with(Mode::Runtime)
                )),
            };
        }
        let info = policy.kind.info();
        let sets = || [info.own()].into_iter().chain(info.shared.iter().copied());
        let found = sets().find_map(|set| Some((set, set.find(name)?)));
        match found {
            Some((_, Parameter { kind: ParameterKind::Choice { options }, .. })) => {
                let words: Vec<&str> = options.iter().map(|(word, _)| *word).collect();
                Err(format!(
                    "{name} of {policy} is no number but one of {}; compare scenarios that differ in it",
                    words.join(", ")
                ))
            }
            Some((set, parameter)) => Ok(Knob::Parameter(set, parameter)),
            None => {
                let names: Vec<&str> = Knob::all(policy).iter().map(Knob::name).collect();
                match names.is_empty() {
                    true => Err(format!(
                        "{policy} has no parameters; tune {ATR} under {}",
                        policy.with(Mode::Runtime)
                    )),
                    false => Err(format!("{policy} has no parameter {name}; it has {}", names.join(", "))),
                }
            }
        }
    }

    /// The numbers among a policy's parameters, its own and shared ones, and the advisory task runtime if the policy uses it.
    pub fn all(policy: PolicyId) -> Vec<Knob> {
        let info = policy.kind.info();
        let sets = [info.own()].into_iter().chain(info.shared.iter().copied());
        let knobs = |set: ParameterSet| set.parameters.iter().map(move |it| Knob::Parameter(set, it));
        let is_number = |knob: &Knob| match knob {
            Knob::AdvisoryTaskRuntime => true,
            Knob::Parameter(_, it) => !matches!(it.kind, ParameterKind::Choice { .. }),
        };
        let runtime = (policy.partitioning == Mode::Runtime).then_some(Knob::AdvisoryTaskRuntime);
        sets.flat_map(knobs).filter(is_number).chain(runtime).collect()
    }

    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Knob::AdvisoryTaskRuntime => ATR,
            Knob::Parameter(_, parameter) => parameter.name,
        }
    }

    /// Whether it can have a value.
    ///
    /// # Errors
    /// It cannot: a sentence with what it can have.
    pub fn check(&self, value: f64) -> Result<(), String> {
        match self {
            Knob::AdvisoryTaskRuntime => match micros_from_seconds(value) {
                Ok(0) => Err("must be more than 0 seconds".to_owned()),
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            Knob::Parameter(_, parameter) => parameter.kind.check(&number(value)),
        }
    }

    /// Its value in a scenario.
    pub fn own(&self, scenario: &Scenario) -> f64 {
        match self {
            Knob::AdvisoryTaskRuntime => scenario.partitioning().advisory_task_runtime.seconds(),
            Knob::Parameter(set, parameter) => set.number(scenario, parameter.name),
        }
    }

    /// The edit that sets it.
    pub fn edit(&self, value: f64) -> Edit {
        match self {
            Knob::AdvisoryTaskRuntime => {
                let micros = micros_from_seconds(value).unwrap_or_default();
                Edit::Partitioning(PartitioningEdit::AdvisoryTaskRuntime(Span(micros)))
            }
            Knob::Parameter(set, parameter) => Edit::Parameter {
                policy: set.id.to_owned(),
                name: parameter.name.to_owned(),
                value: number(value),
            },
        }
    }

    /// The scenario with it set to a value.
    ///
    /// # Errors
    /// It cannot have the value in this scenario.
    pub fn apply(&self, scenario: &Scenario, value: f64) -> Result<Scenario, ScenarioError> {
        Ok(scenario.edited(&self.edit(value))?.scenario)
    }
}

/// A value as files spell it: whole numbers without a point.
fn number(value: f64) -> Value {
    match value.fract() == 0.0 && value.abs() < 1e15 {
        true => (value as i64).into(),
        false => value.into(),
    }
}
