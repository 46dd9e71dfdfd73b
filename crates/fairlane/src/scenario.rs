//! Scenarios: a cluster, its users and their jobs, checked and ready to simulate.
//!
//! A [`Scenario`] is made by [`Scenario::from_json`] or [`Scenario::builder`] and, from another one, by
//! [`Scenario::edited`] and the `with_` functions. All of them check it by the same rules, so whoever
//! holds one may rely on everything `docs/model.md` section 2 demands:
//! parents exist and form no cycle, no number can leave 2^53 microseconds, every user has a name.
//!
//! ```
//! use fairlane::Scenario;
//! let error = Scenario::from_json(r#"{ "format": "fairlane/scenario@1", "jobs": [
//!     { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1, -2] }] } ] }"#).unwrap_err();
//! assert_eq!(error.to_string(), "jobs[0].stages[0].tasks_s[1]: must not be negative; give 0 or more seconds");
//! ```

mod allocation;
mod builder;
pub(crate) mod check;
mod cluster;
mod curve;
pub mod edit;
pub(crate) mod error;
pub mod field;
pub(crate) mod file;
pub mod generate;
mod input;
mod job;
pub(crate) mod json;
pub mod palette;
pub mod parameter;
mod parameters;
mod partition;
pub(crate) mod places;
pub mod pool;
mod queue;
mod sessions;
mod shared;

pub use allocation::{DynamicAllocation, ExecutorBounds};
pub use builder::ScenarioBuilder;
pub use check::Limits;
pub use cluster::{Cluster, CoreOwners, Driver, FairTieBreak};
pub use curve::PerformanceCurve;
pub use edit::{Edit, Edited};
pub use error::ScenarioError;
pub use generate::Generator;
pub use input::{Input, InputForm};
pub use job::{Job, Stage};
pub use json::from_serde;
pub use parameters::PolicyParameters;
pub use partition::{MinPartitions, PartitionMode, Partitioning};
pub use places::{Exclusion, Loss, Preemption, Speculation};
pub use queue::{Queue, QueueKind};
pub use sessions::{Predecessor, Sessions};

use shared::SharedVec;

use crate::ids::{JobId, Rank, UserId};
use crate::order;
use crate::units::{Time, Weight};

/// The tag of the file format that this version reads and writes.
pub const FORMAT: &str = "fairlane/scenario@1";

/// The name of the fair scheduler's pool for jobs that name none.
pub const DEFAULT_POOL: &str = "default";

/// A checked scenario. A clone shares the users and the jobs, so it costs little.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Title, empty if the file gives none.
    name: String,
    /// A few sentences for the reader, empty if the file gives none.
    description: String,
    /// The machines.
    cluster: Cluster,
    /// How stages are cut into tasks under runtime partitioning.
    partitioning: Partitioning,
    /// The parameters of policies.
    parameters: PolicyParameters,
    /// Declared users in file order, then those named only in jobs, in file order.
    users: SharedVec<User>,
    /// Jobs in file order; [`JobId`] is the index.
    jobs: SharedVec<Job>,
    /// Whether jobs wait for their predecessors.
    sessions: Sessions,
    /// How far a simulation is from the log that this is from.
    log_error: Option<f64>,
}

/// Somebody who submits jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct User {
    /// Unique, not empty.
    pub name: String,
    /// Share owed to the user, relative to the other users.
    pub weight: Weight,
    /// What the queue policies know of the user.
    pub queue: Option<Queue>,
    /// Number of the user's colour in pictures, from 1; `None` is that of the place among the users.
    pub colour: Option<u32>,
}

impl User {
    /// A user of weight 1.
    pub fn named(name: impl Into<String>) -> User {
        User { name: name.into(), weight: Weight::ONE, queue: None, colour: None }
    }
}

impl Scenario {
    /// Title, empty if the file gives none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A few sentences for the reader, empty if the file gives none.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The machines.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// How stages are cut into tasks under runtime partitioning.
    pub fn partitioning(&self) -> &Partitioning {
        &self.partitioning
    }

    /// The parameters of policies.
    pub fn parameters(&self) -> &PolicyParameters {
        &self.parameters
    }

    /// Declared users in file order, then those named only in jobs, in file order.
    pub fn users(&self) -> &[User] {
        &self.users
    }

    /// Jobs in file order; [`JobId`] is the index.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// Whether jobs wait for their predecessors.
    pub fn sessions(&self) -> Sessions {
        self.sessions
    }

    /// How far the simulation of a scenario that was imported from a log is from that log under its own scheduler: the
    /// [mean error](crate::metrics::ReplayError::mean) of a job's response time when it was imported. A change of
    /// policy that is smaller says nothing about the cluster.
    pub fn log_error(&self) -> Option<f64> {
        self.log_error
    }

    /// The scenario with what [`Scenario::log_error`] says.
    #[must_use]
    pub fn with_log_error(&self, error: Option<f64>) -> Scenario {
        Scenario { log_error: error, ..self.clone() }
    }

    /// The job whose end a job waits for, if the sessions are closed.
    pub(crate) fn predecessor(&self, job: JobId) -> Option<Predecessor> {
        match self.sessions {
            Sessions::Closed => self.jobs[job.index()].after,
            Sessions::Open => None,
        }
    }

    /// Whether another scenario has the same schedules because it differs in words at most: its title, its description
    /// and what is known of a log.
    pub fn has_schedules_of(&self, other: &Scenario) -> bool {
        let Scenario { name: _, description: _, log_error: _, cluster, partitioning, .. } = self;
        (cluster, partitioning, self.sessions) == (&other.cluster, &other.partitioning, other.sessions)
            && (&self.parameters, &self.users, &self.jobs) == (&other.parameters, &other.users, &other.jobs)
    }

    /// Whether the arrivals of some jobs follow from the ends of others.
    pub fn has_sessions(&self) -> bool {
        self.sessions == Sessions::Closed && self.jobs.iter().any(|job| job.after.is_some())
    }

    /// Whether some job is cancelled if it has not ended by some time: then traces say of each job how it ended.
    pub fn has_cancellations(&self) -> bool {
        self.jobs.iter().any(|job| job.cancel.is_some())
    }

    /// Whether attempts may be killed for other reasons than that a policy drops their job: then traces name the
    /// reasons.
    pub fn names_kill_reasons(&self) -> bool {
        let cluster = &self.cluster;
        self.has_cancellations()
            || !cluster.losses.is_empty()
            || cluster.speculation.is_some()
            || cluster.preemption.is_some()
    }

    /// The scenario with open sessions and other arrivals, by index of the jobs in the file.
    pub(crate) fn with_arrivals(&self, arrivals: impl IntoIterator<Item = Time>) -> Scenario {
        let mut arrived = self.clone();
        arrived.sessions = Sessions::Open;
        for (job, arrival) in arrived.jobs.iter_mut().zip(arrivals) {
            job.arrival = arrival;
        }
        arrived
    }

    /// Jobs in the order of arrival in the file, ties by file order. Where [`Scenario::has_sessions`], a trace has the
    /// [order that came about](crate::Trace::arrival_order).
    pub fn arrival_order(&self) -> Vec<JobId> {
        let order = order::by_key(self.jobs.len(), |job| self.jobs[job as usize].arrival.0);
        order.into_iter().map(JobId).collect()
    }

    /// All stages in the order of their global numbers, unless the scenario has [sessions](Scenario::has_sessions): job
    /// by job in the order of arrival, each job's in file order. The first has the cluster's `first_stage_id`.
    pub(crate) fn stages_by_id(&self) -> Vec<(JobId, u32)> {
        let stages =
            |job: JobId| (0..self.jobs[job.index()].stages.len() as u32).map(move |stage| (job, stage));
        self.arrival_order().into_iter().flat_map(stages).collect()
    }

    /// A value for each stage of each job, by index in the file.
    pub(crate) fn per_stage<T: Clone>(&self, value: T) -> Vec<Vec<T>> {
        self.jobs.iter().map(|job| vec![value.clone(); job.stages.len()]).collect()
    }

    /// Each job's rank: the inverse of [`Scenario::arrival_order`].
    pub fn ranks(&self) -> Vec<Rank> {
        let mut ranks = vec![Rank(0); self.jobs.len()];
        for (rank, job) in self.arrival_order().into_iter().enumerate() {
            ranks[job.index()] = Rank(rank as u32);
        }
        ranks
    }

    /// A job's name, or `job 3` where the file gives none.
    pub fn job_label(&self, job: JobId) -> String {
        match self.jobs[job.index()].name.as_str() {
            "" => format!("job {}", job.0),
            name => name.to_owned(),
        }
    }

    /// A stage for people: the job's label, followed by the stage's name or number where the job has
    /// several: `report`, `report / load`, `job 3 / stage 1`.
    pub fn stage_label(&self, job: JobId, stage: u32) -> String {
        let (label, stages) = (self.job_label(job), &self.jobs[job.index()].stages);
        match (stages.len(), stages[stage as usize].name.as_str()) {
            (1, _) => label,
            (_, "") => format!("{label} / stage {stage}"),
            (_, name) => format!("{label} / {name}"),
        }
    }

    /// The name of the user who submits a job.
    pub fn user_name(&self, job: JobId) -> &str {
        &self.users[self.jobs[job.index()].user.index()].name
    }

    /// The scenario of one job alone on the idle cluster with all its executors, arriving at 0: what slowdowns are
    /// measured against.
    pub fn alone(&self, job: JobId) -> Scenario {
        let job = &self.jobs[job.index()];
        Scenario {
            name: self.name.clone(),
            description: String::new(),
            cluster: Cluster {
                executors_at: Vec::new(),
                dynamic_allocation: None,
                losses: Vec::new(),
                exclusions: Vec::new(),
                preemption: None,
                ..self.cluster.clone()
            },
            partitioning: self.partitioning.clone(),
            parameters: self.parameters.clone(),
            users: vec![self.users[job.user.index()].clone()].into(),
            jobs: vec![Job {
                user: UserId(0),
                arrival: Time::ZERO,
                after: None,
                cancel: None,
                interrupt: false,
                ..job.without_exclusions()
            }]
            .into(),
            sessions: self.sessions,
            log_error: None,
        }
    }
}
