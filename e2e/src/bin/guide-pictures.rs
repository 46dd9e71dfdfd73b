//! Takes the pictures of the README and the guide into `docs/img`: build the page with
//! `./fairlane-dev build`, then `cargo run -p e2e --bin guide-pictures`.

use e2e::{Lab, Look, Site, json};

const READY: &str = "document.documentElement.dataset.ready === 'true'";

fn open(site: &Site, look: Look, suffix: &str) -> Lab {
    let lab = Lab::open_as(site, look.still(), suffix);
    lab.wait_until(READY);
    lab
}

/// Presses a point as a mouse would.
fn press(lab: &Lab, point: (f64, f64)) {
    lab.drag(point, point);
    lab.wait_until(READY);
}

fn main() {
    let site = Site::dist();
    open(&site, Look::DESK, "#catalog:paper-scenario-1").screenshot("docs/img/lab-light.png");
    welcome(&site);
    dragging(&site);
    present(&site);
    sheets(&site);
    workbench(&site);
    curve(&site);
    charts(&site);
    let lab = open(&site, Look::DESK.dark(), "#catalog:skew");
    lab.click("#mark-skew");
    lab.screenshot("docs/img/skew-dark.png");
    drop(lab);
    let lab = open(&site, Look::PHONE.dark(), "#catalog:priority-inversion");
    press(&lab, lab.rect("#lanes [data-job='1']").centre());
    lab.screenshot("docs/img/lab-phone.png");
    drop(lab);
    program(&site);
    many_cores(&site);
    log(&site);
    lessons(&site);
}

/// A newcomer's guess.
fn welcome(site: &Site) {
    let lab = open(site, Look::DESK, "");
    lab.click("#go-on");
    lab.wait_for("#guess");
    lab.eval("new Promise(done => setTimeout(done, 500))");
    lab.screenshot("docs/img/welcome.png");
}

/// The editor of a program.
fn program(site: &Site) {
    let lab = open(site, Look::DESK, "#challenge:own-protect");
    lab.click("#write-policy");
    lab.wait_for("#panel-custom[data-state=done]");
    lab.wait_until(READY);
    lab.screenshot("docs/img/program.png");
}

/// A job on its way to another instant, before it is dropped.
fn dragging(site: &Site) {
    let lab = open(site, Look::DESK, "#catalog:two-users&policies=fair,uwfq");
    let (x, y) = lab.rect("#lanes [data-job='12']").centre();
    lab.start_drag((x, y), (x + 130.0, y));
    lab.eval("new Promise(done => setTimeout(done, 500))");
    lab.screenshot("docs/img/drag.png");
}

/// The opening scenario, shown to an audience.
fn present(site: &Site) {
    let lab = open(site, Look::DESK.dark(), "#catalog:two-users");
    lab.press("p");
    lab.wait_for(".presenting");
    lab.wait_until(READY);
    lab.eval("new Promise(done => setTimeout(done, 500))");
    lab.screenshot("docs/img/present-dark.png");
}

/// The side panel on a phone.
fn sheets(site: &Site) {
    let lab = open(site, Look::PHONE, "#catalog:priority-inversion");
    lab.click("#tab-compare");
    lab.eval("new Promise(done => setTimeout(done, 500))");
    lab.screenshot("docs/img/phone-compare.png");
    drop(lab);
    let lab = open(site, Look::PHONE, "#catalog:priority-inversion");
    press(&lab, lab.rect("#panel-fair .chart canvas").at(0.3, 0.1));
    lab.eval("new Promise(done => setTimeout(done, 500))");
    lab.screenshot("docs/img/phone-why.png");
}

/// The performance curve of a job with a straggler, drawn and measured.
fn curve(site: &Site) {
    let lab = open(site, Look::DESK, "#catalog:skew&policies=uwfq,paf");
    press(&lab, lab.rect("#lanes [data-job='0']").centre());
    lab.click("#tab-job");
    lab.click("#job-curve-section");
    lab.select("#curve-form", "points");
    lab.eval("document.querySelector('#curve-measure').scrollIntoView({ block: 'center' })");
    lab.click("#curve-measure");
    lab.wait_for("#curve-use-fit");
    lab.wait_until(READY);
    lab.eval("document.querySelector('#job-curve-section').scrollIntoView()");
    lab.screenshot("docs/img/curve.png");
}

/// A thousand cores under two policies, with some of one chart's brought nearer.
fn many_cores(site: &Site) {
    let lab = Lab::open_as(site, Look::DESK.sized(1280, 1150).still(), "#catalog:skew&policies=fair,uwfq");
    lab.wait_until(READY);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a-thousand-cores.json");
    let job = |job: u32| {
        let slices: Vec<String> =
            (0..40).map(|slice| (1 + (job * 7 + slice * slice) % 9).to_string()).collect();
        format!(
            r#"{{ "user": "{}", "arrival_s": {}, "stages": [{{ "work_s": 60000, "partitions": 60000, "profile": [{}] }}] }}"#,
            ["ana", "ben", "cleo", "dan"][job as usize % 4],
            job * 40,
            slices.join(", ")
        )
    };
    let jobs: Vec<String> = (0..16).map(job).collect();
    let text = format!(
        r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "executors": 250, "cores_per_executor": 4 }}, "jobs": [{}] }}"#,
        jobs.join(", ")
    );
    std::fs::write(&file, text).expect("room for a file");
    lab.upload("#file", &file);
    lab.wait_until("document.querySelectorAll('.lanes .lane').length === 4");
    lab.wait_until(&format!("document.querySelectorAll('.panel[data-state=done]').length === 2 && {READY}"));
    for _ in 0..5 {
        lab.click("#panel-uwfq .cores-shown button");
    }
    // Only the stage scrolls, not the page around it.
    lab.eval(
        "document.querySelector('#stage').scrollTop += \
        document.querySelector('#panel-fair').getBoundingClientRect().top - 60",
    );
    lab.hover(lab.rect("#panel-uwfq canvas").at(0.6, 0.3));
    lab.eval("new Promise(done => setTimeout(done, 300))");
    lab.screenshot("docs/img/many-cores.png");
}

/// A log of real Spark: as it ran, as it might have run, and who waited for whom.
fn log(site: &Site) {
    let lab = open(site, Look::DESK, "#catalog:two-users");
    lab.upload(
        "#file",
        concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/fairlane-import/tests/data/spark/multi-fair.gz"),
    );
    lab.wait_for("#panel-observed[data-state=done]");
    lab.wait_for("#log-error");
    lab.wait_until(READY);
    lab.screenshot("docs/img/import.png");
    lab.click("#waited-matrix td button");
    lab.eval("document.querySelector('#waited').scrollIntoView()");
    lab.screenshot("docs/img/waited.png");
}

/// A characteristic step of each lesson, with the answer chosen in it: link, theme and answer.
const LESSONS: [(&str, bool, Option<usize>); 21] = [
    ("fifo-and-fair/3", false, Some(0)),
    ("jobs-are-not-users/5", true, Some(0)),
    ("virtual-time/4", false, None),
    ("uwfq-deadlines/4", false, Some(1)),
    ("skew/3", true, None),
    ("priority-inversion/3", false, None),
    ("choosing-the-atr/4", false, None),
    ("wrong-estimates/4", true, Some(0)),
    ("who-can-spare-a-core/2", false, Some(1)),
    ("priority-but-bounded/3", true, None),
    ("too-late-to-start/2", false, Some(1)),
    ("shortest-first/2", true, Some(1)),
    ("whats-in-a-name/5", false, Some(2)),
    ("undeclared-pool/1", false, Some(1)),
    ("what-the-network-found/4", false, Some(2)),
    ("why-not-kill/2", true, Some(2)),
    ("a-machine-dies/1", false, Some(1)),
    ("slow-machine/1", true, Some(1)),
    ("wait-for-your-data/1", false, Some(1)),
    ("all-or-nothing/1", true, Some(2)),
    ("micro-batches/2", false, Some(2)),
];

fn lessons(site: &Site) {
    for (step, dark, answer) in LESSONS {
        let look = if dark { Look::DESK.dark() } else { Look::DESK };
        let lab = open(site, look, &format!("#lesson:{step}"));
        if step == "whats-in-a-name/5" {
            lab.wait_for("#panel-observed[data-state=done]");
            lab.wait_until(READY);
        }
        if let Some(answer) = answer {
            lab.eval(&format!(
                "document.querySelector({}).click()",
                json!(format!("[data-option='{answer}']"))
            ));
            lab.wait_until(READY);
        }
        let name = step.split('/').next().unwrap_or(step);
        lab.screenshot(format!("docs/img/lesson-{name}.png"));
    }
    open(site, Look::PHONE, "#lesson:skew/2").screenshot("docs/img/lesson-phone.png");
}

/// A job dragged, edited, questioned and compared.
fn workbench(site: &Site) {
    let lab = open(site, Look::DESK, "#catalog:two-users&policies=fair,ujf,uwfq");
    let (x, y) = lab.rect("#lanes [data-job='12']").centre();
    lab.drag((x, y), (x + 100.0, y));
    lab.click("#tab-job");
    lab.click("#edit-job");
    lab.click("#stage-0-draw");
    lab.wait_until(READY);
    let bar = lab.rect(".skew .slice:nth-child(3)");
    lab.drag(bar.at(0.5, 0.4), bar.at(0.5, 0.05));
    lab.wait_until(READY);
    lab.screenshot("docs/img/job.png");
    press(&lab, lab.rect("#panel-uwfq .chart canvas").at(0.26, 0.1));
    lab.screenshot("docs/img/why.png");
    lab.look(Look::DESK.dark().still());
    lab.click("#tab-differences");
    lab.select("#pair-other", "uwfq");
    // The colours follow the scheme in the next frames.
    lab.eval("new Promise(done => setTimeout(done, 300))");
    lab.screenshot("docs/img/differences-dark.png");
}

/// Each chart, large over the page, half of them in the dark.
fn charts(site: &Site) {
    let paper = "#catalog:paper-scenario-1&policies=fair,ujf,cfq,uwfq,cfq-p,uwfq-p";
    let pictures = [
        ("responses", paper, Look::DESK),
        ("users", paper, Look::DESK.dark()),
        ("fairness", paper, Look::DESK),
        ("slowdown", "#catalog:two-users&policies=fair,ujf,uwfq", Look::DESK.dark()),
        ("cores", paper, Look::DESK),
        ("atr", "#catalog:skew&policies=fair,fair-p,uwfq,uwfq-p", Look::DESK.dark()),
        ("estimates", paper, Look::DESK),
    ];
    for (chart, suffix, look) in pictures {
        let lab = open(site, look.sized(1000, 640), suffix);
        lab.click("#tab-charts");
        lab.select("#chart-kind", chart);
        lab.wait_for(&format!("#chart-{chart}[aria-busy=false]"));
        if chart == "cores" {
            lab.select("#chart-policy", "uwfq");
        }
        lab.click("#chart-size");
        lab.wait_for("#chart-dialog[open]");
        lab.hover(lab.rect(&format!("#chart-{chart} canvas")).at(0.4, 0.5));
        // The canvas takes on its size in the next frames.
        lab.eval("new Promise(done => setTimeout(done, 300))");
        lab.screenshot(format!("docs/img/chart-{chart}.png"));
    }
}
