//! The simulator as a JavaScript module. Scenarios arrive as objects or JSON text, results leave as objects: what
//! `fairlane simulate --format json` and `fairlane compare --format json` print.
#![cfg(target_arch = "wasm32")]

use fairlane::engine::Control;
use fairlane::metrics::{self, Baselines, Detail, Evaluation};
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::{Scenario, ScenarioError};
use fairlane_view::export::documents::{Comparison, PolicyInfo, TracedSimulation};

use js_sys::JSON;
use serde::Serialize;
use wasm_bindgen::prelude::*;

// `./fairlane-dev package js` writes the registered policies here.
#[wasm_bindgen(typescript_custom_section)]
const POLICY_NAME: &str = "
/** A policy, with `-p` behind it under runtime partitioning. */
export type PolicyName = REGISTERED_POLICIES;

/** A scenario as an object or as JSON text. */
export type ScenarioSource = ScenarioFile | string;
";

#[wasm_bindgen(raw_module = "./error.js")]
extern "C" {
    type FairlaneError;
    #[wasm_bindgen(constructor)]
    fn new(message: &str, path: &str, line: Option<u32>, column: Option<u32>) -> FairlaneError;
}

/// Simulates a scenario under a policy. Throws a `FairlaneError` if the scenario is not valid.
#[wasm_bindgen(unchecked_return_type = "TracedSimulation")]
pub fn simulate(
    #[wasm_bindgen(unchecked_param_type = "ScenarioSource")] scenario: JsValue,
    #[wasm_bindgen(unchecked_param_type = "PolicyName")] policy: &str,
) -> Result<JsValue, JsValue> {
    let scenario = read(scenario)?;
    let run = evaluate(&scenario, id(policy)?, &mut Baselines::new(1));
    object(&TracedSimulation::new(&scenario, &run))
}

/// Simulates a scenario under each of the policies and returns their figures, in the order in which the policies are
/// given. Throws a `FairlaneError` if the scenario is not valid.
#[wasm_bindgen(unchecked_return_type = "Comparison")]
pub fn compare(
    #[wasm_bindgen(unchecked_param_type = "ScenarioSource")] scenario: JsValue,
    #[wasm_bindgen(unchecked_param_type = "PolicyName[]")] policies: Vec<String>,
) -> Result<JsValue, JsValue> {
    let scenario = read(scenario)?;
    let ids: Vec<PolicyId> = policies.iter().map(|policy| id(policy)).collect::<Result<_, JsValue>>()?;
    let mut baselines = Baselines::new(1);
    let runs: Vec<Evaluation> = ids.into_iter().map(|id| evaluate(&scenario, id, &mut baselines)).collect();
    object(&Comparison::new(&scenario, &runs))
}

/// What the policies declare of themselves.
#[wasm_bindgen(unchecked_return_type = "PolicyInfo[]")]
pub fn policies() -> Result<JsValue, JsValue> {
    object(&PolicyKind::ALL.iter().map(|kind| PolicyInfo::from(kind.info())).collect::<Vec<_>>())
}

fn evaluate(scenario: &Scenario, policy: PolicyId, baselines: &mut Baselines) -> Evaluation {
    metrics::evaluate(scenario, policy, Detail::Full, baselines, &mut |_| Control::Continue)
        .expect("the observer never stops it")
}

/// Reads and checks a scenario.
fn read(source: JsValue) -> Result<Scenario, JsValue> {
    if let Some(text) = source.as_string() {
        return Scenario::from_json(&text).map_err(|error| thrown(&error));
    }
    // A function or `undefined` has no JSON; an object that contains itself makes `stringify` throw.
    let text = JSON::stringify(&source)?.as_string().unwrap_or_default();
    // Lines and columns of this text mean nothing to the caller.
    Scenario::from_json(&text).map_err(|error| thrown(&ScenarioError { position: None, ..error }))
}

fn id(policy: &str) -> Result<PolicyId, JsValue> {
    policy.parse().map_err(|error: fairlane::policy::UnknownPolicy| {
        FairlaneError::new(&error.to_string(), "", None, None).into()
    })
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
