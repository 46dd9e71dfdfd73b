//! A second simulator, slow and obvious, written from `docs/model.md` alone: it reads the file itself, looks through
//! all events for the next one, and sorts all waiting stages at every round. The quick engine must agree with it, task
//! for task.
//!
//! Figures are named as in the model (T, V, Va, …); times are microseconds.

mod attempts;
mod belonging;
mod driver;
mod executors;
mod losses;
mod offers;
mod policies;
mod preemption;
mod setting;
mod state;

use std::collections::{BTreeMap, VecDeque};

use driver::Message;
use executors::{Allocation, present_at_start};
use policies::{Action, POLICIES, Policy};
use preemption::Starving;
pub use setting::Setting;
use state::{Core, Counts, Phase, State, Task};

/// Job, stage index, task index, core, start, end: a line of a trace.
pub type Line = [u64; 6];

/// What happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// In the order of launch.
    pub lines: Vec<Line>,
    /// The lines of attempts that were killed, ascending, and why.
    pub killed: Vec<(u32, String)>,
    /// By job.
    pub arrivals: Vec<u64>,
    /// By job: `finished`, `dropped`, `rejected` or `cancelled`, and when.
    pub ends: Vec<(String, u64)>,
    /// By user, under a policy that has classes.
    pub classes: BTreeMap<String, String>,
    /// Executor, from and to, in the order of joining; none where executors neither come nor go.
    pub executors: Vec<[u64; 3]>,
}

/// Section 18: the kinds of events at one instant, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Driver,
    TaskFinish,
    Deadline,
    Cancellation,
    /// Another number of executors is wanted.
    Executors,
    /// By entry of `losses`, each before its return.
    Loss,
    /// The end of an entry of `exclusions`.
    ExclusionOver,
    Join,
    JobArrival,
    /// Also the end of a wait of section 22.
    StageSubmission,
    Tick,
    Speculation,
    Preemption,
    PeriodEnd,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    time: u64,
    kind: Kind,
    /// Order of launch, rank, place in `executors_at` or `losses` or order of starting, index of the job in the file, or
    /// order of scheduling.
    order: u64,
    job: usize,
    stage: usize,
    /// Whether a stage has waited for executors, or an executor returns.
    other: bool,
    /// Whether an executor is no longer excluded from a stage.
    exclusion: bool,
}

/// Section 11: how long after its arrival a job is due.
pub fn deadline(setting: &Setting, job: usize) -> u64 {
    setting.jobs[job].deadline.unwrap_or_else(|| {
        let (_, response) = simulate_setting(&setting.alone(job), "fifo").ends[0];
        (setting.parameter("deadlines", "factor", 2.0) * response as f64 + 0.5).floor() as u64
    })
}

struct Simulation<'a> {
    state: State<'a>,
    policy: Box<dyn Policy>,
    events: Vec<Event>,
    /// Messages before the driver, the first being handled.
    messages: VecDeque<Message>,
    /// Jobs that arrived together, so far.
    batches: Vec<Vec<usize>>,
    /// Delays and waits, so far.
    scheduled: u64,
    /// Jobs, so far.
    arrived: u64,
    /// The stage id that the next stage gets.
    next_id: u64,
    /// Executors that began to start, so far.
    started: u64,
    /// Stays of executors, so far.
    stays: u64,
    /// Losses that last, by executor.
    losses: Vec<u32>,
    allocation: Option<Allocation>,
    starving: Starving,
    outcome: Outcome,
}

/// Whether this simulator has a policy, by its id without `-p`.
pub fn knows(policy: &str) -> bool {
    POLICIES.iter().any(|(id, _)| *id == policy)
}

/// Simulates a scenario file under `fifo`, …, `baseline-fs-p`.
pub fn simulate(text: &str, policy: &str) -> Outcome {
    let id = policy.strip_suffix("-p").unwrap_or(policy);
    simulate_setting(&Setting::read(text, policy.ends_with("-p")), id)
}

fn simulate_setting(setting: &Setting, id: &str) -> Outcome {
    let jobs = setting.jobs.len();
    let (_, make) = POLICIES.iter().find(|(other, _)| *other == id).expect("a policy of this simulator");
    let executors = present_at_start(setting);
    let mut simulation = Simulation {
        policy: make(setting),
        events: Vec::new(),
        messages: VecDeque::new(),
        batches: Vec::new(),
        scheduled: 0,
        arrived: 0,
        next_id: setting.first_stage_id,
        started: 0,
        stays: executors.len() as u64,
        losses: vec![0; executors.len()],
        allocation: setting.dynamic_allocation.as_ref().map(Allocation::new),
        starving: Starving::default(),
        outcome: Outcome { ends: vec![(String::new(), 0); jobs], ..Outcome::default() },
        state: State {
            setting,
            now: 0,
            arrivals: vec![0; jobs],
            ranks: vec![0; jobs],
            ids: vec![Vec::new(); jobs],
            spark_jobs: Vec::new(),
            counts: setting.jobs.iter().map(|job| vec![Counts::default(); job.stages.len()]).collect(),
            phases: vec![Phase::Future; jobs],
            cancelled: vec![false; jobs],
            cores: vec![Core::default(); setting.cores as usize],
            attempts: Vec::new(),
            executors,
            lines: Vec::new(),
        },
    };
    simulation.schedule_what_the_file_says();
    simulation.begin_period();
    let ended = |simulation: &Simulation| simulation.state.phases.iter().all(|phase| *phase == Phase::Ended);
    loop {
        if ended(&simulation) {
            // Section 18: only these go on.
            simulation.events.retain(|event| matches!(event.kind, Kind::Driver | Kind::TaskFinish));
        }
        simulation.events.sort_by_key(|event| (event.time, event.kind, event.order));
        // Where nothing else will happen nothing runs, and there is neither a copy to start nor a task to kill: a job that
        // never ends, as a barrier stage that does not fit on the one executor of section 10.
        let idles = |event: &Event| matches!(event.kind, Kind::Speculation | Kind::Preemption);
        if simulation.events.iter().all(idles) {
            break;
        }
        let event = simulation.events.remove(0);
        simulation.state.now = event.time;
        simulation.handle(event);
        if setting.executors_belong && simulation.events.iter().all(|other| other.time > event.time) {
            simulation.give_cores();
        }
    }
    simulation.executors_leave_at_the_end();
    let Simulation { state, policy, mut outcome, .. } = simulation;
    outcome.killed.sort_unstable();
    outcome.lines = state.lines;
    outcome.arrivals = state.arrivals;
    let names = setting.users.iter().map(|user| user.name.clone());
    outcome.classes = names.zip(policy.classes().into_iter().map(str::to_owned)).collect();
    outcome
}

impl Simulation<'_> {
    fn schedule(&mut self, time: u64, kind: Kind, order: u64, job: usize, stage: usize) {
        self.events.push(Event { time, kind, order, job, stage, other: false, exclusion: false });
    }

    fn schedule_what_the_file_says(&mut self) {
        let setting = self.state.setting;
        for (j, job) in setting.jobs.iter().enumerate() {
            if job.after.is_none() {
                self.schedule(job.arrival, Kind::JobArrival, j as u64, j, 0);
            }
        }
        self.schedule_executors();
        for (entry, loss) in setting.losses.iter().enumerate() {
            let order = 2 * entry as u64;
            self.schedule(loss.at, Kind::Loss, order, 0, loss.executor);
            if let Some(back) = loss.back {
                let event = Event {
                    time: loss.at + back,
                    kind: Kind::Loss,
                    order: order + 1,
                    job: 0,
                    stage: loss.executor,
                    other: true,
                    exclusion: false,
                };
                self.events.push(event);
            }
        }
        for exclusion in &setting.exclusions {
            if let Some(lasts) = exclusion.lasts {
                self.schedule(exclusion.from + lasts, Kind::ExclusionOver, 0, 0, 0);
            }
        }
        if let Some(speculation) = &setting.speculation {
            self.schedule(speculation.interval, Kind::Speculation, 0, 0, 0);
        }
        if let Some(preemption) = &setting.preemption {
            self.schedule(preemption.interval, Kind::Preemption, 0, 0, 0);
        }
    }

    fn handle(&mut self, Event { time, kind, order, job, stage, other, exclusion }: Event) {
        match kind {
            Kind::ExclusionOver => self.offer_round(None),
            Kind::StageSubmission if exclusion => self.offer_round(None),
            Kind::Driver => self.message_is_complete(),
            Kind::JobArrival => {
                self.state.arrivals[job] = time;
                self.take_batches(job);
                self.send(Message::Arrival(job));
            }
            Kind::StageSubmission if other => self.wait_is_over(job, stage),
            Kind::StageSubmission => self.send(Message::DelayOver(job, stage)),
            Kind::Executors | Kind::Join => self.executors_change(kind, order),
            Kind::Loss => self.loss(stage, other),
            Kind::Cancellation => self.cancel(job),
            Kind::Tick => self.tick(),
            Kind::Speculation => self.check_speculatable_tasks(),
            Kind::Preemption => self.preempt(),
            Kind::PeriodEnd => {
                self.policy.period_over(&self.state);
                self.offer_round(None);
                self.begin_period();
            }
            Kind::Deadline => {
                if self.state.phases[job] != Phase::Ended {
                    let actions = self.policy.deadline(&self.state, job);
                    self.act(actions);
                }
            }
            Kind::TaskFinish => self.attempt_ends(order as usize),
        }
    }

    fn begin_period(&mut self) {
        if let Some(period) = self.policy.period(self.state.setting) {
            self.schedule(self.state.now + period, Kind::PeriodEnd, 0, 0, 0);
        }
    }

    fn act(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Start(job) => self.start(job),
                Action::Reject(job) => self.end(job, "rejected"),
                Action::Drop(job) if self.state.phases[job] == Phase::Waiting => self.end(job, "dropped"),
                Action::Drop(job) => self.drop_running(job),
            }
        }
    }

    fn start(&mut self, job: usize) {
        let stages = &self.state.setting.jobs[job].stages;
        self.state.phases[job] = Phase::Started;
        // Section 13: those without a delay first.
        let roots = |delayed: bool| {
            (0..stages.len()).filter(move |&stage| {
                stages[stage].parents.is_empty() && (stages[stage].delay > 0) == delayed
            })
        };
        for stage in roots(false) {
            self.submit(job, stage);
        }
        for stage in roots(true) {
            self.begin_delay(job, stage);
        }
    }

    /// The driver has handled a job's arrival. Its rank and stage ids are the next.
    fn arrive(&mut self, job: usize) {
        let state = &mut self.state;
        state.phases[job] = Phase::Waiting;
        state.ranks[job] = self.arrived;
        self.arrived += 1;
        for _ in &state.setting.jobs[job].stages {
            state.ids[job].push(self.next_id);
            self.next_id += 1;
        }
        let arrival = state.arrivals[job];
        if let Some(cancel) = state.setting.jobs[job].cancel {
            let time = self.state.now.max(arrival + cancel);
            self.schedule(time, Kind::Cancellation, job as u64, job, 0);
        }
        if let Some(after) = self.policy.deadline_of(&self.state, job) {
            let time = self.state.now.max(arrival + after);
            self.schedule(time, Kind::Deadline, self.state.ranks[job], job, 0);
        }
        let actions = self.policy.job_arrived(&self.state, job);
        self.act(actions);
    }

    /// Section 13: the jobs of a session follow each other.
    fn end(&mut self, ended: usize, how: &str) {
        let setting = self.state.setting;
        let delay = if how == "finished" { setting.jobs[ended].finish_delay } else { 0 };
        let now = self.state.now + delay;
        self.state.phases[ended] = Phase::Ended;
        self.outcome.ends[ended] = (how.to_owned(), now);
        self.forget_outputs(ended);
        for (j, job) in setting.jobs.iter().enumerate() {
            if let Some((before, think)) = job.after
                && before == ended
                && !job.batch
            {
                self.schedule(now + think, Kind::JobArrival, j as u64, j, 0);
            }
        }
        self.batch_may_end(ended);
    }

    /// Section 13: a job takes the micro-batches after it along whose time has come.
    fn take_batches(&mut self, job: usize) {
        let (now, setting) = (self.state.now, self.state.setting);
        if !self.batches.iter().any(|batch| batch.contains(&job)) {
            self.batches.push(vec![job]);
        }
        for (j, other) in setting.jobs.iter().enumerate() {
            let follows = other.batch && other.after.is_some_and(|(before, _)| before == job);
            if follows && other.arrival <= now {
                let batch = self.batches.iter_mut().find(|batch| batch.contains(&job));
                batch.expect("a batch of its own").push(j);
                self.schedule(now, Kind::JobArrival, j as u64, j, 0);
            }
        }
    }

    /// Section 13: the next micro-batches arrive when all jobs of the one before have ended.
    fn batch_may_end(&mut self, ended: usize) {
        let setting = self.state.setting;
        let batch = self.batches.iter().find(|batch| batch.contains(&ended)).cloned().unwrap_or_default();
        if batch.iter().any(|&job| self.state.phases[job] != Phase::Ended) {
            return;
        }
        let end = batch.iter().map(|&job| self.outcome.ends[job].1).max().unwrap_or(0);
        for (j, job) in setting.jobs.iter().enumerate() {
            if let Some((before, think)) = job.after
                && job.batch
                && batch.contains(&before)
                && !batch.contains(&j)
            {
                self.schedule(job.arrival.max(end + think), Kind::JobArrival, j as u64, j, 0);
            }
        }
    }

    /// Section 11: dropping a running job.
    fn drop_running(&mut self, job: usize) {
        self.kill_all_of(job, "dropped");
        self.discard(job);
        self.offer_round(None);
        self.end(job, "dropped");
        let actions = self.policy.job_ended(&self.state, job);
        self.act(actions);
    }

    /// Section 21.
    fn cancel(&mut self, job: usize) {
        match self.state.phases[job] {
            Phase::Waiting => self.end(job, "cancelled"),
            Phase::Started => {
                self.state.cancelled[job] = true;
                if self.state.setting.jobs[job].interrupt {
                    self.kill_all_of(job, "cancelled");
                }
                self.discard(job);
                self.offer_round(None);
                self.end(job, "cancelled");
                let actions = self.policy.job_ended(&self.state, job);
                self.act(actions);
            }
            Phase::Future | Phase::Ended => {}
        }
    }

    fn kill_all_of(&mut self, job: usize, reason: &str) {
        let rows: Vec<usize> = self
            .state
            .attempts
            .iter()
            .filter(|attempt| attempt.job == job)
            .map(|attempt| attempt.row)
            .collect();
        for row in rows {
            self.kill(row, reason);
        }
    }

    /// A job's pending tasks and later stages are no more.
    fn discard(&mut self, job: usize) {
        for counts in &mut self.state.counts[job] {
            counts.pending.clear();
            counts.marks.clear();
        }
    }

    /// Whether no task of a stage is left.
    fn is_done(&self, job: usize, stage: usize) -> bool {
        let counts = &self.state.counts[job][stage];
        counts.submitted && counts.tasks.iter().all(|task| task.ended)
    }

    fn parents_have_ended(&self, job: usize, stage: usize) -> bool {
        let parents = &self.state.setting.jobs[job].stages[stage].parents;
        parents.iter().all(|&parent| self.state.counts[job][parent].ended)
    }

    /// The driver has handled the end of a stage.
    fn stage_ended(&mut self, job: usize, ended: usize) {
        let stages = &self.state.setting.jobs[job].stages;
        self.state.counts[job][ended].ended = true;
        for (child, stage) in stages.iter().enumerate() {
            let is_open = stage.parents.contains(&ended) && !self.state.counts[job][child].ended;
            if !is_open || !self.parents_have_ended(job, child) {
                continue;
            }
            if self.state.counts[job][child].submitted {
                self.offer_round(None);
            } else if stage.delay == 0 {
                self.submit_unless_needed(job, child);
            } else if !self.state.counts[job][child].delay_runs {
                self.begin_delay(job, child);
            }
        }
        if (0..stages.len()).all(|stage| self.state.counts[job][stage].ended) {
            self.end(job, "finished");
            let actions = self.policy.job_ended(&self.state, job);
            self.act(actions);
        }
    }

    fn begin_delay(&mut self, job: usize, stage: usize) {
        let delay = self.state.setting.jobs[job].stages[stage].delay;
        self.state.counts[job][stage].delay_runs = true;
        self.schedule(self.state.now + delay, Kind::StageSubmission, self.scheduled, job, stage);
        self.scheduled += 1;
    }

    /// The driver has handled the end of a delay.
    fn delay_over(&mut self, job: usize, stage: usize) {
        self.state.counts[job][stage].delay_runs = false;
        if self.state.phases[job] == Phase::Started && self.parents_have_ended(job, stage) {
            self.submit_unless_needed(job, stage);
        }
    }

    /// Section 23: if a parent has to be reopened, an offer round follows instead.
    fn submit_unless_needed(&mut self, job: usize, stage: usize) {
        if self.see_to_needs(Some((job, stage))) {
            self.offer_round(None);
        } else {
            self.submit(job, stage);
        }
    }

    fn submit(&mut self, job: usize, stage: usize) {
        let spec = &self.state.setting.jobs[job].stages[stage];
        if !self.state.spark_jobs.contains(&(job, spec.spark_job)) {
            self.state.spark_jobs.push((job, spec.spark_job));
        }
        self.notice_backlog();
        if let Some(allocation) = &mut self.allocation {
            allocation.submitted = true;
        }
        self.policy.stage_submitted(&self.state, job, stage);
        let counts = &mut self.state.counts[job][stage];
        counts.submitted = true;
        counts.pending = (0..spec.tasks.len()).collect();
        counts.tasks = vec![Task::default(); spec.tasks.len()];
        counts.reset = self.state.now;
        self.schedule_wait(job, stage);
        self.offer_round(None);
    }
}
