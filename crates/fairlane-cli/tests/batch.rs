//! `fairlane batch`, and sweeps that several processes share.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command};

use crate::sweep::*;
use fairlane::PolicyKind;
use serde_json::Value;

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
