//! Scenarios after BoPF's figures, on 32 cores. Its cluster had 1280 and jobs of three benchmarks, whose data are not
//! published.

use std::fmt::Write;

/// Capacity of the cluster, cores.
const CORES: u32 = 32;

/// A latency queue's part in the list of users, all times in seconds.
fn latency(name: &str, joins_s: f64, period_s: f64, within_s: f64, demand_core_s: f64) -> String {
    format!(
        r#"{{ "name": "{name}", "queue": {{ "kind": "latency", "joins_s": {joins_s}, "period_s": {period_s}, "within_s": {within_s}, "demand_core_s": {demand_core_s} }} }}"#
    )
}

fn throughput(name: &str) -> String {
    format!(r#"{{ "name": "{name}", "queue": {{ "kind": "throughput" }} }}"#)
}

/// A job; each stage is its work in core-seconds and its number of tasks.
fn job(user: &str, name: &str, arrival_s: f64, stages: &[(f64, u32)]) -> String {
    let stage = |&(work_s, tasks): &(f64, u32)| format!(r#"{{ "work_s": {work_s}, "partitions": {tasks} }}"#);
    let stages: Vec<String> = stages.iter().map(stage).collect();
    format!(
        r#"{{ "user": "{user}", "name": "{name}", "arrival_s": {arrival_s}, "stages": [{}] }}"#,
        stages.join(", ")
    )
}

fn file(name: &str, users: &[String], jobs: &[String]) -> String {
    format!(
        r#"{{ "format": "fairlane/scenario@1", "name": "{name}",
"cluster": {{ "executors": 8, "cores_per_executor": 4 }},
"users": [{}],
"jobs": [{}] }}"#,
        users.join(", "),
        jobs.join(",\n")
    )
}

/// Figures 2 and 6: bursts of 130 s of the whole cluster every 600 s, from the third on of 450 s, beside a batch queue
/// that always has work. A burst's share of a period is 300 s of the cluster, which it declares.
pub(super) fn growing() -> String {
    let users = [latency("LQ", 200.0, 600.0, 300.0, 300.0 * f64::from(CORES)), throughput("TQ")];
    let mut jobs: Vec<String> =
        (1..=6).map(|count| job("TQ", &format!("batch-{count}"), 0.0, &[(14_000.0, 700)])).collect();
    for (count, (arrival_s, length)) in (1..).zip([(200.0, 130), (800.0, 130), (1400.0, 450), (2000.0, 450)])
    {
        let work = length * CORES;
        jobs.push(job("LQ", &format!("burst-{count}"), arrival_s, &[(f64::from(work), work / 10)]));
    }
    file("BoPF: a latency queue that grows", &users, &jobs)
}

/// Figures 10 and 11: three latency queues with periods of 150, 110 and 60 s and the same bursts, of nine tenths of the
/// cluster for 27 s, beside a batch queue. Periods and joins are published; demand and lengths of tasks are chosen.
pub(super) fn three_queues() -> String {
    const WITHIN_S: f64 = 27.0;
    const TASKS: u32 = 96;
    let demand = 0.9 * f64::from(CORES) * WITHIN_S;
    let queues = [("LQ-0", 50.0, 150.0, 3), ("LQ-1", 100.0, 110.0, 3), ("LQ-2", 150.0, 60.0, 4)];
    let mut users = vec![throughput("TQ-0")];
    let mut jobs = vec![
        job("TQ-0", "batch-1", 0.0, &[(25.0 * 384.0, 384)]),
        job("TQ-0", "batch-2", 0.0, &[(14.0 * 320.0, 320)]),
    ];
    for (name, joins_s, period_s, bursts) in queues {
        users.push(latency(name, joins_s, period_s, WITHIN_S, demand));
        for burst in 0..bursts {
            let arrival_s = joins_s + period_s * f64::from(burst);
            jobs.push(job(
                name,
                &format!("{name}-{}", burst + 1),
                arrival_s,
                &[(8.0 * f64::from(TASKS), TASKS)],
            ));
        }
    }
    file("BoPF: hard, soft and elastic", &users, &jobs)
}

/// Tables 3 and 4: one latency queue, whose jobs have two stages, beside eight batch queues.
pub(super) fn eight_batch_queues() -> String {
    batch_queues(8, 300.0, 5)
}

/// The same with a number of batch queues, and another period and number of bursts.
pub fn batch_queues(queues: u32, period_s: f64, bursts: u32) -> String {
    const JOINS_S: f64 = 50.0;
    let demand = 27.0 * f64::from(CORES);
    let mut users = vec![latency("LQ", JOINS_S, period_s, 27.0, demand)];
    let mut jobs: Vec<String> = (0..bursts)
        .map(|burst| {
            let arrival_s = JOINS_S + period_s * f64::from(burst);
            job("LQ", &format!("burst-{}", burst + 1), arrival_s, &[(416.0, 52), (110.0, 10)])
        })
        .collect();
    // Enough work for the whole time, in tasks of 20 s on average and of 5 to 35 s.
    let tasks = (1.1 * (period_s * f64::from(bursts) + 600.0) * f64::from(CORES) / 20.0 / f64::from(queues))
        as u32
        + 1;
    for queue in 1..=queues {
        users.push(throughput(&format!("TQ-{queue}")));
        let mut lengths = String::new();
        for task in 0..tasks {
            let comma = if task == 0 { "" } else { ", " };
            // Spread evenly, in an order of its own for each queue.
            let length_s = 5 + (task * 7 + queue * 11) % 31;
            write!(lengths, "{comma}{length_s}").expect("text takes every task");
        }
        jobs.push(format!(
            r#"{{ "user": "TQ-{queue}", "name": "batch-{queue}", "arrival_s": 0, "stages": [{{ "tasks_s": [{lengths}] }}] }}"#
        ));
    }
    file(&format!("BoPF: one latency queue beside {queues} batch queues"), &users, &jobs)
}
