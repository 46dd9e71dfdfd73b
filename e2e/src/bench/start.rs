//! How much the page loads, and when it shows its first picture: in a browser with an empty cache, a processor
//! slowed down four times, and a link of 10 Mbit/s with a round trip of 40 ms. The same of two demos in an article.
//!
//! The browser slows down the page's own thread only; workers and compilers run at full speed.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Figure, quantile};
use crate::{Answer, Lab, Link, Look, Site, dist, json};

/// How often the page is opened.
const RUNS: usize = 5;
const LINK: Link = Link { round_trip: Duration::from_millis(40), bytes_per_s: 10e6 / 8.0 };
/// How much slower the page's thread is made.
const SLOWER: u32 = 4;
/// Most that the first picture may need.
const MOST_KB: f64 = 650.0;
const MOST_MS: f64 = 1600.0;

/// The page's own mark: a chart of a scenario is on the screen.
const PICTURE: &str = "performance.getEntriesByName('first-picture')[0]?.startTime";
/// When the browser first showed anything, and when the page's program began to run.
const SHELL: &str = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
const PROGRAM: &str = "performance.getEntriesByName('program')[0]?.startTime";

/// What the page itself has requested before the first picture: paths, and bytes as they were sent. What comes from the
/// browser's cache is left out, and so is what the service worker loads for later.
const LOADED: &str = "(() => { \
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
    figures.push(Figure::new("sent until the first picture", total, "KB").at_most(MOST_KB));
    for name in ["shell painted", "program starts", "first picture"] {
        let figure = Figure::new(format!("{name}: median of {RUNS}"), quantile(&times[name], 0.5), "ms");
        figures.push(if name == "first picture" { figure.at_most(MOST_MS) } else { figure });
    }
    figures
}

/// A fresh browser with a slow processor.
fn slowed(site: &Site) -> Lab {
    let lab = Lab::blank(site, Look::DESK);
    lab.cdp("Emulation.setCPUThrottlingRate", json!({ "rate": SLOWER }));
    lab
}

/// Most that the picture of a demo may need: the first one of an article from when the article was requested, the
/// second one from when the reader scrolled to it.
const DEMO_MOST_MS: [f64; 2] = [1300.0, 600.0];
/// Most that the first demo of an article may load until its picture.
const DEMO_MOST_KB: f64 = 620.0;

/// In every frame before its scripts: demos report their first picture to the article, which also counts what moves.
const WATCH: &str = "if (self === top) { \
        window.demos = []; window.shift = 0; \
        addEventListener('message', ({ data }) => { if (data.picture) demos.push(data); }); \
        new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shift += value; }) \
            .observe({ type: 'layout-shift', buffered: true }); \
    } else new PerformanceObserver((list) => { \
        for (const { startTime } of list.getEntriesByName('first-picture')) \
            top.postMessage({ picture: performance.timeOrigin + startTime, loaded: LOADED }, '*'); \
    }).observe({ type: 'mark', buffered: true });";

/// An article with two demos of the page at this address, which are too far apart to be seen together.
fn article(lab: &str) -> String {
    let demo = |scenario: &str, policies: &str| {
        format!(
            "<fairlane-demo scenario='{scenario}' policies='{policies}' style='display: block; height: 420px'>\
                <a href='{lab}'>In the lab</a></fairlane-demo>"
        )
    };
    format!(
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>An article</title>\
            <link rel='icon' href='data:,'><script defer src='{lab}fairlane-demo.js'></script></head>\
            <body><h1>An article</h1>{}<div style='height: 3000px'></div>{}<p>The end</p></body></html>",
        demo("priority-inversion", "ujf,uwfq,uwfq-p"),
        demo("skew", "uwfq,uwfq-p"),
    )
}

/// Opens an article of another origin several times, scrolls from its first demo to its second; medians.
pub fn measure_demos() -> Vec<Figure> {
    let (site, host) = (Site::dist(), Site::folder(dist()));
    host.answer("/article.html", Answer::html(&article(&site.url(""))));
    site.slow_down(Some(LINK));
    host.slow_down(Some(LINK));
    let (mut times, mut sizes, mut moved) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()], Vec::new());
    for _ in 0..RUNS {
        let lab = slowed(&host);
        let source = WATCH.replace("LOADED", LOADED);
        lab.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
        lab.goto("article.html");
        lab.eval("window.since = performance.timeOrigin");
        for demo in 0..2 {
            if demo == 1 {
                // The reader has looked at the first one for a while.
                lab.wait_until("performance.timeOrigin + performance.now() > demos[0].picture + 4000");
                lab.eval(
                    "(() => { window.since = performance.timeOrigin + performance.now(); \
                        document.querySelectorAll('fairlane-demo')[1].scrollIntoView(); })()",
                );
            }
            let seen = lab.wait_until(&format!(
                "demos[{demo}] && [demos[{demo}].picture - since, demos[{demo}].loaded]"
            ));
            let (time, loaded): (f64, Vec<(String, f64)>) = serde_json::from_value(seen)
                .expect("when the picture was painted, and what was loaded for it");
            times[demo].push(time);
            sizes[demo].push(loaded.iter().map(|(_, bytes)| bytes / 1000.0).sum());
        }
        moved.push(lab.eval("shift").as_f64().unwrap_or(f64::NAN));
    }
    let mut figures = Vec::new();
    for (demo, name) in ["first demo", "second demo"].into_iter().enumerate() {
        let sent = Figure::new(format!("{name}: sent until its picture"), quantile(&sizes[demo], 0.5), "KB");
        figures.push(if demo == 0 { sent.at_most(DEMO_MOST_KB) } else { sent });
        let title = format!("{name}: picture: median of {RUNS}");
        figures.push(Figure::new(title, quantile(&times[demo], 0.5), "ms").at_most(DEMO_MOST_MS[demo]));
    }
    figures.push(Figure::new("layout shift of the article: worst", quantile(&moved, 1.0), "").at_most(0.0));
    figures
}
