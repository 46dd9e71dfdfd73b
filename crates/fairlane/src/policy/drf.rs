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

use super::explain::{Contender, Explanation, Part, Value};
use super::user_ranked::{self, Account, Capacity, UserRankedPolicy};
use super::{Context, Group, Info};
use crate::ids::UserId;
use crate::units::{Time, Weight};

/// What readers should know of DRF.
pub const INFO: Info = Info {
    id: "drf",
    title: "DRF",
    name: "Dominant Resource Fairness",
    source: "BoPF paper",
    summary: "The user with the smallest dominant share of cores or memory goes first.",
    key: "dominant share / weight, position in the list of users, rank of arrival, stage id",
    group: Group::Queues,
    ..Info::DEFAULT
};

/// Dominant resource fairness. Key: (dominant share of the user / weight, position in the list of users, rank of
/// arrival, stage id).
pub struct Drf {
    capacity: Capacity,
    weights: Rc<[Weight]>,
}

impl Drf {
    /// The dominant share of a user for its weight.
    pub(super) fn share(&self, user: UserId, account: &Account) -> f64 {
        self.capacity.dominant_share(account) / self.weights[user.index()].value()
    }

    /// What the share is made of.
    pub(super) fn share_facts(&self, user: UserId, account: &Account) -> Vec<Part> {
        let mut facts = vec![Part::new("cores held by the user", Value::Cores(account.held(0)))];
        if self.capacity.resources().len() > 1 {
            facts.push(Part::new("memory held by the user", Value::Memory(account.held(1))));
        }
        let names = ["share of the cores", "share of the memory"];
        for resource in self.capacity.resources() {
            let share = account.held(resource) / self.capacity.of_resource(resource);
            facts.push(Part::new(names[resource], Value::Share(share)));
        }
        facts.push(Part::new("weight", Value::Weight(self.weights[user.index()])));
        facts
    }

    /// The parts of the key.
    pub(super) fn share_parts(&self, user: UserId, account: &Account) -> [Part; 2] {
        [
            Part::new("dominant share / weight", Value::Share(self.share(user, account))),
            Part::new("position in the list of users", Value::Number(u64::from(user.0))),
        ]
    }
}

impl UserRankedPolicy for Drf {
    type Key = (u64, u32);

    const ONLY_HELD: bool = true;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Drf { capacity: Capacity::of(context.scenario.cluster()), weights: Rc::clone(&context.weights) }
    }

    fn key(&self, user: UserId, account: &Account, _: Time) -> Self::Key {
        (user_ranked::ordered_share(self.share(user, account)), user.0)
    }

    fn explain(&self, user: UserId, account: &Account, _: Time) -> Explanation {
        let parts = self.share_parts(user, account).into();
        Explanation { parts, facts: self.share_facts(user, account), remark: None }
    }

    fn reason(first: &Contender, second: &Contender, part: usize) -> String {
        match part {
            0 => user_ranked::reason_by_share(first, second, 0),
            _ => user_ranked::reason_by_list(first, second),
        }
    }
}
