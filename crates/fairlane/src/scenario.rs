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
mod curve;
pub mod edit;
pub(crate) mod error;
pub mod field;
pub mod generate;
mod input;
pub(crate) mod json;
pub mod palette;
mod parameters;
mod partition;
mod queue;
mod sessions;
mod shared;

pub use allocation::{DynamicAllocation, ExecutorBounds};
pub use builder::ScenarioBuilder;
pub use check::Limits;
pub use curve::PerformanceCurve;
pub use edit::{Edit, Edited};
pub use error::ScenarioError;
pub use generate::Generator;
pub use json::from_serde;
pub use parameters::PolicyParameters;
pub use partition::PartitionMode;
pub use queue::{Queue, QueueKind};
pub use sessions::{Predecessor, Sessions};

use serde::{Deserialize, Serialize};

use shared::SharedVec;

use crate::ids::{JobId, Rank, UserId};
use crate::order;
use crate::units::{SlotTime, Span, Time, Weight};

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
}

/// The machines and the fixed costs of using them.
///
/// Made by [`Cluster::new`] and [`Cluster::default`]; all fields can be set afterwards.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cluster {
    /// Number of executors.
    pub executors: u32,
    /// Cores of each executor; core c belongs to executor c / cores_per_executor.
    pub cores_per_executor: u32,
    /// Time a task holds its core beyond its duration; not part of any work or estimate.
    pub task_overhead: Span,
    /// Time from the end of a stage's last parent to its submission.
    pub stage_delay: Span,
    /// What the driver's own work costs.
    pub driver: Driver,
    /// How Fair and UJF break ties between stages.
    pub fair_tie_break: FairTieBreak,
    /// Number of the first stage submitted.
    pub first_stage_id: u64,
    /// Time that a core needs to join another job than the one it last served.
    pub core_move: Span,
    /// Memory of each executor in MB; `None` if memory is not modelled.
    pub memory_per_executor: Option<u64>,
    /// Instants, ascending, from each of which on a number of executors is wanted: the first of them. Before the first
    /// instant it is all of them.
    pub executors_at: Vec<(Time, u32)>,
    /// How executors are requested and removed; not with `executors_at`.
    pub dynamic_allocation: Option<DynamicAllocation>,
}

/// What the driver's event loop spends on its events, one after the other (Spark's `DAGScheduler` is
/// one thread). All 0: it costs nothing, as the model has it.
///
/// An event waits until those before it are handled and takes effect when its own time is over: the
/// policy receives an arriving job, and its first stages are submitted; the end of a task ends its
/// stage and its job, and submits the children. Cores do not wait for it: a freed core is offered at
/// once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Driver {
    /// For a job's arrival, besides its stages.
    pub job: Span,
    /// For each stage of a job that arrives (all are set up then), and again for each that is submitted later,
    /// when its parents have ended.
    pub stage: Span,
    /// For the end of a task.
    pub task: Span,
}

impl Driver {
    /// Whether anything costs anything.
    pub fn is_modelled(&self) -> bool {
        *self != Driver::default()
    }
}

/// How Fair and UJF break ties between stages of equal running counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FairTieBreak {
    /// By stage id, as a number.
    #[default]
    Submission,
    /// By the text `TaskSet_<stage id>.0`, as Spark's `FairSchedulingAlgorithm` does, so that 10
    /// comes before 2.
    Spark,
}

/// How stages are cut into tasks under runtime partitioning (paper 3.2).
#[derive(Clone, Debug, PartialEq)]
pub struct Partitioning {
    /// Advisory task runtime (ATR).
    pub advisory_task_runtime: Span,
    /// The least number of tasks a splittable stage is cut into.
    pub min_partitions: MinPartitions,
}

/// The least number of tasks of a splittable stage under runtime partitioning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MinPartitions {
    /// The stage's default number.
    #[default]
    Default,
    /// One: the paper's bare formula.
    One,
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
}

/// What a user submits and waits for: stages with an order between them.
///
/// Made by [`Job::new`]; all fields can be set afterwards.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Job {
    /// Who submits it.
    pub user: UserId,
    /// Name, empty if the file gives none.
    pub name: String,
    /// The job group, as Spark's `setJobGroup` names it; empty if it is in none. See
    /// [`job_groups`](crate::metrics::job_groups).
    pub group: String,
    /// The fair scheduler's pool, as Spark's local property `spark.scheduler.pool` names it; empty for `default`.
    pub pool: String,
    /// When it is submitted, unless it has a predecessor and the sessions are closed.
    pub arrival: Time,
    /// The job whose end its user waits for before submitting it.
    pub after: Option<Predecessor>,
    /// Estimated work, which UWFQ reads at the arrival; the sum of its stages' estimates by default.
    pub estimate: SlotTime,
    /// How many times as fast a task is on a core whose last task was of the same job; at least 1.
    pub warm_factor: f64,
    /// How long after its arrival it should have ended.
    pub deadline: Option<Span>,
    /// How fast it proceeds with a number of slots, where that is known.
    pub curve: Option<PerformanceCurve>,
    /// Stages in file order; there is at least one.
    pub stages: Vec<Stage>,
}

/// A set of tasks that may run side by side once all parents are done.
///
/// Made by [`Stage::with_input`]; all fields can be set afterwards.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stage {
    /// Name, empty if the file gives none.
    pub name: String,
    /// Indices of the stages of the same job that must end before this one is submitted.
    pub parents: Vec<u32>,
    /// How the work lies over the input.
    pub input: Input,
    /// Default number of tasks.
    pub partitions: u32,
    /// Whether runtime partitioning may cut it otherwise.
    pub splittable: bool,
    /// Estimated work, which CFQ and runtime partitioning read; the true work by default.
    pub estimate: SlotTime,
    /// How many times as long a task takes on a core whose last task was not of the same stage; above 0.
    pub first_wave: f64,
    /// How many times as long a task takes that is launched as the n-th running one of its stage:
    /// points (n, factor), n ascending from 1 or more, factors above 0. See [`Stage::inflation_at`].
    pub inflation: Vec<(u32, f64)>,
    /// Memory that each task holds while it holds its core, in MB.
    pub memory: u64,
    /// Which of its job's Spark jobs it belongs to: an SQL query runs several.
    pub spark_job: u32,
    /// From the end of its last parent, or its job's start, to its submission; `None` for the cluster's
    /// [`Cluster::stage_delay`] if it has parents, else 0. See [`Cluster::delay_of`].
    pub delay: Option<Span>,
}

/// A stage's input: the interval [0, 1) as equal slices, each with its work.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// `prefix[k]` is the work of the first k slices in core-microseconds; `prefix[0]` = 0, so
    /// there is one entry more than there are slices.
    prefix: Vec<u64>,
    /// How the file spells it, kept so that a scenario can be written back as it was read.
    form: InputForm,
}

/// The two ways in which a file gives a stage's input.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputForm {
    /// `tasks_s`: the slices themselves.
    Tasks,
    /// `work_s` and `profile`: total work in core-microseconds and the slices' weights.
    Profile {
        /// Work as the file gives it, in core-microseconds.
        work: u64,
        /// Weights of the slices; at least one, none negative, not all zero.
        weights: Vec<f64>,
    },
}

impl Default for Cluster {
    /// The defaults of a scenario file: one executor of four cores, without fixed costs.
    fn default() -> Cluster {
        Cluster {
            executors: 1,
            cores_per_executor: 4,
            task_overhead: Span(0),
            stage_delay: Span(0),
            driver: Driver::default(),
            fair_tie_break: FairTieBreak::default(),
            first_stage_id: 0,
            core_move: Span(0),
            memory_per_executor: None,
            executors_at: Vec::new(),
            dynamic_allocation: None,
        }
    }
}

impl Default for Partitioning {
    /// The defaults of a scenario file: tasks of half a second.
    fn default() -> Partitioning {
        Partitioning { advisory_task_runtime: Span(500_000), min_partitions: MinPartitions::default() }
    }
}

impl Cluster {
    /// Executors of some cores each, without fixed costs.
    pub fn new(executors: u32, cores_per_executor: u32) -> Cluster {
        Cluster { executors, cores_per_executor, ..Cluster::default() }
    }

    /// The number of cores R.
    pub fn cores(&self) -> u32 {
        self.executors * self.cores_per_executor
    }

    /// Whether executors come and go.
    pub fn is_elastic(&self) -> bool {
        !self.executors_at.is_empty() || self.dynamic_allocation.is_some()
    }

    /// From the end of a stage's last parent, or its job's start, to its submission.
    pub fn delay_of(&self, stage: &Stage) -> Span {
        stage.delay.unwrap_or(if stage.parents.is_empty() { Span(0) } else { self.stage_delay })
    }
}

impl User {
    /// A user of weight 1.
    pub fn named(name: impl Into<String>) -> User {
        User { name: name.into(), weight: Weight::ONE, queue: None }
    }
}

impl Stage {
    /// A stage without parents that runtime partitioning may cut, with one task for each slice of the
    /// input and a true estimate.
    pub fn with_input(input: Input) -> Stage {
        Stage {
            name: String::new(),
            parents: Vec::new(),
            partitions: input.slices() as u32,
            splittable: true,
            estimate: input.work(),
            input,
            first_wave: 1.0,
            inflation: Vec::new(),
            memory: 0,
            spark_job: 0,
            delay: None,
        }
    }

    /// How many times as long a task takes that is launched as the n-th running one of its stage:
    /// linear between the points of [`Stage::inflation`], flat outside, 1 without any.
    pub fn inflation_at(&self, n: u32) -> f64 {
        curve::interpolated(&self.inflation, n)
    }
}

impl Job {
    /// A job without a name or group whose estimate is the sum of its stages' estimates.
    pub fn new(user: UserId, arrival: Time, stages: Vec<Stage>) -> Job {
        let estimate = stages.iter().map(|stage| stage.estimate).sum();
        Job {
            user,
            name: String::new(),
            group: String::new(),
            pool: String::new(),
            arrival,
            after: None,
            estimate,
            warm_factor: 1.0,
            deadline: None,
            curve: None,
            stages,
        }
    }

    /// For each stage those that have it as a parent, ascending.
    pub fn children(&self) -> Vec<Vec<u32>> {
        children(&self.stages)
    }

    /// The true work of all stages.
    pub fn work(&self) -> SlotTime {
        self.stages.iter().map(|stage| stage.input.work()).sum()
    }

    /// Whether each stage waits for the one before, and tasks take only their own run time.
    pub(crate) fn is_chain(&self) -> bool {
        // All fields, so that a new one has to be considered here and in what relies on it.
        let Job {
            user: _,
            name: _,
            group: _,
            pool: _,
            arrival: _,
            // A job alone arrives at 0.
            after: _,
            estimate: _,
            warm_factor,
            deadline: _,
            curve: _,
            stages,
        } = self;
        let follows = |(index, stage): (usize, &Stage)| {
            let Stage {
                name: _,
                parents,
                input: _,
                partitions: _,
                splittable: _,
                estimate: _,
                first_wave,
                inflation,
                // It bounds how many of the stage's tasks run at once.
                memory: _,
                spark_job: _,
                delay: _,
            } = stage;
            let waits_for_last = match index.checked_sub(1) {
                None => parents.is_empty(),
                Some(last) => parents.contains(&(last as u32)),
            };
            waits_for_last && *first_wave == 1.0 && inflation.is_empty()
        };
        *warm_factor == 1.0 && stages.iter().enumerate().all(follows)
    }
}

/// For each of a job's stages those that have it as a parent, ascending.
fn children(stages: &[Stage]) -> Vec<Vec<u32>> {
    let mut children = vec![Vec::new(); stages.len()];
    for (index, stage) in (0..).zip(stages) {
        stage.parents.iter().for_each(|&parent| children[parent as usize].push(index));
    }
    children
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

    /// The job whose end a job waits for, if the sessions are closed.
    pub(crate) fn predecessor(&self, job: JobId) -> Option<Predecessor> {
        match self.sessions {
            Sessions::Closed => self.jobs[job.index()].after,
            Sessions::Open => None,
        }
    }

    /// Whether the arrivals of some jobs follow from the ends of others.
    pub fn has_sessions(&self) -> bool {
        self.sessions == Sessions::Closed && self.jobs.iter().any(|job| job.after.is_some())
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
            cluster: Cluster { executors_at: Vec::new(), dynamic_allocation: None, ..self.cluster.clone() },
            partitioning: self.partitioning.clone(),
            parameters: self.parameters.clone(),
            users: vec![self.users[job.user.index()].clone()].into(),
            jobs: vec![Job { user: UserId(0), arrival: Time::ZERO, after: None, ..job.clone() }].into(),
            sessions: self.sessions,
        }
    }
}
