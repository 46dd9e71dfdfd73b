//! Steps of learning: losses, their gradients, and Adam.

use crate::gradient::Evaluation;
use crate::parallel;
use crate::record::{Picked, Step};
use crate::rollout::log_softmax;
use serde::{Deserialize, Serialize};

/// Adam (arXiv 1412.6980).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Adam {
    steps: i32,
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Adam {
    /// A step against a gradient, whose length is at most `longest`.
    pub fn step(&mut self, weights: &mut [f32], gradient: &[f32], rate: f32, longest: f32) {
        self.first.resize(weights.len(), 0.0);
        self.second.resize(weights.len(), 0.0);
        self.steps += 1;
        let length = gradient.iter().map(|value| value * value).sum::<f32>().sqrt();
        let scale = if length > longest { longest / length } else { 1.0 };
        let corrections = [1.0 - 0.9_f32.powi(self.steps), 1.0 - 0.999_f32.powi(self.steps)];
        for (index, weight) in weights.iter_mut().enumerate() {
            let value = gradient[index] * scale;
            self.first[index] += 0.1 * (value - self.first[index]);
            self.second[index] += 0.001 * (value * value - self.second[index]);
            let [mean, square] = [self.first[index] / corrections[0], self.second[index] / corrections[1]];
            *weight -= rate * mean / (square.sqrt() + 1e-8);
        }
    }
}

/// What is to be learned from a step.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// The choices are right.
    Imitate,
    /// The choices were so much better than expected (PPO's clipped objective), with this weight of the entropy.
    Improve { advantage: f32, entropy: f32 },
}

/// The range of PPO's ratio around 1.
const CLIP: f32 = 0.2;

/// Figures of a batch of steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fit {
    /// Per choice: the loss of imitation or the entropy.
    pub stage: f64,
    /// Of limits.
    pub limit: f64,
    /// Choices of stages, and of limits.
    pub counts: [f64; 2],
    /// Choices that agree.
    pub right: [f64; 2],
}

/// The gradient of steps, summed, and how well they fit.
fn gradient_of(weights: &[f32], steps: &[(&Step, Goal)]) -> (Vec<f32>, Fit) {
    let mut gradient = vec![0.0; weights.len()];
    let mut fit = Fit::default();
    for (step, goal) in steps {
        let evaluation = Evaluation::new(weights, step);
        let mut of_scores = Vec::new();
        for (index, choice) in step.choices.iter().enumerate() {
            let scores = evaluation.scores(index);
            let logs = log_softmax(&scores);
            let chosen = choice.index;
            let kind = usize::from(matches!(choice.picked, Picked::Limit(..)));
            let entropy: f32 = -logs.iter().map(|log| log.exp() * log).sum::<f32>();
            let best = fairlane::policy::decima::choice::greatest(scores.iter().copied());
            fit.counts[kind] += 1.0;
            fit.right[kind] += f64::from(u8::from(best == chosen));
            let of: Vec<f32> = match *goal {
                Goal::Imitate => {
                    let loss = f64::from(-logs[chosen]);
                    if kind == 0 {
                        fit.stage += loss
                    } else {
                        fit.limit += loss
                    }
                    // Neighbours of a limit are nearly as good.
                    let wanted = |at: usize| match (kind, at.abs_diff(chosen)) {
                        (0, 0) => 1.0,
                        (1, 0) => 0.9,
                        (1, 1) => 0.05,
                        _ => 0.0,
                    };
                    logs.iter().enumerate().map(|(at, log)| log.exp() - wanted(at)).collect()
                }
                Goal::Improve { advantage, entropy: weight } => {
                    if kind == 0 {
                        fit.stage += f64::from(entropy)
                    } else {
                        fit.limit += f64::from(entropy)
                    }
                    let ratio = (logs[chosen] - choice.log_probability).exp();
                    let is_clipped = if advantage > 0.0 { ratio > 1.0 + CLIP } else { ratio < 1.0 - CLIP };
                    let factor = if is_clipped { 0.0 } else { -advantage * ratio };
                    logs.iter()
                        .enumerate()
                        .map(|(at, log)| {
                            let own = if at == chosen { 1.0 } else { 0.0 };
                            factor * (own - log.exp()) + weight * log.exp() * (log + entropy)
                        })
                        .collect()
                }
            };
            of_scores.push(of);
        }
        evaluation.backward(&mut gradient, &of_scores);
    }
    (gradient, fit)
}

/// The mean gradient of steps, and how well they fit. The same on any number of threads.
pub fn gradient(weights: &[f32], steps: &[(&Step, Goal)]) -> (Vec<f32>, Fit) {
    let chunks: Vec<&[(&Step, Goal)]> = steps.chunks(steps.len().div_ceil(4).max(1)).collect();
    let parts = parallel::map(chunks.len(), |index| gradient_of(weights, chunks[index]));
    let mut sum = vec![0.0; weights.len()];
    let mut fit = Fit::default();
    for (part, of) in parts {
        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part / steps.len() as f32);
        fit.stage += of.stage;
        fit.limit += of.limit;
        fit.counts.iter_mut().zip(of.counts).for_each(|(sum, part)| *sum += part);
        fit.right.iter_mut().zip(of.right).for_each(|(sum, part)| *sum += part);
    }
    fit.stage /= fit.counts[0].max(1.0);
    fit.limit /= fit.counts[1].max(1.0);
    fit.right = [fit.right[0] / fit.counts[0].max(1.0), fit.right[1] / fit.counts[1].max(1.0)];
    (sum, fit)
}
