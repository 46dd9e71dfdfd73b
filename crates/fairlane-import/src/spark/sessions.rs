//! Whose jobs wait for whose: users who submit a job when the one before has ended.
//!
//! A log does not say so. A user none of whose jobs overlap is guessed to wait for answers; of other users, a job group
//! none of whose jobs overlap; each within one application.

use std::collections::BTreeMap;

use super::report::SessionsReport;
use fairlane::ids::JobId;
use fairlane::scenario::{Job, Predecessor};
use fairlane::trace::Outcome;
use fairlane::units::Span;

/// The longest pause after which a user goes on with the same session.
const LONGEST_PAUSE: Span = Span(600_000_000);

/// Lets jobs wait for those before them. `outcomes` are those of the jobs, which are in the order of their arrivals, and
/// `applications` the numbers of the applications that they are of: nobody waits in one for an answer of another.
pub(super) fn guess(
    jobs: &mut [Job],
    outcomes: &[Outcome],
    applications: &[u32],
    report: &mut SessionsReport,
) {
    let mut by_user: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for (index, (job, &application)) in jobs.iter().zip(applications).enumerate() {
        by_user.entry((application, job.user.0)).or_default().push(index);
    }
    for of_user in by_user.into_values() {
        if link(jobs, outcomes, &of_user, report) {
            continue;
        }
        let mut by_group: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for index in of_user.into_iter().filter(|&index| !jobs[index].group.is_empty()) {
            by_group.entry(jobs[index].group.clone()).or_default().push(index);
        }
        for of_group in by_group.into_values() {
            link(jobs, outcomes, &of_group, report);
        }
    }
}

/// Makes jobs sessions unless some of them overlap; says whether none do.
fn link(jobs: &mut [Job], outcomes: &[Outcome], members: &[usize], report: &mut SessionsReport) -> bool {
    let pairs = || members.iter().copied().zip(members.iter().copied().skip(1));
    if pairs().any(|(before, next)| jobs[next].arrival < outcomes[before].at()) {
        return false;
    }
    let mut links = 0;
    for (before, next) in pairs() {
        // A simulation does not know when a job was cancelled, and so not when what follows it arrives.
        let Outcome::Finished(end) = outcomes[before] else { continue };
        let think = Span(jobs[next].arrival.0 - end.0);
        if think <= LONGEST_PAUSE {
            jobs[next].after = Some(Predecessor { job: JobId(before as u32), think, batch: false });
            links += 1;
        }
    }
    report.sessions += u64::from(links > 0);
    report.jobs_that_wait += links;
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane::ids::UserId;
    use fairlane::scenario::{Input, Stage};
    use fairlane::units::Time;

    #[test]
    fn nobody_waits_in_one_application_for_an_answer_of_another() {
        let second = 1_000_000;
        let stage = || Stage::with_input(Input::of_tasks([Span(second)]).expect("a task"));
        let jobs = [0, 2].map(|at| Job::new(UserId(0), Time(at * second), vec![stage()]));
        let outcomes = [1, 3].map(|at| Outcome::Finished(Time(at * second)));
        let waits = |applications: [u32; 2]| {
            let (mut jobs, mut report) = (jobs.clone(), SessionsReport::default());
            guess(&mut jobs, &outcomes, &applications, &mut report);
            (jobs[1].after.is_some(), report.sessions)
        };
        assert_eq!((waits([0, 0]), waits([0, 1])), ((true, 1), (false, 0)));
    }
}
