//! Executors that went while tasks ran on them.

use std::collections::BTreeMap;

use super::Placement;
use super::presence::{ExecutorPresence, Period};
use crate::spark::allocation;
use crate::spark::log::Log;
use crate::spark::record::{LogTask, TaskEnd};
use crate::spark::tasks::ImportedTasks;

/// Milliseconds between the end of a lost executor's tasks and its own.
const LATE_LOSS_MS: u64 = 1000;

/// A place of the cluster is lost with its executor. Instants are milliseconds since 1970.
pub(in super::super) struct PlaceLoss {
    /// Number of the place in the scenario.
    pub(in super::super) place: u32,
    /// Index of the executor among the log's.
    executor: u32,
    pub(in super::super) at: u64,
    /// When another executor takes it.
    pub(in super::super) back: Option<u64>,
}

/// The losses by which executors of a log went: none if any came or went otherwise, such as by dynamic allocation, if
/// none is left, or if a stage was tried again, because it failed to fetch what was lost.
pub(super) fn losses(
    log: &Log,
    tasks: &ImportedTasks,
    (present, places): (&[ExecutorPresence], &[Vec<u32>]),
    period: Period,
) -> Vec<PlaceLoss> {
    let is_plain = allocation::idle_timeout(log).is_none()
        && log.applications.len() <= 1
        && tasks.nodes.iter().all(|node| node.attempt == 0)
        && present.iter().any(|presence| is_lost(log, tasks, presence.executor));
    if !is_plain {
        return Vec::new();
    }
    let mut by_place: BTreeMap<u32, Vec<&ExecutorPresence>> = BTreeMap::new();
    for (presence, places) in present.iter().zip(places) {
        places.iter().for_each(|&place| by_place.entry(place).or_default().push(presence));
    }
    let (mut losses, mut lasting) = (Vec::new(), 0);
    for (place, stays) in by_place {
        if stays.first().is_none_or(|first| first.from > period.start) {
            return Vec::new();
        }
        for (index, stay) in stays.iter().enumerate() {
            let back = stays.get(index + 1).map(|next| next.from);
            if back.is_none() && stay.until >= period.end {
                lasting += 1;
                continue;
            }
            if !is_lost(log, tasks, stay.executor) {
                return Vec::new();
            }
            losses.push(PlaceLoss { place, executor: stay.executor, at: stay.until, back });
        }
    }
    losses.sort_by_key(|loss| (loss.at, loss.place));
    if lasting == 0 { Vec::new() } else { losses }
}

impl Placement {
    /// Whether the output of an attempt was lost with its executor before another one was launched.
    pub(in super::super) fn loses(&self, log: &Log, tasks: &ImportedTasks, run: u32, launch: u64) -> bool {
        let executor = tasks.task_of_run(log, run).executor;
        let finish = tasks.runs[run as usize].finish;
        let mut losses = self.losses.iter().filter(|loss| loss.executor == executor);
        losses.any(|loss| finish <= loss.at && loss.at <= launch)
    }
}

/// Whether a failed attempt was lost with its executor, where losses are simulated.
pub(in super::super) fn is_lost_with(placement: &Placement, task: &LogTask) -> bool {
    let mut losses = placement.losses.iter().filter(|loss| loss.executor == task.executor);
    losses.any(|loss| task.finish.abs_diff(loss.at) <= LATE_LOSS_MS)
}

/// Whether an executor went while tasks ran on it: Spark says then that they failed.
pub(super) fn is_lost(log: &Log, tasks: &ImportedTasks, executor: u32) -> bool {
    let Some(removed) = log.executors[executor as usize].removed else { return false };
    tasks.runs.iter().any(|run| {
        let task = tasks.task(log, run);
        task.executor == executor
            && task.end == TaskEnd::Failed
            && task.finish.abs_diff(removed) <= LATE_LOSS_MS
    })
}
