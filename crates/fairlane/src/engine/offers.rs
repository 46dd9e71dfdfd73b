//! Offer rounds: the policy chooses tasks for free cores, as in Spark's `TaskSchedulerImpl.resourceOffers`.

use super::Engine;
use super::events::Run;
use crate::policy::{Idling, Launch, OfferCause, Policy, Rule};
use crate::trace::{Round, TaskRun};

impl<P: Policy + ?Sized> Engine<'_, P> {
    /// An offer round: launches what the policy says while cores are free.
    pub(super) fn offer(&mut self, cause: OfferCause) {
        if self.view.cores.free() == 0 || self.view.waiting() == 0 {
            return;
        }
        self.policy.offer_started(cause, &self.view);
        let (launched, received) = (self.launched, self.received);
        let busy = self.view.cores() - self.view.cores.free();
        while self.view.cores.free() > 0 {
            let Some(launch) = self.policy.next_task(&self.view) else { break };
            if let Err(rule) = self.check(launch) {
                return self.fault(rule);
            }
            self.launch(launch);
            self.policy.task_launched(launch, &self.view);
        }
        if let Some(journal) = &mut self.journal
            && self.launched > launched
        {
            journal.rounds.push(Round { launched, finished: launched - busy, events: received });
        }
        if self.view.waiting() > 0 && self.view.cores.free() > 0 && self.info.idling == Idling::Never {
            self.check_idle();
        }
    }

    fn check(&self, Launch { stage, core }: Launch) -> Result<(), Rule> {
        if !self.view.cores.is_free(core) {
            return Err(Rule::CoreNotFree(core));
        }
        match self.view.stages.get(stage.index()) {
            Some(state) if state.submitted && state.pending() > 0 => {
                let fits = self.view.cores.has_memory(core, state.memory);
                if fits { Ok(()) } else { Err(Rule::DoesNotFit { stage, core }) }
            }
            Some(state) if state.submitted => Err(Rule::NothingPending(stage)),
            _ => Err(Rule::StageNotSubmitted(stage)),
        }
    }

    /// Faults a work-conserving policy that leaves a core idle though a pending task fits it.
    #[cold]
    fn check_idle(&mut self) {
        if let (Some(least), Some(most)) = (self.view.least_waiting_memory(), self.view.largest_free_memory())
            && least <= most
            && let Some(core) = self.view.lowest_free_core()
        {
            self.fault(Rule::IdleCore(core));
        }
    }

    /// Starts the stage's next task on a core.
    fn launch(&mut self, Launch { stage, core }: Launch) {
        let state = &mut self.view.stages[stage.index()];
        let task = state.launched;
        state.launched += 1;
        state.running += 1;
        state.attained = state.attained.wrapping_sub(self.view.now.0);
        self.view.user_running[state.user.index()] += 1;
        self.view.cores.occupy(core, state.memory);
        let duration = state.durations[task as usize];
        let held = match &mut self.costs {
            None => duration + self.overhead,
            Some(costs) => costs.held(self.view.scenario, state, stage, core, duration) + self.overhead,
        };
        let (job, index) = (state.job, state.index);
        if state.pending() == 0 {
            state.durations = Vec::new();
            self.view.stop_waiting(stage);
        }
        let end = self.view.now + held;
        self.events.push_task_finish(end, Run { stage: stage.0, task: self.launched }, core);
        self.launched += 1;
        if let Some(trace) = &mut self.trace {
            trace.push(TaskRun { job, stage: index, task, core, start: self.view.now, end });
        }
    }
}
