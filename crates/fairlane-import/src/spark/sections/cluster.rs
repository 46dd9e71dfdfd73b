//! Executors, scheduler and driver.

use super::LogSection;
use crate::spark::report::{
    AllocationReport, ClusterReport, CostsReport, DriverReport, ModeSource, ObservedReport, PoolReport,
    PoolSource, SessionsReport, SizeReport,
};
use fairlane::number::counted;
use fairlane::policy::spark::{Pool, PoolMode};
use fairlane::scenario::Sessions;

impl ClusterReport {
    pub(super) fn sections(&self) -> Vec<LogSection> {
        let text = format!(
            "{} x {}; the log names {}, {:.1} cores on average",
            counted(self.executors as usize, "executor"),
            counted(self.cores_per_executor as usize, "core"),
            counted(self.executors_in_log as usize, "executor"),
            self.mean_cores
        );
        let changed = [(self.guessed_executors, "executor{|s} of guessed size")];
        let sizes = self.sizes.iter().map(|SizeReport { cores, executors }| format!("{executors} x {cores}"));
        let uneven = self.uneven.then(|| {
            format!(
                "executors of several sizes ({} cores) are places of {}, which come and go together",
                sizes.collect::<Vec<_>>().join(", "),
                counted(self.cores_per_executor as usize, "core")
            )
        });
        let waited = self
            .first_executor_s
            .map(|seconds| format!("the first executor came {seconds:.1} s after the application had begun"));
        let memory =
            self.memory_mb_per_executor.map(|memory| format!("{memory} MB of memory for each executor"));
        let ties = self.ties.map(|ties| {
            format!(
                "{} between pools with equally many running tasks: {} won by the first name",
                counted(ties.ties as usize, "tie"),
                ties.to_first
            )
        });
        let came_and_went = (!self.executors_at.is_empty()).then(|| {
            let changes = counted(self.executors_at.len(), "change");
            format!("executors as they came and went: {changes} in their number")
        });
        let allocation = self.allocation.map(|allocation| {
            let AllocationReport { started, start_s, idle_timeout_s, removed, idle_s } = allocation;
            let came = match started {
                0 => format!("none is seen to come when asked for ({start_s:.1} s is assumed)"),
                _ => format!("executors came {start_s:.1} s after they were asked for (median of {started})"),
            };
            let went = match removed {
                0 => format!("none was idle for the time-out of {idle_timeout_s} s"),
                _ => format!(
                    "they were gone {idle_s:.1} s after their last task (median of {removed}; the time-out is \
                     {idle_timeout_s} s)"
                ),
            };
            format!("dynamic allocation: {came}, and {went}")
        });
        let details = [
            came_and_went,
            uneven,
            waited,
            allocation,
            LogSection::list("not as in the log", &changed),
            memory,
        ];
        let cluster = LogSection::new("cluster", text, details);
        let pools = self.pools.iter().map(|pool| Some(pool.sentence()));
        let several = [(self.in_several_pools, "SQL execution{|s} whose jobs of Spark are in several")];
        let details = [self.advice(), LogSection::list("pools job by job", &several), ties];
        let details = details.into_iter().chain(self.old_defaults.iter().cloned().map(Some));
        let scheduler = format!("{} ({})", mode(self.scheduler_mode), self.mode_source.words());
        let pools = if self.scheduler_mode == PoolMode::Fair { pools.collect() } else { Vec::new() };
        let remarks = self.pools_file_remarks.iter().map(|remark| Some(format!("pools file, {remark}")));
        vec![cluster, LogSection::new("mode", scheduler, pools.into_iter().chain(remarks).chain(details))]
    }

    /// What would make the scheduler better known.
    fn advice(&self) -> Option<String> {
        let assumed = self.pools.iter().any(|pool| pool.source == PoolSource::Assumed);
        match (self.mode_source, &self.allocation_file) {
            (ModeSource::Assumed, _) => Some(
                "the log does not have its settings: give the mode with --mode fifo or --mode fair"
                    .to_owned(),
            ),
            (_, Some(file))
                if assumed && self.pools.iter().all(|pool| pool.source == PoolSource::Assumed) =>
            {
                Some(format!("the cluster had a pools file, {file}: give it with --pools"))
            }
            _ => None,
        }
    }
}

impl ModeSource {
    fn words(self) -> &'static str {
        match self {
            ModeSource::Log => "spark.scheduler.mode",
            ModeSource::Given => "as given",
            ModeSource::Assumed => "assumed: the mode is unknown",
        }
    }
}

fn mode(mode: PoolMode) -> &'static str {
    match mode {
        PoolMode::Fifo => "FIFO",
        PoolMode::Fair => "FAIR",
    }
}

impl PoolReport {
    fn sentence(&self) -> String {
        let Pool { name, weight, min_share, .. } = &self.pool;
        let source = match self.source {
            PoolSource::Declared => "declared",
            PoolSource::Application => "an application with its own executors",
            PoolSource::Assumed => "assumed",
        };
        let inside = mode(self.pool.mode);
        let users = counted(self.users.len(), "user");
        let cap = self.pool.max_share.map(|cores| format!(", at most {}", counted(cores as usize, "core")));
        format!(
            "pool {name} ({source}): {inside} inside, weight {weight}, minimum share {min_share}{}, {users}",
            cap.unwrap_or_default()
        )
    }
}

impl CostsReport {
    pub(super) fn section(&self) -> LogSection {
        let text = format!(
            "{} ms a task, first wave x {}, {} ms for a core to change jobs (from {})",
            self.task_overhead_s * 1e3,
            self.first_wave,
            self.core_move_s * 1e3,
            counted(self.stages_measured as usize, "stage")
        );
        LogSection::new("costs", text, [])
    }
}

impl DriverReport {
    pub(super) fn section(&self) -> LogSection {
        let text = format!(
            "{:.3} s before stages, median {:.0} ms after an arrival and {:.0} ms after other stages; in the \
                scenario: {}",
            self.total_s,
            self.median_root_s * 1e3,
            self.median_s * 1e3,
            self.rule
        );
        let after = (self.after_s > 0.0005)
            .then(|| format!("{:.3} s between the last tasks of jobs and their ends", self.after_s));
        let profile = (self.for_profile_s > 0.0).then(|| {
            format!("{:.3} s until the first executor of a stage's resource profile came", self.for_profile_s)
        });
        let stage = self.median_error.map(|error| {
            format!("each stage's own, because with the median the scenario is off by {:.1} %", error * 100.0)
        });
        LogSection::new("driver", text, [after, profile, stage])
    }
}

impl SessionsReport {
    pub(super) fn section(&self) -> LogSection {
        let text = format!(
            "guessed: {} of {} wait for the answer before",
            counted(self.jobs_that_wait as usize, "job"),
            counted(self.sessions as usize, "session")
        );
        let open = (self.arrivals == Sessions::Open)
            .then(|| "arrivals are open: jobs arrive when they did, whatever they wait for".to_owned());
        LogSection::new("asking", text, [open])
    }
}

impl ObservedReport {
    pub(super) fn section(&self) -> LogSection {
        let verdict = match &self.fault {
            Some(fault) => format!("BREAKS A RULE: {fault}"),
            None => "passes the check".to_owned(),
        };
        let text = format!(
            "{verdict}; {} moved by 1 ms or more, {} ms at most",
            counted(self.moved as usize, "task"),
            self.moved_most_ms
        );
        LogSection::new("trace", text, [])
    }
}
