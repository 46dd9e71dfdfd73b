//! Lessons as Markdown documents: the form is described in `docs/lessons.md`.
//!
//! A document is read in two passes: the module `blocks` makes paragraphs, lists and instructions of the Markdown, and
//! `assemble` puts them into steps. Whatever is wrong becomes a [`LessonFault`] with line and remedy, and the rest of
//! the lesson is read all the same. Nothing is simulated before [`check`].
//!
//! ```
//! use fairlane_study::lesson::document::{self, NoFiles, TEMPLATE};
//! let lesson = document::read(TEMPLATE, &NoFiles);
//! assert!(lesson.faults().all(|fault| fault.message.contains("still to be written")));
//! assert_eq!(lesson.steps.len(), 4);
//! ```

mod assemble;
mod blocks;
mod challenge;
mod check;
mod content;
mod front;
mod inline;
mod instruction;
mod print;
mod scene;
mod student;
mod target;
mod tries;

pub(in crate::lesson) use check::facts_of;
pub use check::{CheckedLesson, FactSource, check, check_step};
pub use content::{
    Answers, Claim, GuessState, Lesson, LessonDemo, LessonFault, LessonSeed, LessonStep, Question,
    QuestionOption, Reveal, Severity, StyledText, TextBlock, TextStyle, Trial,
};
pub use print::text_with_figures;
pub use scene::{LessonScene, StepSource, scene_of};
pub use target::StepTarget;
pub use tries::{TriedFault, made_up_students, try_students};

/// Most bytes of a document.
pub const MAX_BYTES: usize = 1 << 20;
/// Most steps of a lesson.
pub const MAX_STEPS: usize = 100;
/// Most faults that are collected.
pub const MAX_FAULTS: usize = 100;

/// A short lesson to begin with, whose only faults are what is still to be written.
pub const TEMPLATE: &str = include_str!("document/template.md");

/// Files that a document names, such as the scenario beside it.
pub trait LessonFiles {
    /// The text of a file, by its name beside the document.
    ///
    /// # Errors
    /// Why it cannot be had, with the remedy.
    fn text(&self, name: &str) -> Result<String, String>;
}

/// Nothing beside the document, as where it was pasted.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl LessonFiles for NoFiles {
    fn text(&self, _: &str) -> Result<String, String> {
        Err("no files are beside this document; put the scenario into it as a block of json".to_owned())
    }
}

/// Reads a document. What is wrong is among the [faults](Lesson::faults) of the lesson and its steps.
pub fn read(text: &str, files: &dyn LessonFiles) -> Lesson {
    read_with(text, files, None)
}

/// Reads a document as a student has it, by name: if its front matter says `seed: student`, the scenarios that are
/// [drawn](fairlane::scenario::Generator) are drawn from the student's own [seed](super::answers::student_seed).
///
/// ```
/// use fairlane_study::lesson::document::{self, NoFiles};
/// let text = "---\ntitle: Mine\nseed: student\nscene: catalog:paf-suite\n---\n## How many cores?\n{cores}";
/// let of = |name: &str| document::read_for(text, &NoFiles, name).steps[0].scene.scenario();
/// assert_eq!(of("Ada"), of("Ada"));
/// assert_ne!(of("Ada"), of("Bob"));
/// ```
pub fn read_for(text: &str, files: &dyn LessonFiles, student: &str) -> Lesson {
    read_with(text, files, Some(student))
}

fn read_with(text: &str, files: &dyn LessonFiles, student: Option<&str>) -> Lesson {
    if text.len() > MAX_BYTES {
        let message = format!(
            "the document has {} bytes, and the limit is {MAX_BYTES}; divide it into several lessons",
            text.len()
        );
        return Lesson { own_faults: vec![LessonFault::new(1, message)], ..Lesson::default() };
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (front, body) = front::split(text);
    let blocks = blocks::read(body.text, body.line);
    assemble::lesson(&front, blocks, files, student)
}

#[cfg(test)]
mod tests;
