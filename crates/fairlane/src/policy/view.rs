//! What policies can see: the cluster, the jobs and their stages at the instant of a decision.
//!
//! The engine owns the [`View`] and changes it; a policy gets it by shared reference.

use crate::ids::{CoreId, JobId, Rank, StageId, StageIndex, UserId};
use crate::policy::parameters::default_deadline;
use crate::policy::{self, PolicyId, PolicyKind};
use crate::scenario::{self, Scenario};
use crate::units::{SlotTime, Span, Time};

mod cores;
mod waiting;

use cores::Cores;
use waiting::Waiting;

/// The state of a simulation at the instant of a decision.
///
/// ```
/// use fairlane::policy::{Launch, View};
/// /// A task of the submitted stage with the most pending tasks, on the first free core.
/// fn largest(view: &View) -> Option<Launch> {
///     let stages = (0..view.jobs()).flat_map(|rank| view.job(fairlane::ids::Rank(rank)).stages());
///     let waiting = stages.filter(|stage| stage.is_submitted() && stage.pending() > 0);
///     let stage = waiting.max_by_key(|stage| stage.pending())?.index();
///     Some(Launch { stage, core: view.lowest_free_core()? })
/// }
/// ```
pub struct View<'a> {
    pub(crate) scenario: &'a Scenario,
    mode: scenario::Mode,
    /// What [`View::response_alone`] asks: the engine.
    pub(crate) alone: Alone,
    /// The instant of the last event.
    pub(crate) now: Time,
    pub(crate) cores: Cores,
    /// In the order of arrival.
    pub(crate) jobs: Vec<JobState>,
    /// Job by job in the order of arrival, so that an index is the global id less the cluster's first one.
    pub(crate) stages: Vec<StageState>,
    /// Tasks on cores, by user.
    pub(crate) user_running: Vec<u32>,
    waiting: Waiting,
}

/// Answers about a job alone.
#[derive(Clone, Copy)]
pub(crate) struct Alone {
    pub(crate) response: fn(&Scenario, JobId, PolicyId, Option<u32>) -> Option<Span>,
    pub(crate) gains_by_cores: fn(&Scenario, JobId, PolicyId) -> bool,
}

/// Where a job is between its arrival and its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It has not arrived.
    Expected,
    /// It has arrived; the policy has not started it.
    Waiting,
    /// It has been started: its stages are submitted as their parents end.
    Started,
    /// It has finished or was dropped or rejected.
    Ended,
}

pub(crate) struct JobState {
    pub(crate) job: JobId,
    /// Index of its first stage.
    pub(crate) first_stage: u32,
    pub(crate) phase: Phase,
    /// Stages that have not ended.
    pub(crate) open_stages: u32,
    /// Estimated work of the stages not yet submitted.
    pub(crate) unsubmitted: SlotTime,
}

pub(crate) struct StageState {
    pub(crate) rank: Rank,
    pub(crate) job: JobId,
    pub(crate) user: UserId,
    /// Index in its job.
    pub(crate) index: u32,
    pub(crate) tasks: u32,
    pub(crate) launched: u32,
    pub(crate) running: u32,
    pub(crate) finished: u32,
    pub(crate) submitted: bool,
    /// How many stages were submitted before it, once it has been.
    pub(crate) submission: u32,
    pub(crate) open_parents: u32,
    /// Core time of the ended tasks less the launch instants of the running ones, modulo 2^64.
    pub(crate) attained: u64,
    /// Its position among stages of equal running counts, smallest first.
    pub(crate) tie: u64,
    /// Memory that each task holds, in MB.
    pub(crate) memory: u64,
    /// Durations of the tasks, from submission until the last is launched.
    pub(crate) durations: Vec<Span>,
    /// Positions in the job of the stages that need this one to end first, ascending.
    pub(crate) children: Vec<u32>,
}

impl StageState {
    pub(crate) fn pending(&self) -> u32 {
        self.tasks - self.launched
    }
}

impl<'a> View<'a> {
    pub(crate) fn new(scenario: &'a Scenario, mode: scenario::Mode) -> View<'a> {
        let cluster = &scenario.cluster();
        let mut view = View {
            scenario,
            mode,
            alone: Alone { response: |_, _, _, _| None, gains_by_cores: |_, _, _| false },
            now: Time::ZERO,
            cores: Cores::new(cluster),
            jobs: Vec::with_capacity(scenario.jobs().len()),
            stages: Vec::new(),
            user_running: vec![0; scenario.users().len()],
            waiting: Waiting::default(),
        };
        for (rank, job) in (0..).map(Rank).zip(scenario.arrival_order()) {
            let spec = &scenario.jobs()[job.index()];
            let first_stage = view.stages.len() as u32;
            view.jobs.push(JobState {
                job,
                first_stage,
                phase: Phase::Expected,
                open_stages: spec.stages.len() as u32,
                unsubmitted: spec.stages.iter().map(|stage| stage.estimate).sum(),
            });
            for ((index, stage), children) in (0..).zip(&spec.stages).zip(spec.children()) {
                let tasks = scenario.partitioning().task_count(stage, mode);
                let id = StageId(cluster.first_stage_id + view.stages.len() as u64);
                view.stages.push(StageState {
                    rank,
                    job,
                    user: spec.user,
                    index,
                    tasks: u32::try_from(tasks).expect("a checked scenario has fewer than 2^32 tasks"),
                    launched: 0,
                    running: 0,
                    finished: 0,
                    submitted: false,
                    submission: 0,
                    open_parents: stage.parents.len() as u32,
                    attained: 0,
                    tie: policy::tie(cluster.fair_tie_break, id),
                    memory: stage.memory,
                    durations: Vec::new(),
                    children,
                });
            }
        }
        let memory = view.models_memory().then(|| view.stages.iter().map(|stage| stage.memory).collect());
        view.waiting = Waiting::new(memory);
        view
    }

    /// What is simulated.
    pub fn scenario(&self) -> &'a Scenario {
        self.scenario
    }

    /// The instant.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Number of cores R.
    pub fn cores(&self) -> u32 {
        self.cores.count()
    }

    /// Number of free cores.
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

    /// Whether tasks hold memory (the cluster has `memory_mb_per_executor`).
    pub fn models_memory(&self) -> bool {
        self.cores.memory().is_some()
    }

    /// Free memory of an executor in MB; `None` if memory is not modelled.
    pub fn free_memory_of(&self, executor: u32) -> Option<u64> {
        self.cores.memory().map(|memory| memory.free(executor))
    }

    /// Number of tasks on an executor; `None` if memory is not modelled.
    pub fn running_on(&self, executor: u32) -> Option<u32> {
        self.cores.memory().map(|memory| memory.tasks(executor))
    }

    /// Whether a core is free and its executor has the memory for a task of a stage.
    pub fn fits(&self, stage: StageIndex, core: CoreId) -> bool {
        self.is_free(core) && self.cores.has_memory(core, self.state(stage).memory)
    }

    /// The lowest-numbered free core that a task of a stage fits. O(log executors) where memory is modelled.
    pub fn lowest_fitting_core(&self, stage: StageIndex) -> Option<CoreId> {
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

    /// Number of jobs that have arrived or will.
    pub fn jobs(&self) -> u32 {
        self.jobs.len() as u32
    }

    /// A job by its rank of arrival.
    pub fn job(&self, rank: Rank) -> JobView<'_> {
        JobView { view: self, rank, state: &self.jobs[rank.index()] }
    }

    /// Number of stages of all jobs.
    pub fn stages(&self) -> u32 {
        self.stages.len() as u32
    }

    /// A stage.
    pub fn stage(&self, stage: StageIndex) -> StageView<'_> {
        StageView { view: self, stage, state: self.state(stage) }
    }

    /// Tasks of a user that hold a core.
    pub fn user_running(&self, user: UserId) -> u32 {
        self.user_running[user.index()]
    }

    /// Response time of a job alone under a registered policy, with the partitioning of this simulation, on the idle
    /// cluster or on one executor with a number of cores; `None` if it does not even finish alone. It is simulated at each
    /// call.
    pub fn response_alone(&self, job: Rank, policy: PolicyKind, cores: Option<u32>) -> Option<Span> {
        let policy = PolicyId { kind: policy, partitioning: self.mode };
        (self.alone.response)(self.scenario, self.job(job).id(), policy, cores)
    }

    /// Whether a job alone surely responds no later with more cores of one executor.
    pub(crate) fn gains_by_cores(&self, job: Rank, policy: PolicyKind) -> bool {
        let policy = PolicyId { kind: policy, partitioning: self.mode };
        (self.alone.gains_by_cores)(self.scenario, self.job(job).id(), policy)
    }

    /// How long after its arrival a job is due (docs/model.md section 10): as the scenario gives it, else its response
    /// alone under FIFO times the deadline factor. Simulated at each call in the second case.
    pub fn deadline(&self, job: Rank) -> Span {
        self.job(job).spec().deadline.unwrap_or_else(|| {
            let response = self.response_alone(job, PolicyKind::Fifo, None);
            default_deadline(self.scenario, response.unwrap_or_default())
        })
    }

    /// Number of submitted stages with pending tasks.
    pub(crate) fn waiting(&self) -> u32 {
        self.waiting.count()
    }

    /// The least memory that a pending task of a submitted stage needs; `None` if there is none.
    pub(crate) fn least_waiting_memory(&self) -> Option<u64> {
        self.waiting.least_memory()
    }

    /// A stage was submitted.
    pub(crate) fn start_waiting(&mut self, stage: StageIndex) {
        self.waiting.insert(stage);
    }

    /// A submitted stage's last pending task was launched, or its job was dropped.
    pub(crate) fn stop_waiting(&mut self, stage: StageIndex) {
        self.waiting.remove(stage);
    }

    pub(crate) fn state(&self, stage: StageIndex) -> &StageState {
        &self.stages[stage.index()]
    }

    pub(crate) fn spec(&self, stage: StageIndex) -> &'a scenario::Stage {
        let state = self.state(stage);
        &self.scenario.jobs()[state.job.index()].stages[state.index as usize]
    }
}

/// A job as policies see it.
#[derive(Clone, Copy)]
pub struct JobView<'a> {
    view: &'a View<'a>,
    rank: Rank,
    state: &'a JobState,
}

impl<'a> JobView<'a> {
    /// Its index in the scenario file.
    pub fn id(&self) -> JobId {
        self.state.job
    }

    /// Its index in the order of arrival.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// As the scenario gives it.
    pub fn spec(&self) -> &'a scenario::Job {
        &self.view.scenario.jobs()[self.state.job.index()]
    }

    /// Who submits it.
    pub fn user(&self) -> UserId {
        self.spec().user
    }

    /// When it arrives.
    pub fn arrival(&self) -> Time {
        self.spec().arrival
    }

    /// Its estimated work (the UWFQ paper's L).
    pub fn estimate(&self) -> SlotTime {
        self.spec().estimate
    }

    /// Where it is between its arrival and its end.
    pub fn phase(&self) -> Phase {
        self.state.phase
    }

    /// Estimated work of its stages that are not yet submitted.
    pub fn unsubmitted(&self) -> SlotTime {
        self.state.unsubmitted
    }

    /// Its stages, in file order.
    pub fn stages(&self) -> impl ExactSizeIterator<Item = StageView<'a>> + use<'a> {
        let (view, first) = (self.view, self.state.first_stage as usize);
        (first..first + self.spec().stages.len()).map(move |index| view.stage(StageIndex(index as u32)))
    }

    /// Its stage at a position in file order.
    pub fn stage(&self, position: u32) -> StageIndex {
        StageIndex(self.state.first_stage + position)
    }

    /// Its tasks that hold a core. O(stages of the job).
    pub fn running(&self) -> u32 {
        self.stages().map(|stage| stage.running()).sum()
    }

    /// Tasks of its submitted stages that are not launched. O(stages of the job).
    pub fn pending(&self) -> u32 {
        self.stages().filter(StageView::is_submitted).map(|stage| stage.pending()).sum()
    }

    /// Core time that its tasks have held so far, in core-µs. O(stages of the job).
    pub fn attained(&self) -> SlotTime {
        self.stages().map(|stage| stage.attained()).sum()
    }

    /// The largest number of tasks of its stages (ALLOCATION's m; docs/model.md section 9).
    pub fn parallelism(&self) -> u32 {
        self.stages().map(|stage| stage.tasks()).max().unwrap_or(0)
    }
}

/// A stage as policies see it.
#[derive(Clone, Copy)]
pub struct StageView<'a> {
    view: &'a View<'a>,
    stage: StageIndex,
    state: &'a StageState,
}

impl<'a> StageView<'a> {
    /// Its index.
    pub fn index(&self) -> StageIndex {
        self.stage
    }

    /// Its global number.
    pub fn id(&self) -> StageId {
        StageId(self.view.scenario.cluster().first_stage_id + u64::from(self.stage.0))
    }

    /// Its position in its job, in file order.
    pub fn position(&self) -> u32 {
        self.state.index
    }

    /// As the scenario gives it.
    pub fn spec(&self) -> &'a scenario::Stage {
        self.view.spec(self.stage)
    }

    /// The rank of its job.
    pub fn job(&self) -> Rank {
        self.state.rank
    }

    /// Who submitted its job.
    pub fn user(&self) -> UserId {
        self.state.user
    }

    /// Its estimated work.
    pub fn estimate(&self) -> SlotTime {
        self.spec().estimate
    }

    /// Whether it has parents.
    pub fn is_root(&self) -> bool {
        self.spec().parents.is_empty()
    }

    /// Whether it has been submitted.
    pub fn is_submitted(&self) -> bool {
        self.state.submitted
    }

    /// How many stages were submitted before it, once it has been.
    pub fn submission(&self) -> u32 {
        self.state.submission
    }

    /// Its tasks.
    pub fn tasks(&self) -> u32 {
        self.state.tasks
    }

    /// Its tasks that are not launched.
    pub fn pending(&self) -> u32 {
        self.state.pending()
    }

    /// Its tasks that hold a core.
    pub fn running(&self) -> u32 {
        self.state.running
    }

    /// Core time that its tasks have held so far, in core-µs.
    pub fn attained(&self) -> SlotTime {
        let running = u64::from(self.state.running).wrapping_mul(self.view.now.0);
        SlotTime(self.state.attained.wrapping_add(running))
    }

    /// Memory that each of its tasks holds, in MB.
    pub fn memory(&self) -> u64 {
        self.state.memory
    }

    /// Its position among stages of equal running counts under Spark's fair comparison, smallest first.
    pub fn tie(&self) -> u64 {
        self.state.tie
    }
}
