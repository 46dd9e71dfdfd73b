//! The event queue: always the least (time, kind, order) comes next.

use std::collections::VecDeque;

use crate::ids::{CoreId, Rank};
use crate::tournament::{self, Tournament};
use crate::units::Time;

/// Something that happens at an instant. Stages are named by their place in the engine's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A task ends and frees its core.
    TaskFinish { stage: u32, core: CoreId },
    /// A job arrives.
    Arrival { rank: Rank },
    /// A stage has waited out the stage delay.
    StageReady { stage: u32 },
    /// The driver is done with the event it has in hand.
    Driver,
}

/// Kinds of events at one instant, in the order in which they happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Driver,
    TaskFinish,
    Arrival,
    StageReady,
}

/// All that is still to come.
///
/// Each kind has a queue of its own. Arrivals are known beforehand and all delayed stages wait
/// equally long, so these come in order by themselves. A core runs one task at a time: the next
/// finish is the winner of a tournament between the cores, by (end, order of launch).
pub(super) struct Events {
    finishes: Tournament,
    /// The stage of each core's task.
    stages: Vec<u32>,
    /// The core of the task that has ended last. Its key still stands in the tournament, because it is mostly
    /// given a new task at once, which then takes one change and not two.
    freed: Option<CoreId>,
    launched: u32,
    /// Instants of arrival, by rank.
    arrivals: Vec<Time>,
    arrived: usize,
    ready: VecDeque<(Time, u32)>,
    /// When the driver is done with what it has in hand.
    driver: Option<Time>,
    /// The next of the events that are not finishes.
    other: Option<(Time, Kind)>,
}

impl Events {
    pub(super) fn new(cores: u32, arrivals: Vec<Time>) -> Self {
        let mut events = Events {
            finishes: Tournament::new(cores as usize),
            stages: vec![0; cores as usize],
            freed: None,
            launched: 0,
            arrivals,
            arrived: 0,
            ready: VecDeque::new(),
            driver: None,
            other: None,
        };
        events.find_other();
        events
    }

    pub(super) fn push_task_finish(&mut self, end: Time, stage: u32, core: CoreId) {
        self.finishes.set(core.0, tournament::key(end.0, self.launched, core.0));
        self.stages[core.index()] = stage;
        self.launched += 1;
        if self.freed == Some(core) {
            self.freed = None;
        }
    }

    pub(super) fn push_ready_stage(&mut self, at: Time, stage: u32) {
        self.ready.push_back((at, stage));
        self.find_other();
    }

    /// The driver will be done then; it has one event in hand at a time.
    pub(super) fn set_driver(&mut self, done: Time) {
        self.driver = Some(done);
        self.find_other();
    }

    fn find_other(&mut self) {
        let heads = [
            self.driver.map(|time| (time, Kind::Driver)),
            self.arrivals.get(self.arrived).map(|&time| (time, Kind::Arrival)),
            self.ready.front().map(|&(time, _)| (time, Kind::StageReady)),
        ];
        self.other = heads.into_iter().flatten().min();
    }

    /// Takes out the next event.
    pub(super) fn next(&mut self) -> Option<(Time, Event)> {
        if let Some(core) = self.freed.take() {
            self.finishes.clear(core.0);
        }
        if let Some(finish) = self.finishes.first() {
            let end = Time((finish >> 64) as u64);
            if self.other.is_none_or(|other| (end, Kind::TaskFinish) < other) {
                let core = CoreId(tournament::seat(finish));
                self.freed = Some(core);
                return Some((end, Event::TaskFinish { stage: self.stages[core.index()], core }));
            }
        }
        let (time, kind) = self.other?;
        let event = match kind {
            Kind::Arrival => {
                self.arrived += 1;
                Event::Arrival { rank: Rank(self.arrived as u32 - 1) }
            }
            Kind::StageReady => {
                let (_, stage) = self.ready.pop_front()?;
                Event::StageReady { stage }
            }
            Kind::Driver => {
                self.driver = None;
                Event::Driver
            }
            Kind::TaskFinish => unreachable!("finishes have a queue of their own"),
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
        let mut events = Events::new(3, vec![Time(5), Time(5)]);
        events.push_ready_stage(Time(5), 9);
        events.push_task_finish(Time(5), 1, CoreId(1));
        events.push_task_finish(Time(5), 0, CoreId(0));
        let mut order = Vec::new();
        while let Some((_, event)) = events.next() {
            // A zero-length task launched by an arrival ends before the next arrival.
            if event == (Event::Arrival { rank: Rank(0) }) {
                events.push_task_finish(Time(5), 7, CoreId(2));
            }
            order.push(event);
        }
        assert_eq!(
            order,
            [
                Event::TaskFinish { stage: 1, core: CoreId(1) },
                Event::TaskFinish { stage: 0, core: CoreId(0) },
                Event::Arrival { rank: Rank(0) },
                Event::TaskFinish { stage: 7, core: CoreId(2) },
                Event::Arrival { rank: Rank(1) },
                Event::StageReady { stage: 9 },
            ]
        );
    }
}
