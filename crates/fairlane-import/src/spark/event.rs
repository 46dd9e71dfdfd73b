//! The events of a log that an import needs, one JSON object a line. All others are only counted.

mod json;
mod properties;
mod rdds;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use json::{StrictObject, amount, millis, object, text};
pub(super) use properties::JobProperties;
pub(super) use rdds::Rdds;

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
