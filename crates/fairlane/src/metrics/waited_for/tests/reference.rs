//! The same matrix with all changes in one list, sets as trees, and each cell looked for.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::UserId;
use crate::metrics::waited_for::{Holder, WaitedFor, Waiter, Waiting};
use crate::metrics::waiting::{PendingSince, Stretch, pending_stages};
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::trace::attempts::pending_again;
use crate::units::{Span, Time};

pub fn waiting(scenario: &Scenario, trace: &Trace) -> Waiting {
    let mut matrix = Matrix::new(scenario, trace.cores);
    if !trace.executors.is_empty() {
        matrix.cores = 0;
    }
    let mut before = Time::ZERO;
    for at_once in changes(scenario, trace).chunk_by(|one, other| one.at == other.at) {
        let at = at_once[0].at;
        matrix.advance(before, at);
        at_once.iter().for_each(|change| matrix.change(change));
        before = at;
    }
    matrix.finish()
}

/// A change of what a user holds, or of the cores that are there.
struct UserChange {
    at: Time,
    of: ChangeKind,
}

enum ChangeKind {
    User {
        user: UserId,
        held: i64,
        pending: i64,
        /// Jobs that have arrived and not ended.
        jobs: i64,
    },
    Cores(i128),
}

/// All changes in the order of time.
fn changes(scenario: &Scenario, trace: &Trace) -> Vec<UserChange> {
    let mut changes = Vec::with_capacity(2 * trace.tasks.len());
    for run in &trace.executors {
        let cores = i128::from(scenario.cluster().cores_per_executor);
        changes.push(UserChange { at: run.from, of: ChangeKind::Cores(cores) });
        changes.push(UserChange { at: run.to, of: ChangeKind::Cores(-cores) });
    }
    for job in &trace.jobs {
        for (at, jobs) in [(job.arrival, 1), (job.end(), -1)] {
            changes
                .push(UserChange { at, of: ChangeKind::User { user: job.user, held: 0, pending: 0, jobs } });
        }
    }
    let mut add = |at: Time, user: UserId, held: i64, pending: i64| {
        changes.push(UserChange { at, of: ChangeKind::User { user, held, pending, jobs: 0 } });
    };
    for run in &trace.tasks {
        let user = trace.jobs[run.job.index()].user;
        add(run.start, user, 1, -1);
        add(run.end, user, -1, 0);
    }
    for again in pending_again(scenario, trace) {
        add(again.at, trace.jobs[again.job.index()].user, 0, again.more.into());
    }
    for stage in pending_stages(scenario, trace, PendingSince::Arrival, |_| true) {
        let job = &trace.jobs[stage.job.index()];
        add(stage.since, job.user, 0, stage.tasks);
        // What has not been launched when the job ends waits no longer.
        add(job.end(), job.user, 0, -stage.never_launched);
    }
    changes.sort_by_key(|change| change.at);
    changes
}

/// What a user holds and wants at an instant.
#[derive(Clone, Copy, Default)]
struct UserDemand {
    held: i64,
    pending: i64,
    jobs: i64,
    /// In millionths.
    weight: i128,
}

impl UserDemand {
    fn demand(self) -> i128 {
        i128::from(self.held + self.pending.max(0))
    }
}

/// A row being measured.
#[derive(Clone, Default)]
struct WaitRow {
    whole: WaitCell,
    /// By holder, ascending.
    cells: Vec<(Holder, WaitCell)>,
}

/// A sum over time with the longest of the stretches that it is made of.
#[derive(Clone, Copy)]
struct WaitCell {
    core_time: f64,
    current: Stretch,
    longest: Stretch,
}

impl Default for WaitCell {
    fn default() -> WaitCell {
        let none = Stretch { from: Time::ZERO, to: Time::ZERO };
        WaitCell { core_time: 0.0, current: none, longest: none }
    }
}

impl WaitCell {
    fn add(&mut self, cores: f64, from: Time, to: Time) {
        self.core_time += cores * to.since(from).0 as f64;
        if self.current.to != from {
            self.current.from = from;
        }
        self.current.to = to;
        if self.current.length() > self.longest.length() {
            self.longest = self.current;
        }
    }
}

struct Matrix {
    cores: i128,
    users: Vec<UserDemand>,
    /// Those who could use a core.
    active: BTreeSet<UserId>,
    /// Those who have jobs and could use none, and for how long in all.
    driven: BTreeSet<UserId>,
    driver: Vec<Span>,
    rows: Vec<WaitRow>,
    /// At the present instant: users short and holders with an excess, with how many cores, ascending.
    short: Vec<(UserId, f64)>,
    excess: Vec<(Holder, f64)>,
    /// Users whose share is not all that they could use.
    limited: Vec<UserId>,
}

impl Matrix {
    fn new(scenario: &Scenario, cores: u32) -> Matrix {
        let state = |weight: u64| UserDemand { weight: i128::from(weight), ..UserDemand::default() };
        let users: Vec<UserDemand> =
            scenario.users().iter().map(|user| state(user.weight.millionths())).collect();
        Matrix {
            cores: i128::from(cores),
            rows: vec![WaitRow::default(); users.len()],
            driver: vec![Span(0); users.len()],
            users,
            active: BTreeSet::new(),
            driven: BTreeSet::new(),
            short: Vec::new(),
            excess: Vec::new(),
            limited: Vec::new(),
        }
    }

    fn change(&mut self, change: &UserChange) {
        let (user, held, pending, jobs) = match change.of {
            ChangeKind::User { user, held, pending, jobs } => (user, held, pending, jobs),
            ChangeKind::Cores(cores) => {
                self.cores += cores;
                return;
            }
        };
        let state = &mut self.users[user.index()];
        state.held += held;
        state.pending += pending;
        state.jobs += jobs;
        let (is_active, is_driven) = (state.demand() > 0, state.demand() <= 0 && state.jobs > 0);
        for (users, belongs) in [(&mut self.active, is_active), (&mut self.driven, is_driven)] {
            if belongs {
                users.insert(user);
            } else {
                users.remove(&user);
            }
        }
    }

    /// Adds up a time in which nothing changes.
    fn advance(&mut self, from: Time, to: Time) {
        self.driven.iter().for_each(|user| self.driver[user.index()] += to.since(from));
        if from == to || self.active.iter().all(|user| self.users[user.index()].pending <= 0) {
            return;
        }
        self.compare_with_shares();
        let missing: f64 = self.short.iter().map(|(_, cores)| cores).sum();
        for &(user, short) in &self.short {
            let row = &mut self.rows[user.index()];
            row.whole.add(short, from, to);
            // Both lists ascend.
            let mut next = 0;
            for &(holder, excess) in &self.excess {
                next += row.cells[next..].partition_point(|(other, _)| *other < holder);
                if row.cells.get(next).is_none_or(|(other, _)| *other != holder) {
                    row.cells.insert(next, (holder, WaitCell::default()));
                }
                row.cells[next].1.add(short * excess / missing, from, to);
            }
        }
    }

    /// Finds the fair shares, and who has less and more. All comparisons are of whole numbers: a user of weight w whose
    /// share is limited has w · `rest` / `weights` cores.
    fn compare_with_shares(&mut self) {
        self.short.clear();
        self.excess.clear();
        self.limited.clear();
        self.limited.extend(&self.active);
        let users = &self.users;
        let state = |user: UserId| users[user.index()];
        let mut rest = self.cores;
        let mut weights: i128 = self.limited.iter().map(|&user| state(user).weight).sum();
        loop {
            let limited = self.limited.len();
            self.limited.retain(|&user| {
                let UserDemand { weight, .. } = state(user);
                let demand = state(user).demand();
                let satisfied = demand * weights <= weight * rest;
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
        for &user in &self.active {
            let UserDemand { held, pending, weight, .. } = state(user);
            idle -= i128::from(held);
            wanted += pending.max(0);
            if limited.next_if_eq(&user).is_some() {
                let cores = (weight * rest - i128::from(held) * weights) as f64 / weights as f64;
                if cores > 0.0 {
                    self.short.push((user, cores));
                } else if cores < 0.0 {
                    self.excess.push((Holder::User(user), -cores));
                }
            } else if pending > 0 {
                self.short.push((user, pending as f64));
            }
        }
        let idle = idle.min(i128::from(wanted));
        if idle > 0 {
            self.excess.push((Holder::Idle, idle as f64));
        }
    }

    fn finish(self) -> Waiting {
        let mut columns: BTreeMap<Holder, f64> = BTreeMap::new();
        let mut rows = Vec::new();
        for (user, WaitRow { whole, cells }) in (0..).map(UserId).zip(self.rows) {
            if cells.is_empty() {
                continue;
            }
            let mut waits: Vec<WaitedFor> = cells
                .into_iter()
                .map(|(holder, WaitCell { core_time, longest, .. })| WaitedFor { holder, core_time, longest })
                .collect();
            for wait in &waits {
                *columns.entry(wait.holder).or_default() += wait.core_time;
            }
            waits.sort_by(|a, b| b.core_time.total_cmp(&a.core_time));
            rows.push(Waiter { user, core_time: whole.core_time, longest: whole.longest, waits });
        }
        rows.sort_by(|a, b| b.core_time.total_cmp(&a.core_time));
        let mut holders: Vec<(Holder, f64)> = columns.into_iter().collect();
        holders.sort_by(|a, b| b.1.total_cmp(&a.1));
        let driver = (0..).map(UserId).zip(self.driver).filter(|(_, span)| *span > Span(0));
        let mut driver: Vec<(UserId, Span)> = driver.collect();
        driver.sort_by_key(|&(_, span)| std::cmp::Reverse(span));
        Waiting { rows, holders: holders.into_iter().map(|(holder, _)| holder).collect(), driver }
    }
}
