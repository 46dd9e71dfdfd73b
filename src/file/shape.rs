//! The JSON shape.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::scenario::json::{Keyed, Object, given, list_within};
use crate::scenario::{FairTieBreak, Limits, MinPartitions, QueueKind};

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioFile {
    pub(super) format: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) description: String,
    #[serde(default)]
    pub(super) cluster: Object<ClusterFile>,
    #[serde(default)]
    pub(super) partitioning: Object<PartitioningFile>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "policies")]
    pub(super) policies: Policies,
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "users_within_limits")]
    pub(super) users: Vec<Object<UserFile>>,
    #[serde(deserialize_with = "jobs_within_limits")]
    pub(super) jobs: Vec<Object<JobFile>>,
}

/// Parameters by policy and name.
pub(super) type Policies = BTreeMap<String, BTreeMap<String, Value>>;

pub(super) fn policies<'de, D: Deserializer<'de>>(from: D) -> Result<Policies, D::Error> {
    let Keyed(policies) = Keyed::<Keyed<Value>>::deserialize(from)?;
    Ok(policies.into_iter().map(|(id, Keyed(parameters))| (id, parameters)).collect())
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ClusterFile {
    pub(super) executors: u32,
    pub(super) cores_per_executor: u32,
    pub(super) task_overhead_s: f64,
    pub(super) stage_delay_s: f64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) driver_job_s: f64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) driver_stage_s: f64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) driver_task_s: f64,
    pub(super) fair_tie_break: FairTieBreak,
    pub(super) first_stage_id: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) core_move_s: f64,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) memory_mb_per_executor: Option<u64>,
    /// Where `policies.uwfq.grace_s` used to be.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) uwfq_grace_s: Option<f64>,
    /// Where `policies.uwfq.late_stage` used to be.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) uwfq_late_stage: Option<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PartitioningFile {
    pub(super) advisory_task_runtime_s: f64,
    pub(super) min_partitions: MinPartitions,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UserFile {
    pub(super) name: String,
    #[serde(default = "one")]
    pub(super) weight: f64,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) queue: Option<Object<QueueFile>>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QueueFile {
    pub(super) kind: QueueKind,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) joins_s: f64,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) period_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) within_s: Option<f64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) demand_core_s: f64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) demand_mb_s: f64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) warp_s: f64,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JobFile {
    pub(super) user: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    pub(super) arrival_s: f64,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) estimate_s: Option<f64>,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub(super) warm_factor: f64,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) deadline_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) ernest: Option<[f64; 4]>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) curve: Option<Vec<(u32, f64)>>,
    pub(super) stages: Vec<Object<StageFile>>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StageFile {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) parents: Option<Vec<u32>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) tasks_s: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) work_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) profile: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) partitions: Option<u32>,
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub(super) splittable: bool,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(super) estimate_s: Option<f64>,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub(super) first_wave: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) inflation: Vec<(u32, f64)>,
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
