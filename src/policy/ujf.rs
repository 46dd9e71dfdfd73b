//! UJF, user-job fairness in practice: one of Spark's fair pools per user, fair inside (UWFQ paper
//! 5.1.2).

use super::explain::{self, Contender, Explanation, Part, Value};
use super::{Candidate, Context, Info, KeyBasis, Policy, fair};
use crate::units::{VirtualTime, Weight};

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
    /// Each user's weight as a number, and place by name: looked up at every offer of every waiting stage.
    users: Vec<(f64, u32)>,
}

impl Ujf {
    /// Running tasks of the stage's user over the user's weight.
    fn running_per_weight(&self, stage: &Candidate) -> f64 {
        f64::from(stage.user_running) / self.users[stage.user.index()].0
    }
}

impl Policy for Ujf {
    type Key = (VirtualTime, u32, u32, u64);

    const BASIS: KeyBasis = KeyBasis::Counts;

    fn new(context: Context) -> Self {
        let weights = context.weights.iter().map(|weight| weight.value());
        Ujf { users: weights.zip(context.name_order.iter().copied()).collect(), context }
    }

    fn key(&self, stage: &Candidate) -> Self::Key {
        let (weight, name_order) = self.users[stage.user.index()];
        (
            // Not virtual time, but an f64 that needs the same order.
            VirtualTime(f64::from(stage.user_running) / weight),
            name_order,
            stage.running,
            stage.tie,
        )
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        let user = stage.user.index();
        let parts = vec![
            Part::new("running tasks of the user / weight", Value::TasksPerWeight(self.running_per_weight(stage))),
            Part::new("user's place by name", Value::Number(u64::from(self.context.name_order[user]))),
            Part::new("running tasks of the stage", Value::Tasks(stage.running)),
            Part::new("tie", self.context.tie_value(stage.id)),
        ];
        let facts = vec![
            Part::new("running tasks of the user", Value::Tasks(stage.user_running)),
            Part::new("weight", Value::Weight(self.context.weights[user])),
        ];
        Explanation { parts, facts, remark: None }
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        let Contender { label, user, .. } = first;
        match first.key.decided_by(second.key) {
            Some(0) => {
                let named = |stage: &Contender| match stage.weight {
                    Weight::ONE => stage.user.to_owned(),
                    weight => format!("{} (weight {})", stage.user, weight.value()),
                };
                let [mine, theirs] = [first, second].map(named);
                let counts =
                    explain::fewer_running(&mine, first.user_running, &theirs, second.user_running);
                format!("{counts}, so {user}'s {label} goes first.")
            }
            Some(1) => format!(
                "{user} and {} have equally many running tasks for their weights and {user}'s name comes first, so \
                 {user}'s {label} goes first.",
                second.user
            ),
            _ => {
                let stages = fair::reason_among_stages(first, second, 2);
                format!("Both are {user}'s: {stages}, so {label} goes first.")
            }
        }
    }
}
