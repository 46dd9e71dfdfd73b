//! What a log says, collected event by event. Holds a few dozen bytes for each task, whatever the log's size.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{ErrorKind, Read};
use std::sync::Arc;

use super::ImportError;
use super::event::{self, JobProperties, LogEvent, Settings};
use super::file_kind::is_program_log;
use super::names;
use super::problem::{Problem, first, short, too_many};
use super::reader::{LogLines, NextLine};
use super::record::{
    Application, Counts, Exclusion, LocalProperties, Locality, LogExecutor, LogJob, LogStage, LogTask,
    Profile, SqlExecution, StageAttempt, StageEnd, Statement, TaskEnd, Texts, property,
};

/// Most tasks, stages, jobs, SQL executions and executors of a log that is read.
pub(super) const MAX_TASKS: usize = 10_000_000;
/// Most tasks that have started and not ended.
const MAX_RUNNING: usize = 1_000_000;
pub(super) const MAX_STAGES: usize = 2_000_000;
pub(super) const MAX_JOBS: usize = 200_000;
const MAX_EXECUTORS: usize = 100_000;
/// Most parents of all stages together.
pub(super) const MAX_PARENTS: usize = 20_000_000;
/// Most characters of a property or id that is kept.
const LONGEST_TEXT: usize = 1_000;
/// Most kinds of resources, such as GPUs, of an executor.
const MAX_RESOURCES: usize = 20;
/// Most kinds of events counted by name, and the length of a name.
const MAX_NAMES: usize = 1_000;
const LONGEST_NAME: usize = 200;

/// What is wrong with more tasks than are read.
pub(super) fn too_many_tasks() -> String {
    format!("have more than {MAX_TASKS} tasks; import fewer of them")
}

/// What is wrong with a driver's log.
const DRIVER_LOG: &str = "is not JSON and looks like a driver's log; give the event log, which is in the folder that \
                          spark.eventLog.dir names if spark.eventLog.enabled is true";

/// What is wrong with a text that is a driver's log in the place of an event log; none of any other text.
pub fn driver_log(text: &str) -> Option<&'static str> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    is_program_log(first.as_bytes()).then_some(DRIVER_LOG)
}

/// An event log, read and not yet a scenario: [`Log::import`](super::Log::import) makes one, by the rules of a choice.
#[derive(Clone, Default)]
pub struct Log {
    pub(super) application: Application,
    /// The applications, if there are several.
    pub(super) applications: Vec<Application>,
    /// None if the log does not begin with the application.
    pub(super) settings: Option<Settings>,
    pub(super) executors: Vec<LogExecutor>,
    executor_index: HashMap<String, u32>,
    pub(super) profiles: BTreeMap<u32, Profile>,
    /// What takes no more tasks after failures.
    pub(super) exclusions: BTreeSet<Exclusion>,
    pub(super) jobs: Vec<LogJob>,
    job_index: HashMap<u64, u32>,
    pub(super) stages: Vec<LogStage>,
    pub(super) stage_index: HashMap<u64, u32>,
    /// Parents of all stages together.
    parents: usize,
    pub(super) tasks: Vec<LogTask>,
    /// Whether the jobs say what their stages wait for; not before Spark 1.5.
    pub(super) has_parents: bool,
    /// Tasks started and not ended, by id.
    pub(super) running: BTreeMap<u64, LogTask>,
    pub(super) texts: Texts,
    /// Those of different jobs, most of which belong to the same query as the one before.
    pub(super) properties: HashSet<Arc<LocalProperties>>,
    /// By their ids.
    pub(super) executions: BTreeMap<u64, SqlExecution>,
    /// By job group or tag.
    pub(super) operations: HashMap<String, Statement>,
    pub(super) counts: Counts,
}

impl Log {
    /// Reads one file of the log after those already read. Its compression is recognised; a file that ends in the
    /// middle of a line or block is read up to there.
    ///
    /// # Errors
    /// The file cannot be read, or a line is not what Spark writes; the error names file and line.
    pub fn read(&mut self, name: &str, file: impl Read) -> Result<(), ImportError> {
        let unreadable = |error: std::io::Error| match error.get_ref() {
            Some(reason) => ImportError::new(name, reason.to_string()),
            None if error.kind() == ErrorKind::UnexpectedEof => {
                ImportError::new(name, "is cut off before its first event; copy it again")
            }
            None => ImportError::new(name, format!("cannot be read: {error}")),
        };
        let mut lines = LogLines::new(file).map_err(unreadable)?;
        self.counts.files += 1;
        // A line that is no JSON object is an error unless it is the file's last.
        let mut broken: Option<(u64, ImportError)> = None;
        loop {
            let number = lines.number() + 1;
            let at = || format!("{name}, line {number}");
            let cut = match lines.next() {
                Ok(NextLine::Line(line)) => {
                    if line.iter().all(u8::is_ascii_whitespace) {
                        continue;
                    }
                    if let Some((_, error)) = broken {
                        return Err(error);
                    }
                    if let Err(problem) = self.line(line) {
                        if number == 1 && is_program_log(&line[..line.len().min(LONGEST_TEXT)]) {
                            return Err(ImportError::new(at(), DRIVER_LOG));
                        }
                        let error = problem.error(&at());
                        if number == 1 || !problem.may_be_cut() {
                            return Err(error);
                        }
                        broken = Some((number, error));
                    }
                    continue;
                }
                Ok(NextLine::End) => {
                    broken.map(|(line, _)| format!("{name} ends in the middle of line {line}"))
                }
                Ok(NextLine::Cut) => Some(format!("{name} is cut off after line {}", number - 1)),
                Err(error) if number == 1 => return Err(unreadable(error)),
                Err(error) => return Err(ImportError::new(at(), error.to_string())),
            };
            self.counts.cuts.extend(cut);
            break;
        }
        self.counts.bytes += lines.bytes();
        self.counts.lines += lines.number();
        Ok(())
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Problem> {
        let name = event::name(line)?;
        match event::read(&name, line)? {
            Some(event) => self.event(event).map_err(Problem::Refused),
            None => {
                self.unused(&name);
                Ok(())
            }
        }
    }

    fn unused(&mut self, name: &str) {
        if let Some(count) = self.counts.unused.get_mut(name) {
            *count += 1;
        } else {
            let known = self.counts.unused.len() < MAX_NAMES && name.len() <= LONGEST_NAME;
            let name = if known { name } else { "others" };
            *self.counts.unused.entry(name.to_owned()).or_default() += 1;
        }
    }

    fn event(&mut self, event: LogEvent<'_>) -> Result<(), String> {
        match event {
            LogEvent::LogStart(start) => self.application.version = short(&start.version),
            LogEvent::ApplicationStart(start) => {
                let attempt = start.attempt.unwrap_or_default();
                self.begin(&start.name, &start.id.unwrap_or_default(), &attempt)?;
                self.application.user = short(&start.user.unwrap_or_default());
                self.application.started = start.at;
                self.saw(start.at);
            }
            LogEvent::ApplicationEnd(end) => {
                self.counts.ended = true;
                self.saw(end.at);
            }
            LogEvent::Environment(settings) => self.settings = Some(settings),
            LogEvent::ExecutorAdded(added) => {
                self.saw(added.at);
                let host = self.texts.shared(&short(&added.info.host.unwrap_or_default()));
                let resources = added.info.resources.unwrap_or_default().into_iter().take(MAX_RESOURCES);
                let resources = resources
                    .map(|(name, has)| (self.texts.shared(&short(&name)), has.addresses.len() as u32))
                    .collect();
                let executor = self.executor(&added.executor)?;
                (executor.cores, executor.added) = (Some(added.info.cores), added.at);
                (executor.profile, executor.host) = (added.info.profile, host);
                executor.resources = resources;
            }
            LogEvent::ExecutorRemoved(removed) => {
                self.saw(removed.at);
                self.executor(&removed.executor)?.removed = removed.at;
            }
            LogEvent::ProfileAdded(added) => {
                if self.profiles.len() >= MAX_NAMES {
                    return Err(too_many("resource profiles", MAX_NAMES));
                }
                let amounts = |requests: BTreeMap<String, event::Request>| {
                    let requests = requests.into_iter().take(MAX_RESOURCES);
                    requests.map(|(name, request)| (short(&name), request.amount)).collect()
                };
                let (of_executor, of_task) = (amounts(added.of_executor), amounts(added.of_task));
                self.profiles.insert(added.profile, Profile { of_executor, of_task });
            }
            LogEvent::Excluded(excluded) => self.exclude(&excluded, false)?,
            LogEvent::Unexcluded(excluded) => self.exclude(&excluded, true)?,
            LogEvent::BlockManagerAdded(added) => {
                self.saw(added.at);
                let executor = self.executor(&added.manager.executor)?;
                executor.memory = added.memory;
                // An executor that has registered is offered only once it has a block manager.
                executor.added = executor.added.max(added.at.filter(|_| executor.added.is_some()));
            }
            LogEvent::JobStart(start) => self.job_start(start)?,
            LogEvent::JobEnd(end) => {
                self.saw(end.at);
                if let Some(&job) = self.job_index.get(&end.job) {
                    let job = &mut self.jobs[job as usize];
                    job.ended = end.at;
                    job.failed = end.result.is_some_and(|result| result.result != "JobSucceeded");
                }
            }
            LogEvent::StageSubmitted(event) => {
                self.saw(event.info.submitted);
                self.stage_attempt(&event.info);
            }
            LogEvent::StageCompleted(event) => {
                self.saw(event.info.completed);
                if let Some(attempt) = self.stage_attempt(&event.info) {
                    let failure = event.info.failure.as_deref();
                    attempt.end = failure.map_or(StageEnd::Completed, StageEnd::failed);
                    attempt.completed = event.info.completed.unwrap_or(0);
                }
            }
            LogEvent::TaskStart(task) => {
                self.saw(task.info.launch);
                let task = self.log_task(&task)?;
                self.start_task(task)?;
            }
            LogEvent::TaskEnd(task) => self.task_end(&task)?,
            LogEvent::ExecutionStart(start) => {
                self.saw(start.at);
                if self.executions.len() >= MAX_JOBS {
                    return Err(too_many("SQL executions", MAX_JOBS));
                }
                let execution = SqlExecution {
                    root: start.root.unwrap_or(start.execution),
                    description: short(&names::readable(&start.description)),
                    started: start.at,
                    has_end: false,
                    ended: None,
                    failed: false,
                };
                self.executions.insert(start.execution, execution);
            }
            LogEvent::ExecutionEnd(end) => {
                self.saw(end.at);
                if let Some(execution) = self.executions.get_mut(&end.execution) {
                    (execution.has_end, execution.ended) = (true, end.at);
                    execution.failed = end.error.is_some_and(|error| !error.is_empty());
                }
            }
            LogEvent::Replanned => self.counts.replanned += 1,
            LogEvent::Operation(operation) => {
                if self.operations.len() >= MAX_JOBS {
                    return Err(too_many("statements of SQL sessions", MAX_JOBS));
                }
                let statement = Statement {
                    user: short(&operation.user),
                    name: short(&names::readable(&operation.statement)),
                };
                self.operations.insert(first(&operation.key, LONGEST_TEXT), statement);
            }
        }
        Ok(())
    }

    /// Notes the instant of an event.
    fn saw(&mut self, at: Option<u64>) {
        self.counts.last = self.counts.last.max(at.unwrap_or(0));
    }

    fn exclude(&mut self, excluded: &event::Excluded<'_>, is_over: bool) -> Result<(), String> {
        self.saw(excluded.at);
        if self.exclusions.len() >= MAX_EXECUTORS {
            return Err(too_many("exclusions of executors", MAX_EXECUTORS));
        }
        let executor = excluded.executor.as_deref().map(|id| self.executor_number(id)).transpose()?;
        let host = self.texts.shared(&short(excluded.host.as_deref().unwrap_or_default()));
        self.exclusions.insert(Exclusion {
            at: excluded.at.unwrap_or(0),
            executor,
            host,
            stage: excluded.stage,
            attempt: excluded.attempt,
            is_over,
        });
        Ok(())
    }

    /// Notes whose log it is.
    pub(super) fn begin(&mut self, name: &str, id: &str, attempt: &str) -> Result<(), String> {
        if !self.application.id.is_empty() && self.application.id != short(id) {
            return Err(format!(
                "begins the application {}, but the lines before are of {}; import one application at a time",
                short(id),
                self.application.id
            ));
        }
        let Application { attempt: known, .. } = &self.application;
        if !known.is_empty() && *known != short(attempt) {
            return Err(format!(
                "begins attempt {} of the application, but the lines before are of attempt {known}; \
                 import one at a time",
                short(attempt)
            ));
        }
        (self.application.name, self.application.id) = (short(name), short(id));
        self.application.attempt = short(attempt);
        Ok(())
    }

    pub(super) fn executor(&mut self, id: &str) -> Result<&mut LogExecutor, String> {
        let index = self.executor_number(id)?;
        Ok(&mut self.executors[index as usize])
    }

    pub(super) fn executor_number(&mut self, id: &str) -> Result<u32, String> {
        let id = id.get(..LONGEST_TEXT).unwrap_or(id);
        if let Some(&index) = self.executor_index.get(id) {
            return Ok(index);
        }
        if self.executors.len() >= MAX_EXECUTORS {
            return Err(too_many("executors", MAX_EXECUTORS));
        }
        let index = self.executors.len() as u32;
        self.executor_index.insert(id.to_owned(), index);
        // Spark 1.3 has brackets.
        let is_driver = matches!(id, "driver" | "<driver>");
        self.executors.push(LogExecutor {
            cores: None,
            added: None,
            removed: None,
            memory: 0,
            host: self.texts.shared(""),
            resources: BTreeMap::new(),
            profile: 0,
            is_driver,
            application: 0,
        });
        Ok(index)
    }

    fn job_start(&mut self, start: event::JobStart<'_>) -> Result<(), String> {
        if self.job_index.contains_key(&start.job) {
            self.counts.repeated_jobs += 1;
            return Ok(());
        }
        if self.jobs.len() >= MAX_JOBS {
            return Err(too_many("jobs", MAX_JOBS));
        }
        self.saw(start.at);
        let number = self.jobs.len() as u32;
        let mut stages: Vec<u32> = Vec::with_capacity(start.stages.len());
        for listed in start.stages {
            let (id, name) = (listed.stage, self.texts.shared(&short(&listed.name)));
            self.has_parents |= listed.parents.is_some();
            let mut parents = listed.parents.unwrap_or_default();
            stages.push(self.add_stage(id, || {
                parents.sort_unstable();
                parents.dedup();
                LogStage {
                    id,
                    name,
                    parents: parents.into_boxed_slice(),
                    first_rdd: listed.rdds.first,
                    is_barrier: listed.rdds.is_barrier,
                    profile: listed.profile,
                    job: number,
                    attempts: Vec::new(),
                }
            })?);
        }
        stages.sort_unstable_by_key(|&stage| self.stages[stage as usize].id);
        stages.dedup();
        let properties = self.local_properties(start.properties);
        self.add_job(LogJob {
            id: start.job,
            submitted: start.at,
            ended: None,
            failed: false,
            application: 0,
            execution_base: 0,
            properties,
            stages,
        });
        Ok(())
    }

    pub(super) fn add_job(&mut self, job: LogJob) {
        self.job_index.insert(job.id, self.jobs.len() as u32);
        self.jobs.push(job);
    }

    /// The stage with an id, by index in [`Log::stages`]; a new one if there is none yet.
    pub(super) fn add_stage(&mut self, id: u64, stage: impl FnOnce() -> LogStage) -> Result<u32, String> {
        if let Some(&stage) = self.stage_index.get(&id) {
            return Ok(stage);
        }
        if self.stages.len() >= MAX_STAGES {
            return Err(too_many("stages", MAX_STAGES));
        }
        let stage = stage();
        self.parents += stage.parents.len();
        if self.parents > MAX_PARENTS {
            return Err(too_many("parents of stages", MAX_PARENTS));
        }
        let index = self.stages.len() as u32;
        self.stage_index.insert(id, index);
        self.stages.push(stage);
        Ok(index)
    }

    /// The attempt at a stage that a job of the log lists.
    fn stage_attempt(&mut self, info: &event::StageInfo<'_>) -> Option<&mut StageAttempt> {
        let stage = &mut self.stages[*self.stage_index.get(&info.stage)? as usize];
        if !info.name.is_empty() {
            stage.name = self.texts.shared(&short(&info.name));
        }
        let known = stage.attempts.iter().position(|attempt| attempt.number == info.attempt);
        let position = known.unwrap_or_else(|| {
            // Most stages have one.
            stage.attempts.reserve_exact(1);
            let end = StageEnd::Open;
            stage.attempts.push(StageAttempt {
                number: info.attempt,
                tasks: 0,
                submitted: 0,
                completed: 0,
                end,
            });
            stage.attempts.len() - 1
        });
        let attempt = &mut stage.attempts[position];
        attempt.submitted = info.submitted.unwrap_or(attempt.submitted);
        attempt.tasks = info.tasks.max(attempt.tasks);
        Some(attempt)
    }

    fn task_end(&mut self, task: &event::TaskEvent<'_>) -> Result<(), String> {
        self.saw(task.info.finish);
        let task = self.log_task(task)?;
        self.end_task(task)
    }

    fn log_task(&mut self, task: &event::TaskEvent<'_>) -> Result<LogTask, String> {
        let executor = self.executor_number(&task.info.executor)?;
        let reason = task.end.as_ref().map_or("", |end| &*end.reason);
        let end = match reason {
            "Success" => TaskEnd::Succeeded,
            "TaskKilled" => TaskEnd::Killed,
            _ if task.info.killed => TaskEnd::Killed,
            "" if !task.info.failed => TaskEnd::Succeeded,
            _ => TaskEnd::Failed,
        };
        let metrics = task.metrics.as_ref();
        let measured = metrics.map(|metrics| {
            metrics.deserialize_ms.saturating_add(metrics.run_ms).saturating_add(metrics.serialize_ms)
        });
        let memory = metrics.map_or(0, |metrics| metrics.memory);
        let (measured_ms, memory_kib) = LogTask::compact(measured, memory);
        Ok(LogTask {
            id: task.info.task,
            stage: task.stage,
            stage_attempt: task.attempt,
            index: task.info.index,
            executor,
            end,
            speculative: task.info.speculative,
            locality: Locality::read(&task.info.locality),
            of_result: task.kind == "ResultTask",
            launch: task.info.launch.unwrap_or(0),
            finish: task.info.finish.unwrap_or(0),
            measured_ms,
            memory_kib,
        })
    }

    pub(super) fn start_task(&mut self, task: LogTask) -> Result<(), String> {
        if self.running.len() >= MAX_RUNNING {
            return Err(too_many("tasks that have not ended", MAX_RUNNING));
        }
        self.running.insert(task.id, task);
        Ok(())
    }

    pub(super) fn end_task(&mut self, task: LogTask) -> Result<(), String> {
        if self.tasks.len() >= MAX_TASKS {
            return Err(too_many("tasks", MAX_TASKS));
        }
        self.running.remove(&task.id);
        self.tasks.push(task);
        Ok(())
    }

    /// The stage with an id, by index in [`Log::stages`].
    pub(super) fn stage(&self, id: u64) -> Option<u32> {
        self.stage_index.get(&id).copied()
    }

    /// The properties of a job, with at most the first characters of each.
    pub(super) fn local_properties(&mut self, properties: JobProperties) -> Arc<LocalProperties> {
        let mut text = |text: &str| self.texts.shared(&first(text, LONGEST_TEXT));
        let properties = properties.0.iter().map(|(name, value)| (text(name), text(value)));
        let properties = LocalProperties(properties.collect());
        if let Some(known) = self.properties.get(&properties) {
            return Arc::clone(known);
        }
        let properties = Arc::new(properties);
        self.properties.insert(Arc::clone(&properties));
        properties
    }

    /// A property of Spark's own.
    pub(super) fn setting(&self, name: &str) -> Option<&str> {
        self.settings.as_ref()?.get(name).map(String::as_str)
    }

    /// The statement of an SQL session that a job is part of.
    pub(super) fn statement(&self, job: &LogJob) -> Option<&Statement> {
        let tags = job.properties.get(property::TAGS).unwrap_or_default().split(',');
        let mut keys = job.properties.get(property::GROUP).into_iter().chain(tags);
        keys.find_map(|key| self.operations.get(key))
    }

    /// The outermost of the SQL executions that a job is part of.
    pub(super) fn root_execution(&self, job: &LogJob) -> Option<u64> {
        let id = |name: &str| {
            Some(job.properties.get(name)?.parse::<u64>().ok()?.wrapping_add(job.execution_base))
        };
        let root = |execution: u64| self.executions.get(&execution).map_or(execution, |known| known.root);
        id(property::ROOT_EXECUTION).or_else(|| id(property::EXECUTION).map(root))
    }
}
