//! Events as files hold them: other versions of Spark, faults, and what is left out.

use fairlane_import::spark::ImportOptions;
use serde_json::{Value, json};

use super::{Written, default, log, read, users};

#[test]
fn what_is_left_out_is_counted_by_reason() {
    let started = json!({ "Stage ID": 0, "Task Info": { "Task ID": 9, "Launch Time": 1_000 } });
    let import = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], json!({}))
        .task(0, 0, 1_000, 1_100)
        .task(0, 0, 1_000, 1_100)
        .task(1, 77, 1_000, 1_100)
        .task(2, 0, 1_000, 900)
        .task(3, 0, 1_000, 0)
        .event("SparkListenerTaskStart", started)
        .completed(0, 0, None)
        .event("SparkListenerNovelty", json!({ "anything": [1] }))
        .import();
    let tasks = &import.report.tasks;
    assert_eq!((tasks.in_log, tasks.imported, tasks.repeated), (5, 1, 1));
    assert!(tasks.left_out.values().all(|&count| count == 1), "{:?}", tasks.left_out);
    assert_eq!(import.report.events.not_needed["SparkListenerNovelty"], 1);
}

#[test]
fn errors_name_file_and_line() {
    let message = |text: &str| read(text.as_bytes()).err().map(|error| error.to_string()).unwrap_or_default();
    let good = Written::new().text();
    assert!(
        message(&format!("{good}{{broken\n{good}")).starts_with("log, line 2: is not an event"),
        "in the middle"
    );
    assert_eq!(message(&format!("{good}{{\"Event\":\"SparkListenerTaskEn")), "", "at the end");
    assert!(
        message("{\"Event\":\"SparkListenerJobStart\"}\n").starts_with("log, line 1: is not an event of")
    );
    assert!(message("no log").starts_with("log, line 1:"));
    let list = "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":0,\"Task Info\":[441,82]}\n";
    assert!(message(&format!("{good}{list}")).contains("invalid type: sequence, expected an object"));
    let long = format!("{{\"Event\":\"SparkListenerJobEnd\",\"Job ID\":\"{}\"}}\n", "x".repeat(10_000));
    assert!(message(&format!("{good}{long}")).len() < 500);
    let other = |id: &str| {
        format!("{{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"a\",\"App ID\":\"{id}\"}}\n")
    };
    assert!(message(&(other("a") + &other("b"))).starts_with("log, line 2: begins the application b"));
    assert!(
        message("PK\u{3}\u{4}zip").starts_with("log: is a zip archive in another file; decompress it first")
    );
    let empty = log(b"").import(&ImportOptions::default()).expect_err("nothing in it");
    assert_eq!(empty.to_string(), "log: is empty; give a Spark event log");
}

/// Spark 2.4 has no resource profiles, barriers and root executions in its events.

#[test]
fn events_of_spark_2_4_are_read() {
    let query = json!({ "executionId": 0, "description": "query", "sparkPlanInfo": {}, "time": 1_000 });
    let info = json!({ "Stage ID": 0, "Stage Attempt ID": 0, "Stage Name": "count", "Number of Tasks": 1,
        "RDD Info": [], "Parent IDs": [], "Submission Time": 1_010, "Accumulables": [] });
    let import = Written::default()
        .event("SparkListenerLogStart", json!({ "Spark Version": "2.4.8" }))
        .event(
            "SparkListenerEnvironmentUpdate",
            json!({ "Spark Properties": { "spark.scheduler.mode": "FAIR" } }),
        )
        .executor("1", 2, 950)
        .event("org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart", query)
        .job(
            0,
            1_005,
            &[(0, &[], 4)],
            json!({ "spark.sql.execution.id": "0", "spark.scheduler.pool": "etl" }),
        )
        .event("SparkListenerStageSubmitted", json!({ "Stage Info": info, "Properties": {} }))
        .result(0, 0, 1_020, 1_120)
        .event("SparkListenerStageCompleted", json!({ "Stage Info": info }))
        .import();
    let job = &import.scenario.jobs()[0];
    assert_eq!((job.name.as_str(), job.pool.as_str(), users(&import)), ("query", "etl", vec!["etl"]));
    assert_eq!((import.report.jobs.sql, import.scenario.cluster().cores()), (1, 2));
    assert_eq!(import.observed.jobs[0].response().map(|span| span.0), Some(120_000));
    assert_eq!(import.report.application.spark, "2.4.8");
}

#[test]
fn the_order_of_keys_and_spaces_do_not_matter() {
    let text = Written::new().job(0, 1_000, &[(0, &[], 1)], json!({})).task(0, 0, 1_000, 1_100).text();
    let spaced = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let spaced: String = spaced.map(|value| value.to_string().replace(':', " : ") + " \r\n\n").collect();
    assert_eq!(default(spaced.as_bytes()).observed, default(text.as_bytes()).observed);
}
