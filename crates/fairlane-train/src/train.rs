//! A training: rounds of evolution, what they need to go on, and the learning curve.
//!
//! A round rests on nothing but the weights, Adam's means, the round's number and the seed, so that a training that was
//! stopped goes on as if it had not been.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fairlane::Scenario;
use fairlane::policy::decima::network::Weights;
use serde::{Deserialize, Serialize};

use crate::evolve::{self, Adam, PAIRS, completion};
use crate::random::MersenneTwister;
use crate::{parallel, workload};

/// Training seeds are below this one.
pub const FIRST_CHECK_SEED: u32 = 30_000;
/// Seeds of tests begin here; those between are for the learning curve.
pub const FIRST_TEST_SEED: u32 = 40_000;
/// Workloads on which a pair of disturbances is tried: a stream and two batches.
const WORKLOADS: u32 = 3;
/// Jobs of a stream to train on.
const STREAM_JOBS: usize = 40;
/// Rounds between two points of the learning curve.
const ROUNDS_PER_CHECK: u32 = 20;

/// A training: weights in a file, its state and its learning curve beside it.
pub struct Training {
    path: PathBuf,
    weights: Vec<f32>,
    state: TrainingState,
    curve: File,
}

/// A point of the learning curve: mean completion times on workloads with seeds from [`FIRST_CHECK_SEED`] on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Rounds until then.
    pub round: u32,
    /// Mean completion time on 20 batches, in seconds.
    pub batch_s: f64,
    /// Mean completion time on 4 streams of 100 jobs, in seconds.
    pub stream_s: f64,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct TrainingState {
    /// Rounds so far.
    round: u32,
    adam: Adam,
}

impl Training {
    /// Goes on with a training, or starts one.
    ///
    /// # Errors
    /// Files that cannot be read or written, or are not a training's.
    pub fn open(path: &Path, seed: u32) -> io::Result<Training> {
        let invalid =
            |error: &dyn std::fmt::Display| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
        let weights = match fs::read(path) {
            Ok(bytes) => Weights::from_bytes(&bytes).map_err(|error| invalid(&error))?.numbers().to_vec(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                evolve::initial(&mut MersenneTwister::new(seed))
            }
            Err(error) => return Err(error),
        };
        let state = match fs::read(path.with_extension("state")) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| invalid(&error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => TrainingState::default(),
            Err(error) => return Err(error),
        };
        let curve = OpenOptions::new().create(true).append(true).open(path.with_extension("jsonl"))?;
        Ok(Training { path: path.to_owned(), weights, state, curve })
    }

    fn save(&self) -> io::Result<()> {
        let bytes: Vec<u8> = self.weights.iter().flat_map(|number| number.to_le_bytes()).collect();
        fs::write(&self.path, bytes)?;
        fs::write(self.path.with_extension("state"), serde_json::to_vec(&self.state).expect("JSON"))
    }

    /// Adds a point to the learning curve, and saves.
    fn check(&mut self) -> io::Result<()> {
        let mean = |count: usize, workload: &(dyn Fn(u32) -> Scenario + Sync)| -> f64 {
            let means = parallel::map(count, |index| {
                completion(&workload(FIRST_CHECK_SEED + index as u32), &self.weights)
            });
            means.iter().sum::<f64>() / count as f64
        };
        let batch_s = mean(20, &workload::batch);
        let stream_s = mean(4, &|seed| workload::stream(seed, 100));
        let round = self.state.round;
        let point = CurvePoint { round, batch_s, stream_s };
        writeln!(self.curve, "{}", serde_json::to_string(&point).expect("JSON"))?;
        eprintln!("round {round}: batches {batch_s:.2} s, streams {stream_s:.2} s");
        self.save()
    }

    /// The next of a number of rounds.
    fn next(&mut self, rounds: u32, seed: u32) {
        let round = self.state.round;
        let deviation = 0.1 * libm::pow(0.1, f64::from(round) / f64::from(rounds)) as f32;
        let count = PAIRS as u32 * WORKLOADS;
        let workloads = (0..count).map(|index| {
            let seed = (seed + round * count + index) % FIRST_CHECK_SEED;
            if index.is_multiple_of(WORKLOADS) {
                workload::stream(seed, STREAM_JOBS)
            } else {
                workload::batch(seed)
            }
        });
        let mut random = MersenneTwister::new(seed.wrapping_add(round));
        let workloads: Vec<Scenario> = workloads.collect();
        evolve::round(&mut self.weights, &mut self.state.adam, &workloads, deviation, &mut random);
        self.state.round += 1;
    }

    /// Goes on until a number of rounds is over. Disturbances become ten times smaller until then.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn run(&mut self, rounds: u32, seed: u32) -> io::Result<()> {
        if self.state.round == 0 {
            self.check()?;
        }
        while self.state.round < rounds {
            self.next(rounds, seed);
            if self.state.round.is_multiple_of(ROUNDS_PER_CHECK) || self.state.round == rounds {
                self.check()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_training_that_was_stopped_goes_on_as_if_it_had_not_been() {
        let folder = std::env::temp_dir().join(format!("fairlane-train-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("weights.bin");
        let mut whole = Training::open(&path, 7).expect("a new training");
        whole.next(2, 7);
        whole.save().expect("saved");
        let again = Training::open(&path, 7).expect("the saved training");
        fs::remove_dir_all(&folder).expect("removed");
        // The next round rests on nothing else.
        assert_eq!((whole.weights, whole.state), (again.weights, again.state));
    }
}
