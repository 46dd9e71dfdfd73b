//! Workloads of papers: drawn from a seed in the paper's own way, with the paper's parameters.

mod bopf;
mod decima;
mod justice;
mod paf;

pub(crate) use bopf::beside_batch_queues;
pub use bopf::normal_quantile;
pub use paf::{SuiteJob, suite_jobs};

use std::str::FromStr;

use super::TextError;
use crate::ids::UserId;
use crate::number;
use crate::scenario::error::{ensure, micros};
use crate::scenario::{Cluster, CoreOwners, Generator, Input, Job, ScenarioError, User};
use crate::units::Span;

/// A paper whose workload is drawn here, and whose results are reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paper {
    /// Performance-aware fair scheduling: a synthetic suite (V-B) of elastic jobs of uneven tasks, all at once.
    Paf,
    /// Bounded priority fairness: a latency queue beside batch queues (Tables 3 and 4, Figure 13).
    Bopf,
    /// Justice: jobs with deadlines on constrained clusters, most of a single task.
    Justice,
    /// Decima: batches of TPC-H queries (7.2), on which heuristics were compared with it.
    Decima,
}

/// Users and jobs that are drawn.
type PresetResult = Result<(Vec<User>, Vec<Job>), ScenarioError>;

/// A paper's workload.
struct PresetWorkload {
    id: &'static str,
    title: &'static str,
    description: &'static str,
    cluster: fn() -> Cluster,
    parameters: &'static [PresetParameter],
    draw: fn(&Preset, u64, &Cluster) -> PresetResult,
}

/// A parameter of a preset: a number within a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PresetParameter {
    /// In files.
    pub name: &'static str,
    /// For people.
    pub label: &'static str,
    /// Behind the number; may be empty.
    pub unit: &'static str,
    /// What it means.
    pub help: &'static str,
    /// The paper's, or what replaces it here.
    pub usual: f64,
    /// The smallest allowed.
    pub least: f64,
    /// The largest allowed.
    pub most: f64,
    /// What numbers are allowed between the two.
    pub numbers: NumberKind,
}

/// What numbers a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Whole ones.
    Whole,
    /// All.
    Real,
}

impl PresetParameter {
    /// What is wrong with a value, if anything is.
    fn fault(&self, value: f64) -> Option<String> {
        let PresetParameter { least, most, numbers, .. } = self;
        let (whole, noun) = match numbers {
            NumberKind::Whole => (value.fract() == 0.0, "whole number"),
            NumberKind::Real => (true, "number"),
        };
        let allowed = whole && (*least..=*most).contains(&value);
        (!allowed).then(|| format!("must be a {noun} from {least} to {most}"))
    }
}

impl Paper {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Paper; 4] = [Paper::Paf, Paper::Bopf, Paper::Justice, Paper::Decima];

    fn workload(self) -> &'static PresetWorkload {
        match self {
            Paper::Paf => &PresetWorkload {
                id: "paf",
                title: "PAF: a synthetic suite",
                description: "Elastic jobs at once, one of each user. Weights, parallelism, warm-up and unevenness \
                    are drawn evenly, \
                 tasks from a Pareto distribution; each job's curve is measured.",
                cluster: || Cluster::new(paf::SLOTS, 1),
                parameters: &paf::PARAMETERS,
                draw: |preset, seed, _| paf::draw(preset, seed),
            },
            Paper::Bopf => &PresetWorkload {
                id: "bopf",
                title: "BoPF: a latency queue beside batch queues",
                description: "Bursts of one latency queue, each of two stages and due within 27 s, beside batch \
                    queues that always \
                 have work. Only the sizes of the bursts are drawn.",
                cluster: || Cluster::new(8, 4),
                parameters: &bopf::PARAMETERS,
                draw: bopf::draw,
            },
            Paper::Justice => &PresetWorkload {
                id: "justice",
                title: "Justice: deadlines on a crowded cluster",
                description: "Jobs of one stage with deadlines; their tasks take 5, 10, 20 or 40 s. Arrivals are \
                    drawn evenly over the \
                 time in which the load is reached.",
                cluster: || Cluster::new(12, 4),
                parameters: &justice::PARAMETERS,
                draw: justice::draw,
            },
            Paper::Decima => &PresetWorkload {
                id: "decima",
                title: "Decima: TPC-H queries at once",
                description: "Each query is one of the 22 of TPC-H, with tasks as measured on Spark, and an input \
                    of 2, 5, 10, 20, 50 \
                 or 100 GB.",
                cluster: || Cluster {
                    core_move: Span(2_500_000),
                    executors_belong: Some(CoreOwners::Jobs),
                    ..Cluster::new(50, 1)
                },
                parameters: &decima::PARAMETERS,
                draw: decima::draw,
            },
        }
    }

    /// In files and on the command line.
    pub fn id(self) -> &'static str {
        self.workload().id
    }

    /// The workload, for people.
    pub fn title(self) -> &'static str {
        self.workload().title
    }

    /// What is drawn, in a sentence or two.
    pub fn description(self) -> &'static str {
        self.workload().description
    }

    /// The cluster that the workload is made for.
    pub fn cluster(self) -> Cluster {
        (self.workload().cluster)()
    }

    /// Its parameters, in the order in which they are listed.
    pub fn parameters(self) -> &'static [PresetParameter] {
        self.workload().parameters
    }

    /// With the usual values of its parameters.
    pub fn preset(self) -> Preset {
        Preset { paper: self, values: self.parameters().iter().map(|parameter| parameter.usual).collect() }
    }
}

impl FromStr for Paper {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Paper, TextError> {
        let known = Paper::ALL.into_iter().find(|paper| paper.id() == text.trim());
        known.ok_or_else(|| {
            let ids = Paper::ALL.map(Paper::id);
            TextError(format!("\"{text}\" is no paper's workload; there are {}", ids.join(", ")))
        })
    }
}

/// A paper's workload and the values of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    paper: Paper,
    /// The parameters' values by their index, each within its range.
    values: Vec<f64>,
}

impl Preset {
    /// The paper that the workload is from.
    pub fn paper(&self) -> Paper {
        self.paper
    }

    /// The parameters and their values.
    pub fn values(&self) -> impl Iterator<Item = (&'static PresetParameter, f64)> {
        self.paper.parameters().iter().zip(self.values.iter().copied())
    }

    /// The preset with another value of a parameter.
    ///
    /// # Errors
    /// The preset has no such parameter, or the value is out of its range.
    pub fn with(mut self, name: &str, value: f64) -> Result<Preset, ScenarioError> {
        let path = format!("preset.{}.{name}", self.paper.id());
        let parameters = self.paper.parameters();
        let Some(index) = parameters.iter().position(|parameter| parameter.name == name) else {
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
            return Err(ScenarioError::at(
                path,
                format!("is no parameter of this workload; it has {}", names.join(", ")),
            ));
        };
        match parameters[index].fault(value) {
            Some(fault) => Err(ScenarioError::at(path, fault)),
            None => {
                self.values[index] = value;
                Ok(self)
            }
        }
    }

    /// The value of a parameter that the preset has.
    fn value(&self, name: &str) -> f64 {
        let value = self.values().find(|(parameter, _)| parameter.name == name);
        value.expect("a preset asks for its own parameters; a test draws them all").1
    }

    /// The value of a parameter that takes whole numbers.
    fn count(&self, name: &str) -> usize {
        self.value(name) as usize
    }

    /// Users and jobs under a seed.
    pub(super) fn draw(&self, seed: u64, cluster: &Cluster) -> PresetResult {
        (self.paper.workload().draw)(self, seed, cluster)
    }
}

/// Reads `justice` or `justice:load=4:spread=0.2`.
impl FromStr for Preset {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Preset, TextError> {
        let mut parts = text.trim().split(':');
        let mut preset = parts.next().unwrap_or_default().parse::<Paper>()?.preset();
        for part in parts {
            let (name, value) = part
                .split_once('=')
                .and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)))
                .ok_or_else(|| {
                    TextError(format!("\"{part}\" must be a parameter and a number, such as load=4"))
                })?;
            preset = preset.with(name, value).map_err(|error| TextError(error.to_string()))?;
        }
        Ok(preset)
    }
}

impl From<Preset> for Generator {
    /// On the cluster that the workload is made for, with seed 0.
    fn from(preset: Preset) -> Generator {
        Generator {
            cluster: preset.paper.cluster(),
            duration_s: None,
            groups: Vec::new(),
            preset: Some(preset),
            ..Generator::default()
        }
    }
}

/// Users by name, in the order in which they first submit a job.
#[derive(Default)]
struct PresetUsers(Vec<User>);

impl PresetUsers {
    fn named(&mut self, name: &str) -> UserId {
        let index = self.0.iter().position(|user| user.name == name).unwrap_or_else(|| {
            self.0.push(User::named(name));
            self.0.len() - 1
        });
        UserId(index as u32)
    }
}

/// A number with that many decimals, rounded as in text.
fn rounded(value: f64, decimals: usize) -> f64 {
    let power = 10_f64.powi(decimals as i32);
    let scaled = value * power;
    // Below this bound the product is wrong by less than a ten millionth, so that a number that is farther from the
    // middle of two whole ones is on the right side of it.
    if (0.0..1e9).contains(&scaled) && (scaled.fract() - 0.5).abs() > 1e-6 {
        return scaled.round() / power;
    }
    number::parse(&format!("{value:.decimals$}")).unwrap_or(value)
}

/// Whole microseconds of a length that is drawn.
fn length(seconds: f64) -> Result<u64, ScenarioError> {
    micros(seconds, || "preset".to_owned())
}

/// An input of tasks of these lengths, in seconds.
fn tasks(lengths: &[f64]) -> Result<Input, ScenarioError> {
    let spans = lengths.iter().map(|&seconds| length(seconds).map(Span));
    Input::of_tasks(spans.collect::<Result<Vec<Span>, _>>()?)
}

/// Checks that a generator with a preset has nothing that is for groups.
pub(super) fn check(generator: &Generator) -> Result<(), ScenarioError> {
    ensure!(generator.groups.is_empty(), "groups", "cannot go with a preset; keep one of them");
    for (given, key) in [(generator.duration_s, "duration_s"), (generator.load, "load")] {
        ensure!(
            given.is_none(),
            key,
            "is for groups of users; leave it out with a preset, which has its own"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_as_in_text() {
        let mut draws = crate::scenario::generate::Draws::of_job(1, "numbers");
        let drawn = (0..20_000).map(|_| draws.unit() * 1000.0);
        // In the middle of two, next to it, and too large for the short way.
        let middles = (0..2000).flat_map(|index| {
            let middle = f64::from(index) / 1000.0 + 0.0005;
            [middle, middle.next_up(), middle.next_down(), 1e9 * middle, -middle]
        });
        for value in drawn.chain(middles) {
            for decimals in [3, 5] {
                let text: f64 = format!("{value:.decimals$}").parse().expect("a number");
                assert_eq!(rounded(value, decimals), text, "{value} with {decimals} decimals");
            }
        }
    }
}
