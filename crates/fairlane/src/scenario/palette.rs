//! Kinds of jobs to start with, sized to the cluster so that each means the same on any: a tiny job
//! is half a second of work for all cores, a long one ten seconds.
//!
//! ```
//! use fairlane::scenario::palette::{JobTemplate, stages};
//! use fairlane::scenario::Cluster;
//! let stages = stages(JobTemplate::TwoStage, &Cluster::default());
//! assert_eq!(stages[1].parents, [0]);
//! ```

use super::{Cluster, Input, Stage};
use crate::units::MICROS_PER_SECOND;

/// A kind of job of the palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum JobTemplate {
    /// Half a second of all cores.
    Tiny,
    /// Two seconds of all cores.
    Short,
    /// Ten seconds of all cores, in one task per core: short jobs wait for it.
    Long,
    /// One slice five times the others.
    Skewed,
    /// A second stage that waits for the first.
    TwoStage,
    /// One second of all cores, to be changed in the editor.
    Custom,
}

impl JobTemplate {
    /// All kinds, in the order in which they are offered.
    pub const ALL: [JobTemplate; 6] = [
        JobTemplate::Tiny,
        JobTemplate::Short,
        JobTemplate::Long,
        JobTemplate::Skewed,
        JobTemplate::TwoStage,
        JobTemplate::Custom,
    ];

    /// What it is called; its jobs are called after it.
    pub fn name(self) -> &'static str {
        match self {
            JobTemplate::Tiny => "tiny",
            JobTemplate::Short => "short",
            JobTemplate::Long => "long",
            JobTemplate::Skewed => "skewed",
            JobTemplate::TwoStage => "two-stage",
            JobTemplate::Custom => "custom",
        }
    }

    /// What it is, in a sentence.
    pub fn explanation(self) -> &'static str {
        match self {
            JobTemplate::Tiny => "Half a second of work for the whole cluster, one task per core.",
            JobTemplate::Short => "Two seconds of work for the whole cluster, one task per core.",
            JobTemplate::Long => {
                "Ten seconds of work for the whole cluster, one task per core: others wait for it."
            }
            JobTemplate::Skewed => "One part of the input holds five times as much work as each other part.",
            JobTemplate::TwoStage => {
                "A stage of one second and, once it has ended, another of half a second."
            }
            JobTemplate::Custom => "One second of work for the whole cluster; change it in the editor.",
        }
    }
}

/// Length of a stage that is added in the editor, in seconds of all cores.
pub(super) const ADDED_STAGE_S: f64 = 0.5;

/// Slices of a skewed job's input: the number of cores, within limits that leave a visible straggler
/// and few enough bars to drag.
const SKEWED_SLICES: std::ops::RangeInclusive<u32> = 4..=32;
/// How many times the heavy slice outweighs another.
const HEAVY: f64 = 5.0;
/// Length of a task of a light slice, in seconds.
const LIGHT_TASK_S: f64 = 1.0;

/// The stages of a job of a kind, with true estimates.
pub fn stages(kind: JobTemplate, cluster: &Cluster) -> Vec<Stage> {
    let one = |seconds| vec![stage("work", seconds, Vec::new(), cluster)];
    match kind {
        JobTemplate::Tiny => one(0.5),
        JobTemplate::Short => one(2.0),
        JobTemplate::Long => one(10.0),
        JobTemplate::Skewed => vec![skewed(cluster)],
        JobTemplate::TwoStage => {
            vec![stage("map", 1.0, Vec::new(), cluster), stage("reduce", 0.5, vec![0], cluster)]
        }
        JobTemplate::Custom => one(1.0),
    }
}

/// A stage of some seconds of all cores, in one task per core.
pub(super) fn stage(name: &str, seconds: f64, parents: Vec<u32>, cluster: &Cluster) -> Stage {
    let work = seconds * f64::from(cluster.cores());
    filled(name, work, vec![1.0], cluster.cores(), parents)
}

fn skewed(cluster: &Cluster) -> Stage {
    let slices = cluster.cores().clamp(*SKEWED_SLICES.start(), *SKEWED_SLICES.end());
    let partitions = cluster.cores().max(slices);
    let mut weights = vec![1.0; slices as usize];
    weights[slices as usize / 3] = HEAVY;
    // A round number of light tasks: with one slice per core each of them lasts a second.
    let light_tasks = (f64::from(slices - 1) + HEAVY) * f64::from(partitions) / f64::from(slices);
    filled("scan", LIGHT_TASK_S * light_tasks.round(), weights, partitions, Vec::new())
}

fn filled(name: &str, work_s: f64, weights: Vec<f64>, partitions: u32, parents: Vec<u32>) -> Stage {
    let work = (work_s * MICROS_PER_SECOND).round() as u64;
    let input = Input::of_profile_at(work, weights, &"palette").expect("the palette's weights are sound");
    Stage { name: name.to_owned(), parents, partitions, ..Stage::with_input(input) }
}
