//! TPC-H queries at once or one after the other, as in Decima's evaluation (SIGCOMM '19, 7.2).
//!
//! The lengths of tasks and the graphs of stages in `tpch.txt` were measured on Spark 3.5.5 with one gigabyte of data
//! (a query's name, then a line per stage: its parents, a colon, milliseconds by task). Decima's own are not published
//! with the paper. Its environment is: 50 executors of one core each, six sizes of input, 2.5 s to move an executor to
//! another job, slower first waves and slower tasks in wide stages.

use std::sync::LazyLock;

use super::{NumberKind, Preset, PresetParameter, PresetUsers, length, rounded, tasks};
use crate::number;
use crate::scenario::generate::Draws;
use crate::scenario::{Cluster, Job, ScenarioError, Stage, User};
use crate::units::Time;

/// A measured query.
struct Query {
    name: &'static str,
    stages: Vec<StageProfile>,
}

/// A measured stage.
struct StageProfile {
    /// Positions of its parents in the query.
    parents: Vec<u32>,
    /// The length of each task, in milliseconds.
    lengths: Vec<f64>,
}

/// The measured queries, read once: a trainer draws thousands of batches.
static QUERIES: LazyLock<Vec<Query>> = LazyLock::new(|| {
    let queries = include_str!("tpch.txt").split("\n\n").map(|query| {
        let (name, stages) = query.split_once('\n').unwrap_or((query, ""));
        Query { name, stages: stages.lines().map(StageProfile::parse).collect() }
    });
    queries.collect()
});

impl StageProfile {
    fn parse(line: &str) -> StageProfile {
        let (parents, lengths) = line.split_once(':').unwrap_or(("", line));
        StageProfile {
            parents: parents.split(' ').filter_map(|parent| parent.parse().ok()).collect(),
            lengths: lengths.split(' ').filter_map(number::parse).collect(),
        }
    }
}

/// Sizes of the input, in gigabytes.
const SIZES: [u32; 6] = [2, 5, 10, 20, 50, 100];
/// The number of running tasks of a stage from which the next one is slower by the parameter `wide`.
const WIDE: u32 = 50;

pub(super) const PARAMETERS: [PresetParameter; 6] = [
    PresetParameter {
        name: "queries",
        label: "Queries",
        unit: "",
        help: "Number of queries.",
        usual: 20.0,
        least: 1.0,
        most: 500.0,
        numbers: NumberKind::Whole,
    },
    PresetParameter {
        name: "largest",
        label: "Largest input",
        unit: "GB",
        help: "Inputs of 2, 5, 10, 20, 50 and 100 GB are equally likely, up to this size.",
        usual: 100.0,
        least: 2.0,
        most: 100.0,
        numbers: NumberKind::Real,
    },
    PresetParameter {
        name: "stretch",
        label: "Stretch",
        unit: "×",
        help: "How many times longer than measured tasks with 10 GB are; 15 makes queries about as long as the \
            paper's.",
        usual: 15.0,
        least: 0.01,
        most: 1000.0,
        numbers: NumberKind::Real,
    },
    PresetParameter {
        name: "first_wave",
        label: "First wave",
        unit: "×",
        help: "Factor on the first task of a stage on a core.",
        usual: 1.3,
        least: 0.1,
        most: 10.0,
        numbers: NumberKind::Real,
    },
    PresetParameter {
        name: "wide",
        label: "Wide stages",
        unit: "×",
        help: "Factor on a task of a stage that has 50 running; 1 with one, in between linear.",
        usual: 1.4,
        least: 0.1,
        most: 10.0,
        numbers: NumberKind::Real,
    },
    PresetParameter {
        name: "load",
        label: "Load",
        unit: "",
        help: "All queries arrive at once with 0. Else they arrive by a Poisson process, over the time in which their \
            work keeps this part of the cores busy.",
        usual: 0.0,
        least: 0.0,
        most: 10.0,
        numbers: NumberKind::Real,
    },
];

/// Each query is drawn from the 22 and gets one of six sizes. The size sets the number of tasks in
/// proportion and lengthens each a little; their lengths are drawn from those measured.
pub(super) fn draw(
    preset: &Preset,
    seed: u64,
    cluster: &Cluster,
) -> Result<(Vec<User>, Vec<Job>), ScenarioError> {
    let largest = preset.value("largest");
    let sizes = SIZES.iter().filter(|size| f64::from(**size) <= largest).count();
    let mut users = PresetUsers::default();
    let jobs = (0..preset.count("queries")).map(|index| {
        let mut draws = Draws::of_job(seed, &format!("query {index}"));
        let query = &QUERIES[draws.below(QUERIES.len())];
        let gigabytes = SIZES[draws.below(sizes)];
        let stages = query.stages.iter().map(|profile| stage(preset, profile, gigabytes, &mut draws));
        let stages = stages.collect::<Result<Vec<Stage>, ScenarioError>>()?;
        let user = users.named(query.name);
        Ok(Job { name: format!("{} {gigabytes} GB", query.name), ..Job::new(user, Time::ZERO, stages) })
    });
    let mut jobs = jobs.collect::<Result<Vec<Job>, ScenarioError>>()?;
    if preset.value("load") > 0.0 {
        arrive(&mut jobs, preset.value("load") * f64::from(cluster.cores()), seed)?;
    }
    Ok((users.0, jobs))
}

/// Spreads arrivals by a Poisson process over the time in which the jobs' work keeps that many cores busy.
fn arrive(jobs: &mut [Job], busy: f64, seed: u64) -> Result<(), ScenarioError> {
    let mut draws = Draws::of_job(seed, "arrivals");
    let mut end = 0.0;
    let instants = jobs.iter().map(|_| {
        let instant = end;
        end += draws.exponential();
        instant
    });
    let instants: Vec<f64> = instants.collect();
    let work: f64 = jobs.iter().map(|job| job.work().seconds()).sum();
    for (job, instant) in jobs.iter_mut().zip(instants) {
        job.arrival = Time(length(rounded(instant / end * work / busy, 3))?);
    }
    Ok(())
}

/// A stage of a query with an input of that size.
fn stage(
    preset: &Preset,
    profile: &StageProfile,
    gigabytes: u32,
    draws: &mut Draws,
) -> Result<Stage, ScenarioError> {
    let size = f64::from(gigabytes) / 10.0;
    let measured = &profile.lengths;
    let count = ((measured.len() as f64 * size + 0.5) as usize).max(1);
    let stretch = preset.value("stretch") * libm::pow(size, 0.15) / 1000.0;
    let lengths: Vec<f64> =
        (0..count).map(|_| rounded(measured[draws.below(measured.len())] * stretch, 3)).collect();
    Ok(Stage {
        parents: profile.parents.clone(),
        first_wave: preset.value("first_wave"),
        inflation: vec![(1, 1.0), (WIDE, preset.value("wide"))],
        ..Stage::with_input(tasks(&lengths)?)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Paper;
    use super::*;
    use crate::scenario::Generator;

    #[test]
    fn a_load_spreads_the_same_queries_over_time() {
        let jobs = |load: f64| {
            let preset =
                Paper::Decima.preset().with("queries", 200.0).and_then(|preset| preset.with("load", load));
            let generator = Generator { seed: 7, ..preset.expect("within the ranges").into() };
            generator.scenario().expect("a workload").jobs().to_vec()
        };
        let (at_once, spread) = (jobs(0.0), jobs(0.85));
        assert!(at_once.iter().all(|job| job.arrival == Time::ZERO));
        assert!(spread.is_sorted_by_key(|job| job.arrival));
        let work = |jobs: &[Job]| jobs.iter().map(|job| job.work().seconds()).sum::<f64>();
        assert_eq!(work(&spread), work(&at_once));
        let busy = work(&spread) / (50.0 * 0.85);
        let last = spread[199].arrival.seconds();
        assert!((0.95 * busy..busy).contains(&last), "{last} of {busy}");
    }
}
