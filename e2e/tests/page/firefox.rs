//! The page in another browser: opening, dragging, a lesson and sharing in Firefox. Everything else is tested in
//! Chromium.

use e2e::{Answer, Lab, Rect, Site, json};
use fairlane::Scenario;
use fairlane::ids::JobId;
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane_study::lesson::StepId;
use tempfile::TempDir;

use crate::demos::OPENER_POLICY;
use crate::steps::{self, READY};
use crate::{gestures, lessons};

/// The only job of ben's in the scenario of the two users.
const BEN: &str = "#lanes [data-job='12']";

#[track_caller]
fn open(site: &Site, suffix: &str) -> Lab {
    let lab = Lab::firefox(site, suffix);
    lab.wait_until(READY);
    lab
}

/// Every panel shows the native schedule of this scenario, and a chart that is not empty.
#[track_caller]
fn shows(lab: &Lab, scenario: &Scenario) {
    gestures::shows(lab, scenario);
    let chart = lab.eval(
        "(canvas => new Set(new Uint32Array(canvas.getContext('2d')
            .getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size)(document.querySelector('.panel \
            canvas'))",
    );
    assert!(chart.as_u64().is_some_and(|colours| colours > 3), "{chart} colours in the first chart");
    assert_eq!(lab.count(".notice, [role=alert]"), 0);
}

fn block(lab: &Lab) -> Rect {
    lab.wait_for(BEN);
    lab.rect(BEN)
}

#[test]
fn the_opening_shows_the_native_schedules() {
    let site = Site::dist();
    let lab = open(&site, "");
    lab.click("#whole-lab");
    shows(&lab, &steps::native("two-users"));
}

#[test]
fn a_dragged_job_and_its_link() {
    let site = Site::dist();
    let lab = open(&site, "#catalog:two-users");
    let native = steps::native("two-users");
    shows(&lab, &native);
    let (x, y) = block(&lab).centre();
    lab.drag((x, y), (x + 100.0, y));
    lab.wait_until(READY);
    steps::edit_job(&lab);
    lab.wait_for("#job-arrival");
    let seconds = lab.eval("Number(document.querySelector('#job-arrival').value)").as_f64().unwrap_or(0.0);
    assert!(seconds > 1.0, "{seconds} s");
    let arrival = Edit::set(ObjectPath::Job(JobId(12)), "arrival_s", seconds);
    let moved = native.edited(&arrival).expect("a possible edit").scenario;
    shows(&lab, &moved);
    lab.click("#undo");
    shows(&lab, &native);
    lab.click("#redo");
    shows(&lab, &moved);

    lab.click("#share");
    lab.wait_for(".toast p");
    let toast = lab.text(".toast p");
    let link = toast[toast.find('#').expect("a link")..].to_owned();
    lab.goto(&link);
    lab.wait_until(READY);
    shows(&lab, &moved);
}

#[test]
fn a_lesson_is_walked_through() {
    let site = Site::dist();
    let first = StepId::first(0);
    let lab = open(&site, &format!("#{}", first.fragment()));
    lessons::walk_from(&lab, first, |_| ());
}

/// This browser has no frames without credentials, so the lab's server says that the demo may be embedded.
#[test]
fn an_isolated_page_shows_the_demo_of_a_lab_that_allows_it() {
    let site = Site::dist();
    site.send_headers(&[
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", "cross-origin"),
    ]);
    let host = Site::folder(TempDir::new().expect("a temporary folder").path());
    let page = format!(
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>An article</title>
        <script defer src='{}fairlane-demo.js'></script><body>
        <fairlane-demo id='one' scenario='two-users' policies='uwfq'></fairlane-demo>",
        site.url("")
    );
    host.answer("/one.html", Answer::html(&page));
    host.send_headers(&[OPENER_POLICY, ("cross-origin-embedder-policy", "require-corp")]);
    let lab = Lab::firefox(&host, "one.html");
    assert_eq!(lab.eval("crossOriginIsolated"), json!(true));
    lab.wait_until("one.ready?.then(() => window.shown = true) && window.shown");
}
