//! Which tasks of a log are attempts at one task of the scenario (docs/model.md sections 18, 23 and 24): speculative
//! copies, attempts that a lost executor took with it, and tasks that ran again because their output was lost.

use std::collections::{BTreeMap, BTreeSet};

use super::cores::{Placement, is_lost_with};
use super::costs::{PreviousTask, TaskCosts};
use super::jobs::{ImportJob, JobEnd};
use super::log::Log;
use super::record::TaskEnd;
use super::report::SimulatedReport;
use super::schedule::JobSchedule;
use super::tasks::ImportedTasks;
use super::version;
use fairlane::scenario::Speculation;
use fairlane::trace::KillReason;
use fairlane::units::Span;

/// The tasks of the scenario's stages, each with its attempts.
pub(super) struct Attempts {
    /// By index in [`ImportedTasks::nodes`]: for each task the first attempt that ended by itself, or its only one; in the
    /// order of their first launches.
    tasks: Vec<Vec<u32>>,
    /// By index in [`ImportedTasks::runs`]: the task's number in its stage.
    number: Vec<u32>,
    /// Attempts that were killed for another one of their task or with their executor.
    killed: BTreeMap<u32, KillReason>,
    /// All attempts of tasks that have several.
    merged: BTreeSet<u32>,
    /// Lengths of tasks, in µs, that are not those of their first attempt that ended by itself.
    lengths: BTreeMap<u32, u64>,
}

impl Attempts {
    /// Those of a log. A killed attempt is taken to end no later than the one that overtook it.
    pub(super) fn new(
        log: &Log,
        tasks: &ImportedTasks,
        jobs: &[ImportJob],
        placement: &Placement,
        schedule: &mut JobSchedule,
        (costs, before): (&TaskCosts, &[PreviousTask]),
        report: &mut SimulatedReport,
    ) -> Attempts {
        let mut attempts = Attempts {
            tasks: vec![Vec::new(); tasks.nodes.len()],
            number: vec![0; tasks.runs.len()],
            killed: BTreeMap::new(),
            merged: BTreeSet::new(),
            lengths: BTreeMap::new(),
        };
        for job in jobs {
            let has_ended = matches!(job.end, JobEnd::WithTasks | JobEnd::Answered(_));
            for &node in &job.nodes {
                let known = &tasks.nodes[node as usize];
                let may_merge = has_ended && !log.stages[known.stage as usize].is_barrier;
                let mut groups: Vec<Vec<u32>> = Vec::new();
                let mut of_index: BTreeMap<u32, usize> = BTreeMap::new();
                for &run in &known.runs {
                    let index = tasks.task_of_run(log, run).index;
                    match of_index.get(&index).filter(|_| may_merge) {
                        Some(&group) => groups[group].push(run),
                        None => {
                            of_index.insert(index, groups.len());
                            groups.push(vec![run]);
                        }
                    }
                }
                // An attempt at a task that is not merged is a task of its own.
                let mut made: Vec<(Vec<u32>, Option<Group>)> = Vec::with_capacity(groups.len());
                for runs in groups {
                    let several = runs.len() > 1;
                    match several.then(|| Group::new(log, tasks, placement, schedule, &runs)).flatten() {
                        Some(group) => made.push((runs, Some(group))),
                        None => made.extend(runs.into_iter().map(|run| (vec![run], None))),
                    }
                }
                made.sort_by_key(|(runs, _)| runs[0]);
                for (runs, group) in made {
                    match group {
                        Some(group) => attempts.add(node, &runs, &group, schedule, (costs, before), report),
                        None => attempts.push(node, runs[0], &runs),
                    }
                }
            }
        }
        attempts
    }

    fn push(&mut self, node: u32, first: u32, runs: &[u32]) {
        let of_node = &mut self.tasks[node as usize];
        runs.iter().for_each(|&run| self.number[run as usize] = of_node.len() as u32);
        of_node.push(first);
    }

    fn add(
        &mut self,
        node: u32,
        runs: &[u32],
        group: &Group,
        schedule: &mut JobSchedule,
        (costs, before): (&TaskCosts, &[PreviousTask]),
        report: &mut SimulatedReport,
    ) {
        let Group { ended, overtaken, lost } = group;
        let (first, of_first) = (ended[0], runs[0]);
        self.push(node, first, runs);
        self.merged.extend(runs);
        let last = ended.iter().map(|&run| schedule.ends[run as usize]).max().unwrap_or(0);
        for &run in overtaken {
            let start = schedule.starts[run as usize];
            let end = &mut schedule.ends[run as usize];
            *end = (*end).min(last).max(start);
        }
        self.killed.extend(overtaken.iter().map(|&run| (run, KillReason::Overtaken)));
        self.killed.extend(lost.iter().map(|&run| (run, KillReason::Lost)));
        // Where a copy won, nobody knows how long the first attempt would have run: at least until then.
        if overtaken.contains(&of_first) {
            let held = schedule.ends[first as usize].saturating_sub(schedule.starts[of_first as usize]);
            self.lengths.insert(first, costs.duration(held, before[of_first as usize]));
        }
        report.copies += overtaken.len() as u64;
        report.lost_attempts += lost.len() as u64;
        report.repeated_tasks += ended.len() as u64 - 1;
    }

    /// For each task of a stage of the scenario the attempt that it has its length from.
    pub(super) fn of(&self, node: u32) -> &[u32] {
        &self.tasks[node as usize]
    }

    /// The number of an attempt's task in its stage.
    pub(super) fn number(&self, run: u32) -> u32 {
        self.number[run as usize]
    }

    /// Why an attempt was killed that is not its task's only one.
    pub(super) fn kill_reason(&self, run: u32) -> Option<KillReason> {
        self.killed.get(&run).copied()
    }

    /// Whether an attempt is one of several at a task of the scenario.
    pub(super) fn is_merged(&self, run: u32) -> bool {
        self.merged.contains(&run)
    }

    /// How long a task runs in the scenario, in µs, if its attempt ran so long.
    pub(super) fn length(&self, run: u32, measured: u64) -> u64 {
        self.lengths.get(&run).copied().unwrap_or(measured)
    }
}

/// The attempts at one task of the scenario.
struct Group {
    /// Those that ended by themselves; at least one.
    ended: Vec<u32>,
    overtaken: Vec<u32>,
    lost: Vec<u32>,
}

impl Group {
    /// Sorts attempts at a task; `None` if the model knows no reason for one of them, such as an error in it.
    fn new(
        log: &Log,
        tasks: &ImportedTasks,
        placement: &Placement,
        schedule: &JobSchedule,
        runs: &[u32],
    ) -> Option<Group> {
        let mut group = Group { ended: Vec::new(), overtaken: Vec::new(), lost: Vec::new() };
        let is_speculated = runs.iter().any(|&run| tasks.task_of_run(log, run).speculative);
        for &run in runs {
            let known = tasks.task_of_run(log, run);
            match known.end {
                TaskEnd::Succeeded => group.ended.push(run),
                TaskEnd::Killed if is_speculated => group.overtaken.push(run),
                TaskEnd::Failed if is_lost_with(placement, known) => group.lost.push(run),
                _ => return None,
            }
        }
        let last = *group.ended.last()?;
        let launch = |run: u32| tasks.runs[run as usize].launch;
        let is_lost = |pair: &[u32]| placement.loses(log, tasks, pair[0], launch(pair[1]));
        let is_known = group.ended.windows(2).all(is_lost)
            && group
                .overtaken
                .iter()
                .all(|&run| schedule.starts[run as usize] < schedule.ends[last as usize])
            && group.lost.iter().all(|&run| launch(run) < launch(last));
        is_known.then_some(group)
    }
}

/// Spark's speculation as a log's settings have it; `None` if it ran without, and no task has a copy.
pub(super) fn speculation(log: &Log, report: &SimulatedReport) -> Option<Speculation> {
    let is_on = log.setting("spark.speculation").is_some_and(|on| on.trim().eq_ignore_ascii_case("true"));
    if !is_on && report.copies == 0 {
        return None;
    }
    let number = |name: &str| log.in_force(name)?.trim().parse::<f64>().ok().filter(|number| *number >= 0.0);
    let time = |name: &str| log.setting(name).and_then(super::allocation::span).filter(|span| span.0 > 0);
    let Speculation { quantile, multiplier, min, interval } = Speculation::default();
    Some(Speculation {
        quantile: number(version::SPECULATION_QUANTILE).filter(|part| *part <= 1.0).unwrap_or(quantile),
        multiplier: number(version::SPECULATION_MULTIPLIER)
            .filter(|factor| *factor <= 1e6)
            .unwrap_or(multiplier),
        min: time("spark.speculation.minTaskRuntime").filter(|span| *span <= LONGEST).unwrap_or(min),
        interval: time("spark.speculation.interval").filter(|span| *span <= LONGEST).unwrap_or(interval),
    })
}

/// The longest time of a setting that is believed: a day.
const LONGEST: Span = Span(86_400_000_000);
