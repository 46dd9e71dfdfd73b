//! A second simulator, slow and obvious, written from `docs/model.md` alone: it reads the file anew,
//! looks through all events for the next one, sorts all waiting stages at every round and keeps
//! every list as the model words it. The quick engine must agree with it, task for task.
//!
//! Figures are named as in the model (T, V, Va, …); times are microseconds.

use serde_json::Value;

mod policies;

use policies::{KeyPart, Policies};

/// Job, stage index, task index, core, start, end: a line of a trace.
pub type Line = [u64; 6];

/// What happened: the lines in the order of launch and the instant at which each job finished.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub lines: Vec<Line>,
    pub finishes: Vec<u64>,
}

/// Section 2, "Stage input" and "Partitioning".
struct Input {
    slices: Vec<u64>,
}

impl Input {
    fn prefix(&self, k: usize) -> u128 {
        self.slices[..k].iter().map(|&slice| u128::from(slice)).sum()
    }

    fn cut(&self, i: u64, n: u64) -> u128 {
        let m = self.slices.len() as u64;
        let (k, r) = ((i * m / n) as usize, i * m % n);
        if k == self.slices.len() {
            return self.prefix(k);
        }
        self.prefix(k) + u128::from(self.slices[k]) * u128::from(r) / u128::from(n)
    }

    fn tasks(&self, n: u64) -> Vec<u64> {
        (0..n).map(|i| (self.cut(i + 1, n) - self.cut(i, n)) as u64).collect()
    }

    fn work(&self) -> u64 {
        self.slices.iter().sum()
    }
}

pub struct User {
    pub name: String,
    /// w: its millionths / 1e6.
    pub millionths: u64,
}

pub struct Stage {
    parents: Vec<usize>,
    /// Durations of the tasks.
    tasks: Vec<u64>,
    pub estimate: u64,
}

pub struct Job {
    pub user: usize,
    arrival: u64,
    pub estimate: u64,
    pub stages: Vec<Stage>,
}

pub struct Setting {
    /// R.
    pub cores: u64,
    task_overhead: u64,
    stage_delay: u64,
    pub spark_ties: bool,
    first_stage_id: u64,
    pub grace: u64,
    pub late_on_top: bool,
    pub users: Vec<User>,
    pub jobs: Vec<Job>,
}

fn micros(seconds: &Value) -> u64 {
    (seconds.as_f64().unwrap() * 1e6 + 0.5).floor() as u64
}

impl Setting {
    /// Reads a file that is known to be sound.
    fn read(text: &str, runtime_partitioning: bool) -> Setting {
        let file: Value = serde_json::from_str(text).unwrap();
        let cluster = &file["cluster"];
        let whole = |key: &str, default: u64| cluster[key].as_u64().unwrap_or(default);
        let time = |key: &str, default: u64| cluster.get(key).map_or(default, micros);
        let mut setting = Setting {
            cores: whole("executors", 1) * whole("cores_per_executor", 4),
            task_overhead: time("task_overhead_s", 0),
            stage_delay: time("stage_delay_s", 0),
            spark_ties: cluster["fair_tie_break"] == "spark",
            first_stage_id: whole("first_stage_id", 0),
            grace: time("uwfq_grace_s", 2_000_000),
            late_on_top: cluster["uwfq_late_stage"] == "top",
            users: Vec::new(),
            jobs: Vec::new(),
        };
        for user in file["users"].as_array().into_iter().flatten() {
            let weight = user["weight"].as_f64().unwrap_or(1.0);
            let name = user["name"].as_str().unwrap().to_owned();
            setting.users.push(User { name, millionths: (weight * 1e6 + 0.5).floor() as u64 });
        }
        let partitioning = &file["partitioning"];
        let runtime = partitioning.get("advisory_task_runtime_s").map_or(500_000, micros);
        let least_is_one = partitioning["min_partitions"] == "one";
        for job in file["jobs"].as_array().unwrap() {
            let name = job["user"].as_str().unwrap();
            if !setting.users.iter().any(|user| user.name == name) {
                setting.users.push(User { name: name.to_owned(), millionths: 1_000_000 });
            }
            let user = setting.users.iter().position(|user| user.name == name).unwrap();
            let stages: Vec<Stage> = job["stages"]
                .as_array()
                .unwrap()
                .iter()
                .enumerate()
                .map(|(index, stage)| {
                    let (input, default) = read_input(stage, setting.cores);
                    let estimate = stage.get("estimate_s").map_or(input.work(), micros);
                    let default = stage["partitions"].as_u64().unwrap_or(default);
                    let splittable = stage["splittable"].as_bool().unwrap_or(true);
                    let n = if runtime_partitioning && splittable {
                        let least = if least_is_one { 1 } else { default };
                        least.max(estimate.div_ceil(runtime))
                    } else {
                        default
                    };
                    let parents = match stage["parents"].as_array() {
                        Some(list) => list.iter().map(|parent| parent.as_u64().unwrap() as usize).collect(),
                        None if index == 0 => Vec::new(),
                        None => vec![index - 1],
                    };
                    Stage { parents, tasks: input.tasks(n), estimate }
                })
                .collect();
            let sum = stages.iter().map(|stage| stage.estimate).sum();
            setting.jobs.push(Job {
                user,
                arrival: micros(&job["arrival_s"]),
                estimate: job.get("estimate_s").map_or(sum, micros),
                stages,
            });
        }
        setting
    }
}

/// A stage's input and its default number of partitions where the file gives none.
fn read_input(stage: &Value, cores: u64) -> (Input, u64) {
    if let Some(tasks) = stage["tasks_s"].as_array() {
        return (Input { slices: tasks.iter().map(micros).collect() }, tasks.len() as u64);
    }
    let work = micros(&stage["work_s"]) as f64;
    let weights: Vec<f64> = match stage["profile"].as_array() {
        Some(list) => list.iter().map(|weight| weight.as_f64().unwrap()).collect(),
        None => vec![1.0],
    };
    let sum_of_first = |k: usize| weights[..k].iter().fold(0.0, |sum, weight| sum + weight);
    let m = weights.len();
    let prefix = |k: usize| (work * sum_of_first(k) / sum_of_first(m) + 0.5).floor() as u64;
    (Input { slices: (0..m).map(|k| prefix(k + 1) - prefix(k)).collect() }, cores)
}

/// Section 3: the kinds of events at one instant, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    TaskFinish,
    JobArrival,
    StageSubmission,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    time: u64,
    kind: Kind,
    /// Order of launch, place of the job in the file, or order of scheduling.
    order: u64,
    job: usize,
    stage: usize,
    core: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Core {
    Free,
    Busy,
}

/// How far a stage is.
#[derive(Clone, Copy, Default)]
struct Counts {
    submitted: bool,
    launched: usize,
    running: u64,
    finished: usize,
}

struct Simulation<'a> {
    setting: &'a Setting,
    policies: Policies<'a>,
    events: Vec<Event>,
    cores: Vec<Core>,
    counts: Vec<Vec<Counts>>,
    ids: Vec<Vec<u64>>,
    scheduled: u64,
    outcome: Outcome,
}

/// Whether this simulator has a policy, by its id without `-p`. The allocating ones have the given traces.
pub fn knows(policy: &str) -> bool {
    ["fifo", "fair", "ujf", "cfq", "uwfq"].contains(&policy)
}

/// Simulates a scenario file under `fifo`, …, `uwfq-p`.
pub fn simulate(text: &str, policy: &str) -> Outcome {
    let kind = policy.trim_end_matches("-p");
    let setting = Setting::read(text, policy.ends_with("-p"));
    let mut order: Vec<usize> = (0..setting.jobs.len()).collect();
    order.sort_by_key(|&j| (setting.jobs[j].arrival, j));
    let mut ranks = vec![0; order.len()];
    let mut ids = vec![Vec::new(); order.len()];
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
    let mut simulation = Simulation {
        setting: &setting,
        policies: Policies::new(kind, &setting, ranks),
        events: arrivals.collect(),
        cores: vec![Core::Free; setting.cores as usize],
        counts: setting.jobs.iter().map(|job| vec![Counts::default(); job.stages.len()]).collect(),
        ids,
        scheduled: 0,
        outcome: Outcome { lines: Vec::new(), finishes: vec![0; setting.jobs.len()] },
    };
    while !simulation.events.is_empty() {
        simulation.events.sort_by_key(|event| (event.time, event.kind, event.order));
        let event = simulation.events.remove(0);
        simulation.handle(event);
    }
    simulation.outcome
}

impl Simulation<'_> {
    fn handle(&mut self, Event { time: now, kind, job, stage, core, .. }: Event) {
        match kind {
            Kind::JobArrival => {
                self.policies.job_arrived(now, job);
                for stage in 0..self.setting.jobs[job].stages.len() {
                    if self.setting.jobs[job].stages[stage].parents.is_empty() {
                        self.submit(now, job, stage);
                    }
                }
            }
            Kind::StageSubmission => self.submit(now, job, stage),
            Kind::TaskFinish => {
                self.cores[core as usize] = Core::Free;
                self.counts[job][stage].running -= 1;
                self.counts[job][stage].finished += 1;
                self.offer_round(now);
                if self.is_done(job, stage) {
                    self.stage_ended(now, job, stage);
                }
            }
        }
    }

    fn is_done(&self, job: usize, stage: usize) -> bool {
        self.counts[job][stage].finished == self.setting.jobs[job].stages[stage].tasks.len()
    }

    fn stage_ended(&mut self, now: u64, job: usize, ended: usize) {
        let stages = &self.setting.jobs[job].stages;
        if (0..stages.len()).all(|stage| self.is_done(job, stage)) {
            self.outcome.finishes[job] = now;
        }
        for (child, stage) in stages.iter().enumerate() {
            if !stage.parents.contains(&ended)
                || !stage.parents.iter().all(|&parent| self.is_done(job, parent))
            {
                continue;
            }
            if self.setting.stage_delay == 0 {
                self.submit(now, job, child);
            } else {
                self.events.push(Event {
                    time: now + self.setting.stage_delay,
                    kind: Kind::StageSubmission,
                    order: self.scheduled,
                    job,
                    stage: child,
                    core: 0,
                });
                self.scheduled += 1;
            }
        }
    }

    fn submit(&mut self, now: u64, job: usize, stage: usize) {
        let stages = &self.setting.jobs[job].stages;
        let unsubmitted = stages.iter().zip(&self.counts[job]).filter(|(_, counts)| !counts.submitted);
        let unsubmitted = unsubmitted.map(|(stage, _)| stage.estimate).sum();
        self.policies.stage_submitted(now, job, self.ids[job][stage], &stages[stage], unsubmitted);
        self.counts[job][stage].submitted = true;
        self.offer_round(now);
    }

    fn pending(&self, job: usize, stage: usize) -> usize {
        let Counts { submitted, launched, .. } = self.counts[job][stage];
        if submitted { self.setting.jobs[job].stages[stage].tasks.len() - launched } else { 0 }
    }

    fn offer_round(&mut self, now: u64) {
        let mut queue: Vec<(Vec<KeyPart>, usize, usize)> = Vec::new();
        for job in 0..self.setting.jobs.len() {
            for stage in 0..self.setting.jobs[job].stages.len() {
                if self.pending(job, stage) > 0 {
                    queue.push((self.key(job, stage), job, stage));
                }
            }
        }
        queue.sort_by(|a, b| policies::compare(&a.0, &b.0));
        let free: Vec<usize> = (0..self.cores.len()).filter(|&core| self.cores[core] == Core::Free).collect();
        let mut free = free.into_iter();
        for (_, job, stage) in queue {
            while self.pending(job, stage) > 0 {
                let Some(core) = free.next() else { return };
                self.launch(now, job, stage, core);
            }
        }
    }

    fn key(&self, job: usize, stage: usize) -> Vec<KeyPart> {
        let user = self.setting.jobs[job].user;
        let of_user = self.setting.jobs.iter().zip(&self.counts).filter(|(other, _)| other.user == user);
        let user_running = of_user.flat_map(|(_, counts)| counts).map(|counts| counts.running).sum();
        self.policies.key(job, self.ids[job][stage], self.counts[job][stage].running, user_running)
    }

    fn launch(&mut self, now: u64, job: usize, stage: usize, core: usize) {
        let counts = &mut self.counts[job][stage];
        let task = counts.launched;
        let end = now + self.setting.jobs[job].stages[stage].tasks[task] + self.setting.task_overhead;
        counts.launched += 1;
        counts.running += 1;
        self.cores[core] = Core::Busy;
        let order = self.outcome.lines.len() as u64;
        self.outcome.lines.push([job as u64, stage as u64, task as u64, core as u64, now, end]);
        self.events.push(Event { time: end, kind: Kind::TaskFinish, order, job, stage, core: core as u64 });
    }
}
