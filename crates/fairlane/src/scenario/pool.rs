//! Pools of the fair scheduler, as `fairscheduler.xml` declares them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::JobId;
use crate::scenario::field::{Field, object};
use crate::scenario::json::{from_serde, given, objects};
use crate::scenario::parameter::declared::SPARK;
use crate::scenario::{DEFAULT_POOL, Scenario, ScenarioError, User, error::ensure};

/// How stages of a pool compete with each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "UPPERCASE")]
pub enum PoolMode {
    /// In the order of their Spark jobs.
    #[default]
    Fifo,
    /// The fewest running tasks first.
    Fair,
}

object! {
    /// A pool of Spark's fair scheduler.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[serde(deny_unknown_fields)]
    pub Pool, POOL;

    /// Unique among the pools.
    name: String = Field::text("Name");
    /// How its stages compete: schedulingMode.
    #[serde(default)]
    mode: PoolMode = Field::choice("Inside", &[("FIFO", "FIFO"), ("FAIR", "FAIR")]).or("\"FIFO\"");
    /// Share of the cores, relative to other pools; at least 1.
    #[serde(default = "one")]
    weight: u32 = Field::count("Weight").or("1");
    /// Running tasks below which it goes before other pools: minShare.
    #[serde(default)]
    min_share: u32 = Field::whole("Minimum share", "cores").or("0");
    /// The most running tasks; Spark has no such cap.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    max_share: Option<u32> = Field::count("Cap").follows("none");
}

fn one() -> u32 {
    1
}

impl Pool {
    /// A pool as Spark makes it for a name that nobody declares.
    pub fn named(name: impl Into<String>) -> Pool {
        Pool { name: name.into(), mode: PoolMode::Fifo, weight: 1, min_share: 0, max_share: None }
    }

    /// A pool of a user's name and weight, as a whole number, that is FAIR inside.
    pub fn fair_for(user: &User) -> Pool {
        let weight = (user.weight.value().round() as u32).max(1);
        Pool { mode: PoolMode::Fair, weight, ..Pool::named(user.name.clone()) }
    }
}

/// The name of a stage's pool, by its job and its index in it.
pub fn stage_pool_name(scenario: &Scenario, job: JobId, stage: u32) -> &str {
    let own = &scenario.jobs()[job.index()].stages[stage as usize].pool;
    match own.as_deref().filter(|_| SPARK.choice(scenario, "by") == 0) {
        None => pool_name(scenario, job),
        Some("") => DEFAULT_POOL,
        Some(name) => name,
    }
}

/// The name of a job's pool.
pub fn pool_name(scenario: &Scenario, job: JobId) -> &str {
    let spec = &scenario.jobs()[job.index()];
    let name = match SPARK.choice(scenario, "by") {
        0 => &spec.pool,
        1 => return scenario.user_name(job),
        _ => &spec.group,
    };
    if name.is_empty() { DEFAULT_POOL } else { name }
}

/// The pools that a scenario declares.
pub fn declared(scenario: &Scenario) -> Vec<Pool> {
    read(&SPARK.value(scenario, "pools")).unwrap_or_default()
}

/// Whether Spark's scheduler has pools: in the mode FIFO there are none.
pub fn has_pools(scenario: &Scenario) -> bool {
    SPARK.choice(scenario, "mode") == 0
}

/// Reads pools as a scenario file gives them.
///
/// # Errors
/// What is wrong, by its path inside the list, and the remedy.
pub fn read(value: &Value) -> Result<Vec<Pool>, ScenarioError> {
    let mut track = serde_path_to_error::Track::new();
    let reader = serde_path_to_error::Deserializer::new(value, &mut track);
    let pools: Vec<Pool> = objects(reader).map_err(|error| {
        let error = from_serde(&serde_path_to_error::Error::new(track.path(), error));
        ScenarioError { position: None, ..error }
    })?;
    let mut names = BTreeSet::new();
    for (index, pool) in pools.iter().enumerate() {
        let path = |key: &str| format!("[{index}].{key}");
        ensure!(!pool.name.is_empty(), path("name"), "is empty; a pool needs a name");
        ensure!(
            names.insert(&pool.name),
            path("name"),
            "there is already a pool \"{}\"; remove one of the two",
            pool.name
        );
        ensure!(pool.weight >= 1, path("weight"), "must be at least 1");
        ensure!(pool.max_share != Some(0), path("max_share"), "must be at least 1; leave it out for no cap");
    }
    Ok(pools)
}
