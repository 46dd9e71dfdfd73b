//! Crowds: scenarios of many jobs in which ties abound.

use std::fmt::Write;

use fairlane::Scenario;

use super::Random;

/// Many users and jobs. Lengths and instants are small whole numbers of a unit, often the same, so that
/// deadlines meet: exactly, or but for rounding.
pub fn crowd(seed: u64, most_users: u64, most_jobs: u64) -> Scenario {
    crowd_with(seed, most_users, most_jobs, 0)
}

/// The same, in which now and then a job comes that holds all cores for long, so that the others wait behind
/// it.
pub fn crowd_behind_long_tasks(seed: u64, most_users: u64, most_jobs: u64) -> Scenario {
    let long = Random::new(!seed).between(1, 4);
    crowd_with(seed, most_users, most_jobs, long)
}

fn crowd_with(seed: u64, most_users: u64, most_jobs: u64, long: u64) -> Scenario {
    let mut random = Random::new(seed);
    let users = random.between(1, most_users);
    let count = random.between(1, most_jobs);
    let unit = random.pick(&[0.000_003, 0.1, 0.7, 1.0, 3.0]);
    let cores = random.pick(&[1, 2, 3, 7, 32]);
    let lengths = random.pick(&[1, 2, 3, 8, 1000]);
    let gap = random.pick(&[0, 1, 3, 40]);
    let stages = random.pick(&[1, 1, 2, 4]);
    let weights = random.pick(&[&["1"][..], &["1", "2", "3", "0.3"], &["1000000", "1", "0.000001"]]);
    let (mut jobs, mut at) = (Vec::new(), 0);
    for _ in 0..count {
        at += random.below(gap + 1);
        let mut list = Vec::new();
        for _ in 0..random.between(1, stages) {
            let mut tasks = Vec::new();
            for _ in 0..random.between(1, 3) {
                let least = u64::from(random.percent(90));
                tasks.push(format!("{:.6}", unit * random.between(least, lengths) as f64));
            }
            list.push(format!(r#"{{"tasks_s":[{}]}}"#, tasks.join(",")));
        }
        let mut job = format!(r#"{{"user":"u{}","arrival_s":{:.6}"#, random.below(users), unit * at as f64);
        if random.percent(10) {
            write!(job, r#","estimate_s":{:.6}"#, unit * random.below(20) as f64).expect("text takes all");
        }
        jobs.push(format!(r#"{job},"stages":[{}]}}"#, list.join(",")));
    }
    let mut other = Random::new(seed ^ 0x1234);
    for _ in 0..long {
        let work = unit * (other.between(5, 200) * cores) as f64;
        jobs.push(format!(
            r#"{{"user":"u{}","arrival_s":{:.6},"stages":[{{"work_s":{work:.6},"partitions":{cores}}}]}}"#,
            other.below(users),
            unit * other.below(at + 1) as f64,
        ));
    }
    let users: Vec<String> =
        (0..users).map(|user| format!(r#"{{"name":"u{user}","weight":{}}}"#, random.pick(weights))).collect();
    let text = format!(
        r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":{cores},"uwfq_late_stage":"{}","uwfq_grace_s":{:.6}}},"users":[{}],"jobs":[{}]}}"#,
        random.pick(&["grace", "top"]),
        unit * random.below(3) as f64,
        users.join(","),
        jobs.join(","),
    );
    Scenario::from_json(&text).expect("a sound scenario")
}
