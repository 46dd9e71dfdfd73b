//! Logs as the world has them: small cases of what real ones hold, with invented names.

use std::io::Cursor;
use std::path::PathBuf;

use fairlane::engine::Control;
use fairlane::scenario::{Exclusion, PolicyParameters};
use fairlane::trace::Outcome;
use fairlane::units::{Span, Time};
use fairlane_import::spark::{Import, ImportOptions, LogSection, LogSimulations, Logs, UserRule};

use serde_json::json;

use super::files::recorded;
use super::{Written, default, log, read, sound, users};

fn case(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/world").join(name);
    std::fs::read(path).expect("a case")
}

pub(super) fn import(name: &str) -> Import {
    import_by(name, &ImportOptions::default())
}

/// An import with its replay and baseline, as the command has it.
fn import_by(name: &str, options: &ImportOptions) -> Import {
    let mut import = sound(log(&case(name)).import(options).expect("a log"));
    import.report.replay = import.replay();
    import.report.baseline = import.baseline();
    import
}

/// Errors of the replay and of the scenario that is compared, in percent.
pub(super) fn errors(import: &Import) -> [f64; 2] {
    let replay = import.report.replay.as_ref().expect("jobs that ended").mean_error;
    let scenario = import.report.baseline.as_ref().map_or(replay, |baseline| baseline.mean_error);
    [replay, scenario].map(|error| error * 100.0)
}

#[track_caller]
fn assert_near(import: &Import, percent: f64) {
    let errors = errors(import);
    assert!(errors.iter().all(|&error| error < percent), "{errors:?}");
}

/// What is said of a subject.
pub(super) fn section(import: &Import, title: &str) -> String {
    let of_title = |section: &LogSection| section.title == title;
    let sections: Vec<LogSection> = import.report.sections().into_iter().filter(of_title).collect();
    sections.iter().map(|section| format!("{}\n{}\n", section.text, section.details.join("\n"))).collect()
}

fn names(import: &Import) -> Vec<&str> {
    import.scenario.jobs().iter().map(|job| job.name.as_str()).collect()
}

/// Responses of the log in s, to the hundredth.
pub(super) fn responses(import: &Import) -> Vec<f64> {
    let response = |run: &fairlane::trace::JobRun| run.end().since(run.arrival).seconds();
    import.observed.jobs.iter().map(|run| (response(run) * 100.0).round() / 100.0).collect()
}

#[test]
fn executors_are_not_there_before_they_came() {
    let import = import("01-executors-before-they-came.ndjson");
    let executors = &import.scenario.cluster().executors_at;
    assert_eq!(executors[0], (Time::ZERO, 0));
    assert_eq!(executors.len(), 4, "{executors:?}");
    assert_near(&import, 5.0);
    assert!(section(&import, "cluster").contains("the first executor came 23."));
}

#[test]
fn each_stage_has_its_own_driver_time_where_the_median_is_too_far() {
    let import = import("02-median-of-two.ndjson");
    assert_near(&import, 1.0);
    assert_eq!(import.report.driver.rule, "stage");
    assert!(import.report.driver.median_error > Some(1.0));
    let options =
        ImportOptions { driver_time: "median".parse().expect("a rule"), ..ImportOptions::default() };
    let import = import_by("02-median-of-two.ndjson", &options);
    assert!(errors(&import)[1] > 100.0);
    assert!(section(&import, "what-if").contains("too far from the log for a verdict"));
    assert!(section(&import, "sure").starts_with("no answer: the scenario is off by "));
}

#[test]
fn a_retry_follows_the_attempt_that_failed() {
    assert_near(&import("03-failed-attempt-after-its-retry.ndjson"), 1.0);
}

#[test]
fn executors_of_several_sizes_are_places_that_come_and_go() {
    let one = import("04-executors-of-two-sizes.ndjson");
    let cluster = one.scenario.cluster();
    // The one of two cores is still there when the other of four comes.
    assert_eq!((cluster.executors, cluster.cores_per_executor), (3, 2));
    assert_eq!(cluster.executors_at.iter().map(|&(_, count)| count).collect::<Vec<_>>(), [2, 0, 1, 3]);
    assert!(section(&one, "cluster").contains("executors of several sizes (2 x 4, 1 x 2 cores)"));
    assert_near(&one, 5.0);
    let both = import("24-executors-of-two-sizes-at-once.ndjson");
    let cluster = both.scenario.cluster();
    assert_eq!((cluster.executors, cluster.cores_per_executor), (3, 2));
    assert_eq!(cluster.executors_at, [(Time::ZERO, 1), (Time(19_950_000), 3)]);
    assert_near(&both, 5.0);
}

#[test]
fn a_stage_waits_for_executors_of_its_profile() {
    let import = import("05-executors-of-another-profile.ndjson");
    assert_near(&import, 2.0);
    let cluster = import.scenario.cluster();
    assert_eq!(cluster.resource_profiles, [1, 1, 0]);
    assert_eq!(cluster.executors_at, [(Time::ZERO, 2), (Time(10_000_000), 3)]);
    let stages = import.scenario.jobs().iter().flat_map(|job| &job.stages);
    assert_eq!(stages.map(|stage| stage.resource_profile).collect::<Vec<_>>(), [1, 0, 0, 0]);
    assert_eq!((import.report.unlike.as_slice(), cluster.exclusions.as_slice()), (&[][..], &[][..]));
    assert!(section(&import, "attempts").contains("4 stages kept to executors of their resource profile"));
}

#[test]
fn gpus_limit_tasks() {
    let import = import("06-gpu-limits-tasks.ndjson");
    let cluster = import.scenario.cluster();
    assert_eq!((cluster.executors, cluster.cores_per_executor), (2, 1));
    assert_near(&import, 2.0);
}

#[test]
fn reasons_are_those_of_the_log_the_likeliest_first() {
    // Exclusion is simulated; failures are tasks of their own.
    let excluded = import("07-excluded-executors.ndjson");
    let reasons = |import: &Import| import.report.unlike.iter().map(|unlike| unlike.what).collect::<Vec<_>>();
    assert_eq!(reasons(&excluded), ["failed attempts, after which Spark tries again"]);
    // Copies are simulated.
    assert!(reasons(&default(&recorded("spec-plain.gz"))).is_empty());
}

#[test]
fn run_ids_of_broadcasts_are_no_groups() {
    let options = ImportOptions { users: UserRule::Group(None), ..ImportOptions::default() };
    assert_eq!(users(&import_by("09-broadcast-job-groups.ndjson", &options)), ["report-a", "report-b"]);
    let import = import("09-broadcast-job-groups.ndjson");
    let groups: Vec<&str> = import.scenario.jobs().iter().map(|job| job.group.as_str()).collect();
    assert_eq!(groups, ["report-a", "report-a", ""]);
    assert_eq!(import.report.jobs.in_several_groups, 0);
}

#[test]
fn users_are_found_job_by_job() {
    assert_eq!(users(&import("10-user-of-the-application.ndjson")), ["svc-etl"]);
    let import = import("22-user-name-on-one-job.ndjson");
    assert_eq!(users(&import), ["ana", "bi", "etl"]);
    assert!(section(&import, "users").starts_with("5 jobs have no property user.name"));
    let application: UserRule = "application".parse().expect("a rule");
    let options = ImportOptions { users: application, ..ImportOptions::default() };
    assert_eq!(users(&import_by("22-user-name-on-one-job.ndjson", &options)), ["svc"]);
}

#[test]
fn one_user_is_said_so() {
    let import = import("10-user-of-the-application.ndjson");
    assert!(section(&import, "users").starts_with("everything is svc-etl's"));
    assert!(section(&import, "sure").contains("is within the noise"));
}

#[test]
fn names_are_for_people() {
    assert_eq!(
        names(&import("11-html-in-names.ndjson")),
        ["Listing leaf files and directories for 2004 paths: s3://bucket/t/d=2451180, ..."]
    );
    assert_eq!(names(&import("12-spark-connect-names.ndjson")), ["aggregate", "join", "limit", "aggregate"]);
}

#[test]
fn databricks_names_users_by_its_own_properties() {
    let import = import("13-databricks.ndjson");
    assert_eq!(import.report.application.spark, "3.4.1");
    assert_eq!(users(&import), ["ana@corp.example", "ben@corp.example", "root"]);
    let path = "property:spark.databricks.notebook.path".parse().expect("a rule");
    let import =
        import_by("13-databricks.ndjson", &ImportOptions { users: path, ..ImportOptions::default() });
    assert_eq!(users(&import), ["/Users/ana/sales", "/Repos/churn", "root"]);
}

#[test]
fn a_drivers_log_is_called_one() {
    let error = read(&case("14-driver-log.txt")).err().expect("no event log").to_string();
    assert!(error.contains("looks like a driver's log") && error.contains("spark.eventLog.dir"), "{error}");
}

#[test]
fn a_job_that_never_ends_holds_its_cores() {
    let import = import("16-a-job-that-never-ends.ndjson.inprogress");
    assert_eq!(users(&import), ["ana", "ben"]);
    assert_eq!(import.observed.jobs[1].outcome, Outcome::Dropped(Time(600_000_000)));
    assert_eq!((import.report.tasks.unfinished, import.report.jobs.unfinished), (4, 1));
    assert!(names(&import)[1].ends_with(" (unfinished)"));
    assert!(
        section(&import, "jobs").contains("1 job of Spark that had not begun"),
        "{}",
        section(&import, "jobs")
    );
}

#[test]
fn executors_after_the_last_task_count_for_nothing() {
    let import = import("17-executors-after-the-last-task.ndjson");
    let cluster = import.scenario.cluster();
    assert_eq!((cluster.executors, cluster.cores_per_executor), (1, 2));
    assert_eq!(import.report.cluster.mean_cores, 2.0);
}

#[test]
fn driver_time_is_not_lost_to_another_stage() {
    assert_near(&import("18-driver-time-lost.ndjson"), 2.0);
}

#[test]
fn a_job_lasts_until_its_user_is_told() {
    let import = import("19-commit-after-the-last-task.ndjson");
    assert_eq!(responses(&import), [12.13; 3]);
    assert!(import.report.driver.after_s > 29.0);
    assert_near(&import, 1.0);
    let import = self::import("20-arrival-before-sql-start.ndjson");
    assert_eq!(responses(&import), [6.04, 6.1]);
    assert_near(&import, 2.0);
    let import = self::import("21-cancelled-job-ends-with-its-last-task.ndjson");
    assert_eq!(import.observed.jobs[0].outcome, Outcome::Cancelled(Time(2_005_000)));
    assert_eq!(import.observed.tasks[0].end, Time(9_000_000));
}

#[test]
fn a_window_of_128_mb_is_read() {
    assert_eq!(import("23-zstd-window-128-mb.zstd").report.jobs.imported, 2);
}

#[test]
fn the_pool_default_is_fifo_before_spark_3_3_2() {
    let import = sound(log(&recorded("fair-nofile-331.gz")).import(&by_property()).expect("a log"));
    assert_eq!(import.scenario.parameters(), &default_is("FIFO"));
    let replay = import.replay().expect("jobs");
    println!("fair-nofile-331: {:.3}", replay.mean_error);
    assert!(replay.mean_error < 0.05, "{replay:?}");
}

pub(super) fn by_property() -> ImportOptions {
    ImportOptions { users: "property".parse().expect("a rule"), ..ImportOptions::default() }
}

fn default_is(mode: &str) -> PolicyParameters {
    let parameters = PolicyParameters::default().with("spark", "mode", serde_json::json!("FAIR"));
    let parameters = parameters.and_then(|made| made.with("spark", "default_mode", serde_json::json!(mode)));
    parameters.and_then(|made| made.with("spark", "pools", serde_json::json!([]))).expect("parameters")
}

fn several(names: &[&str], options: &ImportOptions) -> Import {
    let mut logs = Logs::default();
    for name in names {
        logs.read_file(name, Cursor::new(case(name))).expect("a log");
    }
    let mut import = sound(logs.into_log().expect("few tasks").import(options).expect("jobs"));
    import.report.replay = import.replay();
    import.report.baseline = import.baseline();
    import
}

const TWO: [&str; 2] = ["15-two-applications/ana.ndjson", "15-two-applications/ben.ndjson"];

#[test]
fn several_applications_are_one_scenario() {
    let import = several(&TWO, &ImportOptions::default());
    assert_eq!(users(&import), ["ana", "ben"]);
    let cluster = import.scenario.cluster();
    assert_eq!((cluster.executors, cluster.cores_per_executor), (4, 2));
    // Each has its own executors, so ana's job does not take ben's when his has ended.
    assert_eq!(responses(&import), [12.04, 4.04]);
    assert_near(&import, 2.0);
    assert_eq!(import.report.applications.len(), 2);
    assert!(
        section(&import, "several")
            .contains("nightly load (application_1700000000000_0001): user ana, 1 job")
    );
}

#[test]
fn a_shared_application_gives_all_cores_to_who_needs_them() {
    let import = several(&TWO, &ImportOptions { share: true, ..ImportOptions::default() });
    let simulated = fairlane::simulate(&import.scenario, "spark".parse().expect("a policy"));
    let response = |job: usize| simulated.jobs[job].response().expect("it ends").seconds();
    // ana's job comes first and takes all; ben waits for a wave of it.
    assert!(response(0) < 9.0, "{} {}", response(0), response(1));
    // The log knows nothing of that: what is judged is what happened.
    let own = several(&TWO, &ImportOptions::default());
    assert_eq!(simulations(&import), simulations(&own));
    assert_eq!(import.replay(), own.replay());
    assert_ne!(import.scenario, own.scenario);
    assert!(simulations(&import).scenario.error().is_tolerable());
}

fn simulations(import: &Import) -> LogSimulations {
    let spark = "spark".parse().expect("a policy");
    import.simulations(spark, &mut |_| Control::Continue).expect("nobody stops it").expect("jobs that ended")
}

#[test]
fn logs_of_one_id_or_of_different_times_are_told_apart() {
    let ana = String::from_utf8(case(TWO[0])).expect("text");
    let start = |text: &str| {
        let line = text.lines().find(|line| line.contains("SparkListenerApplicationStart")).expect("a start");
        let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
        event["Timestamp"].as_u64().expect("a time")
    };
    // The same an hour later: another cluster's application of the same name and id.
    let later = {
        let text = ana.lines().map(|line| shifted(line, 3_600_000)).collect::<Vec<_>>();
        text.join("\n")
    };
    assert_eq!(start(&later) - start(&ana), 3_600_000);
    let mut logs = Logs::default();
    for (name, text) in [("ana", &ana), ("later", &later)] {
        logs.read_file(name, Cursor::new(text.as_bytes())).expect("a log");
    }
    let import = sound(logs.into_log().expect("few tasks").import(&ImportOptions::default()).expect("jobs"));
    let pools: Vec<&str> = import.report.applications.iter().map(|one| one.pool.as_str()).collect();
    let id = "nightly load (application_1700000000000_0001";
    assert_eq!(pools, [format!("{id}, no. 1)"), format!("{id}, no. 2)")]);
    let said = section(&import, "several");
    assert!(
        said.contains("an id that several have") && said.contains("no two of them ran at one time"),
        "{said}"
    );
}

/// A line of a log with its instants that much later, in ms.
fn shifted(line: &str, by: u64) -> String {
    fn shift(value: &mut serde_json::Value, by: u64) {
        match value {
            serde_json::Value::Number(number) => {
                if let Some(at) = number.as_u64().filter(|&at| at > 1_000_000_000_000) {
                    *value = (at + by).into();
                }
            }
            serde_json::Value::Array(values) => values.iter_mut().for_each(|value| shift(value, by)),
            serde_json::Value::Object(fields) => fields.values_mut().for_each(|value| shift(value, by)),
            _ => {}
        }
    }
    let mut event = serde_json::from_str(line).expect("JSON");
    shift(&mut event, by);
    event.to_string()
}

#[test]
fn a_rolling_log_among_others_goes_on_with_its_application() {
    let text = String::from_utf8(case(TWO[0])).expect("text");
    let middle = text.match_indices('\n').nth(12).expect("lines").0 + 1;
    let (first, second) = text.split_at(middle);
    let mut logs = Logs::default();
    let id = "application_1700000000000_0001";
    for (name, part) in [
        (format!("events_1_{id}"), first.as_bytes()),
        ("ben".to_owned(), &case(TWO[1])),
        (format!("events_2_{id}"), second.as_bytes()),
    ] {
        logs.read_file(&name, Cursor::new(part)).expect("a log");
    }
    let import = sound(logs.into_log().expect("few tasks").import(&ImportOptions::default()).expect("jobs"));
    assert_eq!(import.report.tasks.imported, 14);
    assert_eq!(import.report.applications.len(), 2);
}

#[test]
fn a_log_before_spark_1_5_does_not_say_what_stages_wait_for() {
    let text = String::from_utf8(case("05-executors-of-another-profile.ndjson")).expect("text");
    let text = text.replace("\"Parent IDs\"", "\"Parents\"");
    let import = sound(log(text.as_bytes()).import(&ImportOptions::default()).expect("a log"));
    assert!(!import.report.stages.has_parents);
    assert_eq!(import.scenario.jobs()[1].stages[2].parents, [0, 1]);
    assert!(section(&import, "stages").contains("Spark before 1.5"));
}

#[test]
fn batches_of_a_stream_are_a_group_of_its_name() {
    let run = "11111111-2222-4333-8444-555555555500";
    let batch = |number: u32| {
        let description = format!("clicks<br/>id = {run}<br/>runId = {run}<br/>batch = {number}");
        json!({ "spark.jobGroup.id": run, "spark.job.description": description })
    };
    let import = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], batch(7))
        .job(1, 1_200, &[(1, &[], 2)], batch(8))
        .task(0, 0, 1_000, 1_100)
        .task(1, 1, 1_200, 1_300)
        .import();
    assert_eq!(names(&import), ["clicks, batch 7", "clicks, batch 8"]);
    assert!(import.scenario.jobs().iter().all(|job| job.group == "clicks"));
}

#[test]
fn a_busy_driver_is_no_lack_of_locality() {
    assert_eq!(import("18-driver-time-lost.ndjson").report.unlike, []);
}

#[test]
fn threads_of_local_mode_are_cores_in_spark_1_3() {
    let settings = json!({ "Spark Properties": { "spark.master": "local[3]" } });
    let import = Written::default()
        .event("SparkListenerEnvironmentUpdate", settings)
        .job(0, 1_000, &[(0, &[], 1)], json!({}))
        .any_task(0, 0, 1_000, 1_100, json!({ "info": { "Executor ID": "<driver>" } }))
        .import();
    assert_eq!(import.scenario.cluster().cores(), 3);
}

#[test]
fn blacklisted_is_excluded() {
    let text = String::from_utf8(case("07-excluded-executors.ndjson")).expect("text");
    let text = text.replace("ExcludedForStage", "BlacklistedForStage").replace("3.5.1", "2.4.8");
    let exclusions = |import: &Import| import.scenario.jobs()[0].stages[0].exclusions.clone();
    let import = default(text.as_bytes());
    assert_eq!(exclusions(&import), exclusions(&super::world::import("07-excluded-executors.ndjson")));
    assert_eq!(exclusions(&import).len(), 2);
}

/// The two executors take nothing more after their failures, and the third runs everything else.
#[test]
fn excluded_executors_take_no_more_tasks_of_a_stage() {
    let import = import("07-excluded-executors.ndjson");
    assert_near(&import, 1.0);
    let exclusion = |executor| Exclusion { executor, from: Span(200_000), lasts: None };
    assert_eq!(import.scenario.jobs()[0].stages[0].exclusions, [exclusion(0), exclusion(1)]);
    assert!(section(&import, "attempts").contains("2 executors excluded after failures"));
}

/// An executor that takes no more tasks of any stage does so again when the log says so, or after the time-out.
#[test]
fn excluded_executors_take_tasks_again() {
    let text = String::from_utf8(case("07-excluded-executors.ndjson")).expect("text");
    let of_any = |end: &str| {
        let lines = text.lines().map(|line| match line.contains("ExecutorExcludedForStage") {
            true => {
                line.replace("ExcludedForStage", "Excluded").replace(r#","stageId":0,"stageAttemptId":0"#, "")
            }
            false => line.to_owned(),
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        default(
            text.replace(
                r#"{"Event":"SparkListenerApplicationEnd""#,
                &format!("{end}\n{{\"Event\":\"SparkListenerApplicationEnd\""),
            )
            .as_bytes(),
        )
    };
    let lasts = |import: &Import| {
        let exclusions = import.scenario.cluster().exclusions.iter();
        exclusions.map(|one| (one.executor, one.lasts.map(Span::seconds))).collect::<Vec<_>>()
    };
    let end = r#"{"Event":"SparkListenerExecutorUnexcluded","time":1700000007225,"executorId":"2"}"#;
    assert_eq!(lasts(&of_any(end)), [(0, Some(7.0)), (1, Some(3600.0))]);
    // Of every executor on the host.
    let node =
        r#"{"Event":"SparkListenerNodeExcluded","time":1700000000100,"hostId":"n2","executorFailures":2}"#;
    let import = of_any(node);
    assert_eq!(import.scenario.cluster().exclusions.len(), 4);
    assert!(import.scenario.jobs()[0].stages[0].exclusions.is_empty());
}
