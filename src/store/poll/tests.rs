use super::*;
use crate::store::{
    Action, DocumentAction, Future, JobChoice, PlaybackAction, Predict, REVEAL_S, UiAction, ViewAction,
};
use crate::testing::{page, policy, settled};
use fairlane::scenario::edit::{Edit, Shift};
use fairlane_study::lesson::StepId;
use fairlane_view::link::{LinkBounds, Session};

/// ben's only job among ana's.
const BEN: JobId = JobId(12);

fn act(state: &State, action: PollAction) -> State {
    state.reduce(Action::Poll(action))
}

/// The class is asked about ben's job under Fair.
fn asked() -> State {
    act(&settled(page("two-users")), PollAction::Ask(policy("fair"), BEN))
}

fn guessed(state: &State, guesses: &[&str]) -> State {
    guesses.iter().fold(state.clone(), |state, guess| act(&state, PollAction::Guess((*guess).to_owned())))
}

fn poll(state: &State) -> &Poll {
    state.poll.as_ref().expect("a question")
}

fn toast(state: &State) -> String {
    match &state.ui.toast {
        Some(Toast::Done(notice)) => notice.detail.clone(),
        Some(Toast::Deleted(what)) => what.clone(),
        None => String::new(),
    }
}

/// How long ben's job waits under Fair as the page shows it.
fn wait(state: &State) -> Span {
    let analysis = state.runs[&policy("fair")].analysis.as_ref().expect("a schedule");
    analysis.trace.jobs[BEN.index()].response().expect("it ends")
}

/// The question is about what the headline says, so that its answer is known to be worth a guess.
#[test]
fn by_itself_the_question_is_about_whom_the_headline_names() {
    let state = settled(page("paper-scenario-1"));
    let told = state.worst_served().expect("a headline");
    let asked = act(&state, PollAction::Start(None));
    let Poll { policy, job, .. } = *poll(&asked);
    assert_eq!((policy, asked.document.scenario.jobs()[job.index()].user), (told.policy, told.user));
    let runs = &asked.runs[&policy].analysis.as_ref().expect("a schedule").trace.jobs;
    let users = asked.document.scenario.jobs().iter().map(|job| job.user);
    let longest =
        runs.iter().zip(users).filter(|(_, user)| *user == told.user).map(|(run, _)| run.response());
    assert_eq!(runs[job.index()].response(), longest.max().flatten());
    let chosen = state.reduce(ViewAction::Choose(JobId(3), JobChoice::Only));
    assert_eq!(poll(&act(&chosen, PollAction::Start(None))).job, JobId(3), "what was chosen goes before");
}

#[test]
fn a_class_guesses_and_sees_the_answer() {
    let asked = asked();
    let arrival = asked.document.scenario.jobs()[BEN.index()].arrival;
    assert_eq!((asked.view.playhead, asked.poll_scene()), (arrival, Some(PollScene::Asked)));
    assert_eq!(asked.future(), Future::Secret, "nobody sees it before");
    let guessed = guessed(&asked, &["4", "4,0 s", " 2.5", "20"]);
    assert_eq!(
        poll(&guessed).guesses().collect::<Vec<_>>(),
        [(Span(2_500_000), 1), (Span(4_000_000), 2), (Span(20_000_000), 1)]
    );
    let fewer = act(&guessed, PollAction::Remove(Span(4_000_000)));
    assert_eq!((poll(&fewer).count(), poll(&fewer).median()), (3, Some(Span(4_000_000))));
    let fewer = act(&act(&fewer, PollAction::Remove(Span(4_000_000))), PollAction::Remove(Span(1)));
    assert_eq!((poll(&fewer).count(), poll(&fewer).median()), (2, Some(Span(11_250_000))));
    // It plays from the arrival to the answer, and stops there.
    let playing = act(&guessed, PollAction::Reveal(Motion::Playing));
    assert_eq!((playing.poll_scene(), playing.future()), (Some(PollScene::Playing), Future::Secret));
    let half = playing.reduce(PlaybackAction::Tick(REVEAL_S / 2.0));
    assert_eq!(half.poll_scene(), Some(PollScene::Playing));
    let there = half.reduce(PlaybackAction::Tick(REVEAL_S));
    let truth = wait(&there);
    assert_eq!(there.poll_scene(), Some(PollScene::Answered(Some(truth))));
    assert_eq!((there.view.playhead, there.playback.motion), (arrival + truth, Motion::Paused));
    assert_eq!(there.future(), Future::Shown);
    // Or it is shown at once, also while it plays.
    for shown in
        [act(&guessed, PollAction::Reveal(Motion::Paused)), act(&half, PollAction::Reveal(Motion::Playing))]
    {
        assert_eq!((shown.poll_scene(), shown.view.playhead), (there.poll_scene(), there.view.playhead));
    }
    assert_eq!(act(&there, PollAction::Guess("3".to_owned())), there, "it is too late to guess");
    let again = act(&there, PollAction::Again);
    assert_eq!((again.poll_scene(), poll(&again).count()), (Some(PollScene::Asked), 0));
    assert_eq!((again.view.playhead, again.future()), (arrival, Future::Secret));
    let done = act(&there, PollAction::Done);
    assert_eq!((done.poll_scene(), done.future()), (None, Future::Shown));
}

#[test]
fn the_guesses_are_measured_against_the_answer() {
    let poll = |guesses: &[&str]| poll(&guessed(&asked(), guesses)).clone();
    let many = poll(&["4.5", "5", "5.5", "5.51", "6", "6"]);
    let truth = Span(5_000_000);
    assert_eq!(
        (many.near(truth), many.nearest(truth), many.median()),
        (3, Some(truth), Some(Span(5_505_000)))
    );
    assert_eq!(poll(&["4", "6"]).nearest(truth), Some(Span(4_000_000)), "of two as near the shorter one");
    let none = poll(&[]);
    assert_eq!((none.near(truth), none.nearest(truth), none.median()), (0, None, None));
}

#[test]
fn a_guess_is_a_number_of_seconds() {
    let good = [
        ("0", 0),
        (".5", 500),
        ("007", 7_000),
        ("5.", 5_000),
        ("0,25", 250),
        ("1e3", 1_000_000),
        ("3 s", 3_000),
    ];
    for (text, millis) in good {
        assert_eq!(guess(text), Ok(Span(millis * 1_000)), "{text}");
    }
    for text in ["", "soon", "-", ".", "1 2", "1..2", "s", "NaN"] {
        assert!(matches!(guess(text), Err(GuessError::NotANumber(_))), "{text}");
    }
    for text in ["-1", "1e7", "1e300"] {
        assert!(matches!(guess(text), Err(GuessError::OutOfRange(_))), "{text}");
    }
    let refused = guessed(&asked(), &["4", "soon"]);
    assert_eq!(poll(&refused).count(), 1);
    let words = poll(&refused).refused.as_ref().map(ToString::to_string).unwrap_or_default();
    assert_eq!(words, "“soon” is no number; type a number of seconds, such as 4.5.");
    assert_eq!(poll(&guessed(&refused, &["5"])).refused, None, "the next one is good");
    let full = guessed(&asked(), &["1"; MAX_GUESSES + 1]);
    assert_eq!((poll(&full).count(), &poll(&full).refused), (MAX_GUESSES, &Some(GuessError::Full)));
}

#[test]
fn a_question_follows_its_job_through_changes_and_says_so() {
    let asked = guessed(&asked(), &["4"]);
    let later = Edit::Move { jobs: vec![BEN], by: Shift(300_000), lanes: 0 };
    let moved = settled(asked.reduce(DocumentAction::Edit(later)));
    assert_eq!((moved.future(), poll(&moved).count()), (Future::Secret, 1), "nothing is given away");
    assert!(moved.poll_is_outdated() && !asked.poll_is_outdated());
    assert!(!settled(moved.reduce(DocumentAction::Undo)).poll_is_outdated());
    // Another job is deleted, and it has another index.
    let fewer = settled(asked.reduce(DocumentAction::Edit(Edit::Delete { jobs: vec![JobId(3)] })));
    assert_eq!((poll(&fewer).job, fewer.future()), (JobId(11), Future::Secret));
    let back = settled(fewer.reduce(DocumentAction::Undo));
    assert_eq!((poll(&back).job, back.poll_is_outdated()), (BEN, false));
    // What changes once it is answered is not what was answered.
    let answered = act(&asked, PollAction::Reveal(Motion::Paused));
    let earlier = Edit::Move { jobs: vec![BEN], by: Shift(-100_000), lanes: 0 };
    let changed = settled(answered.reduce(DocumentAction::Edit(earlier)));
    assert_eq!(changed.poll_scene(), answered.poll_scene());
    assert!(changed.poll_is_outdated() && !answered.poll_is_outdated());
}

#[test]
fn a_question_ends_with_what_it_is_about() {
    let asked = guessed(&asked(), &["4"]);
    let deleted = settled(asked.reduce(DocumentAction::Edit(Edit::Delete { jobs: vec![BEN] })));
    assert_eq!((&deleted.poll, deleted.future()), (&None, Future::Shown));
    assert!(toast(&deleted).contains("the question to the class"), "{}", toast(&deleted));
    let unticked = asked.reduce(ViewAction::Toggle(policy("fair")));
    assert!(unticked.poll.is_none() && toast(&unticked).starts_with("Fair is not shown any more"));
    let other = asked.reduce(DocumentAction::Open(page("skew").document));
    assert!(other.poll.is_none() && toast(&other).starts_with("Another scenario"), "{}", toast(&other));
    let undone = settled(settled(other).reduce(DocumentAction::Undo));
    assert_eq!(undone.poll, None, "undo brings the scenario back, and no question");
    let lesson = asked.reduce(Action::Guide(crate::store::Guide::Start(StepId::first(0))));
    assert_eq!(lesson.poll, None);
    let refused = act(&lesson, PollAction::Start(None));
    assert!(refused.poll.is_none() && toast(&refused).starts_with("Close the lesson"));
    let predicting = asked.reduce(Predict::Start(policy("fair")));
    assert_eq!(predicting.poll, None);
    let asked_again = act(&predicting, PollAction::Ask(policy("fair"), BEN));
    assert!(asked_again.predict.is_none() && asked_again.poll.is_some());
    let absent = act(&settled(page("two-users")), PollAction::Ask(policy("fair"), JobId(99)));
    assert_eq!(absent.poll, None);
}

#[test]
fn whoever_looks_for_the_answer_has_it() {
    let asked = asked();
    let truth = wait(&asked);
    let end = asked.view.playhead + truth;
    let before = asked.reduce(PlaybackAction::Seek(Time(end.0 - 1)));
    assert_eq!((before.poll_scene(), before.future()), (Some(PollScene::Asked), Future::Secret));
    let seen = asked.reduce(PlaybackAction::HideFuture(false));
    assert_eq!((seen.poll_scene(), seen.future()), (Some(PollScene::Answered(Some(truth))), Future::Shown));
    assert_eq!(seen.view.chosen, [BEN].into(), "the inspector is about the job");
    // A press beside the playhead does not.
    let missed = before.reduce(PlaybackAction::Seek(end));
    assert_eq!((missed.poll_scene(), missed.future()), (Some(PollScene::Asked), Future::Secret));
    assert_eq!(missed.view.playhead, before.view.playhead);
    assert!(toast(&missed).starts_with("Reveal shows it"), "{}", toast(&missed));
    assert_eq!(toast(&act(&missed, PollAction::Reveal(Motion::Paused))), "", "it is shown now");
    // A reader who stops on the way goes on as asked.
    let stopped = act(&asked, PollAction::Reveal(Motion::Playing))
        .reduce(PlaybackAction::Tick(0.5))
        .reduce(PlaybackAction::PlayPause);
    assert_eq!((stopped.poll_scene(), stopped.future()), (Some(PollScene::Asked), Future::Secret));
    let playing = stopped.reduce(PlaybackAction::PlayPause);
    assert_eq!(playing.future(), Future::Secret);
    // While the schedule is not there, nothing can be revealed.
    let waits = act(&page("two-users"), PollAction::Ask(policy("fair"), BEN));
    assert!(!waits.can_reveal());
    assert_eq!(act(&waits, PollAction::Reveal(Motion::Playing)).poll_scene(), Some(PollScene::Asked));
    assert_eq!(settled(waits).poll_scene(), Some(PollScene::Asked));
}

#[test]
fn the_job_that_is_meant_is_asked_about() {
    let page = settled(page("two-users"));
    let job = |state: &State| poll(&act(state, PollAction::Start(None))).job;
    assert_eq!(job(&page), BEN, "its user has no other");
    assert_eq!(job(&page.reduce(ViewAction::Choose(JobId(4), JobChoice::Only))), JobId(4));
    let front = page.reduce(ViewAction::Front(policy("uwfq")));
    assert_eq!(poll(&act(&front, PollAction::Start(Some(JobId(2))))).policy, policy("uwfq"));
    // The audience is asked, too, and Escape leaves the presentation alone.
    let presented = act(&page.reduce(ViewAction::Present), PollAction::Start(None));
    assert!(presented.reduce(UiAction::Escape).poll.is_some());
}

#[test]
fn a_link_asks_the_class_and_has_no_guesses() {
    let asked = guessed(&asked(), &["4"]);
    let text = asked.session().to_text(&LinkBounds::LINK).expect("a short link");
    assert!(text.contains("&ask=fair:12"), "{text}");
    let opened = State::from_session(Session::from_text(&text, &LinkBounds::LINK).expect("a sound link"));
    let opened = settled(opened);
    assert_eq!((opened.poll_scene(), opened.future()), (Some(PollScene::Asked), Future::Secret));
    assert_eq!(opened.ui.front, Some(policy("fair")), "a phone shows what is asked about");
    assert_eq!((poll(&opened).policy, poll(&opened).job, poll(&opened).count()), (policy("fair"), BEN, 0));
    let absent = text.split("&sum=").next().unwrap_or_default().replace("fair:12", "fair:99");
    let opened = State::from_session(Session::from_text(&absent, &LinkBounds::LINK).expect("a link by hand"));
    assert_eq!(opened.poll, None);
}
