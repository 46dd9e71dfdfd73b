//! The charts there are: their names, and how they are read.

use crate::store::ChartKind;

impl ChartKind {
    /// All of them, in the order in which they are offered.
    pub const ALL: [ChartKind; 16] = [
        ChartKind::Responses,
        ChartKind::Users,
        ChartKind::Fairness,
        ChartKind::Slowdown,
        ChartKind::Deadlines,
        ChartKind::Cores,
        ChartKind::Sharing,
        ChartKind::DominantShares,
        ChartKind::Targets,
        ChartKind::TargetSizes,
        ChartKind::Memory,
        ChartKind::AdvisoryTaskRuntime,
        ChartKind::EstimateError,
        ChartKind::Cost,
        ChartKind::Parameter,
        ChartKind::Properties,
    ];

    /// Whether it shows one policy at a time.
    pub fn is_of_one_policy(self) -> bool {
        matches!(
            self,
            ChartKind::Cores
                | ChartKind::DominantShares
                | ChartKind::Targets
                | ChartKind::Memory
                | ChartKind::Parameter
        )
    }

    /// Whether it has the panels' time axis.
    pub fn is_over_time(self) -> bool {
        matches!(
            self,
            ChartKind::Cores
                | ChartKind::Sharing
                | ChartKind::DominantShares
                | ChartKind::Targets
                | ChartKind::Memory
        )
    }

    /// Identifies it in the page's elements and in file names.
    pub fn id(self) -> &'static str {
        match self {
            ChartKind::Responses => "responses",
            ChartKind::Users => "users",
            ChartKind::Fairness => "fairness",
            ChartKind::Slowdown => "slowdown",
            ChartKind::Cores => "cores",
            ChartKind::AdvisoryTaskRuntime => "atr",
            ChartKind::EstimateError => "estimates",
            ChartKind::Cost => "cost",
            ChartKind::Sharing => "sharing",
            ChartKind::DominantShares => "shares",
            ChartKind::Targets => "targets",
            ChartKind::TargetSizes => "target-sizes",
            ChartKind::Memory => "memory",
            ChartKind::Deadlines => "deadlines",
            ChartKind::Parameter => "tune",
            ChartKind::Properties => "properties",
        }
    }

    /// The chart that an identifier means.
    pub fn from_id(id: &str) -> Option<ChartKind> {
        ChartKind::ALL.into_iter().find(|kind| kind.id() == id)
    }

    /// Its name in the list of charts.
    pub fn name(self) -> &'static str {
        match self {
            ChartKind::Responses => "Response times (ECDF)",
            ChartKind::Users => "Mean response by user",
            ChartKind::Fairness => "Violations and slacks by user",
            ChartKind::Slowdown => "Slowdown by job size",
            ChartKind::Cores => "Cores in use over time",
            ChartKind::AdvisoryTaskRuntime => "Sweep: task runtime (ATR)",
            ChartKind::EstimateError => "Sweep: estimate error",
            ChartKind::Cost => "Sweep: cost of executors",
            ChartKind::Sharing => "Fairness between jobs over time",
            ChartKind::DominantShares => "Dominant shares over time",
            ChartKind::Targets => "Cores held against target",
            ChartKind::TargetSizes => "Target by job size",
            ChartKind::Memory => "Memory in use over time",
            ChartKind::Deadlines => "Deadlines met, time wasted",
            ChartKind::Parameter => "Tune: a policy’s parameter",
            ChartKind::Properties => "Properties: what policies guarantee",
        }
    }

    /// What it shows and how it is read, in a sentence or two.
    pub fn about(self) -> &'static str {
        match self {
            ChartKind::Responses => {
                "Share of jobs that are completed within a time: a curve further to the left is faster, a curve \
                 that flattens early leaves some jobs waiting."
            }
            ChartKind::Users => "Mean response time of each user’s jobs under each policy.",
            ChartKind::Fairness => {
                "How much longer each user’s jobs take on average than under UJF, in percent: right of zero the \
                 fair share is violated, left of it there is slack."
            }
            ChartKind::Slowdown => {
                "Response time divided by the response time alone on the idle cluster, a dot per job, against its \
                 true work. Hollow dots: runtime partitioning."
            }
            ChartKind::Cores => "Which user’s tasks hold the cores, in the time window that the panels show.",
            ChartKind::AdvisoryTaskRuntime => {
                "The same jobs cut into ever larger tasks. Too small, and overhead wins; too large, and skew \
                 wins. Policies without runtime partitioning are flat lines."
            }
            ChartKind::EstimateError => {
                "The same jobs with estimates that are off by a random factor each, in either direction. Policies that \
                 use no estimates are flat lines."
            }
            ChartKind::Cost => {
                "The same jobs with fewer and more executors, or other idle time-outs: the core time that they hold against \
                 the mean response time. The line in the colour of text is the Pareto edge: nothing is both cheaper and \
                 faster than a point on it."
            }
            ChartKind::Sharing => {
                "Jain’s index of the part of their parallelism that active jobs hold: 1 if it is the same for all, 1/n if \
                 one of n jobs has everything."
            }
            ChartKind::DominantShares => {
                "The larger of the parts of all cores and of all memory that each user’s tasks hold."
            }
            ChartKind::Targets => {
                "Cores that jobs hold, and those that their policy means them to hold: a share by estimated work, PAF’s \
                 allocation, or what a job is given for its deadline. PAF starts from the fair share and moves cores."
            }
            ChartKind::TargetSizes => {
                "The cores that a policy means a job to hold, a dot per job, against its true work: who is given many, the                  small or the large?"
            }
            ChartKind::Memory => "Which user’s tasks hold the memory.",
            ChartKind::Deadlines => {
                "SDR: the part of the jobs that finish by their deadlines. PTR: the core time of these jobs in relation to the \
                 work of all jobs; WTR: that of the jobs that are late, dropped or rejected."
            }
            ChartKind::Parameter => {
                "The same jobs under one policy with other values of one of its parameters. The lowest point is the best \
                 value for this scenario; another scenario may want another."
            }
            ChartKind::Properties => {
                "What the BoPF paper’s Table 1 asks of a policy, measured in this scenario. A policy that has a property here \
                 need not have it elsewhere."
            }
        }
    }
}
