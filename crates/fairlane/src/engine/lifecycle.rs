//! Jobs from arrival to end, and their stages from submission to end.

use std::rc::Rc;

use super::attempts::Leaving;
use super::driver::DriverMessage;
use super::events::RunningTask;
use super::{Engine, Observation};
use crate::ids::{CoreId, JobId, Rank, StageIndex};
use crate::policy::{Admission, JobPhase, Launch, OfferCause, Outcomes, Policy, PolicyAction, Rule};
use crate::trace::{KillReason, Outcome};
use crate::units::{Span, Time};

impl<P: Policy + ?Sized> Engine<P>
where
    Box<P>: Clone,
{
    pub(super) fn arrive(&mut self, job: JobId) {
        let rank = self.view.push(job, self.arrivals[job.index()]);
        let admission = self.policy.job_arrived(rank, &self.view, &mut self.actions);
        self.report(Observation::Arrival(rank));
        if let Some(cancel) = self.scenario.jobs()[job.index()].cancel {
            let at = self.arrivals[job.index()] + cancel;
            self.events.push_cancellation(at.max(self.view.now), job, rank);
        }
        match admission {
            Admission::Start => self.start(rank),
            Admission::Wait => {}
            Admission::Reject => self.end_early(rank, Outcome::Rejected(self.view.now)),
        }
    }

    fn start(&mut self, rank: Rank) {
        let job = &mut self.view.jobs[rank.index()];
        job.phase = JobPhase::Started;
        self.starts[job.job.index()] = Some(self.view.now);
        let (first, stages) = (job.first_stage, job.open_stages);
        let mut delayed = Vec::new();
        for stage in (first..first + stages).map(StageIndex) {
            if self.view.state(stage).open_parents == 0 {
                match self.delay_of(stage) {
                    Span(0) => self.submit(stage),
                    delay => delayed.push((self.view.now + delay, stage)),
                }
            }
        }
        delayed.into_iter().for_each(|(at, stage)| self.delay(stage, at));
    }

    /// From the end of a stage's last parent, or its job's start, to its submission.
    pub(super) fn delay_of(&self, stage: StageIndex) -> Span {
        self.scenario.cluster().delay_of(self.view.spec(stage))
    }

    /// Submits a stage that has waited out the stage delay, unless its job has ended or a parent was reopened meanwhile.
    pub(super) fn submit_ready(&mut self, stage: StageIndex) {
        if let Some(attempts) = &mut self.view.attempts {
            attempts.of_mut(stage).delayed = false;
        }
        let state = self.view.state(stage);
        let has_started = self.view.jobs[state.rank.index()].phase == JobPhase::Started;
        if has_started && state.open_parents == 0 {
            self.submit_needed(stage);
        }
    }

    fn submit(&mut self, stage: StageIndex) {
        let state = &mut self.view.stages[stage.index()];
        let spec = &self.scenario.jobs()[state.job.index()].stages[state.index as usize];
        state.submitted = true;
        state.submission = self.submitted;
        state.durations = Some(spec.input.durations(u64::from(state.tasks)).into());
        self.submitted += 1;
        self.view.jobs[state.rank.index()].unsubmitted.0 -= spec.estimate.0;
        if self.view.attempts.is_some() {
            self.submit_attempts(stage);
        } else {
            self.view.start_waiting(stage);
        }
        if let Some(executors) = &mut self.executors {
            executors.notice_backlog(self.view.now);
        }
        self.policy.stage_submitted(stage, &self.view);
        self.report(Observation::Submission(stage));
        self.offer(OfferCause::Submission(stage));
    }

    pub(super) fn finish_task(&mut self, run: RunningTask, core: CoreId) {
        let stage = StageIndex(run.stage);
        if self.view.attempts.is_some() {
            return self.finish_attempt(stage, core);
        }
        self.free(stage, core, Leaving::Ended);
        let state = &mut self.view.stages[stage.index()];
        state.finished += 1;
        let is_last = state.finished == state.tasks;
        self.after_task_end(Launch { stage, core }, is_last);
    }

    /// A task has ended and freed its core.
    #[inline]
    pub(super) fn after_task_end(&mut self, launch: Launch, is_last: bool) {
        self.policy.task_ended(launch, &self.view);
        self.report(Observation::End(launch));
        // The freed core is offered before the driver learns of the stage's end, as in real Spark.
        self.offer(OfferCause::TaskEnd(launch));
        self.send_to_driver(if is_last {
            DriverMessage::StageEnd(launch.stage)
        } else {
            DriverMessage::TaskEnd
        });
    }

    pub(super) fn finish_stage(&mut self, stage: StageIndex) {
        let rank = self.view.state(stage).rank;
        let job = &mut self.view.jobs[rank.index()];
        if job.phase == JobPhase::Ended || !self.close_stage(stage) {
            // It was dropped before the driver learned of this, or a task has returned.
            return;
        }
        let job = &mut self.view.jobs[rank.index()];
        let (first_stage, children) = (job.first_stage, Rc::clone(&job.children));
        job.open_stages -= 1;
        let ended = job.open_stages == 0;
        self.policy.stage_ended(stage, &self.view);
        let children =
            children[(stage.0 - first_stage) as usize].iter().map(|child| StageIndex(first_stage + child));
        for child in children.clone() {
            self.view.stages[child.index()].open_parents -= 1;
            if self.view.attempts.is_some() {
                self.update_pending(child);
            }
        }
        for child in children {
            if self.view.state(child).open_parents == 0 {
                self.parents_ended(child);
            }
        }
        if ended {
            let job = self.view.jobs[rank.index()].job;
            let finish = self.view.now + self.scenario.jobs()[job.index()].finish_delay;
            self.end_job(rank, Outcome::Finished(finish));
        }
    }

    /// All parents of a stage have ended: its delay begins, or it is submitted.
    fn parents_ended(&mut self, stage: StageIndex) {
        if self.view.attempts.is_some() && !self.may_be_submitted(stage) {
            return;
        }
        match self.delay_of(stage) {
            Span(0) => self.submit_needed(stage),
            delay => self.delay(stage, self.view.now + delay),
        }
    }

    /// A stage waits out its delay.
    fn delay(&mut self, stage: StageIndex, until: Time) {
        if let Some(attempts) = &mut self.view.attempts {
            attempts.of_mut(stage).delayed = true;
        }
        self.events.push_ready_stage(until, stage);
    }

    /// Submits a stage unless a parent has to run again first.
    pub(super) fn submit_needed(&mut self, stage: StageIndex) {
        if self.view.attempts.is_some() && self.reopen_needed(Some(stage)) {
            return self.offer(OfferCause::Executors);
        }
        self.submit(stage);
    }

    pub(super) fn end_job(&mut self, rank: Rank, outcome: Outcome) {
        self.end_early(rank, outcome);
        self.policy.job_ended(rank, &self.view, &mut self.actions);
        self.report(Observation::JobEnd(rank));
    }

    /// Ends a job without the policy's hook.
    pub(super) fn end_early(&mut self, rank: Rank, outcome: Outcome) {
        if matches!(outcome, Outcome::Dropped(_) | Outcome::Rejected(_))
            && self.info.outcomes == Outcomes::Finished
        {
            self.fault(Rule::UndeclaredOutcome(rank));
        }
        let job = &mut self.view.jobs[rank.index()];
        job.phase = JobPhase::Ended;
        self.open_jobs -= 1;
        self.outcomes[job.job.index()] = Some(outcome);
        let job = job.job;
        if let Some(executors) = &mut self.executors {
            executors.job_ended(job);
        }
        for (at, follower) in self.followers.end(&self.scenario, job, outcome.at()) {
            self.events.push_follower(at, follower);
        }
        if self.open_jobs == 0 {
            self.events.forget_executors();
        }
    }

    /// Does what the policy wants done, in the order in which it asked.
    pub(super) fn act(&mut self) {
        while !self.actions.list.is_empty() && self.fault.is_none() {
            for action in std::mem::take(&mut self.actions.list) {
                match action {
                    PolicyAction::Start(rank) if self.phase(rank) == Some(JobPhase::Waiting) => {
                        self.start(rank)
                    }
                    PolicyAction::Start(rank) => self.fault(Rule::NotWaiting(rank)),
                    PolicyAction::Drop(rank) => match self.phase(rank) {
                        Some(JobPhase::Waiting) => self.end_early(rank, Outcome::Dropped(self.view.now)),
                        Some(JobPhase::Started) => self.drop_started(rank),
                        _ => self.fault(Rule::NotDroppable(rank)),
                    },
                    PolicyAction::Wake { at, .. } if at < self.view.now => {
                        self.fault(Rule::WakeInThePast(at))
                    }
                    PolicyAction::Wake { at, token } => self.events.push_wake(at, token),
                }
            }
        }
    }

    fn phase(&self, rank: Rank) -> Option<JobPhase> {
        self.view.jobs.get(rank.index()).map(|job| job.phase)
    }

    /// Ends a running job's tasks and forgets its stages, with an offer round and then the job's end.
    fn drop_started(&mut self, rank: Rank) {
        self.kill_job(rank, KillReason::Dropped);
        self.discard(rank);
        self.offer(OfferCause::Drop(rank));
        self.end_job(rank, Outcome::Dropped(self.view.now));
    }

    /// Reports a tick; whether that has changed anything but the policy. The next tick follows while jobs are left and
    /// something can still happen; those before it at which nothing can, and which are not after `last`, are passed
    /// over.
    pub(super) fn tick(&mut self, last: Time) -> bool {
        if self.open_jobs == 0 {
            return false;
        }
        let launched = self.launched;
        self.policy.ticked(&self.view, &mut self.actions);
        let acts = !self.actions.list.is_empty();
        self.act();
        self.offer(OfferCause::Tick);
        let has_changed = acts || self.launched > launched;
        if self.launched > launched || self.can_go_on() {
            self.events.push_tick(self.view.now);
            if !has_changed {
                self.pass_ticks(last);
            }
        }
        has_changed
    }

    /// Passes over the ticks before the next change at which nothing can be launched, as far as the policy can.
    fn pass_ticks(&mut self, last: Time) {
        // Cores that belong to jobs may be given at the end of this instant, also for stages that are yet to come.
        let gives = self.belonging.as_ref().is_some_and(|belonging| belonging.has_jobs(&self.view));
        if gives || self.view.cores.free() > 0 && self.view.waiting_count() > 0 {
            return;
        }
        let change = self.events.next_but_ticks().into_iter().chain(self.next_allocation()).min();
        let (Some(change), Some(period)) = (change, self.events.period()) else { return };
        // A tick at the instant of the change comes after it.
        let quiet = Time(change.0 - 1).min(last).since(self.view.now);
        if quiet >= period {
            let passed = self.policy.pass_periods(quiet.0 / period.0, &self.view);
            self.events.delay_tick(passed);
            self.view.now = self.view.now + Span(passed * period.0);
        }
    }
}
