//! The arguments of `fairlane spark-export`.

use clap::{Args, ValueEnum};

use super::ScenarioArgs;
use crate::path::OutputFolder;
use fairlane::policy::PolicyId;

#[derive(Args, Debug)]
pub(crate) struct SparkExportArgs {
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// A policy that Spark has: spark (the scenario's mode and pools), fifo, fair, or ujf (a pool for each user); -p
    /// for the tasks of runtime partitioning
    #[arg(long)]
    pub(crate) policy: PolicyId,

    /// Write play.py, workload.json and pools.xml to this folder, which is made if it does not exist
    #[arg(short = 'o', long = "output", value_name = "FOLDER")]
    pub(crate) folder: OutputFolder,

    /// Also export a scenario with what Spark cannot play (warm_factor, inflation, max_share), without that
    #[arg(long)]
    pub(crate) lossy: bool,

    /// Format of the report
    #[arg(long, value_enum, default_value_t = SparkExportFormat::Text)]
    pub(crate) format: SparkExportFormat,
}

/// Formats of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SparkExportFormat {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}
