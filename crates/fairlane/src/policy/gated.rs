//! Policies that admit a job only with cores enough for its deadline, which it then has for life (docs/model.md section
//! 10), and the adapter that makes them a [`Policy`].
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
    self, Contender, Decision, Explainer, Explanation, Part, Ranking, Subject, Target, Value,
};
use super::job_queue::JobQueue;
use super::log::{PolicyEvent, PolicyLog, Snapshot, ValueEntry};
use super::{Actions, Admission, Candidate, Context, Info, Launch, OfferCause, Phase, Policy, View, fair};
use crate::ids::{Rank, StageId, StageIndex};
use crate::units::{Span, Time};

/// A policy that says how many cores a job needs for its deadline.
#[expect(unused_variables, reason = "a policy implements the hooks that it needs")]
pub trait GatedPolicy: Sized {
    /// What the policy declares of itself.
    fn info() -> &'static Info;

    /// A policy at the start of a simulation.
    fn new(context: &Context) -> Self;

    /// How many cores a waiting job asks for. It is infeasible if that is more than [`WaitingJob::most`], or `None`.
    fn request(&mut self, job: WaitingJob, view: &View) -> Request;

    /// An admitted job has ended or was dropped.
    fn job_ended(&mut self, job: EndedJob, view: &View) {}

    /// Whether an admitted job with this largest parallelism is dropped at its deadline.
    fn drops_late(&self, parallelism: u32) -> bool {
        false
    }

    /// What a request was made of, from what the policy has put in [`Request::steps`].
    fn steps(steps: [f64; STEPS]) -> Vec<Part>;
}

/// Numbers that a policy may add to a request.
pub const STEPS: usize = 5;

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

/// An answer of [`GatedPolicy::request`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// The cores asked for; `None` if no number is enough.
    pub cores: Option<f64>,
    /// What the number was made of, for [`GatedPolicy::steps`].
    pub steps: [f64; STEPS],
}

/// How a job fares at the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Admitted,
    /// Its deadline cannot be met any more.
    Infeasible,
    /// It was admitted and has missed its deadline.
    Late,
}

/// The numbers logged with each verdict, in this order.
const LOGGED: usize = 5 + STEPS;

/// The adapter between a [`GatedPolicy`] and the engine.
///
/// A launch or an end of a task costs O(log jobs); an arrival and the end of a job O(waiting jobs), besides the requests.
pub struct Gated<P> {
    policy: P,
    queue: JobQueue,
    /// By rank, once it has arrived.
    jobs: Vec<GatedJob>,
    /// Jobs that wait, by rank.
    waiting: Vec<Rank>,
    /// Cores that no job has for life.
    available: u32,
    /// Events received.
    events: u32,
    log: Option<PolicyLog>,
}

#[derive(Clone, Copy, Default)]
struct GatedJob {
    deadline: Span,
    most: u32,
    /// Its cores for life, once it is admitted.
    allocation: u32,
    admitted: bool,
    dropped: bool,
}

impl GatedJob {
    /// Its key by the cores that it holds.
    fn key(&self, running: u32) -> u64 {
        if running >= self.allocation { AT_ITS_ALLOCATION } else { 0 }
    }
}

/// After all jobs that may launch.
const AT_ITS_ALLOCATION: u64 = 1;

impl<P: GatedPolicy> Gated<P> {
    /// Decides which of the waiting jobs start, which are dropped and which go on waiting.
    fn admit(&mut self, view: &View, actions: &mut Actions) {
        let mut feasible = Vec::new();
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|&rank| {
            let (job, arrival) = (self.jobs[rank.index()], view.job(rank).arrival());
            let left = Span(job.deadline.0.saturating_sub(view.now().since(arrival).0));
            let asks = WaitingJob { rank, deadline: job.deadline, left, most: job.most };
            let request = match left {
                Span(0) => Request { cores: None, steps: [0.0; STEPS] },
                _ => self.policy.request(asks, view),
            };
            let cores = request.cores.filter(|&cores| cores <= f64::from(job.most));
            match cores {
                Some(cores) => feasible.push((cores / left.0 as f64, asks, request)),
                None => {
                    self.log(rank, Verdict::Infeasible, left, request, view);
                    actions.drop(rank);
                }
            }
            cores.is_some()
        });
        feasible.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
        for (_, WaitingJob { rank, left, .. }, request) in feasible {
            let cores = request.cores.map_or(0, |cores| cores as u32);
            if cores <= self.available {
                self.available -= cores;
                let job = &mut self.jobs[rank.index()];
                (job.allocation, job.admitted) = (cores, true);
                self.queue.insert(rank, view);
                self.log(rank, Verdict::Admitted, left, request, view);
                actions.start(rank);
            }
        }
        waiting.retain(|rank| !self.jobs[rank.index()].admitted);
        self.waiting = waiting;
    }

    fn log(&mut self, rank: Rank, verdict: Verdict, left: Span, request: Request, view: &View) {
        let Some(log) = &mut self.log else { return };
        let job = &self.jobs[rank.index()];
        let numbers = [
            f64::from(verdict as u8),
            view.now().0 as f64,
            left.0 as f64,
            f64::from(job.most),
            request.cores.unwrap_or(f64::INFINITY),
        ];
        let (event, subject) = (self.events - 1, u64::from(rank.0));
        let entry = |(quantity, value)| ValueEntry { event, quantity, subject, value };
        log.values.extend((0..).zip(numbers.into_iter().chain(request.steps)).map(entry));
    }
}

impl<P: GatedPolicy> Policy for Gated<P> {
    type Explainer = GatedExplainer<P>;

    fn info() -> &'static Info {
        P::info()
    }

    fn new(context: &Context) -> Self {
        Gated {
            policy: P::new(context),
            queue: JobQueue::new(Rc::new([])),
            jobs: vec![GatedJob::default(); context.jobs()],
            waiting: Vec::new(),
            available: context.cores(),
            events: 0,
            log: None,
        }
    }

    fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission {
        self.events += 1;
        let (deadline, parallelism) = (view.deadline(job), view.job(job).parallelism());
        let most = parallelism.min(view.cores());
        self.jobs[job.index()] = GatedJob { deadline, most, ..GatedJob::default() };
        if self.policy.drops_late(parallelism) {
            actions.wake(view.now().max(view.job(job).arrival() + deadline), job.0);
        }
        self.waiting.push(job);
        self.admit(view, actions);
        Admission::Wait
    }

    fn woken(&mut self, token: u32, view: &View, actions: &mut Actions) {
        let job = Rank(token);
        if view.job(job).phase() == Phase::Started {
            self.jobs[job.index()].dropped = true;
            // The drop is an event, too.
            self.events += 1;
            self.log(job, Verdict::Late, Span(0), Request { cores: None, steps: [0.0; STEPS] }, view);
            actions.drop(job);
        }
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        self.events += 1;
        self.queue.push(stage, view);
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        self.queue.task_launched(launch.stage, view, |job, running| self.jobs[job.index()].key(running));
    }

    fn task_ended(&mut self, launch: Launch, view: &View) {
        self.queue.task_ended(launch.stage, view, |job, running| self.jobs[job.index()].key(running));
    }

    fn job_ended(&mut self, rank: Rank, view: &View, actions: &mut Actions) {
        self.events += 1;
        self.queue.remove(rank, view);
        let GatedJob { deadline, most, allocation, dropped, .. } = self.jobs[rank.index()];
        self.available += allocation;
        let succeeded = !dropped && view.now() <= view.job(rank).arrival() + deadline;
        self.policy.job_ended(EndedJob { rank, deadline, most, allocation, succeeded }, view);
        self.admit(view, actions);
    }

    fn offer_started(&mut self, cause: OfferCause, view: &View) {
        // Its end follows after this round.
        if let OfferCause::Drop(job) = cause {
            self.queue.remove(job, view);
        }
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let launch = self.queue.next_task(view)?;
        let job = view.stage(launch.stage).job();
        (self.queue.running(job) < self.jobs[job.index()].allocation).then_some(launch)
    }

    fn start_log(&mut self) {
        self.log = Some(PolicyLog::default());
    }

    fn finish_log(&mut self) -> PolicyLog {
        self.log.take().unwrap_or_default()
    }
}

/// A verdict as it was logged.
#[derive(Clone, Copy)]
struct LoggedVerdict {
    event: u32,
    rank: Rank,
    verdict: Verdict,
    at: Time,
    left: f64,
    most: f64,
    request: Request,
}

impl LoggedVerdict {
    /// The verdicts of a log, in the order of time.
    fn all(log: &PolicyLog) -> impl Iterator<Item = LoggedVerdict> + '_ {
        log.values.chunks_exact(LOGGED).map(|entries| {
            let value = |index: usize| entries[index].value;
            let verdicts = [Verdict::Admitted, Verdict::Infeasible, Verdict::Late];
            LoggedVerdict {
                event: entries[0].event,
                rank: Rank(entries[0].subject as u32),
                verdict: verdicts[value(0) as usize],
                at: Time(value(1) as u64),
                left: value(2),
                most: value(3),
                request: Request {
                    cores: Some(value(4)).filter(|cores| cores.is_finite()),
                    steps: std::array::from_fn(|step| value(5 + step)),
                },
            }
        })
    }

    fn parts<P: GatedPolicy>(&self) -> Vec<Part> {
        let mut parts = vec![
            Part::new("time left until the deadline", Value::Seconds(self.left)),
            Part::new("most cores that the job can use", Value::Cores(self.most)),
        ];
        if let Some(cores) = self.request.cores {
            parts.extend(P::steps(self.request.steps));
            parts.push(Part::new("cores asked for", Value::Cores(cores)));
        }
        parts
    }
}

/// Explains the keys of a [`GatedPolicy`].
pub struct GatedExplainer<P> {
    /// Running tasks and allocation of the jobs, by rank.
    jobs: Vec<(u32, u32)>,
    /// What their requests were made of, by rank.
    facts: Vec<Vec<Part>>,
    policy: std::marker::PhantomData<P>,
}

impl<P: GatedPolicy> GatedExplainer<P> {
    /// 1 for a job that holds as many cores as it may, else 0.
    fn holds_all(&self, job: Rank) -> u64 {
        let (running, allocation) = self.jobs[job.index()];
        if running >= allocation { AT_ITS_ALLOCATION } else { 0 }
    }
}

impl<P: GatedPolicy> Ranking for GatedExplainer<P> {
    type Key = (u64, Rank, u32, StageId);

    fn key(&self, stage: &Candidate) -> Self::Key {
        (self.holds_all(stage.rank), stage.rank, stage.running, stage.id)
    }
}

impl<P: GatedPolicy> Explainer for GatedExplainer<P> {
    const HAS_TARGETS: bool = true;

    fn at(context: &Context, snapshot: &Snapshot) -> Self {
        let (mut jobs, mut facts) = (vec![(0, 0); context.jobs()], vec![Vec::new(); context.jobs()]);
        let before = |logged: &LoggedVerdict| logged.event < snapshot.event_count();
        for logged in LoggedVerdict::all(snapshot.log).take_while(before) {
            if logged.verdict == Verdict::Admitted {
                let allocation = logged.request.cores.unwrap_or(0.0) as u32;
                jobs[logged.rank.index()] = (snapshot.jobs.running(logged.rank), allocation);
                facts[logged.rank.index()] = logged.parts::<P>();
            }
        }
        GatedExplainer { jobs, facts, policy: std::marker::PhantomData }
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        let (running, allocation) = self.jobs[stage.rank.index()];
        let parts = vec![
            Part::new(
                "the job holds its allocation (1) or less (0)",
                Value::Number(self.holds_all(stage.rank)),
            ),
            Part::new("rank of arrival", Value::Number(u64::from(stage.rank.0))),
            Part::new("running tasks of the stage", Value::Tasks(stage.running)),
            Part::new("stage id", Value::Number(stage.id.0)),
        ];
        let mut facts = vec![
            Part::new("running tasks of the job", Value::Tasks(running)),
            Part::new("allocation of the job", Value::Cores(f64::from(allocation))),
        ];
        facts.extend(self.facts[stage.rank.index()].iter().cloned());
        let remark = (running >= allocation).then_some("Its job holds all the cores that it was given.");
        Explanation { parts, facts, remark }
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        let (label, other) = (first.label, second.label);
        match first.key.decided_by(second.key) {
            Some(0) => format!("{other}'s job holds all the cores that it was given, so {label} goes first."),
            Some(1) => format!("The job of {label} arrived before that of {other}, so it goes first."),
            _ => {
                let stages = fair::reason_among_stages(first, second, 2);
                format!("Both are of one job: {stages}, so {label} goes first.")
            }
        }
    }

    fn decisions(context: &Context, log: &PolicyLog) -> Vec<Decision> {
        let order = context.scenario.arrival_order();
        let decision = |logged: LoggedVerdict| {
            let label = context.scenario.job_label(order[logged.rank.index()]);
            let most = logged.most;
            let sentence = match (logged.verdict, logged.request.cores) {
                (Verdict::Admitted, Some(cores)) => {
                    format!("{label} is admitted with {}, for life.", explain::cores(cores))
                }
                (Verdict::Infeasible, _) if logged.left == 0.0 => {
                    format!("{label} is dropped: its deadline has passed.")
                }
                (Verdict::Infeasible, Some(cores)) => format!(
                    "{label} is dropped: it needs {} for its deadline and can use at most {most}.",
                    explain::cores(cores)
                ),
                (Verdict::Late, _) => format!("{label} is dropped: it has not ended at its deadline."),
                _ => format!("{label} is dropped: even {} do not meet its deadline.", explain::cores(most)),
            };
            Decision {
                subject: Subject::Job(logged.rank),
                at: logged.at,
                sentence,
                parts: logged.parts::<P>(),
            }
        };
        LoggedVerdict::all(log).map(decision).collect()
    }

    /// The cores that admitted jobs have for life.
    fn targets(_: &Context, _: &[PolicyEvent], log: &PolicyLog) -> Option<Vec<Target>> {
        let admitted = LoggedVerdict::all(log).filter(|logged| logged.verdict == Verdict::Admitted);
        let target = |LoggedVerdict { at, rank: job, request, .. }| {
            Some(Target { at, job, cores: request.cores?, fair_share: None })
        };
        Some(admitted.filter_map(target).collect())
    }
}
