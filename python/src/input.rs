//! What Python gives: scenarios and policies as text or JSON, and files.

use std::fmt::Display;

use fairlane::catalog;
use fairlane::policy::{PolicyId, UnknownPolicy};
use fairlane::scenario::{Edit, Scenario, ScenarioError};
use fairlane::units::Span;
use fairlane_import::spark::{EstimateModel, ImportOptions, UserRule};
use fairlane_study::sweep::{Grid, Workload};
use fairlane_view::export::Selection;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::own::Objects;
use crate::raised;

/// A scenario or a generator.
#[derive(FromPyObject)]
pub enum ScenarioInput {
    /// As the reader wrote it, or `catalog:NAME`.
    Text(PyBackedStr),
    /// A `dict` as JSON.
    Document(PyBackedBytes),
}

impl ScenarioInput {
    /// A scenario or a generator.
    pub fn workload(&self) -> Result<Workload, ScenarioError> {
        match self {
            ScenarioInput::Text(text) => match catalog::named(text)? {
                Some(entry) => Ok(entry.generator().map_or_else(|| entry.scenario().into(), Workload::from)),
                None => Workload::from_json(text),
            },
            ScenarioInput::Document(document) => {
                Workload::from_json(utf8(document)?).map_err(without_position)
            }
        }
    }

    pub fn read(&self) -> Result<Scenario, ScenarioError> {
        match self {
            ScenarioInput::Text(text) => catalog::scenario(text),
            ScenarioInput::Document(document) => {
                Scenario::from_json(utf8(document)?).map_err(without_position)
            }
        }
    }
}

/// A policy as a request has it.
#[derive(FromPyObject)]
pub enum PolicyInput {
    Name(String),
    /// A `dict` as JSON.
    Program(PyBackedBytes),
    /// An object or a function, its name, and the seed of its random numbers.
    Object(Py<PyAny>, String, Option<u32>),
}

/// Policies, for [`fairlane_custom::request::policies`]; those that are objects are known from now on.
pub fn requested(policies: Vec<PolicyInput>, py: Python<'_>, objects: &mut Objects) -> PyResult<Vec<Value>> {
    let requested = |policy| match policy {
        PolicyInput::Name(name) => Ok(Value::String(name)),
        PolicyInput::Program(program) => parsed(&program).map_err(raised),
        PolicyInput::Object(object, name, seed) => {
            Ok(json!({ "program": objects.add(object.bind(py))?, "policy": name, "seed": seed }))
        }
    };
    policies.into_iter().map(requested).collect()
}

pub fn id(policy: &str) -> Result<PolicyId, ScenarioError> {
    policy.parse().map_err(|error: UnknownPolicy| unplaced(error))
}

/// Policies by name, in a list or a set.
pub fn ids<C: FromIterator<PolicyId>>(policies: &[String]) -> Result<C, ScenarioError> {
    policies.iter().map(|policy| id(policy)).collect()
}

/// The axes of a sweep.
#[derive(Deserialize)]
struct SweepAxes {
    atr: Vec<f64>,
    load: Vec<f64>,
    seeds: Vec<u64>,
    estimate_error: Vec<f64>,
    metrics: Option<Vec<String>>,
}

/// A grid of policies and of axes as JSON.
pub fn grid(policies: Vec<PolicyId>, axes: &[u8], workload: &Workload) -> Result<Grid, ScenarioError> {
    let SweepAxes { atr, load, seeds, estimate_error, metrics } = parsed(axes)?;
    if !seeds.is_empty() && !workload.is_random(&estimate_error) {
        return Err(unplaced(
            "nothing is random here, so every seed would give the same rows; leave seeds out, give a generator or let \
             estimates err by estimate_error",
        ));
    }
    let edits = atr.into_iter().map(|atr| Ok(Some(Edit::advisory_task_runtime(seconds(atr)?))));
    Ok(Grid {
        policies,
        edits: edits.collect::<Result<_, ScenarioError>>()?,
        settings: Vec::new(),
        seeds,
        estimate_errors: estimate_error,
        loads: load,
        metrics: metrics
            .map(|keys| Selection::new(keys.iter().map(String::as_str)))
            .transpose()
            .map_err(unplaced)?,
    })
}

fn seconds(seconds: f64) -> Result<Span, ScenarioError> {
    let micros = (seconds * 1e6).round();
    if !(1.0..=1e15).contains(&micros) {
        return Err(unplaced(format!(
            "an advisory task runtime of {seconds} s is not possible; give at least 1e-6"
        )));
    }
    Ok(Span(micros as u64))
}

pub fn import_options(
    users: Option<String>,
    estimates: Option<String>,
) -> Result<ImportOptions, ScenarioError> {
    let mut options = ImportOptions::default();
    if let Some(word) = users {
        options.users = word.parse::<UserRule>().map_err(unplaced)?;
    }
    if let Some(word) = estimates {
        options.estimates = word.parse::<EstimateModel>().map_err(unplaced)?;
    }
    Ok(options)
}

/// A value as JSON.
pub fn parsed<T: DeserializeOwned>(json: &[u8]) -> Result<T, ScenarioError> {
    serde_json::from_slice(json).map_err(unplaced)
}

fn utf8(document: &[u8]) -> Result<&str, ScenarioError> {
    std::str::from_utf8(document).map_err(unplaced)
}

/// Lines and columns of this text mean nothing to the caller.
fn without_position(error: ScenarioError) -> ScenarioError {
    ScenarioError { position: None, ..error }
}

/// An error that is at no place in a scenario.
pub fn unplaced(message: impl Display) -> ScenarioError {
    ScenarioError { path: String::new(), message: message.to_string(), position: None }
}
