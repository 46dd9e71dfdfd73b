//! Executors that are lost, and stages that run again for their output (docs/model.md section 23).

use std::collections::BTreeSet;

use super::Engine;
use crate::ids::{Rank, StageIndex};
use crate::policy::attempts::TaskEnd;
use crate::policy::{JobPhase, OfferCause, Policy};
use crate::trace::KillReason;

/// What a stage loses with an executor.
#[derive(Default)]
struct StageLosses {
    /// Tasks of killed attempts that return.
    killed: Vec<u32>,
    /// Ended tasks whose output is lost.
    outputs: Vec<u32>,
}

impl<P: Policy + ?Sized> Engine<P>
where
    Box<P>: Clone,
{
    /// Whether a stage has to wait for a parent, again or still.
    pub(super) fn is_blocked(&self, stage: StageIndex) -> bool {
        let state = self.view.state(stage);
        if state.open_parents > 0 {
            return true;
        }
        let first = self.view.jobs[state.rank.index()].first_stage;
        let missing = |parent: &u32| {
            self.view.attempts_of(StageIndex(first + parent)).is_some_and(|attempts| attempts.missing > 0)
        };
        !self.scenario.cluster().losses.is_empty() && self.view.spec(stage).parents.iter().any(missing)
    }

    /// Whether a stage would end if its end were handled now.
    pub(super) fn ends_with(&self, stage: StageIndex) -> bool {
        let state = self.view.state(stage);
        self.view.attempts_of(stage).is_none_or(|attempts| !attempts.ended && state.finished == state.tasks)
    }

    /// The end of a stage is handled; whether it has ended, and did not before.
    pub(super) fn close_stage(&mut self, stage: StageIndex) -> bool {
        let closes = self.ends_with(stage);
        if closes && let Some(attempts) = &mut self.view.attempts {
            attempts.of_mut(stage).ended = true;
        }
        closes
    }

    /// Whether a stage whose parents have all ended is to be submitted, after its delay; if it has been submitted
    /// before, it is offered again.
    pub(super) fn may_be_submitted(&mut self, stage: StageIndex) -> bool {
        let Some(of_stage) = self.view.attempts_of(stage) else { return true };
        let (ended, delayed) = (of_stage.ended, of_stage.delayed);
        let is_offered_again = !ended && self.view.state(stage).submitted;
        if is_offered_again {
            self.offer(OfferCause::Submission(stage));
        }
        !ended && !delayed && !is_offered_again
    }

    /// An executor is lost, or is there again.
    pub(super) fn change_by_loss(&mut self, index: u32, is_return: bool) {
        let executor = self.scenario.cluster().losses[index as usize].executor;
        if is_return {
            self.return_executor(executor);
        } else {
            self.lose_executor(executor);
            self.reopen_needed(None);
        }
        self.offer(OfferCause::Executors);
    }

    fn lose_executor(&mut self, executor: u32) {
        let Some(executors) = &mut self.executors else { return };
        let stay = executors.begin_loss(executor);
        let Some(stay) = stay else { return };
        let running = self.view.attempts.as_ref().map_or(Vec::new(), |attempts| attempts.running());
        let mut killed = Vec::new();
        for (_, core) in running {
            if self.view.executor_of(core) == executor {
                killed.extend(self.kill(core, KillReason::Lost));
            }
        }
        if let Some(executors) = &mut self.executors {
            executors.leave(executor, self.view.now);
        }
        self.view.cores.set_open(executor, false);
        self.count_owned();
        let stages = self.stages_with_losses(stay, killed.iter().map(|attempt| attempt.stage).collect());
        for stage in stages {
            let of_stage = killed.iter().filter(|attempt| attempt.stage == stage);
            let mut returning: Vec<u32> = of_stage.filter_map(|&attempt| self.returning(attempt)).collect();
            returning.sort_unstable();
            returning.dedup();
            let losses = StageLosses { killed: returning, outputs: self.lost_outputs(stage, stay) };
            self.take_losses(stage, &losses);
        }
    }

    /// The stages of which an attempt was killed or an output may be lost, ascending.
    fn stages_with_losses(&self, stay: u32, mut stages: BTreeSet<StageIndex>) -> BTreeSet<StageIndex> {
        for rank in (0..self.view.jobs()).map(Rank) {
            let job = &self.view.jobs[rank.index()];
            if job.phase != JobPhase::Started {
                continue;
            }
            let with_children = (0..).zip(&*job.children).filter(|(_, children)| !children.is_empty());
            let with_children = with_children.map(|(index, _): (u32, _)| StageIndex(job.first_stage + index));
            stages.extend(with_children.filter(|&stage| !self.lost_outputs(stage, stay).is_empty()));
        }
        stages
    }

    /// The ended tasks of a stage whose outputs were on an executor during a stay, if somebody may read them.
    fn lost_outputs(&self, stage: StageIndex, stay: u32) -> Vec<u32> {
        let state = self.view.state(stage);
        let job = &self.view.jobs[state.rank.index()];
        let Some(of_stage) = self.view.attempts_of(stage) else { return Vec::new() };
        if job.phase != JobPhase::Started || job.children[state.index as usize].is_empty() {
            return Vec::new();
        }
        let is_lost = |end: TaskEnd| end == TaskEnd::Ended { stay };
        let tasks = (0..).zip(&of_stage.tasks).filter(|(_, task)| is_lost(task.end));
        tasks.map(|(index, _)| index).collect()
    }

    /// What a stage has lost returns if it has not ended, else its lost outputs are missing.
    fn take_losses(&mut self, stage: StageIndex, StageLosses { killed, outputs }: &StageLosses) {
        let is_over = self.view.jobs[self.view.state(stage).rank.index()].phase == JobPhase::Ended;
        let Some(attempts) = &mut self.view.attempts else { return };
        let of_stage = attempts.of_mut(stage);
        if is_over {
            return;
        }
        if of_stage.ended {
            for &task in outputs {
                of_stage.tasks[task as usize].end = TaskEnd::Missing;
            }
            of_stage.missing += outputs.len() as u32;
            self.update_children(stage);
        } else if of_stage.is_barrier {
            self.restart_barrier(stage);
        } else {
            self.return_tasks(stage, outputs);
            self.return_tasks(stage, killed);
        }
    }

    /// All tasks of a barrier stage run again, together.
    fn restart_barrier(&mut self, stage: StageIndex) {
        let running = self.view.attempts.as_ref().map_or(Vec::new(), |attempts| attempts.running());
        for (_, core) in running.into_iter().filter(|(attempt, _)| attempt.stage == stage) {
            self.kill(core, KillReason::Lost);
        }
        if let Some(attempts) = &mut self.view.attempts {
            attempts.of_mut(stage).pending.clear();
        }
        let all: Vec<u32> = (0..self.view.state(stage).tasks).collect();
        self.return_tasks(stage, &all);
    }

    /// The stages that wait for one are blocked or no longer so.
    fn update_children(&mut self, stage: StageIndex) {
        let job = &self.view.jobs[self.view.state(stage).rank.index()];
        let (first, children) = (job.first_stage, std::rc::Rc::clone(&job.children));
        for child in &children[(stage.0 - first) as usize] {
            self.update_pending(StageIndex(first + child));
        }
    }

    /// Reopens the stages whose missing outputs a stage with pending tasks needs, or one that is to be submitted;
    /// whether there were any.
    pub(super) fn reopen_needed(&mut self, submitted: Option<StageIndex>) -> bool {
        if self.scenario.cluster().losses.is_empty() {
            return false;
        }
        let is_pending = |stage: &StageIndex| {
            let state = self.view.state(*stage);
            let attempts = self.view.attempts_of(*stage);
            state.submitted && attempts.is_some_and(|attempts| !attempts.ended && attempts.pending.len() > 0)
        };
        let mut needing: Vec<StageIndex> =
            (0..self.view.stages()).map(StageIndex).filter(is_pending).chain(submitted).collect();
        let mut reopened = false;
        while let Some(stage) = needing.pop() {
            let first = self.view.jobs[self.view.state(stage).rank.index()].first_stage;
            let parents = self.view.spec(stage).parents.clone();
            for parent in parents.into_iter().map(|parent| StageIndex(first + parent)) {
                if self.reopen(parent) {
                    reopened = true;
                    needing.push(parent);
                }
            }
        }
        reopened
    }

    /// Reopens a stage if outputs of it are missing; whether they are.
    fn reopen(&mut self, stage: StageIndex) -> bool {
        let Some(attempts) = &mut self.view.attempts else { return false };
        let of_stage = attempts.of_mut(stage);
        if of_stage.missing == 0 {
            return false;
        }
        of_stage.missing = 0;
        of_stage.ended = false;
        let is_missing = |end: TaskEnd| of_stage.is_barrier || end == TaskEnd::Missing;
        let tasks = (0..).zip(&of_stage.tasks).filter(|(_, task)| is_missing(task.end));
        let returned: Vec<u32> = tasks.map(|(index, _)| index).collect();
        let job = &mut self.view.jobs[self.view.stages[stage.index()].rank.index()];
        job.open_stages += 1;
        let (first, children) = (job.first_stage, std::rc::Rc::clone(&job.children));
        for child in &children[(stage.0 - first) as usize] {
            self.view.stages[(first + child) as usize].open_parents += 1;
        }
        self.return_tasks(stage, &returned);
        self.update_children(stage);
        true
    }
}
