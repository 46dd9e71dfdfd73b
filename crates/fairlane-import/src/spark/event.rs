//! The events of a log that an import needs, one JSON object a line. All others are only counted.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

use super::record::property;

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
pub(super) enum LogEvent<'a> {
    LogStart(LogStart<'a>),
    ApplicationStart(ApplicationStart<'a>),
    ApplicationEnd(Stamp),
    Environment(Settings),
    ExecutorAdded(ExecutorAdded<'a>),
    ExecutorRemoved(ExecutorRemoved<'a>),
    ProfileAdded(ProfileAdded),
    BlockManagerAdded(BlockManagerAdded<'a>),
    JobStart(JobStart<'a>),
    JobEnd(JobEnd<'a>),
    StageSubmitted(StageEvent<'a>),
    StageCompleted(StageEvent<'a>),
    TaskStart(TaskEvent<'a>),
    TaskEnd(TaskEvent<'a>),
    ExecutionStart(ExecutionStart<'a>),
    ExecutionEnd(ExecutionEnd<'a>),
    /// An executor or a node takes no more tasks of a stage, or of any, because tasks failed there.
    Excluded(Excluded<'a>),
    /// It takes tasks of any stage again.
    Unexcluded(Excluded<'a>),
    /// Adaptive execution planned a query again.
    Replanned,
    /// Who runs which statement of a Thrift server or of Spark Connect.
    Operation(Operation),
}

/// Reads the event of a line, given its name; `None` if an import does not need it.
///
/// # Errors
/// The line is not what Spark writes for that name.
pub(super) fn read<'a>(name: &str, line: &'a [u8]) -> serde_json::Result<Option<LogEvent<'a>>> {
    Ok(Some(match name {
        "SparkListenerTaskEnd" => LogEvent::TaskEnd(json(line)?),
        "SparkListenerTaskStart" => LogEvent::TaskStart(json(line)?),
        "SparkListenerStageSubmitted" => LogEvent::StageSubmitted(json(line)?),
        "SparkListenerStageCompleted" => LogEvent::StageCompleted(json(line)?),
        "SparkListenerJobStart" => LogEvent::JobStart(json(line)?),
        "SparkListenerJobEnd" => LogEvent::JobEnd(json(line)?),
        "SparkListenerSQLExecutionStart" => LogEvent::ExecutionStart(json(line)?),
        "SparkListenerSQLExecutionEnd" => LogEvent::ExecutionEnd(json(line)?),
        "SparkListenerSQLAdaptiveExecutionUpdate" => LogEvent::Replanned,
        "SparkListenerExecutorAdded" => LogEvent::ExecutorAdded(json(line)?),
        "SparkListenerExecutorRemoved" => LogEvent::ExecutorRemoved(json(line)?),
        "SparkListenerResourceProfileAdded" => LogEvent::ProfileAdded(json(line)?),
        "SparkListenerBlockManagerAdded" => LogEvent::BlockManagerAdded(json(line)?),
        "SparkListenerEnvironmentUpdate" => {
            let environment: Environment = json(line)?;
            LogEvent::Environment(environment.properties)
        }
        "SparkListenerApplicationStart" => LogEvent::ApplicationStart(json(line)?),
        "SparkListenerApplicationEnd" => LogEvent::ApplicationEnd(json(line)?),
        // Databricks begins each of its files so.
        "SparkListenerLogStart" | "DBCEventLoggingListenerMetadata" => LogEvent::LogStart(json(line)?),
        "SparkListenerThriftServerOperationStart" => {
            let ThriftOperation { group, user, statement } = json(line)?;
            LogEvent::Operation(Operation { key: group, user, statement })
        }
        "SparkListenerConnectOperationStarted" => {
            let ConnectOperation { tag, user_id, user_name, statement } = json(line)?;
            let user = if user_name.is_empty() { user_id } else { user_name };
            LogEvent::Operation(Operation { key: tag, user, statement })
        }
        // Until Spark 3.0 exclusion was called blacklisting; until 4.0 both events are written.
        "SparkListenerExecutorExcluded"
        | "SparkListenerExecutorExcludedForStage"
        | "SparkListenerNodeExcluded"
        | "SparkListenerNodeExcludedForStage"
        | "SparkListenerExecutorBlacklisted"
        | "SparkListenerExecutorBlacklistedForStage"
        | "SparkListenerNodeBlacklisted"
        | "SparkListenerNodeBlacklistedForStage" => LogEvent::Excluded(json(line)?),
        "SparkListenerExecutorUnexcluded"
        | "SparkListenerNodeUnexcluded"
        | "SparkListenerExecutorUnblacklisted"
        | "SparkListenerNodeUnblacklisted" => LogEvent::Unexcluded(json(line)?),
        _ => return Ok(None),
    }))
}

fn json<'a, T: Deserialize<'a>>(line: &'a [u8]) -> serde_json::Result<T> {
    serde_json::from_slice(line).map(|StrictObject(object)| object)
}

/// What is read from an object alone. Without it a list of a structure's fields in their order would do as well.
pub(super) struct StrictObject<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for StrictObject<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<StrictObject<T>, D::Error> {
        object(from).map(StrictObject)
    }
}

/// Reads from an object alone, as [`StrictObject`].
fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    struct ObjectFields<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectFields<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }
    from.deserialize_map(ObjectFields(PhantomData))
}

/// The last millisecond of the year 9999.
pub(super) const MAX_MILLIS: u64 = 253_402_300_799_999;

/// Milliseconds since 1970 up to the year 9999; `None` for 0 and below, which Spark writes for "not yet".
fn millis<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    match Option::<i64>::deserialize(from)? {
        Some(at) if at > MAX_MILLIS as i64 => {
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
    #[serde(rename = "Timestamp", default, deserialize_with = "millis")]
    pub(super) at: Option<u64>,
    #[serde(rename = "User", default)]
    pub(super) user: Option<String>,
}

/// An event of which only the instant matters.
#[derive(Deserialize)]
pub(super) struct Stamp {
    #[serde(rename = "Timestamp", default, deserialize_with = "millis")]
    pub(super) at: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Excluded<'a> {
    #[serde(rename = "time", default, deserialize_with = "millis")]
    pub(super) at: Option<u64>,
    #[serde(rename = "executorId", borrow, default)]
    pub(super) executor: Option<Cow<'a, str>>,
    #[serde(rename = "hostId", borrow, default)]
    pub(super) host: Option<Cow<'a, str>>,
    /// `None` if it takes no more tasks of any stage.
    #[serde(rename = "stageId", default)]
    pub(super) stage: Option<u64>,
    #[serde(rename = "stageAttemptId", default)]
    pub(super) attempt: u32,
}

#[derive(Deserialize)]
struct Environment {
    #[serde(rename = "Spark Properties", default)]
    properties: Settings,
}

/// Spark's own properties, by name.
pub(super) type Settings = BTreeMap<String, String>;

#[derive(Deserialize)]
pub(super) struct ExecutorAdded<'a> {
    #[serde(rename = "Timestamp", default, deserialize_with = "millis")]
    pub(super) at: Option<u64>,
    #[serde(rename = "Executor ID", borrow)]
    pub(super) executor: Cow<'a, str>,
    #[serde(rename = "Executor Info", borrow)]
    pub(super) info: ExecutorInfo<'a>,
}

#[derive(Deserialize)]
pub(super) struct ExecutorInfo<'a> {
    #[serde(rename = "Host", borrow, default)]
    pub(super) host: Option<Cow<'a, str>>,
    #[serde(rename = "Total Cores")]
    pub(super) cores: u32,
    /// GPUs and the like, by name.
    #[serde(rename = "Resources", default)]
    pub(super) resources: Option<BTreeMap<String, Addresses>>,
    #[serde(rename = "Resource Profile Id", default)]
    pub(super) profile: u32,
}

/// Which GPUs and the like an executor has.
#[derive(Deserialize)]
pub(super) struct Addresses {
    #[serde(default)]
    pub(super) addresses: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
pub(super) struct ExecutorRemoved<'a> {
    #[serde(rename = "Timestamp", default, deserialize_with = "millis")]
    pub(super) at: Option<u64>,
    #[serde(rename = "Executor ID", borrow)]
    pub(super) executor: Cow<'a, str>,
}

/// What executors and tasks of some stages need.
#[derive(Deserialize)]
pub(super) struct ProfileAdded {
    #[serde(rename = "Resource Profile Id")]
    pub(super) profile: u32,
    #[serde(rename = "Executor Resource Requests", default)]
    pub(super) of_executor: BTreeMap<String, Request>,
    #[serde(rename = "Task Resource Requests", default)]
    pub(super) of_task: BTreeMap<String, Request>,
}

#[derive(Deserialize)]
pub(super) struct Request {
    #[serde(rename = "Amount")]
    pub(super) amount: f64,
}

#[derive(Deserialize)]
pub(super) struct BlockManagerAdded<'a> {
    #[serde(rename = "Timestamp", default, deserialize_with = "millis")]
    pub(super) at: Option<u64>,
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
    #[serde(rename = "Properties", default)]
    pub(super) properties: JobProperties,
}

/// A stage as a job lists it. It may be skipped.
#[derive(Deserialize)]
pub(super) struct ListedStage<'a> {
    #[serde(rename = "Stage ID")]
    pub(super) stage: u64,
    #[serde(rename = "Stage Name", borrow, default)]
    pub(super) name: Cow<'a, str>,
    /// `None` before Spark 1.5.
    #[serde(rename = "Parent IDs", default)]
    pub(super) parents: Option<Vec<u64>>,
    #[serde(rename = "RDD Info", default)]
    pub(super) rdds: Rdds,
    #[serde(rename = "Resource Profile Id", default)]
    pub(super) profile: u32,
}

/// What matters of a stage's RDDs.
#[derive(Clone, Copy, Default)]
pub(super) struct Rdds {
    /// The id of the first, which identifies what the stage computes.
    pub(super) first: Option<u64>,
    /// Whether one needs all tasks to run at once.
    pub(super) is_barrier: bool,
}

impl<'de> Deserialize<'de> for Rdds {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Rdds, D::Error> {
        #[derive(Deserialize)]
        struct Rdd {
            #[serde(rename = "RDD ID")]
            id: u64,
            #[serde(rename = "Barrier", default)]
            is_barrier: bool,
        }
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Rdds;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list of RDDs")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Rdds, A::Error> {
                let mut rdds = Rdds::default();
                while let Some(Rdd { id, is_barrier }) = list.next_element()? {
                    rdds.first.get_or_insert(id);
                    rdds.is_barrier |= is_barrier;
                }
                Ok(rdds)
            }

            fn visit_unit<E: de::Error>(self) -> Result<Rdds, E> {
                Ok(Rdds::default())
            }
        }
        from.deserialize_any(All)
    }
}

/// Most local properties of a job, and most characters of one that is not Spark's.
const MAX_PROPERTIES: usize = 100;
const LONGEST_PROPERTY: usize = 200;

/// The local properties of the thread that submitted a job, as far as an import may need them. A job of SQL has the
/// whole configuration of Spark besides.
#[derive(Default)]
pub(super) struct JobProperties(pub(super) Vec<(String, String)>);

impl<'de> Deserialize<'de> for JobProperties {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<JobProperties, D::Error> {
        struct Kept;
        impl<'de> Visitor<'de> for Kept {
            type Value = JobProperties;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object of texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JobProperties, A::Error> {
                let mut kept = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    if !property::is_kept(&name) || kept.len() >= MAX_PROPERTIES {
                        map.next_value::<IgnoredAny>()?;
                    } else if let Some(value) = map.next_value::<Option<String>>()?
                        && (!property::is_other(&name) || name.len().max(value.len()) <= LONGEST_PROPERTY)
                    {
                        kept.push((name, value));
                    }
                }
                Ok(JobProperties(kept))
            }

            fn visit_unit<E: de::Error>(self) -> Result<JobProperties, E> {
                Ok(JobProperties::default())
            }
        }
        from.deserialize_any(Kept)
    }
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
    #[serde(rename = "Number of Tasks", default)]
    pub(super) tasks: u32,
    #[serde(rename = "Submission Time", default, deserialize_with = "millis")]
    pub(super) submitted: Option<u64>,
    #[serde(rename = "Completion Time", default, deserialize_with = "millis")]
    pub(super) completed: Option<u64>,
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
    #[serde(rename = "Locality", borrow, default)]
    pub(super) locality: Cow<'a, str>,
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
    #[serde(rename = "time", default, deserialize_with = "millis")]
    pub(super) at: Option<u64>,
    /// Empty if it succeeded.
    #[serde(rename = "errorMessage", borrow)]
    pub(super) error: Option<Cow<'a, str>>,
}

/// A statement, and whose it is that has this job group or tag.
pub(super) struct Operation {
    pub(super) key: String,
    pub(super) user: String,
    pub(super) statement: String,
}

#[derive(Deserialize)]
struct ThriftOperation {
    #[serde(rename = "groupId", default, deserialize_with = "text")]
    group: String,
    #[serde(rename = "userName", default, deserialize_with = "text")]
    user: String,
    #[serde(default, deserialize_with = "text")]
    statement: String,
}

#[derive(Deserialize)]
struct ConnectOperation {
    #[serde(rename = "jobTag", default, deserialize_with = "text")]
    tag: String,
    #[serde(rename = "userId", default, deserialize_with = "text")]
    user_id: String,
    #[serde(rename = "userName", default, deserialize_with = "text")]
    user_name: String,
    #[serde(rename = "statementText", default, deserialize_with = "text")]
    statement: String,
}
