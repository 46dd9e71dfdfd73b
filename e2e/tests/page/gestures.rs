//! The workbench's gestures, with real pointers and keys: what is dragged, pulled, undone and questioned shows what
//! the native simulator computes for the resulting scenario.

use std::collections::{BTreeMap, BTreeSet};

use e2e::{Key, Lab, Look, Site, json};
use fairlane::ids::{JobId, UserId};
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::scenario::palette::JobTemplate;
use fairlane::units::Time;
use fairlane::{Scenario, simulate};

use crate::steps::{self, READY};

/// The only job of ben's in the scenario of the two users.
const BEN: &str = "#lanes [data-job='12']";

fn edited(scenario: &Scenario, edit: &Edit) -> Scenario {
    scenario.edited(edit).expect("a possible edit").scenario
}

/// Every panel shows the native schedule of this scenario.
#[track_caller]
pub fn shows(lab: &Lab, scenario: &Scenario) {
    // Equal schedules share a panel, and an edit may part them or join them.
    let usual = ["fifo", "fair", "ujf", "cfq", "uwfq", "spark"].map(str::to_owned);
    let policies: BTreeSet<String> = steps::panels(lab).into_iter().chain(usual).collect();
    let hash = |policy: &String| format!("{:016x}", simulate(scenario, steps::policy(policy)).hash());
    let hashes: BTreeMap<&String, String> = policies.iter().map(|policy| (policy, hash(policy))).collect();
    lab.wait_until(&format!(
        "((hashes, panels) => panels.length && panels.every(panel => panel.dataset.state === 'done' \
         && panel.querySelector('code.hash')?.textContent === hashes[panel.id.slice('panel-'.length)]))\
         ({}, [...document.querySelectorAll('.panel')])",
        json!(hashes)
    ));
    lab.wait_until(READY);
    assert_eq!(lab.texts(".trust .bad"), Vec::<String>::new());
}

/// A field's text in the open tab.
pub fn field(lab: &Lab, css: &str) -> String {
    lab.wait_for(css);
    lab.eval(&format!("document.querySelector({}).value", json!(css))).as_str().unwrap_or_default().to_owned()
}

/// Drags an element by this many pixels.
#[track_caller]
fn drag_by(lab: &Lab, css: &str, right: f64, down: f64) {
    let (x, y) = lab.rect(css).centre();
    lab.drag((x, y), (x + right, y + down));
    lab.wait_until(READY);
}

fn arrival(micros: u64) -> Edit {
    Edit::set(ObjectPath::Job(JobId(12)), "arrival_s", Time(micros).seconds())
}

#[test]
fn a_job_is_moved_in_time_and_back() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let native = steps::native("two-users");
    shows(&lab, &native);
    drag_by(&lab, BEN, 100.0, 0.0);
    steps::edit_job(&lab);
    let seconds: f64 = field(&lab, "#job-arrival").parse().expect("a number");
    assert!(seconds > 1.0 && (seconds * 5.0).fract().abs() < 1e-9, "on the grid of 0.2 s: {seconds}");
    let moved = edited(&native, &arrival((seconds * 1e6).round() as u64));
    shows(&lab, &moved);

    lab.click("#undo");
    shows(&lab, &native);
    lab.click("#redo");
    shows(&lab, &moved);
    lab.eval("document.activeElement.blur()");
    lab.chord(Key::Control + "z");
    shows(&lab, &native);
    lab.chord(format!("{}{}z", Key::Control, Key::Shift));
    shows(&lab, &moved);
    assert!(lab.eval("document.querySelector('#said').textContent.length > 0").as_bool().unwrap_or(false));
    lab.click("#reset");
    shows(&lab, &native);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_job_is_given_to_another_user_and_a_palette_job_dropped_into_a_lane() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let native = steps::native("two-users");
    let lane = lab.rect(".track[data-user='0']").y - lab.rect(".track[data-user='1']").y;
    drag_by(&lab, BEN, 0.0, lane);
    let given =
        edited(&native, &Edit::set(ObjectPath::Job(JobId(12)), "user", native.users()[0].name.as_str()));
    shows(&lab, &given);
    lab.click("#undo");
    shows(&lab, &native);

    let track = lab.rect(".track[data-user='1']");
    lab.drag(lab.rect("#new-short").centre(), track.at(0.5, 0.5));
    lab.wait_until(READY);
    steps::edit_job(&lab);
    let seconds: f64 = field(&lab, "#job-arrival").parse().expect("a number");
    let add = Edit::AddJob {
        kind: JobTemplate::Short,
        user: UserId(1),
        arrival: Time((seconds * 1e6).round() as u64),
    };
    assert!(seconds > 3.0, "half way along the axis: {seconds}");
    shows(&lab, &edited(&native, &add));
    lab.click("#undo");
    // Dropped outside the lanes it is not there.
    lab.drag(lab.rect("#new-long").centre(), lab.rect(".right").centre());
    shows(&lab, &native);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_skew_bar_is_pulled_and_a_wrong_value_keeps_the_last_good_schedule() {
    let site = Site::dist();
    let lab = steps::open(&site, "skew");
    let native = steps::native("skew");
    let block = lab.rect("#lanes [data-job='0']");
    lab.drag(block.centre(), block.centre());
    // The third of the eight bars is the heavy one: it fills seven tenths of the height at first.
    let bar = lab.rect(".skew .slice:nth-child(3)");
    lab.drag(bar.at(0.5, 0.6), bar.at(0.5, 0.86));
    lab.wait_until(READY);
    let weight: f64 = lab
        .eval("document.querySelector('.skew .slice:nth-child(3)').ariaValueNow")
        .as_str()
        .and_then(|text| text.parse().ok())
        .expect("a weight");
    assert!(weight < 2.0, "pulled down: {weight}");
    let pulled = edited(&native, &Edit::Slice(JobId(0), 0, 2, weight));
    shows(&lab, &pulled);

    lab.eval("document.querySelector('#stage-0-work').select()");
    lab.keys("#stage-0-work", format!("-3{}", Key::Enter));
    lab.wait_for(".field.wrong");
    assert!(lab.text(".field.wrong small").contains("negative"), "{}", lab.text(".field.wrong small"));
    shows(&lab, &pulled);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn three_events_back_and_why_at_a_press() {
    let site = Site::dist();
    let lab = steps::open(&site, "priority-inversion");
    lab.click("#to-end");
    let mut way = vec![lab.text("#now")];
    for _ in 0..3 {
        lab.click("#step-back");
        way.push(lab.text("#now"));
    }
    for before in way.iter().rev().skip(1) {
        lab.click("#step");
        assert_eq!(&lab.text("#now"), before);
    }
    // ben's task on core 0 under UWFQ-P.
    let chart = lab.rect("#panel-uwfq-p .chart canvas");
    let at = lab.rect("#panel-uwfq-p .chart canvas").at(0.1, 0.05);
    lab.hover(at);
    assert!(lab.text(".tip").contains("lookup of ben"), "{}", lab.text(".tip"));
    lab.drag(at, at);
    assert!(lab.text("#why-title").contains("a task of lookup starts"), "{}", lab.text("#why-title"));
    assert!(lab.text("#why-sentence").contains("smallest deadline"), "{}", lab.text("#why-sentence"));
    assert!(lab.text("#queue tr.won").contains("lookup"), "{}", lab.text("#queue"));
    assert!(chart.width > 300.0);
    lab.click("#tab-differences");
    lab.select("#pair-other", "uwfq-p");
    assert!(lab.text("#parting").contains("UWFQ-P"), "{}", lab.text("#parting"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn keys_move_a_job_and_the_focus_stays_on_it() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let native = steps::native("two-users");
    lab.eval(&format!("document.querySelector({}).focus()", json!(BEN)));
    lab.press(Key::Right);
    lab.press(Key::Up);
    lab.wait_until(READY);
    assert_eq!(lab.eval("document.activeElement.dataset.job"), json!("12"));
    lab.press(Key::Enter);
    let seconds: f64 = field(&lab, "#job-arrival").parse().expect("a number");
    assert!(seconds > 0.2);
    let moved = edited(&native, &arrival((seconds * 1e6).round() as u64));
    shows(
        &lab,
        &edited(&moved, &Edit::set(ObjectPath::Job(JobId(12)), "user", native.users()[0].name.as_str())),
    );
    lab.eval(&format!("document.querySelector({}).focus()", json!(BEN)));
    lab.press(Key::Delete);
    shows(&lab, &edited(&native, &Edit::Delete { jobs: vec![JobId(12)] }));
}

#[test]
fn zooming_moves_every_chart_and_simulates_nothing() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    lab.eval(
        "void (window.posts = 0, (f => Worker.prototype.postMessage = function (...a) { window.posts++; \
        return f.apply(this, a) })(Worker.prototype.postMessage))",
    );
    let labels = || lab.texts(".axis .label");
    let all = labels();
    let lines = |panel: &str| {
        lab.eval(&format!(
            "Array.from(document.querySelectorAll('#panel-{panel} .gridline'), l => l.style.left).join()"
        ))
    };
    lab.click("#zoom-in");
    lab.wait_until("!document.querySelector('#fit').disabled");
    assert_ne!(labels(), all);
    assert_eq!(lines("fair"), lines("uwfq"));
    let near = labels();
    let chart = lab.rect("#panel-fair .chart canvas");
    lab.drag(chart.at(0.5, 0.02), chart.at(0.8, 0.02));
    assert_ne!(labels(), near, "a drag pans while a part is shown");
    lab.hover(chart.at(0.3, 0.1));
    lab.click("#fit");
    assert_eq!(labels(), all);
    lab.click("#step");
    assert_eq!(lab.eval("window.posts"), json!(0), "no simulation on zoom, pan, hover or step");
}

#[test]
fn a_finger_moves_a_job() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE, "two-users");
    let native = steps::native("two-users");
    let (x, y) = lab.rect(BEN).centre();
    let touch = |kind: &str, points: serde_json::Value| {
        lab.cdp("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
    };
    touch("touchStart", json!([{ "x": x, "y": y }]));
    for step in 1..=8 {
        touch("touchMove", json!([{ "x": x + 10.0 * f64::from(step), "y": y }]));
    }
    touch("touchEnd", json!([]));
    lab.wait_until("!document.querySelector('#undo').disabled");
    lab.wait_until(READY);
    steps::edit_job(&lab);
    let seconds: f64 = field(&lab, "#job-arrival").parse().expect("a number");
    assert!(seconds > 1.0, "{seconds}");
    shows(&lab, &edited(&native, &arrival((seconds * 1e6).round() as u64)));
}

/// A sheet that opens with the touch must not take its end for a press on what has come to be beneath the finger.
#[test]
fn the_touch_that_opens_a_sheet_presses_nothing_beneath_it() {
    let site = Site::dist();
    // A small phone: the lanes, at the top, reach below the upper edge of the sheet.
    let lab = steps::open_as(&site, Look::PHONE.sized(390, 560), "priority-inversion");
    lab.eval("document.querySelector('#front-uwfq').click()");
    lab.wait_for("#panel-uwfq.front");
    // All that is pressed, by what it is in.
    lab.eval(
        "(window.clicks = [], document.addEventListener('click', event => window.clicks.push( \
           event.target.closest('aside, .stage')?.className ?? 'elsewhere'), true))",
    );
    let tap = |(x, y): (f64, f64)| {
        let touch = |kind: &str, points: serde_json::Value| {
            lab.cdp("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
        };
        touch("touchStart", json!([{ "x": x, "y": y }]));
        touch("touchEnd", json!([]));
    };
    // At the height at which the sheet comes to be.
    let lower = |css: &str| {
        lab.eval(&format!(
            "(() => {{ const area = document.querySelector(\"{css}\").getBoundingClientRect(); \
               document.scrollingElement.scrollTop += area.top - 0.6 * innerHeight; }})()"
        ));
        lab.rect(css)
    };
    for (css, opened) in
        [("#lanes [data-job='1']", "#job-name"), ("#panel-uwfq .chart canvas", "#why-sentence")]
    {
        let at = lower(css).at(0.3, 0.1);
        tap(at);
        if css.contains("data-job") {
            // The first tap chooses.
            lab.wait_for(&format!("{css}[aria-pressed=true]"));
            assert_eq!(lab.eval("window.clicks.splice(0)"), json!(["stage"]), "{css}");
            tap(at);
        }
        lab.wait_for(&format!(".with-sheet {opened}"));
        let covers = format!("!!document.elementFromPoint({}, {}).closest('aside.right')", at.0, at.1);
        lab.wait_until(&covers);
        lab.eval("new Promise(done => setTimeout(done, 400))");
        assert_eq!(lab.eval("window.clicks.splice(0)"), json!(["stage"]), "{css}");
        assert_eq!(lab.eval("document.activeElement.closest('aside')"), json!(null), "{css}");
        assert_eq!(lab.eval("document.querySelector('#undo').disabled"), json!(true), "{css}");
        lab.press(Key::Escape);
        lab.wait_until("document.querySelector('.with-sheet') === null");
    }
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Whoever scrolls past the lanes with a finger moves no job.
#[test]
fn a_finger_scrolls_the_page_over_a_block() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE, "two-users");
    let (x, y) = lab.rect(BEN).centre();
    let touch = |kind: &str, points: serde_json::Value| {
        lab.cdp("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
    };
    touch("touchStart", json!([{ "x": x, "y": y }]));
    for step in 1..=8 {
        touch("touchMove", json!([{ "x": x, "y": y - 25.0 * f64::from(step) }]));
    }
    touch("touchEnd", json!([]));
    lab.wait_until("document.scrollingElement.scrollTop > 50");
    lab.wait_until("document.querySelector('.dragging') === null");
    lab.wait_until(READY);
    assert_eq!(lab.eval("document.querySelector('#undo').disabled"), json!(true));
}

#[test]
fn the_task_asked_about_is_outlined_in_a_chart_that_stays() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let before = steps::user_hues(&lab, "#panel-uwfq .chart canvas");
    let point = lab.rect("#panel-uwfq .chart canvas").at(0.26, 0.1);
    lab.drag(point, point);
    lab.wait_for("#panel-uwfq .hit.asked");
    lab.wait_until(READY);
    let after = steps::user_hues(&lab, "#panel-uwfq .chart canvas");
    assert!(!before.is_empty() && !after.is_empty(), "users' colours: {before:?}, then {after:?}");
}
