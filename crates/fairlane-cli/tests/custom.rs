//! Programs of one's own as policies.

use std::fs;

use crate::command;

fn fairlane(arguments: &[&str]) -> (bool, String) {
    let output = command::fairlane(arguments).output().expect("it runs");
    let text = if output.status.success() { output.stdout } else { output.stderr };
    (output.status.success(), String::from_utf8(text).expect("text"))
}

#[test]
fn a_program_in_a_file_is_a_policy() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, program: &str| {
        let path = folder.path().join(name);
        fs::write(&path, program).expect("a writable folder");
        format!("custom:{}", path.display())
    };
    let starter = fairlane_custom::starters::find("uwfq").expect("a starter").program;
    let (mine, good, bad) = (
        file("mine.rhai", "running / weight"),
        file("good.rhai", starter),
        file("bad.rhai", "running /\n  wait"),
    );

    let policies = format!("uwfq,{good},{mine}-p");
    let (is_sound, rows) =
        fairlane(&["compare", "catalog:heavy-first", "--policies", &policies, "--format", "csv"]);
    assert!(is_sound, "{rows}");
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!([rows[1][0], rows[2][0], rows[3][0]], ["uwfq", "custom:good", "custom:mine-p"]);
    let mean = rows[0].iter().position(|name| *name == "mean_response_s").expect("a column");
    assert_eq!(rows[1][mean], rows[2][mean], "the starter is the policy");

    for command in [
        vec!["simulate", "catalog:heavy-first", "--policy", &mine],
        vec!["sweep", "catalog:heavy-first", "--policies", &mine],
        vec!["properties", "catalog:heavy-first", "--policies", &mine],
    ] {
        let (is_sound, text) = fairlane(&command);
        assert!(is_sound, "{command:?}: {text}");
    }
    let (is_sound, error) = fairlane(&["simulate", "catalog:heavy-first", "--policy", &bad]);
    assert!(
        !is_sound && error.contains("line 2, column 3") && error.contains("`wait` is unknown"),
        "{error}"
    );
    let (is_sound, error) = fairlane(&["simulate", "catalog:heavy-first", "--policy", "custom"]);
    assert!(!is_sound && error.contains("policies.custom.program"), "{error}");
    let (is_sound, error) = fairlane(&["simulate", "catalog:heavy-first", "--policy", "custom:none.rhai"]);
    assert!(!is_sound && error.contains("none.rhai"), "{error}");
}
