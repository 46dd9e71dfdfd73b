//! The stages of generated jobs, and how the work lies over their inputs.

use serde::{Deserialize, Serialize};

use super::ScenarioError;
use super::draw::Draws;
use super::range::{positive, positive_span, span};
use crate::scenario::error::{ensure, micros};
use crate::scenario::{self, Cluster, Input, check, json};
use crate::units::SlotTime;

/// A stage of every job of a group: either a share of the job's size or a fixed length.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct StageTemplate {
    /// Name, may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Indices of the stages that must end before; the stage before if left out.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "json::given")]
    pub parents: Option<Vec<u32>>,
    /// Part of the job's size, relative to the other stages' shares.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "json::given")]
    pub share: Option<f64>,
    /// Work that does not depend on the job's size and is added to it, core-seconds.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "json::given")]
    pub work_s: Option<f64>,
    /// Default number of tasks; the cluster's cores if this and `partition_work_s` are left out.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "json::given")]
    pub partitions: Option<u32>,
    /// Instead of `partitions`: a task for every this many core-seconds, as Spark cuts a file by its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "json::given")]
    pub partition_work_s: Option<f64>,
    /// Whether runtime partitioning may cut it otherwise.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub splittable: bool,
    /// How the work lies over the input.
    #[serde(default)]
    pub skew: Skew,
}

fn yes() -> bool {
    true
}

fn is_yes(flag: &bool) -> bool {
    *flag
}

/// How uneven an input is. There are as many slices as default tasks, and the lightest weighs 1.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Skew {
    /// All slices alike.
    #[default]
    Even,
    /// One slice is heavier than the others; which one is drawn for each job.
    Heavy(#[serde(deserialize_with = "json::object")] HeavySkew),
    /// The k-th heaviest of n slices weighs (n / k)^exponent; their order is drawn for each job.
    Zipf(#[serde(deserialize_with = "json::object")] Zipf),
}

/// Parameters of [`Skew::Heavy`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HeavySkew {
    /// How many times as heavy as another slice.
    pub factor: f64,
}

/// Parameters of [`Skew::Zipf`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Zipf {
    /// The exponent; 0 is even, 1 is Zipf's law.
    pub exponent: f64,
}

/// Slices of more than a million times the lightest are of no use.
const MAX_SKEW: f64 = 1e6;
const MAX_EXPONENT: f64 = 10.0;

impl StageTemplate {
    /// A stage that takes the whole size.
    pub fn whole(name: &str) -> StageTemplate {
        StageTemplate {
            name: name.to_owned(),
            parents: None,
            share: Some(1.0),
            work_s: None,
            partitions: None,
            partition_work_s: None,
            splittable: true,
            skew: Skew::Even,
        }
    }

    /// A single stage.
    pub fn single() -> Vec<StageTemplate> {
        vec![StageTemplate::whole("")]
    }

    /// Load, compute and collect in a chain, as the UWFQ paper's analytics jobs (5.2): compute takes the
    /// whole size, the other two are one short task each, which cannot be split.
    pub fn chain() -> Vec<StageTemplate> {
        let short = |name: &str, work_s: f64| StageTemplate {
            share: None,
            work_s: Some(work_s),
            partitions: Some(1),
            splittable: false,
            ..StageTemplate::whole(name)
        };
        vec![short("load", 0.1), StageTemplate::whole("compute"), short("collect", 0.005)]
    }
}

impl StageTemplate {
    /// The parents of the stage at an index: those given, else the stage before.
    fn parents_at(&self, index: usize) -> Vec<u32> {
        let before = || index.checked_sub(1).map(|before| before as u32).into_iter().collect();
        self.parents.clone().unwrap_or_else(before)
    }
}

impl Skew {
    fn check(&self, path: &str) -> Result<(), ScenarioError> {
        match self {
            Skew::Even => {}
            Skew::Heavy(heavy) => {
                let at = || format!("{path}.heavy.factor");
                positive(heavy.factor, at)?;
                ensure!(heavy.factor >= 1.0, at(), "must be at least 1; 1 is no skew");
                ensure!(heavy.factor <= MAX_SKEW, at(), "must be at most 1000000");
            }
            Skew::Zipf(zipf) => {
                let within = (0.0..=MAX_EXPONENT).contains(&zipf.exponent);
                ensure!(within, format!("{path}.zipf.exponent"), "must be between 0 and 10");
            }
        }
        Ok(())
    }

    /// Weights of a number of slices.
    fn weights(&self, slices: u32, draws: &mut Draws) -> Vec<f64> {
        let slices = slices as usize;
        match *self {
            Skew::Even => vec![1.0],
            Skew::Heavy(HeavySkew { factor }) => {
                let mut weights = vec![1.0; slices];
                weights[draws.below(slices)] = factor;
                weights
            }
            Skew::Zipf(Zipf { exponent }) => {
                // Two decimals are plenty and keep files short.
                let weight =
                    |k: usize| (libm::pow(slices as f64 / k as f64, exponent) * 100.0).round() / 100.0;
                let mut weights: Vec<f64> = (1..=slices).map(weight).collect();
                // Fisher and Yates.
                for index in (1..slices).rev() {
                    weights.swap(index, draws.below(index + 1));
                }
                weights
            }
        }
    }
}

/// Checks the stages of the group at `path`.
pub(super) fn check(stages: &[StageTemplate], path: &str) -> Result<(), ScenarioError> {
    check::check_any_stage(stages.len(), &path)?;
    for (index, stage) in stages.iter().enumerate() {
        let stage_path = format!("{path}.stages[{index}]");
        let at = |key: &str| format!("{stage_path}.{key}");
        match (stage.share, stage.work_s) {
            (Some(share), None) => positive(share, || at("share"))?,
            (None, Some(work_s)) => span(work_s, || at("work_s"))?,
            (Some(_), Some(_)) => {
                return Err(ScenarioError::at(stage_path, "has both share and work_s; keep one of them"));
            }
            (None, None) => {
                return Err(ScenarioError::at(stage_path, "has neither share nor work_s; give one of them"));
            }
        }
        match (stage.partitions, stage.partition_work_s) {
            (Some(_), Some(_)) => {
                return Err(ScenarioError::at(
                    stage_path,
                    "has both partitions and partition_work_s; keep one of them",
                ));
            }
            (Some(partitions), None) => check::check_partitions(partitions, &stage_path)?,
            (None, Some(work_s)) => positive_span(work_s, || at("partition_work_s"))?,
            (None, None) => {}
        }
        stage.skew.check(&at("skew"))?;
    }
    check::check_parents(&skeleton(stages), &path)?;
    if stages.iter().all(|stage| stage.share.is_none()) {
        let message =
            "no stage has a share, so a job's size would count for nothing; give one of them \"share\": 1";
        return Err(ScenarioError::at(format!("{path}.stages"), message));
    }
    let shares: f64 = stages.iter().filter_map(|stage| stage.share).sum();
    ensure!(shares.is_finite(), format!("{path}.stages"), "the shares are too large to be added up");
    Ok(())
}

/// The stages with their parents and without any work.
fn skeleton(shapes: &[StageTemplate]) -> Vec<scenario::Stage> {
    let stage = |(index, shape): (usize, &StageTemplate)| scenario::Stage {
        parents: shape.parents_at(index),
        ..scenario::Stage::with_input(Input::empty())
    };
    shapes.iter().enumerate().map(stage).collect()
}

/// The stages of a job of a size and an estimate, for the group at `path`. `count` receives each stage's
/// number of slices before they are made.
pub(super) fn stages(
    shapes: &[StageTemplate],
    path: &str,
    size: SlotTime,
    estimate: SlotTime,
    cluster: &Cluster,
    draws: &mut Draws,
    mut count: impl FnMut(usize, u64) -> Result<(), ScenarioError>,
) -> Result<Vec<scenario::Stage>, ScenarioError> {
    let shares: f64 = shapes.iter().filter_map(|shape| shape.share).sum();
    let mut before = 0.0;
    let mut stages = Vec::with_capacity(shapes.len());
    for (index, shape) in shapes.iter().enumerate() {
        let path = format!("{path}.stages[{index}]");
        let (work, estimate) = match (shape.share, shape.work_s) {
            (Some(share), _) => {
                let (from, to) = (before / shares, (before + share) / shares);
                before += share;
                (part(size, from, to), part(estimate, from, to))
            }
            (None, work_s) => {
                let work = SlotTime(micros(work_s.unwrap_or_default(), || format!("{path}.work_s"))?);
                (work, work)
            }
        };
        let partitions = match (shape.partitions, shape.partition_work_s) {
            (Some(partitions), _) => partitions,
            (None, Some(work_s)) => {
                let tasks = (work.seconds() / work_s).ceil().max(1.0);
                // More than 32 bits is far beyond every limit and refused below.
                tasks.min(f64::from(u32::MAX)) as u32
            }
            (None, None) => cluster.cores(),
        };
        let slices = if shape.skew == Skew::Even { 1 } else { u64::from(partitions) };
        count(index, slices)?;
        let input = Input::of_profile_at(work.0, shape.skew.weights(partitions, draws), &path)?;
        stages.push(scenario::Stage {
            name: shape.name.clone(),
            parents: shape.parents_at(index),
            partitions,
            splittable: shape.splittable,
            estimate,
            ..scenario::Stage::with_input(input)
        });
    }
    Ok(stages)
}

/// What lies between two fractions of some work; neighbouring parts add up to the whole.
fn part(work: SlotTime, from: f64, to: f64) -> SlotTime {
    let cut = |fraction: f64| (work.0 as f64 * fraction + 0.5).floor() as u64;
    SlotTime(cut(to) - cut(from))
}
