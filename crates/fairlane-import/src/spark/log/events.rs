//! What each event adds to a log, within the bounds of what is read of one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{LONGEST_TEXT, Log, MAX_NAMES, MAX_TASKS};
use crate::spark::event::{self, JobProperties, LogEvent};
use crate::spark::names;
use crate::spark::problem::{first, short, too_many};
use crate::spark::record::{
    Application, Exclusion, LocalProperties, Locality, LogExecutor, LogJob, LogStage, LogTask, Profile,
    SqlExecution, StageAttempt, StageEnd, Statement, TaskEnd,
};

/// Most tasks that have started and not ended.
const MAX_RUNNING: usize = 1_000_000;
const MAX_STAGES: usize = 2_000_000;
/// Most jobs, and most SQL executions.
const MAX_JOBS: usize = 200_000;
const MAX_EXECUTORS: usize = 100_000;
/// Most parents of all stages together.
const MAX_PARENTS: usize = 20_000_000;
/// Most kinds of resources, such as GPUs, of an executor.
const MAX_RESOURCES: usize = 20;

impl Log {
    /// Adds what an event says.
    pub(super) fn event(&mut self, event: LogEvent<'_>) -> Result<(), String> {
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
            LogEvent::ExecutorAdded(added) => self.executor_added(added)?,
            LogEvent::ExecutorRemoved(removed) => {
                self.saw(removed.at);
                self.executor(&removed.executor)?.removed = removed.at;
            }
            LogEvent::ProfileAdded(added) => self.profile_added(added)?,
            LogEvent::Excluded(excluded) => self.exclude(&excluded, false)?,
            LogEvent::Unexcluded(excluded) => self.exclude(&excluded, true)?,
            LogEvent::BlockManagerAdded(added) => self.block_manager_added(&added)?,
            LogEvent::JobStart(start) => self.job_start(start)?,
            LogEvent::JobEnd(end) => self.job_end(&end),
            LogEvent::StageSubmitted(event) => {
                self.saw(event.info.submitted);
                self.stage_attempt(&event.info);
            }
            LogEvent::StageCompleted(event) => self.stage_completed(&event.info),
            LogEvent::TaskStart(task) => self.task_start(&task)?,
            LogEvent::TaskEnd(task) => self.task_end(&task)?,
            LogEvent::ExecutionStart(start) => self.execution_start(&start)?,
            LogEvent::ExecutionEnd(end) => self.execution_end(end),
            LogEvent::Replanned => self.counts.replanned += 1,
            LogEvent::Operation(operation) => self.operation(&operation)?,
        }
        Ok(())
    }

    /// Notes the instant of an event.
    fn saw(&mut self, at: Option<u64>) {
        self.counts.last = self.counts.last.max(at.unwrap_or(0));
    }

    fn executor_added(&mut self, added: event::ExecutorAdded<'_>) -> Result<(), String> {
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
        Ok(())
    }

    fn profile_added(&mut self, added: event::ProfileAdded) -> Result<(), String> {
        if self.profiles.len() >= MAX_NAMES {
            return Err(too_many("resource profiles", MAX_NAMES));
        }
        let amounts = |requests: BTreeMap<String, event::Request>| {
            let requests = requests.into_iter().take(MAX_RESOURCES);
            requests.map(|(name, request)| (short(&name), request.amount)).collect()
        };
        let (of_executor, of_task) = (amounts(added.of_executor), amounts(added.of_task));
        self.profiles.insert(added.profile, Profile { of_executor, of_task });
        Ok(())
    }

    fn block_manager_added(&mut self, added: &event::BlockManagerAdded<'_>) -> Result<(), String> {
        self.saw(added.at);
        let executor = self.executor(&added.manager.executor)?;
        executor.memory = added.memory;
        // An executor that has registered is offered only once it has a block manager.
        executor.added = executor.added.max(added.at.filter(|_| executor.added.is_some()));
        Ok(())
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
    fn begin(&mut self, name: &str, id: &str, attempt: &str) -> Result<(), String> {
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

    fn executor(&mut self, id: &str) -> Result<&mut LogExecutor, String> {
        let index = self.executor_number(id)?;
        Ok(&mut self.executors[index as usize])
    }

    fn executor_number(&mut self, id: &str) -> Result<u32, String> {
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
        self.job_index.insert(start.job, number);
        self.jobs.push(LogJob {
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

    fn job_end(&mut self, end: &event::JobEnd<'_>) {
        self.saw(end.at);
        if let Some(&job) = self.job_index.get(&end.job) {
            let job = &mut self.jobs[job as usize];
            job.ended = end.at;
            job.failed = end.result.as_ref().is_some_and(|result| result.result != "JobSucceeded");
        }
    }

    /// The stage with an id, by index in [`Log::stages`]; a new one if there is none yet.
    fn add_stage(&mut self, id: u64, stage: impl FnOnce() -> LogStage) -> Result<u32, String> {
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

    fn stage_completed(&mut self, info: &event::StageInfo<'_>) {
        self.saw(info.completed);
        if let Some(attempt) = self.stage_attempt(info) {
            attempt.end = info.failure.as_deref().map_or(StageEnd::Completed, StageEnd::failed);
            attempt.completed = info.completed.unwrap_or(0);
        }
    }

    fn task_start(&mut self, task: &event::TaskEvent<'_>) -> Result<(), String> {
        self.saw(task.info.launch);
        let task = self.log_task(task)?;
        if self.running.len() >= MAX_RUNNING {
            return Err(too_many("tasks that have not ended", MAX_RUNNING));
        }
        self.running.insert(task.id, task);
        Ok(())
    }

    fn task_end(&mut self, task: &event::TaskEvent<'_>) -> Result<(), String> {
        self.saw(task.info.finish);
        let task = self.log_task(task)?;
        if self.tasks.len() >= MAX_TASKS {
            return Err(too_many("tasks", MAX_TASKS));
        }
        self.running.remove(&task.id);
        self.tasks.push(task);
        Ok(())
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

    fn execution_start(&mut self, start: &event::ExecutionStart<'_>) -> Result<(), String> {
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
        Ok(())
    }

    fn execution_end(&mut self, end: event::ExecutionEnd<'_>) {
        self.saw(end.at);
        if let Some(execution) = self.executions.get_mut(&end.execution) {
            (execution.has_end, execution.ended) = (true, end.at);
            execution.failed = end.error.is_some_and(|error| !error.is_empty());
        }
    }

    fn operation(&mut self, operation: &event::Operation) -> Result<(), String> {
        if self.operations.len() >= MAX_JOBS {
            return Err(too_many("statements of SQL sessions", MAX_JOBS));
        }
        let statement =
            Statement { user: short(&operation.user), name: short(&names::readable(&operation.statement)) };
        self.operations.insert(first(&operation.key, LONGEST_TEXT), statement);
        Ok(())
    }

    /// The properties of a job, with at most the first characters of each.
    fn local_properties(&mut self, properties: JobProperties) -> Arc<LocalProperties> {
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
}
