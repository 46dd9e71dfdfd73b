//! Jobs and their stages.

use super::{Cluster, Exclusion, Input, PerformanceCurve, Predecessor, curve};
use crate::ids::UserId;
use crate::units::{SlotTime, Span, Time};

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
    /// From the end of its last stage to its own: meanwhile its user waits for the driver, and no core is held.
    pub finish_delay: Span,
    /// How long after its arrival it is cancelled if it has not ended.
    pub cancel: Option<Span>,
    /// Whether its attempts end with it when it is cancelled; otherwise they hold their cores to their own ends.
    pub interrupt: bool,
    /// How fast it proceeds with a number of slots, where that is known.
    pub curve: Option<PerformanceCurve>,
    /// Stages in file order; there is at least one.
    pub stages: Vec<Stage>,
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
            finish_delay: Span(0),
            cancel: None,
            interrupt: false,
            curve: None,
            stages,
        }
    }

    /// The job without preferences of tasks for executors, and without limits to some of them.
    pub(crate) fn without_places(&self) -> Job {
        let stage = |stage: &Stage| Stage {
            prefers: Vec::new(),
            resource_profile: 0,
            exclusions: Vec::new(),
            ..stage.clone()
        };
        Job { stages: self.stages.iter().map(stage).collect(), ..self.clone() }
    }

    /// The job without executors that take no more tasks of its stages.
    pub(super) fn without_exclusions(&self) -> Job {
        let mut job = self.clone();
        job.stages.iter_mut().for_each(|stage| stage.exclusions.clear());
        job
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
            // It is added to whatever the stages take.
            finish_delay: _,
            // A job alone is not cancelled.
            cancel: _,
            interrupt: _,
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
                pool: _,
                barrier,
                prefers,
                // It only applies to tasks that prefer executors.
                away: _,
                // It only matters where executors have several.
                resource_profile: _,
                // A job alone has none.
                exclusions: _,
            } = stage;
            let waits_for_last = match index.checked_sub(1) {
                None => parents.is_empty(),
                Some(last) => parents.contains(&(last as u32)),
            };
            waits_for_last && *first_wave == 1.0 && inflation.is_empty() && !barrier && prefers.is_empty()
        };
        *warm_factor == 1.0 && stages.iter().enumerate().all(follows)
    }
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
    /// From the end of its last parent, or its job's start, to its submission; `None` for that of the cluster if it has
    /// parents, else 0. See [`Cluster::delay_of`](super::Cluster::delay_of).
    pub delay: Option<Span>,
    /// The fair scheduler's pool of its Spark job; `None` for that of its job.
    pub pool: Option<String>,
    /// Whether its tasks start together or not at all (Spark's barrier execution).
    pub barrier: bool,
    /// The executors that hold its input, spread over it as slices are: task i of n prefers those of entry
    /// floor(i × entries / n). An empty entry is no preference.
    pub prefers: Vec<Vec<u32>>,
    /// How many times as long a task takes on an executor that it does not prefer, if it prefers any; above 0.
    pub away: f64,
    /// Its resource profile: only executors of the same one take its tasks.
    pub resource_profile: u32,
    /// Executors that take no more tasks of it, some of them for a while, counted from the launch of its first task.
    pub exclusions: Vec<Exclusion>,
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
            pool: None,
            barrier: false,
            prefers: Vec::new(),
            away: 1.0,
            resource_profile: 0,
            exclusions: Vec::new(),
        }
    }

    /// How many times as long a task takes that is launched as the n-th running one of its stage:
    /// linear between the points of [`Stage::inflation`], flat outside, 1 without any.
    pub fn inflation_at(&self, n: u32) -> f64 {
        curve::interpolated(&self.inflation, n)
    }

    /// The executors that a task prefers, of a number of tasks; none if it has no preference.
    pub fn preferred_by(&self, task: u32, tasks: u32) -> &[u32] {
        let entry = u64::from(task) * self.prefers.len() as u64 / u64::from(tasks.max(1));
        self.prefers.get(entry as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether some of its tasks prefer executors.
    pub fn has_preferences(&self) -> bool {
        self.prefers.iter().any(|entry| !entry.is_empty())
    }

    /// Whether it matters where its tasks run besides how long they take there: they start together, prefer executors, or
    /// may use some of the cluster's only.
    pub fn has_places(&self, cluster: &Cluster) -> bool {
        self.barrier || self.has_preferences() || self.is_limited(cluster)
    }

    /// Whether some executors may not take its tasks, always or at times.
    pub fn is_limited(&self, cluster: &Cluster) -> bool {
        let is_other = |&profile: &u32| profile != self.resource_profile;
        !self.exclusions.is_empty()
            || !cluster.exclusions.is_empty()
            || cluster.resource_profiles.iter().any(is_other)
    }
}

/// For each of a job's stages those that have it as a parent, ascending.
pub(super) fn children(stages: &[Stage]) -> Vec<Vec<u32>> {
    let mut children = vec![Vec::new(); stages.len()];
    for (index, stage) in (0..).zip(stages) {
        stage.parents.iter().for_each(|&parent| children[parent as usize].push(index));
    }
    children
}
