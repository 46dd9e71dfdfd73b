//! The lessons against the simulator: every figure can be computed, every claim holds, every scene can be set up, and
//! no text contains a number of its own.

use crate::recorded;
use fairlane::ids::JobId;
use fairlane::replay::{Replay, ReplayPoint, WaitingStage};
use fairlane::simulate;
use fairlane_study::lesson::document::{CheckedLesson, GuessState, LessonScene, check};
use fairlane_study::lesson::{LessonFacts, StepId, lessons};
use fairlane_view::view::DisplayQuestion;

/// What a step speaks of.
fn facts_of(scene: &LessonScene) -> LessonFacts {
    recorded::facts(scene)
}

/// Every step with its name.
fn steps() -> impl Iterator<Item = (StepId, String)> {
    (0..lessons().len()).flat_map(|lesson| {
        let first = StepId::first(lesson);
        (0..first.lesson().steps.len()).map(move |step| (first.at(step), first.at(step).fragment()))
    })
}

fn checked() -> impl Iterator<Item = (&'static str, CheckedLesson)> {
    lessons().iter().map(|lesson| (lesson.id.as_str(), check(lesson, &|_| Ok(recorded::recording()))))
}

#[test]
fn lessons_are_short_and_named_once() {
    for (index, lesson) in lessons().iter().enumerate() {
        assert!(lessons()[..index].iter().all(|other| other.id != lesson.id), "{}", lesson.id);
        assert!((3..=8).contains(&lesson.steps.len()), "{} has {} steps", lesson.id, lesson.steps.len());
        assert!(lesson.steps.iter().any(|step| step.question.is_some()), "{} asks nothing", lesson.id);
        assert!(lesson.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", lesson.id);
        assert!(!lesson.introduction.is_empty() && lesson.demo.is_some(), "{} has a page", lesson.id);
    }
}

/// Figures, claims, scenes, targets and answers; and that no text has a number of its own, which is a warning.
#[test]
fn every_lesson_is_sound() {
    let faults: Vec<String> = checked()
        .flat_map(|(id, checked)| {
            checked.faults.into_iter().map(move |fault| format!("lessons/{id}.md: {fault}"))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Where the lesson about names says that three users are equal and the name decides, its decision is such a tie.
#[test]
fn the_lesson_about_names_shows_a_tie() {
    let id = StepId::from_fragment("lesson:whats-in-a-name/2").expect("a lesson").expect("a step");
    let facts = facts_of(&id.step().scene);
    let asked = id.step().scene.question(&facts).expect("a policy and a job");
    let Some((policy, DisplayQuestion::Dispatch(task))) = asked else { panic!("no decision: {asked:?}") };
    let trace = simulate(facts.scenario(), policy);
    let mut replay = Replay::new(facts.scenario(), policy).expect("a registered policy");
    let queue = replay.queue(&trace, ReplayPoint::Dispatch(task), 10).expect("a moment");
    let name = |stage: &WaitingStage| facts.scenario().users()[stage.user.index()].name.clone();
    let seen: Vec<_> = queue.stages.iter().map(|stage| (name(stage), stage.running)).collect();
    let expected = [("ana", 0), ("cleo", 0), ("dan", 0), ("ben", 1)];
    assert_eq!(seen, expected.map(|(name, running)| (name.to_owned(), running)));
}

#[test]
fn scenes_show_what_they_explain_and_are_small() {
    let states = [GuessState::Open, GuessState::Answered];
    for ((id, name), state) in steps().flat_map(|step| states.map(|state| (step.clone(), state))) {
        let (scene, targets) = id.step().shown(state);
        let facts = facts_of(scene);
        assert!(!id.step().text.is_empty(), "{name} says nothing");
        assert!(!targets.is_empty(), "{name} points at nothing");
        let question = scene.question(&facts).unwrap_or_else(|error| panic!("{name}: {error}"));
        if let Some((policy, DisplayQuestion::Dispatch(task))) = question {
            let start = simulate(facts.scenario(), policy).tasks[task].start;
            assert_eq!(start, scene.view.playhead, "{name}: explains another instant than it shows");
        }
        for &policy in &scene.view.policies {
            let trace = simulate(facts.scenario(), policy);
            // The page does not move the playhead beyond the end of what it shows.
            assert!(scene.view.playhead <= trace.end(), "{name}: {policy} ends at {:?}", trace.end());
            // Lessons are set up within a frame or two.
            assert!(trace.tasks.len() <= 7000, "{name}: {} tasks under {policy}", trace.tasks.len());
        }
    }
}

/// The step that asks the network why shows a decision in which another number would let another stage win.
#[test]
fn the_lesson_about_the_network_shows_an_alternative() {
    let scenario = fairlane::catalog::find("decima-batch").expect("an entry").scenario();
    let policy = "decima".parse().expect("a policy");
    let trace = simulate(&scenario, policy);
    let job = (0..).map(JobId).find(|job| scenario.job_label(*job) == "q22 2 GB").expect("a job");
    let first = trace.tasks.iter().position(|run| run.job == job).expect("a task");
    let mut replay = Replay::new(&scenario, policy).expect("a registered policy");
    let queue = replay.queue(&trace, ReplayPoint::Dispatch(first), 9).expect("a decision");
    let facts = &queue.stages[0].facts.parts;
    assert!(facts.iter().any(|part| part.name.contains("would go first with")), "{facts:?}");
}
