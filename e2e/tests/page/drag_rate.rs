//! How fast the page follows a drag: a benchmark that prints its figures. The aim, on two cores
//! with nothing else on them: the block follows on every frame, and each of ten panels twenty times a second, of
//! nineteen eight times.

use e2e::{Lab, Site, Value, json};
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::PartitionMode;

use crate::steps;

const MEASURE: &str = include_str!("drag_rate.js");
/// A job near the middle of the charts.
const JOB: u32 = 90;
/// How long each drag takes.
const SECONDS: f64 = 4.0;

/// The paper's first scenario under these policies.
#[track_caller]
fn full_page(site: &Site, policies: &[PolicyId]) -> Lab {
    let lab = steps::open(site, "paper-scenario-1");
    steps::tick_folded(&lab, policies);
    lab
}

#[track_caller]
fn measure(lab: &Lab, options: &Value) -> Value {
    lab.eval(&format!("({MEASURE})({options})"))
}

/// Prints what was measured; fails only where the page does not follow at all, however busy the machine is.
#[track_caller]
fn report(what: &str, seen: &Value, tolerance: f64, count: usize) {
    let number = |name: &str| seen[name].as_f64().unwrap_or(f64::NAN);
    let offs: Vec<f64> = seen["offs"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    let followed = offs.iter().filter(|off| off.abs() <= tolerance).count();
    let share = followed as f64 / offs.len().max(1) as f64;
    println!("{what}, {:.1} s:", number("seconds"));
    println!(
        "  frames: {:.1} a second; median {:.1} ms, 95 % within {:.1} ms, longest {:.1} ms; {} tasks over 50 ms",
        number("frames") / number("seconds"),
        number("median_frame"),
        number("p95_frame"),
        number("longest_frame"),
        seen["long_tasks"],
    );
    println!(
        "  block: {} moves of the pointer; follows in {:.1} % of frames (within {tolerance} px, furthest {:.1} px)",
        seen["moves"],
        share * 100.0,
        offs.iter().fold(0.0_f64, |furthest, off| furthest.max(off.abs())),
    );
    let panels = seen["panels"].as_array().cloned().unwrap_or_default();
    for kind in ["hashes", "draws"] {
        let rates = panels.iter().filter_map(|panel| panel[kind].as_f64());
        // Charts that are not on the screen are not drawn.
        let rates: Vec<f64> = rates.filter(|rate| kind == "hashes" || *rate > 1.0).collect();
        let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let mean = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
        println!("  {kind} of {} panels: {least:.1} a second at least, {mean:.1} on average", rates.len());
        if kind == "hashes" {
            assert_eq!(rates.len(), count, "{what}: panels");
            assert!(least > 0.0, "{what}: a panel follows {least:.1} times a second");
        }
    }
    let drawn = panels.iter().filter(|panel| panel["draws"].as_f64() > Some(1.0));
    let pauses = drawn.filter_map(|panel| panel["longest"].as_f64());
    println!("  the longest a chart stood still: {:.0} ms", pauses.fold(0.0, f64::max));
    assert!(share > 0.0, "{what}: the block follows in {share:.2} of frames");
}

#[test]
fn the_page_follows_a_drag() {
    let site = Site::dist();
    let lab = full_page(&site, &steps::papers_policies());
    // With the grid freed a block is to be under the pointer to the pixel; on the grid within half a step of
    // it, which is at least six pixels wide and less than twenty.
    for (what, free, tolerance) in [("off the grid", true, 1.0), ("on the grid", false, 10.0)] {
        let seen = measure(&lab, &json!({ "job": JOB, "seconds": SECONDS, "free": free, "hand": false }));
        report(&format!("dragging {what}"), &seen, tolerance, 10);
        lab.wait_until(steps::READY);
    }
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn the_page_follows_a_drag_under_all_policies() {
    let site = Site::dist();
    // All but the one that decides as UWFQ's authors' class does.
    let kinds = PolicyKind::ALL.iter().copied().filter(|kind| kind.info().id != "uwfq-released");
    let policies: Vec<PolicyId> =
        kinds.map(|kind| PolicyId { kind, partitioning: PartitionMode::Default }).collect();
    let lab = full_page(&site, &policies);
    let seen = measure(&lab, &json!({ "job": JOB, "seconds": SECONDS, "free": true, "hand": false }));
    report("dragging under all policies", &seen, 1.0, policies.len());
    lab.wait_until(steps::READY);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
