//! What is kept of a log's events.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use fairlane::policy::spark::PoolMode;

/// Texts, each in memory once: a log has few, and many jobs and stages.
#[derive(Clone, Default)]
pub(super) struct Texts(HashSet<Arc<str>>);

impl Texts {
    pub(super) fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.0.insert(Arc::clone(&text));
        text
    }
}

/// Who wrote the log.
#[derive(Clone, Default)]
pub(super) struct Application {
    pub(super) name: String,
    pub(super) id: String,
    /// Empty if the cluster starts an application once.
    pub(super) attempt: String,
    pub(super) version: String,
    /// Who started it; empty if the log does not say.
    pub(super) user: String,
    pub(super) started: Option<u64>,
    /// The queue of YARN; of one application among several, and so the next two.
    pub(super) queue: String,
    /// The pool that it is in a scenario of several applications.
    pub(super) pool: String,
    pub(super) mode: PoolMode,
}

/// What has been read.
#[derive(Clone, Default)]
pub(super) struct Counts {
    pub(super) files: u64,
    pub(super) bytes: u64,
    pub(super) lines: u64,
    /// Events that an import does not need, by name.
    pub(super) unused: BTreeMap<String, u64>,
    /// Starts of jobs that the log had already.
    pub(super) repeated_jobs: u64,
    pub(super) replanned: u64,
    /// Where files end too early.
    pub(super) cuts: Vec<String>,
    /// Whether the application's end is there.
    pub(super) ended: bool,
    /// The last instant of any event.
    pub(super) last: u64,
}

impl Counts {
    /// Adds what has been read of another application.
    pub(super) fn add(&mut self, other: Counts) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.lines += other.lines;
        self.repeated_jobs += other.repeated_jobs;
        self.replanned += other.replanned;
        self.cuts.extend(other.cuts);
        self.ended &= other.ended;
        self.last = self.last.max(other.last);
        for (name, count) in other.unused {
            *self.unused.entry(name).or_default() += count;
        }
    }
}

/// What executors of a resource profile have and what its tasks need, by the resource's name: `cpus` and GPUs.
#[derive(Clone, Default)]
pub(super) struct Profile {
    pub(super) of_executor: BTreeMap<String, f64>,
    pub(super) of_task: BTreeMap<String, f64>,
}

/// An executor or all those of a host take no more tasks of a stage, or of any, or take tasks again.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Exclusion {
    pub(super) at: u64,
    /// `None` for a host's.
    pub(super) executor: Option<u32>,
    pub(super) host: Arc<str>,
    /// The stage's id.
    pub(super) stage: Option<u64>,
    /// Which attempt at the stage.
    pub(super) attempt: u32,
    /// Whether it ends the one before.
    pub(super) is_over: bool,
}

/// A process that runs tasks. Instants are milliseconds since 1970.
#[derive(Clone)]
pub(super) struct LogExecutor {
    /// Cores, if the log has its start.
    pub(super) cores: Option<u32>,
    pub(super) added: Option<u64>,
    pub(super) removed: Option<u64>,
    /// Memory for execution and storage, in bytes; 0 if the log does not say.
    pub(super) memory: u64,
    pub(super) host: Arc<str>,
    /// How many GPUs and the like it has, by name.
    pub(super) resources: BTreeMap<Arc<str>, u32>,
    /// Its resource profile.
    pub(super) profile: u32,
    /// Whether Spark calls it `driver`, as in local mode.
    pub(super) is_driver: bool,
    /// Its application, by index in [`Log::applications`](super::Log::applications).
    pub(super) application: u32,
}

#[derive(Clone)]
pub(super) struct LogJob {
    pub(super) id: u64,
    pub(super) submitted: Option<u64>,
    pub(super) ended: Option<u64>,
    pub(super) failed: bool,
    /// Its application, by index in [`Log::applications`](super::Log::applications).
    pub(super) application: u32,
    /// What is added to the ids of SQL executions in its properties.
    pub(super) execution_base: u64,
    pub(super) properties: Arc<LocalProperties>,
    /// Its stages, by index in [`Log::stages`](super::Log::stages), ascending by id.
    pub(super) stages: Vec<u32>,
}

impl LogJob {
    /// Its job group. A broadcast of a query, from Spark 3.0 to 3.4, and a streaming query run in groups of their own,
    /// named by an id that is in the description too: that of a stream is the query's name.
    pub(super) fn group(&self) -> Option<&str> {
        let group = self.properties.get(property::GROUP)?.trim();
        let description = self.properties.get(property::DESCRIPTION).unwrap_or_default();
        if group.is_empty() || !description.contains("runId") || !description.contains(group) {
            return Some(group).filter(|group| !group.is_empty());
        }
        let (query, _) = description.split_once("<br/>")?;
        Some(query.trim()).filter(|query| !query.is_empty() && !query.starts_with("id = "))
    }
}

/// Names of local properties.
pub(super) mod property {
    pub(in super::super) const USER_NAME: &str = "user.name";
    /// What Databricks sets.
    pub(in super::super) const USER: &str = "user";
    pub(in super::super) const POOL: &str = "spark.scheduler.pool";
    pub(in super::super) const GROUP: &str = "spark.jobGroup.id";
    pub(in super::super) const DESCRIPTION: &str = "spark.job.description";
    pub(in super::super) const TAGS: &str = "spark.job.tags";
    pub(in super::super) const CALL_SITE: &str = "callSite.short";
    /// What everything that Databricks sets begins with.
    pub(in super::super) const DATABRICKS: &str = "spark.databricks.";
    pub(in super::super) const EXECUTION: &str = "spark.sql.execution.id";
    pub(in super::super) const ROOT_EXECUTION: &str = "spark.sql.execution.root.id";

    /// Whether an import may need it: it is one of these, or whoever submitted the job has named it.
    pub(in super::super) fn is_kept(name: &str) -> bool {
        [POOL, GROUP, DESCRIPTION, TAGS, EXECUTION, ROOT_EXECUTION].contains(&name) || is_other(name)
    }

    /// Whether it is none of Spark's.
    pub(in super::super) fn is_other(name: &str) -> bool {
        !name.starts_with("spark.") || name.starts_with(DATABRICKS)
    }
}

/// The local properties of the thread that submitted a job, by name.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct LocalProperties(pub(super) BTreeMap<Arc<str>, Arc<str>>);

impl LocalProperties {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| &**value)
    }

    /// The names of those that are none of Spark's.
    pub(super) fn others(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(|name| &**name).filter(|name| property::is_other(name))
    }
}

/// A stage that a job lists; skipped if it has no attempt.
#[derive(Clone)]
pub(super) struct LogStage {
    pub(super) id: u64,
    pub(super) name: Arc<str>,
    /// Ids of the stages it waits for.
    pub(super) parents: Box<[u64]>,
    pub(super) first_rdd: Option<u64>,
    /// Whether all of its tasks have to run at once.
    pub(super) is_barrier: bool,
    /// The resource profile that its executors need.
    pub(super) profile: u32,
    /// The first job that lists it, by index in [`Log::jobs`](super::Log::jobs).
    pub(super) job: u32,
    pub(super) attempts: Vec<StageAttempt>,
}

#[derive(Clone, Copy)]
pub(super) struct StageAttempt {
    pub(super) number: u32,
    /// How many tasks it was to have; 0 if the log does not say.
    pub(super) tasks: u32,
    /// 0 if the log does not say.
    pub(super) submitted: u64,
    /// 0 if the log does not say.
    pub(super) completed: u64,
    pub(super) end: StageEnd,
}

/// How an attempt at a stage ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StageEnd {
    /// Not in the log.
    Open,
    Completed,
    Failed,
    Cancelled,
}

impl StageEnd {
    /// The end of an attempt that failed for a reason.
    pub(super) fn failed(reason: &str) -> StageEnd {
        if reason.contains("cancel") { StageEnd::Cancelled } else { StageEnd::Failed }
    }
}

/// How an attempt at a task ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskEnd {
    Succeeded,
    Failed,
    Killed,
    /// It ran when the log ended.
    Unfinished,
}

/// How near to its data a task ran, nearest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Locality {
    Process,
    Node,
    /// It has no data that is nearer to one executor than to another, or the log does not say.
    NoPreference,
    Rack,
    Any,
}

impl Locality {
    pub(super) fn read(word: &str) -> Locality {
        match word {
            "PROCESS_LOCAL" => Locality::Process,
            "NODE_LOCAL" => Locality::Node,
            "RACK_LOCAL" => Locality::Rack,
            "ANY" => Locality::Any,
            _ => Locality::NoPreference,
        }
    }
}

/// An attempt at a task that has ended. There may be millions: 56 bytes.
#[derive(Clone, Copy)]
pub(super) struct LogTask {
    pub(super) id: u64,
    pub(super) stage: u64,
    pub(super) stage_attempt: u32,
    /// The partition.
    pub(super) index: u32,
    pub(super) executor: u32,
    pub(super) end: TaskEnd,
    pub(super) speculative: bool,
    pub(super) locality: Locality,
    /// Whether it computed a job's result, not the input of another stage.
    pub(super) of_result: bool,
    /// 0 if the log does not say.
    pub(super) launch: u64,
    /// 0 if the log does not say.
    pub(super) finish: u64,
    /// What the executor spent on it, in ms; [`NOT_MEASURED`] if the log does not say.
    pub(super) measured_ms: u32,
    /// Most memory for execution, in KiB, rounded up.
    pub(super) memory_kib: u32,
}

const NOT_MEASURED: u32 = u32::MAX;

impl LogTask {
    /// [`LogTask::measured_ms`] and [`LogTask::memory_kib`] of milliseconds, if they were measured, and bytes.
    pub(super) fn compact(measured_ms: Option<u64>, memory: u64) -> (u32, u32) {
        let most = NOT_MEASURED - 1;
        let measured =
            measured_ms.map_or(NOT_MEASURED, |ms| u32::try_from(ms).map_or(most, |ms| ms.min(most)));
        (measured, u32::try_from(memory.div_ceil(1024)).unwrap_or(u32::MAX))
    }

    /// What the executor spent on it, in ms, if it was measured.
    pub(super) fn measured(&self) -> Option<u32> {
        Some(self.measured_ms).filter(|&ms| ms != NOT_MEASURED)
    }
}

#[derive(Clone)]
pub(super) struct SqlExecution {
    pub(super) root: u64,
    pub(super) description: String,
    pub(super) started: Option<u64>,
    pub(super) has_end: bool,
    pub(super) ended: Option<u64>,
    pub(super) failed: bool,
}

/// A statement of an SQL session.
#[derive(Clone)]
pub(super) struct Statement {
    /// Empty if the log does not say.
    pub(super) user: String,
    /// What it is called; empty if the log does not say.
    pub(super) name: String,
}
