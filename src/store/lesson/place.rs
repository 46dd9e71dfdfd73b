//! Where the reader is: at a step of one of the project's lessons, or of a document that somebody else has written.

use std::collections::BTreeMap;

use crate::results::shared::Shared;
use fairlane_study::lesson::document::{
    self, GuessState, Lesson, LessonFault, LessonFiles, LessonScene, LessonStep, StepSource,
};
use fairlane_study::lesson::{Challenge, StepId};
use fairlane_view::link::LessonDocument;

/// A document that the reader has opened, as it was written and as it was read. It has at least one step.
#[derive(Debug)]
pub struct OpenedLesson {
    /// The document as it was written.
    pub document: LessonDocument,
    /// The lesson that was read from it.
    pub lesson: Lesson,
    /// Who answers its questions, once that is known.
    pub student: Option<String>,
}

/// The files that were opened together with a document.
struct FilesBeside<'a>(&'a BTreeMap<String, String>);

impl LessonFiles for FilesBeside<'_> {
    fn text(&self, name: &str) -> Result<String, String> {
        // A file that was dropped has lost its folder.
        let base = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
        let same = || self.0.iter().find(|(known, _)| base(known) == base(name)).map(|(_, text)| text);
        self.0.get(name).or_else(same).cloned().ok_or_else(|| {
            format!(
                "there is no file {name} beside the document; open both together, or put the scenario into the \
                 document as a block of json"
            )
        })
    }
}

impl OpenedLesson {
    /// Reads a document, for a student by name if the link to it names one. What is wrong with it is among the faults of the lesson and its steps.
    pub fn read(document: LessonDocument, student: Option<String>) -> OpenedLesson {
        let files = FilesBeside(&document.files);
        let mut lesson = match &student {
            Some(student) => document::read_for(&document.text, &files, student),
            None => document::read(&document.text, &files),
        };
        if lesson.title.is_empty() {
            lesson.title.clone_from(&document.name);
        }
        if lesson.steps.is_empty() {
            // What is wrong is said in its place.
            lesson.steps.push(LessonStep::empty(lesson.title.clone()));
        }
        for step in &mut lesson.steps {
            if let StepSource::Recorded(name) = &step.scene.source {
                let message = format!(
                    "the log {name} is not read here; open the log itself, save its scenario, and name that by file:"
                );
                step.faults.push(LessonFault::new(step.line, message));
                step.scene.source = StepSource::Unreadable;
            }
        }
        OpenedLesson { document, lesson, student }
    }

    /// A step, by index.
    fn step(&self, step: usize) -> &LessonStep {
        &self.lesson.steps[step]
    }

    /// Which files its scenes name that are not there.
    pub fn missing_files(document: &LessonDocument) -> Vec<String> {
        struct Wanted<'a>(FilesBeside<'a>, std::cell::RefCell<Vec<String>>);
        impl LessonFiles for Wanted<'_> {
            fn text(&self, name: &str) -> Result<String, String> {
                self.0.text(name).inspect_err(|_| {
                    let mut wanted = self.1.borrow_mut();
                    if !wanted.iter().any(|known| known == name) {
                        wanted.push(name.to_owned());
                    }
                })
            }
        }
        let wanted = Wanted(FilesBeside(&document.files), std::cell::RefCell::default());
        document::read(&document.text, &wanted);
        wanted.1.into_inner()
    }
}

/// A step of a lesson.
#[derive(Clone, Debug, PartialEq)]
pub enum LessonPlace {
    /// A step of a lesson of the project's own, or one of its challenges.
    Own(StepId),
    /// A step of a document that the reader has opened, by its index.
    Opened(Shared<OpenedLesson>, usize),
}

impl From<StepId> for LessonPlace {
    fn from(id: StepId) -> LessonPlace {
        LessonPlace::Own(id)
    }
}

impl LessonPlace {
    /// A step of a document, by index; the last if there are fewer.
    pub fn opened(lesson: Shared<OpenedLesson>, step: usize) -> LessonPlace {
        let last = lesson.lesson.steps.len().saturating_sub(1);
        LessonPlace::Opened(lesson, step.min(last))
    }

    /// The step, if it is of one of the project's lessons.
    pub fn own(&self) -> Option<StepId> {
        match self {
            LessonPlace::Own(id) => Some(*id),
            LessonPlace::Opened(..) => None,
        }
    }

    /// The document, if the reader has opened one.
    pub fn document(&self) -> Option<&Shared<OpenedLesson>> {
        match self {
            LessonPlace::Own(_) => None,
            LessonPlace::Opened(lesson, _) => Some(lesson),
        }
    }

    /// Whether another step is of the same lesson.
    pub fn is_in_lesson_of(&self, other: &LessonPlace) -> bool {
        match (self, other) {
            (LessonPlace::Own(one), LessonPlace::Own(other)) => one.lesson_index() == other.lesson_index(),
            (one, other) => one.document().is_some() && one.document() == other.document(),
        }
    }

    /// The index of the step in its lesson, from 0.
    pub fn index(&self) -> usize {
        match self {
            LessonPlace::Own(id) => id.index(),
            LessonPlace::Opened(_, step) => *step,
        }
    }

    /// How many steps the lesson has.
    pub fn step_count(&self) -> usize {
        match self {
            LessonPlace::Own(id) => id.outline().step_count(),
            LessonPlace::Opened(lesson, _) => lesson.lesson.steps.len(),
        }
    }

    /// Another step of the lesson; the last if there are fewer.
    pub fn at(&self, step: usize) -> LessonPlace {
        match self {
            LessonPlace::Own(id) => LessonPlace::Own(id.at(step)),
            LessonPlace::Opened(lesson, _) => LessonPlace::opened(lesson.clone(), step),
        }
    }

    /// The title of the lesson.
    pub fn lesson_title(&self) -> &str {
        match self {
            LessonPlace::Own(id) => id.outline().title,
            LessonPlace::Opened(lesson, _) => &lesson.lesson.title,
        }
    }

    /// What the page shows.
    pub fn scene(&self, guess: GuessState) -> &LessonScene {
        match self {
            LessonPlace::Own(id) => id.step_outline().shown(guess),
            LessonPlace::Opened(lesson, step) => lesson.step(*step).shown(guess).0,
        }
    }

    /// What the page shows once the question is answered, if that is something else.
    pub fn reveal(&self) -> Option<&LessonScene> {
        match self {
            LessonPlace::Own(id) => id.step_outline().reveal.as_ref(),
            LessonPlace::Opened(lesson, step) => {
                Some(&lesson.step(*step).question.as_ref()?.reveal.as_ref()?.scene)
            }
        }
    }

    /// Whether the step asks a question.
    pub fn asks(&self) -> bool {
        match self {
            LessonPlace::Own(id) => id.step_outline().asks,
            LessonPlace::Opened(lesson, step) => lesson.step(*step).question.is_some(),
        }
    }

    /// Whether the step is a challenge.
    pub fn is_challenge(&self) -> bool {
        match self {
            LessonPlace::Own(id) => id.is_challenge(),
            LessonPlace::Opened(lesson, step) => lesson.step(*step).challenge.is_some(),
        }
    }

    /// The place as the page names it: a link's fragment, or the step of a document.
    pub fn name(&self) -> String {
        match self {
            LessonPlace::Own(id) => id.fragment(),
            LessonPlace::Opened(_, step) => format!("document/{}", step + 1),
        }
    }

    /// The lesson with its texts.
    pub fn lesson(&self) -> &Lesson {
        match self {
            LessonPlace::Own(id) => id.lesson(),
            LessonPlace::Opened(lesson, _) => &lesson.lesson,
        }
    }

    /// The step with its texts. Reads the project's own lessons, whose reader is loaded later: for what is, too.
    pub fn step(&self) -> &LessonStep {
        match self {
            LessonPlace::Own(id) => id.step(),
            LessonPlace::Opened(lesson, step) => lesson.step(*step),
        }
    }

    /// The challenge, if the step is one.
    pub fn challenge(&self) -> Option<&Challenge> {
        self.step().challenge.as_deref()
    }
}
