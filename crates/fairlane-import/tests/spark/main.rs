//! Spark's event logs: one test for each thing that a log can hold.

mod attempts;
mod events;
mod executors;
mod files;
mod jobs;
mod packed;
mod prediction;
mod replay;
mod users;
mod world;
mod written;

use fairlane::Scenario;
use fairlane::trace::Trace;
use fairlane_import::spark::{Import, ImportError, ImportOptions, Log};

use written::Written;

fn read(bytes: &[u8]) -> Result<Log, ImportError> {
    let mut log = Log::default();
    log.read("log", bytes).map(|()| log)
}

fn log(bytes: &[u8]) -> Log {
    read(bytes).expect("a log")
}

/// What holds of every import: no task is lost, the observed trace obeys the rules, the scenario's file reads back.
#[track_caller]
fn sound(import: Import) -> Import {
    let tasks = &import.report.tasks;
    assert_eq!(tasks.in_log, tasks.imported + tasks.left_out.values().sum::<u64>());
    assert_eq!(tasks.imported, import.observed.tasks.len() as u64);
    assert_eq!(import.report.observed.fault, None);
    let file = Scenario::from_json(&import.scenario.to_json()).expect("a scenario file");
    assert_eq!(file.jobs().len(), import.scenario.jobs().len());
    import
}

fn default(bytes: &[u8]) -> Import {
    sound(log(bytes).import(&ImportOptions::default()).expect("a log"))
}

fn users(import: &Import) -> Vec<&str> {
    import.scenario.users().iter().map(|user| user.name.as_str()).collect()
}

/// Core, start and end of each task in ms.
fn runs(trace: &Trace) -> Vec<(u32, u64, u64)> {
    trace.tasks.iter().map(|run| (run.core.0, run.start.0 / 1000, run.end.0 / 1000)).collect()
}

fn parents(import: &Import, job: usize) -> Vec<Vec<u32>> {
    import.scenario.jobs()[job].stages.iter().map(|stage| stage.parents.clone()).collect()
}
