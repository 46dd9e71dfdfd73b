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

use std::rc::Rc;

use super::explain::{Contender, Explainer, Explanation, Part, Ranking, Target, Value};
use super::job_queue::JobQueue;
use super::log::{EventKind, PolicyEvent, PolicyLog, Snapshot};
use super::{Actions, Admission, Candidate, Context, Info, Launch, OfferCause, Phase, Policy, View, fair};
use crate::ids::{CoreId, Rank, StageId, StageIndex};

/// A policy that gives each active job a key. The next task is of the job with the least (key, rank of arrival), and
/// there of the stage with the least (running tasks, stage id), unless the policy orders a job's stages otherwise.
#[expect(unused_variables, reason = "a policy implements the hooks that it needs")]
pub trait JobRankedPolicy: Sized {
    /// Whether a freed core goes first to the job that it served.
    const KEEPS_CORES: bool = false;

    /// Whether a job that has not ended at its deadline is dropped then.
    const DROPS_LATE_JOBS: bool = false;

    /// Whether the policy has targets for jobs: [`JobRankedPolicy::target`].
    const HAS_TARGETS: bool = false;

    /// What the policy declares of itself.
    fn info() -> &'static Info;

    /// A policy at the start of a simulation.
    fn new(context: &Context) -> Self;

    /// The key of a job of which `running` tasks hold a core.
    fn key(&self, job: Rank, running: u32) -> u64;

    /// By stage index, each stage's position among those of its job, if that is their order whatever runs; empty if it
    /// is (running tasks, stage id).
    fn stage_positions(&self) -> Rc<[u32]> {
        Rc::default()
    }

    /// A job has arrived.
    fn job_arrived(&mut self, job: Rank) {}

    /// A job has ended.
    fn job_ended(&mut self, job: Rank) {}

    /// Jobs have arrived or ended since the last call.
    fn update(&mut self) {}

    /// The jobs whose keys may be others after [`JobRankedPolicy::update`].
    fn changed(&self) -> &[Rank] {
        &[]
    }

    /// The cores that an active job is meant to hold, if the policy has such targets.
    fn target(&self, job: Rank) -> Option<f64> {
        None
    }

    /// The fair share that its target started from, in cores, if the policy starts from one.
    fn fair_share(&self, job: Rank) -> Option<f64> {
        None
    }

    /// Remembers whatever [`JobRankedPolicy::explain`] needs, from now on. A simulation does not ask for it.
    fn keep_reasons(&mut self, context: &Context) {}

    /// The key in words and numbers, and what it is made of.
    fn explain(&self, job: Rank, running: u32) -> (Part, Vec<Part>);

    /// A stage's position in words and numbers, what it is made of, and a remark, for a policy that has
    /// [`JobRankedPolicy::stage_positions`].
    fn explain_stage(&self, stage: StageIndex) -> (Vec<Part>, Option<&'static str>) {
        (Vec::new(), None)
    }

    /// Why the first of two stages goes before the second if the keys of their jobs differ: a sentence.
    fn reason(first: &Contender, second: &Contender) -> String;

    /// Why the first of two stages of one job goes before the second: a clause. Part 2 of their keys and those after it
    /// order the stages.
    fn reason_among_stages(first: &Contender, second: &Contender) -> String {
        fair::reason_among_stages(first, second, 2)
    }
}

/// The adapter between a [`JobRankedPolicy`] and the engine.
pub struct JobRanked<P> {
    policy: P,
    queue: JobQueue,
    /// In the offer round after a task's end: the freed core and the job that it served.
    freed: Option<(CoreId, Rank)>,
}

impl<P: JobRankedPolicy> JobRanked<P> {
    /// Jobs have arrived or ended.
    fn update_keys(&mut self) {
        self.policy.update();
        let policy = &self.policy;
        self.queue.set_keys(policy.changed(), |job, running| policy.key(job, running));
    }
}

impl<P: JobRankedPolicy> Policy for JobRanked<P> {
    type Explainer = JobExplainer<P>;

    fn info() -> &'static Info {
        P::info()
    }

    fn new(context: &Context) -> Self {
        let policy = P::new(context);
        JobRanked { queue: JobQueue::new(policy.stage_positions()), policy, freed: None }
    }

    fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission {
        self.queue.insert(job, view);
        self.policy.job_arrived(job);
        self.update_keys();
        self.queue.set_key(job, self.policy.key(job, 0));
        if P::DROPS_LATE_JOBS {
            let deadline = view.job(job).arrival() + view.deadline(job);
            // The driver may have handled the arrival only later.
            actions.wake(deadline.max(view.now()), job.0);
        }
        Admission::Start
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        self.queue.push(stage, view);
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        self.queue.task_launched(launch.stage, view, |job, running| self.policy.key(job, running));
    }

    fn task_ended(&mut self, launch: Launch, view: &View) {
        self.queue.task_ended(launch.stage, view, |job, running| self.policy.key(job, running));
    }

    fn job_ended(&mut self, job: Rank, view: &View, _: &mut Actions) {
        self.queue.remove(job, view);
        self.policy.job_ended(job);
        self.update_keys();
    }

    /// The deadline of a job.
    fn woken(&mut self, job: u32, view: &View, actions: &mut Actions) {
        let job = Rank(job);
        if view.job(job).phase() == Phase::Started {
            // The offer round before its end must not ask for its tasks.
            self.queue.remove(job, view);
            actions.drop(job);
        }
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
    positions: Rc<[u32]>,
    first_stage_id: u64,
    /// Running tasks of the active jobs, by rank.
    running: Vec<u32>,
}

impl<P: JobRankedPolicy> Ranking for JobExplainer<P> {
    type Key = (u64, Rank, u32, StageId);

    fn key(&self, stage: &Candidate) -> Self::Key {
        let key = self.policy.key(stage.rank, self.running[stage.rank.index()]);
        let position = self.positions.get(self.index(stage).index()).copied();
        (key, stage.rank, position.unwrap_or(stage.running), stage.id)
    }
}

impl<P> JobExplainer<P> {
    fn index(&self, stage: &Candidate) -> StageIndex {
        StageIndex((stage.id.0 - self.first_stage_id) as u32)
    }
}

impl<P: JobRankedPolicy> Explainer for JobExplainer<P> {
    const HAS_TARGETS: bool = P::HAS_TARGETS;

    fn at(context: &Context, snapshot: &Snapshot) -> Self {
        let (mut policy, mut running) = (P::new(context), vec![0; context.jobs()]);
        policy.keep_reasons(context);
        for job in snapshot.active_jobs() {
            policy.job_arrived(job);
            running[job.index()] = snapshot.jobs.running(job);
        }
        policy.update();
        let first_stage_id = context.scenario.cluster().first_stage_id;
        JobExplainer { positions: policy.stage_positions(), policy, first_stage_id, running }
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        let (key, mut facts) = self.policy.explain(stage.rank, self.running[stage.rank.index()]);
        let mut parts = vec![key, Part::new("rank of arrival", Value::Number(u64::from(stage.rank.0)))];
        let mut remark = None;
        match self.positions.get(self.index(stage).index()) {
            None => parts.push(Part::new("running tasks of the stage", Value::Tasks(stage.running))),
            Some(&position) => {
                parts.push(Part::new("position in the job", Value::Number(u64::from(position))));
                let (more, what) = self.policy.explain_stage(self.index(stage));
                facts.extend(more);
                remark = what;
            }
        }
        parts.push(Part::new("stage id", Value::Number(stage.id.0)));
        Explanation { parts, facts, remark }
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
                let stages = P::reason_among_stages(first, second);
                format!("Both are of one job: {stages}, so {label} goes first.")
            }
        }
    }

    fn targets(context: &Context, events: &[PolicyEvent], _: &PolicyLog) -> Option<Vec<Target>> {
        targets::<P>(context, events)
    }
}

/// The targets of the active jobs after each arrival and end of a job, where they have changed.
fn targets<P: JobRankedPolicy>(context: &Context, events: &[PolicyEvent]) -> Option<Vec<Target>> {
    let (mut policy, mut targets) = (P::new(context), Vec::new());
    let mut last = vec![None; context.jobs()];
    for &PolicyEvent { at, kind } in events {
        match kind {
            EventKind::Arrival(job) => policy.job_arrived(job),
            EventKind::JobEnd(job) => policy.job_ended(job),
            EventKind::Submission(_) | EventKind::Drop(_) => continue,
        }
        policy.update();
        for &job in policy.changed() {
            let cores = policy.target(job)?;
            let now = (cores, policy.fair_share(job));
            if last[job.index()] != Some(now) {
                last[job.index()] = Some(now);
                targets.push(Target { at, job, cores, fair_share: now.1 });
            }
        }
    }
    (!targets.is_empty()).then_some(targets)
}

/// A number that orders as the number it is made of, negative or not; 0 and -0 are equal.
pub fn ordered(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
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
