//! The scheduling policies and the contract between them and the engine.
//!
//! A [`Policy`] receives events (a job arrives, a stage is submitted, a task is launched or ends, ...), reads a
//! [`View`] of the cluster and the jobs, and answers two questions: *does this job start, wait, get rejected or get
//! dropped* ([`Admission`], [`Actions`]), and *which task goes next, on which core, or none* ([`Launch`]). A policy
//! decides, the engine acts; it validates every answer ([`PolicyError`]).
//!
//! Most policies only give each waiting stage a [`Key`](explain::Key); the stage with the least one goes first. A
//! policy that is asked often knows the first stage faster, by a ready queue ([`queue`]), and one that does more
//! overrides [`Policy::next_task`].
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

mod classes;
mod context;
mod contract;
pub mod custom;
pub mod explain;
mod gate;
mod id;
mod info;
pub(crate) mod job_queue;
pub mod parameters;
pub mod queue;
mod rules;
mod targets;
mod tie;
mod usage;
mod user_queue;
mod view;

mod baseline_fs;
mod bopf;
mod cfq;
mod deadline_oracle;
mod decay;
pub mod decima;
mod drf;
mod fair;
mod fifo;
mod graphene;
mod justice;
mod karma;
mod m_bvt;
mod n_bopf;
pub mod paf;
mod reactive_fs;
mod sjf_cp;
mod sp;
pub mod spark;
mod tetris;
mod ujf;
pub mod uwfq;
pub mod uwfq_released;
mod wfair;

pub use classes::QueueClass;
pub use context::Context;
pub(crate) use contract::PolicyAction;
pub use contract::{Actions, Admission, Cap, Launch, OfferCause, Party, Policy, by_key};
pub use custom::{ProgramCall, ProgramError};
pub use id::{CustomPolicy, OBSERVED, PolicyId, UnknownPolicy};
pub use info::{
    EstimatesRead, Idling, Info, KeyBasis, KeyOrder, Outcomes, Placement, PolicyGroup, RankedFrom,
};
pub use parameters::Parameter;
pub use rules::{PolicyError, Rule};
pub use tie::{tie, tie_order};
pub(crate) use view::{AloneModel, StageState, attempts};
pub use view::{JobPhase, JobView, StageView, View};

/// Something to be done with a type of policy that is known only from its [`PolicyKind`].
pub trait PolicyVisitor {
    /// The result.
    type Output;
    /// Does it.
    fn visit<P: Policy + Clone + 'static>(self) -> Self::Output;
}

macro_rules! registry {
    ($($module:ident: $variant:ident => $policy:ty;)*) => {
        /// The policies, in the order in which they are listed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum PolicyKind {
            $(#[doc = concat!("The policy `", stringify!($module), "`; [`PolicyKind::info`] has its key and source.")]
            $variant,)*
            /// A policy from outside this program.
            Custom(CustomPolicy),
        }

        impl PolicyKind {
            /// All of them but those from outside.
            pub const ALL: &'static [PolicyKind] = &[$(PolicyKind::$variant),*];

            /// What the policy declares of itself.
            pub fn info(self) -> &'static Info {
                match self {
                    $(PolicyKind::$variant => <$policy as Policy>::info(),)*
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

// A line for each policy: module, name, type. The order is that in which policies are listed.
registry! {
    fifo: Fifo => fifo::Fifo;
    fair: Fair => fair::Fair;
    ujf: Ujf => ujf::Ujf;
    cfq: Cfq => cfq::Cfq;
    uwfq: Uwfq => uwfq::Uwfq;
    uwfq_released: UwfqReleased => uwfq_released::UwfqReleased;
    sjf_cp: SjfCp => sjf_cp::SjfCp;
    wfair: Wfair => wfair::Wfair;
    graphene: Graphene => graphene::Graphene;
    tetris: Tetris => tetris::Tetris;
    paf: Paf => paf::Paf;
    baseline_fs: BaselineFs => baseline_fs::BaselineFs;
    reactive_fs: ReactiveFs => reactive_fs::ReactiveFs;
    deadline_oracle: DeadlineOracle => deadline_oracle::DeadlineOracle;
    justice: Justice => justice::Justice;
    drf: Drf => drf::Drf;
    sp: Sp => sp::Sp;
    m_bvt: MBvt => m_bvt::MBvt;
    n_bopf: NBopf => n_bopf::NBopf;
    bopf: Bopf => bopf::Bopf;
    karma: Karma => karma::Karma;
    decay: Decay => decay::Decay;
    spark: Spark => spark::Spark;
    decima: Decima => decima::Decima;
}

impl PolicyKind {
    /// The kind of a policy type: the registered one of that id, else a custom one.
    pub fn of<P: Policy>() -> PolicyKind {
        let id = P::info().id;
        let known = PolicyKind::ALL.iter().copied().find(|kind| kind.info().id == id);
        known.unwrap_or(PolicyKind::Custom(CustomPolicy(P::info())))
    }
}
