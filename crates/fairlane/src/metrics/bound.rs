//! Bounded fairness: how much later than under the ideal any job finishes.
//!
//! The UWFQ paper (2.2) calls a scheduler bounded by UJF if every job finishes within a constant C
//! of its finish under UJF: f_i - f^_i <= C.

use serde::{Deserialize, Serialize};

use super::fairness::ReferenceSchedule;
use crate::ids::JobId;
use crate::scenario::Scenario;
use crate::trace::{JobRun, Trace};
use crate::units::{SlotTime, Span};

/// The job that is furthest behind the ideal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unfairness {
    /// The job; the first in the file of several.
    pub job: JobId,
    /// f_i - f^_i in µs; negative if even this job finishes earlier than under the ideal.
    pub delay: f64,
}

/// The largest f_i - f^_i over all jobs, the least C for which this schedule keeps the paper's bound
/// (2.2), and the job that has it. `None` if no job finished.
pub fn bounded_unfairness(jobs: &[JobRun], ideal: &ReferenceSchedule) -> Option<Unfairness> {
    let delays = (0..)
        .map(JobId)
        .zip(jobs)
        .filter_map(|(job, run)| Some(Unfairness { job, delay: ideal.delay(job.index(), run.finish()?) }));
    delays.reduce(|most, other| if other.delay > most.delay { other } else { most })
}

/// The constant that UWFQ is held to on single-stage jobs without overhead whose estimates are true,
/// in µs: `L_max / R + 2 x the longest task`, L_max the largest job's work (docs/model.md section 5).
///
/// Where it comes from:
/// - `L_max / R` is what weighted fair queuing is allowed on a server that cannot interrupt a packet
///   (UWFQ paper 6.1, after Parekh and Gallager 1993). UWFQ's jobs can be interrupted, but their
///   deadlines move: a smaller job of the same user puts a larger one's deadline back, after that
///   has been served by its former deadline.
/// - One longest task, because tasks are not preempted: a job may find all cores held by tasks of
///   later deadlines.
/// - Another one, because the ideal spreads a job's last bit over all cores, while a schedule leaves it
///   to one task.
///
/// It is an observation with an explanation and no theorem (the paper leaves its proof to the extended
/// version). `tests/bounded_fairness.rs` holds UWFQ to it on random workloads, shows that the two tasks
/// alone are enough where no user's jobs differ, so that no deadline moves, and shows a workload on
/// which several users move deadlines together and exceed it.
pub fn uwfq_allowance(scenario: &Scenario, trace: &Trace) -> f64 {
    let largest_job = scenario.jobs().iter().map(|job| job.work()).max().unwrap_or(SlotTime(0));
    let longest_task = trace.tasks.iter().map(|run| run.end.since(run.start)).max().unwrap_or(Span(0));
    largest_job.0 as f64 / f64::from(trace.cores) + 2.0 * longest_task.0 as f64
}
