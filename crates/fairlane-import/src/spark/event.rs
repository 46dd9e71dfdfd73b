//! The events of a log that an import needs, one JSON object a line. All others are only counted.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

/// What every line begins with in Spark's own files.
const NAME_PREFIX: &[u8] = b"{\"Event\":\"";

/// The event's name without its package, by a look at the line's beginning.
///
/// # Errors
/// The line is no JSON object with an `Event`.
pub(super) fn name(line: &[u8]) -> serde_json::Result<Cow<'_, str>> {
    if let Some(rest) = line.strip_prefix(NAME_PREFIX) {
        let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'));
        if let Some(end) = end.filter(|&end| rest[end] == b'"')
            && let Ok(name) = std::str::from_utf8(&rest[..end])
        {
            return Ok(Cow::Borrowed(without_package(name)));
        }
    }
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(rename = "Event", borrow)]
        name: Cow<'a, str>,
    }
    let named: Named = json(line)?;
    Ok(Cow::Owned(without_package(&named.name).to_owned()))
}

fn without_package(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// An event that an import needs.
pub(super) enum Event<'a> {
    LogStart(LogStart<'a>),
    ApplicationStart(ApplicationStart<'a>),
    ApplicationEnd,
    Environment(Box<Settings>),
    ExecutorAdded(ExecutorAdded<'a>),
    ExecutorRemoved(ExecutorRemoved<'a>),
    BlockManagerAdded(BlockManagerAdded<'a>),
    JobStart(JobStart<'a>),
    JobEnd(JobEnd<'a>),
    StageSubmitted(StageEvent<'a>),
    StageCompleted(StageEvent<'a>),
    TaskStart(TaskEvent<'a>),
    TaskEnd(TaskEvent<'a>),
    ExecutionStart(ExecutionStart<'a>),
    ExecutionEnd(ExecutionEnd<'a>),
    /// Adaptive execution planned a query again.
    Replanned,
    /// Who runs a statement of a Thrift server or of Spark Connect.
    Operation(Operation),
}

/// Reads the event of a line, given its name; `None` if an import does not need it.
///
/// # Errors
/// The line is not what Spark writes for that name.
pub(super) fn read<'a>(name: &str, line: &'a [u8]) -> serde_json::Result<Option<Event<'a>>> {
    Ok(Some(match name {
        "SparkListenerTaskEnd" => Event::TaskEnd(json(line)?),
        "SparkListenerTaskStart" => Event::TaskStart(json(line)?),
        "SparkListenerStageSubmitted" => Event::StageSubmitted(json(line)?),
        "SparkListenerStageCompleted" => Event::StageCompleted(json(line)?),
        "SparkListenerJobStart" => Event::JobStart(json(line)?),
        "SparkListenerJobEnd" => Event::JobEnd(json(line)?),
        "SparkListenerSQLExecutionStart" => Event::ExecutionStart(json(line)?),
        "SparkListenerSQLExecutionEnd" => Event::ExecutionEnd(json(line)?),
        "SparkListenerSQLAdaptiveExecutionUpdate" => Event::Replanned,
        "SparkListenerExecutorAdded" => Event::ExecutorAdded(json(line)?),
        "SparkListenerExecutorRemoved" => Event::ExecutorRemoved(json(line)?),
        "SparkListenerBlockManagerAdded" => Event::BlockManagerAdded(json(line)?),
        "SparkListenerEnvironmentUpdate" => {
            let environment: Environment = json(line)?;
            Event::Environment(Box::new(environment.properties))
        }
        "SparkListenerApplicationStart" => Event::ApplicationStart(json(line)?),
        "SparkListenerApplicationEnd" => Event::ApplicationEnd,
        "SparkListenerLogStart" => Event::LogStart(json(line)?),
        "SparkListenerThriftServerOperationStart" => {
            let ThriftOperation { group, user } = json(line)?;
            Event::Operation(Operation { key: group, user })
        }
        "SparkListenerConnectOperationStarted" => {
            let ConnectOperation { tag, user_id, user_name } = json(line)?;
            Event::Operation(Operation {
                key: tag,
                user: if user_name.is_empty() { user_id } else { user_name },
            })
        }
        _ => return Ok(None),
    }))
}

fn json<'a, T: Deserialize<'a>>(line: &'a [u8]) -> serde_json::Result<T> {
    serde_json::from_slice(line).map(|Object(object)| object)
}

/// What is read from an object alone. Without it a list of a structure's fields in their order would do as well.
pub(super) struct Object<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Object<T>, D::Error> {
        object(from).map(Object)
    }
}

/// Reads from an object alone, as [`Object`].
fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    struct Fields<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }
    from.deserialize_map(Fields(PhantomData))
}

/// The last millisecond of the year 9999.
pub(super) const MOST_MILLIS: u64 = 253_402_300_799_999;

/// Milliseconds since 1970 up to the year 9999; `None` for 0 and below, which Spark writes for "not yet".
fn millis<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    match Option::<i64>::deserialize(from)? {
        Some(at) if at > MOST_MILLIS as i64 => {
            Err(de::Error::custom("an instant after the year 9999; Spark writes milliseconds"))
        }
        at => Ok(at.and_then(|at| u64::try_from(at).ok()).filter(|&at| at > 0)),
    }
}

/// A count of milliseconds or bytes; 0 for what is missing or negative.
fn amount<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    Ok(Option::<i64>::deserialize(from)?.and_then(|amount| u64::try_from(amount).ok()).unwrap_or(0))
}

/// A text; empty for null.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(from)?.unwrap_or_default())
}

#[derive(Deserialize)]
pub(super) struct LogStart<'a> {
    #[serde(rename = "Spark Version", borrow, default)]
    pub(super) version: Cow<'a, str>,
}

#[derive(Deserialize)]
pub(super) struct ApplicationStart<'a> {
    #[serde(rename = "App Name", borrow, default)]
    pub(super) name: Cow<'a, str>,
    #[serde(rename = "App ID", default)]
    pub(super) id: Option<String>,
    #[serde(rename = "App Attempt ID", default)]
    pub(super) attempt: Option<String>,
}

#[derive(Deserialize)]
struct Environment {
    #[serde(rename = "Spark Properties", default)]
    properties: Settings,
}

/// Spark's own properties, as texts.
#[derive(Clone, Default, Deserialize)]
pub(super) struct Settings {
    #[serde(rename = "spark.scheduler.mode")]
    pub(super) scheduler_mode: Option<String>,
    #[serde(rename = "spark.scheduler.allocation.file")]
    pub(super) allocation_file: Option<String>,
    #[serde(rename = "spark.master")]
    pub(super) master: Option<String>,
    #[serde(rename = "spark.task.cpus")]
    pub(super) task_cpus: Option<String>,
    #[serde(rename = "spark.executor.cores")]
    pub(super) executor_cores: Option<String>,
}

impl Settings {
    /// Sets a property, if an import needs it.
    pub(super) fn set(&mut self, name: &str, value: String) {
        match name {
            "spark.scheduler.mode" => self.scheduler_mode = Some(value),
            "spark.scheduler.allocation.file" => self.allocation_file = Some(value),
            "spark.master" => self.master = Some(value),
            "spark.task.cpus" => self.task_cpus = Some(value),
            "spark.executor.cores" => self.executor_cores = Some(value),
            _ => {}
        }
    }
}

#[derive(Deserialize)]
pub(super) struct ExecutorAdded<'a> {
    #[serde(rename = "Timestamp", default, deserialize_with = "millis")]
    pub(super) at: Option<u64>,
    #[serde(rename = "Executor ID", borrow)]
    pub(super) executor: Cow<'a, str>,
    #[serde(rename = "Executor Info")]
    pub(super) info: ExecutorInfo,
}

#[derive(Deserialize)]
pub(super) struct ExecutorInfo {
    #[serde(rename = "Total Cores")]
    pub(super) cores: u32,
}

#[derive(Deserialize)]
pub(super) struct ExecutorRemoved<'a> {
    #[serde(rename = "Timestamp", default, deserialize_with = "millis")]
    pub(super) at: Option<u64>,
    #[serde(rename = "Executor ID", borrow)]
    pub(super) executor: Cow<'a, str>,
}

#[derive(Deserialize)]
pub(super) struct BlockManagerAdded<'a> {
    #[serde(rename = "Block Manager ID", borrow)]
    pub(super) manager: BlockManager<'a>,
    #[serde(rename = "Maximum Memory", default, deserialize_with = "amount")]
    pub(super) memory: u64,
}

#[derive(Deserialize)]
pub(super) struct BlockManager<'a> {
    #[serde(rename = "Executor ID", borrow)]
    pub(super) executor: Cow<'a, str>,
}

#[derive(Deserialize)]
pub(super) struct JobStart<'a> {
    #[serde(rename = "Job ID")]
    pub(super) job: u64,
    #[serde(rename = "Submission Time", default, deserialize_with = "millis")]
    pub(super) at: Option<u64>,
    #[serde(rename = "Stage Infos", borrow, default)]
    pub(super) stages: Vec<ListedStage<'a>>,
    #[serde(rename = "Properties")]
    pub(super) properties: Option<Properties>,
}

/// A stage as a job lists it. It may be skipped.
#[derive(Deserialize)]
pub(super) struct ListedStage<'a> {
    #[serde(rename = "Stage ID")]
    pub(super) stage: u64,
    #[serde(rename = "Stage Name", borrow, default)]
    pub(super) name: Cow<'a, str>,
    #[serde(rename = "Parent IDs", default)]
    pub(super) parents: Vec<u64>,
    #[serde(rename = "RDD Info", default)]
    pub(super) first_rdd: FirstRdd,
}

/// The id of the first of a stage's RDDs, which identifies what the stage computes.
#[derive(Clone, Copy, Default)]
pub(super) struct FirstRdd(pub(super) Option<u64>);

impl<'de> Deserialize<'de> for FirstRdd {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<FirstRdd, D::Error> {
        #[derive(Deserialize)]
        struct Rdd {
            #[serde(rename = "RDD ID")]
            id: u64,
        }
        struct First;
        impl<'de> Visitor<'de> for First {
            type Value = FirstRdd;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list of RDDs")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<FirstRdd, A::Error> {
                let first: Option<Rdd> = list.next_element()?;
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(FirstRdd(first.map(|rdd| rdd.id)))
            }

            fn visit_unit<E: de::Error>(self) -> Result<FirstRdd, E> {
                Ok(FirstRdd(None))
            }
        }
        from.deserialize_any(First)
    }
}

/// The local properties of the thread that submitted a job.
#[derive(Clone, Default, Deserialize)]
pub(super) struct Properties {
    #[serde(rename = "user.name")]
    pub(super) user: Option<String>,
    #[serde(rename = "spark.scheduler.pool")]
    pub(super) pool: Option<String>,
    #[serde(rename = "spark.jobGroup.id")]
    pub(super) group: Option<String>,
    #[serde(rename = "spark.job.description")]
    pub(super) description: Option<String>,
    #[serde(rename = "spark.job.tags")]
    pub(super) tags: Option<String>,
    #[serde(rename = "spark.sql.execution.id")]
    pub(super) execution: Option<String>,
    #[serde(rename = "spark.sql.execution.root.id")]
    pub(super) root_execution: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct JobEnd<'a> {
    #[serde(rename = "Job ID")]
    pub(super) job: u64,
    #[serde(rename = "Completion Time", default, deserialize_with = "millis")]
    pub(super) at: Option<u64>,
    #[serde(rename = "Job Result", borrow)]
    pub(super) result: Option<JobResult<'a>>,
}

#[derive(Deserialize)]
pub(super) struct JobResult<'a> {
    #[serde(rename = "Result", borrow, default)]
    pub(super) result: Cow<'a, str>,
}

#[derive(Deserialize)]
pub(super) struct StageEvent<'a> {
    #[serde(rename = "Stage Info", borrow, deserialize_with = "object")]
    pub(super) info: StageInfo<'a>,
}

#[derive(Deserialize)]
pub(super) struct StageInfo<'a> {
    #[serde(rename = "Stage ID")]
    pub(super) stage: u64,
    #[serde(rename = "Stage Attempt ID", default)]
    pub(super) attempt: u32,
    #[serde(rename = "Stage Name", borrow, default)]
    pub(super) name: Cow<'a, str>,
    #[serde(rename = "Submission Time", default, deserialize_with = "millis")]
    pub(super) submitted: Option<u64>,
    #[serde(rename = "Failure Reason")]
    pub(super) failure: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct TaskEvent<'a> {
    #[serde(rename = "Stage ID")]
    pub(super) stage: u64,
    #[serde(rename = "Stage Attempt ID", default)]
    pub(super) attempt: u32,
    #[serde(rename = "Task Type", borrow, default)]
    pub(super) kind: Cow<'a, str>,
    #[serde(rename = "Task End Reason", borrow)]
    pub(super) end: Option<TaskEndReason<'a>>,
    #[serde(rename = "Task Info", borrow, deserialize_with = "object")]
    pub(super) info: TaskInfo<'a>,
    #[serde(rename = "Task Metrics")]
    pub(super) metrics: Option<TaskMetrics>,
}

#[derive(Deserialize)]
pub(super) struct TaskEndReason<'a> {
    #[serde(rename = "Reason", borrow, default)]
    pub(super) reason: Cow<'a, str>,
}

#[derive(Deserialize)]
pub(super) struct TaskInfo<'a> {
    #[serde(rename = "Task ID")]
    pub(super) task: u64,
    #[serde(rename = "Index", default)]
    pub(super) index: u32,
    #[serde(rename = "Launch Time", default, deserialize_with = "millis")]
    pub(super) launch: Option<u64>,
    #[serde(rename = "Finish Time", default, deserialize_with = "millis")]
    pub(super) finish: Option<u64>,
    #[serde(rename = "Executor ID", borrow, default)]
    pub(super) executor: Cow<'a, str>,
    #[serde(rename = "Speculative", default)]
    pub(super) speculative: bool,
    #[serde(rename = "Failed", default)]
    pub(super) failed: bool,
    #[serde(rename = "Killed", default)]
    pub(super) killed: bool,
}

/// What the executor measured.
#[derive(Default, Deserialize)]
pub(super) struct TaskMetrics {
    #[serde(rename = "Executor Deserialize Time", default, deserialize_with = "amount")]
    pub(super) deserialize_ms: u64,
    #[serde(rename = "Executor Run Time", default, deserialize_with = "amount")]
    pub(super) run_ms: u64,
    #[serde(rename = "Result Serialization Time", default, deserialize_with = "amount")]
    pub(super) serialize_ms: u64,
    #[serde(rename = "Peak Execution Memory", default, deserialize_with = "amount")]
    pub(super) memory: u64,
}

#[derive(Deserialize)]
pub(super) struct ExecutionStart<'a> {
    #[serde(rename = "executionId")]
    pub(super) execution: u64,
    #[serde(rename = "rootExecutionId")]
    pub(super) root: Option<u64>,
    #[serde(borrow, default)]
    pub(super) description: Cow<'a, str>,
    #[serde(rename = "time", default, deserialize_with = "millis")]
    pub(super) at: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct ExecutionEnd<'a> {
    #[serde(rename = "executionId")]
    pub(super) execution: u64,
    /// Empty if it succeeded.
    #[serde(rename = "errorMessage", borrow)]
    pub(super) error: Option<Cow<'a, str>>,
}

/// Whose work it is that has this job group or tag.
pub(super) struct Operation {
    pub(super) key: String,
    pub(super) user: String,
}

#[derive(Deserialize)]
struct ThriftOperation {
    #[serde(rename = "groupId", default, deserialize_with = "text")]
    group: String,
    #[serde(rename = "userName", default, deserialize_with = "text")]
    user: String,
}

#[derive(Deserialize)]
struct ConnectOperation {
    #[serde(rename = "jobTag", default, deserialize_with = "text")]
    tag: String,
    #[serde(rename = "userId", default, deserialize_with = "text")]
    user_id: String,
    #[serde(rename = "userName", default, deserialize_with = "text")]
    user_name: String,
}
