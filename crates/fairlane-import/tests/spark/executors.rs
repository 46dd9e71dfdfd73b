//! Executors, their cores and memory, and what the driver costs.

use fairlane::policy::spark::PoolMode;
use fairlane::units::Time;
use fairlane_import::spark::ImportOptions;
use serde_json::json;

use super::{Written, log, runs};

#[test]
fn executors_that_come_and_go_share_places() {
    let removed = json!({ "Timestamp": 1_500, "Executor ID": "1", "Removed Reason": "idle" });
    let import = Written::new()
        .executor("2", 2, 1_000)
        .job(0, 1_000, &[(0, &[], 1)], json!({}))
        .task(0, 0, 1_000, 1_400)
        .event("SparkListenerExecutorRemoved", removed)
        .executor("3", 2, 1_600)
        .any_task(1, 0, 1_700, 1_800, json!({ "info": { "Executor ID": "3" } }))
        .any_task(2, 0, 1_700, 1_900, json!({ "info": { "Executor ID": "2" } }))
        .import();
    let cluster = import.scenario.cluster();
    assert_eq!((cluster.executors, cluster.cores_per_executor), (2, 2));
    assert_eq!(import.report.cluster.executors_in_log, 3);
    assert_eq!(cluster.executors_at, [(Time(500_000), 1), (Time(600_000), 2)]);
    let stays =
        import.observed.executors.iter().map(|stay| (stay.executor, stay.from.0 / 1_000, stay.to.0 / 1_000));
    assert_eq!(stays.collect::<Vec<_>>(), [(0, 0, 500), (1, 0, 900), (0, 600, 900)]);
    assert_eq!(runs(&import.observed), [(0, 0, 400), (0, 700, 800), (2, 700, 900)]);
}

#[test]
fn cores_follow_task_cpus_sizes_and_tasks() {
    let settings = json!({ "Spark Properties": { "spark.task.cpus": "2", "spark.scheduler.mode": "FAIR" } });
    let import = Written::default()
        .executor("1", 4, 1_000)
        .executor("2", 8, 1_000)
        .event("SparkListenerEnvironmentUpdate", settings)
        .job(0, 1_000, &[(0, &[], 1)], json!({}))
        .task(0, 0, 1_000, 1_400)
        .import();
    assert_eq!((import.report.cluster.most_cores, import.report.cluster.uneven), (6, true));
    assert_eq!(import.report.cluster.scheduler_mode, PoolMode::Fair);
    // No executor was announced: as many cores as tasks at once, late stamps aside.
    let import = Written::default()
        .job(0, 1_000, &[(0, &[], 1)], json!({}))
        .task(0, 0, 1_000, 1_400)
        .task(1, 0, 1_000, 1_400)
        .task(2, 0, 1_390, 1_500)
        .import();
    assert_eq!((import.scenario.cluster().cores(), import.report.cluster.guessed_executors), (2, 1));
}

#[test]
fn barrier_stages_and_resource_profiles_are_counted() {
    // A profile whose tasks need two cores, an executor for it, and a stage that asks for both.
    let profile = json!({ "Resource Profile Id": 1, "Executor Resource Requests": {},
        "Task Resource Requests": { "cpus": { "Resource Name": "cpus", "Amount": 2.0 } } });
    let added = json!({ "Timestamp": 1_000, "Executor ID": "2",
        "Executor Info": { "Total Cores": 4, "Resource Profile Id": 1 } });
    let stage = json!([{ "Stage ID": 0, "RDD Info": [{ "RDD ID": 1 }, { "RDD ID": 2, "Barrier": true }],
        "Resource Profile Id": 1 }]);
    let import = Written::new()
        .event("SparkListenerResourceProfileAdded", profile)
        .event("SparkListenerExecutorAdded", added)
        .event(
            "SparkListenerJobStart",
            json!({ "Job ID": 0, "Submission Time": 1_000, "Stage Infos": stage }),
        )
        .any_task(0, 0, 1_000, 1_100, json!({ "info": { "Executor ID": "2" } }))
        .completed(0, 0, None)
        .import();
    let report = &import.report;
    assert_eq!((report.cluster.executors, report.cluster.cores_per_executor), (2, 2));
    assert_eq!((report.stages.barrier, report.stages.of_profiles), (1, 1));
}

#[test]
fn memory_is_what_tasks_used_of_their_executor() {
    let manager = json!({ "Block Manager ID": { "Executor ID": "1" }, "Maximum Memory": 1000_u64 << 20 });
    let used = |megabytes: u64| json!({ "Task Metrics": { "Peak Execution Memory": megabytes << 20 } });
    let import = Written::new()
        .event("SparkListenerBlockManagerAdded", manager)
        .job(0, 1_000, &[(0, &[], 1), (1, &[], 2)], json!({}))
        .any_task(0, 0, 1_000, 1_100, used(100))
        .any_task(1, 1, 1_000, 1_100, used(900))
        .import();
    assert_eq!(import.scenario.cluster().memory_per_executor, Some(1000));
    let memory: Vec<u64> = import.scenario.jobs()[0].stages.iter().map(|stage| stage.memory).collect();
    assert_eq!(memory, [100, 500], "at most each core's part");
}

#[test]
fn costs_are_estimated_from_many_stages() {
    let mut written = Written::default().executor("1", 1, 1_000);
    let (mut task, mut at) = (0, 1_000);
    for stage in 0..12 {
        written = written.job(stage, at, &[(stage, &[], stage)], json!({}));
        for wave in 0..6 {
            let own = if wave == 0 { 150 } else { 100 };
            let metrics = json!({ "Task Metrics": { "Executor Run Time": own } });
            written = written.any_task(task, stage, at, at + own + 4, metrics);
            (task, at) = (task + 1, at + own + 4);
        }
    }
    let import = written.import();
    assert_eq!(import.scenario.cluster().task_overhead.0, 4_000);
    let stage = &import.scenario.jobs()[3].stages[0];
    assert_eq!(stage.first_wave, 1.5);
    assert!(stage.input.slice_work().all(|work| work == 100_000));
    assert_eq!(import.report.observed.moved, 0);
}

#[test]
fn more_cores_than_a_scenario_can_have_are_an_error() {
    let written = Written::default().executor("1", u32::MAX, 1_000).job(0, 1_000, &[(0, &[], 1)], json!({}));
    let text = written.task(0, 0, 1_000, 1_100).text();
    let error = log(text.as_bytes()).import(&ImportOptions::default()).expect_err("too many cores");
    assert!(error.to_string().starts_with("executors: 4294967295 cores"), "{error}");
}
