//! The lessons against the simulator: every figure can be told, every claim holds, every scene can be
//! set up, and no number stands in a text by itself.
#![cfg(not(target_arch = "wasm32"))]

use fairlane::engine::{Control, simulate_with_journal};
use fairlane::lesson::{
    Block, Facts, LESSONS, Piece, Place, Spot, Stage, Step, Told, ToldBlock, pieces, tell,
};
use fairlane::simulate;

/// Every step with its name.
fn steps() -> impl Iterator<Item = (Place, String)> {
    let lessons = 0..LESSONS.len();
    lessons.flat_map(|lesson| {
        let first = Place::first(lesson);
        (0..first.lesson().steps.len()).map(move |step| (first.at(step), first.at(step).fragment()))
    })
}

/// All texts of a step but for the answers to choose from.
fn texts(step: &Step) -> Vec<&'static str> {
    fn of(block: &Block) -> Vec<&'static str> {
        match block {
            Block::Text(text) => vec![text],
            Block::Points(points) => points.to_vec(),
            Block::Table { head, rows } => {
                head.iter().chain(rows.iter().copied().flatten()).copied().collect()
            }
            Block::Walk(_) => Vec::new(),
        }
    }
    let guess = step.guess.iter().flat_map(|guess| guess.answer.iter().flat_map(of).chain([guess.question]));
    [step.title].into_iter().chain(step.text.iter().flat_map(of)).chain(guess).collect()
}

#[test]
fn lessons_are_short_and_named_once() {
    for (place, lesson) in LESSONS.iter().enumerate() {
        assert!(LESSONS[..place].iter().all(|other| other.id != lesson.id), "{}", lesson.id);
        assert!((4..=8).contains(&lesson.steps.len()), "{} has {} steps", lesson.id, lesson.steps.len());
        assert!(lesson.steps.iter().any(|step| step.guess.is_some()), "{} asks nothing", lesson.id);
        assert!(lesson.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", lesson.id);
    }
}

#[test]
fn every_figure_can_be_told() {
    for (place, name) in steps() {
        let facts = Facts::new(place.step().scene.scenario());
        let (text, guess) = tell(place.step(), &facts).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!text.is_empty(), "{name} says nothing");
        if let Some(guess) = guess {
            assert!(guess.right < guess.options.len() && guess.options.len() >= 2, "{name}");
            let said = |told: &[Told]| told.iter().map(Told::words).collect::<String>();
            let options: Vec<String> = guess.options.iter().map(|option| said(option)).collect();
            for (at, option) in options.iter().enumerate() {
                assert!(!options[..at].contains(option), "{name}: \"{option}\" can be chosen twice");
            }
            assert!(guess.answer.iter().all(|block| *block != ToldBlock::Text(Vec::new())), "{name}");
        }
    }
}

#[test]
fn every_claim_holds() {
    let mut wrong = Vec::new();
    for (place, name) in steps() {
        let facts = Facts::new(place.step().scene.scenario());
        for claim in place.step().claims {
            match facts.holds(claim) {
                Ok(true) => {}
                Ok(false) => {
                    let figure = |word: &str| facts.tell(word).unwrap_or_else(|_| word.to_owned());
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

/// Figures come from the simulator, so texts have none of their own. What may be written: the parts of
/// the paper.
#[test]
fn no_text_has_a_number_of_its_own() {
    for (place, name) in steps() {
        for text in texts(place.step()) {
            for piece in pieces(text) {
                let (Piece::Plain(words) | Piece::Strong(words) | Piece::Emphasis(words)) = piece else {
                    continue;
                };
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
    let stages = [Stage::Asking, Stage::Answered];
    for ((place, name), stage) in steps().flat_map(|step| stages.map(|stage| (step.clone(), stage))) {
        let (scene, spots) = place.step().shown(stage);
        let facts = Facts::new(scene.scenario());
        assert_eq!(
            *facts.scenario(),
            place.step().scene.scenario(),
            "{name}: an answer reveals no other scenario"
        );
        let policies: Vec<_> = scene.policies().collect();
        let written = policies.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        assert_eq!(written, scene.policies, "{name}: in the order of the panels, without unknown ones");
        scene.chosen(&facts).unwrap_or_else(|error| panic!("{name}: {error}"));
        let question = scene.question(&facts).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            question.is_none_or(|(policy, _)| policies.contains(&policy)),
            "{name}: asks about a hidden policy"
        );
        // The page puts the playhead no later than the end of what it shows.
        for &policy in &policies {
            let end = simulate(facts.scenario(), policy).end();
            assert!(scene.playhead() <= end, "{name}: {policy} ends at {end:?}");
        }
        if let Some(window) = scene.window() {
            assert!(window.from < window.to, "{name}");
        }
        assert!(!spots.is_empty(), "{name} points at nothing");
        for spot in spots {
            match *spot {
                Spot::Panel(policy) | Spot::Load(policy) => {
                    assert!(written.split(',').any(|ticked| ticked == policy), "{name}: {spot:?}");
                }
                Spot::Response(policy) => {
                    assert!(written.split(',').any(|ticked| ticked == policy), "{name}: {spot:?}");
                    assert!(!scene.chosen.is_empty(), "{name}: a response of no job");
                }
                Spot::Job(job) => {
                    facts.job(job).unwrap_or_else(|error| panic!("{name}: {error}"));
                }
                Spot::Lane(user) => {
                    facts.user(user).unwrap_or_else(|error| panic!("{name}: {error}"));
                }
                _ => {}
            }
        }
    }
}

/// Lessons are told and set up within a frame or two: their scenarios are small.
#[test]
fn scenes_are_small() {
    for (place, name) in steps() {
        let scene = place.step().shown(Stage::Answered).0;
        let scenario = scene.scenario();
        for policy in scene.policies() {
            let (trace, _) = simulate_with_journal(&scenario, policy, &mut |_| Control::Continue)
                .expect("nobody asks to stop");
            assert!(trace.tasks.len() <= 5000, "{name}: {} tasks under {policy}", trace.tasks.len());
        }
    }
}

/// What the steps say, for whoever writes or reviews them: `cargo test --test lessons -- --ignored --nocapture`.
#[test]
#[ignore = "prints, and checks nothing"]
fn read_the_lessons() {
    let said = |told: &[Told]| told.iter().map(Told::words).collect::<String>();
    let print = |blocks: &[ToldBlock]| {
        for block in blocks {
            match block {
                ToldBlock::Text(text) => println!("  {}", said(text)),
                ToldBlock::Points(points) => points.iter().for_each(|point| println!("  - {}", said(point))),
                ToldBlock::Table { head, rows } => [head].into_iter().chain(rows).for_each(|row| {
                    println!("  | {} |", row.iter().map(|cell| said(cell)).collect::<Vec<_>>().join(" | "));
                }),
                ToldBlock::Walk(walk) => walk.lines.iter().for_each(|line| {
                    println!(
                        "  {:>6}  {}\n          {}",
                        line.number,
                        line.words,
                        line.state.join("\n          ")
                    );
                }),
            }
        }
    };
    for (place, name) in steps() {
        println!("\n#{name}: {}", place.step().title);
        match tell(place.step(), &Facts::new(place.step().scene.scenario())) {
            Ok((text, guess)) => {
                print(&text);
                if let Some(guess) = guess {
                    println!("  ? {}", said(&guess.question));
                    for (option, words) in guess.options.iter().enumerate() {
                        println!("    ({}) {}", if option == guess.right { "x" } else { " " }, said(words));
                    }
                    print(&guess.answer);
                }
            }
            Err(error) => println!("  {error}"),
        }
    }
}
