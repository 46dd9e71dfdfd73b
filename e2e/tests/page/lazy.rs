//! What is loaded before the first picture and after it. The parts that are loaded later can fail to load.

use e2e::{Answer, Lab, Look, Site};

use crate::steps::READY;

/// What the name of the file that is loaded later ends with.
const LATER: &str = "-later.wasm";

/// Most bytes, compressed by Brotli, that the first picture of the laboratory may need, and that a demo may load in
/// all.
const MAX_BYTES: f64 = 845_000.0;
const MAX_DEMO_BYTES: f64 = 845_000.0;

/// The page and every file it requested: its address, its compressed size in bytes, and whether it was requested
/// before the first picture was painted.
const LOADED: &str = "(() => { \
    const picture = performance.getEntriesByName('first-picture')[0].startTime; \
    return ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind)) \
        .map((entry) => [entry.name, entry.encodedBodySize, entry.startTime < picture]); })()";

/// A file that was requested: its address, its compressed size, and whether it was requested before the first picture.
type File = (String, f64, bool);

/// What an address requests until it is idle.
fn loaded_by(address: &str) -> Vec<File> {
    let site = Site::dist();
    let lab = Lab::blank(&site, Look::DESK);
    lab.goto(address);
    lab.wait_until(READY);
    let loaded: Vec<File> =
        serde_json::from_value(lab.eval(LOADED)).expect("names, sizes and whether they were loaded before");
    assert!(loaded.iter().all(|(_, size, _)| *size > 0.0), "a size is not known: {loaded:#?}");
    loaded
}

fn bytes<'a>(files: impl Iterator<Item = &'a File>) -> f64 {
    files.map(|(_, size, _)| size).sum()
}

#[test]
fn the_first_picture_keeps_within_its_bytes() {
    let loaded = loaded_by("");
    let before = bytes(loaded.iter().filter(|(.., before)| *before));
    println!("{before} bytes before the first picture, {} in all", bytes(loaded.iter()));
    assert!(before <= MAX_BYTES, "{before} bytes before the first picture: {loaded:#?}");
    let later = loaded.iter().find(|(name, ..)| name.ends_with(LATER));
    assert!(later.is_some_and(|(.., before)| !before), "{loaded:#?}");
}

#[test]
fn a_demo_keeps_within_its_bytes() {
    let loaded = loaded_by("?embed&scenario=paper-scenario-1");
    let all = bytes(loaded.iter());
    println!("{all} bytes");
    assert!(all <= MAX_DEMO_BYTES, "{all} bytes: {loaded:#?}");
}

#[test]
fn parts_that_fail_to_load_are_reported_and_requested_again() {
    let names = std::fs::read_dir(e2e::dist()).expect("the built page");
    let mut names = names.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned());
    let later = names.find(|name| name.ends_with(LATER)).expect("the file that is loaded later");
    let site = Site::dist();
    site.answer(&format!("/{later}"), Answer::status(503));
    let lab = Lab::blank(&site, Look::DESK);
    // The tab is open from the start, so that the parts are requested once.
    lab.goto("#catalog:skew&tab=why");
    lab.wait_until("document.querySelector('#side [role=alert] .again')");
    site.restore();
    lab.click("#side .again");
    lab.wait_until("document.querySelector('#why-sentence')?.textContent");
    assert!(lab.eval("document.querySelector('.again')").is_null(), "all parts are loaded");
}
