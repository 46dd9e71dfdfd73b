//! `fairlane generate`: a seeded workload as a scenario file.

use super::args::{GenerateArgs, ScenarioArg, Seed, Stages};
use super::output::Printed;
use super::{CliError, input, output, print_error};
use fairlane::scenario::generate::{Preset, StageTemplate, UserGroup};
use fairlane::scenario::{Cluster, Generator, Partitioning};
use fairlane::units::{Span, micros_from_seconds};

pub(super) fn run(args: &GenerateArgs) -> Result<(), CliError> {
    let seed = match args.seed {
        None => None,
        Some(Seed::Given(seed)) => Some(seed),
        Some(Seed::Random) => Some(u64::from(getrandom::u32().map_err(|error| {
            CliError::new("--seed", format!("cannot draw a random number: {error}; give one"))
        })?)),
    };
    let (seed, text) = generated(args, seed)?;
    if args.seed == Some(Seed::Random) {
        print_error(&format!("drew the seed {seed}; --seed {seed} gives the same scenario"));
    }
    let text = text + "\n";
    match &args.output {
        Some(path) => path.write(|writer| writer.write_all(text.as_bytes())),
        None => output::print(&Printed::Data(text)),
    }
}

/// The seed and the text of what the options describe.
fn generated(args: &GenerateArgs, seed: Option<u64>) -> Result<(u64, String), CliError> {
    let (subject, generator) = match (&args.spec, &args.preset) {
        (Some(source), _) => (source.to_string(), from_file(source, args, seed)?),
        (None, Some(preset)) => ("generate".to_owned(), from_preset(preset, args, seed)),
        (None, None) => ("generate".to_owned(), from_options(args, seed)?),
    };
    // Also for --print-spec: a generator that yields no scenario is an error.
    let scenario = generator.scenario().map_err(|error| CliError::new(&subject, error.to_string()))?;
    Ok((generator.seed, if args.print_spec { generator.to_json() } else { scenario.to_json() }))
}

fn from_file(source: &ScenarioArg, args: &GenerateArgs, seed: Option<u64>) -> Result<Generator, CliError> {
    let file = input::generator(source)?;
    Ok(Generator {
        seed: seed.unwrap_or(file.seed),
        duration_s: args.duration.or(file.duration_s),
        load: args.load.or(file.load),
        ..file
    })
}

fn from_preset(preset: &Preset, args: &GenerateArgs, seed: Option<u64>) -> Generator {
    Generator {
        seed: seed.unwrap_or_default(),
        // Refused with a reason if they are given.
        duration_s: args.duration,
        load: args.load,
        ..preset.clone().into()
    }
}

fn from_options(args: &GenerateArgs, seed: Option<u64>) -> Result<Generator, CliError> {
    let overhead =
        micros_from_seconds(args.overhead).map_err(|error| CliError::new("--overhead", error.to_string()))?;
    let mut stages = match args.stages {
        Stages::Single => StageTemplate::single(),
        Stages::Chain => StageTemplate::chain(),
    };
    for stage in stages.iter_mut().filter(|stage| stage.share.is_some()) {
        stage.partitions = args.partitions;
        stage.skew = args.skew;
    }
    let default = Generator::default();
    let mut cluster = Cluster::new(args.executors, args.cores);
    cluster.task_overhead = Span(overhead);
    Ok(Generator {
        seed: seed.unwrap_or_default(),
        // With a number of jobs, all of them arrive unless a duration is given too.
        duration_s: args.duration.or_else(|| default.duration_s.filter(|_| args.jobs.is_none())),
        load: args.load,
        cluster,
        partitioning: Partitioning { advisory_task_runtime: args.atr, ..Partitioning::default() },
        groups: vec![UserGroup {
            users: args.users,
            jobs: args.jobs,
            arrivals: args.arrivals,
            sizes: args.sizes,
            stages,
            estimates: args.estimates,
            ..UserGroup::default()
        }],
        ..default
    })
}
