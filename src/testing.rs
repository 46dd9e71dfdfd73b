//! Pages for the tests: a scenario of the catalog, and everything simulated as workers would.

use std::rc::Rc;

use super::store::{Document, ImportedLog, LogReport, LogRules, ReadLog, RunAction, State};
use crate::results::codec::{analyze_here, observed_here};
use crate::results::shared::Shared;
use fairlane::catalog;
use fairlane::policy::{OBSERVED, PolicyId};
use fairlane::scenario::Scenario;
use fairlane_import::spark::{LogSimulation, LogSimulations};
use fairlane_view::link::Origin;

pub fn policy(name: &str) -> PolicyId {
    name.parse().expect("a policy")
}

pub fn scenario(name: &str) -> Scenario {
    catalog::find(name).expect("an entry").scenario()
}

pub fn page(name: &str) -> State {
    State::new(Document::from_catalog(catalog::find(name).expect("an entry")).into())
}

/// The page with all results that it waits for.
pub fn settled(state: State) -> State {
    state.view.policies.clone().into_iter().fold(state, |state, policy| {
        let analysis = analyze_here(&state.document.scenario, policy);
        state.reduce(RunAction::Finished(state.revision, policy, Ok(analysis)))
    })
}

/// A log whose schedule is that of FIFO.
pub fn recorded_log() -> Document {
    let fifo = policy("fifo");
    let scenario = Shared::new(scenario("priority-inversion"));
    let simulated = fairlane::simulate(&scenario, fifo);
    let simulation = LogSimulation::new(&simulated, &simulated).expect("jobs that ended");
    let simulations = LogSimulations { replay: simulation.clone(), scenario: simulation };
    let mut observed = simulated;
    observed.policy = OBSERVED;
    let read = ReadLog {
        number: 0,
        rules: LogRules::default(),
        analysis: observed_here(&scenario, observed),
        report: LogReport { simulations: Some(simulations), ..LogReport::default() },
        ties: [0; 2],
    };
    let log = ImportedLog::new(read, fifo);
    let mut document = Document::new((*scenario).clone(), Origin::File("app.zstd".to_owned()));
    document.log = Some(Rc::new(log));
    document
}
