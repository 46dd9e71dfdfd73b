//! Policies that only rank the waiting stages by a key, and the adapter that makes them a [`Policy`].

use super::by_memory::{ByMemory, GroupKeys};
use super::explain::{Explainer, Ranking};
use super::log::PolicyLog;
use super::queue::{ReadyQueue, Slot};
use super::{Actions, Admission, Context, Info, Launch, Policy, View};
use crate::ids::{Rank, StageId, StageIndex, UserId};
use crate::units::{SlotTime, Time};

/// A policy that gives each waiting stage a key. In an offer round the stages take the free cores in ascending order
/// of their keys, as in Spark's `TaskSchedulerImpl.resourceOffers`.
#[expect(unused_variables, reason = "a policy implements the hooks that it needs")]
pub trait RankedPolicy: Ranking {
    /// What the keys rest on.
    const BASIS: KeyBasis<Self::Key>;

    /// Whether keys order the users first, by their running tasks: then any stage of a user goes before any stage of
    /// another, and what the keys order in a user's stages does not depend on [`Candidate::user_running`].
    const BY_USER: bool = false;

    /// How the waiting stages are kept in the order of their keys.
    type Queue: ReadyQueue<Self>;

    /// The same policy to the letter, however slow: what tests hold this one against, and what explains its keys.
    /// `Self` where there is no shorter way.
    type Reference: RankedPolicy<Key = Self::Key> + Explainer;

    /// What the policy declares of itself.
    fn info() -> &'static Info;

    /// A policy at the start of a simulation.
    fn new(context: &Context) -> Self;

    /// Whether keys of a user's waiting stages may be others since the last call, for [`KeyBasis::Precedence`]. Called after
    /// each submission of a stage of that user.
    fn take_moved(&mut self, user: UserId) -> bool {
        true
    }

    /// A job has arrived; its root stages are submitted next.
    fn job_arrived(&mut self, now: Time, job: &ArrivingJob) {}

    /// A stage is submitted; an offer round follows.
    fn stage_submitted(&mut self, now: Time, stage: &SubmittedStage) {}

    /// Starts the log that the explainer needs. Only called before the first event.
    fn start_log(&mut self) {}

    /// The log, with all that will still happen to the policy's virtual time.
    fn finish_log(&mut self) -> PolicyLog {
        PolicyLog::default()
    }
}

/// A job at its arrival.
#[derive(Clone, Copy, Debug)]
pub struct ArrivingJob {
    /// Its index in the order of arrival.
    pub rank: Rank,
    /// Who submits it.
    pub user: UserId,
    /// Its estimated work (the UWFQ paper's L).
    pub estimate: SlotTime,
    /// How many events the policy has received before this one.
    pub event: u32,
}

/// A stage at its submission.
#[derive(Clone, Copy, Debug)]
pub struct SubmittedStage {
    /// Its job's index in the order of arrival.
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
    /// How many events the policy has received before this one.
    pub event: u32,
}

/// Whether a stage starts its job or follows other stages of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Has no parents; submitted when its job starts.
    Root,
    /// Has parents; submitted when the last of them has ended.
    Child,
}

/// A stage with pending tasks, at an offer round.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its job's index in the order of arrival.
    pub rank: Rank,
    /// Who submitted the job.
    pub user: UserId,
    /// Its global number.
    pub id: StageId,
    /// How many stages were submitted before it.
    pub submission: u32,
    /// Tasks of the stage that hold a core.
    pub running: u32,
    /// Tasks of the user that hold a core.
    pub user_running: u32,
    /// Its position among stages of equal running counts, smallest first.
    pub tie: u64,
}

impl View<'_> {
    /// A stage as a [`Ranking`] sees it.
    pub fn candidate(&self, stage: StageIndex) -> Candidate {
        let state = self.state(stage);
        Candidate {
            rank: state.rank,
            user: state.user,
            id: self.stage(stage).id(),
            submission: state.submission,
            running: state.running,
            user_running: self.user_running(state.user),
            tie: state.tie,
        }
    }
}

/// A key of any policy: numbers that ascend as its keys do.
pub type Precedence = [u64; 3];

/// What a policy's keys rest on; for keys that are a precedence, with the numbers that they are compared by
/// where policies are treated alike.
#[derive(Clone, Copy, Debug)]
pub enum KeyBasis<K> {
    /// Counts of running tasks: a task that starts raises its own stage's key, so that nobody
    /// can be said to hold a core that is due to another.
    Counts,
    /// A precedence that is settled when the stage is submitted: an order of arrival or a deadline.
    Submission(fn(K) -> Precedence),
    /// A precedence that running tasks do not change, but later events of the same user may. The
    /// stages of a job keep their order among themselves.
    Precedence(fn(K) -> Precedence),
}

/// Something to be done with a type of ranked policy that is known only from its
/// [`PolicyKind`](super::PolicyKind).
pub trait RankedVisitor {
    /// The result.
    type Output;
    /// Does it.
    fn visit<P: RankedPolicy + 'static>(self) -> Self::Output;
}

/// The adapter between a [`RankedPolicy`] and the engine. `Q` is how the waiting stages are kept: the policy's own
/// queue unless another is chosen, which changes how long a simulation takes and nothing else.
///
/// ```
/// use fairlane::engine::simulate_policy;
/// use fairlane::policy::queue::Scan;
/// use fairlane::policy::{Ranked, uwfq::Uwfq};
/// use fairlane::scenario::Mode;
/// let scenario = fairlane::catalog::find("skew").expect("an entry").scenario();
/// let fast = simulate_policy::<Ranked<Uwfq>>(&scenario, Mode::Default)?;
/// let slow = simulate_policy::<Ranked<Uwfq, Scan>>(&scenario, Mode::Default)?;
/// assert_eq!(fast, slow);
/// # Ok::<(), fairlane::policy::PolicyError>(())
/// ```
pub struct Ranked<P: RankedPolicy, Q = <P as RankedPolicy>::Queue> {
    policy: P,
    queue: Q,
    /// Where the queue keeps each stage.
    slots: Vec<Slot>,
    /// Events received.
    events: u32,
    /// Where memory is modelled, instead of the queue.
    fitting: Option<Fitting<P::Key>>,
}

/// The waiting stages where a task may not fit a free core. An offer round goes by the keys at its start (docs/model.md
/// section 8).
struct Fitting<K> {
    /// By key; by user if [`RankedPolicy::BY_USER`], else in one group.
    stages: ByMemory<K>,
    /// The users by the key of one of their stages, if [`RankedPolicy::BY_USER`].
    users: Option<GroupKeys<K>>,
    /// Stages that have launched tasks since their keys were computed.
    launched: Vec<StageIndex>,
    /// By user, for [`KeyBasis::Precedence`]: the waiting stages, and some that no longer wait.
    of_user: Vec<Vec<StageIndex>>,
}

impl<K: Ord + Copy> Fitting<K> {
    fn new<P: RankedPolicy<Key = K>>(view: &View) -> Self {
        let users = if P::BY_USER { view.scenario().users().len() as u32 } else { 1 };
        let group = |stage| if P::BY_USER { view.stage(stage).user().0 } else { 0 };
        Fitting {
            stages: ByMemory::new(view, users, &group),
            users: P::BY_USER.then(|| GroupKeys::new(view, users)),
            launched: Vec::new(),
            of_user: vec![Vec::new(); view.scenario().users().len()],
        }
    }

    /// Tasks of a stage have been launched or have ended, or its key has changed otherwise.
    fn update<P: RankedPolicy<Key = K>>(&mut self, policy: &P, stage: StageIndex, view: &View) {
        let candidate = view.candidate(stage);
        if view.stage(stage).pending() == 0 {
            self.stages.clear(stage);
        } else {
            let user_running = if P::BY_USER { 0 } else { candidate.user_running };
            self.stages.set(stage, policy.key(&Candidate { user_running, ..candidate }));
        }
        if let Some(users) = &mut self.users {
            let user = candidate.user.0;
            users.set(user, self.stages.least_of(user), policy.key(&candidate));
        }
    }

    /// Updates what the last offer round has launched.
    fn end_round<P: RankedPolicy<Key = K>>(&mut self, policy: &P, view: &View) {
        for stage in std::mem::take(&mut self.launched) {
            self.update(policy, stage, view);
        }
    }

    /// A stage is submitted: its key is new, and those of its user's other stages may be.
    fn push<P: RankedPolicy<Key = K>>(&mut self, policy: &mut P, stage: StageIndex, view: &View) {
        self.end_round(policy, view);
        self.update(policy, stage, view);
        if !matches!(P::BASIS, KeyBasis::Precedence(_)) {
            return;
        }
        let user = view.stage(stage).user();
        let stages = &mut self.of_user[user.index()];
        stages.push(stage);
        if policy.take_moved(user) {
            stages.retain(|&other| view.stage(other).is_submitted() && view.stage(other).pending() > 0);
            let keys: Vec<_> =
                stages.iter().map(|&other| (other, policy.key(&view.candidate(other)))).collect();
            self.stages.set_all(&keys);
        }
    }

    /// A task was launched: the keys stay until the round ends.
    fn task_launched(&mut self, stage: StageIndex, view: &View) {
        if self.launched.last() != Some(&stage) {
            self.launched.push(stage);
        }
        if view.stage(stage).pending() > 0 {
            return;
        }
        self.stages.clear(stage);
        let user = view.stage(stage).user().0;
        if let Some(users) = &mut self.users
            && let Some(key) = users.get(user)
        {
            users.set(user, self.stages.least_of(user), key);
        }
    }

    /// The first stage of which a task fits a free core.
    fn first(&self, view: &View) -> Option<StageIndex> {
        let most = view.largest_free_memory()?;
        let group = match &self.users {
            Some(users) => users.first(self.stages.fitting(most))?,
            None => 0,
        };
        self.stages.first_of(group, most)
    }
}

impl<P: RankedPolicy, Q: ReadyQueue<P>> Ranked<P, Q> {
    /// A policy that has received no event, with a queue of its own.
    pub fn with(policy: P, queue: Q) -> Self {
        Ranked { policy, queue, slots: Vec::new(), events: 0, fitting: None }
    }

    fn count_event(&mut self) -> u32 {
        self.events += 1;
        self.events - 1
    }
}

impl<P: RankedPolicy + 'static, Q: ReadyQueue<P>> Policy for Ranked<P, Q> {
    type Explainer = P::Reference;

    fn info() -> &'static Info {
        P::info()
    }

    fn new(context: &Context) -> Self {
        Ranked::with(P::new(context), Q::new(context))
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        let (job, event) = (view.job(job), self.count_event());
        let arriving = ArrivingJob { rank: job.rank(), user: job.user(), estimate: job.estimate(), event };
        self.policy.job_arrived(view.now(), &arriving);
        Admission::Start
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        let (seen, event) = (view.stage(stage), self.count_event());
        let estimate = seen.estimate();
        let submitted = SubmittedStage {
            rank: seen.job(),
            user: seen.user(),
            id: seen.id(),
            estimate,
            role: if seen.is_root() { Role::Root } else { Role::Child },
            unsubmitted: view.job(seen.job()).unsubmitted() + estimate,
            event,
        };
        self.policy.stage_submitted(view.now(), &submitted);
        if view.models_memory() {
            let fitting = self.fitting.get_or_insert_with(|| Fitting::new::<P>(view));
            return fitting.push(&mut self.policy, stage, view);
        }
        let slot = self.queue.push(&mut self.policy, stage, &view.candidate(stage));
        if self.slots.is_empty() {
            self.slots = vec![Slot::default(); view.stages() as usize];
        }
        self.slots[stage.index()] = slot;
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        if let Some(fitting) = &mut self.fitting {
            return fitting.task_launched(launch.stage, view);
        }
        let stage = view.stage(launch.stage);
        let slot = self.slots[launch.stage.index()];
        let waits = stage.pending() > 0;
        if !waits {
            self.queue.remove(&mut self.policy, slot, &view.candidate(launch.stage));
        }
        self.queue.update(waits.then_some(slot), stage.user(), stage.running(), view);
    }

    fn task_ended(&mut self, launch: Launch, view: &View) {
        if let Some(fitting) = &mut self.fitting {
            fitting.end_round(&self.policy, view);
            return fitting.update(&self.policy, launch.stage, view);
        }
        let stage = view.stage(launch.stage);
        let slot = (stage.pending() > 0).then(|| self.slots[launch.stage.index()]);
        self.queue.update(slot, stage.user(), stage.running(), view);
    }

    fn job_ended(&mut self, _: Rank, _: &View, _: &mut Actions) {
        self.count_event();
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let stage = match &self.fitting {
            Some(fitting) => fitting.first(view)?,
            None => self.queue.first(&self.policy)?,
        };
        Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
    }

    fn start_log(&mut self) {
        self.policy.start_log();
    }

    fn finish_log(&mut self) -> PolicyLog {
        self.policy.finish_log()
    }

    fn visit_ranked<V: RankedVisitor>(visitor: V) -> Option<V::Output> {
        Some(visitor.visit::<P>())
    }
}
