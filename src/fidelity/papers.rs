//! What other papers published of their schedulers, each figure beside the simulation of a scenario of
//! [`catalog::papers`].
//!
//! ```
//! use fairlane::fidelity::papers::{Paper, findings};
//! let moved = findings(Paper::Paf).into_iter().find(|finding| finding.quantity.contains("slots moved"));
//! assert_eq!(moved.expect("a finding of PAF's").simulated, 61.0);
//! ```

mod paf;

use crate::catalog;
use crate::policy::PolicyId;
use crate::scenario::{Edit, Scenario};
use crate::trace::Trace;

/// A paper whose results are reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Paper {
    /// Performance-aware fair scheduling.
    Paf,
}

impl Paper {
    /// All of them.
    pub const ALL: [Paper; 1] = [Paper::Paf];

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Paper::Paf => "PAF",
        }
    }

    /// What was calibrated, what is not public, and why figures differ.
    pub fn remark(self) -> &'static str {
        match self {
            Paper::Paf => paf::REMARK,
        }
    }
}

/// A published figure and its simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Where it is in the paper.
    pub figure: &'static str,
    /// What it is.
    pub quantity: String,
    /// As it was published; a dash if the paper gives no number.
    pub published: &'static str,
    /// Here.
    pub simulated: f64,
    /// With how many digits after the point it is shown, and what follows it.
    pub shown: (usize, &'static str),
    /// The scenario's name in the catalog.
    pub scenario: &'static str,
}

impl Finding {
    /// The simulated figure with its unit.
    pub fn simulated_text(&self) -> String {
        let (digits, unit) = self.shown;
        format!("{:.digits$}{unit}", self.simulated)
    }
}

/// The findings of a paper, in its order.
pub fn findings(paper: Paper) -> Vec<Finding> {
    match paper {
        Paper::Paf => paf::findings(),
    }
}

/// The findings about one scenario.
struct Table {
    scenario: &'static str,
    findings: Vec<Finding>,
}

impl Table {
    fn of(scenario: &'static str) -> Table {
        Table { scenario, findings: Vec::new() }
    }

    /// Adds a figure with so many digits after the point, and its unit.
    fn add(
        &mut self,
        figure: &'static str,
        quantity: impl Into<String>,
        published: &'static str,
        simulated: f64,
        shown: (usize, &'static str),
    ) {
        let (quantity, scenario) = (quantity.into(), self.scenario);
        self.findings.push(Finding { figure, quantity, published, simulated, shown, scenario });
    }
}

/// A scenario of the catalog.
fn scenario(name: &str) -> Scenario {
    let entry = catalog::papers::ENTRIES.iter().find(|entry| entry.name == name);
    entry.expect("findings are about scenarios of the catalog; a test computes them all").scenario()
}

/// A scenario's schedule under a policy, by its name on the command line.
fn run(scenario: &Scenario, policy: &str) -> Trace {
    let policy: PolicyId =
        policy.parse().expect("findings are of registered policies; a test computes them all");
    crate::simulate(scenario, policy)
}

/// A scenario with another value of a policy's parameter.
fn with_parameter(scenario: &Scenario, policy: &str, name: &str, value: f64) -> Scenario {
    let edit = Edit::Parameter { policy: policy.to_owned(), name: name.to_owned(), value: value.into() };
    let changed =
        scenario.edited(&edit).expect("findings use values that are allowed; a test computes them all");
    changed.scenario
}
