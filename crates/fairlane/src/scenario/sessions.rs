//! Sessions: users who wait for an answer before they ask again.

use serde::{Deserialize, Serialize};

use super::error::ensure;
use super::{Job, ScenarioError};
use crate::ids::JobId;
use crate::units::Span;

/// The job that another one waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predecessor {
    /// Which, by index in the file.
    pub job: JobId,
    /// From its end to the arrival of the job that waits.
    pub think: Span,
    /// Whether the job that waits is a micro-batch: it arrives with the job before if its own arrival has come by then,
    /// else no earlier than that.
    pub batch: bool,
}

/// Whether jobs wait for their predecessors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Sessions {
    /// They do: a job with a predecessor arrives a while after that has ended.
    #[default]
    Closed,
    /// They do not: every job arrives when the file says.
    Open,
}

/// Checks that predecessors exist and form no cycle.
pub(super) fn check(jobs: &[Job]) -> Result<(), ScenarioError> {
    let last = jobs.len() - 1;
    for (index, job) in jobs.iter().enumerate() {
        let Some(Predecessor { job: before, .. }) = job.after else { continue };
        let path = || format!("jobs[{index}].after.job");
        ensure!(before.index() <= last, path(), "there is no job {}; the jobs are 0 to {last}", before.0);
        ensure!(before.index() != index, path(), "is the job itself; name the one that it waits for");
    }
    // The walk from each job ends at one without a predecessor, or at one that an earlier walk has visited.
    let mut visited_by = vec![None; jobs.len()];
    for start in 0..jobs.len() {
        let mut at = start;
        while visited_by[at].is_none() {
            visited_by[at] = Some(start);
            match jobs[at].after {
                Some(before) => at = before.job.index(),
                None => break,
            }
            ensure!(
                visited_by[at] != Some(start),
                format!("jobs[{at}].after"),
                "job {at} waits for itself through other jobs; remove one of them to break the cycle"
            );
        }
    }
    Ok(())
}
