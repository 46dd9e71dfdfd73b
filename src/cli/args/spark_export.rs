//! The arguments of `fairlane spark-export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ScenarioArgs, policy};
use crate::policy::PolicyId;

#[derive(Args, Debug)]
pub(in crate::cli) struct SparkExportArgs {
    #[command(flatten)]
    pub(in crate::cli) scenario: ScenarioArgs,

    /// A policy that Spark has: fifo, fair, or ujf (a pool for each user); -p for the tasks of runtime partitioning
    #[arg(long, value_parser = policy)]
    pub(in crate::cli) policy: PolicyId,

    /// Write play.py, workload.json and pools.xml to this folder, which is made if it does not exist
    #[arg(short = 'o', long = "output", value_name = "FOLDER")]
    pub(in crate::cli) folder: PathBuf,

    /// Also export a scenario in which a task's time depends on where or when it runs, without that
    #[arg(long)]
    pub(in crate::cli) lossy: bool,

    /// Format of the report
    #[arg(long, value_enum, default_value_t = SparkExportFormat::Text)]
    pub(in crate::cli) format: SparkExportFormat,
}

/// Formats of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum SparkExportFormat {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}
