//! `fairlane import` as scripts and people meet it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{fairlane, standard_error, standard_output};
use assert_cmd::assert::Assert;
use flate2::read::GzDecoder;
use serde_json::Value;
use tempfile::TempDir;

fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fairlane-import/tests/data/spark").join(name)
}

fn import(logs: &[&Path], to: &TempDir, options: &[&str]) -> Assert {
    let mut command = fairlane(&["import"]);
    command.args(logs).arg("--scenario").arg(to.path().join("scenario.json"));
    command.arg("--observed").arg(to.path().join("observed.json")).args(options).assert()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("the file")).expect("JSON")
}

fn length(value: &Value) -> u64 {
    value.as_array().expect("a list").len() as u64
}

#[test]
fn a_log_becomes_a_scenario_a_trace_and_a_report() {
    let to = TempDir::new().expect("a folder");
    let report = standard_output(import(&[&recorded("faults.gz")], &to, &["--format", "json"]));
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["format"], "fairlane/import@1");
    assert_eq!(report["tasks"]["in_log"], 130);
    let (scenario, observed) =
        (json(&to.path().join("scenario.json")), json(&to.path().join("observed.json")));
    assert_eq!(scenario["format"], "fairlane/scenario@1");
    assert_eq!((&observed["format"], &observed["policy"]), (&"fairlane/trace@1".into(), &"observed".into()));
    assert_eq!(length(&observed["tasks"]), report["tasks"]["imported"]);
    assert_eq!(length(&observed["jobs"]), length(&scenario["jobs"]));
    // What was imported can be simulated.
    let path = to.path().join("scenario.json");
    fairlane(&["simulate", "--policy", "uwfq-p", "--hash"]).arg(path).assert().success();
    let table = standard_output(import(&[&recorded("faults.gz")], &to, &[]));
    assert!(table.contains("130 in the log = 130 imported + 0 left out"), "{table}");
    assert!(table.contains("passes the check"), "{table}");
}

#[test]
fn how_sure_an_answer_is_goes_with_the_scenario() {
    let to = TempDir::new().expect("a folder");
    let report = standard_output(import(&[&recorded("faults.gz")], &to, &["--format", "json"]));
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let path = to.path().join("scenario.json");
    let mut scenario = json(&path);
    assert_eq!(scenario["log_error"], report["replay"]["mean_error"], "the scenario is as recorded");
    let compared = |path: &Path| {
        let policies = ["compare", "--policies", "spark,uwfq"];
        standard_output(fairlane(&policies).arg(path).assert())
    };
    assert!(compared(&path).starts_with("From a log: the simulation of its own scheduler is off by "));
    scenario["log_error"] = 0.321.into();
    fs::write(&path, scenario.to_string()).expect("a file");
    assert!(compared(&path).starts_with("No verdict: "), "{}", compared(&path));
    let simulated = standard_output(fairlane(&["simulate", "--policy", "uwfq"]).arg(&path).assert());
    assert!(simulated.contains("off by 32.1 %"), "{simulated}");
    scenario["log_error"] = (-1).into();
    fs::write(&path, scenario.to_string()).expect("a file");
    let error = standard_error(fairlane(&["compare"]).arg(&path).assert());
    assert!(error.contains("log_error: is negative"), "{error}");
}

#[test]
fn jobs_and_users_are_chosen() {
    let to = TempDir::new().expect("a folder");
    let jobs = |options: &[&str]| {
        standard_output(import(&[&recorded("faults.gz")], &to, options));
        length(&json(&to.path().join("scenario.json"))["jobs"])
    };
    assert_eq!((jobs(&["--jobs", "sql"]), jobs(&["--jobs", "spark"])), (19, 28));
    standard_output(import(&[&recorded("multi-fair.gz")], &to, &["--users", "pool"]));
    let scenario = json(&to.path().join("scenario.json"));
    let users: Vec<&str> = scenario["users"]
        .as_array()
        .expect("users")
        .iter()
        .filter_map(|user| user["name"].as_str())
        .collect();
    assert_eq!(users, ["default", "ana", "ben", "cleo", "dan"]);
}

#[test]
fn a_rolling_log_is_its_folder_or_its_files_in_any_order() {
    let (to, from) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let file = fs::File::open(recorded("pitfalls-cluster.gz")).expect("the log");
    let text = std::io::read_to_string(GzDecoder::new(file)).expect("gzip");
    let lines: Vec<&str> = text.lines().collect();
    let part = |number: u32| from.path().join(format!("events_{number}_app-1"));
    // Numbers, not names, give the order: 2, 9, 10.
    for (number, lines) in [2, 9, 10].into_iter().zip(lines.chunks(lines.len().div_ceil(3))) {
        fs::write(part(number), lines.join("\n") + "\n").expect("a part");
    }
    fs::write(from.path().join("appstatus_app-1"), "").expect("a mark");
    fs::write(from.path().join(".events_2_app-1.crc"), "crc").expect("a mark");
    let read = |logs: &[&Path]| {
        standard_output(import(logs, &to, &[]));
        json(&to.path().join("observed.json"))
    };
    let whole = read(&[&recorded("pitfalls-cluster.gz")]);
    assert_eq!(read(&[from.path()]), whole);
    assert_eq!(read(&[&part(10), &part(2), &part(9)]), whole);
    // Without its beginning there are tasks of jobs that nobody knows.
    let table = standard_output(import(&[&part(9), &part(10)], &to, &[]));
    assert!(table.contains("of a job whose start is not in the log"), "{table}");
}

#[test]
fn several_applications_are_imported_into_one_scenario() {
    let to = TempDir::new().expect("a folder");
    let folder = recorded("../world/15-two-applications");
    let table = standard_output(import(&[&folder], &to, &[]));
    assert!(table.contains("several under spark each has its own executors"), "{table}");
    assert!(table.contains("pool dashboard (an application with its own executors): FIFO inside"), "{table}");
    let own = json(&to.path().join("scenario.json"));
    assert_eq!((&own["users"][0]["name"], &own["users"][1]["name"]), (&"ana".into(), &"ben".into()));
    let [ana, ben] = ["ana.ndjson", "ben.ndjson"].map(|name| folder.join(name));
    standard_output(import(&[&ana, &ben], &to, &["--share"]));
    let shared = json(&to.path().join("scenario.json"));
    assert_eq!(shared["jobs"], own["jobs"]);
    assert!(shared["policies"] != own["policies"], "{}", shared["policies"]);
}

#[test]
fn errors_name_the_place_and_leave_no_file() {
    let (to, from) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let log = from.path().join("log");
    let message = |text: &str, options: &[&str]| {
        fs::write(&log, text).expect("a log");
        standard_error(import(&[&log], &to, options))
    };
    let place = format!("fairlane: {}, line 2: is not an event of a Spark event log: ", log.display());
    let start = "{\"Event\":\"SparkListenerLogStart\"}\n";
    assert!(message(&format!("{start}{{\n{start}"), &[]).starts_with(&place));
    assert!(message(start, &[]).contains("has no task; give the event log of an application that ran jobs"));
    assert!(message(start, &["--users", "nobody"]).contains("must be one of auto, property, session, pool,"));
    let nothing = from.path().join("nothing");
    assert!(standard_error(import(&[&nothing], &to, &[])).contains("No such file; give a Spark event log"));
    fs::create_dir(&nothing).expect("a folder");
    assert!(standard_error(import(&[&nothing], &to, &[])).contains("has no event log in it"));
    assert_eq!(fs::read_dir(to.path()).expect("the folder").count(), 0);
}

#[test]
fn a_scenario_is_written_as_a_program_for_spark() {
    let folder = TempDir::new().expect("a folder");
    let to = folder.path().join("new/played");
    let export = |source: &str, options: &[&str]| {
        fairlane(&["spark-export", source, "-o"]).arg(&to).args(options).assert()
    };
    let policy = standard_error(export("catalog:two-users", &["--policy", "uwfq"]));
    assert!(
        policy.contains("catalog:two-users: Spark itself has no policy uwfq; give spark, fifo, fair or ujf"),
        "{policy}"
    );
    // Tasks are quicker on warm cores.
    let lossy = standard_error(export("catalog:paf-packing", &["--policy", "fair"]));
    assert!(lossy.contains("--lossy exports it without (jobs with warm_factor: 1)"), "{lossy}");
    assert!(!to.exists());

    let report = standard_output(export("catalog:two-users", &["--policy", "ujf"]));
    assert!(report.starts_with(
        "13 jobs of 2 users under ujf: 13 stages, 208 tasks, 104.000 core-seconds for 8 cores\n"
    ));
    let files = fs::read_dir(&to).expect("the folder");
    let mut files: Vec<_> = files.map(|entry| entry.expect("a file").file_name()).collect();
    files.sort();
    assert_eq!(files, ["play.py", "pools.xml", "workload.json"]);
    assert_eq!(length(&json(&to.join("workload.json"))["jobs"]), 13);
    standard_output(export("catalog:paf-packing", &["--policy", "fair", "--lossy"]));
}

#[test]
fn a_table_becomes_a_scenario_and_every_row_is_counted() {
    let to = TempDir::new().expect("a folder");
    let table = to.path().join("tasks.csv");
    let rows = "job,owner,at,took,cpus\n1,ana,1000,500,100\n1,ana,1000,250,50\n2,ben,3000,?,100\n3,ben,4000,1000,200\n";
    fs::write(&table, rows).expect("a writable folder");
    let scenario = to.path().join("scenario.json");
    let run = |columns: &str, options: &[&str]| {
        let mut command = fairlane(&["import"]);
        command.arg(&table).args(["--columns", columns]).args(options);
        command.arg("--scenario").arg(&scenario).assert()
    };
    let mapping = "job=job,user=owner,submit=at,runtime=took,cores=cpus/100,unit=ms";
    let text = standard_output(run(mapping, &["--cores", "2"]));
    assert!(text.starts_with("rows    4 in the table = 3 imported + 1 left out\n"), "{text}");
    assert!(text.contains("left out: 1 whose runtime is no number"), "{text}");
    assert!(text.contains("2.625 core-seconds in these rows, 2.750 in the scenario"), "{text}");
    let made = json(&scenario);
    assert_eq!((length(&made["jobs"]), &made["jobs"][1]["arrival_s"]), (2, &3.0.into()));
    let report: Value =
        serde_json::from_str(&standard_output(run(mapping, &["--cores", "2", "--format", "json"])))
            .expect("JSON");
    assert_eq!((&report["format"], &report["tasks"]), (&"fairlane/table-import@1".into(), &4.into()));
    assert!(
        standard_error(run("submit=at,runtime=length", &["--cores", "2"]))
            .contains("has no column \"length\" for runtime")
    );
    assert!(standard_error(run(mapping, &[])).contains("--cores"));
    // A file is Parquet by its first bytes; a damaged one is an error without a panic's message.
    fs::write(&table, "PAR1, and nothing else of a Parquet file").expect("a writable folder");
    let error = standard_error(run(mapping, &["--cores", "2"]));
    assert!(error.contains("cannot be read as Parquet: ") && !error.contains("panicked"), "{error}");
}
