//! Section 14: executors that come and go.

use super::setting::DynamicAllocation;
use super::state::Core;
use super::{Event, Kind, Setting, Simulation};
use std::collections::BTreeSet;

/// Between ticks.
const TICK: u64 = 100_000;

/// An executor that is there.
#[derive(Clone)]
pub struct Executor {
    joined: u64,
    /// When its last task ended, or when it joined; means nothing while a task runs.
    idle_since: u64,
    /// One that is not takes no tasks, and leaves without any.
    pub wanted: bool,
    /// Which of all stays of executors this is.
    pub stay: u64,
    /// Section 25: the jobs that have not ended of which it holds output, and whether it holds that of others.
    outputs: BTreeSet<usize>,
    has_old_output: bool,
}

impl Executor {
    fn new(joined: u64, stay: u64) -> Executor {
        Executor {
            joined,
            idle_since: joined,
            wanted: true,
            stay,
            outputs: BTreeSet::new(),
            has_old_output: false,
        }
    }
}

/// What dynamic allocation remembers.
pub struct Allocation {
    target: u64,
    add: u64,
    due: Option<u64>,
    /// Whether a stage has been submitted.
    pub submitted: bool,
    /// Whether a tick has found an executor idle for `idle_s`.
    found_idle: bool,
}

impl Allocation {
    pub fn new(parameters: &DynamicAllocation) -> Allocation {
        Allocation { target: parameters.initial, add: 1, due: None, submitted: false, found_idle: false }
    }
}

/// The executors that are there at 0.
pub fn present_at_start(setting: &Setting) -> Vec<Option<Executor>> {
    let all = setting.cores / setting.cores_per_executor;
    let present = match (&setting.executors_at, &setting.dynamic_allocation) {
        (Some(entries), _) if entries[0].0 == 0 => entries[0].1,
        (_, Some(parameters)) => parameters.initial,
        _ => all,
    };
    (0..all).map(|number| Some(Executor::new(0, number)).filter(|_| number < present)).collect()
}

impl Simulation<'_> {
    pub(super) fn schedule_executors(&mut self) {
        let setting = self.state.setting;
        for (place, &(at, _)) in setting.executors_at.iter().flatten().enumerate() {
            if at > 0 {
                self.schedule(at, Kind::Executors, place as u64, 0, 0);
            }
        }
        if setting.dynamic_allocation.is_some() {
            self.schedule(0, Kind::Tick, 0, 0, 0);
        }
    }

    /// The event [`Kind::Executors`] with its order, an entry of `executors_at`, or [`Kind::Join`].
    pub(super) fn executors_change(&mut self, kind: Kind, order: u64) {
        match &self.state.setting.executors_at {
            Some(entries) if kind == Kind::Executors => self.want(entries[order as usize].1 as usize),
            _ => {
                let least = self.state.executors.iter().position(Option::is_none).unwrap();
                self.join(least);
            }
        }
        self.offer_round(None);
    }

    /// The executors 0 .. n-1 are wanted, and no others.
    fn want(&mut self, n: usize) {
        for number in 0..self.state.executors.len() {
            if number < n && self.state.executors[number].is_none() && !self.is_lost(number) {
                self.join(number);
            }
            if let Some(executor) = &mut self.state.executors[number] {
                executor.wanted = number < n;
            }
            self.leave_if_unwanted(number);
        }
    }

    fn join(&mut self, number: usize) {
        self.state.executors[number] = Some(Executor::new(self.state.now, self.stays));
        self.stays += 1;
        for core in self.cores_of(number) {
            self.state.cores[core] = Core::default();
        }
    }

    /// A loss of an executor begins.
    pub(super) fn note_loss(&mut self, number: usize) {
        self.losses[number] += 1;
    }

    /// A loss of an executor is over.
    pub(super) fn loss_is_over(&mut self, number: usize) {
        self.losses[number] -= 1;
        let entries = self.state.setting.executors_at.iter().flatten();
        // Kinds at one instant: that entry has been before.
        let wanted = entries.rev().find(|(at, _)| *at <= self.state.now);
        let is_wanted = wanted.is_none_or(|&(_, n)| (number as u64) < n);
        if is_wanted && !self.is_lost(number) && self.state.executors[number].is_none() {
            self.join(number);
        }
    }

    /// An executor leaves with all that it holds.
    pub(super) fn leave_now(&mut self, number: usize) {
        // Its last attempt may have been what it waited for.
        if self.state.executors[number].is_some() {
            self.leave(number);
        }
    }

    /// Section 25: an attempt ended a task of a job on an executor.
    pub(super) fn holds_output(&mut self, number: usize, job: usize) {
        self.state.executors[number].as_mut().unwrap().outputs.insert(job);
    }

    /// Section 25: a job has ended.
    pub(super) fn forget_outputs(&mut self, job: usize) {
        for executor in self.state.executors.iter_mut().flatten() {
            executor.has_old_output |= executor.outputs.remove(&job);
        }
    }

    /// Whether an executor has been idle for long enough to leave.
    fn has_been_idle(&self, number: usize, parameters: &DynamicAllocation) -> bool {
        let Some(executor) = &self.state.executors[number] else { return false };
        let least = match parameters.shuffle_tracking {
            true if !executor.outputs.is_empty() => None,
            true if executor.has_old_output => parameters.shuffle_timeout,
            _ => Some(parameters.idle),
        };
        !self.is_busy(number) && least.is_some_and(|least| self.state.now - executor.idle_since >= least)
    }

    fn leave(&mut self, number: usize) {
        let executor = self.state.executors[number].take().unwrap();
        self.outcome.executors.push([number as u64, executor.joined, self.state.now]);
    }

    fn leave_if_unwanted(&mut self, number: usize) {
        let wanted = self.state.executors[number].as_ref().is_none_or(|executor| executor.wanted);
        if !wanted && !self.is_busy(number) {
            self.leave(number);
        }
    }

    /// A core's task ends or is dropped.
    pub(super) fn task_leaves(&mut self, core: usize) {
        self.state.cores[core].runs = None;
        let number = core / self.state.setting.cores_per_executor as usize;
        self.state.executors[number].as_mut().unwrap().idle_since = self.state.now;
        self.leave_if_unwanted(number);
    }

    /// Whether a loss of an executor lasts.
    fn is_lost(&self, number: usize) -> bool {
        self.losses[number] > 0
    }

    /// Those still there end with the last job or attempt; holdings of no length are left out.
    pub(super) fn executors_leave_at_the_end(&mut self) {
        // The last job may end later than its tasks (section 13), an attempt of a cancelled one after it.
        let ends = self.outcome.ends.iter().map(|(_, end)| *end);
        self.state.now = ends.chain(self.state.lines.iter().map(|line| line[5])).max().unwrap_or(0);
        for number in 0..self.state.executors.len() {
            if self.state.executors[number].is_some() {
                self.leave(number);
            }
        }
        let executors = &mut self.outcome.executors;
        let setting = self.state.setting;
        let stay = setting.executors_at.is_none() && setting.dynamic_allocation.is_none();
        if stay && setting.losses.is_empty() {
            executors.clear();
        }
        executors.retain(|[_, from, to]| from < to);
        executors.sort_by_key(|&[number, from, _]| (from, number));
    }

    fn cores_of(&self, number: usize) -> std::ops::Range<usize> {
        let c = self.state.setting.cores_per_executor as usize;
        number * c..(number + 1) * c
    }

    fn is_busy(&self, number: usize) -> bool {
        self.cores_of(number).any(|core| self.state.cores[core].runs.is_some())
    }

    fn present(&self) -> u64 {
        self.state.executors.iter().flatten().count() as u64
    }

    /// "Backlog": a stage is submitted, a task returns or is marked.
    pub(super) fn notice_backlog(&mut self) {
        if let (Some(allocation), Some(parameters)) =
            (&mut self.allocation, &self.state.setting.dynamic_allocation)
            && allocation.due.is_none()
        {
            allocation.due = Some(self.state.now + parameters.backlog);
        }
    }

    /// "Backlog": no submitted stage has a pending task after an offer round.
    pub(super) fn forget_backlog(&mut self) {
        if let Some(allocation) = &mut self.allocation {
            allocation.due = None;
            allocation.add = 1;
        }
    }

    /// "Ticks".
    pub(super) fn tick(&mut self) {
        let parameters = self.state.setting.dynamic_allocation.as_ref().unwrap();
        self.schedule(self.state.now + TICK, Kind::Tick, 0, 0, 0);
        self.set_target(parameters);
        self.start_or_cancel(parameters);
        self.remove_idle(parameters);
    }

    /// Step 1.
    fn set_target(&mut self, parameters: &DynamicAllocation) {
        let (now, present) = (self.state.now, self.present());
        let pending: usize = self
            .state
            .waiting()
            .iter()
            .map(|&(job, stage)| self.state.pending(job, stage) + self.state.marks(job, stage))
            .sum();
        let running = self.state.cores.iter().filter(|core| core.runs.is_some()).count();
        let needed = ((pending + running) as u64).div_ceil(self.state.setting.cores_per_executor);
        let recurs = |event: &Event| {
            matches!(event.kind, Kind::Tick | Kind::Speculation | Kind::Preemption | Kind::PeriodEnd)
        };
        let stalls = needed > 0 && running == 0 && self.events.iter().all(recurs);
        let Allocation { target, add, due, submitted, found_idle } = self.allocation.as_mut().unwrap();
        if !*submitted && !*found_idle {
            return;
        }
        if stalls {
            due.get_or_insert(now);
        }
        if needed < *target {
            *target = needed.max(parameters.min);
            *add = 1;
        } else if due.is_some_and(|due| now >= due) {
            if *target >= parameters.max {
                *add = 1;
            } else {
                let old = *target;
                let least = ((*target).max(present) + *add).min(needed).min(parameters.max);
                *target = least.max(parameters.min);
                *add = if *target - old == *add { *add * 2 } else { 1 };
            }
            *due = Some(now + parameters.sustained);
        }
    }

    /// Step 2.
    fn start_or_cancel(&mut self, parameters: &DynamicAllocation) {
        let (target, present) = (self.allocation.as_ref().unwrap().target, self.present());
        let starting = |simulation: &Self| {
            let starts = simulation.events.iter().filter(|event| event.kind == Kind::Join);
            starts.map(|event| event.order).collect::<Vec<u64>>()
        };
        while starting(self).len() as u64 > target.saturating_sub(present) {
            let latest = starting(self).into_iter().max().unwrap();
            self.events.retain(|event| event.kind != Kind::Join || event.order != latest);
        }
        while present + (starting(self).len() as u64) < target {
            self.schedule(self.state.now + parameters.start, Kind::Join, self.started, 0, 0);
            self.started += 1;
        }
    }

    /// Step 3.
    fn remove_idle(&mut self, parameters: &DynamicAllocation) {
        for number in 0..self.state.executors.len() {
            if !self.has_been_idle(number, parameters) {
                continue;
            }
            let present = self.present();
            let allocation = self.allocation.as_mut().unwrap();
            allocation.found_idle = true;
            let least = parameters.min.max(allocation.target);
            if present > least {
                self.leave(number);
            }
        }
    }
}
