//! Between the page's state and its session, which the browser stores and links contain.

use super::{Condition, Display, Document, State};
use crate::app::shared::Shared;
use crate::link::Session;

impl State {
    /// What is stored of the page: the scenario, the ticked policies, the playhead and the zoom.
    pub fn session(&self) -> Session {
        Session {
            scenario: (*self.document.scenario).clone(),
            origin: self.document.origin.clone(),
            policies: self.ticked.clone(),
            playhead: self.playhead,
            window: self.window,
            display: Display {
                chosen: self.chosen.clone(),
                colouring: self.colouring,
                marks: self.marks.clone(),
                tab: self.tab,
                mode: self.mode,
            },
        }
    }

    /// A page from a session.
    pub fn from_session(session: Session) -> State {
        let document = Document::new(session.scenario, session.origin);
        let changed = document.entry().is_some_and(|entry| entry.scenario() != *document.scenario);
        let condition = if changed { Condition::Edited } else { Condition::Pristine };
        let document = document.in_condition(condition);
        State {
            ticked: session.policies,
            playhead: session.playhead,
            window: session.window,
            chosen: session.display.chosen,
            colouring: session.display.colouring,
            marks: session.display.marks,
            tab: session.display.tab,
            mode: session.display.mode,
            ..State::new(Shared::new(document))
        }
        .with_runs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::store::{Action, Mode, Tab};
    use crate::catalog;
    use crate::link::Bounds;
    use crate::scenario::edit::{Edit, Shift};
    use crate::units::Time;

    #[test]
    fn a_saved_page_is_restored() {
        let entry = catalog::find("two-users").expect("an entry");
        let page = State::new(Shared::new(Document::from_catalog(entry)));
        let edit = Edit::Move { jobs: vec![crate::ids::JobId(12)], by: Shift(700_000), lanes: 0 };
        let page = page.reduce(Action::Edit(edit)).reduce(Action::Toggle("cfq-p".parse().expect("a policy")));
        let page = State { playhead: Time(300_000), tab: Tab::Why, mode: Mode::Present, ..page };
        let text = page.session().to_text(&Bounds::LINK).expect("a short link");
        let again = State::from_session(Session::from_text(&text, &Bounds::LINK).expect("a sound link"));
        assert_eq!(again.session(), page.session());
        assert_eq!(again.document.condition, Condition::Edited);
        assert!(again.runs.contains_key(&"cfq-p".parse().expect("a policy")));
    }
}
