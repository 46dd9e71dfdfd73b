//! Table 2 of the UWFQ paper (SoCC '25): response times of its macro-benchmark, as published, as measured without
//! outlier runs, and simulated.
//!
//! Its authors counted responses by job group, and those of some users twice: they looked for a user's name in the
//! names of the groups, and `user_1` is part of `user_10`. The mean of each of their runs follows from the means of the
//! ranks 0-80, 80-95 and 95-100 % with 139, 26 and 9 responses, so there were 174; the scenario has 97 groups.
//!
//! ```
//! use fairlane_study::fidelity::table_2;
//! let rows = table_2::rows();
//! assert_eq!(rows.len(), table_2::RUNS.len());
//! assert!(rows.iter().all(|row| row.errors()[0].abs() < 0.15));
//! ```

use super::relative;
use fairlane::catalog::macro_benchmark::{EstimateOf, MacroBenchmark, SchedulingUnit, StageCut};
use fairlane::metrics;
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::{PartitionMode, Scenario};
use fairlane::trace::JobRun;
use fairlane::units::Span;

/// Response times and the makespan of a run, or means over runs, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// Mean response time.
    pub mean: f64,
    /// Mean of the responses of rank 0-80 %, 80-95 % and 95-100 %.
    pub ranks: [f64; 3],
    /// The end of the last task.
    pub makespan: f64,
}

impl Times {
    const fn new([mean, a, b, c, makespan]: [f64; 5]) -> Times {
        Times { mean, ranks: [a, b, c], makespan }
    }

    /// The mean, the ranks and the makespan.
    pub fn all(&self) -> [f64; 5] {
        let [a, b, c] = self.ranks;
        [self.mean, a, b, c, self.makespan]
    }

    /// All of them relative to others: -0.6 is 60 % less.
    pub fn against(&self, other: &Times) -> [f64; 5] {
        let (mine, others) = (self.all(), other.all());
        std::array::from_fn(|index| relative(mine[index], others[index]))
    }

    fn mean_of(runs: &[Times]) -> Times {
        let mut sums = [0.0; 5];
        for run in runs {
            sums.iter_mut().zip(run.all()).for_each(|(sum, value)| *sum += value);
        }
        Times::new(sums.map(|sum| sum / runs.len().max(1) as f64))
    }
}

/// The three runs of a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredTimes {
    /// The policy.
    pub policy: PolicyId,
    /// What its authors measured.
    pub runs: [Times; 3],
}

impl MeasuredTimes {
    const fn new(kind: PolicyKind, partitioning: PartitionMode, runs: [[f64; 5]; 3]) -> MeasuredTimes {
        let [first, second, third] = runs;
        let runs = [Times::new(first), Times::new(second), Times::new(third)];
        MeasuredTimes { policy: PolicyId { kind, partitioning }, runs }
    }

    /// The means over all runs, which are what the paper prints.
    pub fn published(&self) -> Times {
        Times::mean_of(&self.runs)
    }

    /// The runs without outliers: none takes 5 % longer than the shortest. The others differ by less than 1 %.
    pub fn regular(&self) -> Vec<Times> {
        let shortest = self.runs.iter().map(|run| run.makespan).fold(f64::INFINITY, f64::min);
        self.runs.iter().copied().filter(|run| run.makespan < 1.05 * shortest).collect()
    }
}

/// All runs, in the order of the table: mean response, ranks 0-80 %, 80-95 % and 95-100 %, makespan.
pub const RUNS: [MeasuredTimes; 8] = [
    MeasuredTimes::new(
        PolicyKind::Fair,
        PartitionMode::Default,
        [
            [45.82, 28.25, 99.89, 160.99, 563.7],
            [46.32, 28.3, 100.96, 166.67, 561.7],
            [46.23, 28.31, 100.65, 165.75, 564.1],
        ],
    ),
    MeasuredTimes::new(
        PolicyKind::Ujf,
        PartitionMode::Default,
        [
            [64.42, 32.57, 163.7, 269.56, 587.9],
            [49.11, 25.31, 128.31, 187.86, 554.0],
            [48.83, 24.41, 130.84, 189.15, 555.2],
        ],
    ),
    MeasuredTimes::new(
        PolicyKind::Cfq,
        PartitionMode::Default,
        [
            [36.91, 10.99, 85.99, 295.58, 621.1],
            [36.79, 10.99, 85.37, 294.99, 621.1],
            [37.44, 11.17, 85.65, 304.0, 621.0],
        ],
    ),
    MeasuredTimes::new(
        PolicyKind::Uwfq,
        PartitionMode::Default,
        [
            [41.71, 12.38, 93.57, 344.81, 624.6],
            [41.26, 12.32, 91.65, 342.62, 625.0],
            [41.3, 12.29, 91.86, 343.3, 623.2],
        ],
    ),
    MeasuredTimes::new(
        PolicyKind::Fair,
        PartitionMode::Runtime,
        [
            [45.67, 25.98, 105.06, 178.31, 552.0],
            [57.54, 31.61, 129.01, 251.6, 587.9],
            [45.75, 26.25, 104.15, 178.25, 551.8],
        ],
    ),
    MeasuredTimes::new(
        PolicyKind::Ujf,
        PartitionMode::Runtime,
        [
            [46.48, 21.28, 129.61, 195.55, 551.3],
            [45.56, 20.35, 127.63, 197.78, 551.7],
            [59.28, 27.42, 163.63, 249.95, 585.4],
        ],
    ),
    MeasuredTimes::new(
        PolicyKind::Cfq,
        PartitionMode::Runtime,
        [
            [28.34, 5.51, 63.87, 278.32, 592.6],
            [28.36, 5.53, 63.86, 278.41, 592.5],
            [29.21, 5.5, 63.62, 296.07, 592.4],
        ],
    ),
    MeasuredTimes::new(
        PolicyKind::Uwfq,
        PartitionMode::Runtime,
        [
            [30.98, 6.04, 66.02, 315.01, 592.2],
            [31.3, 6.05, 68.28, 314.41, 591.7],
            [31.29, 6.07, 68.03, 314.5, 591.6],
        ],
    ),
];

/// A row of Table 2 and its simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Table2Row {
    /// The policy.
    pub policy: PolicyId,
    /// As printed: the means over three runs.
    pub published: Times,
    /// The means over the regular runs.
    pub measured: Times,
    /// How many these are.
    pub regular_runs: usize,
    /// Simulated, and counted as the authors counted.
    pub simulated: Times,
    /// Simulated, with each job group counted once.
    pub once: Times,
}

impl Table2Row {
    /// How far the simulation is from the regular runs, both counted as the authors counted, relative to these.
    pub fn errors(&self) -> [f64; 5] {
        self.simulated.against(&self.measured)
    }
}

/// Assumptions about the authors' runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Assumption {
    /// UWFQ's job is the group, estimates are of groups, and tasks of a stage on one executor are slower.
    All,
    /// UWFQ's job is the Spark job.
    JobsOfTheirOwn,
    /// Tasks do not slow each other down.
    NoContention,
    /// CFQ and UWFQ know the estimate of each job alone, and UWFQ's job is the Spark job.
    EstimatesOfJobs,
}

impl Assumption {
    /// All of them, the one that rows are simulated under first.
    pub const ALL: [Assumption; 4] =
        [Assumption::All, Assumption::JobsOfTheirOwn, Assumption::NoContention, Assumption::EstimatesOfJobs];

    /// In words.
    pub fn title(self) -> &'static str {
        match self {
            Assumption::All => "as above",
            Assumption::JobsOfTheirOwn => "UWFQ's job is the Spark job",
            Assumption::NoContention => "no contention",
            Assumption::EstimatesOfJobs => "estimates of Spark jobs",
        }
    }

    /// The benchmark for a policy.
    fn benchmark(self, policy: PolicyId) -> MacroBenchmark {
        let grouped = matches!(self, Assumption::All | Assumption::NoContention);
        MacroBenchmark {
            cut: match policy.partitioning {
                PartitionMode::Default => StageCut::Default,
                PartitionMode::Runtime => StageCut::Runtime,
            },
            unit: if grouped && policy.kind == PolicyKind::Uwfq {
                SchedulingUnit::Group
            } else {
                SchedulingUnit::Job
            },
            estimate: match self {
                Assumption::EstimatesOfJobs => EstimateOf::Job,
                _ => EstimateOf::Group,
            },
            contention: match self {
                Assumption::NoContention => 1.0,
                _ => MacroBenchmark::default().contention,
            },
        }
    }
}

/// Simulates every row.
pub fn rows() -> Vec<Table2Row> {
    rows_under(Assumption::All)
}

/// Simulates every row under an assumption.
pub fn rows_under(assumption: Assumption) -> Vec<Table2Row> {
    RUNS.iter().map(|measured| row(measured, &assumption.benchmark(measured.policy))).collect()
}

fn row(measured: &MeasuredTimes, benchmark: &MacroBenchmark) -> Table2Row {
    let scenario = benchmark.scenario();
    // The stages are cut already.
    let policy = PolicyId { partitioning: PartitionMode::Default, ..measured.policy };
    let trace = fairlane::simulate(&scenario, policy);
    let makespan = metrics::makespan(&trace).map(Span::seconds).unwrap_or_default();
    let groups = metrics::by_job_group(&metrics::job_groups(&scenario), &trace.jobs);
    let regular = measured.regular();
    Table2Row {
        policy: measured.policy,
        published: measured.published(),
        measured: Times::mean_of(&regular),
        regular_runs: regular.len(),
        simulated: times(&as_the_authors_counted(&scenario, &groups), makespan),
        once: times(&groups, makespan),
    }
}

fn times(responses: &[JobRun], makespan: f64) -> Times {
    let seconds = responses.iter().map(|run| run.response().map(Span::seconds));
    Times {
        mean: metrics::mean_response(responses).unwrap_or_default(),
        ranks: metrics::group_means(&metrics::groups(responses), seconds).map(Option::unwrap_or_default),
        makespan,
    }
}

/// Users of the trace that the jobs are from, of whom 22 have jobs.
const USERS: u32 = 25;

/// For each user of the trace, the groups whose user's name contains that user's: `user_1` also finds those of
/// `user_10`.
pub fn as_the_authors_counted(scenario: &Scenario, groups: &[JobRun]) -> Vec<JobRun> {
    let found = |number: u32| {
        let name = format!("user_{number}");
        groups.iter().copied().filter(move |run| scenario.users()[run.user.index()].name.contains(&name))
    };
    (1..=USERS).flat_map(found).collect()
}
