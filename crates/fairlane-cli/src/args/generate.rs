//! The arguments of `generate`.

use std::str::FromStr;

use clap::{Args, ValueEnum};

use super::{ScenarioArg, advisory_task_runtime};
use crate::path::OutputPath;
use fairlane::scenario::generate::{Arrivals, Estimates, Preset, Sizes, Skew};
use fairlane::units::Span;

#[derive(Args, Debug)]
pub(crate) struct GenerateArgs {
    /// Generator file (docs/generate.md), for several groups of users; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["users", "jobs", "arrivals", "sizes", "stages",
        "partitions", "skew", "estimates", "executors", "cores", "overhead", "atr", "preset"])]
    pub(crate) spec: Option<ScenarioArg>,

    /// A paper's workload on its cluster, and what differs from the paper, such as justice:load=4:spread=0.2: paf,
    /// bopf, justice or decima (docs/generate.md)
    #[arg(long, value_name = "PRESET", conflicts_with_all = ["users", "jobs", "arrivals", "sizes", "stages",
        "partitions", "skew", "estimates", "executors", "cores", "overhead", "atr"])]
    pub(crate) preset: Option<Preset>,

    /// The same seed gives the same scenario; `random` draws one and reports it [default: 0, or the generator file's]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<Seed>,

    /// Jobs arrive before this time [default: 120 unless --jobs is given, or the generator file's]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) duration: Option<f64>,

    /// Scale job sizes so that the total work is this multiple of what the cores can do in the duration
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true)]
    pub(crate) load: Option<f64>,

    /// Number of users
    #[arg(long, value_name = "NUMBER", default_value_t = 4)]
    pub(crate) users: u32,

    /// Maximum number of jobs per user
    #[arg(long, value_name = "NUMBER")]
    pub(crate) jobs: Option<u32>,

    /// Arrivals of each user: poisson:PER_MINUTE, bursts:JOBS:EVERY_S[:JITTER_S], at-once[:SPACING_S] or scattered
    #[arg(long, value_name = "PROCESS", default_value = "poisson:8")]
    pub(crate) arrivals: Arrivals,

    /// Core-seconds of a job: fixed:S, exponential:MEAN_S or pareto:SHAPE:LEAST_S[:CAP_S]
    #[arg(long, value_name = "DISTRIBUTION", default_value = "exponential:24")]
    pub(crate) sizes: Sizes,

    /// One stage, or load, compute and collect in a chain
    #[arg(long, value_enum, default_value_t = Stages::Chain)]
    pub(crate) stages: Stages,

    /// Default number of tasks of the stage that does the work [default: number of cores]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) partitions: Option<u32>,

    /// How the work is distributed over the input: even, heavy:FACTOR or zipf:EXPONENT
    #[arg(long, value_name = "SHAPE", default_value = "even")]
    pub(crate) skew: Skew,

    /// Estimates that policies see: true, constant:S, factor:FACTOR or random:UP_TO_FACTOR
    #[arg(long, value_name = "KIND", default_value = "true")]
    pub(crate) estimates: Estimates,

    /// Executors of the cluster
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    pub(crate) executors: u32,

    /// Cores of each executor
    #[arg(long, value_name = "NUMBER", default_value_t = 4)]
    pub(crate) cores: u32,

    /// Time a task holds its core beyond its work
    #[arg(long, value_name = "SECONDS", default_value_t = 0.01, allow_negative_numbers = true)]
    pub(crate) overhead: f64,

    /// Advisory task runtime for runtime partitioning, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = advisory_task_runtime,
        allow_negative_numbers = true)]
    pub(crate) atr: Span,

    /// Write the scenario to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<OutputPath>,

    /// Write the equivalent generator file instead of the scenario
    #[arg(long)]
    pub(crate) print_spec: bool,
}

/// A seed, given or to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seed {
    /// This one.
    Given(u64),
    /// A random one.
    Random,
}

impl FromStr for Seed {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Seed, &'static str> {
        match text.trim() {
            "random" => Ok(Seed::Random),
            number => number
                .parse()
                .map(Seed::Given)
                .map_err(|_| "must be a whole number from 0 to 18446744073709551615, or random"),
        }
    }
}

/// Shapes of generated jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stages {
    /// All work in one stage.
    Single,
    /// Load, compute, collect.
    Chain,
}
