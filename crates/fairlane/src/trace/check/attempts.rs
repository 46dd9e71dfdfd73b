//! What must hold of attempts, where tasks may have several (docs/model.md sections 18 to 26).

use std::collections::{BTreeMap, HashMap};

use super::Fault;
use crate::policy::OBSERVED;
use crate::scenario::{Job, Loss, Scenario};
use crate::trace::attempts::task_of;
use crate::trace::{ExecutorRun, JobRun, KillReason, Outcome, TaskRun, Trace};
use crate::units::Time;

/// Checks the attempts of every task: no two that the rules do not allow, and each killed one for a reason that holds.
pub(super) fn check_attempts(scenario: &Scenario, trace: &Trace) -> Result<(), Fault> {
    let expected = if scenario.names_kill_reasons() { trace.killed.len() } else { 0 };
    if trace.reasons.len() != expected {
        return Err(Fault::OtherReasons);
    }
    // What was observed was cancelled by its users, of whom the scenario knows nothing, its executors went as they went,
    // and Spark notices only later that an attempt is overtaken or an output lost.
    let is_observed = trace.policy == OBSERVED;
    if !is_observed {
        check_cancellations(scenario, trace)?;
        check_losses(scenario, trace)?;
    }
    // Only looked up, never iterated.
    let mut before: HashMap<(u32, u32, u32), Vec<u32>> = HashMap::new();
    for (index, run) in (0..).zip(&trace.tasks) {
        let others = before.entry(task_of(run)).or_default();
        let (job, stage, task) = task_of(run);
        if !is_observed && !others.iter().all(|&other| may_follow(scenario, trace, other, index)) {
            return Err(Fault::NotATask { job, stage, task });
        }
        if !is_observed && !others.iter().all(|&other| is_overtaken(trace, other, index)) {
            return Err(Fault::NotOvertaken { job, stage, task });
        }
        others.push(index);
    }
    for (index, run) in (0..).zip(&trace.tasks) {
        let (job, stage, task) = task_of(run);
        if let Some(reason) = trace.kill_reason(index)
            && !is_reason(scenario, trace, index, reason, &before[&(job, stage, task)])
        {
            return Err(Fault::WrongReason { job, stage, task });
        }
        let JobEnd { at, attempts_go_on } = JobEnd::of(scenario, trace, run);
        // Spark stamps the end of a job and launches in different threads, so that a launch may be stamped later.
        let launched_after = run.start > at && !(trace.policy == OBSERVED && attempts_go_on);
        // Interrupted attempts take a while to notice.
        let goes_on = run.end > at && !attempts_go_on && trace.policy != OBSERVED;
        if launched_after || goes_on {
            return Err(Fault::WrongFinish { job });
        }
    }
    if is_observed { Ok(()) } else { check_reopened(scenario, trace) }
}

/// When a job ended, and whether attempts of it may go on.
struct JobEnd {
    at: Time,
    attempts_go_on: bool,
}

impl JobEnd {
    fn of(scenario: &Scenario, trace: &Trace, run: &TaskRun) -> JobEnd {
        let job = &trace.jobs[run.job.index()];
        let is_interrupted = scenario.jobs()[run.job.index()].interrupt;
        let attempts_go_on = matches!(job.outcome, Outcome::Cancelled(_)) && !is_interrupted;
        JobEnd { at: job.end(), attempts_go_on }
    }
}

/// Checks that jobs are cancelled when they are to be and have not ended. A driver may have been busy at that instant.
fn check_cancellations(scenario: &Scenario, trace: &Trace) -> Result<(), Fault> {
    let is_late = scenario.cluster().driver.is_modelled();
    for ((j, job), run) in (0..).zip(scenario.jobs()).zip(&trace.jobs) {
        let due = job.cancel.map(|cancel| run.arrival + cancel);
        let is_right = match run.outcome {
            Outcome::Cancelled(at) => due.is_some_and(|due| at == due || is_late && at > due),
            // Its last stage ended in time, but its finish may be later.
            Outcome::Finished(at) => due.is_none_or(|due| is_late || at <= due + job.finish_delay),
            _ => due.is_none_or(|due| is_late || run.end() <= due),
        };
        if !is_right {
            return Err(Fault::WrongCancellation { job: j });
        }
    }
    Ok(())
}

/// Checks that no executor is there throughout a loss of it. Once all jobs have ended none is lost any more.
fn check_losses(scenario: &Scenario, trace: &Trace) -> Result<(), Fault> {
    let last_stage_end = |(job, run): (&Job, &JobRun)| match run.outcome {
        Outcome::Finished(at) => at.since(Time::ZERO + job.finish_delay),
        _ => run.end().since(Time::ZERO),
    };
    let end = scenario.jobs().iter().zip(&trace.jobs).map(last_stage_end).max().unwrap_or_default();
    for loss in scenario.cluster().losses.iter().filter(|loss| loss.at < Time::ZERO + end) {
        let lasts =
            |stay: &ExecutorRun| stay.executor == loss.executor && stay.from < loss.at && loss.at < stay.to;
        if trace.executors.iter().any(lasts) {
            return Err(Fault::NotLost { executor: loss.executor, at: loss.at });
        }
    }
    Ok(())
}

/// Whether of two attempts of a task, by index in the trace, that overlap none goes on after the other has ended by
/// itself.
fn is_overtaken(trace: &Trace, before: u32, index: u32) -> bool {
    let attempt = |index: u32| (&trace.tasks[index as usize], trace.killed.binary_search(&index).is_ok());
    let ((other, other_killed), (run, killed)) = (attempt(before), attempt(index));
    match (other_killed, killed) {
        _ if run.start >= other.end => true,
        (true, true) => true,
        (false, true) => run.end <= other.end,
        (true, false) => other.end <= run.end,
        (false, false) => false,
    }
}

fn executor(scenario: &Scenario, run: &TaskRun) -> u32 {
    run.core.0 / scenario.cluster().cores_per_executor
}

/// Whether an attempt may be launched after another one of its task, both by index in the trace.
fn may_follow(scenario: &Scenario, trace: &Trace, before: u32, index: u32) -> bool {
    let (other, run) = (&trace.tasks[before as usize], &trace.tasks[index as usize]);
    // A copy may be launched at the very instant at which it is overtaken.
    let is_overtaken = trace.kill_reason(index) == Some(KillReason::Overtaken) && run.start == run.end;
    if run.start < other.end || run.start == other.end && is_overtaken {
        return scenario.cluster().speculation.is_some()
            && executor(scenario, other) != executor(scenario, run);
    }
    // It returns if its output is lost.
    let is_barrier = scenario.jobs()[run.job.index()].stages[run.stage as usize].barrier;
    let loses = |loss: &Loss| {
        (other.end..=run.start).contains(&loss.at)
            && (is_barrier || loss.executor == executor(scenario, other))
    };
    trace.killed.binary_search(&before).is_ok() || scenario.cluster().losses.iter().any(loses)
}

/// Whether an attempt could be killed for a reason when it was; `same` are all attempts of its task.
fn is_reason(scenario: &Scenario, trace: &Trace, index: u32, reason: KillReason, same: &[u32]) -> bool {
    let run = &trace.tasks[index as usize];
    let outcome = trace.jobs[run.job.index()].outcome;
    let job = &scenario.jobs()[run.job.index()];
    let is_barrier = job.stages[run.stage as usize].barrier;
    match reason {
        KillReason::Dropped => outcome == Outcome::Dropped(run.end),
        KillReason::Cancelled if trace.policy == OBSERVED => matches!(outcome, Outcome::Cancelled(_)),
        KillReason::Cancelled => outcome == Outcome::Cancelled(run.end) && job.interrupt,
        KillReason::Lost if trace.policy == OBSERVED => {
            scenario.cluster().losses.iter().any(|loss| loss.executor == executor(scenario, run))
        }
        KillReason::Overtaken if trace.policy == OBSERVED => {
            same.iter().any(|other| trace.killed.binary_search(other).is_err())
        }
        KillReason::Lost => scenario
            .cluster()
            .losses
            .iter()
            .any(|loss| loss.at == run.end && (is_barrier || loss.executor == executor(scenario, run))),
        KillReason::Overtaken => same.iter().any(|&other| {
            trace.tasks[other as usize].end == run.end && trace.killed.binary_search(&other).is_err()
        }),
        KillReason::Preempted => {
            let rules = scenario.cluster().preemption.as_ref();
            let other = trace.preempted_for(scenario, index);
            !is_barrier
                && rules.is_some_and(|rules| run.end.0.is_multiple_of(rules.interval.0))
                && other.is_some_and(|other| other != trace.party(scenario, run))
        }
    }
}

/// Whether an executor that was to go may have gone by the instant of its loss, and so lost nothing: nothing that ran
/// before was lost on it. It may be wanted again at that very instant, as which it loses only what it began then.
fn had_left(scenario: &Scenario, trace: &Trace, loss: &Loss) -> bool {
    let entries = &scenario.cluster().executors_at;
    let is_unwanted_by = |is_seen: &dyn Fn(Time) -> bool| {
        let last = entries.iter().rev().find(|(at, _)| is_seen(*at));
        last.is_some_and(|&(_, wanted)| loss.executor >= wanted)
    };
    let is_lost = |(&index, reason): (&u32, &KillReason)| {
        let run = &trace.tasks[index as usize];
        *reason == KillReason::Lost
            && run.start < loss.at
            && run.end == loss.at
            && executor(scenario, run) == loss.executor
    };
    (is_unwanted_by(&|at| at < loss.at) || is_unwanted_by(&|at| at <= loss.at))
        && !trace.killed.iter().zip(&trace.reasons).any(is_lost)
}

/// Checks that no stage launches anything from when an output is lost that it needs until it is there again.
fn check_reopened(scenario: &Scenario, trace: &Trace) -> Result<(), Fault> {
    for loss in &scenario.cluster().losses {
        let is_lost = |stay: &&ExecutorRun| stay.executor == loss.executor && stay.to == loss.at;
        let Some(stay) = trace.executors.iter().find(is_lost).filter(|_| !had_left(scenario, trace, loss))
        else {
            continue;
        };
        // By stage: the tasks whose output is lost, each with the instant at which it is there again.
        let mut lost: BTreeMap<(u32, u32), BTreeMap<u32, Option<Time>>> = BTreeMap::new();
        for (index, run) in (0..).zip(&trace.tasks) {
            if trace.killed.binary_search(&index).is_ok() {
                continue;
            }
            let of_stage = lost.entry((run.job.0, run.stage)).or_default();
            if run.end > loss.at {
                if let Some(again) = of_stage.get_mut(&run.task) {
                    *again = Some(again.map_or(run.end, |again| again.min(run.end)));
                }
            } else if executor(scenario, run) == loss.executor && stay.from < run.end && run.end < loss.at {
                of_stage.insert(run.task, None);
            } else {
                of_stage.remove(&run.task);
            }
        }
        for run in trace.tasks.iter().filter(|run| run.start > loss.at) {
            let parents = &scenario.jobs()[run.job.index()].stages[run.stage as usize].parents;
            let is_missing = |parent: &u32| {
                let of_parent = lost.get(&(run.job.0, *parent)).into_iter().flatten();
                of_parent.map(|(_, again)| again).any(|again| again.is_none_or(|at| at > run.start))
            };
            if parents.iter().any(is_missing) {
                return Err(Fault::TooEarly { job: run.job.0, stage: run.stage });
            }
        }
    }
    Ok(())
}
