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

use super::explain::NumberedFacts;
use super::explain::{self, Contender, Key, KeyComponent, Value};
use super::fair::reason_among_stages;
use super::queue::{CountQueue, TieOrder};
use super::{Context, Info, Launch, Policy, PolicyGroup, RankedFrom, StageView, View, by_key, tie};
use crate::ids::{StageIndex, UserId};
use crate::scenario::FairTieBreak;
use crate::tournament::{self, Tournament};
use crate::units::Weight;

/// What readers should know of UJF.
pub const INFO: Info = Info {
    id: "ujf",
    title: "UJF",
    name: "User-Job Fairness",
    source: "UWFQ paper",
    summary: "The user with the fewest running tasks goes first, then the stage with the fewest.",
    key: "running tasks of the user / weight, user name, running tasks of the stage, tie",
    group: PolicyGroup::Spark,
    look: 2,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// A fair pool per user. Key: (running tasks of the user / weight, user name, running tasks of the
/// stage, tie).
#[derive(Clone, Debug)]
pub struct Ujf {
    weights: Rc<[Weight]>,
    name_order: Rc<[u32]>,
    tie_break: FairTieBreak,
    /// Users with waiting stages, by (running tasks / weight, position by name).
    users: Tournament,
    /// A user's lesser key, not in the tournament yet: as in [`CountQueue`].
    lowered: Option<u128>,
    /// Whether the keys of all waiting stages are compared: with sessions the ids of a user's stages are not known
    /// beforehand.
    is_by_key: bool,
    order: TieOrder,
    /// Each user's waiting stages.
    pools: Vec<CountQueue>,
}

impl Ujf {
    /// Running tasks of a user over the user's weight.
    fn running_per_weight(&self, user: UserId, view: &View) -> f64 {
        f64::from(view.user_running(user)) / self.weights[user.index()].value()
    }

    /// Updates the place of a user with waiting stages.
    fn rank(&mut self, user: UserId, view: &View) {
        let running = tournament::ascending(self.running_per_weight(user, view));
        let key = tournament::key(running, self.name_order[user.index()], user.0);
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

impl Policy for Ujf {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let (users, jobs) = (context.weights.len(), context.scenario.jobs());
        let order = TieOrder::new(context, users, |job| jobs[job].user.0);
        Ujf {
            weights: Rc::clone(&context.weights),
            name_order: Rc::clone(&context.name_order),
            tie_break: context.scenario.cluster().fair_tie_break,
            users: Tournament::new(users),
            lowered: None,
            is_by_key: context.scenario.has_sessions(),
            pools: (0..users as u32).map(|user| CountQueue::new(order.len_of(user))).collect(),
            order,
        }
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        if self.is_by_key {
            return;
        }
        let user = view.stage(stage).user();
        let pool = &mut self.pools[user.index()];
        pool.update(self.order.position(stage).1, view.stage(stage));
        if pool.first().is_some() {
            self.rank(user, view);
        } else if self.users.get(user.0).is_some() {
            self.lowered = self.lowered.filter(|&lowered| tournament::slot(lowered) != user.0);
            self.users.clear(user.0);
        }
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        if self.is_by_key || !view.has_simple_round() {
            return by_key(self, view);
        }
        let least = self.users.first()?;
        let user = tournament::slot(self.lowered.map_or(least, |lowered| lowered.min(least)));
        let stage = self.order.stage(user, self.pools[user as usize].first()?);
        Some(Launch { stage, core: view.lowest_free_core()? })
    }

    fn key(&self, stage: StageView) -> Key {
        let (user, view) = (stage.user(), stage.view());
        let running = Value::TasksPerWeight(self.running_per_weight(user, view));
        Key::complete([
            KeyComponent::new("running tasks of the user / weight", running),
            KeyComponent::new(
                "user's position by name",
                Value::Number(u64::from(self.name_order[user.index()])),
            ),
            KeyComponent::new("running tasks of the stage", Value::Tasks(stage.running())),
            KeyComponent::new("tie", tie(self.tie_break, stage.id())),
        ])
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        let running = Value::Tasks(stage.view().user_running(stage.user()));
        let weight = Value::Weight(self.weights[stage.user().index()]);
        vec![KeyComponent::new("running tasks of the user", running), KeyComponent::new("weight", weight)]
            .into()
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        let Contender { label, user, .. } = first;
        match part {
            0 => {
                let named = |stage: &Contender| match stage.weight {
                    Weight::ONE => stage.user.to_owned(),
                    weight => format!("{} (weight {})", stage.user, weight.value()),
                };
                let [mine, theirs] = [first, second].map(named);
                let counts = explain::fewer_running(&mine, first.user_running, &theirs, second.user_running);
                format!("{counts}, so {user}'s {label} goes first.")
            }
            1 => format!(
                "{user} and {} have equally many running tasks for their weights and {user}'s name comes first, so \
                 {user}'s {label} goes first.",
                second.user
            ),
            _ => {
                let stages = reason_among_stages(first, second, 2);
                format!("Both are {user}'s: {stages}, so {label} goes first.")
            }
        }
    }
}
