//! A second simulator, slow and obvious, written from `docs/model.md` alone: it reads the file itself, looks through
//! all events for the next one, and sorts all waiting stages at every round. The quick engine must agree with it, task
//! for task.
//!
//! Figures are named as in the model (T, V, Va, …); times are microseconds.

mod belonging;
mod executors;
mod policies;
mod setting;
mod state;

use std::collections::BTreeMap;

use executors::{Allocation, present_at_start};
use policies::{Action, Launch, Offers, POLICIES, Policy};
pub use setting::Setting;
use state::{Core, Counts, Phase, State};

/// Job, stage index, task index, core, start, end: a line of a trace.
pub type Line = [u64; 6];

/// What happened.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    /// In the order of launch.
    pub lines: Vec<Line>,
    /// The lines of tasks that a drop ended, ascending.
    pub killed: Vec<u32>,
    /// By job.
    pub arrivals: Vec<u64>,
    /// By job: `finished`, `dropped` or `rejected`, and when.
    pub ends: Vec<(String, u64)>,
    /// By user, under a policy that has classes.
    pub classes: BTreeMap<String, String>,
    /// Executor, from and to, in the order of joining; none where executors neither come nor go.
    pub executors: Vec<[u64; 3]>,
}

/// Sections 3, 11 and 17: the kinds of events at one instant, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    TaskFinish,
    Deadline,
    /// Another number of executors is wanted, or one joins.
    Executors,
    JobArrival,
    StageSubmission,
    Tick,
    PeriodEnd,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    time: u64,
    kind: Kind,
    /// Order of launch, rank, place in `executors_at` or order of starting, index of the job in the file, or order of
    /// scheduling.
    order: u64,
    job: usize,
    stage: usize,
    core: usize,
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
    /// Stages that wait out a delay, so far.
    scheduled: u64,
    /// Jobs, so far.
    arrived: u64,
    /// The stage id that the next stage gets.
    next_id: u64,
    /// Executors that began to start, so far.
    started: u64,
    allocation: Option<Allocation>,
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
    let mut simulation = Simulation {
        policy: make(setting),
        events: Vec::new(),
        scheduled: 0,
        arrived: 0,
        next_id: setting.first_stage_id,
        started: 0,
        allocation: setting.dynamic_allocation.as_ref().map(Allocation::new),
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
            cores: vec![Core::default(); setting.cores as usize],
            executors: present_at_start(setting),
            lines: Vec::new(),
        },
    };
    simulation.schedule_what_the_file_says();
    simulation.begin_period();
    while simulation.state.phases.iter().any(|phase| *phase != Phase::Ended) {
        simulation.events.sort_by_key(|event| (event.time, event.kind, event.order));
        let event = simulation.events.remove(0);
        simulation.state.now = event.time;
        simulation.handle(event);
        if setting.executors_belong && simulation.events.iter().all(|other| other.time > event.time) {
            simulation.give_cores();
        }
    }
    // The last job may end later than its tasks (section 13), and executors are there until then.
    simulation.state.now =
        simulation.outcome.ends.iter().map(|(_, end)| *end).max().unwrap_or(simulation.state.now);
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
        self.events.push(Event { time, kind, order, job, stage, core: 0 });
    }

    fn schedule_what_the_file_says(&mut self) {
        for (j, job) in self.state.setting.jobs.iter().enumerate() {
            if job.after.is_none() {
                self.schedule(job.arrival, Kind::JobArrival, j as u64, j, 0);
            }
        }
        self.schedule_executors();
    }

    fn handle(&mut self, Event { time, kind, order, job, stage, core }: Event) {
        match kind {
            Kind::JobArrival => {
                self.arrive(job);
                if let Some(after) = self.policy.deadline_of(&self.state, job) {
                    self.schedule(time + after, Kind::Deadline, self.state.ranks[job], job, 0);
                }
                let actions = self.policy.job_arrived(&self.state, job);
                self.act(actions);
            }
            Kind::StageSubmission => self.submit(job, stage),
            Kind::Executors => self.executors_change(order),
            Kind::Tick => self.tick(),
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
            Kind::TaskFinish => {
                self.task_leaves(core);
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
                            self.submit_after_delay(job, stage);
                        }
                    }
                }
                Action::Reject(job) => self.end(job, "rejected"),
                Action::Drop(job) if self.state.phases[job] == Phase::Waiting => self.end(job, "dropped"),
                Action::Drop(job) => self.drop_running(job),
            }
        }
    }

    /// A job's rank and stage ids are the next.
    fn arrive(&mut self, job: usize) {
        let state = &mut self.state;
        state.phases[job] = Phase::Waiting;
        state.arrivals[job] = state.now;
        state.ranks[job] = self.arrived;
        self.arrived += 1;
        for _ in &state.setting.jobs[job].stages {
            state.ids[job].push(self.next_id);
            self.next_id += 1;
        }
    }

    /// Section 13: the jobs of a session follow each other.
    fn end(&mut self, ended: usize, how: &str) {
        let setting = self.state.setting;
        let delay = if how == "finished" { setting.jobs[ended].finish_delay } else { 0 };
        let now = self.state.now + delay;
        self.state.phases[ended] = Phase::Ended;
        self.outcome.ends[ended] = (how.to_owned(), now);
        for (j, job) in setting.jobs.iter().enumerate() {
            if let Some((before, think)) = job.after
                && before == ended
            {
                self.schedule(now + think, Kind::JobArrival, j as u64, j, 0);
            }
        }
    }

    /// Section 11: dropping a running job.
    fn drop_running(&mut self, job: usize) {
        let (tasks, others): (Vec<Event>, Vec<Event>) =
            self.events.iter().partition(|event| event.kind == Kind::TaskFinish && event.job == job);
        self.events = others;
        self.events.retain(|event| event.kind != Kind::StageSubmission || event.job != job);
        for task in tasks {
            self.task_leaves(task.core);
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
        let stages = &self.state.setting.jobs[job].stages;
        for (child, stage) in stages.iter().enumerate() {
            if stage.parents.contains(&ended) && stage.parents.iter().all(|&parent| self.is_done(job, parent))
            {
                self.submit_after_delay(job, child);
            }
        }
        if (0..stages.len()).all(|stage| self.is_done(job, stage)) {
            self.end(job, "finished");
            let actions = self.policy.job_ended(&self.state, job);
            self.act(actions);
        }
    }

    fn submit_after_delay(&mut self, job: usize, stage: usize) {
        let delay = self.state.setting.jobs[job].stages[stage].delay;
        if delay == 0 {
            return self.submit(job, stage);
        }
        self.schedule(self.state.now + delay, Kind::StageSubmission, self.scheduled, job, stage);
        self.scheduled += 1;
    }

    fn submit(&mut self, job: usize, stage: usize) {
        let spark_job = (job, self.state.setting.jobs[job].stages[stage].spark_job);
        if !self.state.spark_jobs.contains(&spark_job) {
            self.state.spark_jobs.push(spark_job);
        }
        self.notice_backlog();
        self.policy.stage_submitted(&self.state, job, stage);
        self.state.counts[job][stage].submitted = true;
        self.offer_round(None);
    }

    /// An offer round; after a task's end with the core that it freed and the job that this served.
    fn offer_round(&mut self, freed: Option<(usize, usize)>) {
        self.offer_cores(freed);
        if self.state.waiting().is_empty() {
            self.forget_backlog();
        }
    }

    fn offer_cores(&mut self, freed: Option<(usize, usize)>) {
        if !(0..self.state.cores.len()).any(|core| self.state.is_free(core)) {
            return;
        }
        if self.state.setting.executors_belong {
            return self.own_round(freed);
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
            while self.state.pending(job, stage) > 0 && self.policy.lets_launch(&self.state, job, stage) {
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
        let on_its_way = if setting.executors_belong { now - self.state.cores[core].given } else { 0 };
        let moves = if warm { 0 } else { setting.core_move.saturating_sub(on_its_way) };
        let end = now + d + setting.task_overhead + moves;
        self.state.cores[core].runs = Some((job, stage));
        self.state.cores[core].last = Some((job, stage));
        let order = self.state.lines.len() as u64;
        self.state.lines.push([job as u64, stage as u64, task as u64, core as u64, now, end]);
        self.events.push(Event { time: end, kind: Kind::TaskFinish, order, job, stage, core });
    }
}
