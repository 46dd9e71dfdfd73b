//! Jobs, their stages and tasks.

use fairlane::trace::Outcome;
use fairlane::units::Time;
use fairlane_import::spark::{DriverTime, ImportOptions, JobUnit, UserRule};
use serde_json::json;

use super::{Written, log, parents, runs, sound, users};

#[test]
fn a_job_has_its_user_stages_tasks_and_instants() {
    let import = Written::new()
        .job(
            0,
            1_000,
            &[(4, &[], 1), (5, &[4], 2)],
            json!({ "user.name": "ana", "spark.job.description": "report" }),
        )
        .task(0, 4, 1_010, 1_110)
        .task(1, 4, 1_020, 1_220)
        .task(2, 5, 1_230, 1_330)
        .import();
    let job = &import.scenario.jobs()[0];
    assert_eq!((users(&import), job.name.as_str()), (vec!["ana"], "report"));
    assert_eq!(runs(&import.observed), [(0, 10, 110), (1, 20, 220), (1, 230, 330)]);
    assert_eq!(parents(&import, 0), [vec![], vec![0]]);
    assert_eq!(import.scenario.cluster().first_stage_id, 4);
    assert_eq!(import.observed.to_json().matches("\"policy\":\"observed\"").count(), 1);
}

#[test]
fn a_task_ends_when_its_core_is_taken() {
    let import = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], json!({}))
        .task(0, 0, 1_000, 1_105)
        .task(1, 0, 1_000, 1_300)
        .task(2, 0, 1_100, 1_200)
        .import();
    assert_eq!(runs(&import.observed), [(0, 0, 100), (1, 0, 300), (0, 100, 200)]);
    let tasks = &import.report.tasks;
    assert_eq!((tasks.shortened, tasks.shortened_ms, tasks.shortened_most_ms), (1, 5, 5));
}

#[test]
fn a_skipped_stage_stands_for_the_one_that_computed_its_shuffle() {
    let sql = json!({ "spark.sql.execution.id": "3", "user.name": "ana" });
    let written = Written::new()
        .execution(3, 3, 990, "query")
        .job(0, 1_000, &[(0, &[], 11)], sql.clone())
        .task(0, 0, 1_000, 1_100)
        .job_end(0, 1_110)
        .job(1, 1_120, &[(1, &[], 11), (2, &[1], 12)], sql)
        .result(1, 2, 1_120, 1_200);
    let import = written.import();
    assert_eq!(parents(&import, 0), [vec![], vec![0]]);
    assert_eq!((import.report.jobs.sql, import.report.stages.skipped), (1, 1));
    assert_eq!(
        import.observed.jobs[0].response().map(|span| span.0),
        Some(210_000),
        "from the execution's start"
    );
    let import = written.import_by(UserRule::Auto, Some(JobUnit::Spark));
    assert_eq!((import.scenario.jobs().len(), import.report.stages.parents_in_other_jobs), (2, 1));
}

#[test]
fn a_job_waits_for_the_results_before_it_in_its_execution() {
    let sql = json!({ "spark.sql.execution.id": "0" });
    // Two broadcasts side by side, a subquery after the first, and the query itself.
    let import = Written::new()
        .execution(0, 0, 1_000, "query")
        .job(0, 1_000, &[(0, &[], 1)], sql.clone())
        .job(1, 1_001, &[(1, &[], 2)], sql.clone())
        .result(0, 0, 1_010, 1_050)
        .result(1, 1, 1_010, 1_300)
        .job_end(0, 1_055)
        .job(2, 1_060, &[(2, &[], 3)], sql.clone())
        .result(2, 2, 1_060, 1_100)
        .job_end(2, 1_105)
        .job_end(1, 1_305)
        .job(3, 1_310, &[(3, &[], 4)], sql)
        .result(3, 3, 1_310, 1_400)
        .import();
    assert_eq!(parents(&import, 0), [vec![], vec![], vec![0], vec![1, 2]]);
}

#[test]
fn nested_executions_are_one_job_and_those_without_a_job_are_counted() {
    let inner = json!({ "spark.sql.execution.id": "6", "spark.sql.execution.root.id": "5" });
    let import = Written::new()
        .execution(5, 5, 1_000, "create table")
        .execution(6, 5, 1_010, "stale")
        .execution(7, 7, 1_500, "show tables")
        .job(0, 1_020, &[(0, &[], 1)], inner)
        .task(0, 0, 1_020, 1_100)
        .job(1, 1_200, &[(1, &[], 2)], json!({}))
        .task(1, 1, 1_200, 1_300)
        .import();
    let names: Vec<&str> = import.scenario.jobs().iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["create table", "count 1"]);
    let jobs = &import.report.jobs;
    assert_eq!((jobs.executions_nested, jobs.executions_without_job, jobs.sql), (1, 1, 1));
}

#[test]
fn the_warm_up_of_an_exported_scenario_is_left_out_and_counted() {
    let import = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], json!({ "spark.jobGroup.id": "fairlane-warm-up" }))
        .task(0, 0, 1_000, 1_500)
        .job(1, 2_000, &[(1, &[], 2)], json!({ "spark.jobGroup.id": "job-0", "user.name": "ana" }))
        .task(1, 1, 2_000, 2_300)
        .import();
    let report = &import.report;
    assert_eq!((report.tasks.in_log, report.tasks.imported, report.application.start_ms), (2, 1, 2_000));
    assert_eq!(report.tasks.left_out["of the warm-up of a scenario that Fairlane exported"], 1);
    assert_eq!((users(&import), report.jobs.spark_without_tasks), (vec!["ana"], 1));
}

#[test]
fn failed_and_killed_attempts_hold_cores_until_their_stage_is_done() {
    let import = Written::new()
        .job(0, 1_000, &[(0, &[], 1), (1, &[0], 2)], json!({}))
        .any_task(
            0,
            0,
            1_000,
            1_050,
            json!({ "Task End Reason": { "Reason": "ExceptionFailure" },
        "info": { "Failed": true } }),
        )
        .any_task(1, 0, 1_060, 1_200, json!({ "info": { "Index": 0, "Attempt": 1 } }))
        .any_task(
            2,
            0,
            1_100,
            1_900,
            json!({ "Task End Reason": { "Reason": "TaskKilled" },
        "info": { "Index": 0, "Killed": true, "Speculative": true } }),
        )
        .any_task(
            3,
            0,
            1_210,
            1_900,
            json!({ "Task End Reason": { "Reason": "TaskKilled" },
        "info": { "Index": 0, "Killed": true } }),
        )
        .completed(0, 0, None)
        .task(4, 1, 1_210, 1_300)
        .import();
    let tasks = &import.report.tasks;
    assert_eq!((tasks.imported, tasks.failed, tasks.killed, tasks.speculative), (4, 1, 1, 1));
    assert_eq!(tasks.left_out.values().sum::<u64>(), 1);
    assert_eq!(import.observed.tasks[2].end.0, 200_000);
    assert_eq!(parents(&import, 0), [vec![], vec![0]]);
}

#[test]
fn a_launch_may_be_stamped_after_the_end_of_its_failed_job() {
    let failed = json!({ "Job ID": 0, "Completion Time": 1_205, "Job Result": { "Result": "JobFailed" } });
    let import = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], json!({}))
        .task(0, 0, 1_000, 1_200)
        .event("SparkListenerJobEnd", failed)
        .task(1, 0, 1_230, 1_900)
        .import();
    assert_eq!(import.report.jobs.stopped, 1);
    assert_eq!(import.observed.jobs[0].outcome, Outcome::Cancelled(Time(205_000)));
    assert_eq!(runs(&import.observed), [(0, 0, 200), (0, 230, 900)]);
}

#[test]
fn each_attempt_at_a_stage_is_a_stage() {
    // Stage 1 loses its input, stage 0 computes it again, and stage 1 runs what is left.
    let again = || json!({ "Stage Attempt ID": 1 });
    let import = Written::new()
        .job(0, 1_000, &[(0, &[], 1), (1, &[0], 2)], json!({}))
        .task(0, 0, 1_000, 1_100)
        .completed(0, 0, None)
        .any_task(1, 1, 1_100, 1_150, json!({ "Task End Reason": { "Reason": "FetchFailed" } }))
        .completed(1, 0, Some("FetchFailed"))
        .any_task(2, 0, 1_200, 1_300, again())
        .any_task(3, 1, 1_310, 1_400, again())
        .completed(0, 1, None)
        .completed(1, 1, None)
        .import();
    assert_eq!(parents(&import, 0), [vec![], vec![0], vec![0], vec![0, 1, 2]]);
    assert_eq!((import.report.stages.retried, import.report.stages.failed), (2, 1));
}

#[test]
fn stages_are_numbered_by_the_jobs_of_spark_of_their_query() {
    let query = |id: &str| json!({ "spark.sql.execution.id": id });
    let import = Written::new()
        .job(4, 1_000, &[(0, &[], 1), (1, &[0], 2)], query("1"))
        .job(5, 1_010, &[(2, &[], 3)], query("2"))
        .job(6, 1_020, &[(3, &[], 4)], query("1"))
        .task(0, 0, 1_000, 1_100)
        .task(1, 1, 1_100, 1_200)
        .task(2, 2, 1_200, 1_300)
        .task(3, 3, 1_300, 1_400)
        .import();
    let numbers = |job: usize| -> Vec<u32> {
        import.scenario.jobs()[job].stages.iter().map(|stage| stage.spark_job).collect()
    };
    assert_eq!((numbers(0), numbers(1)), (vec![0, 0, 1], vec![0]));
}

#[test]
fn stages_are_delayed_as_the_driver_delayed_them() {
    let submitted =
        |stage: u64, at: u64| json!({ "Stage Info": { "Stage ID": stage, "Submission Time": at } });
    let written = Written::new()
        .job(0, 1_000, &[(0, &[], 1), (1, &[0], 2)], json!({}))
        .event("SparkListenerStageSubmitted", submitted(0, 1_030))
        .task(0, 0, 1_040, 1_100)
        .event("SparkListenerStageSubmitted", submitted(1, 1_170))
        .task(1, 1, 1_180, 1_200)
        .job(1, 1_300, &[(2, &[], 3)], json!({}))
        .task(2, 2, 1_310, 1_400);
    let delays = |driver_time: DriverTime| -> Vec<u64> {
        let options = ImportOptions { driver_time, ..ImportOptions::default() };
        let import = sound(log(written.text().as_bytes()).import(&options).expect("a log"));
        let stages = import.scenario.jobs().iter().flat_map(|job| &job.stages);
        stages.map(|stage| stage.delay.unwrap_or_default().0 / 1000).collect()
    };
    assert_eq!(delays(DriverTime::Stage), [40, 80, 10], "to the first launch, because a core is free");
    assert_eq!(delays(DriverTime::Median), [25, 80, 25], "the mean of the two in the middle");
    assert_eq!(delays(DriverTime::None), [0, 0, 0]);
}

#[test]
fn stages_wait_for_executors_and_not_for_the_driver_before_there_are_any() {
    let submitted =
        |stage: u64, at: u64| json!({ "Stage Info": { "Stage ID": stage, "Submission Time": at } });
    // The executor of both registers late.
    let import = Written::default()
        .executor("1", 2, 1_099)
        .job(0, 1_000, &[(0, &[], 1)], json!({ "user.name": "ana" }))
        .event("SparkListenerStageSubmitted", submitted(0, 1_010))
        .job(1, 1_020, &[(1, &[], 2)], json!({ "user.name": "ben" }))
        .event("SparkListenerStageSubmitted", submitted(1, 1_030))
        .task(0, 0, 1_100, 1_200)
        .task(1, 1, 1_101, 1_200)
        .import();
    let delays: Vec<_> =
        import.scenario.jobs().iter().map(|job| job.stages[0].delay.unwrap_or_default().0 / 1000).collect();
    assert_eq!(delays, [10, 10]);
}
