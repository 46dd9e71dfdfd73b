//! Waiting jobs under UWFQ, from the policy's log.
//!
//! An arrival moves the deadlines of all its user's later jobs, but never their order: a user's jobs form a
//! chain, in which a deadline is Va plus the work of all jobs up to this one over the weight. The order of each
//! chain is known beforehand, so every admission gets a slot of its own, user by user and chain by chain. The
//! work admitted so far is kept in a tree of sums over the slots; waiting jobs are sets of slots, of which only
//! each user's ends are ever needed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::order::{Change, Order, Side};
use crate::ids::{Rank, UserId};
use crate::policy::log::{AdmissionEntry, Late, PolicyLog};
use crate::policy::{ArrivingJob, Candidate, Precedence, SubmittedStage};
use crate::scenario::Scenario;
use crate::tournament::ascending;
use crate::units::{Time, VirtualTime};

/// An index in the order of all admissions.
type Slot = u32;

/// No slot.
const NONE: Slot = Slot::MAX;

/// What has a slot.
#[derive(Clone, Copy)]
enum Holder {
    /// An admission, by index in the log.
    Admitted(u32),
    /// A job moved to the top for good.
    OnTop(Rank),
}

pub(super) struct Chains<'a> {
    log: &'a PolicyLog,
    /// By user.
    weights: Vec<f64>,
    /// What has each slot.
    holders: Vec<Holder>,
    /// The slots of each user.
    slots_of: Vec<Range<Slot>>,
    /// Where the slots of each session start.
    session_starts: Vec<Slot>,
    /// The slot of each admission.
    admission_slots: Vec<Slot>,
    /// The slots of jobs that are ever moved to the top.
    top_slots: BTreeMap<Rank, Slot>,
    /// Work admitted so far.
    work: Sums,
    /// How many entries of the log have been applied.
    admitted: usize,
    late: usize,
    /// The jobs' slots, by rank.
    slots: Vec<Slot>,
    /// The first pending stage of each job, by rank.
    firsts: Vec<u64>,
    due: BTreeSet<Slot>,
    inverted: BTreeSet<Slot>,
    /// Each user's due job of the smallest key, and inverted one of the largest.
    least_due: Ends,
    last_inverted: Ends,
}

impl<'a> Chains<'a> {
    pub(super) fn new(scenario: &Scenario, log: &'a PolicyLog) -> Self {
        let (users, jobs) = (scenario.users().len(), scenario.jobs().len());
        let mut chains = Chains {
            log,
            weights: scenario.users().iter().map(|user| user.weight.value()).collect(),
            holders: Vec::new(),
            slots_of: vec![0..0; users],
            session_starts: vec![0; log.sessions.len()],
            admission_slots: vec![NONE; log.admissions.len()],
            top_slots: BTreeMap::new(),
            work: Sums::new(log.admissions.len()),
            admitted: 0,
            late: 0,
            slots: vec![NONE; jobs],
            firsts: vec![0; jobs],
            due: BTreeSet::new(),
            inverted: BTreeSet::new(),
            least_due: Ends::new(users),
            last_inverted: Ends::new(users),
        };
        chains.assign_slots(scenario);
        chains
    }

    /// Assigns the slots: each user's jobs on top first, then the chains of the user's sessions.
    fn assign_slots(&mut self, scenario: &Scenario) {
        let (users, sessions) = (scenario.users().len(), &self.log.sessions);
        let mut on_top = vec![BTreeSet::new(); users];
        let by_rank = scenario.arrival_order();
        for entry in self.log.late.iter().filter(|entry| entry.late == Late::Top) {
            let job = by_rank[entry.rank.index()];
            on_top[scenario.jobs()[job.index()].user.index()].insert(entry.rank);
        }
        let mut sessions_of = vec![Vec::new(); users];
        for (index, session) in sessions.iter().enumerate() {
            sessions_of[session.user.index()].push(index);
        }
        let links = Links::of(self.log);
        for user in 0..users {
            let from = self.holders.len() as Slot;
            for &rank in &on_top[user] {
                self.top_slots.insert(rank, self.holders.len() as Slot);
                self.holders.push(Holder::OnTop(rank));
            }
            for &session in &sessions_of[user] {
                self.session_starts[session] = self.holders.len() as Slot;
                // A job belongs to a chain of its own user only, whatever a damaged journal says.
                let user_of = |entry: &u32| {
                    let rank = self.log.admissions[*entry as usize].rank;
                    scenario.jobs()[by_rank[rank.index()].index()].user
                };
                for entry in links.chain(session).filter(|entry| user_of(entry).index() == user) {
                    self.admission_slots[entry as usize] = self.holders.len() as Slot;
                    self.holders.push(Holder::Admitted(entry));
                }
            }
            self.slots_of[user] = from..self.holders.len() as Slot;
        }
        self.work = Sums::new(self.holders.len());
    }

    /// D_global of what has the slot; 0 without any. Does not descend from slot to slot of a user.
    fn deadline(&self, slot: Slot) -> f64 {
        let Some(&Holder::Admitted(entry)) = self.holders.get(slot as usize) else { return 0.0 };
        let session = self.log.admissions[entry as usize].session as usize;
        let entry = &self.log.sessions[session];
        let work = self.work.before(slot + 1) - self.work.before(self.session_starts[session]);
        (entry.virtual_arrival + work as f64 / self.weights[entry.user.index()]).max(0.0)
    }

    fn rank(&self, slot: Slot) -> Rank {
        match self.holders[slot as usize] {
            Holder::Admitted(entry) => self.log.admissions[entry as usize].rank,
            Holder::OnTop(rank) => rank,
        }
    }

    /// The key of a waiting job.
    fn first_key(&self, slot: Slot) -> Precedence {
        let rank = self.rank(slot);
        [ascending(self.deadline(slot)), u64::from(rank.0), self.firsts[rank.index()]]
    }

    /// Applies what the policy logged up to an event.
    fn apply(&mut self, event: u32) {
        while let Some(entry) = self.log.admissions.get(self.admitted).filter(|entry| entry.event <= event) {
            let slot = self.admission_slots[self.admitted];
            self.admitted += 1;
            if slot != NONE {
                self.work.add(slot, u128::from(entry.estimate.0));
                self.move_to(entry.rank, slot);
            }
        }
        while let Some(entry) = self.log.late.get(self.late).filter(|entry| entry.event <= event) {
            self.late += 1;
            if let (Late::Top, Some(&slot)) = (entry.late, self.top_slots.get(&entry.rank)) {
                self.move_to(entry.rank, slot);
            }
        }
    }

    fn move_to(&mut self, rank: Rank, slot: Slot) {
        let before = std::mem::replace(&mut self.slots[rank.index()], slot);
        for side in [&mut self.due, &mut self.inverted] {
            if side.remove(&before) {
                side.insert(slot);
            }
        }
    }

    /// The most extreme key among the first slots of equal deadlines: work too small for an f64 can make some
    /// equal.
    fn furthest(
        &self,
        mut slots: impl Iterator<Item = Slot>,
        further: fn(Precedence, Precedence) -> Precedence,
    ) -> Option<Precedence> {
        let first = self.first_key(slots.next()?);
        let equal = slots.map(|slot| self.first_key(slot)).take_while(|key| key[0] == first[0]);
        Some(equal.fold(first, further))
    }
}

impl Order for Chains<'_> {
    fn job_arrived(&mut self, _: Time, job: &ArrivingJob) {
        self.apply(job.event);
    }

    fn stage_submitted(&mut self, _: Time, stage: &SubmittedStage) {
        self.apply(stage.event);
    }

    fn change(&self) -> Change {
        Change::ByUser
    }

    fn update_user(&mut self, user: UserId) {
        let slots = self.slots_of[user.index()].clone();
        let least_due = self.furthest(self.due.range(slots.clone()).copied(), Precedence::min);
        let last_inverted = self.furthest(self.inverted.range(slots).rev().copied(), Precedence::max);
        self.least_due.set(user, least_due);
        self.last_inverted.set(user, last_inverted);
    }

    fn key(&self, stage: &Candidate) -> Precedence {
        let deadline = self.deadline(self.slots[stage.rank.index()]);
        [ascending(deadline), u64::from(stage.rank.0), stage.id.0]
    }

    fn update(&mut self, first: &Candidate, side: Side) {
        let slot = self.slots[first.rank.index()];
        if slot == NONE {
            return;
        }
        self.firsts[first.rank.index()] = first.id.0;
        let (to, from) = match side {
            Side::Due => (&mut self.due, &mut self.inverted),
            Side::Inverted => (&mut self.inverted, &mut self.due),
        };
        from.remove(&slot);
        to.insert(slot);
        self.update_user(first.user);
    }

    fn remove(&mut self, rank: Rank, user: UserId) {
        let slot = self.slots[rank.index()];
        self.due.remove(&slot);
        self.inverted.remove(&slot);
        self.update_user(user);
    }

    fn on_wrong_side(&self, largest: Option<Precedence>) -> Option<Rank> {
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
            let slots = self.slots_of[user.index()].clone();
            let from = first_in(slots.clone(), |slot| ascending(self.deadline(slot)) >= above[0]);
            let to = first_in(slots, |slot| ascending(self.deadline(slot)) > below[0]);
            let keys = self.inverted.range(from..to.max(from)).map(|&slot| self.first_key(slot));
            between.extend(keys.filter(|key| above < *key && *key < below).map(|key| Rank(key[1] as u32)));
        }
        between
    }
}

/// The first slot for which something holds, where it then holds for all after it; else their end.
fn first_in(slots: Range<Slot>, holds: impl Fn(Slot) -> bool) -> Slot {
    let (mut from, mut to) = (slots.start, slots.end);
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) { to = middle } else { from = middle + 1 }
    }
    from
}

/// One key for each user who has one, in order.
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

/// The admissions of each session in the order of their chain, as linked lists.
struct Links {
    /// The first of each session.
    first: Vec<u32>,
    /// What follows each, or [`NONE`].
    next: Vec<u32>,
}

impl Links {
    /// A job goes before the first of those still in the list whose deadline is later. (The deadlines of those that
    /// have left do not matter: they can have been rounded otherwise.)
    fn of(log: &PolicyLog) -> Links {
        let mut first = vec![NONE; log.sessions.len()];
        let mut last = first.clone();
        let (mut next, mut before) = (vec![NONE; log.admissions.len()], vec![NONE; log.admissions.len()]);
        let mut lists: BTreeSet<(u32, VirtualTime, Rank, u32)> = BTreeSet::new();
        for (place, entry) in (0..).zip(&log.admissions) {
            let least = (entry.session, VirtualTime(0.0), Rank(0), 0);
            let has_left = |&&(session, .., other): &&(u32, VirtualTime, Rank, u32)| {
                session == entry.session && log.admissions[other as usize].left.event <= entry.event
            };
            while let Some(&gone) = lists.range(least..).next().filter(has_left) {
                lists.remove(&gone);
            }
            let own = (entry.session, user_deadline(entry), entry.rank, place);
            let behind =
                lists.range(own..).next().filter(|other| other.0 == entry.session).map(|other| other.3);
            lists.insert(own);
            let session = entry.session as usize;
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

    fn chain(&self, session: usize) -> impl Iterator<Item = u32> + '_ {
        let known = |entry: u32| (entry != NONE).then_some(entry);
        std::iter::successors(known(self.first[session]), move |&entry| known(self.next[entry as usize]))
    }
}

/// D_user.
fn user_deadline(entry: &AdmissionEntry) -> VirtualTime {
    VirtualTime(entry.user_time + entry.estimate.0 as f64)
}

/// Prefix sums of numbers that are added to (a Fenwick tree).
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
