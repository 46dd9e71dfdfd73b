//! Places: which task of a stage goes to which core, where tasks prefer executors, start together or have second
//! attempts (docs/model.md sections 20, 22 and 24).

use std::collections::{BTreeMap, BTreeSet};

use super::Engine;
use super::attempts::Placed;
use crate::ids::{CoreId, StageIndex};
use crate::policy::attempts::{Level, Locality, StageAttempts};
use crate::policy::explain::Key;
use crate::policy::{KeyOrder, Launch, OfferCause, Placement, Policy, View};
use crate::scenario::Stage;
use crate::units::Time;

/// What a stage waits for although cores are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceWait {
    /// An executor that its tasks prefer, until an instant at the latest.
    Executor {
        /// From then on they go anywhere.
        until: Time,
    },
    /// A free core of an executor that may take its tasks: one of its resource profile, not excluded.
    Limits,
    /// So many cores that are free together: it is a barrier stage.
    Cores(u32),
}

/// What a waiting stage waits for besides its turn: executors that it prefers, or cores for all its tasks at once.
pub(crate) fn place_wait(view: &View, stage: StageIndex) -> Option<PlaceWait> {
    let attempts = view.attempts_of(stage)?;
    if attempts.is_barrier {
        let memory = view.state(stage).memory;
        let taking = (0..view.executors()).filter(|&executor| view.takes(executor, stage));
        let fitting = taking.map(|executor| {
            let by_memory = view.free_memory_of(executor).and_then(|free| free.checked_div(memory));
            u64::from(view.free_cores_of(executor)).min(by_memory.unwrap_or(u64::MAX))
        });
        let tasks = attempts.pending.len();
        return (fitting.sum::<u64>() < tasks.into()).then_some(PlaceWait::Cores(tasks));
    }
    let takes = |core| view.takes(view.executor_of(core), stage);
    if view.free_cores() > 0 && !view.every_free_core().any(takes) {
        return Some(PlaceWait::Limits);
    }
    let Locality { reset, .. } = attempts.locality?;
    let until = reset + view.scenario().cluster().locality_wait;
    (!is_open(view, attempts, &BTreeSet::new())).then_some(PlaceWait::Executor { until })
}

/// Which cores a stage is offered.
#[derive(Clone, Copy)]
pub(super) enum OfferedCores {
    All,
    Executor(u32),
    One(CoreId),
}

/// Whether tasks may go where they do not prefer to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// Once the stage has waited long enough.
    Applies,
    /// At once.
    Skipped,
}

/// A stage's launches in an offer round.
#[derive(Clone, Copy, Default)]
struct Launched {
    any: bool,
    local: bool,
}

/// The tasks of a stage, as the passes look at them.
struct Candidates<'a> {
    spec: &'a Stage,
    tasks: u32,
    attempts: &'a StageAttempts,
    taken: BTreeSet<u32>,
}

/// The passes over the cores: tasks that prefer the executor, tasks without preference, any task.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Preferred,
    Indifferent,
    Any,
}

impl Candidates<'_> {
    /// The first pending task of a pass for an executor.
    fn pending(&self, pass: Pass, executor: u32) -> Option<u32> {
        let pending = &self.attempts.pending;
        let is_left = |task: &u32| !self.taken.contains(task);
        match (pass, self.attempts.locality) {
            (Pass::Preferred, None) => None,
            (Pass::Preferred, Some(_)) => pending.preferring(executor).find(is_left),
            (Pass::Indifferent, Some(_)) => pending.indifferent().find(is_left),
            (Pass::Indifferent, None) | (Pass::Any, _) => pending.iter().find(is_left),
        }
    }

    /// The first marked task of a pass that has never had an attempt on an executor.
    fn marked(&self, pass: Pass, executor: u32) -> Option<u32> {
        let is_of_pass = |task: u32| {
            let preferred = self.spec.preferred_by(task, self.tasks);
            match pass {
                Pass::Preferred => preferred.contains(&executor),
                Pass::Indifferent => preferred.is_empty(),
                Pass::Any => true,
            }
        };
        let is_new =
            |task: u32| !self.taken.contains(&task) && !self.attempts.tried.contains(&(task, executor));
        self.attempts.marks.iter().copied().find(|&task| is_new(task) && is_of_pass(task))
    }
}

/// Whether a stage may launch tasks where they do not prefer to be, of those that are left.
fn is_open(view: &View, attempts: &StageAttempts, taken: &BTreeSet<u32>) -> bool {
    let Some(Locality { level, reset }) = attempts.locality else { return true };
    let wait = view.scenario().cluster().locality_wait;
    if level == Level::Any || view.now() >= reset + wait {
        return true;
    }
    let pending = &attempts.pending;
    let takes_tasks = |executor: &u32| view.cores.is_open(*executor);
    let has_left = |executor: u32| pending.preferring(executor).any(|task| !taken.contains(&task));
    !pending.preferred().filter(takes_tasks).any(has_left)
}

impl<P: Policy + ?Sized> Engine<P>
where
    Box<P>: Clone,
{
    /// The tasks that a stage launches on some of the free cores, at most `limit`; none of a barrier stage unless all
    /// of them can.
    pub(super) fn plan(&self, stage: StageIndex, cores: OfferedCores, limit: u32, wait: Wait) -> Vec<Placed> {
        let view = &self.view;
        let (Some(attempts), state) = (view.attempts_of(stage), view.state(stage)) else { return Vec::new() };
        if attempts.is_barrier && limit < attempts.pending.len() {
            return Vec::new();
        }
        let mut candidates =
            Candidates { spec: view.spec(stage), tasks: state.tasks, attempts, taken: BTreeSet::new() };
        let mut free: Vec<CoreId> = match cores {
            OfferedCores::One(core) => vec![core],
            OfferedCores::All => view.every_free_core().collect(),
            OfferedCores::Executor(executor) => {
                let per_executor = view.cores.per_executor();
                let cores = (executor * per_executor..(executor + 1) * per_executor).map(CoreId);
                cores.filter(|&core| view.is_free(core)).collect()
            }
        };
        free.retain(|&core| view.takes(view.executor_of(core), stage));
        let mut memory: BTreeMap<u32, u64> = BTreeMap::new();
        let mut planned = Vec::new();
        for pass in [Pass::Preferred, Pass::Indifferent, Pass::Any] {
            if pass == Pass::Any && wait == Wait::Applies && !is_open(view, attempts, &candidates.taken) {
                break;
            }
            free.retain(|&core| {
                if planned.len() as u32 >= limit {
                    return true;
                }
                let executor = view.executor_of(core);
                let left = view.free_memory_of(executor).unwrap_or(u64::MAX);
                let left = memory.get(&executor).copied().unwrap_or(left);
                if left < state.memory {
                    return true;
                }
                let pending = candidates.pending(pass, executor);
                let Some(task) = pending.or_else(|| candidates.marked(pass, executor)) else { return true };
                candidates.taken.insert(task);
                memory.insert(executor, left - state.memory);
                let (is_copy, is_local) = (pending.is_none(), pass != Pass::Any);
                planned.push(Placed { task, core, is_copy, is_local });
                false
            });
        }
        if attempts.is_barrier && (planned.len() as u32) < attempts.pending.len() {
            planned.clear();
        }
        planned
    }

    /// How many tasks of a stage the policy lets start.
    fn room(&self, stage: StageIndex) -> u32 {
        let seen = self.view.stage(stage);
        match self.policy.may_launch(seen) {
            true => self.policy.cap(seen).map_or(u32::MAX, |cap| cap.room),
            false => 0,
        }
    }

    /// An offer round in which it matters where tasks run.
    pub(super) fn offer_places(&mut self, cause: OfferCause) {
        match self.policy.key_order(&self.view) {
            KeyOrder::EachRound => self.offer_places_by_rank(),
            KeyOrder::EachLaunch => self.offer_places_one_by_one(cause),
        }
    }

    fn waiting_stages(&self) -> Vec<StageIndex> {
        self.view.waiting().map(|stage| stage.index()).collect()
    }

    /// Every stage has its turn, in the order of the keys at the start.
    fn offer_places_by_rank(&mut self) {
        let key = |stage: &StageIndex| self.policy.key(self.view.stage(*stage));
        let mut order: Vec<(Key, StageIndex)> =
            self.waiting_stages().into_iter().map(|stage| (key(&stage), stage)).collect();
        order.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (_, stage) in order {
            if self.view.cores.free() == 0 {
                return;
            }
            let planned = self.plan(stage, OfferedCores::All, self.room(stage), Wait::Applies);
            let launched = self.launch_planned(stage, &planned);
            self.decide_locality(stage, launched);
        }
    }

    /// Before each launch the stage with the least key is found.
    fn offer_places_one_by_one(&mut self, cause: OfferCause) {
        let mut launched: BTreeMap<StageIndex, Launched> = BTreeMap::new();
        let freed = match cause {
            OfferCause::TaskEnd(freed) if self.view.is_free(freed.core) => Some(freed),
            _ => None,
        };
        let mut next = freed.and_then(|freed| self.sticky_plan(freed));
        while let Some((stage, planned)) = next.take().or_else(|| self.first_plan()) {
            let more = self.launch_planned(stage, &planned);
            let before = launched.entry(stage).or_default();
            before.any |= more.any;
            before.local |= more.local;
            if self.view.cores.free() == 0 {
                break;
            }
        }
        for (stage, launched) in launched {
            self.decide_locality(stage, launched);
        }
    }

    /// What goes to a freed core first, under a policy by which cores stay with their job or stage.
    fn sticky_plan(&self, freed: Launch) -> Option<(StageIndex, Vec<Placed>)> {
        let job = self.view.state(freed.stage).rank;
        let stays = |stage: &StageIndex| match self.info.placement {
            Placement::Any | Placement::FirstExecutor => false,
            Placement::SameJob => self.view.state(*stage).rank == job,
            Placement::SameStage => *stage == freed.stage,
        };
        let mut stages = self.waiting_stages();
        stages.retain(|stage| {
            let is_barrier = self.view.attempts_of(*stage).is_some_and(|attempts| attempts.is_barrier);
            stays(stage) && !is_barrier
        });
        self.least_plan(
            stages,
            |stage| self.policy.key(self.view.stage(stage)),
            OfferedCores::One(freed.core),
        )
    }

    /// The stage with the least key of those that can launch something, with what it launches.
    fn first_plan(&self) -> Option<(StageIndex, Vec<Placed>)> {
        if self.info.placement != Placement::FirstExecutor {
            let key = |stage| self.policy.key(self.view.stage(stage));
            return self.least_plan(self.waiting_stages(), key, OfferedCores::All);
        }
        (0..self.view.executors()).find_map(|executor| {
            let core = self.view.first_free_core_of(executor)?;
            let mut stages = self.waiting_stages();
            stages.retain(|stage| self.view.fits(*stage, core));
            let key = |stage| self.policy.key_on(self.view.stage(stage), core);
            self.least_plan(stages, key, OfferedCores::Executor(executor))
        })
    }

    /// The first of some stages, by their keys, that can launch something on some cores, with what it launches: one
    /// task, or all of a barrier stage.
    fn least_plan(
        &self,
        stages: Vec<StageIndex>,
        key: impl Fn(StageIndex) -> Key,
        cores: OfferedCores,
    ) -> Option<(StageIndex, Vec<Placed>)> {
        let mut order: Vec<(Key, StageIndex)> = stages.into_iter().map(|stage| (key(stage), stage)).collect();
        order.sort_by(|(one, _), (other, _)| one.cmp(other));
        order.into_iter().find_map(|(_, stage)| {
            let is_barrier = self.view.attempts_of(stage)?.is_barrier;
            let (cores, limit) = if is_barrier { (OfferedCores::All, u32::MAX) } else { (cores, 1) };
            let planned = self.plan(stage, cores, limit.min(self.room(stage)), Wait::Applies);
            (!planned.is_empty()).then_some((stage, planned))
        })
    }

    fn launch_planned(&mut self, stage: StageIndex, planned: &[Placed]) -> Launched {
        for &placed in planned {
            self.launch_placed(stage, placed);
            self.report_launch(Launch { stage, core: placed.core });
        }
        let local = planned.iter().any(|placed| placed.is_local);
        Launched { any: !planned.is_empty(), local }
    }

    /// A stage has launched tasks in an offer round: its wait begins anew, unless it could have used more cores.
    fn decide_locality(&mut self, stage: StageIndex, launched: Launched) {
        let Some(attempts) = self.view.attempts_of(stage).filter(|attempts| attempts.locality.is_some())
        else {
            return;
        };
        let is_refused = || {
            attempts.pending.len() > 0
                && self.room(stage) > 0
                && self.view.lowest_fitting_core(stage).is_some()
                && !is_open(&self.view, attempts, &BTreeSet::new())
        };
        if !launched.any || is_refused() {
            return;
        }
        let (level, reset) = (if launched.local { Level::Local } else { Level::Any }, self.view.now);
        if let Some(attempts) = &mut self.view.attempts {
            attempts.of_mut(stage).locality = Some(Locality { level, reset });
        }
        self.await_locality(stage);
    }

    /// A stage whose level is local has an offer round once it has waited long enough.
    pub(super) fn await_locality(&mut self, stage: StageIndex) {
        let locality = self.view.attempts_of(stage).and_then(|attempts| attempts.locality);
        if let Some(Locality { level: Level::Local, reset }) = locality {
            let until = reset + self.scenario.cluster().locality_wait;
            self.events.push_locality_over(until, stage);
        }
    }

    /// A stage may have waited long enough.
    pub(super) fn end_locality_wait(&mut self, stage: StageIndex) {
        let (now, wait) = (self.view.now, self.scenario.cluster().locality_wait);
        let is_over = self.view.attempts_of(stage).is_some_and(|attempts| {
            let is_last = |Locality { level, reset }| level == Level::Local && reset + wait == now;
            attempts.pending.len() > 0 && attempts.locality.is_some_and(is_last)
        });
        if is_over {
            self.offer(OfferCause::LocalityWait(stage));
        }
    }

    /// Free cores that tasks are held back from, because they wait for other executors.
    pub(super) fn held_back_cores(&self) -> u64 {
        let is_closed = |stage: &StageIndex| {
            let attempts = self.view.attempts_of(*stage);
            attempts.is_some_and(|attempts| {
                attempts.locality.is_some() && !is_open(&self.view, attempts, &BTreeSet::new())
            })
        };
        let pending: u64 = self
            .waiting_stages()
            .into_iter()
            .filter(is_closed)
            .map(|stage| u64::from(self.view.pending_tasks(stage)))
            .sum();
        pending.min(u64::from(self.view.cores.free()))
    }
}
