//! The arguments of `sweep` and `batch`.

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::{ScenarioArg, advisory_task_runtime};
use crate::path::{InputPath, OutputPath};
use crate::program::PolicyArg;
use fairlane::units::Span;
use fairlane_study::sweep::{Grid, Setting};
use fairlane_view::export::Selection;

#[derive(Args, Debug)]
pub(crate) struct SweepArgs {
    /// Scenario file, - for standard input, or catalog:NAME for a built-in scenario
    #[arg(value_name = "FILE")]
    pub(crate) source: ScenarioArg,

    /// Policies, separated by commas [default: as for `compare`]
    #[arg(long, value_delimiter = ',')]
    pub(crate) policies: Vec<PolicyArg>,

    /// Advisory task runtimes for runtime partitioning, in seconds, such as 0.1,0.2,0.5 [default: the scenario's]
    #[arg(long, value_name = "SECONDS", value_parser = advisory_task_runtime, value_delimiter = ',',
        allow_negative_numbers = true)]
    pub(crate) atr: Vec<Span>,

    /// Load factors, such as 0.5,0.8,1: arrival times are divided by them
    #[arg(long, value_name = "FACTORS", value_parser = load, value_delimiter = ',', allow_negative_numbers = true)]
    pub(crate) load: Vec<f64>,

    /// Estimate errors, such as 1,2,4: each estimate is multiplied by a random number between 1/FACTOR and FACTOR
    #[arg(long, value_name = "FACTORS", value_parser = estimate_error, value_delimiter = ',',
        allow_negative_numbers = true)]
    pub(crate) estimate_error: Vec<f64>,

    /// A field of the scenario and values for it, such as cluster.executors=2,4,8 or cluster.speeds=[1,1],[1,0.25];
    /// null leaves it out. Several fields are set in the order given
    #[arg(long = "set", value_name = "FIELD=VALUES", value_parser = axis)]
    pub(crate) set: Vec<AxisArg>,

    /// Pools files (fairscheduler.xml) for the policy spark
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub(crate) pools: Vec<InputPath>,

    /// Mark the rows that no other beats in mean response time and core-hours held; they are printed when all are
    /// measured
    #[arg(long)]
    pub(crate) pareto: bool,

    /// Random seeds, such as 1..20 (inclusive) or 1,2,5
    #[arg(long, value_name = "SEEDS", value_parser = seeds, value_delimiter = ',', allow_negative_numbers = true)]
    pub(crate) seeds: Vec<Seeds>,

    /// Metrics to compute, by their keys in the rows, such as mean_response_s,p95_response_s [default: all]
    #[arg(long, value_name = "KEYS", value_parser = metrics)]
    pub(crate) metrics: Option<Selection>,

    /// Number of threads [default: number of cores]
    #[arg(long)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Append finished rows to this file (JSON lines); the same command resumes an interrupted sweep
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<OutputPath>,

    /// Output format [default: jsonl; with --out, nothing is printed]
    #[arg(long, value_enum)]
    pub(crate) format: Option<SweepFormat>,

    /// Print the points as input lines for `fairlane batch` instead of measuring them
    #[arg(long, conflicts_with_all = ["out", "format", "threads", "pareto"])]
    pub(crate) points: bool,

    /// Include the scenario in each line, for machines that do not have the file
    #[arg(long, requires = "points")]
    pub(crate) inline: bool,
}

#[derive(Args, Debug)]
pub(crate) struct BatchArgs {
    /// Policy for lines that do not name one
    #[arg(long)]
    pub(crate) policy: Option<PolicyArg>,

    /// Advisory task runtime in seconds for lines that do not name one [default: their scenario's]
    #[arg(long, value_name = "SECONDS", value_parser = advisory_task_runtime, allow_negative_numbers = true)]
    pub(crate) atr: Option<Span>,

    /// Metrics to compute for lines that do not name any, by their keys in the results [default: all]
    #[arg(long, value_name = "KEYS", value_parser = metrics)]
    pub(crate) metrics: Option<Selection>,

    /// Number of threads [default: number of cores]
    #[arg(long)]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Output formats of `sweep`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SweepFormat {
    /// One JSON object per line and point.
    Jsonl,
    /// A header, then one line per point.
    Csv,
}

/// A range of seeds, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seeds {
    first: u64,
    last: u64,
}

impl Seeds {
    /// The seeds in ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = u64> {
        self.first..=self.last
    }
}

/// A field and its values.
#[derive(Clone, Debug)]
pub(crate) struct AxisArg(pub(crate) Vec<Setting>);

/// A value is JSON, or else a word.
fn axis(text: &str) -> Result<AxisArg, String> {
    let (path, values) =
        text.split_once('=').ok_or("must be FIELD=VALUES, such as cluster.executors=2,4,8")?;
    let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let settings = list(values).into_iter();
    let settings: Vec<Setting> =
        settings.map(|text| Setting(path.trim().to_owned(), value(text.trim()))).collect();
    settings.iter().try_for_each(|setting| setting.edit().map(drop))?;
    Ok(AxisArg(settings))
}

/// The parts of a list between its commas. Those within brackets, braces and quotes belong to a value in JSON.
fn list(text: &str) -> Vec<&str> {
    let (mut depth, mut is_quoted, mut is_escaped) = (0_u32, false, false);
    let is_between = move |char: char| {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '[' | '{' if !is_quoted => depth += 1,
            ']' | '}' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        char == ',' && depth == 0 && !is_quoted
    };
    text.split(is_between).collect()
}

fn metrics(text: &str) -> Result<Selection, String> {
    Selection::new(text.split(','))
}

pub(super) fn seeds(text: &str) -> Result<Seeds, String> {
    let whole = |text: &str| {
        text.trim()
            .parse::<u64>()
            .map_err(|_| "must be whole numbers, 0 or more, such as 1..20 or 1,2,5".to_owned())
    };
    let Some((first, last)) = text.split_once("..") else {
        let seed = whole(text)?;
        return Ok(Seeds { first: seed, last: seed });
    };
    let (first, last) = (whole(first)?, whole(last)?);
    if first > last {
        return Err(format!("runs backwards; write {last}..{first}"));
    }
    if last - first >= Grid::MAX_POINTS as u64 {
        return Err(format!("has more than {} seeds, the limit of a sweep", Grid::MAX_POINTS));
    }
    Ok(Seeds { first, last })
}

pub(super) fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "must be a number, such as 0.8".to_owned())
}

pub(super) fn load(text: &str) -> Result<f64, String> {
    let factor = number(text)?;
    match factor.is_finite() && factor > 0.0 {
        true => Ok(factor),
        false => Err("must be a finite number above 0; 1 leaves arrivals as they are".to_owned()),
    }
}

pub(super) fn estimate_error(text: &str) -> Result<f64, String> {
    let factor = number(text)?;
    match factor.is_finite() && factor >= 1.0 {
        true => Ok(factor),
        false => Err("must be a finite number, 1 or more; 1 leaves estimates as they are".to_owned()),
    }
}
