//! How the stages that wait are kept, so that the one whose turn it is is found without looking at
//! all of them.
//!
//! A policy says by its keys what the order is; a line keeps to it. Which line a policy has follows
//! from what its keys rest on: [`InOrder`] where a stage's key never changes, [`Fewest`] and
//! [`Pools`](super::ujf::Pools) where each launch and finish changes one, [`Chains`](super::uwfq::Chains)
//! where an arrival changes those of one user. [`Scan`] works for every policy and looks at all
//! stages every time: the others are held against it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Candidate, Context, Policy};
use crate::ids::UserId;
use crate::tournament::{self, Tournament};

/// A stage's place in the engine's table. Places ascend with stage ids.
pub type Place = u32;

/// Where a line keeps a stage; for the line to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seat(pub u32);

/// How many tasks hold a core now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// Of a stage.
    pub stage: u32,
    /// Of the user who submitted its job.
    pub user: u32,
}

/// The submitted stages with pending tasks, in the order in which a policy lets them go.
///
/// After each offer round either no core is free or no stage waits, and every event brings one
/// stage or one core; so whoever is first is all that an offer round needs to know.
pub trait Line<P> {
    /// A line in which nobody waits.
    fn new(context: &Context) -> Self;

    /// A stage begins to wait; the policy has just heard of its submission.
    fn join(&mut self, policy: &mut P, place: Place, stage: &Candidate) -> Seat;

    /// The stage with the least key.
    fn first(&mut self, policy: &P) -> Option<Place>;

    /// The first has no pending tasks left.
    fn leave(&mut self, policy: &mut P, seat: Seat, stage: &Candidate);

    /// A task of a user was launched or has finished; `seat` is its stage's, if that waits.
    fn recount(&mut self, seat: Option<Seat>, user: UserId, running: Running);
}

/// For keys that never change once a stage has been submitted.
pub struct InOrder<P: Policy>(BinaryHeap<Reverse<(P::Key, Place)>>);

impl<P: Policy> Line<P> for InOrder<P> {
    fn new(_: &Context) -> Self {
        InOrder(BinaryHeap::new())
    }

    fn join(&mut self, policy: &mut P, place: Place, stage: &Candidate) -> Seat {
        self.0.push(Reverse((policy.key(stage), place)));
        Seat::default()
    }

    fn first(&mut self, _: &P) -> Option<Place> {
        self.0.peek().map(|&Reverse((_, place))| place)
    }

    fn leave(&mut self, _: &mut P, _: Seat, _: &Candidate) {
        self.0.pop();
    }

    fn recount(&mut self, _: Option<Seat>, _: UserId, _: Running) {}
}

/// For keys that change only with what the policy hears: put in order anew after each submission.
pub struct Sorted {
    /// The first is last.
    stages: Vec<(Place, Candidate)>,
    in_order: bool,
}

impl<P: Policy> Line<P> for Sorted {
    fn new(_: &Context) -> Self {
        Sorted { stages: Vec::new(), in_order: true }
    }

    fn join(&mut self, _: &mut P, place: Place, stage: &Candidate) -> Seat {
        self.stages.push((place, *stage));
        self.in_order = false;
        Seat::default()
    }

    fn first(&mut self, policy: &P) -> Option<Place> {
        if !self.in_order {
            self.stages.sort_by_cached_key(|(_, stage)| Reverse(policy.key(stage)));
            self.in_order = true;
        }
        self.stages.last().map(|&(place, _)| place)
    }

    fn leave(&mut self, _: &mut P, _: Seat, _: &Candidate) {
        self.stages.pop();
    }

    fn recount(&mut self, _: Option<Seat>, _: UserId, _: Running) {}
}

/// Asks the policy for every key at every offer round: slow, and right for every policy.
#[derive(Clone, Debug, Default)]
pub struct Scan(Vec<(Place, Candidate)>);

impl<P: Policy> Line<P> for Scan {
    fn new(_: &Context) -> Self {
        Scan(Vec::new())
    }

    fn join(&mut self, _: &mut P, place: Place, stage: &Candidate) -> Seat {
        self.0.push((place, *stage));
        Seat(place)
    }

    fn first(&mut self, policy: &P) -> Option<Place> {
        self.0.iter().min_by_key(|(_, stage)| policy.key(stage)).map(|&(place, _)| place)
    }

    fn leave(&mut self, _: &mut P, seat: Seat, _: &Candidate) {
        self.0.retain(|&(place, _)| place != seat.0);
    }

    fn recount(&mut self, seat: Option<Seat>, user: UserId, running: Running) {
        for (place, stage) in &mut self.0 {
            if stage.user == user {
                stage.user_running = running.user;
            }
            if seat == Some(Seat(*place)) {
                stage.running = running.stage;
            }
        }
    }
}

/// Stages by (running tasks of the stage, tie), as Spark's `FairSchedulingAlgorithm` without
/// minimum share orders them.
#[derive(Debug, Default)]
pub struct Fewest {
    order: Tournament,
    /// Who sits where, with the tie.
    seats: Vec<(Place, u64)>,
    /// Seats nobody sits on.
    free: Vec<Seat>,
}

impl Fewest {
    pub(super) fn sit(&mut self, place: Place, stage: &Candidate) -> Seat {
        let sitting = (place, stage.tie);
        let seat = match self.free.pop() {
            Some(seat) => {
                self.seats[seat.0 as usize] = sitting;
                seat
            }
            None => {
                self.seats.push(sitting);
                Seat(self.seats.len() as u32 - 1)
            }
        };
        self.set(seat, stage.running);
        seat
    }

    pub(super) fn get_up(&mut self, seat: Seat) {
        self.order.clear(seat.0);
        self.free.push(seat);
    }

    /// A stage has so many running tasks now.
    pub(super) fn set(&mut self, seat: Seat, running: u32) {
        let (_, tie) = self.seats[seat.0 as usize];
        // The tie has all of 64 bits: the number of running tasks goes before it.
        let key = u128::from(running) << 96 | u128::from(tie) << 32 | u128::from(seat.0);
        self.order.set(seat.0, key);
    }

    pub(super) fn least(&self) -> Option<Place> {
        let first = self.order.first()?;
        Some(self.seats[tournament::seat(first) as usize].0)
    }
}

impl<P: Policy> Line<P> for Fewest {
    fn new(_: &Context) -> Self {
        Fewest::default()
    }

    fn join(&mut self, _: &mut P, place: Place, stage: &Candidate) -> Seat {
        self.sit(place, stage)
    }

    fn first(&mut self, _: &P) -> Option<Place> {
        self.least()
    }

    fn leave(&mut self, _: &mut P, seat: Seat, _: &Candidate) {
        self.get_up(seat);
    }

    fn recount(&mut self, seat: Option<Seat>, _: UserId, running: Running) {
        if let Some(seat) = seat {
            self.set(seat, running.stage);
        }
    }
}
