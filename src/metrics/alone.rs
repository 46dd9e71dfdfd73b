//! Response times of jobs alone on the idle cluster, which slowdowns are measured against (UWFQ paper 5.1.1).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use xxhash_rust::xxh3::Xxh3;

use super::parallel;
use crate::engine;
use crate::ids::JobId;
use crate::policy::{Idling, Info, Outcomes, PolicyId};
use crate::scenario::Mode;
use crate::scenario::{Cluster, Job, Partitioning, PolicyParameters, Scenario, Stage, User};
use crate::units::Span;

/// Response times of jobs alone under some policies, by everything that they depend on, so that jobs that are alike
/// are simulated once, also in the next version of a scenario.
#[derive(Clone, Debug, Default)]
pub(super) struct Alone {
    /// The settings that they were simulated with.
    settings: Option<(Cluster, Partitioning, PolicyParameters)>,
    /// What [`chain_response`] says of each job of this version, by partitioning: the same whatever the policy.
    chains: Vec<(Mode, Vec<Option<Span>>)>,
    /// By policy and by [`digest`]. Only looked up, never iterated over.
    known: HashMap<PolicyId, HashMap<u128, Option<Span>>>,
}

impl Alone {
    /// Forgets what holds of one version of the scenario only.
    pub(super) fn after_change(self) -> Alone {
        Alone { chains: Vec::new(), ..self }
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
            *self = Alone { settings: Some(settings), ..Alone::default() };
        }
        let mut responses = match has_short_cut(scenario, policy) {
            true => self.chains(scenario, policy.partitioning, threads).to_vec(),
            false => vec![None; scenario.jobs().len()],
        };
        let others = (0..).map(JobId).zip(&responses).filter(|(_, response)| response.is_none());
        let others: Vec<(JobId, u128)> = others.map(|(job, _)| (job, digest(scenario, job))).collect();
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
        let simulate =
            |&(_, job): &(u128, JobId)| engine::simulate(&scenario.alone(job), policy).jobs[0].response();
        let simulated = parallel::map(threads, &missing, simulate);
        known.extend(missing.into_iter().map(|(digest, _)| digest).zip(simulated));
        for (job, digest) in others {
            responses[job.index()] = known.get(&digest).copied().flatten();
        }
        responses
    }

    fn chains(&mut self, scenario: &Scenario, mode: Mode, threads: usize) -> &[Option<Span>] {
        let known = self.chains.iter().position(|(other, _)| *other == mode);
        let index = known.unwrap_or_else(|| {
            let response = |job: &Job| chain_response(scenario, mode, job);
            self.chains.push((mode, parallel::map(threads, scenario.jobs(), response)));
            self.chains.len() - 1
        });
        &self.chains[index].1
    }
}

/// Response time of every job alone on the idle cluster, arriving at 0, by index in the file; `None` if it does not even
/// finish alone.
pub fn alone_responses(scenario: &Scenario, policy: PolicyId) -> Vec<Option<Span>> {
    Alone::default().responses(scenario, policy, 1)
}

/// Whether a job alone takes no other way than [`chain_response`] says: tasks take cores as soon as there are any, and
/// only their own run time.
fn has_short_cut(scenario: &Scenario, policy: PolicyId) -> bool {
    // All fields, so that a new one has to be considered here.
    let Cluster {
        executors: _,
        cores_per_executor: _,
        task_overhead: _,
        stage_delay: _,
        driver,
        fair_tie_break: _,
        first_stage_id: _,
        core_move,
        memory_per_executor,
    } = scenario.cluster();
    let Info { idling, outcomes, .. } = policy.kind.info();
    let keeps_cores_busy = *idling == Idling::Never && *outcomes == Outcomes::Finished;
    keeps_cores_busy && !driver.is_modelled() && *core_move == Span(0) && memory_per_executor.is_none()
}

/// Response time of a job alone if each of its stages waits for the one before, so that whatever the policy there is one
/// stage at a time, whose tasks take the core that is free first. `None` for other jobs.
fn chain_response(scenario: &Scenario, mode: Mode, job: &Job) -> Option<Span> {
    // All fields, so that a new one has to be considered here and below.
    let Job { user: _, name: _, arrival: _, estimate: _, warm_factor, deadline: _, curve: _, stages } = job;
    let follows = |(index, stage): (usize, &Stage)| {
        let Stage {
            name: _,
            parents,
            input: _,
            partitions: _,
            splittable: _,
            estimate: _,
            first_wave,
            inflation,
            memory: _,
        } = stage;
        let waits_for_last = match index.checked_sub(1) {
            None => parents.is_empty(),
            Some(last) => parents.contains(&(last as u32)),
        };
        waits_for_last && *first_wave == 1.0 && inflation.is_empty()
    };
    if *warm_factor != 1.0 || !stages.iter().enumerate().all(follows) {
        return None;
    }
    let (cores, overhead) = (scenario.cluster().cores() as usize, scenario.cluster().task_overhead);
    let stage_time = |stage| {
        let count = scenario.partitioning().task_count(stage, mode);
        let mut tasks = stage.input.durations(count).into_iter().map(|span| span.0 + overhead.0);
        let mut ends: BinaryHeap<Reverse<u64>> = tasks.by_ref().take(cores).map(Reverse).collect();
        let mut last = ends.iter().map(|end| end.0).max().unwrap_or(0);
        for task in tasks {
            if let Some(mut first) = ends.peek_mut() {
                first.0 += task;
                last = last.max(first.0);
            }
        }
        last
    };
    let delays = scenario.cluster().stage_delay.0 * (stages.len() as u64).saturating_sub(1);
    Some(Span(stages.iter().map(stage_time).sum::<u64>() + delays))
}

/// A fingerprint of all that the run of a job alone depends on, besides the policy.
fn digest(scenario: &Scenario, job: JobId) -> u128 {
    let Job { user, name: _, arrival: _, estimate, warm_factor, deadline, curve, stages } =
        &scenario.jobs()[job.index()];
    let User { name: _, weight, queue } = &scenario.users()[user.index()];
    let mut hash = Xxh3::new();
    let text = format!("{:?}", (weight, queue, estimate, warm_factor, deadline, curve));
    hash.update(text.as_bytes());
    for stage in stages {
        let Stage {
            name: _,
            parents,
            input,
            partitions,
            splittable,
            estimate,
            first_wave,
            inflation,
            memory,
        } = stage;
        let text =
            format!("{:?}", (parents, partitions, splittable, estimate, first_wave, inflation, memory));
        hash.update(text.as_bytes());
        input.prefix().iter().for_each(|work| hash.update(&work.to_le_bytes()));
    }
    hash.digest128()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::edit::{ClusterEdit, Edit, JobEdit, Shift};

    /// A job moved, one changed, one new, and then other machines.
    #[test]
    fn what_is_known_of_jobs_alone_is_what_would_be_found() {
        let mut scenario = crate::catalog::find("two-users").expect("an entry").scenario();
        let policy = "uwfq-p".parse().expect("a policy");
        let mut alone = Alone::default();
        let changes = [
            Edit::Job(JobId(0), JobEdit::Arrival(crate::units::Time(77))),
            Edit::AddStage(JobId(1)),
            Edit::Duplicate { jobs: vec![JobId(0)], by: Shift(0) },
            Edit::Cluster(ClusterEdit::TaskOverhead(Span(500))),
        ];
        for change in changes {
            assert_eq!(alone.responses(&scenario, policy, 2), alone_responses(&scenario, policy));
            scenario = scenario.edited(&change).expect("a good edit").scenario;
            alone = alone.after_change();
        }
        assert_eq!(alone.responses(&scenario, policy, 2), alone_responses(&scenario, policy));
    }
}
