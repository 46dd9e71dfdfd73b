//! The numbers that can be tuned.

use serde_json::Value;

use fairlane::policy::parameters::{ParameterKind, ParameterSet};
use fairlane::policy::{Parameter, PolicyId};
use fairlane::scenario::edit::ObjectPath;
use fairlane::scenario::{Edit, PartitionMode, Scenario};
use fairlane::units::micros_from_seconds;

/// The name of the advisory task runtime among parameters.
pub const ATR: &str = "atr";

/// A number that can be tuned: a field of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Tunable {
    object: ObjectPath,
    field: &'static str,
    /// The parameter of the policy, its own or shared with others; `None` for the advisory task runtime.
    pub parameter: Option<&'static Parameter>,
}

impl Tunable {
    /// The advisory task runtime, in seconds.
    pub fn advisory_task_runtime() -> Tunable {
        Tunable { object: ObjectPath::Partitioning, field: "advisory_task_runtime_s", parameter: None }
    }

    fn new(set: ParameterSet, parameter: &'static Parameter) -> Tunable {
        Tunable {
            object: ObjectPath::Policy(set.id.into()),
            field: parameter.name,
            parameter: Some(parameter),
        }
    }

    /// The number of that name under a policy.
    ///
    /// # Errors
    /// There is none: a sentence with the remedy.
    pub fn find(policy: PolicyId, name: &str) -> Result<Tunable, String> {
        if let Some(knob) = Tunable::all(policy).into_iter().find(|knob| knob.name() == name) {
            return Ok(knob);
        }
        let runtime = policy.with(PartitionMode::Runtime);
        if name == ATR {
            return Err(format!("{policy} does not use the advisory task runtime; tune it under {runtime}"));
        }
        let parameter = policy.kind.info().parameter_sets().iter().find_map(|set| set.find(name));
        if let Some(Parameter { kind: ParameterKind::Choice { options }, .. }) = parameter {
            let words: Vec<&str> = options.iter().map(|(word, _)| *word).collect();
            let words = words.join(", ");
            return Err(format!(
                "{name} of {policy} is no number but one of {words}; compare scenarios that differ in it"
            ));
        }
        let names: Vec<&str> = Tunable::all(policy).iter().map(Tunable::name).collect();
        Err(match names.is_empty() {
            true => format!("{policy} has no parameters; tune {ATR} under {runtime}"),
            false => format!("{policy} has no parameter {name}; it has {}", names.join(", ")),
        })
    }

    /// The numbers among a policy's parameters, its own and shared ones, and the advisory task runtime if the policy
    /// uses it.
    pub fn all(policy: PolicyId) -> Vec<Tunable> {
        let sets = policy.kind.info().parameter_sets();
        let parameters = sets.iter().flat_map(|set| set.parameters.iter().map(|it| Tunable::new(*set, it)));
        let runtime = (policy.partitioning == PartitionMode::Runtime).then(Tunable::advisory_task_runtime);
        let is_number = |knob: &Tunable| knob.parameter.is_none_or(|it| it.kind.is_number());
        parameters.chain(runtime).filter(is_number).collect()
    }

    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        self.parameter.map_or(ATR, |parameter| parameter.name)
    }

    /// Whether it can have a value.
    ///
    /// # Errors
    /// It cannot: a sentence with what it can have.
    pub fn check(&self, value: f64) -> Result<(), String> {
        match self.parameter {
            Some(parameter) => parameter.kind.check(&number(value)).map_err(|error| error.message),
            None => match micros_from_seconds(value) {
                Ok(0) => Err("must be more than 0 seconds".to_owned()),
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
        }
    }

    /// Its value in a scenario.
    pub fn own(&self, scenario: &Scenario) -> f64 {
        let field = self.object.field(self.field).expect("a number that is tuned is a field");
        scenario.value(&self.object, &field).as_f64().unwrap_or_default()
    }

    /// The edit that sets it.
    pub fn edit(&self, value: f64) -> Edit {
        Edit::Set { of: self.object.clone(), field: self.field.into(), value: number(value) }
    }
}

/// A value as files spell it: whole numbers without a point.
fn number(value: f64) -> Value {
    match value.fract() == 0.0 && value.abs() < 1e15 {
        true => (value as i64).into(),
        false => value.into(),
    }
}
