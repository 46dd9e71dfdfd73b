//! The command as scripts and people meet it.

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;
use tempfile::TempDir;

const SMALL: &str = r#"{ "format": "fairlane/scenario@1", "name": "Small", "cluster": { "cores_per_executor": 2 },
    "users": [{ "name": "ana" }, { "name": "ben", "weight": 2 }, { "name": "idle" }],
    "jobs": [
        { "user": "ana", "name": "report", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1, 1] }, { "tasks_s": [0.0005] }] },
        { "user": "ben", "arrival_s": 1.25, "stages": [{ "work_s": 3, "partitions": 2 }] },
        { "user": "ben", "name": "nothing", "arrival_s": 2, "stages": [{ "tasks_s": [0] }] } ] }"#;

/// The workload of `crates/fairlane/tests/worked_example.rs`, on which every policy lands differently.
const DESIGNED: &str = r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 2 },
    "partitioning": { "advisory_task_runtime_s": 1 },
    "users": [{ "name": "ana" }, { "name": "ben" }, { "name": "idle" }],
    "jobs": [
        { "user": "ana", "name": "a", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1, 1] }] },
        { "user": "ana", "name": "b", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1] }] },
        { "user": "ben", "name": "c", "arrival_s": 1, "stages": [{ "tasks_s": [4] }] } ] }"#;

fn fairlane(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairlane"));
    command.args(args);
    command
}

/// What a successful command prints; nothing goes to standard error, which is no terminal here.
#[track_caller]
fn printed(args: &[&str], input: &str) -> String {
    let output = fairlane(args).write_stdin(input).assert().success().stderr("").get_output().stdout.clone();
    String::from_utf8(output).expect("text")
}

#[track_caller]
fn json(args: &[&str], input: &str) -> Value {
    serde_json::from_str(&printed(args, input)).expect("JSON")
}

/// What a failing command says: exit code 2, nothing on standard output.
#[track_caller]
fn complaint(args: &[&str], input: impl Into<Vec<u8>>) -> String {
    standard_error(fairlane(args).write_stdin(input).assert())
}

#[track_caller]
fn standard_error(assert: Assert) -> String {
    let output = assert.code(2).stdout("").get_output().stderr.clone();
    String::from_utf8(output).expect("text")
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// A folder with one file in it.
fn folder_with(name: &str, text: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    fs::write(&path, text).expect("a writable folder");
    let path = path.to_str().expect("a path that is text").to_owned();
    (folder, path)
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a readable folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

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
fn compare_prints_a_row_per_policy() {
    insta::assert_snapshot!(printed(
        &["compare", "-", "--policies", "fifo,fair,ujf,cfq,uwfq,uwfq-p"],
        DESIGNED
    ));
}

/// A latency queue beside another user, with deadlines, memory and a curve: each brings its tables and columns.
const SPECIAL: &str = r#"{ "format": "fairlane/scenario@1",
    "cluster": { "cores_per_executor": 2, "memory_mb_per_executor": 100 },
    "users": [{ "name": "lq", "queue": { "kind": "latency", "demand_core_s": 2 } }, { "name": "tq" }],
    "jobs": [
        { "user": "tq", "arrival_s": 0, "deadline_s": 4, "curve": [[2, 2]],
          "stages": [{ "tasks_s": [2, 2, 2, 2], "memory_mb": 50 }] },
        { "user": "lq", "arrival_s": 1, "deadline_s": 3, "stages": [{ "tasks_s": [1, 1], "memory_mb": 20 }] } ] }"#;

/// Under FIFO tq's tasks end at 2, 2, 4 and 4 s, in time, and lq's at 5 s, a second too late. Under DRF lq's tasks
/// get one of the cores from 2 s on and end at 3 and 4 s, in time, and tq's last one ends at 6 s, too late. So each
/// meets 1 of 2 deadlines, and productive are 8 of 10 core-seconds or 2.
///
/// Under FIFO tq holds 8 of the 10 core-seconds until 5 s, and lq 2.
#[test]
fn deadlines_queues_memory_and_curves_have_columns_where_there_are_some() {
    let args = ["compare", "-", "--policies", "fifo,drf"];
    insta::assert_snapshot!(printed(&args, SPECIAL));
    let compared = json(&[&args[..], &["--format", "json"]].concat(), SPECIAL);
    let figures = |policy: usize| {
        ["deadlines_met", "satisfied_deadlines_ratio", "productive_time_ratio", "wasted_time_ratio"]
            .map(|key| compared["policies"][policy][key].as_f64().expect("a number"))
    };
    assert_eq!((figures(0), figures(1)), ([1.0, 0.5, 0.8, 0.2], [1.0, 0.5, 0.2, 0.8]));
    let fifo = &compared["policies"][0];
    assert_eq!(fifo["latency_queues_mean_response_s"], 4.0);
    assert_eq!(fifo["users"][1]["dominant_share"], 0.8);
    assert_eq!(fifo["memory_peak_ratio"], 1.0);
    // tq's 4 s are as alone, lq's 1 s become 4.
    assert_eq!(fifo["progress_rate"], (1.0 + 0.25) / 2.0);
    let csv = printed(&[&args[..], &["--format", "csv"]].concat(), SPECIAL);
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert!(lines.iter().all(|line| line.len() == lines[0].len()));
    let last: Vec<&str> = lines[0].iter().rev().take(5).rev().copied().collect();
    let names = [
        "throughput_queues_mean_response_s",
        "dominant_share[lq]",
        "dominant_share[tq]",
        "memory_mean_ratio",
        "memory_peak_ratio",
    ];
    assert_eq!(last, names);
    let plain = printed(&["compare", "-", "--format", "csv"], SMALL);
    assert!(!plain.contains("deadline") && !plain.contains("dominant") && !plain.contains("memory"));
}

#[test]
fn compare_prints_json() {
    insta::assert_snapshot!(printed(&["compare", "-", "--policies", "ujf", "--format", "json"], SMALL));
}

/// zoe's two jobs are one group, ben's job one of its own. On one core, FIFO ends the jobs after 2, 4 and 7 s; UJF
/// gives the core to zoe, to ben and to zoe.
const GROUPS: &str = r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 1, "cores_per_executor": 1 },
  "jobs": [ { "user": "zoe", "group": "report", "arrival_s": 0, "stages": [{ "tasks_s": [2] }] },
            { "user": "ben", "name": "lookup", "arrival_s": 1, "stages": [{ "tasks_s": [3] }] },
            { "user": "zoe", "group": "report", "arrival_s": 0, "stages": [{ "tasks_s": [2] }] } ] }"#;

#[test]
fn responses_can_be_counted_by_group() {
    let compared =
        json(&["compare", "-", "--policies", "fifo,ujf", "--by", "group", "--format", "json"], GROUPS);
    assert_eq!((&compared["jobs"], &compared["job_groups"]), (&3.into(), &2.into()));
    let [fifo, ujf] = &compared["policies"].as_array().expect("rows")[..] else { panic!("two rows") };
    // FIFO: zoe's group from 0 to 4 s, ben's job from 1 to 7 s.
    assert_eq!(fifo["mean_response_s"], 5.0);
    // UJF: ben's job from 1 to 5 s, zoe's group from 0 to 7 s.
    assert_eq!((&ujf["mean_response_s"], &ujf["mean_response_s_95_100"]), (&5.5.into(), &7.0.into()));
    // Against UJF zoe's group is 3 s of 7 s earlier under FIFO, ben's job 2 s of 4 s later.
    assert_eq!((&fifo["dvr"], &fifo["dsr"]), (&0.5.into(), &(3.0 / 7.0).into()));
    assert_eq!((&ujf["dvr"], &ujf["slacks"]), (&Value::Null, &Value::Null));
    let csv =
        printed(&["compare", "-", "--policies", "fifo,ujf", "--by", "group", "--format", "csv"], GROUPS);
    assert_eq!(
        csv.lines().nth(1).map(|line| line.contains(",5,6,4,,6,0.5,1,0.42857142857142855,1,7")),
        Some(true)
    );
    let table = printed(&["compare", "-", "--policies", "fifo,ujf", "--by", "group"], GROUPS);
    assert!(table.contains("3 jobs of 2 users in 2 job groups on 1 core"), "{table}");

    let groups = json(&["simulate", "-", "--policy", "fifo", "--by", "group", "--format", "json"], GROUPS);
    let [report, lookup] = &groups["job_groups"].as_array().expect("rows")[..] else { panic!("two rows") };
    assert_eq!((&report["name"], &report["jobs"]), (&"report".into(), &serde_json::json!([0, 2])));
    assert_eq!((&lookup["name"], &lookup["response_s"]), (&"lookup".into(), &6.0.into()));
    let table = printed(&["simulate", "-", "--policy", "fifo", "--by", "group"], GROUPS);
    assert!(table.contains("FIFO: 2 job groups; mean response 5.00 s"), "{table}");
    let refused = complaint(&["compare", "-", "--by", "group", "--metrics", "cores"], GROUPS);
    assert!(refused.contains("--metrics"), "{refused}");
}

#[test]
fn compare_prints_csv() {
    insta::assert_snapshot!(printed(&["compare", "-", "--policies", "ujf,uwfq-p", "--format", "csv"], SMALL));
}

#[test]
fn compare_prints_every_table_when_asked() {
    let args = ["compare", "-", "--policies", "fifo,ujf,uwfq,uwfq-p", "--metrics", "all"];
    insta::assert_snapshot!(printed(&args, DESIGNED));
}

#[test]
fn compare_prints_the_tables_asked_for() {
    let captions = |metrics: &str| {
        let table = printed(&["compare", "-", "--metrics", metrics], DESIGNED);
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() <= 120), "{table}");
        // A table's heading is above its rule.
        let rules = lines.iter().enumerate().filter(|(_, line)| line.starts_with('─'));
        rules
            .map(|(place, _)| lines[place - 1].split_whitespace().nth(1).unwrap_or("").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(captions("response"), ["mean"]);
    assert_eq!(captions("fairness"), ["DVR", "DVR"]);
    assert_eq!(captions("cores,groups"), ["0-80", "utilization"]);
    assert_eq!(captions("users"), ["ana"]);
    assert_eq!(captions("waiting"), ["all", "waited", "waited", "waited", "waited"]);
    let all = ["mean", "0-80", "DVR", "DVR", "ana", "utilization", "all"];
    assert_eq!(captions("all"), [&all[..], &["waited"; 4]].concat());
    assert!(
        complaint(&["compare", "-", "--metrics", "beauty"], DESIGNED).contains("possible values: response")
    );
}

/// Under FIFO ana's seven tasks of 1 s hold both cores until 3 s and one until 4 s, when ben's has waited since 1 s.
#[test]
fn who_waited_for_whom() {
    let args = ["compare", "-", "--policies", "fifo,ujf", "--metrics", "waiting", "--format", "json"];
    let output = json(&args, DESIGNED);
    let longest = |value: &Value| (value["longest_from_s"].as_f64(), value["longest_to_s"].as_f64());
    let fifo = &output["waiting"][0];
    let ben = &fifo["users"][0];
    assert_eq!((&fifo["policy"], &ben["user"], &ben["core_s"]), (&"fifo".into(), &"ben".into(), &2.0.into()));
    assert_eq!((ben["waited_for"][0]["user"].as_str(), longest(ben)), (Some("ana"), (Some(1.0), Some(3.0))));
    // Whoever does not ask gets none.
    assert_eq!(json(&["compare", "-", "--format", "json"], DESIGNED)["waiting"], Value::Null);
}

/// Each name of the heading has its field, and the fields are JSON's figures.
#[test]
fn csv_and_json_say_the_same() {
    let policies = ["compare", "-", "--policies", "cfq,uwfq-p", "--format"];
    let csv = printed(&[&policies[..], &["csv"]].concat(), DESIGNED);
    let output = json(&[&policies[..], &["json"]].concat(), DESIGNED);
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let heading = lines.next().expect("a heading");
    for (row, line) in lines.enumerate() {
        assert_eq!(line.len(), heading.len());
        let field = |name: &str| {
            let place = heading.iter().position(|other| *other == name);
            line[place.unwrap_or_else(|| panic!("no column {name}"))].parse::<f64>().ok()
        };
        let figures = &output["policies"][row];
        for (name, pointer) in [
            ("ujf_dvr", "/against_ujf/dvr"),
            ("ujf_slacks", "/against_ujf/slacks"),
            ("fluid_dsr", "/against_fluid/dsr"),
            ("fluid_violations", "/against_fluid/violations"),
            ("furthest_behind_s", "/furthest_behind_s"),
            ("inversion_s", "/inversion_s"),
            ("utilization", "/utilization"),
            ("group_0_80_mean_slowdown", "/groups/0/mean_slowdown"),
            ("group_80_95_mean_response_s", "/groups/1/mean_response_s"),
            ("group_95_100_fluid_slacks", "/groups/2/against_fluid/slacks"),
            ("mean_response_s[ben]", "/users/1/mean_response_s"),
            ("jobs[ana]", "/users/0/jobs"),
            ("ujf_dvr[ana]", "/users/0/against_ujf/dvr"),
            ("r_ujf[ben]", "/users/1/r_ujf"),
            ("r_fluid[idle]", "/users/2/r_fluid"),
        ] {
            let expected = figures.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"));
            assert_eq!(field(name), expected.as_f64(), "{name} of row {row}");
        }
    }
}

#[test]
fn compare_runs_the_usual_policies_or_those_the_catalog_suggests() {
    let policies = |args: &[&str]| {
        let lines = printed(args, SMALL);
        lines.lines().skip(1).map(|line| line.split(',').next().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(policies(&["compare", "-", "--format", "csv"]), ["fair", "ujf", "cfq", "uwfq"]);
    assert_eq!(policies(&["compare", "catalog:skew", "--format", "csv"]), ["uwfq", "uwfq-p"]);
    // Each once, in the order of mention.
    assert_eq!(
        policies(&["compare", "-", "--policies", "cfq, fifo,cfq", "--format", "csv"]),
        ["cfq", "fifo"]
    );
}

#[test]
fn compare_shows_the_eight_users_with_the_most_jobs() {
    let job = |user: u32| format!(r#"{{"user":"u{user}","arrival_s":0,"stages":[{{"work_s":1}}]}}"#);
    // Users 0 to 9; user 3 and user 5 submit one job, the others two.
    let jobs: Vec<String> = (0..10).chain((0..10).filter(|user| ![3, 5].contains(user))).map(job).collect();
    let scenario = format!(r#"{{"format":"fairlane/scenario@1","jobs":[{}]}}"#, jobs.join(","));
    let table = printed(&["compare", "-", "--policies", "fair,uwfq"], &scenario);
    let heading = table.lines().next().expect("a heading");
    let users: Vec<&str> = heading.split_whitespace().filter(|word| word.starts_with('u')).collect();
    assert_eq!(users, ["u0", "u1", "u2", "u4", "u6", "u7", "u8", "u9"]);
    assert!(table.contains("--format csv has all 10"), "{table}");
    let csv = printed(&["compare", "-", "--policies", "fair", "--format", "csv"], &scenario);
    let heading = csv.lines().next().expect("a heading");
    assert!(heading.contains(",mean_response_s[u8],mean_response_s[u9],"), "{csv}");
    assert!(heading.ends_with(",r_fluid[u8],r_fluid[u9]"), "{csv}");
}

#[test]
fn compare_counts_the_catalog_as_the_paper_does() {
    let output = json(&["compare", "catalog:paper-scenario-1", "--format", "json"], "");
    assert_eq!(output["jobs"], 184);
    // In alphabetical order, because a `Value` keeps no other.
    let expected = [
        "against_fluid",
        "against_ujf",
        "furthest_behind_job",
        "furthest_behind_s",
        "groups",
        "inversion_s",
        "jain_slowdown",
        "makespan_s",
        "mean_response_s",
        "mean_slowdown",
        "policy",
        "straggler_idle_core_s",
        "trace_hash",
        "users",
        "utilization",
        "uwfq_allowance_s",
        "worst_10_percent_response_s",
        "worst_10_percent_slowdown",
    ];
    assert_eq!(keys(&output["policies"][3]), expected);
    let mean = output["policies"][3]["mean_response_s"].as_f64().expect("a number");
    assert!((mean / 29.44 - 1.0).abs() < 0.12, "{mean}");
}

#[test]
fn another_advisory_task_runtime_cuts_otherwise() {
    let tasks = |atr: &str| {
        let (folder, scenario) = folder_with("small.json", SMALL);
        let trace = folder.path().join("trace.json");
        let path = trace.to_str().expect("text");
        printed(&["simulate", &scenario, "--policy", "fifo-p", "--atr", atr, "--trace", path], "");
        let trace: Value =
            serde_json::from_str(&fs::read_to_string(trace).expect("the trace")).expect("JSON");
        trace["tasks"].as_array().expect("a list").len()
    };
    // Stages of 4, 0.0005, 3 and 0 core-seconds, at least 4, 1, 2 and 1 tasks.
    assert_eq!(tasks("1"), 4 + 1 + 3 + 1);
    assert_eq!(tasks("0.25"), 16 + 1 + 12 + 1);
}

#[test]
fn catalog_lists_every_entry() {
    let list = printed(&["catalog"], "");
    for entry in fairlane::catalog::ENTRIES {
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

/// A reader who has seen enough, such as `head`, hears no complaint.
#[test]
fn a_closed_pipe_is_quiet() {
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
        assert_eq!(child.status.code(), Some(0), "{args:?}");
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
        .args(["--exact", "panics_when_asked_to", "--nocapture"])
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

#[test]
fn names_cannot_disturb_the_terminal() {
    let text = SMALL.replace("report", "\\u001b[2J\\nrep\\u202eort").replace("\"ana\"", "\"a\\tna\"");
    for args in [&["simulate", "-", "--policy", "uwfq"][..], &["compare", "-"]] {
        let table = printed(args, &text);
        assert!(table.chars().all(|c| c == '\n' || !c.is_control()), "{table}");
        assert!(!table.contains('\u{202e}'), "{table}");
    }
}
