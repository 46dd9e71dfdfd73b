//! Changing a scenario. A scenario is never changed: an edit makes another one, checked by the same
//! rules as a file, so that a wrong value costs nothing but its message.
//!
//! ```
//! use fairlane::ids::JobId;
//! use fairlane::scenario::edit::JobEdit;
//! use fairlane::scenario::{Edit, ScenarioError, catalog};
//! use fairlane::units::Time;
//! let scenario = catalog::find("two-users").expect("an entry").scenario();
//! let later = scenario.edited(&Edit::Job(JobId(0), JobEdit::Arrival(Time(5_000_000))))?.scenario;
//! assert_eq!(later.jobs()[0].arrival.seconds(), 5.0);
//! assert_ne!(later, scenario);
//! # Ok::<(), ScenarioError>(())
//! ```

mod cluster;
mod jobs;
mod stages;
mod title;
mod users;

use super::check::{self, Limits, ScenarioError};
use super::palette::Kind;
use super::{FairTieBreak, MinPartitions, Scenario};
use crate::ids::{JobId, UserId};
use crate::units::{SlotTime, Span, Time, Weight};

/// What can be done to a scenario. Numbers of jobs, users and stages are places in the scenario that
/// is edited.
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
    /// A new user, behind the others.
    AddUser {
        /// Unique, not empty; [`Scenario::free_user_name`] has one.
        name: String,
        /// Share owed to the user.
        weight: Weight,
    },
    /// A user is taken to another place of the list, which UWFQ's ties follow.
    PlaceUser {
        /// Who.
        user: UserId,
        /// The place afterwards; beyond the end is the end.
        place: usize,
    },
    /// A user goes, with all jobs.
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
    /// A new job of the palette, behind the others.
    AddJob {
        /// Its kind.
        kind: Kind,
        /// Who submits it.
        user: UserId,
        /// When.
        arrival: Time,
    },
    /// Copies of jobs, behind the others, which keep their distances as in [`Edit::Move`].
    Duplicate {
        /// Which.
        jobs: Vec<JobId>,
        /// How far the copies are from the originals in time.
        by: Shift,
    },
    /// Jobs go; the last one cannot.
    Delete {
        /// Which.
        jobs: Vec<JobId>,
    },
    /// Something about one stage of a job.
    Stage(JobId, u32, StageEdit),
    /// A new stage behind a job's others, which waits for the last of them.
    AddStage(JobId),
    /// A stage goes; those that waited for it wait for its parents. The last one cannot.
    RemoveStage(JobId, u32),
    /// Every estimate of every job and stage tells the true work.
    PerfectEstimates,
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
    /// Who submits it.
    User(UserId),
    /// When it arrives.
    Arrival(Time),
    /// What UWFQ is told of the whole job.
    Estimate(Estimate),
}

/// A change of a stage. Estimates that told the true work follow it, as in a file that leaves them
/// out; the same holds of a job's estimate that was the sum of its stages'.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StageEdit {
    /// May be empty.
    Name(String),
    /// The stages that must end before it, by place in the job.
    Parents(Vec<u32>),
    /// True work; the input keeps its shape.
    Work(SlotTime),
    /// Default number of tasks.
    Partitions(u32),
    /// Whether runtime partitioning may cut it otherwise.
    Splittable(bool),
    /// What CFQ and runtime partitioning are told.
    Estimate(Estimate),
    /// Number of slices (skew bars); the input keeps its shape and work. Where the tasks were given
    /// one by one and are the default number, that number follows.
    Slices(u32),
    /// One slice's weight, in the terms of [`super::Input::weights`]: in a profile the work stays
    /// and is shared out anew, in a list of tasks that task's seconds change.
    Slice(u32, f64),
}

/// What the policies are told of a job's or stage's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// The truth.
    Perfect,
    /// This.
    Of(SlotTime),
}

/// A signed length of time, in whole microseconds: later if positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shift(pub i64);

/// What an edit has made.
#[derive(Clone, Debug, PartialEq)]
pub struct Edited {
    /// The scenario after it.
    pub scenario: Scenario,
    /// The jobs it was about (moved, changed, added, copied), ascending, as they are numbered now.
    /// Empty if it was about something else, or they are gone.
    pub jobs: Vec<JobId>,
    /// The user it was about, as numbered now.
    pub user: Option<UserId>,
    jobs_now: Renumbering,
    users_now: Renumbering,
}

/// Where things of a list are after an edit.
#[derive(Clone, Debug, Default, PartialEq)]
enum Renumbering {
    /// Where they were.
    #[default]
    Same,
    /// By their former places; `None` is gone.
    Places(Vec<Option<u32>>),
}

impl Shift {
    /// From one instant to another.
    pub fn between(from: Time, to: Time) -> Shift {
        Shift(to.0 as i64 - from.0 as i64)
    }
}

impl Renumbering {
    fn of(&self, place: u32) -> Option<u32> {
        match self {
            Renumbering::Same => Some(place),
            Renumbering::Places(places) => places.get(place as usize).copied().flatten(),
        }
    }
}

impl Edited {
    /// A scenario in which nothing has another number.
    fn new(scenario: Scenario) -> Edited {
        Edited {
            scenario,
            jobs: Vec::new(),
            user: None,
            jobs_now: Renumbering::Same,
            users_now: Renumbering::Same,
        }
    }

    fn about_jobs(self, jobs: Vec<JobId>) -> Edited {
        Edited { jobs, ..self }
    }

    fn about_user(self, user: UserId) -> Edited {
        Edited { user: Some(user), ..self }
    }

    /// The number of a job that had this one before; `None` if it is gone.
    pub fn job_now(&self, before: JobId) -> Option<JobId> {
        self.jobs_now.of(before.0).map(JobId)
    }

    /// The number of a user who had this one before; `None` if they are gone.
    pub fn user_now(&self, before: UserId) -> Option<UserId> {
        self.users_now.of(before.0).map(UserId)
    }
}

impl Scenario {
    /// The scenario after an edit.
    ///
    /// # Errors
    /// What is wrong with it: the path names the field (`jobs[3].stages[0].work_s`, as in a file),
    /// the message says what to do. Nothing is changed then.
    pub fn edited(&self, edit: &Edit) -> Result<Edited, ScenarioError> {
        let mut after = self.clone();
        let edited = match edit {
            Edit::Name(name) => {
                after.name.clone_from(name);
                Edited::new(after)
            }
            Edit::Description(description) => {
                after.description.clone_from(description);
                Edited::new(after)
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
                after.parameters = after.parameters.with(policy, name, value.clone())?;
                Edited::new(after)
            }
            Edit::User(user, edit) => users::change(after, *user, edit)?,
            Edit::AddUser { name, weight } => users::add(after, name, *weight)?,
            Edit::PlaceUser { user, place } => users::place(after, *user, *place)?,
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

fn exists(number: u32, count: usize, list: &str, what: &str) -> Result<(), ScenarioError> {
    if (number as usize) < count {
        return Ok(());
    }
    let last = count.saturating_sub(1);
    Err(ScenarioError::at(
        format!("{list}[{number}]"),
        format!("there is no {what} {number} any more; choose one from 0 to {last}"),
    ))
}

/// The largest figure an edit may set, 2^51 microseconds: up to there the seconds of a file tell
/// every microsecond, so that what is saved is what is on the page.
const MOST_MICROS: u64 = 1 << 51;

/// A figure that a file can keep to the microsecond.
fn kept(micros: u64, path: impl Fn() -> String) -> Result<u64, ScenarioError> {
    if micros > MOST_MICROS {
        return Err(ScenarioError::at(
            path(),
            "is more than 2251799813 seconds (71 years); use a smaller number",
        ));
    }
    Ok(micros)
}
