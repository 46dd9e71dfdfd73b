//! The simulator and the page's browser parts, in a real browser.
#![cfg(target_arch = "wasm32")]
#![allow(unsafe_code, reason = "what the macro of browser tests writes is unsafe")]

#[path = "../crates/fairlane/tests/common/mod.rs"]
mod common;

use fairlane::catalog;
use fairlane::policy::decima;
use fairlane::replay::ReplayPoint;
use fairlane::scenario::Edit;
use fairlane::{PolicyId, PolicyKind, Scenario, simulate};
use fairlane_custom::starters::STARTERS;
use fairlane_page::results::codec;
use fairlane_page::results::shared::Shared;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Installs the weights of `decima`, which are no part of a program for browsers.
fn install_weights() {
    decima::install();
}

/// Random scenarios and their fingerprints as they were written natively.
#[wasm_bindgen_test]
fn the_browser_gives_the_same_traces_as_a_native_run() {
    install_weights();
    let is_hash = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit());
    let expected: Vec<&str> =
        include_str!("../crates/fairlane/tests/policies.txt").lines().filter(is_hash).collect();
    let actual: String = PolicyKind::ALL.iter().map(|&kind| common::hashes(kind)).collect();
    assert_eq!(actual.lines().count(), expected.len());
    let mut both = expected.into_iter().zip(actual.lines());
    assert_eq!(both.find(|(old, new)| old != new), None);
}

/// Loads and estimates that err, to the microsecond as they come out natively.
#[wasm_bindgen_test]
fn the_browser_varies_scenarios_as_a_native_run_does() {
    assert_eq!(common::varied(), include_str!("../crates/fairlane/tests/random_scenarios.txt"));
}

/// The given cases of a browser's run, task for task: one of each kind of trouble.
#[wasm_bindgen_test]
fn the_browser_reproduces_given_cases() {
    let cases = [
        include_str!("../crates/fairlane/tests/cases/case-03.json"),
        include_str!("../crates/fairlane/tests/cases/case-12.json"),
        include_str!("../crates/fairlane/tests/cases/case-19.json"),
        include_str!("../crates/fairlane/tests/cases/case-22.json"),
    ];
    for text in cases {
        let case: serde_json::Value = serde_json::from_str(text).expect("JSON");
        let scenario = Scenario::from_json(&case["scenario"].to_string()).expect("a good scenario");
        let traces = case["traces"].as_object().expect("traces by policy");
        assert!(!traces.is_empty(), "{} has no traces", scenario.name());
        for (policy, expected) in traces {
            let trace = simulate(&scenario, policy.parse().expect("a policy"));
            let actual: serde_json::Value = serde_json::from_str(&trace.to_json()).expect("JSON");
            assert_eq!(actual, *expected, "{} under {policy}", scenario.name());
        }
    }
}

/// The programs to start from that are registered policies too, task for task; `crates/fairlane-custom/tests` has all
/// given cases.
#[wasm_bindgen_test]
fn starters_are_their_policies_in_the_browser_too() {
    fairlane_custom::install();
    for name in ["two-users", "skew", "priority-inversion", "paper-scenario-1"] {
        let scenario = catalog::find(name).expect("an entry").scenario();
        for starter in STARTERS {
            let Some(same_as) = starter.same_as else { continue };
            let write = Edit::parameter("custom", "program", starter.program);
            let own = scenario.edited(&write).expect("a sound program").scenario;
            let [own, registered] = [(&own, "custom"), (&scenario, same_as)]
                .map(|(scenario, policy)| simulate(scenario, policy.parse().expect("a policy")).tasks);
            assert!(own == registered, "{name}: {} against {same_as}", starter.id);
        }
    }
}

/// Generated workloads, byte for byte: the draws do not depend on the platform's mathematics.
#[wasm_bindgen_test]
fn the_browser_generates_the_same_scenarios() {
    assert_eq!(common::generators::fingerprints(), include_str!("../crates/fairlane/tests/generators.txt"));
}

#[wasm_bindgen_test]
fn what_a_worker_sends_is_read_back() {
    install_weights();
    let scenario = Shared::new(catalog::find("paper-scenario-1").expect("an entry").scenario());
    for policy in PolicyId::all() {
        // Written and read as between worker and page.
        let analysis = codec::analyze_here(&scenario, policy);
        let trace = simulate(&scenario, policy);
        assert_eq!((&analysis.trace, analysis.hash), (&trace, trace.hash()));
        assert_eq!(analysis.extras.as_ref().map(|extras| &extras.checks), Some(&Ok(())));
        assert!(analysis.ranked_queue(ReplayPoint::Dispatch(trace.tasks.len() / 2), 5).is_some());
    }
}
