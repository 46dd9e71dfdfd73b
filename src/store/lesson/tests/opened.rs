//! Lessons that somebody else has written, in the store.

use super::*;
use crate::panels::guide::lessons::READ;
use crate::store::{PlaybackAction, ViewAction};
use fairlane_study::lesson::document::{LessonFault, Severity, check_step};
use fairlane_view::link::LessonDocument;

/// Three steps on two scenarios, the second of which is beside the document.
const MINE: &str = "---\ntitle: Mine\nscene: catalog:skew&policies=uwfq&jobs=report\n---\n\n\
    ## First\n\n{response uwfq report}\n\n### How many?\n- [ ] one\n- [x] two\n- [x] three\n\n\
    <!-- reveal: at=3 -->\n\nBecause.\n\n\
    ## Second\n<!-- scene: file:busy.json&policies=fifo&jobs= -->\n\n### How long?\n- [=] {makespan fifo} ± 10 %\n\n\
    ## Third\n<!-- scene: at=1 -->\n";

const BUSY: &str = r#"{"format":"fairlane/scenario@1","name":"busy","jobs":[
    {"user":"a","name":"x","arrival_s":0,"stages":[{"work_s":4}]}]}"#;

fn read(text: &str, files: &[(&str, &str)]) -> Shared<OpenedLesson> {
    let files = files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect();
    let document = LessonDocument { name: "mine.md".to_owned(), text: text.to_owned(), files, address: None };
    Shared::new(OpenedLesson::read(document, None))
}

fn open(state: &State, lesson: &Shared<OpenedLesson>) -> State {
    state.reduce(Guide::Open(lesson.clone(), 0))
}

fn at(state: &State, step: usize) -> State {
    state.reduce(Guide::At(step))
}

fn tour(state: &State) -> &ActiveLesson {
    state.lessons.tour.as_ref().expect("a lesson")
}

#[test]
fn a_document_is_a_lesson_like_the_projects_own() {
    let lesson = read(MINE, &[("busy.json", BUSY)]);
    assert_eq!(lesson.lesson.faults().count(), 0, "{:?}", lesson.lesson.faults().collect::<Vec<_>>());
    let opened = open(&page(), &lesson);
    assert_eq!(*opened.document.scenario, testing::scenario("skew"));
    assert_eq!(opened.view.chosen.len(), 1);
    assert!(opened.future().is_hidden(), "its question hides the answer");
    let answered = opened.reduce(Guide::Guess(GivenAnswer::Options([1, 2].into()), Motion::Paused));
    assert_eq!((answered.view.playhead, answered.answer_shown()), (Time(3_000_000), AnswerShown::Marked));
    let second = at(&answered, 1);
    assert_eq!(second.document.scenario.name(), "busy");
    let numbered = second.reduce(Guide::Guess(GivenAnswer::Number(0.5), Motion::Paused));
    assert_eq!(tour(&numbered).answer(), Some(&GivenAnswer::Number(0.5)));
    assert_eq!(tour(&at(&numbered, 0)).answer(), Some(&GivenAnswer::Options([1, 2].into())));
    let third = at(&numbered, 9);
    assert_eq!((tour(&third).at.index(), third.document.entry().map(|entry| entry.name)), (2, Some("skew")));
    let done = third.reduce(Guide::Finish);
    assert!(done.lessons.done.is_empty(), "only the project's own are marked");
    assert_eq!(seen(&done.reduce(Guide::Return)), seen(&page()));
}

#[test]
fn what_is_wrong_with_a_step_is_said_there_and_the_rest_goes_on() {
    let text = "---\ntitle: Wrong\nscene: catalog:skew&policies=uwfq\n---\n## One\n<!-- scene: catalog:none -->\n\
        ## Two\n{response uwfq nowhere}\n## Three\n<!-- scene: file:gone.json -->\n\
        ## Four\n<!-- scene: log:app.zstd -->\n## Five\n{cores}\n";
    let lesson = read(text, &[]);
    let mut state = open(&page(), &lesson);
    let mine = (*page().document.scenario).clone();
    for (index, fault) in [(0, "line 6"), (2, "line 10"), (3, "line 11")] {
        state = at(&state, index);
        assert!(tour(&state).whole_facts().is_none() && !tour(&state).is_awaiting(), "{index}");
        let faults: Vec<String> = tour(&state).at.step().faults.iter().map(ToString::to_string).collect();
        assert!(faults.iter().any(|line| line.starts_with(fault)), "{index}: {faults:?}");
    }
    assert_eq!(*open(&page(), &lesson).document.scenario, mine, "nothing is set up over the reader's page");
    let second = at(&state, 1);
    let facts = tour(&second).whole_facts().expect("a scenario");
    let faults = check_step(&lesson.lesson, tour(&second).at.step(), &facts);
    assert!(faults[0].to_string().contains("nowhere") && faults[0].severity == Severity::Error, "{faults:?}");
    let fifth = at(&second, 4);
    let facts = tour(&fifth).whole_facts().expect("a scenario");
    assert!(check_step(&lesson.lesson, tour(&fifth).at.step(), &facts).is_empty());
    assert_eq!(fifth.lessons.requests, 0, "no recorded run is asked for");
}

#[test]
fn whatever_a_file_is_it_is_a_lesson_of_a_step_or_more() {
    for text in ["", "# Notes\n", "---\n---\n", "<script>alert(1)</script>", "\u{feff}---\ntitle: x"] {
        let lesson = read(text, &[]);
        let state = open(&page(), &lesson);
        assert!(!lesson.lesson.own_faults.is_empty(), "{text:?}");
        assert_eq!(seen(&state.reduce(Guide::SetUp)), seen(&page()), "{text:?}");
    }
    assert_eq!(read("", &[]).lesson.steps[0].title, "mine.md");
}

#[test]
fn a_scenario_beside_it_is_found_by_its_name_alone_and_a_missing_one_is_named() {
    let text = MINE.replace("file:busy.json", "file:scenarios/busy.json");
    assert_eq!(read(&text, &[("busy.json", BUSY)]).lesson.faults().count(), 0);
    let document = LessonDocument { text, ..LessonDocument::default() };
    assert_eq!(OpenedLesson::missing_files(&document), ["scenarios/busy.json"]);
}

/// A document that brings a program, and asks for figures of it.
#[test]
fn a_program_of_a_document_runs_only_once_it_is_let_run() {
    fairlane_custom::install();
    let scenario = r#"{"format":"fairlane/scenario@1","name":"own","policies":{"custom":{"program":"job.estimate"}},
        "jobs":[{"user":"a","name":"x","arrival_s":0,"stages":[{"work_s":4}]}]}"#;
    let text = format!(
        "---\ntitle: P\nscene: block:own&policies=custom,fifo\n---\n## One\n<!-- scene: why=custom,x -->\n\n\
         {{response custom x}}\n\n```json own\n{scenario}\n```\n"
    );
    let lesson = read(&text, &[]);
    assert_eq!(lesson.lesson.faults().count(), 0, "{:?}", lesson.lesson.faults().collect::<Vec<_>>());
    let state = open(&page(), &lesson);
    let custom = policy("custom");
    assert!(state.unapproved(custom.kind).is_some(), "it is asked for");
    let facts = tour(&state).whole_facts().expect("a scenario");
    let refused = facts.evaluate("response custom x").unwrap_err().to_string();
    assert!(refused.contains("press Run it"), "{refused}");
    assert!(facts.evaluate("response custom x @ atr 1").is_err());
    assert!(facts.evaluate("response fifo x").is_ok());
    assert!(state.question.is_none());
    let trace = fairlane::simulate(facts.scenario(), custom);
    let known = of_others((*facts).scenario().clone()).with_trace(custom, trace);
    assert!(known.evaluate("response custom x").is_ok());
}

#[test]
fn a_reload_resumes_a_document_where_it_was() {
    let lesson = read(MINE, &[("busy.json", BUSY)]);
    let second = at(&open(&page(), &lesson), 1);
    let before = tour(&second).before().clone();
    let kept = State::from_session(second.session());
    let progress = tour(&second).progress.clone();
    let resumed = ResumedLesson { at: LessonPlace::opened(lesson, 1), card: Card::Folded, progress, before };
    let again = kept.reduce(Guide::Resume(Box::new(resumed)));
    assert_eq!((tour(&again).at.index(), tour(&again).card), (1, Card::Folded));
    assert_eq!(seen(&again), seen(&second));
    assert_eq!(again.reduce(Guide::Return).session(), page().session());
}

#[test]
fn another_document_begins_without_the_answers_of_the_first() {
    let files = [("busy.json", BUSY)];
    let state = open(&page(), &read(MINE, &files)).reduce(Guide::Guess(1.into(), Motion::Paused));
    assert!(tour(&state).answer().is_some());
    let other = open(&state, &read(MINE, &files));
    assert_eq!(tour(&other).answer(), None);
    assert_eq!(seen(&other.reduce(Guide::Return)), seen(&page()), "the way back is the first");
    let own = go(&other, "lesson:skew/2");
    assert_eq!(seen(&own.reduce(Guide::Return)), seen(&page()));
}

/// A question and a challenge, on a scenario that is drawn from each student's name.
const HOMEWORK: &str = "---\ntitle: Homework\nseed: student\nscene: catalog:paf-suite&policies=uwfq\n---\n\
    ## Ask\n\n### How long?\n- [=] {makespan uwfq} ± 10 %\n\n\
    ## Faster\n\nBe faster.\n\n<!-- challenge: faster -->\n<!-- goal: Mean: mean $ <= mean uwfq @ start / 1.0001 -->\n\
    <!-- par: 1, 1 change -->\n<!-- solution: uwfq-p · [] -->\n";

#[test]
fn a_student_has_a_scenario_of_their_own_and_hands_in_what_was_done() {
    let of = |student: Option<&str>| {
        let document = LessonDocument { text: HOMEWORK.to_owned(), ..LessonDocument::default() };
        Shared::new(OpenedLesson::read(document, student.map(str::to_owned)))
    };
    let lesson = of(Some("Ada"));
    let ada = open(&page(), &lesson);
    let same = open(&page(), &of(Some("Ada")));
    assert_eq!(*ada.document.scenario, *same.document.scenario);
    assert_ne!(*ada.document.scenario, *open(&page(), &of(Some("Bob"))).document.scenario);
    // The first answer counts, and what is no number is none.
    let guess = |number| Action::Guide(Guide::Guess(GivenAnswer::Number(number), Motion::Paused));
    let answered = [f64::NAN, 1.0, 2.0].into_iter().fold(ada, |state, number| state.reduce(guess(number)));
    assert_eq!(tour(&answered).answer(), Some(&GivenAnswer::Number(2.0)));
    let second = at(&answered, 1).reduce(ViewAction::Toggle(policy("uwfq-p")));
    let score = ChallengeScore { value: 3.0, changes: 1 };
    let reached = second.reduce(Guide::Reach(tour(&second).at.clone(), score));
    let file = tour(&reached).progress.answer_file(&lesson, "Ada");
    assert_eq!((file.student.as_str(), file.lesson.as_str()), ("Ada", "Homework"));
    assert_eq!(file.answers.len(), 1);
    assert_eq!((file.answers[0].step, &file.answers[0].answer), (1, &GivenAnswer::Number(1.0).to_file()));
    let start = tour(&reached).whole_facts().expect("a scenario");
    match lesson.lesson.steps[1].challenge.as_deref() {
        Some(challenge) => {
            assert_eq!(file.challenges.len(), 1);
            assert_eq!(file.challenges[0].challenge, challenge.id);
            assert_eq!(file.challenges[0].policies, [policy("uwfq"), policy("uwfq-p")]);
            let work = file.challenges[0].work.scenario(start.scenario()).expect("a scenario");
            assert_eq!(work, *reached.document.scenario);
        }
        None => panic!("{:?}", lesson.lesson.steps[1].faults),
    }
    let again = fairlane_study::lesson::answers::AnswerFile::from_json(&file.to_json());
    assert_eq!(again.as_ref(), Ok(&file));
    // A reload brings it back.
    let text = serde_json::to_string(&tour(&reached).progress).expect("text");
    assert_eq!(serde_json::from_str::<LessonProgress>(&text).ok().as_ref(), Some(&tour(&reached).progress));
}

#[test]
fn a_new_document_begins_with_what_the_reader_has_changed() {
    let example = testing::page("skew").reduce(Guide::WriteNew(READ));
    assert_eq!(example.lessons.tour.as_ref().map(|tour| tour.at.step_count()), Some(4), "the example");
    let changed = page().reduce(edit());
    let own = changed.reduce(Guide::WriteNew(READ));
    assert!(own.lessons.writing);
    assert_eq!(own.document.scenario.partitioning(), changed.document.scenario.partitioning());
    assert_eq!((&own.view.policies, own.view.window), (&changed.view.policies, changed.view.window));
    let lesson = (READ.0)(changed.new_document());
    let is_left = |fault: &LessonFault| fault.message.contains("is still to be written");
    assert!(lesson.lesson.faults().all(is_left), "{}", lesson.document.text);
    assert_eq!(lesson.lesson.title, changed.document.scenario.name());
    // Every further step shows the same until it says otherwise.
    let document = LessonDocument {
        text: format!("{}\n## More\n\nWords.\n", lesson.document.text),
        ..lesson.document.clone()
    };
    let more = Shared::new(OpenedLesson::read(document, None));
    let shown = own.reduce(Guide::Write(Some((more, 1))));
    assert_eq!(seen(&shown), seen(&own));
}

#[test]
fn a_document_is_shown_as_it_is_written_and_a_view_becomes_a_step() {
    let write = |state: &State, lesson: &Shared<OpenedLesson>, step| {
        state.reduce(Guide::Write(Some((lesson.clone(), step))))
    };
    let files = [("busy.json", BUSY)];
    let writing = write(&page(), &read(MINE, &files), 0);
    assert!(writing.lessons.writing);
    let moved =
        writing.reduce(PlaybackAction::Seek(Time(1_500_000))).reduce(ViewAction::Toggle(policy("uwfq-p")));
    let typed = write(&moved, &read(&MINE.replace("Because.", "Because of it."), &files), 0);
    assert_eq!(seen(&typed), seen(&moved), "what is shown stays while words change");
    let step = typed.step_of_page(MINE);
    assert!(step.contains("<!-- scene: catalog:skew&policies=uwfq,uwfq-p&at=1.5&"), "{step}");
    let text = format!("{MINE}\n{step}");
    let lesson = read(&text, &files);
    assert_eq!(lesson.lesson.faults().count(), 0, "{text}");
    let shown = write(&typed, &lesson, 3);
    assert_eq!(seen(&shown), seen(&typed), "the step shows what was on the page");
    // A scenario of the reader's own comes with it, once.
    let own = shown.reduce(edit());
    let block = own.step_of_page(&text);
    let text = format!("{text}\n{block}");
    assert!(!own.step_of_page(&text).contains("```"), "the block is there already");
    let shown = write(&own, &read(&text, &files), 4);
    assert_eq!(shown.document.scenario.partitioning(), own.document.scenario.partitioning());
    let over = shown.reduce(Guide::Write(None));
    assert!(!over.lessons.writing && over.lessons.tour.is_some());
    assert_eq!(seen(&over.reduce(Guide::Return)), seen(&page()));
}

#[test]
fn what_was_done_in_a_document_is_there_when_it_is_opened_again() {
    let files = [("busy.json", BUSY)];
    let open = |state: &State| state.reduce(Guide::Open(read(MINE, &files), 0));
    let recall =
        |state: &State, progress: &LessonProgress| state.reduce(Guide::Recall(Box::new(progress.clone())));
    let mut done = LessonProgress::default();
    assert!(done.answer(1, GivenAnswer::Options([0].into())));
    let again = recall(&open(&page()), &done);
    assert_eq!(tour(&again).progress, done);
    // The first answer stays the one that is handed in.
    let other = again.reduce(Guide::At(1));
    let other = other.reduce(Guide::Guess(GivenAnswer::Options([1].into()), Motion::Paused));
    assert_eq!(tour(&other).progress.first, done.first);
    // Nothing is overwritten by what is older.
    assert_eq!(tour(&recall(&other, &done)).progress, tour(&other).progress);
    assert_eq!(recall(&page(), &done).lessons, page().lessons, "no lesson is open");
}
