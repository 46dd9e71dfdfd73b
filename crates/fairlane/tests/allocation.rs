//! The given scenarios with moving cores, warm and first-wave factors, inflation and memory: the expected trace of every
//! policy, task for task.

use std::fs;
use std::io::Read;
use std::path::Path;

use fairlane::trace::check;
use fairlane::{PolicyId, Scenario, simulate};
use flate2::read::GzDecoder;
use serde_json::Value;

#[test]
fn every_policy_reproduces_the_expected_trace_of_every_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases-allocation");
    let mut traces = 0;
    for entry in fs::read_dir(folder).expect("the cases are there") {
        let path = entry.expect("a readable folder").path();
        let mut text = String::new();
        let file = fs::File::open(&path).expect("a readable case");
        GzDecoder::new(file).read_to_string(&mut text).expect("it unpacks");
        let case: Value = serde_json::from_str(&text).expect("JSON");
        let scenario = Scenario::from_json(&case["scenario"].to_string()).expect("a good scenario");
        for (policy, expected) in case["traces"].as_object().expect("traces by policy") {
            let policy: PolicyId = policy.parse().expect("a policy");
            let trace = simulate(&scenario, policy);
            let actual: Value = serde_json::from_str(&trace.to_json()).expect("JSON");
            let first = actual["tasks"].as_array().zip(expected["tasks"].as_array()).and_then(
                |(actual, expected)| {
                    actual.iter().zip(expected).position(|(actual, expected)| actual != expected)
                },
            );
            assert_eq!(first, None, "{} under {policy}: the first task that differs", path.display());
            assert!(&actual == expected, "{} under {policy}", path.display());
            assert_eq!(check(&scenario, &trace), Ok(()), "{} under {policy}", path.display());
            traces += 1;
        }
    }
    assert_eq!(traces, 428, "23 cases with 6 to 21 policies each");
}
