//! The arguments of `tune`.

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};

use super::ScenarioArg;
use super::sweep::{Seeds, estimate_error, load, number, seeds};
use crate::program::PolicyArg;
use fairlane_study::sweep::tune::{self, METRICS, Metric};

#[derive(Args, Debug)]
pub(crate) struct TuneArgs {
    /// Scenario or generator file, - for standard input, or catalog:NAME for a built-in scenario
    #[arg(value_name = "FILE")]
    pub(crate) source: ScenarioArg,

    /// One of the policies below
    #[arg(long)]
    pub(crate) policy: PolicyArg,

    /// The policy's parameter to tune, such as alpha, or atr under runtime partitioning
    #[arg(long, value_name = "NAME")]
    pub(crate) parameter: String,

    /// Its first value
    #[arg(long, value_name = "VALUE", value_parser = number, allow_negative_numbers = true)]
    pub(crate) from: f64,

    /// Its last value
    #[arg(long, value_name = "VALUE", value_parser = number, allow_negative_numbers = true)]
    pub(crate) to: f64,

    /// From one value to the next
    #[arg(long, value_name = "VALUE", value_parser = number, allow_negative_numbers = true)]
    pub(crate) step: f64,

    /// The metric that is to be as small as possible [default: mean-response]
    #[arg(long, value_name = "METRIC", value_parser = metric, conflicts_with = "maximise", long_help = metrics_help())]
    pub(crate) minimise: Option<Metric>,

    /// The metric that is to be as large as possible
    #[arg(long, value_name = "METRIC", value_parser = metric)]
    pub(crate) maximise: Option<Metric>,

    /// Random seeds to average over, such as 1..20 (inclusive) or 1,2,5
    #[arg(long, value_name = "SEEDS", value_parser = seeds, value_delimiter = ',', allow_negative_numbers = true)]
    pub(crate) seeds: Vec<Seeds>,

    /// Load factor, such as 0.8: arrival times are divided by it
    #[arg(long, value_name = "FACTOR", value_parser = load, default_value_t = 1.0, allow_negative_numbers = true)]
    pub(crate) load: f64,

    /// Estimate error, such as 2: each estimate is multiplied by a random number between 1/FACTOR and FACTOR
    #[arg(long, value_name = "FACTOR", value_parser = estimate_error, default_value_t = 1.0,
        allow_negative_numbers = true)]
    pub(crate) estimate_error: f64,

    /// Number of threads [default: number of cores]
    #[arg(long)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Output format
    #[arg(long, value_enum, default_value_t = TuneFormat::Table)]
    pub(crate) format: TuneFormat,
}

/// Output formats of `tune`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TuneFormat {
    /// Aligned columns and the best value.
    Table,
    /// One JSON object.
    Json,
    /// A header, then one line per value.
    Csv,
}

fn metric(text: &str) -> Result<Metric, String> {
    tune::metric(text.trim())
}

fn metrics_help() -> String {
    let width = METRICS.iter().map(|metric| metric.id.len()).max().unwrap_or(0);
    let lines = METRICS.iter().map(|metric| format!("\n  {:width$}  {}", metric.id, metric.title));
    format!(
        "The metric that is to be as small as possible [default: mean-response]{}",
        lines.collect::<String>()
    )
}
