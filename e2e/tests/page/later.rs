//! The page's second program: it comes after the first picture, and can fail to come.

use e2e::{Answer, Lab, Look, Site};

use crate::steps::READY;

/// Most bytes, compressed, that the first picture of a scenario may need.
const MOST: f64 = 600_000.0;

/// The page and whatever it has asked for, each with the bytes that came for it and whether it was asked for
/// before the first picture was painted.
const LOADED: &str = "(() => { \
    const picture = performance.getEntriesByName('first-picture')[0].startTime; \
    return ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind)) \
        .map((entry) => [entry.name, entry.encodedBodySize, entry.startTime < picture]); })()";

#[test]
fn the_first_picture_needs_no_more_than_600_kilobytes() {
    let site = Site::dist();
    let lab = Lab::blank(&site, Look::DESK);
    lab.goto("");
    lab.wait_until(READY);
    let loaded: Vec<(String, f64, bool)> =
        serde_json::from_value(lab.eval(LOADED)).expect("names, sizes and whether they came before");
    let is_later = |name: &str| name.contains("/fairlane-later-") && name.ends_with(".wasm");
    let before: f64 = loaded.iter().filter(|(.., before)| *before).map(|(_, size, _)| size).sum();
    assert!(before > 0.0 && before <= MOST, "{before} bytes before the first picture: {loaded:#?}");
    // Many servers compress by gzip only.
    let files =
        loaded.iter().filter(|(.., before)| *before).map(|(name, ..)| match name.rsplit('/').next() {
            None | Some("") => "index.html",
            Some(name) => name,
        });
    let zipped: usize = files
        .map(|name| e2e::gzip(&std::fs::read(e2e::dist().join(name)).expect("a file of the page")).len())
        .sum();
    assert!(zipped > 0 && zipped as f64 <= MOST, "{zipped} bytes if compressed by gzip: {loaded:#?}");
    assert!(loaded.iter().all(|(_, size, _)| *size > 0.0), "a size is not known: {loaded:#?}");
    let later: Vec<bool> =
        loaded.iter().filter(|(name, ..)| is_later(name)).map(|&(.., before)| before).collect();
    assert_eq!(later, [false], "when the second program was asked for: {loaded:#?}");
}

#[test]
fn a_second_program_that_does_not_come_is_told_and_asked_for_again() {
    let site = Site::dist();
    // The program alone: its script comes with the page.
    let program = std::fs::read_dir(e2e::dist())
        .expect("the built page")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .find(|name| name.starts_with("fairlane-later-") && name.ends_with(".wasm"))
        .expect("a second program");
    site.answer(&format!("/{program}"), Answer::status(503));
    let lab = Lab::blank(&site, Look::DESK);
    lab.goto("");
    lab.wait_until(READY);
    lab.click("#tab-why");
    lab.wait_until("document.querySelector('#side [role=alert] .again')");
    site.restore();
    lab.click("#side .again");
    lab.wait_until("document.querySelector('#why-sentence')?.textContent");
    assert!(lab.eval("document.querySelector('.again')").is_null(), "all parts have come");
}
