//! Evolution strategies (Salimans et al., arXiv 1703.03864): weights are disturbed both ways, and move towards the
//! disturbances under which jobs complete sooner.

use std::sync::Arc;

use fairlane::Scenario;
use fairlane::engine::Engine;
use fairlane::policy::decima::Decima;
use fairlane::policy::decima::network::{HIDDEN, NARROW, PARAMETERS, PERCEPTRONS, Weights};
use fairlane::scenario::PartitionMode;
use serde::{Deserialize, Serialize};

use crate::parallel;
use crate::random::MersenneTwister;

/// Disturbances of a round, each tried with both signs.
pub const PAIRS: usize = 24;

/// Adam (arXiv 1412.6980).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Adam {
    steps: i32,
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Adam {
    /// A step against a gradient.
    fn step(&mut self, weights: &mut [f32], gradient: &[f32], rate: f32) {
        self.first.resize(weights.len(), 0.0);
        self.second.resize(weights.len(), 0.0);
        self.steps += 1;
        let corrections = [1.0 - 0.9_f32.powi(self.steps), 1.0 - 0.999_f32.powi(self.steps)];
        for (index, weight) in weights.iter_mut().enumerate() {
            let value = gradient[index];
            self.first[index] += 0.1 * (value - self.first[index]);
            self.second[index] += 0.001 * (value * value - self.second[index]);
            let [mean, square] = [self.first[index] / corrections[0], self.second[index] / corrections[1]];
            *weight -= rate * mean / (square.sqrt() + 1e-12);
        }
    }
}

/// The weights' first values: the smaller the more inputs a unit has (He), and scores close to each other.
pub fn initial(random: &mut MersenneTwister) -> Vec<f32> {
    let mut weights = vec![0.0; PARAMETERS];
    for of in PERCEPTRONS {
        let wide = of.start()..of.start() + of.inputs() * HIDDEN;
        let narrow = wide.end + HIDDEN..wide.end + HIDDEN + HIDDEN * NARROW;
        let last = narrow.end + NARROW..narrow.end + NARROW + NARROW * of.outputs();
        for (range, deviation) in [
            (wide, (2.0 / of.inputs() as f64).sqrt()),
            (narrow, (2.0 / HIDDEN as f64).sqrt()),
            // Sums of many messages, and scores, begin small.
            (last, 0.05),
        ] {
            weights[range].iter_mut().for_each(|weight| *weight = (random.normal() * deviation) as f32);
        }
    }
    weights
}

/// Average job completion time of a workload under the policy with some weights, in seconds.
///
/// # Panics
/// On weights that are not finite.
pub fn completion(scenario: &Scenario, weights: &[f32]) -> f64 {
    let weights = Arc::new(Weights::new(weights.to_vec()).expect("finite weights"));
    let policy = Decima::with(weights, scenario.cluster().cores());
    let mut engine = Engine::with(scenario, PartitionMode::Default, policy);
    while engine.step() {}
    let trace = engine.into_trace().expect("the policy keeps the contract");
    trace.jobs.iter().map(|job| job.response().expect("a finished job").seconds()).sum::<f64>()
        / trace.jobs.len() as f64
}

/// A round: each pair of disturbances is tried on its own part of the workloads. The logarithm of the completion time
/// counts, so that small workloads count as much as large ones. Returns the mean completion time that was seen (the
/// geometric one), in seconds.
pub fn round(
    weights: &mut [f32],
    adam: &mut Adam,
    workloads: &[Scenario],
    deviation: f32,
    random: &mut MersenneTwister,
) -> f64 {
    let noise: Vec<Vec<f32>> =
        (0..PAIRS).map(|_| weights.iter().map(|_| random.normal() as f32).collect()).collect();
    let parts: Vec<&[Scenario]> = workloads.chunks(workloads.len() / PAIRS).collect();
    let results = parallel::map(2 * PAIRS, |index| {
        let (pair, step) = (index / 2, if index % 2 == 0 { deviation } else { -deviation });
        let disturbed: Vec<f32> =
            weights.iter().zip(&noise[pair]).map(|(weight, noise)| weight + step * noise).collect();
        let logarithms = parts[pair].iter().map(|workload| libm::log(completion(workload, &disturbed)));
        logarithms.sum::<f64>() / parts[pair].len() as f64
    });
    let mut gradient = vec![0.0; weights.len()];
    for (noise, result) in noise.iter().zip(results.chunks(2)) {
        let slope = (result[0] - result[1]) as f32;
        gradient.iter_mut().zip(noise).for_each(|(sum, noise)| *sum += slope * noise);
    }
    // Steps become shorter as disturbances become smaller.
    adam.step(weights, &gradient, deviation / 10.0);
    libm::exp(results.iter().sum::<f64>() / results.len() as f64)
}
