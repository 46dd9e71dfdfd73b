//! Event logs of Apache Spark 3 and 4 as scenarios, and what happened as a trace.
//!
//! ```text
//! files -> reader (lines) -> event (typed) -> Log -> tasks, jobs, graph -> cores -> costs -> Import
//! ```
//!
//! A [`Log`] is read file by file in bounded memory, whatever its compression. [`Log::import`] makes a scenario, the
//! schedule that was observed and a report of everything that was not carried over; it can be asked again by other
//! rules without reading the files again.
//!
//! ```
//! use fairlane_import::spark::{ImportOptions, Log};
//! let mut log = Log::default();
//! log.read("app", br#"{"Event":"SparkListenerExecutorAdded","Executor ID":"1","Executor Info":{"Total Cores":2}}
//! {"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1000,"Stage Infos":[{"Stage ID":0}],"Properties":{"user.name":"ana"}}
//! {"Event":"SparkListenerTaskEnd","Stage ID":0,"Task Info":{"Task ID":0,"Executor ID":"1","Launch Time":1010,"Finish Time":1510}}
//! "#.as_slice())?;
//! let import = log.import(&ImportOptions::default())?;
//! assert_eq!(import.scenario.users()[0].name, "ana");
//! assert_eq!(import.observed.jobs[0].response(), Some(fairlane::units::Span(510_000)));
//! # Ok::<(), fairlane_import::spark::ImportError>(())
//! ```

mod allocation;
mod applications;
mod archive;
mod attempts;
mod blocks;
mod cores;
mod costs;
mod driver_time;
mod estimates;
mod event;
mod executor_slots;
mod export;
mod file_kind;
pub mod files;
mod graph;
mod inventory;
mod jobs;
mod limits;
mod log;
mod lz4;
mod lzf;
mod names;
mod observation;
mod parts;
mod places;
mod pools;
mod pools_file;
mod problem;
mod reader;
mod record;
mod replay;
mod report;
mod scenario;
mod schedule;
mod sections;
mod sessions;
mod snappy;
mod tasks;
mod ties;
mod unlike;
mod users;
mod version;
mod what_if;

pub use allocation::ExecutorRule;
pub use applications::Logs;
pub use driver_time::DriverTime;
pub use estimates::EstimateModel;
pub use export::{Export, ExportError, ExportReport, LeftOut, PROGRAM};
pub use file_kind::FileKind;
pub use jobs::NOBODY;
pub use log::{Log, driver_log};
pub use pools_file::PoolsFile;
pub use replay::{BaselineReport, ExplainedReport, LogSimulation, LogSimulations, ReplayReport};
pub use report::{
    AllocationReport, ApplicationReport, ClusterReport, CostsReport, DriverReport, EventsReport,
    ImportReport, JobsReport, ModeSource, ObservedReport, OneOfSeveralReport, PoolReport, PoolSource,
    SessionsReport, SimulatedReport, SizeReport, StagesReport, TasksReport, TiesReport, UserReport,
    UsersReport,
};
pub use sections::LogSection;
pub use unlike::UnlikeReport;
pub use users::{NamePattern, UserRule, UserSource};

pub(crate) use reader::decompressed;

use std::fmt;

use strum::{Display, EnumString, VariantArray};

use fairlane::policy::spark::PoolMode;
use fairlane::scenario::{Scenario, ScenarioError, Sessions};
use fairlane::trace::Trace;

/// What a job of the scenario is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = unknown_word::<JobUnit>)]
pub enum JobUnit {
    /// A job of Spark.
    Spark,
    /// A whole SQL execution with all its jobs and those of the executions within it; jobs outside of SQL are jobs.
    Sql,
}

/// What is said of a word that names none of an enum's variants.
fn unknown_word<T: VariantArray + fmt::Display>(_: &str) -> String {
    let words: Vec<String> = T::VARIANTS.iter().map(T::to_string).collect();
    format!("must be one of {}", words.join(", "))
}

/// The rules by which a log becomes a scenario.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// What a job is: SQL executions if the log has any, unless it is given.
    pub jobs: Option<JobUnit>,
    /// What a job's user is read from.
    pub users: UserRule,
    /// What policies know of a job's work.
    pub estimates: EstimateModel,
    /// The pools file of the cluster; a log does not have it.
    pub pools: Option<PoolsFile>,
    /// The scheduler's mode, if it is not to be read from the log.
    pub mode: Option<PoolMode>,
    /// How much of the driver's time the scenario has.
    pub driver_time: DriverTime,
    /// Whether users wait for their answers, as far as the log lets guess.
    pub arrivals: Sessions,
    /// Which executors the scenario has.
    pub executors: ExecutorRule,
    /// Whether several applications share all executors; otherwise each has its own.
    pub share: bool,
}

/// A log as Fairlane sees it.
#[derive(Clone, Debug)]
pub struct Import {
    /// Cluster, users and jobs.
    pub scenario: Scenario,
    /// What happened, under the policy [`OBSERVED`](fairlane::policy::OBSERVED).
    pub observed: Trace,
    /// What was carried over, and what was not.
    pub report: ImportReport,
    /// The scenario with all that the log shows: the driver's time of each stage, and the executors as they came and
    /// went. [`Import::replay`] simulates it.
    pub recorded: Scenario,
    /// What the log judges where that is not this: with `share` the applications with executors of their own.
    pub(crate) judged: Option<Box<JudgedScenarios>>,
}

/// The scenarios whose simulations are compared with a log.
#[derive(Clone, Debug)]
pub(crate) struct JudgedScenarios {
    pub(crate) scenario: Scenario,
    pub(crate) recorded: Scenario,
}

/// Why a log cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// A file, a line of it, or an option.
    pub place: String,
    /// What is wrong and what to do about it.
    pub message: String,
}

impl ImportError {
    pub(crate) fn new(place: impl Into<String>, message: impl Into<String>) -> ImportError {
        ImportError { place: place.into(), message: message.into() }
    }

    /// What a log says is no scenario.
    pub(crate) fn refused(error: ScenarioError) -> ImportError {
        ImportError::new("the scenario of this log", error.to_string())
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for ImportError {}
