//! The page with a scenario as one file, as `fairlane compare --html` writes it, opened from the disk.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use e2e::{Lab, Look, Site, dist};
use tempfile::TempDir;

use crate::steps::READY;

/// Most bytes of the document: nearly all are the compressed program.
const MOST_BYTES: u64 = 2_700_000;

/// Where the playhead is drawn.
const PLAYHEAD: &str = "document.querySelector('.playhead').getBoundingClientRect().left";

/// The document of two policies, in a folder of its own.
fn document() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("skew.html");
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "-p", "fairlane-cli", "--", "compare", "catalog:skew"]);
    command.args(["--policies", "fair,uwfq-p", "--html"]).arg(&path).arg("--page").arg(dist());
    let output = command.output().expect("cargo");
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
    let asked =
        "performance.getEntriesByType('resource').filter(entry => !/^(blob|data):/.test(entry.name)).length";
    assert_eq!(lab.eval(asked), 0);
}

#[test]
fn one_document_works_from_the_disk() {
    let (_folder, path) = document();
    let bytes = fs::metadata(&path).expect("the document").len();
    assert!(bytes < MOST_BYTES, "{bytes} bytes");
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
