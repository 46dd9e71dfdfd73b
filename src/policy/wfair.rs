//! Weighted fair: each active job's target is a share of the cores in proportion to a power of its estimated work
//! (Decima, section 7.1: fair at alpha 0, naive weighted fair at 1, tuned near -1).

use super::allocating::{JobQueue, ordered};
use super::baseline_fs::stages_of_equal_jobs;
use super::explain::{Contender, Explainer, Explanation, Part, Ranking, Value};
use super::log::Snapshot;
use super::parameters::{Parameter, ParameterKind};
use super::{Actions, Admission, Candidate, Colour, Context, Group, Info, Launch, OfferCause, Policy, View};
use crate::ids::{CoreId, Rank, StageId, StageIndex};

/// What readers should know of weighted fair.
pub const INFO: Info = Info {
    id: "wfair",
    title: "Weighted fair",
    summary: "Each job gets a share of the cores in proportion to a power of its estimated work, and keeps cores it has warmed.",
    key: "-(target - running tasks of the job), rank of arrival, running tasks of the stage, stage id",
    group: Group::JobSizes,
    colour: Colour { light: 0x00_7f8c, dark: 0x4f_c3cf },
    parameters: &[Parameter {
        name: "alpha",
        title: "Weighted fair alpha",
        summary: "The power of a job's estimated work that its share is proportional to.",
        kind: ParameterKind::Number { default: 0.0, least: -8.0, most: 8.0 },
    }],
    ..Info::DEFAULT
};

/// The active jobs' targets.
struct Targets {
    cores: f64,
    /// T^alpha of each job, by rank.
    powers: Vec<f64>,
    /// S: the sum over the active jobs, by rank.
    sum: f64,
}

impl Targets {
    fn new(context: &Context) -> Targets {
        let alpha = context.number(&INFO, "alpha");
        let jobs = context.scenario.jobs();
        let power = |estimate: u64| {
            let work = estimate.max(1) as f64;
            // Exact where no library is needed.
            match alpha {
                0.0 => 1.0,
                1.0 => work,
                -1.0 => 1.0 / work,
                _ => libm::pow(work, alpha),
            }
        };
        let order = context.scenario.arrival_order();
        let powers = order.iter().map(|job| power(jobs[job.index()].estimate.0)).collect();
        Targets { cores: f64::from(context.cores()), powers, sum: 0.0 }
    }

    fn set_active(&mut self, active: &[Rank]) {
        self.sum = active.iter().map(|job| self.powers[job.index()]).sum();
    }

    /// The cores that a job is due.
    fn of(&self, job: Rank) -> f64 {
        self.cores * (self.powers[job.index()] / self.sum)
    }

    fn key(&self, job: Rank, running: u32) -> f64 {
        -(self.of(job) - f64::from(running))
    }
}

/// Sharing by a power of the estimated work. Key: (-(target - running tasks of the job), rank of arrival, running tasks
/// of the stage, stage id); a freed core goes first to the job that it served.
pub struct Wfair {
    targets: Targets,
    queue: JobQueue,
    /// Active jobs, by rank.
    active: Vec<Rank>,
    /// In the offer round after a task's end: the freed core and the job that it served.
    freed: Option<(CoreId, Rank)>,
}

impl Wfair {
    fn update_keys(&mut self) {
        self.targets.set_active(&self.active);
        for &job in &self.active {
            self.queue.set_key(job, ordered(self.targets.key(job, self.queue.running(job))));
        }
    }

    fn update_key(&mut self, stage: StageIndex, view: &View) {
        let job = view.stage(stage).job();
        self.queue.set_key(job, ordered(self.targets.key(job, self.queue.running(job))));
    }
}

impl Policy for Wfair {
    const INFO: &'static Info = &INFO;

    type Explainer = WfairExplainer;

    fn new(context: &Context) -> Self {
        Wfair { targets: Targets::new(context), queue: JobQueue::default(), active: Vec::new(), freed: None }
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        self.queue.insert(job, view);
        self.active.push(job);
        self.update_keys();
        Admission::Start
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        self.queue.push(stage, view);
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        self.queue.task_launched(launch.stage, view);
        self.update_key(launch.stage, view);
    }

    fn task_ended(&mut self, launch: Launch, view: &View) {
        self.queue.task_ended(launch.stage, view);
        self.update_key(launch.stage, view);
    }

    fn job_ended(&mut self, job: Rank, view: &View, _: &mut Actions) {
        self.queue.remove(job, view);
        self.active.retain(|&other| other != job);
        self.update_keys();
    }

    fn offer_started(&mut self, cause: OfferCause, view: &View) {
        self.freed = match cause {
            OfferCause::TaskEnd(ended) => Some((ended.core, view.stage(ended.stage).job())),
            OfferCause::Submission(_) | OfferCause::Drop(_) => None,
        };
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let served = self.freed.take().and_then(|(core, job)| self.queue.next_task_of(job, core, view));
        served.or_else(|| self.queue.next_task(view))
    }
}

/// Explains the keys of weighted fair.
pub struct WfairExplainer {
    targets: Targets,
    /// Running tasks of the active jobs, by rank.
    running: Vec<u32>,
}

impl Ranking for WfairExplainer {
    type Key = (u64, Rank, u32, StageId);

    fn key(&self, stage: &Candidate) -> Self::Key {
        let key = self.targets.key(stage.rank, self.running[stage.rank.index()]);
        (ordered(key), stage.rank, stage.running, stage.id)
    }
}

impl Explainer for WfairExplainer {
    fn at(context: &Context, snapshot: &Snapshot) -> Self {
        let (mut targets, mut running) = (Targets::new(context), vec![0; context.jobs()]);
        let active = snapshot.active_jobs();
        targets.set_active(&active);
        for job in active {
            running[job.index()] = snapshot.jobs.running(job);
        }
        WfairExplainer { targets, running }
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        let running = self.running[stage.rank.index()];
        let parts = vec![
            Part::new("running tasks less target", Value::Cores(self.targets.key(stage.rank, running) + 0.0)),
            Part::new("rank of arrival", Value::Number(u64::from(stage.rank.0))),
            Part::new("running tasks of the stage", Value::Tasks(stage.running)),
            Part::new("stage id", Value::Number(stage.id.0)),
        ];
        let facts = vec![
            Part::new("target of the job", Value::Cores(self.targets.of(stage.rank))),
            Part::new("running tasks of the job", Value::Tasks(running)),
        ];
        Explanation { parts, facts, remark: None }
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        let label = first.label;
        match first.key.decided_by(second.key) {
            Some(0) => format!(
                "{label}'s job is furthest below its target (running tasks less target: {} against {}), so it goes first.",
                first.key.parts[0].value, second.key.parts[0].value
            ),
            _ => stages_of_equal_jobs(first, second, 1),
        }
    }
}
