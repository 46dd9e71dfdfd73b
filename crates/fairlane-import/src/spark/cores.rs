//! On which core each task ran. A log names the executor only.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::ImportError;
use super::allocation;
use super::executor_slots::Slots;
use super::log::Log;
use super::record::{LogTask, TaskEnd};
use super::report::{ClusterReport, SizeReport};
use super::tasks::{ImportedTasks, TaskAttempt};
use fairlane::scenario::{Exclusion, Limits};
use fairlane::units::{Span, Time};

/// Milliseconds by which a task's end may be stamped too late, when cores have to be guessed from tasks.
const LATE_STAMP_MS: u64 = 30;
/// Milliseconds between the end of a lost executor's tasks and its own.
const LATE_LOSS_MS: u64 = 1000;

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

/// A place of the cluster that no executor holds while higher ones are held. Instants are milliseconds since 1970.
pub(super) struct PlaceAbsence {
    place: u32,
    from: u64,
    /// `None` to the end.
    until: Option<u64>,
}

impl PlaceAbsence {
    /// It takes no tasks meanwhile. `time` is an instant of the log as one of the scenario.
    pub(super) fn exclusion(&self, time: &dyn Fn(u64) -> Time) -> Exclusion {
        let from = time(self.from);
        let lasts = self.until.map(|until| time(until).since(from));
        Exclusion { executor: self.place, from: Span(from.0), lasts }
    }
}

/// A place of the cluster is lost with its executor. Instants are milliseconds since 1970.
pub(super) struct PlaceLoss {
    /// By number in the scenario.
    pub(super) place: u32,
    /// By index in the log's executors.
    executor: u32,
    pub(super) at: u64,
    /// When another executor takes it.
    pub(super) back: Option<u64>,
}

/// A place of the cluster while an executor of the log held it. Instants are milliseconds since 1970.
#[derive(Clone)]
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

/// From the first arrival to the end of the last task, in ms since 1970: executors that came later or had gone before
/// are none of the scenario.
#[derive(Clone, Copy)]
struct Period {
    start: u64,
    end: u64,
}

/// Assigns each executor's cores by launch time: to a task that is launched goes the core freed last. If none is free
/// yet the one that will be first: Spark stamps a task's end after its core was offered again, so that task ends at the
/// launch. `start` is the first arrival.
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
        // Executors that are there from the start are offered in any order. By that of their first tasks a task that
        // fails does so in the simulation where it did in the log.
        let mut first = vec![u32::MAX; log.executors.len()];
        for (index, run) in (0..).zip(&tasks.runs) {
            let first = &mut first[tasks.task(log, run).executor as usize];
            *first = index.min(*first);
        }
        present.sort_by_key(|presence| {
            let executor = presence.executor;
            (presence.from.max(start), first[executor as usize], executor)
        });
    }
    let present = present;
    let cores_per_executor = present.iter().fold(0, |size, presence| common_size(size, presence.cores));
    let total = most_at_a_time(present.iter());
    let most = Limits::default().cores;
    if total > most {
        let message = format!("{total} cores at once are more than the {most} that a scenario can have");
        return Err(ImportError::new("executors", message));
    }
    let is_by_profile = has_own_profiles(log, tasks, &present);
    let of_presence = |presence: &ExecutorPresence| log.executors[presence.executor as usize].profile;
    let group = |presence: &ExecutorPresence| if is_by_profile { of_presence(presence) } else { 0 };
    let SharedPlaces { places, groups } = share_places(&present, cores_per_executor, group);
    let executors = groups.len() as u32;
    let total = u64::from(executors) * u64::from(cores_per_executor);
    if total > most {
        let message =
            format!("{total} cores of all profiles are more than the {most} that a scenario can have");
        return Err(ImportError::new("executors", message));
    }
    report.executors_in_log = log.executors.iter().filter(|executor| executor.cores.is_some()).count() as u64;
    report.executors_in_log = report.executors_in_log.max(present.len() as u64);
    report.lost_executors =
        present.iter().filter(|presence| is_lost(log, tasks, presence.executor)).count() as u64;
    report.most_cores = executors * cores_per_executor;
    report.mean_cores = mean_cores(&present, period);
    report.sizes = sizes(&present);
    report.uneven = report.sizes.len() > 1;

    let mut core = vec![0; tasks.runs.len()];
    let mut by_executor: Vec<Vec<u32>> = vec![Vec::new(); log.executors.len()];
    for (index, run) in (0..).zip(&tasks.runs) {
        by_executor[tasks.task(log, run).executor as usize].push(index);
    }
    for (presence, places) in present.iter().zip(&places) {
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
    let profiles: BTreeSet<u32> = present.iter().map(of_presence).collect();
    let of_profile = |of: u32| {
        counts(&present, period, 0, |presence| match of_presence(presence) == of {
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

/// The executors that ran tasks or were announced, with their cores for tasks, by when they came.
fn presences(
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

/// The losses by which executors of a log went: none if any came or went otherwise, such as by dynamic allocation, if
/// none is left, or if a stage was tried again, because it failed to fetch what was lost.
fn losses(
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
    pub(super) fn loses(&self, log: &Log, tasks: &ImportedTasks, run: u32, launch: u64) -> bool {
        let executor = tasks.task_of_run(log, run).executor;
        let finish = tasks.runs[run as usize].finish;
        let mut losses = self.losses.iter().filter(|loss| loss.executor == executor);
        losses.any(|loss| finish <= loss.at && loss.at <= launch)
    }
}

/// Whether a failed attempt was lost with its executor, where losses are simulated.
pub(super) fn is_lost_with(placement: &Placement, task: &LogTask) -> bool {
    let mut losses = placement.losses.iter().filter(|loss| loss.executor == task.executor);
    losses.any(|loss| task.finish.abs_diff(loss.at) <= LATE_LOSS_MS)
}

/// Whether an executor went while tasks ran on it: Spark says then that they failed.
fn is_lost(log: &Log, tasks: &ImportedTasks, executor: u32) -> bool {
    let Some(removed) = log.executors[executor as usize].removed else { return false };
    tasks.runs.iter().any(|run| {
        let task = tasks.task(log, run);
        task.executor == executor
            && task.end == TaskEnd::Failed
            && task.finish.abs_diff(removed) <= LATE_LOSS_MS
    })
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

/// The largest size that two sizes are multiples of.
fn common_size(mut one: u32, mut other: u32) -> u32 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// Most cores at a time.
fn most_at_a_time<'a>(present: impl Iterator<Item = &'a ExecutorPresence>) -> u64 {
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

/// The places of the cluster.
struct SharedPlaces {
    /// Those of each executor.
    places: Vec<Vec<u32>>,
    /// The group of each place.
    groups: Vec<u32>,
}

/// As few places as were held at once by executors of each group, those of the group that comes first before others: each
/// executor has the lowest that are free when it comes.
fn share_places(
    present: &[ExecutorPresence],
    size: u32,
    group: impl Fn(&ExecutorPresence) -> u32,
) -> SharedPlaces {
    let mut shared = SharedPlaces { places: vec![Vec::new(); present.len()], groups: Vec::new() };
    let mut seen = BTreeSet::new();
    for of in present.iter().map(&group).filter(|&of| seen.insert(of)) {
        let (mut free, mut count) = (BTreeSet::new(), shared.groups.len() as u32);
        let mut leaving: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        for (index, presence) in present.iter().enumerate().filter(|(_, presence)| group(presence) == of) {
            while let Some(&Reverse((_, gone))) = leaving.peek().filter(|next| next.0.0 <= presence.from) {
                leaving.pop();
                free.extend(&shared.places[gone]);
            }
            let mut next = || {
                free.pop_first().unwrap_or_else(|| {
                    count += 1;
                    count - 1
                })
            };
            shared.places[index] = (0..presence.cores / size).map(|_| next()).collect();
            leaving.push(Reverse((presence.until, index)));
        }
        shared.groups.resize(count as usize, of);
    }
    shared
}

/// How many of the lowest places hold all executors that take tasks, from instants on, and which of these are empty
/// meanwhile. The executors of a group that go last stay, so that what runs later in another schedule may use them.
fn wanted_places(
    present: &[ExecutorPresence],
    places: &[Vec<u32>],
    groups: &[u32],
    period: Period,
) -> (Vec<(u64, u32)>, Vec<PlaceAbsence>) {
    let of_group = |places: &[u32]| places.first().map_or(0, |&place| groups[place as usize]);
    let mut last: BTreeMap<u32, u64> = BTreeMap::new();
    for (presence, places) in present.iter().zip(places) {
        let last = last.entry(of_group(places)).or_default();
        *last = presence.takes_tasks_until.max(*last);
    }
    // At one instant places are left before others are taken.
    let mut changes: BTreeMap<u64, BTreeSet<(bool, u32)>> = BTreeMap::from([(period.start, BTreeSet::new())]);
    for (presence, places) in present.iter().zip(places) {
        let (from, until) = (presence.from.max(period.start), presence.takes_tasks_until);
        let stays = until >= period.end || until == last[&of_group(places)];
        if !stays && until <= from {
            continue;
        }
        for &place in places {
            changes.entry(from).or_default().insert((true, place));
            if !stays {
                changes.entry(until).or_default().insert((false, place));
            }
        }
    }
    let mut is_held = vec![false; groups.len()];
    let mut empty_since: Vec<Option<u64>> = vec![None; groups.len()];
    let (mut executors_at, mut before) = (Vec::new(), groups.len());
    let mut absences = Vec::new();
    for (at, changes) in changes.into_iter().filter(|&(at, _)| at < period.end) {
        changes.into_iter().for_each(|(comes, place)| is_held[place as usize] = comes);
        let wanted = is_held.iter().rposition(|&held| held).map_or(0, |last| last + 1);
        if wanted != before {
            executors_at.push((at, wanted as u32));
            before = wanted;
        }
        for (place, since) in (0..).zip(&mut empty_since) {
            let is_empty = (place as usize) < wanted && !is_held[place as usize];
            match *since {
                None if is_empty => *since = Some(at),
                Some(from) if !is_empty => {
                    absences.push(PlaceAbsence { place, from, until: Some(at) });
                    *since = None;
                }
                _ => {}
            }
        }
    }
    let open = (0..).zip(empty_since).filter_map(|(place, since)| Some((place, since?)));
    absences.extend(open.map(|(place, from)| PlaceAbsence { place, from, until: None }));
    (executors_at, absences)
}

/// How many executors take tasks from instants on, each counted by its weight, until the last task ends; empty if it is
/// always `usual`.
fn counts(
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
fn sizes(present: &[ExecutorPresence]) -> Vec<SizeReport> {
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    present.iter().for_each(|presence| *sizes.entry(presence.cores).or_default() += 1);
    sizes.into_iter().rev().map(|(cores, executors)| SizeReport { cores, executors }).collect()
}

/// Mean number of cores from the first arrival to the last task's end.
fn mean_cores(present: &[ExecutorPresence], Period { start, end }: Period) -> f64 {
    let held = present.iter().map(|presence| {
        let (from, until) = (presence.from.clamp(start, end), presence.until.clamp(start, end));
        f64::from(presence.cores) * (until - from) as f64
    });
    held.sum::<f64>() / (end - start).max(1) as f64
}
