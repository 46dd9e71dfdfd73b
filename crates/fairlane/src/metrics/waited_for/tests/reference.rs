//! The matrix by its definition: between any two instants at which something happens, everything is counted again from
//! whole lists, and shares are found by filling up the users in the order of what they could use per weight.
//!
//! From when on tasks are pending is not counted here: [`pending_stages`] and [`pending_again`] say it for both.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::UserId;
use crate::metrics::waited_for::Holder;
use crate::metrics::waiting::{PendingSince, Stretch, pending_stages};
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::trace::attempts::pending_again;
use crate::units::{Span, Time};

/// Stretches in which a rate in cores does not change, ascending.
#[derive(Default)]
pub struct Stretches(Vec<(Stretch, f64)>);

impl Stretches {
    /// The rate over time, in core-µs.
    pub fn core_time(&self) -> f64 {
        self.0.iter().map(|(stretch, cores)| cores * stretch.length().0 as f64).sum()
    }

    /// The longest stretch without a gap, the first of several.
    pub fn longest(&self) -> Stretch {
        let whole = self.0.chunk_by(|(one, _), (next, _)| one.to == next.from);
        let whole = whole.map(|parts| Stretch { from: parts[0].0.from, to: parts[parts.len() - 1].0.to });
        whole.rev().max_by_key(Stretch::length).expect("a stretch")
    }
}

/// Who waited for whom.
#[derive(Default)]
pub struct Expected {
    pub rows: BTreeMap<UserId, Stretches>,
    pub cells: BTreeMap<(UserId, Holder), Stretches>,
    pub driver: BTreeMap<UserId, Span>,
}

/// A number by instants at which it changes.
#[derive(Clone, Default)]
struct Steps(BTreeMap<Time, i64>);

impl Steps {
    /// The number from its changes, each with its instant.
    fn new(changes: impl IntoIterator<Item = (Time, i64)>) -> Steps {
        let mut steps: BTreeMap<Time, i64> = BTreeMap::new();
        changes.into_iter().for_each(|(at, change)| *steps.entry(at).or_default() += change);
        let mut sum = 0;
        for step in steps.values_mut() {
            sum += *step;
            *step = sum;
        }
        Steps(steps)
    }

    /// The number after all that happens at an instant.
    fn at(&self, at: Time) -> i64 {
        self.0.range(..=at).next_back().map_or(0, |(_, number)| *number)
    }
}

/// What a user holds and wants.
#[derive(Clone, Default)]
struct User {
    held: Steps,
    pending: Steps,
    /// Jobs that have arrived and not ended.
    jobs: Steps,
}

/// A user's cores at an instant.
struct Demand {
    held: i128,
    pending: i128,
    weight: i128,
}

impl Demand {
    fn wanted(&self) -> i128 {
        self.held + self.pending
    }
}

pub fn waiting(scenario: &Scenario, trace: &Trace) -> Expected {
    let users = users(scenario, trace);
    let cores = cores(scenario, trace);
    let steps = users.iter().flat_map(|user| [&user.held, &user.pending, &user.jobs]);
    let instants: BTreeSet<Time> = steps.chain([&cores]).flat_map(|steps| steps.0.keys().copied()).collect();
    let mut expected = Expected::default();
    for (&from, &to) in instants.iter().zip(instants.iter().skip(1)) {
        let demands: Vec<Demand> = users
            .iter()
            .zip(scenario.users())
            .map(|(user, spec)| Demand {
                held: user.held.at(from).into(),
                pending: user.pending.at(from).max(0).into(),
                weight: spec.weight.millionths().into(),
            })
            .collect();
        for ((id, user), demand) in (0..).map(UserId).zip(&users).zip(&demands) {
            if demand.wanted() == 0 && user.jobs.at(from) > 0 {
                *expected.driver.entry(id).or_default() += to.since(from);
            }
        }
        if demands.iter().any(|demand| demand.pending > 0) {
            add(&mut expected, &demands, cores.at(from).into(), Stretch { from, to });
        }
    }
    expected
}

/// Adds a stretch in which tasks wait and nothing changes.
fn add(expected: &mut Expected, demands: &[Demand], cores: i128, stretch: Stretch) {
    let mut short = Vec::new();
    let mut excess = Vec::new();
    for ((id, demand), (share, of)) in (0..).map(UserId).zip(demands).zip(shares(demands, cores)) {
        let missing = share - demand.held * of;
        if missing > 0 {
            short.push((id, missing as f64 / of as f64));
        } else if missing < 0 {
            excess.push((Holder::User(id), -missing as f64 / of as f64));
        }
    }
    let sum = |of: fn(&Demand) -> i128| demands.iter().map(of).sum::<i128>();
    let idle = cores.min(sum(Demand::wanted)) - sum(|demand| demand.held);
    if idle > 0 {
        excess.push((Holder::Idle, idle as f64));
    }
    let missing: f64 = short.iter().map(|(_, cores)| cores).sum();
    for &(user, cores) in &short {
        expected.rows.entry(user).or_default().0.push((stretch, cores));
        for &(holder, excess) in &excess {
            let cell = expected.cells.entry((user, holder)).or_default();
            cell.0.push((stretch, cores * excess / missing));
        }
    }
}

/// Weighted max-min shares as fractions: numerator and denominator of each.
fn shares(demands: &[Demand], cores: i128) -> Vec<(i128, i128)> {
    let mut shares = vec![(0, 1); demands.len()];
    let mut order: Vec<usize> = (0..demands.len()).filter(|&user| demands[user].wanted() > 0).collect();
    // By what a user could use per weight.
    order.sort_by(|&one, &other| {
        let (one, other) = (&demands[one], &demands[other]);
        (one.wanted() * other.weight).cmp(&(other.wanted() * one.weight))
    });
    let mut rest = cores;
    let mut weights: i128 = order.iter().map(|&user| demands[user].weight).sum();
    for user in order {
        let demand = &demands[user];
        // All users after one who could use more than its part could, too.
        if demand.wanted() * weights > demand.weight * rest {
            shares[user] = (demand.weight * rest, weights);
            continue;
        }
        shares[user] = (demand.wanted(), 1);
        rest -= demand.wanted();
        weights -= demand.weight;
    }
    shares
}

fn users(scenario: &Scenario, trace: &Trace) -> Vec<User> {
    let mut changes = vec![<[Vec<(Time, i64)>; 3]>::default(); scenario.users().len()];
    for job in &trace.jobs {
        let [_, _, jobs] = &mut changes[job.user.index()];
        jobs.extend([(job.arrival, 1), (job.end(), -1)]);
    }
    for run in &trace.tasks {
        let [held, pending, _] = &mut changes[trace.jobs[run.job.index()].user.index()];
        held.extend([(run.start, 1), (run.end, -1)]);
        pending.push((run.start, -1));
    }
    for again in pending_again(scenario, trace) {
        let [_, pending, _] = &mut changes[trace.jobs[again.job.index()].user.index()];
        pending.push((again.at, again.more.into()));
    }
    for stage in pending_stages(scenario, trace, PendingSince::Arrival, |_| true) {
        let job = &trace.jobs[stage.job.index()];
        let [_, pending, _] = &mut changes[job.user.index()];
        // What has not been launched when the job ends waits no longer.
        pending.extend([(stage.since, stage.tasks), (job.end(), -stage.never_launched)]);
    }
    let user = |changes: [Vec<(Time, i64)>; 3]| {
        let [held, pending, jobs] = changes.map(Steps::new);
        User { held, pending, jobs }
    };
    changes.into_iter().map(user).collect()
}

/// The cores that are there.
fn cores(scenario: &Scenario, trace: &Trace) -> Steps {
    if trace.executors.is_empty() {
        return Steps::new([(Time::ZERO, trace.cores.into())]);
    }
    let each = i64::from(scenario.cluster().cores_per_executor);
    Steps::new(trace.executors.iter().flat_map(|run| [(run.from, each), (run.to, -each)]))
}
