//! All that changes what users hold and want, in the order of time.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::Peekable;
use std::vec::IntoIter;

use super::super::waiting::{PendingSince, pending_stages};
use super::shares::UserChange;
use crate::ids::UserId;
use crate::scenario::Scenario;
use crate::trace::attempts::pending_again;
use crate::trace::{TaskRun, Trace};
use crate::units::Time;

/// A change of what a user holds and wants, or of the cores that are there.
pub(super) enum Change {
    User(UserId, UserChange),
    Cores(i64),
}

/// The changes that are still to come. Tasks are launched in the order of time already, and only those that run have
/// to be kept for their ends.
pub(super) struct Changes<'a> {
    trace: &'a Trace,
    /// The tasks by their launches.
    tasks: Cow<'a, [TaskRun]>,
    /// The first that is not launched.
    next: usize,
    /// The ends of those that run, with whose they are.
    ends: BinaryHeap<Reverse<(Time, UserId)>>,
    others: Peekable<IntoIter<(Time, Change)>>,
}

impl Changes<'_> {
    pub(super) fn new<'a>(scenario: &Scenario, trace: &'a Trace) -> Changes<'a> {
        let mut tasks = Cow::Borrowed(&trace.tasks[..]);
        if !tasks.is_sorted_by_key(|run| run.start) {
            tasks.to_mut().sort_by_key(|run| run.start);
        }
        let mut others = others(scenario, trace);
        others.sort_by_key(|(at, _)| *at);
        Changes { trace, tasks, next: 0, ends: BinaryHeap::new(), others: others.into_iter().peekable() }
    }

    /// The instant of the next change.
    pub(super) fn next_instant(&mut self) -> Option<Time> {
        let start = self.tasks.get(self.next).map(|run| run.start);
        let end = self.ends.peek().map(|Reverse((end, _))| *end);
        let other = self.others.peek().map(|(at, _)| *at);
        [start, end, other].into_iter().flatten().min()
    }

    /// The next change at an instant, which is that of the next one.
    pub(super) fn next_at(&mut self, at: Time) -> Option<Change> {
        if let Some(&Reverse((end, user))) = self.ends.peek()
            && end == at
        {
            self.ends.pop();
            return Some(Change::User(user, UserChange { held: -1, ..UserChange::default() }));
        }
        if let Some(run) = self.tasks.get(self.next)
            && run.start == at
        {
            let user = self.trace.jobs[run.job.index()].user;
            self.ends.push(Reverse((run.end, user)));
            self.next += 1;
            return Some(Change::User(user, UserChange { held: 1, pending: -1, jobs: 0 }));
        }
        self.others.next_if(|(other, _)| *other == at).map(|(_, change)| change)
    }
}

/// All changes but launches and ends of tasks.
fn others(scenario: &Scenario, trace: &Trace) -> Vec<(Time, Change)> {
    let mut changes = Vec::new();
    for run in &trace.executors {
        let cores = i64::from(scenario.cluster().cores_per_executor);
        changes.extend([(run.from, Change::Cores(cores)), (run.to, Change::Cores(-cores))]);
    }
    let change = |user, pending, jobs| Change::User(user, UserChange { held: 0, pending, jobs });
    for job in &trace.jobs {
        changes.extend([(job.arrival, change(job.user, 0, 1)), (job.end(), change(job.user, 0, -1))]);
    }
    let again = pending_again(scenario, trace).into_iter();
    changes.extend(
        again.map(|again| (again.at, change(trace.jobs[again.job.index()].user, i64::from(again.more), 0))),
    );
    for stage in pending_stages(scenario, trace, PendingSince::Arrival, |_| true) {
        let job = &trace.jobs[stage.job.index()];
        changes.push((stage.since, change(job.user, stage.tasks, 0)));
        // What has not been launched when the job ends waits no longer.
        if stage.never_launched != 0 {
            changes.push((job.end(), change(job.user, -stage.never_launched, 0)));
        }
    }
    changes
}
