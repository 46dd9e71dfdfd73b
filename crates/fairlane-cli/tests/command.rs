//! Running the command, and two workloads for it.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;
use tempfile::TempDir;

pub const SMALL: &str = r#"{ "format": "fairlane/scenario@1", "name": "Small", "cluster": { "cores_per_executor": 2 },
    "users": [{ "name": "ana" }, { "name": "ben", "weight": 2 }, { "name": "idle" }],
    "jobs": [
        { "user": "ana", "name": "report", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1, 1] }, { "tasks_s": [0.0005] }] },
        { "user": "ben", "arrival_s": 1.25, "stages": [{ "work_s": 3, "partitions": 2 }] },
        { "user": "ben", "name": "nothing", "arrival_s": 2, "stages": [{ "tasks_s": [0] }] } ] }"#;

/// The workload of `crates/fairlane/tests/worked_example.rs`, on which every policy lands differently.
pub const DESIGNED: &str = r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 2 },
    "partitioning": { "advisory_task_runtime_s": 1 },
    "users": [{ "name": "ana" }, { "name": "ben" }, { "name": "idle" }],
    "jobs": [
        { "user": "ana", "name": "a", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1, 1] }] },
        { "user": "ana", "name": "b", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1] }] },
        { "user": "ben", "name": "c", "arrival_s": 1, "stages": [{ "tasks_s": [4] }] } ] }"#;

pub fn fairlane(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairlane"));
    command.args(args);
    command
}

/// What a successful command prints.
#[track_caller]
pub fn printed(args: &[&str], input: &str) -> String {
    standard_output(fairlane(args).write_stdin(input).assert())
}

/// What a successful command prints; nothing goes to standard error, which is no terminal here.
#[track_caller]
pub fn standard_output(assert: Assert) -> String {
    let output = assert.success().stderr("").get_output().stdout.clone();
    String::from_utf8(output).expect("text")
}

#[track_caller]
pub fn json(args: &[&str], input: &str) -> Value {
    serde_json::from_str(&printed(args, input)).expect("JSON")
}

/// What a failing command says.
#[track_caller]
pub fn complaint(args: &[&str], input: impl Into<Vec<u8>>) -> String {
    standard_error(fairlane(args).write_stdin(input).assert())
}

/// What a failing command says: exit code 2, nothing on standard output.
#[track_caller]
pub fn standard_error(assert: Assert) -> String {
    let output = assert.code(2).stdout("").get_output().stderr.clone();
    String::from_utf8(output).expect("text")
}

pub fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// A folder with one file in it.
pub fn folder_with(name: &str, text: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    fs::write(&path, text).expect("a writable folder");
    let path = path.to_str().expect("a path that is text").to_owned();
    (folder, path)
}

pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a readable folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
