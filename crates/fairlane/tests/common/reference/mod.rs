//! A second simulator, slow and obvious, written from `docs/model.md` alone: it reads the file itself, looks through
//! all events for the next one, and sorts all waiting stages at every round. The quick engine must agree with it, task
//! for task.
//!
//! Figures are named as in the model (T, V, Va, …); times are microseconds.

mod policies;
mod setting;

use policies::{Action, Launch, Offers, POLICIES, Policy};
pub use setting::{Job, Setting};

/// Job, stage index, task index, core, start, end: a line of a trace.
pub type Line = [u64; 6];

/// What happened.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    /// In the order of launch.
    pub lines: Vec<Line>,
    /// The lines of tasks that a drop ended, ascending.
    pub killed: Vec<u32>,
    /// By job: `finished`, `dropped` or `rejected`, and when.
    pub ends: Vec<(&'static str, u64)>,
    /// By user, under a policy that has classes.
    pub classes: Vec<&'static str>,
}

/// Sections 3 and 11: the kinds of events at one instant, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    TaskFinish,
    Deadline,
    JobArrival,
    StageSubmission,
    PeriodEnd,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    time: u64,
    kind: Kind,
    /// Order of launch, rank, index of the job in the file, or order of scheduling.
    order: u64,
    job: usize,
    stage: usize,
    core: usize,
}

/// A core: the stage, by job and index, whose task it runs, and that of its last task.
#[derive(Clone, Copy, Default)]
pub struct Core {
    pub runs: Option<(usize, usize)>,
    pub last: Option<(usize, usize)>,
}

/// How far a stage is.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub submitted: bool,
    pub launched: usize,
    pub running: u64,
    pub finished: usize,
}

/// How far a job is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Future,
    Waiting,
    Started,
    Ended,
}

/// What a policy sees.
pub struct State<'a> {
    pub setting: &'a Setting,
    pub now: u64,
    /// a, by job.
    pub ranks: Vec<u64>,
    /// Stage ids by job.
    pub ids: Vec<Vec<u64>>,
    pub counts: Vec<Vec<Counts>>,
    pub phases: Vec<Phase>,
    pub cores: Vec<Core>,
    /// The tasks launched, in this order, with the ends that they will have.
    pub lines: Vec<Line>,
}

/// Section 11: how long after its arrival a job is due.
pub fn deadline(setting: &Setting, job: usize) -> u64 {
    setting.jobs[job].deadline.unwrap_or_else(|| {
        let mut alone = setting.clone();
        alone.jobs = vec![Job { arrival: 0, ..setting.jobs[job].clone() }];
        let (_, response) = simulate_setting(&alone, "fifo").ends[0];
        (setting.parameter("deadlines", "factor", 2.0) * response as f64 + 0.5).floor() as u64
    })
}

impl State<'_> {
    /// Jobs from arrival to end, by rank.
    pub fn active_jobs(&self) -> Vec<usize> {
        let active = |&job: &usize| matches!(self.phases[job], Phase::Waiting | Phase::Started);
        let mut jobs: Vec<usize> = (0..self.phases.len()).filter(active).collect();
        jobs.sort_by_key(|&job| self.ranks[job]);
        jobs
    }

    /// N_job.
    pub fn running_of_job(&self, job: usize) -> u64 {
        self.counts[job].iter().map(|counts| counts.running).sum()
    }

    /// N_user.
    pub fn running_of_user(&self, user: usize) -> u64 {
        let jobs = (0..self.counts.len()).filter(|&job| self.setting.jobs[job].user == user);
        jobs.map(|job| self.running_of_job(job)).sum()
    }

    /// Running and pending tasks of a user.
    pub fn demand_of_user(&self, user: usize) -> u64 {
        let jobs = (0..self.counts.len()).filter(|&job| self.setting.jobs[job].user == user);
        let pending = |job: usize| (0..self.counts[job].len()).map(move |stage| self.pending(job, stage));
        self.running_of_user(user) + jobs.flat_map(pending).sum::<usize>() as u64
    }

    pub fn pending(&self, job: usize, stage: usize) -> usize {
        let Counts { submitted, launched, .. } = self.counts[job][stage];
        if submitted { self.setting.jobs[job].stages[stage].tasks.len() - launched } else { 0 }
    }

    /// The submitted stages with pending tasks.
    pub fn waiting(&self) -> Vec<(usize, usize)> {
        let jobs = 0..self.counts.len();
        let stages = jobs.flat_map(|job| (0..self.counts[job].len()).map(move |stage| (job, stage)));
        stages.filter(|&(job, stage)| self.pending(job, stage) > 0).collect()
    }

    /// Memory that the tasks on an executor leave free; `None` if it is not modelled.
    pub fn free_memory(&self, executor: u64) -> Option<u64> {
        let memory = self.setting.memory?;
        let first = executor * self.setting.cores_per_executor;
        let cores = &self.cores[first as usize..(first + self.setting.cores_per_executor) as usize];
        let running = cores.iter().filter_map(|core| core.runs);
        Some(memory - running.map(|(job, stage)| self.setting.jobs[job].stages[stage].memory).sum::<u64>())
    }

    /// Whether a task of a stage fits a core, which must be free.
    pub fn fits(&self, job: usize, stage: usize, core: usize) -> bool {
        let executor = core as u64 / self.setting.cores_per_executor;
        let memory = self.setting.jobs[job].stages[stage].memory;
        self.cores[core].runs.is_none() && self.free_memory(executor).is_none_or(|free| memory <= free)
    }

    pub fn lowest_fitting_core(&self, job: usize, stage: usize) -> Option<usize> {
        (0..self.cores.len()).find(|&core| self.fits(job, stage, core))
    }
}

struct Simulation<'a> {
    state: State<'a>,
    policy: Box<dyn Policy>,
    events: Vec<Event>,
    scheduled: u64,
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
    let mut order: Vec<usize> = (0..jobs).collect();
    order.sort_by_key(|&j| (setting.jobs[j].arrival, j));
    let mut ranks = vec![0; jobs];
    let mut ids = vec![Vec::new(); jobs];
    let mut next_id = setting.first_stage_id;
    for (a, &j) in order.iter().enumerate() {
        ranks[j] = a as u64;
        for _ in &setting.jobs[j].stages {
            ids[j].push(next_id);
            next_id += 1;
        }
    }
    let arrivals = setting.jobs.iter().enumerate().map(|(j, job)| Event {
        time: job.arrival,
        kind: Kind::JobArrival,
        order: j as u64,
        job: j,
        stage: 0,
        core: 0,
    });
    let (_, make) = POLICIES.iter().find(|(other, _)| *other == id).expect("a policy of this simulator");
    let mut simulation = Simulation {
        policy: make(setting),
        events: arrivals.collect(),
        scheduled: 0,
        outcome: Outcome { ends: vec![("", 0); jobs], ..Outcome::default() },
        state: State {
            setting,
            now: 0,
            ranks,
            ids,
            counts: setting.jobs.iter().map(|job| vec![Counts::default(); job.stages.len()]).collect(),
            phases: vec![Phase::Future; jobs],
            cores: vec![Core::default(); setting.cores as usize],
            lines: Vec::new(),
        },
    };
    simulation.begin_period();
    while !simulation.events.is_empty() {
        simulation.events.sort_by_key(|event| (event.time, event.kind, event.order));
        let event = simulation.events.remove(0);
        simulation.state.now = event.time;
        simulation.handle(event);
    }
    let Simulation { state, policy, mut outcome, .. } = simulation;
    outcome.killed.sort_unstable();
    outcome.lines = state.lines;
    outcome.classes = policy.classes();
    outcome
}

impl Simulation<'_> {
    fn handle(&mut self, Event { time, kind, job, stage, core, .. }: Event) {
        match kind {
            Kind::JobArrival => {
                self.state.phases[job] = Phase::Waiting;
                if let Some(after) = self.policy.deadline_of(&self.state, job) {
                    let order = self.state.ranks[job];
                    let time = time + after;
                    self.events.push(Event { time, kind: Kind::Deadline, order, job, stage: 0, core: 0 });
                }
                let actions = self.policy.job_arrived(&self.state, job);
                self.act(actions);
            }
            Kind::StageSubmission => self.submit(job, stage),
            Kind::PeriodEnd => {
                if self.state.phases.iter().any(|&phase| phase != Phase::Ended) {
                    self.policy.period_over(&self.state);
                    self.offer_round(None);
                    self.begin_period();
                }
            }
            Kind::Deadline => {
                if self.state.phases[job] != Phase::Ended {
                    let actions = self.policy.deadline(&self.state, job);
                    self.act(actions);
                }
            }
            Kind::TaskFinish => {
                self.state.cores[core].runs = None;
                let counts = &mut self.state.counts[job][stage];
                counts.running -= 1;
                counts.finished += 1;
                self.offer_round(Some((core, job)));
                if self.is_done(job, stage) {
                    self.stage_ended(job, stage);
                }
            }
        }
    }

    fn begin_period(&mut self) {
        if let Some(period) = self.policy.period(self.state.setting) {
            let time = self.state.now + period;
            self.events.push(Event { time, kind: Kind::PeriodEnd, order: 0, job: 0, stage: 0, core: 0 });
        }
    }

    fn act(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Start(job) => {
                    self.state.phases[job] = Phase::Started;
                    for stage in 0..self.state.setting.jobs[job].stages.len() {
                        if self.state.setting.jobs[job].stages[stage].parents.is_empty() {
                            self.submit(job, stage);
                        }
                    }
                }
                Action::Reject(job) => self.end(job, "rejected"),
                Action::Drop(job) if self.state.phases[job] == Phase::Waiting => self.end(job, "dropped"),
                Action::Drop(job) => self.drop_running(job),
            }
        }
    }

    fn end(&mut self, job: usize, how: &'static str) {
        self.state.phases[job] = Phase::Ended;
        self.outcome.ends[job] = (how, self.state.now);
    }

    /// Section 11: dropping a running job.
    fn drop_running(&mut self, job: usize) {
        let (tasks, others): (Vec<Event>, Vec<Event>) =
            self.events.iter().partition(|event| event.kind == Kind::TaskFinish && event.job == job);
        self.events = others;
        self.events.retain(|event| event.kind != Kind::StageSubmission || event.job != job);
        for task in tasks {
            self.state.cores[task.core].runs = None;
            self.state.lines[task.order as usize][5] = self.state.now;
            self.outcome.killed.push(task.order as u32);
        }
        self.state.counts[job].fill(Counts::default());
        self.offer_round(None);
        self.end(job, "dropped");
        let actions = self.policy.job_ended(&self.state, job);
        self.act(actions);
    }

    fn is_done(&self, job: usize, stage: usize) -> bool {
        self.state.counts[job][stage].finished == self.state.setting.jobs[job].stages[stage].tasks.len()
    }

    fn stage_ended(&mut self, job: usize, ended: usize) {
        let (now, setting) = (self.state.now, self.state.setting);
        let stages = &setting.jobs[job].stages;
        for (child, stage) in stages.iter().enumerate() {
            if !stage.parents.contains(&ended)
                || !stage.parents.iter().all(|&parent| self.is_done(job, parent))
            {
                continue;
            }
            if setting.stage_delay == 0 {
                self.submit(job, child);
            } else {
                self.events.push(Event {
                    time: now + setting.stage_delay,
                    kind: Kind::StageSubmission,
                    order: self.scheduled,
                    job,
                    stage: child,
                    core: 0,
                });
                self.scheduled += 1;
            }
        }
        if (0..stages.len()).all(|stage| self.is_done(job, stage)) {
            self.end(job, "finished");
            let actions = self.policy.job_ended(&self.state, job);
            self.act(actions);
        }
    }

    fn submit(&mut self, job: usize, stage: usize) {
        self.policy.stage_submitted(&self.state, job, stage);
        self.state.counts[job][stage].submitted = true;
        self.offer_round(None);
    }

    /// An offer round; after a task's end with the core that it freed and the job that this served.
    fn offer_round(&mut self, freed: Option<(usize, usize)>) {
        if self.state.cores.iter().all(|core| core.runs.is_some()) {
            return;
        }
        if self.policy.offers() == Offers::Ranking {
            return self.ranked_round();
        }
        if let Some((core, served)) = freed.filter(|_| self.policy.offers() == Offers::Sticky) {
            let fits = |&(job, stage): &(usize, usize)| job == served && self.state.fits(job, stage, core);
            if let Some((job, stage)) = self.least(fits) {
                self.launch(Launch { job, stage, core });
            }
        }
        loop {
            let by_key = || {
                let fits =
                    |&(job, stage): &(usize, usize)| self.state.lowest_fitting_core(job, stage).is_some();
                let (job, stage) = self.least(fits)?;
                Some(Launch { job, stage, core: self.state.lowest_fitting_core(job, stage)? })
            };
            let next = match self.policy.offers() {
                Offers::Own => self.policy.choice(&self.state),
                _ => by_key(),
            };
            match next {
                Some(launch) => self.launch(launch),
                None => return,
            }
        }
    }

    /// Among the waiting stages that may launch and match, the one with the least key.
    fn least(&self, matches: impl Fn(&(usize, usize)) -> bool) -> Option<(usize, usize)> {
        let key = |&(job, stage): &(usize, usize)| self.policy.key(&self.state, job, stage);
        let may_launch = |&(job, stage): &(usize, usize)| self.policy.lets_launch(&self.state, job, stage);
        let stages = self.state.waiting().into_iter().filter(may_launch).filter(matches);
        stages.min_by(|a, b| policies::compare(&key(a), &key(b)))
    }

    fn ranked_round(&mut self) {
        let key = |(job, stage)| (self.policy.key(&self.state, job, stage), job, stage);
        let mut queue: Vec<_> = self.state.waiting().into_iter().map(key).collect();
        queue.sort_by(|a, b| policies::compare(&a.0, &b.0));
        for (_, job, stage) in queue {
            while self.state.pending(job, stage) > 0 {
                let Some(core) = self.state.lowest_fitting_core(job, stage) else { break };
                self.launch(Launch { job, stage, core });
            }
        }
    }

    /// Section 8: what a task costs where it runs.
    fn launch(&mut self, Launch { job, stage, core }: Launch) {
        let (now, setting) = (self.state.now, self.state.setting);
        let spec = &setting.jobs[job].stages[stage];
        let counts = &mut self.state.counts[job][stage];
        let task = counts.launched;
        counts.launched += 1;
        counts.running += 1;
        let last = self.state.cores[core].last;
        let warm = last.is_some_and(|(last_job, _)| last_job == job);
        let mut f = spec.inflation(counts.running);
        if last != Some((job, stage)) {
            f *= spec.first_wave;
        }
        if warm {
            f /= setting.jobs[job].warm_factor;
        }
        let d = spec.tasks[task];
        let d = if f == 1.0 { d } else { (d as f64 * f + 0.5).floor() as u64 };
        let end = now + d + setting.task_overhead + if warm { 0 } else { setting.core_move };
        self.state.cores[core] = Core { runs: Some((job, stage)), last: Some((job, stage)) };
        let order = self.state.lines.len() as u64;
        self.state.lines.push([job as u64, stage as u64, task as u64, core as u64, now, end]);
        self.events.push(Event { time: end, kind: Kind::TaskFinish, order, job, stage, core });
    }
}
