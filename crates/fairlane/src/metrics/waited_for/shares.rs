//! The users' fair shares of the cores at an instant, and who has more or less.

use super::Holder;
use crate::bits::BitSet;
use crate::ids::UserId;
use crate::scenario::Scenario;
use crate::trace::Trace;

/// How what a user holds and wants changes.
#[derive(Clone, Copy, Default)]
pub(super) struct UserChange {
    pub(super) held: i64,
    pub(super) pending: i64,
    /// Jobs that have arrived and not ended.
    pub(super) jobs: i64,
}

/// What a user holds and wants at an instant.
#[derive(Clone, Copy, Default)]
struct UserDemand {
    held: i64,
    pending: i64,
    jobs: i64,
    /// In millionths.
    weight: i64,
}

impl UserDemand {
    fn demand(self) -> i64 {
        self.held + self.pending.max(0)
    }
}

/// Who holds and wants how much, compared with the fair shares.
pub(super) struct Shares {
    cores: i64,
    users: Vec<UserDemand>,
    /// Those who could use a core.
    active: BitSet,
    /// How many of them have pending tasks.
    waiting: u32,
    /// Users short and holders with an excess, with how many cores, ascending.
    short: Vec<(UserId, f64)>,
    excess: Vec<(Holder, f64)>,
    /// Users whose share is not all that they could use.
    limited: Vec<UserId>,
}

/// A product that may be too large for the type of its factors.
fn product(one: i64, other: i64) -> i128 {
    i128::from(one) * i128::from(other)
}

/// The nearest number; most fit 64 bits, which is quicker.
fn number(amount: i128) -> f64 {
    i64::try_from(amount).map_or(amount as f64, |amount| amount as f64)
}

impl Shares {
    /// Those before anything has happened.
    pub(super) fn new(scenario: &Scenario, trace: &Trace) -> Shares {
        let demand = |weight: u64| UserDemand { weight: weight as i64, ..UserDemand::default() };
        let users: Vec<UserDemand> =
            scenario.users().iter().map(|user| demand(user.weight.millionths())).collect();
        Shares {
            // Executors that come and go bring their cores.
            cores: if trace.executors.is_empty() { i64::from(trace.cores) } else { 0 },
            active: BitSet::new(users.len()),
            users,
            waiting: 0,
            short: Vec::new(),
            excess: Vec::new(),
            limited: Vec::new(),
        }
    }

    /// Users who are short, by id, with how many cores.
    pub(super) fn short(&self) -> &[(UserId, f64)] {
        &self.short
    }

    /// Who holds more than the share, ascending, with how many cores.
    pub(super) fn excess(&self) -> &[(Holder, f64)] {
        &self.excess
    }

    /// So many more cores are there.
    pub(super) fn change_cores(&mut self, cores: i64) {
        self.cores += cores;
    }

    pub(super) fn change(&mut self, user: UserId, UserChange { held, pending, jobs }: UserChange) {
        let state = &mut self.users[user.index()];
        self.waiting -= u32::from(state.pending > 0);
        state.held += held;
        state.pending += pending;
        state.jobs += jobs;
        self.waiting += u32::from(state.pending > 0);
        if state.demand() > 0 {
            self.active.insert(user.0);
        } else {
            self.active.remove(user.0);
        }
    }

    /// Whether a user has jobs and could not use a core.
    pub(super) fn is_driven(&self, user: UserId) -> bool {
        let state = self.users[user.index()];
        state.demand() <= 0 && state.jobs > 0
    }

    /// Finds the fair shares, and who has less and more; false if nobody waits. All comparisons are of whole numbers: a
    /// user of weight w whose share is limited has w · `rest` / `weights` cores.
    pub(super) fn compare(&mut self) -> bool {
        if self.waiting == 0 {
            return false;
        }
        self.short.clear();
        self.excess.clear();
        self.limited.clear();
        self.limited.extend(self.active.iter().map(UserId));
        let users = &self.users;
        let state = |user: UserId| users[user.index()];
        let mut rest = self.cores;
        let mut weights: i64 = self.limited.iter().map(|&user| state(user).weight).sum();
        loop {
            let limited = self.limited.len();
            self.limited.retain(|&user| {
                let UserDemand { weight, .. } = state(user);
                let demand = state(user).demand();
                let satisfied = product(demand, weights) <= product(weight, rest);
                if satisfied {
                    rest -= demand;
                    weights -= weight;
                }
                !satisfied
            });
            if self.limited.len() == limited {
                break;
            }
        }
        let (mut limited, mut idle) = (self.limited.iter().copied().peekable(), self.cores);
        let mut wanted = 0;
        for user in self.active.iter().map(UserId) {
            let UserDemand { held, pending, weight, .. } = state(user);
            idle -= held;
            wanted += pending.max(0);
            if limited.next_if_eq(&user).is_some() {
                let cores = number(product(weight, rest) - product(held, weights)) / weights as f64;
                if cores > 0.0 {
                    self.short.push((user, cores));
                } else if cores < 0.0 {
                    self.excess.push((Holder::User(user), -cores));
                }
            } else if pending > 0 {
                self.short.push((user, pending as f64));
            }
        }
        let idle = idle.min(wanted);
        if idle > 0 {
            self.excess.push((Holder::Idle, idle as f64));
        }
        true
    }
}
