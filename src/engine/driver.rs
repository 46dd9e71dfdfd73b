//! The driver as one serial loop: Spark's `DAGScheduler` handles its events one after the other, in
//! the order in which they come.

use std::collections::VecDeque;

use super::{Engine, Role};
use crate::ids::Rank;
use crate::policy::{Policy, line::Line};
use crate::scenario::Driver;
use crate::units::Span;

/// What the driver is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// A job arrives.
    Arrival(Rank),
    /// A stage has waited out the stage delay.
    Ready(u32),
    /// A task has ended that is not its stage's last.
    TaskEnd,
    /// A stage's last task has ended.
    StageEnd(u32),
}

/// The messages before the driver; the first is in hand.
#[derive(Debug, Default)]
pub(super) struct Queue(VecDeque<Message>);

impl<P: Policy, L: Line<P>> Engine<'_, P, L> {
    /// Has the driver do what a message asks for: at once where its time costs nothing, else when
    /// its turn has come and its time is over.
    pub(super) fn tell_driver(&mut self, message: Message) {
        let Some(queue) = &mut self.driver else { return self.obey(message) };
        queue.0.push_back(message);
        if queue.0.len() == 1 {
            self.take_in_hand(message);
        }
    }

    /// The driver is done with what it has in hand and takes the next.
    pub(super) fn finish_driving(&mut self) {
        let Some(message) = self.driver.as_ref().and_then(|queue| queue.0.front().copied()) else { return };
        self.obey(message);
        let Some(queue) = &mut self.driver else { return };
        queue.0.pop_front();
        if let Some(&next) = queue.0.front() {
            self.take_in_hand(next);
        }
    }

    fn take_in_hand(&mut self, message: Message) {
        let cost = self.cost(message);
        self.events.set_driver(self.now + cost);
    }

    fn cost(&self, message: Message) -> Span {
        let Driver { job, stage, task } = self.scenario.cluster().driver;
        let stages = |count: usize| Span(stage.0 * count as u64);
        match message {
            Message::Arrival(rank) => {
                job + stages(self.scenario.jobs()[self.jobs[rank.index()].job.index()].stages.len())
            }
            Message::Ready(_) => stages(1),
            Message::TaskEnd => task,
            Message::StageEnd(_) if self.scenario.cluster().stage_delay > Span(0) => task,
            Message::StageEnd(stage) => {
                let stage = &self.stages[stage as usize];
                let first = self.jobs[stage.rank.index()].first_stage;
                let waits = |&&child: &&u32| self.stages[first + child as usize].open_parents == 1;
                task + stages(stage.children.iter().filter(waits).count())
            }
        }
    }

    fn obey(&mut self, message: Message) {
        match message {
            Message::Arrival(rank) => self.arrive(rank),
            Message::Ready(stage) => self.submit(stage, Role::Child),
            Message::TaskEnd => {}
            Message::StageEnd(stage) => self.finish_stage(stage),
        }
    }
}
