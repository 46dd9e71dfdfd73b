//! Section 14: executors that come and go.

use super::setting::DynamicAllocation;
use super::state::Core;
use super::{Kind, Setting, Simulation};

/// Between ticks.
const TICK: u64 = 100_000;

/// An executor that is there.
#[derive(Clone, Copy)]
pub struct Executor {
    joined: u64,
    /// When its last task ended, or when it joined; means nothing while a task runs.
    idle_since: u64,
    /// One that is not takes no tasks, and leaves without any.
    pub wanted: bool,
}

/// What dynamic allocation remembers.
pub struct Allocation {
    target: u64,
    add: u64,
    due: Option<u64>,
    /// Whether a stage has been submitted.
    submitted: bool,
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
    let executor = Executor { joined: 0, idle_since: 0, wanted: true };
    (0..all).map(|number| Some(executor).filter(|_| number < present)).collect()
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

    /// The event [`Kind::Executors`] with its order: an entry of `executors_at`, or an executor joins.
    pub(super) fn executors_change(&mut self, order: u64) {
        match &self.state.setting.executors_at {
            Some(entries) => self.want(entries[order as usize].1 as usize),
            None => {
                let least = self.state.executors.iter().position(Option::is_none).unwrap();
                self.join(least);
            }
        }
        self.offer_round(None);
    }

    /// The executors 0 .. n-1 are wanted, and no others.
    fn want(&mut self, n: usize) {
        for number in 0..self.state.executors.len() {
            if number < n && self.state.executors[number].is_none() {
                self.join(number);
            }
            if let Some(executor) = &mut self.state.executors[number] {
                executor.wanted = number < n;
            }
            self.leave_if_unwanted(number);
        }
    }

    fn join(&mut self, number: usize) {
        let now = self.state.now;
        self.state.executors[number] = Some(Executor { joined: now, idle_since: now, wanted: true });
        for core in self.cores_of(number) {
            self.state.cores[core] = Core::default();
        }
    }

    fn leave(&mut self, number: usize) {
        let executor = self.state.executors[number].take().unwrap();
        self.outcome.executors.push([number as u64, executor.joined, self.state.now]);
    }

    fn leave_if_unwanted(&mut self, number: usize) {
        let wanted = self.state.executors[number].is_none_or(|executor| executor.wanted);
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

    /// Those still there end with the last job; holdings of no length are left out.
    pub(super) fn executors_leave_at_the_end(&mut self) {
        for number in 0..self.state.executors.len() {
            if self.state.executors[number].is_some() {
                self.leave(number);
            }
        }
        let executors = &mut self.outcome.executors;
        let setting = self.state.setting;
        if setting.executors_at.is_none() && setting.dynamic_allocation.is_none() {
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

    /// "Backlog": a stage is submitted.
    pub(super) fn notice_backlog(&mut self) {
        if let (Some(allocation), Some(parameters)) =
            (&mut self.allocation, &self.state.setting.dynamic_allocation)
        {
            allocation.submitted = true;
            if allocation.due.is_none() {
                allocation.due = Some(self.state.now + parameters.backlog);
            }
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
        let pending: usize =
            self.state.waiting().iter().map(|&(job, stage)| self.state.pending(job, stage)).sum();
        let running = self.state.cores.iter().filter(|core| core.runs.is_some()).count();
        let needed = ((pending + running) as u64).div_ceil(self.state.setting.cores_per_executor);
        let Allocation { target, add, due, submitted, found_idle } = self.allocation.as_mut().unwrap();
        if !*submitted && !*found_idle {
            return;
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
            let starts = simulation.events.iter().filter(|event| event.kind == Kind::Executors);
            starts.map(|event| event.order).collect::<Vec<u64>>()
        };
        while starting(self).len() as u64 > target.saturating_sub(present) {
            let latest = starting(self).into_iter().max().unwrap();
            self.events.retain(|event| event.kind != Kind::Executors || event.order != latest);
        }
        while present + (starting(self).len() as u64) < target {
            self.schedule(self.state.now + parameters.start, Kind::Executors, self.started, 0, 0);
            self.started += 1;
        }
    }

    /// Step 3.
    fn remove_idle(&mut self, parameters: &DynamicAllocation) {
        let now = self.state.now;
        for number in 0..self.state.executors.len() {
            let Some(executor) = self.state.executors[number] else { continue };
            if self.is_busy(number) || now - executor.idle_since < parameters.idle {
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
