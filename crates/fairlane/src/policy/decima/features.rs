//! What Decima's network is given: a few numbers of each stage, each job and the cluster (Decima, section 6.1).
//!
//! Counts and times are logarithms, so that jobs of all sizes are alike, divided so that usual values are below 1.

use super::super::{JobView, StageView};
use super::network::{CLUSTER_FEATURES, JOB_FEATURES, LIMIT_FEATURES, STAGE_FEATURES};
use crate::units::MICROS_PER_SECOND;

/// ln(1 + x).
pub(super) fn log1(x: f32) -> f32 {
    libm::logf(1.0 + x)
}

/// The estimated length of a stage's tasks on average, in seconds.
pub(super) fn mean_task(stage: StageView) -> f32 {
    (stage.estimate().0 as f64 / f64::from(stage.tasks().max(1)) / MICROS_PER_SECOND) as f32
}

/// The features of a stage whose tasks take `mean` seconds: its tasks that are left, their mean length, the cores that
/// work on it, the work that is left, and whether it is submitted.
pub(super) fn of_stage([pending, running]: [u32; 2], mean: f32, is_submitted: bool) -> [f32; STAGE_FEATURES] {
    let (pending, running) = (pending as f32, running as f32);
    let submitted = if is_submitted { 1.0 } else { 0.0 };
    [
        log1(pending) / 5.0,
        libm::logf(0.02 + mean) / 3.0,
        log1(running) / 4.0,
        log1(pending * mean) / 6.0,
        submitted,
    ]
}

/// What a job's own features follow from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JobCounts {
    /// Estimated work of its tasks that are not launched, in core-seconds.
    pub work: f32,
    /// Its tasks that hold a core.
    pub running: u32,
    /// Free cores that ran a task of it last: they are local to it.
    pub idle: u32,
    /// Cores of the cluster.
    pub cores: u32,
    /// ln(1 + the cores that it holds).
    pub log_held: f32,
}

/// A parallelism limit: cores that a job may hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The cores.
    pub cores: u32,
    /// ln(1 + cores).
    log: f32,
}

impl Limit {
    /// A limit of some cores.
    pub fn new(cores: u32) -> Limit {
        Limit { cores, log: log1(cores as f32) }
    }
}

impl JobCounts {
    /// The cores that the job holds, those included that are idle and local to it.
    pub fn held(self) -> u32 {
        self.running + self.idle
    }

    /// The features but for the last, which is the job's [`position`]: work left, cores on the job, free cores that are
    /// local to it and whether there are any, the share of the cores that it holds.
    pub fn features(self) -> [f32; JOB_FEATURES - 1] {
        [
            log1(self.work) / 8.0,
            log1(self.running as f32) / 4.0,
            log1(self.idle as f32) / 4.0,
            if self.idle > 0 { 1.0 } else { 0.0 },
            self.held() as f32 / self.cores as f32,
        ]
    }

    /// The features of a limit: its share of the cores, its logarithm, whether it is at least what the job holds, and
    /// how many times that it is.
    pub fn limit(self, limit: Limit) -> [f32; LIMIT_FEATURES] {
        let held = self.held();
        [
            limit.cores as f32 / self.cores as f32,
            limit.log / 4.0,
            if limit.cores >= held { 1.0 } else { 0.0 },
            (limit.log - self.log_held) / 3.0,
        ]
    }
}

/// The last feature of a job: its position among the active jobs by the work left, given how many have less.
pub(super) fn position(smaller: u32, active: u32) -> f32 {
    smaller as f32 / active as f32
}

/// The features of the cluster: free cores, those of them that are local to no job, and the number of active jobs.
pub(super) fn of_cluster(cores: u32, free: u32, unowned: u32, active: u32) -> [f32; CLUSTER_FEATURES] {
    [free as f32 / cores as f32, unowned as f32 / cores as f32, log1(active as f32) / 4.0]
}

/// The limits that a job may get on a cluster, ascending: one core, all, and between them the closer the smaller.
pub fn limits(cores: u32) -> Vec<Limit> {
    let mut limits: Vec<u32> = (0..=STEPS)
        .map(|step| ((u64::from(cores) * step * step + STEPS * STEPS / 2) / (STEPS * STEPS)) as u32)
        .map(|limit| limit.max(1))
        .collect();
    limits.dedup();
    limits.into_iter().map(Limit::new).collect()
}

/// Limits of a large cluster, less one.
const STEPS: u64 = 16;

/// Whether a stage has ended.
pub(super) fn has_ended(stage: StageView) -> bool {
    stage.is_submitted() && stage.pending() == 0 && stage.running() == 0
}

/// Estimated work of a job's tasks that are not launched, in core-seconds, given the mean lengths of its stages' tasks.
pub(super) fn work_left(job: JobView, means: impl Iterator<Item = f32>) -> f32 {
    job.stages().zip(means).fold(0.0, |sum, (stage, mean)| sum + stage.pending() as f32 * mean)
}
