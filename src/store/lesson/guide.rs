//! What the reader does about lessons, and how much of one is shown.

use super::{GivenAnswer, LessonPlace, LessonProgress, OpenedLesson};
use crate::results::shared::Shared;
use crate::store::{Motion, State};
use fairlane_study::lesson::{ChallengeScore, StepId};
use fairlane_view::link::LessonDocument;

/// What reads a document: a program of the page that is loaded once it is wanted, so who sends the action brings it.
#[derive(Clone, Copy, Debug)]
pub struct ReadDocument(pub fn(LessonDocument) -> OpenedLesson);

impl PartialEq for ReadDocument {
    fn eq(&self, _: &ReadDocument) -> bool {
        // There is one.
        true
    }
}

/// What the reader does about lessons.
#[derive(Clone, Debug, PartialEq)]
pub enum Guide {
    /// A lesson of the project starts or continues at a step; the page is set up for it.
    Start(StepId),
    /// A document that was read is shown, from a step on, by index.
    Open(Shared<OpenedLesson>, usize),
    /// A document that was under way before a reload is there again.
    Resume(Box<ResumedLesson>),
    /// A document is written, as it was read last, and shown at a step, by index; or it is not written any more.
    Write(Option<(Shared<OpenedLesson>, usize)>),
    /// What was done before in the document that has just been opened is there again.
    Recall(Box<LessonProgress>),
    /// A new document is written, which begins with what is on the page.
    WriteNew(ReadDocument),
    /// The lesson under way continues at another step, by index.
    At(usize),
    /// The step's state is restored.
    SetUp,
    /// What runs some policies is loaded: the decision of a step under one of them can be explained.
    Explain,
    /// A question is answered; what is right is played, or shown at once.
    Guess(GivenAnswer, Motion),
    /// The card is folded to its title, or unfolded.
    Fold,
    /// The last step is done.
    Finish,
    /// The lesson is closed; the page stays as it is until the reader decides.
    Leave,
    /// The page from before the lesson is restored.
    Return,
    /// The page stays as the lesson has left it.
    Stay,
    /// The goal of a challenge is reached.
    Reach(LessonPlace, ChallengeScore),
}

/// A document that was under way when the page was left.
#[derive(Clone, Debug, PartialEq)]
pub struct ResumedLesson {
    /// The step.
    pub at: LessonPlace,
    /// How much of it was shown.
    pub card: Card,
    /// What was done in it.
    pub progress: LessonProgress,
    /// The page from before the lesson.
    pub before: State,
}

/// How much of a lesson is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Card {
    /// All of it.
    Open,
    /// Its title.
    Folded,
    /// The lesson is over; the reader may go back to what was there before.
    Over(LessonEnd),
}

/// How a lesson ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LessonEnd {
    /// All steps are done.
    Finished,
    /// It was closed before.
    Closed,
}

/// What the charts show of the answer to a step's question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerShown {
    /// Nothing, or the reader is elsewhere.
    Not,
    /// The schedule plays to it.
    Playing,
    /// The playhead is at it.
    Marked,
}

impl AnswerShown {
    /// Its word in the page.
    pub fn word(self) -> &'static str {
        match self {
            AnswerShown::Not => "not",
            AnswerShown::Playing => "playing",
            AnswerShown::Marked => "marked",
        }
    }
}
