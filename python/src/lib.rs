//! The simulator as an extension module of Python, `fairlane._native`. Documents go in and out as JSON, the tasks of a
//! simulation as columns of NumPy.

mod background;
mod gym;
mod input;
mod own;
mod run;
mod sweep;
mod table;
mod why;

use std::io::Cursor;

use fairlane::catalog;
use fairlane::engine::{Control, Progress};
use fairlane::metrics::{self, Baselines, Evaluation, EvaluationDetail};
use fairlane::policy::{PolicyId, PolicyKind, decima};
use fairlane::scenario::{Scenario, ScenarioError};
use fairlane_custom::request;
use fairlane_import::spark::files::in_order;
use fairlane_import::spark::{ImportOptions, Logs};
use fairlane_view::export;
use fairlane_view::export::documents::{CatalogEntry, ComparisonDocument, PolicyInfo, SimulationDocument};
use fairlane_view::export::one_document;
use fairlane_view::export::svg::SvgTasks;
use fairlane_view::link::{LinkBounds, Session};
use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use background::{Stop, interruptible};
use gym::Arena;
use input::{PolicyInput, ScenarioInput, requested, unplaced};
use own::{Cluster, Job, Objects, Stage, User};
use run::Run;

import_exception!(fairlane, FairlaneError);

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::sweep::sweep;
    #[pymodule_export]
    use super::{
        Arena, Cluster, Job, Run, Stage, User, catalog_entries, catalog_scenario, compare, document, file,
        generate, import_log, import_table, link, picture, policies, simulate, why_launched,
    };
    use super::{PyResult, decima, own};
    use pyo3::prelude::*;

    /// Where `fairlane.show` finds the lab.
    #[pymodule_export]
    const LAB: &str = env!("CARGO_PKG_HOMEPAGE");
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        fairlane::policy::custom::install(own::create);
        decima::install();
        Ok(())
    }
}

/// What the simulator's work comes to, as Python returns or raises it.
fn answered<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> Result<T, ScenarioError> + Send,
) -> PyResult<T> {
    interruptible(py, work)?.map_err(raised)
}

/// An error as Python raises it.
fn raised(error: ScenarioError) -> PyErr {
    FairlaneError::new_err((error.to_string(), error.path))
}

/// What `fairlane simulate --format json` prints, and the run.
#[pyfunction]
fn simulate(py: Python<'_>, scenario: ScenarioInput, policy: PolicyInput) -> PyResult<(String, Run)> {
    let (_, mut runs) = simulated(py, &scenario, vec![policy])?;
    let run = runs.remove(0);
    Ok((py.detach(|| json(&SimulationDocument::new(&run))), run.into()))
}

/// What `fairlane compare --format json` prints.
#[pyfunction]
fn compare(py: Python<'_>, scenario: ScenarioInput, policies: Vec<PolicyInput>) -> PyResult<String> {
    let (scenario, runs) = simulated(py, &scenario, policies)?;
    Ok(py.detach(|| json(&ComparisonDocument::new(&scenario, &runs))))
}

/// The stages that waited before a task was launched, in the order of their keys.
#[pyfunction]
#[pyo3(name = "why")]
fn why_launched(
    py: Python<'_>,
    scenario: ScenarioInput,
    policy: PolicyInput,
    task: usize,
) -> PyResult<String> {
    on_requested(py, &scenario, vec![policy], |scenario, ids, control| {
        let observer = &mut |_: Progress| control();
        Ok(json(&why::why(scenario, ids[0], task, observer)?))
    })
}

/// The scenarios of the catalog.
#[pyfunction]
#[pyo3(name = "catalog")]
fn catalog_entries() -> String {
    json(&catalog::ENTRIES.iter().map(CatalogEntry::from).collect::<Vec<_>>())
}

/// A scenario of the catalog as a file.
#[pyfunction]
#[pyo3(name = "scenario")]
fn catalog_scenario(py: Python<'_>, name: &str) -> PyResult<String> {
    answered(py, |_| Ok(catalog::entry(name)?.scenario().to_compact_json()))
}

/// A scenario as a file.
#[pyfunction]
fn file(py: Python<'_>, scenario: ScenarioInput) -> PyResult<String> {
    answered(py, |_| Ok(scenario.read()?.to_compact_json()))
}

/// What the policies declare of themselves.
#[pyfunction]
fn policies() -> String {
    json(&PolicyKind::ALL.iter().map(|kind| PolicyInfo::from(kind.info())).collect::<Vec<_>>())
}

/// The scenario that a generator makes of a seed, a number or null as JSON.
#[pyfunction]
fn generate(py: Python<'_>, workload: ScenarioInput, seed: PyBackedBytes) -> PyResult<String> {
    answered(py, |_| Ok(workload.workload()?.seeded(input::parsed(&seed)?)?.to_compact_json()))
}

/// What `fairlane import` makes of logs, each in its files, and the run that was observed.
#[pyfunction]
fn import_log(
    py: Python<'_>,
    files: Vec<Vec<(String, PyBackedBytes)>>,
    users: Option<String>,
    estimates: Option<String>,
    share: bool,
) -> PyResult<(String, Run)> {
    #[derive(Serialize)]
    struct Imported<'a> {
        scenario: Box<RawValue>,
        observed: SimulationDocument<'a>,
        report: Value,
    }
    answered(py, |stop| {
        let options = ImportOptions { share, ..input::import_options(users, estimates)? };
        let mut logs = Logs::default();
        for files in &files {
            let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
            for index in in_order(&names) {
                let (name, bytes) = &files[index];
                logs.read_file(name, Cursor::new(&**bytes)).map_err(table::failed)?;
            }
        }
        let import = logs.into_log().and_then(|log| log.import(&options)).map_err(table::failed)?;
        let mut baselines = Baselines::new(1);
        let run = metrics::evaluate_observed(
            &import.scenario,
            import.observed,
            &mut baselines,
            &mut stop.observer(),
        )?;
        let answer = Imported {
            scenario: input::parsed(import.scenario.to_compact_json().as_bytes())?,
            observed: SimulationDocument::new(&run),
            report: serde_json::to_value(&import.report).map_err(unplaced)?,
        };
        Ok((json(&answer), run.into()))
    })
}

/// What `fairlane import --columns` makes of a table.
#[pyfunction]
fn import_table(py: Python<'_>, parts: Vec<table::Part>, columns: String, cores: u32) -> PyResult<String> {
    answered(py, |_| Ok(json(&table::imported(&parts, &columns, cores)?)))
}

/// The schedules as an SVG picture.
#[pyfunction]
fn picture(py: Python<'_>, scenario: ScenarioInput, policies: Vec<PolicyInput>) -> PyResult<String> {
    let (scenario, runs) = simulated(py, &scenario, policies)?;
    Ok(py.detach(|| drawn(&scenario, &runs, PICTURE_WIDTH)))
}

/// Width of the plots of a picture, in pixels.
const PICTURE_WIDTH: u32 = 800;

/// The schedules, one below the other, for where there is no widget.
fn drawn(scenario: &Scenario, runs: &[Evaluation], width: u32) -> String {
    export::picture::picture(scenario, runs, width, SvgTasks::Merged)
}

/// The scenario and the policies as what follows the `#` of the lab's address.
#[pyfunction]
fn link(py: Python<'_>, scenario: ScenarioInput, policies: Vec<String>) -> PyResult<String> {
    answered(py, |_| {
        let text = Session::of(scenario.read()?, input::ids(&policies)?).to_text(&LinkBounds::LINK);
        text.map_err(|error| unplaced(format!("the scenario {error}; {}", error.remedy())))
    })
}

/// The lab's document with the scenario and the policies in it.
#[pyfunction]
fn document(
    py: Python<'_>,
    page: PyBackedBytes,
    scenario: ScenarioInput,
    policies: Vec<String>,
) -> PyResult<Vec<u8>> {
    answered(py, |_| {
        let session = Session::of(scenario.read()?, input::ids(&policies)?);
        one_document::fill(&page, &session).map_err(unplaced)
    })
}

/// A scenario with its programs, and its simulation under each policy.
fn simulated(
    py: Python<'_>,
    scenario: &ScenarioInput,
    policies: Vec<PolicyInput>,
) -> PyResult<(Scenario, Vec<Evaluation>)> {
    on_requested(py, scenario, policies, |scenario, ids, control| {
        let mut baselines = Baselines::new(1);
        let observer = &mut |_: f64| control();
        let evaluate =
            |&id| metrics::evaluate(scenario, id, EvaluationDetail::Full, &mut baselines, observer);
        let runs = ids.iter().map(evaluate).collect::<Result<_, _>>()?;
        Ok((scenario.clone(), runs))
    })
}

/// Does some work with a scenario and policies. It is done without the interpreter's lock, but on the caller's thread
/// and with the lock if a policy is an object: that is called thousands of times, and may look at what the thread has.
fn on_requested<T: Send>(
    py: Python<'_>,
    scenario: &ScenarioInput,
    policies: Vec<PolicyInput>,
    work: impl FnOnce(&Scenario, &[PolicyId], &mut dyn FnMut() -> Control) -> Result<T, ScenarioError> + Send,
) -> PyResult<T> {
    let mut objects = Objects::default();
    let requested = requested(policies, py, &mut objects)?;
    let work = |control: &mut dyn FnMut() -> Control| {
        let (scenario, ids) = request::policies(scenario.read()?, &requested)?;
        work(&scenario, &ids, control)
    };
    if objects.is_empty() {
        return answered(py, |stop| work(&mut || stop.control()));
    }
    let result = work(&mut || objects.control(py));
    objects.checked(result)
}

fn json(document: &impl Serialize) -> String {
    serde_json::to_string(document).expect("a document has only keys that are text")
}
