//! The charts there are: their names, and how they are read.

use strum::EnumCount;

use crate::store::ChartKind;

/// What a chart is for its readers.
struct ChartInfo {
    kind: ChartKind,
    /// Identifies it in the page's elements, in links and in file names.
    id: &'static str,
    /// Its name in the list of charts.
    name: &'static str,
    /// What it shows and how it is read, in a sentence or two.
    about: &'static str,
    /// Whether it shows one policy at a time.
    is_of_one_policy: bool,
    /// Whether it has the panels' time axis.
    is_over_time: bool,
}

/// A chart of all ticked policies that is not over time.
const fn chart(kind: ChartKind, id: &'static str, name: &'static str, about: &'static str) -> ChartInfo {
    ChartInfo { kind, id, name, about, is_of_one_policy: false, is_over_time: false }
}

/// The charts in the order in which they are offered.
const CHARTS: [ChartInfo; ChartKind::COUNT] = [
    chart(
        ChartKind::Responses,
        "responses",
        "Response times (ECDF)",
        "Share of jobs that are completed within a time: a curve further to the left is faster, a curve \
         that flattens early leaves some jobs waiting.",
    ),
    chart(
        ChartKind::Users,
        "users",
        "Mean response by user",
        "Mean response time of each user’s jobs under each policy.",
    ),
    chart(
        ChartKind::Fairness,
        "fairness",
        "Violations and slacks by user",
        "How much longer each user’s jobs take on average than under UJF, in percent: right of zero the \
         fair share is violated, left of it there is slack.",
    ),
    chart(
        ChartKind::Slowdown,
        "slowdown",
        "Slowdown by job size",
        "Response time divided by the response time alone on the idle cluster, a dot per job, against its \
         true work. Hollow dots: runtime partitioning.",
    ),
    chart(
        ChartKind::Deadlines,
        "deadlines",
        "Deadlines met, time wasted",
        "SDR: the part of the jobs that finish by their deadlines. PTR: the core time of these jobs in \
         relation to the work of all jobs; WTR: that of the jobs that are late, dropped or rejected.",
    ),
    ChartInfo {
        is_of_one_policy: true,
        is_over_time: true,
        ..chart(
            ChartKind::Cores,
            "cores",
            "Cores in use over time",
            "Which user’s tasks hold the cores, in the time window that the panels show.",
        )
    },
    ChartInfo {
        is_over_time: true,
        ..chart(
            ChartKind::Sharing,
            "sharing",
            "Fairness between jobs over time",
            "Jain’s index of the part of their parallelism that active jobs hold: 1 if it is the same for \
         all, 1/n if one of n jobs has everything.",
        )
    },
    ChartInfo {
        is_of_one_policy: true,
        is_over_time: true,
        ..chart(
            ChartKind::DominantShares,
            "shares",
            "Dominant shares over time",
            "The larger of the parts of all cores and of all memory that each user’s tasks hold.",
        )
    },
    ChartInfo {
        is_of_one_policy: true,
        is_over_time: true,
        ..chart(
            ChartKind::Targets,
            "targets",
            "Cores held against target",
            "Cores that jobs hold, and those that their policy means them to hold: a share by estimated work, \
         PAF’s allocation, or what a job is given for its deadline. PAF starts from the fair share and \
         moves cores.",
        )
    },
    chart(
        ChartKind::TargetSizes,
        "target-sizes",
        "Target by job size",
        "The cores that a policy means a job to hold, a dot per job, against its true work: who is given \
         many, the small or the large?",
    ),
    ChartInfo {
        is_of_one_policy: true,
        is_over_time: true,
        ..chart(ChartKind::Memory, "memory", "Memory in use over time", "Which user’s tasks hold the memory.")
    },
    chart(
        ChartKind::AdvisoryTaskRuntime,
        "atr",
        "Sweep: task runtime (ATR)",
        "The same jobs cut into ever larger tasks. Too small, and overhead wins; too large, and skew \
         wins. Policies without runtime partitioning are flat lines.",
    ),
    chart(
        ChartKind::EstimateError,
        "estimates",
        "Sweep: estimate error",
        "The same jobs with estimates that are off by a random factor each, in either direction. Policies \
         that use no estimates are flat lines.",
    ),
    chart(
        ChartKind::Cost,
        "cost",
        "Sweep: cost of executors",
        "The same jobs with fewer and more executors, or other idle time-outs: the core time that they \
         hold against the mean response time. The line in the colour of text is the Pareto edge: nothing \
         is both cheaper and faster than a point on it.",
    ),
    ChartInfo {
        is_of_one_policy: true,
        ..chart(
            ChartKind::Parameter,
            "tune",
            "Tune: a policy’s parameter",
            "The same jobs under one policy with other values of one of its parameters. The lowest point is \
         the best value for this scenario; another scenario may want another.",
        )
    },
    chart(
        ChartKind::Properties,
        "properties",
        "Properties: what policies guarantee",
        "What the BoPF paper’s Table 1 asks of a policy, measured in this scenario. A policy that has a \
         property here need not have it elsewhere.",
    ),
];

impl ChartKind {
    /// All of them, in the order in which they are offered.
    pub fn all() -> impl Iterator<Item = ChartKind> {
        CHARTS.iter().map(|chart| chart.kind)
    }

    fn info(self) -> &'static ChartInfo {
        CHARTS.iter().find(|chart| chart.kind == self).expect("a test looks for every chart")
    }

    /// Whether it shows one policy at a time.
    pub fn is_of_one_policy(self) -> bool {
        self.info().is_of_one_policy
    }

    /// Whether it has the panels' time axis.
    pub fn is_over_time(self) -> bool {
        self.info().is_over_time
    }

    /// Identifies it in the page's elements, in links and in file names.
    pub fn id(self) -> &'static str {
        self.info().id
    }

    /// The chart that an identifier means.
    pub fn from_id(id: &str) -> Option<ChartKind> {
        ChartKind::all().find(|kind| kind.id() == id)
    }

    /// Its name in the list of charts.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// What it shows and how it is read, in a sentence or two.
    pub fn about(self) -> &'static str {
        self.info().about
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chart_is_offered_once() {
        let mut kinds: Vec<usize> = ChartKind::all().map(|kind| kind as usize).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, (0..ChartKind::COUNT).collect::<Vec<_>>());
        for chart in &CHARTS {
            assert_eq!(ChartKind::from_id(chart.id), Some(chart.kind));
        }
    }
}
