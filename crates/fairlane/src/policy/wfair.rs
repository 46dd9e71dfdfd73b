//! Weighted fair: each active job's target is a share of the cores in proportion to a power of its estimated work
//! (Decima, section 7.1: fair at alpha 0, naive weighted fair at 1, tuned near -1).
//!
//! ```
//! use fairlane::{catalog, simulate};
//! let scenario = catalog::find("heavy-first").expect("an entry").scenario();
//! let [wfair, fifo] = ["wfair", "fifo"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
//! // A small job behind twenty of a heavy user.
//! let job = scenario.jobs().len() - 1;
//! assert!(wfair.jobs[job].response() < fifo.jobs[job].response());
//! ```

use super::explain::{Contender, Part, Value};
use super::job_ranked::{JobRankedPolicy, ordered};
use super::parameters::{Parameter, ParameterKind};
use super::{Context, Estimates, Group, Info};
use crate::ids::Rank;

/// What readers should know of weighted fair.
pub const INFO: Info = Info {
    id: "wfair",
    title: "Weighted fair",
    source: "Decima paper",
    summary: "Jobs share the cores by a power of their estimated work.",
    key: "-(target - running tasks of the job), rank of arrival, running tasks of the stage, stage id",
    group: Group::JobSizes,
    parameters: &[Parameter {
        name: "alpha",
        title: "Weighted fair alpha",
        summary: "The power of a job's estimated work that its share is proportional to.",
        unit: "",
        kind: ParameterKind::Number { default: 0.0, least: -8.0, most: 8.0 },
    }],
    estimates: Estimates::Jobs,
    ..Info::DEFAULT
};

/// Sharing by a power of the estimated work. Key: (-(target - running tasks of the job), rank of arrival, running tasks
/// of the stage, stage id); a freed core goes first to the job that it served.
pub struct Wfair(Targets);

/// Shares of the cores in proportion to a power of the active jobs' estimated work.
pub(super) struct Targets {
    cores: f64,
    /// T^alpha of each job, by rank.
    powers: Vec<f64>,
    /// Active jobs, by rank.
    active: Vec<Rank>,
    /// S: the sum of the active jobs' powers.
    sum: f64,
}

impl Targets {
    /// Without an active job.
    pub(super) fn new(context: &Context, alpha: f64) -> Targets {
        let jobs = context.scenario.jobs();
        let power = |estimate: u64| {
            let work = estimate.max(1) as f64;
            // Exact where no library is needed.
            match alpha {
                0.0 => 1.0,
                1.0 => work,
                -1.0 => 1.0 / work,
                _ => libm::pow(work, alpha),
            }
        };
        let order = context.scenario.arrival_order();
        let powers = order.iter().map(|job| power(jobs[job.index()].estimate.0)).collect();
        Targets { cores: f64::from(context.cores()), powers, active: Vec::new(), sum: 0.0 }
    }

    pub(super) fn job_arrived(&mut self, job: Rank) {
        self.active.push(job);
    }

    pub(super) fn job_ended(&mut self, job: Rank) {
        self.active.retain(|&other| other != job);
    }

    /// Jobs have arrived or ended.
    pub(super) fn update(&mut self) {
        self.sum = self.active.iter().map(|job| self.powers[job.index()]).sum();
    }

    pub(super) fn active(&self) -> &[Rank] {
        &self.active
    }

    /// The cores that a job is due.
    pub(super) fn target(&self, job: Rank) -> f64 {
        self.cores * (self.powers[job.index()] / self.sum)
    }

    fn running_less_target(&self, job: Rank, running: u32) -> f64 {
        -(self.target(job) - f64::from(running))
    }

    pub(super) fn key(&self, job: Rank, running: u32) -> u64 {
        ordered(self.running_less_target(job, running))
    }

    pub(super) fn explain(&self, job: Rank, running: u32) -> (Part, Vec<Part>) {
        let key = Value::Cores(self.running_less_target(job, running) + 0.0);
        let facts = vec![
            Part::new("target of the job", Value::Cores(self.target(job))),
            Part::new("running tasks of the job", Value::Tasks(running)),
        ];
        (Part::new("running tasks less target", key), facts)
    }
}

/// Why a job goes first whose running tasks less its target are fewest.
pub(super) fn furthest_below_target(first: &Contender, second: &Contender) -> String {
    let [mine, theirs] = [first, second].map(|stage| &stage.key.parts[0].value);
    let label = first.label;
    format!(
        "{label}'s job is furthest below its target (running tasks less target: {mine} against {theirs}), so it goes \
         first."
    )
}

impl JobRankedPolicy for Wfair {
    const HAS_TARGETS: bool = true;
    const KEEPS_CORES: bool = true;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Wfair(Targets::new(context, context.number(&INFO, "alpha")))
    }

    fn key(&self, job: Rank, running: u32) -> u64 {
        self.0.key(job, running)
    }

    fn job_arrived(&mut self, job: Rank) {
        self.0.job_arrived(job);
    }

    fn job_ended(&mut self, job: Rank) {
        self.0.job_ended(job);
    }

    fn update(&mut self) {
        self.0.update();
    }

    fn changed(&self) -> &[Rank] {
        self.0.active()
    }

    fn target(&self, job: Rank) -> Option<f64> {
        Some(self.0.target(job))
    }

    fn explain(&self, job: Rank, running: u32) -> (Part, Vec<Part>) {
        self.0.explain(job, running)
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        furthest_below_target(first, second)
    }
}
