//! Tuning as people and scripts meet it.

use crate::command::{complaint, printed};
use serde_json::Value;

/// One core, which z holds until 1 s; by then a (3 s) and b (1 s) have arrived. If the smaller job goes first (alpha
/// below 0), responses are 1, 4.75 and 1.5 s, otherwise 1, 3.75 and 4.5 s.
const SMALL: &str = r#"{ "format": "fairlane/scenario@1", "name": "Small", "cluster": { "cores_per_executor": 1 }, "jobs": [
    { "user": "z", "arrival_s": 0, "stages": [{ "tasks_s": [1] }] },
    { "user": "a", "arrival_s": 0.25, "stages": [{ "tasks_s": [3] }] },
    { "user": "b", "arrival_s": 0.5, "stages": [{ "tasks_s": [1] }] } ] }"#;

const ALPHA: [&str; 10] =
    ["tune", "-", "--policy", "wfair", "--parameter", "alpha", "--from", "-1", "--to", "1"];

fn alpha(more: &[&str]) -> String {
    printed(&[&ALPHA[..], more].concat(), SMALL)
}

#[test]
fn the_table_shows_the_curve_and_the_best_value() {
    let expected = " alpha   mean-response s
──────────────────────────
    -1             2.417*
  -0.5             2.417
     0             3.083
   0.5             3.083
     1             3.083

alpha -1 is best under wfair: mean response time 2.417 s, -21.6 % against 3.083 s with the scenario's own 0.
";
    let lines = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!(lines(&alpha(&["--step", "0.5"])), lines(expected));
}

#[test]
fn csv_has_a_line_per_value() {
    let rows = alpha(&["--step", "1", "--format", "csv"]);
    let [low, high] = [7_250_000.0, 9_250_000.0].map(|sum: f64| sum / 3.0 / 1e6);
    let expected = format!(
        "alpha,mean,least,most,deviation\n-1,{low},{low},{low},\n0,{high},{high},{high},\n1,{high},{high},{high},\n"
    );
    assert_eq!(rows, expected);
}

/// b's share of the whole grows with alpha below 0 only; what is largest at alpha 1 is the mean response.
#[test]
fn a_metric_can_be_maximised() {
    let text = alpha(&["--step", "2", "--maximise", "mean-response"]);
    assert!(
        text.contains("alpha 1 is best under wfair: mean response time 3.083 s, the same as with"),
        "{text}"
    );
}

#[test]
fn seeds_are_averaged_the_same_for_any_number_of_threads() {
    let grid = ["--step", "0.25", "--seeds", "1..4", "--estimate-error", "8", "--format", "json"];
    let [one, three] = ["1", "3"].map(|threads| alpha(&[&grid[..], &["--threads", threads]].concat()));
    assert_eq!(one, three);
    let tuned: Value = serde_json::from_str(&one).expect("JSON");
    assert_eq!(tuned["format"], "fairlane/tuning@1");
    assert_eq!(tuned["seeds"], serde_json::json!([1, 2, 3, 4]));
    let curve = tuned["curve"].as_array().expect("a list");
    assert_eq!(curve.len(), 9);
    let mean = |point: &Value| point["mean"].as_f64().expect("a mean");
    for point in curve {
        let figures: Vec<f64> =
            point["by_seed"].as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
        assert_eq!(mean(point), figures.iter().sum::<f64>() / 4.0);
        assert!(mean(point) >= mean(&tuned["best"]));
    }
    // Where nothing errs, alpha 0 does not read estimates.
    assert_eq!(curve[4]["deviation"], 0.0);
    let table = alpha(&[&grid[..6], &["--threads", "2"]].concat());
    assert!(table.contains(" on average over 4 seeds, standard deviation "), "{table}");
}

#[test]
fn the_advisory_task_runtime_is_tuned_under_runtime_partitioning() {
    let grid = ["--parameter", "atr", "--from", "0.5", "--to", "3", "--step", "0.5"];
    let text = printed(&[&["tune", "catalog:skew", "--policy", "uwfq-p"], &grid[..]].concat(), "");
    assert!(text.contains(" is best under uwfq-p: mean response time "), "{text}");
}

#[test]
fn mistakes_are_refused_with_the_remedy() {
    let refused = |args: &[&str]| complaint(&[&["tune", "-"], args].concat(), SMALL);
    let range = ["--from", "0", "--to", "1", "--step", "0.5"];
    for (args, said) in [
        (["--policy", "wfair", "--parameter", "beta"], "wfair has no parameter beta; it has alpha"),
        (["--policy", "fifo", "--parameter", "atr"], "tune it under fifo-p"),
        (["--policy", "fifo", "--parameter", "alpha"], "fifo has no parameters; tune atr under fifo-p"),
    ] {
        let text = refused(&[&args[..], &range[..]].concat());
        assert!(text.contains("--parameter") && text.contains(said), "{text}");
    }
    let paf = ["--policy", "paf", "--parameter", "alpha", "--from", "0.5", "--to", "2", "--step", "0.5"];
    let text = refused(&paf);
    assert!(text.contains("alpha 1.5: must be a number from 0 to 1; change --from or --to"), "{text}");
    let seeds = [&ALPHA[2..], &["--step", "1", "--seeds", "1..3"]].concat();
    assert!(refused(&seeds).contains("nothing is random in standard input"));
    let backwards = ["--policy", "wfair", "--parameter", "alpha", "--from", "1", "--to", "0", "--step", "1"];
    assert!(refused(&backwards).contains("runs backwards"));
    let unknown = [&ALPHA[2..], &["--step", "1", "--minimise", "beauty"]].concat();
    assert!(refused(&unknown).contains("the metrics are mean-response, "));
    let nothing = printed(&[&ALPHA[..], &["--step", "1", "--maximise", "deadlines"]].concat(), SMALL);
    assert!(nothing.contains("No value has a satisfied deadlines ratio"), "{nothing}");
}
