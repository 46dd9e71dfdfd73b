//! The two ways to train: imitation of the teacher, then policy gradients.
//!
//! A round rests on nothing but the weights, Adam's means, the round's number and the seed, so that a training that was
//! stopped goes on as if it had not been.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fairlane::Scenario;
use fairlane::policy::decima::network::Weights;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::improve::{self, Settings, shuffle};
use crate::learn::{self, Adam, Fit, Goal};
use crate::random::Random;
use crate::record::Step;
use crate::rollout::{self, Episode, Mode};
use crate::{gradient, parallel, workload};

/// Training seeds are below this one.
pub const FIRST_CHECK_SEED: u32 = 30_000;
/// Seeds of tests begin here; those between are for the learning curve.
pub const FIRST_TEST_SEED: u32 = 40_000;
/// Workloads of a round.
const WORKLOADS: u32 = 8;
/// Rounds between two points of the learning curve.
const ROUNDS_PER_CHECK: u32 = 20;
/// Rounds at the beginning in which only the teacher decides.
const TEACHERS_ROUNDS: u32 = 6;
/// Jobs of a stream to imitate on.
const STREAM_JOBS: usize = 30;
/// Steps between two changes of the weights.
const STEPS_PER_CHANGE: usize = 64;

/// A training: weights in a file, its state and its learning curve beside it.
pub struct Training {
    path: PathBuf,
    weights: Vec<f32>,
    state: State,
    curve: File,
}

#[derive(Default, Serialize, Deserialize)]
struct State {
    /// Rounds so far.
    round: u32,
    adam: Adam,
}

impl Training {
    /// Goes on with a training, or starts one. `kind` is the ending of its state's file.
    ///
    /// # Errors
    /// Files that cannot be read or written, or are not a training's.
    pub fn open(path: &Path, kind: &str, seed: u32) -> io::Result<Training> {
        let invalid =
            |error: &dyn std::fmt::Display| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
        let weights = match fs::read(path) {
            Ok(bytes) => Weights::from_bytes(&bytes).map_err(|error| invalid(&error))?.numbers().to_vec(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                gradient::initial(&mut Random::new(seed))
            }
            Err(error) => return Err(error),
        };
        let state = match fs::read(path.with_extension(kind)) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| invalid(&error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => State::default(),
            Err(error) => return Err(error),
        };
        let curve = OpenOptions::new().create(true).append(true).open(path.with_extension("jsonl"))?;
        Ok(Training { path: path.to_owned(), weights, state, curve })
    }

    fn save(&self, kind: &str) -> io::Result<()> {
        let bytes: Vec<u8> = self.weights.iter().flat_map(|number| number.to_le_bytes()).collect();
        fs::write(&self.path, bytes)?;
        fs::write(self.path.with_extension(kind), serde_json::to_vec(&self.state).expect("JSON"))
    }

    fn shared(&self) -> Arc<Weights> {
        Arc::new(Weights::new(self.weights.clone()).expect("finite weights"))
    }

    /// A point of the learning curve: mean completion times of greedy decisions, in seconds.
    fn check(&mut self, kind: &str, fit: Fit) -> io::Result<()> {
        let weights = self.shared();
        let mean = |count: usize, workload: &(dyn Fn(u32) -> Scenario + Sync)| -> f64 {
            let means = parallel::map(count, |index| {
                let scenario = workload(FIRST_CHECK_SEED + index as u32);
                rollout::run(&scenario, &weights, Mode::Greedy, 0, 1).mean()
            });
            means.iter().sum::<f64>() / count as f64
        };
        let batch = mean(20, &workload::batch);
        let stream = mean(4, &|seed| workload::stream(seed, 100));
        let [stage_right, limit_right] = fit.right;
        let point = json!({
            "kind": kind, "round": self.state.round, "batch_s": batch, "stream_s": stream,
            "stage": fit.stage, "limit": fit.limit, "stage_right": stage_right, "limit_right": limit_right,
        });
        writeln!(self.curve, "{point}")?;
        eprintln!("{kind} {}: batches {batch:.2} s, streams {stream:.2} s", self.state.round);
        self.save(kind)
    }

    /// Imitates the teacher until a number of rounds is over. Some episodes are the teacher's own; in the others the
    /// network decides and the teacher says what it would have done.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn imitate(&mut self, rounds: u32, seed: u32) -> io::Result<()> {
        assert!(
            seed + rounds * WORKLOADS <= FIRST_CHECK_SEED,
            "seeds from {FIRST_CHECK_SEED} on are for checks"
        );
        while self.state.round < rounds {
            let round = self.state.round;
            let first = seed + round * WORKLOADS;
            let now = self.shared();
            let episodes: Vec<Episode> = parallel::map(WORKLOADS as usize, |index| {
                let is_teachers = round < TEACHERS_ROUNDS || index == 0 || (round > 20 && index < 3);
                let mode = if is_teachers { Mode::Teacher } else { Mode::Greedy };
                let seed = first + index as u32;
                let workload =
                    if index % 2 == 1 { workload::stream(seed, STREAM_JOBS) } else { workload::batch(seed) };
                rollout::run(&workload, &now, mode, 40, seed)
            });
            let mut steps: Vec<&Step> = episodes.iter().flat_map(|episode| &episode.steps).collect();
            shuffle(&mut steps, &mut Random::new(first));
            let left = 1.0 - round as f32 / rounds as f32;
            let rate = 0.001 * ((round + 1) as f32 / 20.0).min(1.0) * left.max(0.02);
            let mut fit = Fit::default();
            for chunk in steps.chunks(STEPS_PER_CHANGE) {
                let goals: Vec<(&Step, Goal)> = chunk.iter().map(|step| (*step, Goal::Imitate)).collect();
                let (gradient, of_chunk) = learn::gradient(&self.weights, &goals);
                self.state.adam.step(&mut self.weights, &gradient, rate, 1.0);
                fit = of_chunk;
            }
            self.state.round += 1;
            if self.state.round.is_multiple_of(ROUNDS_PER_CHECK) || self.state.round == rounds {
                self.check(IMITATION, fit)?;
            }
        }
        Ok(())
    }

    /// Improves by policy gradients until a number of rounds is over, on two batches and a stream in each: its jobs
    /// become more with the rounds, the entropy's weight becomes less.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn improve(&mut self, rounds: u32, seed: u32) -> io::Result<()> {
        assert!(seed + rounds * 3 <= FIRST_CHECK_SEED, "seeds from {FIRST_CHECK_SEED} on are for checks");
        while self.state.round < rounds {
            let done = self.state.round as f32 / rounds as f32;
            let first = seed + self.state.round * 3;
            let jobs = 20 + (60.0 * done) as usize;
            let workloads =
                [workload::stream(first, jobs), workload::batch(first + 1), workload::batch(first + 2)];
            let settings = Settings {
                rollouts: 8,
                steps: 50,
                passes: 2,
                rate: 1e-4 * (1.0 - done).max(0.1),
                entropy: 0.002 * (1.0 - done),
            };
            let adam = &mut self.state.adam;
            let fit =
                improve::iterate(&mut self.weights, adam, &workloads, settings, &mut Random::new(first));
            self.state.round += 1;
            if self.state.round.is_multiple_of(ROUNDS_PER_CHECK) || self.state.round == rounds {
                self.check(IMPROVEMENT, fit)?;
            }
        }
        Ok(())
    }
}

/// The ending of the state's file of [`Training::imitate`].
pub const IMITATION: &str = "imitation";
/// The ending of the state's file of [`Training::improve`].
pub const IMPROVEMENT: &str = "improvement";
