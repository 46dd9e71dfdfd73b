//! What a lesson consists of.

use std::fmt;

use super::{LessonScene, MAX_FAULTS, StepTarget};
use crate::lesson::Challenge;
use crate::lesson::answers::PlainDate;
use fairlane::scenario::Edit;

/// A guided tour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lesson {
    /// Name in links and in the browser's storage; empty where nothing leads to it by name.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// What the reader knows afterwards, in a sentence.
    pub summary: String,
    /// About how many minutes it takes.
    pub minutes: u32,
    /// The student for whom it was read.
    pub student: Option<String>,
    /// What decides the seed of its scenarios.
    pub seed: LessonSeed,
    /// The last day on which it may be handed in.
    pub due: Option<PlainDate>,
    /// Text in front of the first step, which the guide shows above the live figure.
    pub introduction: Vec<TextBlock>,
    /// The live figure of its page in the guide.
    pub demo: Option<LessonDemo>,
    /// The steps.
    pub steps: Vec<LessonStep>,
    /// What is wrong with the document outside of its steps.
    pub own_faults: Vec<LessonFault>,
}

impl Lesson {
    /// What is wrong with the document, at most [`MAX_FAULTS`] of it, in the order of its lines.
    pub fn faults(&self) -> impl Iterator<Item = &LessonFault> {
        let mut faults: Vec<&LessonFault> =
            self.own_faults.iter().chain(self.steps.iter().flat_map(|step| &step.faults)).collect();
        faults.sort_by_key(|fault| fault.line);
        faults.into_iter().take(MAX_FAULTS)
    }
}

/// What decides the seed of the scenarios that a generator makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LessonSeed {
    /// The generator's own: all readers have the same.
    #[default]
    Generator,
    /// The reader's: each student has an exercise of the same kind with other numbers.
    Student,
}

/// The live figure of a lesson's page in the guide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonDemo {
    /// The step that it begins with, from 1.
    pub step: usize,
    /// What it shows other than the step, each an attribute of the element for demos with its value.
    pub attributes: Vec<(String, String)>,
    /// Height in pixels.
    pub height: u32,
    /// What it shows, for those who do not see it.
    pub label: String,
}

/// One step of a lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonStep {
    /// Line of its heading.
    pub line: usize,
    /// Title for people.
    pub title: String,
    /// Its text.
    pub text: Vec<TextBlock>,
    /// What the page shows meanwhile.
    pub scene: LessonScene,
    /// Line of its scene; of its heading if it has none of its own.
    pub scene_line: usize,
    /// What is pointed at; the first is scrolled into view.
    pub targets: Vec<StepTarget>,
    /// Its question, if it asks one.
    pub question: Option<Question>,
    /// What the text claims in words, as comparisons of figures such as `start fair query < start fifo query`.
    pub claims: Vec<Claim>,
    /// What the text asks the reader to try, with what comes of it.
    pub trials: Vec<Trial>,
    /// What is to be reached, if the step is a challenge.
    pub challenge: Option<Box<Challenge>>,
    /// What is wrong with the step.
    pub faults: Vec<LessonFault>,
}

impl LessonStep {
    /// A step of that title which says and shows nothing.
    pub fn empty(title: String) -> LessonStep {
        LessonStep {
            line: 1,
            title,
            text: Vec::new(),
            scene: LessonScene::default(),
            scene_line: 1,
            targets: Vec::new(),
            question: None,
            claims: Vec::new(),
            trials: Vec::new(),
            challenge: None,
            faults: Vec::new(),
        }
    }

    /// What the page shows, and what is pointed at.
    pub fn shown(&self, guess: GuessState) -> (&LessonScene, &[StepTarget]) {
        match self.question.as_ref().and_then(|question| question.reveal.as_ref()) {
            Some(reveal) if guess == GuessState::Answered => (&reveal.scene, &reveal.targets),
            _ => (&self.scene, &self.targets),
        }
    }
}

/// Whether a step's question has been answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuessState {
    /// Not yet, or there is no question.
    Open,
    /// An answer is chosen.
    Answered,
}

/// A question and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Line of its heading.
    pub line: usize,
    /// The question.
    pub words: Vec<StyledText>,
    /// How it is answered.
    pub answers: Answers,
    /// Why the answer is right, with the figures.
    pub explanation: Vec<TextBlock>,
    /// What the page shows once it is answered, if the step itself hides it.
    pub reveal: Option<Reveal>,
}

/// How a question is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Answers {
    /// By choosing among several, of which at least one is right.
    Options(Vec<QuestionOption>),
    /// By a number.
    Number {
        /// The expression of the right number.
        figure: String,
        /// How far an answer may be from it, in percent of it.
        tolerance_percent: f64,
        /// Its line in the document.
        line: usize,
    },
}

/// An answer to choose.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionOption {
    /// What it says.
    pub words: Vec<StyledText>,
    /// Whether it is right.
    pub is_right: bool,
}

/// What is shown and pointed at once a question is answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Reveal {
    /// Its line in the document.
    pub line: usize,
    /// What the page shows.
    pub scene: LessonScene,
    /// What is pointed at.
    pub targets: Vec<StepTarget>,
}

/// A comparison of figures that holds if the text is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its line in the document.
    pub line: usize,
    /// The comparison.
    pub text: String,
}

/// What a reader is asked to try, and what comes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Its line in the document.
    pub line: usize,
    /// What holds afterwards; the variant `@ start` is the scenario as it was.
    pub claims: Vec<Claim>,
    /// What is done, one after the other.
    pub edits: Vec<Edit>,
}

/// A block of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextBlock {
    /// A paragraph.
    Text(Vec<StyledText>),
    /// A list.
    List {
        /// The number of the first item, if the items are numbered.
        first: Option<u64>,
        /// The items.
        items: Vec<Vec<StyledText>>,
    },
    /// A table.
    Table {
        /// The headings.
        head: Vec<Vec<StyledText>>,
        /// The rows; the first cell of each names it.
        rows: Vec<Vec<Vec<StyledText>>>,
    },
    /// Lines of code.
    Code(String),
    /// UWFQ's Algorithm 1 line by line as a job arrives; the job by name.
    Walk(String),
}

/// Words of one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyledText {
    /// How the words are set.
    pub style: TextStyle,
    /// The words. For a figure, its expression.
    pub words: String,
    /// Line in the document on which they begin.
    pub line: usize,
}

/// How words are set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextStyle {
    /// As usual.
    Plain,
    /// Strong.
    Strong,
    /// With emphasis.
    Emphasis,
    /// As code.
    Code,
    /// As a figure of the simulator.
    Figure,
    /// As a link to this address.
    Link(String),
    /// In place of the picture at this address, which they describe.
    Image(String),
}

/// Something wrong with a document, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonFault {
    /// Line in the document, from 1.
    pub line: usize,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong and what to do.
    pub message: String,
}

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The lesson can be read as its author means it.
    Warning,
    /// It cannot.
    Error,
}

impl LessonFault {
    /// An error.
    pub fn new(line: usize, message: impl Into<String>) -> LessonFault {
        LessonFault { line, severity: Severity::Error, message: message.into() }
    }

    /// A warning.
    pub fn warning(line: usize, message: impl Into<String>) -> LessonFault {
        LessonFault { line, severity: Severity::Warning, message: message.into() }
    }
}

impl fmt::Display for LessonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Warning => "warning: ",
            Severity::Error => "",
        };
        write!(f, "line {}: {word}{}", self.line, self.message)
    }
}
