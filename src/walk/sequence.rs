//! Whole sequences that readers go through, at every place of the page.

use super::{Step, Walk};
use crate::store::{
    Action, DocumentAction, Guide, Motion, PlaybackAction, PollAction, Predict, RunPhase, Tab, ViewAction,
};
use crate::testing::policy;
use fairlane::ids::{JobId, UserId};
use fairlane::scenario::edit::{Edit, ObjectPath, Shift};
use fairlane::units::Weight;
use fairlane_study::lesson::StepId;

/// Where a reader is, by the page and what is done first.
struct Place {
    name: &'static str,
    page: usize,
    /// Whether workers have answered.
    is_settled: bool,
    actions: Vec<Action>,
}

fn places() -> Vec<Place> {
    let moved = Edit::Move { jobs: vec![JobId(0)], by: Shift(500_000), lanes: 0 };
    let added = Edit::AddUser { name: "dragged".to_owned(), weight: Weight::ONE };
    let step = |fragment: &str| StepId::from_fragment(fragment).expect("a lesson").expect("a step");
    let lesson = Action::Guide(Guide::Start(step("lesson:fifo-and-fair/2")));
    let challenge = Action::Guide(Guide::Start(StepId::of_challenge(0)));
    let place = |name, page, is_settled, actions| Place { name, page, is_settled, actions };
    vec![
        place("at rest", 2, true, vec![]),
        place("simulating", 2, false, vec![]),
        place(
            "dragging a job",
            2,
            true,
            vec![
                Action::Document(DocumentAction::DragStart),
                Action::Document(DocumentAction::DragTo(moved)),
            ],
        ),
        place(
            "dragging a user in",
            2,
            true,
            vec![
                Action::Document(DocumentAction::DragStart),
                Action::Document(DocumentAction::DragTo(added)),
            ],
        ),
        place(
            "playing",
            2,
            true,
            vec![
                Action::Playback(PlaybackAction::Play(Motion::Playing)),
                Action::Playback(PlaybackAction::Tick(0.5)),
            ],
        ),
        place("predicting", 2, true, vec![Action::Predict(Predict::Start(policy("fair")))]),
        place("asking a class", 2, true, vec![Action::Poll(PollAction::Start(None))]),
        place("in a lesson", 2, true, vec![lesson]),
        place("in a challenge", 2, true, vec![challenge]),
        place("with a log", 7, true, vec![]),
        place("with queues and memory", 3, true, vec![]),
    ]
}

impl Walk {
    fn act(&mut self, action: Action) {
        let words = format!("{action:?}");
        self.take(&Step::Act(action))
            .unwrap_or_else(|why| panic!("{}: {why}", &words[..words.len().min(80)]));
    }

    /// Lets workers answer until the page waits for nothing.
    fn settle(&mut self) {
        let waits =
            |walk: &Walk| walk.state.runs.values().any(|run| matches!(run.phase, RunPhase::Pending(_)));
        for _ in 0..20 {
            if !waits(self) {
                return;
            }
            let count = self.requests.len();
            for newest in 0..count.min(8) {
                self.take(&Step::Answer(newest)).unwrap_or_else(|why| panic!("{why}"));
            }
        }
        assert!(!waits(self), "nothing answers");
    }

    fn users(&self) -> usize {
        self.state.document.scenario.users().len()
    }
}

#[test]
fn a_user_comes_is_renamed_and_goes_wherever_the_reader_is() {
    for Place { name, page, is_settled, actions } in places() {
        println!("{name}");
        let mut walk = Walk::new(page);
        if is_settled {
            walk.settle();
        }
        actions.into_iter().for_each(|action| walk.act(action));
        for (tab, _) in Tab::WORDS {
            walk.act(Action::View(ViewAction::Show(tab)));
            let users = walk.users();
            let title = walk.state.document.scenario.free_user_name();
            walk.act(Action::Document(DocumentAction::Edit(Edit::AddUser {
                name: title,
                weight: Weight::ONE,
            })));
            assert_eq!(walk.users(), users + 1, "{name}");
            let last = UserId(users as u32);
            walk.act(Action::Document(DocumentAction::EditField(Edit::set(
                ObjectPath::User(last),
                "name",
                format!("new {tab:?}"),
            ))));
            if is_settled {
                walk.settle();
            }
            walk.act(Action::Document(DocumentAction::Edit(Edit::RemoveUser(last))));
            assert_eq!(walk.users(), users, "{name}");
        }
        for round in 0..200 {
            walk.act(Action::View(ViewAction::Show(Tab::WORDS[round % Tab::WORDS.len()].0)));
            walk.act(Action::Document(DocumentAction::Undo));
            if round % 10 == 0 {
                walk.settle();
            }
            walk.act(Action::Document(DocumentAction::Redo));
        }
        // The page still plays and undoes.
        walk.act(Action::Guide(Guide::Stay));
        walk.act(Action::Predict(Predict::Leave));
        walk.settle();
        walk.act(Action::Playback(PlaybackAction::Play(Motion::Playing)));
        assert_eq!(walk.state.playback.motion, Motion::Playing, "{name}");
        let now = walk.state.document.clone();
        walk.act(Action::Document(DocumentAction::Undo));
        assert_ne!(walk.state.document, now, "{name}");
    }
}

/// All that a log says of its users stays beside them, whatever the page has.
#[test]
fn a_log_with_other_users_is_no_longer_compared_with() {
    let mut walk = Walk::new(7);
    walk.settle();
    assert_ne!(walk.state.replay_error(), None);
    walk.act(Action::Document(DocumentAction::Edit(Edit::AddUser {
        name: "zoe".to_owned(),
        weight: Weight::ONE,
    })));
    assert_eq!((walk.state.replay_error(), walk.state.document.log.is_none()), (None, true));
}
