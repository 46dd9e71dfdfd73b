//! Jobs from arrival to end, and their stages from submission to end.

use std::rc::Rc;

use super::driver::DriverMessage;
use super::events::RunningTask;
use super::{Engine, Observation};
use crate::ids::{CoreId, JobId, Rank, StageIndex};
use crate::policy::{Admission, JobPhase, Launch, OfferCause, Outcomes, Policy, PolicyAction, Rule};
use crate::trace::Outcome;
use crate::units::{Span, Time};

impl<P: Policy + ?Sized> Engine<P>
where
    Box<P>: Clone,
{
    pub(super) fn arrive(&mut self, job: JobId) {
        let rank = self.view.push(job, self.arrivals[job.index()]);
        let admission = self.policy.job_arrived(rank, &self.view, &mut self.actions);
        self.report(Observation::Arrival(rank));
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
        delayed.into_iter().for_each(|(at, stage)| self.events.push_ready_stage(at, stage));
    }

    /// From the end of a stage's last parent, or its job's start, to its submission.
    pub(super) fn delay_of(&self, stage: StageIndex) -> Span {
        self.scenario.cluster().delay_of(self.view.spec(stage))
    }

    /// Submits a stage that has waited out the stage delay, unless its job was dropped meanwhile.
    pub(super) fn submit_ready(&mut self, stage: StageIndex) {
        if self.view.jobs[self.view.state(stage).rank.index()].phase == JobPhase::Started {
            self.submit(stage);
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
        self.view.start_waiting(stage);
        if let Some(executors) = &mut self.executors {
            executors.stage_submitted(self.view.now);
        }
        self.policy.stage_submitted(stage, &self.view);
        self.report(Observation::Submission(stage));
        self.offer(OfferCause::Submission(stage));
    }

    pub(super) fn finish_task(&mut self, run: RunningTask, core: CoreId) {
        let stage = StageIndex(run.stage);
        let ended = self.free(stage, core);
        let launch = Launch { stage, core };
        self.policy.task_ended(launch, &self.view);
        self.report(Observation::End(launch));
        // The freed core is offered before the driver learns of the stage's end, as in real Spark.
        self.offer(OfferCause::TaskEnd(launch));
        self.send_to_driver(if ended { DriverMessage::StageEnd(stage) } else { DriverMessage::TaskEnd });
    }

    /// Frees the core of a task that ends now; whether it was its stage's last.
    #[inline]
    pub(super) fn free(&mut self, stage: StageIndex, core: CoreId) -> bool {
        let state = &mut self.view.stages[stage.index()];
        state.running -= 1;
        state.finished += 1;
        state.attained = state.attained.wrapping_add(self.view.now.0);
        for tasks in [&mut self.view.users[state.user.index()], &mut self.view.jobs[state.rank.index()].tasks]
        {
            tasks.running -= 1;
            tasks.memory -= state.memory;
        }
        self.view.cores.release(core, state.memory);
        let ended = state.finished == state.tasks;
        if let Some(belonging) = &self.belonging {
            belonging.release(core, &mut self.view);
        }
        if let Some(executors) = &mut self.executors {
            let executor = self.view.executor_of(core);
            executors.task_ended(executor, self.view.cores.is_open(executor), self.view.now);
        }
        ended
    }

    pub(super) fn finish_stage(&mut self, stage: StageIndex) {
        let rank = self.view.state(stage).rank;
        let job = &mut self.view.jobs[rank.index()];
        if job.phase == JobPhase::Ended {
            // It was dropped before the driver learned of this.
            return;
        }
        let (first_stage, children) = (job.first_stage, Rc::clone(&job.children));
        job.open_stages -= 1;
        let ended = job.open_stages == 0;
        self.policy.stage_ended(stage, &self.view);
        for child in &children[(stage.0 - first_stage) as usize] {
            let child = StageIndex(first_stage + child);
            let state = &mut self.view.stages[child.index()];
            state.open_parents -= 1;
            if state.open_parents > 0 {
                continue;
            }
            match self.delay_of(child) {
                Span(0) => self.submit(child),
                delay => self.events.push_ready_stage(self.view.now + delay, child),
            }
        }
        if ended {
            let job = self.view.jobs[rank.index()].job;
            let finish = self.view.now + self.scenario.jobs()[job.index()].finish_delay;
            self.end_job(rank, Outcome::Finished(finish));
        }
    }

    pub(super) fn end_job(&mut self, rank: Rank, outcome: Outcome) {
        self.end_early(rank, outcome);
        self.policy.job_ended(rank, &self.view, &mut self.actions);
        self.report(Observation::JobEnd(rank));
    }

    /// Ends a job without the policy's hook.
    fn end_early(&mut self, rank: Rank, outcome: Outcome) {
        if !matches!(outcome, Outcome::Finished(_)) && self.info.outcomes == Outcomes::Finished {
            self.fault(Rule::UndeclaredOutcome(rank));
        }
        let job = &mut self.view.jobs[rank.index()];
        job.phase = JobPhase::Ended;
        self.open_jobs -= 1;
        self.outcomes[job.job.index()] = Some(outcome);
        let job = job.job;
        for &follower in self.followers.get(job.index()).into_iter().flatten() {
            let think = self.scenario.predecessor(follower).map_or(Span(0), |before| before.think);
            self.events.push_follower(outcome.at() + think, follower);
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
        let job = &self.view.jobs[rank.index()];
        let first = job.first_stage as usize;
        let stages = self.view.job(rank).stages().len();
        for (run, core) in self.events.cancel(|run| (first..first + stages).contains(&(run.stage as usize))) {
            if let Some(trace) = &mut self.trace {
                trace[run.task as usize].end = self.view.now;
                self.killed.push(run.task);
            }
            self.free(StageIndex(run.stage), core);
            self.report(Observation::End(Launch { stage: StageIndex(run.stage), core }));
        }
        for index in first..first + stages {
            let state = &mut self.view.stages[index];
            let left = state.pending();
            let waits = state.submitted && left > 0;
            state.submitted = false;
            state.durations = None;
            if waits {
                self.view.stop_waiting(StageIndex(index as u32), left);
            }
            self.policy.counts_changed(StageIndex(index as u32), &self.view);
        }
        self.view.jobs[rank.index()].phase = JobPhase::Ended;
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
        if self.view.cores.free() > 0 && self.view.waiting_count() > 0 {
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
