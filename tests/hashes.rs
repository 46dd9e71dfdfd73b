//! Fingerprints of traces: the same here, in the browser and after every change that does not mean
//! to change a schedule.
#![cfg(not(target_arch = "wasm32"))]

mod common;

use std::path::Path;
use std::{env, fs};

/// Set to anything, rewrites the file; read the difference before you commit it.
const REWRITE: &str = "FAIRLANE_REWRITE_HASHES";

#[test]
fn random_scenarios_give_the_traces_they_always_gave() {
    compare("tests/hashes.txt", &common::hashes());
}

#[test]
fn loads_and_errors_of_estimates_are_what_they_always_were() {
    compare("tests/varied.txt", &common::varied());
}

fn compare(file: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if env::var_os(REWRITE).is_some() {
        fs::write(&path, actual).expect("a writable file");
    }
    let expected = fs::read_to_string(&path).expect("the file is there");
    let differing: Vec<_> = expected.lines().zip(actual.lines()).filter(|(old, new)| old != new).collect();
    assert!(
        expected == actual,
        "{file}: {} lines differ, the first of them {:?}",
        differing.len(),
        differing.first()
    );
}
