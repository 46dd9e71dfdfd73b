//! The command line. Stable: scripts depend on it.

mod generate;
mod grade;
mod history;
mod html;
mod import;
mod lesson;
mod open;
mod spark_export;
mod sweep;
mod tune;

use std::ffi::OsString;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::LazyLock;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(super) use generate::{GenerateArgs, Seed, Stages};
pub(super) use grade::GradeArgs;
pub(super) use history::{HistoryArgs, LogSource, ServerAddress};
pub(super) use html::HtmlArgs;
pub(super) use import::{ImportArgs, ImportFormat};
pub(super) use lesson::{LessonArgs, LessonCheckArgs, LessonCommand};
pub(super) use open::OpenArgs;
pub(super) use spark_export::{SparkExportArgs, SparkExportFormat};
pub(super) use sweep::{AxisArg, BatchArgs, Seeds, SweepArgs, SweepFormat};
pub(super) use tune::{TuneArgs, TuneFormat};

use super::path::{InputPath, OutputPath};
use super::program::PolicyArg;
use fairlane::policy::{Info, PolicyGroup};
use fairlane::units::{Span, micros_from_seconds};

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
    #[command(after_help = POLICIES.as_str())]
    Simulate(SimulateArgs),
    /// Compare policies on a scenario, one row per policy
    #[command(after_help = POLICIES.as_str())]
    Compare(CompareArgs),
    /// Measure policies over a grid of settings on all cores, one row per point
    #[command(after_help = POLICIES.as_str())]
    Sweep(SweepArgs),
    /// Find the value of a policy's parameter that makes a metric best, over seeds
    #[command(after_help = POLICIES.as_str())]
    Tune(TuneArgs),
    /// Check what each policy guarantees in a scenario: bursts, fairness, no gain by lying, no idle cores
    #[command(after_help = POLICIES.as_str())]
    Properties(PropertiesArgs),
    /// Read scenarios or sweep points from standard input, one per line, and print one result line for each
    Batch(BatchArgs),
    /// Compare the simulator with measurements on real Spark
    Report(ReportArgs),
    /// List the built-in scenarios, or print one of them as a file
    Catalog(CatalogArgs),
    /// Generate a scenario file from a seed: users, arrivals, job sizes, skew, load
    Generate(Box<GenerateArgs>),
    /// Make a scenario of a Spark event log, and a trace of what happened
    Import(ImportArgs),
    /// Open logs of Spark or a scenario on the page, in the browser
    Open(OpenArgs),
    /// Check a lesson that you write, or begin one
    Lesson(LessonArgs),
    /// Grade what students have handed in: every answer is simulated again
    Grade(GradeArgs),
    /// Write a scenario as a PySpark program that plays it on a real cluster and logs what happens
    SparkExport(SparkExportArgs),
}

/// A scenario, and the advisory task runtime to use with it.
#[derive(Args, Debug)]
pub(super) struct ScenarioArgs {
    /// Scenario file, - for standard input, or catalog:NAME for a built-in scenario
    #[arg(value_name = "FILE")]
    pub(super) source: ScenarioArg,

    /// Advisory task runtime for runtime partitioning, in seconds [default: the scenario's]
    #[arg(long, value_name = "SECONDS", value_parser = advisory_task_runtime, allow_negative_numbers = true)]
    pub(super) atr: Option<Span>,
}

#[derive(Args, Debug)]
pub(super) struct SimulateArgs {
    #[command(flatten)]
    pub(super) scenario: ScenarioArgs,

    /// One of the policies below
    #[arg(long)]
    pub(super) policy: PolicyArg,

    /// Write the trace, every task with its core and times, to this file
    #[arg(long, value_name = "FILE")]
    pub(super) trace: Option<OutputPath>,

    /// Write the schedule for Perfetto or chrome://tracing to this file: executors, cores, tasks, counts by user
    #[arg(long, value_name = "FILE")]
    pub(super) chrome_trace: Option<OutputPath>,

    /// Draw the schedule, each task with its facts, to this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hash", "by"])]
    pub(super) svg: Option<OutputPath>,

    #[command(flatten)]
    pub(super) html: HtmlArgs,

    /// What a row is: a job, or a job group from its first arrival to its last finish
    #[arg(long, value_enum, default_value_t = ResponseUnit::Job)]
    pub(super) by: ResponseUnit,

    /// Also print what the policy decided about users and jobs, such as their admission, with the numbers behind it
    #[arg(long, conflicts_with = "by")]
    pub(super) decisions: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t = SimulateFormat::Table)]
    pub(super) format: SimulateFormat,

    /// Print only the trace's hash, 16 hexadecimal digits
    #[arg(long, conflicts_with_all = ["format", "decisions", "by"])]
    pub(super) hash: bool,
}

#[derive(Args, Debug)]
pub(super) struct CompareArgs {
    #[command(flatten)]
    pub(super) scenario: ScenarioArgs,

    /// Policies, separated by commas [default: those that the catalog suggests, else fair,ujf,cfq,uwfq]
    #[arg(long, value_delimiter = ',')]
    pub(super) policies: Vec<PolicyArg>,

    /// Write the schedules side by side for Perfetto or chrome://tracing to this file
    #[arg(long, value_name = "FILE", conflicts_with = "by")]
    pub(super) chrome_trace: Option<OutputPath>,

    /// Draw the schedules on one time axis, each task with its facts, to this file
    #[arg(long, value_name = "FILE", conflicts_with = "by")]
    pub(super) svg: Option<OutputPath>,

    #[command(flatten)]
    pub(super) html: HtmlArgs,

    /// Output format
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    pub(super) format: CompareFormat,

    /// What counts as one response: a job, or a job group from its first arrival to its last finish
    #[arg(long, value_enum, default_value_t = ResponseUnit::Job, conflicts_with = "html")]
    pub(super) by: ResponseUnit,

    /// Tables to print, separated by commas; json and csv always hold all figures, but the waiting only json if asked
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_values_t = [MetricsTables::Response, MetricsTables::Fairness],
        conflicts_with = "by"
    )]
    pub(super) metrics: Vec<MetricsTables>,
}

#[derive(Args, Debug)]
pub(super) struct PropertiesArgs {
    #[command(flatten)]
    pub(super) scenario: ScenarioArgs,

    /// Policies, separated by commas [default: those that the catalog suggests, else fair,ujf,cfq,uwfq]
    #[arg(long, value_delimiter = ',')]
    pub(super) policies: Vec<PolicyArg>,

    /// Number of threads [default: number of cores]
    #[arg(long)]
    pub(super) threads: Option<NonZeroUsize>,

    /// Output format
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    pub(super) format: CompareFormat,
}

/// What responses are measured of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ResponseUnit {
    /// Every job.
    Job,
    /// The jobs of one user that carry the same `group`, and each job that carries none.
    Group,
}

/// Output formats of `compare` and `properties`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CompareFormat {
    /// Aligned columns.
    Table,
    /// One JSON object.
    Json,
    /// A header, then one line per policy.
    Csv,
}

#[derive(Args, Debug)]
pub(super) struct ReportArgs {
    /// Compare with workloads/*.json and schedules/*.json.gz of this folder instead of the built-in recordings
    #[arg(long, value_name = "FOLDER")]
    pub(super) recorded: Option<InputPath>,

    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Table)]
    pub(super) format: ReportFormat,

    /// Also print every job of every recorded run
    #[arg(long)]
    pub(super) jobs: bool,
}

/// Output formats of `report`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// Aligned columns.
    Table,
    /// Markdown tables.
    Markdown,
    /// One JSON object.
    Json,
    /// A header, then one line per job of every recorded run.
    Csv,
}

#[derive(Args, Debug)]
pub(super) struct CatalogArgs {
    /// Scenario to print
    pub(super) name: Option<String>,

    /// Output format of the list
    #[arg(long, value_enum, default_value_t = CatalogFormat::Text, conflicts_with = "name")]
    pub(super) format: CatalogFormat,
}

/// Output formats of `catalog`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CatalogFormat {
    /// For people.
    Text,
    /// One JSON list.
    Json,
}

/// Output formats of `simulate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SimulateFormat {
    /// Aligned columns.
    Table,
    /// One JSON object.
    Json,
}

/// Tables of `compare`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MetricsTables {
    /// Response times overall and by user, slowdown, makespan.
    Response,
    /// Violations and slacks against UJF and the ideal, Jain's index, the bound.
    Fairness,
    /// Response times and slowdowns of the fastest 80 %, the next 15 % and the slowest 5 %.
    Groups,
    /// Each user's response time and violations against UJF.
    Users,
    /// Utilization, inversion time, core time left idle by stragglers, memory.
    Cores,
    /// Deadlines met, productive and wasted time; printed along with the response times.
    Deadlines,
    /// Response times by kind of queue and dominant shares; printed along with the response times.
    Queues,
    /// Who waited for whom: core time short of the fair share, by the users who hold more than theirs.
    Waiting,
    /// Every table.
    All,
}

/// A scenario's origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ScenarioArg {
    /// `-`.
    StandardInput,
    /// `catalog:NAME`.
    Catalog(String),
    /// Anything else.
    File(InputPath),
}

impl From<OsString> for ScenarioArg {
    fn from(text: OsString) -> ScenarioArg {
        match text.to_str().map(|text| (text, text.strip_prefix("catalog:"))) {
            Some(("-", _)) => ScenarioArg::StandardInput,
            Some((_, Some(name))) => ScenarioArg::Catalog(name.to_owned()),
            Some((_, None)) | None => ScenarioArg::File(text.into()),
        }
    }
}

/// The source as messages name it.
impl fmt::Display for ScenarioArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScenarioArg::StandardInput => f.write_str("standard input"),
            ScenarioArg::Catalog(name) => write!(f, "catalog:{name}"),
            ScenarioArg::File(path) => write!(f, "{}", path.path().display()),
        }
    }
}

/// The registered policies by group, listed below the options.
static POLICIES: LazyLock<String> = LazyLock::new(|| {
    let groups = PolicyGroup::listed();
    let width = groups.iter().flat_map(|(_, policies)| policies).map(|info| info.id.len()).max().unwrap_or(0);
    let line = |info: &&Info| format!("    {:width$}  {}\n", info.id, info.summary);
    let lines = groups.iter().map(|(group, policies)| {
        format!("  {}\n{}", group.title(), policies.iter().map(line).collect::<String>())
    });
    format!(
        "Policies:\n{}Append -p for runtime partitioning, such as uwfq-p.\n\
        custom:FILE takes a program of your own as a policy, custom and custom:NAME those of the scenario.",
        lines.collect::<String>()
    )
});

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
    use std::any::TypeId;
    use std::path::PathBuf;

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }

    /// What is neither an input nor an output would not be compared with the other paths.
    #[test]
    fn every_path_is_an_input_or_an_output() {
        let command = CommandLine::command();
        for argument in command.get_subcommands().flat_map(clap::Command::get_arguments) {
            let parsed = argument.get_value_parser().type_id();
            for path in [TypeId::of::<PathBuf>(), TypeId::of::<OsString>()] {
                assert!(parsed != path, "{} is a plain path", argument.get_id());
            }
        }
    }
}
