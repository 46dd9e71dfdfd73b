//! A bound on the memory that the page takes for schedules.

use std::collections::BTreeMap;

use super::{Document, Run};
use crate::policy::PolicyId;

/// Bytes that the page keeps of a task of a schedule, roughly: 32 of the run, 16 to look it up, up to 27 to draw it, and the rest of
/// the journal and what blocks jobs.
const BYTES_PER_TASK: u64 = 107;
/// Most bytes of all schedules together. A browser gives a page some 4 GB at most, and while schedules arrive
/// some of them are there twice.
const MOST_BYTES: u64 = 2 << 30;

/// Refuses runs whose schedules would take too much memory besides those before them, and admits those refused
/// before that no longer would.
pub(super) fn bound(document: &Document, runs: &mut BTreeMap<PolicyId, Run>) {
    let bytes = |policy: &PolicyId| document.tasks(policy.partitioning).saturating_mul(BYTES_PER_TASK);
    let wanted: u64 = runs.keys().map(bytes).fold(0, u64::saturating_add);
    let mut kept = 0_u64;
    for (policy, run) in runs {
        let with_it = kept.saturating_add(bytes(policy));
        if with_it <= MOST_BYTES {
            kept = with_it;
            run.admit();
        } else {
            run.refuse(format!(
                "The schedules of all ticked policies would take about {:.1} GB; the page keeps {:.0} GB at most, so this \
                 one is not simulated. Untick other policies, or take a scenario with fewer tasks.",
                gigabytes(wanted),
                gigabytes(MOST_BYTES)
            ));
        }
    }
}

fn gigabytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}
