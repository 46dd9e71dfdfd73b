//! The burst guarantee (BoPF, sections 2.2 and 3.2).

use serde::{Deserialize, Serialize};

use crate::ids::UserId;
use crate::metrics::shares::memory_of;
use crate::policy::QueueClass;
use crate::scenario::{Queue, Scenario};
use crate::trace::Trace;
use crate::units::{Span, Time};

/// How many bursts have what they demand within their windows.
///
/// Burst n of a latency queue is the jobs that arrive in [T(n), T(n+1)), T(n) = joins + n · period. It is kept if all
/// of them finish by the end of its window, T(n) + within, or if the queue's tasks hold at least the demand d_k of
/// every resource with d_k > 0 inside the window: more than was declared is not promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BurstGuarantee {
    /// Bursts with jobs, of all latency queues that demand something.
    pub bursts: u32,
    /// Those that are kept.
    pub kept: u32,
    /// The same of the queues with a hard guarantee; `None` under policies that give none.
    pub hard: Option<[u32; 2]>,
    /// The burst that finishes longest after its window, of those that are not kept; `None` if all are, or none of them
    /// finishes.
    pub latest: Option<LateBurst>,
}

/// A burst that finishes after its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateBurst {
    /// The queue.
    pub user: UserId,
    /// When the burst begins.
    pub begin: Time,
    /// From the end of its window to the end of its last job.
    pub by: Span,
}

impl BurstGuarantee {
    /// `None` if no latency queue that demands something has jobs.
    pub(super) fn measure(scenario: &Scenario, trace: &Trace) -> Option<BurstGuarantee> {
        let gives = !trace.classes.is_empty();
        let mut all = BurstGuarantee { bursts: 0, kept: 0, hard: gives.then_some([0, 0]), latest: None };
        for (user, spec) in (0..).map(UserId).zip(scenario.users()) {
            let Some(queue) = spec.queue.as_ref().filter(|queue| queue.has_guarantee()) else { continue };
            let is_hard = trace.classes.get(user.index()) == Some(&QueueClass::Hard);
            for burst in bursts(scenario, trace, user, queue) {
                all.bursts += 1;
                all.kept += u32::from(burst.is_kept);
                if let Some([promised, kept]) = all.hard.as_mut().filter(|_| is_hard) {
                    *promised += 1;
                    *kept += u32::from(burst.is_kept);
                }
                let late = burst.late.filter(|_| !burst.is_kept);
                if late.is_some_and(|late| all.latest.is_none_or(|latest| late.by > latest.by)) {
                    all.latest = late;
                }
            }
        }
        (all.bursts > 0).then_some(all)
    }

    /// Whether all bursts are kept that the policy promises: those with a hard guarantee, if it gives any.
    pub fn holds(&self) -> bool {
        match self.hard {
            Some([promised, kept]) if promised > 0 => kept == promised,
            _ => self.kept == self.bursts,
        }
    }
}

/// A burst with jobs.
struct BurstOutcome {
    is_kept: bool,
    /// How late its last job ends, if all finish.
    late: Option<LateBurst>,
}

/// The bursts of a queue that have jobs, in the order of time.
fn bursts<'a>(
    scenario: &'a Scenario,
    trace: &'a Trace,
    user: UserId,
    queue: &'a Queue,
) -> impl Iterator<Item = BurstOutcome> + 'a {
    let of_user = move |job: &&crate::trace::JobRun| job.user == user && job.arrival >= queue.joins;
    let number = |at: Time| at.since(queue.joins).0 / queue.period.0;
    let mut with_jobs: Vec<u64> = trace.jobs.iter().filter(of_user).map(|job| number(job.arrival)).collect();
    with_jobs.sort();
    with_jobs.dedup();
    with_jobs.into_iter().map(move |burst| {
        let begin = queue.joins + Span(burst * queue.period.0);
        let due = begin + queue.within;
        let jobs = trace.jobs.iter().filter(of_user).filter(|job| number(job.arrival) == burst);
        // `None` if one of them does not finish.
        let end = jobs.map(|job| job.finish()).try_fold(begin, |last, finish| Some(last.max(finish?)));
        let late =
            end.map(|end| LateBurst { user, begin, by: if end > due { end.since(due) } else { Span(0) } });
        let in_time = late.is_some_and(|late| late.by == Span(0));
        BurstOutcome { is_kept: in_time || is_served(scenario, trace, user, queue, begin), late }
    })
}

/// Whether the queue's tasks hold the demand inside the window that begins at an instant.
fn is_served(scenario: &Scenario, trace: &Trace, user: UserId, queue: &Queue, begin: Time) -> bool {
    let end = begin + queue.within;
    let (mut cores, mut memory) = (0_u128, 0_u128);
    for run in trace.tasks.iter().filter(|run| trace.jobs[run.job.index()].user == user) {
        if run.end > begin && run.start < end {
            let span = u128::from(run.end.min(end).since(run.start.max(begin)).0);
            cores += span;
            memory += span * u128::from(memory_of(scenario, run));
        }
    }
    cores >= u128::from(queue.demand.0) && memory >= u128::from(queue.memory_demand)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::properties::testing::simulated;

    fn guarantee(policy: &str, users: &str, jobs: &str) -> Option<BurstGuarantee> {
        let (scenario, trace) = simulated(2, policy, users, jobs);
        BurstGuarantee::measure(&scenario, &trace)
    }

    const USERS: &str = r#"{"name": "tq"}, {"name": "lq", "queue": {"kind": "latency", "joins_s": 1, "period_s": 10,
        "within_s": 4, "demand_core_s": 4}}"#;
    const JOBS: &str = r#"{"user": "tq", "arrival_s": 0, "stages": [{"tasks_s": [4, 4, 4, 4]}]},
        {"user": "lq", "arrival_s": 1, "stages": [{"tasks_s": [2, 2]}]},
        {"user": "lq", "arrival_s": 11, "stages": [{"tasks_s": [2, 2]}]},
        {"user": "lq", "arrival_s": 12, "stages": [{"tasks_s": [1, 4]}]}"#;

    /// Two cores. Under FIFO tq holds both until 8 s, so that lq's first burst, due at 5 s, ends at 10 s. The second
    /// one, due at 15 s, has 4 core-seconds by 13 s, which is what it demands; that its other job ends at 17 s does
    /// not count.
    #[test]
    fn a_burst_is_kept_if_it_ends_or_has_its_demand_in_time() {
        let late = LateBurst { user: UserId(1), begin: Time(1_000_000), by: Span(5_000_000) };
        let expected = BurstGuarantee { bursts: 2, kept: 1, hard: None, latest: Some(late) };
        assert_eq!(guarantee("fifo", USERS, JOBS), Some(expected));
        assert!(!expected.holds());
    }

    /// SP serves lq as soon as a core is free, at 4 s: the first burst has its first task's 2 x 1 s by 5 s and ends
    /// at 6 s.
    #[test]
    fn priority_without_preemption_may_be_late() {
        let late = LateBurst { user: UserId(1), begin: Time(1_000_000), by: Span(1_000_000) };
        let expected = BurstGuarantee { bursts: 2, kept: 1, hard: None, latest: Some(late) };
        assert_eq!(guarantee("sp", USERS, JOBS), Some(expected));
        // BoPF gives lq a hard guarantee: 4 x 2 of 2 x 10 core-seconds are less than its fair share.
        let under_bopf = guarantee("bopf", USERS, JOBS).expect("bursts");
        assert_eq!((under_bopf.hard, under_bopf.holds()), (Some([2, 1]), false));
    }

    #[test]
    fn who_demands_nothing_is_promised_nothing() {
        let users =
            USERS.replace(r#", "demand_core_s": 4"#, "").replace("\"within_s\": 4", "\"within_s\": 5");
        assert_eq!(guarantee("sp", &users, JOBS), None);
        assert_eq!(guarantee("fifo", r#"{"name": "tq"}, {"name": "lq"}"#, JOBS), None);
    }
}
