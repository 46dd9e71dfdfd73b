//! The command `fairlane-train`.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use fairlane::policy::decima;
use fairlane_train::evaluate::{self, Row};
use fairlane_train::train::{self, Training};
use fairlane_train::workload;
use serde_json::json;

/// Trains the policy decima, and measures it.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Imitates the teacher; goes on where it was stopped.
    Imitate {
        /// The weights' file; the learning curve and the state are beside it.
        weights: PathBuf,
        /// Rounds of eight workloads.
        #[arg(long, default_value_t = 400)]
        rounds: u32,
        /// The first workload's seed, and that of the first weights.
        #[arg(long, default_value_t = 1)]
        seed: u32,
    },
    /// Improves weights by policy gradients; goes on where it was stopped.
    Improve {
        /// The weights' file.
        weights: PathBuf,
        /// Rounds of 24 rollouts.
        #[arg(long, default_value_t = 200)]
        rounds: u32,
        /// The first workload's seed.
        #[arg(long, default_value_t = 20_000)]
        seed: u32,
    },
    /// Compares average job completion times on workloads that were not trained on.
    Evaluate {
        /// The weights' file; the repository's without.
        #[arg(long)]
        weights: Option<PathBuf>,
        /// Batches of 20 jobs.
        #[arg(long, default_value_t = 100)]
        batches: u32,
        /// Streams of 200 jobs.
        #[arg(long, default_value_t = 20)]
        streams: u32,
        /// The first seed.
        #[arg(long, default_value_t = train::FIRST_TEST_SEED)]
        seed: u32,
        /// Prints JSON, with the points of the ECDFs.
        #[arg(long)]
        json: bool,
    },
    /// Prints a workload as a scenario.
    Workload { kind: Kind, seed: u32 },
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Batch,
    Stream,
}

fn print(title: &str, rows: &[Row]) {
    println!("{title:<32}  mean s    +-   decima / it   +-");
    for row in rows {
        println!(
            "{:<32}{:8.2}{:6.2}{:14.3}{:7.3}",
            row.policy, row.mean_s, row.half_width_s, row.decima_over_it, row.half_width_of_ratio
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    match Arguments::parse().command {
        Command::Imitate { weights, rounds, seed } => {
            Training::open(&weights, train::IMITATION, seed)?.imitate(rounds, seed)?;
        }
        Command::Improve { weights, rounds, seed } => {
            Training::open(&weights, train::IMPROVEMENT, seed)?.improve(rounds, seed)?;
        }
        Command::Evaluate { weights, batches, streams, seed, json } => {
            if let Some(path) = weights {
                decima::install(&fs::read(path)?)?;
            }
            let batches = evaluate::compare(seed..seed + batches, workload::batch);
            let streams =
                evaluate::compare(seed..seed + streams, |seed| workload::stream(seed, workload::STREAM));
            if json {
                println!("{}", json!({ "seed": seed, "batches": batches, "streams": streams }));
            } else {
                print("batches", &batches);
                print("streams", &streams);
            }
        }
        Command::Workload { kind, seed } => {
            let scenario = match kind {
                Kind::Batch => workload::batch(seed),
                Kind::Stream => workload::stream(seed, workload::STREAM),
            };
            println!("{}", scenario.to_json());
        }
    }
    Ok(())
}
