//! What a policy may know before anything happens.

use std::rc::Rc;

use crate::ids::UserId;
use crate::scenario::{PartitionMode, Scenario};
use crate::units::Weight;

/// What a policy may know before anything happens.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// What is simulated.
    pub scenario: &'a Scenario,
    /// How stages are cut into tasks.
    pub partitioning: PartitionMode,
    /// Each user's weight, by [`UserId`].
    pub weights: Rc<[Weight]>,
    /// Each user's position in the order of names (by bytes), by [`UserId`].
    pub name_order: Rc<[u32]>,
}

impl<'a> Context<'a> {
    /// The context of a scenario.
    pub fn new(scenario: &'a Scenario, partitioning: PartitionMode) -> Context<'a> {
        let users = &scenario.users();
        let mut by_name: Vec<usize> = (0..users.len()).collect();
        by_name.sort_by(|&a, &b| users[a].name.as_bytes().cmp(users[b].name.as_bytes()));
        let mut name_order = vec![0; by_name.len()];
        for (position, user) in (0..).zip(by_name) {
            name_order[user] = position;
        }
        let weights = users.iter().map(|user| user.weight).collect();
        Context { scenario, partitioning, weights, name_order: name_order.into() }
    }

    /// Number of cores R.
    pub fn cores(&self) -> u32 {
        self.scenario.cluster().cores()
    }

    /// Number of jobs.
    pub fn jobs(&self) -> usize {
        self.scenario.jobs().len()
    }

    /// A user's weight.
    pub fn weight(&self, user: UserId) -> Weight {
        self.weights[user.index()]
    }
}
