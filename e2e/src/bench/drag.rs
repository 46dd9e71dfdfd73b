//! How much of the page's own time a drag takes, and how long a great many results hold the page up when they
//! arrive.
//!
//! What is measured is the page's main thread as Chromium's own trace has it: every task that it runs
//! (`RunTask`: events, script, style, layout, drawing and what is prepared for the compositor). A frame's time
//! is the sum of all tasks since the frame before it was handed over (`Commit`), so that what results of
//! workers cost between two frames counts too. Two times are reported: the thread's own processor time, and the
//! wall-clock time, which is longer while workers and the browser use all processors.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::{Figure, spread};
use crate::{Lab, Look, Site, Value, json};

const CATEGORIES: [&str; 2] = ["devtools.timeline", "disabled-by-default-devtools.timeline"];
const READY: &str = "document.documentElement.dataset.ready === 'true'";
/// How long a job is dragged.
const DRAG: Duration = Duration::from_secs(5);
/// Logical pixels that the pointer moves from side to side.
const SWING: f64 = 150.0;
/// How long simulations may take.
const PATIENCE: Duration = Duration::from_secs(300);
/// Where to take hold of a job, one that can be moved either way; from then on the panels' fingerprints are
/// watched, each change of which is an update.
const START: &str = "(() => {
    const block = [...document.querySelectorAll('#lanes .block')].find(block => {
        const area = block.getBoundingClientRect();
        return area.left > innerWidth * 0.4 && area.top > 90 && area.bottom < innerHeight - 90;
    });
    const seen = window.drag_seen = { updates: 0 };
    const watch = new MutationObserver(list => seen.updates += list.length);
    document.querySelectorAll('.panel .hash').forEach(hash => watch.observe(hash, { characterData: true, subtree: \
    true }));
    const area = block.getBoundingClientRect();
    return [area.left + Math.min(3, area.width / 2), area.top + area.height / 2];
  })()";

/// What the measurements are about.
struct Workload {
    jobs: usize,
    tasks_per_job: usize,
    executors: usize,
    /// Whether every task is given one by one, which makes a long file.
    listed: bool,
}

impl Workload {
    /// A scenario file: jobs of uneven tasks of twenty users, enough to keep most of the cores busy.
    fn file(&self) -> String {
        let cores = 8 * self.executors;
        let mut jobs = String::new();
        for job in 0..self.jobs {
            let weights = |count: usize| -> Vec<usize> {
                (0..count).map(|slice| 1 + (job * 7 + slice * 3) % 5).collect()
            };
            let stage = if self.listed {
                let seconds: Vec<String> = weights(self.tasks_per_job)
                    .iter()
                    .map(|&weight| format!("{}.{}", weight / 6, 1 + weight))
                    .collect();
                format!(r#"{{ "tasks_s": [{}] }}"#, seconds.join(", "))
            } else {
                let profile: Vec<String> = weights(10).iter().map(usize::to_string).collect();
                let (work, tasks) = (self.tasks_per_job as f64 * 0.5, self.tasks_per_job);
                format!(
                    r#"{{ "work_s": {work}, "partitions": {tasks}, "profile": [{}] }}"#,
                    profile.join(", ")
                )
            };
            let comma = if job == 0 { "" } else { ",\n" };
            let apart = self.tasks_per_job as f64 * 0.5 / cores as f64;
            write!(
                jobs,
                r#"{comma}{{ "user": "user{}", "arrival_s": {:.3}, "stages": [{stage}] }}"#,
                job % 20,
                job as f64 * apart * 0.98,
            )
            .expect("text can grow");
        }
        format!(
            r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "executors": {}, "cores_per_executor": 8 }}, "jobs": [{jobs}] }}"#,
            self.executors
        )
    }
}

/// The page's main thread over a time.
struct MainThread {
    /// The tasks in the order of time.
    tasks: Vec<Task>,
    /// When each frame was handed over, in milliseconds.
    commits: Vec<f64>,
}

/// Something that the thread did without a pause, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Task {
    start: f64,
    /// By the clock.
    length: f64,
    /// Time of the processor.
    own: f64,
}

impl MainThread {
    /// Out of the events of a trace. The page's thread is the one that hands most frames over.
    fn new(events: &[Value]) -> MainThread {
        let thread = |event: &Value| (event["pid"].as_u64(), event["tid"].as_u64());
        let is_commit = |event: &&Value| event["name"] == "Commit" && event["ph"] == "X";
        let mut threads: Vec<_> = events.iter().filter(is_commit).map(thread).collect();
        threads.sort_unstable();
        let page = threads.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).map(|run| run[0]);
        let own = || events.iter().filter(move |event| Some(thread(event)) == page);
        let millis = |event: &Value, key: &str| event[key].as_f64().unwrap_or(0.0) / 1000.0;
        let mut commits: Vec<f64> = own().filter(is_commit).map(|event| millis(event, "ts")).collect();
        commits.sort_by(f64::total_cmp);
        let tasks = own().filter(|event| event["name"] == "RunTask").map(|event| Task {
            start: millis(event, "ts"),
            length: millis(event, "dur"),
            own: millis(event, "tdur"),
        });
        let mut tasks: Vec<Task> = tasks.collect();
        tasks.sort_by(|a, b| a.start.total_cmp(&b.start).then(b.length.total_cmp(&a.length)));
        // Tasks within tasks count once.
        let mut end = f64::NEG_INFINITY;
        tasks.retain(|task| {
            let outermost = task.start >= end;
            if outermost {
                end = task.start + task.length;
            }
            outermost
        });
        MainThread { tasks, commits }
    }

    /// What each frame took, its tasks together.
    fn frames(&self) -> Vec<Task> {
        let mut frames: Vec<Task> =
            self.commits.iter().map(|&start| Task { start, length: 0.0, own: 0.0 }).collect();
        for task in &self.tasks {
            // The task in which a frame is handed over is the last of that frame.
            let frame = self.commits.partition_point(|&commit| commit < task.start);
            if let Some(frame) = frames.get_mut(frame) {
                frame.length += task.length;
                frame.own += task.own;
            }
        }
        // Of the first one's tasks some were before the trace began.
        frames.drain(..1.min(frames.len()));
        frames
    }

    fn longest(&self) -> f64 {
        self.tasks.iter().map(|task| task.length).fold(0.0, f64::max)
    }

    fn longest_own(&self) -> f64 {
        self.tasks.iter().map(|task| task.own).fold(0.0, f64::max)
    }
}

/// Opens a workload under some policies.
fn open(lab: &Lab, folder: &TempDir, workload: &Workload, policies: &[&str]) {
    let file = folder.path().join(format!("{}-{}.json", workload.jobs, workload.listed));
    std::fs::write(&file, workload.file()).expect("the folder can be written");
    for kind in ["fifo", "fair", "ujf", "cfq", "uwfq"] {
        for id in [kind.to_owned(), format!("{kind}-p")] {
            let wanted = policies.contains(&id.as_str());
            lab.eval(&format!(
                "(box => box.checked === {wanted} || box.click())(document.querySelector('#policy-{id}'))"
            ));
        }
    }
    lab.wait_at_most(PATIENCE, READY);
    lab.start_trace(&CATEGORIES);
    lab.upload("#file", &file);
    lab.wait_until(&format!(
        "document.querySelector('#scenario').selectedOptions[0].text.startsWith('{}-{}')",
        workload.jobs, workload.listed
    ));
    // Equal schedules share a panel.
    let all_done = "!document.querySelector('.panel:not([data-state=done])')";
    lab.wait_at_most(PATIENCE, &format!("{all_done} && {READY}"));
}

/// Drags a job from side to side with the mouse.
fn drag(lab: &Lab, what: &str) -> Vec<Figure> {
    let point = lab.eval(START);
    let (x, y) = (point[0].as_f64().unwrap_or(f64::NAN), point[1].as_f64().unwrap_or(f64::NAN));
    let mouse = |kind: &str, x: f64| {
        let buttons = u32::from(kind != "mouseReleased");
        let event =
            json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1 });
        lab.cdp("Input.dispatchMouseEvent", event);
    };
    mouse("mousePressed", x);
    mouse("mouseMoved", x + 10.0);
    lab.wait_for(".lab.dragging");
    lab.eval("(window.drag_seen.updates = 0)");
    lab.start_trace(&CATEGORIES);
    let started = Instant::now();
    while started.elapsed() < DRAG {
        let phase = started.elapsed().as_secs_f64() / 0.7;
        mouse("mouseMoved", (x + SWING * phase.sin()).round());
        std::thread::sleep(Duration::from_millis(4));
    }
    let seconds = started.elapsed().as_secs_f64();
    let thread = MainThread::new(&lab.end_trace());
    let updates = lab.eval("window.drag_seen.updates").as_f64().unwrap_or(0.0);
    mouse("mouseReleased", x);
    lab.wait_at_most(PATIENCE, READY);
    let frames = thread.frames();
    let own: Vec<f64> = frames.iter().map(|frame| frame.own).collect();
    let clock: Vec<f64> = frames.iter().map(|frame| frame.length).collect();
    let mut figures = spread(&format!("drag, {what}: a frame's own time"), &own, "ms", Some((16.0, 16.0)));
    figures.extend(spread(&format!("drag, {what}: by the clock"), &clock, "ms", None));
    figures.push(Figure::new(format!("drag, {what}: frames"), frames.len() as f64 / seconds, "/s"));
    figures.push(Figure::new(format!("drag, {what}: panels' updates"), updates / seconds, "/s"));
    figures
}

/// Drags a job among 50 000 tasks under four policies.
pub fn measure() -> Vec<Figure> {
    let site = Site::dist();
    let folder = tempfile::tempdir().expect("a folder for the workloads");
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:two-users");
    lab.wait_until(READY);
    let mut figures = Vec::new();
    for (what, jobs, listed) in
        [("500 jobs", 500, false), ("50 jobs", 50, false), ("500 jobs, tasks listed", 500, true)]
    {
        let workload = Workload { jobs, tasks_per_job: 50_000 / jobs, executors: 4, listed };
        open(&lab, &folder, &workload, &["fair", "ujf", "cfq", "uwfq"]);
        let thread = MainThread::new(&lab.end_trace());
        figures.push(Figure::new(format!("open, {what}: longest task"), thread.longest(), "ms"));
        figures.extend(drag(&lab, what));
    }
    print_console_errors(&lab);
    figures
}

/// Lets 300 000 tasks under ten policies arrive, and asks of them what a reader may ask first.
pub fn measure_large() -> Vec<Figure> {
    let site = Site::dist();
    let folder = tempfile::tempdir().expect("a folder for the workloads");
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:two-users");
    lab.wait_until(READY);
    let mut figures = Vec::new();
    let all = ["fifo", "fair", "ujf", "cfq", "uwfq", "fifo-p", "fair-p", "ujf-p", "cfq-p", "uwfq-p"];
    let workload = Workload { jobs: 1000, tasks_per_job: 300, executors: 8, listed: false };
    let started = Instant::now();
    open(&lab, &folder, &workload, &all);
    let seconds = started.elapsed().as_secs_f64();
    let thread = MainThread::new(&lab.end_trace());
    figures.push(Figure::new("open, 300 000 tasks under ten policies", seconds, "s"));
    figures.push(Figure::new("open, 300 000 tasks: longest task of the page", thread.longest(), "ms"));
    figures.push(Figure::new("open, 300 000 tasks: the same, own time", thread.longest_own(), "ms"));
    for (what, control, shown) in [
        ("first step", "#step", "document.querySelector('#now').innerText !== window.shown_before"),
        ("first why", "#tab-job", "document.querySelector('.why table') !== null"),
    ] {
        lab.eval("(window.shown_before = document.querySelector('#now').innerText)");
        lab.start_trace(&CATEGORIES);
        lab.click(control);
        lab.wait_until(shown);
        let thread = MainThread::new(&lab.end_trace());
        figures.push(Figure::new(
            format!("{what}, 300 000 tasks: longest task of the page"),
            thread.longest(),
            "ms",
        ));
    }
    print_console_errors(&lab);
    figures
}

fn print_console_errors(lab: &Lab) {
    for complaint in lab.console_errors() {
        eprintln!("the page's console: {complaint}");
    }
}
