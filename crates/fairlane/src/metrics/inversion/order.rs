//! What a sweep needs to know of the waiting jobs.

use crate::ids::{Rank, UserId};
use crate::policy::{ArrivingJob, Candidate, Precedence, SubmittedStage};
use crate::units::Time;

/// On which side of the largest key on a core a waiting job is, as far as the sweep has determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// No stage on a core has a larger key.
    Due,
    /// Some stage has.
    Inverted,
}

/// Whether keys change after a stage's submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// They do not.
    Never,
    /// An event may change those of its user's stages, and no others.
    ByUser,
}

/// The jobs with pending stages, each by the key of its first, in the order of keys as they are now.
pub(super) trait Order {
    /// A job arrives.
    fn job_arrived(&mut self, now: Time, job: &ArrivingJob);

    /// A stage is submitted.
    fn stage_submitted(&mut self, now: Time, stage: &SubmittedStage);

    /// Whether keys change.
    fn change(&self) -> Change;

    /// The keys of a user's stages may have changed.
    fn update_user(&mut self, user: UserId);

    /// A stage's key.
    fn key(&self, stage: &Candidate) -> Precedence;

    /// Inserts or moves a job by its first pending stage.
    fn update(&mut self, first: &Candidate, side: Side);

    /// Removes a job without pending stages.
    fn remove(&mut self, rank: Rank, user: UserId);

    /// A job on the wrong side, where this is the largest key on a core.
    fn on_wrong_side(&self, largest: Option<Precedence>) -> Option<Rank>;

    /// The inverted jobs with keys between two.
    fn inverted_between(&self, above: Option<Precedence>, below: Precedence) -> Vec<Rank>;
}
