//! What the page needs of the lessons before their texts are loaded: names and scenes. A test writes them into
//! `outlines.txt` as they are in the documents, of which whoever uses only the outlines needs nothing:
//!
//! ```text
//! tour  = "# " id " " title  *step
//! step  = "- " scene  [ "? " [ scene ] ]  [ "! " id ]      the step, its question with what is revealed, its challenge
//! ```

use std::borrow::Cow;
use std::sync::LazyLock;

use super::document::{GuessState, LessonScene, scene_of};
use super::own::scenario_file;

/// The lessons without their texts.
const TEXT: &str = include_str!("outlines.txt");

/// A lesson without its texts.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Name in links and in the browser's storage.
    pub id: &'static str,
    /// Title for people.
    pub title: &'static str,
    steps: Vec<StepOutline>,
}

/// A step without its texts.
#[derive(Clone, Debug)]
pub struct StepOutline {
    /// What the page shows.
    pub scene: LessonScene,
    /// Whether it asks a question.
    pub asks: bool,
    /// What the page shows once the question is answered, if that is something else.
    pub reveal: Option<LessonScene>,
    /// The name of the challenge that it is, if it is one.
    pub challenge: Option<&'static str>,
}

impl StepOutline {
    /// What the page shows.
    pub fn shown(&self, guess: GuessState) -> &LessonScene {
        match &self.reveal {
            Some(scene) if guess == GuessState::Answered => scene,
            _ => &self.scene,
        }
    }
}

impl Outline {
    /// How many steps there are.
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// A step, by index; the last if there are fewer.
    pub fn step(&self, index: usize) -> &StepOutline {
        &self.steps[index.min(self.steps.len() - 1)]
    }

    /// Whether its steps are the challenges.
    pub fn is_of_challenges(&self) -> bool {
        self.steps.iter().any(|step| step.challenge.is_some())
    }

    /// The steps.
    pub fn steps(&self) -> &[StepOutline] {
        &self.steps
    }
}

/// The outlines of the lessons, by index, and of the challenges behind them.
pub static OUTLINES: LazyLock<Vec<Outline>> = LazyLock::new(|| read(TEXT));

fn read(text: &'static str) -> Vec<Outline> {
    let mut outlines: Vec<Outline> = Vec::new();
    for line in text.lines() {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        if mark == "#" {
            let (id, title) = rest.split_once(' ').unwrap_or((rest, ""));
            outlines.push(Outline { id, title, steps: Vec::new() });
            continue;
        }
        let Some(outline) = outlines.last_mut() else { continue };
        match (mark, outline.steps.last_mut()) {
            ("-", _) => {
                outline.steps.push(StepOutline {
                    scene: scene(rest),
                    asks: false,
                    reveal: None,
                    challenge: None,
                });
            }
            ("?", Some(step)) => {
                step.asks = true;
                step.reveal = (!rest.is_empty()).then(|| scene(rest));
            }
            ("!", Some(step)) => step.challenge = Some(rest),
            _ => {}
        }
    }
    outlines
}

fn scene(text: &str) -> LessonScene {
    let file = |source: &str| {
        let name = source.strip_prefix("file:").unwrap_or(source);
        scenario_file(name).map(Cow::Borrowed).ok_or_else(|| format!("there is no file {name}"))
    };
    scene_of(text, file).expect("a test writes the outlines from documents without faults")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::{env, fs};

    use super::*;
    use crate::lesson::own::TOURS;

    /// Set to anything, rewrites the outlines; read the difference before you commit it.
    const REWRITE: &str = "FAIRLANE_REWRITE_DOCS";

    #[test]
    fn outlines_are_those_of_the_documents() {
        let mut text = String::new();
        for lesson in TOURS.iter() {
            let _ = writeln!(text, "# {} {}", lesson.id, lesson.title);
            for step in &lesson.steps {
                let _ = writeln!(text, "- {}", step.scene.text);
                if let Some(question) = &step.question {
                    let reveal = question.reveal.as_ref().map_or("", |reveal| reveal.scene.text.as_str());
                    let _ = writeln!(text, "{}", format!("? {reveal}").trim_end());
                }
                if let Some(challenge) = &step.challenge {
                    let _ = writeln!(text, "! {}", challenge.id);
                }
            }
        }
        if env::var_os(REWRITE).is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lesson/outlines.txt");
            return fs::write(path, text).expect("a writable file");
        }
        assert!(text == TEXT, "outlines.txt is not what the documents say: run this test with {REWRITE}=1");
        for (lesson, outline) in TOURS.iter().zip(OUTLINES.iter()) {
            for (step, outline) in lesson.steps.iter().zip(outline.steps()) {
                for state in [GuessState::Open, GuessState::Answered] {
                    assert_eq!(step.shown(state).0, outline.shown(state), "{}: {}", lesson.id, step.title);
                }
            }
        }
    }
}
