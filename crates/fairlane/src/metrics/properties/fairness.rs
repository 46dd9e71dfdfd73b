//! Long-term fairness (BoPF, sections 2.2 and 3.2).

use serde::{Deserialize, Serialize};

use crate::ids::UserId;
use crate::metrics::shares::{ClusterCapacity, memory_of};
use crate::metrics::waiting::{PendingSince, Stretch, user_waits_since};
use crate::scenario::{Queue, QueueKind, Scenario};
use crate::trace::Trace;
use crate::units::{Span, Time};

/// How many of the longest tasks are long where no latency queue has a period.
const TASKS: u64 = 10;
/// Into how many intervals the schedule can be divided at most.
const MAX_INTERVALS: u64 = 100;
/// Intervals overlap: each begins this part of its length after the one before.
const STEPS: u64 = 10;

/// Whether throughput queues that wait have as much as any other queue in the long run.
///
/// An interval has the length T: the longest period of a latency queue; without one, ten times the longest task L; at
/// least a hundredth of the schedule. Intervals begin every tenth of T, wherever a throughput queue (a user without a
/// queue is one) has a pending task at every instant of it. Over an interval a queue's share is max over k of mean
/// held_k / C_k, divided by its weight. The queue that waits must have no less than any other, up to one task of the
/// other and L / T: tasks can neither be divided nor preempted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LongTermFairness {
    /// T, how long an interval is.
    pub length: Span,
    /// Intervals in which a throughput queue waits, over all of these.
    pub intervals: u32,
    /// Those in which it has less than another queue.
    pub unfair: u32,
    /// The one with the largest difference of shares, if some are unfair.
    pub worst: Option<Shortfall>,
}

/// An interval in which a queue that waits has less than another one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shortfall {
    /// The throughput queue that waits.
    pub user: UserId,
    /// When the interval begins.
    pub begin: Time,
    /// Its share over its weight, a ratio.
    pub share: f64,
    /// The queue that has the most over its weight.
    pub other: UserId,
    /// That share over its weight, a ratio.
    pub others: f64,
}

impl LongTermFairness {
    /// `None` if no throughput queue waits for a whole interval, or there is only one user.
    pub(super) fn measure(scenario: &Scenario, trace: &Trace) -> Option<LongTermFairness> {
        let users = scenario.users();
        let longest = trace.tasks.iter().map(|run| run.end.since(run.start)).max().unwrap_or_default();
        let length = length(scenario, trace, longest);
        if users.len() < 2 || length == Span(0) {
            return None;
        }
        let shares = HoldingHistory::new(scenario, trace);
        let (task, wave) = (shares.of_one_task(scenario), longest.0 as f64 / length.0 as f64);
        let mut fairness = LongTermFairness { length, intervals: 0, unfair: 0, worst: None };
        let kind = |queue: &Option<Queue>| queue.as_ref().map(|queue| queue.kind).unwrap_or_default();
        let ids = || (0..).map(UserId).zip(users);
        for (user, _) in ids().filter(|(_, spec)| kind(&spec.queue) == QueueKind::Throughput) {
            let waits = user_waits_since(scenario, trace, user, PendingSince::Arrival);
            for begin in waits.iter().flat_map(|wait| begins(*wait, length)) {
                let of = |user: UserId| shares.over(user, begin, length) / users[user.index()].weight.value();
                let share = of(user);
                let others = ids().filter(|(other, _)| *other != user).map(|(other, _)| (other, of(other)));
                let most = others.reduce(|most, next| if next.1 > most.1 { next } else { most });
                let Some((other, others)) = most else { continue };
                fairness.intervals += 1;
                if others - share <= task / users[other.index()].weight.value() + wave {
                    continue;
                }
                fairness.unfair += 1;
                if fairness.worst.is_none_or(|worst| others - share > worst.others - worst.share) {
                    fairness.worst = Some(Shortfall { user, begin, share, other, others });
                }
            }
        }
        (fairness.intervals > 0).then_some(fairness)
    }

    /// Whether no throughput queue that waits has less than another queue.
    pub fn holds(&self) -> bool {
        self.unfair == 0
    }
}

/// What counts as long, where the longest task is known.
fn length(scenario: &Scenario, trace: &Trace, longest: Span) -> Span {
    let queues = scenario.users().iter().filter_map(|user| user.queue.as_ref());
    let latency = queues.filter(|queue| queue.kind == QueueKind::Latency);
    let periods = latency.map(|queue| queue.period.0).max();
    let length = periods.unwrap_or(TASKS * longest.0);
    Span(length.max(trace.end().0 / MAX_INTERVALS))
}

/// Where intervals begin that lie inside a wait.
fn begins(wait: Stretch, length: Span) -> impl Iterator<Item = Time> {
    let last = wait.length().0.checked_sub(length.0);
    let step = (length.0 / STEPS).max(1);
    let count = last.map_or(0, |last| last / step + 1);
    (0..count).map(move |index| wait.from + Span(index * step))
}

/// What each user's tasks hold, summed up over time.
struct HoldingHistory {
    capacity: ClusterCapacity,
    /// By user: instants, ascending, each with what the user's tasks have held until then (core-µs and MB-µs) and
    /// hold from then on (cores and MB).
    users: Vec<Vec<UserHolding>>,
}

#[derive(Clone, Copy, Default)]
struct UserHolding {
    at: Time,
    until: [u128; 2],
    from: [u64; 2],
}

impl HoldingHistory {
    fn new(scenario: &Scenario, trace: &Trace) -> HoldingHistory {
        let mut changes: Vec<Vec<(Time, bool, u64)>> = vec![Vec::new(); trace.users.len()];
        for run in &trace.tasks {
            let (user, memory) = (trace.jobs[run.job.index()].user.index(), memory_of(scenario, run));
            changes[user].extend([(run.start, true, memory), (run.end, false, memory)]);
        }
        let sums = |mut changes: Vec<(Time, bool, u64)>| {
            // At one instant launches go first, so that no sum falls below zero.
            changes.sort_by_key(|&(at, launch, _)| (at, !launch));
            let mut now = UserHolding::default();
            let mut sums = vec![now];
            for (at, launch, memory) in changes {
                let span = u128::from(at.since(now.at).0);
                for (until, from) in now.until.iter_mut().zip(now.from) {
                    *until += span * u128::from(from);
                }
                now.at = at;
                for (from, amount) in now.from.iter_mut().zip([1, memory]) {
                    *from = if launch { *from + amount } else { *from - amount };
                }
                sums.push(now);
            }
            sums
        };
        HoldingHistory {
            capacity: ClusterCapacity::new(scenario),
            users: changes.into_iter().map(sums).collect(),
        }
    }

    /// What a user's tasks have held until an instant.
    fn until(&self, user: UserId, at: Time) -> [u128; 2] {
        let sums = &self.users[user.index()];
        let UserHolding { at: since, until, from } =
            sums[sums.partition_point(|held| held.at <= at).max(1) - 1];
        let span = u128::from(at.since(since).0);
        [0, 1].map(|resource| until[resource] + span * u128::from(from[resource]))
    }

    /// A user's dominant share over an interval.
    fn over(&self, user: UserId, begin: Time, length: Span) -> f64 {
        let (before, after) = (self.until(user, begin), self.until(user, begin + length));
        let [cores, memory] =
            [0, 1].map(|resource| (after[resource] - before[resource]) as f64 / length.0 as f64);
        self.capacity.dominant(cores, memory)
    }

    /// The largest dominant share of a single task.
    fn of_one_task(&self, scenario: &Scenario) -> f64 {
        let stages = scenario.jobs().iter().flat_map(|job| &job.stages);
        let memory = stages.map(|stage| stage.memory).max().unwrap_or(0);
        self.capacity.dominant(1.0, memory as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::properties::testing::simulated;

    fn fairness(policy: &str, users: &str, jobs: &str) -> Option<LongTermFairness> {
        let (scenario, trace) = simulated(4, policy, users, jobs);
        LongTermFairness::measure(&scenario, &trace)
    }

    /// A job of a number of tasks of 1 s.
    fn job(user: &str, arrival_s: u32, tasks: usize) -> String {
        let tasks = vec!["1"; tasks].join(", ");
        format!(r#"{{"user": "{user}", "arrival_s": {arrival_s}, "stages": [{{"tasks_s": [{tasks}]}}]}}"#)
    }

    const USERS: &str = r#"{"name": "tq"}, {"name": "lq", "queue": {"kind": "latency", "period_s": 10}}"#;

    /// Four cores; ten seconds are long. tq has 80 tasks of 1 s, lq 40 at 10 s, when four of tq's have just been
    /// launched. SP gives lq all cores from 11 to 21 s, while tq waits, as it does from 0 to 29 s. Intervals begin at
    /// 0, 1, … 19 s; in the one from 11 s lq has everything, in the one from b it has p = (10 - |b - 11|) / 10. The
    /// difference p - (1 - p) is more than one of four cores and a tenth from 8 to 14 s: 0.4, 0.6, 0.8, 1, 0.8, 0.6,
    /// 0.4.
    #[test]
    fn priority_is_unfair_in_the_long_run_and_equal_shares_are_not() {
        let jobs = format!("{}, {}", job("tq", 0, 80), job("lq", 10, 40));
        let worst =
            Shortfall { user: UserId(0), begin: Time(11_000_000), share: 0.0, other: UserId(1), others: 1.0 };
        let expected =
            LongTermFairness { length: Span(10_000_000), intervals: 20, unfair: 7, worst: Some(worst) };
        assert_eq!(fairness("sp", USERS, &jobs), Some(expected));
        // Two cores each from 11 s on: tq has launched its last tasks by 28 s.
        let drf = fairness("drf", USERS, &jobs).expect("tq waits for long");
        assert!(drf.holds() && drf.intervals == 19, "{drf:?}");
    }

    /// One weight is three times the other: three times the share is fair. FIFO serves ana alone until 20 s, while
    /// ben waits from 1 s on.
    #[test]
    fn shares_are_by_weight_and_ten_tasks_are_long() {
        let users = r#"{"name": "ana", "weight": 3}, {"name": "ben"}"#;
        let jobs = format!("{}, {}", job("ana", 0, 80), job("ben", 1, 80));
        let fifo = fairness("fifo", users, &jobs).expect("ben waits for long");
        assert_eq!((fifo.length, fifo.holds()), (Span(10_000_000), false));
        let worst = fifo.worst.expect("unfair intervals");
        assert_eq!(
            (worst.user, worst.share, worst.other, worst.others),
            (UserId(1), 0.0, UserId(0), 1.0 / 3.0)
        );
    }

    #[test]
    fn nobody_is_unfair_to_who_does_not_wait_for_long() {
        let jobs = job("tq", 0, 8);
        assert_eq!(fairness("sp", USERS, &jobs), None);
        assert_eq!(fairness("sp", r#"{"name": "tq"}"#, &jobs), None);
    }
}
