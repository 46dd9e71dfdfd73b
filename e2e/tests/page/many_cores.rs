//! A chart of a thousand cores: rows of several cores show the users' shares, and single cores can be reached.

use e2e::{Lab, Site, json};
use fairlane::{Scenario, simulate};

use crate::steps::{self, Files, READY};

/// Two users with jobs of 4000 tasks on a thousand cores.
const SCENARIO: &str = r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 250, "cores_per_executor": 4 }, "jobs": [
    { "user": "ana", "arrival_s": 0, "stages": [{ "work_s": 4000, "partitions": 4000, "profile": [1, 3, 2] }] },
    { "user": "ben", "arrival_s": 1, "stages": [{ "work_s": 4000, "partitions": 4000, "profile": [2, 1] }] } ] }"#;

const SHOWN: &str = ".cores-shown .hint";

#[track_caller]
fn press(lab: &Lab, name: &str) {
    let button = format!("#panel-fair .cores-shown button[aria-label='{name}']");
    steps::click(lab, &button);
}

#[test]
fn a_thousand_cores_are_seen_together_and_one_by_one() {
    let site = Site::dist();
    let files = Files::new();
    let lab = steps::open(&site, "skew");
    steps::tick_exactly(&lab, &[steps::policy("fair")]);
    lab.upload("#file", files.write("cores.json", SCENARIO));
    lab.wait_until("document.querySelectorAll('.lanes .lane').length === 2");
    let hash = simulate(&Scenario::from_json(SCENARIO).expect("a scenario"), steps::policy("fair")).hash();
    lab.wait_until(&format!(
        "document.querySelector('#panel-fair[data-state=done] code.hash')?.textContent === {} && {READY}",
        json!(format!("{hash:016x}"))
    ));

    // Two or three cores share a row: it shows shares.
    let height = lab.rect("#panel-fair canvas").height;
    assert_eq!(lab.text(SHOWN), "0 to 999 of 1000");
    lab.hover(lab.rect("#panel-fair canvas").at(0.3, 0.1));
    let tip = lab.text(".tip");
    assert!(tip.contains("in this column of cores") && tip.contains("ana"), "{tip}");

    // Down to a handful, further down, and back.
    for _ in 0..8 {
        press(&lab, "Fewer cores, in taller rows");
    }
    assert_eq!(lab.text(SHOWN), "500 to 502 of 1000");
    press(&lab, "Scroll down");
    assert_eq!(lab.text(SHOWN), "502 to 504 of 1000");
    assert_eq!(lab.rect("#panel-fair canvas").height, height, "nothing on the page moves");
    assert_eq!(lab.texts("#panel-fair .gutter .core"), ["502", "503", "504"]);
    lab.hover(lab.rect("#panel-fair canvas").at(0.3, 0.1));
    lab.wait_until("document.querySelector('.tip')?.innerText.includes('on core 502')");

    // The wheel beside the chart, and with Ctrl; the chart itself is dragged upwards.
    lab.wheel(lab.rect("#panel-fair .chart").at(-0.05, 0.5), 0, 100);
    assert_eq!(lab.text(SHOWN), "503 to 505 of 1000");
    let chart = lab.rect("#panel-fair canvas");
    lab.drag(chart.at(0.5, 0.9), chart.at(0.5, 0.2));
    assert_eq!(lab.text(SHOWN), "505 to 507 of 1000");
    press(&lab, "All cores");
    assert_eq!(lab.text(SHOWN), "0 to 999 of 1000");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
