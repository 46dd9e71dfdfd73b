//! The contract: what the engine reports to a policy, what a policy answers, and how it explains itself.

use dyn_clone::DynClone;

use super::explain::{Contender, Decision, Explanation, Key, NumberedFacts, PolicyClock, Target};
use super::{Context, Info, KeyOrder, ProgramCall, ProgramError, QueueClass, StageView, View};
use crate::ids::{CoreId, Rank, StageIndex, UserId};
use crate::units::{Span, Time, Weight};

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
#[derive(Clone, Debug, Default)]
pub struct Actions {
    pub(crate) list: Vec<PolicyAction>,
    /// What the policy has decided, in the order of time; `None` if nobody asks.
    pub(crate) decisions: Option<Vec<Decision>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum PolicyAction {
    Start(Rank),
    Drop(Rank),
    Wake { at: Time, token: u32 },
}

impl Actions {
    /// Starts a job that waits: its root stages are submitted.
    pub fn start(&mut self, job: Rank) {
        self.list.push(PolicyAction::Start(job));
    }

    /// Ends a job that waits or runs: its running tasks end at this instant, its other tasks never run.
    pub fn drop(&mut self, job: Rank) {
        self.list.push(PolicyAction::Drop(job));
    }

    /// Asks for [`Policy::woken`] at an instant, after the task ends and before the arrivals of that instant; several
    /// at one instant in the order of their tokens.
    pub fn wake(&mut self, at: Time, token: u32) {
        self.list.push(PolicyAction::Wake { at, token });
    }

    /// Explains a decision about a user or a job, such as an admission. A simulation that nobody asks why does not call
    /// `decision`.
    pub fn explain(&mut self, decision: impl FnOnce() -> Decision) {
        if let Some(decisions) = &mut self.decisions {
            decisions.push(decision());
        }
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

/// How many more tasks the stages of a group may launch together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    /// A job or a pool, by a number of the policy's own.
    pub group: u32,
    /// How many.
    pub room: u32,
}

/// A user or a pool whose share of the cores preemption looks at.
#[derive(Clone, Debug, PartialEq)]
pub struct Party {
    /// Its name.
    pub name: String,
    /// Its share, relative to the others.
    pub weight: Weight,
}

/// Why there is an offer round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferCause {
    /// A task of the stage has ended on the core.
    TaskEnd(Launch),
    /// The stage was submitted.
    Submission(StageIndex),
    /// The job was dropped or cancelled while it ran.
    Drop(Rank),
    /// Executors have come or gone, were lost, or are excluded no more.
    Executors,
    /// A stage may have waited long enough for the executors that its tasks prefer.
    LocalityWait(StageIndex),
    /// Slow tasks may have a second attempt.
    Speculation,
    /// Attempts were killed for users or pools with too few cores.
    Preemption,
    /// The policy has received a [tick](Policy::ticked).
    Tick,
    /// Where cores belong to jobs: nothing more happens at this instant, so that cores may be given to others.
    Gift,
}

/// A scheduling policy.
///
/// The engine calls the hooks in the order of the model's events (docs/model.md section 3). After each freed core and
/// each submission there is an offer round: [`Policy::offer_started`], then [`Policy::next_task`] until it returns
/// `None` or no core is free.
///
/// A policy is cloned to look at decisions again: the clone has to go on as the original does.
#[expect(unused_variables, reason = "a policy implements the hooks that it needs")]
pub trait Policy: DynClone {
    /// What readers, files and the command line call the policy, and what it may do.
    fn info() -> &'static Info
    where
        Self: Sized;

    /// A policy at the start of a simulation.
    fn new(context: &Context) -> Self
    where
        Self: Sized;

    /// The simulation starts; no event has happened.
    fn started(&mut self, view: &View, actions: &mut Actions) {}

    /// A job has arrived.
    fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission {
        Admission::Start
    }

    /// A stage is submitted; an offer round follows.
    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        self.counts_changed(stage, view);
    }

    /// A task was launched, as the policy asked.
    fn task_launched(&mut self, launch: Launch, view: &View) {
        self.counts_changed(launch.stage, view);
    }

    /// A task has ended and freed its core; an offer round follows.
    fn task_ended(&mut self, launch: Launch, view: &View) {
        self.counts_changed(launch.stage, view);
    }

    /// An attempt of a task was killed and has freed its core: with its job, with its executor, because another attempt
    /// of the task has ended, or for somebody with too few cores. The task may return: then the counts change again.
    fn attempt_killed(&mut self, launch: Launch, view: &View) {
        self.counts_changed(launch.stage, view);
    }

    /// The numbers of running and pending tasks of a stage, its job and its user have changed: by what one of the four
    /// hooks above reports, unless the policy implements that; because the job was dropped or cancelled, tasks have
    /// returned or may have a second attempt; or because the stage waits for a parent again, or no longer does.
    fn counts_changed(&mut self, stage: StageIndex, view: &View) {}

    /// A stage's last task has ended, and the driver has learned of it; its children are submitted next.
    fn stage_ended(&mut self, stage: StageIndex, view: &View) {}

    /// A job has finished, or was dropped after it had started.
    fn job_ended(&mut self, job: Rank, view: &View, actions: &mut Actions) {}

    /// The instant of an [`Actions::wake`].
    fn woken(&mut self, token: u32, view: &View, actions: &mut Actions) {}

    /// The period after which it receives a tick, over and over; asked once, before the simulation starts. More than 0.
    fn tick(&self) -> Option<Span> {
        None
    }

    /// How the policy's program has failed, if it is one and has; asked after each event.
    fn failure(&self) -> Option<ProgramError> {
        None
    }

    /// From now on keeps the calls of its program, if the policy is one.
    fn record_calls(&mut self) {}

    /// The calls of the program since [`Policy::record_calls`], and after them the one that ranks a stage; none if the
    /// policy is no program.
    fn calls(&self, stage: StageView) -> Vec<ProgramCall> {
        Vec::new()
    }

    /// A period of [`Policy::tick`] is over, counted from 0; an offer round follows. There are no ticks once all jobs
    /// have ended.
    fn ticked(&mut self, view: &View, actions: &mut Actions) {}

    /// Many periods are going to end while nothing else happens and nothing can be launched. Does at once what
    /// [`Policy::ticked`] would do at the first of their ends, and says how many ends that were; the engine reports
    /// the others one by one.
    fn pass_periods(&mut self, periods: u64, view: &View) -> u64 {
        0
    }

    /// An offer round starts; at least one core is free.
    fn offer_started(&mut self, cause: OfferCause, view: &View) {}

    /// The task that goes next, or `None` to end the offer round. At least one core is free. Unless a policy chooses
    /// otherwise, it is the next task of the stage with the least key, of those that may launch one and fit a free
    /// core.
    fn next_task(&mut self, view: &View) -> Option<Launch> {
        by_key(self, view)
    }

    /// Whether a waiting stage may launch a task now, besides a free core that it fits.
    fn may_launch(&self, stage: StageView) -> bool {
        true
    }

    /// How many more tasks of a waiting stage may be launched now, where the policy bounds that.
    fn cap(&self, stage: StageView) -> Option<Cap> {
        None
    }

    /// When keys are computed: as the policy declares of itself, unless it only knows at its start.
    fn key_order(&self, view: &View) -> KeyOrder {
        view.info().order
    }

    /// Those whose shares of the cores preemption compares: the users, unless the policy shares them between others.
    fn parties(&self, view: &View) -> Vec<Party> {
        let users = view.scenario().users().iter();
        users.map(|user| Party { name: user.name.clone(), weight: user.weight }).collect()
    }

    /// The party of a stage, by its place in [`Policy::parties`].
    fn party(&self, stage: StageView) -> u32 {
        stage.user().0
    }

    /// The classes of the users, by [`UserId`]; none under a policy that has no classes.
    fn classes(&self) -> &[QueueClass] {
        &[]
    }

    /// What a waiting stage is ranked by, smallest first, in words, numbers and units.
    fn key(&self, stage: StageView) -> Key;

    /// What a stage is ranked by for a core, where cores belong to jobs.
    fn key_on(&self, stage: StageView, core: CoreId) -> Key {
        self.key(stage)
    }

    /// Whether the policy itself says which core moves to which job where cores belong to jobs: it is then asked for
    /// the [next task](Policy::next_task) where others have cores given by their keys.
    fn moves_cores(&self) -> bool {
        false
    }

    /// Brings what the policy updates only at some events to the view's instant, before it is asked for more than
    /// keys. It is then a clone that receives no further event.
    fn catch_up(&mut self, view: &View) {}

    /// What the key is made of.
    fn facts(&self, stage: StageView) -> NumberedFacts {
        NumberedFacts::default()
    }

    /// Why the first of two stages goes first where their keys differ in a part of the policy's own: a sentence. The
    /// ends that all keys have explain themselves.
    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        first.has_smaller(second, part)
    }

    /// The policy's virtual clock at the view's instant, if it has one.
    fn clock(&self, view: &View) -> Option<PolicyClock> {
        None
    }

    /// What the policy knows of the users at the view's instant, such as how much of its burst a queue has used;
    /// empty if it does not rank users.
    fn users(&self, view: &View) -> Vec<(UserId, Explanation)> {
        Vec::new()
    }

    /// The cores that the policy wants an active job to hold; `None` if it has no targets ([`Info::targets`]).
    fn target(&self, job: Rank, view: &View) -> Option<Target> {
        None
    }
}

dyn_clone::clone_trait_object!(Policy);

/// What [`Policy::next_task`] does by itself, for a policy that only sometimes knows a faster way.
pub fn by_key<P: Policy + ?Sized>(policy: &P, view: &View) -> Option<Launch> {
    match view.info().order {
        KeyOrder::EachRound => {
            view.first_of_round(|stage| policy.may_launch(stage), |stage| policy.key(stage))
        }
        KeyOrder::EachLaunch => view.first(|stage| policy.may_launch(stage), |stage| policy.key(stage)),
    }
}
