//! The properties of policies as people and scripts meet them.

use crate::command;
use serde_json::Value;

/// Two cores, which tq holds until 4 s. lq's burst, due at 5 s, gets two core-seconds of the four that it demands by
/// then and ends at 6 s under strict priority; under FIFO it ends at 10 s.
const SMALL: &str = r#"{ "format": "fairlane/scenario@1", "name": "Small", "cluster": { "cores_per_executor": 2 }, "users": [
    { "name": "tq" },
    { "name": "lq", "queue": { "kind": "latency", "joins_s": 1, "period_s": 10, "within_s": 4, "demand_core_s": 4 } } ], "jobs": [
    { "user": "tq", "arrival_s": 0, "stages": [{ "tasks_s": [4, 4, 4, 4] }] },
    { "user": "lq", "arrival_s": 1, "stages": [{ "tasks_s": [2, 2] }] } ] }"#;

#[track_caller]
fn printed(format: &str) -> String {
    let args = ["properties", "-", "--policies", "sp,fifo,sp", "--format", format];
    command::printed(&args, SMALL)
}

#[test]
fn the_table_says_yes_or_no_with_the_figures() {
    let table = printed("table");
    let rows: Vec<&str> = table.lines().skip(2).take(2).map(str::trim_start).collect();
    assert!(rows[0].starts_with("Strict priority") && rows[0].contains("no: 0 of 1, 1.00 s late"), "{table}");
    assert!(rows[1].starts_with("FIFO") && rows[1].contains("no: 0 of 1, 5.00 s late"), "{table}");
    let fifo: Vec<&str> = rows[1].split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(fifo[2..], ["–: nobody waits for long", "yes: reads no claims", "yes: never idle"]);
    assert!(table.contains("work-conserving: Does no core idle"), "{table}");
}

#[test]
fn json_and_csv_have_the_same_figures() {
    let json: Value = serde_json::from_str(&printed("json")).expect("JSON");
    assert_eq!(json["format"], "fairlane/properties@1");
    let [sp, fifo] = [0, 1].map(|row| &json["policies"][row]);
    assert_eq!(json["policies"].as_array().map(Vec::len), Some(2), "each policy once");
    assert_eq!(sp["policy"], "sp");
    let guarantee = &fifo["burst_guarantee"];
    assert_eq!(guarantee["kept"], false);
    assert_eq!(guarantee["bursts"], 1);
    assert_eq!(guarantee["latest_queue"], "lq");
    assert_eq!(guarantee["latest_by_s"], 5.0);
    assert_eq!(sp["lies"].as_array().map(Vec::len), Some(8), "two users by four factors");
    assert_eq!(fifo["lies"].as_array().map(Vec::len), Some(0));
    assert!(fifo["long_term_fairness"].is_null());
    let csv = printed("csv");
    let expected =
        "sp,false,1,0,,,lq,1,,,,,,,,true,,,,,true,0\nfifo,false,1,0,,,lq,5,,,,,,,,true,,,,,true,0\n";
    assert_eq!(csv.split_once('\n').map(|(_, rows)| rows), Some(expected));
}

#[test]
fn a_policy_that_does_not_exist_is_named() {
    let args = ["properties", "catalog:two-users", "--policies", "nobody"];
    let assert = command::fairlane(&args).assert();
    let error = assert.code(2).stdout("").get_output().stderr.clone();
    assert!(String::from_utf8(error).expect("text").contains("nobody"));
}
