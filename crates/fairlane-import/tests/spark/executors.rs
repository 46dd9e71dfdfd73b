//! Executors, their cores and memory, and what the driver costs.

use fairlane::policy::spark::PoolMode;
use fairlane::scenario::Exclusion;
use fairlane::units::{Span, Time};
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

/// Two executors of profile 0, of which one goes at 3 s and the other at 4 s, and one of profile 1 that comes at 2 s and
/// stays: the place of the first is empty then, and the last of its profile stays for what may run later.
#[test]
fn executors_of_each_profile_come_and_go_by_themselves() {
    let removed = |id: &str, at: u64| json!({ "Timestamp": at, "Executor ID": id, "Removed Reason": "idle" });
    let info = json!({ "Total Cores": 2, "Resource Profile Id": 1 });
    let added = json!({ "Timestamp": 3_000, "Executor ID": "3", "Executor Info": info });
    let stages = json!([{ "Stage ID": 0, "RDD Info": [{ "RDD ID": 1 }], "Resource Profile Id": 0 },
        { "Stage ID": 1, "RDD Info": [{ "RDD ID": 2 }], "Resource Profile Id": 1, "Parent IDs": [] }]);
    let on = |id: &str| json!({ "info": { "Executor ID": id } });
    let import = Written::new()
        .executor("2", 2, 1_000)
        .event(
            "SparkListenerJobStart",
            json!({ "Job ID": 0, "Submission Time": 1_000, "Stage Infos": stages }),
        )
        .any_task(0, 0, 1_000, 2_000, on("1"))
        .any_task(1, 0, 1_000, 2_000, on("2"))
        .event("SparkListenerExecutorAdded", added)
        .any_task(2, 1, 3_000, 9_000, on("3"))
        .event("SparkListenerExecutorRemoved", removed("2", 4_000))
        .event("SparkListenerExecutorRemoved", removed("1", 5_000))
        .completed(0, 0, None)
        .completed(1, 0, None)
        .job_end(0, 9_000)
        .import();
    let cluster = import.scenario.cluster();
    assert_eq!(cluster.resource_profiles, [0, 0, 1]);
    assert_eq!(cluster.executors_at, [(Time::ZERO, 2), (Time(2_000_000), 3)]);
    let empty = Exclusion { executor: 1, from: Span(3_000_000), lasts: None };
    assert_eq!(cluster.exclusions, [empty]);
    let replay = import.replay().expect("a job that ended");
    assert!(replay.mean_error < 0.01, "{replay:?}");
    let counts: Vec<u32> = import.report.cluster.executors_at.iter().map(|&(_, count)| count).collect();
    assert_eq!(counts, [2, 3, 2, 1]);
}

/// Both executors are excluded from the stage, which Spark gives up: here the rest goes on once it had ended.
#[test]
fn a_stage_that_nobody_may_run_goes_on_when_it_had_ended() {
    let failed = |id: &str| json!({ "info": { "Executor ID": id }, "Task End Reason": { "Reason": "ExceptionFailure" } });
    let excluded = |id: &str| json!({ "time": 1_600, "executorId": id, "stageId": 0, "stageAttemptId": 0 });
    let import = Written::new()
        .executor("2", 2, 1_000)
        .job(0, 1_000, &[(0, &[], 1)], json!({}))
        .any_task(0, 0, 1_000, 1_500, failed("1"))
        .any_task(1, 0, 1_000, 1_500, failed("2"))
        .any_task(2, 0, 1_000, 3_000, json!({}))
        .event("SparkListenerExecutorExcludedForStage", excluded("1"))
        .event("SparkListenerExecutorExcludedForStage", excluded("2"))
        .completed(0, 0, Some("aborted"))
        .import();
    let exclusions = &import.scenario.jobs()[0].stages[0].exclusions;
    let lasts: Vec<_> = exclusions.iter().map(|one| (one.executor, one.from.seconds(), one.lasts)).collect();
    assert_eq!(lasts, [0, 1].map(|executor| (executor, 0.5, Some(Span(1_500_000)))));
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
