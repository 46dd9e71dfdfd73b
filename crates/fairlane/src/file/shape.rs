//! The JSON shape.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::scenario::json::{Keyed, Object, given, list_within};
use crate::scenario::{FairTieBreak, Limits, MinPartitions, QueueKind};

/// A scenario: a cluster, its users and their jobs. Times are in seconds (`_s`), rounded to the microsecond.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioFile {
    /// `fairlane/scenario@1`.
    #[cfg_attr(feature = "typescript", tsify(type = "\"fairlane/scenario@1\""))]
    pub(super) format: String,
    /// Title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    /// A few sentences for the reader.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) description: String,
    /// The machines.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", tsify(type = "ClusterFile"))]
    pub(super) cluster: Object<ClusterFile>,
    /// How stages are cut into tasks under runtime partitioning.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", tsify(type = "PartitioningFile"))]
    pub(super) partitioning: Object<PartitioningFile>,
    /// Parameters by policy and name, such as `{ uwfq: { grace_s: 2 } }`.
    #[serde(default, skip_serializing_if = "Policies::is_empty")]
    #[cfg_attr(
        feature = "typescript",
        tsify(type = "Record<string, Record<string, number | string | null>>")
    )]
    pub(super) policies: Policies,
    /// Users with a weight or a queue; others exist with weight 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "users_within_limits")]
    #[cfg_attr(feature = "typescript", tsify(type = "UserFile[]"))]
    pub(super) users: Vec<Object<UserFile>>,
    /// Who submits what, and when.
    #[serde(deserialize_with = "jobs_within_limits")]
    #[cfg_attr(feature = "typescript", tsify(type = "JobFile[]"))]
    pub(super) jobs: Vec<Object<JobFile>>,
}

/// Parameters by policy and name.
pub(super) type Policies = Keyed<Keyed<Value>>;

/// The machines and the fixed costs of using them.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, default)]
pub(super) struct ClusterFile {
    /// Number of executors; 1.
    pub(super) executors: u32,
    /// Cores of each executor; 4.
    pub(super) cores_per_executor: u32,
    /// Time a task holds its core beyond its work; 0.
    pub(super) task_overhead_s: f64,
    /// Time from the end of a stage's parents to its submission; 0.
    pub(super) stage_delay_s: f64,
    /// Time the driver spends on a job's arrival; 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) driver_job_s: f64,
    /// Time it spends on each stage at the arrival, and again on a later submission; 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) driver_stage_s: f64,
    /// Time it spends on the end of a task; 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) driver_task_s: f64,
    /// Ties of Fair and UJF by stage id (`submission`) or text (`spark`).
    pub(super) fair_tie_break: FairTieBreak,
    /// Number of the first stage; 0.
    pub(super) first_stage_id: u64,
    /// Time a core spends to join another job; 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) core_move_s: f64,
    /// Memory of each executor in whole megabytes; not modelled without it.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) memory_mb_per_executor: Option<u64>,
    /// Where `policies.uwfq.grace_s` used to be.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) uwfq_grace_s: Option<f64>,
    /// Where `policies.uwfq.late_stage` used to be.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) uwfq_late_stage: Option<String>,
}

/// How stages are cut into tasks under runtime partitioning.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, default)]
pub(super) struct PartitioningFile {
    /// Task length that runtime partitioning aims at; 0.5.
    pub(super) advisory_task_runtime_s: f64,
    /// The fewest tasks of a stage: its default number (`default`) or 1 (`one`).
    pub(super) min_partitions: MinPartitions,
}

/// A user with a weight or a queue.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub(super) struct UserFile {
    /// Unique.
    pub(super) name: String,
    /// Share: 2 is owed twice the service of 1; 1.
    #[serde(default = "one")]
    pub(super) weight: f64,
    /// The bursts of a queue, for DRF, SP, M-BVT and BoPF.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[cfg_attr(feature = "typescript", tsify(type = "QueueFile"))]
    pub(super) queue: Option<Object<QueueFile>>,
}

/// The bursts of a queue.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub(super) struct QueueFile {
    /// Whether its bursts are to end soon, or much work is to be done in the long run.
    pub(super) kind: QueueKind,
    /// When it joins; 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) joins_s: f64,
    /// Time from one burst to the next; 300.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) period_s: Option<f64>,
    /// Within which a burst is to end; the period.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) within_s: Option<f64>,
    /// Core time that a burst demands; 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) demand_core_s: f64,
    /// Memory time that a burst demands; 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) demand_mb_s: f64,
    /// By how much M-BVT lessens its virtual time; 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) warp_s: f64,
}

/// A job: a graph of stages.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub(super) struct JobFile {
    /// Who submits it.
    pub(super) user: String,
    /// Name on the page and in tables.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    /// The job group; jobs of one user with the same one can be measured together.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) group: String,
    /// When it is submitted.
    pub(super) arrival_s: f64,
    /// The work that policies expect, core-s; the sum of its stages' estimates.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) estimate_s: Option<f64>,
    /// Speed-up on a core whose last task was of this job; 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub(super) warm_factor: f64,
    /// How long after its arrival the job is due; by `deadlines.factor`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) deadline_s: Option<f64>,
    /// Progress by number of slots: coefficients of Ernest's model.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) ernest: Option<[f64; 4]>,
    /// Progress by number of slots: points.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) curve: Option<Vec<(u32, f64)>>,
    /// What it is made of.
    #[cfg_attr(feature = "typescript", tsify(type = "StageFile[]"))]
    pub(super) stages: Vec<Object<StageFile>>,
}

/// Tasks that can run side by side once all parent stages have ended. Either `tasks_s` or `work_s` is required.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields)]
pub(super) struct StageFile {
    /// Name on the page and in tables.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    /// Indices of the stages that must end before; the stage before.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) parents: Option<Vec<u32>>,
    /// Lengths of the tasks.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) tasks_s: Option<Vec<f64>>,
    /// All work, core-s.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) work_s: Option<f64>,
    /// How `work_s` is spread over the input: weights of equal slices; `[1]`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) profile: Option<Vec<f64>>,
    /// Default number of tasks; the length of `tasks_s`, or the cores.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) partitions: Option<u32>,
    /// Whether runtime partitioning may change the number of tasks; true.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub(super) splittable: bool,
    /// The work that CFQ and runtime partitioning expect, core-s; the true work.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) estimate_s: Option<f64>,
    /// Factor on tasks whose core's last task was not of this stage; 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub(super) first_wave: f64,
    /// Pairs of a number n and a factor on a task that starts as the n-th running task of the stage; none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) inflation: Vec<(u32, f64)>,
    /// Memory that each task holds in whole megabytes; 0.
    #[serde(default, skip_serializing_if = "is_none")]
    pub(super) memory_mb: u64,
}

/// The defaults of the parameters that used to be in `cluster`. They are written there wherever a
/// scenario has no parameters of UWFQ, so that its file, and every fingerprint of it, stays as it was.
pub(super) const FORMER_GRACE_S: f64 = 2.0;
pub(super) const FORMER_LATE_STAGE: &str = "grace";

/// The parents of a stage whose file names none: the stage before.
pub(super) fn default_parents(index: usize) -> Vec<u32> {
    index.checked_sub(1).map(|before| before as u32).into_iter().collect()
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_none(value: &u64) -> bool {
    *value == 0
}

fn one() -> f64 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_one(value: &f64) -> bool {
    *value == 1.0
}

fn yes() -> bool {
    true
}

fn is_yes(flag: &bool) -> bool {
    *flag
}

fn users_within_limits<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Object<UserFile>>, D::Error> {
    list_within(from, Limits::default().users, "users")
}

fn jobs_within_limits<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Object<JobFile>>, D::Error> {
    list_within(from, Limits::default().jobs, "jobs")
}
