//! What is swept.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::{GridPoint, RowSubject};
use fairlane::scenario::{Edit, Generator, Scenario, ScenarioError, generate};
use fairlane::units::Span;

/// What is swept: a scenario, or a generator, which makes one of every seed.
#[derive(Clone, Debug)]
pub struct Workload {
    made: WorkloadBody,
    /// Once asked for: it takes as long as writing the file.
    fingerprint: OnceLock<u64>,
}

#[derive(Clone, Debug)]
enum WorkloadBody {
    /// It is what it is.
    Written(Scenario),
    /// By a generator.
    Generated(Generator),
}

impl From<Scenario> for Workload {
    fn from(scenario: Scenario) -> Workload {
        Workload::new(WorkloadBody::Written(scenario))
    }
}

impl From<Generator> for Workload {
    fn from(generator: Generator) -> Workload {
        Workload::new(WorkloadBody::Generated(generator))
    }
}

impl Workload {
    fn new(made: WorkloadBody) -> Workload {
        Workload { made, fingerprint: OnceLock::new() }
    }

    /// Reads a scenario file or a generator's.
    ///
    /// # Errors
    /// As [`Scenario::from_json`] or [`Generator::from_json`], whichever the file says it is.
    pub fn from_json(text: &str) -> Result<Workload, ScenarioError> {
        #[derive(Deserialize)]
        struct FormatTag<'a> {
            #[serde(borrow)]
            format: Option<Cow<'a, str>>,
        }
        // What is no such object is for the reader of scenarios to tell.
        let tag: Option<FormatTag> = serde_json::from_str(text).ok();
        match tag.and_then(|tag| tag.format) {
            Some(format) if format == generate::FORMAT => Generator::from_json(text).map(Workload::from),
            _ => Scenario::from_json(text).map(Workload::from),
        }
    }

    /// The workload with a parameter of a policy.
    ///
    /// # Errors
    /// No such policy or parameter, or a value that it cannot have.
    pub fn with_parameter(self, policy: &str, name: &str, value: Value) -> Result<Workload, ScenarioError> {
        match self.made {
            WorkloadBody::Written(scenario) => {
                Ok(scenario.with(&Edit::parameter(policy, name, value))?.into())
            }
            WorkloadBody::Generated(generator) => {
                let parameters = generator.parameters.with(policy, name, value)?;
                Ok(Generator { parameters, ..generator }.into())
            }
        }
    }

    /// Its file, without line ends and spaces.
    pub fn to_compact_json(&self) -> String {
        self.made.to_compact_json()
    }

    /// Its title, empty if it has none.
    pub fn name(&self) -> &str {
        match &self.made {
            WorkloadBody::Written(scenario) => scenario.name(),
            WorkloadBody::Generated(generator) => &generator.name,
        }
    }

    /// XXH3-64 of the file as [`Workload::to_compact_json`] writes it, 16 hexadecimal digits: the same however a file
    /// is laid out, another for every other scenario.
    pub fn fingerprint(&self) -> String {
        let fingerprint = self.fingerprint.get_or_init(|| xxh3_64(self.to_compact_json().as_bytes()));
        format!("{fingerprint:016x}")
    }

    /// Its own advisory task runtime.
    pub fn advisory_task_runtime(&self) -> Span {
        match &self.made {
            WorkloadBody::Written(scenario) => scenario.partitioning().advisory_task_runtime,
            WorkloadBody::Generated(generator) => generator.partitioning.advisory_task_runtime,
        }
    }

    /// Whether another seed makes another scenario of it, where estimates err by these factors.
    pub fn is_random(&self, estimate_errors: &[f64]) -> bool {
        matches!(self.made, WorkloadBody::Generated(_)) || estimate_errors.iter().any(|&factor| factor != 1.0)
    }

    /// The seed of a point: its own, else the generator's, else 0 where estimates err, else none because
    /// nothing is random.
    pub fn seed(&self, point: &GridPoint) -> Option<u64> {
        let own = match &self.made {
            WorkloadBody::Written(_) => (point.estimate_error != 1.0).then_some(0),
            WorkloadBody::Generated(generator) => Some(generator.seed),
        };
        point.seed.or(own)
    }

    /// The scenario under a seed, as it is before load, estimates and partitioning are changed.
    ///
    /// # Errors
    /// The generator makes none of this seed.
    pub fn seeded(&self, seed: Option<u64>) -> Result<Scenario, ScenarioError> {
        match &self.made {
            WorkloadBody::Written(scenario) => Ok(scenario.clone()),
            WorkloadBody::Generated(generator) => {
                Generator { seed: seed.unwrap_or(generator.seed), ..generator.clone() }.scenario()
            }
        }
    }

    /// A point's scenario but for its edit.
    pub(super) fn prepared(&self, point: &GridPoint) -> Result<Scenario, ScenarioError> {
        let seed = self.seed(point);
        let mut scenario = self.seeded(seed)?;
        for setting in &point.settings {
            let edit = setting.edit().map_err(|message| ScenarioError::at("set", message))?;
            scenario = scenario.with(&edit)?;
        }
        if point.load != 1.0 {
            scenario = scenario.with(&Edit::Load(point.load))?;
        }
        if point.estimate_error != 1.0 {
            let edit = Edit::EstimateErrors { factor: point.estimate_error, seed: seed.unwrap_or(0) };
            scenario = scenario.with(&edit)?;
        }
        Ok(scenario)
    }

    /// A point's scenario.
    ///
    /// # Errors
    /// What is wrong with a setting.
    pub fn scenario(&self, point: &GridPoint) -> Result<Scenario, ScenarioError> {
        let scenario = self.prepared(point)?;
        point.edit.as_ref().map_or(Ok(scenario.clone()), |edit| scenario.with(edit))
    }

    /// What a row says of a point besides its figures.
    pub fn subject(&self, point: &GridPoint) -> RowSubject {
        RowSubject {
            scenario: self.name().to_owned(),
            fingerprint: self.fingerprint(),
            atr_s: point.atr().unwrap_or_else(|| self.advisory_task_runtime()).seconds(),
            load: point.load,
            estimate_error: point.estimate_error,
            seed: self.seed(point),
            set: point.settings.clone(),
        }
    }
}

impl WorkloadBody {
    fn to_compact_json(&self) -> String {
        match self {
            WorkloadBody::Written(scenario) => scenario.to_compact_json(),
            WorkloadBody::Generated(generator) => {
                let file: Value =
                    serde_json::from_str(&generator.to_json()).expect("a generator writes JSON");
                file.to_string()
            }
        }
    }
}
