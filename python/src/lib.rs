//! The simulator as a WebAssembly module for the Python package: a request arrives as JSON text, the answer leaves as
//! JSON text.
#![cfg(target_arch = "wasm32")]

use std::ptr;

use fairlane::catalog;
use fairlane::engine::Control;
use fairlane::metrics::{self, Baselines, Detail, Evaluation};
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::{Scenario, ScenarioError};
use fairlane::units::Time;
use fairlane_view::display::Display;
use fairlane_view::export::documents::{CatalogEntry, Comparison, PolicyInfo, TracedSimulation};
use fairlane_view::link::{Bounds, Origin, Session};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

#[link(wasm_import_module = "fairlane")]
unsafe extern "C" {
    /// Called now and then during a simulation, so that Python can handle an interrupt; it may trap.
    fn check_interrupt();
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Request {
    /// What `fairlane simulate --format json` prints, with the trace.
    Simulate { scenario: Source, policy: String },
    /// What `fairlane compare --format json` prints.
    Compare { scenario: Source, policies: Vec<String> },
    /// The scenarios of the catalog.
    Catalog {},
    /// A scenario as a file.
    Scenario { name: String },
    /// What the policies declare of themselves.
    Policies {},
    /// The scenario and the policies as what follows the `#` of the lab's address.
    Link { scenario: Source, policies: Vec<String> },
}

/// A scenario as a file, as its text, or `catalog:NAME`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Source {
    Text(String),
    File(Value),
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Value(Box<RawValue>),
    Error { message: String, path: String },
}

/// Memory for a request of this length.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// Frees an answer.
///
/// # Safety
/// It is one that [`call`] returned, and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(start: *mut u8, length: usize) {
    drop(unsafe { take(start, length) });
}

/// Answers a request, which it frees. Returns where the answer is: its address in the upper half, its length in the
/// lower one.
///
/// # Safety
/// The request is in memory that [`allocate`] returned for this length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn call(start: *mut u8, length: usize) -> u64 {
    let request = unsafe { take(start, length) };
    let answer = match answer(&request) {
        Ok(value) => Answer::Value(value),
        Err(error) => Answer::Error { message: error.to_string(), path: error.path },
    };
    let text = serde_json::to_vec(&answer).expect("an answer has only keys that are text").into_boxed_slice();
    let length = text.len() as u64;
    ((Box::into_raw(text).cast::<u8>() as u64) << 32) | length
}

unsafe fn take(start: *mut u8, length: usize) -> Box<[u8]> {
    unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(start, length)) }
}

fn answer(request: &[u8]) -> Result<Box<RawValue>, ScenarioError> {
    let request = serde_json::from_slice(request).map_err(|error| unplaced(error.to_string()))?;
    match request {
        Request::Simulate { scenario, policy } => {
            let scenario = scenario.read()?;
            let run = evaluate(&scenario, id(&policy)?, &mut Baselines::new(1));
            json(&TracedSimulation::new(&scenario, &run))
        }
        Request::Compare { scenario, policies } => {
            let scenario = scenario.read()?;
            let ids: Vec<PolicyId> = policies.iter().map(|policy| id(policy)).collect::<Result<_, _>>()?;
            let mut baselines = Baselines::new(1);
            let runs: Vec<Evaluation> =
                ids.into_iter().map(|id| evaluate(&scenario, id, &mut baselines)).collect();
            json(&Comparison::new(&scenario, &runs))
        }
        Request::Catalog {} => json(&catalog::ENTRIES.iter().map(CatalogEntry::from).collect::<Vec<_>>()),
        Request::Scenario { name } => raw(catalog::entry(&name)?.scenario().to_compact_json()),
        Request::Policies {} => {
            json(&PolicyKind::ALL.iter().map(|kind| PolicyInfo::from(kind.info())).collect::<Vec<_>>())
        }
        Request::Link { scenario, policies } => {
            let scenario = scenario.read()?;
            let entry = catalog::ENTRIES.iter().find(|entry| entry.scenario() == scenario);
            let session = Session {
                origin: entry.map_or(Origin::File(String::new()), |entry| Origin::Catalog(entry.name)),
                policies: policies.iter().map(|policy| id(policy)).collect::<Result<_, _>>()?,
                playhead: Time::ZERO,
                window: None,
                display: Display::default(),
                scenario,
            };
            let text = session.to_text(&Bounds::LINK);
            json(&text.map_err(|error| unplaced(format!("the scenario {error}; {}", error.remedy())))?)
        }
    }
}

impl Source {
    fn read(self) -> Result<Scenario, ScenarioError> {
        match self {
            Source::Text(text) => catalog::scenario(&text),
            // Lines and columns of this text mean nothing to the caller.
            Source::File(file) => Scenario::from_json(&file.to_string())
                .map_err(|error| ScenarioError { position: None, ..error }),
        }
    }
}

fn evaluate(scenario: &Scenario, policy: PolicyId, baselines: &mut Baselines) -> Evaluation {
    let observer = &mut |_| {
        unsafe { check_interrupt() };
        Control::Continue
    };
    metrics::evaluate(scenario, policy, Detail::Full, baselines, observer)
        .expect("the observer never stops it")
}

fn id(policy: &str) -> Result<PolicyId, ScenarioError> {
    policy.parse().map_err(|error: fairlane::policy::UnknownPolicy| unplaced(error.to_string()))
}

/// An error that is at no place in a scenario.
fn unplaced(message: String) -> ScenarioError {
    ScenarioError { path: String::new(), message, position: None }
}

fn json(document: &impl Serialize) -> Result<Box<RawValue>, ScenarioError> {
    raw(serde_json::to_string(document).expect("a document has only keys that are text"))
}

fn raw(text: String) -> Result<Box<RawValue>, ScenarioError> {
    RawValue::from_string(text).map_err(|error| unplaced(error.to_string()))
}
