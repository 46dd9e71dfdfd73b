//! Workloads like that of Justice (IC2E '18), whose trace is not published: 60 % of the jobs have one task, the others
//! up to forty.

use std::fmt::Write;

use crate::scenario::generate::Draws;

/// The deadlines of the paper's evaluation, as factors on a job's time alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deadlines {
    /// The same factor for all.
    Fixed(f64),
    /// One of two factors, the first with this probability.
    Either(f64, [f64; 2]),
    /// Uniform between two factors.
    Between(f64, f64),
}

impl Deadlines {
    /// The paper's seven kinds, by its names.
    pub const ALL: [(&'static str, Deadlines); 7] = [
        ("Fixed1x", Deadlines::Fixed(1.0)),
        ("Fixed2x", Deadlines::Fixed(2.0)),
        ("Jockey1x2x", Deadlines::Either(0.5, [1.0, 2.0])),
        ("Jockey2x4x", Deadlines::Either(0.5, [2.0, 4.0])),
        ("90loose", Deadlines::Either(0.1, [1.0, 2.0])),
        ("Aria1x3x", Deadlines::Between(1.0, 3.0)),
        ("Aria2x4x", Deadlines::Between(2.0, 4.0)),
    ];

    /// The factor at a uniform number from 0 to 1.
    fn factor(self, unit: f64) -> f64 {
        match self {
            Deadlines::Fixed(factor) => factor,
            Deadlines::Either(probability, [first, second]) => {
                if unit < probability {
                    first
                } else {
                    second
                }
            }
            Deadlines::Between(least, most) => least + unit * (most - least),
        }
    }
}

const CORES: u32 = 48;
const JOBS: u32 = 160;

/// What is offered, in times of what the cores can do: the paper's 2500 and 5000 cores of a trace of 25 000.
pub const LOADS: [f64; 2] = [8.0, 4.0];

/// Figure 2 with few cores and deadlines of the time alone.
pub(super) fn severe(seed: u64) -> String {
    workload(seed, Deadlines::Fixed(1.0), LOADS[0], 0.0)
}

/// The same with tasks whose lengths differ by up to a fifth within a job.
pub(super) fn uneven(seed: u64) -> String {
    workload(seed, Deadlines::Fixed(1.0), LOADS[0], 0.2)
}

/// Jobs of one stage whose tasks take 5 to 40 s, within a job as long up to a part `spread`.
pub fn workload(seed: u64, deadlines: Deadlines, load: f64, spread: f64) -> String {
    let drawn: Vec<(Vec<f64>, f64, f64)> = (0..JOBS)
        .map(|index| {
            let mut draws = Draws::of_job(seed, &format!("job {index}"));
            let kind = draws.unit();
            let tasks = match kind {
                _ if kind < 0.6 => 1,
                _ if kind < 0.78 => 2 + draws.below(8),
                _ => 10 + draws.below(31),
            };
            let length_s = [5.0, 10.0, 20.0, 40.0][draws.below(4)];
            let (at, factor) = (draws.unit(), deadlines.factor(draws.unit()));
            let lengths =
                (0..tasks).map(|_| length_s * (1.0 + spread * (2.0 * draws.unit() - 1.0))).collect();
            (lengths, at, factor)
        })
        .collect();
    let work: f64 = drawn.iter().flat_map(|(lengths, ..)| lengths).sum();
    let duration_s = work / (f64::from(CORES) * load);
    let mut jobs = String::new();
    for (index, (lengths, at, factor)) in (1..).zip(&drawn) {
        let comma = if index == 1 { "" } else { ",\n" };
        let alone_s = lengths.iter().copied().fold(0.0, f64::max);
        let tasks: Vec<String> = lengths.iter().map(|length| format!("{length:.3}")).collect();
        write!(
            jobs,
            r#"{comma}{{ "user": "user{}", "name": "job {index}", "arrival_s": {:.3}, "deadline_s": {:.3}, "stages": [{{ "tasks_s": [{}], "splittable": false }}] }}"#,
            index % 4 + 1,
            at * duration_s,
            factor * alone_s,
            tasks.join(", ")
        )
        .expect("text takes every job");
    }
    format!(
        r#"{{ "format": "fairlane/scenario@1", "name": "Justice: deadlines on a crowded cluster",
"cluster": {{ "executors": 12, "cores_per_executor": 4 }},
"jobs": [{jobs}] }}"#
    )
}
