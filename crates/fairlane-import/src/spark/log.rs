//! What a log says, collected event by event. Holds a few dozen bytes for each task, whatever the log's size.

mod events;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{ErrorKind, Read};
use std::sync::Arc;

use super::ImportError;
use super::event::{self, Settings};
use super::file_kind::is_program_log;
use super::problem::Problem;
use super::reader::{LogLines, NextLine};
use super::record::{
    Application, Counts, Exclusion, LocalProperties, LogExecutor, LogJob, LogStage, LogTask, Profile,
    SqlExecution, Statement, Texts, property,
};

/// Most tasks of a log that is read.
pub(super) const MAX_TASKS: usize = 10_000_000;
/// Most characters of a property or id that is kept.
const LONGEST_TEXT: usize = 1_000;
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
    /// SQL executions by their ids.
    pub(super) executions: BTreeMap<u64, SqlExecution>,
    /// Statements of SQL sessions by job group or tag.
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

    /// The stage with an id, by index in [`Log::stages`].
    pub(super) fn stage(&self, id: u64) -> Option<u32> {
        self.stage_index.get(&id).copied()
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
