//! The scheduling policies and the contract between them and the engine.
//!
//! A [`Policy`] receives events (a job arrives, a stage is submitted, a task is launched or ends, ...), reads a
//! [`View`] of the cluster and the jobs, and answers two questions: *does this job start, wait, get rejected or get
//! dropped* ([`Admission`], [`Actions`]), and *which task goes next, on which core, or none* ([`Launch`]). A policy
//! decides, the engine acts; it validates every answer ([`PolicyError`]).
//!
//! Most policies only give each waiting stage a key; these implement [`RankedPolicy`] and leave the rest to the
//! adapter [`Ranked`].
//!
//! A new policy is a file of its own and a line in `registry!` below; `docs/adding-a-policy.md` shows how.
//!
//! ```
//! use fairlane::policy::{PolicyId, PolicyKind};
//! let id: PolicyId = "uwfq-p".parse()?;
//! assert_eq!(id.title(), "UWFQ-P");
//! assert_eq!(id.kind.info().summary, PolicyKind::Uwfq.info().summary);
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

pub mod allocating;
pub mod explain;
pub mod log;
pub mod parameters;
pub mod queue;
mod ranked;
mod view;

use std::fmt;
use std::rc::Rc;
use std::str::FromStr;

pub use parameters::Parameter;
pub use ranked::{
    ArrivingJob, Candidate, KeyBasis, Precedence, Ranked, RankedPolicy, RankedVisitor, Role, SubmittedStage,
};
pub(crate) use view::StageState;
pub use view::{JobView, Phase, StageView, View};

use explain::{Explainer, Value};
use log::PolicyLog;

use crate::ids::{CoreId, Rank, StageId, StageIndex, UserId};
use crate::scenario::Mode;
use crate::scenario::{FairTieBreak, Scenario};
use crate::units::{Time, Weight};

/// What a policy may know before anything happens.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// What is simulated.
    pub scenario: &'a Scenario,
    /// How stages are cut into tasks.
    pub partitioning: Mode,
    /// Each user's weight, by [`UserId`].
    pub weights: Rc<[Weight]>,
    /// Each user's position in the order of names (by bytes), by [`UserId`].
    pub name_order: Rc<[u32]>,
}

impl<'a> Context<'a> {
    /// The context of a scenario.
    pub fn new(scenario: &'a Scenario, partitioning: Mode) -> Context<'a> {
        let users = &scenario.users();
        let mut by_name: Vec<usize> = (0..users.len()).collect();
        by_name.sort_by(|&a, &b| users[a].name.as_bytes().cmp(users[b].name.as_bytes()));
        let mut name_order = vec![0; by_name.len()];
        for (position, user) in (0..).zip(by_name) {
            name_order[user] = position;
        }
        let weights = users.iter().map(|user| user.weight).collect();
        Context { scenario, partitioning, weights, name_order: name_order.into() }
    }

    /// Number of cores R.
    pub fn cores(&self) -> u32 {
        self.scenario.cluster().cores()
    }

    /// Number of jobs.
    pub fn jobs(&self) -> usize {
        self.scenario.jobs().len()
    }

    /// A user's weight.
    pub fn weight(&self, user: UserId) -> Weight {
        self.weights[user.index()]
    }
}

/// What [`tie`] compares, for a reader.
pub fn tie_value(rule: FairTieBreak, stage: StageId) -> Value {
    match rule {
        FairTieBreak::Submission => Value::Number(stage.0),
        FairTieBreak::Spark => Value::Text(format!("TaskSet_{}.0", stage.0)),
    }
}

/// The stage's position among stages of equal running counts, smallest first: the id, or where the scenario asks for
/// Spark's rule, the order of the texts `TaskSet_<id>.0` (Spark's `FairSchedulingAlgorithm`).
pub fn tie(rule: FairTieBreak, stage: StageId) -> u64 {
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

/// Whether an arriving job starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Its root stages are submitted at once.
    Start,
    /// It waits until [`Actions::start`].
    Wait,
    /// It ends at once, as [`Outcome::Rejected`](crate::trace::Outcome::Rejected).
    Reject,
}

/// What a policy wants done besides launching tasks. The engine acts in the order of the calls, once the event that
/// the policy has received is dealt with.
#[derive(Debug, Default)]
pub struct Actions(pub(crate) Vec<Action>);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    Start(Rank),
    Drop(Rank),
    Wake { at: Time, token: u32 },
}

impl Actions {
    /// Starts a job that waits: its root stages are submitted.
    pub fn start(&mut self, job: Rank) {
        self.0.push(Action::Start(job));
    }

    /// Ends a job that waits or runs: its running tasks end at this instant, its other tasks never run.
    pub fn drop(&mut self, job: Rank) {
        self.0.push(Action::Drop(job));
    }

    /// Asks for [`Policy::woken`] at an instant, after the task ends and before the arrivals of that instant; several
    /// at one instant in the order of their tokens.
    pub fn wake(&mut self, at: Time, token: u32) {
        self.0.push(Action::Wake { at, token });
    }
}

/// A task to launch: the next of a stage, on a free core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// A submitted stage with pending tasks.
    pub stage: StageIndex,
    /// A free core whose executor has the memory.
    pub core: CoreId,
}

/// Why there is an offer round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferCause {
    /// A task of the stage has ended on the core.
    TaskEnd(Launch),
    /// The stage was submitted.
    Submission(StageIndex),
    /// The job was dropped while it ran.
    Drop(Rank),
}

/// A scheduling policy.
///
/// The engine calls the hooks in the order of the model's events (docs/model.md section 3). After each freed core and
/// each submission there is an offer round: [`Policy::offer_started`], then [`Policy::next_task`] until it returns
/// `None` or no core is free.
pub trait Policy: Sized {
    /// What readers, files and the command line call the policy, and what it may do.
    const INFO: &'static Info;

    /// What explains its decisions afterwards.
    type Explainer: Explainer;

    /// A policy at the start of a simulation.
    fn new(context: &Context) -> Self;

    /// A job has arrived.
    fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission {
        let _ = (job, view, actions);
        Admission::Start
    }

    /// A stage is submitted; an offer round follows.
    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        let _ = (stage, view);
    }

    /// A task was launched, as the policy asked.
    fn task_launched(&mut self, launch: Launch, view: &View) {
        let _ = (launch, view);
    }

    /// A task has ended and freed its core; an offer round follows.
    fn task_ended(&mut self, launch: Launch, view: &View) {
        let _ = (launch, view);
    }

    /// A stage's last task has ended, and the driver has learned of it; its children are submitted next.
    fn stage_ended(&mut self, stage: StageIndex, view: &View) {
        let _ = (stage, view);
    }

    /// A job has finished, or was dropped after it had started.
    fn job_ended(&mut self, job: Rank, view: &View, actions: &mut Actions) {
        let _ = (job, view, actions);
    }

    /// The instant of an [`Actions::wake`].
    fn woken(&mut self, token: u32, view: &View, actions: &mut Actions) {
        let _ = (token, view, actions);
    }

    /// An offer round starts; at least one core is free.
    fn offer_started(&mut self, cause: OfferCause, view: &View) {
        let _ = (cause, view);
    }

    /// The task that goes next, or `None` to end the offer round. At least one core is free.
    fn next_task(&mut self, view: &View) -> Option<Launch>;

    /// Starts the log that [`Policy::Explainer`] needs. Only called before the first event.
    fn start_log(&mut self) {}

    /// The log, once no event is left.
    fn finish_log(&mut self) -> PolicyLog {
        PolicyLog::default()
    }

    /// Does something with the policy's type if it is a [`RankedPolicy`] under the adapter; `None` otherwise.
    fn visit_ranked<V: RankedVisitor>(visitor: V) -> Option<V::Output> {
        let _ = visitor;
        None
    }
}

/// What a policy did that the contract does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the policy {policy} broke a rule at {:.6} s: {rule}", at.seconds())]
pub struct PolicyError {
    /// The policy's id.
    pub policy: &'static str,
    /// The instant.
    pub at: Time,
    /// The rule.
    pub rule: Rule,
}

/// A rule of the contract, broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rule {
    /// A launch names a core that is not free, or none of the cluster's.
    #[error("core {} is not free; launch on a free core", .0.0)]
    CoreNotFree(CoreId),
    /// A launch names a stage that there is not, or that has not been submitted or was dropped.
    #[error("stage {} is not submitted; launch tasks of submitted stages", .0.0)]
    StageNotSubmitted(StageIndex),
    /// A launch names a stage all of whose tasks have been launched.
    #[error("stage {} has no pending task; launch another stage's", .0.0)]
    NothingPending(StageIndex),
    /// A launch needs more memory than the core's executor has free.
    #[error("a task of stage {} does not fit the memory of core {}; choose a core that it fits", stage.0, core.0)]
    DoesNotFit {
        /// The stage.
        stage: StageIndex,
        /// The core.
        core: CoreId,
    },
    /// An offer round ended with a free core that a pending task fits, by a policy that does not declare
    /// [`Idling::OnPurpose`].
    #[error("core {} stays idle though a pending task fits it; declare `Idling::OnPurpose` or launch a task", .0.0)]
    IdleCore(CoreId),
    /// A job was to be started that does not wait.
    #[error("job of rank {} does not wait; start each waiting job once", .0.0)]
    NotWaiting(Rank),
    /// A job was to be dropped that has ended or not arrived.
    #[error("job of rank {} neither waits nor runs; drop only such jobs", .0.0)]
    NotDroppable(Rank),
    /// A job was dropped or rejected by a policy that does not declare [`Outcomes::Any`].
    #[error("job of rank {} was dropped or rejected; declare `Outcomes::Any`", .0.0)]
    UndeclaredOutcome(Rank),
    /// A wake-up was asked for at an instant that has passed.
    #[error("a wake-up at {:.6} s has passed; ask for a later one", .0.seconds())]
    WakeInThePast(Time),
    /// No event is left but jobs wait that were never started.
    #[error("job of rank {} still waits though nothing more will happen; start or drop it", .0.0)]
    NeverStarted(Rank),
    /// No event is left but tasks are pending.
    #[error("stage {} still has pending tasks though nothing more will happen; launch them", .0.0)]
    NeverLaunched(StageIndex),
}

/// The policies that are listed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Group {
    /// Spark's own schedulers.
    Spark,
    /// Fair queuing by virtual time.
    VirtualTime,
    /// By the sizes of jobs.
    JobSizes,
    /// Cores that move between jobs.
    Elasticity,
    /// From outside this program.
    Other,
}

impl Group {
    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Group::Spark => "Spark",
            Group::VirtualTime => "Virtual time",
            Group::JobSizes => "Job sizes",
            Group::Elasticity => "Elasticity",
            Group::Other => "Other",
        }
    }
}

/// Whether a policy leaves cores idle that a pending task fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idling {
    /// Never: it is work-conserving.
    Never,
    /// It may, on purpose.
    OnPurpose,
}

/// How jobs can end under a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcomes {
    /// Every job finishes.
    Finished,
    /// Jobs may also be dropped or rejected; traces then say of each how it ended.
    Any,
}

/// A colour as 0xRRGGBB, one for each theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// On a light background.
    pub light: u32,
    /// On a dark background.
    pub dark: u32,
}

/// What a policy declares of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Info {
    /// Name on the command line and in files.
    pub id: &'static str,
    /// Name on the page.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Its key or rule, for the table in the documentation.
    pub key: &'static str,
    /// What it is listed with.
    pub group: Group,
    /// Its colour in charts.
    pub colour: Colour,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether it leaves cores idle.
    pub idling: Idling,
    /// How jobs can end under it.
    pub outcomes: Outcomes,
}

impl Info {
    /// What holds unless a policy declares otherwise: no parameters, work-conserving, every job finishes.
    pub const DEFAULT: Info = Info {
        id: "",
        title: "",
        summary: "",
        key: "",
        group: Group::Other,
        colour: Colour { light: 0x6b_7280, dark: 0x9c_a3af },
        parameters: &[],
        idling: Idling::Never,
        outcomes: Outcomes::Finished,
    };
}

/// Something to be done with a type of policy that is known only from its [`PolicyKind`].
pub trait PolicyVisitor {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<P: Policy + 'static>(self) -> Self::Output;
}

macro_rules! registry {
    ($($module:ident: $variant:ident => $policy:ty;)*) => {
        $(pub mod $module;)*

        /// The policies, in the order in which they are listed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum PolicyKind {
            $(#[doc = concat!("See [`", stringify!($module), "`].")] $variant,)*
            /// A policy from outside this program.
            Custom(CustomPolicy),
        }

        impl PolicyKind {
            /// All of them but those from outside.
            pub const ALL: &'static [PolicyKind] = &[$(PolicyKind::$variant),*];

            /// What the policy declares of itself.
            pub fn info(self) -> &'static Info {
                match self {
                    $(PolicyKind::$variant => <$policy as Policy>::INFO,)*
                    PolicyKind::Custom(policy) => policy.0,
                }
            }

            /// Does something with the policy's type; `None` for one from outside.
            pub fn visit<V: PolicyVisitor>(self, visitor: V) -> Option<V::Output> {
                match self {
                    $(PolicyKind::$variant => Some(visitor.visit::<$policy>()),)*
                    PolicyKind::Custom(_) => None,
                }
            }
        }
    };
}

// A line for each policy: module, name, type. The order is that of lists.
registry! {
    fifo: Fifo => Ranked<fifo::Fifo>;
    fair: Fair => Ranked<fair::Fair>;
    ujf: Ujf => Ranked<ujf::Ujf>;
    cfq: Cfq => Ranked<cfq::Cfq>;
    uwfq: Uwfq => Ranked<uwfq::Uwfq>;
    uwfq_released: UwfqReleased => Ranked<uwfq_released::UwfqReleased>;
    sjf_cp: SjfCp => Ranked<sjf_cp::SjfCp>;
    wfair: Wfair => wfair::Wfair;
    baseline_fs: BaselineFs => baseline_fs::BaselineFs;
}

/// A policy from outside this program, by what it declares of itself. Two are equal if their ids are.
#[derive(Clone, Copy, Debug)]
pub struct CustomPolicy(pub &'static Info);

impl PartialEq for CustomPolicy {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for CustomPolicy {}

impl PartialOrd for CustomPolicy {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CustomPolicy {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.id.cmp(other.0.id)
    }
}

impl std::hash::Hash for CustomPolicy {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

struct IfRanked<V>(V);

impl<V: RankedVisitor> PolicyVisitor for IfRanked<V> {
    type Output = Option<V::Output>;

    fn visit<P: Policy + 'static>(self) -> Self::Output {
        P::visit_ranked(self.0)
    }
}

impl PolicyKind {
    /// Does something with the policy's type if it is registered and a [`RankedPolicy`]; `None` otherwise.
    pub fn visit_ranked<V: RankedVisitor>(self, visitor: V) -> Option<V::Output> {
        self.visit(IfRanked(visitor))?
    }

    /// The kind of a policy type: the registered one of that id, else a custom one.
    pub fn of<P: Policy>() -> PolicyKind {
        let id = P::INFO.id;
        let known = PolicyKind::ALL.iter().copied().find(|kind| kind.info().id == id);
        known.unwrap_or(PolicyKind::Custom(CustomPolicy(P::INFO)))
    }
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
#[error("there is no policy \"{0}\"; the policies are {names}, each also with -p for runtime partitioning", names = names())]
pub struct UnknownPolicy(String);

/// The policies' ids with commas between.
fn names() -> String {
    PolicyKind::ALL.iter().map(|kind| kind.info().id).collect::<Vec<_>>().join(", ")
}

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
        for policy in PolicyId::all() {
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
        assert!("UWFQ".parse::<PolicyId>().is_err());
    }

    #[test]
    fn every_policy_declares_what_readers_need() {
        for kind in PolicyKind::ALL {
            let info = kind.info();
            assert!(
                !info.title.is_empty() && info.summary.ends_with('.') && !info.key.is_empty(),
                "{}",
                info.id
            );
            assert_ne!(info.colour, Info::DEFAULT.colour, "{} has a colour of its own", info.id);
        }
        let mut ids: Vec<_> = PolicyKind::ALL.iter().map(|kind| kind.info().id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), PolicyKind::ALL.len(), "ids differ");
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
