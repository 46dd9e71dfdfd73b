//! Admission of a job only with cores enough for its deadline, which it then has for life (docs/model.md section 10):
//! what Justice and the deadline oracle have in common.
//!
//! ```
//! use fairlane::trace::Outcome;
//! use fairlane::units::Time;
//! use fairlane::{Scenario, simulate};
//! let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 2 }, "jobs": [
//!     { "user": "ana", "arrival_s": 0, "deadline_s": 2, "stages": [{ "tasks_s": [1, 1] }] },
//!     { "user": "ben", "arrival_s": 0, "deadline_s": 1, "stages": [{ "tasks_s": [1, 1] }] } ] }"#)?;
//! let trace = simulate(&scenario, "deadline-oracle".parse()?);
//! // One core is enough for ana, and two are left for ben only when it is too late.
//! assert_eq!(trace.jobs[0].outcome, Outcome::Finished(Time(2_000_000)));
//! assert_eq!(trace.jobs[1].outcome, Outcome::Dropped(Time(2_000_000)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::rc::Rc;

use super::explain::{
    self, Contender, Decision, DecisionSubject, Key, KeyComponent, NumberedFacts, Target, Value,
};
use super::fair::reason_in_job;
use super::job_queue::JobQueue;
use super::{Actions, Admission, Cap, Context, Info, JobPhase, Launch, Policy, StageView, View};
use crate::ids::{Rank, StageIndex};
use crate::units::{Span, Time};

/// How many cores jobs need for their deadlines.
pub trait Requests: Clone + Sized {
    /// What the policy declares of itself.
    fn info() -> &'static Info;

    /// At the start of a simulation.
    fn new(context: &Context) -> Self;

    /// How many cores a waiting job asks for; `None` if no number is enough. It is infeasible if that is more than
    /// [`WaitingJob::most`].
    fn cores(&mut self, job: WaitingJob, view: &View) -> Option<f64>;

    /// What the number for a job was made of, if it is asked next.
    fn steps(&self, job: WaitingJob) -> Vec<KeyComponent>;

    /// An admitted job has ended or was dropped.
    fn job_ended(&mut self, job: EndedJob, view: &View);

    /// Whether an admitted job with this largest parallelism is dropped at its deadline.
    fn drops_late(&self, parallelism: u32) -> bool {
        let _ = parallelism;
        false
    }
}

/// A job that waits for its admission, before its deadline.
#[derive(Clone, Copy, Debug)]
pub struct WaitingJob {
    /// The job.
    pub rank: Rank,
    /// How long after its arrival it is due.
    pub deadline: Span,
    /// How long until then; more than 0.
    pub left: Span,
    /// The most cores that it can use: the lesser of its parallelism and the cores of the cluster.
    pub most: u32,
}

/// An admitted job that has ended.
#[derive(Clone, Copy, Debug)]
pub struct EndedJob {
    /// The job.
    pub rank: Rank,
    /// How long after its arrival it was due.
    pub deadline: Span,
    /// The most cores that it could use.
    pub most: u32,
    /// The cores that it was given.
    pub allocation: u32,
    /// Whether it finished no later than its deadline.
    pub succeeded: bool,
}

/// A policy that gives a job cores for life by what it requests.
///
/// A launch or an end of a task costs O(log jobs); the end of a job, and the first arrival of an instant, O(waiting
/// jobs), besides the requests.
#[derive(Clone, Debug)]
pub struct Gated<R> {
    requests: R,
    /// The admitted jobs that hold fewer cores than they may.
    queue: JobQueue,
    /// The jobs, indexed by rank.
    jobs: Vec<GatedJob>,
    /// Jobs that wait, by rank.
    waiting: Vec<Rank>,
    /// Cores that no job has for life.
    available: u32,
    /// When all waiting jobs were looked at last.
    last_round: Option<Time>,
}

#[derive(Clone, Debug)]
struct GatedJob {
    deadline: Span,
    most: u32,
    /// The tasks of its largest barrier stage, which start together.
    barrier: u32,
    /// Its cores for life, once it is admitted.
    allocation: Option<u32>,
    /// What its request was made of, once it is admitted.
    steps: Rc<[KeyComponent]>,
    dropped: bool,
}

impl GatedJob {
    fn allocation(&self) -> u32 {
        self.allocation.unwrap_or(0)
    }
}

impl<R: Requests> Gated<R> {
    /// Decides which of the waiting jobs start, which are dropped and which go on waiting.
    fn admit(&mut self, view: &View, actions: &mut Actions) {
        let waiting = std::mem::take(&mut self.waiting);
        self.decide(waiting, view, actions);
        self.last_round = Some(view.now());
    }

    /// Decides about some jobs, by rank: the others that wait have been looked at, at this instant, and passed over.
    fn decide(&mut self, jobs: Vec<Rank>, view: &View, actions: &mut Actions) {
        let mut feasible = Vec::new();
        for rank in jobs {
            if view.job(rank).phase() != JobPhase::Waiting {
                // It was cancelled.
                continue;
            }
            let GatedJob { deadline, most, barrier, .. } = self.jobs[rank.index()];
            let left = Span(deadline.0.saturating_sub(view.now().since(view.job(rank).arrival()).0));
            let job = WaitingJob { rank, deadline, left, most };
            let asked = if left.0 == 0 { None } else { self.requests.cores(job, view) };
            let asked = asked.map(|cores| cores.max(f64::from(barrier)));
            match asked.filter(|&cores| cores <= f64::from(most)) {
                Some(cores) => feasible.push((cores / left.0 as f64, cores as u32, job)),
                None => {
                    actions.explain(|| self.infeasible(job, asked, view));
                    actions.drop(rank);
                }
            }
        }
        feasible.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
        let mut passed_over = Vec::new();
        for (_, cores, job) in feasible {
            if cores > self.available {
                passed_over.push(job.rank);
            } else {
                self.available -= cores;
                let steps = self.parts(job, Some(f64::from(cores)));
                actions.explain(|| {
                    let label = view.scenario().job_label(view.job(job.rank).id());
                    let sentence =
                        format!("{label} is admitted with {}, for life.", explain::cores(f64::from(cores)));
                    Decision {
                        subject: DecisionSubject::Job(job.rank),
                        at: view.now(),
                        sentence,
                        parts: steps.clone(),
                    }
                });
                let state = &mut self.jobs[job.rank.index()];
                (state.allocation, state.steps) = (Some(cores), steps.into());
                actions.start(job.rank);
            }
        }
        passed_over.sort_unstable();
        self.waiting.extend(passed_over);
    }

    /// The numbers behind a decision on a request.
    fn parts(&self, job: WaitingJob, cores: Option<f64>) -> Vec<KeyComponent> {
        let mut parts = vec![
            KeyComponent::new("time left until the deadline", Value::Seconds(job.left.0 as f64)),
            KeyComponent::new("most cores that the job can use", Value::Cores(f64::from(job.most))),
        ];
        if let Some(cores) = cores {
            parts.extend(self.requests.steps(job));
            parts.push(KeyComponent::new("cores asked for", Value::Cores(cores)));
        }
        parts
    }

    /// Why a waiting job is dropped.
    fn infeasible(&self, job: WaitingJob, asked: Option<f64>, view: &View) -> Decision {
        let (label, most) = (view.scenario().job_label(view.job(job.rank).id()), f64::from(job.most));
        let sentence = match asked {
            _ if job.left.0 == 0 => format!("{label} is dropped: its deadline has passed."),
            Some(cores) => format!(
                "{label} is dropped: it needs {} for its deadline and can use at most {most}.",
                explain::cores(cores)
            ),
            None => format!("{label} is dropped: even {} do not meet its deadline.", explain::cores(most)),
        };
        Decision {
            subject: DecisionSubject::Job(job.rank),
            at: view.now(),
            sentence,
            parts: self.parts(job, asked),
        }
    }
}

impl<R: Requests> Policy for Gated<R> {
    fn info() -> &'static Info {
        R::info()
    }

    fn new(context: &Context) -> Self {
        Gated {
            requests: R::new(context),
            queue: JobQueue::default(),
            jobs: Vec::new(),
            waiting: Vec::new(),
            available: context.cores(),
            last_round: None,
        }
    }

    fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission {
        let (deadline, parallelism) = (view.deadline(job), view.job(job).parallelism());
        let most = parallelism.min(view.cores());
        let barriers = view.job(job).stages().filter(|stage| stage.spec().barrier);
        let barrier = barriers.map(|stage| stage.tasks()).max().unwrap_or(0);
        let (allocation, steps) = (None, Rc::default());
        self.jobs.push(GatedJob { deadline, most, barrier, allocation, steps, dropped: false });
        if self.requests.drops_late(parallelism) {
            actions.wake(view.now().max(view.job(job).arrival() + deadline), job.0);
        }
        if self.last_round == Some(view.now()) {
            // The others asked for more than was available, and still do.
            self.decide(vec![job], view, actions);
        } else {
            self.waiting.push(job);
            self.admit(view, actions);
        }
        Admission::Wait
    }

    /// The deadline of a job.
    fn woken(&mut self, token: u32, view: &View, actions: &mut Actions) {
        let job = Rank(token);
        if view.job(job).phase() == JobPhase::Started {
            let state = &mut self.jobs[job.index()];
            state.dropped = true;
            let (deadline, most) = (state.deadline, state.most);
            actions.explain(|| {
                let label = view.scenario().job_label(view.job(job).id());
                let waiting = WaitingJob { rank: job, deadline, left: Span(0), most };
                Decision {
                    subject: DecisionSubject::Job(job),
                    at: view.now(),
                    sentence: format!("{label} is dropped: it has not ended at its deadline."),
                    parts: self.parts(waiting, None),
                }
            });
            actions.drop(job);
        }
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        let stage = view.stage(stage);
        self.queue.stage_changed(stage, stage.running());
        let job = stage.job_view();
        match job.running() < self.jobs[job.rank().index()].allocation() {
            true => self.queue.update(job, 0),
            false => self.queue.remove(job.rank()),
        }
    }

    fn job_ended(&mut self, rank: Rank, view: &View, actions: &mut Actions) {
        let GatedJob { deadline, most, allocation, dropped, .. } = self.jobs[rank.index()];
        let allocation = allocation.unwrap_or(0);
        self.available += allocation;
        let has_failed = dropped || view.job(rank).is_cancelled();
        let succeeded = !has_failed && view.now() <= view.job(rank).arrival() + deadline;
        self.requests.job_ended(EndedJob { rank, deadline, most, allocation, succeeded }, view);
        self.admit(view, actions);
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        self.queue.next_task(view, |stage| stage.running())
    }

    fn cap(&self, stage: StageView) -> Option<Cap> {
        let allocation = self.jobs[stage.job().index()].allocation();
        Some(Cap { group: stage.job().0, room: allocation.saturating_sub(stage.job_view().running()) })
    }

    fn may_launch(&self, stage: StageView) -> bool {
        self.cap(stage).is_none_or(|cap| cap.room > 0)
    }

    fn key(&self, stage: StageView) -> Key {
        let job = stage.job_view();
        let is_full = u64::from(job.running() >= self.jobs[job.rank().index()].allocation());
        let holds = KeyComponent::new("the job holds its allocation (1) or less (0)", Value::Number(is_full));
        Key::of_job(
            stage,
            holds,
            KeyComponent::new("running tasks of the stage", Value::Tasks(stage.running())),
        )
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        let (job, state) = (stage.job_view(), &self.jobs[stage.job().index()]);
        let allocation = state.allocation();
        let mut parts = vec![
            KeyComponent::new("running tasks of the job", Value::Tasks(job.running())),
            KeyComponent::new("allocation of the job", Value::Cores(f64::from(allocation))),
        ];
        parts.extend(state.steps.iter().cloned());
        let is_full = job.running() >= allocation;
        NumberedFacts { parts, remark: is_full.then_some("Its job holds all the cores that it was given.") }
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        let (label, other) = (first.label, second.label);
        match part {
            0 => format!("{other}'s job holds all the cores that it was given, so {label} goes first."),
            1 => format!("The job of {label} arrived before that of {other}, so it goes first."),
            _ => reason_in_job(first, second),
        }
    }

    /// The cores that an admitted job has for life.
    fn target(&self, job: Rank, _: &View) -> Option<Target> {
        let cores = self.jobs[job.index()].allocation?;
        Some(Target { cores: f64::from(cores), fair_share: None })
    }
}
