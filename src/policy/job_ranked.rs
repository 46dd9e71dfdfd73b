//! Policies that rank the active jobs by a key, which moves with a job's running tasks and its target (docs/model.md
//! section 9), and the adapter that makes them a [`Policy`].
//!
//! ```
//! use fairlane::{PolicyKind, catalog, simulate};
//! let scenario = catalog::find("two-users").expect("an entry").scenario();
//! let trace = simulate(&scenario, "baseline-fs".parse()?);
//! assert_eq!(trace.policy.kind, PolicyKind::BaselineFs);
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

use super::explain::{Contender, Explainer, Explanation, Part, Ranking, Value};
use super::log::Snapshot;
use super::queue::CountQueue;
use super::{Actions, Admission, Candidate, Context, Info, Launch, OfferCause, Policy, View, fair};
use crate::ids::{CoreId, Rank, StageId, StageIndex};
use crate::tournament::{self, Tournament};

/// A policy that gives each active job a key. The next task is of the job with the least (key, rank of arrival), and
/// there of the stage with the least (running tasks, stage id).
#[expect(unused_variables, reason = "a policy implements the hooks that it needs")]
pub trait JobRankedPolicy: Sized {
    /// Whether a freed core goes first to the job that it served.
    const KEEPS_CORES: bool = false;

    /// What the policy declares of itself.
    fn info() -> &'static Info;

    /// A policy at the start of a simulation.
    fn new(context: &Context) -> Self;

    /// The key of a job of which `running` tasks hold a core.
    fn key(&self, job: Rank, running: u32) -> u64;

    /// A job has arrived.
    fn job_arrived(&mut self, job: Rank) {}

    /// A job has ended.
    fn job_ended(&mut self, job: Rank) {}

    /// The jobs whose keys change when another one arrives or ends.
    fn changed(&self) -> &[Rank] {
        &[]
    }

    /// The key in words and numbers, and what it is made of.
    fn explain(&self, job: Rank, running: u32) -> (Part, Vec<Part>);

    /// Why the first of two stages goes before the second if the keys of their jobs differ: a sentence.
    fn reason(first: &Contender, second: &Contender) -> String;
}

/// The adapter between a [`JobRankedPolicy`] and the engine.
pub struct JobRanked<P> {
    policy: P,
    queue: JobQueue,
    /// In the offer round after a task's end: the freed core and the job that it served.
    freed: Option<(CoreId, Rank)>,
}

impl<P: JobRankedPolicy> JobRanked<P> {
    fn update_key(&mut self, job: Rank) {
        self.queue.set_key(job, self.policy.key(job, self.queue.running(job)));
    }

    fn update_changed(&mut self) {
        for &job in self.policy.changed() {
            self.queue.set_key(job, self.policy.key(job, self.queue.running(job)));
        }
    }
}

impl<P: JobRankedPolicy> Policy for JobRanked<P> {
    type Explainer = JobExplainer<P>;

    fn info() -> &'static Info {
        P::info()
    }

    fn new(context: &Context) -> Self {
        JobRanked { policy: P::new(context), queue: JobQueue::default(), freed: None }
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        self.queue.insert(job, view);
        self.policy.job_arrived(job);
        self.update_key(job);
        self.update_changed();
        Admission::Start
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        self.queue.push(stage, view);
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        self.queue.task_launched(launch.stage, view);
        self.update_key(view.stage(launch.stage).job());
    }

    fn task_ended(&mut self, launch: Launch, view: &View) {
        self.queue.task_ended(launch.stage, view);
        self.update_key(view.stage(launch.stage).job());
    }

    fn job_ended(&mut self, job: Rank, view: &View, _: &mut Actions) {
        self.queue.remove(job, view);
        self.policy.job_ended(job);
        self.update_changed();
    }

    fn offer_started(&mut self, cause: OfferCause, view: &View) {
        self.freed = match cause {
            OfferCause::TaskEnd(Launch { stage, core }) if P::KEEPS_CORES => {
                Some((core, view.stage(stage).job()))
            }
            _ => None,
        };
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let served = self.freed.take().and_then(|(core, job)| self.queue.next_task_of(job, core, view));
        served.or_else(|| self.queue.next_task(view))
    }
}

/// Explains the keys of a [`JobRankedPolicy`].
pub struct JobExplainer<P> {
    policy: P,
    /// Running tasks of the active jobs, by rank.
    running: Vec<u32>,
}

impl<P: JobRankedPolicy> Ranking for JobExplainer<P> {
    type Key = (u64, Rank, u32, StageId);

    fn key(&self, stage: &Candidate) -> Self::Key {
        let key = self.policy.key(stage.rank, self.running[stage.rank.index()]);
        (key, stage.rank, stage.running, stage.id)
    }
}

impl<P: JobRankedPolicy> Explainer for JobExplainer<P> {
    fn at(context: &Context, snapshot: &Snapshot) -> Self {
        let (mut policy, mut running) = (P::new(context), vec![0; context.jobs()]);
        for job in snapshot.active_jobs() {
            policy.job_arrived(job);
            running[job.index()] = snapshot.jobs.running(job);
        }
        JobExplainer { policy, running }
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        let (key, facts) = self.policy.explain(stage.rank, self.running[stage.rank.index()]);
        let parts = vec![
            key,
            Part::new("rank of arrival", Value::Number(u64::from(stage.rank.0))),
            Part::new("running tasks of the stage", Value::Tasks(stage.running)),
            Part::new("stage id", Value::Number(stage.id.0)),
        ];
        Explanation { parts, facts, remark: None }
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        let (label, other) = (first.label, second.label);
        match first.key.decided_by(second.key) {
            Some(0) => P::reason(first, second),
            Some(1) => {
                format!(
                    "The jobs of {label} and {other} are level and {label}'s arrived first, so it goes first."
                )
            }
            _ => {
                let stages = fair::reason_among_stages(first, second, 2);
                format!("Both are of one job: {stages}, so {label} goes first.")
            }
        }
    }
}

/// A number that orders as the number it is made of, negative or not; 0 and -0 are equal.
pub fn ordered(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The waiting stages by (key of the job, rank of arrival, running tasks of the stage, stage id).
///
/// O(log jobs) for each launch and end of a task, and for each new key of a job; where memory is modelled, a launch
/// looks at all waiting stages, because the first may not fit.
#[derive(Default)]
struct JobQueue {
    /// Jobs with waiting stages, by key.
    order: Tournament,
    jobs: Vec<JobEntry>,
    /// Where memory is modelled: the waiting stages.
    waiting: Vec<StageIndex>,
}

#[derive(Default)]
struct JobEntry {
    key: u64,
    running: u32,
    /// Its waiting stages, by position in the job.
    stages: Option<CountQueue>,
}

impl JobQueue {
    /// A job has arrived; it has no waiting stage yet.
    fn insert(&mut self, job: Rank, view: &View) {
        if self.jobs.is_empty() {
            self.jobs.resize_with(view.jobs() as usize, JobEntry::default);
        }
        self.jobs[job.index()].stages = Some(CountQueue::new(view.job(job).stages().len()));
    }

    /// A job has ended.
    fn remove(&mut self, job: Rank, view: &View) {
        self.jobs[job.index()].stages = None;
        self.order.clear(job.0);
        self.waiting.retain(|&stage| view.stage(stage).job() != job);
    }

    /// Running tasks of a job.
    fn running(&self, job: Rank) -> u32 {
        self.jobs[job.index()].running
    }

    /// Sets a job's key.
    fn set_key(&mut self, job: Rank, key: u64) {
        self.jobs[job.index()].key = key;
        self.update_order(job);
    }

    fn update_order(&mut self, job: Rank) {
        let entry = &self.jobs[job.index()];
        match entry.stages.as_ref().and_then(CountQueue::first) {
            Some(_) => self.order.set(job.0, tournament::key(entry.key, 0, job.0)),
            None => self.order.clear(job.0),
        }
    }

    /// A stage is submitted.
    fn push(&mut self, stage: StageIndex, view: &View) {
        if view.models_memory() {
            self.waiting.push(stage);
        }
        self.update_stage(stage, view);
        self.update_order(view.stage(stage).job());
    }

    /// A task was launched. The caller sets the job's key afterwards if it depends on the running tasks.
    fn task_launched(&mut self, stage: StageIndex, view: &View) {
        self.jobs[view.stage(stage).job().index()].running += 1;
        if view.models_memory() && view.stage(stage).pending() == 0 {
            self.waiting.retain(|&other| other != stage);
        }
        self.update_stage(stage, view);
    }

    /// A task has ended. The caller sets the job's key afterwards if it depends on the running tasks.
    fn task_ended(&mut self, stage: StageIndex, view: &View) {
        self.jobs[view.stage(stage).job().index()].running -= 1;
        self.update_stage(stage, view);
    }

    fn update_stage(&mut self, stage: StageIndex, view: &View) {
        let seen = view.stage(stage);
        let Some(stages) = &mut self.jobs[seen.job().index()].stages else { return };
        if seen.pending() > 0 {
            stages.set(seen.position(), seen.running());
        } else {
            stages.remove(seen.position());
        }
    }

    /// The next task by the keys as they are now, on the lowest-numbered free core that it fits.
    fn next_task(&self, view: &View) -> Option<Launch> {
        if view.models_memory() {
            let most = view.largest_free_memory()?;
            let fitting = self.waiting.iter().copied().filter(|&stage| view.stage(stage).memory() <= most);
            let stage = fitting.min_by_key(|&stage| {
                let seen = view.stage(stage);
                (self.jobs[seen.job().index()].key, seen.job(), seen.running(), stage)
            })?;
            return Some(Launch { stage, core: view.lowest_fitting_core(stage)? });
        }
        let job = Rank(tournament::slot(self.order.first()?));
        let position = self.jobs[job.index()].stages.as_ref()?.first()?;
        Some(Launch { stage: view.job(job).stage(position), core: view.lowest_free_core()? })
    }

    /// The next task of a job on a core, if it has one that fits it.
    fn next_task_of(&self, job: Rank, core: CoreId, view: &View) -> Option<Launch> {
        if !view.models_memory() {
            let position = self.jobs[job.index()].stages.as_ref()?.first()?;
            return Some(Launch { stage: view.job(job).stage(position), core });
        }
        let of_job = self.waiting.iter().copied().filter(|&stage| view.stage(stage).job() == job);
        let fitting = of_job.filter(|&stage| view.fits(stage, core));
        let stage = fitting.min_by_key(|&stage| (view.stage(stage).running(), stage))?;
        Some(Launch { stage, core })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_order() {
        let numbers = [f64::NEG_INFINITY, -2.5, -1.0, -1e-300, -0.0, 1e-300, 1.0, 7.0, f64::INFINITY];
        assert!(numbers.is_sorted_by_key(|&number| ordered(number)));
        assert_eq!(ordered(-0.0), ordered(0.0));
    }
}
