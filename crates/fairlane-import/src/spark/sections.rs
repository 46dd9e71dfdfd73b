//! The report for people, a section for each subject.

use serde::{Deserialize, Serialize};

use super::ImportReport;
use super::replay::{BaselineReport, ReplayReport};
use super::report::{
    AllocationReport, ClusterReport, CostsReport, DriverReport, EventsReport, JobsReport, ModeSource,
    ObservedReport, OneOfSeveralReport, PoolReport, PoolSource, SessionsReport, SimulatedReport, SizeReport,
    StagesReport, TasksReport,
};
use super::tasks::WARM_UP;
use super::unlike::UnlikeReport;
use fairlane::metrics::ReplayError;
use fairlane::number::{counted, list};
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

    /// A sentence with those counts that are not 0. A noun has both numbers: `job{|s}`, `{copy|copies}`.
    pub fn list(title: &str, counts: &[(u64, &str)]) -> Option<String> {
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {}", of_number(*count, what)))
            .collect();
        (!counts.is_empty()).then(|| format!("{title}: {}", counts.join(", ")))
    }
}

/// Words with the number of their nouns that a count asks for: `job{|s}`.
fn of_number(count: u64, words: &str) -> String {
    let mut text = String::new();
    let mut rest = words;
    while let Some((before, (one, many, after))) = alternatives(rest) {
        text += before;
        text += if count == 1 { one } else { many };
        rest = after;
    }
    text + rest
}

/// What is before the first alternatives of a text, both, and the rest.
fn alternatives(text: &str) -> Option<(&str, (&str, &str, &str))> {
    let (before, rest) = text.split_once('{')?;
    let (one, rest) = rest.split_once('|')?;
    let (many, after) = rest.split_once('}')?;
    Some((before, (one, many, after)))
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
            .chain(self.applications_section())
            .chain(self.events.sections())
            .chain([self.tasks.section(self.jobs.spark_repeated), self.jobs.section()])
            .chain([self.stages.section(self.simulated.barrier_stages)])
            .chain([self.simulated_section()])
            .chain(self.cluster.sections())
            .chain([
                self.costs.section(),
                self.driver.section(),
                self.sessions.section(),
                self.observed.section(),
            ])
            .chain(self.one_user_section())
            .chain(self.fallback_section())
            .chain(self.replay.as_ref().map(|replay| self.replay_section(replay)))
            .chain(self.baseline.as_ref().map(|baseline| self.baseline_section(baseline)))
            .chain(self.certainty())
            .collect()
    }

    /// Several applications, and whether they share their executors.
    fn applications_section(&self) -> Option<LogSection> {
        let shares = self.cluster.pools.iter().all(|pool| pool.source != PoolSource::Application);
        let text = if shares {
            "one application shared by all, a pool for each: what that would have done"
        } else {
            "under spark each has its own executors: a pool with as many cores as they had at most; other policies \
             share all cores, as does --share"
        };
        let details = self.applications.iter().map(|one| {
            let attempt =
                if one.attempt.is_empty() { String::new() } else { format!(", attempt {}", one.attempt) };
            let same = |other: &&OneOfSeveralReport| other.id == one.id;
            let again = match self.applications.iter().filter(same).count() {
                0 | 1 => "",
                _ if self.applications.iter().filter(same).all(|other| other.attempt == one.attempt) => {
                    ", an id that several have: are they of one cluster?"
                }
                _ => ", one of several attempts at one application",
            };
            Some(format!(
                "{} ({}{attempt}{again}): user {}, {}, at most {}, {:.1} to {:.1} s",
                one.name,
                one.id,
                one.user,
                counted(one.jobs as usize, "job"),
                counted(one.cores as usize, "core"),
                one.from_s,
                one.until_s
            ))
        });
        let section = LogSection::new("several", text.to_owned(), details.chain([self.alone()]));
        (!self.applications.is_empty()).then_some(section)
    }

    /// Applications that ran when no other did, if there are any: sharing changes nothing for them.
    fn alone(&self) -> Option<String> {
        let overlap = |one: &OneOfSeveralReport, other: &OneOfSeveralReport| {
            one.from_s < other.until_s && other.from_s < one.until_s
        };
        let is_alone = |(number, one): &(usize, &OneOfSeveralReport)| {
            let others = self.applications.iter().enumerate().filter(|(other, _)| other != number);
            { others }.all(|(_, other)| !overlap(one, other))
        };
        let alone: Vec<String> =
            self.applications.iter().enumerate().filter(is_alone).map(|(_, one)| one.pool.clone()).collect();
        match alone.len() {
            0 => None,
            all if all == self.applications.len() => Some(
                "no two of them ran at one time, so that nobody waited for another's: are these logs of one \
                 evening?"
                    .to_owned(),
            ),
            _ => Some(format!("ran when no other did, and so waited for none: {}", list(&alone))),
        }
    }

    /// How sure answers about this log are, in a line: the error of what they begin with, and what was not simulated.
    /// `None` as long as nothing was simulated.
    fn certainty(&self) -> Option<LogSection> {
        let error = self.error()?;
        let percent = |error: f64| format!("{:.1} %", error * 100.0);
        let text = if error > ReplayError::TOLERANCE {
            format!(
                "no answer: the scenario is off by {} of a job's response time; {NO_VERDICT}",
                percent(error)
            )
        } else {
            format!(
                "a what-if that changes less than {} of a job's response time is within the noise",
                percent(error)
            )
        };
        let unlike: Vec<&str> = self.unlike.iter().map(|unlike| unlike.what).collect();
        let unlike = (!unlike.is_empty()).then(|| format!("not simulated as it was: {}", unlike.join("; ")));
        let second = "how much two runs of the same work differ is not known from one log";
        Some(LogSection::new("sure", text, [unlike, Some(second.to_owned())]))
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
        let without: Vec<String> = without.collect();
        let without = (!without.is_empty()).then(|| format!("it would be off {}", without.join(", ")));
        let reasons = self.reasons();
        LogSection::new("replay", text, [without, Some(too_far()).filter(|_| far), reasons.filter(|_| far)])
    }

    /// Why a simulation may be far from the log, the likeliest reason first.
    fn reasons(&self) -> Option<String> {
        let cluster = &self.cluster;
        let has_pools = cluster.scheduler_mode == PoolMode::Fair && cluster.allocation_file.is_some();
        let is_assumed = |pool: &&PoolReport| pool.source == PoolSource::Assumed;
        let assumed = cluster.pools.iter().filter(is_assumed).count() as u64;
        let left_out = self
            .tasks
            .left_out
            .iter()
            .filter(|(reason, _)| **reason != WARM_UP)
            .map(|(_, count)| count)
            .sum();
        let known =
            self.unlike.iter().map(|UnlikeReport { what, core_s }| format!("{what} ({core_s:.1} core-s)"));
        let others = [
            (u64::from(!self.stages.has_parents), "log that does not say what stages wait for"),
            (u64::from(cluster.mode_source == ModeSource::Assumed), "mode that is unknown"),
            (if has_pools { assumed } else { 0 }, "pool{|s} that the cluster's file may declare"),
            (cluster.guessed_executors, "executor{|s} of guessed size"),
            (left_out, "task{|s} left out"),
            (self.tasks.early_retries, "{retry|retries} that the log says began before the failure"),
        ];
        let others = others.iter().filter(|(count, _)| *count > 0);
        let reasons: Vec<String> =
            known.chain(others.map(|(count, what)| format!("{count} {}", of_number(*count, what)))).collect();
        (!reasons.is_empty()).then(|| format!("it may be for: {}", reasons.join(", ")))
    }

    fn baseline_section(&self, baseline: &BaselineReport) -> LogSection {
        let text = format!(
            "what-ifs begin with this scenario, in which a job's response time is off by {:.1} % (median {:.1} %), \
             the mean response by {:+.1} %",
            baseline.mean_error * 100.0,
            baseline.median_error * 100.0,
            baseline.bias * 100.0
        );
        let far = !baseline.is_near();
        let replay_is_near = self.replay.as_ref().is_some_and(ReplayReport::is_near);
        let held = baseline
            .held_error
            .map(|error| format!("the time that executors are there is off by {:+.1} %", error * 100.0));
        // What the replay has and this scenario has not.
        let driver = (far && replay_is_near).then(|| {
            "the replay is near: it may be for the driver's time (--driver-time stage) or the executors"
                .to_owned()
        });
        let reasons = self.reasons().filter(|_| far && !replay_is_near);
        LogSection::new("what-if", text, [held, Some(too_far()).filter(|_| far), driver, reasons])
    }

    /// What can be asked of a log in which nobody competes.
    fn one_user_section(&self) -> Option<LogSection> {
        let [user] = self.users.users.as_slice() else { return None };
        let text = format!(
            "everything is {}'s: who waits for whom has no answer, and no policy is fairer than another",
            user.name
        );
        let ask = "what can be asked: how stages are cut into tasks (policies ending in -p), how large the cluster \
                   should be, in which order jobs and stages run, and how much of the time is the driver's";
        let rules = "other rules for users may divide it: see what the log offers (--users)";
        Some(LogSection::new("users", text, [Some(ask.to_owned()), Some(rules.to_owned())]))
    }

    /// Jobs of which the rule for users says nothing.
    fn fallback_section(&self) -> Option<LogSection> {
        let fallbacks = &self.users.fallbacks;
        let jobs: u64 = fallbacks.values().sum();
        let text = format!(
            "{} {} no {}; their user is read from what they have",
            counted(jobs as usize, "job"),
            if jobs == 1 { "has" } else { "have" },
            self.users.source
        );
        let details = fallbacks.iter().map(|(source, jobs)| Some(format!("{jobs} from: {source}")));
        (jobs > 0).then(|| LogSection::new("users", text, details))
    }
}

const NO_VERDICT: &str = "too far from the log for a verdict on another policy or cluster";

fn too_far() -> String {
    format!("more than {} %: {NO_VERDICT}", ReplayError::TOLERANCE * 100.0)
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
    fn section(&self) -> LogSection {
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
    fn simulated_section(&self) -> LogSection {
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
    fn section(&self, simulated_barriers: u64) -> LogSection {
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
            (self.barrier - simulated_barriers, "barrier stage{|s}, whose tasks Spark starts all at once"),
            (self.of_profiles, "stage{|s} with a resource profile, which Spark runs on its executors alone"),
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

impl ClusterReport {
    fn sections(&self) -> Vec<LogSection> {
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
