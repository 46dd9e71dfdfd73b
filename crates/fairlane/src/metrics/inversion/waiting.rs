//! The jobs that wait, in the order of keys that move.

use std::collections::BTreeSet;

use super::Precedence;
use crate::ids::{Rank, UserId};

/// The key of a job now.
type KeyOf<'a> = &'a dyn Fn(Rank) -> Precedence;

/// The waiting jobs of each user in the order of their keys. Those before a boundary are inverted.
pub(super) struct WaitingJobs {
    users: Vec<UserJobs>,
    /// Whether each job is listed, by its rank.
    is_listed: Vec<bool>,
    /// The keys of the users' first jobs that are not inverted.
    first_due: KeyedUsers,
    /// Those of the users' last inverted jobs.
    last_inverted: KeyedUsers,
    /// Users with misplaced jobs.
    misplaced: BTreeSet<UserId>,
}

#[derive(Clone, Default)]
struct UserJobs {
    order: Vec<Rank>,
    /// How many of them are inverted, as far as was determined.
    boundary: usize,
    /// Inserted jobs on the wrong side of the boundary for what they are.
    misplaced: Vec<Rank>,
}

impl WaitingJobs {
    pub(super) fn new(users: usize, jobs: usize) -> WaitingJobs {
        WaitingJobs {
            users: vec![UserJobs::default(); users],
            is_listed: vec![false; jobs],
            first_due: KeyedUsers::new(users),
            last_inverted: KeyedUsers::new(users),
            misplaced: BTreeSet::new(),
        }
    }

    /// A job does not wait any more.
    pub(super) fn remove(&mut self, rank: Rank, user: UserId) {
        if !std::mem::take(&mut self.is_listed[rank.index()]) {
            return;
        }
        let jobs = &mut self.users[user.index()];
        if let Some(position) = jobs.order.iter().position(|&other| other == rank) {
            jobs.order.remove(position);
            jobs.boundary -= usize::from(position < jobs.boundary);
        }
        jobs.misplaced.retain(|&other| other != rank);
    }

    /// A job waits; its key may be another one.
    pub(super) fn insert(&mut self, rank: Rank, user: UserId, is_inverted: bool, key: KeyOf) {
        self.remove(rank, user);
        self.is_listed[rank.index()] = true;
        let (jobs, own) = (&mut self.users[user.index()], key(rank));
        let position = jobs.order.partition_point(|&other| key(other) < own);
        jobs.order.insert(position, rank);
        // On the boundary it belongs to either side.
        let is_before = position < jobs.boundary || position == jobs.boundary && is_inverted;
        jobs.boundary += usize::from(is_before);
        if is_before != is_inverted {
            jobs.misplaced.push(rank);
        }
    }

    /// Updates what is known of the keys at a user's boundary.
    pub(super) fn update_ends(&mut self, user: UserId, key: KeyOf) {
        let UserJobs { order, boundary, misplaced } = &self.users[user.index()];
        match misplaced.is_empty() {
            true => self.misplaced.remove(&user),
            false => self.misplaced.insert(user),
        };
        self.first_due.set(user, order.get(*boundary).map(|&rank| key(rank)));
        self.last_inverted.set(user, boundary.checked_sub(1).map(|last| key(order[last])));
    }

    /// A user whose boundary has to move, where this is the largest key on a core.
    pub(super) fn next_on_wrong_side(&self, largest: Option<Precedence>) -> Option<UserId> {
        let due = self.first_due.in_order.first();
        let due = due.filter(|(key, _)| largest.is_some_and(|largest| *key < largest));
        let inverted = self.last_inverted.in_order.last();
        let inverted = inverted.filter(|(key, _)| largest.is_none_or(|largest| *key >= largest));
        self.misplaced.first().copied().or_else(|| due.or(inverted).map(|&(_, user)| user))
    }

    /// Moves a user's boundary to where it belongs; the jobs that are inverted now and were not, or the other way
    /// round.
    pub(super) fn move_boundary(
        &mut self,
        user: UserId,
        largest: Option<Precedence>,
        key: KeyOf,
    ) -> Vec<Rank> {
        let jobs = &mut self.users[user.index()];
        let boundary = largest.map_or(0, |largest| jobs.order.partition_point(|&rank| key(rank) < largest));
        let (from, to) = (boundary.min(jobs.boundary), boundary.max(jobs.boundary));
        let mut moved: Vec<Rank> = jobs.order[from..to].to_vec();
        for rank in std::mem::take(&mut jobs.misplaced) {
            // One that the boundary has moved past is what it should be.
            match moved.iter().position(|&other| other == rank) {
                Some(position) => _ = moved.remove(position),
                None => moved.push(rank),
            }
        }
        jobs.boundary = boundary;
        self.update_ends(user, key);
        moved
    }

    /// The inverted jobs with keys between two.
    pub(super) fn inverted_between(
        &self,
        above: Option<Precedence>,
        below: Precedence,
        key: KeyOf,
    ) -> Vec<Rank> {
        let mut between = Vec::new();
        for (_, user) in self.last_inverted.in_order.range((above.unwrap_or_default(), UserId(0))..) {
            let UserJobs { order, boundary, .. } = &self.users[user.index()];
            let inverted = &order[..*boundary];
            let from = above.map_or(0, |above| inverted.partition_point(|&rank| key(rank) <= above));
            let to = inverted.partition_point(|&rank| key(rank) < below);
            between.extend(&inverted[from..to.max(from)]);
        }
        between
    }
}

/// A key for each user who has one, in order.
struct KeyedUsers {
    in_order: BTreeSet<(Precedence, UserId)>,
    by_user: Vec<Option<Precedence>>,
}

impl KeyedUsers {
    fn new(users: usize) -> Self {
        KeyedUsers { in_order: BTreeSet::new(), by_user: vec![None; users] }
    }

    fn set(&mut self, user: UserId, key: Option<Precedence>) {
        let before = std::mem::replace(&mut self.by_user[user.index()], key);
        if before == key {
            return;
        }
        if let Some(before) = before {
            self.in_order.remove(&(before, user));
        }
        if let Some(key) = key {
            self.in_order.insert((key, user));
        }
    }
}
