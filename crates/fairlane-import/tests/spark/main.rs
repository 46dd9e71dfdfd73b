//! Spark's event logs: one test for each thing that a log can hold.

mod files;
mod packed;
mod prediction;
mod replay;

use fairlane::Scenario;
use fairlane::policy::spark::{Pool, PoolMode};
use fairlane::scenario::{Job, Sessions};
use fairlane::trace::Trace;
use fairlane::units::Time;
use fairlane_import::spark::{
    DriverTime, Import, ImportError, ImportOptions, JobUnit, Log, ModeSource, PoolSource, PoolsFile, UserRule,
};
use serde_json::{Value, json};

/// A log that a test writes: lines of JSON.
#[derive(Clone, Default)]
struct Written(Vec<String>);

impl Written {
    /// A log of one executor with two cores.
    fn new() -> Written {
        Written::default().executor("1", 2, 1_000)
    }

    fn event(mut self, name: &str, mut fields: Value) -> Written {
        let fields = fields.as_object_mut().map(std::mem::take).unwrap_or_default();
        let fields: Vec<String> =
            fields.iter().map(|(key, value)| format!(",{}:{value}", json!(key))).collect();
        self.0.push(format!("{{\"Event\":\"{name}\"{}}}", fields.concat()));
        self
    }

    fn executor(self, id: &str, cores: u32, at: u64) -> Written {
        let info = json!({ "Total Cores": cores });
        self.event(
            "SparkListenerExecutorAdded",
            json!({ "Timestamp": at, "Executor ID": id, "Executor Info": info }),
        )
    }

    /// A job with stages: id, parents, first RDD.
    fn job(self, id: u64, at: u64, stages: &[(u64, &[u64], u64)], properties: Value) -> Written {
        let stages: Vec<Value> = stages
            .iter()
            .map(|(stage, parents, rdd)| {
                json!({ "Stage ID": stage, "Stage Name": format!("count {stage}"), "Parent IDs": parents,
                    "RDD Info": [{ "RDD ID": rdd }, { "RDD ID": 7 }] })
            })
            .collect();
        let fields =
            json!({ "Job ID": id, "Submission Time": at, "Stage Infos": stages, "Properties": properties });
        self.event("SparkListenerJobStart", fields)
    }

    fn job_end(self, id: u64, at: u64) -> Written {
        let fields =
            json!({ "Job ID": id, "Completion Time": at, "Job Result": { "Result": "JobSucceeded" } });
        self.event("SparkListenerJobEnd", fields)
    }

    /// A task of a stage on executor 1 that succeeded, with its start.
    fn task(self, id: u64, stage: u64, launch: u64, finish: u64) -> Written {
        self.any_task(id, stage, launch, finish, json!({}))
    }

    /// The same with other fields; those of `Task Info` under `info`.
    fn any_task(self, id: u64, stage: u64, launch: u64, finish: u64, mut other: Value) -> Written {
        let mut info = json!({ "Task ID": id, "Index": id, "Launch Time": launch, "Finish Time": 0, "Executor \
            ID": "1" });
        let mut fields = json!({ "Stage ID": stage, "Stage Attempt ID": 0, "Task Type": "ShuffleMapTask",
            "Task End Reason": { "Reason": "Success" } });
        merge(&mut info, other["info"].take());
        merge(&mut fields, other);
        let start =
            json!({ "Stage ID": stage, "Stage Attempt ID": fields["Stage Attempt ID"], "Task Info": info });
        info["Finish Time"] = json!(finish);
        fields["Task Info"] = info;
        self.event("SparkListenerTaskStart", start).event("SparkListenerTaskEnd", fields)
    }

    fn result(self, id: u64, stage: u64, launch: u64, finish: u64) -> Written {
        self.any_task(id, stage, launch, finish, json!({ "Task Type": "ResultTask" }))
    }

    fn completed(self, stage: u64, attempt: u32, failure: Option<&str>) -> Written {
        let info = json!({ "Stage ID": stage, "Stage Attempt ID": attempt, "Failure Reason": failure });
        self.event("SparkListenerStageCompleted", json!({ "Stage Info": info }))
    }

    fn execution(self, id: u64, root: u64, at: u64, description: &str) -> Written {
        let fields = json!({ "executionId": id, "rootExecutionId": root, "time": at, "description": description,
            "sparkPlanInfo": { "nodeName": "\"Scan\"" } });
        self.event("org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart", fields)
    }

    fn text(&self) -> String {
        self.0.iter().map(|line| format!("{line}\n")).collect()
    }

    #[track_caller]
    fn import(&self) -> Import {
        self.import_by(UserRule::Auto, None)
    }

    #[track_caller]
    fn import_by(&self, users: UserRule, jobs: Option<JobUnit>) -> Import {
        sound(
            log(self.text().as_bytes())
                .import(&ImportOptions { jobs, users, ..ImportOptions::default() })
                .expect("a log"),
        )
    }
}

fn merge(into: &mut Value, from: Value) {
    if let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) {
        into.extend(from);
    }
}

fn read(bytes: &[u8]) -> Result<Log, ImportError> {
    let mut log = Log::default();
    log.read("log", bytes).map(|()| log)
}

fn log(bytes: &[u8]) -> Log {
    read(bytes).expect("a log")
}

/// What holds of every import: no task is lost, the observed trace obeys the rules, the scenario's file reads back.
#[track_caller]
fn sound(import: Import) -> Import {
    let tasks = &import.report.tasks;
    assert_eq!(tasks.in_log, tasks.imported + tasks.left_out.values().sum::<u64>());
    assert_eq!(tasks.imported, import.observed.tasks.len() as u64);
    assert_eq!(import.report.observed.fault, None);
    let file = Scenario::from_json(&import.scenario.to_json()).expect("a scenario file");
    assert_eq!(file.jobs().len(), import.scenario.jobs().len());
    import
}

fn default(bytes: &[u8]) -> Import {
    sound(log(bytes).import(&ImportOptions::default()).expect("a log"))
}

fn users(import: &Import) -> Vec<&str> {
    import.scenario.users().iter().map(|user| user.name.as_str()).collect()
}

/// Core, start and end of each task in ms.
fn runs(trace: &Trace) -> Vec<(u32, u64, u64)> {
    trace.tasks.iter().map(|run| (run.core.0, run.start.0 / 1000, run.end.0 / 1000)).collect()
}

fn parents(import: &Import, job: usize) -> Vec<Vec<u32>> {
    import.scenario.jobs()[job].stages.iter().map(|stage| stage.parents.clone()).collect()
}

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
fn users_follow_the_rule() {
    let properties = |user: Option<&str>, pool: &str, group: &str| json!({ "user.name": user, "spark.scheduler.pool": pool, "spark.jobGroup.id": group });
    let written = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], properties(Some("ana"), "etl", "a/1"))
        .job(1, 1_100, &[(1, &[], 2)], properties(None, "adhoc", "b/1"))
        .task(0, 0, 1_000, 1_100)
        .task(1, 1, 1_100, 1_200);
    let by = |rule: UserRule| users(&written.import_by(rule, None)).join(" ");
    assert_eq!(by(UserRule::Auto), "ana unknown");
    assert_eq!(by("property".parse().expect("a rule")), "ana unknown");
    assert_eq!(by(UserRule::Pool), "etl adhoc");
    assert_eq!(by(UserRule::Group), "a/1 b/1");
    let options = ImportOptions { users: UserRule::Description, ..ImportOptions::default() };
    let error = log(written.text().as_bytes()).import(&options).expect_err("no description");
    assert!(
        error
            .to_string()
            .starts_with("--users description: no job of the log has a job description; it has: ")
    );
}

#[test]
fn users_can_be_read_from_any_property() {
    let properties =
        |user: &str, team: &str, site: &str| json!({ "user": user, "team": team, "callSite.short": site });
    let written = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], properties("ana@home", "web", "a"))
        .job(1, 1_100, &[(1, &[], 2)], properties("ben@home", "etl", "b"))
        .job(2, 1_200, &[(2, &[], 3)], properties("cho@home", "web", "c"))
        .task(0, 0, 1_000, 1_100)
        .task(1, 1, 1_100, 1_200)
        .task(2, 2, 1_200, 1_300);
    // Databricks sets the property `user`.
    let import = written.import();
    assert_eq!(users(&import), ["ana@home", "ben@home", "cho@home"]);
    let offered: Vec<_> =
        import.report.users.offered.iter().map(|source| (source.source.as_str(), source.users)).collect();
    assert_eq!(offered[..2], [("property user.name", 0), ("property team", 2)], "{offered:?}");
    let team: UserRule = "property:team".parse().expect("a rule");
    assert_eq!(team.to_string(), "property:team");
    assert_eq!(users(&written.import_by(team, None)), ["web", "etl"]);
}

#[test]
fn jobs_of_one_group_are_a_group_of_the_scenario() {
    let of = |user: &str, group: &str, execution: Option<&str>| json!({ "user.name": user, "spark.jobGroup.id": group, "spark.sql.execution.id": execution });
    // Two jobs of ana's group, one of ben's of the same name, one alone in its group; then an SQL execution within
    // ana's group, and one whose jobs are in two groups.
    let written = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], of("ana", "nightly", None))
        .job(1, 1_100, &[(1, &[], 2)], of("ana", "nightly", None))
        .job(2, 1_200, &[(2, &[], 3)], of("ben", "nightly", None))
        .job(3, 1_300, &[(3, &[], 4)], of("ana", "alone", None))
        .job(4, 1_400, &[(4, &[], 5)], of("ana", "nightly", Some("1")))
        .job(5, 1_500, &[(5, &[], 6)], of("ana", "nightly", Some("2")))
        .job(6, 1_600, &[(6, &[], 7)], of("ana", "other", Some("2")));
    let written =
        (0..7).fold(written, |written, id| written.task(id, id, 1_000 + 100 * id, 1_100 + 100 * id));
    let groups = |import: &Import| -> Vec<String> {
        import.scenario.jobs().iter().map(|job| job.group.clone()).collect()
    };
    let import = written.import();
    assert_eq!(groups(&import), ["nightly", "nightly", "", "", "nightly", ""]);
    let jobs = &import.report.jobs;
    assert_eq!((jobs.groups, jobs.in_groups, jobs.in_several_groups), (1, 3, 1));
    let spark = written.import_by(UserRule::Auto, Some(JobUnit::Spark));
    assert_eq!(groups(&spark), ["nightly", "nightly", "", "", "nightly", "nightly", ""]);
    assert_eq!((spark.report.jobs.in_groups, spark.report.jobs.in_several_groups), (4, 0));
    // Groups that are users are no groups as well.
    assert!(groups(&written.import_by(UserRule::Group, None)).concat().is_empty());
    // The one of ana, and the three other jobs.
    let groups = fairlane::metrics::job_groups(&import.scenario);
    assert_eq!(groups.len(), 4, "{groups:?}");
}

#[test]
fn users_of_sql_sessions_are_known_by_group_or_tag() {
    let import = Written::new()
        .event(
            "org.apache.spark.sql.connect.service.SparkListenerConnectOperationStarted",
            json!({ "jobTag": "tag-1", "userId": "ana" }),
        )
        .event(
            "org.apache.spark.sql.hive.thriftserver.ui.SparkListenerThriftServerOperationStart",
            json!({ "groupId": "group-1", "userName": "ben" }),
        )
        .job(0, 1_000, &[(0, &[], 1)], json!({ "spark.job.tags": "other,tag-1" }))
        .job(1, 1_100, &[(1, &[], 2)], json!({ "spark.jobGroup.id": "group-1" }))
        .task(0, 0, 1_000, 1_100)
        .task(1, 1, 1_100, 1_200)
        .import();
    assert_eq!(users(&import), ["ana", "ben"]);
}

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

#[test]
fn pools_are_as_declared_or_as_spark_makes_them() {
    let in_pool = |pool: &str| json!({ "user.name": "ana", "spark.scheduler.pool": pool });
    let jobs = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], in_pool("etl"))
        .job(1, 1_100, &[(1, &[], 2)], in_pool("adhoc"))
        .job(2, 1_200, &[(2, &[], 3)], json!({ "user.name": "ben" }))
        .task(0, 0, 1_000, 1_100)
        .task(1, 1, 1_100, 1_200)
        .task(2, 2, 1_200, 1_300);
    let fair = json!({ "spark.scheduler.mode": "FAIR" });
    let written = jobs.clone().event("SparkListenerEnvironmentUpdate", json!({ "Spark Properties": fair }));
    let pools = |import: &Import| fairlane::policy::spark::pools(&import.scenario);
    let import = written.import();
    assert_eq!(
        (import.report.cluster.ran_with, import.report.cluster.mode_source),
        ("spark", ModeSource::Log)
    );
    let of_jobs: Vec<&str> = import.scenario.jobs().iter().map(|job| job.pool.as_str()).collect();
    assert_eq!(of_jobs, ["etl", "adhoc", ""]);
    // Without any pools file Spark 3 makes the pool default FAIR.
    let default = Pool { mode: PoolMode::Fair, ..Pool::named("default") };
    assert_eq!(pools(&import), [Pool::named("adhoc"), default, Pool::named("etl")]);
    assert!(import.report.cluster.pools.iter().all(|pool| pool.source == PoolSource::Assumed));

    let file = "<allocations><pool name=\"etl\"><schedulingMode>FAIR</schedulingMode><weight>3</weight></pool></allocations>";
    let file = PoolsFile::read("pools.xml", file).expect("pools");
    let options = ImportOptions { pools: Some(file), ..ImportOptions::default() };
    let import = sound(log(written.text().as_bytes()).import(&options).expect("a log"));
    let etl = Pool { mode: PoolMode::Fair, weight: 3, ..Pool::named("etl") };
    assert_eq!(pools(&import), [Pool::named("adhoc"), Pool::named("default"), etl]);
    let sources: Vec<PoolSource> = import.report.cluster.pools.iter().map(|pool| pool.source).collect();
    assert_eq!(sources, [PoolSource::Assumed, PoolSource::Assumed, PoolSource::Declared]);

    // Without the settings the mode is unknown, and the report asks for it.
    let import = jobs.import();
    let asks = |import: &Import| {
        let sections = import.report.sections();
        sections.iter().flat_map(|section| &section.details).any(|detail| detail.contains("--mode fair"))
    };
    assert_eq!((import.report.cluster.mode_source, asks(&import)), (ModeSource::Assumed, true));
    let options = ImportOptions { mode: Some(PoolMode::Fifo), ..ImportOptions::default() };
    let import = log(jobs.text().as_bytes()).import(&options).expect("a log");
    assert_eq!((import.report.cluster.scheduler_mode, asks(&import)), (PoolMode::Fifo, false));
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
    assert_eq!(delays(DriverTime::Median), [40, 80, 40]);
    assert_eq!(delays(DriverTime::None), [0, 0, 0]);
}

#[test]
fn a_stage_that_another_one_followed_before_its_launch_is_delayed_until_its_submission() {
    let submitted =
        |stage: u64, at: u64| json!({ "Stage Info": { "Stage ID": stage, "Submission Time": at } });
    // The executor of both registers late.
    let import = Written::new()
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

#[test]
fn users_whose_jobs_never_overlap_wait_for_their_answers() {
    let of = |user: &str, group: &str| json!({ "user.name": user, "spark.jobGroup.id": group });
    // ana asks one after the other and pauses; two of ben's jobs overlap, but not those of his notebook.
    let written = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], of("ana", ""))
        .job(1, 1_250, &[(1, &[], 2)], of("ana", ""))
        .job(2, 1_000, &[(2, &[], 3)], of("ben", "notebook"))
        .job(3, 1_150, &[(3, &[], 4)], of("ben", "notebook"))
        .job(4, 1_160, &[(4, &[], 5)], of("ben", ""))
        .job(5, 701_400, &[(5, &[], 6)], of("ana", ""))
        .task(0, 0, 1_000, 1_100)
        .task(1, 1, 1_250, 1_300)
        .task(2, 2, 1_000, 1_100)
        .task(3, 3, 1_150, 1_250)
        .task(4, 4, 1_260, 1_400)
        .task(5, 5, 701_400, 701_500);
    let import = written.import();
    let after = |job: &Job| job.after.map(|before| (before.job.0, before.think.0 / 1_000));
    let waits: Vec<_> = import.scenario.jobs().iter().map(after).collect();
    assert_eq!(waits, [None, None, Some((1, 50)), None, Some((0, 150)), None]);
    assert_eq!((import.report.sessions.sessions, import.report.sessions.jobs_that_wait), (2, 2));
    assert!(import.scenario.has_sessions());
    let options = ImportOptions { arrivals: Sessions::Open, ..ImportOptions::default() };
    assert!(!sound(log(written.text().as_bytes()).import(&options).expect("a log")).scenario.has_sessions());
}

#[test]
fn more_cores_than_a_scenario_can_have_are_an_error() {
    let written = Written::default().executor("1", u32::MAX, 1_000).job(0, 1_000, &[(0, &[], 1)], json!({}));
    let text = written.task(0, 0, 1_000, 1_100).text();
    let error = log(text.as_bytes()).import(&ImportOptions::default()).expect_err("too many cores");
    assert!(error.to_string().starts_with("executors: 4294967295 cores"), "{error}");
}
