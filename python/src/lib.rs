//! The simulator as a WebAssembly module for the Python package: a request arrives as JSON text; the answer leaves as
//! JSON text, with the tasks of a simulation as they lie in memory.
#![cfg(target_arch = "wasm32")]
#![allow(unsafe_code, reason = "Python and the module share memory")]

mod picture;

use std::io::Cursor;
use std::{ptr, slice};

use fairlane::catalog;
use fairlane::engine::Control;
use fairlane::metrics::{self, Baselines, Evaluation, EvaluationDetail};
use fairlane::policy::{PolicyId, PolicyKind, decima};
use fairlane::scenario::{Edit, Scenario, ScenarioError};
use fairlane::trace::Trace;
use fairlane::units::{Span, Time};
use fairlane_custom::request;
use fairlane_import::spark::files::in_order;
use fairlane_import::spark::{EstimateModel, ImportError, ImportOptions, Logs, UserRule};
use fairlane_study::sweep::{Bench, Grid, RowLabel, Workload};
use fairlane_view::display::Display;
use fairlane_view::export::documents::{CatalogEntry, ComparisonDocument, PolicyInfo, SimulationDocument};
use fairlane_view::link::{LinkBounds, Origin, Session};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

#[link(wasm_import_module = "fairlane")]
unsafe extern "C" {
    /// Called now and then during a simulation, so that Python can handle an interrupt; it may trap.
    fn check_interrupt();
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum PythonRequest {
    /// What `fairlane simulate --format json` prints, with the tasks.
    Simulate { scenario: ScenarioInput, policy: Value },
    /// What `fairlane compare --format json` prints.
    Compare { scenario: ScenarioInput, policies: Vec<Value> },
    /// The scenarios of the catalog.
    Catalog {},
    /// A scenario of the catalog as a file.
    Scenario { name: String },
    /// A scenario as a file.
    File { scenario: ScenarioInput },
    /// What the policies declare of themselves.
    Policies {},
    /// The scenario that a generator makes of a seed.
    Generate { workload: ScenarioInput, seed: Option<u64> },
    /// A row for each point of a grid, as `fairlane sweep` prints it.
    Sweep {
        workload: ScenarioInput,
        policies: Vec<String>,
        atr: Vec<f64>,
        load: Vec<f64>,
        seeds: Vec<u64>,
        estimate_error: Vec<f64>,
    },
    /// What `fairlane import` makes of a log, whose files lie in memory from [`allocate`]; they are freed.
    Import { files: Vec<FileInMemory>, users: Option<String>, estimates: Option<String> },
    /// The schedules as an SVG picture.
    Picture { scenario: ScenarioInput, policies: Vec<String> },
    /// The scenario and the policies as what follows the `#` of the lab's address.
    Link { scenario: ScenarioInput, policies: Vec<String> },
}

/// A scenario as a file, as its text, or `catalog:NAME`.
#[derive(Deserialize)]
#[serde(untagged)]
enum ScenarioInput {
    Text(String),
    File(Value),
}

/// A file that the caller has read.
#[derive(Deserialize)]
struct FileInMemory {
    name: String,
    start: usize,
    length: usize,
}

/// What an import answers.
#[derive(Serialize)]
struct Imported<'a> {
    scenario: Box<RawValue>,
    observed: SimulationDocument<'a>,
    report: Value,
}

/// The text of an answer, and the tasks of a simulation if it is one.
struct Reply {
    value: Box<RawValue>,
    trace: Option<Trace>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum JsonAnswer {
    Value(Box<RawValue>),
    Error { message: String, path: String },
}

/// Memory for a request of this length.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// Where the parts of an answer lie in memory, and how long they are. They stay there: an instance answers once.
#[repr(C)]
pub struct AnswerParts {
    tasks: Column,
    killed: Column,
    text: Column,
}

/// An address and a number of elements.
#[repr(C)]
struct Column {
    start: usize,
    length: usize,
}

impl<T> From<Vec<T>> for Column {
    fn from(elements: Vec<T>) -> Column {
        let elements = elements.leak();
        Column { start: elements.as_ptr().expose_provenance(), length: elements.len() }
    }
}

/// Answers a request, which it frees: 32 bytes per task ([`fairlane::trace::TaskRun`]); 4 bytes per killed one, its
/// index; and the text.
///
/// # Safety
/// The request is in memory that [`allocate`] returned for this length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn call(start: *mut u8, length: usize) -> *const AnswerParts {
    let request = unsafe { take(start, length) };
    let (answer, trace) = match answer(&request) {
        Ok(Reply { value, trace }) => (JsonAnswer::Value(value), trace),
        Err(error) => (JsonAnswer::Error { message: error.to_string(), path: error.path }, None),
    };
    let text = serde_json::to_vec(&answer).expect("an answer has only keys that are text");
    let (tasks, killed) = trace.map(|trace| (trace.tasks, trace.killed)).unwrap_or_default();
    Box::leak(Box::new(AnswerParts { tasks: tasks.into(), killed: killed.into(), text: text.into() }))
}

unsafe fn take(start: *mut u8, length: usize) -> Box<[u8]> {
    unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(start, length)) }
}

fn answer(request: &[u8]) -> Result<Reply, ScenarioError> {
    fairlane_custom::install();
    decima::install();
    let request = serde_json::from_slice(request).map_err(|error| unplaced(error.to_string()))?;
    let value = match request {
        PythonRequest::Simulate { scenario, policy } => {
            let (_, mut runs) = compare(scenario, &[policy])?;
            let run = runs.remove(0);
            let value = json(&SimulationDocument::new(&run))?;
            return Ok(Reply { value, trace: Some(run.trace) });
        }
        PythonRequest::Import { files, users, estimates } => {
            let options = import_options(users, estimates).map_err(unplaced)?;
            return imported(&files, &options);
        }
        PythonRequest::Compare { scenario, policies } => {
            let (scenario, runs) = compare(scenario, &policies)?;
            json(&ComparisonDocument::new(&scenario, &runs))
        }
        PythonRequest::Catalog {} => {
            json(&catalog::ENTRIES.iter().map(CatalogEntry::from).collect::<Vec<_>>())
        }
        PythonRequest::Scenario { name } => raw(catalog::entry(&name)?.scenario().to_compact_json()),
        PythonRequest::Generate { workload, seed } => {
            raw(workload.workload()?.seeded(seed)?.to_compact_json())
        }
        PythonRequest::Sweep { workload, policies, atr, load, seeds, estimate_error } => {
            let policies = policies.iter().map(|policy| id(policy)).collect::<Result<_, _>>()?;
            let edits = atr.iter().map(|&atr| Ok(Some(Edit::advisory_task_runtime(seconds(atr)?))));
            let edits = edits.collect::<Result<_, ScenarioError>>()?;
            let workload = workload.workload()?;
            if !seeds.is_empty() && !workload.is_random(&estimate_error) {
                return Err(unplaced(
                    "nothing is random here, so every seed would give the same rows; leave seeds out, give a \
                     generator or let estimates err by estimate_error"
                        .to_owned(),
                ));
            }
            sweep(
                &workload,
                Grid {
                    policies,
                    edits,
                    settings: Vec::new(),
                    seeds,
                    estimate_errors: estimate_error,
                    loads: load,
                },
            )
        }
        PythonRequest::File { scenario } => raw(scenario.read()?.to_compact_json()),
        PythonRequest::Policies {} => {
            json(&PolicyKind::ALL.iter().map(|kind| PolicyInfo::from(kind.info())).collect::<Vec<_>>())
        }
        PythonRequest::Picture { scenario, policies } => {
            let policies: Vec<Value> = policies.into_iter().map(Value::from).collect();
            let (scenario, runs) = compare(scenario, &policies)?;
            json(&picture::picture(&scenario, &runs))
        }
        PythonRequest::Link { scenario, policies } => {
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
            let text = session.to_text(&LinkBounds::LINK);
            json(&text.map_err(|error| unplaced(format!("the scenario {error}; {}", error.remedy())))?)
        }
    }?;
    Ok(Reply { value, trace: None })
}

/// A row for each point of a grid, in its order.
fn sweep(workload: &Workload, grid: Grid) -> Result<Box<RawValue>, ScenarioError> {
    let points = grid
        .points()
        .ok_or_else(|| unplaced(format!("a sweep has at most {} points; give fewer values", Grid::MOST)))?;
    if points == 0 {
        return Err(unplaced("a sweep has at least one policy".to_owned()));
    }
    let mut bench = Bench::default();
    let rows = (0..points).map(|point| {
        unsafe { check_interrupt() };
        let label = RowLabel { point: Some(point as u64), ..RowLabel::default() };
        bench.row(label, workload, &grid.point(point))
    });
    json(&rows.collect::<Vec<_>>())
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

fn import_options(users: Option<String>, estimates: Option<String>) -> Result<ImportOptions, String> {
    let defaults = ImportOptions::default();
    let users = users.map_or(Ok(defaults.users), |word| word.parse::<UserRule>())?;
    let estimates = estimates.map_or(Ok(defaults.estimates), |word| word.parse::<EstimateModel>())?;
    Ok(ImportOptions { users, estimates, ..ImportOptions::default() })
}

/// Imports a log.
fn imported(files: &[FileInMemory], options: &ImportOptions) -> Result<Reply, ScenarioError> {
    let failed =
        |error: ImportError| ScenarioError { path: error.place, message: error.message, position: None };
    let mut logs = Logs::default();
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    for index in in_order(&names) {
        let FileInMemory { name, start, length } = &files[index];
        unsafe { check_interrupt() };
        // The caller has allocated and filled it.
        let bytes = unsafe { slice::from_raw_parts(ptr::with_exposed_provenance(*start), *length) };
        logs.read_file(name, Cursor::new(bytes)).map_err(failed)?;
    }
    let import = logs.into_log().and_then(|log| log.import(options)).map_err(failed)?;
    let observer = &mut |_| {
        unsafe { check_interrupt() };
        Control::Continue
    };
    let (scenario, report) = (import.scenario, serde_json::to_value(&import.report).unwrap_or_default());
    let run = metrics::evaluate_observed(&scenario, import.observed, &mut Baselines::new(1), observer)?;
    let observed = SimulationDocument::new(&run);
    let value = json(&Imported { scenario: raw(scenario.to_compact_json())?, observed, report })?;
    Ok(Reply { value, trace: Some(run.trace) })
}

impl ScenarioInput {
    /// A scenario or a generator.
    fn workload(self) -> Result<Workload, ScenarioError> {
        let text = match self {
            ScenarioInput::Text(text) => text,
            ScenarioInput::File(file) => file.to_string(),
        };
        match catalog::named(&text)? {
            Some(entry) => Ok(entry.generator().map_or_else(|| entry.scenario().into(), Workload::from)),
            None => Workload::from_json(&text),
        }
    }

    fn read(self) -> Result<Scenario, ScenarioError> {
        match self {
            ScenarioInput::Text(text) => catalog::scenario(&text),
            // Lines and columns of this text mean nothing to the caller.
            ScenarioInput::File(file) => Scenario::from_json(&file.to_string())
                .map_err(|error| ScenarioError { position: None, ..error }),
        }
    }
}

/// A scenario with its programs, and its simulation under each policy.
fn compare(
    scenario: ScenarioInput,
    policies: &[Value],
) -> Result<(Scenario, Vec<Evaluation>), ScenarioError> {
    let (scenario, ids) = request::policies(scenario.read()?, policies)?;
    let mut baselines = Baselines::new(1);
    let evaluate = |id| {
        let observer = &mut |_| {
            unsafe { check_interrupt() };
            Control::Continue
        };
        metrics::evaluate(&scenario, id, EvaluationDetail::Full, &mut baselines, observer)
    };
    let runs = ids.into_iter().map(evaluate).collect::<Result<_, _>>()?;
    Ok((scenario, runs))
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
