//! The edit of a drag as text: what a worker needs of it, instead of the whole scenario.

use std::rc::Rc;

use super::{Document, State};
use crate::shared::Shared;
use fairlane::ids::JobId;
use fairlane::scenario::edit::{Edit, Shift};
use fairlane::scenario::{Scenario, ScenarioError};

/// What is simulated, and how a worker gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// What is simulated.
    pub document: Shared<Document>,
    /// The document that a worker must have.
    pub base: Shared<Document>,
    /// The jobs that move in it, as text; `None`: the base is what is simulated.
    pub moves: Option<Rc<str>>,
}

impl Source {
    /// A document that is sent as a whole.
    pub fn whole(document: Shared<Document>) -> Source {
        Source { base: document.clone(), document, moves: None }
    }
}

impl State {
    /// The document as workers get it: in a drag of jobs the one at its start, and the moves.
    pub fn source(&self) -> Source {
        let moved =
            self.drag.as_ref().and_then(|drag| drag.moves()).filter(|(base, _)| **base != self.document);
        match moved {
            Some((base, moves)) => {
                Source { document: self.document.clone(), base: base.clone(), moves: Some(Rc::clone(moves)) }
            }
            None => Source::whole(self.document.clone()),
        }
    }
}

/// What [`Edit::Move`] contains. A worker that reads nothing but moves needs no reader of all edits.
type Move = (Vec<JobId>, Shift, i32);

/// An edit as text, if it moves jobs.
pub(super) fn text(edit: &Edit) -> Option<Rc<str>> {
    let Edit::Move { jobs, by, lanes } = edit else { return None };
    Some(serde_json::to_string(&(jobs, by, lanes)).expect("a list can be written").into())
}

/// A scenario after an edit as text; without any it stays as it is.
///
/// # Errors
/// What is wrong with the edit.
pub fn moved(scenario: &Scenario, edit: &str) -> Result<Scenario, ScenarioError> {
    match serde_json::from_str::<Move>(edit) {
        Ok((jobs, by, lanes)) => scenario.with(&Edit::Move { jobs, by, lanes }),
        Err(_) => Ok(scenario.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Action;
    use fairlane::catalog;

    #[test]
    fn a_worker_gets_the_moves_of_a_drag_and_makes_the_same_scenario() {
        let entry = catalog::find("two-users").expect("an entry");
        let state = State::new(Document::from_catalog(entry).into());
        assert_eq!(state.source(), Source::whole(state.document.clone()));
        let base = state.document.clone();
        let edit = Edit::Move { jobs: vec![JobId(1), JobId(0)], by: Shift(1_500_000), lanes: 1 };
        let dragged = state.reduce(Action::DragStart).reduce(Action::DragTo(edit));
        let Source { document, base: sent, moves } = dragged.source();
        let text = "[[1,0],1500000,1]";
        assert_eq!((&document, &sent, moves.as_deref()), (&dragged.document, &base, Some(text)));
        assert_eq!(moved(&sent.scenario, &moves.unwrap_or_default()).as_ref(), Ok(&*document.scenario));
        let back = dragged.reduce(Action::DragBack);
        assert_eq!(back.source(), Source::whole(base.clone()));
        let dropped = dragged.reduce(Action::DragCommit);
        assert_eq!(dropped.source(), Source::whole(dropped.document.clone()));
        assert_eq!(moved(&base.scenario, "").as_ref(), Ok(&*base.scenario));
        assert!(moved(&base.scenario, "[[99],1,0]").is_err());
    }

    #[test]
    fn other_edits_are_sent_as_a_whole() {
        let state = State::new(Document::blank().into());
        let dragged = state.reduce(Action::DragStart).reduce(Action::DragTo(Edit::AddStage(JobId(0))));
        assert_ne!(dragged.document, state.document);
        assert_eq!(dragged.source(), Source::whole(dragged.document.clone()));
    }
}
