//! The parts of the page's program that are loaded after the first picture: loading them can fail.

use std::io::Write;

use e2e::{Answer, Lab, Look, Site};
use flate2::{Compression, write::GzEncoder};

use crate::steps::{self, READY};

/// The second program, in the program's folder.
const DEFERRED: &str = "/split_deferred.wasm";

/// What only workers load: the full analysis and the policies that are not ranked.
const SIMULATOR: &str = "/split_simulator.wasm";

/// Most bytes, compressed by Brotli, that the first picture of the laboratory or of a demo may need.
const MOST: f64 = 435_000.0;
/// The same by gzip, which is all that many servers offer.
const MOST_GZIP: f64 = 535_000.0;

/// The page and every file it requested: its address, its compressed size in bytes, and whether it was requested
/// before the first picture was painted.
const LOADED: &str = "(() => { \
    const picture = performance.getEntriesByName('first-picture')[0].startTime; \
    return ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind)) \
        .map((entry) => [entry.name, entry.encodedBodySize, entry.startTime < picture]); })()";

/// A file that was requested: its address, its compressed size, and whether it was requested before the first picture.
type File = (String, f64, bool);

/// What an address requests; fails if what is requested before the first picture is larger than [`MOST`].
fn loaded_by(site: &Site, address: &str) -> Vec<File> {
    let lab = Lab::blank(site, Look::DESK);
    lab.goto(address);
    lab.wait_until(READY);
    let loaded: Vec<File> =
        serde_json::from_value(lab.eval(LOADED)).expect("names, sizes and whether they were loaded before");
    let before: f64 = loaded.iter().filter(|(.., before)| *before).map(|(_, size, _)| size).sum();
    println!("{before} bytes before the first picture");
    assert!(before > 0.0 && before <= MOST, "{before} bytes before the first picture: {loaded:#?}");
    loaded
}

#[test]
fn the_first_picture_of_a_demo_needs_no_more_than_that_of_the_lab() {
    loaded_by(&Site::dist(), "?embed&scenario=skew");
}

#[test]
fn the_first_picture_needs_no_more_than_435_kilobytes() {
    let site = Site::dist();
    let loaded = loaded_by(&site, "");
    let gzip: usize =
        loaded.iter().filter(|(.., before)| *before).map(|(name, ..)| gzip_size(&site, name)).sum();
    assert!(gzip > 0 && gzip as f64 <= MOST_GZIP, "{gzip} bytes if compressed by gzip: {loaded:#?}");
    assert!(loaded.iter().all(|(_, size, _)| *size > 0.0), "a size is not known: {loaded:#?}");
    let deferred: Vec<bool> =
        loaded.iter().filter(|(name, ..)| name.ends_with(DEFERRED)).map(|&(.., before)| before).collect();
    assert_eq!(deferred, [false], "the second program is requested after the first picture: {loaded:#?}");
}

/// The size by gzip of the file at an address, in bytes.
fn gzip_size(site: &Site, address: &str) -> usize {
    let name = address.strip_prefix(&site.url("")).expect("an address of the page");
    let file = std::fs::read(e2e::dist().join(if name.is_empty() { "index.html" } else { name }));
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&file.expect("a file of the page")).expect("memory to write to");
    encoder.finish().expect("memory to write to").len()
}

/// The address of a part of the program, whose script is loaded with the page.
fn part(name: &str) -> String {
    let names = std::fs::read_dir(e2e::dist()).expect("the built page");
    let names = names.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned());
    // Beside it lies the folder of the guide.
    let folder = names.into_iter().find(|name| name.starts_with("fairlane-") && !name.contains('.'));
    format!("/{}{name}", folder.expect("the program's folder"))
}

#[test]
fn a_second_program_that_fails_to_load_is_reported_and_requested_again() {
    let site = Site::dist();
    site.answer(&part(DEFERRED), Answer::status(503));
    let lab = Lab::blank(&site, Look::DESK);
    lab.goto("");
    lab.wait_until(READY);
    lab.click("#tab-why");
    lab.wait_until("document.querySelector('#side [role=alert] .again')");
    site.restore();
    lab.click("#side .again");
    lab.wait_until("document.querySelector('#why-sentence')?.textContent");
    assert!(lab.eval("document.querySelector('.again')").is_null(), "all parts are loaded");
}

#[test]
fn a_simulator_that_fails_to_load_is_reported_and_requested_again() {
    let site = Site::dist();
    site.answer(&part(SIMULATOR), Answer::status(503));
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:skew");
    lab.wait_until("document.querySelectorAll('.panel[data-state=failed]').length === 2");
    lab.wait_for("#policy-wfair");
    lab.eval("document.querySelector('#policy-wfair').click()");
    lab.wait_for("#panel-wfair[data-state=failed]");
    site.restore();
    for policy in ["uwfq", "uwfq-p", "wfair"] {
        let panel = format!("#panel-{policy}");
        assert!(lab.text(&format!("{panel} [role=alert] p")).contains("failed to load"));
        lab.click(&format!("{panel} [role=alert] button"));
        lab.wait_for(&format!("{panel}[data-state=done]"));
        let native = fairlane::simulate(&steps::native("skew"), steps::policy(policy)).hash();
        assert_eq!(lab.text(&format!("{panel} .hash")), format!("{native:016x}"));
    }
}
