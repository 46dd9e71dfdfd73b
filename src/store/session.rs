//! Between the page's state and its session, which the browser stores and links contain.

use super::{Display, Document, DocumentCondition, Mark, Quiz, SideSheet, State, Tab};
use crate::shared::Shared;
use fairlane_study::lesson::StepId;
use fairlane_view::link::Session;

impl State {
    /// What is stored of the page: the scenario, the ticked policies, the playhead and the zoom.
    pub fn session(&self) -> Session {
        Session {
            scenario: (*self.document.scenario).clone(),
            origin: self.document.origin.clone(),
            policies: self.ticked.clone(),
            playhead: self.playhead,
            window: self.window,
            display: self.display(),
        }
    }

    /// How the schedules are shown, as far as a link carries it.
    pub fn display(&self) -> Display {
        Display {
            chosen: self.chosen.clone(),
            colouring: self.colouring,
            marks: (self.marks != Mark::suiting(self.document.entry())).then(|| self.marks.clone()),
            tab: if self.sheet == SideSheet::Unfolded { self.tab } else { Tab::default() },
            mode: self.mode,
            heights: self.heights,
            order: self.order.clone(),
            collapsed: self.collapsed.clone(),
            apart: self.apart.clone(),
            virtual_time: self.virtual_time,
            predict: self.predict.as_ref().map(|quiz| quiz.policy),
            challenge: self.challenge().and_then(StepId::challenge_id).map(str::to_owned),
        }
    }

    /// A page from a session.
    pub fn from_session(session: Session) -> State {
        let document = Document::new(session.scenario, session.origin);
        let changed = document.entry().is_some_and(|entry| entry.scenario() != *document.scenario);
        let condition = if changed { DocumentCondition::Edited } else { DocumentCondition::Pristine };
        let document = document.in_condition(condition);
        let display = session.display;
        let marks = display.marks.unwrap_or_else(|| Mark::suiting(document.entry()));
        let mut ticked = session.policies;
        ticked.extend(display.predict);
        State {
            ticked,
            playhead: session.playhead,
            window: session.window,
            chosen: display.chosen,
            colouring: display.colouring,
            marks,
            tab: display.tab,
            sheet: if display.tab == Tab::default() { SideSheet::Folded } else { SideSheet::Unfolded },
            mode: display.mode,
            heights: display.heights,
            order: display.order,
            collapsed: display.collapsed,
            apart: display.apart,
            virtual_time: display.virtual_time,
            predict: display.predict.map(Quiz::new),
            ..State::new(Shared::new(document))
        }
        .with_runs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Action, Direction, DisplayMode, Heights};
    use crate::testing::{page, policy};
    use fairlane::scenario::edit::{Edit, Shift};
    use fairlane::units::Time;
    use fairlane_view::link::LinkBounds;

    #[test]
    fn a_saved_page_is_restored() {
        let edit = Edit::Move { jobs: vec![fairlane::ids::JobId(12)], by: Shift(700_000), lanes: 0 };
        let page = page("two-users").reduce(Action::Edit(edit)).reduce(Action::Toggle(policy("cfq-p")));
        let page =
            page.reduce(Action::Heights(Heights::Fit)).reduce(Action::VirtualTime(Some(policy("uwfq"))));
        let page = page.reduce(Action::Collapse(policy("fair"))).reduce(Action::Fold(policy("cfq")));
        let page = page.reduce(Action::MovePanel(policy("uwfq"), Direction::Back));
        let page = State {
            playhead: Time(300_000),
            tab: Tab::Why,
            sheet: SideSheet::Unfolded,
            mode: DisplayMode::Present,
            ..page
        };
        let text = page.session().to_text(&LinkBounds::LINK).expect("a short link");
        let again = State::from_session(Session::from_text(&text, &LinkBounds::LINK).expect("a sound link"));
        assert_eq!(again.session(), page.session());
        assert_eq!((again.panels(), again.heights), (page.panels(), Heights::Fit));
        assert_eq!(again.document.condition, DocumentCondition::Edited);
        assert!(again.runs.contains_key(&policy("cfq-p")));
    }
}
