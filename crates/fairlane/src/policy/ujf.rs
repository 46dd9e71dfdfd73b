//! UJF, user-job fairness in practice: one of Spark's fair pools per user, fair inside (UWFQ paper
//! 5.1.2).
//!
//! ```
//! use fairlane::{catalog, simulate};
//! let scenario = catalog::find("two-users").expect("an entry").scenario();
//! let [ujf, fair] = ["ujf", "fair"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
//! // ben's single job among twelve of ana's.
//! let job = scenario.jobs().len() - 1;
//! assert!(ujf.jobs[job].response() < fair.jobs[job].response());
//! ```

use std::rc::Rc;

use super::explain::{self, Contender, Explainer, Explanation, Part, Ranking, Value};
use super::log::Snapshot;
use super::queue::{CountQueue, ReadyQueue, Slot, TieOrder};
use super::{Candidate, Context, Group, Info, KeyBasis, RankedPolicy, View, fair, tie_value};
use crate::ids::{StageIndex, UserId};
use crate::scenario::FairTieBreak;
use crate::tournament::{self, Tournament};
use crate::units::{VirtualTime, Weight};

/// What readers should know of UJF.
pub const INFO: Info = Info {
    id: "ujf",
    title: "UJF",
    name: "User-Job Fairness",
    source: "UWFQ paper",
    summary: "The user with the fewest running tasks goes first, then the stage with the fewest.",
    key: "running tasks of the user / weight, user name, running tasks of the stage, tie",
    group: Group::Spark,
    ..Info::DEFAULT
};

/// A fair pool per user. Key: (running tasks of the user / weight, user name, running tasks of the
/// stage, tie).
#[derive(Debug)]
pub struct Ujf {
    weights: Rc<[Weight]>,
    name_order: Rc<[u32]>,
    tie_break: FairTieBreak,
}

impl Ujf {
    /// Running tasks of the stage's user over the user's weight.
    fn running_per_weight(&self, stage: &Candidate) -> f64 {
        f64::from(stage.user_running) / self.weights[stage.user.index()].value()
    }
}

impl Ranking for Ujf {
    type Key = (VirtualTime, u32, u32, u64);

    fn key(&self, stage: &Candidate) -> Self::Key {
        // Not virtual time, but an f64 that needs the same order.
        let per_weight = VirtualTime(self.running_per_weight(stage));
        (per_weight, self.name_order[stage.user.index()], stage.running, stage.tie)
    }
}

impl RankedPolicy for Ujf {
    const BASIS: KeyBasis<Self::Key> = KeyBasis::Counts;
    const BY_USER: bool = true;

    type Queue = Pools;
    type Reference = Self;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Ujf {
            weights: Rc::clone(&context.weights),
            name_order: Rc::clone(&context.name_order),
            tie_break: context.scenario.cluster().fair_tie_break,
        }
    }
}

impl Explainer for Ujf {
    fn at(context: &Context, _: &Snapshot) -> Self {
        Ujf::new(context)
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        let user = stage.user.index();
        let parts = vec![
            Part::new(
                "running tasks of the user / weight",
                Value::TasksPerWeight(self.running_per_weight(stage)),
            ),
            Part::new("user's position by name", Value::Number(u64::from(self.name_order[user]))),
            Part::new("running tasks of the stage", Value::Tasks(stage.running)),
            Part::new("tie", tie_value(self.tie_break, stage.id)),
        ];
        let facts = vec![
            Part::new("running tasks of the user", Value::Tasks(stage.user_running)),
            Part::new("weight", Value::Weight(self.weights[user])),
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
                let counts = explain::fewer_running(&mine, first.user_running, &theirs, second.user_running);
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
    /// Users with waiting stages, by (running tasks / weight, position by name).
    users: Tournament,
    /// A user's lesser key, not in the tournament yet: as in [`CountQueue`].
    lowered: Option<u128>,
    order: TieOrder,
    /// Each user's waiting stages.
    pools: Vec<CountQueue>,
    /// Each user's weight, and position by name: looked up at each launch and finish.
    ranking: Vec<(f64, u32)>,
}

impl Pools {
    fn rank(&mut self, user: UserId, running: u32) {
        let (weight, name_order) = self.ranking[user.index()];
        let key = tournament::key(tournament::ascending(f64::from(running) / weight), name_order, user.0);
        if let Some(lowered) = self.lowered.take()
            && tournament::slot(lowered) != user.0
        {
            self.users.set(tournament::slot(lowered), lowered);
        }
        match self.users.get(user.0) {
            Some(before) if key == before => {}
            Some(before) if key < before => self.lowered = Some(key),
            _ => self.users.set(user.0, key),
        }
    }
}

impl ReadyQueue<Ujf> for Pools {
    fn new(context: &Context) -> Self {
        let users = context.weights.len();
        let jobs = &context.scenario.jobs();
        let order = TieOrder::new(context, users, |job| jobs[job].user.0);
        let weights = context.weights.iter().map(|weight| weight.value());
        Pools {
            users: Tournament::new(users),
            lowered: None,
            pools: (0..users as u32).map(|user| CountQueue::new(order.len_of(user))).collect(),
            order,
            ranking: weights.zip(context.name_order.iter().copied()).collect(),
        }
    }

    fn push(&mut self, _: &mut Ujf, stage: StageIndex, candidate: &Candidate) -> Slot {
        self.rank(candidate.user, candidate.user_running);
        let (user, position) = self.order.position(stage);
        self.pools[user as usize].set(position, candidate.running);
        Slot(position)
    }

    fn first(&mut self, _: &Ujf) -> Option<StageIndex> {
        let least = self.users.first()?;
        let user = tournament::slot(self.lowered.map_or(least, |lowered| lowered.min(least)));
        let position = self.pools[user as usize].first()?;
        Some(self.order.stage(user, position))
    }

    fn remove(&mut self, _: &mut Ujf, slot: Slot, stage: &Candidate) {
        let pool = &mut self.pools[stage.user.index()];
        pool.remove(slot.0);
        if pool.first().is_none() {
            self.lowered = self.lowered.filter(|&lowered| tournament::slot(lowered) != stage.user.0);
            self.users.clear(stage.user.0);
        }
    }

    fn update(&mut self, slot: Option<Slot>, user: UserId, running: u32, view: &View) {
        if let Some(slot) = slot {
            self.pools[user.index()].set(slot.0, running);
        }
        if self.users.get(user.0).is_some() {
            self.rank(user, view.user_running(user));
        }
    }
}
