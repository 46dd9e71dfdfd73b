//! Which stages wait for which.
//!
//! Within a job of Spark by its stages' parents. A parent that was skipped is replaced by the stage that computed its
//! shuffle, which has the same first RDD, or else by its own parents. Between the jobs of an SQL execution by time: a
//! job submitted after another one had returned its result waited for it, as for a broadcast, a subquery or the sample
//! of a sort. Jobs that only write a shuffle are found by its RDD and not by time.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::jobs::ImportJob;
use super::log::Log;
use super::report::StagesReport;
use super::tasks::ImportedTasks;

/// Milliseconds by which a stage's last task may seem to end after the next stage began: a task's end is stamped after
/// its core was offered again.
const LATE_STAMP_MS: u64 = 100;

/// Most stages that one is guessed to wait for.
const MAX_GUESSED_PARENTS: usize = 100;

/// Finds stages of other jobs of Spark.
struct Index<'a> {
    log: &'a Log,
    tasks: &'a ImportedTasks,
    /// Stages with their attempts, ascending.
    nodes: Vec<(u32, u32)>,
    /// Stages with tasks: first RDD, id and index, ascending.
    by_rdd: Vec<(u64, u64, u32)>,
    /// The job of the scenario that each attempt is in.
    job_of: Vec<u32>,
}

/// Finds the parents of each attempt at a stage. Ends a task earlier that seems to end after a stage that waited for it
/// began.
pub(super) fn parents(
    log: &Log,
    tasks: &mut ImportedTasks,
    jobs: &[ImportJob],
    report: &mut StagesReport,
) -> Parents {
    let mut candidates = vec![BTreeSet::new(); tasks.nodes.len()];
    let index = Index::new(log, tasks, jobs);
    for job in jobs {
        for &node in &job.nodes {
            candidates[node as usize] = index.shuffle_parents(node, report);
        }
        if !log.has_parents {
            index.add_ended_before(job, &mut candidates);
        }
        if job.spark_jobs.len() > 1 {
            index.add_driver_parents(job, &mut candidates);
        }
    }
    let mut parents = Parents { ends: Vec::with_capacity(candidates.len()), nodes: Vec::new() };
    for (node, candidates) in (0..).zip(candidates) {
        for parent in candidates {
            if tasks.ends_before(parent, node) {
                parents.nodes.push(parent);
            } else {
                report.overlapping_parents += 1;
            }
        }
        parents.ends.push(parents.nodes.len());
    }
    report.parents = parents.nodes.len() as u64;
    report.has_parents = log.has_parents;
    parents
}

/// The parents of each attempt at a stage, by index in [`ImportedTasks::nodes`], one list behind the other.
pub(super) struct Parents {
    ends: Vec<usize>,
    nodes: Vec<u32>,
}

impl Parents {
    /// Those of an attempt, ascending.
    pub(super) fn parents(&self, node: u32) -> &[u32] {
        let from = (node as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.nodes[from..self.ends[node as usize]]
    }
}

impl<'a> Index<'a> {
    fn new(log: &'a Log, tasks: &'a ImportedTasks, jobs: &[ImportJob]) -> Index<'a> {
        let mut nodes: Vec<(u32, u32)> =
            (0..).zip(&tasks.nodes).map(|(number, node)| (node.stage, number)).collect();
        nodes.sort_unstable();
        let of_stage = |stage: u32| {
            let known = &log.stages[stage as usize];
            Some((known.first_rdd?, known.id, stage))
        };
        let mut by_rdd: Vec<_> = nodes.iter().filter_map(|&(stage, _)| of_stage(stage)).collect();
        by_rdd.sort_unstable();
        by_rdd.dedup();
        let mut job_of = vec![0; tasks.nodes.len()];
        for (number, job) in (0..).zip(jobs) {
            job.nodes.iter().for_each(|&node| job_of[node as usize] = number);
        }
        Index { log, tasks, nodes, by_rdd, job_of }
    }

    /// The attempts at a stage.
    fn nodes(&self, stage: u32) -> impl Iterator<Item = u32> {
        let from = self.nodes.partition_point(|&(other, _)| other < stage);
        let of_stage = self.nodes[from..].iter().take_while(move |(other, _)| *other == stage);
        of_stage.map(|&(_, node)| node)
    }

    /// The attempts at stages whose output an attempt reads, and those before it at the same stage.
    fn shuffle_parents(&self, node: u32, report: &mut StagesReport) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let stage = self.tasks.nodes[node as usize].stage;
        let mut seen = HashSet::from([stage]);
        let mut open: Vec<u64> = self.log.stages[stage as usize].parents.to_vec();
        while let Some(id) = open.pop() {
            let Some(parent) = self.log.stage(id) else { continue };
            if !seen.insert(parent) {
                continue;
            }
            let listed = &self.log.stages[parent as usize];
            match self.computed(parent, stage) {
                Some(computed) => self.add_attempts(computed, node, &mut found, report),
                None => open.extend(&*listed.parents),
            }
        }
        let (start, _) = self.tasks.first(node);
        found.extend(self.nodes(stage).filter(|&other| {
            let attempt = |node: u32| self.tasks.nodes[node as usize].attempt;
            attempt(other) < attempt(node) && self.tasks.last_finish(other) <= start
        }));
        found
    }

    /// The stage with tasks that computed a parent of a stage: itself, or if it was skipped the last one before with
    /// the same first RDD.
    fn computed(&self, parent: u32, child: u32) -> Option<u32> {
        if self.nodes(parent).next().is_some() {
            return Some(parent);
        }
        let (parent, child) = (&self.log.stages[parent as usize], &self.log.stages[child as usize]);
        let rdd = parent.first_rdd?;
        let before =
            &self.by_rdd[..self.by_rdd.partition_point(|&(other, id, _)| (other, id) < (rdd, child.id))];
        let same = before.iter().rev().take_while(|(other, ..)| *other == rdd);
        let writes_shuffle = |stage: u32| {
            let mut runs = self.nodes(stage).flat_map(|node| &self.tasks.nodes[node as usize].runs);
            runs.any(|&run| !self.tasks.task_of_run(self.log, run).of_result)
        };
        same.map(|&(.., stage)| stage).find(|&stage| writes_shuffle(stage))
    }

    /// Adds the attempts at a stage that began before a child did, if they are part of its job.
    fn add_attempts(&self, stage: u32, child: u32, found: &mut BTreeSet<u32>, report: &mut StagesReport) {
        let start = self.tasks.first(child);
        for node in self.nodes(stage) {
            if self.job_of[node as usize] != self.job_of[child as usize] {
                report.parents_in_other_jobs += 1;
            } else if self.tasks.first(node) < start {
                found.insert(node);
            }
        }
    }

    /// Adds the attempts at stages of the same job of Spark that had ended when another was submitted, for a log that
    /// does not say which of them it waited for. Those before the last to be submitted are waited for through that one.
    fn add_ended_before(&self, job: &ImportJob, candidates: &mut [BTreeSet<u32>]) {
        let spark_job = |node: u32| self.log.stages[self.tasks.nodes[node as usize].stage as usize].job;
        let times = |node: u32| (self.tasks.submitted(self.log, node), self.tasks.last_finish(node));
        let mut nodes: Vec<u32> = job.nodes.clone();
        nodes.sort_by_key(|&node| times(node));
        for (place, &node) in nodes.iter().enumerate() {
            let (submitted, _) = times(node);
            let ended = |&&other: &&u32| {
                spark_job(other) == spark_job(node) && times(other).1 <= submitted + LATE_STAMP_MS
            };
            let before = nodes[..place].iter().rev().filter(ended).take(MAX_GUESSED_PARENTS);
            let latest = before.clone().map(|&other| times(other).0).max();
            candidates[node as usize].extend(before.filter(|&&other| Some(times(other).1) > latest));
        }
    }

    /// Adds the results that the driver waited for between the jobs of Spark of a job.
    fn add_driver_parents(&self, job: &ImportJob, candidates: &mut [BTreeSet<u32>]) {
        let mut of_job: HashMap<u32, Vec<u32>> = HashMap::new();
        for &node in &job.nodes {
            let stage = self.tasks.nodes[node as usize].stage;
            of_job.entry(self.log.stages[stage as usize].job).or_default().push(node);
        }
        let computes_result = |node: &u32| {
            let mut runs = self.tasks.nodes[*node as usize].runs.iter();
            runs.any(|&run| self.tasks.task_of_run(self.log, run).of_result)
        };
        // Jobs that returned a result: when they ended, when they were submitted, and the attempts that computed it.
        let mut results: Vec<(u64, u64, Vec<u32>)> = Vec::new();
        for &spark_job in &job.spark_jobs {
            let LogTimes { submitted, ended } = self.times(spark_job);
            let nodes: Vec<u32> = of_job[&spark_job].iter().copied().filter(computes_result).collect();
            if let (Some(submitted), Some(ended), false) = (submitted, ended, nodes.is_empty()) {
                results.push((ended, submitted, nodes));
            }
        }
        results.sort();
        // The latest submission among the first results.
        let latest: Vec<u64> = results
            .iter()
            .scan(0, |latest, &(_, submitted, _)| {
                *latest = submitted.max(*latest);
                Some(*latest)
            })
            .collect();
        for &spark_job in &job.spark_jobs {
            let Some(submitted) = self.times(spark_job).submitted else { continue };
            let ended = results.partition_point(|&(ended, _, _)| ended <= submitted);
            let Some(&latest) = ended.checked_sub(1).map(|last| &latest[last]) else { continue };
            let nodes = &of_job[&spark_job];
            let roots: Vec<u32> = nodes
                .iter()
                .copied()
                .filter(|&node| nodes.iter().all(|other| !candidates[node as usize].contains(other)))
                .collect();
            // What ended before one of the others was submitted is waited for by that one already.
            for (_, _, result) in results[..ended].iter().rev().take_while(|(ended, _, _)| *ended > latest) {
                for &root in &roots {
                    candidates[root as usize].extend(result.iter().filter(|&&node| node != root));
                }
            }
        }
    }

    fn times(&self, spark_job: u32) -> LogTimes {
        let job = &self.log.jobs[spark_job as usize];
        LogTimes { submitted: job.submitted, ended: job.ended }
    }
}

struct LogTimes {
    submitted: Option<u64>,
    ended: Option<u64>,
}

impl ImportedTasks {
    /// Whether a parent's tasks end before a child's first begins, once late stamps are corrected.
    fn ends_before(&mut self, parent: u32, child: u32) -> bool {
        let (start, first) = self.first(child);
        let runs = &self.nodes[parent as usize].runs;
        let finish = runs.iter().map(|&run| self.runs[run as usize].finish).max().unwrap_or_default();
        let in_order = runs.last().is_some_and(|&last| last < first);
        if !in_order || finish > start + LATE_STAMP_MS {
            return false;
        }
        for &run in runs {
            let run = &mut self.runs[run as usize];
            if run.finish > start {
                self.report.shorten(run, start);
            }
        }
        true
    }
}
