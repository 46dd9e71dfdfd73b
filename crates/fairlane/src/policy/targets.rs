//! What policies have in common that want jobs to hold certain numbers of cores.

use super::explain::{Contender, KeyComponent, Target, Value};
use super::job_queue::{JobQueue, ordered};
use super::{Context, JobView, Launch, OfferCause, StageView, View};
use crate::ids::{CoreId, Rank};

/// Shares of the cores in proportion to a power of the active jobs' estimated work; a freed core goes first to the job
/// that it served.
#[derive(Clone, Debug)]
pub(super) struct PowerShares {
    cores: f64,
    alpha: f64,
    /// T^alpha of each job, by rank.
    powers: Vec<f64>,
    /// Active jobs, by rank.
    active: Vec<Rank>,
    /// S: the sum of the active jobs' powers.
    sum: f64,
    queue: JobQueue,
    /// In the offer round after a task's end: the freed core and the job that it served.
    freed: Option<(CoreId, Rank)>,
}

impl PowerShares {
    pub(super) fn new(context: &Context, alpha: f64) -> PowerShares {
        PowerShares {
            cores: f64::from(context.cores()),
            alpha,
            powers: Vec::new(),
            active: Vec::new(),
            sum: 0.0,
            queue: JobQueue::default(),
            freed: None,
        }
    }

    pub(super) fn job_arrived(&mut self, job: Rank, view: &View) {
        let work = view.job(job).estimate().0.max(1) as f64;
        // Exact where no library is needed.
        self.powers.push(match self.alpha {
            0.0 => 1.0,
            1.0 => work,
            -1.0 => 1.0 / work,
            alpha => libm::pow(work, alpha),
        });
        self.active.push(job);
        // The last summand.
        self.sum += self.powers[job.index()];
        self.update(view);
    }

    pub(super) fn job_ended(&mut self, job: Rank, view: &View) {
        self.active.retain(|&other| other != job);
        self.sum = self.active.iter().map(|job| self.powers[job.index()]).sum();
        self.update(view);
    }

    /// Jobs have arrived or ended.
    fn update(&mut self, view: &View) {
        for &job in &self.active {
            let job = view.job(job);
            self.queue.update(job, ordered(self.running_less_target(job)));
        }
    }

    /// The counts of a stage have changed; a number that orders it in its job.
    pub(super) fn counts_changed(&mut self, stage: StageView, order: u32) {
        self.queue.stage_changed(stage, order);
        let job = stage.job_view();
        self.queue.update(job, ordered(self.running_less_target(job)));
    }

    pub(super) fn offer_started(&mut self, cause: OfferCause, view: &View) {
        self.freed = match cause {
            OfferCause::TaskEnd(Launch { stage, core }) if view.is_free(core) => {
                Some((core, view.stage(stage).job()))
            }
            _ => None,
        };
    }

    pub(super) fn next_task<K: Ord>(
        &mut self,
        view: &View,
        order: impl Fn(StageView) -> K,
    ) -> Option<Launch> {
        let freed = self.freed.take();
        let kept = freed.and_then(|(core, job)| self.queue.next_task_of(view.job(job), core, view, &order));
        kept.or_else(|| self.queue.next_task(view, order))
    }

    /// The cores that a job is due.
    fn due(&self, job: Rank) -> f64 {
        self.cores * (self.powers[job.index()] / self.sum)
    }

    fn running_less_target(&self, job: JobView) -> f64 {
        -(self.due(job.rank()) - f64::from(job.held()))
    }

    /// The first part of a key.
    pub(super) fn part(&self, job: JobView) -> KeyComponent {
        KeyComponent::new(held_less_target(job), Value::Cores(self.running_less_target(job) + 0.0))
    }

    pub(super) fn facts(&self, job: JobView) -> Vec<KeyComponent> {
        vec![
            KeyComponent::new("target of the job", Value::Cores(self.due(job.rank()))),
            KeyComponent::new("running tasks of the job", Value::Tasks(job.running())),
        ]
    }

    pub(super) fn target(&self, job: Rank) -> Option<Target> {
        Some(Target { cores: self.due(job), fair_share: None })
    }
}

/// What the first part of a key is called that a job's target decides.
pub(super) fn held_less_target(job: JobView) -> &'static str {
    if job.keeps_cores() { "cores held less target" } else { "running tasks less target" }
}

/// Why a job goes first whose running tasks less its target are fewest.
pub(super) fn furthest_below_target(first: &Contender, second: &Contender) -> String {
    let [mine, theirs] = [first, second].map(|stage| &stage.key.parts()[0].value);
    let (label, name) = (first.label, &first.key.parts()[0].name);
    format!("{label}'s job is furthest below its target ({name}: {mine} against {theirs}), so it goes first.")
}
