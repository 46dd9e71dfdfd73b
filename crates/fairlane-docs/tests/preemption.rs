//! The page about preemption against runtime partitioning: its tables and its picture are what its sweeps give.

use std::env;
use std::fs;
use std::path::Path;

use fairlane::scenario::Edit;
use fairlane::units::Span;
use fairlane::{PolicyId, Scenario, simulate};
use fairlane_study::sweep::{GridPoint, Setting, Workload};
use fairlane_view::chart::{
    self, Axis, AxisUnit, Chart, ChartPoint, Dots, Paint, Series, SeriesInk, SeriesShape,
};
use fairlane_view::gantt::Rgb;
use serde_json::json;

use crate::guide::REWRITE;
use crate::root;

const PAGE: &str = "docs/preemption.md";
const PICTURE: &str = "docs/img/preemption.svg";

/// The seeds, the times that a user starves, and the advisory task runtimes of the page's sweeps, in seconds.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=5;
const AFTER: [f64; 6] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0];
const ATR: [f64; 6] = [0.25, 0.5, 1.0, 2.0, 5.0, 10.0];

/// What a setting gives, over all seeds.
struct Measured {
    setting: f64,
    /// The longest wait of a lookup for its first core, in seconds.
    bound: f64,
    /// The mean response time of the lookups, in seconds.
    lookups: f64,
    /// The nightly job's response time, in seconds.
    nightly: f64,
    /// Core time of tasks that were killed, and of overhead, each in percent of the work.
    wasted: f64,
    overhead: f64,
}

impl Measured {
    /// What one is given for nothing, in percent of the work.
    fn cost(&self) -> f64 {
        self.wasted + self.overhead
    }
}

/// The page's workload: its block of JSON.
fn workload(page: &str) -> Workload {
    let (_, block) = page.split_once("```json\n").expect("a block of JSON");
    let (file, _) = block.split_once("```").expect("its end");
    Workload::from_json(file).expect("a generator")
}

fn scenarios(workload: &Workload, point: &GridPoint) -> Vec<Scenario> {
    let seeded = |seed| GridPoint { seed: Some(seed), ..point.clone() };
    SEEDS.map(|seed| workload.scenario(&seeded(seed)).expect("a sound point")).collect()
}

fn measured(workload: &Workload, setting: f64, point: &GridPoint) -> Measured {
    let mut all = Measured { setting, bound: 0.0, lookups: 0.0, nightly: 0.0, wasted: 0.0, overhead: 0.0 };
    let (mut count, mut work) = (0.0, 0.0);
    for scenario in scenarios(workload, point) {
        let trace = simulate(&scenario, point.policy);
        work += scenario.jobs().iter().map(|job| job.work().seconds()).sum::<f64>();
        all.wasted += trace.wasted().seconds();
        all.overhead += trace.tasks.len() as f64 * scenario.cluster().task_overhead.seconds();
        let nightly = scenario.users().iter().position(|user| user.name.starts_with("nightly"));
        for (index, (job, run)) in scenario.jobs().iter().zip(&trace.jobs).enumerate() {
            let response = run.response().expect("every job ends").seconds();
            if Some(job.user.index()) == nightly {
                all.nightly += response / SEEDS.count() as f64;
                continue;
            }
            let first = trace.tasks.iter().find(|task| task.job.index() == index).expect("its first task");
            all.bound = all.bound.max(first.start.since(run.arrival).seconds());
            all.lookups += response;
            count += 1.0;
        }
    }
    all.lookups /= count;
    all.wasted *= 100.0 / work;
    all.overhead *= 100.0 / work;
    all
}

fn policy(name: &str) -> PolicyId {
    name.parse().expect("a policy")
}

/// Without a remedy, with preemption, and with runtime partitioning.
fn sweeps(workload: &Workload) -> [Vec<Measured>; 3] {
    let none = GridPoint::new(policy("uwfq"));
    let set = |after: f64| GridPoint {
        settings: vec![
            Setting("cluster.preemption.interval_s".to_owned(), json!(0.5)),
            Setting("cluster.preemption.after_s".to_owned(), json!(after)),
        ],
        ..GridPoint::new(policy("uwfq"))
    };
    let cut = |atr: f64| GridPoint {
        edit: Some(Edit::advisory_task_runtime(Span((atr * 1e6) as u64))),
        ..GridPoint::new(policy("uwfq-p"))
    };
    [
        vec![measured(workload, 0.0, &none)],
        AFTER.map(|after| measured(workload, after, &set(after))).into(),
        ATR.map(|atr| measured(workload, atr, &cut(atr))).into(),
    ]
}

fn row(name: &str, Measured { bound, lookups, nightly, wasted, overhead, .. }: &Measured) -> String {
    format!("| {name} | {bound:.2} s | {lookups:.2} s | {nightly:.1} s | {wasted:.1} % | {overhead:.1} % |\n")
}

fn tables([none, preemption, cut]: &[Vec<Measured>; 3]) -> String {
    let heading = "| | longest wait | mean response of lookups | nightly | wasted | overhead |\n|---|---|---|---|---|---|\n";
    let mut text = heading.to_owned();
    none.iter().for_each(|measured| text += &row("UWFQ alone", measured));
    preemption
        .iter()
        .for_each(|measured| text += &row(&format!("kill after {} s", measured.setting), measured));
    cut.iter().for_each(|measured| text += &row(&format!("`-p`, ATR {} s", measured.setting), measured));
    text
}

/// Each bound with its price; a line per remedy.
fn picture([_, preemption, cut]: &[Vec<Measured>; 3]) -> String {
    let series = |name: &str, ink: &str, measured: &[Measured]| {
        let mut points: Vec<ChartPoint> = (0..)
            .zip(measured)
            .map(|(item, measured)| ChartPoint { item, x: measured.bound, y: measured.cost() / 100.0 })
            .collect();
        points.sort_by(|one, other| one.x.total_cmp(&other.x));
        Series { name: name.to_owned(), ink: SeriesInk::Policy(policy(ink)), dots: Dots::Shown, points }
    };
    let series =
        vec![series("kill the long task", "uwfq", preemption), series("cut it: UWFQ-P", "uwfq-p", cut)];
    let all = || preemption.iter().chain(cut);
    let x =
        Axis::around("longest wait for a core, s", AxisUnit::Setting, all().map(|measured| measured.bound));
    let costs = all().map(|measured| measured.cost() / 100.0);
    let y = Axis::around("wasted work and overhead", AxisUnit::Share, costs);
    let chart = Chart {
        title: "What a bound costs".to_owned(),
        x,
        y,
        shape: SeriesShape::Measured,
        series,
        item: "setting".to_owned(),
        names: Vec::new(),
        marks: Vec::new(),
        notes: Vec::new(),
    };
    let grey = |level: u8| Rgb(level, level, level);
    let ink = |ink: SeriesInk| match ink {
        SeriesInk::Policy(policy) if policy == "uwfq-p".parse().expect("a policy") => Rgb(0x1f, 0x77, 0xb4),
        _ => Rgb(0xc0, 0x50, 0x10),
    };
    let paint = Paint { surface: grey(255), grid: grey(225), text: grey(30), dim: grey(90), ink: &ink };
    chart::svg(&chart, (640.0, 300.0), &paint)
}

/// Holds a file to what it should be, or writes it.
fn hold(path: &Path, expected: &str) {
    if env::var_os(REWRITE).is_some() {
        return fs::write(path, expected).expect("a writable file");
    }
    let shown = fs::read_to_string(path).expect("the file is there");
    assert!(
        shown == expected,
        "{} is not what its sweeps give: run this test with {REWRITE}=1",
        path.display()
    );
}

#[test]
fn the_page_about_preemption_is_what_its_sweeps_give() {
    let path = root().join(PAGE);
    let shown = fs::read_to_string(&path).expect("the page is there");
    let measured = sweeps(&workload(&shown));
    let marks = ["<!-- sweeps -->\n\n", "\n<!-- end of the sweeps -->"];
    let (before, rest) = shown.split_once(marks[0]).expect("the mark before the tables");
    let (_, after) = rest.split_once(marks[1]).expect("the mark behind them");
    hold(&path, &format!("{before}{}{}{}{after}", marks[0], tables(&measured), marks[1]));
    hold(&root().join(PICTURE), &picture(&measured));
    let [none, preemption, cut] = &measured;
    // What the page says in words.
    assert!(preemption.iter().chain(cut).all(|measured| measured.bound < none[0].bound));
    let at = |measured: &[Measured], setting: f64| {
        let found = measured.iter().find(|measured| measured.setting == setting).expect("a setting");
        (found.bound, found.wasted, found.overhead)
    };
    for (after, atr, times) in [(0.5, 2.0, 3.0), (2.0, 5.0, 6.5)] {
        let ((kill_bound, wasted, _), (cut_bound, _, overhead)) = (at(preemption, after), at(cut, atr));
        assert!((kill_bound - cut_bound).abs() < 1.5 && wasted > times * overhead, "{after} {atr}");
    }
    assert!(at(preemption, 10.0).1 > at(preemption, 0.5).1 * 0.8, "waiting longer hardly saves work");
    assert!(at(cut, 0.5).2 > at(preemption, 0.5).1, "very short tasks cost most of all");
}
