//! Which executors take tasks of which stages (docs/model.md section 29): those of a stage's resource profile that are
//! not excluded after failures.

use std::collections::{BTreeMap, BTreeSet};

use super::allocation;
use super::cores::{Placement, Stay};
use super::log::Log;
use super::places::Places;
use super::record::{self, TaskEnd};
use super::report::SimulatedReport;
use super::schedule::JobSchedule;
use super::tasks::ImportedTasks;
use fairlane::scenario::{Cluster, Exclusion, Stage};
use fairlane::units::{Span, Time};

/// `spark.excludeOnFailure.timeout`, unless a log has it.
const TIMEOUT: Span = Span(3_600_000_000);

/// What the scenario's cluster and its stages have of it.
pub(super) struct Limits {
    /// The cluster's.
    exclusions: Vec<Exclusion>,
    /// Resource profiles, by index in [`ImportedTasks::nodes`].
    profiles: Vec<u32>,
    of_stages: BTreeMap<u32, Vec<Exclusion>>,
}

/// What exclusions are found by.
struct Known<'a> {
    log: &'a Log,
    tasks: &'a ImportedTasks,
    placement: &'a Placement,
    schedule: &'a JobSchedule,
    /// The stays of each executor of the log.
    stays: BTreeMap<u32, Vec<&'a Stay>>,
    /// The executors on each host.
    hosts: BTreeMap<&'a str, Vec<u32>>,
}

impl Limits {
    /// Those of a log. An executor takes no more tasks of a stage from its failure there on, and of any from the event on
    /// until the one that ends it, or the time-out.
    ///
    /// Exclusions of one of several applications are none of the others', and so are left out.
    pub(super) fn new(
        log: &Log,
        tasks: &ImportedTasks,
        placement: &Placement,
        schedule: &JobSchedule,
        places: &Places,
        report: &mut SimulatedReport,
    ) -> Limits {
        let profile = |stage: u32| match placement.resource_profiles.is_empty() {
            true => 0,
            false => log.stages[stage as usize].profile,
        };
        let profiles = tasks.nodes.iter().map(|node| profile(node.stage)).collect();
        let mut limits = Limits { exclusions: Vec::new(), profiles, of_stages: BTreeMap::new() };
        if !placement.resource_profiles.is_empty() {
            report.profile_stages = tasks.nodes.len() as u64;
            limits.exclusions =
                placement.absences.iter().map(|absence| absence.exclusion(|at| schedule.time(at))).collect();
        }
        if log.exclusions.is_empty() || log.applications.len() > 1 {
            return limits;
        }
        let known = Known::new(log, tasks, placement, schedule);
        let mut excluded = BTreeSet::new();
        limits.exclusions.extend(known.of_cluster(&mut excluded));
        let mut of_attempts: BTreeMap<(u64, u32), Vec<&record::Exclusion>> = BTreeMap::new();
        for exclusion in log.exclusions.iter().filter(|exclusion| !exclusion.is_over) {
            if let Some(stage) = exclusion.stage {
                of_attempts.entry((stage, exclusion.attempt)).or_default().push(exclusion);
            }
        }
        for (node, attempt) in (0..).zip(&tasks.nodes) {
            let id = log.stages[attempt.stage as usize].id;
            // A barrier stage starts over after a failure.
            if let Some(of_attempt) = of_attempts.get(&(id, attempt.attempt))
                && !places.is_barrier(node)
            {
                let profile = limits.profiles[node as usize];
                let found = known.of_stage(node, of_attempt, profile, &mut excluded);
                limits.of_stages.insert(node, found);
            }
        }
        report.excluded_executors = excluded.len() as u64;
        limits
    }

    /// Sets what the cluster has of it.
    pub(super) fn apply_to_cluster(&self, placement: &Placement, cluster: &mut Cluster) {
        cluster.resource_profiles.clone_from(&placement.resource_profiles);
        cluster.exclusions.clone_from(&self.exclusions);
    }

    /// Sets what a stage of the scenario has of it.
    pub(super) fn apply(&self, node: u32, stage: &mut Stage) {
        stage.resource_profile = self.profiles[node as usize];
        stage.exclusions = self.of_stages.get(&node).cloned().unwrap_or_default();
    }
}

impl<'a> Known<'a> {
    fn new(
        log: &'a Log,
        tasks: &'a ImportedTasks,
        placement: &'a Placement,
        schedule: &'a JobSchedule,
    ) -> Known<'a> {
        let mut stays: BTreeMap<u32, Vec<&Stay>> = BTreeMap::new();
        for stay in &placement.held {
            stays.entry(stay.executor).or_default().push(stay);
        }
        let mut hosts: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for &executor in stays.keys() {
            hosts.entry(&log.executors[executor as usize].host).or_default().push(executor);
        }
        Known { log, tasks, placement, schedule, stays, hosts }
    }

    /// The executors that an exclusion is of.
    fn executors(&self, exclusion: &record::Exclusion) -> Vec<u32> {
        match exclusion.executor {
            Some(executor) => vec![executor],
            None => self.hosts.get(&*exclusion.host).cloned().unwrap_or_default(),
        }
    }

    /// When an executor leaves its place to another one, if it does.
    fn left(&self, stay: &Stay) -> Option<u64> {
        let is_next = |other: &&Stay| other.place == stay.place && other.from >= stay.until;
        self.placement.held.iter().any(|other| is_next(&other)).then_some(stay.until)
    }

    /// Those of the cluster.
    fn of_cluster(&self, excluded: &mut BTreeSet<u32>) -> Vec<Exclusion> {
        let timeout = ["spark.excludeOnFailure.timeout", "spark.blacklist.timeout"];
        let timeout = timeout.into_iter().find_map(|name| self.log.setting(name));
        let timeout = timeout.and_then(allocation::span).unwrap_or(TIMEOUT).0 / 1000;
        let of_all = || self.log.exclusions.iter().filter(|exclusion| exclusion.stage.is_none());
        let mut found = Vec::new();
        for exclusion in of_all().filter(|exclusion| !exclusion.is_over) {
            let is_end = |other: &&record::Exclusion| {
                let of_same = (other.executor, &other.host) == (exclusion.executor, &exclusion.host);
                other.is_over && of_same && other.at >= exclusion.at
            };
            let until = of_all().find(is_end).map_or(exclusion.at.saturating_add(timeout), |end| end.at);
            for executor in self.executors(exclusion) {
                for stay in self.stays.get(&executor).into_iter().flatten() {
                    let until = self.left(stay).map_or(until, |left| until.min(left));
                    let [from, until] = [exclusion.at.max(stay.from), until].map(|at| self.schedule.time(at));
                    if from < until {
                        let lasts = Some(until.since(from));
                        push(&mut found, Exclusion { executor: stay.place, from: Span(from.0), lasts });
                        excluded.insert(executor);
                    }
                }
            }
        }
        found
    }

    /// Those of an attempt at a stage.
    fn of_stage(
        &self,
        node: u32,
        exclusions: &[&record::Exclusion],
        profile: u32,
        excluded: &mut BTreeSet<u32>,
    ) -> Vec<Exclusion> {
        let runs = &self.tasks.nodes[node as usize].runs;
        let ends = || runs.iter().map(|&run| self.schedule.ends[run as usize]);
        let first =
            Time(runs.iter().map(|&run| self.schedule.starts[run as usize]).min().unwrap_or_default());
        let mut found = Vec::new();
        for exclusion in exclusions {
            let executors = self.executors(exclusion);
            // Spark excludes it as it learns of the failure, before it offers the core again.
            let failure = runs.iter().rev().copied().find(|&run| {
                let task = self.tasks.task_of_run(self.log, run);
                let finish = self.tasks.runs[run as usize].finish;
                task.end == TaskEnd::Failed && executors.contains(&task.executor) && finish <= exclusion.at
            });
            let from = failure
                .map_or(self.schedule.time(exclusion.at), |run| Time(self.schedule.ends[run as usize]));
            for executor in executors {
                for stay in self.stays.get(&executor).into_iter().flatten() {
                    let from = from.max(self.schedule.time(stay.from)).max(first);
                    let left = self.left(stay).map(|at| self.schedule.time(at));
                    if left.is_none_or(|left| from < left) {
                        let lasts = left.map(|left| left.since(from));
                        push(&mut found, Exclusion { executor: stay.place, from: from.since(first), lasts });
                        excluded.insert(executor);
                    }
                }
            }
        }
        // Where none is left, Spark gives the stage up; here it goes on once it had ended.
        let for_ever: BTreeSet<u32> =
            found.iter().filter(|exclusion| exclusion.lasts.is_none()).map(|one| one.executor).collect();
        if self.placement.lasting(profile).all(|place| for_ever.contains(&place)) {
            let end = Time(ends().max().unwrap_or_default());
            for exclusion in &mut found {
                exclusion.lasts.get_or_insert(Span(end.since(first).0.saturating_sub(exclusion.from.0)));
            }
        }
        found
    }
}

/// Adds an exclusion, unless another one that began before lasts as long.
fn push(found: &mut Vec<Exclusion>, exclusion: Exclusion) {
    let covers = |other: &Exclusion| {
        other.executor == exclusion.executor
            && other.from <= exclusion.from
            && match (other.end(Time::ZERO), exclusion.end(Time::ZERO)) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(other), Some(end)) => end <= other,
            }
    };
    if !found.iter().any(covers) {
        found.push(exclusion);
    }
}
