//! What was carried over from a log and what was not, counted: the report's applications, jobs, stages and users.

use std::collections::{BTreeMap, BTreeSet};

use super::jobs::JobEnd;
use super::parts::ScenarioParts;
use super::record::{LogJob, StageEnd};
use super::report::{
    ApplicationReport, ClusterReport, EventsReport, FORMAT, ImportReport, JobsReport, OneOfSeveralReport,
    StagesReport, UserReport,
};
use super::{ties, unlike};
use fairlane::policy::spark::{self, PoolMode};
use fairlane::trace::Trace;

impl ScenarioParts<'_> {
    /// Counts into a report what was carried over and what was not; `observed` is the trace of what happened.
    pub(super) fn take_inventory(&self, observed: &Trace, report: &mut ImportReport) {
        let (application, counts) = (&self.log.application, &self.log.counts);
        report.format = FORMAT;
        report.application = ApplicationReport {
            name: application.name.clone(),
            id: application.id.clone(),
            spark: application.version.clone(),
            start_ms: self.schedule.origin,
        };
        report.applications = self.application_reports(observed);
        report.events = EventsReport {
            files: counts.files,
            bytes: counts.bytes,
            lines: counts.lines,
            not_needed: counts.unused.clone(),
            cut: counts.cuts.clone(),
            complete: counts.ended,
        };
        report.tasks = self.tasks.report.clone();
        self.count_jobs(&mut report.jobs);
        self.count_stages(&mut report.stages);
        report.users.fallbacks = self.fallbacks();
        report.users.users = self.user_reports(&observed.users);
        self.describe_cluster(&mut report.cluster);
        report.unlike = unlike::find(self);
        (report.observed.moved, report.observed.moved_most_ms) = self.moved();
    }

    /// Each of several applications with what its jobs have in common.
    fn application_reports(&self, observed: &Trace) -> Vec<OneOfSeveralReport> {
        let known = self.log.applications.iter().zip(&self.placement.of_applications);
        let report = known.map(|(application, &cores)| OneOfSeveralReport {
            name: application.name.clone(),
            id: application.id.clone(),
            attempt: application.attempt.clone(),
            user: application.user.clone(),
            queue: application.queue.clone(),
            pool: application.pool.clone(),
            cores,
            ..OneOfSeveralReport::default()
        });
        let mut reports: Vec<OneOfSeveralReport> = report.collect();
        for (job, run) in self.jobs.iter().zip(&observed.jobs) {
            let Some(report) = reports.get_mut(self.application_of(job) as usize) else { continue };
            let from = run.arrival.seconds();
            report.from_s = if report.jobs == 0 { from } else { report.from_s.min(from) };
            report.until_s = report.until_s.max(run.outcome.at().seconds());
            report.jobs += 1;
        }
        reports
    }

    fn describe_cluster(&self, report: &mut ClusterReport) {
        let log = self.log;
        report.ran_with = spark::INFO.id;
        report.executors = self.placement.executors;
        report.cores_per_executor = self.placement.cores_per_executor;
        let executors = log.executors.iter().filter(|executor| !executor.is_driver);
        let first = executors.filter_map(|executor| executor.added).min();
        let waited = first.zip(log.application.started).and_then(|(first, begun)| first.checked_sub(begun));
        report.first_executor_s = waited.map(|millis| millis as f64 / 1e3);
        report.old_defaults = log.old_defaults();
        let has_ties = report.scheduler_mode == PoolMode::Fair && report.pools.len() > 1;
        report.ties = has_ties.then(|| ties::count(log, &self.tasks));
    }

    fn count_jobs(&self, report: &mut JobsReport) {
        let ScenarioParts { log, tasks, jobs, .. } = self;
        let with_tasks: BTreeSet<u32> =
            tasks.nodes.iter().map(|node| log.stages[node.stage as usize].job).collect();
        let count = |holds: &dyn Fn(&LogJob) -> bool| log.jobs.iter().filter(|job| holds(job)).count() as u64;
        let ran: BTreeSet<u32> = tasks.nodes.iter().map(|node| node.stage).collect();
        report.imported = jobs.len() as u64;
        report.sql = jobs.iter().filter(|job| job.execution.is_some()).count() as u64;
        let in_groups = || jobs.iter().filter(|job| !job.group.is_empty());
        let groups: BTreeSet<(&str, &str)> =
            in_groups().map(|job| (job.user.as_str(), job.group.as_str())).collect();
        report.groups = groups.len() as u64;
        report.in_groups = in_groups().count() as u64;
        report.unfinished = jobs.iter().filter(|job| job.end == JobEnd::Unfinished).count() as u64;
        report.stopped = jobs.iter().filter(|job| job.end.cancelled_at().is_some()).count() as u64;
        let unstarted =
            |job: &LogJob| job.ended.is_none() && !job.stages.iter().any(|stage| ran.contains(stage));
        report.unstarted = log.jobs.iter().filter(|job| unstarted(job)).count() as u64;
        report.in_several_groups = jobs.iter().filter(|job| job.in_several_groups).count() as u64;
        report.spark_in_log = log.jobs.len() as u64;
        report.spark_without_tasks = (log.jobs.len() - with_tasks.len()) as u64;
        report.spark_without_end = count(&|job| job.ended.is_none());
        report.spark_failed = count(&|job| job.failed);
        report.spark_repeated = log.counts.repeated_jobs;
        let with_job: BTreeSet<u64> = log.jobs.iter().filter_map(|job| log.root_execution(job)).collect();
        let executions = || log.executions.iter();
        report.executions_in_log = log.executions.len() as u64;
        report.executions_nested = executions().filter(|(id, known)| known.root != **id).count() as u64;
        report.executions_without_job =
            executions().filter(|(_, known)| !with_job.contains(&known.root)).count() as u64;
        report.executions_without_end = executions().filter(|(_, known)| !known.has_end).count() as u64;
        report.executions_failed = executions().filter(|(_, known)| known.failed).count() as u64;
        report.replanned = log.counts.replanned;
    }

    fn count_stages(&self, report: &mut StagesReport) {
        let ScenarioParts { log, tasks, .. } = self;
        let imported: BTreeSet<(u32, u32)> =
            tasks.nodes.iter().map(|node| (node.stage, node.attempt)).collect();
        report.imported = tasks.nodes.len() as u64;
        for (stage, known) in (0..).zip(&log.stages) {
            let ran = imported.range((stage, 0)..=(stage, u32::MAX)).next().is_some();
            report.skipped += u64::from(known.attempts.is_empty() && !ran);
            for attempt in &known.attempts {
                let ran = imported.contains(&(stage, attempt.number));
                report.without_tasks += u64::from(!ran);
                report.retried += u64::from(ran && attempt.number > 0);
                report.barrier += u64::from(ran && known.is_barrier);
                report.of_profiles += u64::from(ran && known.profile > 0);
                report.failed += u64::from(attempt.end == StageEnd::Failed);
                report.cancelled += u64::from(attempt.end == StageEnd::Cancelled);
            }
        }
    }

    /// How many jobs have no user by the rule, by what theirs is read from instead.
    fn fallbacks(&self) -> BTreeMap<String, u64> {
        let mut fallbacks = BTreeMap::new();
        self.jobs.iter().filter_map(|job| job.user_source.clone()).for_each(|source| {
            *fallbacks.entry(source).or_default() += 1;
        });
        fallbacks
    }

    fn user_reports(&self, users: &[String]) -> Vec<UserReport> {
        let mut reports: Vec<UserReport> =
            users.iter().map(|name| UserReport { name: name.clone(), ..UserReport::default() }).collect();
        let index: BTreeMap<&str, usize> = users.iter().map(String::as_str).zip(0..).collect();
        for job in &self.jobs {
            let report = &mut reports[index[job.user.as_str()]];
            report.jobs += 1;
            report.named_jobs += u64::from(job.user_source.is_none());
            let runs = job.nodes.iter().flat_map(|&node| &self.tasks.nodes[node as usize].runs);
            let held = runs.map(|&run| self.schedule.ends[run as usize] - self.schedule.starts[run as usize]);
            report.core_s += held.sum::<u64>() as f64 / 1e6;
        }
        reports
    }
}
