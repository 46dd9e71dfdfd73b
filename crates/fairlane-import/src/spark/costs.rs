//! What it costs to launch a task, to begin a stage on a core and to move a core to another job, estimated from the
//! tasks of a log.

use super::cores::Placement;
use super::log::Log;
use super::record::TaskEnd;
use super::report::CostsReport;
use super::tasks::{ImportedTasks, TaskAttempt};

/// Fewest stages, and fewest tasks in each of two groups, from which a cost is estimated.
const FEWEST: usize = 10;
/// Fewest tasks of a stage that are not the first on their core.
const FEWEST_LATER: usize = 4;
/// The factor of the first wave that is still believed.
const LARGEST_FACTOR: f64 = 3.0;

/// The costs of a scenario made from a log.
#[derive(Clone, Copy)]
pub(super) struct TaskCosts {
    /// What each task costs, in µs.
    pub(super) overhead: u64,
    /// How many times as long a core's first task of a stage takes, as a factor.
    pub(super) first_wave: f64,
    /// What a core's first task of another job costs more, in µs.
    pub(super) core_move: u64,
}

/// What a core ran before a task.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PreviousTask {
    SameStage,
    SameJob,
    OtherJob,
}

/// What the core of each task ran before it.
pub(super) fn before(
    log: &Log,
    tasks: &ImportedTasks,
    placement: &Placement,
    job_of: &[u32],
) -> Vec<PreviousTask> {
    let mut last = vec![None; (placement.executors * placement.cores_per_executor) as usize];
    let runs = tasks.runs.iter().zip(&placement.core);
    // The cores of an executor that joins have had no task.
    let executor = |run: &TaskAttempt| (!placement.stays.is_empty()).then(|| tasks.task(log, run).executor);
    runs.map(|(run, &core)| match last[core as usize].replace((run.node, executor(run))) {
        Some((_, before)) if before != executor(run) => PreviousTask::OtherJob,
        Some((node, _)) if node == run.node => PreviousTask::SameStage,
        Some((node, _)) if job_of[node as usize] == job_of[run.node as usize] => PreviousTask::SameJob,
        _ => PreviousTask::OtherJob,
    })
    .collect()
}

/// Estimates the costs: the median time that a task held its core beyond what its executor measured; the median over
/// stages of how much longer a core's first task of the stage took than its later ones; and how much longer still the
/// first one took where the core came from another job.
pub(super) fn estimate(
    log: &Log,
    tasks: &ImportedTasks,
    before: &[PreviousTask],
    report: &mut CostsReport,
) -> TaskCosts {
    let succeeded = |run: u32| tasks.task_of_run(log, run).end == TaskEnd::Succeeded;
    let held = |run: u32| {
        let run = &tasks.runs[run as usize];
        run.finish - run.launch
    };
    let all = || (0..tasks.runs.len() as u32).filter(|&run| succeeded(run));
    let launch: Vec<u64> = all()
        .filter_map(|run| {
            let measured = tasks.task_of_run(log, run).measured()?;
            Some(held(run).saturating_sub(u64::from(measured)))
        })
        .collect();
    // Hardly any task is shorter than its overhead.
    let shortest = quantile(all().map(held).collect(), 0.05).unwrap_or(0);
    let overhead = quantile(launch, 0.5).unwrap_or(0).min(shortest);

    let mut factors: Vec<f64> = Vec::new();
    let mut excess: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    for node in &tasks.nodes {
        let runs = || node.runs.iter().copied().filter(|&run| succeeded(run));
        let own = |run: u32| held(run).saturating_sub(overhead) as f64;
        let later: Vec<f64> =
            runs().filter(|&run| before[run as usize] == PreviousTask::SameStage).map(own).collect();
        if later.len() < FEWEST_LATER {
            continue;
        }
        let Some(usual) = median(later).filter(|&usual| usual > 0.0) else { continue };
        let first: Vec<u32> = runs().filter(|&run| before[run as usize] != PreviousTask::SameStage).collect();
        for &run in &first {
            let group = usize::from(before[run as usize] == PreviousTask::OtherJob);
            excess[group].push(own(run) - usual);
        }
        factors.extend(median(first.into_iter().map(own).collect()).map(|first| first / usual));
    }
    report.stages_measured = factors.len() as u64;
    let enough = factors.len() >= FEWEST;
    let factor = median(factors).filter(|_| enough).unwrap_or(1.0).clamp(1.0, LARGEST_FACTOR);
    // Two digits: more would pretend to be exact.
    let first_wave = (factor * 100.0).round() / 100.0;
    let enough = excess.iter().all(|group| group.len() >= FEWEST);
    let [same, other] = excess.map(median);
    let core_move = match (same, other) {
        (Some(same), Some(other)) if enough => (other - same).max(0.0).min(overhead.max(shortest) as f64),
        _ => 0.0,
    };
    let costs =
        TaskCosts { overhead: overhead * 1000, first_wave, core_move: core_move.round() as u64 * 1000 };
    report.task_overhead_s = costs.overhead as f64 / 1e6;
    report.first_wave = costs.first_wave;
    report.core_move_s = costs.core_move as f64 / 1e6;
    costs
}

impl TaskCosts {
    /// The extra time of a core, in µs, before a task.
    pub(super) fn fixed(&self, before: PreviousTask) -> u64 {
        self.overhead + if before == PreviousTask::OtherJob { self.core_move } else { 0 }
    }

    /// The factor on a task's own time.
    pub(super) fn factor(&self, before: PreviousTask) -> f64 {
        if before == PreviousTask::SameStage { 1.0 } else { self.first_wave }
    }

    /// How long a task of this duration holds its core, in µs (docs/model.md section 8).
    pub(super) fn held(&self, duration: u64, before: PreviousTask) -> u64 {
        let scaled = match self.factor(before) {
            1.0 => duration,
            factor => (duration as f64 * factor + 0.5).floor() as u64,
        };
        scaled + self.fixed(before)
    }

    /// The duration of a task that holds its core so long, in µs; 0 if the costs alone are more.
    pub(super) fn duration(&self, held: u64, before: PreviousTask) -> u64 {
        let own = held.saturating_sub(self.fixed(before));
        match self.factor(before) {
            1.0 => own,
            factor => (own as f64 / factor).round() as u64,
        }
    }
}

fn quantile(mut values: Vec<u64>, part: f64) -> Option<u64> {
    values.sort_unstable();
    let last = values.len().checked_sub(1)?;
    values.get((last as f64 * part) as usize).copied()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_stays_belong_together() {
        let costs = TaskCosts { overhead: 4_000, first_wave: 1.37, core_move: 2_000 };
        for before in [PreviousTask::SameStage, PreviousTask::SameJob, PreviousTask::OtherJob] {
            for held in [6_000, 6_001, 123_456, 10_000_000] {
                let duration = costs.duration(held, before);
                assert!(costs.held(duration, before).abs_diff(held) <= 1, "{held}");
            }
        }
        assert_eq!(costs.duration(1_000, PreviousTask::OtherJob), 0);
    }
}
