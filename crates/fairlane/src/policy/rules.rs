//! The rules of the contract, and the error of a policy that breaks one.

use super::ProgramError;
use crate::ids::{CoreId, Rank, StageIndex};
use crate::units::Time;

/// What a policy did that the contract does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the policy {policy} {} at {:.6} s: {rule}", rule.verb(), at.seconds())]
pub struct PolicyError {
    /// The policy's id.
    pub policy: &'static str,
    /// The instant.
    pub at: Time,
    /// The rule.
    pub rule: Rule,
}

/// A rule of the contract, broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rule {
    /// A launch names a core that is not free, or none of the cluster's.
    #[error("core {} is not free; launch on a free core", .0.0)]
    CoreNotFree(CoreId),
    /// A launch names a stage that there is not, or that has not been submitted or was dropped.
    #[error("stage {} is not submitted; launch tasks of submitted stages", .0.0)]
    StageNotSubmitted(StageIndex),
    /// A launch names a stage all of whose tasks have been launched.
    #[error("stage {} has no pending task; launch another stage's", .0.0)]
    NothingPending(StageIndex),
    /// A launch needs more memory than the core's executor has free.
    #[error("a task of stage {} does not fit the memory of core {}; choose a core that it fits", stage.0, core.0)]
    DoesNotFit {
        /// The stage.
        stage: StageIndex,
        /// The core.
        core: CoreId,
    },
    /// An offer round ended with a free core that a pending task fits, by a policy that does not declare
    /// [`Idling::OnPurpose`](super::Idling::OnPurpose).
    #[error("core {} stays idle though a pending task fits it; declare `Idling::OnPurpose` or launch a task", .0.0)]
    IdleCore(CoreId),
    /// A job was to be started that does not wait.
    #[error("job of rank {} does not wait; start each waiting job once", .0.0)]
    NotWaiting(Rank),
    /// A job was to be dropped that has ended or not arrived.
    #[error("job of rank {} neither waits nor runs; drop only such jobs", .0.0)]
    NotDroppable(Rank),
    /// A job was dropped or rejected by a policy that does not declare [`Outcomes::Any`](super::Outcomes::Any).
    #[error("job of rank {} was dropped or rejected; declare `Outcomes::Any`", .0.0)]
    UndeclaredOutcome(Rank),
    /// The period of [`Policy::tick`](super::Policy::tick) is 0.
    #[error("the period of ticks is 0; declare a longer one, or none")]
    ZeroPeriod,
    /// A wake-up was asked for at an instant that has passed.
    #[error("a wake-up at {:.6} s has passed; ask for a later one", .0.seconds())]
    WakeInThePast(Time),
    /// No event is left but jobs wait that were never started.
    #[error("job of rank {} still waits though nothing more will happen; start or drop it", .0.0)]
    NeverStarted(Rank),
    /// No event is left but tasks are pending.
    #[error("stage {} still has pending tasks though nothing more will happen; launch them", .0.0)]
    NeverLaunched(StageIndex),
    /// The policy's program has failed.
    #[error("{0}")]
    Program(ProgramError),
}

impl Rule {
    /// What a policy did that broke it.
    fn verb(&self) -> &'static str {
        match self {
            Rule::Program(_) => "failed",
            _ => "broke a rule",
        }
    }
}
