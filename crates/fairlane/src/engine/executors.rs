//! Executors that come and go: at given instants, or by Spark's dynamic allocation (docs/model.md section 14).

use std::collections::{BTreeSet, VecDeque};

use super::Engine;
use crate::ids::JobId;
use crate::policy::{OfferCause, Policy};
use crate::scenario::{Cluster, DynamicAllocation, ExecutorBounds};
use crate::trace::ExecutorRun;
use crate::units::{Span, Time};

/// Which executors are there.
#[derive(Clone)]
pub(super) struct Executors {
    states: Vec<ExecutorState>,
    present: u32,
    /// In the order of joining; the ends of those that are there are not known yet.
    runs: Vec<ExecutorRun>,
    /// The next of the cluster's `executors_at`.
    next_change: usize,
    /// How many executors are wanted, the first ones, unless dynamic allocation decides.
    wanted: u32,
    allocation: Option<AllocationManager>,
}

#[derive(Clone, Default)]
struct ExecutorState {
    /// Its run since it joined, by index, while it is there.
    run: Option<u32>,
    running: u32,
    /// When it joined or its last task ended.
    idle_since: Time,
    /// Losses of it that last.
    losses: u32,
    /// The jobs that have not ended of which it holds output.
    outputs: BTreeSet<JobId>,
    /// Whether it holds output of jobs that have ended.
    has_old_output: bool,
}

/// Spark's `ExecutorAllocationManager`.
#[derive(Clone)]
struct AllocationManager {
    rules: DynamicAllocation,
    bounds: ExecutorBounds,
    /// How many executors are wanted.
    target: u32,
    /// How many more the next request asks for.
    add: u32,
    /// When more are requested if tasks still wait.
    due: Option<Time>,
    /// When those that are starting join.
    starting: VecDeque<Time>,
    /// Whether a tick has seen an executor idle for long enough to be removed.
    was_idle: bool,
    last_tick: Option<Time>,
    /// The first tick that may change more than `due` if nothing else happens; `None` if none may.
    next_change: Option<Time>,
}

impl Executors {
    /// `None` if all executors are always there.
    pub(super) fn new(cluster: &Cluster) -> Option<Executors> {
        let allocation = cluster.dynamic_allocation.as_ref().map(|rules| {
            let bounds = rules.bounds(cluster);
            AllocationManager {
                rules: rules.clone(),
                bounds,
                target: bounds.initial,
                add: 1,
                due: None,
                starting: VecDeque::new(),
                was_idle: false,
                last_tick: None,
                next_change: Some(Time::ZERO),
            }
        });
        cluster.is_elastic().then(|| Executors {
            states: vec![ExecutorState::default(); cluster.executors as usize],
            present: 0,
            runs: Vec::new(),
            next_change: 0,
            wanted: cluster.executors,
            allocation,
        })
    }

    /// A task was launched on an executor.
    pub(super) fn task_launched(&mut self, executor: u32) {
        self.states[executor as usize].running += 1;
    }

    /// A task has ended on an executor, which leaves if it is closed and that was its last.
    pub(super) fn task_ended(&mut self, executor: u32, is_open: bool, now: Time) {
        let state = &mut self.states[executor as usize];
        state.running -= 1;
        state.idle_since = now;
        if state.running == 0 && !is_open {
            self.leave(executor, now);
        }
    }

    fn join(&mut self, executor: u32, now: Time) {
        self.present += 1;
        let run = Some(self.runs.len() as u32);
        let losses = self.states[executor as usize].losses;
        self.states[executor as usize] =
            ExecutorState { run, losses, idle_since: now, ..ExecutorState::default() };
        self.runs.push(ExecutorRun { executor, from: now, to: now });
    }

    /// An executor leaves with all output that it holds, if it is there.
    pub(super) fn leave(&mut self, executor: u32, now: Time) {
        let state = &mut self.states[executor as usize];
        if let Some(run) = state.run.take() {
            (state.outputs, state.has_old_output) = (BTreeSet::new(), false);
            self.runs[run as usize].to = now;
            self.present -= 1;
        }
    }

    /// The stay of an executor that is there, by its place among all stays.
    pub(super) fn stay(&self, executor: u32) -> u32 {
        self.states[executor as usize].run.unwrap_or(0)
    }

    /// A loss of an executor begins; the stay that it ends.
    pub(super) fn begin_loss(&mut self, executor: u32) -> Option<u32> {
        let state = &mut self.states[executor as usize];
        state.losses += u32::from(self.allocation.is_none());
        state.run
    }

    /// A loss of an executor ends; whether it joins again.
    fn end_loss(&mut self, executor: u32) -> bool {
        self.states[executor as usize].losses -= 1;
        executor < self.wanted && self.may_join(executor)
    }

    fn may_join(&self, executor: u32) -> bool {
        let state = &self.states[executor as usize];
        state.run.is_none() && state.losses == 0
    }

    /// A task of a job has ended on an executor, and other stages read its output.
    pub(super) fn hold_output(&mut self, executor: u32, job: JobId) {
        if self.allocation.as_ref().is_some_and(|manager| manager.rules.shuffle_tracking) {
            self.states[executor as usize].outputs.insert(job);
        }
    }

    /// A job has ended, however it did.
    pub(super) fn job_ended(&mut self, job: JobId) {
        for state in &mut self.states {
            state.has_old_output |= state.outputs.remove(&job);
        }
    }

    fn is_present(&self, executor: u32) -> bool {
        self.states[executor as usize].run.is_some()
    }

    /// A stage is submitted, a task returns or a slow one is marked.
    pub(super) fn notice_backlog(&mut self, now: Time) {
        if let Some(manager) = &mut self.allocation {
            manager.due.get_or_insert(now + manager.rules.backlog);
        }
    }

    /// No task waits.
    pub(super) fn nothing_waits(&mut self) {
        if let Some(manager) = &mut self.allocation {
            (manager.due, manager.add) = (None, 1);
        }
    }

    /// When which executors were there, if the simulation ends at an instant.
    pub(super) fn into_runs(mut self, end: Time) -> Vec<ExecutorRun> {
        self.states.iter().filter_map(|state| state.run).for_each(|run| self.runs[run as usize].to = end);
        self.runs.retain(|run| run.from < run.to);
        self.runs.sort_by_key(|run| (run.from, run.executor));
        self.runs
    }
}

impl AllocationManager {
    /// The first instant of a tick that is not before `at` and after the last one.
    fn tick_from(&self, at: Time) -> Time {
        let period = DynamicAllocation::TICK.0;
        let after_last = self.last_tick.map_or(0, |last| last.0 + period);
        Time(after_last.max(at.0.div_ceil(period) * period))
    }

    /// How long an executor has to be idle before it leaves; `None` for ever.
    fn idle_limit(&self, state: &ExecutorState) -> Option<Span> {
        match (state.outputs.is_empty(), state.has_old_output) {
            (false, _) => None,
            (true, true) => self.rules.shuffle_timeout,
            (true, false) => Some(self.rules.idle),
        }
    }

    /// The instant from which on an executor may leave, if nothing happens before.
    fn idle_until(&self, state: &ExecutorState) -> Option<Time> {
        let is_idle = state.run.is_some() && state.running == 0;
        Some(state.idle_since + self.idle_limit(state).filter(|_| is_idle)?)
    }

    /// Changes the target: `needed` executors suffice for all tasks.
    fn retarget(&mut self, now: Time, present: u32, needed: u64) {
        let ExecutorBounds { min, max, .. } = self.bounds;
        if needed < u64::from(self.target) {
            self.target = min.max(needed as u32);
            self.add = 1;
        } else if self.due.is_some_and(|due| now >= due) {
            let before = self.target;
            if before < max {
                let more = self.target.max(present).saturating_add(self.add);
                self.target = min.max((u64::from(more.min(max)).min(needed)) as u32);
            }
            let doubles = before < max && self.target - before == self.add;
            self.add = if doubles { self.add.saturating_mul(2) } else { 1 };
            self.due = Some(now + self.sustained());
        }
    }

    /// From one request to the next.
    fn sustained(&self) -> Span {
        self.rules.sustained.unwrap_or(self.rules.backlog)
    }

    /// Passes over the ticks before an instant that change nothing but when more executors are requested: one at that
    /// instant and each a whole number of ticks after the one before.
    fn pass_ticks(&mut self, before: Time) {
        let Some(due) = self.due else { return };
        let (first, period) = (self.tick_from(due), DynamicAllocation::TICK.0);
        if first < before {
            let distance = (self.sustained().0.div_ceil(period) * period).max(period);
            let last = Time(first.0 + (before.0 - 1 - first.0) / distance * distance);
            (self.last_tick, self.due) = (Some(last), Some(last + self.sustained()));
        }
    }
}

impl<P: Policy + ?Sized> Engine<P>
where
    Box<P>: Clone,
{
    /// Brings the executors into the state of the start.
    pub(super) fn start_executors(&mut self) {
        let Some(executors) = &mut self.executors else { return };
        let cluster = self.scenario.cluster();
        let changes = &cluster.executors_at;
        let first = match &executors.allocation {
            Some(manager) => {
                self.events.set_allocation(Some(Time::ZERO));
                manager.bounds.initial
            }
            None if changes.first().is_some_and(|&(at, _)| at == Time::ZERO) => {
                executors.next_change = 1;
                executors.wanted = changes[0].1;
                changes[0].1
            }
            None => cluster.executors,
        };
        changes[executors.next_change..].iter().for_each(|&(at, _)| self.events.push_executors(at));
        for executor in 0..cluster.executors {
            self.view.cores.set_open(executor, executor < first);
            if executor < first {
                executors.join(executor, Time::ZERO);
            }
        }
    }

    /// The number of wanted executors changes, or one joins.
    pub(super) fn change_executors(&mut self) {
        let Some(executors) = &mut self.executors else { return };
        let now = self.view.now;
        if let Some(manager) = &mut executors.allocation {
            manager.starting.pop_front();
            let all = 0..executors.states.len() as u32;
            if let Some(executor) = all.into_iter().find(|&executor| !executors.is_present(executor)) {
                self.join(executor);
            }
        } else {
            let (_, wanted) = self.scenario.cluster().executors_at[executors.next_change];
            executors.next_change += 1;
            executors.wanted = wanted;
            for executor in 0..executors.states.len() as u32 {
                let Some(executors) = &mut self.executors else { return };
                if executor < wanted && executors.may_join(executor) {
                    self.join(executor);
                } else if executors.is_present(executor) {
                    self.view.cores.set_open(executor, executor < wanted);
                    if executor >= wanted && executors.states[executor as usize].running == 0 {
                        executors.leave(executor, now);
                    }
                }
            }
        }
        self.count_owned();
        self.offer(OfferCause::Executors);
    }

    /// A loss of an executor ends: it is there again, with new cores, if it is wanted and no other loss of it lasts.
    pub(super) fn return_executor(&mut self, executor: u32) {
        if self.executors.as_mut().is_some_and(|executors| executors.end_loss(executor)) {
            self.join(executor);
        }
    }

    fn join(&mut self, executor: u32) {
        let Some(executors) = &mut self.executors else { return };
        executors.join(executor, self.view.now);
        self.view.cores.set_open(executor, true);
        if let Some(costs) = &mut self.costs {
            let cores = self.scenario.cluster().cores_per_executor;
            costs.forget(executor * cores..(executor + 1) * cores);
        }
        if let Some(belonging) = &mut self.belonging {
            belonging.forget(self.view.cores_of(executor));
        }
    }

    /// Tasks of submitted stages, running or not, and marked ones, which may run twice.
    fn needed_executors(&self) -> u64 {
        let tasks: u64 =
            self.view.users.iter().map(|user| u64::from(user.running) + u64::from(user.pending)).sum();
        let marks = self.view.attempts.as_ref().map_or(0, |attempts| attempts.marks);
        (tasks + u64::from(marks)).div_ceil(self.scenario.cluster().cores_per_executor.into())
    }

    /// Dynamic allocation looks at the executors.
    pub(super) fn allocate(&mut self) {
        let (now, needed) = (self.view.now, self.needed_executors());
        let Some(executors) = &mut self.executors else { return };
        let Executors { states, present, allocation: Some(manager), .. } = executors else { return };
        manager.last_tick = Some(now);
        let count = |manager: &AllocationManager| (manager.target, manager.add, manager.starting.len());
        let (before, due, was_idle, were_present) = (count(manager), manager.due, manager.was_idle, *present);
        if self.submitted > 0 || manager.was_idle {
            // Tasks wait that came back while their stage waited for its parents, and nothing else will make a backlog.
            let stalls = needed > 0 && self.view.cores.busy() == 0 && !self.events.has_others_than_ticks();
            if stalls {
                manager.due.get_or_insert(now);
            }
            manager.retarget(now, *present, needed);
        }
        let missing = manager.target.saturating_sub(*present) as usize;
        while manager.starting.len() > missing {
            manager.starting.pop_back();
            self.events.cancel_executors();
        }
        while manager.starting.len() < missing {
            let at = now + manager.rules.start;
            manager.starting.push_back(at);
            self.events.push_executors(at);
        }
        let least = manager.bounds.min.max(manager.target);
        let has_been_idle: Vec<u32> = (0..)
            .zip(&*states)
            .filter(|(_, state)| manager.idle_until(state).is_some_and(|until| until <= now))
            .map(|(executor, _)| executor)
            .collect();
        manager.was_idle |= !has_been_idle.is_empty();
        for executor in has_been_idle {
            if executors.present > least {
                executors.leave(executor, now);
                self.view.cores.set_open(executor, false);
            }
        }
        let Executors { states, present, allocation: Some(manager), .. } = executors else { return };
        // Without a change the next tick does nothing either, until time or an event has changed something.
        let is_settled = (count(manager), manager.was_idle, *present) == (before, was_idle, were_present);
        let idle = states.iter().filter_map(|state| manager.idle_until(state));
        let next = if is_settled { idle.filter(|&at| at > now).min() } else { Some(now) };
        manager.next_change = next.map(|at| manager.tick_from(at));
        // Gifts at the end of this instant may change what the next tick finds.
        let gives = self.belonging.as_ref().is_some_and(|belonging| belonging.has_jobs(&self.view));
        if is_settled && manager.due != due && !gives {
            let events = self.events.next_but_ticks().into_iter().chain(self.events.next_tick());
            if let Some(before) = events.chain(manager.next_change).min() {
                manager.pass_ticks(before);
            }
        }
        let is_due_later = |&at: &Time| at > now || manager.due != due;
        let request = manager.due.filter(is_due_later).map(|due| manager.tick_from(due));
        let next = manager.next_change.into_iter().chain(request).min();
        if self.can_go_on() || self.events.next_tick().is_some() {
            self.events.set_allocation(next);
        }
        self.count_owned();
    }

    /// When dynamic allocation may change which executors there are, if nothing else happens.
    pub(super) fn next_allocation(&self) -> Option<Time> {
        let manager = self.executors.as_ref()?.allocation.as_ref()?;
        let due = manager.due.filter(|_| self.requests_executors(manager));
        manager.next_change.into_iter().chain(due.map(|due| manager.tick_from(due))).min()
    }

    /// Whether dynamic allocation requests more executors once a request is due.
    fn requests_executors(&self, manager: &AllocationManager) -> bool {
        manager.target < manager.bounds.max && u64::from(manager.target) < self.needed_executors()
    }

    /// Whether an executor that is wanted is not there, as it was lost: the next tick of dynamic allocation starts another.
    fn misses_executors(&self, manager: &AllocationManager, present: u32) -> bool {
        u64::from(manager.target).min(self.needed_executors()) > u64::from(present)
    }

    /// Something has happened: dynamic allocation has to look again, at an instant or later.
    pub(super) fn wake_allocation(&mut self, at: Time) {
        let Some(Executors { allocation: Some(manager), .. }) = &mut self.executors else { return };
        if self.open_jobs > 0 {
            let next = manager.tick_from(at);
            manager.next_change = Some(next);
            self.events.advance_allocation(next);
        }
    }

    /// Whether anything but ticks can still happen.
    pub(super) fn can_go_on(&self) -> bool {
        let grows = |executors: &Executors| {
            let is_wanting = |manager: &AllocationManager| {
                self.requests_executors(manager) || self.misses_executors(manager, executors.present)
            };
            executors.allocation.as_ref().is_some_and(is_wanting)
        };
        self.view.cores.busy() > 0
            || self.events.has_others_than_ticks()
            || self.executors.as_ref().is_some_and(grows)
    }
}
