//! Section 2 of `docs/model.md`: what a scenario file says, section 8: what a task costs where it runs, and the fields
//! of sections 12 to 14.

use serde_json::Value;

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

#[derive(Clone)]
pub struct User {
    pub name: String,
    /// w: its millionths / 1e6.
    pub millionths: u64,
    pub queue: Queue,
}

/// Section 12: a user as a queue.
#[derive(Clone)]
pub struct Queue {
    pub latency: bool,
    pub joins: u64,
    pub period: u64,
    pub within: u64,
    /// What a burst demands, in core-µs and MB-µs.
    pub demand: [u64; 2],
    pub warp: u64,
}

impl Queue {
    fn read(queue: &Value) -> Queue {
        let time = |key: &str, default: u64| queue.get(key).map_or(default, micros);
        let period = time("period_s", 300_000_000);
        Queue {
            latency: queue["kind"] == "latency",
            joins: time("joins_s", 0),
            period,
            within: time("within_s", period),
            demand: [time("demand_core_s", 0), time("demand_mb_s", 0)],
            warp: time("warp_s", 0),
        }
    }
}

#[derive(Clone)]
pub struct Stage {
    pub parents: Vec<usize>,
    /// Durations of the tasks.
    pub tasks: Vec<u64>,
    pub estimate: u64,
    pub first_wave: f64,
    /// Points `[n, factor]`.
    pub inflation: Vec<(u64, f64)>,
    /// MB.
    pub memory: u64,
    /// Section 13: from its last parent's end, or its job's start, to its submission.
    pub delay: u64,
    /// Section 12: which of its job's Spark jobs it belongs to.
    pub spark_job: u64,
    /// Section 19: `None` for the job's.
    pub pool: Option<String>,
    /// Section 20.
    pub barrier: bool,
    /// Section 22.
    pub prefers: Vec<Vec<usize>>,
    pub away: f64,
    /// Section 29.
    pub resource_profile: u64,
    pub exclusions: Vec<Exclusion>,
}

impl Stage {
    /// The executors that task i prefers.
    pub fn preferred(&self, i: usize) -> &[usize] {
        let p = self.prefers.len();
        if p == 0 { &[] } else { &self.prefers[i * p / self.tasks.len()] }
    }

    pub fn has_level(&self) -> bool {
        self.prefers.iter().any(|entry| !entry.is_empty())
    }

    /// The factor on a task launched as the n-th running task of its stage.
    pub fn inflation(&self, n: u64) -> f64 {
        if self.inflation.is_empty() { 1.0 } else { between(&self.inflation, n) }
    }
}

/// The value at n between points, flat outside.
fn between(points: &[(u64, f64)], n: u64) -> f64 {
    let (first, last) = (points[0], points[points.len() - 1]);
    if n <= first.0 {
        return first.1;
    }
    if n >= last.0 {
        return last.1;
    }
    let next = points.iter().position(|point| point.0 > n).unwrap();
    let ((x0, y0), (x1, y1)) = (points[next - 1], points[next]);
    if n == x0 {
        return y0;
    }
    y0 + (y1 - y0) * (n - x0) as f64 / (x1 - x0) as f64
}

impl User {
    pub fn weight(&self) -> f64 {
        self.millionths as f64 / 1e6
    }
}

#[derive(Clone)]
pub struct Job {
    pub user: usize,
    pub arrival: u64,
    pub estimate: u64,
    pub warm_factor: f64,
    pub deadline: Option<u64>,
    pub curve: Option<Curve>,
    pub pool: Option<String>,
    pub group: Option<String>,
    /// Section 13: the job whose answer its user waits for, and the time to think; none in open sessions.
    pub after: Option<(usize, u64)>,
    /// Section 13: whether it is a micro-batch after that job.
    pub batch: bool,
    /// Section 13: from the end of its last stage to its own.
    pub finish_delay: u64,
    /// Section 21.
    pub cancel: Option<u64>,
    pub interrupt: bool,
    pub stages: Vec<Stage>,
}

/// Section 10: a performance curve.
#[derive(Clone)]
pub enum Curve {
    Ernest([f64; 4]),
    Points(Vec<(u64, f64)>),
}

impl Curve {
    /// p(x).
    pub fn p(&self, x: u64) -> f64 {
        if x == 0 {
            return 0.0;
        }
        match self {
            Curve::Ernest([a0, a1, a2, a3]) => {
                let x = x as f64;
                1.0 / (a0 + a1 * x + a2 / x + a3 * libm::log(x))
            }
            Curve::Points(points) if x < points[0].0 => points[0].1 * x as f64 / points[0].0 as f64,
            Curve::Points(points) => between(points, x),
        }
    }
}

/// Section 14: `dynamic_allocation`.
#[derive(Clone)]
pub struct DynamicAllocation {
    pub min: u64,
    pub max: u64,
    pub initial: u64,
    pub backlog: u64,
    pub sustained: u64,
    pub idle: u64,
    pub start: u64,
    /// Section 25.
    pub shuffle_tracking: bool,
    pub shuffle_timeout: Option<u64>,
}

/// Section 23.
#[derive(Clone)]
pub struct Loss {
    pub at: u64,
    pub executor: usize,
    pub back: Option<u64>,
}

/// Section 29: counted from 0 or from a stage's first launch.
#[derive(Clone)]
pub struct Exclusion {
    pub executor: usize,
    pub from: u64,
    pub lasts: Option<u64>,
}

/// Section 24.
#[derive(Clone)]
pub struct Speculation {
    pub quantile: f64,
    pub multiplier: f64,
    pub min: u64,
    pub interval: u64,
}

/// Section 26.
#[derive(Clone)]
pub struct Preemption {
    pub threshold: f64,
    pub after: u64,
    pub interval: u64,
}

impl DynamicAllocation {
    fn read(field: &Value, executors: u64) -> DynamicAllocation {
        let whole = |key: &str, default: u64| field[key].as_u64().unwrap_or(default);
        let time = |key: &str, default: u64| field.get(key).map_or(default, micros);
        let (min, backlog) = (whole("min", 0), time("backlog_s", 1_000_000));
        DynamicAllocation {
            min,
            max: whole("max", executors),
            initial: whole("initial", min),
            backlog,
            sustained: time("sustained_s", backlog),
            idle: time("idle_s", 60_000_000),
            start: time("start_s", 0),
            shuffle_tracking: field["shuffle_tracking"] == true,
            shuffle_timeout: field.get("shuffle_timeout_s").map(micros),
        }
    }
}

#[derive(Clone)]
pub struct Setting {
    /// R.
    pub cores: u64,
    pub cores_per_executor: u64,
    pub task_overhead: u64,
    pub core_move: u64,
    /// MB by executor, if memory is modelled.
    pub memory: Option<u64>,
    pub spark_ties: bool,
    pub first_stage_id: u64,
    pub grace: u64,
    pub late_on_top: bool,
    pub users: Vec<User>,
    pub jobs: Vec<Job>,
    /// The number of executors wanted from an instant on.
    pub executors_at: Option<Vec<(u64, u64)>>,
    pub dynamic_allocation: Option<DynamicAllocation>,
    /// Section 3: job, stage and task.
    pub driver: [u64; 3],
    /// Section 22: by executor; empty if all are 1.
    pub speeds: Vec<f64>,
    pub locality_wait: u64,
    pub losses: Vec<Loss>,
    /// Section 29: by executor; empty if all have 0.
    pub resource_profiles: Vec<u64>,
    pub exclusions: Vec<Exclusion>,
    pub speculation: Option<Speculation>,
    pub preemption: Option<Preemption>,
    /// Section 28.
    pub executors_belong: bool,
    /// Parameters by policy.
    pub parameters: Value,
}

fn micros(seconds: &Value) -> u64 {
    (seconds.as_f64().unwrap() * 1e6 + 0.5).floor() as u64
}

impl Setting {
    /// Reads a file that is known to be sound.
    pub fn read(text: &str, runtime_partitioning: bool) -> Setting {
        let file: Value = serde_json::from_str(text).unwrap();
        let cluster = &file["cluster"];
        let whole = |key: &str, default: u64| cluster[key].as_u64().unwrap_or(default);
        let time = |key: &str, default: u64| cluster.get(key).map_or(default, micros);
        let mut setting = Setting {
            cores: whole("executors", 1) * whole("cores_per_executor", 4),
            cores_per_executor: whole("cores_per_executor", 4),
            core_move: time("core_move_s", 0),
            memory: cluster["memory_mb_per_executor"].as_u64(),
            task_overhead: time("task_overhead_s", 0),
            spark_ties: cluster["fair_tie_break"] == "spark",
            first_stage_id: whole("first_stage_id", 0),
            grace: time("uwfq_grace_s", 2_000_000),
            late_on_top: cluster["uwfq_late_stage"] == "top",
            users: Vec::new(),
            jobs: Vec::new(),
            executors_at: cluster["executors_at"].as_array().map(|entries| {
                entries.iter().map(|entry| (micros(&entry[0]), entry[1].as_u64().unwrap())).collect()
            }),
            dynamic_allocation: Some(&cluster["dynamic_allocation"])
                .filter(|field| field.is_object())
                .map(|field| DynamicAllocation::read(field, whole("executors", 1))),
            driver: ["driver_job_s", "driver_stage_s", "driver_task_s"].map(|key| time(key, 0)),
            speeds: numbers(&cluster["speeds"]),
            locality_wait: time("locality_wait_s", 3_000_000),
            losses: cluster["losses"].as_array().into_iter().flatten().map(read_loss).collect(),
            resource_profiles: cluster["resource_profiles"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|profile| profile.as_u64().unwrap())
                .collect(),
            exclusions: read_exclusions(&cluster["exclusions"]),
            speculation: Some(&cluster["speculation"])
                .filter(|field| field.is_object())
                .map(read_speculation),
            preemption: Some(&cluster["preemption"]).filter(|field| field.is_object()).map(read_preemption),
            executors_belong: cluster["executors_belong"] == "jobs",
            parameters: file["policies"].clone(),
        };
        let stage_delay = time("stage_delay_s", 0);
        let sessions_are_open = file["sessions"] == "open";
        for user in file["users"].as_array().into_iter().flatten() {
            let weight = user["weight"].as_f64().unwrap_or(1.0);
            let name = user["name"].as_str().unwrap().to_owned();
            let millionths = (weight * 1e6 + 0.5).floor() as u64;
            setting.users.push(User { name, millionths, queue: Queue::read(&user["queue"]) });
        }
        let partitioning = &file["partitioning"];
        let runtime = partitioning.get("advisory_task_runtime_s").map_or(500_000, micros);
        let least_is_one = partitioning["min_partitions"] == "one";
        for job in file["jobs"].as_array().unwrap() {
            let name = job["user"].as_str().unwrap();
            if !setting.users.iter().any(|user| user.name == name) {
                let queue = Queue::read(&Value::Null);
                setting.users.push(User { name: name.to_owned(), millionths: 1_000_000, queue });
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
                    let barrier = stage["barrier"] == true;
                    let splittable = stage["splittable"].as_bool().unwrap_or(!barrier);
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
                    let delay = if parents.is_empty() { 0 } else { stage_delay };
                    Stage {
                        delay: stage.get("delay_s").map_or(delay, micros),
                        spark_job: stage["spark_job"].as_u64().unwrap_or(0),
                        parents,
                        tasks: input.tasks(n),
                        estimate,
                        first_wave: stage["first_wave"].as_f64().unwrap_or(1.0),
                        inflation: points(&stage["inflation"]),
                        memory: stage["memory_mb"].as_u64().unwrap_or(0),
                        pool: stage["pool"].as_str().map(str::to_owned),
                        barrier,
                        prefers: read_prefers(&stage["prefers"]),
                        away: stage["away"].as_f64().unwrap_or(1.0),
                        resource_profile: stage["resource_profile"].as_u64().unwrap_or(0),
                        exclusions: read_exclusions(&stage["exclusions"]),
                    }
                })
                .collect();
            let sum = stages.iter().map(|stage| stage.estimate).sum();
            setting.jobs.push(Job {
                user,
                arrival: micros(&job["arrival_s"]),
                estimate: job.get("estimate_s").map_or(sum, micros),
                warm_factor: job["warm_factor"].as_f64().unwrap_or(1.0),
                deadline: job.get("deadline_s").map(micros),
                curve: read_curve(job),
                finish_delay: job.get("finish_delay_s").map_or(0, micros),
                cancel: job.get("cancel_s").map(micros),
                interrupt: job["interrupt"] == true,
                pool: job["pool"].as_str().map(str::to_owned),
                group: job["group"].as_str().map(str::to_owned),
                after: job.get("after").filter(|_| !sessions_are_open).map(|after| {
                    (after["job"].as_u64().unwrap() as usize, after.get("think_s").map_or(0, micros))
                }),
                batch: job["after"]["batch"] == true,
                stages,
            });
        }
        setting
    }

    /// A job alone, arriving at 0, on the whole cluster.
    pub fn alone(&self, job: usize) -> Setting {
        let mut alone = Setting {
            jobs: vec![Job {
                arrival: 0,
                after: None,
                cancel: None,
                interrupt: false,
                ..self.jobs[job].clone()
            }],
            executors_at: None,
            dynamic_allocation: None,
            losses: Vec::new(),
            exclusions: Vec::new(),
            preemption: None,
            ..self.clone()
        };
        alone.jobs[0].stages.iter_mut().for_each(|stage| stage.exclusions.clear());
        alone
    }

    /// The same on one executor of x cores and speed 1, without `prefers` and resource profiles.
    pub fn alone_on(&self, job: usize, x: u64) -> Setting {
        let mut alone = Setting {
            cores: x,
            cores_per_executor: x,
            speeds: Vec::new(),
            resource_profiles: Vec::new(),
            ..self.alone(job)
        };
        for stage in &mut alone.jobs[0].stages {
            stage.prefers.clear();
            stage.resource_profile = 0;
        }
        alone
    }

    /// The most tasks of a barrier stage of a job; 0 if it has none.
    pub fn largest_barrier(&self, job: usize) -> u64 {
        let barriers = self.jobs[job].stages.iter().filter(|stage| stage.barrier);
        barriers.map(|stage| stage.tasks.len() as u64).max().unwrap_or(0)
    }

    /// A policy's parameter.
    pub fn parameter(&self, policy: &str, name: &str, default: f64) -> f64 {
        self.parameters[policy][name].as_f64().unwrap_or(default)
    }
}

fn read_curve(job: &Value) -> Option<Curve> {
    match job["ernest"].as_array() {
        Some(a) => Some(Curve::Ernest([0, 1, 2, 3].map(|index| a[index].as_f64().unwrap()))),
        None => Some(points(&job["curve"])).filter(|points| !points.is_empty()).map(Curve::Points),
    }
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().into_iter().flatten().map(|number| number.as_f64().unwrap()).collect()
}

fn read_prefers(list: &Value) -> Vec<Vec<usize>> {
    let entry = |entry: &Value| {
        entry.as_array().unwrap().iter().map(|executor| executor.as_u64().unwrap() as usize).collect()
    };
    list.as_array().into_iter().flatten().map(entry).collect()
}

fn read_loss(loss: &Value) -> Loss {
    Loss {
        at: micros(&loss["at_s"]),
        executor: loss["executor"].as_u64().unwrap() as usize,
        back: loss.get("back_s").map(micros),
    }
}

fn read_exclusions(list: &Value) -> Vec<Exclusion> {
    let exclusion = |exclusion: &Value| Exclusion {
        executor: exclusion["executor"].as_u64().unwrap() as usize,
        from: micros(&exclusion["from_s"]),
        lasts: exclusion.get("for_s").map(micros),
    };
    list.as_array().into_iter().flatten().map(exclusion).collect()
}

fn read_speculation(field: &Value) -> Speculation {
    Speculation {
        quantile: field["quantile"].as_f64().unwrap_or(0.9),
        multiplier: field["multiplier"].as_f64().unwrap_or(3.0),
        min: field.get("min_s").map_or(100_000, micros),
        interval: field.get("interval_s").map_or(100_000, micros),
    }
}

fn read_preemption(field: &Value) -> Preemption {
    Preemption {
        threshold: field["threshold"].as_f64().unwrap_or(0.5),
        after: field.get("after_s").map_or(30_000_000, micros),
        interval: field.get("interval_s").map_or(5_000_000, micros),
    }
}

/// Points `[whole number, number]`.
fn points(list: &Value) -> Vec<(u64, f64)> {
    let points = list.as_array().into_iter().flatten();
    points.map(|point| (point[0].as_u64().unwrap(), point[1].as_f64().unwrap())).collect()
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
