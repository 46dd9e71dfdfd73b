//! Attempts that are killed for users or pools that have had too few cores for too long (docs/model.md section 26).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Engine;
use super::events::Look;
use super::locality::{OfferedCores, Wait};
use super::speculation::next_look;
use crate::ids::{CoreId, StageIndex};
use crate::policy::explain::Key;
use crate::policy::job_queue::ordered;
use crate::policy::{JobPhase, Launch, OfferCause, Party, Placement, Policy};
use crate::scenario::Preemption;
use crate::trace::KillReason;
use crate::units::Time;

/// Users or pools that attempts are killed for.
#[derive(Clone)]
pub(super) struct Parties {
    rules: Preemption,
    parties: Vec<PartyState>,
}

#[derive(Clone)]
struct PartyState {
    party: Party,
    /// N: its attempts.
    running: u32,
    /// At the last look, in cores; 0 if it was not active.
    fair: f64,
    /// Since when it starves.
    since: Option<Time>,
}

impl PartyState {
    /// `threshold * fair`.
    fn least(&self, rules: &Preemption) -> f64 {
        rules.threshold * self.fair
    }

    /// N / w, in the order of numbers.
    fn running_per_weight(&self) -> u64 {
        ordered(f64::from(self.running) / self.party.weight.value())
    }
}

impl<P: Policy + ?Sized> Engine<P>
where
    Box<P>: Clone,
{
    /// The parties at the start; `None` without preemption.
    pub(super) fn start_parties(&mut self) {
        let Some(rules) = self.scenario.cluster().preemption.clone() else { return };
        let parties = self.policy.parties(&self.view).into_iter();
        let parties = parties.map(|party| PartyState { party, running: 0, fair: 0.0, since: None });
        self.parties = Some(Box::new(Parties { rules, parties: parties.collect() }));
    }

    /// A task of a stage was launched.
    pub(super) fn note_party_launch(&mut self, stage: StageIndex) {
        let Some(parties) = &mut self.parties else { return };
        let Parties { rules, parties } = &mut **parties;
        let state = &mut parties[self.policy.party(self.view.stage(stage)) as usize];
        state.running += 1;
        if f64::from(state.running) >= state.least(rules) {
            state.since = None;
        }
    }

    /// An attempt of a stage has left its core.
    pub(super) fn leave_party(&mut self, stage: StageIndex) {
        if let Some(parties) = &mut self.parties {
            parties.parties[self.policy.party(self.view.stage(stage)) as usize].running -= 1;
        }
    }

    /// Stages with tasks that their parties might launch.
    fn launchable(&self) -> Vec<StageIndex> {
        let may_launch = |stage: &StageIndex| {
            let seen = self.view.stage(*stage);
            let is_barrier = self.view.attempts_of(*stage).is_some_and(|attempts| attempts.is_barrier);
            let has_room = self.policy.cap(seen).is_none_or(|cap| cap.room > 0);
            !is_barrier && self.view.pending_tasks(*stage) > 0 && has_room && self.policy.may_launch(seen)
        };
        self.view.waiting().map(|stage| stage.index()).filter(may_launch).collect()
    }

    /// P of each party: its pending tasks that it might launch.
    fn launchable_tasks(&self, parties: usize) -> Vec<u32> {
        let mut tasks = vec![0; parties];
        let mut capped: BTreeMap<u32, (u32, u32, u32)> = BTreeMap::new();
        for stage in self.launchable() {
            let (seen, pending) = (self.view.stage(stage), self.view.pending_tasks(stage));
            let party = self.policy.party(seen);
            match self.policy.cap(seen) {
                None => tasks[party as usize] += pending,
                Some(cap) => capped.entry(cap.group).or_insert((party, cap.room, 0)).2 += pending,
            }
        }
        for (party, room, pending) in capped.into_values() {
            tasks[party as usize] += pending.min(room);
        }
        tasks
    }

    /// Looks at all parties, and kills attempts for those that have starved for long enough.
    pub(super) fn look_for_starving(&mut self) {
        let now = self.view.now;
        self.last_looks.preemption = Some(now);
        let cores = f64::from(self.view.cores());
        let Some(parties) = &self.parties else { return };
        let pending = self.launchable_tasks(parties.parties.len());
        let Some(parties) = &mut self.parties else { return };
        let Parties { rules, parties } = &mut **parties;
        let is_active = |(state, pending): (&PartyState, &u32)| state.running + pending > 0;
        let active = parties.iter().zip(&pending).filter(|&each| is_active(each));
        let weights = active.map(|(state, _)| state.party.weight.millionths()).sum::<u64>() as f64 / 1e6;
        for (state, &pending) in parties.iter_mut().zip(&pending) {
            let fair = cores * state.party.weight.value() / weights;
            state.fair = if is_active((state, &pending)) { fair } else { 0.0 };
            let starves = pending > 0 && f64::from(state.running) < state.least(rules);
            state.since = starves.then(|| state.since.unwrap_or(now));
        }
        let has_starved = |since: Option<Time>| since.is_some_and(|since| since + rules.after <= now);
        let mut order: Vec<usize> =
            (0..parties.len()).filter(|&party| has_starved(parties[party].since)).collect();
        order.sort_by_key(|&party| (parties[party].running_per_weight(), &parties[party].party.name));
        let next = parties.iter().filter_map(|state| state.since).map(|since| since + rules.after);
        let next = next.filter(|&at| at > now).min();
        let interval = rules.interval;
        let wanted = |party: usize| {
            let state = &parties[party];
            pending[party].min((state.least(rules).ceil() as u32).saturating_sub(state.running))
        };
        let wanted: Vec<(usize, u32)> = order.into_iter().map(|party| (party, wanted(party))).collect();
        let mut killed = false;
        for (party, wanted) in wanted {
            for _ in 0..wanted {
                if !self.preempt_for(party as u32) {
                    break;
                }
                killed = true;
            }
        }
        if killed {
            self.reopen_needed(None);
            self.offer(OfferCause::Preemption);
        }
        // Until then nothing changes by itself.
        let next = if killed { Some(now) } else { next };
        self.events.set_look(Look::Preemption, next.map(|at| next_look(interval, Some(now), at)));
    }

    /// Kills an attempt for a party and launches a task of it there; whether there is one to kill.
    fn preempt_for(&mut self, party: u32) -> bool {
        let stages = self.launchable().into_iter();
        let stages = stages.filter(|stage| self.policy.party(self.view.stage(*stage)) == party);
        let key = |stage: StageIndex| match self.info.placement {
            Placement::FirstExecutor => None,
            _ => Some(self.policy.key(self.view.stage(stage))),
        };
        let keyed = stages.map(|stage| (key(stage), stage));
        let first =
            keyed.min_by(|(one, a): &(Option<Key>, StageIndex), (other, b)| (one, a).cmp(&(other, b)));
        let Some((_, stage)) = first else { return false };
        let Some(core) = self.victim(stage) else { return false };
        if let Some(attempt) = self.kill(core, KillReason::Preempted) {
            let returned: Vec<u32> = self.returning(attempt).into_iter().collect();
            self.return_tasks(attempt.stage, &returned);
        }
        for placed in self.plan(stage, OfferedCores::One(core), 1, Wait::Skipped) {
            self.launch_placed(stage, placed);
            self.report_launch(Launch { stage, core });
        }
        true
    }

    /// The core of the attempt that is killed for a task of a stage.
    fn victim(&self, stage: StageIndex) -> Option<CoreId> {
        let Parties { parties, .. } = &**self.parties.as_ref()?;
        let attempts = self.view.attempts.as_ref()?;
        let memory = self.view.state(stage).memory;
        let is_eligible = |victim: StageIndex, core: CoreId| {
            let (state, executor) = (self.view.state(victim), self.view.executor_of(core));
            let free = self.view.free_memory_of(executor).map(|free| free + state.memory);
            !attempts.of(victim).is_barrier
                && self.view.jobs[state.rank.index()].phase != JobPhase::Ended
                && self.view.cores.is_open(executor)
                && self.view.takes(executor, stage)
                && free.is_none_or(|free| memory <= free)
        };
        let eligible =
            attempts.running().into_iter().filter(|(attempt, core)| is_eligible(attempt.stage, *core));
        // The last of each party, which is the latest launched.
        let latest: BTreeMap<u32, CoreId> = eligible
            .map(|(attempt, core)| (self.policy.party(self.view.stage(attempt.stage)), core))
            .collect();
        let mut gives = latest.into_iter().map(|(party, core)| (&parties[party as usize], core));
        let mut best: Option<(Reverse<u64>, &str, CoreId)> = None;
        for (state, core) in gives.by_ref() {
            let keeps_share = f64::from(state.running) - 1.0 >= state.fair;
            let place = (Reverse(state.running_per_weight()), state.party.name.as_str(), core);
            if keeps_share && best.as_ref().is_none_or(|best| (place.0, place.1) < (best.0, best.1)) {
                best = Some(place);
            }
        }
        best.map(|(.., core)| core)
    }
}
