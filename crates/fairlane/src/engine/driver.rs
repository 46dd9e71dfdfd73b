//! The driver as one serial loop: Spark's `DAGScheduler` handles its events one after the other, in
//! the order in which they arrive.

use std::collections::VecDeque;

use super::Engine;
use crate::ids::{JobId, StageIndex};
use crate::policy::Policy;
use crate::scenario::Driver;
use crate::units::Span;

/// What the driver is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DriverMessage {
    /// A job arrives.
    Arrival(JobId),
    /// A stage has waited out the stage delay.
    Ready(StageIndex),
    /// A task has ended that is not its stage's last.
    TaskEnd,
    /// A stage's last task has ended.
    StageEnd(StageIndex),
}

/// The messages before the driver; the first is being handled.
#[derive(Clone, Debug, Default)]
pub(super) struct DriverQueue(VecDeque<DriverMessage>);

impl<P: Policy + ?Sized> Engine<P>
where
    Box<P>: Clone,
{
    /// Makes the driver handle a message: at once where its time costs nothing, else when
    /// it is the first and its time is over.
    pub(super) fn send_to_driver(&mut self, message: DriverMessage) {
        let Some(queue) = &mut self.driver else { return self.handle(message) };
        queue.0.push_back(message);
        if queue.0.len() == 1 {
            self.begin_message(message);
        }
    }

    /// The driver has handled its first message and begins the next.
    pub(super) fn finish_message(&mut self) {
        let Some(message) = self.driver.as_ref().and_then(|queue| queue.0.front().copied()) else { return };
        self.handle(message);
        let Some(queue) = &mut self.driver else { return };
        queue.0.pop_front();
        if let Some(&next) = queue.0.front() {
            self.begin_message(next);
        }
    }

    fn begin_message(&mut self, message: DriverMessage) {
        let cost = self.cost(message);
        self.events.set_driver(self.view.now + cost);
    }

    fn cost(&self, message: DriverMessage) -> Span {
        let Driver { job, stage, task } = self.scenario.cluster().driver;
        let stages = |count: usize| Span(stage.0 * count as u64);
        match message {
            DriverMessage::Arrival(arriving) => {
                job + stages(self.scenario.jobs()[arriving.index()].stages.len())
            }
            DriverMessage::Ready(_) => stages(1),
            DriverMessage::TaskEnd => task,
            // A task has returned meanwhile.
            DriverMessage::StageEnd(stage) if !self.ends_with(stage) => task,
            DriverMessage::StageEnd(stage) => {
                let job = &self.view.jobs[self.view.state(stage).rank.index()];
                let first = job.first_stage;
                let waits = |&&child: &&u32| {
                    let child = StageIndex(first + child);
                    let has_ended = self.view.attempts_of(child).is_some_and(|attempts| attempts.ended);
                    self.view.state(child).open_parents == 1 && self.delay_of(child) == Span(0) && !has_ended
                };
                task + stages(job.children[(stage.0 - first) as usize].iter().filter(waits).count())
            }
        }
    }

    fn handle(&mut self, message: DriverMessage) {
        match message {
            DriverMessage::Arrival(job) => self.arrive(job),
            DriverMessage::Ready(stage) => self.submit_ready(stage),
            DriverMessage::TaskEnd => {}
            DriverMessage::StageEnd(stage) => self.finish_stage(stage),
        }
    }
}
