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
use super::tasks::Tasks;

/// Milliseconds by which a stage's last task may seem to end after the next stage began: a task's end is stamped after
/// its core was offered again.
const LATE_STAMP_MS: u64 = 100;

/// Finds stages of other jobs of Spark.
struct Index<'a> {
    log: &'a Log,
    tasks: &'a Tasks,
    /// Attempts by stage.
    nodes: HashMap<u32, Vec<u32>>,
    /// Stages with tasks by first RDD, in the order of their ids.
    by_rdd: HashMap<u64, Vec<u32>>,
    /// The job of the scenario that each attempt is in.
    job_of: Vec<u32>,
}

/// The parents of each attempt at a stage, by index in [`Tasks::nodes`], ascending. Ends a task earlier that seems to
/// end after a stage that waited for it began.
pub(super) fn parents(
    log: &Log,
    tasks: &mut Tasks,
    jobs: &[ImportJob],
    report: &mut StagesReport,
) -> Vec<Vec<u32>> {
    let mut candidates = vec![BTreeSet::new(); tasks.nodes.len()];
    let index = Index::new(log, tasks, jobs);
    for job in jobs {
        for &node in &job.nodes {
            candidates[node as usize] = index.shuffle_parents(node, report);
        }
        if job.spark_jobs.len() > 1 {
            index.add_driver_parents(job, &mut candidates);
        }
    }
    let confirm = |(node, candidates): (usize, BTreeSet<u32>)| {
        let mut parents: Vec<u32> = Vec::with_capacity(candidates.len());
        for parent in candidates {
            if tasks.ends_before(parent, node as u32) {
                parents.push(parent);
            } else {
                report.overlapping_parents += 1;
            }
        }
        parents
    };
    let parents: Vec<Vec<u32>> = candidates.into_iter().enumerate().map(confirm).collect();
    report.parents = parents.iter().map(|parents| parents.len() as u64).sum();
    parents
}

impl<'a> Index<'a> {
    fn new(log: &'a Log, tasks: &'a Tasks, jobs: &[ImportJob]) -> Index<'a> {
        let mut nodes: HashMap<u32, Vec<u32>> = HashMap::new();
        for (number, node) in (0..).zip(&tasks.nodes) {
            nodes.entry(node.stage).or_default().push(number);
        }
        let mut by_rdd: HashMap<u64, Vec<u32>> = HashMap::new();
        for &stage in nodes.keys() {
            if let Some(rdd) = log.stages[stage as usize].first_rdd {
                by_rdd.entry(rdd).or_default().push(stage);
            }
        }
        for stages in by_rdd.values_mut() {
            stages.sort_by_key(|&stage| log.stages[stage as usize].id);
        }
        let mut job_of = vec![0; tasks.nodes.len()];
        for (number, job) in (0..).zip(jobs) {
            job.nodes.iter().for_each(|&node| job_of[node as usize] = number);
        }
        Index { log, tasks, nodes, by_rdd, job_of }
    }

    /// The attempts at stages whose output an attempt reads, and those before it at the same stage.
    fn shuffle_parents(&self, node: u32, report: &mut StagesReport) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let stage = self.tasks.nodes[node as usize].stage;
        let mut seen = HashSet::from([stage]);
        let mut open: Vec<u64> = self.log.stages[stage as usize].parents.clone();
        while let Some(id) = open.pop() {
            let Some(parent) = self.log.stage(id) else { continue };
            if !seen.insert(parent) {
                continue;
            }
            let listed = &self.log.stages[parent as usize];
            match self.computed(parent, stage) {
                Some(computed) => self.add_attempts(computed, node, &mut found, report),
                None => open.extend(&listed.parents),
            }
        }
        let (start, _) = self.tasks.first(node);
        let before = self.nodes[&stage].iter().copied();
        found.extend(before.filter(|&other| {
            let attempt = |node: u32| self.tasks.nodes[node as usize].attempt;
            attempt(other) < attempt(node) && self.tasks.last_finish(other) <= start
        }));
        found
    }

    /// The stage with tasks that computed a parent of a stage: itself, or if it was skipped the last one before with
    /// the same first RDD.
    fn computed(&self, parent: u32, child: u32) -> Option<u32> {
        if self.nodes.contains_key(&parent) {
            return Some(parent);
        }
        let (parent, child) = (&self.log.stages[parent as usize], &self.log.stages[child as usize]);
        let same = self.by_rdd.get(&parent.first_rdd?)?;
        let before = same.iter().rev().filter(|&&stage| self.log.stages[stage as usize].id < child.id);
        let writes_shuffle = |stage: u32| {
            let mut runs = self.nodes[&stage].iter().flat_map(|&node| &self.tasks.nodes[node as usize].runs);
            runs.any(|&run| !self.log.tasks[self.tasks.runs[run as usize].task as usize].of_result)
        };
        before.copied().find(|&stage| writes_shuffle(stage))
    }

    /// Adds the attempts at a stage that began before a child did, if they are part of its job.
    fn add_attempts(&self, stage: u32, child: u32, found: &mut BTreeSet<u32>, report: &mut StagesReport) {
        let start = self.tasks.first(child);
        for &node in &self.nodes[&stage] {
            if self.job_of[node as usize] != self.job_of[child as usize] {
                report.parents_in_other_jobs += 1;
            } else if self.tasks.first(node) < start {
                found.insert(node);
            }
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
            runs.any(|&run| self.log.tasks[self.tasks.runs[run as usize].task as usize].of_result)
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

impl Tasks {
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
