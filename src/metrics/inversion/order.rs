//! What a sweep asks of the jobs that wait.

use crate::ids::{Rank, UserId};
use crate::policy::{ArrivingJob, Candidate, Precedence, SubmittedStage};
use crate::units::Time;

/// On which side of the largest key on a core a waiting job stands, as far as the sweep has told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Nobody on a core has a later turn.
    Due,
    /// Somebody has.
    Inverted,
}

/// Whether keys change after a stage's submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// They do not.
    Never,
    /// With what is heard of a user those of the user's stages may, and no others.
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

    /// Something has been heard of a user, so the keys of the user's stages may be others.
    fn settle(&mut self, user: UserId);

    /// A stage's key.
    fn key(&self, stage: &Candidate) -> Precedence;

    /// Puts a job where it belongs by its first pending stage, in place of where it was.
    fn put(&mut self, first: &Candidate, side: Side);

    /// Takes out a job none of whose stages is pending.
    fn take(&mut self, rank: Rank, user: UserId);

    /// A job that stands on the wrong side, where this is the largest key on a core.
    fn astray(&self, largest: Option<Precedence>) -> Option<Rank>;

    /// The inverted jobs with keys between two.
    fn inverted_between(&self, above: Option<Precedence>, below: Precedence) -> Vec<Rank>;
}
