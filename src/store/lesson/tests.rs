//! Lessons in the store: what a step sets up, and that nothing of the reader's is lost.

mod opened;

use std::rc::Rc;

use super::*;
use crate::results::codec::{analyze_here, observed_here};
use crate::store::{
    Action, AnswerShown, DocumentAction, ImportedLog, InspectorPart, JobChoice, LogReport, LogRules,
    PlaybackAction, REVEAL_S, ReadLog, RunAction, Tab, ViewAction,
};
use crate::testing::{self, policy};
use fairlane::engine::Control;
use fairlane::ids::JobId;
use fairlane::policy::OBSERVED;
use fairlane::scenario::Edit;
use fairlane::units::{Span, Time};
use fairlane_import::spark;
use fairlane_study::lesson::document::LessonScene;
use fairlane_study::lesson::{RECORDING, lessons};
use fairlane_view::link::Origin;

fn step(fragment: &str) -> StepId {
    StepId::from_fragment(fragment).expect("a lesson").expect("a step")
}

fn go(state: &State, fragment: &str) -> State {
    state.reduce(Guide::Start(step(fragment)))
}

/// The recorded run as a worker would have made it.
fn recorded() -> Shared<Document> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/fairlane-import/tests/data/spark/multi-fair.gz");
    let mut log = spark::Log::default();
    log.read(RECORDING, std::fs::read(file).expect("a file").as_slice()).expect("a log");
    let options = spark::ImportOptions { driver_time: spark::DriverTime::Stage, ..Default::default() };
    let import = log.import(&options).expect("tasks");
    let cluster = &import.report.cluster;
    let ties = cluster.ties.map(|ties| [ties.ties, ties.to_first]).expect("fair pools");
    let scheduler = cluster.ran_with.parse().expect("a policy");
    let simulations = import.simulations(scheduler, &mut |_| Control::Continue).expect("nobody stops it");
    let unnamed = import.report.users.unnamed();
    let report = LogReport { simulations, unnamed, ..LogReport::default() };
    let mut document = Document::new(import.scenario, Origin::File(RECORDING.to_owned()));
    let analysis = observed_here(&document.scenario, import.observed);
    let read = ReadLog { number: 0, rules: LogRules::recording(), analysis, report, ties };
    document.log = Some(Rc::new(ImportedLog::new(read, scheduler)));
    Shared::new(document)
}

fn edit() -> Action {
    Action::Document(DocumentAction::Edit(Edit::advisory_task_runtime(Span(123_000))))
}

/// A reader's page: an edited scenario, a policy more, a chosen job, the playhead somewhere.
fn page() -> State {
    let page = testing::page("skew").reduce(edit()).reduce(ViewAction::Toggle(policy("fair")));
    let page = page.reduce(ViewAction::Choose(JobId(0), JobChoice::Only));
    let page = page.reduce(ViewAction::Show(Tab::Inspector(InspectorPart::Edit)));
    page.reduce(PlaybackAction::Seek(Time(250_000)))
}

/// What the reader sees of a page.
fn seen(state: &State) -> impl PartialEq + std::fmt::Debug + use<> {
    let scenario = (*state.document.scenario).clone();
    (scenario, state.view.clone(), state.question, state.pair)
}

fn every_step() -> impl Iterator<Item = StepId> {
    let firsts = (0..lessons().len()).map(StepId::first);
    firsts.flat_map(|first| (0..first.lesson().steps.len()).map(move |step| first.at(step)))
}

#[test]
fn every_step_sets_up_what_it_promises() {
    let recording = recorded();
    for at in every_step() {
        let name = at.fragment();
        for stage in [GuessState::Open, GuessState::Answered] {
            let mut state = page().reduce(Guide::Start(at));
            if is_recorded(&at.step_outline().scene) {
                let before = &page().document.scenario;
                assert_eq!(
                    *state.document.scenario, **before,
                    "{name}: nothing changes until the run is there"
                );
                state = state.reduce(DocumentAction::Open(recording.clone()));
            }
            if stage == GuessState::Answered {
                state = state.reduce(Guide::Guess(0.into(), Motion::Paused));
            }
            sets_up(state, at.step().shown(stage).0, &name);
        }
    }
}

fn sets_up(state: State, scene: &LessonScene, name: &str) {
    let of_recording = is_recorded(scene);
    assert_eq!(
        (state.document.log.is_some(), state.runs.contains_key(&OBSERVED)),
        (of_recording, of_recording)
    );
    if let Some(scenario) = scene.scenario().expect("a sound scenario") {
        assert_eq!(*state.document.scenario, scenario, "{name}");
    }
    assert_eq!(state.view.policies, scene.view.policies, "{name}");
    assert_eq!(state.view.playhead, scene.view.playhead, "{name}");
    assert_eq!(state.view.window, scene.view.window, "{name}");
    assert_eq!(state.view.chosen.len(), scene.chosen.len(), "{name}");
    assert_eq!(Some(&state.marks()), scene.view.marks.as_ref(), "{name}");
    assert_eq!(state.question.is_some(), scene.why.is_some(), "{name}");
    // The answers of the simulations leave the playhead where the step has set it.
    let settled = testing::settled(state);
    assert_eq!(settled.view.playhead, scene.view.playhead, "{name}");
    assert!(settled.is_settled(), "{name}");
}

#[test]
fn going_back_brings_the_readers_page_with_its_undo() {
    let page = page();
    let lesson = go(&go(&page, "lesson:fifo-and-fair/2"), "lesson:jobs-are-not-users/3").reduce(edit());
    let over = lesson.reduce(Guide::Leave);
    assert_eq!(seen(&over), seen(&lesson), "closing a lesson changes nothing else");
    let back = over.reduce(Guide::Return);
    assert_eq!(seen(&back), seen(&page));
    assert_eq!(back.document, page.document);
    assert_eq!(back.lessons.tour, None);
    let undone = back.reduce(DocumentAction::Undo).reduce(DocumentAction::Undo);
    assert_eq!(*undone.document.scenario, testing::scenario("skew"));
    assert!(back.runs.keys().eq(back.view.policies.iter()));
}

#[test]
fn staying_keeps_the_page_and_undo_leads_back_to_the_readers() {
    let page = page();
    let stayed = go(&page, "lesson:fifo-and-fair").reduce(Guide::Stay);
    assert_eq!(stayed.lessons.tour, None);
    assert_eq!(*stayed.reduce(DocumentAction::Undo).document.scenario, *page.document.scenario);
}

#[test]
fn changes_of_the_reader_can_be_restored_after_the_next_step() {
    let played = go(&page(), "lesson:jobs-are-not-users/1").reduce(edit());
    let tour = played.lessons.tour.clone().expect("a lesson");
    assert!(!tour.speaks_of(&played.document.scenario));
    let next = go(&played, "lesson:jobs-are-not-users/2");
    assert_eq!(
        Some(&*next.document.scenario),
        step("lesson:jobs-are-not-users/2").step().scene.scenario().expect("a scenario").as_ref()
    );
    assert_eq!(*next.reduce(DocumentAction::Undo).document.scenario, *played.document.scenario);
    let again = played.reduce(Guide::SetUp);
    assert_eq!(seen(&again), seen(&go(&page(), "lesson:jobs-are-not-users/1")));
}

#[test]
fn a_step_of_the_same_scenario_simulates_nothing_again() {
    let first = go(&page(), "lesson:jobs-are-not-users/1");
    let analysis = analyze_here(&first.document.scenario, policy("fair"));
    let first = first.reduce(RunAction::Finished(first.revision, policy("fair"), Ok(analysis)));
    let second = go(&first, "lesson:jobs-are-not-users/2");
    assert_eq!(second.revision, first.revision);
    assert_eq!(second.runs[&policy("fair")], first.runs[&policy("fair")]);
}

#[test]
fn answers_stay_with_their_step_and_a_finished_lesson_is_marked() {
    let state = go(&page(), "lesson:jobs-are-not-users/1").reduce(Guide::Guess(2.into(), Motion::Paused));
    let answer = |state: &State| state.lessons.tour.as_ref().and_then(ActiveLesson::answer).cloned();
    assert_eq!(answer(&state), Some(2.into()));
    let on = go(&state, "lesson:jobs-are-not-users/2");
    assert_eq!(answer(&on), None);
    assert_eq!(answer(&go(&on, "lesson:jobs-are-not-users/1")), Some(2.into()));
    assert_eq!(answer(&go(&on, "lesson:fifo-and-fair/1")), None);
    let done = on.reduce(Guide::Finish);
    assert!(done.lessons.done.contains("jobs-are-not-users"));
    assert_eq!(done.lessons.tour.map(|tour| tour.card), Some(Card::Over(LessonEnd::Finished)));
    let known = page().with_lessons_done(["jobs-are-not-users", "no-such-lesson"]);
    assert_eq!(known.lessons.done, ["jobs-are-not-users"].into());
}

#[test]
fn a_reload_continues_the_lesson_and_keeps_the_page_before_it() {
    let page = page();
    let lesson = go(&page, "lesson:fifo-and-fair/4");
    let before = lesson.lessons.tour.as_ref().expect("a lesson").before();
    assert_eq!(before.session(), page.session());
    let resume = |state: &State| {
        let kept = State::from_session(state.session());
        kept.resumed(step("lesson:fifo-and-fair/4"), Card::Open, before)
    };
    assert_eq!(seen(&resume(&lesson)), seen(&lesson));
    // With the reader's changes, nothing is set up over them.
    let played = lesson.reduce(edit());
    let again = resume(&played);
    assert_eq!(*again.document.scenario, *played.document.scenario);
    let back = again.reduce(Guide::Return);
    assert_eq!(back.session(), page.session());
}

/// The step that shows the recorded run.
const RECORDED: &str = "lesson:whats-in-a-name/5";

#[test]
fn the_recorded_run_is_shown_once_it_is_there() {
    let recording = recorded();
    let waiting = go(&page(), RECORDED);
    assert_eq!((waiting.lessons.requests, waiting.ui.opening.is_some()), (1, true));
    let again = waiting.reduce(Guide::SetUp);
    assert_eq!(again.lessons.requests, 2, "after a failure");
    let shown = again.reduce(DocumentAction::Open(recording.clone()));
    assert_eq!((&shown.document, &shown.ui.opening), (&recording, &None));
    assert_eq!(shown.panels().first(), Some(&OBSERVED), "what happened is above what would have");
    let facts = shown.lessons.tour.as_ref().and_then(ActiveLesson::whole_facts).expect("facts");
    assert_eq!(facts.evaluate("ties").as_deref(), Ok("342"));
    let next = go(&shown, "lesson:whats-in-a-name/6");
    assert_eq!((&next.document, next.lessons.requests), (&recording, 2), "the steps share it");
    let played = next.reduce(edit());
    let lost = played.reduce(DocumentAction::Edit(Edit::Delete { jobs: vec![JobId(0)] }));
    assert_eq!(
        (played.document.left_log, lost.document.left_log, lost.document.log.is_none()),
        (false, true, true)
    );
    assert!(lost.reduce(DocumentAction::Undo).document.log.is_some(), "undone, the log is back");
    let again = played.reduce(Guide::SetUp);
    assert_eq!((&again.document, again.reduce(DocumentAction::Undo).document), (&recording, played.document));
    let back = go(&again, "lesson:whats-in-a-name/4");
    assert!(back.document.log.is_none() && !back.runs.contains_key(&OBSERVED));
}

#[test]
fn the_recorded_run_is_opened_as_an_example() {
    let recording = recorded();
    let opened = page().reduce(DocumentAction::OpenRecording).reduce(DocumentAction::Open(recording.clone()));
    assert_eq!((&opened.document, opened.view.playhead), (&recording, Time::ZERO));
    assert_eq!(*opened.reduce(DocumentAction::Undo).document.scenario, *page().document.scenario);
    // By other rules it is a log like any other.
    let mut other = (*recorded()).clone();
    let mut log = other.log.take().and_then(Rc::into_inner).expect("one owner");
    let read = log.read.as_mut().expect("a log of this page");
    read.rules = LogRules { users: "group".to_owned(), ..LogRules::default() };
    other.log = Some(Rc::new(log));
    let other = Shared::new(other);
    assert_eq!(page().reduce(DocumentAction::Open(other.clone())).document, other);
}

#[test]
fn a_lesson_that_was_left_shows_no_recorded_run() {
    let left = go(&page(), RECORDED).reduce(Guide::Return);
    let later = left.reduce(DocumentAction::Open(recorded()));
    assert_eq!((later.document, later.ui.opening), (left.document, None));
}

#[test]
fn a_reload_at_the_recorded_run_reads_it_again() {
    let recording = recorded();
    let shown = go(&page(), RECORDED).reduce(DocumentAction::Open(recording.clone()));
    let before = shown.lessons.tour.as_ref().expect("a lesson").before();
    let resume = |state: &State| {
        let kept = State::from_session(state.session());
        assert!(kept.document.log.as_ref().is_none_or(|log| log.read.is_none()));
        kept.resumed(step(RECORDED), Card::Open, before).reduce(DocumentAction::Open(recording.clone()))
    };
    assert_eq!(resume(&shown).document, recording);
    let played = shown.reduce(edit());
    let again = resume(&played);
    assert_eq!(*again.document.scenario, *played.document.scenario, "the reader's changes stay");
    assert!(!again.lessons.tour.as_ref().expect("a lesson").speaks_of(&again.document.scenario));
}

#[test]
fn the_verdict_on_a_log_is_about_a_user_that_it_names() {
    let page = State::new(Shared::new(Document::blank())).reduce(DocumentAction::OpenRecording);
    let page = page.reduce(DocumentAction::Open(recorded())).simulated_at_once();
    let verdict = page.worst_served().expect("somebody waits");
    let user = &page.document.scenario.users()[verdict.user.index()].name;
    assert_eq!(
        (user.as_str(), verdict.policy),
        ("dan", page.document.log.as_ref().expect("a log").known.ran_with),
        "{verdict:?}"
    );
    assert!(page.replay_error().expect("a simulation").is_tolerable());
}

#[test]
fn an_answer_is_played_to_and_the_schedule_stops_there() {
    let asked = go(&page(), "lesson:fifo-and-fair/2");
    let playing = asked.reduce(Guide::Guess(0.into(), Motion::Playing));
    assert_eq!((playing.playback.motion, playing.view.playhead), (Motion::Playing, Time::ZERO));
    assert_eq!(playing.answer_shown(), AnswerShown::Playing);
    // Whatever the schedule's length, it takes as long.
    let half = playing.reduce(PlaybackAction::Tick(REVEAL_S / 2.0));
    assert_eq!((half.playback.motion, half.view.playhead), (Motion::Playing, Time(4_000_000)));
    let there = half.reduce(PlaybackAction::Tick(REVEAL_S));
    assert_eq!((there.playback.motion, there.view.playhead), (Motion::Paused, Time(8_000_000)));
    assert_eq!(there.answer_shown(), AnswerShown::Marked);
    // From then on playing is the reader's.
    assert_eq!(there.reduce(PlaybackAction::PlayPause).playback.reveal, None);
    assert_eq!(there.reduce(PlaybackAction::Seek(Time::ZERO)).answer_shown(), AnswerShown::Not);
    // Another answer plays nothing again, and less motion jumps.
    assert_eq!(there.reduce(Guide::Guess(2.into(), Motion::Playing)).playback.motion, Motion::Paused);
    let jumped = asked.reduce(Guide::Guess(0.into(), Motion::Paused));
    assert_eq!((jumped.view.playhead, jumped.answer_shown()), (Time(8_000_000), AnswerShown::Marked));
}

#[test]
fn a_reader_who_stops_or_leaves_is_not_led_on() {
    let asked = go(&page(), "lesson:fifo-and-fair/2");
    let playing = asked.reduce(Guide::Guess(0.into(), Motion::Playing)).reduce(PlaybackAction::Tick(0.5));
    for action in [
        Action::Playback(PlaybackAction::PlayPause),
        Action::Playback(PlaybackAction::Seek(Time(1))),
        Action::Guide(Guide::SetUp),
    ] {
        let stopped = playing.reduce(action);
        assert_eq!((stopped.playback.motion, stopped.playback.reveal), (Motion::Paused, None));
    }
    let next = playing.reduce(Guide::At(2));
    assert_eq!((next.playback.motion, next.playback.reveal), (Motion::Paused, None));
}

#[test]
fn a_challenge_is_set_up_and_resumed_as_it_was_played() {
    let started = go(&page(), "challenge:one-change");
    let at = started.challenge().expect("a challenge");
    assert_eq!(started.session().challenge.as_deref(), Some("one-change"));
    // A policy alone may be what wins it: a reload leaves it.
    let played = started.reduce(ViewAction::Toggle("uwfq-p".parse().expect("a policy")));
    let before = played.lessons.tour.as_ref().expect("a challenge").before();
    let again = State::from_session(played.session()).resumed(at, Card::Open, before);
    assert_eq!((again.challenge(), &again.view.policies), (Some(at), &played.view.policies));
    let reset = again.reduce(Guide::SetUp);
    assert_eq!(reset.view.policies, started.view.policies);
    // The first step that undo takes back is the reader's own.
    assert_eq!(played.reduce(DocumentAction::Undo).view.policies, started.view.policies);
    let left = played.reduce(Guide::Leave);
    assert_eq!((left.challenge(), left.session().challenge), (None, None));
    let on = left.reduce(Guide::Start(at));
    assert_eq!((on.challenge(), &on.view.policies), (Some(at), &played.view.policies));
    assert_eq!(seen(&left.reduce(Guide::Return)), seen(&page()));
}

#[test]
fn scores_stay_when_the_page_from_before_is_back() {
    let started = go(&page(), "challenge:lie");
    let at = started.challenge().expect("a challenge");
    let score = ChallengeScore { value: 4.0, changes: 1 };
    let won = started.reduce(Guide::Reach(at.into(), score));
    let back = won.reduce(Guide::Finish).reduce(Guide::Return);
    assert_eq!(back.lessons.scores, [("lie", score)].into());
    assert!(back.lessons.done.is_empty(), "challenges are no lesson that is done");
    let known = page().with_scores([("lie", score), ("no-such-challenge", score)]);
    assert_eq!(known.lessons.scores, back.lessons.scores);
}
