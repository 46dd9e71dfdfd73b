//! Policy gradients: rollouts of the same workload, each decision compared with what the others did at its time.

use std::sync::Arc;

use fairlane::Scenario;
use fairlane::policy::decima::network::Weights;

use crate::learn::{self, Adam, Fit, Goal};
use crate::parallel;
use crate::random::Random;
use crate::record::Step;
use crate::rollout::{self, Episode, Mode};

/// How a round goes.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Rollouts of each workload.
    pub rollouts: usize,
    /// Decisions that are looked at, of each rollout.
    pub steps: usize,
    /// Passes over them.
    pub passes: usize,
    /// Of Adam.
    pub rate: f32,
    /// The weight of the entropy.
    pub entropy: f32,
}

/// The jobs in the system from an instant to the end, in job-seconds: the reward to come, with a minus.
fn penalty(episode: &Episode, from: f64) -> f64 {
    episode.jobs.iter().map(|[arrival, end]| (end - arrival.max(from)).max(0.0)).sum()
}

/// A round; how the first of its steps fit.
pub fn iterate(
    weights: &mut [f32],
    adam: &mut Adam,
    workloads: &[Scenario],
    settings: Settings,
    random: &mut Random,
) -> Fit {
    let shared = Arc::new(Weights::new(weights.to_vec()).expect("finite weights"));
    let seed = random.word() >> 8;
    let Settings { rollouts, steps, passes, rate, entropy } = settings;
    let episodes = parallel::map(workloads.len() * rollouts, |index| {
        let workload = &workloads[index / rollouts];
        rollout::run(workload, &shared, Mode::Sampled, EVERY, seed + index as u32)
    });
    let mut advantages: Vec<(&Step, f32)> = Vec::new();
    for group in episodes.chunks(rollouts) {
        for episode in group {
            let mut of_episode: Vec<&Step> = episode.steps.iter().collect();
            shuffle(&mut of_episode, random);
            of_episode.truncate(steps);
            for step in of_episode {
                let at = step.at.seconds();
                let own = penalty(episode, at);
                let usual = group.iter().map(|other| penalty(other, at)).sum::<f64>() / rollouts as f64;
                advantages.push((step, (usual - own) as f32));
            }
        }
    }
    let square = advantages.iter().map(|(_, value)| value * value).sum::<f32>() / advantages.len() as f32;
    let scale = 1.0 / square.sqrt().max(1e-6);
    let mut goals: Vec<(&Step, Goal)> = advantages
        .into_iter()
        .map(|(step, value)| (step, Goal::Improve { advantage: (value * scale).clamp(-3.0, 3.0), entropy }))
        .collect();
    let mut fit = Fit::default();
    for pass in 0..passes {
        shuffle(&mut goals, random);
        for (index, chunk) in goals.chunks(256).enumerate() {
            let (gradient, of_chunk) = learn::gradient(weights, chunk);
            if pass == 0 && index == 0 {
                fit = of_chunk;
            }
            adam.step(weights, &gradient, rate, 1.0);
        }
    }
    fit
}

/// One decision of so many is kept at first.
const EVERY: usize = 8;

/// A random order.
pub fn shuffle<T>(values: &mut [T], random: &mut Random) {
    for index in (1..values.len()).rev() {
        values.swap(index, random.below(index + 1));
    }
}
