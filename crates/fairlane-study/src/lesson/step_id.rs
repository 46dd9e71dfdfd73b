//! A step of a lesson by name, as in the link `#lesson:skew/3`, and a challenge, as in `#challenge:ten-times`.

use super::Challenge;
use super::document::{Lesson, LessonStep};
use super::outline::{OUTLINES, Outline, StepOutline};
use super::own::TOURS;

/// A step of a lesson, by the index of both, or a challenge: a step behind the last lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepId {
    lesson: usize,
    step: usize,
}

/// Why a link does not lead to a step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepIdError {
    /// There is no such lesson.
    #[error("There is no lesson \"{0}\" in this version of Fairlane. The menu Lessons has all of them.")]
    UnknownLesson(String),
    /// There is no such challenge.
    #[error("There is no challenge \"{0}\" in this version of Fairlane. The menu Lessons has all of them.")]
    UnknownChallenge(String),
    /// The lesson has no such step.
    #[error(
        "The lesson \"{title}\" has the steps 1 to {steps}, and no step \"{step}\". Open it from the menu Lessons."
    )]
    UnknownStep {
        /// The lesson's title.
        title: &'static str,
        /// What was asked for.
        step: String,
        /// How many there are.
        steps: usize,
    },
}

const PREFIX: &str = "lesson:";
const CHALLENGE_PREFIX: &str = "challenge:";
/// Characters of a wrong name that an error repeats.
const MAX_SHOWN: usize = 40;

/// The index of the challenges behind the lessons.
fn challenge_tour() -> usize {
    OUTLINES.len() - 1
}

impl StepId {
    /// The first step of a lesson, by index among the [lessons](super::lessons); the last lesson's if there are fewer.
    pub fn first(lesson: usize) -> StepId {
        StepId { lesson: lesson.min(OUTLINES.len() - 1), step: 0 }
    }

    /// A challenge, by index among the [challenges](super::challenges); the last if there are fewer.
    pub fn of_challenge(index: usize) -> StepId {
        let lesson = challenge_tour();
        StepId { lesson, step: index.min(OUTLINES[lesson].step_count() - 1) }
    }

    /// The challenge of that name.
    ///
    /// # Errors
    /// [`StepIdError::UnknownChallenge`].
    pub fn challenge_named(id: &str) -> Result<StepId, StepIdError> {
        let mut steps = OUTLINES[challenge_tour()].steps().iter();
        let index = steps.position(|step| step.challenge == Some(id));
        index.map(StepId::of_challenge).ok_or_else(|| StepIdError::UnknownChallenge(shown(id)))
    }

    /// Whether it is a challenge.
    pub fn is_challenge(self) -> bool {
        self.lesson == challenge_tour()
    }

    /// The name of the challenge, if it is one.
    pub fn challenge_id(self) -> Option<&'static str> {
        self.step_outline().challenge
    }

    /// The challenge, if it is one.
    pub fn challenge(self) -> Option<&'static Challenge> {
        self.step().challenge.as_deref()
    }

    /// The lesson without its texts.
    pub fn outline(self) -> &'static Outline {
        &OUTLINES[self.lesson]
    }

    /// The step without its texts.
    pub fn step_outline(self) -> &'static StepOutline {
        self.outline().step(self.step)
    }

    /// The lesson.
    pub fn lesson(self) -> &'static Lesson {
        &TOURS[self.lesson]
    }

    /// The index of the lesson among the [lessons](super::lessons); that of a challenge is behind them.
    pub fn lesson_index(self) -> usize {
        self.lesson
    }

    /// The step.
    pub fn step(self) -> &'static LessonStep {
        &self.lesson().steps[self.step]
    }

    /// The index of the step in its lesson, from 0.
    pub fn index(self) -> usize {
        self.step
    }

    /// Another step of the lesson; the last if there are fewer.
    pub fn at(self, step: usize) -> StepId {
        StepId { step: step.min(self.outline().step_count() - 1), ..self }
    }

    /// The step before.
    pub fn back(self) -> Option<StepId> {
        self.step.checked_sub(1).map(|step| StepId { step, ..self })
    }

    /// The step after.
    pub fn next(self) -> Option<StepId> {
        (self.step + 1 < self.outline().step_count()).then_some(StepId { step: self.step + 1, ..self })
    }

    /// The lesson after this one, from its start. Behind the last one are the challenges.
    pub fn next_lesson(self) -> Option<StepId> {
        (self.lesson + 1 < OUTLINES.len()).then_some(StepId { lesson: self.lesson + 1, step: 0 })
    }

    /// Behind the `#` of a link: `lesson:fifo-and-fair/3`, steps counted from 1, or `challenge:ten-times`.
    pub fn fragment(self) -> String {
        match self.challenge_id() {
            Some(id) => format!("{CHALLENGE_PREFIX}{id}"),
            None => format!("{PREFIX}{}/{}", self.outline().id, self.step + 1),
        }
    }

    /// Reads a fragment with or without `#`; `None` if it is not that of a lesson or challenge. Without a number it is
    /// the first step of the lesson.
    pub fn from_fragment(fragment: &str) -> Option<Result<StepId, StepIdError>> {
        let text = fragment.strip_prefix('#').unwrap_or(fragment);
        let text = text.replacen("%3A", ":", 1);
        // A mail program may have added these from the sentence around the link.
        let text = text.trim().trim_end_matches(['.', ',', ';', ')', '>', '"', '\'']);
        if let Some(id) = text.strip_prefix(CHALLENGE_PREFIX) {
            return Some(StepId::challenge_named(id));
        }
        let text = text.strip_prefix(PREFIX)?;
        let (id, step) = match text.split_once('/') {
            Some((id, step)) => (id, Some(step)),
            None => (text, None),
        };
        Some(StepId::named(id, step))
    }

    fn named(id: &str, step: Option<&str>) -> Result<StepId, StepIdError> {
        let Some(lesson) = OUTLINES[..challenge_tour()].iter().position(|lesson| lesson.id == id) else {
            return Err(StepIdError::UnknownLesson(shown(id)));
        };
        let Some(step) = step else { return Ok(StepId { lesson, step: 0 }) };
        let Outline { title, .. } = OUTLINES[lesson];
        let steps = OUTLINES[lesson].step_count();
        match step.parse::<usize>() {
            Ok(number) if (1..=steps).contains(&number) => Ok(StepId { lesson, step: number - 1 }),
            _ => Err(StepIdError::UnknownStep { title, step: shown(step), steps }),
        }
    }
}

/// The beginning of what somebody else has written.
fn shown(text: &str) -> String {
    text.chars().take(MAX_SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_a_link_and_a_wrong_one_says_why() {
        let firsts = (0..TOURS.len()).map(StepId::first);
        for id in firsts.flat_map(|first| (0..first.lesson().steps.len()).map(move |step| first.at(step))) {
            assert_eq!(StepId::from_fragment(&format!("#{}", id.fragment())), Some(Ok(id)));
        }
        let first = StepId::from_fragment("lesson:fifo-and-fair").expect("a lesson").expect("a step");
        assert_eq!((first.lesson().id.as_str(), first.index()), ("fifo-and-fair", 0));
        assert_eq!(StepId::from_fragment("#lesson:fifo-and-fair/1)."), Some(Ok(first)));
        assert_eq!(StepId::from_fragment("#catalog:skew"), None);
        let fault = |text: &str| StepId::from_fragment(text).expect("a lesson").unwrap_err().to_string();
        assert_eq!(
            StepId::from_fragment("#challenge%3Aten-times"),
            Some(StepId::challenge_named("ten-times"))
        );
        assert!(fault("#challenge:twice").contains("no challenge \"twice\""));
        assert!(fault("#lesson:challenges/1").contains("no lesson \"challenges\""));
        assert!(fault("#lesson:fifo/1").contains("no lesson \"fifo\""));
        for step in ["0", "99", "x", "", "-1"] {
            assert!(fault(&format!("#lesson:fifo-and-fair/{step}")).contains(&format!("no step \"{step}\"")));
        }
    }
}
