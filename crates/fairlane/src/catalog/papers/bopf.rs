//! Scenarios after BoPF's figures, on 32 cores. Its cluster had 1280 and jobs of three benchmarks, whose data are not
//! published.

use crate::scenario::Scenario;
use crate::scenario::generate::preset::{Paper, beside_batch_queues, normal_quantile};

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

/// Tables 3 and 4: one latency queue, whose jobs have two stages, beside eight batch queues.
pub(in crate::catalog) fn eight_batch_queues() -> Scenario {
    batch_queues(8, 300.0, 5)
}

/// The same with a number of batch queues, and another period and number of bursts.
pub fn batch_queues(queues: u32, period_s: f64, bursts: u32) -> Scenario {
    erring_bursts(queues, period_s, &vec![1.0; bursts as usize])
}

/// Figure 13: the same where the tasks of each burst take a factor longer than the queue declares.
pub fn erring_bursts(queues: u32, period_s: f64, factors: &[f64]) -> Scenario {
    let cluster = Paper::Bopf.cluster();
    let drawn = beside_batch_queues(queues, period_s, factors, 1.0, &cluster);
    let scenario = drawn.and_then(|(users, jobs)| {
        let name = format!("BoPF: one latency queue beside {queues} batch queues");
        Scenario::builder().name(name).cluster(cluster).users(users).jobs(jobs).build()
    });
    scenario.expect("the workload is sound with every figure of the paper; a test computes them all")
}

/// Within how long a burst of Figure 12 is due, in seconds.
pub const DUE_S: f64 = 27.0;

/// Figure 12: bursts whose sizes are factors of half the cluster for 27 s, due within that time, beside three batch
/// queues; the queue declares `demand` times the mean. Tasks are short, because none is preempted.
pub fn varying_bursts(demand: f64, factors: &[f64]) -> String {
    const PERIOD_S: f64 = 100.0;
    const QUEUES: u32 = 3;
    let mean = 0.5 * f64::from(CORES) * DUE_S;
    let mut users = vec![latency("LQ", 0.0, PERIOD_S, DUE_S, demand * mean)];
    let mut jobs: Vec<String> = (0..)
        .zip(factors)
        .map(|(burst, factor)| {
            let (work, arrival_s) = (mean * factor, PERIOD_S * f64::from(burst));
            job("LQ", &format!("burst-{}", burst + 1), arrival_s, &[(work, (work / 0.1) as u32)])
        })
        .collect();
    let work = 1.1 * PERIOD_S * factors.len() as f64 * f64::from(CORES) / f64::from(QUEUES);
    for queue in 1..=QUEUES {
        users.push(throughput(&format!("TQ-{queue}")));
        jobs.push(job(
            &format!("TQ-{queue}"),
            &format!("batch-{queue}"),
            0.0,
            &[(work, (work / 0.4) as u32)],
        ));
    }
    file("BoPF: bursts that vary beside three batch queues", &users, &jobs)
}

/// `count` numbers spread like a normal distribution of mean 1 and this standard deviation: the middles of as many
/// equally likely parts, in a fixed order that mixes small and large ones, none below a twentieth.
pub fn normal_factors(count: u32, deviation: f64) -> Vec<f64> {
    // Any number without a common divisor with the count visits every part.
    let stride = (1..).map(|step| count / 3 + step).find(|stride| gcd(*stride, count) == 1).unwrap_or(1);
    let part = |index: u32| (f64::from(index * stride % count) + 0.5) / f64::from(count);
    (0..count).map(|index| (1.0 + deviation * normal_quantile(part(index))).max(0.05)).collect()
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_spread_normally() {
        assert!((normal_quantile(0.95) - 1.644_853_6).abs() < 1e-6);
        assert!(normal_quantile(0.5).abs() < 1e-6);
        let factors = normal_factors(40, 0.2);
        let mean = factors.iter().sum::<f64>() / 40.0;
        let variance = factors.iter().map(|factor| (factor - mean).powi(2)).sum::<f64>() / 40.0;
        assert!((mean - 1.0).abs() < 1e-6 && (variance.sqrt() - 0.2).abs() < 0.01, "{mean} and {variance}");
        let mut sorted = factors.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]) && sorted != factors);
        assert_eq!(normal_factors(3, 0.0), [1.0; 3]);
    }
}
