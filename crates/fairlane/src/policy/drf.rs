//! Dominant resource fairness: the user whose largest share of any resource is least goes first (the baseline of BoPF).
//!
//! ```
//! use fairlane::{catalog, simulate};
//! let scenario = catalog::find("heavy-first").expect("an entry").scenario();
//! let [drf, fifo] = ["drf", "fifo"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
//! // A small job behind twenty of a heavy user.
//! let job = scenario.jobs().len() - 1;
//! assert!(drf.jobs[job].response() < fifo.jobs[job].response());
//! ```

use std::rc::Rc;

use super::explain::{Contender, Explanation, Key, KeyComponent, NumberedFacts, Value};
use super::usage::Capacity;
use super::user_queue::{self, UserOrder, UserQueue};
use super::{Context, Info, KeyOrder, Launch, Policy, PolicyGroup, RankedFrom, StageView, View};
use crate::ids::{StageIndex, UserId};
use crate::tournament;
use crate::units::{VirtualTime, Weight};

/// What readers should know of DRF.
pub const INFO: Info = Info {
    id: "drf",
    title: "DRF",
    name: "Dominant Resource Fairness",
    source: "BoPF paper",
    summary: "The user with the smallest dominant share of cores or memory goes first.",
    key: "dominant share / weight, position in the list of users, rank of arrival, stage id",
    group: PolicyGroup::Queues,
    look: 15,
    order: KeyOrder::EachLaunch,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// Dominant resource fairness. Key: (dominant share of the user / weight, position in the list of users, rank of
/// arrival, stage id).
#[derive(Clone, Debug)]
pub struct Drf {
    shares: DominantShares,
    queue: UserQueue,
}

/// The users' largest shares of any resource.
#[derive(Clone, Debug)]
pub(super) struct DominantShares {
    capacity: Capacity,
    weights: Rc<[Weight]>,
}

impl DominantShares {
    /// Those of a cluster's users.
    pub(super) fn new(context: &Context) -> DominantShares {
        DominantShares {
            capacity: Capacity::new(context.scenario.cluster()),
            weights: Rc::clone(&context.weights),
        }
    }

    /// A user's dominant share divided by its weight.
    fn share(&self, user: UserId, view: &View) -> f64 {
        self.capacity.dominant_share(user, view) / self.weights[user.index()].value()
    }

    /// A number that orders as a user's share; less than 2^63.
    pub(super) fn ascending(&self, user: UserId, view: &View) -> u64 {
        tournament::ascending(self.share(user, view))
    }

    /// What users are ordered by.
    pub(super) fn user_key(&self, user: UserId, view: &View) -> (VirtualTime, u32) {
        (VirtualTime(self.share(user, view)), user.0)
    }

    /// The same in words and numbers.
    pub(super) fn parts(&self, user: UserId, view: &View) -> [KeyComponent; 2] {
        [
            KeyComponent::new("dominant share / weight", Value::Share(self.share(user, view))),
            KeyComponent::new("position in the list of users", Value::Number(u64::from(user.0))),
        ]
    }

    /// What the share is made of.
    pub(super) fn user_facts(&self, user: UserId, view: &View) -> Vec<KeyComponent> {
        let held = |resource| self.capacity.held(resource, user, view);
        let mut facts = vec![KeyComponent::new("cores held by the user", Value::Cores(held(0)))];
        if self.capacity.resources().len() > 1 {
            facts.push(KeyComponent::new("memory held by the user", Value::Memory(held(1))));
        }
        let names = ["share of the cores", "share of the memory"];
        for resource in self.capacity.resources() {
            let share = held(resource) / self.capacity.of_resource(resource);
            facts.push(KeyComponent::new(names[resource], Value::Share(share)));
        }
        facts.push(KeyComponent::new("weight", Value::Weight(self.weights[user.index()])));
        facts
    }
}

impl Policy for Drf {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Drf { shares: DominantShares::new(context), queue: UserQueue::new(context.weights.len()) }
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        self.queue.update(view.stage(stage));
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let shares = &self.shares;
        self.queue.next_task(
            view,
            |user| UserOrder::Settled(shares.ascending(user, view), user.0),
            |user| shares.user_key(user, view),
        )
    }

    fn key(&self, stage: StageView) -> Key {
        Key::new(stage, self.shares.parts(stage.user(), stage.view()))
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        self.shares.user_facts(stage.user(), stage.view()).into()
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        match part {
            0 => user_queue::reason_by_share(first, second, 0),
            _ => user_queue::reason_by_list(first, second),
        }
    }

    fn users(&self, view: &View) -> Vec<(UserId, Explanation)> {
        user_queue::all_users(view, |user| Explanation {
            parts: self.shares.parts(user, view).into(),
            facts: self.shares.user_facts(user, view),
        })
    }
}
