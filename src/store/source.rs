//! What workers need to simulate: in a drag its edit, instead of the whole scenario.

use std::rc::Rc;

use super::{Approvals, Document, State, UNAPPROVED};
use crate::results::shared::Shared;
use fairlane::policy::PolicyId;
use fairlane::scenario::Edit;

/// What is simulated, and how a worker gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationInput {
    /// What is simulated.
    pub document: Shared<Document>,
    /// The document that a worker must have.
    pub base: Shared<Document>,
    /// What is changed in it; `None`: the base is what is simulated.
    pub edit: Option<Rc<Edit>>,
    /// The programs that may run.
    pub approvals: Approvals,
}

/// A policy that may run on a version of the scenario. Whatever has something simulated or measured has to show one, and
/// [`SimulationInput::admit`] alone makes them: a place that asks nobody does not compile.
#[derive(Clone, Debug, PartialEq)]
pub struct Admitted {
    policy: PolicyId,
    source: SimulationInput,
}

impl Admitted {
    /// The policy.
    pub fn policy(&self) -> PolicyId {
        self.policy
    }

    /// What it runs on.
    pub fn source(&self) -> &SimulationInput {
        &self.source
    }
}

impl SimulationInput {
    /// A document that is sent as a whole.
    pub fn whole(document: Shared<Document>, approvals: Approvals) -> SimulationInput {
        SimulationInput { base: document.clone(), document, edit: None, approvals }
    }

    /// The gate before every simulation and measurement.
    ///
    /// # Errors
    /// [`UNAPPROVED`], if the policy is a program that the reader has not let run.
    pub fn admit(&self, policy: PolicyId) -> Result<Admitted, &'static str> {
        match self.approvals.permit(&self.document, policy.kind) {
            true => Ok(Admitted { policy, source: self.clone() }),
            false => Err(UNAPPROVED),
        }
    }
}

impl State {
    /// The document as workers get it: in a drag the one at its start, and the edit.
    pub fn source(&self) -> SimulationInput {
        let dragged =
            self.drag.as_ref().and_then(|drag| drag.edit()).filter(|(base, _)| **base != self.document);
        match dragged {
            Some((base, edit)) => SimulationInput {
                document: self.document.clone(),
                base: base.clone(),
                edit: Some(Rc::clone(edit)),
                approvals: self.approvals.clone(),
            },
            None => SimulationInput::whole(self.document.clone(), self.approvals.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::codec::{from_bytes, to_bytes};
    use crate::store::DocumentAction;
    use crate::testing::page;
    use fairlane::ids::JobId;
    use fairlane::scenario::edit::{ObjectPath, Shift};

    #[test]
    fn a_worker_gets_the_edit_of_a_drag_and_makes_the_same_scenario() {
        let state = page("two-users");
        let base = state.document.clone();
        let whole =
            |document: &Shared<Document>| SimulationInput::whole(document.clone(), Approvals::default());
        assert_eq!(state.source(), whole(&base));
        let moved = Edit::Move { jobs: vec![JobId(1), JobId(0)], by: Shift(1_500_000), lanes: 1 };
        let set = Edit::set(ObjectPath::Job(JobId(0)), "arrival_s", 1.25);
        for edit in [moved, set] {
            let dragged = state.reduce(DocumentAction::DragStart).reduce(DocumentAction::DragTo(edit));
            let SimulationInput { document, base: sent, edit, .. } = dragged.source();
            assert_eq!((&document, &sent), (&dragged.document, &base));
            let received: Option<Edit> = from_bytes(&to_bytes(&edit.as_deref())).expect("bytes of an edit");
            let received = received.expect("an edit");
            assert_eq!(sent.scenario.with(&received).as_ref(), Ok(&*document.scenario));
            let back = dragged.reduce(DocumentAction::DragBack);
            assert_eq!(back.source(), whole(&base));
            let dropped = dragged.reduce(DocumentAction::DragCommit);
            assert_eq!(dropped.source(), whole(&dropped.document));
        }
    }
}
