//! The lessons against the simulator: every figure can be computed, every claim holds, every scene can be
//! set up, and no text contains a number of its own.

use crate::recorded;
use fairlane::ids::JobId;
use fairlane::replay::{Replay, ReplayPoint, WaitingStage};
use fairlane::simulate;
use fairlane_study::lesson::{
    GuessState, LESSONS, LessonFacts, LessonScene, LessonStep, MarkupStyle, StepId, StepSource, StepTarget,
    TextBlock, evaluated, pieces, walk,
};
use fairlane_view::view::DisplayQuestion;

/// What a step speaks of.
fn facts_of(scene: &LessonScene) -> LessonFacts {
    recorded::facts(scene)
}

/// Every step with its name.
fn steps() -> impl Iterator<Item = (StepId, String)> {
    let lessons = 0..LESSONS.len();
    lessons.flat_map(|lesson| {
        let first = StepId::first(lesson);
        (0..first.lesson().steps.len()).map(move |step| (first.at(step), first.at(step).fragment()))
    })
}

/// The texts of blocks.
fn texts_of(blocks: &[TextBlock]) -> Vec<&'static str> {
    let of = |block: &TextBlock| match *block {
        TextBlock::Text(text) => vec![text],
        TextBlock::Points(points) => points.to_vec(),
        TextBlock::Table { head, rows } => {
            head.iter().chain(rows.iter().copied().flatten()).copied().collect()
        }
        TextBlock::Walk(_) => Vec::new(),
    };
    blocks.iter().flat_map(of).collect()
}

/// All texts of a step but for the answers to choose from.
fn texts(step: &LessonStep) -> Vec<&'static str> {
    let guess =
        step.guess.iter().flat_map(|guess| texts_of(guess.answer).into_iter().chain([guess.question]));
    [step.title].into_iter().chain(texts_of(step.text)).chain(guess).collect()
}

/// A text with its figures.
fn said(text: &str, facts: &LessonFacts) -> String {
    let pieces = evaluated(text, facts).unwrap_or_else(|error| panic!("{text}: {error}"));
    pieces.into_iter().map(|piece| piece.words).collect()
}

#[test]
fn lessons_are_short_and_named_once() {
    for (index, lesson) in LESSONS.iter().enumerate() {
        assert!(LESSONS[..index].iter().all(|other| other.id != lesson.id), "{}", lesson.id);
        assert!((4..=8).contains(&lesson.steps.len()), "{} has {} steps", lesson.id, lesson.steps.len());
        assert!(lesson.steps.iter().any(|step| step.guess.is_some()), "{} asks nothing", lesson.id);
        assert!(lesson.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", lesson.id);
    }
}

#[test]
fn every_figure_can_be_computed() {
    for (id, name) in steps() {
        let (step, facts) = (id.step(), facts_of(&id.step().scene));
        assert!(!step.text.is_empty(), "{name} says nothing");
        for text in texts(step) {
            said(text, &facts);
        }
        let answer = step.guess.iter().flat_map(|guess| guess.answer);
        for block in step.text.iter().chain(answer) {
            if let TextBlock::Walk(job) = block {
                walk(&facts, job).unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
        if let Some(guess) = &step.guess {
            assert!(guess.right < guess.options.len() && guess.options.len() >= 2, "{name}");
            let options: Vec<String> = guess.options.iter().map(|option| said(option, &facts)).collect();
            for (at, option) in options.iter().enumerate() {
                assert!(!options[..at].contains(option), "{name}: \"{option}\" can be chosen twice");
            }
            assert!(!guess.answer.is_empty(), "{name}");
        }
    }
}

#[test]
fn every_claim_holds() {
    let mut wrong = Vec::new();
    for (id, name) in steps() {
        let facts = facts_of(&id.step().scene);
        for claim in id.step().claims {
            match facts.holds(claim) {
                Ok(true) => {}
                Ok(false) => {
                    let figure = |word: &str| facts.evaluate(word).unwrap_or_else(|_| word.to_owned());
                    let sides: Vec<String> =
                        claim.split(['<', '=']).map(|side| figure(side.trim())).collect();
                    wrong.push(format!("{name}: {claim} ({})", sides.join(" against ")));
                }
                Err(error) => wrong.push(format!("{name}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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

/// Figures come from the simulator, so texts have none of their own, except for numbered parts of the paper.
#[test]
fn no_text_has_a_number_of_its_own() {
    for (id, name) in steps() {
        for text in texts(id.step()) {
            for piece in pieces(text) {
                if matches!(piece.style, MarkupStyle::Code | MarkupStyle::Figure) {
                    continue;
                }
                let words = piece.words;
                let number = words
                    .split([' ', ',', '.', '('])
                    .zip(words.split([' ', ',', '.', '(']).skip(1))
                    .find(|(before, word)| {
                        word.contains(|c: char| c.is_ascii_digit())
                            && ![
                                "Algorithm",
                                "Algorithms",
                                "Figure",
                                "line",
                                "Line",
                                "lines",
                                "Section",
                                "to",
                                "and",
                            ]
                            .contains(before)
                    });
                assert_eq!(number, None, "{name}: \"{words}\"");
            }
        }
    }
}

#[test]
fn every_scene_can_be_set_up() {
    let states = [GuessState::Open, GuessState::Answered];
    for ((id, name), state) in steps().flat_map(|step| states.map(|state| (step.clone(), state))) {
        let (scene, spots) = id.step().shown(state);
        let facts = facts_of(scene);
        assert_eq!(
            scene.scenario(),
            id.step().scene.scenario(),
            "{name}: an answer reveals no other scenario"
        );
        let policies: Vec<_> = scene.policies().collect();
        let written = policies.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        assert_eq!(written, scene.policies, "{name}: in the order of the panels, without unknown ones");
        let view = scene.view(&facts).unwrap_or_else(|error| panic!("{name}: {error}"));
        let question = scene.question(&facts).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            question.is_none_or(|(policy, _)| policies.contains(&policy)),
            "{name}: asks about a hidden policy"
        );
        if let Some((policy, DisplayQuestion::Dispatch(task))) = question {
            let start = simulate(facts.scenario(), policy).tasks[task].start;
            assert_eq!(start, scene.playhead, "{name}: explains another instant than it shows");
        }
        // The page does not move the playhead beyond the end of what it shows.
        for &policy in &policies {
            let end = simulate(facts.scenario(), policy).end();
            assert!(scene.playhead <= end, "{name}: {policy} ends at {end:?}");
        }
        if let Some(window) = view.window {
            assert!(window.from < window.to, "{name}");
        }
        assert!(!spots.is_empty(), "{name} points at nothing");
        for spot in spots {
            match *spot {
                StepTarget::Panel("observed") => {
                    assert!(matches!(scene.source, StepSource::Recorded), "{name}")
                }
                StepTarget::Panel(policy) | StepTarget::Load(policy) => {
                    assert!(written.split(',').any(|ticked| ticked == policy), "{name}: {spot:?}");
                }
                StepTarget::Response(policy) => {
                    assert!(written.split(',').any(|ticked| ticked == policy), "{name}: {spot:?}");
                    assert!(!scene.chosen.is_empty(), "{name}: a response of no job");
                }
                StepTarget::Job(job) => {
                    facts.job(job).unwrap_or_else(|error| panic!("{name}: {error}"));
                }
                StepTarget::Lane(user) => {
                    facts.user(user).unwrap_or_else(|error| panic!("{name}: {error}"));
                }
                _ => {}
            }
        }
    }
}

/// Lessons are set up within a frame or two: their scenarios are small.
#[test]
fn scenes_are_small() {
    for (id, name) in steps() {
        let scene = id.step().shown(GuessState::Answered).0;
        let facts = facts_of(scene);
        for policy in scene.policies() {
            let trace = simulate(facts.scenario(), policy);
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

/// What the steps say, for whoever writes or reviews them: `cargo test -p fairlane-study lessons -- --ignored --nocapture`.
#[test]
#[ignore = "prints, and checks nothing"]
fn read_the_lessons() {
    let print = |blocks: &[TextBlock], facts: &LessonFacts| {
        for block in blocks {
            match block {
                TextBlock::Text(text) => println!("  {}", said(text, facts)),
                TextBlock::Points(points) => {
                    points.iter().for_each(|point| println!("  - {}", said(point, facts)))
                }
                TextBlock::Table { head, rows } => [head].into_iter().chain(rows.iter()).for_each(|row| {
                    let cells: Vec<String> = row.iter().map(|cell| said(cell, facts)).collect();
                    println!("  | {} |", cells.join(" | "));
                }),
                TextBlock::Walk(job) => {
                    for line in walk(facts, job).unwrap_or_else(|error| panic!("{error}")).lines {
                        println!("  {:>6}  {}", line.number, line.words);
                        println!("          {}", line.state.join("\n          "));
                    }
                }
            }
        }
    };
    for (id, name) in steps() {
        let (step, facts) = (id.step(), facts_of(&id.step().scene));
        println!("\n#{name}: {}", step.title);
        print(step.text, &facts);
        if let Some(guess) = &step.guess {
            println!("  ? {}", said(guess.question, &facts));
            for (option, text) in guess.options.iter().enumerate() {
                println!("    ({}) {}", if option == guess.right { "x" } else { " " }, said(text, &facts));
            }
            print(guess.answer, &facts);
        }
    }
}
