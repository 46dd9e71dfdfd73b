//! What policies can see: the cluster, the jobs and their stages at the instant of a decision.
//!
//! The engine owns the [`View`] and changes it; a policy gets it by shared reference.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::parameters::default_deadline;
use super::{Info, Launch, PolicyId, PolicyKind};
use crate::bits::BitSet;
use crate::ids::{CoreId, JobId, Rank, StageIndex, UserId};
use crate::scenario::{self, Scenario};
use crate::units::{Span, Time};

pub(crate) mod attempts;
mod cores;
mod job;
mod stage;

pub(crate) use job::JobState;
pub use job::{JobPhase, JobView};
pub(crate) use stage::StageState;
pub use stage::StageView;

use attempts::Attempts;
use cores::Cores;

/// The state of a simulation at the instant of a decision.
///
/// ```
/// use fairlane::policy::{Launch, View};
/// /// A task of the submitted stage with the most pending tasks, on the first free core.
/// fn largest(view: &View) -> Option<Launch> {
///     let stage = view.waiting().max_by_key(|stage| stage.pending())?.index();
///     Some(Launch { stage, core: view.lowest_free_core()? })
/// }
/// ```
#[derive(Clone)]
pub struct View {
    scenario: Scenario,
    mode: scenario::PartitionMode,
    info: &'static Info,
    /// What [`View::response_alone`] asks: the engine.
    alone: AloneModel,
    /// The instant of the last event.
    pub(crate) now: Time,
    pub(crate) cores: Cores,
    /// Those that have arrived, in the order of arrival.
    pub(crate) jobs: Vec<JobState>,
    /// Those of the jobs that have arrived, job by job, so that an index is the global id less the cluster's first one.
    pub(crate) stages: Vec<StageState>,
    /// The counts of users, indexed by [`UserId`].
    pub(crate) users: Vec<TaskCounts>,
    /// Submitted stages with pending tasks.
    waiting: BitSet,
    waiting_count: u32,
    /// Whether the offer round is of one core or one stage.
    is_single: bool,
    /// Tasks that may have several attempts; `None` where every task has one that ends by itself or with its job.
    pub(crate) attempts: Option<Box<Attempts>>,
    /// In other rounds: the stages in the order of their keys at its start.
    round: RefCell<Option<Vec<StageIndex>>>,
}

/// Answers about a job alone.
#[derive(Clone, Copy)]
pub(crate) struct AloneModel {
    pub(crate) response: fn(&Scenario, JobId, PolicyId, Option<u32>) -> Option<Span>,
    pub(crate) gains_by_cores: fn(&Scenario, JobId, PolicyId) -> bool,
}

/// How many tasks of a job or user run and wait.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TaskCounts {
    /// Tasks on a core.
    pub(crate) running: u32,
    /// Tasks of submitted stages that are not launched.
    pub(crate) pending: u32,
    /// Memory that those on a core hold, in MB.
    pub(crate) memory: u64,
}

impl View {
    pub(crate) fn new(
        scenario: &Scenario,
        mode: scenario::PartitionMode,
        info: &'static Info,
        alone: AloneModel,
    ) -> View {
        View {
            scenario: scenario.clone(),
            mode,
            info,
            alone,
            now: Time::ZERO,
            cores: Cores::new(scenario.cluster()),
            jobs: Vec::with_capacity(scenario.jobs().len()),
            stages: Vec::new(),
            users: vec![TaskCounts::default(); scenario.users().len()],
            waiting: BitSet::new(scenario.jobs().iter().map(|job| job.stages.len()).sum()),
            waiting_count: 0,
            is_single: true,
            attempts: Attempts::new(scenario),
            round: RefCell::default(),
        }
    }

    /// A job arrives, which it did at an instant.
    pub(crate) fn push(&mut self, job: JobId, arrival: Time) -> Rank {
        let spec = &self.scenario.jobs()[job.index()];
        let (rank, first_stage) = (Rank(self.jobs.len() as u32), self.stages.len() as u32);
        self.jobs.push(JobState {
            job,
            arrival,
            first_stage,
            phase: JobPhase::Waiting,
            cancelled: false,
            open_stages: spec.stages.len() as u32,
            tasks: TaskCounts::default(),
            free_cores: 0,
            unsubmitted: spec.stages.iter().map(|stage| stage.estimate).sum(),
            children: spec.children().into(),
        });
        for (index, stage) in (0..).zip(&spec.stages) {
            let tasks = self.scenario.partitioning().task_count(stage, self.mode);
            let tasks = u32::try_from(tasks).expect("a checked scenario has fewer than 2^32 tasks");
            self.stages.push(StageState {
                rank,
                job,
                user: spec.user,
                index,
                tasks,
                pending: tasks,
                running: 0,
                finished: 0,
                submitted: false,
                submission: 0,
                open_parents: stage.parents.len() as u32,
                attained: 0,
                memory: stage.memory,
                durations: None,
            });
        }
        if let Some(attempts) = &mut self.attempts {
            attempts.push(spec.stages.len());
        }
        rank
    }

    /// What the policy declares of itself.
    pub fn info(&self) -> &'static Info {
        self.info
    }

    /// What is simulated.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The instant.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Number of cores R.
    pub fn cores(&self) -> u32 {
        self.cores.count()
    }

    /// Number of free cores. The cores of executors that are not there are not free.
    pub fn free_cores(&self) -> u32 {
        self.cores.free()
    }

    /// Whether a core is free.
    pub fn is_free(&self, core: CoreId) -> bool {
        self.cores.is_free(core)
    }

    /// The free core with the lowest number.
    pub fn lowest_free_core(&self) -> Option<CoreId> {
        self.cores.lowest()
    }

    /// Number of executors.
    pub fn executors(&self) -> u32 {
        self.scenario.cluster().executors
    }

    /// The executor that a core belongs to.
    pub fn executor_of(&self, core: CoreId) -> u32 {
        core.0 / self.scenario.cluster().cores_per_executor
    }

    /// The numbers of an executor's cores.
    pub(crate) fn cores_of(&self, executor: u32) -> std::ops::Range<u32> {
        let cores = self.scenario.cluster().cores_per_executor;
        executor * cores..(executor + 1) * cores
    }

    /// The free cores, ascending.
    pub fn every_free_core(&self) -> impl Iterator<Item = CoreId> + '_ {
        self.cores.every_free()
    }

    /// Whether tasks hold memory (the cluster has `memory_mb_per_executor`).
    pub fn models_memory(&self) -> bool {
        self.cores.memory().is_some()
    }

    /// Free memory of an executor in MB; `None` if memory is not modelled.
    pub fn free_memory_of(&self, executor: u32) -> Option<u64> {
        self.cores.memory().map(|memory| memory.free(executor))
    }

    /// The lowest-numbered free core of an executor.
    pub(crate) fn first_free_core_of(&self, executor: u32) -> Option<CoreId> {
        let cores = self.scenario.cluster().cores_per_executor;
        (executor * cores..(executor + 1) * cores).map(CoreId).find(|&core| self.is_free(core))
    }

    /// Number of free cores of an executor.
    pub fn free_cores_of(&self, executor: u32) -> u32 {
        self.cores_of(executor).filter(|&core| self.is_free(CoreId(core))).count() as u32
    }

    /// Whether a core is free and its executor takes tasks of a stage and has the memory for one.
    pub fn fits(&self, stage: StageIndex, core: CoreId) -> bool {
        self.is_free(core)
            && self.cores.has_memory(core, self.state(stage).memory)
            && self.takes(self.executor_of(core), stage)
    }

    /// The lowest-numbered free core that a task of a stage fits. O(log executors) where memory is modelled, unless the
    /// stage may use some executors only.
    pub fn lowest_fitting_core(&self, stage: StageIndex) -> Option<CoreId> {
        if self.attempts_of(stage).is_some_and(|attempts| attempts.is_limited) {
            return self.every_free_core().find(|&core| self.fits(stage, core));
        }
        self.cores.lowest_with(self.state(stage).memory)
    }

    /// The lowest-numbered free core whose executor has some memory free. O(log executors) where memory is modelled.
    pub fn lowest_core_with(&self, memory: u64) -> Option<CoreId> {
        self.cores.lowest_with(memory)
    }

    /// The most memory that a free core offers, in MB: a stage that needs more fits nowhere now. `None` if no core is
    /// free; the largest number if memory is not modelled.
    pub fn largest_free_memory(&self) -> Option<u64> {
        self.cores.largest_free_memory()
    }

    /// Number of jobs that have arrived.
    pub fn jobs(&self) -> u32 {
        self.jobs.len() as u32
    }

    /// A job by its rank of arrival.
    pub fn job(&self, rank: Rank) -> JobView<'_> {
        JobView { view: self, rank, state: &self.jobs[rank.index()] }
    }

    /// Number of stages of the jobs that have arrived.
    pub fn stages(&self) -> u32 {
        self.stages.len() as u32
    }

    /// The submitted stages with pending tasks, by rank of arrival and stage id.
    pub fn waiting(&self) -> impl Iterator<Item = StageView<'_>> {
        self.waiting.iter().map(|stage| self.stage(StageIndex(stage)))
    }

    /// The next task of the stage with the least key, of those that may launch one and fit a free core, on the
    /// lowest-numbered one.
    pub fn first<K: Ord>(
        &self,
        may_launch: impl Fn(StageView) -> bool,
        key: impl Fn(StageView) -> K,
    ) -> Option<Launch> {
        let most = self.largest_free_memory()?;
        let fitting = self.waiting().filter(|&stage| stage.memory() <= most && may_launch(stage));
        let stage = fitting.min_by_key(|&stage| key(stage))?.index();
        Some(Launch { stage, core: self.lowest_fitting_core(stage)? })
    }

    /// Whether this offer round is of one core or one stage, and every task fits every core: then the keys at its
    /// start are those of each of its launches.
    pub fn has_simple_round(&self) -> bool {
        self.is_single && !self.models_memory()
    }

    /// As [`View::first`], by the keys at the start of the offer round, as Spark's `TaskSchedulerImpl.resourceOffers`
    /// sorts its task sets once.
    pub fn first_of_round<K: Ord>(
        &self,
        may_launch: impl Fn(StageView) -> bool,
        key: impl Fn(StageView) -> K,
    ) -> Option<Launch> {
        if self.is_single {
            return self.first(may_launch, key);
        }
        self.first_in_order(may_launch, || {
            let mut order: Vec<(K, StageIndex)> =
                self.waiting().map(|stage| (key(stage), stage.index())).collect();
            order.sort_by(|(one, _), (other, _)| one.cmp(other));
            order.into_iter().map(|(_, stage)| stage).collect()
        })
    }

    /// As [`View::first_of_round`], of a policy that has the waiting stages in their order at the start of a round.
    pub fn first_in_order(
        &self,
        may_launch: impl Fn(StageView) -> bool,
        order: impl FnOnce() -> Vec<StageIndex>,
    ) -> Option<Launch> {
        let mut round = self.round.borrow_mut();
        if self.is_single {
            *round = None;
        }
        let order = round.get_or_insert_with(order);
        order.retain(|&stage| self.state(stage).pending > 0);
        let most = self.largest_free_memory()?;
        let fits = |&stage: &StageIndex| self.state(stage).memory <= most && may_launch(self.stage(stage));
        let stage = order.iter().copied().find(fits)?;
        Some(Launch { stage, core: self.lowest_fitting_core(stage)? })
    }

    /// A stage.
    pub fn stage(&self, stage: StageIndex) -> StageView<'_> {
        StageView { view: self, stage, state: self.state(stage) }
    }

    /// Tasks of a user that hold a core.
    pub fn user_running(&self, user: UserId) -> u32 {
        self.users[user.index()].running
    }

    /// Memory that a user's tasks hold, in MB; 0 if memory is not modelled.
    pub fn user_memory(&self, user: UserId) -> u64 {
        if self.models_memory() { self.users[user.index()].memory } else { 0 }
    }

    /// Tasks of a user's submitted stages that are not launched.
    pub fn user_pending(&self, user: UserId) -> u32 {
        self.users[user.index()].pending
    }

    /// Response time of a job alone under a registered policy, with the partitioning of this simulation, on the idle
    /// cluster or on one executor with a number of cores; `None` if it does not even finish alone. It is simulated at
    /// each call.
    pub fn response_alone(&self, job: Rank, policy: PolicyKind, cores: Option<u32>) -> Option<Span> {
        let policy = PolicyId { kind: policy, partitioning: self.mode };
        (self.alone.response)(&self.scenario, self.job(job).id(), policy, cores)
    }

    /// Whether a job alone surely responds no later with more cores of one executor.
    pub(crate) fn gains_by_cores(&self, job: Rank, policy: PolicyKind) -> bool {
        let policy = PolicyId { kind: policy, partitioning: self.mode };
        (self.alone.gains_by_cores)(&self.scenario, self.job(job).id(), policy)
    }

    /// How long after its arrival a job is due (docs/model.md section 10): as the scenario gives it, else its response
    /// alone under FIFO times the deadline factor. Simulated at each call in the second case.
    pub fn deadline(&self, job: Rank) -> Span {
        self.job(job).spec().deadline.unwrap_or_else(|| {
            let response = self.response_alone(job, PolicyKind::Fifo, None);
            default_deadline(&self.scenario, response.unwrap_or_default())
        })
    }

    /// The jobs with waiting stages.
    pub(crate) fn waiting_jobs(&self) -> BTreeSet<JobId> {
        self.waiting().map(|stage| stage.job_view().id()).collect()
    }

    /// Number of submitted stages with pending tasks.
    pub(crate) fn waiting_count(&self) -> u32 {
        self.waiting_count
    }

    /// Whether a pending task fits a free core.
    pub(crate) fn some_fits(&self) -> bool {
        let most = self.largest_free_memory();
        most.is_some_and(|most| self.waiting().any(|stage| stage.memory() <= most))
    }

    /// An offer round starts.
    pub(crate) fn start_round(&mut self) {
        self.is_single = self.waiting_count == 1 || self.cores.free() == 1;
        if !self.is_single {
            *self.round.get_mut() = None;
        }
    }

    /// A stage is submitted.
    pub(crate) fn start_waiting(&mut self, stage: StageIndex) {
        self.waiting.insert(stage.0);
        self.waiting_count += 1;
        let StageState { rank, user, tasks, .. } = self.stages[stage.index()];
        self.jobs[rank.index()].tasks.pending += tasks;
        self.users[user.index()].pending += tasks;
    }

    /// A submitted stage has no pending tasks any more: the last was launched, or its job was dropped.
    pub(crate) fn stop_waiting(&mut self, stage: StageIndex) {
        let StageState { rank, user, ref mut pending, .. } = self.stages[stage.index()];
        let left = std::mem::take(pending);
        if left > 0 {
            self.jobs[rank.index()].tasks.pending -= left;
            self.users[user.index()].pending -= left;
        }
        if self.waiting.contains(stage.0) {
            self.waiting.remove(stage.0);
            self.waiting_count -= 1;
        }
    }

    pub(crate) fn state(&self, stage: StageIndex) -> &StageState {
        &self.stages[stage.index()]
    }

    pub(crate) fn spec(&self, stage: StageIndex) -> &scenario::Stage {
        let state = self.state(stage);
        &self.scenario.jobs()[state.job.index()].stages[state.index as usize]
    }
}
