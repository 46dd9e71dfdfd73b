//! Fair: the stage with the fewest running tasks first, over all stages alike, as Spark's
//! `FairSchedulingAlgorithm` in a single pool without minimum share.

use super::{Candidate, Context, Info, Policy};

/// What a reader should know of Fair.
pub const INFO: Info = Info {
    id: "fair",
    title: "Fair",
    summary: "The stage with the fewest running tasks goes first; who submitted it does not matter.",
};

/// Spark's fair sharing between stages. Key: (running tasks of the stage, tie).
#[derive(Debug)]
pub struct Fair {
    context: Context,
}

impl Policy for Fair {
    type Key = (u32, u64);

    fn new(context: Context) -> Self {
        Fair { context }
    }

    fn key(&self, stage: &Candidate) -> Self::Key {
        (stage.running, self.context.tie(stage.id))
    }
}
