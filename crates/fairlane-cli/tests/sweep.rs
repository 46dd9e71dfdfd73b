//! Sweeps as scripts meet them: on one machine, interrupted and resumed, and spread over processes.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Two dozen jobs of three users, some with estimates of their own, on four cores.
pub fn scenario() -> String {
    let job = |place: u32| {
        let (user, arrival, work) = (["ana", "ben", "cem"][place as usize % 3], place * 2, 1 + place % 5);
        format!(
            r#"{{"user":"{user}","arrival_s":{arrival},"stages":[{{"work_s":{work},"profile":[1,1,5]}},{{"work_s":2}}]}}"#
        )
    };
    let jobs: Vec<String> = (0..24).map(job).collect();
    format!(
        "{{\"format\":\"fairlane/scenario@1\",\"name\":\"Two dozen, \\\"quoted\\\"\",\n\"jobs\":[{}]}}",
        jobs.join(",\n")
    )
}

/// 2 policies x 2 ATRs x 3 seeds x 2 errors x 2 loads.
pub const GRID: [&str; 10] = [
    "--policies",
    "fair,uwfq-p",
    "--atr",
    "0.2,0.5",
    "--seeds",
    "1..2,7",
    "--estimate-error",
    "1,3",
    "--load",
    "0.5,1.25",
];
pub const POINTS: usize = 48;

pub struct Place {
    pub folder: TempDir,
    pub scenario: String,
}

impl Place {
    pub fn new() -> Place {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("two-dozen.json");
        fs::write(&path, scenario()).expect("a writable folder");
        let scenario = path.to_str().expect("a path that is text").to_owned();
        Place { folder, scenario }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `fairlane sweep` over the grid with further arguments.
    pub fn sweep(&self, more: &[&str]) -> Output {
        run(&[&["sweep", &self.scenario][..], &GRID, more].concat(), "")
    }
}

pub fn fairlane(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairlane"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub fn run(args: &[&str], input: &str) -> Output {
    let mut child = fairlane(args).spawn().expect("the command starts");
    let (mut stdin, input) = (child.stdin.take().expect("it is piped"), input.to_owned());
    // On a thread of its own, because the command answers while its input is still being written. It may end earlier.
    let writer = thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().expect("the command ends");
    writer.join().expect("it only writes");
    output
}

/// What a successful command printed; it had nothing to complain of.
#[track_caller]
pub fn printed(output: Output) -> String {
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    String::from_utf8(output.stdout).expect("text")
}

/// What a failing command said.
#[track_caller]
pub fn complaint(output: &Output) -> &str {
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    text(&output.stderr)
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

pub fn json(line: &str) -> Value {
    serde_json::from_str(line).expect("JSON")
}

#[test]
fn rows_are_in_the_grids_order_for_any_number_of_threads() {
    let place = Place::new();
    let rows = printed(place.sweep(&["--threads", "1"]));
    assert_eq!(rows.lines().count(), POINTS);
    for threads in ["2", "5"] {
        assert_eq!(printed(place.sweep(&["--threads", threads])), rows);
    }
    let all: Vec<Value> = rows.lines().map(json).collect();
    for (number, row) in all.iter().enumerate() {
        assert_eq!(row["point"], number);
        assert_eq!(row["policy"], ["fair", "uwfq-p"][number % 2]);
        assert_eq!(row["atr_s"], [0.2, 0.5][number / 2 % 2]);
        assert_eq!(row["seed"], [1, 2, 7][number / 4 % 3]);
        assert_eq!(row["estimate_error"], [1.0, 3.0][number / 12 % 2]);
        assert_eq!(row["load"], [0.5, 1.25][number / 24]);
    }
    let mean = |number: usize| all[number]["mean_response_s"].as_f64().expect("a number");
    // A policy without runtime partitioning does not look at the ATR, and true estimates not at the seed.
    assert_eq!((mean(0), mean(1)), (mean(2), mean(5)));
    // All figures of a policy without runtime partitioning, not only the mean.
    let figures = |number: usize| {
        let mut row = all[number].as_object().expect("an object").clone();
        row.retain(|key, _| !["point", "atr_s"].contains(&key.as_str()));
        row
    };
    assert_eq!(figures(12), figures(14));
    // Wrong estimates differ by seed, and with them what UWFQ with runtime partitioning makes of them.
    assert_ne!(mean(13), mean(17));
    // More load, longer waits.
    assert!(mean(24) > mean(0));
}

#[test]
fn a_row_has_the_figures_of_a_comparison() {
    let place = Place::new();
    let args = ["--policies", "uwfq-p", "--atr", "0.25"];
    let row = json(&printed(run(&[&["sweep", &place.scenario][..], &args].concat(), "")));
    let compared =
        json(&printed(run(&[&["compare", &place.scenario, "--format", "json"][..], &args].concat(), "")));
    let figures = compared["policies"][0].as_object().expect("an object");
    assert!(figures.len() >= 7);
    for (key, value) in figures {
        assert_eq!(&row[key], value, "{key}");
    }
    assert_eq!(row["scenario"], compared["scenario"]);
    assert_eq!(row["seed"], Value::Null);
}

#[test]
fn csv_has_a_line_per_point_and_columns_as_a_comparison() {
    let place = Place::new();
    let table = printed(place.sweep(&["--format", "csv"]));
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), POINTS + 1);
    let compared = printed(run(&["compare", &place.scenario, "--format", "csv"], ""));
    let columns = compared.lines().next().expect("a heading");
    assert_eq!(
        lines[0],
        format!("sweep,point,scenario,fingerprint,atr_s,load,estimate_error,seed,{columns},error")
    );
    let second = lines[2].split_once(",1,").expect("its number").1;
    assert!(second.starts_with("\"Two dozen, \"\"quoted\"\"\","), "{second}");
    assert!(second.contains(",0.2,0.5,1,1,uwfq-p,"), "{second}");
}

/// Executors, time-outs and pools against response: a line per combination, with its cost, and the Pareto edge.
/// The same rows with fewer keys, in JSON and CSV, and through a batch; another sweep than that of all metrics.
#[test]
fn only_the_metrics_that_are_asked_for_are_in_the_rows() {
    let place = Place::new();
    let all = printed(place.sweep(&[]));
    for keys in ["mean_response_s,makespan_s,trace_hash", "mean_response_s", "users,against_ujf,inversion_s"]
    {
        let rows = printed(place.sweep(&["--metrics", keys]));
        assert_eq!(rows.lines().count(), POINTS);
        for (row, full) in rows.lines().zip(all.lines()) {
            let (row, full) = (json(row), json(full));
            let row = row.as_object().expect("an object");
            for (key, value) in row.iter().filter(|(key, _)| *key != "sweep") {
                assert_eq!(*value, full[key], "{key} of {keys}");
            }
            assert_ne!(row["sweep"], full["sweep"]);
            let fixed =
                ["sweep", "point", "scenario", "fingerprint", "atr_s", "load", "estimate_error", "seed"];
            assert_eq!(row.len(), fixed.len() + 1 + keys.split(',').count(), "{row:?}");
        }
        let points = printed(place.sweep(&["--metrics", keys, "--points"]));
        assert_eq!(printed(run(&["batch"], &points)), rows);
        let out = place.path("rows.jsonl");
        let out = out.to_str().expect("text");
        fs::write(out, rows.lines().take(7).map(|row| format!("{row}\n")).collect::<String>())
            .expect("written");
        let resumed = printed(place.sweep(&["--metrics", keys, "--out", out, "--format", "jsonl"]));
        assert_eq!((resumed, fs::read_to_string(out).expect("rows")), (rows.clone(), rows));
        assert!(complaint(&place.sweep(&["--out", out])).contains("another sweep over the same scenario"));
        fs::remove_file(out).expect("removed");
    }
    let csv = printed(place.sweep(&["--metrics", "mean_response_s,held_core_s", "--format", "csv"]));
    let heading = csv.lines().next().expect("a heading");
    assert!(heading.ends_with(",seed,policy,mean_response_s,held_core_s,error"), "{heading}");
    let users = printed(place.sweep(&["--metrics", "users", "--format", "csv"]));
    assert!(users.starts_with(heading.split("policy").next().expect("a beginning")));
    assert!(users.contains("mean_response_s[ana]") && !users.contains(",makespan_s"));
}

#[test]
fn a_metric_that_there_is_not_is_named_with_those_there_are() {
    let place = Place::new();
    let output = place.sweep(&["--metrics", "mean"]);
    assert!(
        complaint(&output)
            .contains("there is no metric \"mean\"; the metrics are trace_hash, mean_response_s,")
    );
    let pareto = place.sweep(&["--metrics", "makespan_s", "--pareto", "--set", "cluster.executors=1,2"]);
    assert!(complaint(&pareto).contains("add mean_response_s"));
    let line = r#"{"scenario": "catalog:skew", "policy": "fair", "metrics": ["mean"]}"#;
    let answer = json(text(&run(&["batch"], line).stdout));
    assert_eq!(answer["error"]["path"], "metrics");
    let line = r#"{"scenario": "catalog:skew", "policy": "fair"}"#;
    let answer = json(&printed(run(&["batch", "--metrics", "utilization"], line)));
    assert!(answer["utilization"].is_f64() && answer.get("makespan_s").is_none(), "{answer}");
}

#[test]
fn fields_of_the_scenario_are_swept_with_their_cost() {
    let place = Place::new();
    let (one, other) = (place.path("flat.xml"), place.path("weighted.xml"));
    let pool = |weight: u32| format!("<pool name=\"ana\"><weight>{weight}</weight></pool>");
    fs::write(&one, format!("<allocations>{}</allocations>", pool(1))).expect("a writable folder");
    fs::write(&other, format!("<allocations>{}</allocations>", pool(5))).expect("a writable folder");
    let pools = format!("{},{}", one.display(), other.display());
    let grid = [
        "sweep",
        &place.scenario,
        "--policies",
        "spark",
        "--load",
        "6",
        "--set",
        "policies.spark.by=user",
        "--set",
        "cluster.executors=2,4",
        "--set",
        "cluster.dynamic_allocation.idle_s=1,30",
        "--pools",
        &pools,
    ];
    let plain = printed(run(&grid, ""));
    let rows: Vec<Value> = plain.lines().map(json).collect();
    assert_eq!(rows.len(), 8);
    let set = |row: &Value, index: usize| row["set"][index][1].clone();
    assert_eq!(set(&rows[1], 1), 4, "the first field changes fastest");
    assert_eq!((set(&rows[3], 2), &set(&rows[7], 3)[0]["weight"]), (30.into(), &5.into()));
    let number = |row: &Value, name: &str| row[name].as_f64().expect("a number");
    for row in &rows {
        let parts = number(row, "working_core_h") + number(row, "idle_core_h");
        assert!((number(row, "held_core_h") - parts).abs() < 1e-9, "{row}");
    }
    // Executors that stay longer cost more and answer sooner.
    let (quick, slow) = (&rows[0], &rows[2]);
    assert!(number(quick, "held_core_h") < number(slow, "held_core_h"), "{plain}");
    assert!(number(quick, "mean_response_s") >= number(slow, "mean_response_s"), "{plain}");

    let marked: Vec<Value> =
        printed(run(&[&grid[..], &["--pareto"]].concat(), "")).lines().map(json).collect();
    let beats = |one: &Value, other: &Value| {
        let [a, b] = ["held_core_h", "mean_response_s"].map(|name| (number(one, name), number(other, name)));
        a.0 <= a.1 && b.0 <= b.1 && (a.0 < a.1 || b.0 < b.1)
    };
    for row in &marked {
        assert_eq!(row["pareto"], !marked.iter().any(|other| beats(other, row)), "{row}");
    }
    let csv = printed(run(&[&grid[..], &["--pareto", "--format", "csv"]].concat(), ""));
    let heading = csv.lines().next().expect("a heading");
    assert!(
        heading.contains(",cluster.executors,") && heading.ends_with(",idle_core_h,pareto,error"),
        "{heading}"
    );

    // Another process measures the same points.
    let points = printed(run(&[&grid[..], &["--points"]].concat(), ""));
    assert_eq!(printed(run(&["batch"], &points)), plain);
    let complaints =
        |more: &[&str]| complaint(&run(&[&["sweep", &place.scenario][..], more].concat(), "")).to_owned();
    assert!(
        complaints(&["--set", "cluster.machines=2"]).contains("cluster.machines is no field of a scenario")
    );
    assert!(complaints(&["--pareto"]).contains("add --set cluster.executors=2,4,8 or --pools"));
}

/// What docs/sweeps.md tries: lists and objects are values, and losses have fields of their own.
#[test]
fn attempts_and_places_are_swept() {
    let rows = |arguments: &[&str]| -> Vec<Value> {
        printed(run(&[&["sweep"], arguments].concat(), "")).lines().map(json).collect()
    };
    let number = |row: &Value, name: &str| row[name].as_f64().expect("a number");
    let speculation = r#"cluster.speculation=null,{},{"quantile":0.5,"multiplier":1.5}"#;
    let speeds = "cluster.speeds=[1,1,1],[1,1,0.25]";
    let slow = rows(&["catalog:slow-machine", "--policies", "fair", "--set", speeds, "--set", speculation]);
    assert_eq!(slow.len(), 6);
    assert_eq!(slow[5]["set"][0], serde_json::json!(["cluster.speeds", [1, 1, 0.25]]));
    assert!(slow[1]["set"][1][1].is_null() && slow[3]["set"][1][1] == serde_json::json!({}));
    assert!(number(&slow[1], "mean_response_s") > number(&slow[5], "mean_response_s"), "{slow:?}");
    assert!(number(&slow[5], "wasted_core_s") > 0.0, "{slow:?}");
    let at = "cluster.losses[0].at_s=2,100";
    let lost = rows(&["catalog:machine-dies", "--policies", "fair", "--set", at]);
    assert!(number(&lost[0], "mean_response_s") > number(&lost[1], "mean_response_s"), "{lost:?}");
    let cancelled = rows(&["catalog:machine-dies", "--policies", "fair", "--set", "jobs[0].cancel_s=1,null"]);
    assert_ne!(cancelled[0]["trace_hash"], cancelled[1]["trace_hash"]);
}

#[test]
fn a_stopped_sweep_resumes_wherever_it_was_stopped() {
    let place = Place::new();
    let rows = printed(place.sweep(&[]));
    let table = printed(place.sweep(&["--format", "csv"]));
    let out = place.path("rows.jsonl");
    let out_arg = out.to_str().expect("text");
    assert_eq!(printed(place.sweep(&["--out", out_arg])), "");
    assert_eq!(fs::read_to_string(&out).expect("the rows"), rows);
    let after = |lines: usize| rows.split_inclusive('\n').take(lines).map(str::len).sum::<usize>();
    // Nothing, the first bytes, between two rows, before a line end, within a row, all.
    for (kept, half) in [
        (0, false),
        (5, true),
        (after(3), false),
        (after(3) - 1, false),
        (after(20) + 200, true),
        (rows.len(), false),
    ] {
        fs::write(&out, &rows[..kept]).expect("a writable file");
        let output = place.sweep(&["--out", out_arg, "--format", "csv"]);
        let message = text(&output.stderr);
        assert_eq!(message.contains("cut off half a row at its end"), half, "{kept}: {message}");
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), table.as_str()), "{kept}");
        assert_eq!(fs::read_to_string(&out).expect("the rows"), rows, "{kept}");
    }
}

#[test]
fn finished_rows_are_not_measured_again() {
    let place = Place::new();
    let out = place.path("rows.jsonl");
    let args = ["--out", out.to_str().expect("text"), "--format", "jsonl"];
    let rows = printed(place.sweep(&args));
    // A figure that no simulation gives shows that the row was taken as it is.
    let first = rows.lines().next().expect("a row");
    let mean = json(first)["mean_response_s"].to_string();
    let marked = rows.replacen(&format!("\"mean_response_s\":{mean}"), "\"mean_response_s\":123456.75", 1);
    let kept: String = marked.split_inclusive('\n').take(10).collect();
    fs::write(&out, kept).expect("a writable file");
    assert_eq!(printed(place.sweep(&args)), marked);
    assert_eq!(fs::read_to_string(&out).expect("the rows"), marked);
}

#[test]
fn rows_in_any_order_are_sorted_into_the_grids() {
    let place = Place::new();
    let rows = printed(place.sweep(&[]));
    let out = place.path("rows.jsonl");
    let mut lines: Vec<&str> = rows.split_inclusive('\n').collect();
    lines.reverse();
    lines.insert(4, lines[9]);
    lines.remove(20);
    fs::write(&out, lines.concat()).expect("a writable file");
    printed(place.sweep(&["--out", out.to_str().expect("text")]));
    assert_eq!(fs::read_to_string(&out).expect("the rows"), rows);
}

#[test]
fn a_file_of_other_rows_is_refused_and_left_alone() {
    let place = Place::new();
    let rows = printed(place.sweep(&[]));
    let out = place.path("rows.jsonl");
    let path = out.to_str().expect("text");
    let refused = |contents: &str, args: &[&str]| {
        fs::write(&out, contents).expect("a writable file");
        let message = complaint(&run(args, "")).to_owned();
        assert_eq!(fs::read_to_string(&out).expect("the file"), contents);
        message
    };
    let with_out: Vec<&str> = [&["sweep", &place.scenario][..], &GRID, &["--out", path]].concat();
    let mut other_grid = with_out.clone();
    other_grid[5] = "0.2,0.4";
    let message = refused(&rows, &other_grid);
    assert!(message.contains("line 1 is a row of another sweep over the same scenario"), "{message}");
    let mut other_scenario = with_out.clone();
    other_scenario[1] = "catalog:skew";
    let message = refused(&rows, &other_scenario);
    assert!(message.contains("line 1 is a row of another scenario (fingerprint"), "{message}");
    // No rows at all: a whole file of something else, with and without a line end, and a damaged row.
    for contents in [scenario(), "{\"my\":\"notes\"}".to_owned(), "{\"sweep\":\"0\"}\n".to_owned()] {
        let message = refused(&contents, &with_out);
        assert!(message.contains("line 1 is no row of a sweep"), "{message}");
    }
    let damaged = rows.replacen(",\"seed\"", "", 3);
    let message = refused(&damaged, &with_out);
    assert!(message.contains("line 1 is no row of a sweep"), "{message}");
    // The same point with different figures.
    let first = rows.split_inclusive('\n').next().expect("a row");
    let twice = rows.clone() + &first.replace("\"mean_response_s\":", "\"mean_response_s\":1");
    let message = refused(&twice, &with_out);
    assert!(message.contains("lines 1 and 49 both are point 0 but differ"), "{message}");
    let message =
        complaint(&run(&[&["sweep", &place.scenario][..], &["--out", "/dev/null"]].concat(), "")).to_owned();
    assert!(message.contains("no regular file"), "{message}");
}

#[test]
fn a_point_that_cannot_be_simulated_is_reported_and_the_others_continue() {
    let place = Place::new();
    let args = ["sweep", &place.scenario, "--policies", "fair,uwfq-p", "--atr", "0.000001,0.5"];
    for more in [&[][..], &["--format", "csv"]] {
        let output = run(&[&args[..], more].concat(), "");
        let message = complaint(&output);
        assert!(
            message.contains("2 of 4 points could not be simulated")
                && message.contains("the first is point 0: jobs["),
            "{message}"
        );
        let rows: Vec<&str> = text(&output.stdout).lines().collect();
        match more {
            [] => {
                let failed = json(rows[1]);
                assert_eq!(failed["policy"], "uwfq-p");
                assert!(
                    failed["error"]["message"]
                        .as_str()
                        .expect("a sentence")
                        .contains("the limit of 20000000")
                );
                assert!(failed["error"]["path"].as_str().expect("a path").starts_with("jobs["));
                assert!(json(rows[3])["mean_response_s"].is_f64() && rows.len() == 4);
            }
            _ => {
                let commas =
                    |row: &str| row.replace("\"Two dozen, \"\"quoted\"\"\"", "").matches(',').count();
                assert_eq!(rows.len(), 5);
                assert!(rows[1].contains(",fair,,"), "{}", rows[1]);
                assert!(rows[1].ends_with("raise advisory_task_runtime_s or split the file"), "{}", rows[1]);
                assert_eq!(commas(rows[1]), commas(rows[0]));
                assert_eq!(commas(rows[3]), commas(rows[0]));
            }
        }
    }
}

#[test]
fn grids_that_make_no_sense_are_refused() {
    let place = Place::new();
    let message =
        |args: &[&str]| complaint(&run(&[&["sweep", &place.scenario][..], args].concat(), "")).to_owned();
    assert!(message(&["--seeds", "1..5"]).contains("nothing is random"));
    assert!(message(&["--seeds", "5..1"]).contains("runs backwards"));
    assert!(message(&["--seeds", "0..18446744073709551615"]).contains("more than 1000000 seeds"));
    assert!(
        message(&["--seeds", "1..1000000", "--estimate-error", "2"]).contains("more than 1000000 points")
    );
    assert!(message(&["--load", "0"]).contains("above 0"));
    assert!(message(&["--load", "-1"]).contains("above 0"));
    assert!(message(&["--estimate-error", "0.5"]).contains("1 or more"));
    assert!(message(&["--threads", "0"]).contains("--threads"));
    assert!(message(&["--inline"]).contains("--points"));
}

/// Interrupts the command as Ctrl-C does.
#[cfg(unix)]
fn interrupt(child: &Child) {
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill is there").success());
}

#[cfg(unix)]
#[test]
fn an_interrupted_sweep_says_how_to_resume_and_does() {
    let place = Place::new();
    let out = place.path("rows.jsonl");
    let path = out.to_str().expect("text");
    // Thousands of points: long enough to be interrupted, and then to be cut down to what was done.
    let seeds = "1..100000";
    let args = [
        "sweep",
        &place.scenario,
        "--policies",
        "uwfq",
        "--estimate-error",
        "2",
        "--out",
        path,
        "--seeds",
        seeds,
    ];
    let child = fairlane(&args).spawn().expect("the command starts");
    let deadline = Instant::now() + Duration::from_secs(60);
    while fs::metadata(&out).map_or(0, |metadata| metadata.len()) < 10_000 {
        assert!(Instant::now() < deadline, "no rows after a minute");
        thread::sleep(Duration::from_millis(5));
    }
    // While it is at work nobody else may be.
    let second = run(&args, "");
    assert!(complaint(&second).contains("another sweep is at work on it"), "{}", text(&second.stderr));
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let rows = fs::read_to_string(&out).expect("the rows");
    let expected = format!(
        "fairlane: stopped; {} of 100000 points are in {path}; run the same command to resume\n",
        rows.lines().count()
    );
    assert_eq!(text(&output.stderr), expected);
    assert!(rows.ends_with('\n') && rows.lines().all(|line| json(line)["mean_response_s"].is_f64()));
}

const GENERATOR: &str = r#"{ "format": "fairlane/generator@1", "name": "Drawn", "seed": 5, "duration_s": 60, "groups": [
    { "prefix": "user", "users": 3, "arrivals": { "poisson": { "per_minute": 8 } },
      "sizes": { "exponential": { "mean_s": 3 } } } ] }"#;

#[test]
fn a_generator_makes_a_scenario_of_each_seed() {
    let args = ["--policies", "ujf,uwfq", "--seeds", "5..7", "--load", "0.5"];
    let rows = printed(run(&[&["sweep", "-"][..], &args].concat(), GENERATOR));
    let all: Vec<Value> = rows.lines().map(json).collect();
    assert_eq!(all.len(), 6);
    for row in &all {
        let file = GENERATOR.replace("\"seed\": 5", &format!("\"seed\": {}", row["seed"]));
        let generator = fairlane::scenario::Generator::from_json(&file).expect("a good generator");
        let scenario = generator
            .scenario()
            .and_then(|scenario| scenario.with(&fairlane::scenario::Edit::Load(0.5)))
            .expect("a good scenario");
        let policy = row["policy"].as_str().expect("text").parse().expect("a policy");
        let hash = format!("{:016x}", fairlane::simulate(&scenario, policy).hash());
        assert_eq!((&row["trace_hash"], &row["scenario"]), (&Value::from(hash), &Value::from("Drawn")));
    }
    // Its own seed is that of the first two rows, and the lines of a batch make all of them again.
    let own = printed(run(&["sweep", "-", "--policies", "ujf,uwfq", "--load", "0.5"], GENERATOR));
    let hashes = |row: &Value| (row["seed"].clone(), row["trace_hash"].clone());
    assert_eq!(
        own.lines().map(json).map(|row| hashes(&row)).collect::<Vec<_>>(),
        [hashes(&all[0]), hashes(&all[1])]
    );
    let points = printed(run(&[&["sweep", "-", "--points"][..], &args].concat(), GENERATOR));
    assert_eq!(printed(run(&["batch"], &points)), rows);
    let table = printed(run(&[&["sweep", "-", "--format", "csv"][..], &args].concat(), GENERATOR));
    assert!(table.lines().next().expect("a heading").contains("mean_response_s[user3]"), "{table}");
    assert_eq!(table.lines().count(), 7);
}
