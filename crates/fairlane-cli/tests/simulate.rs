//! `fairlane simulate`: what it prints, and the traces that it writes.

use std::fs;
use std::path::Path;

use crate::command::*;
use assert_cmd::Command;

#[test]
fn simulate_prints_the_jobs() {
    insta::assert_snapshot!(printed(&["simulate", "-", "--policy", "uwfq"], SMALL));
}

#[test]
fn simulate_prints_json() {
    insta::assert_snapshot!(printed(&["simulate", "-", "--policy", "ujf-p", "--format", "json"], SMALL));
}

#[test]
fn simulate_prints_the_hash_of_the_trace() {
    let hash = printed(&["simulate", "-", "--policy", "cfq", "--hash"], SMALL);
    let scenario = fairlane::Scenario::from_json(SMALL).expect("a sound scenario");
    let trace = fairlane::simulate(&scenario, "cfq".parse().expect("a policy"));
    assert_eq!(hash, format!("{:016x}\n", trace.hash()));
    let output = json(&["simulate", "-", "--policy", "cfq", "--format", "json"], SMALL);
    assert_eq!(output["trace_hash"], hash.trim());
}

/// Two policies are side by side in one file, and a schedule goes to two files at once.
#[test]
fn schedules_are_written_for_perfetto() {
    let folder = tempfile::tempdir().expect("a folder");
    let [chrome, trace] = ["schedule.json", "trace.json"].map(|name| folder.path().join(name));
    let [chrome_text, trace_text] = [&chrome, &trace].map(|path| path.to_str().expect("text"));
    let events = || {
        let text = fs::read_to_string(&chrome).expect("the schedule");
        let object: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        object["traceEvents"].as_array().expect("a list of events").clone()
    };
    let slices = |events: &[serde_json::Value]| events.iter().filter(|event| event["ph"] == "X").count();
    printed(
        &["simulate", "-", "--policy", "uwfq", "--chrome-trace", chrome_text, "--trace", trace_text],
        SMALL,
    );
    let one = events();
    let own: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&trace).expect("the trace")).expect("JSON");
    assert_eq!(slices(&one), own["tasks"].as_array().expect("tasks").len());
    printed(&["compare", "-", "--policies", "uwfq,fair", "--chrome-trace", chrome_text], SMALL);
    let both = events();
    assert_eq!(slices(&both), 2 * slices(&one));
    assert!(both.iter().any(|event| event["args"]["name"] == "Fair: users"));
    let twice = ["simulate", "-", "--policy", "uwfq", "--trace", trace_text, "--chrome-trace", trace_text];
    assert!(complaint(&twice, SMALL).contains("two outputs would go to this file"));
}

/// The tasks of a picture have their facts; those of several policies are on one time axis.
#[test]
fn schedules_are_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("schedule.svg");
    let text = path.to_str().expect("text");
    let picture = || fs::read_to_string(&path).expect("the picture");
    let plain = printed(&["simulate", "-", "--policy", "uwfq"], SMALL);
    assert_eq!(printed(&["simulate", "-", "--policy", "uwfq", "--svg", text], SMALL), plain);
    let one = picture();
    assert!(one.starts_with("<svg") && one.trim_end().ends_with("</svg>"), "{one}");
    assert_eq!(one.matches("id=\"panel-").count(), 1);
    assert_eq!(one.matches("<title>report of ana, stage 0, task ").count(), 4, "{one}");
    printed(&["compare", "-", "--policies", "uwfq,fair", "--svg", text], SMALL);
    let both = picture();
    assert!(both.contains("id=\"panel-uwfq\"") && both.contains("id=\"panel-fair\""), "{both}");
    for refused in [["--hash", "--svg"], ["--by=group", "--svg"]] {
        let arguments = [&["simulate", "-", "--policy", "uwfq"], refused.as_slice(), &[text]].concat();
        assert!(complaint(&arguments, SMALL).contains("cannot be used with"));
    }
    let twice = ["compare", "-", "--svg", text, "--chrome-trace", text];
    assert!(complaint(&twice, SMALL).contains("two outputs would go to this file"));
}

/// A queue that cannot be admitted, and a job whose deadline cannot be met.
#[test]
fn simulate_prints_decisions_with_their_numbers() {
    let scenario = r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 2 },
        "users": [{ "name": "ana", "queue": { "kind": "latency", "period_s": 10, "within_s": 5, "demand_core_s": 8 } }, { "name": "ben" }, { "name": "cy" }],
        "jobs": [
            { "user": "ana", "name": "burst", "arrival_s": 0, "deadline_s": 9, "stages": [{ "tasks_s": [1, 1] }] },
            { "user": "cy", "name": "late", "arrival_s": 0, "deadline_s": 0.5, "stages": [{ "tasks_s": [1, 1] }] } ] }"#;
    let bopf = printed(&["simulate", "-", "--policy", "bopf", "--decisions"], scenario);
    for words in [
        "ana has a hard guarantee: all three conditions hold.",
        "fair: demand times N: 8.00 core-seconds",
        "fair: capacity over the period: 20.00 core-seconds",
        "resource: capacity: 2 cores",
        "cy: rejected, because with it, ana could no longer be sure of its demand.",
        "safe: its demand times N: 24.00 core-seconds",
    ] {
        assert!(bopf.contains(words), "{words}: {bopf}");
    }
    let oracle =
        json(&["simulate", "-", "--policy", "deadline-oracle", "--decisions", "--format", "json"], scenario);
    let decisions = oracle["decisions"].as_array().expect("decisions");
    let of_job = |job: u64| decisions.iter().find(|decision| decision["job"] == job).expect("a decision");
    assert_eq!(of_job(0)["sentence"], "burst is admitted with 1 core, for life.");
    assert_eq!(of_job(1)["sentence"], "late is dropped: even 2 cores do not meet its deadline.");
    let fair = printed(&["simulate", "-", "--policy", "fair", "--decisions"], scenario);
    assert!(fair.ends_with("The policy decides about nothing but the order of stages.\n"), "{fair}");
}

#[test]
fn simulate_writes_the_trace_and_replaces_an_earlier_one() {
    let (folder, scenario) = folder_with("small.json", SMALL);
    let target = folder.path().join("trace.json");
    for policy in ["fifo", "uwfq-p"] {
        let path = target.to_str().expect("text");
        printed(&["simulate", &scenario, "--policy", policy, "--trace", path], "");
        let checked = fairlane::Scenario::from_json(SMALL).expect("a sound scenario");
        let trace = fairlane::simulate(&checked, policy.parse().expect("a policy"));
        assert_eq!(fs::read_to_string(&target).expect("the trace"), trace.to_json());
    }
    assert_eq!(names_in(folder.path()), ["small.json", "trace.json"]);
}

#[cfg(unix)]
#[test]
fn a_new_trace_is_as_readable_as_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, ordinary) = folder_with("ordinary", "");
    let target = folder.path().join("trace.json");
    printed(&["simulate", "-", "--policy", "fifo", "--trace", target.to_str().expect("text")], SMALL);
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode();
    assert_eq!(mode(&target), mode(Path::new(&ordinary)));
}

#[test]
fn a_trace_that_cannot_be_written_leaves_nothing_behind() {
    let (folder, scenario) = folder_with("small.json", SMALL);
    let here = folder.path().to_str().expect("text");
    let simulate =
        |target: &str| complaint(&["simulate", &scenario, "--policy", "uwfq", "--trace", target], "");

    let missing = format!("{here}/nowhere/trace.json");
    assert_eq!(simulate(&missing), format!("fairlane: {missing}: No such folder; create it first\n"));
    assert_eq!(simulate(here), format!("fairlane: {here}: Is a directory; give a file in it\n"));
    let below_a_file = format!("{scenario}/trace.json");
    assert!(simulate(&below_a_file).starts_with(&format!("fairlane: {below_a_file}: cannot be written")));
    assert_eq!(names_in(folder.path()), ["small.json"]);
}

#[test]
fn an_existing_trace_survives_an_error() {
    let (folder, target) = folder_with("trace.json", "precious");
    complaint(&["simulate", "-", "--policy", "uwfq", "--trace", &target], "{}");
    assert_eq!(fs::read_to_string(&target).expect("the file"), "precious");
    assert_eq!(names_in(folder.path()), ["trace.json"]);
}

/// The disk fills up in the middle of the trace: files may not grow beyond 512 bytes or so.
#[cfg(unix)]
#[test]
fn an_existing_trace_survives_a_full_disk() {
    let (folder, target) = folder_with("trace.json", "precious");
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        "trap '' XFSZ; ulimit -f 1; exec \"$0\" simulate catalog:two-users --policy uwfq --trace \"$1\"",
    ]);
    let message = standard_error(shell.args([env!("CARGO_BIN_EXE_fairlane"), &target]).assert());
    assert!(message.starts_with(&format!("fairlane: {target}: cannot be written")), "{message}");
    assert_eq!(fs::read_to_string(&target).expect("the file"), "precious");
    assert_eq!(names_in(folder.path()), ["trace.json"]);
}

/// Devices and pipes are written to and not replaced.
#[cfg(target_os = "linux")]
#[test]
fn a_trace_can_go_to_a_device() {
    printed(&["simulate", "-", "--policy", "uwfq", "--trace", "/dev/null"], SMALL);
    assert!(fs::metadata("/dev/null").is_ok_and(|metadata| !metadata.is_file()));
    let message = complaint(&["simulate", "-", "--policy", "uwfq", "--trace", "/dev/full"], SMALL);
    assert!(message.starts_with("fairlane: /dev/full: cannot be written"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_stays_one() {
    let (folder, file) = folder_with("real.json", "old");
    let link = folder.path().join("link.json");
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    printed(&["simulate", "-", "--policy", "uwfq", "--trace", link.to_str().expect("text")], SMALL);
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert!(fs::read_to_string(file).expect("the file").contains("fairlane/trace@1"));
}
