//! UJF, user-job fairness in practice: one of Spark's fair pools per user, fair inside (UWFQ paper
//! 5.1.2).

use super::explain::{self, Contender, Explanation, Part, Value};
use super::line::{Fewest, Line, Place, Running, Seat};
use super::{Candidate, Context, Explained, Info, KeyBasis, Policy, fair};
use crate::ids::UserId;
use crate::tournament::{self, Tournament};
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

    const BASIS: KeyBasis<Self::Key> = KeyBasis::Counts;

    type Line = Pools;

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
}

impl Explained for Ujf {
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

/// A fair pool for each user, and the users in order.
pub struct Pools {
    /// Users with waiting stages, by (running tasks / weight, place by name).
    users: Tournament,
    /// Each user's waiting stages.
    pools: Vec<Fewest>,
    /// Each user's weight, and place by name.
    standing: Vec<(f64, u32)>,
}

impl Pools {
    fn rank(&mut self, user: UserId, running: u32) {
        let (weight, name_order) = self.standing[user.index()];
        let key = tournament::key(tournament::ascending(f64::from(running) / weight), name_order, user.0);
        self.users.set(user.0, key);
    }
}

impl Line<Ujf> for Pools {
    fn new(context: &Context) -> Self {
        let users = context.weights.len();
        let standing = context.weights.iter().map(|weight| weight.value()).zip(context.name_order.iter().copied());
        Pools {
            users: Tournament::new(users),
            pools: (0..users).map(|_| Fewest::default()).collect(),
            standing: standing.collect(),
        }
    }

    fn join(&mut self, _: &mut Ujf, place: Place, stage: &Candidate) -> Seat {
        self.rank(stage.user, stage.user_running);
        self.pools[stage.user.index()].sit(place, stage)
    }

    fn first(&mut self, _: &Ujf) -> Option<Place> {
        let first = self.users.first()?;
        self.pools[tournament::seat(first) as usize].least()
    }

    fn leave(&mut self, _: &mut Ujf, seat: Seat, stage: &Candidate) {
        let pool = &mut self.pools[stage.user.index()];
        pool.get_up(seat);
        if pool.least().is_none() {
            self.users.clear(stage.user.0);
        }
    }

    fn recount(&mut self, seat: Option<Seat>, user: UserId, running: Running) {
        if let Some(seat) = seat {
            self.pools[user.index()].set(seat, running.stage);
        }
        if self.users.get(user.0).is_some() {
            self.rank(user, running.user);
        }
    }
}
