//! Spark's dynamic allocation, as a log shows it: its settings, how long executors took to start, and how long they
//! stayed when they had nothing to do.
//!
//! A log says when executors came, not when they were asked for. Those instants follow from the rules of Spark's
//! `ExecutorAllocationManager` (docs/model.md), applied to the stages and tasks of the log.

use std::collections::{BTreeMap, VecDeque};

use strum::{Display, EnumString, VariantArray};

use super::cores::Placement;
use super::log::Log;
use super::report::AllocationReport;
use super::tasks::ImportedTasks;
use super::unknown_word;
use super::version::SHUFFLE_TRACKING;
use fairlane::scenario::{Cluster, DynamicAllocation, ExecutorBounds};
use fairlane::units::Span;

/// Which executors a scenario has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = unknown_word::<ExecutorRule>)]
pub enum ExecutorRule {
    /// Those of the log, as they came and went.
    #[default]
    Recorded,
    /// Those that dynamic allocation asks for.
    Dynamic,
}

/// The dynamic allocation of a log on the scenario's cluster; `None` if the log ran without.
pub(super) fn of(
    log: &Log,
    tasks: &ImportedTasks,
    placement: &Placement,
    report: &mut Option<AllocationReport>,
) -> Option<DynamicAllocation> {
    let idle_timeout = idle_timeout(log)?;
    let setting = |name: &str| setting(log, name);
    let whole = |name: &str| setting(name).and_then(|text| text.parse::<u32>().ok());
    let time = |name: &str| setting(name).and_then(span);
    let executors = placement.executors;
    let max = whole("maxExecutors").unwrap_or(executors).clamp(1, executors);
    let min = whole("minExecutors").unwrap_or(0).min(max);
    let instances = log.setting("spark.executor.instances").and_then(|text| text.parse().ok()).unwrap_or(0);
    let initial = whole("initialExecutors").unwrap_or(min).max(instances).clamp(min, max);
    let defaults = DynamicAllocation::default();
    let mut allocation = DynamicAllocation {
        min,
        // Where it is the cluster's number it follows the cluster.
        max: (max < executors).then_some(max),
        initial: Some(initial),
        backlog: time("schedulerBacklogTimeout").unwrap_or(defaults.backlog),
        sustained: time("sustainedSchedulerBacklogTimeout"),
        idle: idle_timeout,
        start: defaults.start,
        // With a shuffle service executors need not keep what they have written.
        shuffle_tracking: log.in_force(SHUFFLE_TRACKING) == Some("true")
            && log.setting("spark.shuffle.service.enabled") != Some("true"),
        shuffle_timeout: time("shuffleTracking.timeout"),
    };
    let starts = starts(log, tasks, placement, &allocation);
    let stays = idle_stays(log, idle_timeout);
    allocation.start = median(&starts).unwrap_or(allocation.start);
    allocation.idle = median(&stays).unwrap_or(allocation.idle);
    *report = Some(AllocationReport {
        started: starts.len() as u64,
        start_s: allocation.start.seconds(),
        idle_timeout_s: idle_timeout.seconds(),
        removed: stays.len() as u64,
        idle_s: allocation.idle.seconds(),
    });
    Some(allocation)
}

/// How long an executor may be idle before dynamic allocation asks it to stop; `None` if the log ran without.
pub(super) fn idle_timeout(log: &Log) -> Option<Span> {
    let timeout = || setting(log, "executorIdleTimeout").and_then(span);
    (setting(log, "enabled") == Some("true")).then(|| timeout().unwrap_or(DynamicAllocation::default().idle))
}

fn setting<'a>(log: &'a Log, name: &str) -> Option<&'a str> {
    log.setting(&format!("spark.dynamicAllocation.{name}"))
}

/// A time as Spark's settings spell it: a whole number with a unit, seconds without one.
pub(super) fn span(text: &str) -> Option<Span> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let unit: u64 = match text[digits..].trim() {
        "us" => 1,
        "ms" => 1_000,
        "" | "s" => 1_000_000,
        "m" | "min" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ => return None,
    };
    text[..digits].parse::<u64>().ok()?.checked_mul(unit).map(Span)
}

fn median(spans: &[Span]) -> Option<Span> {
    spans.get(spans.len() / 2).copied()
}

/// What changes at an instant.
#[derive(Default)]
struct Change {
    ended: u32,
    joined: u32,
    left: u32,
    submitted: u32,
    launched: u32,
    has_submission: bool,
}

/// From each request to its executor, ascending.
fn starts(
    log: &Log,
    tasks: &ImportedTasks,
    placement: &Placement,
    allocation: &DynamicAllocation,
) -> Vec<Span> {
    let mut changes: BTreeMap<u64, Change> = BTreeMap::new();
    for node in 0..tasks.nodes.len() as u32 {
        let change = changes.entry(tasks.submitted(log, node)).or_default();
        change.submitted += tasks.nodes[node as usize].runs.len() as u32;
        change.has_submission = true;
    }
    for run in &tasks.runs {
        changes.entry(run.launch).or_default().launched += 1;
        changes.entry(run.finish).or_default().ended += 1;
    }
    for executor in log.executors.iter().filter(|executor| !executor.is_driver) {
        if let Some(at) = executor.added {
            changes.entry(at).or_default().joined += 1;
        }
        if let Some(at) = executor.removed {
            changes.entry(at).or_default().left += 1;
        }
    }
    let bounds = allocation.bounds(&Cluster::new(placement.executors, placement.cores_per_executor));
    let mut manager = Manager {
        bounds,
        cores: placement.cores_per_executor,
        backlog: allocation.backlog.0 / 1000,
        sustained: allocation.sustained.unwrap_or(allocation.backlog).0 / 1000,
        target: bounds.initial,
        add: 1,
        due: None,
        present: 0,
        pending: 0,
        running: 0,
        // Those there from the beginning were asked for before the log.
        requests: vec![None; bounds.initial as usize].into(),
        starts: Vec::new(),
        has_begun: false,
    };
    let tick = DynamicAllocation::TICK.0 / 1000;
    let mut last = None;
    for (at, change) in changes {
        // Between changes only a request that is due changes anything.
        let mut next: u64 = last.map_or(at, |last: u64| last + tick);
        while next < at {
            let Some(due) = manager.due.filter(|_| manager.wants_more()) else { break };
            next = next.max(due);
            if next >= at {
                break;
            }
            manager.tick(next);
            next += tick;
        }
        manager.apply(at, &change);
        manager.tick(at);
        last = Some(at);
    }
    manager.starts.sort_unstable();
    manager.starts
}

/// What Spark's manager knows. Instants and times in ms.
struct Manager {
    bounds: ExecutorBounds,
    cores: u32,
    backlog: u64,
    sustained: u64,
    target: u32,
    add: u32,
    due: Option<u64>,
    present: u32,
    pending: u32,
    running: u32,
    /// When executors that have not come yet were asked for.
    requests: VecDeque<Option<u64>>,
    starts: Vec<Span>,
    has_begun: bool,
}

impl Manager {
    fn apply(&mut self, at: u64, change: &Change) {
        self.pending = (self.pending + change.submitted).saturating_sub(change.launched);
        self.running = (self.running + change.launched).saturating_sub(change.ended);
        for _ in 0..change.joined {
            self.present += 1;
            if let Some(Some(asked)) = self.requests.pop_front() {
                self.starts.push(Span(at.saturating_sub(asked).saturating_mul(1000)));
            }
        }
        self.present = self.present.saturating_sub(change.left);
        self.has_begun |= change.has_submission;
        if change.has_submission && self.due.is_none() {
            self.due = Some(at + self.backlog);
        }
        if self.pending == 0 {
            (self.due, self.add) = (None, 1);
        }
    }

    /// Executors that have something to run.
    fn needed(&self) -> u32 {
        self.pending.saturating_add(self.running).div_ceil(self.cores.max(1))
    }

    fn wants_more(&self) -> bool {
        self.has_begun && self.target < self.needed().min(self.bounds.max)
    }

    fn tick(&mut self, now: u64) {
        if !self.has_begun {
            return;
        }
        let ExecutorBounds { min, max, .. } = self.bounds;
        let needed = self.needed();
        if needed < self.target {
            (self.target, self.add) = (needed.max(min), 1);
        } else if self.due.is_some_and(|due| now >= due) {
            let before = self.target;
            self.target = min.max((self.target.max(self.present) + self.add).min(needed).min(max));
            self.add = if before < max && self.target - before == self.add { 2 * self.add } else { 1 };
            self.due = Some(now + self.sustained);
        }
        let wanted = self.target.saturating_sub(self.present) as usize;
        self.requests.resize(wanted, Some(now));
    }
}

/// Since when each executor has been idle, in ms since 1970: the end of its last task, of a warm-up as well, or its
/// start.
pub(super) fn idle_from(log: &Log) -> Vec<Option<u64>> {
    let mut idle: Vec<Option<u64>> = log.executors.iter().map(|executor| executor.added).collect();
    for task in &log.tasks {
        let idle = &mut idle[task.executor as usize];
        *idle = Some(task.finish).max(*idle);
    }
    idle
}

/// How long executors that were removed had been idle, those that were removed for another reason left out; ascending.
fn idle_stays(log: &Log, idle_timeout: Span) -> Vec<Span> {
    let stay = |(executor, last): (&super::record::LogExecutor, Option<u64>)| {
        Some(Span(executor.removed?.checked_sub(last?)?.saturating_mul(1000)))
    };
    let mut stays: Vec<Span> = log.executors.iter().zip(idle_from(log)).filter_map(stay).collect();
    stays.retain(|stay| *stay >= idle_timeout);
    stays.sort_unstable();
    stays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_spark_reads_them() {
        let seconds = |text: &str| span(text).map(Span::seconds);
        assert_eq!(
            ["60s", "5", "100ms", "2min", "1h"].map(seconds),
            [60.0, 5.0, 0.1, 120.0, 3600.0].map(Some)
        );
        assert_eq!(["", "soon", "5 weeks"].map(seconds), [None; 3]);
    }
}
