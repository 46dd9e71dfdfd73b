//! Lines of JSON that ask for a simulation each: what `fairlane sweep --points` prints and `fairlane batch` reads.
//!
//! A line is a scenario file in one line, or an object that names its workload:
//!
//! ```json
//! {"id": "a", "scenario": "catalog:skew", "policy": "uwfq-p", "atr_s": 0.25, "load": 0.8, "estimate_error": 2, "seed": 7}
//! ```
//!
//! where `scenario` is a scenario file's contents or the name of where it lies, and only that and the policy are
//! required. `metrics` lists the keys of the metrics to compute, instead of all. `id`, `sweep` and `point` come back with
//! the result.
//!
//! ```
//! use fairlane_study::sweep::line::{Defaults, request};
//! let line = r#"{"scenario": "catalog:skew", "policy": "uwfq-p", "load": 0.8}"#;
//! let request = request(line, &Defaults::default()).expect("a good line");
//! assert_eq!(request.point.load, 0.8);
//! ```

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{GridPoint, RowLabel, Setting};
use fairlane::policy::PolicyId;
use fairlane::scenario::{Edit, ScenarioError, from_serde};
use fairlane::units::{Span, micros_from_seconds};
use fairlane_view::export::Selection;

/// What a line asks for.
#[derive(Debug)]
pub struct BatchRequest<'a> {
    /// Where the workload is.
    pub workload: Location<'a>,
    /// [`super::Workload::fingerprint`] that the workload must have, if the line says so.
    pub fingerprint: Option<String>,
    /// What to do with it.
    pub point: GridPoint,
}

/// Where a line's workload is.
#[derive(Debug)]
pub enum Location<'a> {
    /// In the line: a file's contents, and the JSON path at which they are.
    Inline(&'a str, &'static str),
    /// Elsewhere, by the name that the command line would use.
    Named(String),
}

/// What holds of lines that do not say otherwise.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    /// Policy; without one each line must name its own.
    pub policy: Option<PolicyId>,
    /// Advisory task runtime instead of the scenario's.
    pub atr: Option<Span>,
    /// The metrics to compute; `None` for all.
    pub metrics: Option<Selection>,
}

impl Defaults {
    fn edit(&self) -> Option<Edit> {
        self.atr.map(Edit::advisory_task_runtime)
    }
}

/// A line that names its workload: the line of a point of a sweep, as `fairlane sweep --points` prints it, or one of
/// somebody's own.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PointLine<'a> {
    /// Whatever the line calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// [`super::Grid::fingerprint`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Cow<'a, str>>,
    /// Its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<u64>,
    /// The workload's name or contents.
    #[serde(borrow)]
    pub scenario: &'a RawValue,
    /// [`super::Workload::fingerprint`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Cow<'a, str>>,
    /// As on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Advisory task runtime, if it is not the workload's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub atr_s: Option<f64>,
    /// Factor of load.
    #[serde(default = "one")]
    pub load: f64,
    /// Factor of the error of estimates.
    #[serde(default = "one")]
    pub estimate_error: f64,
    /// Seed, if the sweep has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Fields of the scenario to set, as pairs of path and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<Setting>,
    /// Keys of the metrics to compute; all without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Vec<Cow<'a, str>>>,
}

fn one() -> f64 {
    1.0
}

impl<'a> PointLine<'a> {
    /// The line of a point of a sweep.
    pub fn new(
        sweep: &'a str,
        number: u64,
        scenario: &'a RawValue,
        fingerprint: &'a str,
        point: &GridPoint,
    ) -> PointLine<'a> {
        PointLine {
            id: None,
            sweep: Some(sweep.into()),
            point: Some(number),
            scenario,
            fingerprint: Some(fingerprint.into()),
            policy: Some(point.policy.to_string()),
            atr_s: point.atr().map(Span::seconds),
            load: point.load,
            estimate_error: point.estimate_error,
            seed: point.seed,
            set: point.settings.clone(),
            metrics: point.metrics.as_ref().map(|it| it.keys().iter().map(|&key| key.into()).collect()),
        }
    }

    /// As one line of JSON, without its line end.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a point has only keys that are text")
    }
}

/// How a line calls itself, as far as it can be made out; the line's number is for those that do not.
pub fn label(text: &str, number: u64) -> RowLabel {
    #[derive(Deserialize, Default)]
    struct RequestPeek {
        #[serde(default)]
        id: Option<Value>,
        #[serde(default)]
        sweep: Option<Value>,
        #[serde(default)]
        point: Option<Value>,
    }
    let RequestPeek { id, sweep, point } = match text.trim_start().starts_with('{') {
        true => serde_json::from_str(text).unwrap_or_default(),
        false => RequestPeek::default(),
    };
    let sweep = sweep.as_ref().and_then(Value::as_str).map(str::to_owned);
    let point = point.as_ref().and_then(Value::as_u64);
    let line = (id.is_none() && point.is_none()).then_some(number);
    RowLabel { id, sweep, point, line }
}

/// Reads a line.
///
/// # Errors
/// What is wrong with it, with its JSON path. The contents of a scenario are not looked at.
pub fn request<'a>(text: &'a str, defaults: &Defaults) -> Result<BatchRequest<'a>, ScenarioError> {
    if text.trim().is_empty() {
        return Err(ScenarioError::at("", "the line is empty; each holds one JSON object"));
    }
    if !text.trim_start().starts_with('{') {
        return Err(ScenarioError::at("", "the line is not one JSON object"));
    }
    if is_file(text)? {
        let policy = defaults.policy.ok_or_else(|| missing_policy(""))?;
        let metrics = defaults.metrics.clone();
        let point = GridPoint { edit: defaults.edit(), metrics, ..GridPoint::new(policy) };
        return Ok(BatchRequest { workload: Location::Inline(text, ""), fingerprint: None, point });
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let line: PointLine =
        serde_path_to_error::deserialize(&mut reader).map_err(|error| from_serde(&error))?;
    let policy = match &line.policy {
        Some(name) => name.parse().map_err(|error: fairlane::policy::UnknownPolicy| {
            ScenarioError::at("policy", error.to_string())
        })?,
        None => defaults.policy.ok_or_else(|| missing_policy("policy"))?,
    };
    let edit = match line.atr_s {
        Some(seconds) => {
            let micros = micros_from_seconds(seconds);
            let micros = micros.map_err(|error| ScenarioError::at("atr_s", error.to_string()))?;
            Some(Edit::advisory_task_runtime(Span(micros)))
        }
        None => defaults.edit(),
    };
    let workload = match serde_json::from_str::<String>(line.scenario.get()) {
        Ok(name) => Location::Named(name),
        Err(_) => Location::Inline(line.scenario.get(), "scenario"),
    };
    let metrics = match &line.metrics {
        Some(keys) => {
            let selection = Selection::new(keys.iter().map(|key| &**key));
            Some(selection.map_err(|message| ScenarioError::at("metrics", message))?)
        }
        None => defaults.metrics.clone(),
    };
    let PointLine { load, estimate_error, seed, set: settings, .. } = line;
    let point = GridPoint { policy, edit, settings, load, estimate_error, seed, metrics };
    Ok(BatchRequest { workload, fingerprint: line.fingerprint.map(Cow::into_owned), point })
}

/// Whether the line is a file of ours itself, which says so by its `format`.
fn is_file(text: &str) -> Result<bool, ScenarioError> {
    #[derive(Deserialize)]
    struct FormatPeek {
        format: Option<serde::de::IgnoredAny>,
    }
    let peek: FormatPeek = serde_json::from_str(text).map_err(|error| {
        let message = format!("the line is not one JSON object: {error}");
        ScenarioError::at("", message)
    })?;
    Ok(peek.format.is_some())
}

fn missing_policy(path: &str) -> ScenarioError {
    ScenarioError::at(path, "names no policy; add \"policy\" to the line or --policy to the command")
}
