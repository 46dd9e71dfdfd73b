//! Edits of what only some clusters, jobs and policies have: memory, warm cores, deadlines, performance curves, queues.
//!
//! They are apart from [`Edit`] so that a program which offers them later than the others can do without them until
//! then: a [`ModelEdit`] becomes an [`Edit`] that already contains the scenario after it.
//!
//! ```
//! use fairlane::catalog;
//! use fairlane::ids::JobId;
//! use fairlane::scenario::edit::{JobModelEdit, ModelEdit};
//! use fairlane::units::Span;
//! let scenario = catalog::find("two-users").expect("an entry").scenario();
//! let edit = ModelEdit::Job(JobId(0), JobModelEdit::Deadline(Some(Span(4_000_000)))).of(&scenario)?;
//! assert_eq!(scenario.edited(&edit)?.scenario.jobs()[0].deadline, Some(Span(4_000_000)));
//! # Ok::<(), fairlane::scenario::ScenarioError>(())
//! ```

use std::sync::Arc;

use super::stages::check_stage;
use super::{Edit, Edited, kept};
use crate::ids::{JobId, UserId};
use crate::scenario::error::ensure;
use crate::scenario::{Limits, PerformanceCurve, Queue, QueueKind, Scenario, ScenarioError, check};
use crate::units::{SlotTime, Span, Time};

/// A change of what only some clusters, jobs and policies have.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelEdit {
    /// Time that a core needs to join another job.
    CoreMove(Span),
    /// Memory of each executor in MB; `None` if memory is not modelled.
    ExecutorMemory(Option<u64>),
    /// A user becomes a queue, or is none any more.
    Queue(UserId, Option<Queue>),
    /// Something about a user's queue.
    QueueField(UserId, QueueEdit),
    /// Something about a job.
    Job(JobId, JobModelEdit),
    /// Something about a stage of a job.
    Stage(JobId, u32, StageModelEdit),
}

/// A change of what only some policies read of a job.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum JobModelEdit {
    /// How long after its arrival it is due; `None`: by the deadline factor.
    Deadline(Option<Span>),
    /// How many times as fast its tasks are on a core whose last task was of the same job.
    WarmFactor(f64),
    /// Its performance curve; `None`: not known.
    Curve(Option<PerformanceCurve>),
    /// Its performance curve after one handle has been moved; consecutive moves of a handle are one step to undo.
    CurveHandle(usize, PerformanceCurve),
}

/// A change of what a stage's tasks cost where they run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StageModelEdit {
    /// How many times as long a task takes on a core whose last task was not of the stage.
    FirstWave(f64),
    /// How many times as long a task takes that is the n-th running one: points (n, factor).
    Inflation(Vec<(u32, f64)>),
    /// Memory that each task holds, in MB.
    Memory(u64),
}

/// A change of a queue.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum QueueEdit {
    /// What it wants.
    Kind(QueueKind),
    /// When its first burst begins.
    Joins(Time),
    /// From one burst to the next. A window as long as the period stays so.
    Period(Span),
    /// Within this long a burst is owed its demand.
    Within(Span),
    /// Cores that a burst demands.
    Demand(SlotTime),
    /// Memory that a burst demands, in MB-µs.
    MemoryDemand(u64),
    /// By how much M-BVT sets its virtual time back inside a window.
    Warp(Span),
}

/// What a [`ModelEdit`] makes of the scenario that it was made for.
#[derive(Clone, Debug, PartialEq)]
pub struct Replacement {
    edited: Arc<Edited>,
    title: String,
    field: Option<String>,
}

impl Replacement {
    pub(super) fn edited(&self) -> Edited {
        (*self.edited).clone()
    }

    pub(super) fn title(&self) -> String {
        self.title.clone()
    }

    pub(super) fn field(&self) -> Option<String> {
        self.field.clone()
    }
}

impl ModelEdit {
    /// The same change of this scenario as an [`Edit`].
    ///
    /// # Errors
    /// As [`Scenario::edited`].
    pub fn of(&self, before: &Scenario) -> Result<Edit, ScenarioError> {
        let edited = self.edited(before)?;
        check::check(&edited.scenario, &Limits::default())?;
        let (title, field) = (self.title(before), self.field());
        Ok(Edit::Replace(Replacement { edited: Arc::new(edited), title, field }))
    }

    fn edited(&self, before: &Scenario) -> Result<Edited, ScenarioError> {
        let mut after = before.clone();
        match self {
            ModelEdit::CoreMove(time) => {
                after.cluster.core_move = Span(kept(time.0, || "cluster.core_move_s".to_owned())?);
            }
            ModelEdit::ExecutorMemory(memory) => {
                check_executor_memory(before, *memory)?;
                after.cluster.memory_per_executor = *memory;
            }
            ModelEdit::Queue(user, queue) => {
                after.check_user(*user)?;
                after.users[user.index()].queue.clone_from(queue);
                return Ok(Edited::new(after).about_user(*user));
            }
            ModelEdit::QueueField(user, edit) => {
                after.check_user(*user)?;
                let path = format!("users[{}].queue", user.0);
                let queue = &mut after.users[user.index()].queue;
                change_queue(queue.get_or_insert_default(), edit, &path)?;
                return Ok(Edited::new(after).about_user(*user));
            }
            ModelEdit::Job(job, edit) => {
                after.check_job(*job)?;
                let spec = &mut after.jobs[job.index()];
                match edit {
                    JobModelEdit::Deadline(deadline) => {
                        let path = || format!("jobs[{}].deadline_s", job.0);
                        spec.deadline = deadline.map(|span| kept(span.0, path).map(Span)).transpose()?;
                    }
                    JobModelEdit::WarmFactor(factor) => spec.warm_factor = *factor,
                    JobModelEdit::Curve(curve) => spec.curve.clone_from(curve),
                    JobModelEdit::CurveHandle(_, curve) => spec.curve = Some(curve.clone()),
                }
                return Ok(Edited::new(after).about_jobs(vec![*job]));
            }
            ModelEdit::Stage(job, stage, edit) => {
                check_stage(&after, *job, *stage)?;
                let spec = &mut after.jobs[job.index()].stages[*stage as usize];
                match edit {
                    StageModelEdit::FirstWave(factor) => spec.first_wave = *factor,
                    StageModelEdit::Inflation(points) => spec.inflation.clone_from(points),
                    StageModelEdit::Memory(memory) => spec.memory = *memory,
                }
                return Ok(Edited::new(after).about_jobs(vec![*job]));
            }
        }
        Ok(Edited::new(after))
    }

    fn title(&self, before: &Scenario) -> String {
        match self {
            ModelEdit::CoreMove(_) => "change the time to move a core".to_owned(),
            ModelEdit::ExecutorMemory(_) => "change the memory of executors".to_owned(),
            ModelEdit::Queue(user, Some(_)) => format!("make {} a queue", before.users[user.index()].name),
            ModelEdit::Queue(user, None) => {
                format!("remove the queue of {}", before.users[user.index()].name)
            }
            ModelEdit::QueueField(user, edit) => {
                format!("change {} of {}", edit.noun(), before.users[user.index()].name)
            }
            ModelEdit::Job(job, JobModelEdit::Curve(None)) => {
                format!("remove the performance curve of {}", before.job_label(*job))
            }
            ModelEdit::Job(job, edit) => format!("change {} of {}", edit.noun(), before.job_label(*job)),
            ModelEdit::Stage(job, _, edit) => format!("change {} of {}", edit.noun(), before.job_label(*job)),
        }
    }

    /// As [`Edit::field`].
    fn field(&self) -> Option<String> {
        match self {
            ModelEdit::CoreMove(_) => Some("core move".to_owned()),
            ModelEdit::ExecutorMemory(_) => Some("memory of executors".to_owned()),
            ModelEdit::Queue(..)
            | ModelEdit::Job(_, JobModelEdit::Curve(_))
            | ModelEdit::Stage(_, _, StageModelEdit::Inflation(_)) => None,
            ModelEdit::QueueField(user, edit) => Some(format!("{} of user {}", edit.noun(), user.0)),
            ModelEdit::Job(job, JobModelEdit::CurveHandle(handle, _)) => {
                Some(format!("handle {handle} of the curve of job {}", job.0))
            }
            ModelEdit::Job(job, edit) => Some(format!("{} of job {}", edit.noun(), job.0)),
            ModelEdit::Stage(job, stage, edit) => {
                Some(format!("{} of stage {stage} of job {}", edit.noun(), job.0))
            }
        }
    }
}

impl JobModelEdit {
    fn noun(&self) -> &'static str {
        match self {
            JobModelEdit::Deadline(_) => "the deadline",
            JobModelEdit::WarmFactor(_) => "the warm factor",
            JobModelEdit::Curve(_) | JobModelEdit::CurveHandle(..) => "the performance curve",
        }
    }
}

impl StageModelEdit {
    fn noun(&self) -> &'static str {
        match self {
            StageModelEdit::FirstWave(_) => "a first wave",
            StageModelEdit::Inflation(_) => "an inflation",
            StageModelEdit::Memory(_) => "the memory of a stage",
        }
    }
}

impl QueueEdit {
    fn noun(&self) -> &'static str {
        match self {
            QueueEdit::Kind(_) => "the kind of queue",
            QueueEdit::Joins(_) => "the first burst",
            QueueEdit::Period(_) => "the period",
            QueueEdit::Within(_) => "the window",
            QueueEdit::Demand(_) => "the demand",
            QueueEdit::MemoryDemand(_) => "the memory demand",
            QueueEdit::Warp(_) => "the warp",
        }
    }
}

/// `path` is the queue's.
fn change_queue(queue: &mut Queue, edit: &QueueEdit, path: &str) -> Result<(), ScenarioError> {
    let micros = |micros: u64, key: &str| kept(micros, || format!("{path}.{key}"));
    match *edit {
        QueueEdit::Kind(kind) => queue.kind = kind,
        QueueEdit::Joins(joins) => queue.joins = Time(micros(joins.0, "joins_s")?),
        QueueEdit::Period(period) => {
            let follows = queue.within == queue.period;
            queue.period = Span(micros(period.0, "period_s")?);
            if follows {
                queue.within = queue.period;
            }
            ensure!(
                queue.within <= queue.period,
                format!("{path}.period_s"),
                "is shorter than the window of {}; shorten the window first, or give at least that",
                queue.within,
            );
        }
        QueueEdit::Within(within) => queue.within = Span(micros(within.0, "within_s")?),
        QueueEdit::Demand(demand) => queue.demand = SlotTime(micros(demand.0, "demand_core_s")?),
        QueueEdit::MemoryDemand(demand) => queue.memory_demand = micros(demand, "demand_mb_s")?,
        QueueEdit::Warp(warp) => queue.warp = Span(micros(warp.0, "warp_s")?),
    }
    Ok(())
}

/// Checks that every task still fits an executor.
fn check_executor_memory(before: &Scenario, memory: Option<u64>) -> Result<(), ScenarioError> {
    let stages = before.jobs.iter().flat_map(|job| &job.stages);
    let largest = stages.map(|stage| stage.memory).max().unwrap_or(0);
    ensure!(
        memory.is_none_or(|memory| memory == 0 || memory >= largest),
        "cluster.memory_mb_per_executor",
        "is less than the {largest} MB that a task holds; give at least that, or lower the stage's memory first",
    );
    Ok(())
}

impl Queue {
    /// A queue that suits a user's jobs: a latency queue whose bursts begin with the first of them, come as often as
    /// jobs have arrived on average, and demand their mean work. Its window is as long as half of the cores take over that,
    /// or as the period if that is shorter.
    pub fn suggested(scenario: &Scenario, user: UserId) -> Queue {
        let jobs: Vec<_> = scenario.jobs.iter().filter(|job| job.user == user).collect();
        let mut bursts: Vec<Time> = jobs.iter().map(|job| job.arrival).collect();
        bursts.sort();
        bursts.dedup();
        let usual = Queue { kind: QueueKind::Latency, ..Queue::default() };
        let (Some(&first), Some(&last)) = (bursts.first(), bursts.last()) else { return usual };
        let work: u64 = jobs.iter().map(|job| job.work().0).sum();
        let gaps = bursts.len() as u64 - 1;
        let period = last.since(first).0.checked_div(gaps).map_or(usual.period, Span);
        let demand = SlotTime(work / (gaps + 1));
        let within = Span((2 * demand.0 / u64::from(scenario.cluster.cores())).max(1)).min(period);
        Queue { joins: first, period, within, demand, ..usual }
    }
}
