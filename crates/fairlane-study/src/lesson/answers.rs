//! What a student hands in: an answer file, and what makes a student's exercise their own.
//!
//! ```json
//! { "format": "fairlane/answers@1", "document": "sha256:…", "lesson": "Skew", "student": "Ada",
//!   "handed_in": "2026-12-01",
//!   "answers": [{ "step": 2, "answer": { "chosen": [2] } }, { "step": 3, "answer": { "number": 1.8 } }],
//!   "challenges": [{ "challenge": "half", "policies": ["uwfq-p"], "work": { "edits": [] },
//!                    "score": { "value": 1.8, "changes": 1 } }] }
//! ```
//!
//! A file holds answers and never points: whoever grades simulates every answer again. The score of a challenge is what
//! the page showed, and is only compared with what comes out.
//!
//! ```
//! use fairlane_study::lesson::answers::{AnswerFile, Fingerprint};
//! use fairlane_study::lesson::document::{self, NoFiles};
//! let lesson = document::read("---\ntitle: Skew\n---\n## How many cores?\n", &NoFiles);
//! let file = AnswerFile::new(Fingerprint::of(&lesson), &lesson.title, "Ada");
//! assert_eq!(AnswerFile::from_json(&file.to_json()), Ok(file));
//! ```

mod date;

pub use date::{PlainDate, PlainDateError};

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use hmac_sha256::Hash;
use serde::{Deserialize, Serialize, de};
use serde_json::Value;

use super::document::{Answers, Lesson, LessonSeed, MAX_STEPS, StyledText, TextStyle};
use super::{FactError, LessonFacts};
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::scenario::{Edit, Scenario, ScenarioError, from_serde};

/// The tag of the file format that this version reads and writes.
pub const FORMAT: &str = "fairlane/answers@1";
/// Most bytes of an answer file.
pub const MAX_ANSWER_BYTES: usize = 4 << 20;
/// Most characters of a student's name.
pub const MAX_NAME: usize = 100;

/// Most edits and most ticked policies of a challenge, so that no file keeps whoever grades waiting.
const MAX_EDITS: usize = 1000;
const MAX_POLICIES: usize = 24;

/// What a student hands in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerFile {
    format: FormatTag,
    /// Fingerprint of what the document asks.
    pub document: Fingerprint,
    /// The document's title, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lesson: String,
    /// The student's name, which also draws a student's own scenario.
    pub student: String,
    /// The day on which the file was written, by the student's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed_in: Option<PlainDate>,
    /// Answers to questions, each of another step.
    #[serde(default)]
    pub answers: Vec<QuestionAnswer>,
    /// What was done in challenges, each another one.
    #[serde(default)]
    pub challenges: Vec<ChallengeAnswer>,
}

/// The answer to the question of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionAnswer {
    /// The number of the step in its document, from 1. A step asks at most one question.
    pub step: usize,
    /// The answer.
    pub answer: GivenAnswer,
}

/// What somebody has answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GivenAnswer {
    /// The chosen options, by their numbers from 1 in the order of the document.
    Chosen(Vec<usize>),
    /// A number in the unit of the question's figure.
    Number(f64),
}

/// What somebody has done in a challenge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChallengeAnswer {
    /// The name of the challenge.
    pub challenge: String,
    /// The ticked policies.
    pub policies: Vec<PolicyId>,
    /// The scenario that was made of the one at the start.
    pub work: ChallengeWork,
    /// What the page showed as reached; it is compared with what comes out, and counts for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ClaimedScore>,
}

/// How a scenario was made of the one that a challenge begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChallengeWork {
    /// The whole scenario afterwards, as its file has it.
    Scenario(Value),
    /// The edits, one after the other.
    Edits(Vec<Edit>),
    /// The text of the program that the policy `custom` runs, and nothing else.
    Program(String),
}

/// What the page showed of a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedScore {
    /// The goal's figure, in its unit.
    pub value: f64,
    /// The number of changes.
    pub changes: u32,
}

/// The format of the file, which is written first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FormatTag;

impl Serialize for FormatTag {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(FORMAT)
    }
}

impl<'de> Deserialize<'de> for FormatTag {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<FormatTag, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            FORMAT => Ok(FormatTag),
            other => Err(de::Error::custom(format!(
                "the format is {other:?}, and an answer file's is {FORMAT:?}; choose a file that Hand in has saved"
            ))),
        }
    }
}

impl AnswerFile {
    /// A file without an answer.
    pub fn new(document: Fingerprint, lesson: &str, student: &str) -> AnswerFile {
        AnswerFile {
            format: FormatTag,
            document,
            lesson: lesson.to_owned(),
            student: student.trim().to_owned(),
            handed_in: None,
            answers: Vec::new(),
            challenges: Vec::new(),
        }
    }

    /// Reads a file. Whether its steps and challenges exist is for those to say who have the document.
    ///
    /// # Errors
    /// What is wrong, with its JSON path or line, and the remedy.
    pub fn from_json(text: &str) -> Result<AnswerFile, ScenarioError> {
        let wrong = |path: String, message: String| Err(ScenarioError::at(path, message));
        if text.len() > MAX_ANSWER_BYTES {
            let message = format!("an answer file has at most {} MB; is it one?", MAX_ANSWER_BYTES >> 20);
            return wrong(String::new(), message);
        }
        if text.trim().is_empty() {
            return wrong(String::new(), "the file is empty; ask for it to be handed in again".to_owned());
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        let mut file: AnswerFile =
            serde_path_to_error::deserialize(&mut reader).map_err(|error| from_serde(&error))?;
        if let Err(error) = reader.end() {
            let message = "something follows the file's closing brace; remove it".to_owned();
            let position = Some((error.line(), error.column()));
            return Err(ScenarioError { path: String::new(), message, position });
        }
        file.student = file.student.trim().to_owned();
        if !(1..=MAX_NAME).contains(&file.student.chars().count()) {
            let message = format!("a name has from 1 to {MAX_NAME} characters; correct it");
            return wrong("student".to_owned(), message);
        }
        let mut steps = BTreeSet::new();
        for (index, QuestionAnswer { step, .. }) in file.answers.iter().enumerate() {
            if !(1..=MAX_STEPS).contains(step) || !steps.insert(*step) {
                let message = format!("{step} is no step, or is answered twice; remove this answer");
                return wrong(format!("answers[{index}].step"), message);
            }
        }
        let mut names = BTreeSet::new();
        for (index, ChallengeAnswer { challenge, policies, work, .. }) in file.challenges.iter().enumerate() {
            if !names.insert(challenge) {
                let message = format!("{challenge:?} is answered twice; remove one of the two");
                return wrong(format!("challenges[{index}].challenge"), message);
            }
            if policies.len() > MAX_POLICIES {
                let message = format!("at most {MAX_POLICIES} policies are ticked; untick the others");
                return wrong(format!("challenges[{index}].policies"), message);
            }
            if matches!(work, ChallengeWork::Edits(edits) if edits.len() > MAX_EDITS) {
                let message = format!("there are more than {MAX_EDITS} edits; hand in the scenario instead");
                return wrong(format!("challenges[{index}].work"), message);
            }
        }
        Ok(file)
    }

    /// Text of the file, for people as well.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("an answer file has only keys that are text")
    }
}

impl GivenAnswer {
    /// Whether it answers a question: by all options that are right and no other, or by a number that is as near as the
    /// question asks, or what the page shows for it.
    ///
    /// # Errors
    /// [`FactError`] if the right number cannot be computed.
    pub fn is_right(&self, answers: &Answers, facts: &LessonFacts) -> Result<bool, FactError> {
        match (self, answers) {
            (GivenAnswer::Chosen(chosen), Answers::Options(options)) => {
                let chosen: BTreeSet<usize> = chosen.iter().copied().collect();
                let right = (1..).zip(options).filter(|(_, option)| option.is_right);
                Ok(chosen == right.map(|(number, _)| number).collect())
            }
            (GivenAnswer::Number(given), Answers::Number { figure, tolerance_percent, .. }) => {
                let right = facts.figure(figure.strip_prefix('#').unwrap_or(figure))?;
                let allowed = right.value.abs() * tolerance_percent / 100.0;
                let is_shown = number::parse(&right.bare()) == Some(*given);
                Ok(is_shown || (given - right.value).abs() <= allowed)
            }
            _ => Ok(false),
        }
    }
}

impl ChallengeWork {
    /// The scenario that was made of the one at the start.
    ///
    /// # Errors
    /// What is wrong with the file or an edit.
    pub fn scenario(&self, start: &Scenario) -> Result<Scenario, ScenarioError> {
        match self {
            ChallengeWork::Scenario(file) => Scenario::from_json(&file.to_string()),
            ChallengeWork::Edits(edits) => {
                edits.iter().try_fold(start.clone(), |scenario, edit| scenario.with(edit))
            }
            ChallengeWork::Program(text) => {
                start.with(&Edit::parameter("custom", "program", Value::from(text.as_str())))
            }
        }
    }
}

/// SHA-256 of what a lesson asks: the scenes and scenarios of the steps that ask something, their questions with the
/// answers to choose from, and goals and rules. What else a document says may be corrected after it was handed out: its
/// texts, the last day, which answer is right, par and its solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint([u8; 32]);

/// What is written in front of the digits.
const DIGEST: &str = "sha256:";

impl Fingerprint {
    /// The fingerprint of a lesson. For whom it was read makes no difference.
    pub fn of(lesson: &Lesson) -> Fingerprint {
        let mut asked = vec![match lesson.seed {
            LessonSeed::Generator => String::new(),
            LessonSeed::Student => "seed: student".to_owned(),
        }];
        let words = |words: &[StyledText]| -> String {
            let text: String = words
                .iter()
                .map(|piece| match piece.style {
                    TextStyle::Figure => format!("{{{}}}", piece.words),
                    _ => piece.words.clone(),
                })
                .collect();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        for (number, step) in (1..).zip(&lesson.steps) {
            if step.question.is_none() && step.challenge.is_none() {
                continue;
            }
            asked.push(format!("step {number}"));
            asked.extend(step.scene.asked());
            if let Some(question) = &step.question {
                asked.push(words(&question.words));
                match &question.answers {
                    Answers::Options(options) => {
                        asked.extend(options.iter().map(|option| words(&option.words)))
                    }
                    Answers::Number { .. } => asked.push("a number".to_owned()),
                }
            }
            let Some(challenge) = &step.challenge else { continue };
            let goal = &challenge.goal;
            asked.extend(
                [challenge.id.as_str(), &goal.figure, goal.side.words(), &goal.limit].map(str::to_owned),
            );
            asked.push(format!("{:?} {}", challenge.most_changes, challenge.by_program));
            asked.push(challenge.free.join(","));
            asked.extend(challenge.rules.iter().map(|rule| rule.claim.clone()));
        }
        // As JSON has it, a list of texts is no other list.
        Fingerprint(Hash::hash(Value::from(asked).to_string().as_bytes()))
    }
}

/// `sha256:` and 64 hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(DIGEST)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A text that is no fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a fingerprint is sha256: and 64 hexadecimal digits; hand the answers in again")]
pub struct FingerprintError;

impl FromStr for Fingerprint {
    type Err = FingerprintError;

    fn from_str(text: &str) -> Result<Fingerprint, FingerprintError> {
        let digits = text.strip_prefix(DIGEST).ok_or(FingerprintError)?.as_bytes();
        let value = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
        let mut bytes = [0; 32];
        if digits.len() != 2 * bytes.len() {
            return Err(FingerprintError);
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let (high, low) = value(pair[0]).zip(value(pair[1])).ok_or(FingerprintError)?;
            *byte = high << 4 | low;
        }
        Ok(Fingerprint(bytes))
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Fingerprint, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// The seed of a student's scenario: the first 48 bits of SHA-256 of the name, so that every program holds it exactly.
/// Spaces around the name make no difference.
pub fn student_seed(name: &str) -> u64 {
    let digest = Hash::hash(name.trim().as_bytes());
    digest[..6].iter().fold(0, |seed, byte| seed << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests;
