//! Executors that come and go.

use super::error::ensure;
use super::{Cluster, ScenarioError};
use crate::units::{MAX_MICROS, Span};

/// Spark's dynamic allocation: executors are requested while tasks wait and removed when they have been idle for a
/// while (`ExecutorAllocationManager`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DynamicAllocation {
    /// The least number of executors: `spark.dynamicAllocation.minExecutors`.
    pub min: u32,
    /// The largest: `maxExecutors`; `None` for all of the cluster.
    pub max: Option<u32>,
    /// At the start: `initialExecutors`; `None` for the least.
    pub initial: Option<u32>,
    /// How long tasks wait before the first request: `schedulerBacklogTimeout`.
    pub backlog: Span,
    /// From one request to the next while tasks still wait: `sustainedSchedulerBacklogTimeout`; `None` for `backlog`.
    pub sustained: Option<Span>,
    /// How long an executor is idle before it is removed: `executorIdleTimeout`.
    pub idle: Span,
    /// From a request to the executor's first offer.
    pub start: Span,
    /// Whether executors that hold output of jobs stay for it: `shuffleTracking.enabled`.
    pub shuffle_tracking: bool,
    /// How long an executor is idle before it is removed although it holds output of jobs that have ended:
    /// `shuffleTracking.timeout`; `None` for ever.
    pub shuffle_timeout: Option<Span>,
}

/// How many executors there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutorBounds {
    /// The least number.
    pub min: u32,
    /// The largest.
    pub max: u32,
    /// At the start.
    pub initial: u32,
}

impl Default for DynamicAllocation {
    /// Spark's defaults, and executors that start at once.
    fn default() -> Self {
        DynamicAllocation {
            min: 0,
            max: None,
            initial: None,
            backlog: Span(1_000_000),
            sustained: None,
            idle: Span(60_000_000),
            start: Span(0),
            shuffle_tracking: false,
            shuffle_timeout: None,
        }
    }
}

impl DynamicAllocation {
    /// Period of the ticks at which executors are requested and removed.
    pub const TICK: Span = Span(100_000);

    /// The numbers of executors on a cluster.
    pub fn bounds(&self, cluster: &Cluster) -> ExecutorBounds {
        ExecutorBounds {
            min: self.min,
            max: self.max.unwrap_or(cluster.executors),
            initial: self.initial.unwrap_or(self.min),
        }
    }

    fn check(&self, cluster: &Cluster) -> Result<(), ScenarioError> {
        let path = |key: &str| format!("cluster.dynamic_allocation.{key}");
        let ExecutorBounds { min, max, initial } = self.bounds(cluster);
        ensure!(max != 0, path("max"), "must be at least 1");
        let executors = cluster.executors;
        ensure!(
            max <= executors,
            path("max"),
            "is more than the cluster's {executors} executors; give fewer, or raise cluster.executors"
        );
        ensure!(min <= max, path("min"), "is more than max, which is {max}; give at most that");
        ensure!(
            (min..=max).contains(&initial),
            path("initial"),
            "must be from min to max, which are {min} and {max}"
        );
        Ok(())
    }
}

/// Checks when executors come and go.
pub(super) fn check(cluster: &Cluster) -> Result<(), ScenarioError> {
    let entries = &cluster.executors_at;
    let last = entries.len().saturating_sub(1);
    for (index, &(at, executors)) in entries.iter().enumerate() {
        let path = |part: u32| format!("cluster.executors_at[{index}][{part}]");
        let ascends = index.checked_sub(1).is_none_or(|before| entries[before].0 < at);
        ensure!(ascends, path(0), "is not later than the instant before; give ascending instants");
        ensure!(
            at.0 <= MAX_MICROS,
            path(0),
            "is more than 2^53 microseconds (9007199254 s); use a smaller number"
        );
        ensure!(
            executors <= cluster.executors,
            path(1),
            "is more than the cluster's {} executors; give fewer, or raise cluster.executors",
            cluster.executors
        );
        let ends = index != last || executors > 0;
        ensure!(ends, path(1), "is 0 in the last entry, so that jobs could not end; give at least 1");
    }
    let Some(allocation) = &cluster.dynamic_allocation else { return Ok(()) };
    ensure!(
        entries.is_empty(),
        "cluster.dynamic_allocation",
        "decides how many executors there are, and so does executors_at; keep one of them"
    );
    allocation.check(cluster)
}
