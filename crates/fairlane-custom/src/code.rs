//! What a policy of one's own is written in: a program, or functions of another language that keep the same contract.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use fairlane::ids::{Rank, StageIndex, UserId};
use fairlane::policy::ProgramError;
use fairlane::policy::custom::ProgramLine;
use fairlane::policy::explain::{KeyComponent, Value};
use fairlane::units::Time;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::names::{CHANGING, COUNT, Changes, Unit};

/// Most parts of a key.
pub const MAX_PARTS: usize = 4;
/// Longest name of a part, in characters.
const LONGEST_NAME: usize = 60;

/// The functions of a policy of one's own, such as `key` and `on_arrival`, and what they depend on.
///
/// A clone goes on with a state of its own.
pub trait Code: Clone {
    /// None, for where there is nothing to call.
    fn nothing() -> Self;

    /// Whether it has one of the [`FUNCTIONS`](crate::FUNCTIONS).
    fn has(&self, function: &str) -> bool;

    /// What it says of itself before the first event.
    fn settings(&self) -> Settings;

    /// The names that its functions are given, by their index in [`NAMES`](crate::names::NAMES).
    fn given(&self) -> &[usize];

    /// The names that its keys and caps have read so far, or may read: a bit for each index.
    fn read(&self) -> u64;

    /// Whether a key or a cap reads something that changes so.
    fn follows(&self, changes: Changes) -> bool {
        self.read() & CHANGING[changes as usize] != 0
    }

    /// Which answers depend on more than numbers.
    fn dependence(&self) -> Dependence;

    /// What ranks a stage: at most [`MAX_PARTS`] parts.
    ///
    /// # Errors
    /// What the function does wrong.
    fn key(&self, facts: &Rc<Facts>) -> Result<Vec<KeyComponent>, ProgramError>;

    /// How many cores `cap` or `target` gives a job; `None` if it answers no number.
    ///
    /// # Errors
    /// What the function does wrong.
    fn cores(&self, function: &str, facts: &Rc<Facts>) -> Result<Option<f64>, ProgramError>;

    /// Calls a handler, which may answer with a text.
    ///
    /// # Errors
    /// What the function does wrong.
    fn handle(
        &self,
        handler: &str,
        argument: Argument,
        facts: &Rc<Facts>,
        call: &mut HandlerCall,
    ) -> Result<Answer, ProgramError>;

    /// An error of a function's answer.
    fn wrong_answer(&self, function: &str, message: String) -> ProgramError;

    /// How to say how often `on_tick` is called: a sentence.
    fn period_is_missing(&self) -> &'static str;

    /// What the last call has cost, in operations.
    fn cost(&self) -> u64 {
        0
    }

    /// From now on keeps the lines of each call.
    fn record_lines(&mut self) {}

    /// The lines of the last call, if they are kept.
    fn take_lines(&self) -> Vec<ProgramLine> {
        Vec::new()
    }
}

/// What a policy of one's own says of itself.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Seconds between two calls of `on_tick`; not a number if it is none.
    pub period: Option<f64>,
    /// When keys are asked for: `each round` or `each launch`.
    pub keys: Option<String>,
}

/// What answers depend on besides the numbers that they read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dependence {
    /// Keys and caps on what handlers change.
    pub state: bool,
    /// Anything on the names of users and jobs.
    pub texts: bool,
    /// Handlers on the numbers of all users.
    pub users: bool,
    /// Keys on the counts of their own stage alone, and nothing but keys says who goes first.
    pub is_stage_alone: bool,
}

/// What a handler is called with.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// Nothing.
    None,
    /// The stage of the facts.
    Stage,
    /// The job of the facts.
    Job,
    /// The token of a wake-up.
    Token(u32),
}

/// What a handler answered.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// A text.
    pub text: Option<String>,
    /// The answer for people; empty if there is none.
    pub shown: String,
}

/// The numbers of a stage, its job and its user at an instant, as far as anything reads them.
#[derive(Clone)]
pub struct Facts {
    /// By the index of their names; 0 of names that are not given.
    pub numbers: [f64; COUNT],
    /// The stage.
    pub stage: StageIndex,
    /// The job.
    pub rank: Rank,
    /// The user.
    pub user: UserId,
    /// The user's name, if texts are read.
    pub user_name: Arc<str>,
    /// The job's name, if texts are read.
    pub job_name: Arc<str>,
}

impl Facts {
    /// Numbers of nobody.
    pub(crate) fn none() -> Facts {
        Facts {
            numbers: [0.0; COUNT],
            stage: StageIndex(0),
            rank: Rank(0),
            user: UserId(0),
            user_name: Arc::default(),
            job_name: Arc::default(),
        }
    }
}

/// What a handler wants done.
#[derive(Clone, Copy, Debug)]
pub enum Wish {
    /// A job that waits starts.
    Start(Rank),
    /// A job ends.
    Drop(Rank),
    /// `on_wake` is called.
    Wake {
        /// When.
        at: Time,
        /// With what.
        token: u32,
    },
}

/// What a call of a handler may do besides answering.
pub struct HandlerCall {
    /// Its random numbers.
    pub random: Random,
    /// All users, if it reads them.
    pub users: Vec<Rc<Facts>>,
    /// What it wants done, in that order.
    pub wishes: Vec<Wish>,
}

/// Random numbers that follow from a seed.
#[derive(Clone, Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The numbers of a seed, from the first on.
    pub fn new(seed: u32) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed.into()))
    }

    /// A number from 0 up to 1, of 53 bits.
    pub fn number(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// What a part of a key is.
#[derive(Clone, Debug)]
pub enum PartValue {
    /// A number.
    Number(f64),
    /// A whole number; a truth value is 0 or 1.
    Whole(f64),
    /// A whole number beyond those that are computed with.
    TooLarge,
    /// A text.
    Text(String),
    /// No value.
    Missing,
    /// Something else, in a word.
    Other(String),
}

/// A part of a key.
///
/// # Errors
/// Why a key cannot have it: a sentence.
pub fn part(
    name: impl Into<Cow<'static, str>>,
    unit: Unit,
    value: PartValue,
) -> Result<KeyComponent, String> {
    let name = name.into();
    let value = match value {
        PartValue::Number(number) if number.is_nan() => {
            return Err(format!("`{name}` is not a number (NaN): is 0 divided by 0?"));
        }
        PartValue::Number(number) => unit.value(number),
        PartValue::Whole(number) => Value::Whole(number),
        PartValue::TooLarge => {
            return Err(format!(
                "`{name}` is beyond 1.8e308, the largest number; divide it, or take its logarithm"
            ));
        }
        PartValue::Text(text) => Value::Text(text.into()),
        PartValue::Missing => return Err(format!("`{name}` has no value; answer with what ranks the stage")),
        PartValue::Other(kind) => {
            return Err(format!(
                "`{name}` is a {kind}; a key is a number, a truth value, a text, or a map or list of these"
            ));
        }
    };
    let name = match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => name[..end].to_owned().into(),
        None => name,
    };
    Ok(KeyComponent::new(name, value))
}

/// Refuses a key of too many parts, or none.
///
/// # Errors
/// The bound: a sentence.
pub fn check_count(count: usize) -> Result<(), String> {
    match count {
        1..=MAX_PARTS => Ok(()),
        _ => Err(format!("a key has 1 to {MAX_PARTS} parts, this one has {count}")),
    }
}
