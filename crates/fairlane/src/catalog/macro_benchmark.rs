//! The macro-benchmark of the UWFQ paper (5.3), homogeneous variant: the jobs that its authors ran on 32 cores.
//!
//! Published are each job's user, arrival, group, and the two figures that set its work and its estimate. Calibrated
//! against the published response times (docs/fidelity.md) are the constants below.
//!
//! ```
//! use fairlane::catalog::macro_benchmark::MacroBenchmark;
//! use fairlane::metrics::job_groups;
//! let scenario = MacroBenchmark::default().scenario();
//! assert_eq!((scenario.jobs().len(), job_groups(&scenario).len()), (207, 97));
//! ```

use crate::ids::UserId;
use crate::scenario::{Cluster, FairTieBreak, Input, Job, Scenario, ScenarioError, Stage, User};
use crate::units::{SlotTime, Span, Time};

/// The jobs, in the order of arrival. Each part up to a semicolon is a group: its user's number, its arrival in ms, and
/// of each of its jobs the runtime in ms that the authors aimed at (`task_runtime_s`).
const GROUPS: &str = include_str!("macro_benchmark.txt");

/// Work that each job has besides its runtime, in ms: reading the table.
const READING_MS: f64 = 7500.0;
/// Core time per runtime aimed at.
const WORK_PER_RUNTIME: f64 = 1.05;
/// How many times the first slice of the input outweighs another.
const HEAVY: f64 = 2.5;
/// Slices of the table, and default partitions.
const SLICES: u32 = 32;
/// The estimate that the schedulers got of each job, as a multiple of the runtimes of its whole group. Published.
const ESTIMATE_PER_RUNTIME: f64 = 4.3;
/// The tasks that runtime partitioning aimed at, in ms. Published.
const ATR_MS: u64 = 500;

/// How the computing stages are cut into tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StageCut {
    /// Into the 32 partitions of the table.
    #[default]
    Default,
    /// As the authors' partitioner did it: by the runtime of the job itself, into tasks of half a second, at least 32.
    Runtime,
}

/// What the authors' schedulers took for one job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchedulingUnit {
    /// Each Spark job.
    #[default]
    Job,
    /// All jobs of a group, whose stages run side by side: UWFQ has one deadline for them.
    Group,
}

/// The work that the schedulers' estimate of a job covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EstimateOf {
    /// Its whole group, as published.
    #[default]
    Group,
    /// The job alone.
    Job,
}

/// The benchmark under some assumptions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MacroBenchmark {
    /// How the computing stages are cut.
    pub cut: StageCut,
    /// What a job of the scenario is.
    pub unit: SchedulingUnit,
    /// What estimates are of.
    pub estimate: EstimateOf,
    /// How many times as long a task takes if eight others of its stage run: there are eight executors, so that it
    /// shares one with another of them.
    pub contention: f64,
}

impl Default for MacroBenchmark {
    fn default() -> MacroBenchmark {
        MacroBenchmark {
            cut: StageCut::default(),
            unit: SchedulingUnit::default(),
            estimate: EstimateOf::default(),
            contention: 1.1,
        }
    }
}

/// The catalog's `macro`.
pub(super) fn jobs() -> Scenario {
    MacroBenchmark::default().scenario()
}

/// The catalog's `macro-p`.
pub(super) fn cut_jobs() -> Scenario {
    MacroBenchmark { cut: StageCut::Runtime, ..MacroBenchmark::default() }.scenario()
}

impl MacroBenchmark {
    /// The scenario: 8 executors of 4 cores, 22 users, 207 jobs in 97 groups. Stages are not splittable: `-p` would cut
    /// them by the estimates of whole groups, which the authors' partitioner did not.
    pub fn scenario(&self) -> Scenario {
        self.build().expect("the benchmark is sound; a test builds it")
    }

    fn build(&self) -> Result<Scenario, ScenarioError> {
        let mut users: Vec<User> = Vec::new();
        let mut jobs: Vec<Job> = Vec::new();
        for (number, group) in (1..).zip(GROUPS.split(';')) {
            let mut figures = group.split_whitespace().map(|word| word.parse().unwrap_or_default());
            let name = format!("user_{}", figures.next().unwrap_or_default());
            let user = users.iter().position(|user| user.name == name).unwrap_or_else(|| {
                users.push(User::named(name));
                users.len() - 1
            });
            let arrival = Time(1000 * figures.next().unwrap_or_default());
            let runtimes: Vec<u64> = figures.collect();
            let together: u64 = runtimes.iter().sum();
            let mut stages = Vec::new();
            for (index, &runtime) in (0..).zip(&runtimes) {
                let alone = self.unit == SchedulingUnit::Job && self.estimate == EstimateOf::Job;
                let estimated = if alone { runtime } else { together };
                let estimate = SlotTime((1000.0 * ESTIMATE_PER_RUNTIME * estimated as f64) as u64);
                let [load, compute, collect] = self.chain(runtime, estimate)?;
                let first = stages.len() as u32;
                stages.push(load);
                stages.push(Stage { parents: vec![first], ..compute });
                stages.push(Stage { parents: vec![first + 1], ..collect });
                if self.unit == SchedulingUnit::Job || index + 1 == runtimes.len() {
                    let mut job = Job::new(UserId(user as u32), arrival, std::mem::take(&mut stages));
                    job.estimate = estimate;
                    job.name = format!("{}", jobs.len() + 1);
                    if self.unit == SchedulingUnit::Job && runtimes.len() > 1 {
                        job.group = format!("group {number}");
                    }
                    jobs.push(job);
                }
            }
        }
        let mut cluster = Cluster::new(8, 4);
        cluster.task_overhead = Span(10_000);
        cluster.stage_delay = Span(300_000);
        cluster.fair_tie_break = FairTieBreak::Spark;
        let name = match self.cut {
            StageCut::Default => "Macro-benchmark",
            StageCut::Runtime => "Macro-benchmark, partitioned by runtime",
        };
        Scenario::builder().name(name).cluster(cluster).users(users).jobs(jobs).build()
    }

    /// Load, compute and collect of a job with this runtime in ms. The estimates of the short stages are those of the
    /// micro-benchmarks.
    fn chain(&self, runtime: u64, estimate: SlotTime) -> Result<[Stage; 3], ScenarioError> {
        let short = |name: &str, length: u64, estimate: u64| -> Result<Stage, ScenarioError> {
            let stage = Stage::with_input(Input::of_tasks([Span(length)])?);
            Ok(Stage { name: name.to_owned(), splittable: false, estimate: SlotTime(estimate), ..stage })
        };
        let work = 1000.0 * (READING_MS + WORK_PER_RUNTIME * runtime as f64);
        let mut profile = vec![1.0; SLICES as usize];
        profile[0] = HEAVY;
        let compute = Stage {
            name: "compute".to_owned(),
            partitions: match self.cut {
                StageCut::Default => SLICES,
                StageCut::Runtime => (runtime.div_ceil(ATR_MS) as u32).max(SLICES),
            },
            splittable: false,
            estimate,
            inflation: if self.contention == 1.0 { Vec::new() } else { vec![(8, 1.0), (9, self.contention)] },
            ..Stage::with_input(Input::of_profile(SlotTime(work as u64), profile)?)
        };
        Ok([short("load", 100_000, 5_000_000)?, compute, short("collect", 5_000, 1_000_000)?])
    }
}
