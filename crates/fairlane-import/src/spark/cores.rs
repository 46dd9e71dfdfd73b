//! On which core each task ran. A log names the executor only.

use std::collections::BTreeMap;

use super::ImportError;
use super::allocation;
use super::log::Log;
use super::report::ClusterReport;
use super::tasks::{ImportedTasks, TaskAttempt};
use fairlane::scenario::Limits;

/// Milliseconds by which a task's end may be stamped too late, when cores have to be guessed from tasks.
const LATE_STAMP_MS: u64 = 30;

/// The cluster, and each task's core and the end of its stay there.
pub(super) struct Placement {
    pub(super) executors: u32,
    pub(super) cores_per_executor: u32,
    /// By task, as in [`ImportedTasks::runs`].
    pub(super) core: Vec<u32>,
    /// How many executors there are from instants on, in ms since 1970; empty if all are there from start to end.
    pub(super) executors_at: Vec<(u64, u32)>,
    /// When each executor of the log was there: none where all are.
    pub(super) stays: Vec<Stay>,
    /// Memory for execution and storage of the smallest executor, in bytes; 0 if the log does not say.
    pub(super) memory: u64,
}

/// A place of the cluster while an executor of the log held it. Instants are milliseconds since 1970.
pub(super) struct Stay {
    /// By index in the log's executors.
    pub(super) executor: u32,
    /// By number in the scenario.
    pub(super) place: u32,
    pub(super) from: u64,
    pub(super) until: u64,
}

/// An executor while it was there.
struct ExecutorPresence {
    executor: u32,
    cores: u32,
    from: u64,
    until: u64,
    /// When it took tasks no more: under dynamic allocation it is asked to stop before it has gone.
    takes_tasks_until: u64,
}

/// A place in the cluster that executors hold one after the other.
struct ClusterSlot {
    cores: u32,
    free_from: u64,
}

/// Assigns each executor's cores by launch time: to a task that is launched goes the core freed last. If none is free
/// yet the one that will be first: Spark stamps a task's end after its core was offered again, so that task ends at the
/// launch. `start` is the first arrival.
///
/// # Errors
/// More cores than a scenario can have.
pub(super) fn place(
    log: &Log,
    tasks: &mut ImportedTasks,
    start: u64,
    report: &mut ClusterReport,
) -> Result<Placement, ImportError> {
    let present = presences(log, tasks, report);
    let (slots, slot_of) = share_slots(&present, log.executors.len());
    let sizes: Vec<u32> = slots.iter().map(|slot| slot.cores).collect();
    let total: u32 = sizes.iter().fold(0, |total, &cores| total.saturating_add(cores));
    let most = Limits::default().cores;
    if u64::from(total) > most {
        let message = format!("{total} cores at once are more than the {most} that a scenario can have");
        return Err(ImportError::new("executors", message));
    }
    let even = sizes.windows(2).all(|pair| pair[0] == pair[1]);
    let (executors, cores_per_executor) = if even { (sizes.len() as u32, sizes[0]) } else { (1, total) };
    report.uneven = !even;
    report.executors_in_log = present.len() as u64;
    report.most_cores = total;
    report.mean_cores = mean_cores(&present, tasks);
    let mut first_core = 0_u32;
    let first_cores: Vec<u32> = sizes
        .iter()
        .map(|&cores| {
            let first = first_core;
            first_core = first_core.saturating_add(cores);
            first
        })
        .collect();

    let mut core = vec![0; tasks.runs.len()];
    let mut by_executor: Vec<Vec<u32>> = vec![Vec::new(); log.executors.len()];
    let executor_of = |run: &TaskAttempt| log.tasks[run.task as usize].executor;
    for (index, run) in (0..).zip(&tasks.runs) {
        by_executor[executor_of(run) as usize].push(index);
    }
    for presence in &present {
        let first = first_cores[slot_of[presence.executor as usize]];
        // The last task of each core that has been used.
        let mut last: Vec<u32> = Vec::new();
        for &index in &by_executor[presence.executor as usize] {
            let TaskAttempt { launch, .. } = tasks.runs[index as usize];
            // Free cores before others; among free ones the last freed, among others the first to be free.
            let order = |&(_, &run): &(usize, &u32)| {
                let free_from = tasks.runs[run as usize].finish;
                (free_from > launch, free_from.abs_diff(launch))
            };
            let used = last.iter().enumerate().min_by_key(order);
            let free = used.filter(|used| !order(used).0);
            let chosen = match (free, used) {
                (None, used) if used.is_none() || (last.len() as u32) < presence.cores => {
                    last.push(index);
                    core[index as usize] = first + last.len() as u32 - 1;
                    continue;
                }
                (Some((chosen, _)), _) | (None, Some((chosen, _))) => chosen,
                (None, None) => 0,
            };
            let before = &mut tasks.runs[std::mem::replace(&mut last[chosen], index) as usize];
            if before.finish > launch {
                tasks.report.shorten(before, launch);
            }
            core[index as usize] = first + chosen as u32;
        }
    }
    let memory = present.iter().map(|presence| log.executors[presence.executor as usize].memory);
    let memory = if even { memory.min().unwrap_or(0) } else { 0 };
    let executors_at = if even { counts(&present, tasks, executors, start) } else { Vec::new() };
    let stay = |presence: &ExecutorPresence| Stay {
        executor: presence.executor,
        place: slot_of[presence.executor as usize] as u32,
        from: presence.from,
        until: presence.until,
    };
    let stays = if executors_at.is_empty() { Vec::new() } else { present.iter().map(stay).collect() };
    report.executors_at =
        executors_at.iter().map(|&(at, count)| ((at - start) as f64 / 1e3, count)).collect();
    Ok(Placement { executors, cores_per_executor, core, executors_at, stays, memory })
}

/// The executors that ran tasks or were announced, with their cores for tasks, by when they came.
fn presences(log: &Log, tasks: &ImportedTasks, report: &mut ClusterReport) -> Vec<ExecutorPresence> {
    let number = |name: &str| log.setting(name).and_then(|text| text.parse::<u32>().ok());
    let cpus_per_task = number("spark.task.cpus").unwrap_or(1).max(1);
    let master = log.setting("spark.master").unwrap_or_default();
    let local = master.strip_prefix("local[").and_then(|rest| rest.split([',', ']']).next()?.parse().ok());
    let idle_timeout = allocation::idle_timeout(log).map(|timeout| timeout.0 / 1000);
    let idle_from = allocation::idle_from(log);
    let mut span: Vec<Option<(u64, u64)>> = vec![None; log.executors.len()];
    for run in &tasks.runs {
        let span = &mut span[log.tasks[run.task as usize].executor as usize];
        let (from, until) = span.unwrap_or((run.launch, run.finish));
        *span = Some((from.min(run.launch), until.max(run.finish)));
    }
    let mut present = Vec::new();
    for (index, executor) in (0..).zip(&log.executors) {
        let ran = span[index as usize];
        if executor.cores.is_none() && ran.is_none() {
            continue;
        }
        let announced =
            executor.cores.or(if executor.is_driver { local } else { number("spark.executor.cores") });
        let per_task = match executor.profile {
            0 => cpus_per_task,
            profile => log.profiles.get(&profile).copied().unwrap_or(cpus_per_task),
        };
        let slots = match announced {
            Some(cores) if cores >= per_task => cores / per_task,
            _ => {
                report.guessed_executors += 1;
                most_at_once(log, tasks, index)
            }
        };
        let from = executor.added.or(ran.map(|(from, _)| from)).unwrap_or(0);
        let from = ran.map_or(from, |(first, _)| first.min(from));
        let until = executor.removed.unwrap_or(u64::MAX);
        let until = ran.map_or(until, |(_, last)| last.max(until));
        let takes_tasks_until = match (idle_timeout, idle_from[index as usize]) {
            (Some(timeout), Some(idle)) if executor.removed.is_some() => {
                until.min(idle.max(from).saturating_add(timeout))
            }
            _ => until,
        };
        present.push(ExecutorPresence {
            executor: index,
            cores: slots.max(1),
            from,
            until,
            takes_tasks_until,
        });
    }
    if present.is_empty() {
        let [until, takes_tasks_until] = [u64::MAX; 2];
        present.push(ExecutorPresence { executor: 0, cores: 1, from: 0, until, takes_tasks_until });
    }
    present.sort_by_key(|presence| (presence.from, presence.executor));
    present
}

/// Most tasks that an executor ran at once, without those that only seem to overlap.
fn most_at_once(log: &Log, tasks: &ImportedTasks, executor: u32) -> u32 {
    let mut changes: Vec<(u64, i32)> = Vec::new();
    for run in tasks.runs.iter().filter(|run| log.tasks[run.task as usize].executor == executor) {
        changes.push((run.launch, 1));
        changes.push((run.finish.saturating_sub(LATE_STAMP_MS).max(run.launch + 1), -1));
    }
    changes.sort_unstable();
    let (mut now, mut most) = (0, 1);
    for (_, change) in changes {
        now += change;
        most = now.max(most);
    }
    most.unsigned_abs()
}

/// As few places as executors were there at once, and the place of each executor. One that comes takes the place of one
/// that has gone, of the same size if there is one.
fn share_slots(present: &[ExecutorPresence], executors: usize) -> (Vec<ClusterSlot>, Vec<usize>) {
    let mut slots: Vec<ClusterSlot> = Vec::new();
    let mut slot_of = vec![0; executors.max(1)];
    for presence in present {
        let fit = slots.iter().enumerate().filter(|(_, slot)| slot.free_from <= presence.from);
        let best = fit.min_by_key(|(_, slot)| slot.cores.abs_diff(presence.cores)).map(|(index, _)| index);
        let index = best.unwrap_or_else(|| {
            slots.push(ClusterSlot { cores: 0, free_from: 0 });
            slots.len() - 1
        });
        slots[index].cores = presence.cores.max(slots[index].cores);
        slots[index].free_from = presence.until;
        slot_of[presence.executor as usize] = index;
    }
    (slots, slot_of)
}

/// How many executors take tasks from instants on, until the last task ends; empty if it is always all of them.
fn counts(
    present: &[ExecutorPresence],
    tasks: &ImportedTasks,
    executors: u32,
    start: u64,
) -> Vec<(u64, u32)> {
    let end = tasks.runs.iter().map(|run| run.finish).max().unwrap_or(start);
    let mut changes: BTreeMap<u64, i64> = BTreeMap::new();
    for presence in present {
        *changes.entry(presence.from.max(start)).or_default() += 1;
        *changes.entry(presence.takes_tasks_until.max(start)).or_default() -= 1;
    }
    let (mut there, mut before) = (0, executors);
    let mut counts = Vec::new();
    for (at, change) in changes {
        there += change;
        let count = there as u32;
        if count != before && at < end {
            counts.push((at, count));
            before = count;
        }
    }
    counts
}

/// Mean number of cores from the first executor's start to the last task's end.
fn mean_cores(present: &[ExecutorPresence], tasks: &ImportedTasks) -> f64 {
    let begin = present.iter().map(|presence| presence.from).min().unwrap_or(0);
    let end = tasks.runs.iter().map(|run| run.finish).max().unwrap_or(begin).max(begin + 1);
    let held = present.iter().map(|presence| {
        let until = presence.until.min(end).max(presence.from);
        f64::from(presence.cores) * (until - presence.from.min(end)).min(end - begin) as f64
    });
    held.sum::<f64>() / (end - begin) as f64
}
