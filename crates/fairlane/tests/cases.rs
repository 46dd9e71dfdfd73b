//! The given scenarios with the expected trace of every policy, task for task.

use std::fs;
use std::io::Read;
use std::path::Path;

use fairlane::trace::check;
use fairlane::{PolicyId, Scenario, simulate};
use flate2::read::GzDecoder;
use serde_json::Value;

#[test]
fn every_policy_reproduces_the_expected_traces() {
    assert_eq!(traces_of("cases"), 240, "24 cases with ten policies each");
}

/// Moving cores, warm and first-wave factors, inflation and memory.
#[test]
fn every_policy_reproduces_the_expected_traces_with_costs_and_memory() {
    assert_eq!(traces_of("cases-allocation"), 428, "23 cases with 6 to 21 policies each");
}

/// Pools, sessions, and executors that come and go.
#[test]
fn every_policy_reproduces_the_expected_traces_of_a_real_cluster() {
    assert_eq!(traces_of("cases-spark"), 354, "33 cases with 8 to 11 policies each");
}

/// Cores that belong to jobs.
#[test]
fn every_policy_reproduces_the_expected_traces_with_cores_that_belong_to_jobs() {
    assert_eq!(traces_of("cases-held"), 55, "10 cases with 4 to 8 policies each");
}

/// Attempts and places: cancellation, losses, speculation, locality, barriers, preemption, shuffle tracking.
#[test]
fn every_policy_reproduces_the_expected_traces_of_attempts_and_places() {
    assert_eq!(traces_of("cases-attempts"), 659, "60 cases with 3 to 15 policies each");
}

fn traces_of(folder: &str) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut traces = 0;
    for entry in fs::read_dir(folder).expect("the cases are there") {
        let path = entry.expect("a readable folder").path();
        let case = read(&path);
        let scenario = Scenario::from_json(&case["scenario"].to_string())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for (policy, expected) in case["traces"].as_object().expect("traces by policy") {
            let policy: PolicyId = policy.parse().expect("a policy");
            let trace = simulate(&scenario, policy);
            let actual: Value = serde_json::from_str(&trace.to_json()).expect("JSON");
            let tasks = |trace: &Value| trace["tasks"].as_array().cloned().unwrap_or_default();
            let mut pairs = tasks(&actual).into_iter().zip(tasks(expected));
            let differs = pairs.position(|(actual, expected)| actual != expected);
            assert_eq!(differs, None, "{} under {policy}: the first task that differs", path.display());
            assert!(&actual == expected, "{} under {policy}", path.display());
            assert_eq!(check(&scenario, &trace), Ok(()), "{} under {policy}", path.display());
            traces += 1;
        }
    }
    traces
}

fn read(path: &Path) -> Value {
    let mut text = String::new();
    let mut file = fs::File::open(path).expect("a readable case");
    match path.extension() {
        Some(packed) if packed == "gz" => GzDecoder::new(file).read_to_string(&mut text),
        _ => file.read_to_string(&mut text),
    }
    .expect("a readable case");
    serde_json::from_str(&text).expect("JSON")
}
