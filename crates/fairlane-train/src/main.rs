//! The command `fairlane-train`.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use fairlane::policy::decima::{self, network::Weights};
use fairlane_train::evaluate::{self, Row};
use fairlane_train::train::{self, CurvePoint, Training};
use fairlane_train::{plot, workload};
use serde_json::json;

/// Trains the policy decima, and measures it.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Trains weights by evolution strategies; goes on where it was stopped.
    Train {
        /// The weights' file; the learning curve and the state are beside it.
        weights: PathBuf,
        /// Rounds of 24 pairs of trials.
        #[arg(long, default_value_t = 1200)]
        rounds: u32,
        /// The first workload's seed, and that of the first weights.
        #[arg(long, default_value_t = 1)]
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
        /// Draws the ECDFs of batches into this SVG file.
        #[arg(long)]
        ecdf: Option<PathBuf>,
    },
    /// Draws a learning curve into an SVG file.
    Plot {
        /// The file of JSON lines beside the weights.
        curve: PathBuf,
        /// The picture.
        svg: PathBuf,
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
        Command::Train { weights, rounds, seed } => Training::open(&weights, seed)?.run(rounds, seed)?,
        Command::Evaluate { weights, batches, streams, seed, json, ecdf } => {
            if let Some(path) = weights {
                decima::install_weights(Weights::from_bytes(&fs::read(path)?)?);
            }
            let batches = evaluate::compare(seed..seed + batches, workload::batch);
            let streams =
                evaluate::compare(seed..seed + streams, |seed| workload::stream(seed, workload::STREAM));
            if let Some(path) = ecdf {
                // Without those that would lie on another, and the slow ones.
                let shown = |row: &&Row| !["fifo", "tetris", "wfair 1"].contains(&row.policy.as_str());
                plot::ecdf(&batches.iter().filter(shown).collect::<Vec<_>>(), &path)?;
            }
            if json {
                println!("{}", json!({ "seed": seed, "batches": batches, "streams": streams }));
            } else {
                print("batches", &batches);
                print("streams", &streams);
            }
        }
        Command::Plot { curve, svg } => {
            let lines = fs::read_to_string(curve)?;
            let points: Result<Vec<CurvePoint>, _> = lines.lines().map(serde_json::from_str).collect();
            plot::learning_curve(&points?, &svg)?;
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
