//! Workloads like that of Justice (IC2E '18), whose trace is not published: 60 % of the jobs have one task, the others
//! up to forty.

use super::{NumberKind, Preset, PresetParameter, PresetUsers, length, rounded, tasks};
use crate::scenario::generate::Draws;
use crate::scenario::{Cluster, Job, ScenarioError, Stage, User};
use crate::units::{Span, Time};

pub(super) const PARAMETERS: [PresetParameter; 8] = [
    PresetParameter {
        name: "jobs",
        label: "Jobs",
        unit: "",
        help: "Number of jobs, of four users in turn.",
        usual: 160.0,
        least: 1.0,
        most: 5000.0,
        numbers: NumberKind::Whole,
    },
    PresetParameter {
        name: "load",
        label: "Load",
        unit: "",
        help: "Work that arrives, over what the cores can do in the same time.",
        usual: 8.0,
        least: 0.1,
        most: 100.0,
        numbers: NumberKind::Real,
    },
    PresetParameter {
        name: "single",
        label: "Single tasks",
        unit: "",
        help: "Part of the jobs that have one task; a little less than a fifth has 2 to 9, the others more.",
        usual: 0.6,
        least: 0.0,
        most: 1.0,
        numbers: NumberKind::Real,
    },
    PresetParameter {
        name: "largest",
        label: "Largest job",
        unit: "tasks",
        help: "Large jobs have 10 tasks up to this many.",
        usual: 40.0,
        least: 10.0,
        most: 1000.0,
        numbers: NumberKind::Whole,
    },
    PresetParameter {
        name: "spread",
        label: "Spread",
        unit: "",
        help: "The tasks of a job are shorter or longer by up to this part. 0: all alike, as Justice's estimates \
            assume.",
        usual: 0.0,
        least: 0.0,
        most: 0.99,
        numbers: NumberKind::Real,
    },
    PresetParameter {
        name: "due",
        label: "Due, at least",
        unit: "×",
        help: "The tightest deadline, as a multiple of the job's time alone.",
        usual: 1.0,
        least: 0.1,
        most: 100.0,
        numbers: NumberKind::Real,
    },
    PresetParameter {
        name: "due_most",
        label: "Due, at most",
        unit: "×",
        help: "The loosest deadline, as a multiple of the job's time alone.",
        usual: 1.0,
        least: 0.1,
        most: 100.0,
        numbers: NumberKind::Real,
    },
    PresetParameter {
        name: "tight",
        label: "Tight deadlines",
        unit: "",
        help: "Part of the jobs with the tightest deadline, while all others have the loosest. 0: spread evenly \
            between.",
        usual: 0.0,
        least: 0.0,
        most: 1.0,
        numbers: NumberKind::Real,
    },
];

/// Part of the jobs that have 2 to 9 tasks.
const SMALL: f64 = 0.18;

/// A job as it is drawn.
struct JusticeJob {
    /// How long its tasks are, in seconds.
    lengths: Vec<f64>,
    /// When it arrives, as a part of the workload's duration.
    at: f64,
    /// Its deadline over its time alone.
    factor: f64,
}

/// Jobs of one stage whose tasks take 5 to 40 s.
pub(super) fn draw(
    preset: &Preset,
    seed: u64,
    cluster: &Cluster,
) -> Result<(Vec<User>, Vec<Job>), ScenarioError> {
    let [single, spread, due, due_most, tight] =
        ["single", "spread", "due", "due_most", "tight"].map(|name| preset.value(name));
    let largest = preset.count("largest");
    let drawn: Vec<JusticeJob> = (0..preset.count("jobs"))
        .map(|index| {
            let mut draws = Draws::of_job(seed, &format!("job {index}"));
            let size = draws.unit();
            let tasks = match size {
                _ if size < single => 1,
                _ if size < single + SMALL => 2 + draws.below(8),
                _ => 10 + draws.below(largest - 9),
            };
            let length_s = [5.0, 10.0, 20.0, 40.0][draws.below(4)];
            let (at, unit) = (draws.unit(), draws.unit());
            let factor = match unit {
                _ if tight == 0.0 => due + unit * (due_most - due),
                _ if unit < tight => due,
                _ => due_most,
            };
            let lengths =
                (0..tasks).map(|_| length_s * (1.0 + spread * (2.0 * draws.unit() - 1.0))).collect();
            JusticeJob { lengths, at, factor }
        })
        .collect();
    let work: f64 = drawn.iter().flat_map(|job| &job.lengths).sum();
    let duration_s = work / (f64::from(cluster.cores()) * preset.value("load"));
    let mut users = PresetUsers::default();
    let jobs = (1..).zip(&drawn).map(|(index, JusticeJob { lengths, at, factor })| {
        let alone_s = lengths.iter().copied().fold(0.0, f64::max);
        let lengths: Vec<f64> = lengths.iter().map(|&seconds| rounded(seconds, 3)).collect();
        let stage = Stage { splittable: false, ..Stage::with_input(tasks(&lengths)?) };
        let arrival = Time(length(rounded(at * duration_s, 3))?);
        let user = users.named(&format!("user{}", index % 4 + 1));
        Ok(Job {
            name: format!("job {index}"),
            deadline: Some(Span(length(rounded(factor * alone_s, 3))?)),
            ..Job::new(user, arrival, vec![stage])
        })
    });
    let jobs = jobs.collect::<Result<Vec<Job>, ScenarioError>>()?;
    Ok((users.0, jobs))
}
