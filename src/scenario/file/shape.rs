//! The JSON shape.

use serde::{Deserialize, Deserializer, Serialize};

use super::write::{cluster_to_file, partitioning_to_file};
use crate::scenario::check::Limits;
use crate::scenario::json::{Object, given, list_within};
use crate::scenario::{Cluster, Partitioning};

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
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "users_within_limits")]
    pub(super) users: Vec<Object<UserFile>>,
    #[serde(deserialize_with = "jobs_within_limits")]
    pub(super) jobs: Vec<Object<JobFile>>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(in crate::scenario) struct ClusterFile {
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
    pub(super) fair_tie_break: FairTieBreakFile,
    pub(super) first_stage_id: u64,
    pub(super) uwfq_grace_s: f64,
    pub(super) uwfq_late_stage: LateStageFile,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FairTieBreakFile {
    Submission,
    Spark,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LateStageFile {
    Grace,
    Top,
    Released,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum MinPartitionsFile {
    Default,
    One,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(in crate::scenario) struct PartitioningFile {
    pub(super) advisory_task_runtime_s: f64,
    pub(super) min_partitions: MinPartitionsFile,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UserFile {
    pub(super) name: String,
    #[serde(default = "one")]
    pub(super) weight: f64,
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
}

/// The driver's costs are an extension of the format: a file that has none stays as it was.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

impl Default for ClusterFile {
    fn default() -> Self {
        cluster_to_file(&Cluster::default())
    }
}

impl Default for PartitioningFile {
    fn default() -> Self {
        partitioning_to_file(&Partitioning::default())
    }
}

fn one() -> f64 {
    1.0
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
