//! Changing a scenario. A scenario is never changed: an edit makes another one, checked by the same
//! rules as a file, so that a wrong value costs nothing but its message.
//!
//! ```
//! use fairlane::ids::JobId;
//! use fairlane::scenario::edit::ObjectPath;
//! use fairlane::catalog;
//! use fairlane::scenario::{Edit, ScenarioError};
//! let scenario = catalog::find("two-users").expect("an entry").scenario();
//! let later = scenario.with(&Edit::set(ObjectPath::Job(JobId(0)), "arrival_s", 5))?;
//! assert_eq!(later.jobs()[0].arrival.seconds(), 5.0);
//! let loaded = scenario.with(&Edit::Load(2.0))?;
//! assert_ne!(loaded, scenario);
//! # Ok::<(), ScenarioError>(())
//! ```

mod jobs;
mod path;
mod places;
mod set;
mod stages;
mod title;
mod users;
mod vary;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use path::ObjectPath;

use super::check;
use super::error::ensure;
use super::palette::JobTemplate;
use super::{Limits, PerformanceCurve, Scenario, ScenarioError};
use crate::ids::{JobId, UserId};
use crate::units::{Span, Time, Weight, micros_from_seconds};

/// A change of a scenario. Jobs, users and stages are numbered as in the scenario that is edited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Edit {
    /// A field gets a value, as a file spells it. An estimate that equals the true work follows it, as in a file that
    /// leaves it out, and so does a job's estimate that is the sum of its stages'.
    Set {
        /// The object.
        of: ObjectPath,
        /// Its field.
        field: Cow<'static, str>,
        /// The value; `null` leaves it out.
        #[serde(with = "as_text")]
        value: Value,
    },
    /// A new user, after the others.
    AddUser {
        /// Unique, not empty; [`Scenario::free_user_name`] has one.
        name: String,
        /// Share owed to the user.
        weight: Weight,
    },
    /// Moves a user within the list of users, whose order UWFQ's ties follow.
    ReorderUser {
        /// The user who moves.
        user: UserId,
        /// The index afterwards; beyond the end means last.
        index: usize,
    },
    /// Removes a user with all jobs.
    RemoveUser(UserId),
    /// Jobs move together, in time and to other lanes. They keep their distances: where one of them
    /// would arrive before 0 or leave the lanes, all move less far.
    Move {
        /// The jobs that move.
        jobs: Vec<JobId>,
        /// How far in time.
        by: Shift,
        /// How many lanes down, each from its own; up if negative.
        lanes: i32,
    },
    /// A new job of the palette, after the others.
    AddJob {
        /// Its kind.
        kind: JobTemplate,
        /// Who submits it.
        user: UserId,
        /// When.
        arrival: Time,
    },
    /// Copies of jobs, after the others, which keep their distances as in [`Edit::Move`].
    Duplicate {
        /// The jobs that are copied.
        jobs: Vec<JobId>,
        /// How far the copies are from the originals in time.
        by: Shift,
    },
    /// Removes jobs, but never the last one.
    Delete {
        /// The jobs that go.
        jobs: Vec<JobId>,
    },
    /// A job gets another performance curve, or none.
    Curve {
        /// The job that gets it.
        job: JobId,
        /// The curve.
        curve: Option<PerformanceCurve>,
        /// The handle that was moved; consecutive moves of a handle are one step to undo.
        handle: Option<usize>,
    },
    /// A new stage after a job's others; its parent is the last of them.
    AddStage(JobId),
    /// Removes a stage, but never the last one; its children get its parents.
    RemoveStage(JobId, u32),
    /// Number of slices (skew bars) of a stage; the input keeps its shape and work. Where the tasks were given
    /// one by one and are the default number, that number follows.
    Slices(JobId, u32, u32),
    /// The weight of one slice of a stage, in the terms of [`super::Input::weights`]: in a profile the work stays
    /// and is divided again, in a list of tasks that task's seconds change.
    Slice(JobId, u32, u32, f64),
    /// Sets the estimate of every job and stage to the true work.
    PerfectEstimates,
    /// The same jobs arrive this many times as fast (a ratio). Each arrival is divided by the factor and rounded to the
    /// nearest microsecond, halves up, and so is the time that users think between jobs; instant 0 stays where it is.
    /// The order of arrival stays, but jobs less than a microsecond apart may now arrive at once, in file order. A
    /// factor of 1 changes nothing.
    Load(f64),
    /// Each estimate errs by up to a factor in either direction.
    ///
    /// Each job's and each stage's estimate is multiplied by a random number of its own between 1/factor and factor,
    /// whose logarithm is evenly distributed, and rounded to the nearest core-microsecond, halves up. A job's estimate
    /// has an error of its own and need not be the sum of its stages': policies that read the estimates of jobs (UWFQ)
    /// and those that read the estimates of stages (CFQ, runtime partitioning) meet errors of the same size. Errors
    /// multiply with those of the file; a factor of 1 changes nothing.
    ///
    /// Random numbers are those of ChaCha8 under the seed, each job having a stream of its own, numbered by its index
    /// in the file: jobs added after the others leave their errors alone, and so do stages added after a job's others.
    /// The logarithm and its inverse are computed in software, so that the bytes are the same everywhere.
    EstimateErrors {
        /// A ratio of at least 1.
        factor: f64,
        /// The seed of the random numbers.
        seed: u64,
    },
    /// A user claims this many times (a ratio) what it needs: the demand, memory demand and warp of its queue and the
    /// estimates of its jobs and stages are multiplied by it and rounded, halves up. The true work stays as it is,
    /// and so does everybody else. A factor of 1 changes nothing.
    Claim {
        /// The user who claims.
        user: UserId,
        /// Above 0.
        factor: f64,
    },
    /// Edits one after the other, as one step. Rules are checked after the last.
    Several {
        /// What they do together, as [`Edit::title`] has it.
        title: Cow<'static, str>,
        /// The edits.
        edits: Vec<Edit>,
    },
}

/// A value as text, for formats that do not say what type a value has.
mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de};
    use serde_json::Value;

    pub fn serialize<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        serde_json::from_str(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// A signed length of time, in whole microseconds: later if positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

    /// The same of a scenario in which earlier edits had renumbered jobs.
    fn after(self, earlier: Option<Vec<Option<u32>>>) -> Edited {
        let jobs_now = match (earlier, self.jobs_now) {
            (None, numbers) | (numbers, None) => numbers,
            (Some(earlier), Some(later)) => {
                let now = |number: u32| later.get(number as usize).copied().flatten();
                Some(earlier.into_iter().map(|number| number.and_then(now)).collect())
            }
        };
        Edited { jobs_now, ..self }
    }

    /// The number now of a job that had this number before; `None` if it was removed.
    pub fn job_now(&self, before: JobId) -> Option<JobId> {
        match &self.jobs_now {
            None => Some(before),
            Some(numbers) => numbers.get(before.index()).copied().flatten().map(JobId),
        }
    }
}

impl Edit {
    /// An edit of a field.
    pub fn set(of: ObjectPath, field: &'static str, value: impl Into<Value>) -> Edit {
        Edit::Set { of, field: field.into(), value: value.into() }
    }

    /// Edits as one step, which has a title such as `use fairscheduler.xml`.
    pub fn several(title: impl Into<Cow<'static, str>>, edits: Vec<Edit>) -> Edit {
        Edit::Several { title: title.into(), edits }
    }

    /// Another advisory task runtime.
    pub fn advisory_task_runtime(atr: Span) -> Edit {
        Edit::set(ObjectPath::Partitioning, "advisory_task_runtime_s", atr.seconds())
    }

    /// The advisory task runtime that it sets, if it does.
    pub fn new_advisory_task_runtime(&self) -> Option<Span> {
        match self {
            Edit::Set { of: ObjectPath::Partitioning, field, value }
                if field == "advisory_task_runtime_s" =>
            {
                micros_from_seconds(value.as_f64()?).ok().map(Span)
            }
            _ => None,
        }
    }

    /// Another value of a policy's parameter.
    pub fn parameter(policy: &str, name: &str, value: impl Into<Value>) -> Edit {
        let of = ObjectPath::Policy(policy.to_owned().into());
        Edit::Set { of, field: name.to_owned().into(), value: value.into() }
    }
}

impl Scenario {
    /// The scenario after an edit.
    ///
    /// # Errors
    /// The first rule broken: the path names the field (`jobs[3].stages[0].work_s`, as in a file), the
    /// message the remedy.
    pub fn edited(&self, edit: &Edit) -> Result<Edited, ScenarioError> {
        let edited = self.clone().apply(edit)?;
        check::check(&edited.scenario, &Limits::default())?;
        Ok(edited)
    }

    /// The scenario after an edit, which may break rules between fields.
    fn apply(self, edit: &Edit) -> Result<Edited, ScenarioError> {
        let after = self;
        Ok(match edit {
            Edit::Set { of, field, value } => set::set(after, of, field, value)?,
            Edit::AddUser { name, weight } => users::add(after, name, *weight)?,
            Edit::ReorderUser { user, index } => users::reorder(after, *user, *index)?,
            Edit::RemoveUser(user) => users::remove(after, *user)?,
            Edit::Move { jobs, by, lanes } => jobs::shift(after, jobs, *by, *lanes)?,
            Edit::AddJob { kind, user, arrival } => jobs::add(after, *kind, *user, *arrival)?,
            Edit::Duplicate { jobs, by } => jobs::duplicate(after, jobs, *by)?,
            Edit::Delete { jobs } => jobs::delete(after, jobs)?,
            Edit::Curve { job, curve, .. } => jobs::with_curve(after, *job, curve.as_ref())?,
            Edit::AddStage(job) => stages::add(after, *job)?,
            Edit::RemoveStage(job, stage) => stages::remove(after, *job, *stage)?,
            Edit::Slices(job, stage, count) => stages::with_slices(after, *job, *stage, *count)?,
            Edit::Slice(job, stage, slice, weight) => {
                stages::with_slice(after, *job, *stage, *slice, *weight)?
            }
            Edit::PerfectEstimates => vary::perfect_estimates(after),
            Edit::Load(factor) => vary::load(after, *factor)?,
            Edit::EstimateErrors { factor, seed } => vary::estimate_errors(after, *factor, *seed)?,
            Edit::Claim { user, factor } => vary::claim(after, *user, *factor)?,
            Edit::Several { edits, .. } => {
                let mut edited = Edited::new(after);
                for edit in edits {
                    let Edited { scenario, jobs_now, .. } = edited;
                    edited = scenario.apply(edit)?.after(jobs_now);
                }
                edited
            }
        })
    }

    /// The scenario that [`Scenario::edited`] gives.
    ///
    /// # Errors
    /// As [`Scenario::edited`].
    pub fn with(&self, edit: &Edit) -> Result<Scenario, ScenarioError> {
        self.edited(edit).map(|edited| edited.scenario)
    }

    fn check_job(&self, job: JobId) -> Result<(), ScenarioError> {
        exists(job.0, self.jobs.len(), "jobs", "job")
    }

    fn check_user(&self, user: UserId) -> Result<(), ScenarioError> {
        exists(user.0, self.users.len(), "users", "user")
    }

    fn check_stage(&self, job: JobId, stage: u32) -> Result<(), ScenarioError> {
        self.check_job(job)?;
        exists(stage, self.jobs[job.index()].stages.len(), &format!("jobs[{}].stages", job.0), "stage")
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
const MAX_MICROS: u64 = 1 << 51;

/// Checks that a file can keep a number of microseconds.
fn kept(micros: u64, path: impl Fn() -> String) -> Result<u64, ScenarioError> {
    ensure!(micros <= MAX_MICROS, path(), "is more than 2251799813 seconds (71 years); use a smaller number",);
    Ok(micros)
}
