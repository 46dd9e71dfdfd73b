//! The machines and what using them costs.

use serde::{Deserialize, Serialize};

use super::{DynamicAllocation, Exclusion, Loss, Preemption, Speculation, Stage};
use crate::units::{Span, Time};

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
    /// How fast each executor is, as a factor above 0; empty if all have the speed 1.
    pub speeds: Vec<f64>,
    /// The resource profile of each executor, which takes only tasks of stages of the same one; empty if all have 0.
    pub resource_profiles: Vec<u32>,
    /// Executors that take no more tasks of any stage, some of them for a while.
    pub exclusions: Vec<Exclusion>,
    /// How long a stage waits for cores of the executors that its tasks prefer: `spark.locality.wait`.
    pub locality_wait: Span,
    /// Executors that are lost, some of them for a while.
    pub losses: Vec<Loss>,
    /// When slow tasks get a second attempt; `None` for never.
    pub speculation: Option<Speculation>,
    /// When attempts are killed for parties that have too few cores; `None` for never.
    pub preemption: Option<Preemption>,
    /// To whom cores belong; `None` if every free core is everybody's.
    pub executors_belong: Option<CoreOwners>,
}

/// To whom cores belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CoreOwners {
    /// To jobs: a job keeps its cores from stage to stage, and another gets one only as a gift (Decima's executors).
    Jobs,
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
            executors_belong: None,
            speeds: Vec::new(),
            resource_profiles: Vec::new(),
            exclusions: Vec::new(),
            locality_wait: Span(3_000_000),
            losses: Vec::new(),
            speculation: None,
            preemption: None,
        }
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

    /// Whether executors come and go, or are lost.
    pub fn is_elastic(&self) -> bool {
        !self.executors_at.is_empty() || self.dynamic_allocation.is_some() || !self.losses.is_empty()
    }

    /// How fast an executor is, as a factor.
    pub fn speed(&self, executor: u32) -> f64 {
        self.speeds.get(executor as usize).copied().unwrap_or(1.0)
    }

    /// The executors that are there in the end, unless dynamic allocation decides: those that the last entry of
    /// `executors_at` wants and that are not lost for ever.
    pub fn lasting_executors(&self) -> impl Iterator<Item = u32> + '_ {
        let wanted = self.executors_at.last().map_or(self.executors, |&(_, wanted)| wanted);
        let is_lost =
            |executor: u32| self.losses.iter().any(|loss| loss.executor == executor && loss.back.is_none());
        (0..wanted).filter(move |&executor| !is_lost(executor))
    }

    /// The resource profile of an executor.
    pub fn resource_profile(&self, executor: u32) -> u32 {
        self.resource_profiles.get(executor as usize).copied().unwrap_or(0)
    }

    /// The lasting executors that take tasks of a stage: of its resource profile, and not excluded for ever.
    pub fn lasting_executors_of<'a>(&'a self, stage: &'a Stage) -> impl Iterator<Item = u32> + 'a {
        let is_excluded = |executor: u32| {
            let mut exclusions = self.exclusions.iter().chain(&stage.exclusions);
            exclusions.any(|exclusion| exclusion.executor == executor && exclusion.lasts.is_none())
        };
        self.lasting_executors().filter(move |&executor| {
            self.resource_profile(executor) == stage.resource_profile && !is_excluded(executor)
        })
    }

    /// From the end of a stage's last parent, or its job's start, to its submission.
    pub fn delay_of(&self, stage: &Stage) -> Span {
        stage.delay.unwrap_or(if stage.parents.is_empty() { Span(0) } else { self.stage_delay })
    }
}
