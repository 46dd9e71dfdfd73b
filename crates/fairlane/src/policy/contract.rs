//! The contract: what the engine reports to a policy, and what a policy may answer.

use super::explain::Explainer;
use super::log::PolicyLog;
use super::{Context, Info, QueueClass, RankedVisitor, View};
use crate::ids::{CoreId, Rank, StageIndex};
use crate::units::Time;

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
#[expect(unused_variables, reason = "a policy implements the hooks that it needs")]
pub trait Policy {
    /// What explains its decisions afterwards.
    type Explainer: Explainer
    where
        Self: Sized;

    /// What readers, files and the command line call the policy, and what it may do.
    fn info() -> &'static Info
    where
        Self: Sized;

    /// A policy at the start of a simulation.
    fn new(context: &Context) -> Self
    where
        Self: Sized;

    /// A job has arrived.
    fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission {
        Admission::Start
    }

    /// A stage is submitted; an offer round follows.
    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {}

    /// A task was launched, as the policy asked.
    fn task_launched(&mut self, launch: Launch, view: &View) {}

    /// A task has ended and freed its core; an offer round follows.
    fn task_ended(&mut self, launch: Launch, view: &View) {}

    /// A stage's last task has ended, and the driver has learned of it; its children are submitted next.
    fn stage_ended(&mut self, stage: StageIndex, view: &View) {}

    /// A job has finished, or was dropped after it had started.
    fn job_ended(&mut self, job: Rank, view: &View, actions: &mut Actions) {}

    /// The instant of an [`Actions::wake`].
    fn woken(&mut self, token: u32, view: &View, actions: &mut Actions) {}

    /// An offer round starts; at least one core is free.
    fn offer_started(&mut self, cause: OfferCause, view: &View) {}

    /// The task that goes next, or `None` to end the offer round. At least one core is free.
    fn next_task(&mut self, view: &View) -> Option<Launch>;

    /// The classes of the users, by [`UserId`](crate::ids::UserId); none under a policy that has no classes.
    fn classes(&self) -> &[QueueClass] {
        &[]
    }

    /// Starts the log that [`Policy::Explainer`] needs. Only called before the first event.
    fn start_log(&mut self) {}

    /// The log, once no event is left.
    fn finish_log(&mut self) -> PolicyLog {
        PolicyLog::default()
    }

    /// Does something with the policy's type if it is a [`RankedPolicy`](super::RankedPolicy) under the adapter; `None` otherwise.
    fn visit_ranked<V: RankedVisitor>(visitor: V) -> Option<V::Output>
    where
        Self: Sized,
    {
        None
    }
}
