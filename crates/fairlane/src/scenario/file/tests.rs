//! Files that are read, and what is said of those that cannot be.

use super::*;
use crate::scenario::{PerformanceCurve, Queue, QueueKind};
use crate::units::{SlotTime, Span, Time, Weight};

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
    assert_eq!(scenario.cluster().cores(), 4);
    assert_eq!(scenario.jobs()[0].stages[0].partitions, 4);
    assert_eq!(scenario.jobs()[0].estimate, SlotTime(2_000_000));
    assert_eq!(scenario.users()[0].weight, Weight::ONE);
    assert_eq!(scenario.parameters(), &PolicyParameters::default());
}

#[test]
fn what_is_written_reads_back_the_same() {
    let text = with_stage(
        r#"{"tasks_s":[0.1,0.2000004],"parents":[1]},{"work_s":0.3,"profile":[1,0,2.5],"parents":[],"estimate_s":7,"splittable":false,"partitions":2}"#,
    );
    let scenario = Scenario::from_json(&text).expect("a good file");
    assert_eq!(Scenario::from_json(&scenario.to_json()), Ok(scenario));
}

/// A file that gives everything.
const FULL: &str = r#"{"format":"fairlane/scenario@1",
  "cluster":{"cores_per_executor":2,"core_move_s":2.5,"memory_mb_per_executor":4096},
  "policies":{"uwfq":{"grace_s":0.25,"late_stage":"top"}},
  "users":[{"name":"ana","queue":{"kind":"latency","joins_s":1.5,"period_s":2,"within_s":0.4,"demand_core_s":1,"demand_mb_s":512.5,"warp_s":0.1}},
           {"name":"ben","queue":{"kind":"throughput"}}],
  "jobs":[
    {"user":"ana","group":"nightly","arrival_s":0,"warm_factor":1.5,"deadline_s":7.25,"ernest":[0.5,0.25,2,1],
     "stages":[{"work_s":1,"first_wave":1.3,"inflation":[[1,1],[4,1.5]],"memory_mb":4096}]},
    {"user":"ben","arrival_s":1,"curve":[[1,0.5],[2,0.75]],"stages":[{"tasks_s":[1]}]}]}"#;

#[test]
fn a_file_without_groups_does_not_mention_them() {
    let text =
        r#"{"format":"fairlane/scenario@1","jobs":[{"user":"a","arrival_s":0,"stages":[{"work_s":1}]}]}"#;
    let scenario = Scenario::from_json(text).expect("a good file");
    assert!(!scenario.to_json().contains("group") && !scenario.to_compact_json().contains("group"));
}

#[test]
fn a_full_file_is_read_and_written_back() {
    let scenario = Scenario::from_json(FULL).expect("a good file");
    assert_eq!(scenario.cluster().core_move, Span(2_500_000));
    assert_eq!(scenario.cluster().memory_per_executor, Some(4096));
    assert_eq!(scenario.parameters().get("uwfq", "late_stage"), Some(&"top".into()));
    let queue = Queue {
        kind: QueueKind::Latency,
        joins: Time(1_500_000),
        period: Span(2_000_000),
        within: Span(400_000),
        demand: SlotTime(1_000_000),
        memory_demand: 512_500_000,
        warp: Span(100_000),
    };
    assert_eq!(scenario.users()[0].queue, Some(queue));
    assert_eq!(scenario.users()[1].queue, Some(Queue::default()));
    let [first, second] = scenario.jobs() else { panic!("two jobs") };
    assert_eq!((first.group.as_str(), second.group.as_str()), ("nightly", ""));
    assert_eq!((first.warm_factor, first.deadline), (1.5, Some(Span(7_250_000))));
    assert_eq!(first.curve, Some(PerformanceCurve::Ernest([0.5, 0.25, 2.0, 1.0])));
    assert_eq!(second.curve, Some(PerformanceCurve::Points(vec![(1, 0.5), (2, 0.75)])));
    let stage = &first.stages[0];
    assert_eq!((stage.first_wave, stage.memory), (1.3, 4096));
    assert_eq!([1, 2, 4, 9].map(|n| stage.inflation_at(n)), [1.0, 1.0 + 0.5 / 3.0, 1.5, 1.5]);
    let text = scenario.to_json();
    let again = Scenario::from_json(&text).expect("what is written is sound");
    assert_eq!((&again, again.to_json()), (&scenario, text));
}

#[test]
fn what_a_full_file_gives_is_kept_by_other_scenarios_made_from_it() {
    use crate::ids::JobId;
    use crate::scenario::edit::{Edit, ObjectPath};
    let full = Scenario::from_json(FULL).expect("a good file");
    let alone = full.alone(JobId(0));
    assert_eq!((alone.cluster(), alone.parameters()), (full.cluster(), full.parameters()));
    assert_eq!(alone.users(), &full.users()[..1]);
    assert_eq!(alone.jobs(), &full.jobs()[..1]);
    let edited =
        full.edited(&Edit::set(ObjectPath::Scenario, "name", "other")).expect("a good name").scenario;
    let back = edited.to_builder().name("").build().expect("a good scenario");
    assert_eq!(back, full);
    assert_eq!(full.with(&Edit::Load(1.0)), Ok(full.clone()));
}

/// The text of a file whose cluster and policies are given.
fn with_parameters(cluster: &str, policies: &str) -> String {
    format!(
        r#"{{"format":"{FORMAT}","cluster":{{{cluster}}},"policies":{policies},"jobs":[{{"user":"ana","arrival_s":0,"stages":[{{"work_s":1}}]}}]}}"#
    )
}

#[test]
fn parameters_are_read_from_their_former_place_and_written_to_the_new_one() {
    let former = with_parameters(r#""uwfq_grace_s":3,"uwfq_late_stage":"top""#, "{}");
    let scenario = Scenario::from_json(&former).expect("a good file");
    let now = with_parameters("", r#"{"uwfq":{"grace_s":3.0,"late_stage":"top"}}"#);
    assert_eq!(Scenario::from_json(&now).as_ref(), Ok(&scenario));
    let written: serde_json::Value = serde_json::from_str(&scenario.to_json()).expect("JSON");
    assert_eq!(written["policies"]["uwfq"]["grace_s"], 3.0);
    assert_eq!(written["cluster"].get("uwfq_grace_s"), None);
    // What is given as its default, or as null, is not given.
    let usual = with_parameters(r#""uwfq_grace_s":2,"uwfq_late_stage":"grace""#, "{}");
    let none = with_parameters("", "{}");
    assert_eq!(Scenario::from_json(&usual), Scenario::from_json(&none));
    let both = with_parameters(r#""uwfq_grace_s":2,"uwfq_late_stage":"grace""#, r#"{"uwfq":{"grace_s":3}}"#);
    let both = Scenario::from_json(&both).expect("the default means nothing");
    assert_eq!(both.parameters().get("uwfq", "grace_s"), Some(&3.into()));
    let null = with_parameters(r#""uwfq_grace_s":3"#, r#"{"uwfq":{"grace_s":null}}"#);
    let null = Scenario::from_json(&null).expect("null is absent");
    assert_eq!(null.parameters().get("uwfq", "grace_s"), Some(&3.0.into()));
    let absent = with_parameters("", r#"{"uwfq":null}"#);
    assert_eq!(Scenario::from_json(&absent), Scenario::from_json(&none));
    assert_eq!(
        null.parameters()
            .with("uwfq", "grace_s", serde_json::Value::Null)
            .expect("a default")
            .get("uwfq", "grace_s"),
        None
    );
}

#[test]
fn faults_of_allocations_name_the_place_and_the_remedy() {
    let with_job = |fields: &str| {
        format!(
            r#"{{"format":"{FORMAT}","jobs":[{{"user":"a","arrival_s":0,{fields},"stages":[{{"work_s":1}}]}}]}}"#
        )
    };
    let with_queue = |fields: &str| {
        format!(
            r#"{{"format":"{FORMAT}","users":[{{"name":"a","queue":{{{fields}}}}}],"jobs":[{{"user":"a","arrival_s":0,"stages":[{{"work_s":1}}]}}]}}"#
        )
    };
    let with_memory = |executor: &str, stage: &str| {
        format!(
            r#"{{"format":"{FORMAT}","cluster":{{"executors":2,"memory_mb_per_executor":{executor}}},"jobs":[{{"user":"a","arrival_s":0,"stages":[{{"work_s":1,"memory_mb":{stage}}}]}}]}}"#
        )
    };
    let faults = [
        with_job(r#""warm_factor":0.5"#),
        with_job(r#""warm_factor":null"#),
        with_job(r#""deadline_s":-1"#),
        with_job(r#""deadline_s":9007199254.8"#),
        with_job(r#""ernest":[1,2,3]"#),
        with_job(r#""ernest":[1,0,0,-1]"#),
        with_job(r#""curve":[]"#),
        with_job(r#""curve":[[0,1]]"#),
        with_job(r#""curve":[[2,1],[2,1]]"#),
        with_job(r#""curve":[[1,1],[2.5,1]]"#),
        with_job(r#""curve":[[1,1,1]]"#),
        with_job(r#""curve":[[1,1],[3,-1]]"#),
        with_job(r#""ernest":[1,0,0,0],"curve":[[1,1]]"#),
        with_stage(r#"{"work_s":1,"first_wave":0}"#),
        with_stage(r#"{"work_s":1,"inflation":[[1,0]]}"#),
        with_stage(r#"{"work_s":1,"inflation":[[3,1],[1,1]]}"#),
        with_stage(r#"{"work_s":1,"inflation":[[0,1]]}"#),
        with_stage(r#"{"work_s":1,"inflation":{"1":1}}"#),
        with_stage(r#"{"work_s":1e9,"splittable":false,"first_wave":3,"inflation":[[1,1],[9,4]]}"#),
        with_stage(r#"{"work_s":1,"memory_mb":-1}"#),
        with_stage(r#"{"work_s":1,"memory_mb":9007199254740993}"#),
        with_memory("0", "0"),
        with_memory("1024", "1025"),
        with_memory("9007199254740992", "1"),
        with_parameters(r#""core_move_s":9007199254"#, "{}"),
        with_queue(r#""period_s":1"#),
        with_queue(r#""kind":"batch""#),
        with_queue(r#""kind":"latency","period_s":0.0000001"#),
        with_queue(r#""kind":"latency","within_s":0"#),
        with_queue(r#""kind":"latency","period_s":2,"within_s":3"#),
        with_queue(r#""kind":"latency","demand_core_s":-1"#),
        with_queue(r#""kind":"latency","joins_s":null"#),
        with_parameters("", "[]"),
        with_parameters("", r#"{"uwfq":1}"#),
        with_parameters("", r#"{"uwfq":{},"uwfq":{}}"#),
        with_parameters("", r#"{"uwfq":{"grace_s":1,"grace_s":1}}"#),
        with_parameters("", r#"{"uwfq":{"grace_s":-1}}"#),
        with_parameters("", r#"{"uwfq":{"late_stage":"later"}}"#),
        with_parameters(r#""uwfq_grace_s":-1"#, "{}"),
        with_parameters(r#""uwfq_grace_s":null"#, "{}"),
        with_parameters(r#""uwfq_late_stage":"later""#, "{}"),
        with_parameters(r#""uwfq_grace_s":3"#, r#"{"uwfq":{"grace_s":2}}"#),
        with_parameters(r#""uwfq_late_stage":"top""#, r#"{"uwfq":{"late_stage":"grace"}}"#),
    ];
    let errors: Vec<String> = faults.iter().map(|text| error_of(text)).collect();
    insta::assert_snapshot!(errors.join("\n"));
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
    let errors: Vec<String> = faults.iter().map(|text| error_of(text)).collect();
    insta::assert_snapshot!(errors.join("\n"));
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
