//! Response times of jobs alone on the idle cluster, which slowdowns are measured against (UWFQ paper 5.1.1).

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_128;

use super::parallel;
use crate::engine::{self, Control, chain_response, has_short_cut};
use crate::ids::{JobId, UserId};
use crate::policy::{PolicyId, PolicyKind, spark};
use crate::scenario::PartitionMode;
use crate::scenario::{Cluster, Job, Partitioning, PolicyParameters, Scenario, User};
use crate::units::{Span, Time};

/// Response times of jobs alone under some policies, by everything that they depend on, so that jobs that are alike
/// are simulated once, also in the next version of a scenario.
#[derive(Clone, Debug, Default)]
pub(super) struct AloneCache {
    /// The settings that they were simulated with.
    settings: Option<(Cluster, Partitioning, PolicyParameters)>,
    /// What [`chain_response`] says of each job of this version, by partitioning: the same whatever the policy.
    chains: Vec<(PartitionMode, Vec<Option<Span>>)>,
    /// By policy and by [`digest`]. Only looked up, never iterated over.
    known: HashMap<PolicyId, HashMap<u128, Option<Span>>>,
}

impl AloneCache {
    /// Forgets what holds of one version of the scenario only.
    pub(super) fn after_change(self) -> AloneCache {
        AloneCache { chains: Vec::new(), ..self }
    }

    /// Response time of every job alone on the idle cluster, arriving at 0, by index in the file; `None` if it does not
    /// even finish alone.
    pub(super) fn responses(
        &mut self,
        scenario: &Scenario,
        policy: PolicyId,
        threads: usize,
    ) -> Vec<Option<Span>> {
        let settings =
            (scenario.cluster().clone(), scenario.partitioning().clone(), scenario.parameters().clone());
        if self.settings.as_ref() != Some(&settings) {
            *self = AloneCache { settings: Some(settings), ..AloneCache::default() };
        }
        let mut responses = match has_short_cut(scenario, policy) {
            true => self.chains(scenario, policy.partitioning, threads).to_vec(),
            false => vec![None; scenario.jobs().len()],
        };
        let others = (0..).map(JobId).zip(&responses).filter(|(_, response)| response.is_none());
        let others: Vec<(JobId, u128)> =
            others.map(|(job, _)| (job, digest(scenario, policy, job))).collect();
        let before = self.known.remove(&policy).unwrap_or_default();
        let known = self.known.entry(policy).or_default();
        let mut missing = Vec::new();
        for &(job, digest) in &others {
            known.entry(digest).or_insert_with(|| {
                before.get(&digest).copied().unwrap_or_else(|| {
                    missing.push((digest, job));
                    None
                })
            });
        }
        let simulate = |&(_, job): &(u128, JobId)| {
            // A program may fail.
            let outcomes =
                engine::simulate_outcomes(&scenario.alone(job), policy, &mut |_| Control::Continue);
            outcomes.ok()?.first()?.response()
        };
        let simulated = parallel::map(threads, &missing, simulate);
        known.extend(missing.into_iter().map(|(digest, _)| digest).zip(simulated));
        for (job, digest) in others {
            responses[job.index()] = known.get(&digest).copied().flatten();
        }
        responses
    }

    fn chains(&mut self, scenario: &Scenario, mode: PartitionMode, threads: usize) -> &[Option<Span>] {
        let known = self.chains.iter().position(|(other, _)| *other == mode);
        let index = known.unwrap_or_else(|| {
            let executors = (scenario.cluster().executors, scenario.cluster().cores_per_executor);
            let response = |job: &Job| chain_response(scenario, mode, job, executors);
            self.chains.push((mode, parallel::map(threads, scenario.jobs(), response)));
            self.chains.len() - 1
        });
        &self.chains[index].1
    }
}

/// Response time of every job alone on the idle cluster, arriving at 0, by index in the file; `None` if it does not
/// even finish alone.
pub fn alone_responses(scenario: &Scenario, policy: PolicyId) -> Vec<Option<Span>> {
    AloneCache::default().responses(scenario, policy, 1)
}

/// A fingerprint of all that the run of a job alone depends on, besides the policy: of its job and user without
/// arrivals and names, but the name of the pool under the policy that reads it.
fn digest(scenario: &Scenario, policy: PolicyId, job: JobId) -> u128 {
    let mut alone = scenario.jobs()[job.index()].clone();
    let user = User { name: String::new(), ..scenario.users()[alone.user.index()].clone() };
    (alone.user, alone.arrival, alone.after) = (UserId(0), Time::ZERO, None);
    (alone.cancel, alone.interrupt) = (None, false);
    alone.name.clear();
    alone.group.clear();
    alone.stages.iter_mut().for_each(|stage| stage.name.clear());
    alone.pool = match policy.kind {
        PolicyKind::Spark => spark::pool_name(scenario, job).to_owned(),
        _ => String::new(),
    };
    xxh3_128(format!("{user:?} {alone:?}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::edit::{Edit, ObjectPath, Shift};

    /// A job moved, one changed, one new, and then other machines.
    #[test]
    fn what_is_known_of_jobs_alone_is_what_would_be_found() {
        let mut scenario = crate::catalog::find("two-users").expect("an entry").scenario();
        let policy = "uwfq-p".parse().expect("a policy");
        let mut alone = AloneCache::default();
        let changes = [
            Edit::set(ObjectPath::Job(JobId(0)), "arrival_s", 0.000_077),
            Edit::AddStage(JobId(1)),
            Edit::Duplicate { jobs: vec![JobId(0)], by: Shift(0) },
            Edit::set(ObjectPath::Cluster, "task_overhead_s", 0.0005),
        ];
        for change in changes {
            assert_eq!(alone.responses(&scenario, policy, 2), alone_responses(&scenario, policy));
            scenario = scenario.edited(&change).expect("a good edit").scenario;
            alone = alone.after_change();
        }
        assert_eq!(alone.responses(&scenario, policy, 2), alone_responses(&scenario, policy));
    }
}
