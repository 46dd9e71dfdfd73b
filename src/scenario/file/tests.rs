//! Files that are read, and what is said of those that cannot be.

use super::*;
use crate::units::{SlotTime, Span, Weight};

fn error_of(text: &str) -> String {
    Scenario::from_json(text).expect_err("the text is faulty").to_string()
}

/// A scenario of one job whose only stage is given.
fn with_stage(stage: &str) -> String {
    format!(r#"{{"format":"{FORMAT}","jobs":[{{"user":"ana","arrival_s":0,"stages":[{stage}]}}]}}"#)
}

#[test]
fn a_minimal_file_gets_the_defaults() {
    let scenario = Scenario::from_json(&with_stage(r#"{"work_s":2}"#)).expect("a minimal file");
    assert_eq!(scenario.cluster.cores(), 4);
    assert_eq!(scenario.jobs[0].stages[0].partitions, 4);
    assert_eq!(scenario.jobs[0].estimate, SlotTime(2_000_000));
    assert_eq!(scenario.users[0].weight, Weight::ONE);
    assert_eq!(scenario.cluster.uwfq_grace, Span(2_000_000));
}

#[test]
fn what_is_written_reads_back_the_same() {
    let text = with_stage(
        r#"{"tasks_s":[0.1,0.2000004],"parents":[1]},{"work_s":0.3,"profile":[1,0,2.5],"parents":[],"estimate_s":7,"splittable":false,"partitions":2}"#,
    );
    let scenario = Scenario::from_json(&text).expect("a good file");
    assert_eq!(Scenario::from_json(&scenario.to_json()), Ok(scenario));
}

#[test]
fn faults_name_the_place_and_the_remedy() {
    let faults = [
        "",
        "[1, 2",
        "[1, 2]",
        "{\"format\": \"fairlane/trace@1\"}",
        "{}",
        &format!(r#"{{"format":"{FORMAT}"}}"#),
        &format!(r#"{{"format":"{FORMAT}","jobs":[]}}"#),
        &format!(r#"{{"format":"{FORMAT}","jobs":[],"job":1}}"#),
        &format!(r#"{{"format":"{FORMAT}","jobs":[{{"user":"","arrival_s":0,"stages":[{{"work_s":1}}]}}]}}"#),
        &format!(r#"{{"format":"{FORMAT}","jobs":[{{"user":"a","arrival_s":0,"stages":[]}}]}}"#),
        &format!(
            r#"{{"format":"{FORMAT}","jobs":[{{"user":"a","arrival_s":-1,"stages":[{{"work_s":1}}]}}]}}"#
        ),
        &format!(
            r#"{{"format":"{FORMAT}","jobs":[{{"user":"a","arrival_s":1e999,"stages":[{{"work_s":1}}]}}]}}"#
        ),
        &format!(r#"{{"format":"{FORMAT}","users":[{{"weight":1}}],"jobs":[]}}"#),
        &format!(
            r#"{{"format":"{FORMAT}","users":[{{"name":"a"}},{{"name":"a"}}],"jobs":[{{"user":"a","arrival_s":0,"stages":[{{"work_s":1}}]}}]}}"#
        ),
        &format!(
            r#"{{"format":"{FORMAT}","users":[{{"name":"a","weight":0}}],"jobs":[{{"user":"a","arrival_s":0,"stages":[{{"work_s":1}}]}}]}}"#
        ),
        &format!(
            r#"{{"format":"{FORMAT}","cluster":{{"executors":0}},"jobs":[{{"user":"a","arrival_s":0,"stages":[{{"work_s":1}}]}}]}}"#
        ),
        &format!(r#"{{"format":"{FORMAT}","cluster":{{"fair_tie_break":"name"}},"jobs":[]}}"#),
        &format!(
            r#"{{"format":"{FORMAT}","partitioning":{{"advisory_task_runtime_s":0.0000001}},"jobs":[{{"user":"a","arrival_s":0,"stages":[{{"work_s":1}}]}}]}}"#
        ),
        &format!(
            r#"{{"format":"{FORMAT}","partitioning":{{"advisory_task_runtime_s":0.000001}},"jobs":[{{"user":"a","arrival_s":0,"stages":[{{"work_s":100}}]}}]}}"#
        ),
        &with_stage("{}"),
        &with_stage(r#"{"work_s":null}"#),
        &with_stage(r#"{"work_s":"1"}"#),
        &with_stage(r#"{"work_s":1,"work_s":2}"#),
        &with_stage(r#"{"work_s":1,"tasks_s":[1]}"#),
        &with_stage(r#"{"tasks_s":[1],"profile":[1]}"#),
        &with_stage(r#"{"tasks_s":[]}"#),
        &with_stage(r#"{"tasks_s":[1,-2]}"#),
        &with_stage(r#"{"work_s":1,"profile":[]}"#),
        &with_stage(r#"{"work_s":1,"profile":[0,0]}"#),
        &with_stage(r#"{"work_s":1,"profile":[1,-1]}"#),
        &with_stage(r#"{"work_s":1,"profile":[1e308,1e308]}"#),
        &with_stage(r#"{"work_s":1,"partitions":0}"#),
        &with_stage(r#"{"work_s":1,"partitions":2.5}"#),
        &with_stage(r#"{"work_s":1,"partitions":4294967295}"#),
        &with_stage(r#"{"work_s":1e10}"#),
        &with_stage(r#"{"work_s":9e9,"splittable":false},{"work_s":9e9,"splittable":false}"#),
        &with_stage(r#"{"work_s":1,"parents":[3]}"#),
        &with_stage(r#"{"work_s":1,"parents":[0]}"#),
        &with_stage(r#"{"work_s":1},{"work_s":1,"parents":[0,0]}"#),
        &with_stage(r#"{"work_s":1,"parents":[]},{"work_s":1,"parents":[2]},{"work_s":1,"parents":[1]}"#),
        &with_stage(r#"{"work_s":1,"colour":"red"}"#),
    ];
    let told: Vec<String> = faults.iter().map(|text| error_of(text)).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn deep_nesting_is_refused_quickly() {
    let message = error_of(&"[".repeat(10 << 20));
    assert!(message.contains("one JSON object"), "{message}");
}

#[test]
fn too_many_jobs_are_refused_without_reading_them_all() {
    let job = r#"{"user":"a","arrival_s":0,"stages":[{"work_s":1}]}"#;
    let text = format!(r#"{{"format":"{FORMAT}","jobs":[{}]}}"#, vec![job; 1_000_000].join(","));
    let message = error_of(&text);
    assert!(message.starts_with("jobs"), "{message}");
    assert!(message.contains("more than 200000 jobs"), "{message}");
}
