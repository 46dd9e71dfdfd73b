//! Workloads of a given shape.

use std::fmt::Write;

use fairlane::Scenario;
use fairlane::scenario::Limits;

use crate::Random;

/// When jobs arrive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// At equal distances, such that the work that arrives is this part of what the cores can do.
    Load(f64),
    /// All at the start.
    AtOnce,
    /// Likewise at equal distances, while a job that came first holds all cores with one long task each: all
    /// others wait behind it.
    BehindLong(f64),
}

/// How long tasks take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durations {
    /// Up to two seconds, one in the mean.
    Random,
    /// One second each.
    Equal,
}

/// What a workload has besides users, jobs and tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extras {
    /// Nothing.
    None,
    /// What the papers' policies look at: half of the users have latency queues with bursts, jobs have performance
    /// curves and deadlines, of which every fourth is soon and the others are far off.
    Papers,
    /// Likewise, and executors of four cores with memory, of which four tasks need 80 % in the mean: at times a core is
    /// free and a stage does not fit.
    Memory,
}

impl Extras {
    /// All of them.
    pub const ALL: [Extras; 3] = [Extras::None, Extras::Papers, Extras::Memory];

    /// The name of the workload with them.
    pub const fn name(self) -> &'static str {
        match self {
            Extras::None => "usual",
            Extras::Papers => "with curves, deadlines and queues",
            Extras::Memory => "with memory besides",
        }
    }
}

/// The shape of a workload: jobs of equal size whose stages have no parents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workload {
    /// Jobs; each is submitted by a user drawn by lot, or by each in turn where there are as many users as jobs.
    pub jobs: u32,
    /// Stages of each job.
    pub stages: u32,
    /// Tasks of each stage.
    pub tasks: u32,
    /// Users.
    pub users: u32,
    /// Cores.
    pub cores: u32,
    /// When jobs arrive.
    pub arrivals: Arrivals,
    /// How long tasks take.
    pub durations: Durations,
    /// What there is besides.
    pub extras: Extras,
}

/// What the policies are compared on: 10^6 tasks of random length in 10^4 jobs of 32 users on 32 cores, which are busy
/// 95 % of the time.
pub const USUAL: Workload = Workload {
    jobs: 10_000,
    stages: 1,
    tasks: 100,
    users: 32,
    cores: 32,
    arrivals: Arrivals::Load(0.95),
    durations: Durations::Random,
    extras: Extras::None,
};

/// What should not slow the simulator down. An arrival may look at all active jobs, so that these are some thousands.
pub const ADVERSE: [(&str, Workload); 8] = [
    ("half too much to do", Workload { jobs: 1_000, arrivals: Arrivals::Load(1.5), ..USUAL }),
    (
        "10 000 users with one job each, at once",
        Workload { jobs: 10_000, tasks: 10, users: 10_000, arrivals: Arrivals::AtOnce, ..USUAL },
    ),
    (
        "10 000 users with one job each, half too many",
        Workload { jobs: 10_000, tasks: 10, users: 10_000, arrivals: Arrivals::Load(1.5), ..USUAL },
    ),
    (
        "one user with 10 000 jobs, half too many",
        Workload { jobs: 10_000, tasks: 10, users: 1, arrivals: Arrivals::Load(1.5), ..USUAL },
    ),
    ("all jobs at once", Workload { jobs: 1_000, arrivals: Arrivals::AtOnce, ..USUAL }),
    (
        "all ties: equal jobs of equal tasks, at once",
        Workload {
            jobs: 10_000,
            tasks: 10,
            arrivals: Arrivals::AtOnce,
            durations: Durations::Equal,
            ..USUAL
        },
    ),
    ("1000 stages in each job", Workload { jobs: 10, stages: 1_000, tasks: 10, ..USUAL }),
    ("stages of 100 000 tasks", Workload { jobs: 4, tasks: 100_000, ..USUAL }),
];

/// A workload of so many jobs.
pub type BySize = fn(u32) -> Workload;

/// Workloads in which much waits, to see how what is found out about a schedule grows.
pub const WAITING: [(&str, BySize); 3] = [
    ("one user, half too many", |jobs| Workload {
        jobs,
        tasks: 10,
        users: 1,
        arrivals: Arrivals::Load(1.5),
        ..USUAL
    }),
    ("as many users as jobs, half too many", |jobs| Workload {
        jobs,
        tasks: 10,
        users: jobs,
        arrivals: Arrivals::Load(1.5),
        ..USUAL
    }),
    ("all behind a long job", |jobs| Workload {
        jobs,
        tasks: 10,
        arrivals: Arrivals::BehindLong(1.5),
        ..USUAL
    }),
];

/// Where the paper's walk over all users and jobs is compared with the quick way.
pub const LITERAL: [(&str, Workload); 3] = [
    ("the usual", USUAL),
    (
        "10 000 users with one job each, at once",
        Workload { tasks: 10, users: 10_000, arrivals: Arrivals::AtOnce, ..USUAL },
    ),
    (
        "one user with 10 000 jobs, half too many",
        Workload { tasks: 10, users: 1, arrivals: Arrivals::Load(1.5), ..USUAL },
    ),
];

impl Workload {
    /// The usual workload with something besides. Where memory keeps cores idle at times, less arrives.
    pub const fn usual_with(extras: Extras) -> Workload {
        let load = if matches!(extras, Extras::Memory) { 0.8 } else { 0.95 };
        Workload { arrivals: Arrivals::Load(load), extras, ..USUAL }
    }

    /// Tasks in all.
    pub fn total(&self) -> u64 {
        let long = if matches!(self.arrivals, Arrivals::BehindLong(_)) { self.cores } else { 0 };
        u64::from(self.jobs) * u64::from(self.stages) * u64::from(self.tasks) + u64::from(long)
    }

    /// The scenario of this shape, always the same.
    pub fn scenario(&self) -> Scenario {
        let limits = Limits {
            bytes: 1 << 31,
            jobs: usize::MAX,
            slices: usize::MAX,
            tasks: u64::from(u32::MAX),
            ..Limits::default()
        };
        // A file takes 200 000 jobs at most; more of them come from several, which declare the same users.
        let firsts = (0..self.jobs).step_by(100_000);
        let parts = firsts.map(|first| {
            let text = self.text(first, self.jobs.min(first + 100_000));
            Scenario::from_json_within(&text, &limits).expect("a sound workload")
        });
        let whole = parts.reduce(|whole, part| {
            let jobs = whole.jobs().iter().chain(part.jobs()).cloned();
            whole.to_builder().jobs(jobs).build_within(&limits).expect("a sound workload")
        });
        whole.expect("a workload has jobs")
    }

    /// A file of some of the jobs.
    fn text(&self, first: u32, end: u32) -> String {
        let mut random = Random(u64::from(self.jobs + first) ^ u64::from(self.tasks) << 32);
        let work = f64::from(self.stages) * f64::from(self.tasks);
        let gap = match self.arrivals {
            Arrivals::Load(load) | Arrivals::BehindLong(load) => work / f64::from(self.cores) / load,
            Arrivals::AtOnce => 0.0,
        };
        let users: Vec<String> = (0..self.users).map(|user| self.user(user)).collect();
        let cluster = match self.extras {
            Extras::Memory => format!(
                r#""executors":{},"cores_per_executor":4,"memory_mb_per_executor":4000"#,
                self.cores.div_ceil(4)
            ),
            _ => format!(r#""executors":{},"cores_per_executor":1"#, self.cores),
        };
        let mut text = format!(
            r#"{{"format":"fairlane/scenario@1","cluster":{{{cluster}}},"users":[{}],"jobs":["#,
            users.join(",")
        );
        if matches!(self.arrivals, Arrivals::BehindLong(_)) && first == 0 {
            let work = f64::from(self.jobs) * gap * f64::from(self.cores);
            let stage = format!(r#"{{"work_s":{work:.6},"partitions":{}}}"#, self.cores);
            write!(text, r#"{{"user":"u0","arrival_s":0,"stages":[{stage}]}},"#)
                .expect("text takes every job");
        }
        for job in first..end {
            let user =
                if self.users == self.jobs { u64::from(job) } else { random.below(u64::from(self.users)) };
            let at = f64::from(job) * gap;
            let comma = if job == first { "" } else { "," };
            let extras = self.job_extras(job, &mut random);
            write!(text, r#"{comma}{{"user":"u{user}","arrival_s":{at:.6},{extras}"stages":["#)
                .expect("text takes every job");
            for stage in 0..self.stages {
                text.push_str(if stage == 0 { r#"{"parents":[],"# } else { r#",{"parents":[],"# });
                if self.extras == Extras::Memory {
                    write!(text, r#""memory_mb":{},"#, 200 + random.below(1201))
                        .expect("text takes every stage");
                }
                self.write_input(&mut text, &mut random);
            }
            text.push_str("]}");
        }
        text.push_str("]}");
        text
    }

    /// A user; of those with queues, each demands a quarter of the cores of its fair share.
    fn user(&self, user: u32) -> String {
        if self.extras == Extras::None || user.is_multiple_of(2) {
            return format!(r#"{{"name":"u{user}"}}"#);
        }
        let demand = f64::from(self.cores) * 300.0 / f64::from(self.users) / 4.0;
        let queue = format!(
            r#"{{"kind":"latency","joins_s":{},"within_s":150,"demand_core_s":{demand:.3},"warp_s":10}}"#,
            user % 7 * 10
        );
        format!(r#"{{"name":"u{user}","queue":{queue}}}"#)
    }

    /// The curve and the deadline of a job.
    fn job_extras(&self, job: u32, random: &mut Random) -> String {
        if self.extras == Extras::None {
            return String::new();
        }
        let most = 2 + random.below(u64::from(self.tasks.max(2)));
        let rate = 1 + random.below(most);
        let deadline = if job % 4 == 3 { 3.0 } else { 1e6 };
        format!(r#""curve":[[1,1],[{most},{rate}]],"deadline_s":{deadline},"#)
    }

    /// The tasks of a stage, and the end of it.
    fn write_input(&self, text: &mut String, random: &mut Random) {
        let tasks = self.tasks;
        let written = match self.durations {
            Durations::Equal => write!(text, r#""work_s":{tasks},"partitions":{tasks}}}"#),
            // One by one up to a thousand; then a thousand lengths that come again and again.
            Durations::Random if tasks > 1000 => {
                let weights: Vec<String> = (0..1000).map(|_| (random.below(2000) + 1).to_string()).collect();
                write!(text, r#""work_s":{tasks},"partitions":{tasks},"profile":[{}]}}"#, weights.join(","))
            }
            Durations::Random => {
                let lengths: Vec<String> =
                    (0..tasks).map(|_| format!("{}.{:03}", random.below(2), random.below(1000))).collect();
                write!(text, r#""tasks_s":[{}]}}"#, lengths.join(","))
            }
        };
        written.expect("text takes every stage");
    }
}
