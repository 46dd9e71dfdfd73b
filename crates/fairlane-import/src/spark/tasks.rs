//! Which tasks of a log are imported, and as part of which attempt at a stage.

use std::collections::{BTreeMap, HashMap};

use super::log::Log;
use super::record::{StageEnd, TaskEnd, property};
use super::report::TasksReport;

/// A task's stay on an executor. Instants are milliseconds since 1970.
#[derive(Clone, Copy)]
pub(super) struct TaskAttempt {
    /// The task, by index in the log's tasks.
    pub(super) task: u32,
    /// The attempt at a stage, by index in [`ImportedTasks::nodes`].
    pub(super) node: u32,
    pub(super) launch: u64,
    pub(super) finish: u64,
}

/// An attempt at a stage with at least one task: a stage of the scenario.
pub(super) struct AttemptNode {
    /// By index in the log's stages.
    pub(super) stage: u32,
    pub(super) attempt: u32,
    /// Its tasks, by index in [`ImportedTasks::runs`], in the order of launch.
    pub(super) runs: Vec<u32>,
}

/// The tasks that are imported.
pub(super) struct ImportedTasks {
    /// In the order of launch, ties by the tasks' ids.
    pub(super) runs: Vec<TaskAttempt>,
    pub(super) nodes: Vec<AttemptNode>,
    pub(super) report: TasksReport,
}

const STARTED_ONLY: &str = "without an end in the log";
pub(super) const WARM_UP: &str = "of the warm-up of a scenario that Fairlane exported";
const UNKNOWN_JOB: &str = "of a job whose start is not in the log";
const NO_TIMES: &str = "without launch or finish time";
const BACKWARDS: &str = "finished before it was launched";
const TOO_LATE: &str = "a failed or killed attempt launched when its stage had all its results";

/// Chooses the tasks.
pub(super) fn select(log: &Log) -> ImportedTasks {
    let mut report = TasksReport::default();
    let mut left_out: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut order: Vec<u32> = (0..log.tasks.len() as u32).collect();
    let id = |index: u32| log.tasks[index as usize].id;
    order.sort_by_key(|&index| id(index));
    order.dedup_by_key(|index| id(*index));
    report.repeated = (log.tasks.len() - order.len()) as u64;
    let has_ended = |task: u64| order.binary_search_by_key(&task, |&index| id(index)).is_ok();
    let open = log.running.iter().filter(|&&task| !has_ended(task)).count() as u64;
    if open > 0 {
        left_out.insert(STARTED_ONLY, open);
    }
    report.in_log = order.len() as u64 + open;

    let (mut runs, mut nodes) = (Vec::with_capacity(order.len()), Vec::new());
    let mut by_attempt: HashMap<(u32, u32), u32> = HashMap::new();
    for index in order {
        let task = &log.tasks[index as usize];
        let reason = match log.stage(task.stage) {
            None => UNKNOWN_JOB,
            Some(stage) if is_warm_up(log, stage) => WARM_UP,
            Some(_) if task.launch == 0 || task.finish == 0 => NO_TIMES,
            Some(_) if task.finish < task.launch => BACKWARDS,
            Some(stage) => {
                let node = *by_attempt.entry((stage, task.stage_attempt)).or_insert_with(|| {
                    nodes.push(AttemptNode { stage, attempt: task.stage_attempt, runs: Vec::new() });
                    nodes.len() as u32 - 1
                });
                let (launch, finish) = (task.launch, task.finish);
                runs.push(TaskAttempt { task: index, node, launch, finish });
                continue;
            }
        };
        *left_out.entry(reason).or_default() += 1;
    }
    let late = end_with_stages(log, &mut runs, &nodes, &mut report);
    if late > 0 {
        left_out.insert(TOO_LATE, late);
    }
    runs.sort_by_key(|run: &TaskAttempt| (run.launch, id(run.task)));
    for (index, run) in (0..).zip(&runs) {
        nodes[run.node as usize].runs.push(index);
        let task = &log.tasks[run.task as usize];
        report.failed += u64::from(task.end == TaskEnd::Failed);
        report.killed += u64::from(task.end == TaskEnd::Killed);
        report.speculative += u64::from(task.speculative);
    }
    report.imported = runs.len() as u64;
    report.left_out = left_out;
    let mut tasks = ImportedTasks { runs, nodes, report };
    tasks.drop_empty_nodes();
    tasks
}

/// Whether a stage belongs to a job that `fairlane spark-export` runs before the scenario's.
fn is_warm_up(log: &Log, stage: u32) -> bool {
    let job = &log.jobs[log.stages[stage as usize].job as usize];
    job.properties.get(property::GROUP) == Some("fairlane-warm-up")
}

/// Ends failed and killed attempts when their stage has all its results, because what waits for the stage does not
/// wait for them. Removes and counts those launched later.
fn end_with_stages(
    log: &Log,
    runs: &mut Vec<TaskAttempt>,
    nodes: &[AttemptNode],
    report: &mut TasksReport,
) -> u64 {
    let completed = |node: &AttemptNode| {
        let mut attempts = log.stages[node.stage as usize].attempts.iter();
        attempts.any(|attempt| attempt.number == node.attempt && attempt.end == StageEnd::Completed)
    };
    let succeeded = |run: &TaskAttempt| log.tasks[run.task as usize].end == TaskEnd::Succeeded;
    let mut done = vec![0; nodes.len()];
    for run in runs.iter().filter(|run| succeeded(run) && completed(&nodes[run.node as usize])) {
        let done = &mut done[run.node as usize];
        *done = run.finish.max(*done);
    }
    let before = runs.len();
    runs.retain_mut(|run| {
        let done = done[run.node as usize];
        if succeeded(run) || done == 0 || run.finish <= done {
            return true;
        }
        if run.launch > done {
            return false;
        }
        report.shorten(run, done);
        true
    });
    (before - runs.len()) as u64
}

impl TasksReport {
    /// Ends a run earlier, and counts it.
    pub(super) fn shorten(&mut self, run: &mut TaskAttempt, end: u64) {
        let by = run.finish - end;
        self.shortened += 1;
        self.shortened_ms += by;
        self.shortened_most_ms = by.max(self.shortened_most_ms);
        run.finish = end;
    }
}

impl ImportedTasks {
    /// Removes attempts at stages whose tasks were all left out.
    fn drop_empty_nodes(&mut self) {
        if self.nodes.iter().all(|node| !node.runs.is_empty()) {
            return;
        }
        let mut kept = 0;
        let mut renamed = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            renamed.push(kept);
            kept += u32::from(!node.runs.is_empty());
        }
        self.nodes.retain(|node| !node.runs.is_empty());
        for run in &mut self.runs {
            run.node = renamed[run.node as usize];
        }
    }

    /// When the first task of an attempt at a stage was launched, and which it was.
    pub(super) fn first(&self, node: u32) -> (u64, u32) {
        let first = self.nodes[node as usize].runs[0];
        (self.runs[first as usize].launch, first)
    }

    /// When an attempt at a stage was submitted, or had to be because a task was launched.
    pub(super) fn submitted(&self, log: &Log, node: u32) -> u64 {
        let AttemptNode { stage, attempt, .. } = &self.nodes[node as usize];
        let attempts = &log.stages[*stage as usize].attempts;
        let known = attempts.iter().find(|known| known.number == *attempt).map(|known| known.submitted);
        let (launch, _) = self.first(node);
        known.filter(|&at| at > 0).map_or(launch, |at| at.min(launch))
    }

    /// When the last task of an attempt at a stage finished.
    pub(super) fn last_finish(&self, node: u32) -> u64 {
        let finishes = self.nodes[node as usize].runs.iter().map(|&run| self.runs[run as usize].finish);
        finishes.max().unwrap_or_default()
    }
}
