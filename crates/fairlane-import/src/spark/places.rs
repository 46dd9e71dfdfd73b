//! What of attempts and places (docs/model.md, sections 18 to 27) is simulated of a log: stages whose tasks start
//! together, jobs that were cancelled, and tasks that waited for a core near their data.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::repeat_n;

use super::allocation;
use super::attempts::Attempts;
use super::cores::Placement;
use super::jobs::{ImportJob, JobEnd};
use super::log::Log;
use super::record::{Locality, StageEnd, TaskEnd};
use super::report::SimulatedReport;
use super::tasks::ImportedTasks;
use fairlane::scenario::{Cluster, Job, Stage};
use fairlane::units::{Span, Time};

/// What the scenario's stages have of it, by index in [`ImportedTasks::nodes`].
pub(super) struct Places {
    barrier: Vec<bool>,
    /// The executors that each task prefers, in the order of launch; empty for a stage that did not wait for any.
    prefers: Vec<Vec<Vec<u32>>>,
    /// How long a task would have run that was killed with its job, by index in [`ImportedTasks::runs`].
    killed: BTreeMap<u32, u64>,
    /// How long each task of a cancelled stage would have run that was never launched, in µs, and how many there are.
    discarded: Vec<(u64, usize)>,
}

impl Places {
    /// Those of a log. `durations` are those of its tasks in µs, by index in [`ImportedTasks::runs`].
    pub(super) fn new(
        log: &Log,
        tasks: &ImportedTasks,
        jobs: &[ImportJob],
        placement: &Placement,
        durations: &[u64],
        attempts: &Attempts,
        report: &mut SimulatedReport,
    ) -> Places {
        let nodes = 0..tasks.nodes.len() as u32;
        let barrier: Vec<bool> = nodes.clone().map(|node| is_barrier(log, tasks, placement, node)).collect();
        let hosts = Hosts::new(log, tasks, placement);
        let prefers: Vec<Vec<Vec<u32>>> =
            nodes.map(|node| hosts.preferred(log, tasks, placement, attempts.of(node))).collect();
        let mut places =
            Places { barrier, prefers, killed: BTreeMap::new(), discarded: vec![(0, 0); tasks.nodes.len()] };
        let mut room = MAX_DISCARDED;
        for job in jobs.iter().filter(|job| job.end.cancelled_at().is_some()) {
            places.complete(log, tasks, job, durations, &mut room);
            report.cancelled_jobs += 1;
            report.interrupted_jobs += u64::from(matches!(job.end, JobEnd::Interrupted(_)));
        }
        report.barrier_stages = places.barrier.iter().filter(|barrier| **barrier).count() as u64;
        report.local_stages = places.prefers.iter().filter(|entries| !entries.is_empty()).count() as u64;
        report.discarded_tasks = places.discarded.iter().map(|&(_, count)| count as u64).sum();
        places
    }

    /// Whether nothing but the order of launches keeps a stage's tasks from free cores any longer.
    pub(super) fn are_simulated(&self, node: u32) -> bool {
        self.barrier[node as usize] || !self.prefers[node as usize].is_empty()
    }

    /// Whether a stage's tasks start together.
    pub(super) fn is_barrier(&self, node: u32) -> bool {
        self.barrier[node as usize]
    }

    /// How long a task runs in the scenario if nothing ends it, in µs.
    pub(super) fn duration(&self, run: u32, measured: u64) -> u64 {
        self.killed.get(&run).copied().unwrap_or(measured)
    }

    /// How long tasks would have run that were never launched, in µs.
    pub(super) fn discarded(&self, node: u32) -> impl Iterator<Item = u64> + Clone + use<> {
        let (lasts, count) = self.discarded[node as usize];
        repeat_n(lasts, count)
    }

    /// Sets what a stage of the scenario has of it.
    pub(super) fn apply(&self, node: u32, stage: &mut Stage) {
        stage.barrier = self.barrier[node as usize];
        stage.splittable &= !stage.barrier;
        stage.prefers.clone_from(&self.prefers[node as usize]);
        // Those that were never launched prefer nothing.
        if !stage.prefers.is_empty() {
            stage.prefers.resize(stage.partitions as usize, Vec::new());
        }
    }

    /// Guesses how long the tasks of a cancelled job would have run: one that was killed, as long as the longest of its
    /// stage that ended, or twice as long as it ran; one that was never launched, as long as the median of its stage.
    /// The latter are at most as many as there is room for.
    fn complete(
        &mut self,
        log: &Log,
        tasks: &ImportedTasks,
        job: &ImportJob,
        durations: &[u64],
        room: &mut usize,
    ) {
        for &node in &job.nodes {
            let known = &tasks.nodes[node as usize];
            let is_killed =
                |run: &&u32| job.end.interrupts() && tasks.task_of_run(log, **run).end == TaskEnd::Killed;
            let ended = known.runs.iter().filter(|run| !is_killed(run)).map(|&run| durations[run as usize]);
            let longest = ended.max().unwrap_or(0);
            for &run in known.runs.iter().filter(is_killed) {
                let ran = durations[run as usize];
                let lasts = if longest > ran { longest } else { ran.max(1).saturating_mul(2) };
                self.killed.insert(run, lasts);
            }
            let attempt = log.stages[known.stage as usize].attempts.iter();
            let attempt = attempt.filter(|attempt| attempt.end == StageEnd::Cancelled);
            let Some(listed) =
                attempt.filter(|other| other.number == known.attempt).map(|one| one.tasks).next()
            else {
                continue;
            };
            let launched: BTreeSet<u32> =
                known.runs.iter().map(|&run| tasks.task_of_run(log, run).index).collect();
            let mut lengths: Vec<u64> =
                known.runs.iter().map(|&run| self.duration(run, durations[run as usize])).collect();
            lengths.sort_unstable();
            let missing = (listed as usize).saturating_sub(launched.len()).min(*room);
            *room -= missing;
            self.discarded[node as usize] = (lengths[lengths.len() / 2], missing);
        }
    }
}

/// Most tasks of a log that never ran and are imported nevertheless: what it says of their number may be wrong.
const MAX_DISCARDED: usize = 100_000;

/// Whether a stage's tasks start together in the simulation too: they did in the log, each once, and they fit into the
/// executors that there are in the end.
fn is_barrier(log: &Log, tasks: &ImportedTasks, placement: &Placement, node: u32) -> bool {
    let known = &tasks.nodes[node as usize];
    let lasting = placement.lasting(log.stages[known.stage as usize].profile).count() as u64;
    let once = || {
        let indices: BTreeSet<u32> =
            known.runs.iter().map(|&run| tasks.task_of_run(log, run).index).collect();
        indices.len() == known.runs.len()
    };
    log.stages[known.stage as usize].is_barrier
        && known.runs.len() as u64 <= lasting * u64::from(placement.cores_per_executor)
        && once()
}

/// The places of the scenario's cluster by the host that they are on.
struct Hosts(BTreeMap<Box<str>, BTreeSet<u32>>);

impl Hosts {
    fn new(log: &Log, tasks: &ImportedTasks, placement: &Placement) -> Hosts {
        let mut hosts: BTreeMap<Box<str>, BTreeSet<u32>> = BTreeMap::new();
        for (run, &core) in tasks.runs.iter().zip(&placement.core) {
            let host = &*log.executors[tasks.task(log, run).executor as usize].host;
            let place = core / placement.cores_per_executor;
            match hosts.get_mut(host) {
                Some(places) => _ = places.insert(place),
                None => _ = hosts.insert(host.into(), BTreeSet::from([place])),
            }
        }
        Hosts(hosts)
    }

    /// The executors that each task of a stage prefers, each given by the attempt that it has its length from. Known where some tasks ran
    /// on the host of their data and others had to go elsewhere: those prefer the hosts of the former. Nothing is known
    /// where executors come and go, or where all tasks ran near or all far.
    fn preferred(
        &self,
        log: &Log,
        tasks: &ImportedTasks,
        placement: &Placement,
        runs: &[u32],
    ) -> Vec<Vec<u32>> {
        if !placement.executors_at.is_empty() || self.0.len() < 2 || waits(log) == Some(Span(0)) {
            return Vec::new();
        }
        let near = |run: u32| tasks.task_of_run(log, run).locality == Locality::Node;
        let far = |run: u32| tasks.task_of_run(log, run).locality >= Locality::Rack;
        let is_known = |&run: &u32| near(run) || far(run);
        if !runs.iter().all(is_known)
            || !runs.iter().any(|&run| near(run))
            || !runs.iter().any(|&run| far(run))
        {
            return Vec::new();
        }
        let of_host = |run: u32| {
            let executor = tasks.task_of_run(log, run).executor;
            self.0.get(&*log.executors[executor as usize].host).into_iter().flatten().copied()
        };
        let any: BTreeSet<u32> =
            runs.iter().filter(|&&run| near(run)).flat_map(|&run| of_host(run)).collect();
        let entry = |&run: &u32| match near(run) {
            true => of_host(run).collect(),
            false => any.iter().copied().collect(),
        };
        runs.iter().map(entry).collect()
    }
}

/// How long tasks wait for a core on the host of their data, if the log says.
fn waits(log: &Log) -> Option<Span> {
    let setting = log.setting("spark.locality.wait.node").or_else(|| log.setting("spark.locality.wait"));
    setting.and_then(allocation::span)
}

/// Sets the cluster's wait for preferred executors, if any stage has some.
pub(super) fn set_wait(log: &Log, cluster: &mut Cluster) {
    cluster.locality_wait = waits(log).unwrap_or(cluster.locality_wait);
}

/// Sets when a job of the scenario is cancelled.
pub(super) fn cancel(job: &mut Job, end: JobEnd, time: impl Fn(u64) -> Time) {
    if let Some(at) = end.cancelled_at() {
        let at = time(at).max(job.arrival);
        (job.cancel, job.interrupt) = (Some(at.since(job.arrival)), end.interrupts());
    }
}

impl JobEnd {
    /// When a job was cancelled, or failed while tasks of it went on, in ms since 1970.
    pub(super) fn cancelled_at(self) -> Option<u64> {
        match self {
            JobEnd::Stopped(at) | JobEnd::Interrupted(at) => Some(at),
            _ => None,
        }
    }

    /// Whether a cancellation ended the job's attempts.
    pub(super) fn interrupts(self) -> bool {
        matches!(self, JobEnd::Interrupted(_))
    }
}
