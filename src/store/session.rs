//! Between the page's state and its session, which the browser stores and links contain.

use std::rc::Rc;

use super::{
    Document, DocumentCondition, FutureWish, ImportedLog, KeptVersion, Playback, Quiz, Record, SideSheet,
    State, Tab, Ui, View,
};
use crate::results::shared::Shared;
use fairlane::policy::{OBSERVED, PolicyId};
use fairlane_study::lesson::StepId;
use fairlane_view::link::{LinkBounds, LinkError, Session};

impl State {
    /// What is stored of the page: the scenario, the ticked policies, the playhead and the zoom.
    pub fn session(&self) -> Session {
        Session {
            scenario: (*self.document.scenario).clone(),
            origin: self.document.origin.clone(),
            view: self.shared_view(),
            predict: self.predicted(),
            challenge: self.challenge().and_then(StepId::challenge_id).map(str::to_owned),
            log: self.document.log.as_ref().map(|log| log.link(&self.document.scenario)),
        }
    }

    /// The page as the browser stores it: its session and, in a line below, the record under *Mine* that it writes to.
    /// In one text, so that a scenario is never stored with another one's record.
    ///
    /// # Errors
    /// The page is too large.
    pub fn to_stored(&self) -> Result<String, LinkError> {
        Ok(stored(&self.session().to_text(&LinkBounds::STORAGE)?, &self.document.record))
    }

    /// A page as the browser has stored it. A damaged record is none: the next change begins another one.
    ///
    /// # Errors
    /// What is wrong with its session.
    pub fn from_stored(text: &str) -> Result<State, LinkError> {
        let session = text.split('\n').next().unwrap_or_default();
        let state = State::from_session(Session::from_text(session, &LinkBounds::STORAGE)?);
        if let Some(record) = stored_record(text) {
            state.document.record.set(record);
        }
        Ok(state)
    }

    /// The policy whose decisions the reader is asked to predict, if a link can name it.
    pub fn predicted(&self) -> Option<PolicyId> {
        self.predict.as_ref().map(|quiz| quiz.policy).filter(|policy| *policy != OBSERVED)
    }

    /// What is shown, as far as a link carries it.
    fn shared_view(&self) -> View {
        let tab = if self.ui.sheet == SideSheet::Unfolded { self.view.tab } else { Tab::default() };
        // The schedule that a log recorded is nothing that a link names.
        let hides_future = self.playback.wish == FutureWish::Hidden;
        let asks = self.asked_of_class();
        View { tab, hides_future, asks, ..self.view.clone() }.with_policies(|policy| *policy != OBSERVED)
    }

    /// A page from a session.
    pub fn from_session(session: Session) -> State {
        let mut document = Document::new(session.scenario, session.origin);
        let linked = |known| Rc::new(ImportedLog::linked(known, document.scenario.clone()));
        document.log = session.log.map(linked);
        let changed = document.entry().is_some_and(|entry| entry.scenario() != *document.scenario);
        let condition = if changed { DocumentCondition::Edited } else { DocumentCondition::Pristine };
        let document = document.in_condition(condition);
        let mut view = session.view;
        view.policies.extend(session.predict);
        let hides = std::mem::take(&mut view.hides_future);
        let asks = view.asks.take();
        let wish = if hides { FutureWish::Hidden } else { FutureWish::default() };
        let sheet = if view.tab == Tab::default() { SideSheet::Folded } else { SideSheet::Unfolded };
        State {
            ui: Ui { sheet, ..Ui::default() },
            playback: Playback { wish, ..Playback::default() },
            view,
            predict: session.predict.map(Quiz::new),
            ..State::new(Shared::new(document))
        }
        .with_poll(asks)
    }
}

/// The record of a page as the browser has stored it, without reading the page.
pub fn stored_record(text: &str) -> Option<KeptVersion> {
    text.split_once('\n')?.1.parse().ok()
}

/// A session as it is stored with the record of its scenario.
pub fn stored(session: &str, record: &Record) -> String {
    match record.get() {
        Some(record) => format!("{session}\n{record}"),
        None => session.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{
        Action, Card, Direction, DisplayMode, DocumentAction, Guide, Heights, InspectorPart, KeptVersion,
        PlaybackAction, Stamp, ViewAction,
    };
    use crate::testing::{page, policy, recorded_log, settled};
    use fairlane::scenario::edit::{Edit, ObjectPath, Shift};
    use fairlane::units::Time;
    use fairlane_view::link::LinkBounds;

    #[test]
    fn a_future_that_is_hidden_is_hidden_where_the_link_is_opened() {
        let hidden = settled(page("two-users")).reduce(PlaybackAction::HideFuture(true));
        let text = hidden.session().to_text(&LinkBounds::LINK).expect("a short link");
        assert!(text.contains("&future=hidden"), "{text}");
        let session = Session::from_text(&text, &LinkBounds::LINK).expect("a sound link");
        let opened = settled(State::from_session(session));
        assert!(opened.future().is_hidden());
        assert!(!opened.reduce(PlaybackAction::HideFuture(false)).session().view.hides_future);
    }

    #[test]
    fn a_saved_page_is_restored() {
        let edit = Edit::Move { jobs: vec![fairlane::ids::JobId(12)], by: Shift(700_000), lanes: 0 };
        let page =
            page("two-users").reduce(DocumentAction::Edit(edit)).reduce(ViewAction::Toggle(policy("cfq-p")));
        let page = page
            .reduce(ViewAction::Heights(Heights::Fit))
            .reduce(ViewAction::VirtualTime(Some(policy("uwfq"))));
        let page = page.reduce(ViewAction::Collapse(policy("fair"))).reduce(ViewAction::Fold(policy("cfq")));
        let page = page.reduce(ViewAction::MovePanel(policy("uwfq"), Direction::Back));
        let mut page = page.reduce(ViewAction::Show(Tab::Inspector(InspectorPart::Why)));
        page.view = View { playhead: Time(300_000), mode: DisplayMode::Present, ..page.view };
        let text = page.session().to_text(&LinkBounds::LINK).expect("a short link");
        let again = State::from_session(Session::from_text(&text, &LinkBounds::LINK).expect("a sound link"));
        assert_eq!(again.session(), page.session());
        assert_eq!((again.panels(), again.view.heights), (page.panels(), Heights::Fit));
        assert_eq!(again.document.condition, DocumentCondition::Edited);
        assert!(again.runs.contains_key(&policy("cfq-p")));
    }

    /// Whoever follows a link to a log reads of the same user, the same error and the same means.
    #[test]
    fn a_link_to_a_log_has_what_it_says_of_its_users() {
        let page = settled(
            State::new(Shared::new(Document::blank()))
                .reduce(DocumentAction::Open(Shared::new(recorded_log()))),
        );
        let known = |state: &State| state.document.log.as_ref().map(|log| log.known.clone());
        let send = |state: &State| {
            let text = state.session().to_text(&LinkBounds::LINK).expect("a short link");
            settled(State::from_session(Session::from_text(&text, &LinkBounds::LINK).expect("a sound link")))
        };
        let sent = send(&page);
        assert_eq!(known(&sent), known(&page));
        assert_eq!(sent.worst_served(), page.worst_served());
        assert!(page.worst_served().is_some() && !sent.runs.contains_key(&OBSERVED));
        // On another cluster the simulated figures are no longer the log's, and a second link still says so.
        let larger = page.reduce(DocumentAction::Edit(Edit::set(ObjectPath::Cluster, "executors", 7)));
        let again = send(&send(&larger));
        let is_unchanged = |state: &State| {
            state.document.log.as_ref().is_some_and(|log| log.is_unchanged(&state.document.scenario))
        };
        assert_eq!((is_unchanged(&sent), is_unchanged(&again)), (true, false));
        // Other jobs are no longer the log's.
        let moved = edit(&sent);
        assert!(moved.document.log.is_none() && moved.document.left_log);
        assert_eq!(moved.session().log, None);
    }

    fn edit(state: &State) -> State {
        let jobs = vec![fairlane::ids::JobId(0)];
        state.reduce(DocumentAction::Edit(Edit::Move { jobs, by: Shift(700_000), lanes: 0 }))
    }

    fn kept(state: &State) -> Option<u64> {
        state.document.record.get().map(|record| record.id)
    }

    /// The page with its scenario kept, as it is a moment after a change.
    fn keep(state: State, id: u64) -> State {
        state.document.record.set(KeptVersion::read(id, Stamp { writer: 1, count: 0 }));
        state
    }

    /// Only the page that a record was restored into writes to it; a link to the very same scenario begins another.
    #[test]
    fn a_record_is_restored_with_its_page_and_comes_with_nothing_else() {
        let state = keep(edit(&page("two-users")), 7);
        let restored = State::from_stored(&state.to_stored().expect("a small page")).expect("a sound text");
        assert_eq!((kept(&restored), restored.session()), (Some(7), state.session()));
        assert_eq!(kept(&edit(&restored)), Some(7));
        let link = state.session().to_text(&LinkBounds::LINK).expect("a short link");
        let opened = State::from_session(Session::from_text(&link, &LinkBounds::LINK).expect("a sound link"));
        assert_eq!((kept(&opened), kept(&edit(&opened))), (None, None));
        for other in [
            Action::Document(DocumentAction::New),
            Action::Document(DocumentAction::Open(page("skew").document)),
            Action::Document(DocumentAction::OpenRecording),
        ] {
            let elsewhere = restored.reduce(other.clone());
            if elsewhere.document != restored.document {
                assert_eq!(kept(&edit(&elsewhere)), None, "{other:?}");
                assert_eq!(kept(&elsewhere.reduce(DocumentAction::Undo)), Some(7), "{other:?}, undone");
            }
        }
    }

    /// A lesson or a challenge over the reader's work begins a record of its own, and leads back to the reader's.
    #[test]
    fn lessons_and_challenges_leave_the_readers_record_alone() {
        let state = keep(edit(&page("two-users")), 7);
        for fragment in ["lesson:skew/2", "challenge:lie"] {
            let at = StepId::from_fragment(fragment).expect("a link").expect("a step");
            let lesson = state.reduce(Guide::Start(at));
            let played = edit(&lesson);
            assert_eq!((kept(&lesson), kept(&played)), (None, None), "{fragment}");
            let played = keep(played, 8);
            let before = played.lessons.tour.as_ref().expect("a lesson").before();
            assert_eq!(kept(before), Some(7));
            let before = State::from_stored(&before.to_stored().expect("small")).expect("sound");
            let reloaded = State::from_stored(&played.to_stored().expect("small")).expect("sound");
            let again = reloaded.resumed(at, Card::Open, &before);
            assert_eq!(kept(&again), Some(8));
            assert_eq!(kept(&again.reduce(Guide::Return)), Some(7), "{fragment}");
        }
    }

    #[test]
    fn all_versions_of_a_scenario_have_one_record() {
        let first = page("two-users");
        let second = edit(&first);
        let third = keep(edit(&second), 7);
        let undone = third.reduce(DocumentAction::Undo).reduce(DocumentAction::Undo);
        assert_eq!([kept(&undone), kept(&edit(&undone)), kept(&second)], [Some(7); 3]);
    }

    /// A page whose record cannot be read is restored; it begins another one.
    #[test]
    fn a_damaged_record_costs_no_page() {
        let text = keep(edit(&page("two-users")), 7).to_stored().expect("a small page");
        let session = text.lines().next().expect("a session");
        for damaged in [
            session.to_owned(),
            format!("{session}\n"),
            format!("{session}\nrecord 7"),
            format!("{session}\n\n"),
        ] {
            let restored = State::from_stored(&damaged).expect("a sound session");
            assert_eq!(kept(&restored), None, "{damaged}");
            assert_eq!(restored.document.condition, DocumentCondition::Edited);
        }
        assert!(State::from_stored(&text[1..]).is_err());
    }
}
