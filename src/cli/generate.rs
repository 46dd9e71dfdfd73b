//! `fairlane generate`: a seeded workload as a scenario file.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::advisory_task_runtime;
use super::input::{self, Source};
use super::{CliError, output};
use crate::scenario::generate::{Arrivals, Estimates, Group, Sizes, Skew, Stage};
use crate::scenario::{Cluster, Generator, Partitioning, Scenario, ScenarioError};
use crate::units::{Span, micros_from_seconds};

#[derive(Args, Debug)]
pub(super) struct GenerateArgs {
    /// Generator file (docs/generate.md), for several groups of users; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["users", "jobs", "arrivals", "sizes", "stages", "partitions", "skew", "estimates", "executors", "cores", "overhead", "atr"])]
    spec: Option<Source>,

    /// The same seed gives the same scenario [default: 0, or the generator file's]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// Jobs arrive before this instant [default: 120 unless --jobs is given, or the generator file's]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    duration: Option<f64>,

    /// Scale the sizes so that all work is this many times what the cores can do in the duration
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true)]
    load: Option<f64>,

    /// Number of users
    #[arg(long, value_name = "NUMBER", default_value_t = 4)]
    users: u32,

    /// The most jobs of each user
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<u32>,

    /// poisson:PER_MINUTE, bursts:JOBS:EVERY_S[:JITTER_S], at-once[:SPACING_S] or scattered, for each user
    #[arg(long, value_name = "PROCESS", default_value = "poisson:8")]
    arrivals: Arrivals,

    /// Core-seconds of a job: fixed:S, exponential:MEAN_S or pareto:SHAPE:LEAST_S[:CAP_S]
    #[arg(long, value_name = "DISTRIBUTION", default_value = "exponential:24")]
    sizes: Sizes,

    /// One stage, or load, compute and collect in a chain
    #[arg(long, value_enum, default_value_t = Stages::Chain)]
    stages: Stages,

    /// Default number of tasks of the stage that holds the work [default: the cores]
    #[arg(long, value_name = "NUMBER")]
    partitions: Option<u32>,

    /// How the work lies over its input: even, heavy:FACTOR or zipf:EXPONENT
    #[arg(long, value_name = "SHAPE", default_value = "even")]
    skew: Skew,

    /// What policies are told: true, constant:S, factor:FACTOR or random:UP_TO_FACTOR
    #[arg(long, value_name = "KIND", default_value = "true")]
    estimates: Estimates,

    /// Executors of the cluster
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    executors: u32,

    /// Cores of each executor
    #[arg(long, value_name = "NUMBER", default_value_t = 4)]
    cores: u32,

    /// Time a task holds its core beyond its work
    #[arg(long, value_name = "SECONDS", default_value_t = 0.01, allow_negative_numbers = true)]
    overhead: f64,

    /// Advisory task runtime of runtime partitioning in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = advisory_task_runtime, allow_negative_numbers = true)]
    atr: Span,

    /// Write the scenario to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write the generator file that the options amount to instead of the scenario
    #[arg(long)]
    print_spec: bool,
}

/// Shapes of generated jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stages {
    /// All work in one stage.
    Single,
    /// Load, compute, collect.
    Chain,
}

pub(super) fn run(args: &GenerateArgs) -> Result<(), CliError> {
    let (subject, generator) = match &args.spec {
        Some(source) => (source.to_string(), from_file(source, args)?),
        None => ("generate".to_owned(), from_options(args)?),
    };
    let told = |error: ScenarioError| CliError::new(&subject, error.to_string());
    // Even if only the generator is asked for: one that makes no scenario is a fault.
    let scenario: Scenario = generator.scenario().map_err(told)?;
    let text = if args.print_spec { generator.to_json() } else { scenario.to_json() } + "\n";
    match &args.output {
        Some(path) => output::write_file(path, |writer| writer.write_all(text.as_bytes())),
        None => output::print(&text),
    }
}

fn from_file(source: &Source, args: &GenerateArgs) -> Result<Generator, CliError> {
    let file = input::generator(source)?;
    Ok(Generator {
        seed: args.seed.unwrap_or(file.seed),
        duration_s: args.duration.or(file.duration_s),
        load: args.load.or(file.load),
        ..file
    })
}

fn from_options(args: &GenerateArgs) -> Result<Generator, CliError> {
    let overhead =
        micros_from_seconds(args.overhead).map_err(|error| CliError::new("--overhead", error.to_string()))?;
    let mut stages = match args.stages {
        Stages::Single => Stage::single(),
        Stages::Chain => Stage::chain(),
    };
    for stage in stages.iter_mut().filter(|stage| stage.share.is_some()) {
        stage.partitions = args.partitions;
        stage.skew = args.skew;
    }
    let default = Generator::default();
    Ok(Generator {
        seed: args.seed.unwrap_or_default(),
        // Whoever gives a number of jobs wants all of them.
        duration_s: args.duration.or_else(|| default.duration_s.filter(|_| args.jobs.is_none())),
        load: args.load,
        cluster: Cluster {
            executors: args.executors,
            cores_per_executor: args.cores,
            task_overhead: Span(overhead),
            ..Cluster::default()
        },
        partitioning: Partitioning { advisory_task_runtime: args.atr, ..Partitioning::default() },
        groups: vec![Group {
            users: args.users,
            jobs: args.jobs,
            arrivals: args.arrivals,
            sizes: args.sizes,
            stages,
            estimates: args.estimates,
            ..Group::default()
        }],
        ..default
    })
}
