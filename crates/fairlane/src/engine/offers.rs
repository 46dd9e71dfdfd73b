//! Offer rounds: the policy chooses tasks for free cores, as in Spark's `TaskSchedulerImpl.resourceOffers`.

use super::{Engine, Observation, Round, Watch};
use crate::policy::{Idling, Launch, OfferCause, Policy, Rule};

impl<P: Policy + ?Sized> Engine<P>
where
    Box<P>: Clone,
{
    /// An offer round: launches what the policy says while cores are free.
    pub(super) fn offer(&mut self, cause: OfferCause) {
        if self.view.cores.free() > 0 && self.view.waiting_count() > 0 {
            self.make_offers(cause);
        }
        if let Some(executors) = &mut self.executors
            && self.view.waiting_count() == 0
        {
            executors.nothing_waits();
        }
    }

    fn make_offers(&mut self, cause: OfferCause) {
        self.view.start_round();
        self.policy.offer_started(cause, &self.view);
        self.rounds += 1;
        let first = self.launched;
        let is_wanted = self.watch.is_some() && self.look(first);
        let is_special = self.view.attempts.as_ref().is_some_and(|attempts| attempts.has_special());
        if is_special {
            self.offer_places(cause);
        }
        while !is_special && self.view.cores.free() > 0 {
            let Some(launch) = self.next_task(cause, first) else { break };
            if let Err(rule) = self.check(launch) {
                return self.fault(rule);
            }
            self.launch(launch);
            self.report_launch(launch);
        }
        if is_wanted {
            self.note_round(first);
        }
        let is_done = self.view.waiting_count() == 0 || self.view.cores.free() == 0;
        if !is_done && self.info.idling == Idling::Never && self.belonging.is_none() && !is_special {
            self.check_idle();
        }
    }

    /// The next task of an offer round whose first task has an index in the trace.
    #[inline]
    fn next_task(&mut self, cause: OfferCause, first: u32) -> Option<Launch> {
        if self.belonging.is_none() || cause == OfferCause::Gift && self.policy.moves_cores() {
            return self.policy.next_task(&self.view);
        }
        self.next_own_task(cause, self.launched == first)
    }

    /// A round starts while somebody looks at rounds; whether it may be the one searched for.
    #[cold]
    fn look(&mut self, first: u32) -> bool {
        match &mut self.watch {
            Some(Watch::Search(search, None)) => search.wants(first, &self.view, &*self.policy),
            Some(Watch::Capture(round, captured)) if *round == self.rounds => {
                *captured = Some(Box::new((self.policy.clone(), self.view.clone())));
                false
            }
            _ => false,
        }
    }

    /// A round is over that may be the one searched for.
    #[cold]
    fn note_round(&mut self, first: u32) {
        let round = Round { number: self.rounds, first, end: self.launched };
        if let Some(Watch::Search(search, found)) = &mut self.watch
            && round.end > first
            && search.is_reached(round.end)
        {
            *found = Some(round);
        }
    }

    /// A task was launched.
    pub(super) fn report_launch(&mut self, launch: Launch) {
        self.policy.task_launched(launch, &self.view);
        self.report(Observation::Launch(launch));
    }

    fn check(&self, Launch { stage, core }: Launch) -> Result<(), Rule> {
        if !self.view.cores.is_free(core) {
            return Err(Rule::CoreNotFree(core));
        }
        match self.view.stages.get(stage.index()) {
            Some(state) if state.submitted && state.pending > 0 => {
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
        if self.view.some_fits()
            && let Some(core) = self.view.lowest_free_core()
        {
            self.fault(Rule::IdleCore(core));
        }
    }

    /// Starts the stage's next task on a core.
    fn launch(&mut self, launch: Launch) {
        if self.view.attempts.is_some() {
            return self.launch_next(launch);
        }
        let state = self.view.state(launch.stage);
        let (task, is_last) = (state.tasks - state.pending, state.pending == 1);
        self.start_attempt(launch, task, 1);
        if is_last {
            self.view.stages[launch.stage.index()].durations = None;
            self.view.stop_waiting(launch.stage);
        }
    }
}
