//! Several applications in one scenario: their logs on one clock.
//!
//! Each application has a pool of its own. As it was, an application has its own executors: its pool is capped at the
//! most cores that they had, and has a right to as many. If one application is to be shared, the pools are alike but
//! for the order of jobs within them, or those of a pools file.

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use super::ImportError;
use super::event::{self, LogEvent};
use super::executor_slots::Slots;
use super::file_kind::FileKind;
use super::log::{Log, too_many_tasks};
use super::pools;
use super::problem::short;
use super::reader::{LogLines, NextLine};
use super::record::{Application, LogExecutor, LogJob, LogStage, LogTask, SqlExecution};

/// Lines of a file's beginning among which its application is named.
const MAX_LINES: u64 = 100;
/// Most applications in one scenario.
const MAX_APPLICATIONS: usize = 1_000;

/// Event logs of one or several applications, read and not yet a scenario.
#[derive(Clone, Default)]
pub struct Logs(Vec<Log>);

/// Which application wrote a file. Clusters that know nothing of each other can give one id twice.
#[derive(PartialEq, Eq)]
struct Identity {
    /// The id; of a version of Spark that has none its name.
    id: String,
    attempt: String,
    started: Option<u64>,
}

impl Logs {
    /// Reads one file of a log, as [`Log::read_file`] does. A file that does not begin an application goes on with that
    /// of its name, or else with the one before.
    ///
    /// # Errors
    /// Those of [`Log::read_file`].
    pub fn read_file(&mut self, name: &str, mut file: impl Read + Seek) -> Result<(), ImportError> {
        let begins = identity(&mut file);
        let unreadable = |error: std::io::Error| ImportError::new(name, format!("cannot be read: {error}"));
        let begins =
            begins.and_then(|begins| file.seek(SeekFrom::Start(0)).map(|_| begins)).map_err(unreadable)?;
        let is_named = |log: &Log| !log.application.id.is_empty() && name.contains(&log.application.id);
        let known = match &begins {
            FileStart::Application(identity) => self.0.iter().position(|log| log.identity() == *identity),
            FileStart::Archive => None,
            FileStart::Unknown => self.0.iter().rposition(is_named).or(self.0.len().checked_sub(1)),
        };
        if let Some(known) = known {
            return self.0[known].read_file(name, file);
        }
        if self.0.len() >= MAX_APPLICATIONS {
            let message = format!("is the log of more than {MAX_APPLICATIONS} applications; give fewer");
            return Err(ImportError::new(name, message));
        }
        let mut log = Log::default();
        log.read_file(name, file)?;
        self.0.push(log);
        Ok(())
    }

    /// One log with all that was read.
    ///
    /// # Errors
    /// There are more tasks than one scenario can have.
    pub fn into_log(mut self) -> Result<Log, ImportError> {
        match self.0.len() {
            0 => Ok(Log::default()),
            1 => Ok(self.0.remove(0)),
            _ => merged(self.0),
        }
    }
}

/// How a file begins.
enum FileStart {
    Application(Identity),
    /// A zip archive, which holds one application.
    Archive,
    /// It does not say, as a later part of a rolling log, or is damaged.
    Unknown,
}

fn identity(file: &mut (impl Read + Seek)) -> std::io::Result<FileStart> {
    let mut head = Vec::new();
    file.by_ref().take(FileKind::HEAD_BYTES).read_to_end(&mut head)?;
    if FileKind::from_head(&head) == FileKind::Zip {
        return Ok(FileStart::Archive);
    }
    file.seek(SeekFrom::Start(0))?;
    // Whatever is wrong is said where the file is read.
    let Ok(mut lines) = LogLines::new(file) else { return Ok(FileStart::Unknown) };
    while lines.number() < MAX_LINES
        && let Ok(NextLine::Line(line)) = lines.next()
    {
        let Ok(name) = event::name(line) else { continue };
        if name != "SparkListenerApplicationStart" {
            continue;
        }
        if let Ok(Some(LogEvent::ApplicationStart(start))) = event::read(&name, line) {
            let id = short(&start.id.unwrap_or_default());
            let attempt = short(&start.attempt.unwrap_or_default());
            return Ok(FileStart::Application(Identity::new(id, attempt, &short(&start.name), start.at)));
        }
    }
    Ok(FileStart::Unknown)
}

impl Identity {
    fn new(id: String, attempt: String, name: &str, at: Option<u64>) -> Identity {
        let id = if id.is_empty() { name.to_owned() } else { id };
        Identity { id, attempt, started: at }
    }
}

impl Log {
    fn identity(&self) -> Identity {
        let Application { name, id, attempt, started, .. } = &self.application;
        Identity::new(id.clone(), attempt.clone(), name, *started)
    }

    /// The application that a job is part of.
    pub(super) fn application_of(&self, job: &LogJob) -> &Application {
        self.applications.get(job.application as usize).unwrap_or(&self.application)
    }
}

/// What is added to the ids of an application, so that they are no other's.
#[derive(Clone, Copy, Default)]
struct Offsets {
    job: u64,
    stage: u64,
    rdd: u64,
    task: u64,
    execution: u64,
    /// Offset of the indices of executors; the others are offsets of ids.
    executors: u32,
    stages: u32,
}

fn merged(logs: Vec<Log>) -> Result<Log, ImportError> {
    let mut all = Log::default();
    all.settings = Some([("spark.scheduler.mode".to_owned(), "FAIR".to_owned())].into());
    all.application.name = format!("{} applications", logs.len());
    all.application.id =
        short(&logs.iter().map(|log| log.application.id.as_str()).collect::<Vec<_>>().join(", "));
    let is_alone = |name: &str| logs.iter().filter(|log| log.application.name == name).count() == 1;
    let place_among_same = |number: usize| {
        let Application { name, id, attempt, .. } = &logs[number].application;
        let same = |log: &&Log| {
            let other = &log.application;
            (&other.name, &other.id, &other.attempt) == (name, id, attempt)
        };
        (logs.iter().filter(same).count() > 1).then(|| logs[..number].iter().filter(same).count() + 1)
    };
    let versions = logs.iter().map(|log| log.application.version.as_str());
    all.application.version = versions
        .clone()
        .next()
        .filter(|first| versions.clone().all(|other| other == *first))
        .unwrap_or_default()
        .to_owned();
    let applications = logs.iter().enumerate().map(|(number, log)| {
        let Application { name, id, attempt, .. } = &log.application;
        let place = place_among_same(number).map_or_else(String::new, |place| format!(", no. {place}"));
        let pool = match (is_alone(name), attempt.as_str()) {
            (true, _) => name.clone(),
            (false, "") => format!("{name} ({id}{place})"),
            (false, attempt) => format!("{name} ({id}, attempt {attempt}{place})"),
        };
        let queue = log.setting("spark.yarn.queue").unwrap_or_default().to_owned();
        Application { pool, queue, mode: pools::mode_of(log), ..log.application.clone() }
    });
    all.applications = applications.collect();
    all.counts.ended = true;
    let mut offsets = Offsets::default();
    for (number, log) in (0..).zip(logs) {
        all.add(number, log, &mut offsets)?;
    }
    Ok(all)
}

impl Log {
    fn add(&mut self, number: u32, log: Log, offsets: &mut Offsets) -> Result<(), ImportError> {
        let by = *offsets;
        let slots: Vec<Option<u32>> = {
            let slots = Slots::new(&log);
            log.executors.iter().map(|executor| slots.of(executor)).collect()
        };
        let jobs_before = self.jobs.len() as u32;
        let last = log.counts.last;
        let executors = log.executors.into_iter().zip(slots).map(|(executor, cores)| LogExecutor {
            cores,
            profile: 0,
            resources: Default::default(),
            application: number,
            ..executor
        });
        self.executors.extend(executors);
        let moved = |task: LogTask| LogTask {
            id: task.id.wrapping_add(by.task),
            stage: task.stage.wrapping_add(by.stage),
            executor: task.executor + by.executors,
            ..task
        };
        let last_task = log.tasks.iter().map(|task| task.id).chain(log.running.keys().copied()).max();
        self.tasks.extend(log.tasks.into_iter().map(moved));
        // What ran when its own log ended did not run until the others did.
        let running =
            log.running.into_values().map(|task| LogTask { finish: last.max(task.launch), ..moved(task) });
        self.running.extend(running.map(|task| (task.id, task)));
        if self.tasks.len() + self.running.len() > super::log::MAX_TASKS {
            return Err(ImportError::new("the logs together", too_many_tasks()));
        }
        let last_job = log.jobs.iter().map(|job| job.id).max();
        self.jobs.extend(log.jobs.into_iter().map(|job| LogJob {
            id: job.id.wrapping_add(by.job),
            stages: job.stages.iter().map(|stage| stage + by.stages).collect(),
            application: number,
            execution_base: by.execution,
            ..job
        }));
        let last_stage =
            log.stages.iter().flat_map(|stage| stage.parents.iter().copied().chain([stage.id])).max();
        let last_rdd = log.stages.iter().filter_map(|stage| stage.first_rdd).max();
        let count = log.stages.len() as u32;
        for (index, stage) in (by.stages..).zip(log.stages) {
            let id = stage.id.wrapping_add(by.stage);
            self.stage_index.insert(id, index);
            self.stages.push(LogStage {
                id,
                parents: stage.parents.iter().map(|parent| parent.wrapping_add(by.stage)).collect(),
                first_rdd: stage.first_rdd.map(|rdd| rdd.wrapping_add(by.rdd)),
                job: stage.job + jobs_before,
                ..stage
            });
        }
        let last_execution = log.executions.keys().copied().max();
        self.executions.extend(log.executions.into_iter().map(|(id, execution)| {
            let root = execution.root.wrapping_add(by.execution);
            (id.wrapping_add(by.execution), SqlExecution { root, ..execution })
        }));
        let exclusions = log.exclusions.into_iter().map(|mut exclusion| {
            exclusion.executor = exclusion.executor.map(|executor| executor + by.executors);
            exclusion.stage = exclusion.stage.map(|stage| stage.wrapping_add(by.stage));
            exclusion
        });
        self.exclusions.extend(exclusions);
        self.properties.extend(log.properties.iter().map(Arc::clone));
        self.operations.extend(log.operations);
        self.has_parents |= log.has_parents;
        self.counts.add(log.counts);
        let next = |by: u64, last: Option<u64>| by.wrapping_add(last.map_or(0, |last| last.wrapping_add(1)));
        *offsets = Offsets {
            job: next(by.job, last_job),
            stage: next(by.stage, last_stage),
            rdd: next(by.rdd, last_rdd),
            task: next(by.task, last_task),
            execution: next(by.execution, last_execution),
            executors: self.executors.len() as u32,
            stages: by.stages + count,
        };
        Ok(())
    }
}
