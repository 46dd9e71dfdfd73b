//! The JSON that the REST API gives: lists of objects, or one object. Fields as in Spark's package `status.api.v1`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de::value::MapAccessDeserializer};

use crate::spark::event::{MOST_MILLIS, Object};

/// Most elements of the lists within an object.
const MOST_LISTED: usize = 2_000_000;

/// An object of any kind; [`Item::kind`] says which.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Item {
    id: Option<Id>,
    job_id: Option<u64>,
    stage_id: Option<u64>,
    task_id: Option<u64>,
    attempt_id: Option<u32>,
    name: Option<String>,
    description: Option<String>,
    status: Option<String>,
    submission_time: Option<Instant>,
    completion_time: Option<Instant>,
    launch_time: Option<Instant>,
    duration: Option<i64>,
    // Jobs.
    stage_ids: List<u64>,
    job_group: Option<String>,
    job_tags: List<String>,
    // Stages.
    scheduling_pool: Option<String>,
    rdd_ids: List<u64>,
    failure_reason: Option<String>,
    num_active_tasks: u32,
    num_complete_tasks: u32,
    num_failed_tasks: u32,
    num_killed_tasks: u32,
    shuffle_write_bytes: u64,
    shuffle_write_records: u64,
    shuffle_write_time: u64,
    tasks: TaskMap,
    // Tasks.
    index: u32,
    executor_id: Option<String>,
    speculative: bool,
    task_metrics: Option<Metrics>,
    // Executors.
    total_cores: Option<u32>,
    max_memory: u64,
    add_time: Option<Instant>,
    remove_time: Option<Instant>,
    // SQL executions.
    running_job_ids: List<u64>,
    success_job_ids: List<u64>,
    failed_job_ids: List<u64>,
    root_execution_id: Option<u64>,
    // The application, its environment, and the version.
    attempts: Option<List<Attempt>>,
    spark_properties: Option<List<(String, String)>>,
    spark: Option<String>,
}

/// What an object describes.
pub(super) enum Kind {
    Job(Job),
    Stage(Stage),
    Task(Task),
    Executor { id: String, cores: u32, memory: u64, added: Option<u64>, removed: Option<u64> },
    Execution(Execution),
    Application { id: String, name: String, version: String, is_completed: bool },
    Environment(Vec<(String, String)>),
    Version(String),
    Unknown,
}

#[derive(Clone)]
pub(super) struct Job {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) group: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) submitted: Option<u64>,
    pub(super) ended: Option<u64>,
    pub(super) has_failed: bool,
    pub(super) stages: Vec<u64>,
}

/// An attempt at a stage.
#[derive(Clone)]
pub(super) struct Stage {
    pub(super) id: u64,
    pub(super) attempt: u32,
    pub(super) name: String,
    pub(super) status: String,
    pub(super) failure: String,
    pub(super) pool: Option<String>,
    pub(super) first_rdd: Option<u64>,
    pub(super) submitted: Option<u64>,
    pub(super) completed: Option<u64>,
    /// Whether it wrote a shuffle, as the stages do that others read.
    pub(super) writes_shuffle: bool,
    /// Attempts at tasks that the server counts.
    pub(super) counted: u64,
    pub(super) tasks: Vec<Task>,
}

/// An attempt at a task. What the server always gives is required.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Task {
    #[serde(rename = "taskId")]
    pub(super) id: u64,
    #[serde(default)]
    pub(super) index: u32,
    #[serde(rename = "launchTime")]
    pub(super) launched: Instant,
    #[serde(default)]
    pub(super) duration: Option<i64>,
    #[serde(rename = "executorId")]
    pub(super) executor: String,
    pub(super) status: String,
    #[serde(default)]
    pub(super) speculative: bool,
    #[serde(rename = "taskMetrics", default)]
    pub(super) metrics: Option<Metrics>,
}

/// What the executor measured.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Metrics {
    pub(super) executor_deserialize_time: u64,
    pub(super) executor_run_time: u64,
    pub(super) result_serialization_time: u64,
    pub(super) peak_execution_memory: u64,
}

#[derive(Clone)]
pub(super) struct Execution {
    pub(super) id: u64,
    pub(super) root: u64,
    pub(super) description: String,
    pub(super) started: Option<u64>,
    pub(super) has_ended: bool,
    pub(super) has_failed: bool,
    pub(super) jobs: Vec<u64>,
}

/// Of executors and applications a text, of SQL executions a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Number(u64),
    Text(String),
}

/// An attempt at an application.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attempt {
    #[serde(default)]
    completed: bool,
    #[serde(default)]
    app_spark_version: String,
}

impl Item {
    /// What the object describes.
    ///
    /// # Errors
    /// A task without what the server always gives.
    pub(super) fn kind(self) -> Result<Kind, String> {
        let text = |text: Option<String>| text.unwrap_or_default();
        let at = |instant: Option<Instant>| instant.and_then(Instant::millis);
        if let Some(id) = self.job_id {
            return Ok(Kind::Job(Job {
                id,
                name: text(self.name),
                description: self.description,
                group: self.job_group,
                tags: self.job_tags.0,
                submitted: at(self.submission_time),
                ended: at(self.completion_time),
                has_failed: self.status.as_deref() == Some("FAILED"),
                stages: self.stage_ids.0,
            }));
        }
        if let Some(id) = self.task_id {
            let (Some(launched), Some(executor), Some(status)) =
                (self.launch_time, self.executor_id, self.status)
            else {
                return Err(format!("the task {id} has no launchTime, executorId or status"));
            };
            let Item { index, duration, speculative, task_metrics: metrics, .. } = self;
            return Ok(Kind::Task(Task {
                id,
                index,
                launched,
                duration,
                executor,
                status,
                speculative,
                metrics,
            }));
        }
        if let Some(id) = self.stage_id {
            let tasks = [
                self.num_active_tasks,
                self.num_complete_tasks,
                self.num_failed_tasks,
                self.num_killed_tasks,
            ];
            return Ok(Kind::Stage(Stage {
                id,
                attempt: self.attempt_id.unwrap_or(0),
                name: text(self.name),
                status: text(self.status),
                failure: text(self.failure_reason),
                pool: self.scheduling_pool,
                first_rdd: self.rdd_ids.0.first().copied(),
                submitted: at(self.submission_time),
                completed: at(self.completion_time),
                writes_shuffle: self.shuffle_write_bytes > 0
                    || self.shuffle_write_records > 0
                    || self.shuffle_write_time > 0,
                counted: tasks.into_iter().map(u64::from).sum(),
                tasks: self.tasks.0,
            }));
        }
        Ok(match (self.id, self.total_cores, self.attempts) {
            (Some(Id::Text(id)), Some(cores), _) => {
                let (added, removed) = (at(self.add_time), at(self.remove_time));
                Kind::Executor { id, cores, memory: self.max_memory, added, removed }
            }
            (Some(Id::Text(id)), None, Some(attempts)) => Kind::Application {
                id,
                name: text(self.name),
                version: attempts
                    .0
                    .first()
                    .map(|attempt| attempt.app_spark_version.clone())
                    .unwrap_or_default(),
                is_completed: attempts.0.first().is_some_and(|attempt| attempt.completed),
            },
            (Some(Id::Number(id)), None, None) => Kind::Execution(Execution {
                id,
                root: self.root_execution_id.unwrap_or(id),
                description: text(self.description),
                started: at(self.submission_time),
                has_ended: self.status.as_deref() != Some("RUNNING"),
                has_failed: self.status.as_deref() == Some("FAILED"),
                jobs: [self.running_job_ids.0, self.success_job_ids.0, self.failed_job_ids.0].concat(),
            }),
            (None, None, None) => match (self.spark_properties, self.spark) {
                (Some(properties), _) => Kind::Environment(properties.0),
                (None, Some(version)) => Kind::Version(version),
                (None, None) => Kind::Unknown,
            },
            _ => Kind::Unknown,
        })
    }
}

/// An instant such as `2026-01-01T00:00:00.000GMT`, in ms since 1970.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Instant(i64);

impl Instant {
    /// `None` for 1970 and before, which Spark writes for "not yet".
    pub(super) fn millis(self) -> Option<u64> {
        u64::try_from(self.0).ok().filter(|&millis| millis > 0)
    }
}

impl TryFrom<String> for Instant {
    type Error = String;
    fn try_from(text: String) -> Result<Instant, String> {
        parse(&text).map(Instant).ok_or_else(|| {
            let text: String = text.chars().take(40).collect();
            format!("the instant {text:?} is not of the form 2026-01-01T00:00:00.000GMT")
        })
    }
}

fn parse(text: &str) -> Option<i64> {
    let text = text.strip_suffix("GMT").or_else(|| text.strip_suffix('Z'))?;
    let (date, time) = text.split_once('T')?;
    let (time, millis) = time.split_once('.').unwrap_or((time, "000"));
    fn numbers<const N: usize>(text: &str, sign: char, digits: [usize; N]) -> Option<[i64; N]> {
        let mut parts = text.split(sign);
        let mut numbers = [0; N];
        for (number, digits) in numbers.iter_mut().zip(digits) {
            let part = parts.next().filter(|part| part.len() == digits)?;
            *number = part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())??;
        }
        parts.next().is_none().then_some(numbers)
    }
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    let [millis] = numbers(millis, '.', [3])?;
    let is_valid =
        (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 61;
    if !is_valid {
        return None;
    }
    // Days since 1970 in the Gregorian calendar, with years that begin in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days = 365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millis)
}

impl Task {
    /// Launch and end in ms since 1970; 0 for what is not known.
    ///
    /// # Errors
    /// It ends after the year 9999.
    pub(super) fn times(&self) -> Result<(u64, u64), String> {
        let launch = self.launched.millis().unwrap_or(0);
        let duration = self.duration.and_then(|duration| u64::try_from(duration).ok());
        match duration.map(|duration| launch.saturating_add(duration)) {
            Some(finish) if finish > MOST_MILLIS => {
                Err(format!("the task {} ends after the year 9999", self.id))
            }
            finish => Ok((launch, finish.unwrap_or(0))),
        }
    }
}

/// A list that is bounded; null is empty.
struct List<T>(Vec<T>);

impl<T> Default for List<T> {
    fn default() -> List<T> {
        List(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<List<T>, D::Error> {
        struct Elements<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_unit<E: de::Error>(self) -> Result<List<T>, E> {
                Ok(List::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<List<T>, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = list.next_element()? {
                    if elements.len() >= MOST_LISTED {
                        return Err(de::Error::custom(format!("a list of more than {MOST_LISTED} elements")));
                    }
                    elements.push(element);
                }
                Ok(List(elements))
            }
        }
        from.deserialize_any(Elements(PhantomData))
    }
}

/// The tasks of a stage by their ids, with `details=true`; null is none.
#[derive(Default)]
struct TaskMap(Vec<Task>);

impl<'de> Deserialize<'de> for TaskMap {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<TaskMap, D::Error> {
        struct ById;
        impl<'de> Visitor<'de> for ById {
            type Value = TaskMap;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("tasks by their ids")
            }

            fn visit_unit<E: de::Error>(self) -> Result<TaskMap, E> {
                Ok(TaskMap::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TaskMap, A::Error> {
                let mut tasks = Vec::new();
                while let Some((IgnoredAny, Object(task))) = map.next_entry()? {
                    tasks.push(task);
                }
                Ok(TaskMap(tasks))
            }
        }
        from.deserialize_any(ById)
    }
}

/// Gives each object of an answer to a function, one after the other.
pub(super) struct Objects<F>(pub(super) F);

impl<'de, F: FnMut(Item) -> Result<(), String>> de::DeserializeSeed<'de> for Objects<F> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, F: FnMut(Item) -> Result<(), String>> Visitor<'de> for Objects<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object or a list of objects, as the REST API gives them")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(Object(item)) = list.next_element()? {
            (self.0)(item).map_err(de::Error::custom)?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, map: A) -> Result<(), A::Error> {
        let item = Item::deserialize(MapAccessDeserializer::new(map))?;
        (self.0)(item).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_milliseconds_since_1970() {
        // By `date -u -d … +%s`.
        let cases = [
            ("1970-01-01T00:00:00.001GMT", 1),
            ("2000-02-29T12:00:00.000GMT", 951_825_600_000),
            ("2026-11-23T04:05:06.789GMT", 1_795_406_706_789),
            ("2100-03-01T00:00:00Z", 4_107_542_400_000),
        ];
        for (text, millis) in cases {
            assert_eq!(parse(text), Some(millis), "{text}");
        }
        for wrong in [
            "",
            "2026-01-01",
            "2026-13-01T00:00:00.000GMT",
            "2026-01-01T00:00:00.000CST",
            "+026-01-01T00:00:00.000GMT",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(parse("1969-12-31T23:59:59.999GMT").map(Instant).and_then(Instant::millis), None);
    }
}
