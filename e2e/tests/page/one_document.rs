//! The page with a scenario as one file, as `fairlane compare --html` and the page itself write it, opened from the
//! disk.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use e2e::{Lab, Look, Site, dist};
use tempfile::TempDir;

use crate::open_command::command;
use crate::steps::{self, READY};

/// Most bytes of the document: nearly all are the compressed program.
const MAX_BYTES: u64 = 2_000_000;

/// What is shown: the policies with the fingerprints of their schedules.
const SCHEDULES: &str =
    "Array.from(document.querySelectorAll('.panel'), p => p.id + p.querySelector('code.hash').textContent)";

/// The requests that left the document for any address but those within it.
const ASKED: &str =
    "performance.getEntriesByType('resource').filter(entry => !/^(blob|data):/.test(entry.name)).length";

/// Where the playhead is drawn.
const PLAYHEAD: &str = "document.querySelector('.playhead').getBoundingClientRect().left";

/// The document of two policies, in a folder of its own.
fn document() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("skew.html");
    let mut command = Command::new(command());
    command.args(["compare", "catalog:skew", "--policies", "fair,uwfq-p"]);
    let output = command.arg("--html").arg(&path).arg("--page").arg(dist()).output().expect("the command");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (folder, path)
}

/// Opens the document, plays, and has what is loaded later shown.
fn works(lab: &Lab) {
    lab.wait_until(READY);
    for policy in ["fair", "uwfq-p"] {
        lab.wait_for(&format!("#panel-{policy}[data-state=done]"));
    }
    assert!(lab.eval("document.title").to_string().contains("Skew"), "{}", lab.eval("document.title"));
    let start = lab.eval(PLAYHEAD);
    lab.click("#play");
    lab.wait_until(&format!("{PLAYHEAD} > {start} + 20"));
    lab.click("#play");
    lab.eval("[...document.querySelectorAll('[role=tab]')].forEach(tab => tab.click())");
    lab.wait_until("document.querySelector('main').innerText.length > 500");
    assert_eq!(lab.count(".notice"), 0);
    // Nothing was asked of any address but those within the document.
    assert_eq!(lab.eval(ASKED), 0);
}

#[test]
fn one_document_works_from_the_disk() {
    let (_folder, path) = document();
    let bytes = fs::metadata(&path).expect("the document").len();
    assert!(bytes < MAX_BYTES, "{bytes} bytes");
    let site = Site::dist();
    let lab = Lab::blank(&site, Look::DESK);
    lab.goto_file(&path);
    works(&lab);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn one_document_works_from_the_disk_in_firefox() {
    let (_folder, path) = document();
    let site = Site::dist();
    let lab = Lab::firefox(&site, "");
    lab.goto_file(&path);
    works(&lab);
}

/// Has the page save itself as one file; its path in a folder of the test.
#[track_caller]
fn saved(lab: &Lab, folder: &TempDir, name: &str) -> PathBuf {
    if lab.count("#export[open]") == 0 {
        lab.click("#save");
    }
    lab.click("#save-html");
    let content = lab.download("two-users-many-jobs-against-one.html");
    assert!((content.len() as u64) < MAX_BYTES, "{} bytes", content.len());
    let path = folder.path().join(name);
    fs::write(&path, content).expect("a writable folder");
    path
}

#[test]
fn the_page_saves_itself_as_one_file_again_and_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    // A job moved and a policy more: no scenario that the page has by itself.
    let (x, y) = lab.rect("#lanes [data-job='12']").centre();
    lab.drag((x, y), (x + 80.0, y));
    lab.click("#policy-uwfq-p");
    lab.wait_until(READY);
    let here = lab.eval(SCHEDULES);
    let first = saved(&lab, &folder, "first.html");
    drop(lab);

    let there = Lab::blank(&site, Look::DESK);
    there.goto_file(&first);
    there.wait_for("#panel-uwfq-p[data-state=done]");
    there.wait_until(READY);
    assert_eq!(there.eval(SCHEDULES), here);
    // The saved page saves itself, with what has changed since.
    there.click("#policy-uwfq-p");
    there.wait_until("document.querySelector('#panel-uwfq-p') === null");
    there.wait_until(READY);
    let changed = there.eval(SCHEDULES);
    assert_ne!(changed, here);
    let second = saved(&there, &folder, "second.html");
    assert_eq!(there.eval(ASKED), 0);
    there.goto_file(&second);
    there.wait_for("#panel-fair[data-state=done]");
    there.wait_until(READY);
    assert_eq!(there.eval(SCHEDULES), changed);
    assert_eq!(there.eval(ASKED), 0);
    assert_eq!(there.console_errors(), Vec::<String>::new());
}
