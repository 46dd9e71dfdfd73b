//! The event queue: the least (time, kind, order) is next.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::rc::Rc;

use crate::ids::{CoreId, JobId, Rank, StageIndex};
use crate::scenario::Scenario;
use crate::tournament::{self, Tournament};
use crate::units::{Span, Time};

/// Something that happens at an instant. Stages are named by their index in the engine's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A task ends and frees its core.
    TaskFinish { run: RunningTask, core: CoreId },
    /// The instant of a wake-up that the policy asked for.
    Wake { token: u32 },
    /// A job arrives.
    Arrival { job: JobId },
    /// A stage has waited out the stage delay.
    StageReady { stage: StageIndex },
    /// A stage may have waited long enough for the executors that its tasks prefer.
    LocalityOver { stage: StageIndex },
    /// An executor may take tasks of a stage, or of any, again.
    ExclusionOver,
    /// A job is cancelled unless it has ended.
    Cancellation { rank: Rank },
    /// An executor is lost, or is there again, by index of the loss.
    Loss { loss: u32, is_return: bool },
    /// All attempts are looked at for slow ones.
    Speculation,
    /// All parties are looked at for starving ones.
    Preemption,
    /// The driver has handled a message.
    Driver,
    /// The number of executors that are wanted changes, or one joins.
    Executors,
    /// Dynamic allocation looks at the executors.
    Allocation,
    /// A period of the policy's is over.
    Tick,
}

impl Event {
    /// Which of the ticks of an instant it is, which follow everything else (docs/model.md section 18).
    pub(super) fn tick(self) -> Option<TickKind> {
        match self {
            Event::Allocation => Some(TickKind::Allocation),
            Event::Speculation => Some(TickKind::Speculation),
            Event::Preemption => Some(TickKind::Preemption),
            Event::Tick => Some(TickKind::Policy),
            _ => None,
        }
    }
}

/// Who looks at the cluster at a tick, in the order of one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TickKind {
    Allocation,
    Speculation,
    Preemption,
    Policy,
}

/// A task on a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RunningTask {
    /// Its stage, by index.
    pub(super) stage: u32,
    /// Its index in the trace.
    pub(super) task: u32,
}

/// Kinds of events at one instant, in the order in which they happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EventKind {
    Driver,
    TaskFinish,
    Wake,
    Cancellation,
    /// Executors come and go by the cluster's `executors_at`.
    Executors,
    Loss,
    /// Those of the cluster; what stages have is among what these have waited out.
    Exclusion,
    /// An executor of the dynamic allocation's.
    Join,
    Arrival,
    StageReady,
    Allocation,
    Speculation,
    Preemption,
    Tick,
}

/// What happens only where attempts may be killed.
#[derive(Clone, Default)]
struct RareEvents {
    /// By instant, then by index of the job in the file.
    cancellations: BTreeSet<(Time, JobId, Rank)>,
    /// By instant, then by index of the loss: each before the executor's return.
    losses: BTreeSet<(Time, u32, bool)>,
    /// Ends of exclusions, ascending.
    exclusions: VecDeque<Time>,
    speculation: Option<Time>,
    preemption: Option<Time>,
}

impl RareEvents {
    fn first(&self) -> Option<(Time, EventKind)> {
        let cancellation = self.cancellations.first().map(|&(at, ..)| (at, EventKind::Cancellation));
        let loss = self.losses.first().map(|&(at, ..)| (at, EventKind::Loss));
        let exclusion = self.exclusions.front().map(|&at| (at, EventKind::Exclusion));
        cancellation.into_iter().chain(loss).chain(exclusion).min()
    }

    fn first_look(&self) -> Option<(Time, EventKind)> {
        let looks = [(self.speculation, EventKind::Speculation), (self.preemption, EventKind::Preemption)];
        looks.into_iter().filter_map(|(at, kind)| Some((at?, kind))).min()
    }
}

impl RareEvents {
    fn look(&mut self, look: Look) -> &mut Option<Time> {
        match look {
            Look::Speculation => &mut self.speculation,
            Look::Preemption => &mut self.preemption,
        }
    }
}

/// What a stage has waited out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ReadyKind {
    /// Its delay.
    Delay,
    /// Its wait for the executors that its tasks prefer.
    Locality,
    /// An exclusion of an executor.
    Exclusion,
}

/// A look at the whole cluster at multiples of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Speculation,
    Preemption,
}

/// All future events.
///
/// Each kind has a queue of its own. Most arrivals are known beforehand, so these are in order already. A core runs
/// one task at a time: the next finish is the winner of a tournament between the cores, by (end, order of launch).
#[derive(Clone)]
pub(super) struct Events {
    finishes: Tournament,
    /// Each core's task.
    runs: Vec<RunningTask>,
    /// The core of the task that has ended last. Its key is still in the tournament, because it mostly
    /// gets a new task at once, which then takes one change and not two.
    freed: Option<CoreId>,
    launched: u32,
    /// The jobs and their instants of arrival, in that order.
    arrivals: Rc<[(Time, JobId)]>,
    arrived: usize,
    /// The jobs that follow others that have ended.
    followers: BTreeSet<(Time, JobId)>,
    /// Delayed stages, in the order of time and of their scheduling, and those that wait for executors.
    ready: BTreeSet<(Time, u32, StageIndex, ReadyKind)>,
    /// Delays and waits so far.
    delayed: u32,
    /// When the executors change, ascending.
    executors: VecDeque<Time>,
    /// Whether these are executors that join.
    are_joins: bool,
    rare: Option<Box<RareEvents>>,
    /// When dynamic allocation looks at the executors.
    allocation: Option<Time>,
    wakes: BinaryHeap<Reverse<(Time, u32)>>,
    /// When the driver has handled its message.
    driver: Option<Time>,
    /// The length of the policy's periods.
    period: Option<Span>,
    /// When a period is over.
    tick: Option<Time>,
    /// The next of the events that are not finishes.
    other: Option<(Time, EventKind)>,
}

impl Events {
    pub(super) fn new(scenario: &Scenario, period: Option<Span>) -> Self {
        let arrival = |job: JobId| (scenario.jobs()[job.index()].arrival, job);
        let known = |job: &JobId| scenario.predecessor(*job).is_none();
        let arrivals = scenario.arrival_order().into_iter().filter(known).map(arrival).collect();
        let mut events = Events::with(scenario.cluster().cores(), arrivals, period);
        events.are_joins = scenario.cluster().dynamic_allocation.is_some();
        let exclusions = &scenario.cluster().exclusions;
        if scenario.names_kill_reasons() || !exclusions.is_empty() {
            let mut ends: Vec<Time> =
                exclusions.iter().filter_map(|exclusion| exclusion.end(Time::ZERO)).collect();
            ends.sort_unstable();
            let mut rare = RareEvents { exclusions: ends.into(), ..RareEvents::default() };
            for (index, loss) in (0..).zip(&scenario.cluster().losses) {
                rare.losses.insert((loss.at, index, false));
                rare.losses.extend(loss.back.map(|back| (loss.at + back, index, true)));
            }
            events.rare = Some(Box::new(rare));
            events.find_other();
        }
        events
    }

    fn with(cores: u32, arrivals: Rc<[(Time, JobId)]>, period: Option<Span>) -> Self {
        let mut events = Events {
            finishes: Tournament::new(cores as usize),
            runs: vec![RunningTask::default(); cores as usize],
            freed: None,
            launched: 0,
            arrivals,
            arrived: 0,
            followers: BTreeSet::new(),
            ready: BTreeSet::new(),
            delayed: 0,
            executors: VecDeque::new(),
            are_joins: false,
            rare: None,
            allocation: None,
            wakes: BinaryHeap::new(),
            driver: None,
            period,
            tick: None,
            other: None,
        };
        events.push_tick(Time::ZERO);
        events
    }

    #[inline]
    pub(super) fn push_task_finish(&mut self, end: Time, run: RunningTask, core: CoreId) {
        self.finishes.set(core.0, tournament::key(end.0, self.launched, core.0));
        self.runs[core.index()] = run;
        self.launched += 1;
        if self.freed == Some(core) {
            self.freed = None;
        }
    }

    pub(super) fn push_ready_stage(&mut self, at: Time, stage: StageIndex) {
        self.push_ready(at, stage, ReadyKind::Delay);
    }

    /// A stage waits until an instant for the executors that its tasks prefer.
    pub(super) fn push_locality_over(&mut self, at: Time, stage: StageIndex) {
        self.push_ready(at, stage, ReadyKind::Locality);
    }

    /// An executor takes tasks of a stage again from an instant on.
    pub(super) fn push_exclusion_over(&mut self, at: Time, stage: StageIndex) {
        self.push_ready(at, stage, ReadyKind::Exclusion);
    }

    fn push_ready(&mut self, at: Time, stage: StageIndex, kind: ReadyKind) {
        self.ready.insert((at, self.delayed, stage, kind));
        self.delayed += 1;
        self.find_other();
    }

    /// A job is cancelled then.
    pub(super) fn push_cancellation(&mut self, at: Time, job: JobId, rank: Rank) {
        if let Some(rare) = &mut self.rare {
            rare.cancellations.insert((at, job, rank));
            self.find_other();
        }
    }

    /// When a look is taken next; `None` for never.
    pub(super) fn set_look(&mut self, look: Look, at: Option<Time>) {
        if let Some(rare) = &mut self.rare {
            *rare.look(look) = at;
            self.find_other();
        }
    }

    /// A look is taken at an instant if it would be later or never.
    pub(super) fn advance_look(&mut self, look: Look, at: Time) {
        if let Some(rare) = &mut self.rare
            && rare.look(look).is_none_or(|before| at < before)
        {
            self.set_look(look, Some(at));
        }
    }

    /// A job arrives whose predecessor has ended, or takes it along.
    pub(super) fn push_follower(&mut self, at: Time, job: JobId) {
        self.followers.insert((at, job));
        self.find_other();
    }

    /// The executors change, no earlier than at those instants that were pushed before.
    pub(super) fn push_executors(&mut self, at: Time) {
        self.executors.push_back(at);
        self.find_other();
    }

    /// The latest change of the executors does not happen.
    pub(super) fn cancel_executors(&mut self) {
        self.executors.pop_back();
        self.find_other();
    }

    /// When dynamic allocation looks at the executors next; `None` for never.
    pub(super) fn set_allocation(&mut self, at: Option<Time>) {
        self.allocation = at;
        self.find_other();
    }

    /// Dynamic allocation looks at the executors at an instant if it would do so later or never.
    pub(super) fn advance_allocation(&mut self, at: Time) {
        if self.allocation.is_none_or(|before| at < before) {
            self.set_allocation(Some(at));
        }
    }

    /// All jobs have ended: executors no longer come and go, and nobody looks at attempts.
    pub(super) fn forget_executors(&mut self) {
        self.executors.clear();
        self.rare = None;
        self.set_allocation(None);
    }

    /// Whether something besides ticks and the ends of tasks will happen.
    pub(super) fn has_others_than_ticks(&self) -> bool {
        let is_look = |kind| matches!(kind, EventKind::Speculation | EventKind::Preemption);
        self.others_than_ticks().any(|(_, kind)| !is_look(kind))
    }

    fn others_than_ticks(&self) -> impl Iterator<Item = (Time, EventKind)> {
        let others = self.heads().into_iter().flatten();
        others.filter(|(_, kind)| !matches!(kind, EventKind::Allocation | EventKind::Tick))
    }

    /// The instant of the next event that is no tick.
    pub(super) fn next_but_ticks(&self) -> Option<Time> {
        let running = self.finishes.first().map(tournament::time);
        self.others_than_ticks().map(|(time, _)| time).chain(running).min()
    }

    /// The instant of the policy's next tick.
    pub(super) fn next_tick(&self) -> Option<Time> {
        self.tick
    }

    /// Between two ticks of the policy.
    pub(super) fn period(&self) -> Option<Span> {
        self.period
    }

    pub(super) fn push_wake(&mut self, at: Time, token: u32) {
        self.wakes.push(Reverse((at, token)));
        self.find_other();
    }

    /// The cores with tasks of stages that match, in the order of launch.
    pub(super) fn running(&mut self, matches: impl Fn(StageIndex) -> bool) -> Vec<CoreId> {
        if let Some(core) = self.freed.take() {
            self.finishes.clear(core.0);
        }
        let cores = (0..self.runs.len() as u32).map(CoreId);
        let on_core = cores.filter(|core| self.finishes.get(core.0).is_some());
        let mut running: Vec<CoreId> =
            on_core.filter(|core| matches(StageIndex(self.runs[core.index()].stage))).collect();
        running.sort_unstable_by_key(|core| self.runs[core.index()].task);
        running
    }

    /// The task on a core does not finish.
    pub(super) fn cancel(&mut self, core: CoreId) -> RunningTask {
        self.finishes.clear(core.0);
        self.runs[core.index()]
    }

    /// The driver will have handled its message then; it has one at a time.
    pub(super) fn set_driver(&mut self, done: Time) {
        self.driver = Some(done);
        self.find_other();
    }

    /// A period begins.
    pub(super) fn push_tick(&mut self, now: Time) {
        self.tick = self.period.map(|period| now + period);
        self.find_other();
    }

    /// Periods, of which one ends at every multiple of their length, go on after an instant.
    pub(super) fn resume_ticks(&mut self, now: Time) {
        if let Some(period) = self.period {
            self.push_tick(Time(now.0 - now.0 % period.0));
        }
    }

    /// The end of the period is this many periods later.
    pub(super) fn delay_tick(&mut self, periods: u64) {
        self.tick = self.tick.zip(self.period).map(|(tick, period)| tick + Span(period.0 * periods));
        self.find_other();
    }

    /// The instant of the next event.
    pub(super) fn next_instant(&mut self) -> Option<Time> {
        if let Some(core) = self.freed.take() {
            self.finishes.clear(core.0);
        }
        let finish = self.finishes.first().map(tournament::time);
        finish.into_iter().chain(self.other.map(|(time, _)| time)).min()
    }

    /// The first event of each kind but finishes.
    fn heads(&self) -> [Option<(Time, EventKind)>; 9] {
        [
            self.driver.map(|time| (time, EventKind::Driver)),
            self.wakes.peek().map(|&Reverse((time, _))| (time, EventKind::Wake)),
            self.executors
                .front()
                .map(|&time| (time, if self.are_joins { EventKind::Join } else { EventKind::Executors })),
            self.next_arrival().map(|(time, _)| (time, EventKind::Arrival)),
            self.ready.first().map(|&(time, ..)| (time, EventKind::StageReady)),
            self.allocation.map(|time| (time, EventKind::Allocation)),
            self.tick.map(|time| (time, EventKind::Tick)),
            self.rare.as_ref().and_then(|rare| rare.first()),
            self.rare.as_ref().and_then(|rare| rare.first_look()),
        ]
    }

    /// The first of the arrivals: those known beforehand and those that follow.
    fn next_arrival(&self) -> Option<(Time, JobId)> {
        let known = self.arrivals.get(self.arrived).copied();
        known.into_iter().chain(self.followers.first().copied()).min()
    }

    fn find_other(&mut self) {
        self.other = self.heads().into_iter().flatten().min();
    }

    /// Removes the next event.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(Time, Event)> {
        if let Some(core) = self.freed.take() {
            self.finishes.clear(core.0);
        }
        if let Some(finish) = self.finishes.first() {
            let end = tournament::time(finish);
            if self.other.is_none_or(|other| (end, EventKind::TaskFinish) < other) {
                let core = CoreId(tournament::slot(finish));
                self.freed = Some(core);
                return Some((end, Event::TaskFinish { run: self.runs[core.index()], core }));
            }
        }
        let (time, kind) = self.other?;
        let event = match kind {
            EventKind::Arrival => {
                let next = self.next_arrival()?;
                if !self.followers.remove(&next) {
                    self.arrived += 1;
                }
                Event::Arrival { job: next.1 }
            }
            EventKind::StageReady => {
                let (.., stage, kind) = self.ready.pop_first()?;
                match kind {
                    ReadyKind::Delay => Event::StageReady { stage },
                    ReadyKind::Locality => Event::LocalityOver { stage },
                    ReadyKind::Exclusion => Event::ExclusionOver,
                }
            }
            EventKind::Cancellation => {
                let (.., rank) = self.rare.as_mut()?.cancellations.pop_first()?;
                Event::Cancellation { rank }
            }
            EventKind::Loss => {
                let (_, loss, is_return) = self.rare.as_mut()?.losses.pop_first()?;
                Event::Loss { loss, is_return }
            }
            EventKind::Exclusion => {
                self.rare.as_mut()?.exclusions.pop_front();
                Event::ExclusionOver
            }
            EventKind::Speculation => {
                self.rare.as_mut()?.speculation = None;
                Event::Speculation
            }
            EventKind::Preemption => {
                self.rare.as_mut()?.preemption = None;
                Event::Preemption
            }
            EventKind::Wake => {
                let Reverse((_, token)) = self.wakes.pop()?;
                Event::Wake { token }
            }
            EventKind::Driver => {
                self.driver = None;
                Event::Driver
            }
            EventKind::Executors | EventKind::Join => {
                self.executors.pop_front();
                Event::Executors
            }
            EventKind::Allocation => {
                self.allocation = None;
                Event::Allocation
            }
            EventKind::Tick => {
                self.tick = None;
                Event::Tick
            }
            EventKind::TaskFinish => unreachable!("finishes have a queue of their own"),
        };
        self.find_other();
        Some((time, event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_instant_orders_by_kind_then_by_creation() {
        let mut events = Events::with(3, [(Time(5), JobId(0)), (Time(5), JobId(1))].into(), Some(Span(5)));
        let run = |stage| RunningTask { stage, task: 0 };
        events.push_ready_stage(Time(5), StageIndex(9));
        events.push_wake(Time(5), 2);
        events.push_wake(Time(5), 1);
        events.push_task_finish(Time(5), run(1), CoreId(1));
        events.push_task_finish(Time(5), run(0), CoreId(0));
        let mut order = Vec::new();
        while let Some((_, event)) = events.next() {
            // A zero-length task launched by an arrival ends before the next arrival.
            if event == (Event::Arrival { job: JobId(0) }) {
                events.push_task_finish(Time(5), run(7), CoreId(2));
            }
            order.push(event);
        }
        assert_eq!(
            order,
            [
                Event::TaskFinish { run: run(1), core: CoreId(1) },
                Event::TaskFinish { run: run(0), core: CoreId(0) },
                Event::Wake { token: 1 },
                Event::Wake { token: 2 },
                Event::Arrival { job: JobId(0) },
                Event::TaskFinish { run: run(7), core: CoreId(2) },
                Event::Arrival { job: JobId(1) },
                Event::StageReady { stage: StageIndex(9) },
                Event::Tick,
            ]
        );
    }
}
