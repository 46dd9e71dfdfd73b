//! Which chart is shown, and how.

use strum::EnumCount;

use crate::results::measurement::{CostAxis, TuningChoice};
use fairlane::ids::UserId;
use fairlane::policy::PolicyId;
use fairlane_view::chart::{CoreHolder, Grouping};

/// What a chart is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumCount)]
pub enum ChartKind {
    /// The share of jobs completed within a time.
    #[default]
    Responses,
    /// Each user's mean response time.
    Users,
    /// Violations and slacks of each user against the fair share.
    Fairness,
    /// Slowdown against job size.
    Slowdown,
    /// Cores in use by user over time.
    Cores,
    /// Jain's index of what active jobs hold, over time.
    Sharing,
    /// Users' dominant shares over time.
    DominantShares,
    /// Cores held against those that the policy means jobs to hold, over time.
    Targets,
    /// The mean of these against job size.
    TargetSizes,
    /// Deadlines met, productive and wasted time.
    Deadlines,
    /// Memory in use over time.
    Memory,
    /// Mean response time against the advisory task runtime.
    AdvisoryTaskRuntime,
    /// Mean response time against the error of the estimates.
    EstimateError,
    /// Core time held by executors against mean response time.
    Cost,
    /// A metric against a parameter of a policy.
    Parameter,
    /// What each policy guarantees: a table.
    Properties,
}

/// Which chart is shown, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChartChoice {
    /// What it is about.
    pub kind: ChartKind,
    /// The user whose response times are shown; `None` for all users.
    pub user: Option<UserId>,
    /// The user or job whose cores are compared with targets.
    pub whose: CoreHolder,
    /// The policy of a chart that shows one; `None`, or one that it cannot show: the first that it can.
    pub policy: Option<PolicyId>,
    /// The parameter to tune, for what and over how many seeds.
    pub tuned: TuningChoice,
    /// Whether the parameter is being tuned.
    pub tuning: bool,
    /// Whether the reader has asked what policies guarantee.
    pub checking: bool,
    /// What users' delays are measured against.
    pub against: ReferencePolicy,
    /// How bars are grouped.
    pub grouping: Grouping,
    /// What the cost of executors is swept over.
    pub cost: CostAxis,
    /// Seed of the estimates' errors.
    pub seed: u64,
    /// Whether the numbers are shown below as a table.
    pub table: ChartNumbers,
    /// Whether the chart covers the page.
    pub size: Size,
}

/// The fair schedule that others are measured against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReferencePolicy {
    /// Practical UJF with the same partitioning, as in the paper.
    #[default]
    PracticalUjf,
    /// The exact fluid UJF, which no scheduler of whole tasks can reach.
    FluidUjf,
}

/// Whether a chart's numbers are shown as a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChartNumbers {
    /// The chart alone.
    #[default]
    Hidden,
    /// A table below it.
    Shown,
}

/// Where a chart is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Size {
    /// The chart is at the side of the page.
    #[default]
    Side,
    /// The chart is large and lies over the page.
    Large,
}
