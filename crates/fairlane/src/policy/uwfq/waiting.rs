//! The waiting stages of UWFQ: the stages by job, the jobs by user, the users in a tournament. An arrival moves the
//! deadlines of its user's jobs, but not their order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Uwfq;
use crate::ids::{Rank, StageIndex, UserId};
use crate::policy::Context;
use crate::tournament::{self, Tournament};
use crate::units::VirtualTime;

/// A user's jobs that are in no list and of which a stage waits, by (D_global, rank). Jobs that no
/// longer belong here are only removed when they are first.
#[derive(Clone, Debug, Default)]
pub(super) struct DepartedJobs(BinaryHeap<Reverse<(VirtualTime, Rank)>>);

impl DepartedJobs {
    pub(super) fn push(&mut self, deadline: VirtualTime, rank: Rank) {
        self.0.push(Reverse((deadline, rank)));
    }
}

/// The users with waiting stages.
#[derive(Clone, Debug)]
pub(super) struct WaitingUsers {
    /// By (D_global, rank) of their first job of which a stage waits.
    users: Tournament,
    /// The waiting stages of each job, by rank.
    jobs: Vec<BinaryHeap<Reverse<StageIndex>>>,
}

impl WaitingUsers {
    pub(super) fn new(context: &Context) -> Self {
        WaitingUsers {
            users: Tournament::new(context.weights.len()),
            jobs: vec![BinaryHeap::new(); context.jobs()],
        }
    }

    /// Whether a stage of a job waits. O(waiting stages of the job).
    pub(super) fn has(&self, stage: StageIndex, rank: Rank) -> bool {
        self.jobs[rank.index()].iter().any(|&Reverse(other)| other == stage)
    }

    /// The stage with the least key.
    pub(super) fn first(&self) -> Option<StageIndex> {
        let first = self.users.first()?;
        let rank = (first >> 32) as u32;
        self.jobs[rank as usize].peek().map(|&Reverse(index)| index)
    }
}

impl Uwfq {
    /// A stage was submitted.
    pub(super) fn insert_waiting(&mut self, stage: StageIndex, rank: Rank, user: UserId) {
        self.waiting.jobs[rank.index()].push(Reverse(stage));
        self.set_waits(rank, user, true);
        self.rank(user);
    }

    /// The last task of the first stage of its job was launched.
    pub(super) fn remove_waiting(&mut self, stage: StageIndex, rank: Rank, user: UserId) {
        let stages = &mut self.waiting.jobs[rank.index()];
        // Where memory decides it need not be the first.
        match stages.peek() {
            Some(&Reverse(first)) if first == stage => _ = stages.pop(),
            _ => stages.retain(|&Reverse(other)| other != stage),
        }
        if stages.is_empty() {
            self.set_waits(rank, user, false);
            self.rank(user);
        }
    }

    /// Updates a user's position: the user's jobs have changed, or which of them wait.
    pub(super) fn rank(&mut self, user: UserId) {
        match self.first_waiting(user) {
            Some((deadline, rank)) => {
                let key = tournament::key(tournament::ascending(deadline.0), rank.0, user.0);
                self.waiting.users.set(user.0, key);
            }
            None => self.waiting.users.clear(user.0),
        }
    }

    /// Records whether a stage of a job waits.
    fn set_waits(&mut self, rank: Rank, user: UserId, waits: bool) {
        let state = &mut self.users[user.index()];
        if self.lists.waits(rank) != waits {
            self.lists.set_waits(state.jobs, rank, waits);
            if waits && !self.lists.holds(rank) {
                state.waiting.push(self.deadlines[rank.index()], rank);
            }
        }
    }

    /// The user's job with the least (D_global, rank) of those of which a stage waits.
    fn first_waiting(&mut self, user: UserId) -> Option<(VirtualTime, Rank)> {
        let weight = self.weight(user);
        let state = &mut self.users[user.index()];
        while let Some(&Reverse((deadline, rank))) = state.waiting.0.peek() {
            if self.lists.waits(rank) && !self.lists.holds(rank) && self.deadlines[rank.index()] == deadline {
                break;
            }
            state.waiting.0.pop();
        }
        let departed = state.waiting.0.peek().map(|&Reverse(first)| first);
        let mut listed: Option<(VirtualTime, Rank)> = None;
        self.lists.visit_waiting(state.jobs, &mut |rank, work| {
            // The order of the list is that of D_global, but work too small for an f64 can make some equal.
            let job = (VirtualTime(state.deadline(work, weight)), rank);
            let goes_on = listed.is_none_or(|first| first.0 == job.0);
            listed = Some(listed.map_or(job, |first| first.min(job)));
            goes_on
        });
        departed.into_iter().chain(listed).min()
    }
}
