//! Results as JSON documents: what the command prints, and what the modules for JavaScript and Python return.

use serde::Serialize;
use serde_json::Value;

use super::figures::{Figures, JobFigures, job_figures};
use fairlane::catalog::Entry;
use fairlane::metrics::Evaluation;
use fairlane::policy::{Info, Parameter};
use fairlane::scenario::Scenario;

/// One policy's figures and those of each job: what `fairlane simulate --format json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[cfg_attr(feature = "typescript", tsify(rename = "Simulation"))]
pub struct SimulationDocument<'a> {
    /// `fairlane/simulation@1`.
    pub format: &'static str,
    /// The scenario's name, empty if it has none.
    pub scenario: &'a str,
    /// Number of cores.
    pub cores: u32,
    /// The task length that runtime partitioning aims at.
    pub advisory_task_runtime_s: f64,
    /// The policy's figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// Every job's figures, by index in the file.
    pub jobs: Vec<JobFigures<'a>>,
}

impl<'a> SimulationDocument<'a> {
    /// The tag of this format.
    pub const FORMAT: &'static str = "fairlane/simulation@1";

    /// The document of an evaluated simulation.
    pub fn new(run: &'a Evaluation) -> SimulationDocument<'a> {
        let scenario = &run.scenario;
        SimulationDocument {
            format: Self::FORMAT,
            scenario: scenario.name(),
            cores: scenario.cluster().cores(),
            advisory_task_runtime_s: scenario.partitioning().advisory_task_runtime.seconds(),
            figures: Figures::new(run),
            jobs: job_figures(run).collect(),
        }
    }
}

/// The figures of several policies on one scenario: what `fairlane compare --format json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[cfg_attr(feature = "typescript", tsify(rename = "Comparison"))]
pub struct ComparisonDocument<'a> {
    /// `fairlane/comparison@1`.
    pub format: &'static str,
    /// The scenario's name, empty if it has none.
    pub scenario: &'a str,
    /// Number of cores.
    pub cores: u32,
    /// The task length that runtime partitioning aims at.
    pub advisory_task_runtime_s: f64,
    /// Number of jobs.
    pub jobs: usize,
    /// Each policy's figures, in the order in which the policies were given.
    pub policies: Vec<Figures>,
}

impl<'a> ComparisonDocument<'a> {
    /// The tag of this format.
    pub const FORMAT: &'static str = "fairlane/comparison@1";

    /// The document of evaluated simulations of this scenario.
    pub fn new(scenario: &'a Scenario, runs: &[Evaluation]) -> ComparisonDocument<'a> {
        ComparisonDocument {
            format: Self::FORMAT,
            scenario: scenario.name(),
            cores: scenario.cluster().cores(),
            advisory_task_runtime_s: scenario.partitioning().advisory_task_runtime.seconds(),
            jobs: scenario.jobs().len(),
            policies: runs.iter().map(Figures::new).collect(),
        }
    }
}

/// A scenario of the catalog.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct CatalogEntry {
    /// Its name in `catalog:NAME`.
    pub name: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// Heading of the part of the catalog it belongs to.
    pub section: &'static str,
    /// What to look for, in a sentence or two.
    pub look_for: &'static str,
    /// Policies worth comparing.
    #[cfg_attr(feature = "typescript", tsify(type = "PolicyName[]"))]
    pub policies: Vec<&'static str>,
    /// Its source.
    pub source: &'static str,
}

impl From<&'static Entry> for CatalogEntry {
    fn from(entry: &'static Entry) -> CatalogEntry {
        CatalogEntry {
            name: entry.name,
            title: entry.title,
            section: entry.section.title(),
            look_for: entry.look_for,
            policies: entry.policies.split(',').collect(),
            source: entry.source,
        }
    }
}

/// What a policy declares of itself.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct PolicyInfo {
    /// Its name in files; with `-p` behind it, the policy runs under runtime partitioning.
    #[cfg_attr(feature = "typescript", tsify(type = "PolicyName"))]
    pub id: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What the title is short for; empty if it is not.
    pub name: &'static str,
    /// Heading of the group that it is listed with.
    pub group: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Where it is from, such as a paper.
    pub source: &'static str,
    /// What a scenario can set for it.
    pub parameters: Vec<ParameterInfo>,
}

impl From<&'static Info> for PolicyInfo {
    fn from(info: &'static Info) -> PolicyInfo {
        let sets = info.parameter_sets();
        let parameters = sets
            .iter()
            .flat_map(|set| set.parameters.iter().map(|parameter| ParameterInfo::new(set.id, parameter)));
        PolicyInfo {
            id: info.id,
            title: info.title,
            name: info.name,
            group: info.group.title(),
            summary: info.summary,
            source: info.source,
            parameters: parameters.collect(),
        }
    }
}

/// A parameter of a policy.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct ParameterInfo {
    /// The key below `policies` in a scenario, such as `uwfq`; policies can share parameters.
    pub set: &'static str,
    /// The key below that, such as `grace_s`.
    pub name: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Empty for a number without one.
    pub unit: &'static str,
    /// What holds where a scenario says nothing; `null` if that is no value.
    #[cfg_attr(feature = "typescript", tsify(type = "number | string | null"))]
    pub default: Value,
}

impl ParameterInfo {
    fn new(set: &'static str, parameter: &Parameter) -> ParameterInfo {
        ParameterInfo {
            set,
            name: parameter.name,
            title: parameter.title,
            summary: parameter.summary,
            unit: parameter.unit,
            default: parameter.kind.default(),
        }
    }
}
