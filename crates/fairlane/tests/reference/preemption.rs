//! Section 26.

use std::collections::{BTreeMap, BTreeSet};

use super::policies::compare;
use super::state::Phase;
use super::{Kind, Simulation};

/// Since when parties starve, by name, and `threshold * fair` of the last tick.
#[derive(Default)]
pub struct Starving {
    since: BTreeMap<String, u64>,
    least: BTreeMap<String, f64>,
}

/// A party at a tick.
struct Party {
    weight: f64,
    n: u64,
    p: u64,
}

impl Simulation<'_> {
    fn party_of(&self, job: usize, stage: usize) -> String {
        self.policy.party(&self.state, job, stage).0
    }

    /// N of a party.
    fn running_of_party(&self, party: &str) -> u64 {
        let stages =
            self.state.stages().into_iter().filter(|&(job, stage)| self.party_of(job, stage) == party);
        stages.map(|(job, stage)| self.state.counts[job][stage].running).sum()
    }

    /// Stages with tasks that their party might launch.
    fn launchable(&self) -> Vec<(usize, usize)> {
        let is_launchable = |&(job, stage): &(usize, usize)| {
            !self.state.setting.jobs[job].stages[stage].barrier
                && self.state.pending(job, stage) > 0
                && self.policy.room(&self.state, job, stage) > 0
        };
        self.state.waiting().into_iter().filter(is_launchable).collect()
    }

    /// P of a party.
    fn launchable_of_party(&self, party: &str) -> u64 {
        let stages = self.launchable().into_iter().filter(|&(job, stage)| self.party_of(job, stage) == party);
        let stages: Vec<(usize, usize)> = stages.collect();
        let mut groups = BTreeSet::new();
        let mut p = 0;
        for &(job, stage) in &stages {
            match self.policy.capped_group(&self.state, job, stage) {
                None => p += self.state.pending(job, stage) as u64,
                Some(group) => {
                    if groups.insert(group.clone()) {
                        let of_group = stages.iter().filter(|&&(job, stage)| {
                            self.policy.capped_group(&self.state, job, stage) == Some(group.clone())
                        });
                        let pending: usize =
                            of_group.map(|&(job, stage)| self.state.pending(job, stage)).sum();
                        p += (pending as u64).min(self.policy.room(&self.state, job, stage));
                    }
                }
            }
        }
        p
    }

    /// The active parties by name.
    fn parties(&self) -> BTreeMap<String, Party> {
        let mut parties = BTreeMap::new();
        for (job, stage) in self.state.stages() {
            if self.state.phases[job] == Phase::Future {
                continue;
            }
            let (name, weight) = self.policy.party(&self.state, job, stage);
            let (n, p) = (self.running_of_party(&name), self.launchable_of_party(&name));
            if n + p > 0 {
                parties.insert(name, Party { weight, n, p });
            }
        }
        parties
    }

    /// A launch may end the starving of a stage's party.
    pub(super) fn party_launches(&mut self, job: usize, stage: usize) {
        if self.state.setting.preemption.is_none() {
            return;
        }
        let party = self.party_of(job, stage);
        let least = self.starving.least.get(&party).copied().unwrap_or(0.0);
        if self.running_of_party(&party) as f64 >= least {
            self.starving.since.remove(&party);
        }
    }

    /// A tick.
    pub(super) fn preempt(&mut self) {
        let (now, setting) = (self.state.now, self.state.setting);
        let rules = setting.preemption.as_ref().unwrap();
        self.schedule(now + rules.interval, Kind::Preemption, 0, 0, 0);
        let parties = self.parties();
        let millionths = |party: &Party| (party.weight * 1e6 + 0.5).floor() as u64;
        let w = parties.values().map(millionths).sum::<u64>() as f64 / 1e6;
        let fair: BTreeMap<String, f64> = parties
            .iter()
            .map(|(name, party)| (name.clone(), setting.cores as f64 * party.weight / w))
            .collect();
        self.starving.least =
            fair.iter().map(|(name, fair)| (name.clone(), rules.threshold * fair)).collect();
        let starves = |name: &String| {
            let party = &parties[name];
            party.p > 0 && (party.n as f64) < rules.threshold * fair[name]
        };
        self.starving.since.retain(|name, _| parties.contains_key(name) && starves(name));
        for name in parties.keys().filter(|name| starves(name)) {
            self.starving.since.entry(name.clone()).or_insert(now);
        }
        let since = self.starving.since.iter().filter(|(_, since)| now - **since >= rules.after);
        let mut order: Vec<(f64, String)> =
            since.map(|(name, _)| (parties[name].n as f64 / parties[name].weight, name.clone())).collect();
        order.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let mut has_killed = false;
        for (_, name) in order {
            let Party { n, p, .. } = parties[&name];
            let wanted = ((rules.threshold * fair[&name]).ceil() as u64).saturating_sub(n).min(p);
            for _ in 0..wanted {
                if !self.give_core(&name, &fair) {
                    break;
                }
                has_killed = true;
            }
        }
        if has_killed {
            self.see_to_needs(None);
            self.offer_round(None);
        }
    }

    /// Steps 1 to 3 for a party; whether there was a victim.
    fn give_core(&mut self, party: &str, fair: &BTreeMap<String, f64>) -> bool {
        let of_party =
            self.launchable().into_iter().filter(|&(job, stage)| self.party_of(job, stage) == party);
        let key = |&(job, stage): &(usize, usize)| self.policy.key(&self.state, job, stage);
        let Some((job, stage)) = of_party.min_by(|a, b| compare(&key(a), &key(b))) else { return false };
        let Some((row, core)) = self.victim((job, stage), fair) else { return false };
        if let Some((job, stage, task)) = self.kill(row, "preempted") {
            self.return_tasks(job, stage, vec![task]);
        }
        let choices = self.passes(job, stage, &[core], 1, true);
        self.launch(job, stage, choices[0]);
        true
    }

    /// The row and the core of the attempt that goes for a task of a stage.
    fn victim(&self, stage: (usize, usize), fair: &BTreeMap<String, f64>) -> Option<(usize, usize)> {
        let memory = self.state.setting.jobs[stage.0].stages[stage.1].memory;
        let mut best: Option<(f64, String, usize, usize)> = None;
        for attempt in &self.state.attempts {
            let spec = &self.state.setting.jobs[attempt.job].stages[attempt.stage];
            let executor = self.state.executor_of(attempt.core);
            let would_fit =
                self.state.free_memory(executor as u64).is_none_or(|free| memory <= free + spec.memory);
            let is_eligible = !spec.barrier
                && self.state.phases[attempt.job] != Phase::Ended
                && self.state.takes_tasks(executor)
                && self.state.takes(executor, stage.0, stage.1)
                && would_fit;
            let (name, weight) = self.policy.party(&self.state, attempt.job, attempt.stage);
            let n = self.running_of_party(&name) as f64;
            if !is_eligible || n - 1.0 < fair[&name] {
                continue;
            }
            // The latest launched of the party with the most.
            let better = best
                .as_ref()
                .is_none_or(|(most, first, ..)| n / weight > *most || n / weight == *most && name <= *first);
            if better {
                best = Some((n / weight, name, attempt.row, attempt.core));
            }
        }
        best.map(|(_, _, row, core)| (row, core))
    }
}
