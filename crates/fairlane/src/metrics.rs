//! What a trace means to users: one file per family, every function with its definition.
//!
//! `docs/metrics.md` lists all figures with their formulas and where these come from.
//!
//! ```
//! use fairlane::{metrics, simulate};
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let (fifo, uwfq) = (simulate(&scenario, "fifo".parse()?), simulate(&scenario, "uwfq".parse()?));
//! // ben's single job waits for ana's twelve under FIFO, not under UWFQ.
//! let ben = |jobs| metrics::mean_response_by_user(jobs, 2)[1];
//! assert!(ben(&uwfq.jobs) < ben(&fifo.jobs));
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

mod alone;
mod attempts;
mod bound;
mod deadlines;
mod evaluate;
mod fairness;
mod inversion;
mod job_groups;
mod memory;
mod over_time;
mod parallel;
mod presence;
mod progress;
mod properties;
mod queues;
mod replay_error;
mod response;
mod shares;
mod sharing;
mod slowdown;
mod special;
mod straggler;
mod summary;
mod targets;
mod utilization;
mod verdict;
mod waited_for;
mod waiting;

pub use alone::alone_responses;
pub use attempts::{AttemptCosts, held_back};
pub use bound::{Unfairness, bounded_unfairness, uwfq_allowance};
pub use deadlines::{DeadlineFigures, has_deadlines};
pub use evaluate::{
    Baselines, Causes, Evaluation, EvaluationDetail, evaluate, evaluate_observed, evaluate_responses,
};
pub use fairness::{Deviation, Fairness, ReferenceSchedule, relative_delay, relative_delays};
pub use inversion::{Inversion, inversion_time, inversions};
pub use job_groups::{JobGroup, by_job_group, job_groups};
pub use memory::{MemoryUse, memory_in_use};
pub use over_time::Intervals;
pub use presence::CoresThere;
pub use progress::progress_rate;
pub use properties::{
    BurstGuarantee, Conservation, FACTORS, LateBurst, LongTermFairness, Lying, MAX_LIARS, Misreport,
    Properties, Shortfall,
};
pub use queues::Completions;
pub use replay_error::{ReplayError, replay_error};
pub use response::{
    ResponseGroup, ResponsePercentiles, Unfinished, group_means, groups, mean_response,
    mean_response_by_user, worst_decile_mean,
};
pub use shares::dominant_shares;
pub use sharing::{SharingFigures, sharing_over_time};
pub use slowdown::{mean_slowdown, mean_slowdown_by_user, slowdown, slowdowns, worst_decile_slowdown};
pub use special::OptionalFigures;
pub use straggler::{IdleCore, Straggler, idle_behind, straggler_idle_time, stragglers};
pub use summary::{BlockingTotals, Summary};
pub use targets::{AllocationMeans, allocations};
pub use utilization::{ExecutorUse, makespan, utilization};
pub use verdict::{ScheduleVerdict, verdicts, verdicts_by, worst};
pub use waited_for::{Holder, WaitedFor, Waiter, Waiting, waiting};
pub use waiting::{
    Holders, JobTasks, JobWaits, NextCore, NotYet, Stretch, holders, job_waits, not_yet, user_waits,
};

/// How many of `n` jobs are the worst tenth: max(1, floor(0.1 n)), none of none.
fn worst_decile_count(n: usize) -> usize {
    (n / 10).max(1).min(n)
}

/// The mean of some numbers, added in the order given; `None` of none.
fn mean_of(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.into_iter().fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Values in bins by number, each with its mean; `None` for an empty bin.
fn mean_by(bins: usize, values: impl IntoIterator<Item = (usize, f64)>) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0_u32); bins];
    for (bin, value) in values {
        sums[bin].0 += value;
        sums[bin].1 += 1;
    }
    sums.into_iter().map(|(sum, count)| (count > 0).then(|| sum / f64::from(count))).collect()
}
