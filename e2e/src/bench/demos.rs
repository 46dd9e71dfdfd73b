//! What demos in an article of another origin load, and when they show their pictures: in a browser with an empty cache, a
//! processor slowed down four times, and links of several speeds.

use std::thread;
use std::time::Duration;

use super::start::{LINK, LOADED, RUNS, slowed};
use super::{Figure, quantile};
use crate::{Answer, Link, Site, Traffic, dist, json};

/// Most that the picture of a demo may need: the first one of an article from when the article was requested, the
/// second one from when the reader scrolled to it.
const MAX_DEMO_MS: [f64; 2] = [1300.0, 600.0];
/// Most that the first demo of an article may load until its picture.
const MAX_DEMO_KB: f64 = 620.0;

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
pub fn measure() -> Vec<Figure> {
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
        figures.push(if demo == 0 { sent.at_most(MAX_DEMO_KB) } else { sent });
        let title = format!("{name}: picture: median of {RUNS}");
        figures.push(Figure::new(title, quantile(&times[demo], 0.5), "ms").at_most(MAX_DEMO_MS[demo]));
    }
    figures.push(Figure::new("layout shift of the article: worst", quantile(&moved, 1.0), "").at_most(0.0));
    figures
}

/// The demos of an article: catalog entries and policies.
const DEMOS: [(&str, &str); 8] = [
    ("priority-inversion", "ujf,uwfq,uwfq-p"),
    ("skew", "uwfq,uwfq-p"),
    ("two-users", "fifo,fair,uwfq"),
    ("weights", "fair,uwfq"),
    ("paper-scenario-1", "fair,ujf,cfq,uwfq"),
    ("paper-scenario-2", "fair,uwfq"),
    ("bopf-growing", "fair,uwfq"),
    ("paf-three-jobs", "fifo,fair"),
];
/// Links that browsers' tools and reports call so.
const LINKS: [(&str, Link); 2] = [
    ("slow 3G", Link { round_trip: Duration::from_millis(400), bytes_per_s: 400e3 / 8.0 }),
    ("fast 3G", Link { round_trip: Duration::from_millis(150), bytes_per_s: 1.6e6 / 8.0 }),
];
/// Sets `shown` when all demos of the article show their pictures: to how long after its request.
const ALL_SHOWN: &str = "<script>let ready = 0; addEventListener('fairlane-ready', () => { \
    if (++ready === document.querySelectorAll('fairlane-demo').length) window.shown = performance.now(); })</script>";

/// Opens an article with demos that all load with it, in a browser that has seen nothing, and again in one that has
/// seen it: requests and bytes of the lab's server until nothing follows any more, and the time until all pictures.
pub fn measure_articles() -> Vec<Figure> {
    let (site, host) = (Site::dist(), Site::folder(dist()));
    let lab = site.url("");
    let mut figures = Vec::new();
    for count in [1, 8] {
        let demos: String = DEMOS[..count]
            .iter()
            .map(|(scenario, policies)| {
                format!("<fairlane-demo scenario='{scenario}' policies='{policies}' loading='eager'></fairlane-demo>")
            })
            .collect();
        host.answer(
            "/article.html",
            Answer::html(&format!(
                "<!doctype html><meta charset='utf-8'><title>An article</title><link rel='icon' href='data:,'>{ALL_SHOWN}\
                <script defer src='{lab}fairlane-demo.js'></script>{demos}"
            )),
        );
        let demos = if count == 1 { "one demo".to_owned() } else { format!("{count} demos") };
        let ([cold, warm], _) = opened_twice(&site, &host, None);
        for (visit, Traffic { requests, bytes }) in [("first", cold), ("second", warm)] {
            let name = format!("{demos}, {visit} visit");
            figures.push(Figure::new(format!("{name}: requests"), requests as f64, ""));
            figures.push(Figure::new(format!("{name}: sent"), bytes as f64 / 1000.0, "KB"));
        }
        for (link, speed) in LINKS {
            let (_, times) = opened_twice(&site, &host, Some(speed));
            for (visit, time) in ["first", "second"].into_iter().zip(times) {
                figures.push(Figure::new(
                    format!("{demos}, {visit} visit, {link}: all pictures"),
                    time,
                    "ms",
                ));
            }
        }
    }
    figures
}

/// Opens the article twice in one browser: what was sent, and when all pictures were there.
fn opened_twice(site: &Site, host: &Site, link: Option<Link>) -> ([Traffic; 2], [f64; 2]) {
    site.slow_down(link);
    host.slow_down(link);
    let lab = slowed(host);
    let (mut traffic, mut times) = ([Traffic::default(); 2], [f64::NAN; 2]);
    site.take_traffic();
    for visit in 0..2 {
        lab.goto("article.html");
        times[visit] = lab.wait_at_most(PATIENCE, "window.shown").as_f64().unwrap_or(f64::NAN);
        traffic[visit] = until_quiet(site);
    }
    (traffic, times)
}

/// How long a slow link may take.
const PATIENCE: Duration = Duration::from_secs(240);
/// After so long without a request nothing follows.
const QUIET: Duration = Duration::from_secs(3);

/// What the server has sent once nothing follows any more.
fn until_quiet(site: &Site) -> Traffic {
    let mut sum = site.take_traffic();
    loop {
        thread::sleep(QUIET);
        let more = site.take_traffic();
        if more == Traffic::default() {
            return sum;
        }
        sum = Traffic { requests: sum.requests + more.requests, bytes: sum.bytes + more.bytes };
    }
}
