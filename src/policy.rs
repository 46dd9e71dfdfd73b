//! Who goes first: the scheduling policies.
//!
//! A policy gives every waiting stage a key; at an offer round the stages take cores in ascending
//! order of their keys, as in Spark's `TaskSchedulerImpl.resourceOffers`. A policy decides, the
//! engine acts: policies see no cores, no tasks and no clock but the instants they are told.
//!
//! Adding a policy touches its own file and the line in `registry!` below.

pub mod explain;
pub mod line;
pub mod notes;
pub mod parameters;

use std::fmt;
use std::str::FromStr;

use explain::{Clock, Contender, Explanation, Value};
use line::Line;
use notes::{Notes, Past};
pub use parameters::LateStage;

use crate::ids::{Rank, StageId, UserId};
use crate::partition::Mode;
use crate::scenario::{FairTieBreak, Scenario};
use crate::units::{SlotTime, Span, Time, Weight};

/// What a policy may know of the cluster and its users before anything happens.
#[derive(Clone, Debug)]
pub struct Context {
    /// Number of cores R.
    pub cores: u32,
    /// Each user's weight, by [`UserId`].
    pub weights: Vec<Weight>,
    /// Each user's place in the order of names (by bytes), by [`UserId`].
    pub name_order: Vec<u32>,
    /// How equal running counts are told apart.
    pub fair_tie_break: FairTieBreak,
    /// UWFQ's grace period.
    pub uwfq_grace: Span,
    /// What UWFQ does with late stages.
    pub uwfq_late_stage: LateStage,
    /// How many jobs there will be.
    pub jobs: usize,
}

impl Context {
    /// The context of a scenario.
    pub fn new(scenario: &Scenario) -> Context {
        let mut by_name: Vec<usize> = (0..scenario.users().len()).collect();
        by_name
            .sort_by(|&a, &b| scenario.users()[a].name.as_bytes().cmp(scenario.users()[b].name.as_bytes()));
        let mut name_order = vec![0; by_name.len()];
        for (place, user) in by_name.into_iter().enumerate() {
            name_order[user] = place as u32;
        }
        Context {
            cores: scenario.cluster().cores(),
            weights: scenario.users().iter().map(|user| user.weight).collect(),
            name_order,
            fair_tie_break: scenario.cluster().fair_tie_break,
            uwfq_grace: parameters::uwfq_grace(scenario.parameters()),
            uwfq_late_stage: parameters::uwfq_late_stage(scenario.parameters()),
            jobs: scenario.jobs().len(),
        }
    }

    /// What [`tie`] compares, for a reader.
    fn tie_value(&self, stage: StageId) -> Value {
        match self.fair_tie_break {
            FairTieBreak::Submission => Value::Number(stage.0),
            FairTieBreak::Spark => Value::Text(format!("TaskSet_{}.0", stage.0)),
        }
    }
}

/// The stage's place among stages of equal running counts, smallest first.
pub(crate) fn tie(rule: FairTieBreak, stage: StageId) -> u64 {
    match rule {
        FairTieBreak::Submission => stage.0,
        FairTieBreak::Spark => text_order(stage),
    }
}

/// A number that orders stage ids as Spark orders the texts `TaskSet_<id>.0`.
///
/// The texts differ first in the digits of the id, and the full stop behind them is smaller than
/// any digit; so the digits are read in base 11 with 0 for "no digit here".
fn text_order(stage: StageId) -> u64 {
    /// Ids stay below 2^53, which has 16 digits.
    const DIGITS: u32 = 16;
    let digits = stage.0.checked_ilog10().unwrap_or(0) + 1;
    debug_assert!(digits <= DIGITS, "stage ids are below 2^53");
    let (mut rest, mut order, mut place) = (stage.0, 0, 11_u64.pow(DIGITS - digits));
    for _ in 0..digits {
        order += (rest % 10 + 1) * place;
        place *= 11;
        rest /= 10;
    }
    order
}

/// A job at its arrival.
#[derive(Clone, Copy, Debug)]
pub struct ArrivingJob {
    /// Its place in the order of arrival.
    pub rank: Rank,
    /// Who submits it.
    pub user: UserId,
    /// Its estimated work (the paper's L).
    pub estimate: SlotTime,
    /// How many arrivals and submissions the policy has heard of before this one.
    pub event: u32,
}

/// A stage at its submission.
#[derive(Clone, Copy, Debug)]
pub struct SubmittedStage {
    /// Its job's place in the order of arrival.
    pub rank: Rank,
    /// Who submitted the job.
    pub user: UserId,
    /// Its global number.
    pub id: StageId,
    /// Its estimated work.
    pub estimate: SlotTime,
    /// Whether it follows other stages of its job.
    pub role: Role,
    /// Estimated work of the job's stages that are not yet submitted, this one included.
    pub unsubmitted: SlotTime,
    /// How many arrivals and submissions the policy has heard of before this one.
    pub event: u32,
}

/// Whether a stage starts its job or follows other stages of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Has no parents; submitted with its job's arrival.
    Root,
    /// Has parents; submitted when the last of them has ended.
    Child,
}

/// A stage with pending tasks, at an offer round.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its job's place in the order of arrival.
    pub rank: Rank,
    /// Who submitted the job.
    pub user: UserId,
    /// Its global number.
    pub id: StageId,
    /// How many stages were submitted before it.
    pub submission: u32,
    /// Tasks of the stage that hold a core now.
    pub running: u32,
    /// Tasks of the user that hold a core now.
    pub user_running: u32,
    /// Its place among stages of equal running counts, smallest first.
    pub tie: u64,
}

/// A key of any policy: numbers that ascend as its keys do.
pub type Precedence = [u64; 3];

/// What a policy's keys rest on; for keys that are a precedence, with the numbers that they are compared by
/// where policies are treated alike.
#[derive(Clone, Copy, Debug)]
pub enum KeyBasis<K> {
    /// Counts of running tasks: a task that starts lowers its own stage's standing, so that nobody
    /// can be said to hold a core that is due to another.
    Counts,
    /// A precedence that is settled when the stage is submitted: an order of arrival or a deadline.
    Submission(fn(K) -> Precedence),
    /// A precedence that running tasks do not change, but what the policy hears later of the same user may. The
    /// stages of a job keep their order among themselves.
    Precedence(fn(K) -> Precedence),
}

/// A scheduling policy.
///
/// The engine calls the hooks in the order of the model's events. Policies that admit, queue or cap
/// jobs, or hold target allocations, will need further hooks with default bodies here; those that
/// only order stages will not notice.
pub trait Policy: Sized {
    /// What stages are ordered by, smallest first. Two stages never have equal keys.
    type Key: Ord + Copy + fmt::Debug;

    /// What the keys rest on.
    const BASIS: KeyBasis<Self::Key>;

    /// How the waiting stages are kept in the order of their keys.
    type Line: Line<Self>;

    /// A policy that has seen nothing yet.
    fn new(context: Context) -> Self;

    /// A job arrives; its root stages are submitted right after.
    fn job_arrived(&mut self, _now: Time, _job: &ArrivingJob) {}

    /// A stage is submitted; an offer round follows.
    fn stage_submitted(&mut self, _now: Time, _stage: &SubmittedStage) {}

    /// The stage's key at this offer round.
    fn key(&self, stage: &Candidate) -> Self::Key;

    /// From now on note what [`Explained::recall`] will need. Only asked for before the first event.
    fn begin_notes(&mut self) {}

    /// The notes so far, with all that the clockwork will still do of itself.
    fn end_notes(&mut self) -> Notes {
        Notes::default()
    }
}

/// A policy that can tell why, also of a moment of the past.
pub trait Explained: Policy {
    /// The stage's key in words and numbers; its parts compare as the keys do.
    fn explain(&self, stage: &Candidate) -> Explanation;

    /// Why the first of two stages, the first of the queue, goes before the second: a sentence.
    fn reason(first: &Contender, second: &Contender) -> String
    where
        Self: Sized;

    /// The policy's virtual clock, if it has one.
    fn clock(&self) -> Option<Clock> {
        None
    }

    /// The policy as it stood at a moment of the past, good for [`Policy::key`],
    /// [`Explained::explain`] and [`Explained::clock`] but not to go on from.
    fn recall(context: Context, _past: &Past) -> Self
    where
        Self: Sized,
    {
        Self::new(context)
    }
}

/// What a reader should know of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// Name on the command line and in files.
    pub id: &'static str,
    /// Name on the page.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
}

/// Something to be done with a type of policy that is known only from its [`PolicyKind`].
pub(crate) trait Visitor {
    type Output;
    fn visit<P: Policy + 'static>(self, context: Context) -> Self::Output;
}

/// As [`Visitor`], to be told why.
pub(crate) trait ExplainedVisitor {
    type Output;
    fn visit<P: Explained>(self, context: Context) -> Self::Output;
}

macro_rules! registry {
    ($($variant:ident => $module:ident::$policy:ident, $explained:ident;)*) => {
        $(pub mod $module;)*

        /// The policies, in the order in which they are listed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum PolicyKind { $(#[doc = concat!("See [`", stringify!($module), "`].")] $variant),* }

        impl PolicyKind {
            /// All of them.
            pub const ALL: &'static [PolicyKind] = &[$(PolicyKind::$variant),*];

            /// What a reader should know of it.
            pub fn info(self) -> &'static Info {
                match self { $(PolicyKind::$variant => &$module::INFO),* }
            }

            pub(crate) fn visit<V: Visitor>(self, context: Context, visitor: V) -> V::Output {
                if self == PolicyKind::Uwfq && context.uwfq_late_stage == LateStage::Released {
                    return visitor.visit::<uwfq::Released>(context);
                }
                match self { $(PolicyKind::$variant => visitor.visit::<$module::$policy>(context)),* }
            }

            pub(crate) fn visit_explained<V: ExplainedVisitor>(self, context: Context, visitor: V) -> V::Output {
                if self == PolicyKind::Uwfq && context.uwfq_late_stage == LateStage::Released {
                    return visitor.visit::<uwfq::Released>(context);
                }
                match self { $(PolicyKind::$variant => visitor.visit::<$module::$explained>(context)),* }
            }
        }
    };
}

// The policy that decides, and the one that explains its decisions: mostly the same.
registry! {
    Fifo => fifo::Fifo, Fifo;
    Fair => fair::Fair, Fair;
    Ujf => ujf::Ujf, Ujf;
    Cfq => cfq::Cfq, Cfq;
    Uwfq => uwfq::Uwfq, Literal;
}

/// A policy together with a partitioning, such as `uwfq-p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyId {
    /// Who goes first.
    pub kind: PolicyKind,
    /// How stages are cut into tasks.
    pub partitioning: Mode,
}

impl PolicyId {
    /// Every policy under default, then under runtime partitioning.
    pub fn all() -> impl Iterator<Item = PolicyId> {
        [Mode::Default, Mode::Runtime]
            .into_iter()
            .flat_map(|partitioning| PolicyKind::ALL.iter().map(move |&kind| PolicyId { kind, partitioning }))
    }

    /// The name for people: `UWFQ`, `UWFQ-P`.
    pub fn title(self) -> String {
        let suffix = match self.partitioning {
            Mode::Default => "",
            Mode::Runtime => "-P",
        };
        format!("{}{suffix}", self.kind.info().title)
    }

    /// The same policy under the other partitioning or this one.
    pub fn with(self, partitioning: Mode) -> PolicyId {
        PolicyId { partitioning, ..self }
    }
}

/// The name on the command line and in files: `uwfq`, `uwfq-p`.
impl fmt::Display for PolicyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.partitioning {
            Mode::Default => "",
            Mode::Runtime => "-p",
        };
        f.pad(&format!("{}{suffix}", self.kind.info().id))
    }
}

/// A name that is not a policy's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no policy \"{0}\"; the policies are fifo, fair, ujf, cfq, uwfq, each also with -p for runtime partitioning"
)]
pub struct UnknownPolicy(String);

impl FromStr for PolicyId {
    type Err = UnknownPolicy;
    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        PolicyId::all()
            .find(|policy| policy.to_string() == text)
            .ok_or_else(|| UnknownPolicy(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        let names: Vec<String> = PolicyId::all().map(|policy| policy.to_string()).collect();
        assert_eq!(names.join(" "), "fifo fair ujf cfq uwfq fifo-p fair-p ujf-p cfq-p uwfq-p");
        for policy in PolicyId::all() {
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
        assert!("UWFQ".parse::<PolicyId>().is_err());
    }

    #[test]
    fn spark_ties_order_ids_as_text() {
        let mut ids: Vec<u64> = (0..12).chain([99, 100, 101, 995, 1000, 9_007_199_254_740_991]).collect();
        let mut as_text = ids.clone();
        ids.sort_by_key(|&id| text_order(StageId(id)));
        as_text.sort_by_key(|id| format!("TaskSet_{id}.0"));
        assert_eq!(ids, as_text);
    }
}
