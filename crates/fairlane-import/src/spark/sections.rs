//! The report for people, a section for each subject.

use serde::{Deserialize, Serialize};

use super::ImportReport;
use super::replay::{BaselineReport, ReplayReport};
use super::report::{
    AllocationReport, ClusterReport, CostsReport, DriverReport, EventsReport, JobsReport, ModeSource,
    ObservedReport, PoolReport, PoolSource, SessionsReport, StagesReport, TasksReport,
};
use super::tasks::WARM_UP;
use fairlane::metrics::ReplayError;
use fairlane::number::counted;
use fairlane::policy::spark::{Pool, PoolMode};
use fairlane::scenario::Sessions;

/// What a report says of one subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogSection {
    /// The subject, in a word.
    pub title: String,
    /// What was carried over.
    pub text: String,
    /// What was not, or not as it is in the log; one sentence each.
    pub details: Vec<String>,
}

impl LogSection {
    /// A section; details that are `None` are left out.
    pub fn new(title: &str, text: String, details: impl IntoIterator<Item = Option<String>>) -> LogSection {
        LogSection { title: title.to_owned(), text, details: details.into_iter().flatten().collect() }
    }

    /// A sentence with those counts that are not 0.
    pub fn list(title: &str, counts: &[(u64, &str)]) -> Option<String> {
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        (!counts.is_empty()).then(|| format!("{title}: {}", counts.join(", ")))
    }
}

impl ImportReport {
    /// The report in sentences, without its users.
    pub fn sections(&self) -> Vec<LogSection> {
        let application = &self.application;
        let spark = if application.spark.is_empty() { "unknown" } else { &application.spark };
        let log =
            LogSection::new("log", format!("{} ({}), Spark {spark}", application.name, application.id), []);
        [log]
            .into_iter()
            .chain(self.events.sections())
            .chain([self.tasks.section(self.jobs.spark_repeated), self.jobs.section(), self.stages.section()])
            .chain(self.cluster.sections())
            .chain([
                self.costs.section(),
                self.driver.section(),
                self.sessions.section(),
                self.observed.section(),
            ])
            .chain(self.replay.as_ref().map(|replay| self.replay_section(replay)))
            .chain(self.baseline.as_ref().map(BaselineReport::section))
            .collect()
    }

    fn replay_section(&self, replay: &ReplayReport) -> LogSection {
        let ReplayReport { policy, mean_error, median_error, bias, explained } = replay;
        let text = format!(
            "under {policy} a job's response time is off by {:.1} % (median {:.1} %), the mean response by {:+.1} %",
            mean_error * 100.0,
            median_error * 100.0,
            bias * 100.0
        );
        let far = !replay.is_near();
        let without = [
            (explained.order, "the order of Spark's pools and jobs"),
            (explained.driver_time, "the driver's time"),
            (explained.executors, "executors that come and go"),
        ];
        let without = without.into_iter().filter_map(|(more, rule)| {
            Some(format!("without {rule} by {:.1} %", (mean_error + more?) * 100.0))
        });
        let without = format!("it would be off {}", without.collect::<Vec<_>>().join(", "));
        let most = ReplayError::TOLERANCE * 100.0;
        let no_verdict =
            format!("more than {most} %: too far from the log for a verdict on another policy or cluster");
        let cluster = &self.cluster;
        let assumed = cluster.pools.iter().filter(|pool| pool.source == PoolSource::Assumed).count() as u64;
        let left_out = self
            .tasks
            .left_out
            .iter()
            .filter(|(reason, _)| **reason != WARM_UP)
            .map(|(_, count)| count)
            .sum();
        let reasons = [
            (u64::from(cluster.mode_source == ModeSource::Assumed), "mode that is unknown"),
            (
                if cluster.allocation_file.is_some() { assumed } else { 0 },
                "pools that the cluster's file may declare",
            ),
            (u64::from(cluster.uneven), "executor for several of different sizes"),
            (cluster.guessed_executors, "executors of guessed size"),
            (left_out, "tasks left out"),
            (self.tasks.failed + self.tasks.killed, "failed or killed attempts"),
        ];
        let reasons = LogSection::list("it may be for", &reasons);
        LogSection::new(
            "replay",
            text,
            [Some(without), Some(no_verdict).filter(|_| far), reasons.filter(|_| far)],
        )
    }
}

impl BaselineReport {
    fn section(&self) -> LogSection {
        let text = format!(
            "what-ifs begin with this scenario, in which a job's response time is off by {:.1} % (median {:.1} %), \
             the mean response by {:+.1} %",
            self.mean_error * 100.0,
            self.median_error * 100.0,
            self.bias * 100.0
        );
        let held = self
            .held_error
            .map(|error| format!("the time that executors are there is off by {:+.1} %", error * 100.0));
        LogSection::new("what-if", text, [held])
    }
}

impl EventsReport {
    fn sections(&self) -> Vec<LogSection> {
        let text = format!(
            "{} in {}, {:.1} MB of text",
            counted(self.lines as usize, "event"),
            counted(self.files as usize, "file"),
            self.bytes as f64 / 1e6
        );
        let cuts = self.cut.iter().map(|cut| Some(format!("cut: {cut}; what comes before is imported")));
        let unended = (!self.complete).then(|| "the end of the application is not in the log".to_owned());
        let names = self.not_needed.iter().map(|(name, count)| format!("{count} {name}"));
        let names: Vec<String> = names.collect();
        let unneeded: u64 = self.not_needed.values().sum();
        let unneeded = (unneeded > 0).then(|| format!("{unneeded} not needed: {}", names.join(", ")));
        vec![LogSection::new("events", text, cuts.chain([unended, unneeded]))]
    }
}

impl TasksReport {
    fn section(&self, repeated_jobs: u64) -> LogSection {
        let left_out = self.in_log - self.imported;
        let text = format!("{} in the log = {} imported + {left_out} left out", self.in_log, self.imported);
        let reasons = self.left_out.iter().map(|(reason, count)| Some(format!("left out: {count} {reason}")));
        let shortened = (self.shortened > 0).then(|| {
            format!(
                "{} end earlier than stamped, {} ms at most: their core was taken or their stage was over",
                self.shortened, self.shortened_most_ms
            )
        });
        let details = [
            LogSection::list(
                "imported too",
                &[
                    (self.failed, "failed attempts"),
                    (self.killed, "killed attempts"),
                    (self.speculative, "speculative copies"),
                ],
            ),
            shortened,
            LogSection::list(
                "the log has again",
                &[(self.repeated, "ends of tasks"), (repeated_jobs, "job starts")],
            ),
        ];
        LogSection::new("tasks", text, reasons.chain(details))
    }
}

impl JobsReport {
    fn section(&self) -> LogSection {
        let what = if self.unit == "sql" { "SQL executions, jobs outside of SQL" } else { "jobs of Spark" };
        let text = format!(
            "{} imported ({what}); {} of Spark and {} SQL executions in the log",
            self.imported, self.spark_in_log, self.executions_in_log
        );
        let left_out = [
            (self.spark_without_tasks, "jobs of Spark without an imported task"),
            (self.executions_without_job, "SQL executions without a job"),
        ];
        let unfinished = [
            (self.spark_failed, "failed jobs"),
            (self.spark_without_end, "jobs without an end"),
            (self.executions_failed, "failed SQL executions"),
            (self.executions_without_end, "SQL executions without an end"),
        ];
        let grouped = (self.groups > 0).then(|| {
            format!(
                "{} of {} in all",
                counted(self.groups as usize, "job group"),
                counted(self.in_groups as usize, "job")
            )
        });
        let details = [
            grouped,
            LogSection::list(
                "in no job group",
                &[(self.in_several_groups, "SQL executions whose jobs are in several")],
            ),
            LogSection::list("left out", &left_out),
            LogSection::list("imported as far as they ran", &unfinished),
            LogSection::list("part of others", &[(self.executions_nested, "nested SQL executions")]),
            LogSection::list("planned again", &[(self.replanned, "times by adaptive execution")]),
        ];
        LogSection::new("jobs", text, details)
    }
}

impl StagesReport {
    fn section(&self) -> LogSection {
        let left_out = [
            (self.skipped, "skipped stages"),
            (self.without_tasks, "stages without an imported task"),
            (self.parents_in_other_jobs, "orders between different jobs"),
            (self.overlapping_parents, "orders of stages that overlap"),
        ];
        let unfinished = [
            (self.retried, "further attempts"),
            (self.failed, "failed attempts"),
            (self.cancelled, "cancelled attempts"),
        ];
        let unlike = [
            (self.barrier, "barrier stages, whose tasks Spark starts all at once"),
            (self.of_profiles, "stages with a resource profile, which Spark runs on its executors alone"),
        ];
        let text = format!("{} imported, {} orders between them", self.imported, self.parents);
        LogSection::new(
            "stages",
            text,
            [
                LogSection::list("left out", &left_out),
                LogSection::list("imported as far as they ran", &unfinished),
                LogSection::list("simulated as any other", &unlike),
            ],
        )
    }
}

impl ClusterReport {
    fn sections(&self) -> Vec<LogSection> {
        let text = format!(
            "{} x {}; the log names {}, {:.1} cores on average",
            counted(self.executors as usize, "executor"),
            counted(self.cores_per_executor as usize, "core"),
            counted(self.executors_in_log as usize, "executor"),
            self.mean_cores
        );
        let changed = [
            (u64::from(self.uneven), "executor for several of different sizes"),
            (self.guessed_executors, "executors of guessed size"),
        ];
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
            format!(
                "dynamic allocation: executors came {start_s:.1} s after they were asked for (median of {started}), \
                 and were gone {idle_s:.1} s after their last task (median of {removed}; the time-out is \
                 {idle_timeout_s} s)"
            )
        });
        let details = [came_and_went, allocation, LogSection::list("not as in the log", &changed), memory];
        let cluster = LogSection::new("cluster", text, details);
        let pools = self.pools.iter().map(|pool| Some(pool.sentence()));
        let several = [(self.in_several_pools, "SQL executions in several pools, which are in the first")];
        let details = [self.advice(), LogSection::list("not as in the log", &several), ties];
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
            PoolSource::Assumed => "assumed",
        };
        let inside = mode(self.pool.mode);
        let users = counted(self.users.len(), "user");
        format!(
            "pool {name} ({source}): {inside} inside, weight {weight}, minimum share {min_share}, {users}"
        )
    }
}

impl CostsReport {
    fn section(&self) -> LogSection {
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
    fn section(&self) -> LogSection {
        let text = format!(
            "{:.3} s before stages, median {:.0} ms after an arrival and {:.0} ms after other stages; in the \
                scenario: {}",
            self.total_s,
            self.median_root_s * 1e3,
            self.median_s * 1e3,
            self.rule
        );
        LogSection::new("driver", text, [])
    }
}

impl SessionsReport {
    fn section(&self) -> LogSection {
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
    fn section(&self) -> LogSection {
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
