//! How policies explain their keys and their clocks in words and numbers.
//!
//! ```
//! use fairlane::policy::explain::{Key, KeyComponent, Value};
//! let key = |tasks| Key::complete([KeyComponent::new("running tasks of the stage", Value::Tasks(tasks))]);
//! assert_eq!(key(2).parts()[0].value.to_string(), "2 tasks");
//! assert!(key(2) < key(3));
//! ```

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use arrayvec::ArrayVec;

use super::job_queue::ordered;
use super::tie::text_order;
use super::{Policy, StageView};
use crate::ids::{Rank, StageId, UserId};
use crate::number;
use crate::units::{MICROS_PER_SECOND, Time, Weight};

/// The cores that a policy wants a job to hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// How many cores, which need not be a whole number.
    pub cores: f64,
    /// The fair share that the policy started from, in cores; `None` for a policy that does not start from one.
    pub fair_share: Option<f64>,
}

/// Something that a policy decided about a user or a job, such as its admission.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Whom it concerns.
    pub subject: DecisionSubject,
    /// When it was decided.
    pub at: Time,
    /// What and why: a sentence.
    pub sentence: String,
    /// The numbers behind it.
    pub parts: Vec<KeyComponent>,
}

/// Whom a [`Decision`] concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionSubject {
    /// A user and all its jobs.
    User(UserId),
    /// A job.
    Job(Rank),
}

/// A number or a word of a key, with its unit.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Tasks that hold a core.
    Tasks(u32),
    /// Tasks that hold a core per unit of the user's weight.
    TasksPerWeight(f64),
    /// Cores beyond those that a job holds; negative if it holds more than its target.
    Cores(f64),
    /// A number without a unit.
    Score(f64),
    /// A whole number without a unit, such as a count, or a truth value as 0 or 1. It compares with a
    /// [`Score`](Value::Score).
    Whole(f64),
    /// Work or virtual time, in core-µs.
    Work(f64),
    /// Virtual time of UWFQ, in core-µs per unit of weight.
    WorkPerWeight(f64),
    /// A position in an order, such as a rank of arrival or a stage id.
    Number(u64),
    /// A stage as Spark names its tasks, `TaskSet_3.0`, compared as text.
    TaskSet(StageId),
    /// Text, compared byte by byte.
    Text(Cow<'static, str>),
    /// A user's weight.
    Weight(Weight),
    /// A number of jobs.
    Jobs(u32),
    /// A share of the cluster, 1 for all of it.
    Share(f64),
    /// An instant or a length of time, in µs.
    Seconds(f64),
    /// Memory, in MB.
    Memory(f64),
    /// Memory held for some time, in MB-µs.
    MemoryWork(f64),
}

impl Value {
    /// The order in which policies compare: numbers as numbers, texts byte by byte. Where a policy of one's own gives
    /// values of different kinds under one name, texts come after numbers.
    pub fn compare(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => a.cmp(b),
            (Value::TaskSet(a), Value::TaskSet(b)) => text_order(*a).cmp(&text_order(*b)),
            (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            _ => match (self.number(), other.number()) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                (one, other) => one.is_none().cmp(&other.is_none()),
            },
        }
    }

    /// The number in its own unit; `None` for a text.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Value::Tasks(count) | Value::Jobs(count) => Some(count.into()),
            Value::Number(number) => Some(number as f64),
            Value::Weight(weight) => Some(weight.value()),
            Value::TaskSet(_) | Value::Text(_) => None,
            Value::TasksPerWeight(number)
            | Value::Cores(number)
            | Value::Score(number)
            | Value::Whole(number)
            | Value::Work(number)
            | Value::WorkPerWeight(number)
            | Value::Share(number)
            | Value::Seconds(number)
            | Value::Memory(number)
            | Value::MemoryWork(number) => Some(number),
        }
    }

    /// A number that ascends as the values of a kind do; texts by their first eight bytes.
    pub fn ordered(&self) -> u64 {
        match *self {
            Value::Tasks(count) | Value::Jobs(count) => count.into(),
            Value::Number(number) => number,
            Value::TaskSet(stage) => text_order(stage),
            Value::Weight(weight) => weight.millionths(),
            Value::Text(ref text) => {
                let mut bytes = [0; 8];
                bytes.iter_mut().zip(text.as_bytes()).for_each(|(to, from)| *to = *from);
                u64::from_be_bytes(bytes)
            }
            _ => ordered(self.number().unwrap_or_default()),
        }
    }
}

/// The value with its unit: `3 tasks`, `16.57 core-seconds`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Tasks(1) => write!(f, "1 task"),
            Value::Tasks(count) => write!(f, "{count} tasks"),
            Value::TasksPerWeight(count) => {
                write!(f, "{} tasks per unit of weight", number::trimmed(*count, 2))
            }
            Value::Cores(cores) => write!(f, "{} cores", number::trimmed(*cores, 2)),
            Value::Score(score) if score.is_infinite() => write!(f, "none: it does not fit"),
            Value::Score(score) => write!(f, "{}", number::trimmed(*score, 4)),
            Value::Whole(number) => write!(f, "{number:.0}"),
            Value::Work(micros) => write!(f, "{:.2} core-seconds", micros / MICROS_PER_SECOND),
            Value::WorkPerWeight(micros) => {
                write!(f, "{:.2} core-seconds per unit of weight", micros / MICROS_PER_SECOND)
            }
            Value::Number(number) => write!(f, "{number}"),
            Value::TaskSet(stage) => write!(f, "TaskSet_{}.0", stage.0),
            Value::Text(text) => write!(f, "{text}"),
            Value::Weight(weight) => write!(f, "{}", weight.value()),
            Value::Jobs(1) => write!(f, "1 job"),
            Value::Jobs(count) => write!(f, "{count} jobs"),
            Value::Share(share) => write!(f, "{} %", number::trimmed(share * 100.0, 2)),
            Value::Seconds(micros) => write!(f, "{:.2} s", micros / MICROS_PER_SECOND),
            Value::Memory(memory) => write!(f, "{} MB", number::trimmed(*memory, 2)),
            Value::MemoryWork(memory) => write!(f, "{:.2} MB-seconds", memory / MICROS_PER_SECOND),
        }
    }
}

/// A value and what it is.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyComponent {
    /// What it is, in the policy's own terms.
    pub name: Cow<'static, str>,
    /// The value.
    pub value: Value,
}

impl KeyComponent {
    /// A named value.
    pub fn new(name: impl Into<Cow<'static, str>>, value: Value) -> KeyComponent {
        KeyComponent { name: name.into(), value }
    }
}

/// What a stage is ranked by: a few named values, compared one after the other, smallest first. Two stages never have
/// equal keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    parts: ArrayVec<KeyComponent, MAX_PARTS>,
    ends: Ends,
}

/// Most parts of a key, its ends included.
const MAX_PARTS: usize = 6;

/// The parts that the framework adds to a policy's own, so that keys differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// Rank of arrival, stage id.
    Arrival,
    /// Stage id.
    Stage,
    /// None.
    Nothing,
}

impl Key {
    /// A policy's own parts, then the rank of arrival and the stage id.
    pub fn new(stage: StageView, parts: impl IntoIterator<Item = KeyComponent>) -> Key {
        let mut key = Key { parts: parts.into_iter().collect(), ends: Ends::Arrival };
        key.parts.push(KeyComponent::new("rank of arrival", Value::Number(u64::from(stage.job().0))));
        key.parts.push(KeyComponent::new("stage id", Value::Number(stage.id().0)));
        key
    }

    /// A policy's own parts, then the stage id.
    pub(crate) fn by_stage(stage: StageView, parts: impl IntoIterator<Item = KeyComponent>) -> Key {
        let mut key = Key { parts: parts.into_iter().collect(), ends: Ends::Stage };
        key.parts.push(KeyComponent::new("stage id", Value::Number(stage.id().0)));
        key
    }

    /// A part that ranks the jobs, the rank of arrival, a part that ranks the stages of a job, the stage id.
    pub fn of_job(stage: StageView, job: KeyComponent, in_job: KeyComponent) -> Key {
        let arrival = KeyComponent::new("rank of arrival", Value::Number(u64::from(stage.job().0)));
        let id = KeyComponent::new("stage id", Value::Number(stage.id().0));
        Key::complete([job, arrival, in_job, id])
    }

    /// A policy's own parts, which differ from stage to stage.
    pub fn complete(parts: impl IntoIterator<Item = KeyComponent>) -> Key {
        Key { parts: parts.into_iter().collect(), ends: Ends::Nothing }
    }

    /// All parts, in the order in which they are compared.
    pub fn parts(&self) -> &[KeyComponent] {
        &self.parts
    }

    /// The running tasks that a part counts.
    pub fn tasks(&self, part: usize) -> u32 {
        match self.parts[part].value {
            Value::Tasks(count) => count,
            _ => 0,
        }
    }

    /// The work or virtual time that a part gives, in core-µs.
    pub fn work(&self, part: usize) -> f64 {
        match self.parts[part].value {
            Value::Work(work) | Value::WorkPerWeight(work) => work,
            _ => 0.0,
        }
    }

    /// The index of the first part in which two keys differ.
    pub fn decided_by(&self, other: &Key) -> Option<usize> {
        self.parts.iter().zip(&other.parts).position(|(a, b)| a.value.compare(&b.value).is_ne())
    }

    /// Whether only the stage ids rank one before the other.
    pub fn is_tie(&self, other: &Key) -> bool {
        let part = self.decided_by(other).map(|part| &*self.parts[part].name);
        part.is_some_and(|name| ["stage id", "tie"].contains(&name))
    }

    /// Which of the parts that the framework has added this is; `None` for one of the policy's own.
    fn end(&self, part: usize) -> Option<Ends> {
        let from_last = self.parts.len() - part;
        match self.ends {
            Ends::Arrival if from_last == 2 => Some(Ends::Arrival),
            Ends::Arrival | Ends::Stage if from_last == 1 => Some(Ends::Stage),
            _ => None,
        }
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        let mut parts = self.parts.iter().zip(&other.parts).map(|(a, b)| a.value.compare(&b.value));
        parts.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

/// What a key is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NumberedFacts {
    /// Numbers, in the order in which a reader would add them up.
    pub parts: Vec<KeyComponent>,
    /// Something about the stage that numbers do not say, such as that its job keeps its deadline
    /// by grace.
    pub remark: Option<&'static str>,
}

impl From<Vec<KeyComponent>> for NumberedFacts {
    fn from(parts: Vec<KeyComponent>) -> Self {
        NumberedFacts { parts, remark: None }
    }
}

/// What a policy knows of a user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// What the user is ranked by, if it is.
    pub parts: Vec<KeyComponent>,
    /// What that is made of.
    pub facts: Vec<KeyComponent>,
}

/// A stage in the queue with all that a sentence about it needs.
#[derive(Clone, Copy, Debug)]
pub struct Contender<'a> {
    /// How the sentence calls it.
    pub label: &'a str,
    /// Who submitted its job.
    pub user: &'a str,
    /// That user's weight.
    pub weight: Weight,
    /// Tasks of that user that hold a core.
    pub user_running: u32,
    /// Its key.
    pub key: &'a Key,
    /// What the key is made of.
    pub facts: &'a NumberedFacts,
}

impl Contender<'_> {
    /// Why this stage goes before another one whose key is larger from a part on: a sentence.
    pub(crate) fn reason(&self, second: &Contender, policy: &dyn Policy) -> String {
        let (label, other) = (self.label, second.label);
        let Some(part) = self.key.decided_by(second.key) else { return String::new() };
        match self.key.end(part) {
            None => policy.reason(self, second, part),
            Some(Ends::Arrival) => {
                format!(
                    "The jobs of {label} and {other} are level and {label}'s arrived first, so it goes first."
                )
            }
            Some(_) => format!(
                "{label} and {other} are level and {}, so {label} goes first.",
                tie_reason(self, second, part)
            ),
        }
    }

    /// Why this stage goes before another one, from the values of the part that decides: a sentence.
    pub(crate) fn has_smaller(&self, second: &Contender, part: usize) -> String {
        let [mine, theirs] = [self, second].map(|stage| &stage.key.parts[part]);
        let figures = match (&mine.value, &theirs.value) {
            (Value::Work(mine), Value::Work(theirs)) => against(*mine, *theirs),
            (mine, theirs) => format!("{mine} against {theirs}"),
        };
        format!("{} has the smaller {} ({figures}), so it goes first.", self.label, mine.name)
    }
}

/// Two amounts of core-µs in core-seconds, with as many decimals as distinguish them, two at least.
pub fn against(smaller: f64, larger: f64) -> String {
    let [a, b] = [smaller, larger].map(|micros| micros / MICROS_PER_SECOND);
    for decimals in 2..=6 {
        let [a, b] = [a, b].map(|seconds| format!("{seconds:.decimals$}"));
        if a != b {
            return format!("{a} against {b} core-seconds");
        }
    }
    format!("{a} against {b} core-seconds")
}

/// `1 core`, `3 cores`.
pub fn cores(count: f64) -> String {
    if count == 1.0 { "1 core".to_owned() } else { Value::Cores(count).to_string() }
}

/// `no running task`, `1 running task`, `8 running tasks`.
pub fn running(count: u32) -> String {
    match count {
        0 => "no running task".to_owned(),
        1 => "1 running task".to_owned(),
        _ => format!("{count} running tasks"),
    }
}

/// `ben has no running task, ana has 8`; the second has at least one.
pub(crate) fn fewer_running(first: &str, count: u32, second: &str, other: u32) -> String {
    format!("{first} has {}, {second} has {other}", running(count))
}

/// Why the first of two stages goes first where a part of their keys breaks a tie: the stage id, or its text.
pub(crate) fn tie_reason(first: &Contender, second: &Contender, part: usize) -> String {
    match (&first.key.parts[part].value, &second.key.parts[part].value) {
        (first @ Value::TaskSet(_), second) => {
            format!("\"{first}\" comes before \"{second}\" as text, which is how Spark breaks the tie")
        }
        (first, second) => format!("the smaller stage id breaks the tie ({first} against {second})"),
    }
}

/// A policy's virtual clock at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyClock {
    /// V, in core-µs (UWFQ: per unit of weight).
    pub virtual_time: f64,
    /// How fast V grows: R over the active stages (CFQ) or over the active users' weights (UWFQ);
    /// `None` while nothing is active, when V is constant.
    pub rate: Option<f64>,
    /// V at which the rate changes next if nothing arrives: the first virtual finish; `None` while nothing is active.
    pub next: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_apart() {
        assert_eq!(against(16_570_000.0, 32e6), "16.57 against 32.00 core-seconds");
        assert_eq!(against(1e6, 1_000_400.0), "1.0000 against 1.0004 core-seconds");
        assert_eq!(against(0.0, 0.25), "0 against 0.00000025 core-seconds");
    }

    #[test]
    fn values_carry_their_units() {
        let values = [Value::Tasks(1), Value::TasksPerWeight(2.5), Value::Work(1_500_000.0), Value::Jobs(2)];
        let texts = values.map(|value| value.to_string());
        assert_eq!(texts, ["1 task", "2.5 tasks per unit of weight", "1.50 core-seconds", "2 jobs"]);
    }
}
