//! UJF, user-job fairness in practice: one of Spark's fair pools per user, fair inside (UWFQ paper
//! 5.1.2).

use super::{Candidate, Context, Info, Policy};
use crate::units::VirtualTime;

/// What a reader should know of UJF.
pub const INFO: Info = Info {
    id: "ujf",
    title: "UJF",
    summary: "The user with the fewest running tasks goes first, and among that user's stages the one with the fewest.",
};

/// A fair pool per user. Key: (running tasks of the user / weight, user name, running tasks of the
/// stage, tie).
#[derive(Debug)]
pub struct Ujf {
    context: Context,
}

impl Policy for Ujf {
    type Key = (VirtualTime, u32, u32, u64);

    fn new(context: Context) -> Self {
        Ujf { context }
    }

    fn key(&self, stage: &Candidate) -> Self::Key {
        let user = stage.user.index();
        (
            // Not virtual time, but an f64 that needs the same order.
            VirtualTime(f64::from(stage.user_running) / self.context.weights[user].value()),
            self.context.name_order[user],
            stage.running,
            self.context.tie(stage.id),
        )
    }
}
