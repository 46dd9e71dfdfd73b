//! Which tasks of a log are imported, and as part of which attempt at a stage.

use std::collections::{BTreeMap, HashMap};

use super::log::Log;
use super::record::{LogTask, StageAttempt, StageEnd, TaskEnd, property};
use super::report::TasksReport;

/// A task's stay on an executor. Instants are milliseconds since 1970.
#[derive(Clone, Copy)]
pub(super) struct TaskAttempt {
    /// The task, for [`ImportedTasks::task`].
    pub(super) task: u32,
    /// The attempt at a stage, by index in [`ImportedTasks::nodes`].
    pub(super) node: u32,
    pub(super) launch: u64,
    pub(super) finish: u64,
}

/// An attempt at a stage with at least one task: a stage of the scenario.
pub(super) struct AttemptNode {
    /// Index of the stage among the log's.
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
    /// Tasks that ran when the log ended, with its end as theirs: numbered after those of the log.
    open: Vec<LogTask>,
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
    let running = || log.running.values().filter(|task| !has_ended(task.id));
    let open: Vec<LogTask> = running().filter_map(|task| until_the_end(log, task)).collect();
    let started_only = (running().count() - open.len()) as u64;
    if started_only > 0 {
        left_out.insert(STARTED_ONLY, started_only);
    }
    report.in_log = (order.len() + open.len()) as u64 + started_only;

    let (mut runs, mut nodes) = (Vec::with_capacity(order.len()), Vec::new());
    let mut by_attempt: HashMap<(u32, u32), u32> = HashMap::new();
    order.extend((log.tasks.len()..log.tasks.len() + open.len()).map(|index| index as u32));
    let task_of = |index: u32| task_of(log, &open, index);
    for index in order {
        let task = task_of(index);
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
    runs.sort_by_key(|run: &TaskAttempt| (run.launch, task_of(run.task).id));
    for (index, run) in (0..).zip(&runs) {
        nodes[run.node as usize].runs.push(index);
        let task = task_of(run.task);
        report.failed += u64::from(task.end == TaskEnd::Failed);
        report.killed += u64::from(task.end == TaskEnd::Killed);
        report.unfinished += u64::from(task.end == TaskEnd::Unfinished);
        report.speculative += u64::from(task.speculative);
    }
    report.imported = runs.len() as u64;
    report.left_out = left_out;
    let mut tasks = ImportedTasks { runs, nodes, open, report };
    tasks.drop_empty_nodes();
    tasks.count_early_retries(log);
    tasks
}

fn task_of<'a>(log: &'a Log, open: &'a [LogTask], index: u32) -> &'a LogTask {
    let index = index as usize;
    index.checked_sub(log.tasks.len()).map_or_else(|| &log.tasks[index], |index| &open[index])
}

/// A task that has started and not ended, as if it ended with the log, or with its executor. `None` if its stage has all
/// its results: then its end is missing in the log, and nobody knows when that was.
fn until_the_end(log: &Log, task: &LogTask) -> Option<LogTask> {
    let stage = log.stage(task.stage).map(|stage| &log.stages[stage as usize]);
    let is_completed =
        |attempt: &StageAttempt| attempt.number == task.stage_attempt && attempt.end == StageEnd::Completed;
    if task.launch == 0 || stage?.attempts.iter().any(is_completed) {
        return None;
    }
    let last = if task.finish > 0 { task.finish.min(log.counts.last) } else { log.counts.last };
    let removed = log.executors[task.executor as usize].removed;
    let end = removed.map_or(last, |removed| removed.min(last));
    Some(LogTask { end: TaskEnd::Unfinished, finish: end.max(task.launch), ..*task })
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
    // Those that ran when the log ended are of no completed stage.
    let end = |run: &TaskAttempt| log.tasks.get(run.task as usize).map(|task| task.end);
    let succeeded = |run: &TaskAttempt| end(run) == Some(TaskEnd::Succeeded);
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
    /// What the log says of a task.
    pub(super) fn task<'a>(&'a self, log: &'a Log, run: &TaskAttempt) -> &'a LogTask {
        task_of(log, &self.open, run.task)
    }

    /// The same of a task by index in [`ImportedTasks::runs`].
    pub(super) fn task_of_run<'a>(&'a self, log: &'a Log, run: u32) -> &'a LogTask {
        self.task(log, &self.runs[run as usize])
    }

    /// Counts the retries that the log says were launched before the attempt before them had failed.
    fn count_early_retries(&mut self, log: &Log) {
        if self.report.failed == 0 {
            return;
        }
        let mut failed: HashMap<(u32, u32), u64> = HashMap::new();
        for run in &self.runs {
            let task = task_of(log, &self.open, run.task);
            let before = failed.get(&(run.node, task.index)).filter(|_| !task.speculative);
            if let Some(by) = before.and_then(|before| before.checked_sub(run.launch)).filter(|&by| by > 0) {
                self.report.early_retries += 1;
                self.report.early_retries_most_ms = by.max(self.report.early_retries_most_ms);
            }
            if task.end == TaskEnd::Failed {
                failed.insert((run.node, task.index), run.finish);
            }
        }
    }

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
