//! Seeded workloads: groups of users, each with a way of arriving, sizes, stages and estimates; or a paper's workload
//! with its parameters.
//!
//! The same [`Generator`] gives the same scenario, byte for byte, natively and in the browser: every
//! draw is the inverse of a distribution function at a uniform number from a ChaCha stream, and the
//! functions come from the `libm` crate, because the ones of the platform differ in their last digits.
//!
//! Every user has streams of their own for each kind of jobs, derived from the name, one each for arrivals,
//! sizes, skew and estimates. So another user, or another distribution of sizes, leaves all other draws as they were
//! (common random numbers): two variants of a workload differ in what was varied and in nothing else.
//! Only a target load, which scales all sizes together, ties users to each other.
//!
//! ```
//! use fairlane::scenario::Generator;
//! let scenario = Generator { seed: 7, ..Generator::default() }.scenario()?;
//! assert_eq!(scenario, Generator { seed: 7, ..Generator::default() }.scenario()?);
//! # Ok::<(), fairlane::scenario::ScenarioError>(())
//! ```

mod arrivals;
mod check;
mod draw;
mod estimates;
mod make;
pub mod preset;
mod range;
mod sizes;
mod stages;
mod text;

pub use arrivals::{Arrivals, AtOnce, Bursts, Poisson};
pub(crate) use draw::Draws;
pub use estimates::{Constant, Estimates, Factor, Random};
pub use preset::{Paper, Preset};
pub use sizes::{Exponential, FixedSize, Pareto, Sizes};
pub use stages::{HeavySkew, Skew, StageTemplate, Zipf};
pub use text::TextError;

use serde::{Deserialize, Serialize};

use super::check::WEIGHT;
use super::json;
use super::{Cluster, Partitioning, PolicyParameters, ScenarioError};
use crate::units::{Span, Weight};

/// The tag of the file format that this version reads and writes.
pub const FORMAT: &str = "fairlane/generator@1";

/// What a workload is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    /// Title of the scenario; if empty, one that names the seed, and the preset if there is one.
    pub name: String,
    /// For the reader of the scenario; if empty, a sentence that gives its origin, or none with a preset.
    pub description: String,
    /// The same seed gives the same scenario.
    pub seed: u64,
    /// Jobs arrive before this instant, in seconds. May be left out if every group bounds its jobs.
    pub duration_s: Option<f64>,
    /// Offered load: all work divided by cores times duration. If given, the sizes are scaled to reach
    /// it, all by the same factor; stages of fixed length stay.
    pub load: Option<f64>,
    /// The machines.
    pub cluster: Cluster,
    /// How runtime partitioning cuts stages.
    pub partitioning: Partitioning,
    /// The parameters of policies.
    pub parameters: PolicyParameters,
    /// Who submits what; empty with a preset.
    pub groups: Vec<UserGroup>,
    /// A paper's workload, in place of groups, duration and load.
    pub preset: Option<Preset>,
}

/// Users who are alike, and one kind of jobs that they submit.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct UserGroup {
    /// The users' names are this and a number from 1 on.
    pub prefix: String,
    /// What kind of jobs these are, if the same users (those of the same prefix) have further groups of
    /// other kinds; part of the jobs' names.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Number of users.
    #[serde(default = "one_user")]
    pub users: u32,
    /// Weight of each.
    #[serde(default = "weight_one")]
    pub weight: f64,
    /// The instant from which on the first user's jobs arrive, in seconds.
    #[serde(default)]
    pub start_s: f64,
    /// How much later each further user begins than the one before, in seconds.
    #[serde(default)]
    pub stagger_s: f64,
    /// The most jobs a user submits.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "json::given")]
    pub jobs: Option<u32>,
    /// When jobs arrive.
    pub arrivals: Arrivals,
    /// How much work a job holds.
    pub sizes: Sizes,
    /// The stages over which the work is shared out.
    #[serde(default = "StageTemplate::single", deserialize_with = "json::objects")]
    pub stages: Vec<StageTemplate>,
    /// The estimates that policies read.
    #[serde(default)]
    pub estimates: Estimates,
}

fn one_user() -> u32 {
    1
}

fn weight_one() -> f64 {
    1.0
}

impl Default for Generator {
    /// Four users on the paper's 32 cores, with two minutes of what [`UserGroup::default`] submits.
    fn default() -> Generator {
        Generator {
            name: String::new(),
            description: String::new(),
            seed: 0,
            duration_s: Some(120.0),
            load: None,
            cluster: Cluster {
                executors: 8,
                cores_per_executor: 4,
                task_overhead: Span(10_000),
                ..Cluster::default()
            },
            partitioning: Partitioning::default(),
            parameters: PolicyParameters::default(),
            groups: vec![UserGroup { users: 4, ..UserGroup::default() }],
            preset: None,
        }
    }
}

impl Default for UserGroup {
    /// One user with eight jobs a minute of 24 core-seconds on average, in three stages.
    fn default() -> UserGroup {
        UserGroup {
            prefix: "user".to_owned(),
            kind: String::new(),
            users: 1,
            weight: 1.0,
            start_s: 0.0,
            stagger_s: 0.0,
            jobs: None,
            arrivals: Arrivals::Poisson(Poisson { per_minute: 8.0 }),
            sizes: Sizes::Exponential(Exponential { mean_s: 24.0 }),
            stages: StageTemplate::chain(),
            estimates: Estimates::True,
        }
    }
}

impl UserGroup {
    fn user_name(&self, index: u32) -> String {
        format!("{}{}", self.prefix, index + 1)
    }

    /// What the names of a user's jobs begin with; it selects the random streams.
    fn label(&self, user: &str) -> String {
        if self.kind.is_empty() { user.to_owned() } else { format!("{user}-{}", self.kind) }
    }

    fn weight(&self, path: &str) -> Result<Weight, ScenarioError> {
        Weight::new(self.weight).ok_or_else(|| ScenarioError::at(format!("{path}.weight"), WEIGHT.rule))
    }

    /// Work of the stages whose length does not depend on the job's size, in core-seconds.
    fn fixed_work_s(&self) -> f64 {
        self.stages.iter().filter_map(|stage| stage.work_s).sum()
    }
}
