use super::*;
use crate::store::{Direction, DocumentAction, Future, Guide, PlaybackAction, UiAction, ViewAction};
use crate::testing::{self, policy, settled};
use fairlane_study::lesson::StepId;
use fairlane_view::link::{LinkBounds, Session};

/// A page whose schedules are there.
fn page(name: &str) -> State {
    settled(testing::page(name))
}

/// What the card does after an action: it reports the decision that is looked for.
fn after(state: &State, action: Action) -> State {
    let state = state.reduce(action);
    let Some(quiz) = &state.predict else { return state };
    let Some(analysis) = state.runs[&quiz.policy].analysis.clone() else { return state };
    match quiz.turn.found(&analysis, state.view.playhead) {
        Some(found) => state.reduce(Predict::Found(found)),
        None => state,
    }
}

fn turn(state: &State) -> PredictTurn {
    state.predict.as_ref().expect("predictions").turn
}

fn asked(state: &State) -> PredictDecision {
    match turn(state) {
        PredictTurn::Asked(decision) => decision,
        turn => panic!("{turn:?}"),
    }
}

/// The state after an answer.
fn answered(state: &State, is_right: bool) -> State {
    let quiz = state.predict.as_ref().expect("predictions");
    let analysis = state.runs[&quiz.policy].analysis.clone().expect("a schedule");
    let job = analysis.trace.tasks[asked(state).task].job;
    after(state, Action::Predict(Predict::Answer { job, is_right }))
}

#[test]
fn the_schedule_stops_at_each_decision_and_right_answers_are_counted() {
    let fair = policy("fair");
    let mut state = after(&page("two-users"), Action::Predict(Predict::Start(fair)));
    let first = asked(&state);
    assert_eq!((state.view.playhead, state.future()), (first.at, Future::Secret));
    let mut launched = first.task;
    for is_right in [true, false, true] {
        state = answered(&state, is_right);
        // A second thought changes nothing.
        let quiz = state.predict.clone();
        assert_eq!(state.reduce(Predict::Answer { job: JobId(0), is_right: true }).predict, quiz);
        state = after(&state, Action::Predict(Predict::Next));
        assert!(asked(&state).task > launched && state.view.playhead == asked(&state).at);
        launched = asked(&state).task;
    }
    let score = PredictScore { right: 2, answers: 3 };
    assert_eq!(state.predict.as_ref().expect("predictions").scores(), [(fair, score)].into());
    // Another policy has a score of its own; what is only looked at is not counted.
    state = after(&state, Action::Predict(Predict::Start(policy("uwfq"))));
    state = answered(&state, false);
    state = after(&state, Action::Predict(Predict::Next));
    state = after(&state, Action::Predict(Predict::Reveal));
    assert!(matches!(turn(&state), PredictTurn::Answered(_, None)));
    let scores = state.predict.as_ref().expect("predictions").scores();
    assert_eq!(scores[&fair], score);
    assert_eq!(scores[&policy("uwfq")], PredictScore { right: 0, answers: 1 });
    // A page that starts again remembers them as text.
    let text = state.predict.as_ref().expect("predictions").answers_to_text();
    let again = after(&page("two-users"), Action::Predict(Predict::Start(fair)));
    let again = again.reduce(Action::Answers(Quiz::answers_from(&format!("{text} fair:x=1 :"))));
    assert_eq!(again.predict.as_ref().expect("predictions").scores(), scores);
    let started = page("two-users").reduce(Predict::Start(fair));
    let started = after(&started, Action::Answers(Quiz::answers_from(&text)));
    let started = after(&started, Action::Ui(UiAction::CloseNotice));
    assert_eq!(asked(&started).task, launched, "the first decision that was not predicted");
    let left = state.reduce(Predict::Leave);
    assert_eq!((left.predict.is_none(), left.future()), (true, Future::Shown));
}

#[test]
fn playing_stops_at_the_next_decision_and_not_before_an_answer() {
    let state = after(&page("two-users"), Action::Predict(Predict::Start(policy("fair"))));
    let held = after(&state, Action::Playback(PlaybackAction::PlayPause));
    assert_eq!((held.playback.motion, held.view.playhead), (Motion::Paused, state.view.playhead));
    assert!(matches!(held.ui.toast, Some(Toast::Done(_))), "the reader is told what to do first");
    let mut state = answered(&state, true);
    for _ in 0..5 {
        let before = asked_at(&state);
        state = after(&state, Action::Playback(PlaybackAction::PlayPause));
        for _ in 0..10_000 {
            if !matches!(turn(&state), PredictTurn::Ahead(_)) {
                break;
            }
            state = after(&state, Action::Playback(PlaybackAction::Tick(0.016)));
        }
        let decision = asked(&state);
        assert!(
            decision.at >= before
                && state.view.playhead == decision.at
                && state.playback.motion == Motion::Paused
        );
        state = answered(&state, true);
    }
}

fn asked_at(state: &State) -> Time {
    match turn(state) {
        PredictTurn::Answered(decision, _) => decision.at,
        turn => panic!("{turn:?}"),
    }
}

#[test]
fn a_playhead_that_the_reader_moves_stays_where_it_is() {
    let state = after(&page("two-users"), Action::Predict(Predict::Start(policy("fair"))));
    let first = asked(&state);
    let back = after(&state, Action::Playback(PlaybackAction::Seek(Time(first.at.0 - 1))));
    assert_eq!((back.view.playhead, turn(&back)), (Time(first.at.0 - 1), PredictTurn::Ahead(first)));
    let there = after(&back, Action::Predict(Predict::Next));
    assert_eq!(asked(&there), first);
    assert_eq!(
        turn(&after(&back, Action::Playback(PlaybackAction::Seek(first.at)))),
        PredictTurn::Asked(first)
    );
    let stepped = after(&state, Action::Playback(PlaybackAction::Step(Direction::Forward)));
    assert!(
        stepped.view.playhead > first.at
            && matches!(turn(&stepped), PredictTurn::Ahead(_) | PredictTurn::Asked(_))
    );
    // Behind the last decision there is nothing to predict, and nothing is hidden.
    let end = after(&state, Action::Playback(PlaybackAction::Seek(state.end())));
    assert_eq!((turn(&end), end.future()), (PredictTurn::Over, Future::Shown));
}

#[test]
fn an_edit_starts_again_and_other_things_end_the_predictions() {
    let page = page("two-users");
    let state = answered(&after(&page, Action::Predict(Predict::Start(policy("fair")))), true);
    let edit = fairlane::scenario::Edit::set(fairlane::scenario::edit::ObjectPath::Scenario, "name", "mine");
    let edited = state.reduce(DocumentAction::Edit(edit));
    assert!(edited.predict.as_ref().expect("predictions").scores().is_empty());
    assert_eq!(turn(&edited), PredictTurn::Moved);
    let other = state.reduce(ViewAction::Toggle(policy("fair")));
    assert_eq!(other.predict.as_ref().map(|quiz| quiz.policy), other.panels().first().copied());
    assert_eq!(state.reduce(ViewAction::Policies([].into())).predict, None);
    assert_eq!(state.reduce(PlaybackAction::HideFuture(false)).predict, None);
    assert_eq!(state.reduce(Guide::Start(StepId::first(0))).predict, None);
}

#[test]
fn a_link_sets_predictions_as_homework() {
    let state = after(&page("two-users"), Action::Predict(Predict::Start(policy("uwfq"))));
    let text = state.session().to_text(&LinkBounds::LINK).expect("a short link");
    assert!(text.contains("&predict=uwfq"), "{text}");
    let session = Session::from_text(&text, &LinkBounds::LINK).expect("a sound link");
    let homework = State::from_session(session);
    assert_eq!(turn(&homework), PredictTurn::Sought(After::Playhead));
    assert_eq!(homework.future(), Future::Secret);
    let homework = settled(homework);
    let analysis = homework.runs[&policy("uwfq")].analysis.clone().expect("a schedule");
    let found = turn(&homework).found(&analysis, homework.view.playhead).expect("a search");
    let homework = homework.reduce(Predict::Found(found));
    assert_eq!(asked(&homework), asked(&state));
    // Written by hand, its policy is ticked.
    let session =
        Session::from_text("catalog:skew&policies=fair&predict=cfq", &LinkBounds::LINK).expect("a link");
    assert!(State::from_session(session).runs.contains_key(&policy("cfq")));
}
