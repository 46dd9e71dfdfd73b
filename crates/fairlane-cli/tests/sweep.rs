//! Sweeps as scripts meet them: on one machine, interrupted and resumed, and spread over processes.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fairlane::PolicyKind;
use serde_json::Value;
use tempfile::TempDir;

/// Two dozen jobs of three users, some with estimates of their own, on four cores.
fn scenario() -> String {
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
const GRID: [&str; 10] = [
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
const POINTS: usize = 48;

struct Place {
    folder: TempDir,
    scenario: String,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("two-dozen.json");
        fs::write(&path, scenario()).expect("a writable folder");
        let scenario = path.to_str().expect("a path that is text").to_owned();
        Place { folder, scenario }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `fairlane sweep` over the grid with further arguments.
    fn sweep(&self, more: &[&str]) -> Output {
        run(&[&["sweep", &self.scenario][..], &GRID, more].concat(), "")
    }
}

fn fairlane(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairlane"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str], input: &str) -> Output {
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
fn printed(output: Output) -> String {
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    String::from_utf8(output.stdout).expect("text")
}

/// What a failing command said.
#[track_caller]
fn complaint(output: &Output) -> &str {
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    text(&output.stderr)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

fn json(line: &str) -> Value {
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

#[test]
fn points_through_a_batch_are_the_sweep() {
    let place = Place::new();
    let rows = printed(place.sweep(&[]));
    for inline in [&["--points"][..], &["--points", "--inline"]] {
        let points = printed(place.sweep(inline));
        assert_eq!(points.lines().count(), POINTS);
        for threads in ["1", "3"] {
            assert_eq!(printed(run(&["batch", "--threads", threads], &points)), rows);
        }
    }
    // From standard input, which the lines' reader has not: the scenario is in each line.
    let points = printed(run(&[&["sweep", "-"][..], &GRID, &["--points"]].concat(), &scenario()));
    assert_eq!(printed(run(&["batch"], &points)), rows);
}

/// A batch process that is fed by hand.
struct Batch {
    child: Child,
    to: ChildStdin,
}

impl Batch {
    fn new(args: &[&str]) -> Batch {
        let mut child = fairlane(&[&["batch"][..], args].concat()).spawn().expect("the command starts");
        let to = child.stdin.take().expect("it is piped");
        Batch { child, to }
    }

    fn feed(&mut self, line: &str) {
        writeln!(self.to, "{line}").expect("it listens");
    }

    fn answers(self) -> String {
        drop(self.to);
        printed(self.child.wait_with_output().expect("it ends"))
    }
}

#[test]
fn several_processes_fed_round_robin_make_the_same_sweep() {
    let place = Place::new();
    let rows = printed(place.sweep(&[]));
    let points = printed(place.sweep(&["--points"]));
    let mut batches = [Batch::new(&[]), Batch::new(&["--threads", "1"]), Batch::new(&[])];
    for (number, point) in points.lines().enumerate() {
        batches[number % 3].feed(point);
    }
    let parts = batches.map(Batch::answers).concat();
    assert_ne!(parts, rows);
    // The sweep takes the parts as finished rows, whatever their order, and makes what is missing.
    let out = place.path("rows.jsonl");
    fs::write(&out, &parts[..parts.len() / 2]).expect("a writable file");
    let output = place.sweep(&["--out", out.to_str().expect("text")]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(fs::read_to_string(&out).expect("the rows"), rows);
    // Nothing is missing: they are only sorted.
    fs::write(&out, &parts).expect("a writable file");
    printed(place.sweep(&["--out", out.to_str().expect("text")]));
    assert_eq!(fs::read_to_string(&out).expect("the rows"), rows);
}

/// The example of `docs/sweeps.md`, with nothing but a shell.
#[cfg(target_os = "linux")]
#[test]
fn a_shell_spreads_a_sweep_over_processes() {
    let place = Place::new();
    let rows = printed(place.sweep(&[]));
    let script = r#"
        set -e
        "$FAIRLANE" sweep "$@" --points | split -n r/3 --filter='"$FAIRLANE" batch > "$FILE.jsonl"' - part.
        sort -t: -k3,3n part.*.jsonl"#;
    let output = Command::new("sh")
        .args(["-c", script, "sh", &place.scenario])
        .args(GRID)
        .env("FAIRLANE", env!("CARGO_BIN_EXE_fairlane"))
        .env("LC_ALL", "C")
        .current_dir(place.folder.path())
        .output()
        .expect("a shell");
    assert_eq!(printed(output), rows);
    assert_eq!(part_files(place.folder.path()), ["part.aa.jsonl", "part.ab.jsonl", "part.ac.jsonl"]);
}

#[cfg(target_os = "linux")]
fn part_files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("a readable folder");
    let names = names.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("part.")).collect();
    names.sort();
    names
}

#[test]
fn a_batch_answers_each_line_as_soon_as_it_is_known() {
    let place = Place::new();
    for threads in ["1", "2"] {
        let mut batch = Batch::new(&["--threads", threads]);
        let mut answers = BufReader::new(batch.child.stdout.take().expect("it is piped"));
        for id in 0..5 {
            let name = serde_json::to_string(&place.scenario).expect("text");
            batch.feed(&format!(r#"{{"id":{id},"scenario":{name},"policy":"cfq"}}"#));
            let mut answer = String::new();
            answers.read_line(&mut answer).expect("an answer before the next line");
            assert_eq!(json(&answer)["id"], id);
        }
        drop(batch.to);
        assert!(batch.child.wait().expect("it ends").success());
    }
}

#[test]
fn a_batch_reads_scenarios_and_answers_errors_in_order() {
    let place = Place::new();
    let compact = serde_json::to_string(&json(&scenario())).expect("JSON");
    let name = serde_json::to_string(&place.scenario).expect("text");
    let fault =
        r#"{"format":"fairlane/scenario@1","jobs":[{"user":"a","arrival_s":-1,"stages":[{"work_s":1}]}]}"#;
    let lines = [
        compact.clone(),
        format!(
            r#"{{"id":"b","scenario":{compact},"policy":"fair","atr_s":0.25,"load":2,"estimate_error":2,"seed":9}}"#
        ),
        "nonsense".to_owned(),
        String::new(),
        fault.to_owned(),
        format!(r#"{{"id":{{"x":[1]}},"scenario":{fault}}}"#),
        format!(r#"{{"id":7,"scenario":{name},"policy":"lottery"}}"#),
        format!(r#"{{"id":8,"scenario":{name},"colour":"red"}}"#),
        r#"{"id":9,"scenario":"catalog:nothing"}"#.to_owned(),
        r#"{"id":10,"scenario":"-"}"#.to_owned(),
        format!(r#"{{"id":11,"scenario":{name},"fingerprint":"0123456789abcdef"}}"#),
        format!(r#"{{"id":12,"scenario":{name},"load":-1}}"#),
        r#"{"id":13}"#.to_owned(),
        "[1]".to_owned(),
        format!(r#"{{"id":14,"scenario":{name}}}"#),
    ];
    let output = run(&["batch", "--policy", "uwfq"], &(lines.join("\n")));
    let answers: Vec<Value> = text(&output.stdout).lines().map(json).collect();
    let message = complaint(&output);
    assert!(
        message.contains("12 of 15 lines could not be simulated")
            && message.contains("the first is line 3: "),
        "{message}"
    );
    let brief = |answer: &Value| {
        let key = |key: &str| answer.get(key).map(|value| format!("{key} {value}"));
        let which: Vec<String> = ["id", "line"].into_iter().filter_map(key).collect();
        let what = match answer.get("error") {
            Some(error) => format!(
                "{}: {}",
                error["path"].as_str().expect("a path"),
                error["message"].as_str().expect("a sentence")
            ),
            None => format!(
                "{} {} {} {} {}",
                answer["policy"], answer["atr_s"], answer["load"], answer["estimate_error"], answer["seed"]
            ),
        };
        format!("{}: {what}", which.join(" "))
    };
    let summary: Vec<String> = answers.iter().map(brief).collect();
    let policies: Vec<&str> = PolicyKind::ALL.iter().map(|kind| kind.info().id).collect();
    let summary =
        summary.join("\n").replace(&place.scenario, "[FILE]").replace(&policies.join(", "), "[POLICIES]");
    insta::assert_snapshot!(summary);
    // Lines and arguments come to the same figures.
    let alone =
        json(&printed(run(&["compare", &place.scenario, "--policies", "uwfq", "--format", "json"], "")));
    assert_eq!(answers[0]["trace_hash"], alone["policies"][0]["trace_hash"]);
    assert_eq!(answers[14]["trace_hash"], answers[0]["trace_hash"]);
    // Without a policy a line must name one.
    let output = run(&["batch"], &compact);
    assert!(complaint(&output).contains("names no policy"));
    assert_eq!(printed(run(&["batch"], "")), "");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::new();
    let script =
        format!("\"$0\" sweep '{}' --estimate-error 2 --seeds 1..100000 | head -n 2", place.scenario);
    let output =
        Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_fairlane")]).output().expect("a shell");
    assert_eq!(printed(output).lines().count(), 2);
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
