//! When the executors of a log were there, with how many cores.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::spark::allocation;
use crate::spark::executor_slots::Slots;
use crate::spark::log::Log;
use crate::spark::report::{ClusterReport, SizeReport};
use crate::spark::tasks::ImportedTasks;

/// Milliseconds by which a task's end may be stamped too late, when cores have to be guessed from tasks.
const LATE_STAMP_MS: u64 = 30;

/// An executor while it was there.
pub(super) struct ExecutorPresence {
    pub(super) executor: u32,
    pub(super) cores: u32,
    pub(super) from: u64,
    pub(super) until: u64,
    /// When it took tasks no more: under dynamic allocation it is asked to stop before it has gone.
    pub(super) takes_tasks_until: u64,
}

/// From the first arrival to the end of the last task, in ms since 1970: executors that came later or had gone before
/// are none of the scenario.
#[derive(Clone, Copy)]
pub(super) struct Period {
    pub(super) start: u64,
    pub(super) end: u64,
}

/// The executors that ran tasks or were announced, with their cores for tasks, by when they came.
pub(super) fn presences(
    log: &Log,
    tasks: &ImportedTasks,
    period: Period,
    report: &mut ClusterReport,
) -> Vec<ExecutorPresence> {
    let idle_timeout = allocation::idle_timeout(log).map(|timeout| timeout.0 / 1000);
    let idle_from = allocation::idle_from(log);
    let mut span: Vec<Option<(u64, u64)>> = vec![None; log.executors.len()];
    for run in &tasks.runs {
        let span = &mut span[tasks.task(log, run).executor as usize];
        let (from, until) = span.unwrap_or((run.launch, run.finish));
        *span = Some((from.min(run.launch), until.max(run.finish)));
    }
    let slots = Slots::new(log);
    // Executors whose size nobody says are taken to be alike.
    let mut guessed: BTreeMap<u32, u32> = BTreeMap::new();
    let mut present = Vec::new();
    for (index, executor) in (0..).zip(&log.executors) {
        let ran = span[index as usize];
        if executor.cores.is_none() && ran.is_none() {
            continue;
        }
        let from = executor.added.or(ran.map(|(from, _)| from)).unwrap_or(0);
        let from = ran.map_or(from, |(first, _)| first.min(from));
        let until = executor.removed.unwrap_or(u64::MAX);
        let until = ran.map_or(until, |(_, last)| last.max(until));
        if ran.is_none() && (from >= period.end || until <= period.start) {
            continue;
        }
        let slots = slots.of(executor).unwrap_or_else(|| {
            report.guessed_executors += 1;
            let guess = guessed.entry(executor.profile).or_insert(1);
            *guess = most_at_once(log, tasks, index).max(*guess);
            0
        });
        let takes_tasks_until = match (idle_timeout, idle_from[index as usize]) {
            (Some(timeout), Some(idle)) if executor.removed.is_some() => {
                until.min(idle.max(from).saturating_add(timeout)).max(ran.map_or(from, |(_, last)| last))
            }
            _ => until,
        };
        present.push(ExecutorPresence { executor: index, cores: slots, from, until, takes_tasks_until });
    }
    for presence in present.iter_mut().filter(|presence| presence.cores == 0) {
        presence.cores = guessed[&log.executors[presence.executor as usize].profile];
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
    for run in tasks.runs.iter().filter(|run| tasks.task(log, run).executor == executor) {
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

/// Most cores at a time.
pub(super) fn most_at_a_time<'a>(present: impl Iterator<Item = &'a ExecutorPresence>) -> u64 {
    let mut leaving: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
    let (mut now, mut most) = (0, 0);
    for presence in present {
        while let Some(&Reverse((_, cores))) = leaving.peek().filter(|next| next.0.0 <= presence.from) {
            leaving.pop();
            now -= u64::from(cores);
        }
        leaving.push(Reverse((presence.until, presence.cores)));
        now += u64::from(presence.cores);
        most = now.max(most);
    }
    most
}

/// How many executors take tasks from instants on, each counted by its weight, until the last task ends; empty if it is
/// always `usual`.
pub(super) fn counts(
    present: &[ExecutorPresence],
    period: Period,
    usual: u32,
    weight: impl Fn(&ExecutorPresence) -> u32,
) -> Vec<(u64, u32)> {
    let mut changes: BTreeMap<u64, i64> = BTreeMap::from([(period.start, 0)]);
    for presence in present {
        let weight = i64::from(weight(presence));
        *changes.entry(presence.from.max(period.start)).or_default() += weight;
        *changes.entry(presence.takes_tasks_until.max(period.start)).or_default() -= weight;
    }
    let (mut there, mut before) = (0, usual);
    let mut counts = Vec::new();
    for (at, change) in changes {
        there += change;
        let count = there as u32;
        if count != before && at < period.end {
            counts.push((at, count));
            before = count;
        }
    }
    counts
}

/// The sizes of executors, largest first, and how many there were of each.
pub(super) fn sizes(present: &[ExecutorPresence]) -> Vec<SizeReport> {
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    present.iter().for_each(|presence| *sizes.entry(presence.cores).or_default() += 1);
    sizes.into_iter().rev().map(|(cores, executors)| SizeReport { cores, executors }).collect()
}

/// Mean number of cores from the first arrival to the last task's end.
pub(super) fn mean_cores(present: &[ExecutorPresence], Period { start, end }: Period) -> f64 {
    let held = present.iter().map(|presence| {
        let (from, until) = (presence.from.clamp(start, end), presence.until.clamp(start, end));
        f64::from(presence.cores) * (until - from) as f64
    });
    held.sum::<f64>() / (end - start).max(1) as f64
}
