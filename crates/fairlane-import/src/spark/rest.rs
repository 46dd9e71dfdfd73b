//! Answers of the REST API of Spark's History Server, saved as files: JSON lists of jobs, stages, tasks, executors and
//! SQL executions.
//!
//! They have no parents of stages and no local properties. So a stage waits for what had ended in its job when it was
//! submitted, and users are pools, job groups or descriptions.

mod shape;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;

use serde::de::DeserializeSeed;

use super::ImportError;
use super::log::{self, Log};
use super::problem::{short, too_many, without_place};
use super::record::{Execution, LogJob, LogStage, LogTask, StageAttempt, StageEnd, TaskEnd};
use shape::{Item, Kind, Objects, Stage, Task};

/// What objects of a file are counted as that an import does not need.
const UNKNOWN: &str = "objects of the REST API";
/// The fields with which an object that is a whole file begins.
const FIRST_FIELDS: [&str; 7] = ["id", "jobId", "status", "taskId", "runtime", "spark", "stageId"];

/// What has been read besides tasks and executors, which are in the log already.
#[derive(Clone, Default)]
pub(super) struct Rest {
    jobs: BTreeMap<u64, shape::Job>,
    /// By id and attempt, without their tasks.
    stages: BTreeMap<(u64, u32), Stage>,
    executions: BTreeMap<u64, shape::Execution>,
    /// Stages and jobs that they list, altogether.
    listed: usize,
}

/// Whether a file whose first line that is not empty is this one is an answer of the REST API.
pub(super) fn is_answer(line: &[u8]) -> bool {
    match line.trim_ascii_start() {
        [b'[', ..] => true,
        [b'{', rest @ ..] => {
            let field = rest.trim_ascii_start();
            let field = field.strip_prefix(b"\"").and_then(|field| field.split(|&byte| byte == b'"').next());
            match field {
                Some(field) => FIRST_FIELDS.iter().any(|known| known.as_bytes() == field),
                None => rest.trim_ascii().is_empty(),
            }
        }
        _ => false,
    }
}

impl Log {
    /// Reads an answer, a list of objects or one, from its first line that is not empty.
    ///
    /// # Errors
    /// It is not what the API gives, or has more than an import can hold.
    pub(super) fn answer(&mut self, name: &str, first: u64, file: impl Read) -> Result<(), ImportError> {
        if !self.has_no_events() {
            return Err(mixed(name));
        }
        let mut rest = self.rest.take().unwrap_or_default();
        let mut json = serde_json::Deserializer::from_reader(file);
        let of_tasks = stage_in(name);
        let read = Objects(|item| {
            self.counts.lines += 1;
            self.object(&mut rest, item, of_tasks)
        });
        let result = read.deserialize(&mut json).and_then(|()| json.end());
        self.rest = Some(rest);
        // What was read before is empty lines.
        let line = |error: &serde_json::Error| error.line() as u64 + first - 1;
        match result {
            Err(error) if error.is_eof() => {
                self.counts.cuts.push(format!("{name} ends in the middle of line {}", line(&error)));
                Ok(())
            }
            Err(error) if error.is_io() => Err(ImportError::new(name, error.to_string())),
            Err(error) => {
                let message = without_place(&error);
                let place = format!("{name}, line {}", line(&error));
                Err(ImportError::new(place, format!("is not what Spark's REST API gives: {message}")))
            }
            Ok(()) => Ok(()),
        }
    }

    fn object(&mut self, rest: &mut Rest, item: Item, of_tasks: Option<(u64, u32)>) -> Result<(), String> {
        match item.kind()? {
            Kind::Job(job) => rest.add_job(job)?,
            Kind::Stage(mut stage) => {
                for task in std::mem::take(&mut stage.tasks) {
                    self.task((stage.id, stage.attempt), task)?;
                }
                rest.add_stage(stage)?;
            }
            Kind::Task(task) => {
                let Some(stage) = of_tasks else {
                    return Err("these tasks are of a stage that the file's path does not name; \
                                save them as stages/STAGE/ATTEMPT/taskList"
                        .to_owned());
                };
                self.task(stage, task)?;
            }
            Kind::Executor { id, cores, memory, added, removed } => {
                let executor = self.executor(&id)?;
                // A driver that runs no tasks has no cores.
                executor.cores = Some(cores).filter(|&cores| cores > 0);
                (executor.memory, executor.added, executor.removed) = (memory, added, removed);
            }
            Kind::Execution(execution) => rest.add_execution(execution)?,
            Kind::Application { id, name, version, is_completed } => {
                self.begin(&name, &id, "")?;
                self.counts.ended = is_completed;
                if !version.is_empty() {
                    self.application.version = short(&version);
                }
            }
            Kind::Environment(properties) => {
                for (name, value) in properties {
                    self.settings.get_or_insert_default().set(&name, value);
                }
            }
            Kind::Version(version) => self.application.version = short(&version),
            Kind::Unknown => *self.counts.unused.entry(UNKNOWN.to_owned()).or_default() += 1,
        }
        Ok(())
    }

    fn task(&mut self, (stage, stage_attempt): (u64, u32), task: Task) -> Result<(), String> {
        let (launch, finish) = task.times()?;
        let end = match task.status.as_str() {
            "SUCCESS" => TaskEnd::Succeeded,
            "FAILED" => TaskEnd::Failed,
            "KILLED" => TaskEnd::Killed,
            _ => return self.start_task(task.id),
        };
        let executor = self.executor_number(&task.executor)?;
        let measured = task.metrics.map(|metrics| {
            let times = [
                metrics.executor_deserialize_time,
                metrics.executor_run_time,
                metrics.result_serialization_time,
            ];
            times.into_iter().fold(0, u64::saturating_add)
        });
        let memory = task.metrics.map_or(0, |metrics| metrics.peak_execution_memory);
        let (measured_ms, memory_kib) = LogTask::compact(measured, memory);
        self.end_task(LogTask {
            id: task.id,
            stage,
            stage_attempt,
            index: task.index,
            executor,
            end,
            speculative: task.speculative,
            of_result: false,
            launch,
            finish,
            measured_ms,
            memory_kib,
        })
    }
}

pub(super) fn mixed(name: &str) -> ImportError {
    let message =
        "is of another kind than the files before: give an event log or answers of the REST API, not both";
    ImportError::new(name, message)
}

/// The stage and the attempt that a path such as `stages/20/0/taskList.json` names: its last two numbers.
fn stage_in(path: &str) -> Option<(u64, u32)> {
    let mut numbers =
        path.rsplit(|character: char| !character.is_ascii_digit()).filter(|part| !part.is_empty());
    let (attempt, stage) = (numbers.next()?, numbers.next()?);
    Some((stage.parse().ok()?, attempt.parse().ok()?))
}

impl Rest {
    fn list(&mut self, count: usize) -> Result<(), String> {
        self.listed += count;
        if self.listed > log::MOST_PARENTS {
            Err(too_many("stages of jobs", log::MOST_PARENTS))
        } else {
            Ok(())
        }
    }

    fn add_job(&mut self, job: shape::Job) -> Result<(), String> {
        if self.jobs.len() >= log::MOST_JOBS {
            return Err(too_many("jobs", log::MOST_JOBS));
        }
        self.list(job.stages.len() + job.tags.len())?;
        self.jobs.insert(job.id, job);
        Ok(())
    }

    fn add_stage(&mut self, stage: Stage) -> Result<(), String> {
        if self.stages.len() >= log::MOST_STAGES {
            return Err(too_many("stages", log::MOST_STAGES));
        }
        self.stages.insert((stage.id, stage.attempt), stage);
        Ok(())
    }

    fn add_execution(&mut self, execution: shape::Execution) -> Result<(), String> {
        if self.executions.len() >= log::MOST_JOBS {
            return Err(too_many("SQL executions", log::MOST_JOBS));
        }
        self.list(execution.jobs.len())?;
        self.executions.insert(execution.id, execution);
        Ok(())
    }

    /// The attempts at a stage.
    fn attempts(&self, stage: u64) -> impl Iterator<Item = &Stage> {
        self.stages.range((stage, 0)..=(stage, u32::MAX)).map(|(_, attempt)| attempt)
    }

    /// The log that an event log of the same application would have given, as far as the answers go.
    ///
    /// # Errors
    /// Stages wait for more than an import can hold.
    pub(super) fn log(&self, of: &Log) -> Result<Log, ImportError> {
        let mut log = of.clone();
        log.rest = None;
        let mut execution_of: HashMap<u64, u64> = HashMap::new();
        for execution in self.executions.values() {
            execution_of.extend(execution.jobs.iter().map(|&job| (job, execution.id)));
            let known = Execution {
                root: execution.root,
                description: short(&execution.description),
                started: execution.started,
                ended: execution.has_ended,
                failed: execution.has_failed,
            };
            log.executions.insert(execution.id, known);
        }
        // The last stage of a job computes its result, unless it writes a shuffle, as under adaptive execution.
        let mut of_result = BTreeSet::new();
        for job in self.jobs.values() {
            let added = self.add(job, execution_of.get(&job.id).copied(), &mut log);
            added.map_err(|message| ImportError::new(format!("job {}", job.id), message))?;
            let last = job.stages.iter().copied().max();
            of_result
                .extend(last.filter(|&stage| !self.attempts(stage).any(|attempt| attempt.writes_shuffle)));
        }
        let mut tasks: BTreeMap<(u64, u32), BTreeSet<u64>> = BTreeMap::new();
        for task in &mut log.tasks {
            task.of_result = of_result.contains(&task.stage);
            tasks.entry((task.stage, task.stage_attempt)).or_default().insert(task.id);
        }
        let listed = tasks.values().map(BTreeSet::len).sum::<usize>() + log.running.len();
        let counted: u64 = self.stages.values().map(|stage| stage.counted).sum();
        log.counts.unlisted = counted.saturating_sub(listed as u64);
        Ok(log)
    }

    fn add(&self, job: &shape::Job, execution: Option<u64>, log: &mut Log) -> Result<(), String> {
        let number = log.jobs.len() as u32;
        let mut ids = job.stages.clone();
        ids.sort_unstable();
        ids.dedup();
        let mut parents = self.parents(&ids);
        let mut stages = Vec::with_capacity(ids.len());
        for &id in &ids {
            let name = self.attempts(id).map(|stage| short(&stage.name)).next().unwrap_or_default();
            let name = log.texts.shared(&name);
            stages.push(log.add_stage(id, || LogStage {
                id,
                name,
                parents: parents.remove(&id).unwrap_or_default().into_boxed_slice(),
                first_rdd: self.attempts(id).find_map(|stage| stage.first_rdd),
                job: number,
                attempts: self.attempts(id).filter_map(attempt).collect(),
            })?);
        }
        let pool = ids.iter().flat_map(|&id| self.attempts(id)).find_map(|stage| stage.pool.clone());
        let properties = log.local_properties(super::event::Properties {
            pool,
            group: job.group.clone(),
            description: job.description.clone(),
            tags: (!job.tags.is_empty()).then(|| job.tags.join(",")),
            execution: execution.map(|id| id.to_string()),
            ..Default::default()
        });
        if job.description.is_none()
            && let Some(&last) = stages.last()
            && log.stages[last as usize].name.is_empty()
        {
            log.stages[last as usize].name = log.texts.shared(&short(&job.name));
        }
        log.add_job(LogJob {
            id: job.id,
            submitted: job.submitted,
            ended: job.ended,
            failed: job.has_failed,
            properties,
            stages,
        });
        Ok(())
    }

    /// What each stage of a job waited for, as far as times say: what had completed when it was submitted, without that
    /// for which this had waited in turn; the first stages for the output of those skipped.
    fn parents(&self, of_job: &[u64]) -> HashMap<u64, Vec<u64>> {
        let submitted = |stage: u64| self.attempts(stage).filter_map(|attempt| attempt.submitted).min();
        let mut completed: Vec<(u64, u64, u64)> = Vec::new();
        for &stage in of_job {
            let ends = self
                .attempts(stage)
                .filter_map(|attempt| Some((attempt.completed?, attempt.submitted?, stage)));
            completed.extend(ends.max());
        }
        completed.sort_unstable();
        // The latest submission among the first to complete.
        let latest: Vec<u64> = completed
            .iter()
            .scan(0, |latest, &(_, submitted, _)| {
                *latest = submitted.max(*latest);
                Some(*latest)
            })
            .collect();
        let skipped: Vec<u64> = of_job.iter().copied().filter(|&stage| submitted(stage).is_none()).collect();
        let of_stage = |stage: u64| {
            let submitted = submitted(stage)?;
            let before = completed.partition_point(|&(completed, ..)| completed <= submitted);
            let Some(last) = before.checked_sub(1) else {
                let earlier = skipped.iter().copied().take_while(|&other| other < stage);
                return Some((stage, earlier.collect()));
            };
            let waited =
                completed[..before].iter().rev().take_while(|(completed, ..)| *completed > latest[last]);
            Some((stage, waited.map(|&(.., other)| other).filter(|&other| other != stage).collect()))
        };
        of_job.iter().filter_map(|&stage| of_stage(stage)).collect()
    }
}

/// An attempt that was submitted.
fn attempt(stage: &Stage) -> Option<StageAttempt> {
    let end = match stage.status.as_str() {
        "SKIPPED" | "PENDING" => return None,
        "COMPLETE" => StageEnd::Completed,
        "FAILED" => StageEnd::failed(&stage.failure),
        _ => StageEnd::Open,
    };
    Some(StageAttempt { number: stage.attempt, submitted: stage.submitted.unwrap_or(0), end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_recognised_by_their_beginning() {
        for line in ["[ {", "[]", "{", " {\"jobId\":1", "{ \"runtime\" : {"] {
            assert!(is_answer(line.as_bytes()), "{line}");
        }
        for line in
            ["{\"Event\":\"SparkListenerLogStart\"}", "{\"App ID\":\"a\",\"Event\":\"b\"}", "text", ""]
        {
            assert!(!is_answer(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn a_path_names_the_stage_of_its_tasks() {
        assert_eq!(stage_in("app-20260101-0001/stages/20/1/taskList.json"), Some((20, 1)));
        assert_eq!(stage_in("tasks_3_0"), Some((3, 0)));
        assert_eq!(stage_in("taskList.json"), None);
    }
}
