//! Waiting jobs under UWFQ, from what the policy has noted.
//!
//! An arrival moves the deadlines of all its user's later jobs, but never their order: a user's jobs stand
//! in a chain, in which a deadline is Va and the work of all up to the job over the weight. Where in
//! its chain each job will stand can be known beforehand, so every admission has a seat of its own,
//! user by user and chain by chain. The work that has come is kept in a tree of sums over the seats; who
//! waits, as sets of seats, of which only each user's ends are ever looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::order::{Change, Order, Side};
use crate::ids::{Rank, UserId};
use crate::policy::log::{AdmissionEntry, Late, PolicyLog};
use crate::policy::{ArrivingJob, Candidate, Context, Precedence, SubmittedStage};
use crate::tournament::ascending;
use crate::units::{Time, VirtualTime};

/// A place in the order of all that are ever admitted.
type Seat = u32;

/// A seat that nobody has.
const NONE: Seat = Seat::MAX;

/// EventKind a seat stands for.
#[derive(Clone, Copy)]
enum Holder {
    /// An admission, by place among the notes.
    Admitted(u32),
    /// A job put on top for good.
    OnTop(Rank),
}

pub(super) struct Chains<'a> {
    notes: &'a PolicyLog,
    /// By user.
    weights: Vec<f64>,
    /// Who sits where.
    holders: Vec<Holder>,
    /// The seats of each user.
    seats_of: Vec<Range<Seat>>,
    /// Where the seats of each of the users' stays begin.
    begins: Vec<Seat>,
    /// The seat of each admission.
    admission_seats: Vec<Seat>,
    /// The seats on top, of those who ever get there.
    top_seats: BTreeMap<Rank, Seat>,
    /// Work of those who have been admitted by now.
    work: Sums,
    /// How many of the notes have been heard by now.
    admitted: usize,
    late: usize,
    /// The jobs' seats, by rank.
    seats: Vec<Seat>,
    /// The first pending stage of each job, by rank.
    firsts: Vec<u64>,
    due: BTreeSet<Seat>,
    inverted: BTreeSet<Seat>,
    /// Each user's due job of the smallest key, and inverted one of the largest.
    least_due: Ends,
    last_inverted: Ends,
}

impl<'a> Chains<'a> {
    pub(super) fn new(context: &Context, notes: &'a PolicyLog) -> Self {
        let users = context.weights.len();
        let mut chains = Chains {
            notes,
            weights: context.weights.iter().map(|weight| weight.value()).collect(),
            holders: Vec::new(),
            seats_of: vec![0..0; users],
            begins: vec![0; notes.sessions.len()],
            admission_seats: vec![NONE; notes.admissions.len()],
            top_seats: BTreeMap::new(),
            work: Sums::new(notes.admissions.len()),
            admitted: 0,
            late: 0,
            seats: vec![NONE; context.jobs()],
            firsts: vec![0; context.jobs()],
            due: BTreeSet::new(),
            inverted: BTreeSet::new(),
            least_due: Ends::new(users),
            last_inverted: Ends::new(users),
        };
        chains.seat_all(users);
        chains
    }

    /// Gives out the seats: each user's jobs on top, which go first, then the chains of the user's stays.
    fn seat_all(&mut self, users: usize) {
        let sessions = &self.notes.sessions;
        let user_of: BTreeMap<Rank, UserId> = self
            .notes
            .admissions
            .iter()
            .map(|note| (note.rank, sessions[note.session as usize].user))
            .collect();
        let mut on_top = vec![BTreeSet::new(); users];
        for note in self.notes.late.iter().filter(|note| note.late == Late::Top) {
            on_top[user_of[&note.rank].index()].insert(note.rank);
        }
        let mut stays = vec![Vec::new(); users];
        for (place, session) in sessions.iter().enumerate() {
            stays[session.user.index()].push(place);
        }
        let links = Links::of(self.notes);
        for user in 0..users {
            let from = self.holders.len() as Seat;
            for &rank in &on_top[user] {
                self.top_seats.insert(rank, self.holders.len() as Seat);
                self.holders.push(Holder::OnTop(rank));
            }
            for &stay in &stays[user] {
                self.begins[stay] = self.holders.len() as Seat;
                for note in links.chain(stay) {
                    self.admission_seats[note as usize] = self.holders.len() as Seat;
                    self.holders.push(Holder::Admitted(note));
                }
            }
            self.seats_of[user] = from..self.holders.len() as Seat;
        }
        self.work = Sums::new(self.holders.len());
    }

    /// D_global of whoever sits there. Does not descend from seat to seat of a user.
    fn deadline(&self, seat: Seat) -> f64 {
        let Holder::Admitted(note) = self.holders[seat as usize] else { return 0.0 };
        let session = self.notes.admissions[note as usize].session as usize;
        let note = &self.notes.sessions[session];
        let work = self.work.before(seat + 1) - self.work.before(self.begins[session]);
        note.virtual_arrival + work as f64 / self.weights[note.user.index()]
    }

    fn rank(&self, seat: Seat) -> Rank {
        match self.holders[seat as usize] {
            Holder::Admitted(note) => self.notes.admissions[note as usize].rank,
            Holder::OnTop(rank) => rank,
        }
    }

    /// The key of a waiting job.
    fn first_key(&self, seat: Seat) -> Precedence {
        let rank = self.rank(seat);
        [ascending(self.deadline(seat)), u64::from(rank.0), self.firsts[rank.index()]]
    }

    /// Takes in what the policy noted at an event.
    fn hear(&mut self, event: u32) {
        while let Some(note) = self.notes.admissions.get(self.admitted).filter(|note| note.event <= event) {
            let seat = self.admission_seats[self.admitted];
            self.work.add(seat, u128::from(note.estimate.0));
            self.admitted += 1;
            self.move_to(note.rank, seat);
        }
        while let Some(note) = self.notes.late.get(self.late).filter(|note| note.event <= event) {
            self.late += 1;
            if note.late == Late::Top {
                self.move_to(note.rank, self.top_seats[&note.rank]);
            }
        }
    }

    fn move_to(&mut self, rank: Rank, seat: Seat) {
        let before = std::mem::replace(&mut self.seats[rank.index()], seat);
        for side in [&mut self.due, &mut self.inverted] {
            if side.remove(&before) {
                side.insert(seat);
            }
        }
    }

    /// The first seats of equal deadlines, where work too small for an f64 can make some equal: the key that
    /// goes furthest.
    fn furthest(
        &self,
        mut seats: impl Iterator<Item = Seat>,
        further: fn(Precedence, Precedence) -> Precedence,
    ) -> Option<Precedence> {
        let first = self.first_key(seats.next()?);
        let equal = seats.map(|seat| self.first_key(seat)).take_while(|key| key[0] == first[0]);
        Some(equal.fold(first, further))
    }
}

impl Order for Chains<'_> {
    fn job_arrived(&mut self, _: Time, job: &ArrivingJob) {
        self.hear(job.event);
    }

    fn stage_submitted(&mut self, _: Time, stage: &SubmittedStage) {
        self.hear(stage.event);
    }

    fn change(&self) -> Change {
        Change::ByUser
    }

    fn settle(&mut self, user: UserId) {
        let seats = self.seats_of[user.index()].clone();
        let least_due = self.furthest(self.due.range(seats.clone()).copied(), Precedence::min);
        let last_inverted = self.furthest(self.inverted.range(seats).rev().copied(), Precedence::max);
        self.least_due.set(user, least_due);
        self.last_inverted.set(user, last_inverted);
    }

    fn key(&self, stage: &Candidate) -> Precedence {
        let deadline = self.deadline(self.seats[stage.rank.index()]);
        [ascending(deadline), u64::from(stage.rank.0), stage.id.0]
    }

    fn put(&mut self, first: &Candidate, side: Side) {
        let seat = self.seats[first.rank.index()];
        self.firsts[first.rank.index()] = first.id.0;
        let (to, from) = match side {
            Side::Due => (&mut self.due, &mut self.inverted),
            Side::Inverted => (&mut self.inverted, &mut self.due),
        };
        from.remove(&seat);
        to.insert(seat);
        self.settle(first.user);
    }

    fn take(&mut self, rank: Rank, user: UserId) {
        let seat = self.seats[rank.index()];
        self.due.remove(&seat);
        self.inverted.remove(&seat);
        self.settle(user);
    }

    fn astray(&self, largest: Option<Precedence>) -> Option<Rank> {
        let due =
            self.least_due.in_order.first().filter(|(key, _)| largest.is_some_and(|largest| *key < largest));
        let inverted = || {
            self.last_inverted
                .in_order
                .last()
                .filter(|(key, _)| largest.is_none_or(|largest| *key >= largest))
        };
        due.or_else(inverted).map(|(key, _)| Rank(key[1] as u32))
    }

    fn inverted_between(&self, above: Option<Precedence>, below: Precedence) -> Vec<Rank> {
        let above = above.unwrap_or_default();
        let mut between = Vec::new();
        for (_, user) in self.last_inverted.in_order.range((above, UserId(0))..) {
            let seats = self.seats_of[user.index()].clone();
            let from = first_in(seats.clone(), |seat| ascending(self.deadline(seat)) >= above[0]);
            let to = first_in(seats, |seat| ascending(self.deadline(seat)) > below[0]);
            let keys = self.inverted.range(from..to).map(|&seat| self.first_key(seat));
            between.extend(keys.filter(|key| above < *key && *key < below).map(|key| Rank(key[1] as u32)));
        }
        between
    }
}

/// The first of the seats of which something holds, where it holds of all behind it; else their end.
fn first_in(seats: Range<Seat>, holds: impl Fn(Seat) -> bool) -> Seat {
    let (mut from, mut to) = (seats.start, seats.end);
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) { to = middle } else { from = middle + 1 }
    }
    from
}

/// One job's key for each user who has one, in order.
struct Ends {
    in_order: BTreeSet<(Precedence, UserId)>,
    by_user: Vec<Option<Precedence>>,
}

impl Ends {
    fn new(users: usize) -> Self {
        Ends { in_order: BTreeSet::new(), by_user: vec![None; users] }
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

/// The admissions of each stay in the order in which they stand in their chain, as lists.
struct Links {
    /// The first of each stay.
    first: Vec<u32>,
    /// EventKind follows each, or [`NONE`].
    next: Vec<u32>,
}

impl Links {
    /// A job goes before the first of those still in the list whose deadline is later. (The deadlines of those
    /// who have left say nothing: they can have been rounded otherwise.)
    fn of(notes: &PolicyLog) -> Links {
        let mut first = vec![NONE; notes.sessions.len()];
        let mut last = first.clone();
        let (mut next, mut before) = (vec![NONE; notes.admissions.len()], vec![NONE; notes.admissions.len()]);
        let mut lists: BTreeSet<(u32, VirtualTime, Rank, u32)> = BTreeSet::new();
        for (place, note) in (0..).zip(&notes.admissions) {
            let least = (note.session, VirtualTime(0.0), Rank(0), 0);
            let has_left = |&&(session, .., other): &&(u32, VirtualTime, Rank, u32)| {
                session == note.session && notes.admissions[other as usize].left.event <= note.event
            };
            while let Some(&gone) = lists.range(least..).next().filter(has_left) {
                lists.remove(&gone);
            }
            let own = (note.session, user_deadline(note), note.rank, place);
            let behind =
                lists.range(own..).next().filter(|other| other.0 == note.session).map(|other| other.3);
            lists.insert(own);
            let session = note.session as usize;
            let ahead = behind.map_or(last[session], |behind| before[behind as usize]);
            (next[place as usize], before[place as usize]) = (behind.unwrap_or(NONE), ahead);
            match ahead {
                NONE => first[session] = place,
                ahead => next[ahead as usize] = place,
            }
            match behind {
                None => last[session] = place,
                Some(behind) => before[behind as usize] = place,
            }
        }
        Links { first, next }
    }

    fn chain(&self, stay: usize) -> impl Iterator<Item = u32> + '_ {
        let known = |note: u32| (note != NONE).then_some(note);
        std::iter::successors(known(self.first[stay]), move |&note| known(self.next[note as usize]))
    }
}

/// D_user.
fn user_deadline(note: &AdmissionEntry) -> VirtualTime {
    VirtualTime(note.user_time + note.estimate.0 as f64)
}

/// Sums of all before a place, of numbers that are added to (a Fenwick tree).
struct Sums(Vec<u128>);

impl Sums {
    fn new(places: usize) -> Self {
        Sums(vec![0; places + 1])
    }

    fn add(&mut self, place: u32, number: u128) {
        let mut at = place as usize + 1;
        while at < self.0.len() {
            self.0[at] += number;
            at += at & at.wrapping_neg();
        }
    }

    fn before(&self, place: u32) -> u128 {
        let (mut at, mut sum) = (place as usize, 0);
        while at > 0 {
            sum += self.0[at];
            at &= at - 1;
        }
        sum
    }
}
