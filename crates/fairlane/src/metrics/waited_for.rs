//! Who waited for whom: core time that users are short of their fair share, by the users who hold more than theirs.

mod changes;
mod shares;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::waiting::Stretch;
use crate::ids::UserId;
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::{MICROS_PER_SECOND, Span, Time};
use changes::{Change, Changes};
use shares::{Shares, UserChange};

/// A users × users matrix: for how much core time each user was short of its fair share, and whom for. The worst first,
/// everywhere. From [`waiting`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Waiting {
    /// The matrix's rows: the users who were ever short, those short of the most core time first.
    pub rows: Vec<Waiter>,
    /// The matrix's columns, those who were waited for the most first.
    pub holders: Vec<Holder>,
    /// How long users waited for the driver alone: they had jobs, but no task that ran or could have run. The longest
    /// first; those who never did are left out.
    pub driver: Vec<(UserId, Span)>,
}

/// Who was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Holder {
    /// A user, who held more cores than its fair share.
    User(UserId),
    /// Nobody: cores were idle while tasks waited.
    Idle,
}

/// A user who was short of its fair share: a row of the matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waiter {
    /// The user who waited.
    pub user: UserId,
    /// Core time that the user was short of in all, in core-µs.
    pub core_time: f64,
    /// The longest stretch in which the user was always short, the first of several.
    pub longest: Stretch,
    /// Whom for, the most core time first. Together it is [`Waiter::core_time`], but for rounding.
    pub waits: Vec<WaitedFor>,
}

/// A cell of the matrix that is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitedFor {
    /// Who was waited for.
    pub holder: Holder,
    /// Core time that the waiting user was short of because of the holder, in core-µs.
    pub core_time: f64,
    /// The longest stretch in which the user was always short and the holder always had more than its share, the
    /// first of several.
    pub longest: Stretch,
}

impl Waiting {
    /// Core time that all users were short of together, in core-seconds.
    pub fn core_seconds(&self) -> f64 {
        self.rows.iter().map(Waiter::core_seconds).sum()
    }

    /// Core time that a user was short of, in core-seconds; 0 for a user without a row.
    pub fn core_seconds_of(&self, user: UserId) -> f64 {
        self.rows.iter().find(|row| row.user == user).map_or(0.0, Waiter::core_seconds)
    }
}

impl Waiter {
    /// The row's sum, in core-seconds.
    pub fn core_seconds(&self) -> f64 {
        self.core_time / MICROS_PER_SECOND
    }

    /// The row's cell in a column; `None` if it is 0.
    pub fn wait_for(&self, holder: Holder) -> Option<&WaitedFor> {
        self.waits.iter().find(|wait| wait.holder == holder)
    }
}

impl WaitedFor {
    /// The cell in core-seconds.
    pub fn core_seconds(&self) -> f64 {
        self.core_time / MICROS_PER_SECOND
    }
}

/// Who waited for whom. At an instant, a user u who holds h_u cores and has p_u pending tasks of submitted stages
/// could use d_u = h_u + p_u cores. Fair shares s are weighted max-min shares of the R cores, as those of fluid UJF
/// but for what a user cannot use: s_u = min(d_u, w_u λ), with λ such that their sum is min(R, sum d). Then
///
/// - u is *short* of D_u = max(0, s_u - h_u) cores,
/// - v has an *excess* of E_v = max(0, h_v - s_v) cores,
/// - I = min(R, sum d) - sum h cores are idle while tasks wait.
///
/// The sum of D is that of E plus I, so that the shortfall is shared out among the holders in proportion to their
/// excess: u waits for v at the rate of D_u · E_v / sum D cores, and for idle cores at D_u · I / sum D. The figures
/// are these rates integrated over time. So rows add up to what a user was short of, columns to what a user held in
/// excess.
///
/// A user who waits while everybody has the fair share waits for nobody. A job that waits for its admission has pending
/// tasks, one whose driver is still at work has not. R is the number of cores that are there. I is 0 under
/// work-conserving policies unless memory is modelled: an idle core counts although it may lack the memory that the
/// pending tasks need. Shares are fractions of cores, so that of three users with four cores two are always short of a
/// third of a core.
///
/// Our definition. O(log cores) for each task and, for each instant at which anything changes while tasks wait, O(active
/// users · times that λ is raised + users short · users with an excess).
pub fn waiting(scenario: &Scenario, trace: &Trace) -> Waiting {
    let mut changes = Changes::new(scenario, trace);
    let mut matrix = Matrix::new(scenario, trace);
    let mut before = Time::ZERO;
    while let Some(at) = changes.next_instant() {
        matrix.advance(before, at);
        while let Some(change) = changes.next_at(at) {
            match change {
                Change::User(user, change) => matrix.change(at, user, change),
                Change::Cores(cores) => matrix.shares.change_cores(cores),
            }
        }
        before = at;
    }
    matrix.finish(before)
}

/// A row being measured.
#[derive(Clone, Default)]
struct WaitRow {
    whole: WaitCell,
    /// A cell for each holder, ascending.
    cells: Vec<(Holder, WaitCell)>,
}

impl WaitRow {
    /// The place of a holder's cell, which is not before another one. Where the row has a cell of every column it is
    /// the column's.
    fn place(&mut self, holder: Holder, column: usize, columns: usize, from: usize) -> usize {
        if self.cells.len() == columns {
            return column;
        }
        let place = from + self.cells[from..].partition_point(|(other, _)| *other < holder);
        if self.cells.get(place).is_none_or(|(other, _)| *other != holder) {
            self.cells.insert(place, (holder, WaitCell::default()));
        }
        place
    }
}

/// A sum over time with the longest of the stretches that it is made of.
#[derive(Clone, Copy)]
struct WaitCell {
    core_time: f64,
    current: Stretch,
    /// The longest of the stretches before the current one.
    longest: Stretch,
}

impl Default for WaitCell {
    fn default() -> WaitCell {
        let none = Stretch { from: Time::ZERO, to: Time::ZERO };
        WaitCell { core_time: 0.0, current: none, longest: none }
    }
}

impl WaitCell {
    fn add(&mut self, core_time: f64, from: Time, to: Time) {
        self.core_time += core_time;
        if self.current.to != from {
            self.longest = self.longest();
            self.current.from = from;
        }
        self.current.to = to;
    }

    /// The longest of all stretches, the first of several.
    fn longest(&self) -> Stretch {
        if self.current.length() > self.longest.length() { self.current } else { self.longest }
    }
}

struct Matrix {
    shares: Shares,
    /// Since when a user has had jobs and could have used no core, and for how long in all before.
    driven: Vec<(Option<Time>, Span)>,
    rows: Vec<WaitRow>,
    /// All holders who have ever had an excess, ascending.
    columns: Vec<Holder>,
    /// The holders with an excess at the present instant.
    present: Vec<PresentHolder>,
}

struct PresentHolder {
    column: usize,
    /// Core time that a user waits for it, for each of those who are short of as many cores.
    wait: f64,
}

impl Matrix {
    fn new(scenario: &Scenario, trace: &Trace) -> Matrix {
        let users = scenario.users().len();
        Matrix {
            shares: Shares::new(scenario, trace),
            driven: vec![(None, Span(0)); users],
            rows: vec![WaitRow::default(); users],
            columns: Vec::new(),
            present: Vec::new(),
        }
    }

    fn change(&mut self, at: Time, user: UserId, change: UserChange) {
        self.shares.change(user, change);
        let (since, before) = &mut self.driven[user.index()];
        match (*since, self.shares.is_driven(user)) {
            (None, true) => *since = Some(at),
            (Some(from), false) => {
                *before += at.since(from);
                *since = None;
            }
            _ => {}
        }
    }

    /// Adds up a time in which nothing changes.
    fn advance(&mut self, from: Time, to: Time) {
        if from == to || !self.shares.compare() {
            return;
        }
        let (short, excess) = (self.shares.short(), self.shares.excess());
        let missing: f64 = short.iter().map(|(_, cores)| cores).sum();
        let time = to.since(from).0 as f64;
        self.present.clear();
        for &(holder, _) in excess {
            // Those before it have lesser columns.
            let column = self.columns.binary_search(&holder).unwrap_or_else(|column| {
                self.columns.insert(column, holder);
                column
            });
            self.present.push(PresentHolder { column, wait: 0.0 });
        }
        let mut last = None;
        for &(user, short) in short {
            let row = &mut self.rows[user.index()];
            row.whole.add(short * time, from, to);
            if last.replace(short) != Some(short) {
                for (holder, (_, excess)) in self.present.iter_mut().zip(excess) {
                    holder.wait = short * excess / missing * time;
                }
            }
            let mut place = 0;
            for (&(holder, _), present) in excess.iter().zip(&self.present) {
                place = row.place(holder, present.column, self.columns.len(), place);
                row.cells[place].1.add(present.wait, from, to);
            }
        }
    }

    fn finish(mut self, end: Time) -> Waiting {
        let mut columns: BTreeMap<Holder, f64> = BTreeMap::new();
        let mut rows = Vec::new();
        for (user, WaitRow { whole, cells }) in (0..).map(UserId).zip(self.rows) {
            if cells.is_empty() {
                continue;
            }
            let mut waits: Vec<WaitedFor> = cells
                .into_iter()
                .map(|(holder, cell)| WaitedFor {
                    holder,
                    core_time: cell.core_time,
                    longest: cell.longest(),
                })
                .collect();
            for wait in &waits {
                *columns.entry(wait.holder).or_default() += wait.core_time;
            }
            waits.sort_by(|a, b| b.core_time.total_cmp(&a.core_time));
            rows.push(Waiter { user, core_time: whole.core_time, longest: whole.longest(), waits });
        }
        rows.sort_by(|a, b| b.core_time.total_cmp(&a.core_time));
        let mut holders: Vec<(Holder, f64)> = columns.into_iter().collect();
        holders.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (since, before) in &mut self.driven {
            *before += since.map_or(Span(0), |from| end.since(from));
        }
        let driver = (0..).map(UserId).zip(self.driven).filter(|(_, (_, span))| *span > Span(0));
        let mut driver: Vec<(UserId, Span)> = driver.map(|(user, (_, span))| (user, span)).collect();
        driver.sort_by_key(|&(_, span)| std::cmp::Reverse(span));
        Waiting { rows, holders: holders.into_iter().map(|(holder, _)| holder).collect(), driver }
    }
}
