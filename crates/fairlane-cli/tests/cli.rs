//! The command as scripts and people meet it: the catalog, help, errors, pipes.

use std::fs::File;
use std::process::Stdio;

use crate::command::*;

#[test]
fn catalog_lists_every_entry() {
    let list = printed(&["catalog"], "");
    for entry in fairlane::catalog::ENTRIES.iter() {
        assert!(list.contains(&format!("{}: {}\n", entry.name, entry.title)), "{list}");
    }
    assert!(list.lines().all(|line| line.chars().count() <= 100), "{list}");
}

#[test]
fn catalog_prints_a_file_that_runs() {
    let file = printed(&["catalog", "two-users"], "");
    let hash = |from: &str| printed(&["simulate", from, "--policy", "uwfq", "--hash"], &file);
    assert_eq!(hash("-"), hash("catalog:two-users"));
}

#[test]
fn help_and_version_are_no_errors() {
    for args in [&["--help"][..], &["--version"], &["simulate", "--help"], &["compare", "-h"]] {
        assert!(printed(args, "").contains("airlane"), "{args:?}");
    }
}

#[test]
fn usage_errors_have_exit_code_2() {
    for args in [
        &[][..],
        &["draw"],
        &["simulate"],
        &["simulate", "-"],
        &["simulate", "-", "--policy", "lifo"],
        &["simulate", "-", "--policy", "fifo", "--format", "xml"],
        &["simulate", "-", "--policy", "fifo", "--hash", "--format", "json"],
        &["compare", "-", "--policies", ""],
        &["compare", "-", "--policies", "fifo,,cfq"],
        &["compare", "-", "--atr", "0"],
        &["compare", "-", "--atr", "-1"],
        &["compare", "-", "--atr", "nan"],
        &["compare", "-", "--atr", "soon"],
    ] {
        assert!(!complaint(args, SMALL).is_empty(), "{args:?}");
    }
    let message = complaint(&["compare", "-", "--policies", "fifo,lifo"], SMALL);
    assert!(message.contains("there is no policy \"lifo\"; the policies are fifo, fair"), "{message}");
    let message = complaint(&["compare", "-", "--atr", "0.0000001"], SMALL);
    assert!(message.contains("rounds to 0 microseconds; give at least 0.000001 s"), "{message}");
}

/// A scenario of one job whose stages are given.
fn with_stages(stages: &str) -> String {
    format!(r#"{{"format":"fairlane/scenario@1","jobs":[{{"user":"a","arrival_s":0,"stages":[{stages}]}}]}}"#)
}

#[test]
fn errors_of_scenarios_name_the_path_and_the_remedy() {
    let faults = [
        ("not JSON", "jobs: none".to_owned()),
        ("empty", String::new()),
        ("wrong format", r#"{"format":"fairlane/trace@1","tasks":[]}"#.to_owned()),
        ("unknown key", with_stages(r#"{"work_s":1,"colour":"red"}"#)),
        ("cycle", with_stages(r#"{"work_s":1,"parents":[1]},{"work_s":1,"parents":[0]}"#)),
        ("negative time", with_stages(r#"{"tasks_s":[1,-1]}"#)),
        ("bad profile", with_stages(r#"{"work_s":1,"profile":[0,0]}"#)),
        ("too many tasks", with_stages(r#"{"work_s":1,"partitions":4000000000}"#)),
        ("deep nesting", "[".repeat(10 << 20)),
        ("deep nesting in a scenario", with_stages(&"[".repeat(10 << 20))),
    ];
    let messages: Vec<String> = faults
        .into_iter()
        .map(|(what, text)| format!("{what}\n{}", complaint(&["simulate", "-", "--policy", "uwfq"], text)))
        .collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_million_jobs_are_refused() {
    let job = r#"{"user":"a","arrival_s":0,"stages":[{"work_s":1}]}"#;
    let text = format!(r#"{{"format":"fairlane/scenario@1","jobs":[{}]}}"#, vec![job; 1_000_000].join(","));
    let (_folder, path) = folder_with("million.json", &text);
    let message = complaint(&["compare", &path], "");
    assert!(message.starts_with(&format!("fairlane: {path}: jobs: more than 200000 jobs")), "{message}");
}

#[test]
fn a_file_that_is_not_text_is_reported_as_such() {
    let message = complaint(&["simulate", "-", "--policy", "uwfq"], b"{\"format\": \"\xff\"}".as_slice());
    assert_eq!(message, "fairlane: standard input: byte 12 is not UTF-8 text; a scenario is a JSON file\n");
}

#[test]
fn files_beyond_the_limit_are_not_even_read() {
    let (folder, path) = folder_with("large.json", "");
    File::options().write(true).open(&path).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
    let message = complaint(&["compare", &path], "");
    assert_eq!(
        message,
        format!("fairlane: {path}: exceeds the limit of 64 MB; split it or take a sample of it\n")
    );
    drop(folder);
    // Standard input, by way of a file that would never end.
    let endless = File::open("/dev/zero").expect("a Unix system");
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_fairlane"))
        .args(["compare", "-"])
        .stdin(endless)
        .output()
        .expect("the command runs");
    let message = String::from_utf8(child.stderr).expect("text");
    assert_eq!(child.status.code(), Some(2));
    assert!(message.starts_with("fairlane: standard input: exceeds the limit of 64 MB"), "{message}");
}

#[test]
fn sources_that_cannot_be_read_are_named() {
    let (folder, path) = folder_with("small.json", SMALL);
    let here = folder.path().to_str().expect("text");
    let message = complaint(&["compare", &format!("{path}.gz")], "");
    assert!(message.starts_with(&format!("fairlane: {path}.gz: No such file")), "{message}");
    let message = complaint(&["compare", here], "");
    assert!(message.starts_with(&format!("fairlane: {here}: Is a directory")), "{message}");
    let names = "it has priority-inversion, skew, two-users";
    for args in [&["compare", "catalog:two"][..], &["catalog", "two"]] {
        let message = complaint(args, "");
        assert!(message.starts_with("fairlane: catalog:two: there is no such scenario"), "{message}");
        assert!(message.contains(names), "{message}");
    }
    assert!(complaint(&["compare", ""], "").contains("No such file"));
}

#[test]
fn an_advisory_task_runtime_that_makes_too_many_tasks_is_refused() {
    let message = complaint(&["compare", "-", "--atr", "0.000001"], with_stages(r#"{"work_s":100}"#));
    assert!(message.starts_with("fairlane: standard input with --atr: jobs[0].stages[0]: "), "{message}");
}

/// A reader who has seen enough, such as `head`, hears no complaint; a script can tell by the exit code.
#[test]
fn a_closed_pipe_ends_the_command_without_a_word() {
    for args in [&["catalog"][..], &["--help"], &["simulate", "catalog:paper-scenario-1", "--policy", "fair"]]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let child = std::process::Command::new(env!("CARGO_BIN_EXE_fairlane"))
            .args(args)
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .expect("the command runs");
        assert_eq!(String::from_utf8_lossy(&child.stderr), "", "{args:?}");
        assert_eq!(child.status.code(), Some(141), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_fairlane"))
        .arg("catalog")
        .stdout(File::options().write(true).open("/dev/full").expect("Linux"))
        .output()
        .expect("the command runs");
    assert_eq!(child.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&child.stderr).starts_with("fairlane: standard output: cannot be written")
    );
}

/// Runs this test program once more, in which the second test below panics under the command's
/// guard.
#[test]
fn a_panic_is_reported_as_a_bug() {
    let child = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "cli::panics_when_asked_to", "--nocapture"])
        .env("FAIRLANE_TEST_PANIC", "1")
        .output()
        .expect("this program runs");
    assert_eq!(child.status.code(), Some(70));
    let message = String::from_utf8(child.stderr).expect("text");
    assert!(
        message.starts_with("fairlane: this is a bug in Fairlane and not in your file: 1 + 1 is 3"),
        "{message}"
    );
    assert!(!message.contains("RUST_BACKTRACE"), "{message}");
}

#[test]
fn panics_when_asked_to() {
    if std::env::var_os("FAIRLANE_TEST_PANIC").is_some() {
        let code = fairlane_cli::guarded(|| panic!("{} + 1 is 3", 1));
        std::process::exit(code.into());
    }
}
