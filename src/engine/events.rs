//! The event queue: always the least (time, kind, order) comes next.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::ids::{CoreId, Rank};
use crate::units::Time;

/// Something that happens at an instant. Stages are named by their place in the engine's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A task ends and frees its core.
    TaskFinish { stage: usize, core: CoreId },
    /// A job arrives.
    Arrival { rank: Rank },
    /// A stage has waited out the stage delay.
    StageReady { stage: usize },
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

/// The next task to finish: the least (end, order of launch).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TaskFinish {
    end: Time,
    /// How many tasks were launched before it.
    launch: u64,
    stage: usize,
    core: CoreId,
}

/// All that is still to come.
///
/// Each kind has a queue of its own, because two of the three come in order by themselves:
/// arrivals are known beforehand, and all delayed stages wait equally long.
pub(super) struct Events {
    finishes: BinaryHeap<Reverse<TaskFinish>>,
    launched: u64,
    /// Instants of arrival, by rank.
    arrivals: Vec<Time>,
    arrived: usize,
    ready: VecDeque<(Time, usize)>,
    /// When the driver is done with what it has in hand.
    driver: Option<Time>,
}

impl Events {
    pub(super) fn new(arrivals: Vec<Time>) -> Self {
        Events {
            finishes: BinaryHeap::new(),
            launched: 0,
            arrivals,
            arrived: 0,
            ready: VecDeque::new(),
            driver: None,
        }
    }

    pub(super) fn push_task_finish(&mut self, end: Time, stage: usize, core: CoreId) {
        self.finishes.push(Reverse(TaskFinish { end, launch: self.launched, stage, core }));
        self.launched += 1;
    }

    pub(super) fn push_ready_stage(&mut self, at: Time, stage: usize) {
        self.ready.push_back((at, stage));
    }

    /// The driver will be done then; it has one event in hand at a time.
    pub(super) fn set_driver(&mut self, done: Time) {
        self.driver = Some(done);
    }

    /// Takes out the next event.
    pub(super) fn next(&mut self) -> Option<(Time, Event)> {
        let heads = [
            self.finishes.peek().map(|Reverse(finish)| (finish.end, Kind::TaskFinish)),
            self.arrivals.get(self.arrived).map(|&time| (time, Kind::Arrival)),
            self.ready.front().map(|&(time, _)| (time, Kind::StageReady)),
            self.driver.map(|time| (time, Kind::Driver)),
        ];
        let (time, kind) = heads.into_iter().flatten().min()?;
        let event = match kind {
            Kind::TaskFinish => {
                let Reverse(finish) = self.finishes.pop()?;
                Event::TaskFinish { stage: finish.stage, core: finish.core }
            }
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
        };
        Some((time, event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_instant_orders_by_kind_then_by_creation() {
        let mut events = Events::new(vec![Time(5), Time(5)]);
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
