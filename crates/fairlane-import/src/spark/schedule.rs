//! When each task held its core, in the scenario's time: what the trace, and all that is measured of it, begins with.

use std::collections::HashMap;

use super::costs::{PreviousTask, TaskCosts};
use super::graph::Parents;
use super::tasks::ImportedTasks;
use fairlane::units::Time;

/// When each task held its core, in µs of the scenario.
pub(super) struct JobSchedule {
    /// The instant that is 0 s, in ms since 1970.
    pub(super) origin: u64,
    pub(super) starts: Vec<u64>,
    pub(super) ends: Vec<u64>,
}

impl JobSchedule {
    /// The log's instants, corrected where they cannot be as the log rounds them: a task shorter than its costs ends
    /// later, and what waits for its core or stage begins later.
    /// With it comes the length of each task without its costs, in µs.
    pub(super) fn new(
        tasks: &ImportedTasks,
        parents: &Parents,
        core: &[u32],
        before: &[PreviousTask],
        costs: &TaskCosts,
        origin: u64,
    ) -> (JobSchedule, Vec<u64>) {
        let micros = |millis: u64| millis.saturating_sub(origin) * 1000;
        let mut free_from: HashMap<u32, u64> = HashMap::new();
        let mut ends_of = vec![0; tasks.nodes.len()];
        let count = tasks.runs.len();
        let (starts, ends) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut schedule = JobSchedule { origin, starts, ends };
        let mut durations = Vec::with_capacity(count);
        for (index, run) in tasks.runs.iter().enumerate() {
            let parents = parents.parents(run.node).iter().map(|&parent| ends_of[parent as usize]);
            let ready = parents.max().unwrap_or(0);
            let free = free_from.entry(core[index]).or_default();
            let start = micros(run.launch).max(ready).max(*free);
            let duration = costs.duration(micros(run.finish).saturating_sub(start), before[index]);
            let end = start + costs.held(duration, before[index]);
            *free = end;
            let end_of = &mut ends_of[run.node as usize];
            *end_of = end.max(*end_of);
            schedule.starts.push(start);
            schedule.ends.push(end);
            durations.push(duration);
        }
        (schedule, durations)
    }

    /// An instant of the log, in ms since 1970, as one of the scenario.
    pub(super) fn time(&self, millis: u64) -> Time {
        Time(millis.saturating_sub(self.origin).saturating_mul(1000))
    }
}
