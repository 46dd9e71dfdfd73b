//! Section 3, "The driver", with section 23.

use super::state::Phase;
use super::{Kind, Simulation};

#[derive(Clone, Copy)]
pub enum Message {
    Arrival(usize),
    DelayOver(usize, usize),
    TaskEnd,
    /// The end of a stage's last task.
    LastTaskEnd(usize, usize),
}

impl Simulation<'_> {
    /// Without driver costs a message takes effect at once.
    pub(super) fn send(&mut self, message: Message) {
        if self.state.setting.driver == [0; 3] {
            return self.take_effect(message);
        }
        self.messages.push_back(message);
        if self.messages.len() == 1 {
            self.begin(message);
        }
    }

    fn begin(&mut self, message: Message) {
        let cost = self.cost(message);
        self.schedule(self.state.now + cost, Kind::Driver, 0, 0, 0);
    }

    pub(super) fn message_is_complete(&mut self) {
        self.take_effect(self.messages[0]);
        self.messages.pop_front();
        if let Some(&next) = self.messages.front() {
            self.begin(next);
        }
    }

    fn cost(&self, message: Message) -> u64 {
        let [job, stage, task] = self.state.setting.driver;
        match message {
            Message::Arrival(j) => job + stage * self.state.setting.jobs[j].stages.len() as u64,
            Message::DelayOver(..) => stage,
            Message::LastTaskEnd(j, s) if self.would_end(j, s) => task + stage * self.released(j, s),
            Message::TaskEnd | Message::LastTaskEnd(..) => task,
        }
    }

    /// c: the children that have not ended, without a delay, whose last open parent is this stage.
    fn released(&self, job: usize, ended: usize) -> u64 {
        let stages = self.state.setting.jobs[job].stages.iter().enumerate();
        let children = stages.filter(|(child, stage)| {
            let counts = &self.state.counts[job];
            let others = stage.parents.iter().filter(|&&parent| parent != ended);
            stage.parents.contains(&ended)
                && stage.delay == 0
                && !counts[*child].ended
                && others.into_iter().all(|&parent| counts[parent].ended)
        });
        children.count() as u64
    }

    fn would_end(&self, job: usize, stage: usize) -> bool {
        self.is_done(job, stage) && !self.state.counts[job][stage].ended
    }

    fn take_effect(&mut self, message: Message) {
        match message {
            Message::Arrival(job) => self.arrive(job),
            Message::DelayOver(job, stage) => self.delay_over(job, stage),
            Message::TaskEnd => {}
            Message::LastTaskEnd(job, stage) => {
                if self.state.phases[job] == Phase::Started && self.would_end(job, stage) {
                    self.stage_ended(job, stage);
                }
            }
        }
    }
}
