//! What was carried over: events, tasks, jobs and stages.

use super::{LogSection, of_number};
use crate::spark::ImportReport;
use crate::spark::report::{EventsReport, JobsReport, SimulatedReport, StagesReport, TasksReport};
use fairlane::number::counted;

impl EventsReport {
    pub(super) fn sections(&self) -> Vec<LogSection> {
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
    pub(super) fn section(&self, repeated_jobs: u64) -> LogSection {
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
                    (self.failed, "failed attempt{|s}"),
                    (self.killed, "killed attempt{|s}"),
                    (self.speculative, "speculative {copy|copies}"),
                    (self.unfinished, "task{|s} that ran when the log ended, which {lasts|last} as long"),
                ],
            ),
            (self.early_retries > 0).then(|| {
                format!(
                    "{} {} before the attempt before had failed, as the log says, {} ms at most",
                    self.early_retries,
                    of_number(self.early_retries, "{retry|retries} began"),
                    self.early_retries_most_ms
                )
            }),
            shortened,
            LogSection::list(
                "the log has again",
                &[(self.repeated, "{end|ends} of tasks"), (repeated_jobs, "job start{|s}")],
            ),
        ];
        LogSection::new("tasks", text, reasons.chain(details))
    }
}

impl JobsReport {
    pub(super) fn section(&self) -> LogSection {
        let what = if self.unit == "sql" { "SQL executions, jobs outside of SQL" } else { "jobs of Spark" };
        let text = format!(
            "{} imported ({what}); {} of Spark and {} SQL executions in the log",
            self.imported, self.spark_in_log, self.executions_in_log
        );
        let left_out = [
            (self.spark_without_tasks, "job{|s} of Spark without an imported task"),
            (self.executions_without_job, "SQL execution{|s} without a job"),
            (self.unstarted, "job{|s} of Spark that had not begun when the log ended"),
        ];
        let unfinished = [
            (self.unfinished, "job{|s} that had not ended when the log did"),
            (self.stopped, "cancelled or failed job{|s}, whose tasks ran on after the user was told"),
            (self.spark_failed, "failed job{|s}"),
            (self.spark_without_end, "job{|s} without an end"),
            (self.executions_failed, "failed SQL execution{|s}"),
            (self.executions_without_end, "SQL execution{|s} without an end"),
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
                &[(self.in_several_groups, "SQL execution{|s} whose jobs are in several")],
            ),
            LogSection::list("left out", &left_out),
            LogSection::list("imported as far as they ran", &unfinished),
            (self.unfinished > 0).then(|| {
                "their times, and means and percentiles with them, are at least what is shown".to_owned()
            }),
            LogSection::list("part of others", &[(self.executions_nested, "nested SQL execution{|s}")]),
            LogSection::list("planned again", &[(self.replanned, "time{|s} by adaptive execution")]),
        ];
        LogSection::new("jobs", text, details)
    }
}

impl ImportReport {
    /// What of attempts and places is simulated, and what is replayed as it was.
    pub(super) fn simulated_section(&self) -> LogSection {
        let SimulatedReport {
            barrier_stages,
            cancelled_jobs,
            interrupted_jobs,
            discarded_tasks,
            local_stages,
            copies,
            losses,
            lost_attempts,
            repeated_tasks,
            profile_stages,
            excluded_executors,
        } = self.simulated;
        let held = cancelled_jobs - interrupted_jobs;
        let simulated = [
            (barrier_stages, "barrier stage{|s}"),
            (interrupted_jobs, "cancelled job{|s}, and {its|their} tasks with {it|them}"),
            (held, "cancelled or failed job{|s}, whose tasks hold their cores to their ends"),
            (copies, "attempt{|s} that another one of {its|their} task overtook"),
            (losses, "lost executor{|s}"),
            (lost_attempts, "attempt{|s} that {its|their} executor took with it"),
            (repeated_tasks, "task{|s} computed again because {its|their} output was lost"),
            (local_stages, "stage{|s} that {waits|wait} for executors near {its|their} data"),
            (profile_stages, "stage{|s} kept to executors of {its|their} resource profile"),
            (excluded_executors, "executor{|s} excluded after failures"),
            (self.cluster.in_several_pools, "SQL execution{|s} with a pool for each job of Spark"),
        ];
        let as_it_was = [
            (self.tasks.failed.saturating_sub(lost_attempts), "failed attempt{|s}"),
            (self.tasks.killed.saturating_sub(self.tasks.speculative.max(copies)), "killed attempt{|s}"),
            (self.tasks.speculative.saturating_sub(copies), "speculative {copy|copies}"),
            (self.stages.retried, "stage{|s} computed again"),
            (self.cluster.lost_executors.saturating_sub(losses), "lost executor{|s}"),
        ];
        let text = LogSection::list("simulated", &simulated);
        let discarded = [(discarded_tasks, "task{|s} as long as the median of their stage")];
        let details = [
            LogSection::list("replayed as it was, each attempt a task", &as_it_was),
            LogSection::list("never launched before the cancellation", &discarded),
        ];
        let none = "every task has one attempt, on any executor".to_owned();
        LogSection::new("attempts", text.unwrap_or(none), details)
    }
}

impl StagesReport {
    pub(super) fn section(&self, simulated: &SimulatedReport) -> LogSection {
        let of_profiles = if simulated.profile_stages > 0 { 0 } else { self.of_profiles };
        let left_out = [
            (self.skipped, "skipped stage{|s}"),
            (self.without_tasks, "stage{|s} without an imported task"),
            (self.parents_in_other_jobs, "order{|s} between different jobs"),
            (self.overlapping_parents, "order{|s} of stages that overlap"),
        ];
        let unfinished = [
            (self.retried, "further attempt{|s}"),
            (self.failed, "failed attempt{|s}"),
            (self.cancelled, "cancelled attempt{|s}"),
        ];
        let unlike = [
            (
                self.barrier - simulated.barrier_stages,
                "barrier stage{|s}, whose tasks Spark starts all at once",
            ),
            (of_profiles, "stage{|s} with a resource profile, which Spark runs on its executors alone"),
        ];
        let text = format!("{} imported, {} orders between them", self.imported, self.parents);
        let guessed = (!self.has_parents).then(|| {
            "the log does not say what stages wait for (Spark before 1.5): each waits for those of its job that had \
             ended when it was submitted"
                .to_owned()
        });
        LogSection::new(
            "stages",
            text,
            [
                LogSection::list("left out", &left_out),
                LogSection::list("imported as far as they ran", &unfinished),
                LogSection::list("simulated as any other", &unlike),
                guessed,
            ],
        )
    }
}
