//! The notices of what is shipped.

use std::process::Command;
use std::{env, fs};

use crate::guide::REWRITE;
use crate::root;

#[track_caller]
fn notices(arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_fairlane-docs")).args(arguments).current_dir(root()).output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The crate is published from its own files, so its notices are one of them.
#[test]
fn the_crates_notices_are_those_of_its_dependencies() {
    let path = root().join("crates/fairlane/THIRD-PARTY.txt");
    let expected = notices(&["fairlane", "x86_64-unknown-linux-gnu"]);
    if env::var_os(REWRITE).is_some() {
        return fs::write(&path, expected).expect("a writable file");
    }
    let kept = fs::read_to_string(&path).expect("the notices");
    assert!(kept == expected, "{} is of other versions: run this test with {REWRITE}=1", path.display());
}

#[test]
fn every_crate_of_the_page_comes_with_the_text_of_its_licence() {
    let text = notices(&["fairlane-page", "wasm32-unknown-unknown", "split"]);
    for name in ["yew", "rhai", "smartstring", "wasm-bindgen", "serde"] {
        assert!(text.lines().any(|line| line.starts_with(&format!("{name} "))), "{name} is in the page");
    }
    assert!(text.contains("Mozilla Public License"), "smartstring's");
    // Neither ours nor what only runs while the page is compiled.
    for name in ["fairlane-view", "syn", "proc-macro2"] {
        assert!(!text.lines().any(|line| line.starts_with(&format!("{name} "))), "{name} is not in the page");
    }
}
