//! The parts of the page's program that are loaded after the first picture: loading them can fail.

use std::io::Write;

use e2e::{Answer, Lab, Look, Site, json};
use fairlane::scenario::Scenario;
use fairlane::units::Time;
use fairlane_view::display::Display;
use fairlane_view::link::{Bounds, Origin, Session};
use flate2::{Compression, write::GzEncoder};

use crate::steps::{self, READY};

/// The second program, in the program's folder.
const DEFERRED: &str = "/split_deferred.wasm";

/// What only workers load: the full analysis and the policies that are not ranked.
const SIMULATOR: &str = "/split_simulator.wasm";

/// What shows and answers everything, which a demo requests after its first picture.
const INTERFACE: &str = "/split_interface.wasm";

/// Most bytes, compressed by Brotli, that the first picture of the laboratory and that of a demo may need.
const MOST: f64 = 457_000.0;
const MOST_OF_DEMO: f64 = 285_000.0;
/// The laboratory's by gzip, which is all that many servers offer.
const MOST_GZIP: f64 = 565_000.0;

/// The page and every file it requested: its address, its compressed size in bytes, and whether it was requested
/// before the first picture was painted.
const LOADED: &str = "(() => { \
    const picture = performance.getEntriesByName('first-picture')[0].startTime; \
    return ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind)) \
        .map((entry) => [entry.name, entry.encodedBodySize, entry.startTime < picture]); })()";

/// A file that was requested: its address, its compressed size, and whether it was requested before the first picture.
type File = (String, f64, bool);

/// What an address requests; fails if what is requested before the first picture is larger than `most`.
fn loaded_by(site: &Site, address: &str, most: f64) -> Vec<File> {
    let lab = Lab::blank(site, Look::DESK);
    lab.goto(address);
    lab.wait_until(READY);
    let loaded: Vec<File> =
        serde_json::from_value(lab.eval(LOADED)).expect("names, sizes and whether they were loaded before");
    let before: f64 = loaded.iter().filter(|(.., before)| *before).map(|(_, size, _)| size).sum();
    println!("{before} bytes before the first picture");
    assert!(before > 0.0 && before <= most, "{before} bytes before the first picture: {loaded:#?}");
    loaded
}

/// Whether a part was requested before the first picture.
fn requested_before(loaded: &[File], part: &str) -> Vec<bool> {
    loaded.iter().filter(|(name, ..)| name.ends_with(part)).map(|&(.., before)| before).collect()
}

#[test]
fn the_first_picture_of_a_demo_needs_no_more_than_285_kilobytes() {
    for parts in ["", "&show=lanes,ideal,panels,compare,transport"] {
        let loaded =
            loaded_by(&Site::dist(), &format!("?embed&scenario=paper-scenario-1{parts}"), MOST_OF_DEMO);
        assert_eq!(requested_before(&loaded, INTERFACE), [false], "{loaded:#?}");
    }
}

#[test]
fn the_first_picture_needs_no_more_than_457_kilobytes() {
    let site = Site::dist();
    let loaded = loaded_by(&site, "", MOST);
    let gzip: usize =
        loaded.iter().filter(|(.., before)| *before).map(|(name, ..)| gzip_size(&site, name)).sum();
    assert!(gzip > 0 && gzip as f64 <= MOST_GZIP, "{gzip} bytes if compressed by gzip: {loaded:#?}");
    assert!(loaded.iter().all(|(_, size, _)| *size > 0.0), "a size is not known: {loaded:#?}");
    assert_eq!(requested_before(&loaded, INTERFACE), [true], "{loaded:#?}");
    assert_eq!(requested_before(&loaded, DEFERRED), [false], "{loaded:#?}");
}

/// Where the elements of the panels and of the bar above them are, with their texts but for those on jobs, and what
/// the charts show.
const SHOWN: &str = "(() => { \
    const all = '.top > *, .panel, .panel h2, .figure, .gutter span, canvas[role=img], .gridline, .lane b, .block'; \
    const place = (element) => { \
        const { x, y, width, height } = element.getBoundingClientRect(); \
        return [element.matches('.block, .panel') ? '' : element.textContent, ...[x, y, width, height].map(Math.round)].join(' '); \
    }; \
    const charts = [...document.querySelectorAll('canvas[role=img]')]; \
    return [[...document.querySelectorAll(all)].map(place), charts.map((chart) => chart.toDataURL())]; })()";

#[test]
fn the_interface_shows_what_the_first_picture_of_a_demo_has_shown() {
    let own = steps::native("heavy-first").to_json();
    for (query, look) in [
        ("?embed&scenario=skew", Look::DESK),
        ("?embed&src=own.json&policies=fair,uwfq", Look::DESK),
        (
            "?embed&scenario=two-users&show=lanes,ideal,panels&policies=fair,uwfq-p&edit&theme=dark",
            Look::DESK,
        ),
        ("?embed&scenario=paper-scenario-1&at=5", Look::PHONE),
    ] {
        let site = Site::dist();
        site.answer("/own.json", Answer::json(&own));
        site.answer(&part(INTERFACE), Answer::status(503));
        site.answer(&part(DEFERRED), Answer::status(503));
        let lab = Lab::blank(&site, look);
        lab.goto(query);
        // The interface fails to load, and the page says so over the picture.
        lab.wait_for("#fairlane-fatal button");
        assert!(lab.text("#fairlane-fatal").contains("Check your connection"));
        let picture = lab.eval(SHOWN);
        assert!(picture[1].as_array().is_some_and(|charts| charts.len() >= 2), "{query}: {picture}");
        site.restore();
        site.answer("/own.json", Answer::json(&own));
        site.answer(&part(DEFERRED), Answer::status(503));
        lab.click("#fairlane-fatal button");
        // Only the interface has a status for screen readers, and the picture covers it until it is painted.
        lab.wait_for("#said");
        lab.wait_until("!document.querySelector('.picture')");
        let interface = lab.eval(SHOWN);
        assert_eq!(interface, picture, "{query}");
    }
}

/// Counts the frames with a chart in sight that is not drawn, from the first picture on.
const FRAMES: &str = "window.frames = { drawn: 0, blank: 0 }; \
    const isDrawn = (canvas) => canvas.getContext('2d').getImageData(0, 0, 1, 1).data[3] === 255; \
    const { port1, port2 } = new MessageChannel(); \
    port1.onmessage = () => { \
        const charts = [...(document.querySelector('.picture') ?? document).querySelectorAll('canvas[role=img]')]; \
        if (charts.length > 0 && charts.every(isDrawn)) frames.drawn += 1; \
        else if (frames.drawn > 0) frames.blank += 1; \
    }; \
    const next = () => { port2.postMessage(null); requestAnimationFrame(next); }; \
    requestAnimationFrame(next);";

#[test]
fn the_interface_takes_the_place_of_the_first_picture_without_a_blank_frame() {
    let site = Site::dist();
    let lab = Lab::blank(&site, Look::DESK);
    lab.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": FRAMES }));
    lab.cdp("Emulation.setCPUThrottlingRate", json!({ "rate": 4 }));
    lab.goto("?embed&scenario=paper-scenario-1");
    lab.wait_until(READY);
    let [drawn, blank] =
        ["drawn", "blank"].map(|kind| lab.eval(&format!("frames.{kind}")).as_u64().expect("a count"));
    assert!(drawn > 2 && blank == 0, "{blank} blank frames of {}", drawn + blank);
}

#[test]
fn names_of_a_scenario_stay_text_in_the_first_picture() {
    let site = Site::dist();
    site.answer(&part(INTERFACE), Answer::status(503));
    let hostile = "<img src=x onerror=document.title='gone'>";
    let scenario = format!(
        r#"{{"format":"fairlane/scenario@1","name":"{hostile}","jobs":[
            {{"user":"{hostile}","arrival_s":0,"name":"{hostile}","stages":[{{"work_s":8}}]}}]}}"#
    );
    let session = Session {
        scenario: Scenario::from_json(&scenario).expect("names may be any text"),
        origin: Origin::File("hostile".to_owned()),
        policies: [steps::policy("uwfq")].into(),
        playhead: Time::ZERO,
        window: None,
        display: Display::default(),
    };
    let session = session.to_text(&Bounds::LINK).expect("a short link");
    let lab = Lab::blank(&site, Look::DESK);
    lab.goto(&format!("?embed&show=lanes,panels#{session}"));
    lab.wait_for("#fairlane-fatal button");
    assert_eq!(lab.text(".top h1"), hostile);
    assert_eq!(lab.text(".lane b"), hostile);
    assert!(lab.eval("document.querySelector('#app img')").is_null());
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
