//! What other papers published of their schedulers, each figure beside the simulation of a scenario of
//! [`catalog::papers`].
//!
//! ```
//! use fairlane_study::fidelity::papers::{Paper, findings};
//! let moved = findings(Paper::Paf).into_iter().find(|finding| finding.quantity.contains("slots moved"));
//! assert_eq!(moved.expect("a finding of PAF's").simulated, "61");
//! ```

mod bopf;
mod decima;
mod justice;
mod paf;

use fairlane::catalog;
use fairlane::policy::PolicyId;
pub use fairlane::scenario::generate::Paper;
use fairlane::scenario::generate::Preset;
use fairlane::scenario::{Cluster, Edit, Generator, Scenario};
use fairlane::trace::Trace;

/// A published figure and its simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Where it is in the paper.
    pub figure: &'static str,
    /// What it is.
    pub quantity: String,
    /// As it was published; a dash if the paper gives no number.
    pub published: &'static str,
    /// Here, as it is shown.
    pub simulated: String,
    /// The numbers in it.
    pub values: Vec<f64>,
    /// The scenario's name in the catalog.
    pub scenario: &'static str,
}

/// What is reproduced of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Reproduction {
    /// What it is of, for people.
    pub title: &'static str,
    /// What was calibrated, what is not public, and why figures differ.
    pub remark: &'static str,
    findings: fn() -> Vec<Finding>,
}

/// What is reproduced of a paper.
pub fn reproduction(paper: Paper) -> Reproduction {
    let (title, remark, findings): (_, _, fn() -> Vec<Finding>) = match paper {
        Paper::Paf => ("PAF", paf::REMARK, paf::findings),
        Paper::Bopf => ("BoPF", bopf::REMARK, bopf::findings),
        Paper::Justice => ("Justice", justice::REMARK, justice::findings),
        Paper::Decima => ("Decima's heuristics", decima::REMARK, decima::findings),
    };
    Reproduction { title, remark, findings }
}

/// The findings of a paper, in its order.
pub fn findings(paper: Paper) -> Vec<Finding> {
    (reproduction(paper).findings)()
}

/// The findings about one scenario.
struct FindingsTable {
    scenario: &'static str,
    findings: Vec<Finding>,
}

impl FindingsTable {
    fn new(scenario: &'static str) -> FindingsTable {
        FindingsTable { scenario, findings: Vec::new() }
    }

    /// Adds a figure with a number of digits after the point, and its unit.
    fn add(
        &mut self,
        figure: &'static str,
        quantity: impl Into<String>,
        published: &'static str,
        value: f64,
        shown: (usize, &'static str),
    ) {
        self.add_all(figure, quantity, published, vec![value], shown);
    }

    /// Adds several figures of one quantity, such as one by policy.
    fn add_all(
        &mut self,
        figure: &'static str,
        quantity: impl Into<String>,
        published: &'static str,
        values: Vec<f64>,
        (digits, unit): (usize, &'static str),
    ) {
        let texts: Vec<String> = values.iter().map(|value| format!("{value:.digits$}")).collect();
        let simulated = texts.join(" / ") + unit;
        let (quantity, scenario) = (quantity.into(), self.scenario);
        self.findings.push(Finding { figure, quantity, published, simulated, values, scenario });
    }

    /// Adds what is no number.
    fn say(
        &mut self,
        figure: &'static str,
        quantity: impl Into<String>,
        published: &'static str,
        simulated: &str,
    ) {
        let (quantity, scenario, simulated) = (quantity.into(), self.scenario, simulated.to_owned());
        self.findings.push(Finding { figure, quantity, published, simulated, values: Vec::new(), scenario });
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// A scenario of the catalog.
fn scenario(name: &str) -> Scenario {
    let entry = catalog::find(name);
    entry.expect("findings are about scenarios of the catalog; a test computes them all").scenario()
}

/// A workload of a paper with other values of parameters.
fn with(preset: &Preset, values: &[(&str, f64)]) -> Preset {
    let mut changed = preset.clone();
    for &(name, value) in values {
        changed =
            changed.with(name, value).expect("the paper's values are in range; a test computes them all");
    }
    changed
}

/// A workload of a paper under a seed on a cluster.
fn drawn(preset: &Preset, seed: u64, cluster: Cluster) -> Scenario {
    let generator = Generator { seed, cluster, ..preset.clone().into() };
    generator.scenario().expect("the paper's workloads are sound; a test computes them all")
}

/// The scenario with stages that runtime partitioning may cut.
fn splittable(scenario: &Scenario) -> Scenario {
    let mut jobs = scenario.jobs().to_vec();
    jobs.iter_mut().flat_map(|job| &mut job.stages).for_each(|stage| stage.splittable = true);
    scenario.to_builder().jobs(jobs).build().expect("a stage may be cut; a test computes them all")
}

/// The mean response of the jobs that finish, in seconds.
fn mean_response(trace: &Trace) -> f64 {
    let responses = trace.jobs.iter().filter_map(|job| Some(job.response()?.seconds()));
    mean(&responses.collect::<Vec<_>>())
}

/// Adds what runtime partitioning makes of each policy's mean response: over that with default partitioning, averaged
/// over scenarios.
fn add_partitioned(table: &mut FindingsTable, scenarios: &[Scenario], policies: &[&str], titles: &str) {
    let ratio = |policy: &&str| {
        let of = |scenario: &Scenario| {
            let [cut, whole] = [format!("{policy}-p"), (*policy).to_owned()]
                .map(|policy| mean_response(&run(scenario, &policy)));
            cut / whole
        };
        mean(&scenarios.iter().map(of).collect::<Vec<_>>())
    };
    let quantity = format!("response, -p over default: {titles}");
    table.add_all("ours", quantity, "–", policies.iter().map(ratio).collect(), (2, ""));
}

/// A scenario's schedule under a policy, by its name on the command line.
fn run(scenario: &Scenario, policy: &str) -> Trace {
    let policy: PolicyId =
        policy.parse().expect("findings are of registered policies; a test computes them all");
    fairlane::simulate(scenario, policy)
}

/// A scenario with another value of a policy's parameter.
fn with_parameter(scenario: &Scenario, policy: &str, name: &str, value: f64) -> Scenario {
    let changed = scenario.with(&Edit::parameter(policy, name, value));
    changed.expect("findings use values that are allowed; a test computes them all")
}
