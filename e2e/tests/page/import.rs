//! A real cluster's log on the page: as it ran, beside what policies would have made of it.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use e2e::{Answer, Key, Lab, Look, Site, json};
use fairlane_study::lesson::{RECORDING, RECORDING_FILE};
use flate2::read::GzDecoder;

use crate::axe;
use crate::editors::fill;
use crate::steps;

fn log(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../crates/fairlane-import/tests/data/spark").join(name)
}

fn import(lab: &Lab, name: &str) {
    lab.upload("#file", log(name));
    lab.wait_for("#panel-observed[data-state=done]");
    lab.wait_for("#log-error");
    lab.wait_until(steps::READY);
}

#[test]
fn a_log_is_shown_as_it_ran_and_as_it_might_have_run() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:two-users");
    lab.wait_until(steps::READY);
    import(&lab, "multi-fair.gz");
    let panels = "[...document.querySelectorAll('.panels .panel')].map(panel => panel.id)";
    assert_eq!(lab.eval(panels), json!(["panel-observed", "panel-spark", "panel-uwfq", "panel-uwfq-p"]));
    // Every task is accounted for, and the page says where the log stayed.
    assert_eq!(lab.text("#log-report summary"), "Tasks: 1143 in the log = 1143 imported + 0 left out");
    assert!(lab.text("#log").contains("nothing of it has left this machine"), "{}", lab.text("#log"));
    assert!(lab.text("#log-error").starts_with("Simulated under Spark, the scheduler it ran with"));
    assert!(lab.text("#log-sure").contains("is within the noise"), "{}", lab.text("#log-sure"));

    // Who waited for whom, the worst first; a press leads there.
    assert!(lab.text("#waited").contains("dan"), "{}", lab.text("#waited"));
    assert!(lab.text(".waited li").starts_with("dan"), "{}", lab.text(".waited li"));
    let before = lab.text("#now");
    lab.click("#waited-matrix td button");
    lab.wait_until(&format!("document.querySelector('#now').innerText !== {}", json!(before)));

    // Other rules read the log again.
    lab.select("#log-users", "group");
    lab.wait_until("document.querySelectorAll('#heat tbody tr').length > 30");
    lab.select("#log-estimates", "factor:0.1");
    lab.wait_until("document.querySelector('#log-estimates')?.value === 'factor:0.1'");
    lab.select("#log-driver-time", "median");
    lab.wait_until("document.querySelector('#log-driver-time')?.value === 'median'");
    // What is simulated with other pools is beside the simulation of what ran.
    assert_eq!(lab.eval("document.querySelectorAll('#log-means thead th').length"), json!(3));
    assert_eq!(lab.eval("document.querySelector('#log-users').value"), json!("group"));
    lab.wait_until(steps::READY);

    // What ran is no schedule of other jobs.
    lab.click("#log-compare");
    lab.wait_for("#parting");
    axe::inject(&lab);
    assert_eq!(axe::faults(&lab, "an imported log"), Vec::<String>::new());
    steps::click(&lab, "#lanes [data-job='12']");
    lab.press(Key::Delete);
    lab.wait_until("document.querySelector('#panel-observed') === null");
    lab.click("#undo");
    lab.wait_for("#panel-observed[data-state=done]");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Whoever gets a link to a log reads of the same user, and how near the simulation is.
#[test]
fn a_link_to_a_log_says_what_the_page_says() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:two-users");
    lab.wait_until(steps::READY);
    import(&lab, "multi-fair.gz");
    let said = |lab: &Lab| {
        lab.eval(
            "({ headline: document.querySelector('.headline').textContent, cause: document.querySelector('.cause')\
                .textContent, means: document.querySelector('#log-means').textContent })",
        )
    };
    let here = said(&lab);
    assert!(here["headline"].as_str().is_some_and(|text| text.contains("dan")), "{here}");
    lab.eval("document.querySelector('#copy-table').click()");
    lab.wait_until("document.querySelector('.toast p')?.textContent.includes('| dan |')");
    lab.eval("document.querySelector('#share').click()");
    lab.wait_until("document.querySelector('.toast p')?.textContent.includes('#fairlane1:')");
    let link = lab.eval("document.querySelector('.toast p').textContent");
    let link = link.as_str().expect("a link");
    let suffix = link[link.find('#').expect("a fragment")..].trim().to_owned();
    drop(lab);
    let there = Lab::open_as(&site, Look::DESK, &suffix);
    there.wait_until(steps::READY);
    there.wait_for("#log-linked");
    assert_eq!(said(&there), here);
    assert!(there.text("#no-observed").contains("Open the log itself"), "{}", there.text("#no-observed"));
    assert_eq!(there.console_errors(), Vec::<String>::new());
}

/// Pools that were guessed and are put right are taken for the cluster's at a press: then the error is theirs.
#[test]
fn the_error_is_computed_anew_with_pools_that_the_cluster_had() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:two-users");
    lab.wait_until(steps::READY);
    import(&lab, "multi-fair.gz");
    let error = lab.text("#log-error");
    assert_eq!(lab.count("#log-own-pools"), 0, "nothing is changed");
    fill(&lab, "#spark-pool-1-weight", "40");
    lab.wait_for("#log-own-pools");
    assert!(error.starts_with(&lab.text("#log-error")), "of the pools before");
    steps::click(&lab, "#log-own-pools");
    lab.wait_until("document.querySelector('#log-own-pools') === null");
    lab.wait_until(steps::READY);
    let report = lab.eval("document.querySelector('#log-report').textContent");
    assert!(
        report.as_str().is_some_and(|report| report.contains("declared")),
        "the pools are the log's: {report}"
    );
    assert_eq!(lab.eval("document.querySelector('#spark-pool-1-weight').value"), json!("40"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Each application keeps to its executors, until one shared application is asked for.
#[test]
fn applications_may_share_their_executors() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:two-users");
    lab.wait_until(steps::READY);
    let folder = log("").join("../world/15-two-applications");
    lab.upload_all("#file", ["ana", "ben"].map(|user| folder.join(format!("{user}.ndjson"))));
    lab.wait_for("#log-share");
    lab.wait_until(steps::READY);
    let caps = "document.querySelector('#log-report').textContent.includes('each has its own executors')";
    assert_eq!(lab.eval(caps), json!(true));
    lab.select("#log-share", "share");
    lab.wait_until(&format!("!{caps}"));
    lab.wait_until(steps::READY);
    assert_eq!(lab.eval("document.querySelector('#log-share').value"), json!("share"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_file_that_is_no_log_is_named_and_changes_nothing() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let files = steps::Files::new();
    lab.upload("#file", files.write("app.log", "{\"Event\":\"SparkListenerLogStart\"}\nnot an event\n{}\n"));
    lab.wait_for(".notice");
    let notice = lab.text(".notice");
    assert!(notice.contains("app.log was not opened") && notice.contains("line 2"), "{notice}");
    lab.upload("#file", files.write("stdout.txt", "26/11/28 09:01:02 INFO SparkContext: Running Spark\n"));
    lab.wait_until("document.querySelector('.notice')?.textContent.includes('stdout.txt')");
    assert!(lab.text(".notice").contains("looks like a driver's log"), "{}", lab.text(".notice"));
    assert_eq!(lab.count("#panel-observed"), 0);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A rolling log's folder: the events of a log in two files, the mark of its application, and a checksum.
fn rolling(name: &str) -> tempfile::TempDir {
    let mut text = String::new();
    let file = fs::File::open(log(name)).expect("a log of the repository");
    GzDecoder::new(file).read_to_string(&mut text).expect("a sound file");
    let middle = text.len() / 2 + text[text.len() / 2..].find('\n').expect("lines") + 1;
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("events_1_app", &text[..middle]),
        ("events_2_app", &text[middle..]),
        ("appstatus_app", ""),
        (".events_1_app.crc", "crc"),
    ];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("room on the disk");
    }
    folder
}

#[test]
fn a_dropped_folder_is_a_rolling_log() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:two-users");
    lab.wait_until(steps::READY);
    let folder = rolling("multi-fair.gz");
    let data = json!({ "items": [], "files": [folder.path()], "dragOperationsMask": 1 });
    for step in ["dragEnter", "dragOver", "drop"] {
        lab.cdp("Input.dispatchDragEvent", json!({ "type": step, "x": 600, "y": 400, "data": data }));
    }
    lab.wait_for("#panel-observed[data-state=done]");
    lab.wait_for("#log-report summary");
    assert_eq!(lab.text("#log-report summary"), "Tasks: 1143 in the log = 1143 imported + 0 left out");
}

/// For those who have no log at hand: the same file, from the list of scenarios.
#[test]
fn the_recorded_run_is_an_example_of_a_log() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:two-users");
    lab.wait_until(steps::READY);
    lab.select("#scenario", RECORDING);
    lab.wait_for("#panel-observed[data-state=done]");
    lab.wait_for("#log-report summary");
    assert_eq!(lab.text("#log-report summary"), "Tasks: 1143 in the log = 1143 imported + 0 left out");
    lab.wait_until(steps::READY);
    lab.click("#undo");
    lab.wait_until("document.querySelector('#panel-observed') === null");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_recorded_run_that_fails_to_load_can_be_asked_for_again() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:two-users");
    lab.wait_until(steps::READY);
    site.answer(&format!("/{RECORDING_FILE}"), Answer::status(503));
    lab.eval("void (location.hash = '#lesson:whats-in-a-name/5')");
    lab.wait_for("#lesson-awaited");
    lab.wait_for(".notice");
    assert!(lab.text(".notice").contains("check your connection"), "{}", lab.text(".notice"));
    assert_eq!(steps::shown_scenario(&lab), steps::native("two-users").name());
    site.restore();
    steps::click(&lab, "#lesson-set-up");
    lab.wait_for("#panel-observed[data-state=done]");
    lab.wait_until(steps::READY);
    assert_eq!(lab.count("#lesson-awaited") + lab.count(".notice"), 0);
}

/// `fairlane open --watch` announces so that a log has grown.
#[test]
fn a_log_that_grows_is_read_again_where_the_reader_is() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#open=multi-fair.gz");
    lab.wait_for("#panel-observed[data-state=done]");
    lab.wait_until(steps::READY);
    lab.press("+");
    lab.press("]");
    lab.wait_until(steps::READY);
    // Where the playhead is drawn says where the window is, too.
    let view = "[document.querySelector('.playhead').getBoundingClientRect().left, \
                [...document.querySelectorAll('.panel')].map(panel => panel.id).join()].join()";
    let before = lab.eval(view);
    site.answer("/fairlane-files", Answer::html("#open=multi-fair.gz"));
    lab.eval("performance.clearResourceTimings() ?? dispatchEvent(new Event('fairlane-changed'))");
    lab.wait_until(
        "performance.getEntriesByType('resource').some(entry => entry.name.endsWith('multi-fair.gz'))",
    );
    lab.wait_until("document.querySelector('.opening') === null");
    lab.wait_for("#panel-observed[data-state=done]");
    lab.wait_until(steps::READY);
    assert_eq!(lab.eval(view), before);
    assert_eq!(lab.count(".notice"), 0);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// `fairlane open` has the page open its files so.
#[test]
fn a_link_opens_files_beside_the_page() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#open=multi-fair.gz");
    lab.wait_for("#panel-observed[data-state=done]");
    lab.wait_until(steps::READY);
    assert_eq!(lab.text("#log-report summary"), "Tasks: 1143 in the log = 1143 imported + 0 left out");
    assert_eq!(lab.count(".notice"), 0);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
    site.answer("/shop/two.json", Answer::json(&fairlane::catalog::opening().scenario().to_json()));
    lab.goto("#open=shop/two.json");
    lab.wait_until("document.querySelector('#panel-observed') === null");
    lab.wait_until(steps::READY);
    // Nothing is lost if there is no such file.
    lab.goto("#open=missing.zstd");
    lab.wait_for(".notice");
    let notice = lab.text(".notice");
    assert!(notice.contains("missing.zstd was not opened") && notice.contains("status 404"), "{notice}");
}
