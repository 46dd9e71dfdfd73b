//! The catalog keeps its promises: every entry is sound and shows what it tells the reader to look
//! for, and the paper's scenarios come out as its authors measured them.
#![cfg(not(target_arch = "wasm32"))]

use fairlane::metrics::{mean_response, mean_response_by_user};
use fairlane::scenario::catalog::{self, ENTRIES};
use fairlane::{PolicyId, Scenario, simulate};

fn scenario(name: &str) -> Scenario {
    catalog::find(name).expect("an entry of the catalog").scenario()
}

fn policy(name: &str) -> PolicyId {
    name.parse().expect("a policy")
}

/// Mean response time of a user's jobs, in seconds.
fn mean_of_user(scenario: &Scenario, policy_name: &str, user: &str) -> f64 {
    let place = scenario.users.iter().position(|other| other.name == user).expect("a user of the scenario");
    let trace = simulate(scenario, policy(policy_name));
    mean_response_by_user(&trace.jobs, scenario.users.len())[place].expect("the user has jobs")
}

#[test]
fn every_entry_is_sound_and_named_once() {
    for (place, entry) in ENTRIES.iter().enumerate() {
        let scenario = entry.scenario();
        assert!(!scenario.name.is_empty(), "{}", entry.name);
        assert!(!entry.look_for.is_empty() && !entry.source.is_empty(), "{}", entry.name);
        assert!(ENTRIES[..place].iter().all(|other| other.name != entry.name), "{}", entry.name);
        let suggested: Vec<String> = catalog::suggested(entry).iter().map(PolicyId::to_string).collect();
        assert_eq!(suggested.join(","), entry.policies, "{}", entry.name);
        assert_eq!(Scenario::from_json(&scenario.to_json()).as_ref(), Ok(&scenario), "{}", entry.name);
    }
}

/// Average response times measured on real Spark, in seconds (UWFQ paper, Table 1 and its published
/// result tables).
const MEASURED: [(&str, &str, f64); 8] = [
    ("paper-scenario-1", "fair", 44.08),
    ("paper-scenario-1", "ujf", 43.11),
    ("paper-scenario-1", "cfq", 32.59),
    ("paper-scenario-1", "uwfq", 29.44),
    ("paper-scenario-2", "fair", 28.11),
    ("paper-scenario-2", "ujf", 29.11),
    ("paper-scenario-2", "cfq", 43.20),
    ("paper-scenario-2", "uwfq", 25.50),
];

#[test]
fn the_papers_averages_come_out_as_measured() {
    let mut errors = Vec::new();
    for (name, policy_name, measured) in MEASURED {
        let simulated = mean_response(&simulate(&scenario(name), policy(policy_name)).jobs);
        let error = (simulated / measured - 1.0).abs();
        assert!(error < 0.12, "{name} under {policy_name}: {simulated:.2} s against {measured} s measured");
        errors.push(error);
    }
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(mean < 0.05, "the mean deviation is {:.1} %", 100.0 * mean);
}

#[test]
fn infrequent_users_wait_for_nobody_under_ujf_and_uwfq() {
    let scenario = scenario("paper-scenario-1");
    for user in ["user3", "user4"] {
        for policy in ["ujf", "uwfq"] {
            let mean = mean_of_user(&scenario, policy, user);
            assert!(mean < 8.0, "{user} under {policy}: {mean:.2} s");
        }
        for policy in ["fifo", "fair", "cfq"] {
            let mean = mean_of_user(&scenario, policy, user);
            assert!(mean > 25.0, "{user} under {policy}: {mean:.2} s");
        }
    }
}

#[test]
fn runtime_partitioning_removes_the_priority_inversion() {
    let scenario = scenario("priority-inversion");
    let [fair, default, runtime] =
        ["fair", "uwfq", "uwfq-p"].map(|policy| mean_of_user(&scenario, policy, "ben"));
    // ana's tasks last 6 s each, so nobody gets a core before 6 s.
    assert!(fair > 5.9 && default > 5.9, "fair {fair:.2} s, uwfq {default:.2} s");
    assert!(runtime < 1.5, "uwfq-p {runtime:.2} s");
}

#[test]
fn runtime_partitioning_removes_the_straggler() {
    let scenario = scenario("skew");
    let [default, runtime] =
        ["uwfq", "uwfq-p"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
    // The heavy task of 5 s against 12 core-seconds on eight cores and the second stage.
    assert!(default.end().seconds() > 5.0, "{} s", default.end().seconds());
    assert!(runtime.end().seconds() < 2.0, "{} s", runtime.end().seconds());
}

#[test]
fn counting_users_protects_the_one_job_from_the_many() {
    let scenario = scenario("two-users");
    for policy in ["ujf", "uwfq"] {
        let mean = mean_of_user(&scenario, policy, "ben");
        assert!(mean < 4.0, "ben under {policy}: {mean:.2} s");
    }
    for policy in ["fifo", "fair", "cfq"] {
        let mean = mean_of_user(&scenario, policy, "ben");
        assert!(mean > 10.0, "ben under {policy}: {mean:.2} s");
    }
}
