//! PAF's synthetic suite (INFOCOM '18, V-B).

use super::{NumberKind, Preset, PresetParameter, rounded, tasks};
use crate::ids::UserId;
use crate::scenario::generate::Draws;
use crate::scenario::{Job, PerformanceCurve, ScenarioError, Stage, User};
use crate::units::{Time, Weight};

/// Slots as scarce as with 8000 for two hundred jobs of up to two hundred tasks.
pub(super) const SLOTS: u32 = 300;

pub(super) const PARAMETERS: [PresetParameter; 7] = [
    PresetParameter {
        name: "jobs",
        label: "Jobs",
        unit: "",
        help: "Number of jobs, each of a user of its own, all at once. The paper has 200.",
        usual: 60.0,
        least: 1.0,
        most: 200.0,
        numbers: NumberKind::Whole,
    },
    PresetParameter {
        name: "parallelism",
        label: "Parallelism",
        unit: "tasks",
        help: "A stage has 1 task up to this many, which is how many cores a job can use. The paper has 200.",
        usual: 24.0,
        least: 1.0,
        most: 200.0,
        numbers: NumberKind::Whole,
    },
    PresetParameter {
        name: "stages",
        label: "Stages",
        unit: "",
        help: "Stages of each job, one after another and alike.",
        usual: 1.0,
        least: 1.0,
        most: 16.0,
        numbers: NumberKind::Whole,
    },
    PresetParameter {
        name: "heaviest",
        label: "Largest weight",
        unit: "",
        help: "Weights are whole numbers from 1 to this.",
        usual: 20.0,
        least: 1.0,
        most: 1000.0,
        numbers: NumberKind::Whole,
    },
    PresetParameter {
        name: "warm",
        label: "Warm-up",
        unit: "×",
        help: "A task on a warm core is 1 up to this many times as fast.",
        usual: 8.0,
        least: 1.0,
        most: 100.0,
        numbers: NumberKind::Real,
    },
    PresetParameter {
        name: "shape",
        label: "Least shape",
        unit: "",
        help: "Shape of the Pareto distribution of the most uneven job's tasks; the smaller, the more uneven.",
        usual: 1.6,
        least: 0.5,
        most: 100.0,
        numbers: NumberKind::Real,
    },
    PresetParameter {
        name: "shape_most",
        label: "Largest shape",
        unit: "",
        help: "Shape of the Pareto distribution of the evenest job's tasks.",
        usual: 16.0,
        least: 0.5,
        most: 100.0,
        numbers: NumberKind::Real,
    },
];

/// A job of the suite.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteJob {
    /// The weight of its user.
    pub weight: u32,
    /// How much faster a task is on a core that is warm.
    pub warm_factor: f64,
    /// The shape of its tasks' Pareto distribution: the less, the more uneven they are.
    pub shape: f64,
    /// Lengths of the tasks of a stage, in seconds: as many as it can use cores.
    pub tasks_s: Vec<f64>,
}

/// The jobs of a suite: parallelism, weight, warm-up factor and shape are uniform in their ranges.
pub fn suite_jobs(preset: &Preset, seed: u64) -> Vec<SuiteJob> {
    let [warm, shape, shape_most] = ["warm", "shape", "shape_most"].map(|name| preset.value(name));
    let [parallelism, heaviest] = ["parallelism", "heaviest"].map(|name| preset.count(name));
    let job = |index: usize| {
        let mut draws = Draws::of_job(seed, &format!("elastic {index}"));
        let tasks = 1 + draws.below(parallelism);
        let weight = 1 + draws.below(heaviest) as u32;
        let warm_factor = ((1.0 + (warm - 1.0) * draws.unit()) * 1000.0).floor() / 1000.0;
        let shape = shape + (shape_most - shape) * draws.unit();
        // In whole milliseconds.
        let length = |unit: f64| (10_000.0 * libm::pow(1.0 - unit, -1.0 / shape)).floor() / 1000.0;
        let tasks_s = (0..tasks).map(|_| length(draws.unit())).collect();
        SuiteJob { weight, warm_factor, shape, tasks_s }
    };
    (0..preset.count("jobs")).map(job).collect()
}

/// All jobs at once. A job's curve is measured: with each number of slots, alone, and keeping its cores from stage to
/// stage.
pub(super) fn draw(preset: &Preset, seed: u64) -> Result<(Vec<User>, Vec<Job>), ScenarioError> {
    let stages = preset.count("stages");
    let mut users = Vec::new();
    let mut jobs = Vec::new();
    for (index, job) in (0..).zip(suite_jobs(preset, seed)) {
        let weight = Weight::new(f64::from(job.weight)).unwrap_or(Weight::ONE);
        users.push(User { weight, ..User::named(format!("user{}", index + 1)) });
        let stage = Stage { splittable: false, ..Stage::with_input(tasks(&job.tasks_s)?) };
        let after = |index: usize| Stage {
            parents: index.checked_sub(1).map(|before| before as u32).into_iter().collect(),
            ..stage.clone()
        };
        jobs.push(Job {
            name: format!("job {}", index + 1),
            warm_factor: job.warm_factor,
            curve: Some(PerformanceCurve::Points(measured(&job, stages))),
            ..Job::new(UserId(index), Time::ZERO, (0..stages).map(after).collect())
        });
    }
    Ok((users, jobs))
}

/// Progress by slots. More slots are never worse: a job need not use them.
fn measured(job: &SuiteJob, stages: usize) -> Vec<(u32, f64)> {
    let times: Vec<f64> = (1..=job.tasks_s.len()).map(|slots| alone(job, slots, stages)).collect();
    let shortest = times.iter().copied().fold(f64::INFINITY, f64::min);
    let mut best = 0.0_f64;
    (1..)
        .zip(times)
        .map(|(slots, time)| {
            best = best.max(shortest / time);
            (slots, rounded(best, 5))
        })
        .collect()
}

/// How long a job takes alone in a number of slots: each task goes to the one that is free first.
fn alone(job: &SuiteJob, slots: usize, stages: usize) -> f64 {
    let mut warm = vec![false; slots];
    let mut begin = 0.0_f64;
    for _ in 0..stages {
        let mut free = vec![begin; slots];
        for length in &job.tasks_s {
            let slot = (0..slots).min_by(|&one, &other| free[one].total_cmp(&free[other])).unwrap_or(0);
            free[slot] += if warm[slot] { length / job.warm_factor } else { *length };
            warm[slot] = true;
        }
        begin = free.into_iter().fold(begin, f64::max);
    }
    begin
}
