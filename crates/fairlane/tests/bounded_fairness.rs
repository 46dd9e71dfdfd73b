//! Bounded fairness: UWFQ finishes no job later than the ideal by more than a constant, and others do.
//!
//! The paper (2.2) calls a scheduler bounded by UJF if f_i - f^_i <= C for every job. The constant held
//! to here is that of docs/model.md section 5, [`uwfq_allowance`], which says where each part of it comes from:
//!
//!     C = L_max / R + 2 x the longest task
//!
//! on jobs of one stage, without overhead, with true estimates and users of one weight, however the stages
//! are cut. It holds on random workloads; the last test shows that it is no theorem. With unlike weights
//! it was exceeded in 1 of 19 000 random runs (1.3 times), which is why they are left out here.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use crate::common::Random;
use fairlane::ids::JobId;
use fairlane::metrics::{ReferenceSchedule, bounded_unfairness, uwfq_allowance};
use fairlane::scenario::Job;
use fairlane::{PolicyId, Scenario, simulate};

/// How far the job that is furthest behind the fluid UJF is behind it, as a fraction of the constant.
fn part_of_allowance(scenario: &Scenario, policy: PolicyId) -> f64 {
    let trace = simulate(scenario, policy);
    let ideal = ReferenceSchedule::fluid_ujf(scenario);
    let furthest = bounded_unfairness(&trace.jobs, &ideal).expect("a job");
    furthest.delay / uwfq_allowance(scenario, &trace).max(1.0)
}

fn policy(name: &str) -> PolicyId {
    name.parse().expect("a policy")
}

/// A workload of jobs of one stage without overhead. The seeds differ in cores, users, load, how jobs are
/// spread over time, how unlike they are, how skewed and how finely they are cut.
fn divisible(seed: u64, weights: &[f64]) -> String {
    let mut random = Random::new(seed);
    let cores = random.pick(&[1, 2, 3, 8, 32, 100]);
    let users = random.between(1, 6);
    let jobs = random.between(2, 60);
    let largest_ms = random.pick(&[100_u64, 2_000, 60_000]);
    // From all at once to long pauses: the time in which the work arrives against that in which it is done.
    let spread_percent = random.pick(&[0_u64, 20, 80, 120, 300]);
    let atr = random.pick(&[0.01, 0.1, 0.5, 5.0]);
    let mut works = Vec::new();
    for _ in 0..jobs {
        // Many small jobs and a few large ones, or jobs of a size.
        let work = match random.below(3) {
            0 => largest_ms,
            1 => random.between(1, largest_ms),
            _ => random.between(1, largest_ms) / 50 + 1,
        };
        works.push(work);
    }
    let horizon_ms = works.iter().sum::<u64>() * spread_percent / 100 / cores;
    let mut list = String::new();
    for work in works {
        let user = if random.percent(30) { 0 } else { random.below(users) };
        let arrival = if horizon_ms == 0 { 0 } else { random.below(horizon_ms + 1) };
        // Some on a grid, so that arrivals and finishes coincide.
        let arrival = if random.percent(30) { arrival / 500 * 500 } else { arrival };
        let profile = random.pick(&["[1]", "[1,1,5,1]", "[1,0,0,9]"]);
        let partitions = random.pick(&[1, 2, cores, 4 * cores, 1000]);
        let comma = if list.is_empty() { "" } else { "," };
        write!(
            list,
            r#"{comma}{{"user":"u{user}","arrival_s":{:.3},"stages":[{{"work_s":{:.3},"partitions":{partitions},"profile":{profile}}}]}}"#,
            arrival as f64 / 1e3,
            work as f64 / 1e3
        )
        .expect("text takes every job");
    }
    let declared: Vec<String> =
        (0..users).map(|user| format!(r#"{{"name":"u{user}","weight":{}}}"#, random.pick(weights))).collect();
    format!(
        r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":{cores}}},
            "partitioning":{{"advisory_task_runtime_s":{atr}}},"users":[{}],"jobs":[{list}]}}"#,
        declared.join(",")
    )
}

fn scenario(text: &str) -> Scenario {
    Scenario::from_json(text).expect("a sound workload")
}

/// The largest part of its allowance that UWFQ takes on the workloads of some seeds.
#[track_caller]
fn assert_within_allowance(seeds: Range<u64>) -> f64 {
    let mut most = 0.0;
    for seed in seeds {
        let scenario = scenario(&divisible(seed, &[1.0]));
        for name in ["uwfq", "uwfq-p"] {
            let part = part_of_allowance(&scenario, policy(name));
            assert!(part <= 1.0, "seed {seed}: {name} is behind by {part} of its allowance");
            most = f64::max(most, part);
        }
    }
    most
}

/// Always the same seeds, because this is seen and not proved: see the last test.
#[test]
fn uwfq_stays_within_its_allowance_on_random_workloads() {
    let most = assert_within_allowance(0..400);
    // Else the workloads are too tame for the test to mean anything.
    assert!(most > 0.4, "never more than {most} of the allowance");
}

#[test]
#[ignore = "takes half a minute; run with --ignored --nocapture to see the figures"]
fn uwfq_stays_within_its_allowance_on_many_random_workloads() {
    println!("at most {:.3} of the allowance", assert_within_allowance(1_000..21_000));
}

/// Without the part L_max / R: where each user's jobs are alike, a later one never goes before an
/// earlier one of the same user. So no deadline moves, and what is left is that tasks are not divided.
#[test]
fn two_tasks_are_enough_where_no_deadline_moves() {
    let mut most = 0.0_f64;
    for seed in 0..400 {
        let scenario = scenario(&divisible(seed, &[1.0, 2.0, 0.5, 7.25, 0.1]));
        let mut first = BTreeMap::new();
        let jobs = scenario.jobs().iter().map(|job| {
            let mut copy: Job = Job::clone(first.entry(job.user.0).or_insert(job));
            copy.arrival = job.arrival;
            copy
        });
        let scenario = scenario.to_builder().jobs(jobs).build().expect("no longer than before");
        for name in ["uwfq", "uwfq-p"] {
            let trace = simulate(&scenario, policy(name));
            let longest = trace.tasks.iter().map(|run| run.end.since(run.start).0).max().expect("a task");
            let furthest =
                bounded_unfairness(&trace.jobs, &ReferenceSchedule::fluid_ujf(&scenario)).expect("a job");
            most = most.max(furthest.delay / longest as f64);
        }
    }
    assert!((1.0..2.0).contains(&most), "{most} longest tasks");
}

/// One core, on which counts of running tasks tell nothing. ana submits forty jobs of 10 s at once,
/// zoe one of 10 s at 1 s. The ideal gives zoe half of the core until she has had 10 s, at 21 s. The
/// allowance is 10 s and twice 0.1 s.
///
/// FIFO, Fair (by stage number) and UJF (by name) serve all of ana's jobs first; CFQ gives zoe the last
/// of 41 equal places: she is done at 410 s.
#[test]
fn the_others_exceed_the_allowance_by_far() {
    let ana = r#"{"user":"ana","arrival_s":0,"stages":[{"work_s":10}]},"#.repeat(40);
    let scenario = scenario(&format!(
        r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":1}},"partitioning":{{"advisory_task_runtime_s":0.1}},
            "jobs":[{ana}{{"user":"zoe","arrival_s":1,"stages":[{{"work_s":10}}]}}]}}"#
    ));
    for name in ["fifo-p", "fair-p", "ujf-p", "cfq-p"] {
        let part = part_of_allowance(&scenario, policy(name));
        assert!((part - 389.0 / 10.2).abs() < 0.05, "{name}: {part}");
    }
    let part = part_of_allowance(&scenario, policy("uwfq-p"));
    assert!(part < 0.1, "uwfq-p: {part}");
}

/// The allowance is no theorem: users who submit smaller jobs at the right moment put the deadlines of
/// their larger ones back after these have been served, and get ahead of others by a job's work each.
///
/// One core. Each of k users submits 100 s of work at 0 s, zoe 101 s. The k jobs have the earlier
/// deadlines and are served until 100 k s. By then each user has ideally had 100 k / (k + 1) s. Now the k
/// users submit k + 1 jobs each, of 100 / (k + 1) - 1 s: they would ideally end a little before the large
/// ones, so they take their places with deadlines up to 99 - k, before zoe's 101, and put the large ones
/// back behind hers. She is served after all of them and done at
/// 100 k + k (99 - k) + 101 s, ideally at 101 (k + 1) s: late by 98 k - k^2 s.
#[test]
fn ever_smaller_jobs_of_several_users_exceed_the_allowance() {
    for k in 1..=4_u32 {
        let job = |user: &str, arrival: u32, work: f64| {
            format!(r#"{{"user":"{user}","arrival_s":{arrival},"stages":[{{"work_s":{work:.3}}}]}}"#)
        };
        let mut jobs: Vec<String> = (0..k).map(|user| job(&format!("u{user}"), 0, 100.0)).collect();
        jobs.push(job("zoe", 0, 101.0));
        let small = 100.0 / f64::from(k + 1) - 1.0;
        for user in 0..k {
            jobs.extend((0..=k).map(|_| job(&format!("u{user}"), 100 * k, small)));
        }
        let scenario = scenario(&format!(
            r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":1}},
                "partitioning":{{"advisory_task_runtime_s":0.1}},"jobs":[{}]}}"#,
            jobs.join(",")
        ));
        let trace = simulate(&scenario, policy("uwfq-p"));
        let furthest =
            bounded_unfairness(&trace.jobs, &ReferenceSchedule::fluid_ujf(&scenario)).expect("a job");
        assert_eq!(furthest.job, JobId(k), "zoe's");
        let late_s = furthest.delay / 1e6;
        assert!((late_s - f64::from(98 * k - k * k)).abs() < 0.2, "{k} users: {late_s} s");
        assert_eq!(furthest.delay > uwfq_allowance(&scenario, &trace), k > 1, "{k} users");
    }
}
