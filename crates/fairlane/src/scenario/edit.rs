//! Changing a scenario. A scenario is never changed: an edit makes another one, checked by the same
//! rules as a file, so that a wrong value costs nothing but its message.
//!
//! ```
//! use fairlane::ids::JobId;
//! use fairlane::scenario::edit::JobEdit;
//! use fairlane::catalog;
//! use fairlane::scenario::{Edit, ScenarioError};
//! use fairlane::units::Time;
//! let scenario = catalog::find("two-users").expect("an entry").scenario();
//! let later = scenario.edited(&Edit::Job(JobId(0), JobEdit::Arrival(Time(5_000_000))))?.scenario;
//! assert_eq!(later.jobs()[0].arrival.seconds(), 5.0);
//! assert_ne!(later, scenario);
//! # Ok::<(), ScenarioError>(())
//! ```

mod cluster;
mod jobs;
mod model;
mod stages;
mod title;
mod users;

pub use model::{JobModelEdit, ModelEdit, QueueEdit, Replacement, StageModelEdit};

use super::check;
use super::error::ensure;
use super::palette::Kind;
use super::{FairTieBreak, Limits, MinPartitions, Scenario, ScenarioError};
use crate::ids::{JobId, UserId};
use crate::units::{SlotTime, Span, Time, Weight};

/// A change of a scenario. Jobs, users and stages are numbered as in the scenario that is edited.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edit {
    /// Its title.
    Name(String),
    /// Its sentences for the reader.
    Description(String),
    /// The machines.
    Cluster(ClusterEdit),
    /// How runtime partitioning cuts stages.
    Partitioning(PartitioningEdit),
    /// A parameter of a policy, named as in a file; `null` gives it its default.
    Parameter {
        /// The policy's id, without `-p`.
        policy: String,
        /// The parameter's name.
        name: String,
        /// Its value; the policy checks it.
        value: serde_json::Value,
    },
    /// Something about a user.
    User(UserId, UserEdit),
    /// A new user, after the others.
    AddUser {
        /// Unique, not empty; [`Scenario::free_user_name`] has one.
        name: String,
        /// Share owed to the user.
        weight: Weight,
    },
    /// Moves a user within the list of users, whose order UWFQ's ties follow.
    ReorderUser {
        /// Who.
        user: UserId,
        /// The index afterwards; beyond the end means last.
        index: usize,
    },
    /// Removes a user with all jobs.
    RemoveUser(UserId),
    /// Jobs move together, in time and to other lanes. They keep their distances: where one of them
    /// would arrive before 0 or leave the lanes, all move less far.
    Move {
        /// Which.
        jobs: Vec<JobId>,
        /// How far in time.
        by: Shift,
        /// How many lanes down, each from its own; up if negative.
        lanes: i32,
    },
    /// Something about one job.
    Job(JobId, JobEdit),
    /// A new job of the palette, after the others.
    AddJob {
        /// Its kind.
        kind: Kind,
        /// Who submits it.
        user: UserId,
        /// When.
        arrival: Time,
    },
    /// Copies of jobs, after the others, which keep their distances as in [`Edit::Move`].
    Duplicate {
        /// Which.
        jobs: Vec<JobId>,
        /// How far the copies are from the originals in time.
        by: Shift,
    },
    /// Removes jobs, but never the last one.
    Delete {
        /// Which.
        jobs: Vec<JobId>,
    },
    /// Something about one stage of a job.
    Stage(JobId, u32, StageEdit),
    /// A new stage after a job's others; its parent is the last of them.
    AddStage(JobId),
    /// Removes a stage, but never the last one; its children get its parents.
    RemoveStage(JobId, u32),
    /// Sets the estimate of every job and stage to the true work.
    PerfectEstimates,
    /// What [`ModelEdit::of`] has made of the scenario, checked.
    Replace(Replacement),
}

/// A change of one of the machines' figures.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClusterEdit {
    /// Number of executors.
    Executors(u32),
    /// Cores of each executor. Stages keep their default numbers of tasks.
    CoresPerExecutor(u32),
    /// Time a task holds its core beyond its duration.
    TaskOverhead(Span),
    /// Time from the end of a stage's last parent to its submission.
    StageDelay(Span),
    /// What the driver spends on a job's arrival.
    DriverJob(Span),
    /// What the driver spends on each stage submitted.
    DriverStage(Span),
    /// What the driver spends on the end of a task.
    DriverTask(Span),
    /// How Fair and UJF break ties.
    FairTieBreak(FairTieBreak),
    /// Number of the first stage submitted.
    FirstStageId(u64),
}

/// A change of how runtime partitioning cuts stages.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PartitioningEdit {
    /// Advisory task runtime (ATR).
    AdvisoryTaskRuntime(Span),
    /// The least number of tasks of a splittable stage.
    MinPartitions(MinPartitions),
}

/// A change of a user.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum UserEdit {
    /// Unique, not empty.
    Name(String),
    /// Share owed to the user.
    Weight(Weight),
}

/// A change of a job.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum JobEdit {
    /// May be empty.
    Name(String),
    /// The job group; may be empty.
    Group(String),
    /// Who submits it.
    User(UserId),
    /// When it arrives.
    Arrival(Time),
    /// The estimate that UWFQ reads.
    Estimate(Estimate),
}

/// A change of a stage. An estimate that equals the true work follows it, as in a file that leaves it
/// out, and so does a job's estimate that is the sum of its stages'.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StageEdit {
    /// May be empty.
    Name(String),
    /// The stages that must end before it, by index in the job.
    Parents(Vec<u32>),
    /// True work; the input keeps its shape.
    Work(SlotTime),
    /// Default number of tasks.
    Partitions(u32),
    /// Whether runtime partitioning may cut it otherwise.
    Splittable(bool),
    /// The estimate that CFQ and runtime partitioning read.
    Estimate(Estimate),
    /// Number of slices (skew bars); the input keeps its shape and work. Where the tasks were given
    /// one by one and are the default number, that number follows.
    Slices(u32),
    /// One slice's weight, in the terms of [`super::Input::weights`]: in a profile the work stays
    /// and is divided again, in a list of tasks that task's seconds change.
    Slice(u32, f64),
}

/// An estimate of a job's or stage's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// The true work.
    Perfect,
    /// This work.
    Of(SlotTime),
}

/// A signed length of time, in whole microseconds: later if positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shift(pub i64);

/// The result of an edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Edited {
    /// The scenario after it.
    pub scenario: Scenario,
    /// The jobs it was about (moved, changed, added, copied), ascending, as they are numbered now.
    /// Empty if it was about something else, or has removed them.
    pub jobs: Vec<JobId>,
    /// The user it was about, as numbered now.
    pub user: Option<UserId>,
    /// By former [`JobId`], where an edit has renumbered jobs; `None` is removed.
    jobs_now: Option<Vec<Option<u32>>>,
}

impl Shift {
    /// From one instant to another.
    pub fn between(from: Time, to: Time) -> Shift {
        Shift(to.0 as i64 - from.0 as i64)
    }
}

impl Edited {
    /// A scenario in which all jobs keep their numbers.
    fn new(scenario: Scenario) -> Edited {
        Edited { scenario, jobs: Vec::new(), user: None, jobs_now: None }
    }

    fn about_jobs(self, jobs: Vec<JobId>) -> Edited {
        Edited { jobs, ..self }
    }

    fn about_user(self, user: UserId) -> Edited {
        Edited { user: Some(user), ..self }
    }

    /// The number now of a job that had this number before; `None` if it was removed.
    pub fn job_now(&self, before: JobId) -> Option<JobId> {
        match &self.jobs_now {
            None => Some(before),
            Some(numbers) => numbers.get(before.index()).copied().flatten().map(JobId),
        }
    }
}

impl Scenario {
    /// The scenario after an edit.
    ///
    /// # Errors
    /// The first rule broken: the path names the field (`jobs[3].stages[0].work_s`, as in a file), the
    /// message the remedy.
    pub fn edited(&self, edit: &Edit) -> Result<Edited, ScenarioError> {
        let mut after = self.clone();
        let edited = match edit {
            Edit::Replace(replacement) => return Ok(replacement.edited()),
            Edit::Name(name) => Edited::new(Scenario { name: name.clone(), ..after }),
            Edit::Description(description) => {
                Edited::new(Scenario { description: description.clone(), ..after })
            }
            Edit::Cluster(edit) => {
                cluster::edit_cluster(&mut after.cluster, edit)?;
                Edited::new(after)
            }
            Edit::Partitioning(edit) => {
                cluster::edit_partitioning(&mut after.partitioning, edit)?;
                Edited::new(after)
            }
            Edit::Parameter { policy, name, value } => {
                let parameters = after.parameters.with(policy, name, value.clone())?;
                Edited::new(Scenario { parameters, ..after })
            }
            Edit::User(user, edit) => users::change(after, *user, edit)?,
            Edit::AddUser { name, weight } => users::add(after, name, *weight)?,
            Edit::ReorderUser { user, index } => users::reorder(after, *user, *index)?,
            Edit::RemoveUser(user) => users::remove(after, *user)?,
            Edit::Move { jobs, by, lanes } => jobs::shift(after, jobs, *by, *lanes)?,
            Edit::Job(job, edit) => jobs::change(after, *job, edit)?,
            Edit::AddJob { kind, user, arrival } => jobs::add(after, *kind, *user, *arrival)?,
            Edit::Duplicate { jobs, by } => jobs::duplicate(after, jobs, *by)?,
            Edit::Delete { jobs } => jobs::delete(after, jobs)?,
            Edit::Stage(job, stage, edit) => stages::change(after, *job, *stage, edit)?,
            Edit::AddStage(job) => stages::add(after, *job)?,
            Edit::RemoveStage(job, stage) => stages::remove(after, *job, *stage)?,
            Edit::PerfectEstimates => {
                after.jobs.iter_mut().for_each(jobs::perfect_estimates);
                Edited::new(after)
            }
        };
        check::check(&edited.scenario, &Limits::default())?;
        Ok(edited)
    }

    fn check_job(&self, job: JobId) -> Result<(), ScenarioError> {
        exists(job.0, self.jobs.len(), "jobs", "job")
    }

    fn check_user(&self, user: UserId) -> Result<(), ScenarioError> {
        exists(user.0, self.users.len(), "users", "user")
    }
}

fn exists(number: u32, count: usize, key: &str, what: &str) -> Result<(), ScenarioError> {
    let last = count.saturating_sub(1);
    ensure!(
        (number as usize) < count,
        format!("{key}[{number}]"),
        "there is no {what} {number} any more; choose one from 0 to {last}"
    );
    Ok(())
}

/// The largest number of microseconds an edit may set, 2^51: up to there a file's seconds keep every
/// microsecond.
const MOST_MICROS: u64 = 1 << 51;

/// Checks that a file can keep a number of microseconds.
fn kept(micros: u64, path: impl Fn() -> String) -> Result<u64, ScenarioError> {
    ensure!(
        micros <= MOST_MICROS,
        path(),
        "is more than 2251799813 seconds (71 years); use a smaller number",
    );
    Ok(micros)
}
