//! How long attempts must hold their cores (docs/model.md section 8), by what these ran before.

use std::collections::{BTreeMap, HashMap};

use crate::ids::CoreId;
use crate::scenario::Scenario;
use crate::trace::{ExecutorRun, TaskRun, Trace};
use crate::units::{Span, Time};

/// The stage that a core ran last since its executor has joined, and when that ended; `None` if none.
type LastOfCore = Option<((u32, u32), Time)>;

/// What the tasks before one say about how long it holds its core (docs/model.md section 8).
#[derive(Default)]
pub(super) struct CoreHistory {
    /// What each core may have run last, by the stay of its executor: several where it is not sure in which stay an
    /// attempt was.
    last: HashMap<(CoreId, Option<usize>), Vec<LastOfCore>>,
    /// How many tasks of each stage end at each instant, those that end before the stage's latest launch aside.
    ends: HashMap<(u32, u32), BTreeMap<Time, u32>>,
}

impl CoreHistory {
    /// Whether the attempt, the next by launch, of a stage with a number of tasks, holds its core as long as it must, or
    /// no longer than that if it was killed. A task of its stage that ends at the instant of the launch may or may not
    /// have ended before it, and the attempt may have been in any of some stays of its executor.
    pub(super) fn is_right(
        &mut self,
        scenario: &Scenario,
        run: &TaskRun,
        tasks: u32,
        stays: &[Option<usize>],
        duration: Span,
        killed: bool,
    ) -> bool {
        let stage = (run.job.0, run.stage);
        let ends = self.ends.entry(stage).or_default();
        *ends = ends.split_off(&run.start);
        let running: u32 = ends.values().sum();
        let ending = ends.get(&run.start).copied().unwrap_or(0);
        *ends.entry(run.end).or_default() += 1;
        let lasts = |before: LastOfCore| {
            let lasts = |n: u32| is_length(scenario, run, (tasks, n), duration, killed, before);
            (running - ending + 1..=running + 1).any(lasts)
        };
        let mut is_right = false;
        for &stay in stays {
            let before = self.last.entry((run.core, stay)).or_insert_with(|| vec![None]);
            is_right |= before.iter().copied().any(lasts);
            if stays.len() == 1 {
                before.clear();
            }
            before.push(Some((stage, run.end)));
        }
        is_right
    }
}

/// Whether an attempt holds its core as long as it must as one of a number of tasks, launched as the n-th that runs, after
/// what the core ran before.
fn is_length(
    scenario: &Scenario,
    run: &TaskRun,
    (tasks, n): (u32, u32),
    duration: Span,
    killed: bool,
    before: LastOfCore,
) -> bool {
    let (cluster, job) = (scenario.cluster(), &scenario.jobs()[run.job.index()]);
    let spec = &job.stages[run.stage as usize];
    let last = before.map(|(stage, _)| stage);
    let warm = last.is_some_and(|(job, _)| job == run.job.0);
    let moved = if warm { Span(0) } else { cluster.core_move };
    // A core that belongs to the job may have been given to it since its last task ended, and so be on its way.
    let free = before.map_or(Time::ZERO, |(_, end)| end);
    let least = match cluster.executors_belong {
        Some(_) => (free + moved).since(run.start),
        None => moved,
    };
    let mut factor = spec.inflation_at(n);
    if last != Some((run.job.0, run.stage)) {
        factor *= spec.first_wave;
    }
    if warm {
        factor /= job.warm_factor;
    }
    let executor = run.core.0 / cluster.cores_per_executor;
    factor /= cluster.speed(executor);
    let preferred = spec.preferred_by(run.task, tasks);
    if !preferred.is_empty() && !preferred.contains(&executor) {
        factor *= spec.away;
    }
    let lasts = match factor {
        1.0 => duration,
        factor => Span((duration.0 as f64 * factor + 0.5).floor() as u64),
    };
    let held = run.start + lasts + cluster.task_overhead;
    (held + least..=held + moved).contains(&run.end) || killed && run.end < held + moved
}

/// The last stay of an executor that had begun when a task did, by index in the trace.
pub(super) fn stay(scenario: &Scenario, trace: &Trace, run: &TaskRun) -> Option<usize> {
    let executor = run.core.0 / scenario.cluster().cores_per_executor;
    trace.executors.iter().rposition(|stay| stay.executor == executor && stay.from <= run.start)
}

/// The stays of an executor in which an attempt may have been, by index in the trace. Another executor may take the
/// place of one that goes at the same instant: an attempt that ends as it begins may have been on either.
pub(super) fn possible_stays(scenario: &Scenario, trace: &Trace, run: &TaskRun) -> Vec<Option<usize>> {
    if !scenario.cluster().is_elastic() {
        return vec![None];
    }
    let last = stay(scenario, trace, run);
    let executor = run.core.0 / scenario.cluster().cores_per_executor;
    let touches = |(index, stay): (usize, &ExecutorRun)| {
        let touches = stay.executor == executor && stay.from <= run.start && stay.to >= run.end;
        (touches && run.start == run.end && Some(index) != last).then_some(Some(index))
    };
    let others = trace.executors.iter().enumerate().filter_map(touches);
    // An executor that is lost at the instant at which it came leaves no stay in the trace.
    let unseen = (run.start == run.end && !scenario.cluster().losses.is_empty()).then_some(None);
    others.chain(unseen).chain([last]).collect()
}
