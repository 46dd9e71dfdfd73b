//! What must hold of the attempts of one stage together: barriers, second attempts, preferences and the order in which
//! tasks that have returned are launched (docs/model.md sections 18, 20, 22 and 24).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Fault;
use crate::policy::OBSERVED;
use crate::scenario::{Cluster, Scenario, Speculation, Stage};
use crate::trace::attempts::{LaunchKind, launch_kinds};
use crate::trace::{KillReason, TaskRun, Trace};
use crate::units::{Span, Time};

/// The attempts of a stage in the order of launch.
struct StageRuns<'a> {
    scenario: &'a Scenario,
    trace: &'a Trace,
    job: u32,
    stage: u32,
    spec: &'a Stage,
    tasks: u32,
    /// Each with its index in the trace and how it came about.
    runs: Vec<Launch<'a>>,
}

/// An attempt: its index in the trace, where it ran, and what kind of launch it was.
type Launch<'a> = (u32, &'a TaskRun, LaunchKind);

/// Checks the stages one by one. `submissions` are the instants of their submission or before it, as far as known.
pub(super) fn check_stages(
    scenario: &Scenario,
    trace: &Trace,
    submissions: &HashMap<(u32, u32), Time>,
) -> Result<(), Fault> {
    let has_places = |stage: &Stage| stage.has_places(scenario.cluster());
    let kinds = launch_kinds(scenario, trace);
    if kinds.is_none() && !scenario.jobs().iter().any(|job| job.stages.iter().any(has_places)) {
        return Ok(());
    }
    let mut stages: BTreeMap<(u32, u32), Vec<Launch>> = BTreeMap::new();
    for (index, run) in (0..).zip(&trace.tasks) {
        let kind = kinds.as_ref().map_or(LaunchKind::First, |kinds| kinds[index as usize]);
        stages.entry((run.job.0, run.stage)).or_default().push((index, run, kind));
    }
    for ((job, stage), runs) in stages {
        let spec = &scenario.jobs()[job as usize].stages[stage as usize];
        let tasks = scenario.partitioning().task_count(spec, trace.policy.partitioning) as u32;
        let runs = StageRuns { scenario, trace, job, stage, spec, tasks, runs };
        // What was observed was launched within milliseconds, as Spark waits for cores.
        if trace.policy == OBSERVED {
            continue;
        }
        runs.check_limits()?;
        runs.check_barrier()?;
        runs.check_copies()?;
        runs.check_returned()?;
        if let Some(&submission) = submissions.get(&(job, stage)) {
            runs.check_preferences(submission)?;
        }
    }
    Ok(())
}

impl StageRuns<'_> {
    fn cluster(&self) -> &Cluster {
        self.scenario.cluster()
    }

    fn executor(&self, run: &TaskRun) -> u32 {
        run.core.0 / self.cluster().cores_per_executor
    }

    fn is_killed(&self, index: u32) -> bool {
        self.trace.killed.binary_search(&index).is_ok()
    }

    /// Tasks go to executors of their stage's resource profile that are not excluded then.
    fn check_limits(&self) -> Result<(), Fault> {
        let Some((_, first, _)) = self.runs.first() else { return Ok(()) };
        let (cluster, first) = (self.cluster(), first.start);
        let is_taken = |run: &TaskRun| {
            let (executor, at) = (self.executor(run), run.start);
            let of_cluster = cluster.exclusions.iter().map(|exclusion| (exclusion, Time::ZERO));
            let of_stage =
                self.spec.exclusions.iter().filter(|_| first < at).map(|exclusion| (exclusion, first));
            let is_excluded = of_cluster
                .chain(of_stage)
                .any(|(exclusion, start)| exclusion.executor == executor && exclusion.covers(start, at));
            cluster.resource_profile(executor) == self.spec.resource_profile && !is_excluded
        };
        match self.runs.iter().find(|(_, run, _)| !is_taken(run)) {
            Some((_, run, _)) => Err(Fault::NotTaken { job: self.job, stage: self.stage, task: run.task }),
            None => Ok(()),
        }
    }

    /// The tasks of a barrier stage start together, all or none, and no attempt outlasts one that is lost.
    fn check_barrier(&self) -> Result<(), Fault> {
        if !self.spec.barrier {
            return Ok(());
        }
        let job_end = self.trace.jobs[self.job as usize].end();
        for together in self.runs.chunks(self.tasks as usize) {
            let (_, first, _) = together[0];
            let tasks: HashSet<u32> = together.iter().map(|(_, run, _)| run.task).collect();
            let starts_apart = together.iter().any(|(_, run, _)| run.start != first.start);
            let lost = together.iter().filter(|(index, run, _)| {
                self.trace.kill_reason(*index) == Some(KillReason::Lost) && run.end < job_end
            });
            let lost: Option<Time> = lost.map(|(_, run, _)| run.end).min();
            let goes_on = lost.is_some_and(|lost| together.iter().any(|(_, run, _)| run.end > lost));
            if starts_apart || tasks.len() != self.tasks as usize || goes_on {
                return Err(Fault::NotTogether { job: self.job, stage: self.stage });
            }
        }
        Ok(())
    }

    /// Only a task whose only attempt is slow has a second one, on an executor that is new to it.
    fn check_copies(&self) -> Result<(), Fault> {
        let copies = self.runs.iter().enumerate().filter(|(_, (.., kind))| *kind == LaunchKind::Copy);
        for (place, (_, run, _)) in copies {
            let before = self.runs[..place].iter().filter(|(_, other, _)| other.task == run.task);
            // A copy may be launched at the very instant at which it is overtaken.
            let is_empty = run.start == run.end;
            let mut at_once = before
                .clone()
                .filter(|(_, other, _)| run.start < other.end || is_empty && run.start == other.end);
            let is_new = before.clone().all(|(_, other, _)| self.executor(other) != self.executor(run));
            let is_slow = match (at_once.next(), at_once.next(), &self.cluster().speculation) {
                (Some((_, first, _)), None, Some(rules)) => self.was_slow(first, run.start, rules),
                _ => false,
            };
            if self.spec.barrier || !is_new || !is_slow {
                let (job, stage, task) = (self.job, self.stage, run.task);
                return Err(Fault::NotSlow { job, stage, task });
            }
        }
        Ok(())
    }

    /// Whether at some look until an instant an attempt had run for long enough to be marked. The bound only changes
    /// when an attempt ends; before that the last look is the most likely one.
    fn was_slow(&self, attempt: &TaskRun, until: Time, rules: &Speculation) -> bool {
        let ended = self.runs.iter().filter(|(index, ..)| !self.is_killed(*index));
        let mut ends: Vec<(Time, Span)> =
            ended.map(|(_, run, _)| (run.end, run.end.since(run.start))).collect();
        ends.sort_unstable();
        let changes = ends.iter().map(|(end, _)| Time(end.0.saturating_sub(1))).filter(|&at| at < until);
        changes.chain([until]).any(|at| {
            let look = Time(at.0 - at.0 % rules.interval.0);
            let known = ends.partition_point(|(end, _)| *end <= look);
            let least = ((rules.quantile * f64::from(self.tasks)).floor() as usize).max(1);
            let mut lengths: Vec<Span> = ends[..known].iter().map(|(_, length)| *length).collect();
            lengths.sort_unstable();
            let Some(median) = lengths.get(lengths.len() / 2) else { return false };
            let longest = (rules.multiplier * median.0 as f64).max(rules.min.0 as f64);
            self.tasks >= 2 && known >= least && look.since(attempt.start).0 as f64 > longest
        })
    }

    /// A task that has returned is launched before those that had not been launched, where no task prefers a place.
    fn check_returned(&self) -> Result<(), Fault> {
        if self.spec.has_preferences() {
            return Ok(());
        }
        for (place, (index, run, _)) in self.runs.iter().enumerate() {
            let returns =
                matches!(self.trace.kill_reason(*index), Some(KillReason::Lost | KillReason::Preempted));
            let of_task = |(_, other, _): &&(u32, &TaskRun, LaunchKind)| other.task == run.task;
            let mut others = self.runs.iter().filter(of_task).filter(|(other, ..)| other != index);
            if !returns || others.any(|(_, other, _)| other.start <= run.end && run.end <= other.end) {
                continue;
            }
            let is_again = |(_, other, _): &(u32, &TaskRun, LaunchKind)| {
                other.task == run.task && other.start >= run.end
            };
            let after = &self.runs[place + 1..];
            let again = after.iter().position(is_again).unwrap_or(after.len());
            let is_early = |(_, other, kind): &&(u32, &TaskRun, LaunchKind)| {
                *kind == LaunchKind::First && other.start > run.end
            };
            if let Some((_, early, _)) = after[..again].iter().find(is_early) {
                return Err(Fault::OutOfTurn { job: self.job, stage: self.stage, task: early.task });
            }
        }
        Ok(())
    }

    /// The first task that goes elsewhere than it prefers does so once the stage has waited since its submission, where
    /// all executors are there all the time.
    fn check_preferences(&self, submission: Time) -> Result<(), Fault> {
        let Cluster { executors_at, dynamic_allocation, losses, preemption, locality_wait, .. } =
            self.cluster();
        if !executors_at.is_empty() || dynamic_allocation.is_some() || !losses.is_empty() {
            return Ok(());
        }
        let is_away = |run: &TaskRun| {
            let preferred = self.spec.preferred_by(run.task, self.tasks);
            !preferred.is_empty() && !preferred.contains(&self.executor(run))
        };
        // What is launched for a party that starves does not wait.
        let is_free = |run: &TaskRun| {
            preemption.as_ref().is_some_and(|rules| run.start.0.is_multiple_of(rules.interval.0))
        };
        let mut launches = self.runs.iter().filter(|(.., kind)| *kind != LaunchKind::Copy);
        match launches.find(|(_, run, _)| is_away(run)) {
            Some((_, run, _)) if run.start < submission + *locality_wait && !is_free(run) => {
                Err(Fault::NotPreferred { job: self.job, stage: self.stage, task: run.task })
            }
            _ => Ok(()),
        }
    }
}
