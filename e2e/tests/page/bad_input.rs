//! A file that cannot be opened is reported in plain words and changes nothing.

use std::path::Path;
use std::time::Instant;

use e2e::{Lab, Site, Value, json};

use crate::frames::{never_freezes, watch_frames};
use crate::steps::{self, Files, READY};

const GOOD: &str = r#"{ "format": "fairlane/scenario@1", "jobs": [
    { "user": "cleo", "name": "sums", "arrival_s": 0, "stages": [{ "tasks_s": [1, 2, 3, 4, 5] }] },
    { "user": "dan", "name": "joins", "arrival_s": 1, "stages": [{ "tasks_s": [2, 2] }] } ] }"#;

/// A scenario file with these jobs.
fn with_jobs(jobs: &str) -> String {
    format!(r#"{{ "format": "fairlane/scenario@1", "jobs": [{jobs}] }}"#)
}

/// The page in the middle of something: other policies than the scenario's, the playhead under way.
#[track_caller]
fn busy_page(site: &Site) -> (Lab, Value) {
    let lab = steps::open(site, "skew");
    lab.click("#policy-fifo");
    lab.wait_for("#panel-fifo[data-state=done]");
    lab.click("#step");
    lab.click("#step");
    lab.wait_until(READY);
    let before = steps::picture(&lab);
    (lab, before)
}

/// Opens a file in the page and reads the error: that it names the file, the position and the remedy,
/// that everything else stays and that it can be closed.
#[track_caller]
fn refused(lab: &Lab, before: &Value, file: &Path, words: &[&str]) {
    lab.upload("#file", file);
    complaint(lab, before, file.file_name().and_then(|name| name.to_str()).unwrap_or_default(), words);
}

#[track_caller]
fn complaint(lab: &Lab, before: &Value, name: &str, words: &[&str]) {
    let notice = lab.text("[role=alert]");
    for word in [&[name, "was not opened", "nothing has changed"], words].concat() {
        assert!(notice.contains(word), "\"{word}\" is not in: {notice}");
    }
    assert!(notice.len() < 400, "this is too long to read: {notice}");
    unchanged(lab, before, name);
    lab.click("[role=alert] button");
    lab.wait_until("!document.querySelector('[role=alert]')");
    unchanged(lab, before, name);
}

#[track_caller]
fn unchanged(lab: &Lab, before: &Value, name: &str) {
    let now = steps::picture(lab);
    let parts = before.as_array().into_iter().flatten().zip(now.as_array().into_iter().flatten());
    for (index, (before, now)) in parts.enumerate() {
        assert_eq!(before, now, "part {index} of the page has changed by {name}");
    }
    assert_eq!(before, &now, "the page has changed by {name}");
}

#[test]
fn faults_name_the_path_and_the_remedy() {
    let site = Site::dist();
    let files = Files::new();
    let (lab, before) = busy_page(&site);
    let stages =
        |stages: &str| with_jobs(&format!(r#"{{ "user": "a", "arrival_s": 0, "stages": [{stages}] }}"#));
    let faults: [(&str, String, &[&str]); 9] = [
        ("words.txt", "Dear scheduler,\nplease be fair.".into(), &["line 1", "JSON"]),
        ("cut.json", GOOD[..GOOD.len() - 9].into(), &["line 3", "JSON"]),
        ("empty.json", String::new(), &["the file is empty", "a scenario is one JSON object"]),
        (
            "trace.json",
            GOOD.replace("scenario@1", "trace@1"),
            &["format: this is \"fairlane/trace@1\", but must be \"fairlane/scenario@1\""],
        ),
        (
            "untagged.json",
            GOOD.replace("\"format\"", "\"kind\""),
            &["format: is missing", "has \"format\": \"fairlane/scenario@1\""],
        ),
        (
            "colour.json",
            stages(r#"{ "tasks_s": [1], "colour": 3 }"#),
            &["jobs[0].stages[0].colour", "unknown key", "expected one of"],
        ),
        (
            "cycle.json",
            stages(r#"{ "tasks_s": [1], "parents": [1] }, { "tasks_s": [1], "parents": [0] }"#),
            &["jobs[0].stages[", "waits for itself", "remove one of them to break the cycle"],
        ),
        (
            "negative.json",
            stages(r#"{ "tasks_s": [1, -2] }"#),
            &["jobs[0].stages[0].tasks_s[1]", "must not be negative", "give 0 or more seconds"],
        ),
        (
            "past.json",
            GOOD.replace(r#""arrival_s": 1"#, r#""arrival_s": -1"#),
            &["jobs[1].arrival_s", "must not be negative", "give 0 or more seconds"],
        ),
    ];
    for (name, text, words) in &faults {
        refused(&lab, &before, &files.write(name, text), words);
    }
    // What is not text at all.
    refused(
        &lab,
        &before,
        &files.write("picture.json", [0x89, b'P', b'N', b'G', 0xff, 0xfe, 0]),
        &["line 1"],
    );
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn huge_files_are_refused_before_they_hurt() {
    let site = Site::dist();
    let files = Files::new();
    let (lab, before) = busy_page(&site);
    let open = "[".repeat(10 << 20);
    let closed = format!("{}{}", "[".repeat(5 << 20), "]".repeat(5 << 20));
    refused(&lab, &before, &files.write("open.json", &open), &["line 1", "one JSON object"]);
    refused(&lab, &before, &files.write("closed.json", &closed), &["line 1", "one JSON object"]);
    let jobs = with_jobs(&open);
    refused(&lab, &before, &files.write("jobs.json", &jobs), &["line 1", "correct the text at this place"]);
    let jobs = with_jobs(&closed);
    refused(&lab, &before, &files.write("nested.json", &jobs), &["jobs[0]", "expected an object", "line 1"]);
    let deep = GOOD.replace("[1, 2, 3, 4, 5]", &format!("[1, {closed}]"));
    let words = ["jobs[0].stages[0].tasks_s[1]", "expected a number", "line 2"];
    refused(&lab, &before, &files.write("deep.json", &deep), &words);

    let job = r#"{"user":"a","arrival_s":0,"stages":[{"tasks_s":[1]}]}"#;
    let million = with_jobs(&[job].repeat(1_000_000).join(","));
    let million = files.write("million.json", million);
    watch_frames(&lab);
    let started = Instant::now();
    refused(&lab, &before, &million, &["jobs", "200000", "split"]);
    never_freezes(&lab, "refusing a million jobs", started);

    refused(&lab, &before, &files.sparse("large.json", (64 << 20) + 1), &["64 MB", "Split it"]);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_dropped_file_is_opened_like_a_chosen_one() {
    let site = Site::dist();
    let (lab, before) = busy_page(&site);
    drop_file(&lab, "dropped.json", "{ \"format\": 1 }");
    complaint(&lab, &before, "dropped.json", &["format"]);
    drop_file(&lab, "dropped.json", GOOD);
    shows_the_good_file(&lab, "dropped");
    // Dropping nothing but a word does nothing.
    let before = steps::picture(&lab);
    lab.eval(
        "(() => { const data = new DataTransfer(); data.setData('text/plain', 'word'); \
         return document.querySelector('.stage').dispatchEvent( \
         new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })); })()",
    );
    unchanged(&lab, &before, "a word");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_mended_file_opens_and_the_catalog_stays_at_hand() {
    let site = Site::dist();
    let files = Files::new();
    let (lab, before) = busy_page(&site);
    let file = files.write("mine.json", GOOD.replace(']', ""));
    refused(&lab, &before, &file, &["line"]);
    // The same file again, still broken: it is read again each time.
    refused(&lab, &before, &file, &["line"]);
    // A notice goes when something else opens.
    lab.upload("#file", &file);
    lab.wait_for("[role=alert]");
    files.write("mine.json", GOOD);
    lab.upload("#file", &file);
    shows_the_good_file(&lab, "mine");
    assert_eq!(lab.count("[role=alert]"), 0);
    steps::show_apart(&lab);
    assert_eq!(steps::panels(&lab), ["fifo", "uwfq", "uwfq-p"], "the reader's policies stay");

    let other = files.write("other.json", GOOD.replace("cleo", "emma"));
    lab.upload("#file", &other);
    lab.wait_until("document.querySelector('.lanes .user b').innerText === 'emma'");
    assert_eq!(steps::shown_scenario(&lab), "other");

    lab.select("#scenario", "skew");
    lab.wait_until("document.querySelector('.lanes .user b').innerText === 'ana'");
    lab.wait_until(READY);
    // The catalog, and the recorded run.
    assert_eq!(lab.count("#scenario option"), fairlane::catalog::ENTRIES.len() + 1);
    assert_eq!(steps::shown_scenario(&lab), "Skew: one partition five times the others");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[track_caller]
fn drop_file(lab: &Lab, name: &str, text: &str) {
    lab.eval(&format!(
        "(() => {{ const data = new DataTransfer(); data.items.add(new File([{}], {})); \
         return document.querySelector('.stage').dispatchEvent( \
         new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }})); }})()",
        json!(text),
        json!(name)
    ));
}

#[track_caller]
fn shows_the_good_file(lab: &Lab, name: &str) {
    lab.wait_until("document.querySelector('.lanes .user b').innerText === 'cleo'");
    lab.wait_until(READY);
    assert_eq!(steps::shown_scenario(lab), name);
    assert_eq!(lab.texts(".lanes .user b"), ["cleo", "dan"]);
    assert_eq!(lab.text("#now"), "0.000 s");
    let scenario = fairlane::Scenario::from_json(GOOD).expect("a good file");
    for policy in steps::panels(lab) {
        let native = fairlane::simulate(&scenario, steps::policy(&policy)).hash();
        assert_eq!(lab.text(&format!("#panel-{policy} .hash")), format!("{native:016x}"));
    }
}
