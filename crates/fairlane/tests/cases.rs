//! The given scenarios with the expected trace of every policy, task for task.

use std::fs;
use std::path::Path;

use fairlane::trace::check;
use fairlane::{PolicyId, Scenario, simulate};
use serde_json::Value;

#[test]
fn every_policy_reproduces_the_expected_trace_of_every_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut traces = 0;
    for entry in fs::read_dir(folder).expect("the cases are there") {
        let path = entry.expect("a readable folder").path();
        let case: Value =
            serde_json::from_str(&fs::read_to_string(&path).expect("a readable case")).expect("JSON");
        let scenario = Scenario::from_json(&case["scenario"].to_string()).expect("a good scenario");
        for (policy, expected) in case["traces"].as_object().expect("traces by policy") {
            let policy: PolicyId = policy.parse().expect("a policy");
            let trace = simulate(&scenario, policy);
            let actual: Value = serde_json::from_str(&trace.to_json()).expect("JSON");
            assert_eq!(actual["tasks"], expected["tasks"], "{} under {policy}: tasks", path.display());
            assert_eq!(&actual, expected, "{} under {policy}", path.display());
            assert_eq!(check(&scenario, &trace), Ok(()), "{} under {policy}", path.display());
            traces += 1;
        }
    }
    assert_eq!(traces, 240, "24 cases with ten policies each");
}
