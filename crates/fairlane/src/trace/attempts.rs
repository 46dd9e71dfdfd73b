//! Attempts in a trace: tasks that were launched more than once (docs/model.md sections 18 and 27).

use std::collections::HashMap;

use super::{KillReason, TaskRun, Trace};
use crate::ids::JobId;
use crate::policy::PolicyKind;
use crate::scenario::{Scenario, pool};
use crate::units::{SlotTime, Time};

/// How an attempt came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaunchKind {
    /// It is the first of its task.
    First,
    /// The task had returned; since when it was pending again, as far as the trace tells.
    Again { since: Time },
    /// Another attempt of the task was running.
    Copy,
}

/// A task by its job, its stage and its index in it.
pub(crate) fn task_of(run: &TaskRun) -> (u32, u32, u32) {
    (run.job.0, run.stage, run.task)
}

/// How each attempt of a trace came about; `None` if every task has one.
pub(crate) fn launch_kinds(scenario: &Scenario, trace: &Trace) -> Option<Vec<LaunchKind>> {
    if !scenario.names_kill_reasons() {
        return None;
    }
    // Only looked up, never iterated.
    let mut before: HashMap<(u32, u32, u32), (Time, Option<KillReason>)> = HashMap::new();
    let kind = |(index, run): (u32, &TaskRun)| {
        let reason = trace.kill_reason(index);
        let overtaken = Some(KillReason::Overtaken);
        let kind = match before.get(&task_of(run)) {
            None => LaunchKind::First,
            Some(&(until, _)) if run.start < until => LaunchKind::Copy,
            // A copy may end at the very instant of its launch, by itself or with the other attempt.
            Some(&(until, last)) if run.end == until && (reason == overtaken || last == overtaken) => {
                LaunchKind::Copy
            }
            // One that was overtaken ended with its task.
            Some(&(until, Some(last))) if last != KillReason::Overtaken => LaunchKind::Again { since: until },
            Some(_) => LaunchKind::Again { since: run.start },
        };
        let last = before.entry(task_of(run)).or_insert((run.end, reason));
        if run.end >= last.0 {
            *last = (run.end, reason);
        }
        kind
    };
    Some((0..).zip(&trace.tasks).map(kind).collect())
}

/// A change of how many tasks of a job are pending, beside the submissions of its stages and the first launches of
/// their tasks.
pub(crate) struct PendingChange {
    pub(crate) job: JobId,
    /// Index of the stage in its job.
    pub(crate) stage: u32,
    pub(crate) at: Time,
    /// How many more are pending from then on.
    pub(crate) more: i32,
}

/// When tasks were pending again that had been launched, so that each launch takes one pending task: a task returns, or
/// another attempt of one that runs is launched. What has returned and was not launched again is pending until its job
/// ends. The list is in the order of launches. As far as the trace tells: a task whose output was lost is pending from
/// its next launch on only.
pub(crate) fn pending_again(scenario: &Scenario, trace: &Trace) -> Vec<PendingChange> {
    let Some(kinds) = launch_kinds(scenario, trace) else { return Vec::new() };
    let mut changes = Vec::new();
    // The attempt of each task that ends last; only looked up, never iterated.
    let mut last: HashMap<(u32, u32, u32), u32> = HashMap::new();
    for ((index, run), kind) in (0_u32..).zip(&trace.tasks).zip(kinds) {
        let at = match kind {
            LaunchKind::First => None,
            LaunchKind::Again { since } => Some(since),
            LaunchKind::Copy => Some(run.start),
        };
        changes.extend(at.map(|at| PendingChange { job: run.job, stage: run.stage, at, more: 1 }));
        let last = last.entry(task_of(run)).or_insert(index);
        if trace.tasks[*last as usize].end <= run.end {
            *last = index;
        }
    }
    for (index, run) in (0..).zip(&trace.tasks) {
        let returns = matches!(trace.kill_reason(index), Some(KillReason::Lost | KillReason::Preempted));
        let job_end = trace.jobs[run.job.index()].end();
        if returns && last[&task_of(run)] == index && run.end < job_end {
            changes.push(PendingChange { job: run.job, stage: run.stage, at: run.end, more: 1 });
            changes.push(PendingChange { job: run.job, stage: run.stage, at: job_end, more: -1 });
        }
    }
    changes
}

impl Trace {
    /// Why an attempt was ended before its time, by index in `tasks`; `None` if it was not.
    pub fn kill_reason(&self, index: u32) -> Option<KillReason> {
        let place = self.killed.binary_search(&index).ok()?;
        Some(self.reasons.get(place).copied().unwrap_or(KillReason::Dropped))
    }

    /// The party whose attempt one is (docs/model.md section 26): its user, under pools its pool.
    pub(crate) fn party<'a>(&self, scenario: &'a Scenario, run: &TaskRun) -> &'a str {
        match self.policy.kind {
            PolicyKind::Spark if pool::has_pools(scenario) => {
                pool::stage_pool_name(scenario, run.job, run.stage)
            }
            _ => &scenario.users()[scenario.jobs()[run.job.index()].user.index()].name,
        }
    }

    /// Whom an attempt was preempted for, by index in `tasks`: the user or the pool whose task follows at once on its
    /// core. `None` if nothing does.
    pub fn preempted_for<'a>(&self, scenario: &'a Scenario, index: u32) -> Option<&'a str> {
        let run = &self.tasks[index as usize];
        let next = self.tasks[index as usize + 1..].iter().find(|other| other.core == run.core)?;
        (next.start == run.end).then(|| self.party(scenario, next))
    }

    /// Core time that came to nothing: of attempts that were killed or after which their task ran again to its end, and
    /// of others what is after their job's end (docs/model.md section 27).
    pub fn wasted(&self) -> SlotTime {
        let mut wasted = 0;
        // Only looked up, never iterated.
        let mut ends_later = std::collections::HashSet::new();
        let is_repeated = !self.reasons.is_empty() || !self.executors.is_empty();
        for (index, run) in (0..self.tasks.len() as u32).zip(&self.tasks).rev() {
            let killed = self.killed.binary_search(&index).is_ok();
            let again = is_repeated && ends_later.contains(&task_of(run));
            let from = match killed || again {
                true => run.start,
                false => self.jobs[run.job.index()].end().clamp(run.start, run.end),
            };
            wasted += run.end.since(from).0;
            if is_repeated && !killed {
                ends_later.insert(task_of(run));
            }
        }
        SlotTime(wasted)
    }
}
