//! Attempts: how a task gets onto a core, and the one way to take it off before its time (docs/model.md sections 18
//! and 21).

use super::events::RunningTask;
use super::{Engine, Observation};
use crate::ids::{CoreId, Rank, StageIndex};
use crate::policy::attempts::{Attempt, StageAttempts, TaskEnd};
use crate::policy::{JobPhase, Launch, OfferCause, Policy};
use crate::trace::{KillReason, Outcome, TaskRun};
use crate::units::Span;

/// How an attempt leaves its core.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaving {
    Ended,
    Killed,
}

/// A task to be launched where tasks may have several attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) task: u32,
    pub(super) core: CoreId,
    /// Whether it is a second attempt of a marked task.
    pub(super) is_copy: bool,
    /// Whether it is of one of the passes that know where the task prefers to be.
    pub(super) is_local: bool,
}

impl<P: Policy + ?Sized> Engine<P>
where
    Box<P>: Clone,
{
    /// A task of a stage holds a core from now on, and so many fewer are pending: none where these are counted anew.
    ///
    /// Part of each of its callers, as calls of it and of [`Engine::free`] cost a twentieth of a simulation.
    #[inline(always)]
    pub(super) fn start_attempt(&mut self, Launch { stage, core }: Launch, task: u32, taken: u32) {
        let state = &mut self.view.stages[stage.index()];
        state.pending -= taken;
        state.running += 1;
        state.attained = state.attained.wrapping_sub(self.view.now.0);
        for tasks in [&mut self.view.users[state.user.index()], &mut self.view.jobs[state.rank.index()].tasks]
        {
            tasks.pending -= taken;
            tasks.running += 1;
            tasks.memory += state.memory;
        }
        self.view.cores.occupy(core, state.memory);
        if let Some(executors) = &mut self.executors {
            executors.task_launched(core.0 / self.view.cores.per_executor());
        }
        let now = self.view.now;
        let on_its_way = match &mut self.belonging {
            None => Span(0),
            Some(belonging) => now.since(belonging.launch(Launch { stage, core }, &mut self.view)),
        };
        let state = &mut self.view.stages[stage.index()];
        let held = match &mut self.costs {
            None => state.duration(task),
            Some(costs) => costs.held(&self.scenario, state, stage, core, task, on_its_way),
        } + self.overhead;
        let (job, index) = (state.job, state.index);
        let end = self.view.now + held;
        self.events.push_task_finish(end, RunningTask { stage: stage.0, task: self.launched }, core);
        self.launched += 1;
        if let Some(trace) = &mut self.trace {
            trace.push(TaskRun { job, stage: index, task, core, start: self.view.now, end });
        }
    }

    /// Frees the core of an attempt that leaves it now.
    #[inline(always)]
    pub(super) fn free(&mut self, stage: StageIndex, core: CoreId, leaving: Leaving) {
        let state = &mut self.view.stages[stage.index()];
        state.running -= 1;
        state.attained = state.attained.wrapping_add(self.view.now.0);
        for tasks in [&mut self.view.users[state.user.index()], &mut self.view.jobs[state.rank.index()].tasks]
        {
            tasks.running -= 1;
            tasks.memory -= state.memory;
        }
        self.view.cores.release(core, state.memory);
        if let Some(belonging) = &self.belonging {
            belonging.release(core, &mut self.view);
        }
        if self.executors.is_some() {
            self.leave_executor(stage, core, leaving);
        }
    }

    #[inline(never)]
    fn leave_executor(&mut self, stage: StageIndex, core: CoreId, leaving: Leaving) {
        let executor = self.view.executor_of(core);
        let Some(executors) = &mut self.executors else { return };
        let state = self.view.state(stage);
        let job = &self.view.jobs[state.rank.index()];
        let has_children = !job.children[state.index as usize].is_empty();
        if leaving == Leaving::Ended && has_children && job.phase == JobPhase::Started {
            executors.hold_output(executor, state.job);
        }
        executors.task_ended(executor, self.view.cores.is_open(executor), self.view.now);
    }

    /// Launches a task where tasks may have several attempts.
    pub(super) fn launch_placed(&mut self, stage: StageIndex, placed: Placed) {
        let Placed { task, core, is_copy, .. } = placed;
        let executor = self.view.executor_of(core);
        let (row, start) = (self.launched, self.view.now);
        let tasks = self.view.state(stage).tasks;
        let has_speculation = self.scenario.cluster().speculation.is_some();
        let Some(attempts) = &mut self.view.attempts else { return };
        let state = &self.view.stages[stage.index()];
        let spec = &self.scenario.jobs()[state.job.index()].stages[state.index as usize];
        let of_stage = &mut attempts.stages[stage.index()];
        of_stage.tasks[task as usize].running += 1;
        let is_first = of_stage.first_launch.is_none();
        of_stage.first_launch.get_or_insert(start);
        if is_copy {
            of_stage.marks.retain(|&marked| marked != task);
        } else {
            of_stage.pending.remove(task, spec, tasks);
        }
        if has_speculation {
            of_stage.tried.insert((task, executor));
        }
        attempts.cores[core.index()] = Some(Attempt { stage, task, row, start });
        if is_first {
            let ends = spec.exclusions.iter().filter_map(|exclusion| exclusion.end(start));
            ends.for_each(|end| self.events.push_exclusion_over(end, stage));
        }
        self.start_attempt(Launch { stage, core }, task, 0);
        self.count_pending(stage);
        self.note_party_launch(stage);
    }

    /// The next pending task of a stage goes to a core.
    pub(super) fn launch_next(&mut self, Launch { stage, core }: Launch) {
        let next = self.view.attempts_of(stage).and_then(|attempts| attempts.pending.iter().next());
        if let Some(task) = next {
            self.launch_placed(stage, Placed { task, core, is_copy: false, is_local: true });
        }
    }

    /// A stage is submitted: from now on its tasks are pending.
    pub(super) fn submit_attempts(&mut self, stage: StageIndex) {
        let tasks = self.view.state(stage).tasks;
        let spec = self.view.spec(stage);
        let submitted = StageAttempts::submitted(spec, tasks, self.view.now, self.scenario.cluster());
        self.view.stages[stage.index()].pending = 0;
        if let Some(attempts) = &mut self.view.attempts {
            *attempts.of_mut(stage) = submitted;
        }
        self.count_pending(stage);
        self.await_locality(stage);
    }

    /// Counts what a stage offers; whether that is another number than before.
    pub(super) fn count_pending(&mut self, stage: StageIndex) -> bool {
        let is_blocked = self.is_blocked(stage);
        let is_over = self.view.jobs[self.view.state(stage).rank.index()].phase == JobPhase::Ended;
        let Some(of_stage) = self.view.attempts_of(stage) else { return false };
        let (tasks, marks) = match is_blocked || is_over {
            true => (0, 0),
            false => (of_stage.pending.len(), of_stage.marks.len() as u32),
        };
        self.view.set_pending(stage, tasks, marks)
    }

    /// Counts what a stage offers, and tells the policy if that is another number than before.
    pub(super) fn update_pending(&mut self, stage: StageIndex) {
        if self.view.state(stage).submitted && self.count_pending(stage) {
            self.policy.counts_changed(stage, &self.view);
        }
    }

    /// A task ends by itself where tasks may have several attempts.
    pub(super) fn finish_attempt(&mut self, stage: StageIndex, core: CoreId) {
        let executor = self.view.executor_of(core);
        let stay = self.executors.as_ref().map_or(0, |executors| executors.stay(executor));
        self.free(stage, core, Leaving::Ended);
        let now = self.view.now;
        let Some(attempts) = &mut self.view.attempts else { return };
        let Some(Attempt { task, start, .. }) = attempts.cores[core.index()].take() else { return };
        let of_stage = attempts.of_mut(stage);
        of_stage.lengths.push(now.since(start));
        of_stage.marks.retain(|&marked| marked != task);
        let of_task = &mut of_stage.tasks[task as usize];
        of_task.running -= 1;
        of_task.end = TaskEnd::Ended { stay };
        let has_others = of_task.running > 0;
        let state = &mut self.view.stages[stage.index()];
        state.finished += 1;
        let is_last = state.finished == state.tasks;
        if self.count_pending(stage) {
            self.policy.counts_changed(stage, &self.view);
        }
        self.leave_party(stage);
        if has_others {
            let is_other = |attempt: &Attempt| (attempt.stage, attempt.task) == (stage, task);
            let running = self.view.attempts.as_ref().map_or(Vec::new(), |attempts| attempts.running());
            for (_, other) in running.into_iter().filter(|(attempt, _)| is_other(attempt)) {
                self.kill(other, KillReason::Overtaken);
            }
        }
        self.after_task_end(Launch { stage, core }, is_last);
    }

    /// Takes an attempt off its core before its time: it sends no message to the driver.
    pub(super) fn kill(&mut self, core: CoreId, reason: KillReason) -> Option<Attempt> {
        let run = self.events.cancel(core);
        let stage = StageIndex(run.stage);
        if let Some(trace) = &mut self.trace {
            trace[run.task as usize].end = self.view.now;
        }
        self.killed.push((run.task, reason));
        self.free(stage, core, Leaving::Killed);
        let attempt = self.view.attempts.as_mut().and_then(|attempts| {
            let attempt = attempts.cores[core.index()].take()?;
            let of_stage = attempts.of_mut(stage);
            of_stage.tasks[attempt.task as usize].running -= 1;
            of_stage.marks.retain(|&marked| marked != attempt.task);
            Some(attempt)
        });
        if attempt.is_some() {
            self.count_pending(stage);
            self.leave_party(stage);
        }
        let launch = Launch { stage, core };
        self.policy.attempt_killed(launch, &self.view);
        self.report(Observation::End(launch));
        attempt
    }

    /// Tasks of a stage return, ascending by index: they are pending again, before all others.
    pub(super) fn return_tasks(&mut self, stage: StageIndex, returned: &[u32]) {
        if returned.is_empty() {
            return;
        }
        let now = self.view.now;
        let Some(attempts) = &mut self.view.attempts else { return };
        let state = &mut self.view.stages[stage.index()];
        let spec = &self.scenario.jobs()[state.job.index()].stages[state.index as usize];
        let of_stage = &mut attempts.stages[stage.index()];
        for &task in returned {
            let end = &mut of_stage.tasks[task as usize].end;
            state.finished -= u32::from(*end != TaskEnd::Open);
            *end = TaskEnd::Open;
        }
        of_stage.pending.push_front(returned, spec, state.tasks);
        if let Some(executors) = &mut self.executors {
            executors.notice_backlog(now);
        }
        self.update_pending(stage);
    }

    /// The task of a killed attempt, if it returns: it has no other attempt, and its job has not ended.
    pub(super) fn returning(&self, attempt: Attempt) -> Option<u32> {
        let is_over = self.view.jobs[self.view.state(attempt.stage).rank.index()].phase == JobPhase::Ended;
        let of_stage = self.view.attempts_of(attempt.stage)?;
        (!is_over && of_stage.tasks[attempt.task as usize].running == 0).then_some(attempt.task)
    }

    /// The instant at which a job is cancelled unless it has ended.
    pub(super) fn cancel(&mut self, rank: Rank) {
        match self.view.jobs[rank.index()].phase {
            JobPhase::Ended => {}
            JobPhase::Waiting => {
                self.view.jobs[rank.index()].cancelled = true;
                self.end_early(rank, Outcome::Cancelled(self.view.now));
            }
            JobPhase::Started => {
                self.view.jobs[rank.index()].cancelled = true;
                if self.view.job(rank).spec().interrupt {
                    self.kill_job(rank, KillReason::Cancelled);
                }
                self.discard(rank);
                self.offer(OfferCause::Drop(rank));
                self.end_job(rank, Outcome::Cancelled(self.view.now));
            }
        }
    }

    /// Kills all attempts of a job.
    pub(super) fn kill_job(&mut self, rank: Rank, reason: KillReason) {
        let first = self.view.jobs[rank.index()].first_stage;
        let stages = first..first + self.view.job(rank).stages().len() as u32;
        for core in self.events.running(|stage| stages.contains(&stage.0)) {
            self.kill(core, reason);
        }
    }

    /// Discards a job's pending tasks and later stages; its attempts go on.
    pub(super) fn discard(&mut self, rank: Rank) {
        let job = &mut self.view.jobs[rank.index()];
        job.phase = JobPhase::Ended;
        let first = job.first_stage;
        let stages = self.view.job(rank).stages().len() as u32;
        for stage in (first..first + stages).map(StageIndex) {
            let state = &mut self.view.stages[stage.index()];
            let was_submitted = std::mem::replace(&mut state.submitted, false);
            state.durations = None;
            if let Some(attempts) = &mut self.view.attempts {
                let of_stage = attempts.of_mut(stage);
                of_stage.pending.clear();
                of_stage.marks.clear();
            }
            if !was_submitted {
                self.view.stages[stage.index()].pending = 0;
            } else if self.view.attempts.is_some() {
                self.count_pending(stage);
            } else {
                self.view.stop_waiting(stage);
            }
            self.policy.counts_changed(stage, &self.view);
        }
    }
}
