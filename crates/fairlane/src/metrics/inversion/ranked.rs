//! Waiting jobs under a policy that is replayed for its keys.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::order::{Change, Order, Side};
use crate::ids::{Rank, UserId};
use crate::policy::{ArrivingJob, Candidate, Precedence, RankedPolicy, SubmittedStage};
use crate::units::Time;

/// A source of keys.
pub(super) trait Keys {
    fn job_arrived(&mut self, now: Time, job: &ArrivingJob);
    fn stage_submitted(&mut self, now: Time, stage: &SubmittedStage);
    fn key(&self, stage: &Candidate) -> Precedence;
}

/// A policy that receives the events of the simulation again.
pub(super) struct Replayed<P: RankedPolicy> {
    pub(super) policy: P,
    /// Its keys as numbers.
    pub(super) number: fn(P::Key) -> Precedence,
}

impl<P: RankedPolicy> Keys for Replayed<P> {
    fn job_arrived(&mut self, now: Time, job: &ArrivingJob) {
        self.policy.job_arrived(now, job);
    }

    fn stage_submitted(&mut self, now: Time, stage: &SubmittedStage) {
        self.policy.stage_submitted(now, stage);
    }

    fn key(&self, stage: &Candidate) -> Precedence {
        (self.number)(self.policy.key(stage))
    }
}

/// Jobs by their latest keys. Where keys change, all of a user's are updated with each of the user's events.
pub(super) struct Ranked {
    keys: Box<dyn Keys>,
    change: Change,
    due: BTreeSet<(Precedence, Rank)>,
    inverted: BTreeSet<(Precedence, Rank)>,
    /// By rank.
    entries: Vec<Option<Entry>>,
    /// The jobs in either set, by user; only kept where keys change.
    by_user: Vec<BTreeSet<Rank>>,
}

/// A job's entry in one of the sets.
#[derive(Clone, Copy)]
struct Entry {
    first: Candidate,
    key: Precedence,
    side: Side,
}

impl Ranked {
    pub(super) fn new(keys: Box<dyn Keys>, change: Change, users: usize, jobs: usize) -> Self {
        Ranked {
            keys,
            change,
            due: BTreeSet::new(),
            inverted: BTreeSet::new(),
            entries: vec![None; jobs],
            by_user: vec![BTreeSet::new(); users],
        }
    }

    fn side(&mut self, side: Side) -> &mut BTreeSet<(Precedence, Rank)> {
        match side {
            Side::Due => &mut self.due,
            Side::Inverted => &mut self.inverted,
        }
    }
}

impl Order for Ranked {
    fn job_arrived(&mut self, now: Time, job: &ArrivingJob) {
        self.keys.job_arrived(now, job);
    }

    fn stage_submitted(&mut self, now: Time, stage: &SubmittedStage) {
        self.keys.stage_submitted(now, stage);
    }

    fn change(&self) -> Change {
        self.change
    }

    fn update_user(&mut self, user: UserId) {
        for rank in self.by_user[user.index()].clone() {
            if let Some(Entry { first, side, .. }) = self.entries[rank.index()] {
                self.update(&first, side);
            }
        }
    }

    fn key(&self, stage: &Candidate) -> Precedence {
        self.keys.key(stage)
    }

    fn update(&mut self, first: &Candidate, side: Side) {
        let (rank, key) = (first.rank, self.key(first));
        if let Some(before) = self.entries[rank.index()] {
            self.side(before.side).remove(&(before.key, rank));
        } else if self.change == Change::ByUser {
            self.by_user[first.user.index()].insert(rank);
        }
        self.entries[rank.index()] = Some(Entry { first: *first, key, side });
        self.side(side).insert((key, rank));
    }

    fn remove(&mut self, rank: Rank, user: UserId) {
        if let Some(before) = self.entries[rank.index()].take() {
            self.side(before.side).remove(&(before.key, rank));
            self.by_user[user.index()].remove(&rank);
        }
    }

    fn on_wrong_side(&self, largest: Option<Precedence>) -> Option<Rank> {
        let due = self.due.first().filter(|&&(key, _)| largest.is_some_and(|largest| key < largest));
        let inverted =
            || self.inverted.last().filter(|&&(key, _)| largest.is_none_or(|largest| key >= largest));
        due.or_else(inverted).map(|&(_, rank)| rank)
    }

    fn inverted_between(&self, above: Option<Precedence>, below: Precedence) -> Vec<Rank> {
        let from = above.map_or(Bound::Unbounded, |key| Bound::Excluded((key, Rank(u32::MAX))));
        let between = self.inverted.range((from, Bound::Excluded((below, Rank(0)))));
        between.map(|&(_, rank)| rank).collect()
    }
}
