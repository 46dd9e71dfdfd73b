//! The arguments of `fairlane import`.

use std::num::NonZeroU32;

use clap::{Args, ValueEnum};

use super::{HistoryArgs, LogSource};
use crate::path::{InputPath, OutputPath};
use fairlane::policy::spark::PoolMode;
use fairlane::scenario::Sessions;
use fairlane_import::spark::{DriverTime, EstimateModel, ExecutorRule, JobUnit, UserRule};
use fairlane_import::table::ColumnMapping;

#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// Event logs of Spark 1.3 to 4: text, gzip, zstd, lz4, Snappy, LZF or zip; a rolling log or a log of Databricks as
    /// its folder or all of its files; those of several applications, or a folder of them, in one scenario; or the
    /// address of a Spark History Server, such as http://history:18080. With --columns, tables as comma-separated values
    /// or Parquet
    #[arg(value_name = "LOG", required = true)]
    pub(crate) logs: Vec<LogSource<InputPath>>,

    #[command(flatten)]
    pub(crate) history: HistoryArgs,

    /// What a job is: sql (each SQL execution with all its jobs; jobs outside of SQL are jobs too) or spark (each job of
    /// Spark) [default: sql if the log has SQL executions, else spark]
    #[arg(long, value_name = "UNIT")]
    pub(crate) jobs: Option<JobUnit>,

    /// What a job's user is read from: auto, property (user.name), property:NAME (on Databricks property:user),
    /// session (of SQL), pool, group, group:PATTERN (such as zeppelin|{user}|*), description, description:PATTERN,
    /// application (who started it), name (of the application) or queue. A job without it falls back to another
    #[arg(long, value_name = "RULE", default_value_t = UserRule::Auto)]
    pub(crate) users: UserRule,

    /// What policies know of a job's work: perfect, earlier (the mean of earlier runs of the same query) or factor:F
    #[arg(long, value_name = "ESTIMATES", default_value_t = EstimateModel::Perfect)]
    pub(crate) estimates: EstimateModel,

    /// The cluster's fairscheduler.xml, which a log does not have
    #[arg(long, value_name = "FILE")]
    pub(crate) pools: Option<InputPath>,

    /// The scheduler's mode [default: spark.scheduler.mode of the log]
    #[arg(long, value_enum)]
    pub(crate) mode: Option<SchedulerModeArg>,

    /// How much of the driver's time the scenario has: auto (median, or stage where the median is too far from the log),
    /// median, stage (each stage its own) or none. The replay always has that of each stage
    #[arg(long, value_name = "TIME", default_value_t = DriverTime::default())]
    pub(crate) driver_time: DriverTime,

    /// Which executors the scenario has: recorded (as they came and went) or dynamic (those that dynamic allocation
    /// asks for, with the log's settings and start-up time)
    #[arg(long, value_name = "EXECUTORS", default_value_t = ExecutorRule::Recorded)]
    pub(crate) executors: ExecutorRule,

    /// Let several applications share all executors as one application would, each in a pool of its own.
    /// Otherwise each keeps its own executors
    #[arg(long)]
    pub(crate) share: bool,

    /// Whether users wait for their answers: sessions (jobs that followed another do so again) or open (jobs arrive
    /// when they did)
    #[arg(long, value_enum, default_value_t = ArrivalsArg::Sessions)]
    pub(crate) arrivals: ArrivalsArg,

    /// Read a table with a row for each task: which column holds what, such as
    /// submit=submit_time,runtime=duration,job=job_id,user=owner,cores=cpus/100,unit=ms, or wta for the tasks of the
    /// Workflow Trace Archive (docs/importing.md)
    #[arg(long, value_name = "MAPPING", requires = "cores", conflicts_with_all = [
        "jobs", "users", "estimates", "pools", "mode", "driver_time", "executors", "arrivals", "observed", "share",
        "applications", "latest",
    ])]
    pub(crate) columns: Option<ColumnMapping>,

    /// Cores of the cluster of a table's scenario
    #[arg(long, value_name = "NUMBER", requires = "columns")]
    pub(crate) cores: Option<NonZeroU32>,

    /// Write the scenario to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) scenario: OutputPath,

    /// Write the trace of what happened to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) observed: Option<OutputPath>,

    /// Format of the report
    #[arg(long, value_enum, default_value_t = ImportFormat::Table)]
    pub(crate) format: ImportFormat,
}

/// How Spark's scheduler orders stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchedulerModeArg {
    /// In the order of jobs.
    Fifo,
    /// Between pools.
    Fair,
}

impl From<SchedulerModeArg> for PoolMode {
    fn from(mode: SchedulerModeArg) -> PoolMode {
        match mode {
            SchedulerModeArg::Fifo => PoolMode::Fifo,
            SchedulerModeArg::Fair => PoolMode::Fair,
        }
    }
}

/// How jobs arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArrivalsArg {
    /// After the job that their user waited for.
    Sessions,
    /// When they did.
    Open,
}

impl From<ArrivalsArg> for Sessions {
    fn from(arrivals: ArrivalsArg) -> Sessions {
        match arrivals {
            ArrivalsArg::Sessions => Sessions::Closed,
            ArrivalsArg::Open => Sessions::Open,
        }
    }
}

/// Formats of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// For people.
    Table,
    /// One JSON object.
    Json,
}
