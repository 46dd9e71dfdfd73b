//! `fairlane compare`: its tables and formats.

use std::fs;

use crate::command::*;
use serde_json::Value;

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

/// One core each on two executors. Ana's second task waits for executor 0 for 2 s, then goes to executor 1, which is lost
/// at 3 s with 1 s of it; it returns and follows the first. Ben's job is cancelled before it has begun.
const ATTEMPTS: &str = r#"{ "format": "fairlane/scenario@1",
    "cluster": { "executors": 2, "cores_per_executor": 1, "locality_wait_s": 2,
        "losses": [{ "at_s": 3, "executor": 1 }] },
    "jobs": [
        { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [4, 4], "prefers": [[0]] }] },
        { "user": "ben", "arrival_s": 2.5, "cancel_s": 0.25, "stages": [{ "tasks_s": [1, 1] }] } ] }"#;

#[test]
fn attempts_and_what_they_waste_have_columns_where_there_are_some() {
    let args = ["compare", "-", "--policies", "fifo,ujf"];
    let table = printed(&args, ATTEMPTS);
    let heading = table.lines().find(|line| line.contains("policy")).expect("a heading");
    for title in ["attempts", "wasted core-s", "held back core-s", "cancelled"] {
        assert!(heading.contains(title), "{title}: {table}");
    }
    let compared = json(&[&args[..], &["--format", "json"]].concat(), ATTEMPTS);
    let fifo = &compared["policies"][0];
    let figures =
        ["attempts", "wasted_core_s", "held_back_core_s", "cancelled"].map(|key| fifo[key].as_f64());
    assert_eq!(figures, [3.0, 1.0, 2.0, 1.0].map(Some));
    let csv = printed(&[&args[..], &["--format", "csv"]].concat(), ATTEMPTS);
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let last = |line: usize| lines[line][lines[line].len() - 4..].join(",");
    assert_eq!(last(0), "cancelled,attempts,wasted_core_s,held_back_core_s");
    assert_eq!(last(1), "1,3,1,2");
    for format in ["table", "json", "csv"] {
        let plain = printed(&["compare", "-", "--format", format], SMALL);
        assert!(
            !plain.contains("attempts") && !plain.contains("wasted") && !plain.contains("cancelled"),
            "{plain}"
        );
    }
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
        "p50_response_s",
        "p95_response_s",
        "p99_response_s",
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
