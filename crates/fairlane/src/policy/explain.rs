//! How policies explain their keys and their clocks in words and numbers.
//!
//! ```
//! use fairlane::policy::explain::{Explanation, Part, Value};
//! let key = |tasks| Explanation {
//!     parts: vec![Part::new("running tasks of the stage", Value::Tasks(tasks))],
//!     ..Explanation::default()
//! };
//! assert_eq!(key(2).parts[0].value.to_string(), "2 tasks");
//! assert_eq!(key(2).decided_by(&key(3)), Some(0));
//! ```

use std::cmp::Ordering;
use std::fmt;

use super::log::{PolicyEvent, PolicyLog, Snapshot};
use super::{Candidate, Context};
use crate::ids::{Rank, StageId, UserId};
use crate::number;
use crate::units::{MICROS_PER_SECOND, SlotTime, Time, Weight};

/// Gives stages keys.
pub trait Ranking: Sized {
    /// What stages are ordered by, smallest first. Two stages never have equal keys.
    type Key: Ord + Copy + fmt::Debug;

    /// The stage's key now.
    fn key(&self, stage: &Candidate) -> Self::Key;
}

/// Explains the decisions of a policy, at any moment of a trace.
pub trait Explainer: Ranking {
    /// Whether the policy has targets for jobs: [`Explainer::targets`].
    const HAS_TARGETS: bool = false;

    /// The policy's state at a moment, good for the other functions here.
    fn at(context: &Context, snapshot: &Snapshot) -> Self;

    /// The stage's key in words and numbers; its parts compare as the keys do.
    fn explain(&self, stage: &Candidate) -> Explanation;

    /// Why the first of two stages, the first of the queue, goes before the second: a sentence.
    fn reason(first: &Contender, second: &Contender) -> String;

    /// The policy's virtual clock, if it has one.
    fn clock(&self) -> Option<Clock> {
        None
    }

    /// Where the users are with the policy, such as how much of its burst a queue has used; empty if it does not
    /// rank users.
    fn users(&self) -> Vec<(UserId, Explanation)> {
        Vec::new()
    }

    /// What the policy decided about users and jobs besides the order of stages, in the order of time.
    fn decisions(context: &Context, log: &PolicyLog) -> Vec<Decision> {
        let _ = (context, log);
        Vec::new()
    }

    /// The cores that the policy means jobs to hold, in the order of time; `None` if it has no such targets.
    fn targets(context: &Context, events: &[PolicyEvent], log: &PolicyLog) -> Option<Vec<Target>> {
        let _ = (context, events, log);
        None
    }
}

/// The cores that a policy means a job to hold from an instant on, until the job ends or another target follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// From when on.
    pub at: Time,
    /// The job.
    pub job: Rank,
    /// How many cores, which need not be a whole number.
    pub cores: f64,
    /// The fair share that the policy started from, in cores; `None` for a policy that does not start from one.
    pub fair_share: Option<f64>,
}

/// Something that a policy decided about a user or a job, such as its admission.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Whom it concerns.
    pub subject: Subject,
    /// When it was decided.
    pub at: Time,
    /// What and why: a sentence.
    pub sentence: String,
    /// The numbers behind it.
    pub parts: Vec<Part>,
}

/// Whom a [`Decision`] concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
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
    /// Work or virtual time, in core-µs.
    Work(f64),
    /// Virtual time of UWFQ, in core-µs per unit of weight.
    WorkPerWeight(f64),
    /// A position in an order, such as a rank of arrival or a stage id.
    Number(u64),
    /// Text, compared byte by byte.
    Text(String),
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
    /// The order in which policies compare: numbers as numbers, texts byte by byte. Values of
    /// different kinds are never parts of the same name.
    pub fn compare(&self, other: &Value) -> Ordering {
        use Value::{
            Cores, Jobs, Memory, MemoryWork, Number, Score, Seconds, Share, Tasks, TasksPerWeight, Text,
            Work, WorkPerWeight,
        };
        match (self, other) {
            (Tasks(a), Tasks(b)) | (Jobs(a), Jobs(b)) => a.cmp(b),
            (TasksPerWeight(a), TasksPerWeight(b))
            | (Cores(a), Cores(b))
            | (Score(a), Score(b))
            | (Work(a), Work(b))
            | (WorkPerWeight(a), WorkPerWeight(b))
            | (Share(a), Share(b))
            | (Seconds(a), Seconds(b))
            | (Memory(a), Memory(b))
            | (MemoryWork(a), MemoryWork(b)) => a.total_cmp(b),
            (Number(a), Number(b)) => a.cmp(b),
            (Text(a), Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Value::Weight(a), Value::Weight(b)) => a.cmp(b),
            _ => Ordering::Equal,
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
            Value::Work(micros) => write!(f, "{:.2} core-seconds", micros / MICROS_PER_SECOND),
            Value::WorkPerWeight(micros) => {
                write!(f, "{:.2} core-seconds per unit of weight", micros / MICROS_PER_SECOND)
            }
            Value::Number(number) => write!(f, "{number}"),
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
pub struct Part {
    /// What it is, in the policy's own terms.
    pub name: &'static str,
    /// The value.
    pub value: Value,
}

impl Part {
    /// A named value.
    pub fn new(name: &'static str, value: Value) -> Part {
        Part { name, value }
    }
}

/// A stage's key, part by part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// What decides, in the order in which it is compared, smallest first.
    pub parts: Vec<Part>,
    /// What the parts are made of, in the order in which a reader would add them up.
    pub facts: Vec<Part>,
    /// Something about the stage that numbers do not say, such as that its job keeps its deadline
    /// by grace.
    pub remark: Option<&'static str>,
}

impl Explanation {
    /// The running tasks that a part of the key counts.
    pub fn tasks(&self, part: usize) -> u32 {
        match self.parts[part].value {
            Value::Tasks(count) => count,
            _ => 0,
        }
    }

    /// The work or virtual time that a part of the key gives, in core-µs.
    pub fn work(&self, part: usize) -> f64 {
        match self.parts[part].value {
            Value::Work(work) | Value::WorkPerWeight(work) => work,
            _ => 0.0,
        }
    }

    /// The index of the first part in which two keys differ.
    pub fn decided_by(&self, other: &Explanation) -> Option<usize> {
        self.parts.iter().zip(&other.parts).position(|(a, b)| a.value.compare(&b.value).is_ne())
    }
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
    pub key: &'a Explanation,
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
pub fn fewer_running(first: &str, count: u32, second: &str, other: u32) -> String {
    format!("{first} has {}, {second} has {other}", running(count))
}

/// Why the first of two stages goes first where a part of their keys breaks a tie: the stage id, or its text.
pub fn tie_reason(first: &Contender, second: &Contender, part: usize) -> String {
    match (&first.key.parts[part].value, &second.key.parts[part].value) {
        (Value::Text(first), Value::Text(second)) => {
            format!("\"{first}\" comes before \"{second}\" as text, which is how Spark breaks the tie")
        }
        (first, second) => format!("the smaller stage id breaks the tie ({first} against {second})"),
    }
}

/// A policy's virtual clock at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    /// V, in core-µs (UWFQ: per unit of weight).
    pub virtual_time: f64,
    /// How fast V grows: R over the active stages (CFQ) or over the active users' weights (UWFQ);
    /// `None` while nothing is active, when V is constant.
    pub rate: Option<f64>,
    /// Who is active.
    pub active: Active,
}

/// Who shares the cores in the fluid system behind a virtual clock.
#[derive(Clone, Debug, PartialEq)]
pub enum Active {
    /// CFQ: stages with their deadlines in core-µs, soonest first.
    Stages(Vec<(StageId, f64)>),
    /// UWFQ: every user that has been active, in the order of the user list.
    Users(Vec<UserClock>),
}

/// Whether a user takes part in the sharing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Has jobs that have not finished virtually.
    Active,
    /// Has left; the End is the one with which.
    Left,
}

/// A user in UWFQ's clockwork.
#[derive(Clone, Debug, PartialEq)]
pub struct UserClock {
    /// The user.
    pub user: UserId,
    /// The user's share.
    pub weight: Weight,
    /// Whether the user takes part.
    pub activity: Activity,
    /// Va: V when the user last entered, in core-µs per unit of weight.
    pub virtual_arrival: f64,
    /// Vu: what each of the user's jobs has been served since, in core-µs.
    pub user_time: f64,
    /// Work of the user's jobs that have finished virtually since, in core-µs.
    pub served: f64,
    /// D_global of the user's last job, in core-µs per unit of weight.
    pub end: f64,
    /// The user's jobs in the order in which they finish virtually: the chain that a job's deadline
    /// counts up to and including itself.
    pub jobs: Vec<ClockJob>,
}

/// A job in its user's list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockJob {
    /// The job's index in the order of arrival.
    pub rank: Rank,
    /// D_user: Vu at which it finishes virtually, in core-µs.
    pub user_deadline: f64,
    /// L: the estimated work it was admitted with.
    pub estimate: SlotTime,
    /// D_global, in core-µs per unit of weight.
    pub deadline: f64,
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
