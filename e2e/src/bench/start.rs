//! How much the page loads, and when it shows its first picture: in a browser with an empty cache, a processor
//! slowed down four times, and a link of 10 Mbit/s with a round trip of 40 ms.
//!
//! The browser slows down the page's own thread only; workers and compilers run at full speed.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Figure, quantile};
use crate::{Lab, Link, Look, Site, json};

/// How often the page is opened.
pub(super) const RUNS: usize = 5;
pub(super) const LINK: Link = Link { round_trip: Duration::from_millis(40), bytes_per_s: 10e6 / 8.0 };
/// How much slower the page's thread is made.
const SLOWER: u32 = 4;
/// Most that the first picture may need.
const MAX_KB: f64 = 650.0;
const MAX_MS: f64 = 1600.0;

/// The page's own mark: a chart of a scenario is on the screen.
const PICTURE: &str = "performance.getEntriesByName('first-picture')[0]?.startTime";
/// When the browser first showed anything, and when the page's program began to run.
const SHELL: &str = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
const PROGRAM: &str = "performance.getEntriesByName('program')[0]?.startTime";

/// What the page itself has requested before the first picture: paths, and bytes as they were sent. What comes from the
/// browser's cache is left out, and so is what the service worker loads for later.
pub(super) const LOADED: &str = "(() => { \
    const picture = performance.getEntriesByName('first-picture')[0].startTime; \
    return ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind)) \
        .filter((entry) => entry.startTime < picture && entry.transferSize > 0) \
        .map((entry) => [new URL(entry.name).pathname, entry.encodedBodySize]); })()";

/// Opens the page several times; medians, and what was sent by file.
pub fn measure() -> Vec<Figure> {
    let site = Site::dist();
    let mut times: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut sizes: BTreeMap<String, f64> = BTreeMap::new();
    site.slow_down(Some(LINK));
    for _ in 0..RUNS {
        let lab = slowed(&site);
        lab.goto("");
        lab.wait_until(PICTURE);
        for (name, expression) in
            [("shell painted", SHELL), ("program starts", PROGRAM), ("first picture", PICTURE)]
        {
            let at = lab.eval(&format!("{expression} ?? null")).as_f64();
            times.entry(name).or_default().push(at.unwrap_or(f64::NAN));
        }
        sizes.clear();
        let loaded: Vec<(String, f64)> =
            serde_json::from_value(lab.eval(LOADED)).expect("paths and sizes of what was loaded");
        for (path, bytes) in loaded {
            *sizes.entry(path).or_default() += bytes / 1000.0;
        }
    }
    let total = sizes.values().sum();
    let mut figures: Vec<Figure> =
        sizes.into_iter().map(|(path, size)| Figure::new(path, size, "KB")).collect();
    figures.push(Figure::new("sent until the first picture", total, "KB").at_most(MAX_KB));
    for name in ["shell painted", "program starts", "first picture"] {
        let figure = Figure::new(format!("{name}: median of {RUNS}"), quantile(&times[name], 0.5), "ms");
        figures.push(if name == "first picture" { figure.at_most(MAX_MS) } else { figure });
    }
    figures
}

/// A fresh browser with a slow processor.
pub(super) fn slowed(site: &Site) -> Lab {
    let lab = Lab::blank(site, Look::DESK);
    lab.cdp("Emulation.setCPUThrottlingRate", json!({ "rate": SLOWER }));
    lab
}
