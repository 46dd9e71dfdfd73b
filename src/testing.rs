//! Pages for the tests: a scenario of the catalog, and everything simulated as workers would.

use super::store::{Action, Document, State};
use crate::results::codec::analyze_here;
use fairlane::catalog;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;

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
        state.reduce(Action::Finished(state.revision, policy, Ok(analysis)))
    })
}
