//! The command line. Stable: scripts depend on it.

mod sweep;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::generate::GenerateArgs;
use super::input::Source;
pub(super) use sweep::{BatchArgs, SweepArgs, SweepFormat};

use crate::policy::{PolicyId, UnknownPolicy};
use crate::units::{Span, micros_from_seconds};

/// An exact simulator of Apache Spark's task scheduler for many users on one cluster.
#[derive(Debug, Parser)]
#[command(name = "fairlane", version, max_term_width = 100)]
pub(super) struct CommandLine {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Simulate a scenario under one policy and print its jobs
    Simulate(SimulateArgs),
    /// Compare policies on a scenario, a row per policy
    Compare(CompareArgs),
    /// Measure policies over a grid of settings, a row per point, on all cores
    Sweep(SweepArgs),
    /// Read scenarios or points of a sweep from standard input, a line each, and print a result line for each
    Batch(BatchArgs),
    /// Tell how far the simulator is from what was measured on real Spark
    Report(ReportArgs),
    /// List the scenarios that come with Fairlane, or print one's file
    Catalog(CatalogArgs),
    /// Make a scenario file from a seed: users, arrivals, job sizes, skew, load
    Generate(Box<GenerateArgs>),
}

/// Where the scenario comes from and how it is to be cut.
#[derive(Args, Debug)]
pub(super) struct ScenarioArgs {
    /// Scenario file; - for standard input, catalog:NAME for one of `fairlane catalog`
    #[arg(value_name = "FILE")]
    pub(super) source: Source,

    /// Advisory task runtime of runtime partitioning in seconds, in place of the scenario's
    #[arg(long, value_name = "SECONDS", value_parser = advisory_task_runtime, allow_negative_numbers = true)]
    pub(super) atr: Option<Span>,
}

#[derive(Args, Debug)]
pub(super) struct SimulateArgs {
    #[command(flatten)]
    pub(super) scenario: ScenarioArgs,

    /// fifo, fair, ujf, cfq or uwfq; with -p for runtime partitioning, such as uwfq-p
    #[arg(long, value_parser = policy)]
    pub(super) policy: PolicyId,

    /// Write the trace, every task with its core and times, to this file
    #[arg(long, value_name = "FILE")]
    pub(super) trace: Option<PathBuf>,

    /// How to print the jobs
    #[arg(long, value_enum, default_value_t = SimulateFormat::Table)]
    pub(super) format: SimulateFormat,

    /// Print only the trace's hash, 16 hexadecimal digits
    #[arg(long, conflicts_with = "format")]
    pub(super) hash: bool,
}

#[derive(Args, Debug)]
pub(super) struct CompareArgs {
    #[command(flatten)]
    pub(super) scenario: ScenarioArgs,

    /// Policies, separated by commas [default: fair,ujf,cfq,uwfq, or what the catalog suggests]
    #[arg(long, value_parser = policy, value_delimiter = ',')]
    pub(super) policies: Vec<PolicyId>,

    /// How to print the figures
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    pub(super) format: CompareFormat,

    /// Tables to print, separated by commas; json and csv hold all figures in any case
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Metrics::Response, Metrics::Fairness])]
    pub(super) metrics: Vec<Metrics>,
}

#[derive(Args, Debug)]
pub(super) struct ReportArgs {
    /// Compare with this folder's workloads/*.json and schedules/*.json.gz, in place of the recorded
    /// schedules that come with Fairlane
    #[arg(long, value_name = "FOLDER")]
    pub(super) recorded: Option<PathBuf>,

    /// How to print it
    #[arg(long, value_enum, default_value_t = ReportFormat::Table)]
    pub(super) format: ReportFormat,

    /// Also print every job of every recorded run
    #[arg(long)]
    pub(super) jobs: bool,
}

/// How `report` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// Aligned columns for people.
    Table,
    /// Tables for a page of documentation.
    Markdown,
    /// One JSON object.
    Json,
    /// A heading and a line per job of every recorded run.
    Csv,
}

#[derive(Args, Debug)]
pub(super) struct CatalogArgs {
    /// Print this scenario's file
    pub(super) name: Option<String>,
}

/// How `simulate` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SimulateFormat {
    /// Aligned columns for people.
    Table,
    /// One JSON object.
    Json,
}

/// How `compare` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CompareFormat {
    /// Aligned columns for people.
    Table,
    /// One JSON object.
    Json,
    /// A heading and a line per policy.
    Csv,
}

/// Tables of `compare`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Metrics {
    /// Response times, in all and by user, slowdown, makespan.
    Response,
    /// Violations and slacks against UJF and the ideal, Jain's index, the bound.
    Fairness,
    /// Response times and slowdowns of the quickest 80 %, the next 15 % and the slowest 5 %.
    Groups,
    /// Each user's response time and violations against UJF.
    Users,
    /// Utilization, inversion time, idle time behind stragglers.
    Cores,
    /// Every table.
    All,
}

fn policy(text: &str) -> Result<PolicyId, UnknownPolicy> {
    text.trim().parse()
}

pub(super) fn advisory_task_runtime(text: &str) -> Result<Span, String> {
    let seconds: f64 =
        text.trim().parse().map_err(|_| "must be a number of seconds, such as 0.5".to_owned())?;
    match micros_from_seconds(seconds).map_err(|error| error.to_string())? {
        0 => Err("rounds to 0 microseconds; give at least 0.000001 s".to_owned()),
        micros => Ok(Span(micros)),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }
}
