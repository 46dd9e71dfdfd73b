//! The Gantt charts of a million tasks: frames while zooming and panning, and the hit test.

use std::fmt::Write as _;
use std::time::Duration;

use super::{Figure, spread};
use crate::{Lab, Look, Site, Value, json};

const TURN: &str = include_str!("gantt.js");
const HOVER: &str = include_str!("hover.js");

/// Every panel shows what it should.
const READY: &str = "document.documentElement.dataset.ready === 'true'";

/// Turns of the wheel from everything to a thousandth of it, where single tasks are wide.
const STEPS: usize = 60;

/// The most a frame may take, in milliseconds: median and 95th percentile, of one chart and of two.
const ONE: (f64, f64) = (4.0, 8.0);
const TWO: (f64, f64) = (8.0, 8.0);

/// The most a hit test may take, in milliseconds.
const HIT: f64 = 0.1;

/// What is measured: on a number of cores, with the tasks in a number of jobs.
struct Case {
    name: &'static str,
    cores: u32,
    jobs: u32,
    policies: &'static str,
    limits: Option<(f64, f64)>,
}

const CASES: [Case; 4] = [
    Case { name: "one chart", cores: 32, jobs: 32, policies: "fair", limits: Some(ONE) },
    Case { name: "two charts", cores: 32, jobs: 32, policies: "fair,uwfq", limits: Some(TWO) },
    Case { name: "one chart, 320 jobs", cores: 32, jobs: 320, policies: "fair", limits: None },
    Case { name: "one chart, 1000 cores", cores: 1000, jobs: 32, policies: "fair", limits: None },
];

/// Measures.
pub fn measure() -> Vec<Figure> {
    let site = Site::dist();
    let mut figures = Vec::new();
    for Case { name, cores, jobs, policies, limits } in CASES {
        let lab = open(&site, cores, jobs, policies);
        figures.extend(frames(&lab, name, limits));
        let batches = numbers(&lab.eval(&format!("({HOVER})()")));
        figures.extend(spread(&format!("{name}, hover with hit test"), &batches, "ms", Some((HIT, HIT))));
    }
    figures
}

/// The page with a million tasks, simulated under some policies.
pub fn open(site: &Site, cores: u32, jobs: u32, policies: &str) -> Lab {
    let lab = Lab::open_as(site, Look::DESK.sized(1280, 1000), &format!("#catalog:skew&policies={policies}"));
    lab.wait_until(READY);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("million.json");
    std::fs::write(&file, million(cores, jobs)).expect("room for a file");
    lab.upload("#file", &file);
    lab.wait_until("document.querySelector('#title')?.value === 'million'");
    let panels = policies.split(',').count();
    let done = format!("document.querySelectorAll('.panel[data-state=done]').length === {panels} && {READY}");
    lab.wait_at_most(Duration::from_secs(300), &done);
    lab.rect(".panel canvas");
    lab
}

/// A million tasks of about a second in equal jobs of 32 users, of uneven length, four cores an executor. The jobs
/// come so fast that those of many users run at a time.
fn million(cores: u32, count: u32) -> String {
    let tasks = 1_000_000 / count;
    let mut jobs = String::new();
    for job in 0..count {
        let comma = if job == 0 { "" } else { ",\n" };
        let profile: Vec<String> =
            (0..125).map(|slice| (1 + (job * 7 + slice * slice * 3) % 11).to_string()).collect();
        let arrival = f64::from(job) * 0.8 * f64::from(tasks) / f64::from(cores);
        write!(
            jobs,
            r#"{comma}{{ "user": "user{}", "arrival_s": {arrival}, "stages": [{{ "work_s": {tasks}, "partitions": {tasks}, "profile": [{}] }}] }}"#,
            job % 32,
            profile.join(", ")
        )
        .expect("text can grow");
    }
    format!(
        r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "executors": {}, "cores_per_executor": 4 }}, "jobs": [{jobs}] }}"#,
        cores / 4
    )
}

/// Zooms in and out of a place, and pans where the charts are dense, in between, and where tasks are wide.
fn frames(lab: &Lab, name: &str, limits: Option<(f64, f64)>) -> Vec<Figure> {
    let zoom = |by: f64| vec![by / STEPS as f64; STEPS];
    let nearer = |factor: f64| json!({ "ctrl": true, "at": 0.37, "turns": zoom(-factor.ln() / WHEEL_ZOOM) });
    let away = json!({ "ctrl": true, "at": 0.37, "turns": zoom(1000.0_f64.ln() / WHEEL_ZOOM) });
    let pan = json!({ "shift": true, "at": 0.37, "turns": pan_turns() });
    let passes = [
        ("zoom", vec![nearer(1000.0), away]),
        ("pan, dense", vec![nearer(1.5), pan.clone()]),
        ("pan, middle", vec![nearer(30.0), pan.clone()]),
        ("pan, narrow", vec![nearer(20.0), pan]),
    ];
    let mut figures = Vec::new();
    for (pass, parts) in passes {
        let measured = if pass == "zoom" { 0 } else { 1 };
        let seen: Vec<Value> = parts.iter().map(|part| lab.eval(&format!("({TURN})({part})"))).collect();
        let of = |what: &str| -> Vec<f64> {
            seen[measured..].iter().flat_map(|seen| numbers(&seen[what])).collect()
        };
        figures.extend(spread(&format!("{name}, {pass}: script"), &of("script"), "ms", limits));
        figures.extend(spread(&format!("{name}, {pass}: with layout and paint"), &of("frame"), "ms", None));
        figures.push(Figure::new(
            format!("{name}, {pass}: from frame to frame, p95"),
            super::quantile(&of("gap"), 0.95),
            "ms",
        ));
        let drawn = of("drawn");
        figures.push(Figure::new(
            format!("{name}, {pass}: images a frame"),
            drawn.iter().sum::<f64>() / drawn.len() as f64,
            "",
        ));
    }
    lab.eval(&format!("({TURN})({})", json!({ "ctrl": true, "at": 0.5, "turns": [9000] })));
    figures
}

/// To the right, back to the left of where it began, and to the beginning, never so far that an edge is met.
fn pan_turns() -> Vec<i32> {
    (0..STEPS)
        .map(|step| if step < STEPS / 6 || (STEPS / 2..5 * STEPS / 6).contains(&step) { 8 } else { -8 })
        .collect()
}

/// How much a pixel of the wheel zooms, as a power of e.
const WHEEL_ZOOM: f64 = 0.002;

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}
