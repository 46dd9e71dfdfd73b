//! What several tests share: seeded random scenarios, as files, and the fingerprints of their
//! traces. Uses nothing but the library, so that a browser test can include it too.
#![allow(dead_code, reason = "each test takes what it needs")]

pub mod attempts;
pub mod by_key;
pub mod clusters;
pub mod crowds;
pub mod generators;

use std::fmt::Write;

use fairlane::policy::parameters::{self, ParameterKind};
use fairlane::scenario::{Driver, Edit, PartitionMode};
use fairlane::units::Span;
use fairlane::{PolicyId, PolicyKind, Scenario, simulate};

/// Seeds of the scenarios whose traces have fingerprints in `policies.txt`.
pub const HASHED_SEEDS: u64 = 40;

/// A small random number generator: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number below `end`. Slightly uneven, which no test minds.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A whole number from `first` to `last`.
    pub fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }

    /// True with a chance in percent.
    pub fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for place in (1..list.len()).rev() {
            list.swap(place, self.below(place as u64 + 1) as usize);
        }
    }
}

/// Whole microseconds as a decimal number of seconds.
fn seconds(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// A random scenario as [`adverse_scenario_of`] or [`costly_scenario_of`], in which half of the time the driver's work
/// takes time and UWFQ may be the authors' released class.
pub fn like_real_spark(seed: u64, jobs: u64) -> Scenario {
    let file = if seed & 1 == 0 { adverse_scenario_of(seed, jobs) } else { costly_scenario_of(seed, jobs) };
    let scenario = Scenario::from_json(&file).expect("the generator makes sound files");
    let mut cluster = scenario.cluster().clone();
    let mut random = Random::new(!seed);
    if random.percent(50) {
        let longest = random.pick(&[3, 3_000, 300_000]);
        let mut cost = || Span(random.below(longest));
        cluster.driver = Driver { job: cost(), stage: cost(), task: cost() };
    }
    let late_stage = random.pick(&["grace", "top"]);
    let parameters = scenario.parameters().with("uwfq", "late_stage", late_stage.into());
    let parameters = parameters.expect("a good value");
    scenario.to_builder().cluster(cluster).parameters(parameters).build().expect("short times")
}

/// A random scenario file as [`adverse_scenario_of`], in which what a task costs depends on where it runs: cores that
/// move between jobs, warm cores, first waves, wide stages and memory.
pub fn costly_scenario_of(seed: u64, jobs: u64) -> String {
    random_with(Random::new(seed), jobs, Extremes::Usual, Costs::ByCore, &UNITS)
}

/// A random scenario file as [`adverse_scenario_of`] or [`costly_scenario_of`], most of whose times are
/// tenths of a second: many meet the ticks of dynamic allocation.
pub fn tenths_scenario_of(seed: u64, jobs: u64) -> String {
    let costs = if seed & 1 == 0 { Costs::Same } else { Costs::ByCore };
    random_with(
        Random::new(seed),
        jobs,
        Extremes::Usual,
        costs,
        &[100_000, 100_000, 100_000, 50_000, 30_000, 200_000],
    )
}

/// A random scenario file of a dozen jobs at most.
pub fn random_scenario(seed: u64) -> String {
    let jobs = Random::new(!seed).between(1, 12);
    random_scenario_of(seed, jobs)
}

/// A random scenario file with `jobs` jobs.
///
/// The seeds differ in what they stress: the unit of time (from one microsecond, where rounding and
/// ties abound, to hours), arrivals on a grid or not, estimates true, wrong or constant, with and
/// without overhead, delay, late stages and users of unlike weights.
pub fn random_scenario_of(seed: u64, jobs: u64) -> String {
    random_with(Random::new(seed), jobs, Extremes::Rare, Costs::Same, &UNITS)
}

/// A random scenario file in which what is rare elsewhere is usual: UWFQ moves late stages to the top,
/// tasks take no time, and stages are listed in any order, several of them without parents.
pub fn adverse_scenario_of(seed: u64, jobs: u64) -> String {
    random_with(Random::new(seed), jobs, Extremes::Usual, Costs::Same, &UNITS)
}

/// Units of time, in microseconds.
const UNITS: [u64; 5] = [1, 1_000, 250_000, 1_000_000, 3_600_000_000];

fn random_with(mut random: Random, jobs: u64, extremes: Extremes, costs: Costs, units: &[u64]) -> String {
    let memory = if costs == Costs::ByCore { random.pick(&[None, Some(12), Some(100)]) } else { None };
    let maker = Maker {
        costs,
        memory,
        unit: random.pick(units),
        grid: random.pick(&[Grid::Coarse, Grid::Coarse, Grid::Fine]),
        estimates: random.pick(&[Estimates::True, Estimates::True, Estimates::Wrong, Estimates::Constant]),
        users: random.between(1, 5),
        extremes,
    };
    maker.scenario(&mut random, jobs)
}

/// How often a scenario holds what is seldom met.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extremes {
    Rare,
    Usual,
}

/// Whether a task costs the same wherever it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Costs {
    Same,
    ByCore,
}

/// Whether instants and lengths are whole units, so that many are equal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grid {
    Coarse,
    Fine,
}

/// What the policies are told of the work.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Estimates {
    True,
    /// Some stages and jobs are far off.
    Wrong,
    /// The same for all.
    Constant,
}

/// Names whose order by bytes is neither that of numbers nor that of any language.
const USERS: [&str; 5] = ["b10", "b2", "Zoë", "émile", "ana"];

struct Maker {
    /// Microseconds.
    unit: u64,
    grid: Grid,
    estimates: Estimates,
    users: u64,
    extremes: Extremes,
    costs: Costs,
    /// MB by executor.
    memory: Option<u64>,
}

impl Maker {
    fn scenario(&self, random: &mut Random, jobs: u64) -> String {
        let mut text = String::from("{ \"format\": \"fairlane/scenario@1\", \"name\": \"random\",\n");
        let cluster = self.cluster(random);
        let minimum = random.pick(&["default", "default", "one"]);
        let runtime = seconds((self.unit * random.between(1, 6) / 2).max(1));
        let partitioning =
            format!(r#"{{ "advisory_task_runtime_s": {runtime}, "min_partitions": "{minimum}" }}"#);
        // The last user may be named only in jobs.
        let declared = self.users - random.below(2);
        let users: Vec<String> = (0..declared).map(|user| self.user(random, user)).collect();
        let users = users.join(", ");
        let jobs: Vec<String> = (0..jobs).map(|job| self.job(random, job)).collect();
        let jobs = jobs.join(",\n  ");
        let policies = self.parameters(random);
        writeln!(
            text,
            "\"cluster\": {cluster},\n\"partitioning\": {partitioning},\n\"policies\": {{ {policies} \
                }},\n\"users\": [{users}],\n\"jobs\": [\n  {jobs} ] }}"
        )
        .expect("text takes every line");
        text
    }

    /// Some of the values that each policy declares for each of its parameters, where a task's costs depend on its
    /// core; elsewhere only lengths of time, which follow the file's unit. Those of UWFQ are in the cluster.
    fn parameters(&self, random: &mut Random) -> String {
        let sets = parameters::sets().into_iter().filter(|set| set.id != "uwfq");
        let sets = sets.filter(|set| !set.parameters.is_empty()).map(|set| {
            let values = set.parameters.iter().map(|parameter| {
                let value = match parameter.kind {
                    ParameterKind::Number { least, most, .. } if parameter.unit == "s" => {
                        let units = if self.costs == Costs::ByCore { random.between(1, 3) } else { 1 };
                        ((self.unit * units) as f64 / 1e6).clamp(least, most).to_string()
                    }
                    _ if self.costs == Costs::Same || random.percent(25) => "null".to_owned(),
                    _ => self.value(random, &parameter.kind),
                };
                format!(r#""{}": {value}"#, parameter.name)
            });
            format!(r#""{}": {{ {} }}"#, set.id, values.collect::<Vec<_>>().join(", "))
        });
        sets.collect::<Vec<_>>().join(", ")
    }

    /// A value of a kind: a number near its default, half of the time a whole one, a length of time in the file's unit.
    fn value(&self, random: &mut Random, kind: &ParameterKind) -> String {
        let (default, least, most) = match *kind {
            ParameterKind::Number { default, least, most } => (default, least, most),
            ParameterKind::OptionalNumber { least, most } => (least, least, most),
            ParameterKind::Whole { default, least, most } => {
                let default = i64::from(default.min(2)) + random.between(0, 2) as i64;
                return default.clamp(least.into(), most.into()).to_string();
            }
            ParameterKind::Seconds { .. } => return seconds(self.unit * random.below(4)),
            ParameterKind::Program => return "null".to_owned(),
            ParameterKind::Pools => return clusters::pools(random, &USERS).to_string(),
            ParameterKind::Choice { options } => {
                return format!("\"{}\"", options[random.below(options.len() as u64) as usize].0);
            }
        };
        let step = random.pick(&[0.25, 1.0]);
        let steps = random.below(9) as f64 - 4.0;
        (default.round() + step * steps).clamp(least, most).to_string()
    }

    fn cluster(&self, random: &mut Random) -> String {
        let [overhead, delay] =
            [30, 40].map(|chance| if random.percent(chance) { self.length(random, 2) } else { 0 });
        let mut costs = String::new();
        if self.costs == Costs::ByCore && random.percent(60) {
            write!(costs, r#", "core_move_s": {}"#, seconds(self.length(random, 3))).expect("text takes all");
        }
        if let Some(memory) = self.memory {
            write!(costs, r#", "memory_mb_per_executor": {memory}"#).expect("text takes all");
        }
        format!(
            r#"{{ "executors": {}, "cores_per_executor": {}, "task_overhead_s": {}, "stage_delay_s": {}, "fair_tie_break": "{}", "first_stage_id": {}, "uwfq_grace_s": {}, "uwfq_late_stage": "{}"{costs} }}"#,
            random.between(1, 3),
            random.between(1, 3),
            seconds(overhead),
            seconds(delay),
            random.pick(&["submission", "spark"]),
            random.pick(&[0, 1, 7, 95, 993]),
            seconds(self.unit * random.below(4)),
            match self.extremes {
                Extremes::Rare => random.pick(&["grace", "grace", "top"]),
                Extremes::Usual => random.pick(&["grace", "top"]),
            },
        )
    }

    fn user(&self, random: &mut Random, user: u64) -> String {
        let weight = random.pick(&["1", "1", "2", "0.3", "0.1", "7.25"]);
        let queue = if self.costs == Costs::ByCore { self.queue(random) } else { String::new() };
        format!(r#"{{ "name": "{}", "weight": {weight}{queue} }}"#, USERS[user as usize])
    }

    /// What a user is as a queue, most of the time.
    fn queue(&self, random: &mut Random) -> String {
        if random.percent(20) {
            return String::new();
        }
        let kind = random.pick(&["latency", "latency", "latency", "throughput"]);
        let period = self.length(random, 30).max(self.unit);
        let within = random.pick(&[period, (period / 2).max(1), (period / 5).max(1)]);
        let [joins, demand, warp] = [20, 25, 10].map(|most| self.length(random, most));
        let memory = self.length(random, 25) * random.pick(&[0, 1, 10, 40]);
        let [joins, period, within, demand, memory, warp] =
            [joins, period, within, demand, memory, warp].map(seconds);
        format!(
            r#", "queue": {{ "kind": "{kind}", "joins_s": {joins}, "period_s": {period}, "within_s": {within}, "demand_core_s": {demand}, "demand_mb_s": {memory}, "warp_s": {warp} }}"#
        )
    }

    fn job(&self, random: &mut Random, job: u64) -> String {
        let user = USERS[random.below(self.users) as usize];
        let arrival = seconds(self.length(random, 20));
        let stages = random.pick(&[1, 1, 2, 3, 4, 6]);
        let parents = self.parents(random, stages);
        let stages: Vec<String> =
            parents.iter().map(|parents| self.stage(random, parents.as_deref())).collect();
        let stages = stages.join(",\n      ");
        let mut settings = self.estimate(random, 20);
        if self.costs == Costs::ByCore && random.percent(60) {
            let factor = random.pick(&["1", "1.5", "1.37", "8"]);
            write!(settings, r#", "warm_factor": {factor}"#).expect("text takes all");
        }
        if self.costs == Costs::ByCore {
            self.promises(random, &mut settings);
        }
        format!(
            r#"{{ "user": "{user}", "name": "job {job}", "arrival_s": {arrival}{settings}, "stages": [
      {stages} ] }}"#
        )
    }

    /// A deadline and a performance curve, each now and then.
    fn promises(&self, random: &mut Random, text: &mut String) {
        if random.percent(40) {
            write!(text, r#", "deadline_s": {}"#, seconds(self.length(random, 15))).expect("text takes all");
        }
        if random.percent(70) {
            let curve = random.pick(&[
                r#""ernest": [0, 0.1, 1, 0]"#,
                r#""ernest": [0.2, 0, 3, 0.3]"#,
                r#""ernest": [1, 0, 0, 0.5]"#,
                r#""curve": [[1, 1], [9, 9]]"#,
                r#""curve": [[1, 1], [2, 1.9], [4, 2.5], [8, 2.6]]"#,
                r#""curve": [[2, 1], [5, 3], [6, 2.5]]"#,
                r#""curve": [[3, 0.5]]"#,
            ]);
            write!(text, ", {curve}").expect("text takes all");
        }
    }

    /// The parents of each stage: now and then left out (a chain), else any directed graph without
    /// cycles, whose stages need not stand in the order in which they can run.
    fn parents(&self, random: &mut Random, stages: u64) -> Vec<Option<String>> {
        let chains = if self.extremes == Extremes::Usual { 10 } else { 40 };
        if random.percent(chains) {
            return vec![None; stages as usize];
        }
        let mut order: Vec<u64> = (0..stages).collect();
        random.shuffle(&mut order);
        let mut parents = vec![Some(String::new()); stages as usize];
        for (place, &stage) in order.iter().enumerate() {
            let mut before: Vec<u64> = order[..place].to_vec();
            random.shuffle(&mut before);
            before.truncate(random.below(4) as usize);
            let list: Vec<String> = before.iter().map(u64::to_string).collect();
            parents[stage as usize] = Some(list.join(", "));
        }
        parents
    }

    fn stage(&self, random: &mut Random, parents: Option<&str>) -> String {
        let mut text = String::from("{ ");
        if random.percent(50) {
            let count = random.between(1, 7);
            let tasks: Vec<String> = (0..count).map(|_| seconds(self.length(random, 5))).collect();
            write!(text, "\"tasks_s\": [{}]", tasks.join(", ")).expect("text takes every line");
        } else {
            write!(text, "\"work_s\": {}", seconds(self.length(random, 20))).expect("text takes every line");
            if random.percent(60) {
                let count = random.between(1, 6);
                let mut weights: Vec<&str> =
                    (0..count).map(|_| random.pick(&["0", "1", "1", "1", "5", "0.1", "2.7"])).collect();
                weights.push("1");
                write!(text, ", \"profile\": [{}]", weights.join(", ")).expect("text takes every line");
            }
        }
        if random.percent(40) {
            write!(text, ", \"partitions\": {}", random.between(1, 8)).expect("text takes every line");
        }
        if random.percent(20) {
            text.push_str(", \"splittable\": false");
        }
        if let Some(parents) = parents {
            write!(text, ", \"parents\": [{parents}]").expect("text takes every line");
        }
        text.push_str(&self.estimate(random, 10));
        if self.costs == Costs::ByCore {
            self.stage_costs(random, &mut text);
        }
        text.push_str(" }");
        text
    }

    fn stage_costs(&self, random: &mut Random, text: &mut String) {
        if random.percent(50) {
            let factor = random.pick(&["0.5", "1.3", "1.5", "2.7"]);
            write!(text, r#", "first_wave": {factor}"#).expect("text takes all");
        }
        if random.percent(50) {
            let points = random.pick(&[
                "[[1, 1], [3, 1.3]]",
                "[[1, 1.4]]",
                "[[2, 0.5], [3, 2], [7, 1.1]]",
                "[[1, 1], [4, 1.1], [8, 3]]",
            ]);
            write!(text, r#", "inflation": {points}"#).expect("text takes all");
        }
        if let Some(memory) = self.memory.filter(|_| random.percent(70)) {
            let share = random.pick(&[0, 1, memory / 3, memory / 2, memory / 2 + 1, memory]);
            write!(text, r#", "memory_mb": {share}"#).expect("text takes all");
        }
    }

    fn estimate(&self, random: &mut Random, most: u64) -> String {
        match self.estimates {
            Estimates::Wrong if random.percent(60) => {
                format!(r#", "estimate_s": {}"#, seconds(self.length(random, most)))
            }
            Estimates::Constant => format!(r#", "estimate_s": {}"#, seconds(self.unit * 2)),
            Estimates::True | Estimates::Wrong => String::new(),
        }
    }

    /// Microseconds, up to a number of units, now and then none at all.
    fn length(&self, random: &mut Random, most: u64) -> u64 {
        if self.extremes == Extremes::Usual && random.percent(10) {
            return 0;
        }
        match self.grid {
            Grid::Coarse => self.unit * random.below(most + 1),
            Grid::Fine if random.percent(5) => 0,
            Grid::Fine => random.between(1, self.unit * most),
        }
    }
}

/// The fingerprints of a policy in `policies.txt`: a line `seed policy hash` for each of the [`HASHED_SEEDS`], with and
/// without runtime partitioning.
pub fn hashes(kind: PolicyKind) -> String {
    let mut text = String::new();
    for seed in 0..HASHED_SEEDS {
        let scenario = Scenario::from_json(&random_scenario(seed)).expect("the generator makes sound files");
        for partitioning in [PartitionMode::Default, PartitionMode::Runtime] {
            let policy = PolicyId { kind, partitioning };
            let hash = simulate(&scenario, policy).hash();
            writeln!(text, "{seed} {policy} {hash:016x}").expect("text takes every line");
        }
    }
    text
}

/// The contents of `random_scenarios.txt`: random scenarios under another load and with estimates that err, a line per job with
/// its seed, arrival, estimate and stages' estimates in microseconds.
pub fn varied() -> String {
    let mut text = String::new();
    for seed in 0..10 {
        let scenario = Scenario::from_json(&random_scenario(seed)).expect("the generator makes sound files");
        let errors = Edit::EstimateErrors { factor: 3.0, seed };
        let varied = scenario.with(&Edit::Load(0.7)).and_then(|loaded| loaded.with(&errors));
        for job in varied.expect("small figures").jobs() {
            let stages: Vec<String> = job.stages.iter().map(|stage| stage.estimate.0.to_string()).collect();
            writeln!(text, "{seed} {} {} {}", job.arrival.0, job.estimate.0, stages.join(" "))
                .expect("text takes every line");
        }
    }
    text
}
