//! The two micro-benchmarks of the UWFQ paper, as its authors ran them.
//!
//! Arrivals, job counts and the estimates given to the schedulers are published facts. The rest is
//! calibrated against the published averages: the true work of a job, its one heavy slice, the
//! stage delay and the launch overhead (see the architecture note).

use std::fmt::Write;

/// The estimates that schedulers read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EstimateKind {
    /// The constants that the authors' jobs carried.
    Constants,
    /// The true work.
    True,
}

/// A kind of job of the micro-benchmarks: load, compute, collect in a chain.
struct MicroJob {
    /// True work of the compute stage, core-seconds.
    work_s: f64,
    /// The estimate of the compute stage and of the whole job, seconds.
    estimate_s: f64,
    /// True length of the load task, seconds.
    load_s: f64,
}

/// About 24 core-seconds.
const SHORT: MicroJob = MicroJob { work_s: 24.0, estimate_s: 26.926, load_s: 0.1 };
/// About 11 core-seconds.
const TINY: MicroJob = MicroJob { work_s: 11.3, estimate_s: 1.523, load_s: 0.1 };

/// Slices of the compute stage's input, and how many times the heavy one outweighs another.
const SLICES: usize = 32;
const HEAVY: u32 = 3;

/// user1 and user2: 20 short jobs at once, every 30 s; user3 and user4: Poisson, 8 a minute.
pub(super) fn scenario_1() -> String {
    const USER_3: [f64; 12] =
        [0.2, 6.623, 21.857, 34.12, 35.474, 40.234, 71.525, 84.452, 104.836, 106.26, 108.632, 121.23];
    const USER_4: [f64; 12] =
        [0.3, 2.997, 4.39, 4.788, 4.837, 11.28, 18.224, 23.209, 28.181, 30.032, 36.821, 38.789];
    let mut jobs = Vec::new();
    for batch in 0..4 {
        for (user, first) in [("user1", 0.1), ("user2", 0.2)] {
            // The first batch arrives at 0.1 and 0.2 s, the others on the half minute.
            let start = if batch == 0 { first } else { 30.0 * f64::from(batch) + first - 0.1 };
            jobs.extend((0..20).map(|job| (start + 0.001 * f64::from(job), user)));
        }
    }
    jobs.extend(USER_3.map(|arrival| (arrival, "user3")));
    jobs.extend(USER_4.map(|arrival| (arrival, "user4")));
    file("Paper scenario 1: infrequent and frequent users", &SHORT, EstimateKind::Constants, jobs)
}

/// Four users with 30 tiny jobs each, at 0.1, 0.2, 0.3 and 0.4 s.
pub(super) fn scenario_2() -> String {
    many_frequent_users("Paper scenario 2: multiple frequent users", EstimateKind::Constants)
}

/// The same with true estimates.
pub(super) fn scenario_2_true() -> String {
    many_frequent_users("Paper scenario 2 with true estimates", EstimateKind::True)
}

fn many_frequent_users(name: &str, estimates: EstimateKind) -> String {
    let users = [(0.1, "user1"), (0.2, "user2"), (0.3, "user3"), (0.4, "user4")];
    let jobs = users
        .iter()
        .flat_map(|&(start, user)| (0..30).map(move |job| (start + 0.001 * f64::from(job), user)));
    file(name, &TINY, estimates, jobs.collect())
}

fn file(name: &str, kind: &MicroJob, estimates: EstimateKind, mut jobs: Vec<(f64, &str)>) -> String {
    jobs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut profile = vec![1; SLICES];
    profile[SLICES / 2] = HEAVY;
    let mut counts = std::collections::BTreeMap::new();
    let mut text = String::new();
    for (arrival, user) in jobs {
        let count = counts.entry(user).and_modify(|count| *count += 1).or_insert(1);
        let comma = if text.is_empty() { "" } else { ",\n" };
        let MicroJob { work_s, estimate_s, load_s } = kind;
        let estimate = |seconds: &str| match estimates {
            EstimateKind::Constants => format!(r#", "estimate_s": {seconds}"#),
            EstimateKind::True => String::new(),
        };
        let (load, compute, collect) = (estimate("5.0"), estimate(&estimate_s.to_string()), estimate("1.0"));
        write!(
            text,
            r#"{comma}{{ "user": "{user}", "name": "{user}-{count}", "arrival_s": {arrival:.3}{compute}, "stages": [
  {{ "name": "load", "tasks_s": [{load_s}], "splittable": false{load} }},
  {{ "name": "compute", "work_s": {work_s}, "partitions": {SLICES}, "profile": {profile:?}{compute} }},
  {{ "name": "collect", "tasks_s": [0.005], "splittable": false{collect} }} ] }}"#
        )
        .expect("text takes every job");
    }
    format!(
        r#"{{ "format": "fairlane/scenario@1", "name": "{name}",
"cluster": {{ "executors": 8, "cores_per_executor": 4, "task_overhead_s": 0.01, "stage_delay_s": 0.8,
             "fair_tie_break": "spark", "uwfq_late_stage": "grace" }},
"users": [{{ "name": "user1" }}, {{ "name": "user2" }}, {{ "name": "user3" }}, {{ "name": "user4" }}],
"jobs": [{text}] }}"#
    )
}
