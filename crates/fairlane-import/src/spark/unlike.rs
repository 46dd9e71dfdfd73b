//! What Spark did in this log that the simulation does otherwise, and how much of the cluster's time that concerns: the
//! reasons, likeliest first, why a simulation is far from the log.

use std::collections::BTreeSet;

use serde::Serialize;

use super::cores::Placement;
use super::log::Log;
use super::parts::ScenarioParts;
use super::places::Places;
use super::record::{Locality, TaskEnd};
use super::tasks::ImportedTasks;

/// Something that is not simulated as it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnlikeReport {
    /// What it is.
    pub what: &'static str,
    /// The core-seconds that it concerns: cores that were free while a task of such a stage waited, or what such tasks
    /// held.
    pub core_s: f64,
}

/// The part of the largest concern below which another is no reason.
const SMALLEST_PART: f64 = 0.05;
/// The part of all time that tasks held below which nothing is a reason.
const SMALLEST_OF_ALL: f64 = 0.005;

/// Why a free core may not have been taken, the surest reason first.
const HINDRANCES: [&str; 4] = [
    "barrier stages, whose tasks Spark starts all at once",
    "resource profiles, whose stages run on their own executors alone",
    "executors excluded after failures",
    "tasks that waited for a core near their data (spark.locality.wait)",
];

/// Finds what is not simulated as it was, the largest concern first.
pub(super) fn find(parts: &ScenarioParts) -> Vec<UnlikeReport> {
    let ScenarioParts { log, tasks, jobs, placement, places, attempts, .. } = parts;
    // What runs when its job is cancelled does so in the simulation, too.
    let cancelled = jobs.iter().filter(|job| job.end.cancelled_at().is_some());
    let cancelled: BTreeSet<u32> = cancelled.flat_map(|job| job.nodes.iter().copied()).collect();
    let idle = idle_while_waiting(log, tasks, placement, places);
    let held = |is_such: &dyn Fn(TaskEnd, bool) -> bool| -> f64 {
        let runs = (0..).zip(&tasks.runs).filter(|(index, run)| {
            let task = tasks.task(log, run);
            let is_simulated = task.end == TaskEnd::Killed && cancelled.contains(&run.node);
            is_such(task.end, task.speculative) && !is_simulated && !attempts.is_merged(*index)
        });
        runs.map(|(_, run)| (run.finish - run.launch) as f64).sum()
    };
    let all: f64 = tasks.runs.iter().map(|run| (run.finish - run.launch) as f64).sum();
    let failed = held(&|end, speculative| end == TaskEnd::Failed && !speculative);
    let killed = held(&|end, speculative| end == TaskEnd::Killed && !speculative);
    let copies = held(&|_, speculative| speculative);
    let found = HINDRANCES.into_iter().zip(idle).chain([
        ("failed attempts, after which Spark tries again", failed),
        ("killed attempts", killed),
        ("speculative copies", copies),
    ]);
    let mut found: Vec<UnlikeReport> =
        found.map(|(what, core_ms)| UnlikeReport { what, core_s: core_ms / 1e3 }).collect();
    let largest = found.iter().map(|unlike| unlike.core_s).fold(0.0, f64::max);
    let least = (largest * SMALLEST_PART).max(all / 1e3 * SMALLEST_OF_ALL);
    found.retain(|unlike| unlike.core_s > 0.0 && unlike.core_s >= least);
    found.sort_by(|one, other| other.core_s.total_cmp(&one.core_s));
    found
}

/// What keeps tasks of an attempt at a stage from free cores, by index in [`HINDRANCES`].
fn hindrance(log: &Log, tasks: &ImportedTasks, placement: &Placement, node: u32) -> Option<usize> {
    let stage = &log.stages[tasks.nodes[node as usize].stage as usize];
    if stage.is_barrier {
        return Some(0);
    }
    let has_profiles = stage.profile > 0 || placement.profiles.len() > 1;
    if has_profiles && placement.resource_profiles.is_empty() {
        return Some(1);
    }
    // Those of one of several applications are not simulated.
    let mut exclusions =
        log.exclusions.iter().filter(|exclusion| log.applications.len() > 1 && !exclusion.is_over);
    let last = tasks.last_finish(node);
    let excludes = |of: Option<u64>, at: u64| of.map_or(at < last, |of| of == stage.id);
    if exclusions.any(|exclusion| excludes(exclusion.stage, exclusion.at)) {
        return Some(2);
    }
    let waits = log.setting("spark.locality.wait").is_none_or(|wait| !wait.trim().starts_with('0'));
    let levels = tasks.nodes[node as usize].runs.iter().map(|&run| tasks.task_of_run(log, run).locality);
    // Tasks without any preference are called local to their process too.
    let (has_near, has_far) = levels.fold((false, false), |(near, far), level| {
        (near || level <= Locality::Node, far || level >= Locality::Rack || level == Locality::Node)
    });
    (waits && has_near && has_far).then_some(3)
}

/// What happens to tasks at an instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Executors(u32),
    End,
    Submission(u32),
    Launch(u32),
}

/// Core-milliseconds that were free while a task of a hindered stage waited, by hindrance.
fn idle_while_waiting(
    log: &Log,
    tasks: &ImportedTasks,
    placement: &Placement,
    places: &Places,
) -> [f64; HINDRANCES.len()] {
    let hindrance = |node: u32| (!places.are_simulated(node)).then(|| hindrance(log, tasks, placement, node));
    let hindrances: Vec<Option<usize>> =
        (0..tasks.nodes.len() as u32).map(|node| hindrance(node).flatten()).collect();
    let mut idle = [0.0; HINDRANCES.len()];
    // A retry counts as waiting from its stage's submission on.
    if hindrances.iter().all(Option::is_none) {
        return idle;
    }
    let mut changes: Vec<(u64, Change)> = Vec::new();
    changes.extend(placement.executors_at.iter().map(|&(at, count)| (at, Change::Executors(count))));
    changes.extend(
        (0..tasks.nodes.len() as u32).map(|node| (tasks.submitted(log, node), Change::Submission(node))),
    );
    changes.extend(
        tasks.runs.iter().flat_map(|run| [(run.launch, Change::Launch(run.node)), (run.finish, Change::End)]),
    );
    changes.sort_unstable();
    let mut cores = i64::from(placement.executors * placement.cores_per_executor);
    let (mut running, mut before) = (0_i64, 0);
    let mut waiting = [0_i64; HINDRANCES.len()];
    for (at, change) in changes {
        let mut free = (cores - running).max(0);
        for (idle, &waiting) in idle.iter_mut().zip(&waiting) {
            let taken = free.min(waiting.max(0));
            *idle += (taken * (at - before) as i64) as f64;
            free -= taken;
        }
        before = at;
        match change {
            Change::Executors(count) => cores = i64::from(count * placement.cores_per_executor),
            Change::End => running -= 1,
            Change::Submission(node) => {
                if let Some(hindrance) = hindrances[node as usize] {
                    waiting[hindrance] += tasks.nodes[node as usize].runs.len() as i64;
                }
            }
            Change::Launch(node) => {
                running += 1;
                if let Some(hindrance) = hindrances[node as usize] {
                    waiting[hindrance] -= 1;
                }
            }
        }
    }
    idle
}
