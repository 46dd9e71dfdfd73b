//! On which core each task ran. A log names the executor only.

mod losses;
mod presence;
mod shared_places;

use std::collections::{BTreeMap, BTreeSet};

use super::ImportError;
use super::log::Log;
use super::report::ClusterReport;
use super::tasks::{ImportedTasks, TaskAttempt};
use fairlane::scenario::Limits;

pub(super) use losses::{PlaceLoss, is_lost_with};
use losses::{is_lost, losses};
use presence::{ExecutorPresence, Period, counts, mean_cores, most_at_a_time, presences, sizes};
pub(super) use shared_places::PlaceAbsence;
use shared_places::{SharedPlaces, share_places, wanted_places};

/// The cluster, and each task's core and the end of its stay there.
pub(super) struct Placement {
    pub(super) executors: u32,
    pub(super) cores_per_executor: u32,
    /// The core of each task, by index in [`ImportedTasks::runs`].
    pub(super) core: Vec<u32>,
    /// How many executors there are from instants on, in ms since 1970; empty if all are there from start to end.
    pub(super) executors_at: Vec<(u64, u32)>,
    /// When each executor of the log was there: none where all are.
    pub(super) stays: Vec<Stay>,
    /// The losses by which executors went, if none went otherwise.
    pub(super) losses: Vec<PlaceLoss>,
    /// Memory for execution and storage of a place, in bytes: the least; 0 if the log does not say.
    pub(super) memory: u64,
    /// The resource profiles of executors, and from when on there were how many places of each, in ms since 1970.
    pub(super) profiles: BTreeMap<u32, Vec<(u64, u32)>>,
    /// The resource profile of each place; empty if stages are not kept to executors of theirs.
    pub(super) resource_profiles: Vec<u32>,
    /// Places below `executors_at` that are empty for a while, where those of several profiles come and go.
    pub(super) absences: Vec<PlaceAbsence>,
    /// Which place each executor held, and when.
    pub(super) held: Vec<Stay>,
    /// The most cores at a time of each of several applications.
    pub(super) of_applications: Vec<u32>,
}

impl Placement {
    /// When the first executor of a resource profile came, if there was none at an instant and executors have several;
    /// `None` also if none came later.
    pub(super) fn first_of_profile(&self, profile: u32, at: u64) -> Option<u64> {
        let counts = self.profiles.get(&profile).filter(|_| self.profiles.len() > 1)?;
        let next = counts.partition_point(|&(from, _)| from <= at);
        let now = next.checked_sub(1).map_or(0, |last| counts[last].1);
        let mut later = counts[next..].iter().filter(|(_, count)| *count > 0);
        if now == 0 { later.next().map(|&(from, _)| from) } else { None }
    }

    /// The places that are there in the end and of a resource profile.
    pub(super) fn lasting(&self, profile: u32) -> impl Iterator<Item = u32> + '_ {
        let wanted = self.executors_at.last().map_or(self.executors, |&(_, wanted)| wanted);
        let is_of_profile = move |place: u32| {
            self.resource_profiles.get(place as usize).is_none_or(|&of_place| of_place == profile)
        };
        let is_absent = |place: u32| {
            self.absences.iter().any(|absence| absence.place == place && absence.until.is_none())
        };
        (0..wanted).filter(move |&place| is_of_profile(place) && !is_absent(place))
    }
}

/// A place of the cluster while an executor of the log held it. Instants are milliseconds since 1970.
#[derive(Clone)]
pub(super) struct Stay {
    /// Index of the executor among the log's.
    pub(super) executor: u32,
    /// Number of the place in the scenario.
    pub(super) place: u32,
    pub(super) from: u64,
    pub(super) until: u64,
}

/// Finds the cluster of a scenario and each task's core. `start` is the first arrival.
///
/// The scenario's executors are all alike. Where those of the log are not, they become *places* of the largest size
/// that all sizes are multiples of: one of 4 cores is two places of 2, which come and go together.
///
/// # Errors
/// More cores than a scenario can have.
pub(super) fn place(
    log: &Log,
    tasks: &mut ImportedTasks,
    start: u64,
    report: &mut ClusterReport,
) -> Result<Placement, ImportError> {
    let end = tasks.runs.iter().map(|run| run.finish).max().unwrap_or(start);
    let period = Period { start, end };
    let mut present = presences(log, tasks, period, report);
    if !log.exclusions.is_empty() {
        order_by_first_tasks(log, tasks, period, &mut present);
    }
    let present = present;
    let cores_per_executor = present.iter().fold(0, |size, presence| common_size(size, presence.cores));
    check_cores(most_at_a_time(present.iter()), "at once")?;
    let is_by_profile = has_own_profiles(log, tasks, &present);
    let profile = |presence: &ExecutorPresence| log.executors[presence.executor as usize].profile;
    let group = |presence: &ExecutorPresence| if is_by_profile { profile(presence) } else { 0 };
    let SharedPlaces { places, groups } = share_places(&present, cores_per_executor, group);
    let executors = groups.len() as u32;
    check_cores(u64::from(executors) * u64::from(cores_per_executor), "of all profiles")?;
    report.executors_in_log = log.executors.iter().filter(|executor| executor.cores.is_some()).count() as u64;
    report.executors_in_log = report.executors_in_log.max(present.len() as u64);
    report.lost_executors =
        present.iter().filter(|presence| is_lost(log, tasks, presence.executor)).count() as u64;
    report.most_cores = executors * cores_per_executor;
    report.mean_cores = mean_cores(&present, period);
    report.sizes = sizes(&present);
    report.uneven = report.sizes.len() > 1;

    let core = assign_cores(log, tasks, (&present, &places), cores_per_executor);
    let memory = present.iter().map(|presence| {
        let memory = log.executors[presence.executor as usize].memory;
        memory / u64::from(presence.cores) * u64::from(cores_per_executor)
    });
    let there = counts(&present, period, executors, |presence| presence.cores / cores_per_executor);
    report.executors_at = there.iter().map(|&(at, count)| ((at - start) as f64 / 1e3, count)).collect();
    let (executors_at, absences) =
        if is_by_profile { wanted_places(&present, &places, &groups, period) } else { (there, Vec::new()) };
    let stays = present.iter().zip(&places).flat_map(|(presence, places)| {
        let ExecutorPresence { executor, from, until, .. } = *presence;
        places.iter().map(move |&place| Stay { executor, place, from, until })
    });
    let held: Vec<Stay> = stays.collect();
    let stays = if executors_at.is_empty() { Vec::new() } else { held.clone() };
    let profiles: BTreeSet<u32> = present.iter().map(profile).collect();
    let of_profile = |of: u32| {
        counts(&present, period, 0, |presence| match profile(presence) == of {
            true => presence.cores / cores_per_executor,
            false => 0,
        })
    };
    let profiles = profiles.into_iter().map(|of| (of, of_profile(of))).collect();
    let application = |presence: &ExecutorPresence| log.executors[presence.executor as usize].application;
    let of_application = |of: u32| {
        let present = present.iter().filter(|presence| application(presence) == of);
        most_at_a_time(present) as u32
    };
    let of_applications = (0..log.applications.len() as u32).map(of_application).collect();
    let losses = losses(log, tasks, (&present, &places), period);
    Ok(Placement {
        // A lost executor is away by its loss.
        absences: if losses.is_empty() { absences } else { Vec::new() },
        resource_profiles: if is_by_profile { groups } else { Vec::new() },
        held,
        losses,
        executors,
        cores_per_executor,
        core,
        executors_at,
        stays,
        memory: memory.min().unwrap_or(0),
        profiles,
        of_applications,
    })
}

/// Executors that are there from the start are offered in any order. By that of their first tasks, a task that fails
/// does so in the simulation where it did in the log.
fn order_by_first_tasks(log: &Log, tasks: &ImportedTasks, period: Period, present: &mut [ExecutorPresence]) {
    let mut first = vec![u32::MAX; log.executors.len()];
    for (index, run) in (0..).zip(&tasks.runs) {
        let first = &mut first[tasks.task(log, run).executor as usize];
        *first = index.min(*first);
    }
    present.sort_by_key(|presence| {
        let executor = presence.executor;
        (presence.from.max(period.start), first[executor as usize], executor)
    });
}

/// A scenario can have as many cores.
fn check_cores(cores: u64, which: &str) -> Result<(), ImportError> {
    let most = Limits::default().cores;
    if cores <= most {
        return Ok(());
    }
    let message = format!("{cores} cores {which} are more than the {most} that a scenario can have");
    Err(ImportError::new("executors", message))
}

/// Assigns each executor's cores by launch time: to a task that is launched goes the core freed last. If none is free
/// yet the one that will be first: Spark stamps a task's end after its core was offered again, so that task ends at the
/// launch.
fn assign_cores(
    log: &Log,
    tasks: &mut ImportedTasks,
    (present, places): (&[ExecutorPresence], &[Vec<u32>]),
    cores_per_executor: u32,
) -> Vec<u32> {
    let mut core = vec![0; tasks.runs.len()];
    let mut by_executor: Vec<Vec<u32>> = vec![Vec::new(); log.executors.len()];
    for (index, run) in (0..).zip(&tasks.runs) {
        by_executor[tasks.task(log, run).executor as usize].push(index);
    }
    for (presence, places) in present.iter().zip(places) {
        let core_of = |number: usize| {
            let (place, within) = (number / cores_per_executor as usize, number as u32 % cores_per_executor);
            places[place] * cores_per_executor + within
        };
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
                    core[index as usize] = core_of(last.len() - 1);
                    continue;
                }
                (Some((chosen, _)), _) | (None, Some((chosen, _))) => chosen,
                (None, None) => 0,
            };
            let before = &mut tasks.runs[std::mem::replace(&mut last[chosen], index) as usize];
            if before.finish > launch {
                tasks.report.shorten(before, launch);
            }
            core[index as usize] = core_of(chosen);
        }
    }
    core
}

/// The largest size that two sizes are multiples of.
fn common_size(mut one: u32, mut other: u32) -> u32 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// Whether stages are kept to executors of their resource profile: there are several, and every task ran on one of its
/// stage's. Those of several applications have nothing in common.
fn has_own_profiles(log: &Log, tasks: &ImportedTasks, present: &[ExecutorPresence]) -> bool {
    let of_executor = |executor: u32| log.executors[executor as usize].profile;
    let has_several =
        present.windows(2).any(|two| of_executor(two[0].executor) != of_executor(two[1].executor));
    let is_own = |run: &TaskAttempt| {
        let stage = tasks.nodes[run.node as usize].stage;
        log.stages[stage as usize].profile == of_executor(tasks.task(log, run).executor)
    };
    log.applications.len() <= 1 && has_several && tasks.runs.iter().all(is_own)
}
