//! Who chooses among scores: the greatest for a policy, at random for its training.

use super::embedding::Embeddings;
use crate::ids::{Rank, StageIndex};

/// A stage that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The stage.
    pub stage: StageIndex,
    /// Its job.
    pub job: Rank,
    /// Its score.
    pub score: f32,
}

/// Chooses a stage and a limit from their scores.
pub trait Choice {
    /// The index of the chosen candidate; there is at least one.
    fn stage(&mut self, candidates: &[Candidate], embeddings: &Embeddings) -> usize;

    /// The index of the chosen limit of a job; `scores` are those of `limits`.
    fn limit(&mut self, job: Rank, scores: &[f32], embeddings: &Embeddings) -> usize;
}

/// The greatest score, the first of equal ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greatest;

/// The index of the greatest score, the first of equal ones.
pub fn greatest(scores: impl Iterator<Item = f32>) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (index, score) in scores.enumerate() {
        if score > best.1 {
            best = (index, score);
        }
    }
    best.0
}

impl Choice for Greatest {
    fn stage(&mut self, candidates: &[Candidate], _: &Embeddings) -> usize {
        greatest(candidates.iter().map(|candidate| candidate.score))
    }

    fn limit(&mut self, _: Rank, scores: &[f32], _: &Embeddings) -> usize {
        greatest(scores.iter().copied())
    }
}
