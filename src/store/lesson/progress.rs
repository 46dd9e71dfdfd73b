//! What a reader has done in a lesson, which is kept over a reload and handed in.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::OpenedLesson;
use fairlane::policy::PolicyId;
use fairlane_study::lesson::ChallengeScore;
use fairlane_study::lesson::answers::{
    self, AnswerFile, ChallengeAnswer, ChallengeWork, ClaimedScore, Fingerprint, QuestionAnswer,
};

/// An answer to a question.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub enum GivenAnswer {
    /// The options that were chosen, by index: one of them, unless several are right.
    Options(BTreeSet<usize>),
    /// A number, in the unit of the figure that was asked for.
    Number(f64),
}

impl From<usize> for GivenAnswer {
    fn from(option: usize) -> GivenAnswer {
        GivenAnswer::Options([option].into())
    }
}

impl GivenAnswer {
    /// Whether an option is among those chosen.
    pub fn has(&self, option: usize) -> bool {
        matches!(self, GivenAnswer::Options(options) if options.contains(&option))
    }

    /// Whether it can be written to a file.
    pub(super) fn is_sound(&self) -> bool {
        match self {
            GivenAnswer::Options(_) => true,
            GivenAnswer::Number(number) => number.is_finite(),
        }
    }

    /// The answer as a file has it, where options are numbered from 1.
    pub fn to_file(&self) -> answers::GivenAnswer {
        match self {
            GivenAnswer::Options(options) => {
                answers::GivenAnswer::Chosen(options.iter().map(|option| option.saturating_add(1)).collect())
            }
            GivenAnswer::Number(number) => answers::GivenAnswer::Number(*number),
        }
    }
}

/// A challenge of a document whose goal was reached.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ReachedChallenge {
    /// The goal's figure.
    pub value: f64,
    /// How many changes it took.
    pub changes: u32,
    /// The ticked policies.
    pub policies: Vec<PolicyId>,
    /// The scenario as a file.
    pub scenario: String,
}

impl ReachedChallenge {
    /// What was reached.
    pub fn score(&self) -> ChallengeScore {
        ChallengeScore { value: self.value, changes: self.changes }
    }
}

/// What a reader has done in a lesson, by the index of the step.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct LessonProgress {
    /// The answers as they were given last.
    pub answers: BTreeMap<usize, GivenAnswer>,
    /// The answers as they were given first. They are handed in: whoever answers again has seen what is right.
    pub first: BTreeMap<usize, GivenAnswer>,
    /// The challenges of a document that were reached.
    pub reached: BTreeMap<usize, ReachedChallenge>,
}

impl LessonProgress {
    /// Adds the answer to a step's question; whether it is the first.
    pub(super) fn answer(&mut self, step: usize, answer: GivenAnswer) -> bool {
        self.first.entry(step).or_insert_with(|| answer.clone());
        self.answers.insert(step, answer).is_none()
    }

    /// The file that a student hands in.
    pub fn answer_file(&self, lesson: &OpenedLesson, student: &str) -> AnswerFile {
        let mut file = AnswerFile::new(Fingerprint::of(&lesson.lesson), &lesson.lesson.title, student);
        let answer = |(step, answer): (&usize, &GivenAnswer)| QuestionAnswer {
            step: step + 1,
            answer: answer.to_file(),
        };
        file.answers = self.first.iter().map(answer).collect();
        let challenge = |(step, reached): (&usize, &ReachedChallenge)| {
            let challenge = lesson.lesson.steps.get(*step)?.challenge.as_deref()?;
            Some(ChallengeAnswer {
                challenge: challenge.id.clone(),
                policies: reached.policies.clone(),
                work: ChallengeWork::Scenario(serde_json::from_str(&reached.scenario).ok()?),
                score: Some(ClaimedScore { value: reached.value, changes: reached.changes }),
            })
        };
        file.challenges = self.reached.iter().filter_map(challenge).collect();
        file
    }
}
