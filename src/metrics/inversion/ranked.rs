//! Waiting jobs under a policy that tells a key at a time.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::order::{Change, Order, Side};
use crate::ids::{Rank, UserId};
use crate::policy::{ArrivingJob, Candidate, Precedence, RankedPolicy, SubmittedStage};
use crate::units::Time;

/// What gives keys.
pub(super) trait Keys {
    fn job_arrived(&mut self, now: Time, job: &ArrivingJob);
    fn stage_submitted(&mut self, now: Time, stage: &SubmittedStage);
    fn key(&self, stage: &Candidate) -> Precedence;
}

/// A policy that receives again the events of the simulation.
pub(super) struct Replayed<P: RankedPolicy> {
    pub(super) policy: P,
    /// What its keys are as numbers.
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

/// Jobs by the keys that the policy told last. Where keys change, all of a user's are asked for
/// anew whenever something is heard of the user.
pub(super) struct Ranked {
    keys: Box<dyn Keys>,
    change: Change,
    due: BTreeSet<(Precedence, Rank)>,
    inverted: BTreeSet<(Precedence, Rank)>,
    /// By rank.
    places: Vec<Option<Place>>,
    /// The jobs in either set, by user; only kept where keys change.
    by_user: Vec<BTreeSet<Rank>>,
}

/// Where a job stands.
#[derive(Clone, Copy)]
struct Place {
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
            places: vec![None; jobs],
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

    fn settle(&mut self, user: UserId) {
        for rank in self.by_user[user.index()].clone() {
            if let Some(Place { first, side, .. }) = self.places[rank.index()] {
                self.put(&first, side);
            }
        }
    }

    fn key(&self, stage: &Candidate) -> Precedence {
        self.keys.key(stage)
    }

    fn put(&mut self, first: &Candidate, side: Side) {
        let (rank, key) = (first.rank, self.key(first));
        if let Some(before) = self.places[rank.index()] {
            self.side(before.side).remove(&(before.key, rank));
        } else if self.change == Change::ByUser {
            self.by_user[first.user.index()].insert(rank);
        }
        self.places[rank.index()] = Some(Place { first: *first, key, side });
        self.side(side).insert((key, rank));
    }

    fn take(&mut self, rank: Rank, user: UserId) {
        if let Some(before) = self.places[rank.index()].take() {
            self.side(before.side).remove(&(before.key, rank));
            self.by_user[user.index()].remove(&rank);
        }
    }

    fn astray(&self, largest: Option<Precedence>) -> Option<Rank> {
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
