//! Whose jobs wait for whose: users who submit a job when the one before has ended.
//!
//! A log does not say so. A user none of whose jobs overlap is guessed to wait for answers; of other users, a job group
//! none of whose jobs overlap.

use std::collections::BTreeMap;

use super::report::SessionsReport;
use fairlane::ids::JobId;
use fairlane::scenario::{Job, Predecessor};
use fairlane::units::{Span, Time};

/// The longest pause after which a user goes on with the same session.
const LONGEST_PAUSE: Span = Span(600_000_000);

/// Lets jobs wait for those before them. `ends` are those of the jobs, which are in the order of their arrivals.
pub(super) fn guess(jobs: &mut [Job], ends: &[Time], report: &mut SessionsReport) {
    let mut by_user: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, job) in jobs.iter().enumerate() {
        by_user.entry(job.user.0).or_default().push(index);
    }
    for of_user in by_user.into_values() {
        if link(jobs, ends, &of_user, report) {
            continue;
        }
        let mut by_group: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for index in of_user.into_iter().filter(|&index| !jobs[index].group.is_empty()) {
            by_group.entry(jobs[index].group.clone()).or_default().push(index);
        }
        for of_group in by_group.into_values() {
            link(jobs, ends, &of_group, report);
        }
    }
}

/// Makes jobs sessions unless some of them overlap; says whether none do.
fn link(jobs: &mut [Job], ends: &[Time], members: &[usize], report: &mut SessionsReport) -> bool {
    let pairs = || members.iter().copied().zip(members.iter().copied().skip(1));
    if pairs().any(|(before, next)| jobs[next].arrival < ends[before]) {
        return false;
    }
    let mut links = 0;
    for (before, next) in pairs() {
        let think = Span(jobs[next].arrival.0 - ends[before].0);
        if think <= LONGEST_PAUSE {
            jobs[next].after = Some(Predecessor { job: JobId(before as u32), think });
            links += 1;
        }
    }
    report.sessions += u64::from(links > 0);
    report.jobs_that_wait += links;
    true
}
