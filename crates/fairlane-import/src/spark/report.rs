//! What was carried over from a log and what was not.

use std::collections::BTreeMap;

use serde::Serialize;

use super::replay::{BaselineReport, ReplayReport};
use super::unlike::UnlikeReport;
use super::users::UserSource;
use fairlane::policy::spark::{Pool, PoolMode};
use fairlane::scenario::Sessions;

/// The tag of the report as JSON.
pub(super) const FORMAT: &str = "fairlane/import@1";

/// What was carried over from a log and what was not: nothing is dropped silently.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ImportReport {
    /// `fairlane/import@1`.
    pub format: &'static str,
    /// Who wrote the log.
    pub application: ApplicationReport,
    /// The applications, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub applications: Vec<OneOfSeveralReport>,
    /// What was read.
    pub events: EventsReport,
    /// Tasks in the log = imported + left out.
    pub tasks: TasksReport,
    /// Jobs and SQL executions.
    pub jobs: JobsReport,
    /// Stages and what they wait for.
    pub stages: StagesReport,
    /// Who submits.
    pub users: UsersReport,
    /// Executors and scheduler.
    pub cluster: ClusterReport,
    /// What of attempts and places is simulated; what else there was of them is replayed as it was.
    pub simulated: SimulatedReport,
    /// Costs estimated from the tasks.
    pub costs: CostsReport,
    /// The driver's time before stages.
    pub driver: DriverReport,
    /// Who waits for answers.
    pub sessions: SessionsReport,
    /// The observed trace.
    pub observed: ObservedReport,
    /// What Spark did that is not simulated as it was, the largest concern first.
    pub unlike: Vec<UnlikeReport>,
    /// How near the simulation is, if it was asked: [`Import::replay`](super::Import::replay).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayReport>,
    /// How near the scenario is under Spark's scheduler, if it is not as recorded: what its what-ifs begin with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineReport>,
}

/// Who wrote the log.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ApplicationReport {
    /// Its name.
    pub name: String,
    /// Its id.
    pub id: String,
    /// The version of Spark.
    pub spark: String,
    /// The instant that is 0 s in the scenario, in ms since 1970.
    pub start_ms: u64,
}

/// One of several applications.
#[derive(Clone, Debug, Default, Serialize)]
pub struct OneOfSeveralReport {
    /// Its name.
    pub name: String,
    /// Its id.
    pub id: String,
    /// Which attempt at it; empty if the cluster starts an application once.
    pub attempt: String,
    /// Who started it.
    pub user: String,
    /// Its queue.
    pub queue: String,
    /// Its pool in the scenario.
    pub pool: String,
    /// Its jobs in the scenario.
    pub jobs: u64,
    /// Most cores at a time.
    pub cores: u32,
    /// The arrival of its first job, in s.
    pub from_s: f64,
    /// The end of its last job, in s.
    pub until_s: f64,
}

/// What was read.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EventsReport {
    /// Files.
    pub files: u64,
    /// Their bytes, decompressed.
    pub bytes: u64,
    /// Their lines.
    pub lines: u64,
    /// Events that an import does not need, by name.
    pub not_needed: BTreeMap<String, u64>,
    /// Files that end too early, and where.
    pub cut: Vec<String>,
    /// Whether the application's end is in the log.
    pub complete: bool,
}

/// Tasks: in the log = imported + left out. Each attempt at a task is a task of its own, because it held a core.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TasksReport {
    /// Different task ids.
    pub in_log: u64,
    /// Tasks of the scenario but those that were [never launched](SimulatedReport::discarded_tasks).
    pub imported: u64,
    /// The others, by reason.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Failed attempts among those imported.
    pub failed: u64,
    /// Killed attempts among those imported.
    pub killed: u64,
    /// Speculative copies among those imported.
    pub speculative: u64,
    /// Tasks among those imported that ran when the log ended: they last as long.
    pub unfinished: u64,
    /// Retries that the log says were launched before the attempt before them had failed.
    pub early_retries: u64,
    /// By how much at most, in ms.
    pub early_retries_most_ms: u64,
    /// Ends of tasks that had ended before in the log.
    pub repeated: u64,
    /// Ends that were moved earlier: to the next launch on the core, to the end of the stage, to the next stage's
    /// start.
    pub shortened: u64,
    /// All of it, in ms.
    pub shortened_ms: u64,
    /// The most at once, in ms.
    pub shortened_most_ms: u64,
}

/// Jobs and SQL executions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct JobsReport {
    /// What a job of the scenario is: `spark` or `sql`.
    pub unit: String,
    /// Jobs of the scenario.
    pub imported: u64,
    /// Those of them that are SQL executions.
    pub sql: u64,
    /// Job groups of several jobs of one user.
    pub groups: u64,
    /// Jobs of the scenario in these groups.
    pub in_groups: u64,
    /// Jobs of the scenario in no group, because their jobs of Spark are in several.
    pub in_several_groups: u64,
    /// Jobs of the scenario that had not ended when the log did; imported as far as they ran.
    pub unfinished: u64,
    /// Jobs of the scenario that were cancelled or failed while tasks of theirs ran on: they end when their user was
    /// told, and their tasks when they did.
    pub stopped: u64,
    /// Jobs of Spark of which no task had run when the log ended: left out.
    pub unstarted: u64,
    /// Jobs of Spark in the log.
    pub spark_in_log: u64,
    /// Jobs of Spark that ran no imported task: left out.
    pub spark_without_tasks: u64,
    /// Jobs of Spark without an end in the log.
    pub spark_without_end: u64,
    /// Jobs of Spark that failed or were cancelled: imported as far as they ran.
    pub spark_failed: u64,
    /// Job starts that the log has twice.
    pub spark_repeated: u64,
    /// SQL executions in the log.
    pub executions_in_log: u64,
    /// SQL executions within others, with which they are one job.
    pub executions_nested: u64,
    /// SQL executions without a job: left out, because they ran on the driver alone.
    pub executions_without_job: u64,
    /// SQL executions without an end in the log.
    pub executions_without_end: u64,
    /// SQL executions that failed.
    pub executions_failed: u64,
    /// Times that adaptive execution planned again.
    pub replanned: u64,
}

/// Stages and what they wait for.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StagesReport {
    /// Stages of the scenario; each attempt at a stage is one.
    pub imported: u64,
    /// Listed by a job and never submitted: their output was there.
    pub skipped: u64,
    /// Submitted, and ran no imported task: left out.
    pub without_tasks: u64,
    /// Attempts after the first: imported.
    pub retried: u64,
    /// Attempts that failed: imported as far as they ran.
    pub failed: u64,
    /// Imported stages whose tasks Spark starts all at once; so does the simulation where they fit into the executors
    /// of the end and ran once each.
    pub barrier: u64,
    /// Imported stages with a resource profile of their own.
    pub of_profiles: u64,
    /// Attempts that were cancelled: imported as far as they ran.
    pub cancelled: u64,
    /// Orders "this stage waits for that one".
    pub parents: u64,
    /// Whether the log says what stages wait for. Before Spark 1.5 it is guessed: a stage waits for those of its job
    /// that had ended when it was submitted.
    pub has_parents: bool,
    /// Orders left out because the parent is in another job of the scenario.
    pub parents_in_other_jobs: u64,
    /// Orders left out because the stage began before the parent had ended.
    pub overlapping_parents: u64,
}

/// Who submits.
#[derive(Clone, Debug, Default, Serialize)]
pub struct UsersReport {
    /// The rule that was asked for.
    pub rule: String,
    /// What users were read from.
    pub source: String,
    /// What the log offers.
    pub offered: Vec<UserSource>,
    /// How many jobs have no user by the rule, by what theirs is read from instead.
    pub fallbacks: BTreeMap<String, u64>,
    /// The users, in the order of their first jobs.
    pub users: Vec<UserReport>,
}

impl UsersReport {
    /// Users that no job has by the rule, where other jobs have one: what the rule is about does not concern them.
    pub fn unnamed(&self) -> Vec<String> {
        let unnamed = self.users.iter().filter(|user| user.named_jobs == 0);
        let unnamed: Vec<String> = unnamed.map(|user| user.name.clone()).collect();
        if unnamed.len() < self.users.len() { unnamed } else { Vec::new() }
    }
}

/// A user.
#[derive(Clone, Debug, Default, Serialize)]
pub struct UserReport {
    /// The name; `unknown` where the log has none.
    pub name: String,
    /// Jobs of the scenario.
    pub jobs: u64,
    /// Core-seconds that their tasks held.
    pub core_s: f64,
    /// How many of these are the user's by the rule, rather than by what it falls back to.
    #[serde(skip)]
    pub named_jobs: u64,
}

/// Executors and scheduler.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ClusterReport {
    /// Executors that the log names.
    pub executors_in_log: u64,
    /// Executors of the scenario: as many as there were at once.
    pub executors: u32,
    /// Cores of each.
    pub cores_per_executor: u32,
    /// Most cores at once; the scenario's.
    pub most_cores: u32,
    /// Mean number of cores while tasks ran.
    pub mean_cores: f64,
    /// Executors whose cores the log does not say; guessed from their tasks.
    pub guessed_executors: u64,
    /// How many executors there were from instants on, in s; empty if all were there from the start.
    pub executors_at: Vec<(f64, u32)>,
    /// Executors that went while tasks ran on them.
    pub lost_executors: u64,
    /// Whether executors differ in size; those of the scenario are then parts of them, which come and go together.
    pub uneven: bool,
    /// How many executors ran how many tasks at once, the largest first.
    pub sizes: Vec<SizeReport>,
    /// From the application's start to its first executor, in s.
    pub first_executor_s: Option<f64>,
    /// What this version of Spark does otherwise than later ones.
    pub old_defaults: Vec<String>,
    /// `spark.scheduler.mode`.
    pub scheduler_mode: PoolMode,
    /// How the mode is known.
    pub mode_source: ModeSource,
    /// `spark.scheduler.allocation.file`.
    pub allocation_file: Option<String>,
    /// What of the given pools file was not understood, and what is used instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pools_file_remarks: Vec<String>,
    /// Scheduler pools of the imported jobs, and those that the pools file declares, in the order of their names.
    pub pools: Vec<PoolReport>,
    /// Jobs of the scenario whose jobs of Spark were in several pools: each stage is in that of its own.
    pub in_several_pools: u64,
    /// The policy that the log ran with.
    pub ran_with: &'static str,
    /// Ties between pools, if there are several fair ones.
    pub ties: Option<TiesReport>,
    /// Memory of each executor in MB, if tasks report what they used of it.
    pub memory_mb_per_executor: Option<u64>,
    /// What is known of dynamic allocation, if the log ran with it.
    pub allocation: Option<AllocationReport>,
}

/// Executors of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SizeReport {
    /// Tasks at once.
    pub cores: u32,
    /// Executors.
    pub executors: u64,
}

/// Dynamic allocation, as a log shows it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AllocationReport {
    /// Executors that were asked for and came.
    pub started: u64,
    /// Median time from request to registration, in s: `start_s` of the scenario.
    pub start_s: f64,
    /// `executorIdleTimeout`, in s.
    pub idle_timeout_s: f64,
    /// Executors that were removed.
    pub removed: u64,
    /// Median time from an executor's last task until it was gone, in s: `idle_s` of the scenario. It is the time-out
    /// and as long as executors take to stop; the time-out alone if none was removed.
    pub idle_s: f64,
}

/// How the scheduler's mode is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ModeSource {
    /// The log has the application's settings.
    Log,
    /// It was given.
    Given,
    /// It is unknown, and assumed by whether jobs name pools.
    #[default]
    Assumed,
}

/// A pool of the fair scheduler.
#[derive(Clone, Debug, Serialize)]
pub struct PoolReport {
    /// The pool as it is simulated.
    #[serde(flatten)]
    pub pool: Pool,
    /// How it is known.
    pub source: PoolSource,
    /// The users whose jobs are in it, in the order of their names.
    pub users: Vec<String>,
}

/// How a pool is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PoolSource {
    /// The pools file declares it.
    Declared,
    /// It is one of several applications, with the cores of its own executors.
    Application,
    /// As Spark makes a pool that nobody declares.
    Assumed,
}

/// Ties between fair pools. Spark breaks them by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TiesReport {
    /// Launches of tasks while several pools waited.
    pub contested: u64,
    /// Those for which several pools had equally few running tasks.
    pub ties: u64,
    /// Those of these whose task was of the first of the equal pools by name.
    pub to_first: u64,
}

/// What of attempts and places is simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SimulatedReport {
    /// Stages whose tasks start together.
    pub barrier_stages: u64,
    /// Jobs that are cancelled, or that failed while tasks of theirs went on.
    pub cancelled_jobs: u64,
    /// Those of them whose attempts end with them.
    pub interrupted_jobs: u64,
    /// Tasks of cancelled jobs that were never launched: taken to be as long as the median of their stage.
    pub discarded_tasks: u64,
    /// Stages whose tasks wait for executors near their data.
    pub local_stages: u64,
    /// Attempts that another one of their task overtook.
    pub copies: u64,
    /// Losses of executors.
    pub losses: u64,
    /// Attempts that were lost with their executor.
    pub lost_attempts: u64,
    /// Tasks that ended again because their output was lost.
    pub repeated_tasks: u64,
    /// Stages that run on executors of their resource profile alone: all, where there are several profiles.
    pub profile_stages: u64,
    /// Executors that take no more tasks after failures.
    pub excluded_executors: u64,
}

/// Costs estimated from the tasks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CostsReport {
    /// Time that a task holds its core beyond its own, in s.
    pub task_overhead_s: f64,
    /// Factor on a core's first task of a stage.
    pub first_wave: f64,
    /// Time that a core needs to join another job, in s.
    pub core_move_s: f64,
    /// Stages with enough tasks to tell the first wave from later ones.
    pub stages_measured: u64,
}

/// The driver's time before stages: from their last parent's end, or the job's arrival, to their submission.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DriverReport {
    /// How much of it the scenario has: `stage`, `median` or `none`.
    pub rule: String,
    /// The error of the scenario with the median, if that was too far from the log and so the rule is `stage`.
    pub median_error: Option<f64>,
    /// All of it in the log, in s.
    pub total_s: f64,
    /// How long stages waited for the first executor of their resource profile, in s; not in the rest, and in the scenario
    /// only where executors do not come by profile.
    pub for_profile_s: f64,
    /// The driver's time between jobs' last tasks and their ends, in s.
    pub after_s: f64,
    /// Its median before stages without parents, in s.
    pub median_root_s: f64,
    /// Its median before stages with parents, in s.
    pub median_s: f64,
}

/// Who waits for answers, as it is guessed: users, or job groups of a user, none of whose jobs overlap.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SessionsReport {
    /// How jobs arrive: `closed` (after those before) or `open` (as in the log).
    pub arrivals: Sessions,
    /// Users and job groups that wait.
    pub sessions: u64,
    /// Jobs of the scenario that follow another.
    pub jobs_that_wait: u64,
}

/// The observed trace.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ObservedReport {
    /// The first rule that it breaks; none if it passes the independent check.
    pub fault: Option<String>,
    /// Tasks whose start or end is not that of the log to the millisecond.
    pub moved: u64,
    /// The furthest that one of them was moved, in ms.
    pub moved_most_ms: f64,
}
