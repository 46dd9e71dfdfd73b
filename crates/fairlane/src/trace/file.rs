//! The trace as a file.

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use super::{FORMAT, KillReason, TaskRun, Trace};
use crate::policy::Outcomes;

/// What happened: who ran where and when.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
struct TraceFile<'a> {
    /// `fairlane/trace@1`.
    format: &'static str,
    /// The scenario's name, empty if it has none.
    scenario: &'a str,
    /// Who decided.
    policy: String,
    /// Number of cores.
    cores: u32,
    /// Tasks in the order of launch: job by index in the file, stage by index in the job, task by index in the stage,
    /// core, start and end in microseconds.
    #[cfg_attr(
        feature = "typescript",
        tsify(
            type = "[job: number, stage: number, task: number, core: number, start_us: number, end_us: number][]"
        )
    )]
    tasks: TaskList<'a>,
    /// Indices in `tasks` of those that were ended before their time; left out if there are none.
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    #[cfg_attr(feature = "typescript", tsify(optional, type = "number[]"))]
    killed: &'a [u32],
    /// Why each of these was; left out where only a policy that drops their job ends tasks.
    #[serde(skip_serializing_if = "<[KillReason]>::is_empty")]
    #[cfg_attr(
        feature = "typescript",
        tsify(optional, type = "(\"dropped\" | \"cancelled\" | \"lost\" | \"overtaken\" | \"preempted\")[]")
    )]
    reasons: &'a [KillReason],
    /// Jobs by index in the file.
    jobs: Vec<JobRunFile<'a>>,
    /// The users' classes; left out under policies that have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(type = "Record<string, \"H\" | \"S\" | \"E\" | \"rejected\">"))]
    classes: Option<Classes<'a>>,
    /// Executors in the order of joining: which, from when and to when in microseconds; left out if all were there
    /// all the time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(
        feature = "typescript",
        tsify(optional, type = "[executor: number, from_us: number, to_us: number][]")
    )]
    executors: Vec<(u32, u64, u64)>,
}

/// A job from its arrival to its end.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
struct JobRunFile<'a> {
    /// Index in the file.
    job: usize,
    /// Who submitted it.
    user: &'a str,
    /// When it arrived.
    arrival_us: u64,
    /// When it ended.
    finish_us: u64,
    /// How it ended; left out if every job is bound to finish.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "typescript",
        tsify(type = "\"finished\" | \"dropped\" | \"rejected\" | \"cancelled\"")
    )]
    outcome: Option<&'static str>,
}

impl Serialize for Trace {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let named = self.names_outcomes || self.policy.kind.info().outcomes == Outcomes::Any;
        let jobs = self.jobs.iter().enumerate().map(|(job, run)| JobRunFile {
            job,
            user: &self.users[run.user.index()],
            arrival_us: run.arrival.0,
            finish_us: run.end().0,
            outcome: named.then(|| run.outcome.name()),
        });
        let file = TraceFile {
            format: FORMAT,
            scenario: &self.scenario,
            policy: self.policy.to_string(),
            cores: self.cores,
            tasks: TaskList(&self.tasks),
            killed: &self.killed,
            reasons: &self.reasons,
            jobs: jobs.collect(),
            classes: (!self.classes.is_empty()).then_some(Classes(self)),
            executors: self.executors.iter().map(|run| (run.executor, run.from.0, run.to.0)).collect(),
        };
        file.serialize(to)
    }
}

struct TaskList<'a>(&'a [TaskRun]);

impl Serialize for TaskList<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(Some(self.0.len()))?;
        for run in self.0 {
            list.serialize_element(&(run.job.0, run.stage, run.task, run.core.0, run.start.0, run.end.0))?;
        }
        list.end()
    }
}

struct Classes<'a>(&'a Trace);

impl Serialize for Classes<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.users.iter().zip(self.0.classes.iter().map(|class| class.name())))
    }
}
