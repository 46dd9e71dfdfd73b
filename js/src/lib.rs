//! The simulator as a JavaScript module. Scenarios arrive as text, results leave as objects: what
//! `fairlane simulate --format json` and `fairlane compare --format json` print, with the tasks as columns. The package
//! wraps these functions (`js/package/core.js`).
#![cfg(target_arch = "wasm32")]
#![allow(unsafe_code, reason = "what wasm-bindgen writes is unsafe")]

use fairlane::catalog;
use fairlane::engine::Control;
use fairlane::metrics::{self, Baselines, Evaluation, EvaluationDetail};
use fairlane::policy::{PolicyId, PolicyKind, decima};
use fairlane::scenario::{Scenario, ScenarioError};
use fairlane::trace::{TaskRun, Trace};
use fairlane::units::Time;
use fairlane_custom::request;
use fairlane_view::export::Selection;
use fairlane_view::export::documents::{CatalogEntry, ComparisonDocument, PolicyInfo, SimulationDocument};
use fairlane_view::export::one_document;
use fairlane_view::link::Session;

use js_sys::{Array, Float64Array, JSON, Object, Reflect, Uint32Array};
use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::prelude::*;

// `./fairlane-dev package js` writes the registered policies here.
#[wasm_bindgen(typescript_custom_section)]
const POLICY_NAME: &str = "
/** A policy, with `-p` behind it under runtime partitioning. */
export type PolicyName = REGISTERED_POLICIES;
";

#[wasm_bindgen(raw_module = "./error.js")]
extern "C" {
    type FairlaneError;
    #[wasm_bindgen(constructor)]
    fn new(message: &str, path: &str, line: Option<u32>, column: Option<u32>) -> FairlaneError;
}

/// Simulates a scenario, its text or `catalog:NAME`, under a policy: a name, or the JSON text of a program
/// ([`request::policies`]).
#[wasm_bindgen(skip_typescript)]
pub fn simulate(scenario: &str, policy: &str, with_trace: bool) -> Result<JsValue, JsValue> {
    let (_, mut runs) = evaluate(scenario, &[policy.to_owned()])?;
    let run = runs.remove(0);
    let simulation = object(&SimulationDocument::new(&run))?;
    Reflect::set(&simulation, &"tasks".into(), &columns(&run.trace)?.into())?;
    if with_trace {
        Reflect::set(&simulation, &"trace".into(), &object(&run.trace)?)?;
    }
    Ok(simulation)
}

/// Simulates a scenario under each of the policies. With keys of metrics nothing else is computed of them.
#[wasm_bindgen(skip_typescript)]
pub fn compare(
    scenario: &str,
    policies: Vec<String>,
    metrics: Option<Vec<String>>,
) -> Result<JsValue, JsValue> {
    let Some(keys) = metrics else {
        let (scenario, runs) = evaluate(scenario, &policies)?;
        return object(&ComparisonDocument::new(&scenario, &runs));
    };
    let measured = || {
        let (scenario, ids) = requested(scenario, &policies)?;
        let selection = Selection::new(keys.iter().map(String::as_str));
        let selection = selection.map_err(|message| ScenarioError::at("metrics", message))?;
        let mut baselines = Baselines::new(1);
        let mut measure = |id| selection.measure(&scenario, id, &mut baselines, &mut |_| Control::Continue);
        let figures: Vec<_> =
            ids.into_iter().map(|id| Ok(measure(id)?.0)).collect::<Result<_, ScenarioError>>()?;
        Ok((scenario, figures))
    };
    let (scenario, figures) = measured().map_err(|error| thrown(&error))?;
    let document = object(&ComparisonDocument::new(&scenario, &[]))?;
    Reflect::set(&document, &"policies".into(), &object(&figures)?)?;
    Ok(document)
}

/// What the policies declare of themselves.
#[wasm_bindgen(skip_typescript)]
pub fn policies() -> Result<JsValue, JsValue> {
    object(&PolicyKind::ALL.iter().map(|kind| PolicyInfo::from(kind.info())).collect::<Vec<_>>())
}

/// The scenarios of the catalog.
#[wasm_bindgen(skip_typescript)]
pub fn catalog() -> Result<JsValue, JsValue> {
    object(&catalog::ENTRIES.iter().map(CatalogEntry::from).collect::<Vec<_>>())
}

/// A scenario of the catalog.
#[wasm_bindgen(skip_typescript)]
pub fn scenario(name: &str) -> Result<JsValue, JsValue> {
    let entry = catalog::entry(name).map_err(|error| thrown(&error))?;
    JSON::parse(&entry.scenario().to_compact_json())
}

/// The tasks of a trace in the order of launch, a typed array per field.
fn columns(trace: &Trace) -> Result<Object, JsValue> {
    let tasks = &trace.tasks;
    let numbers = |number: fn(&TaskRun) -> u32| {
        let column: Vec<u32> = tasks.iter().map(number).collect();
        JsValue::from(Uint32Array::from(&column[..]))
    };
    let instants = |instant: fn(&TaskRun) -> Time| {
        let column: Vec<f64> = tasks.iter().map(|task| instant(task).0 as f64).collect();
        JsValue::from(Float64Array::from(&column[..]))
    };
    let reason = |&task: &u32| trace.kill_reason(task).map_or(JsValue::NULL, |reason| reason.name().into());
    let reasons: Array = trace.killed.iter().map(reason).collect();
    let columns = Object::new();
    for (name, column) in [
        ("length", (tasks.len() as f64).into()),
        ("job", numbers(|task| task.job.0)),
        ("stage", numbers(|task| task.stage)),
        ("task", numbers(|task| task.task)),
        ("core", numbers(|task| task.core.0)),
        ("start_us", instants(|task| task.start)),
        ("end_us", instants(|task| task.end)),
        ("killed", Uint32Array::from(&trace.killed[..]).into()),
        ("reasons", reasons.into()),
    ] {
        Reflect::set(&columns, &name.into(), &column)?;
    }
    Ok(columns)
}

/// A lab's document with a scenario and policies in it.
#[wasm_bindgen(skip_typescript, js_name = toHtml)]
pub fn to_html(scenario: &str, policies: Vec<String>, page: &[u8]) -> Result<Vec<u8>, JsValue> {
    let filled = || {
        let (scenario, ids) = requested(scenario, &policies)?;
        let session = Session::of(scenario, ids.into_iter().collect());
        one_document::fill(page, &session).map_err(|fault| ScenarioError::at("", fault.to_string()))
    };
    filled().map_err(|error| thrown(&error))
}

/// A scenario with the programs that are among the policies, and the policies.
fn requested(scenario: &str, policies: &[String]) -> Result<(Scenario, Vec<PolicyId>), ScenarioError> {
    fairlane_custom::install();
    decima::install();
    let policy = |text: &String| match text.starts_with('{') {
        true => serde_json::from_str(text).map_err(|error| ScenarioError::at("", error.to_string())),
        false => Ok(Value::from(text.as_str())),
    };
    let policies = policies.iter().map(policy).collect::<Result<Vec<Value>, _>>()?;
    request::policies(catalog::scenario(scenario)?, &policies)
}

fn evaluate(scenario: &str, policies: &[String]) -> Result<(Scenario, Vec<Evaluation>), JsValue> {
    let evaluated = || {
        let (scenario, ids) = requested(scenario, policies)?;
        let mut baselines = Baselines::new(1);
        let evaluate = |id| {
            metrics::evaluate(&scenario, id, EvaluationDetail::Full, &mut baselines, &mut |_| {
                Control::Continue
            })
        };
        let runs = ids.into_iter().map(evaluate).collect::<Result<_, _>>()?;
        Ok((scenario, runs))
    };
    evaluated().map_err(|error| thrown(&error))
}

/// What a caller catches.
fn thrown(error: &ScenarioError) -> JsValue {
    let (line, column) = error.position.map(|(line, column)| (line as u32, column as u32)).unzip();
    FairlaneError::new(&error.to_string(), &error.path, line, column).into()
}

fn object(document: &impl Serialize) -> Result<JsValue, JsValue> {
    let text = serde_json::to_string(document).map_err(|error| JsError::new(&error.to_string()))?;
    JSON::parse(&text)
}
