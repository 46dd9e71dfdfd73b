//! The folded sections of the editors: queues, deadlines, memory and performance curves, with real pointers and keys.

use e2e::{Key, Lab, Look, Site, json};
use fairlane::Scenario;
use fairlane::ernest;
use fairlane::ids::{JobId, UserId};
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::scenario::{PartitionMode, PerformanceCurve, Queue, field};
use fairlane::units::Span;

use crate::axe;
use crate::gestures::{field as text_of, shows};
use crate::steps;

/// The only job of ben's in the scenario of the two users.
const BEN: JobId = JobId(12);

fn edited(scenario: &Scenario, edit: &Edit) -> Scenario {
    scenario.with(edit).expect("a possible edit")
}

/// Types a value into a field.
#[track_caller]
pub fn fill(lab: &Lab, css: &str, text: &str) {
    // In sight first, as only then its text can be selected.
    lab.rect(css);
    lab.eval(&format!("document.querySelector({}).select()", json!(css)));
    lab.keys(css, format!("{text}{}", Key::Enter));
}

/// The editor of ben's job with a section unfolded.
#[track_caller]
fn open_section(lab: &Lab, summary: &str) {
    steps::click(lab, &format!("#lanes [data-job='{}']", BEN.0));
    steps::click(lab, "#tab-job");
    steps::click(lab, summary);
}

/// The points in the field below the curve.
fn points(lab: &Lab) -> PerformanceCurve {
    PerformanceCurve::Points(field::points(&text_of(lab, "#curve-points")).expect("points"))
}

fn curve(curve: PerformanceCurve) -> Edit {
    Edit::Curve { job: BEN, curve: Some(curve), handle: None }
}

/// A pressed job is told of under each schedule, with its editor and why; its neighbours are a press away.
#[test]
fn a_chosen_job_is_inspected_in_one_place() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    steps::click(&lab, &format!("#lanes [data-job='{}']", BEN.0));
    lab.wait_for("#tab-job[aria-selected=true]");
    lab.wait_until("document.querySelectorAll('#inspector tbody tr').length >= 2");
    // A block is what one edits, and why is below.
    lab.wait_for("#job-name");
    assert_eq!(lab.eval("document.querySelector('#edit-job').ariaExpanded"), json!("true"));
    let order = "[...document.querySelectorAll('#inspector, #job-name, #why-policy')].map(part => part.id)";
    assert_eq!(lab.eval(order), json!(["inspector", "job-name", "why-policy"]));
    let told = lab.text("#inspector");
    assert!(told.contains("ben-1"), "{told}");
    let ratio = lab.eval("document.querySelector('#inspector tr[data-policy=fair]').cells[2].textContent");
    let panel = lab.eval("[...document.querySelectorAll('.panel')].map(panel => panel.textContent).join()");
    assert!(
        panel.as_str().is_some_and(|text| text.contains(ratio.as_str().expect("a text"))),
        "{ratio} {panel}"
    );
    // Its name asks why, below the same facts.
    steps::click(&lab, "#inspector tr[data-policy=fair] .link");
    lab.wait_until("document.querySelector('#why-policy')?.value === 'fair'");
    assert_eq!(lab.eval("document.querySelectorAll('#inspector tbody tr').length > 1"), json!(true));
    lab.wait_for("#inspector tr[data-policy=fair] .link[aria-pressed=true]");
    assert_eq!(lab.count("#job-name"), 0, "the editor is folded where why is asked");
    // Unfolding it moves nothing that stood above it.
    let before = lab.rect("#edit-job");
    steps::click(&lab, "#edit-job");
    lab.wait_for("#job-name");
    assert_eq!((lab.rect("#edit-job").x, lab.rect("#edit-job").y), (before.x, before.y));
    steps::click(&lab, "#edit-job");
    lab.wait_until("document.querySelector('#job-name') === null");
    steps::click(&lab, "#previous-job");
    lab.wait_until("document.querySelector('#inspected').textContent.includes('ana-12')");
    assert_eq!(lab.eval("document.querySelector('#next-job').disabled"), json!(false));
}

/// ben's colour, in lanes, sentence and beside each schedule, is the same once ana is gone, and after a reload.
#[test]
fn a_user_keeps_its_colour_when_another_one_is_removed() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let colours = || {
        lab.eval(
            "JSON.stringify([...document.querySelectorAll('#lanes .user, .panel .verdicts .name')]\
            .filter(name => name.textContent.includes('ben'))\
            .map(name => getComputedStyle(name.querySelector('.dot')).backgroundColor))",
        )
    };
    let distinct = |text: serde_json::Value| {
        let colours: Vec<String> = serde_json::from_str(text.as_str().expect("a text")).expect("colours");
        colours.into_iter().collect::<std::collections::BTreeSet<_>>()
    };
    let before = distinct(colours());
    assert_eq!(before.len(), 1, "{before:?}");
    steps::click(&lab, "#users");
    steps::click(&lab, "[aria-label='Remove ana']");
    lab.wait_until("document.querySelectorAll('#lanes .user').length === 1");
    lab.wait_until(steps::READY);
    assert_eq!(distinct(colours()), before);
    lab.click("#undo");
    lab.wait_until("document.querySelectorAll('#lanes .user').length === 2");
    lab.wait_until(steps::READY);
    assert_eq!(distinct(colours()), before);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A user is renamed where its name stands, by a double press or by F2 at a job, and its weight goes with the name.
#[test]
fn a_user_is_renamed_in_its_lane() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let names = || lab.eval("[...document.querySelectorAll('#lanes .user b')].map(name => name.textContent)");
    assert_eq!(names(), json!(["ana", "ben"]));
    lab.eval("document.querySelectorAll('#lanes .user b')[1].dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))");
    lab.wait_until("document.activeElement.matches('.user-name')");
    lab.keys(".user-name", format!("zoe{}", Key::Enter));
    lab.wait_until("document.querySelectorAll('#lanes .user b')[1]?.textContent === 'zoe'");
    lab.click("#undo");
    lab.wait_until("document.querySelectorAll('#lanes .user b')[1]?.textContent === 'ben'");
    // By keys; Escape leaves the name, and a name that is taken is refused with the reason.
    let block = format!("#lanes [data-job='{}']", BEN.0);
    lab.keys(&block, Key::F2.to_string());
    lab.wait_until("document.activeElement.matches('.user-name')");
    lab.keys(".user-name", format!("x{}", Key::Escape));
    lab.wait_until("!document.querySelector('.user-name')");
    assert_eq!(names(), json!(["ana", "ben"]));
    lab.keys(&block, Key::F2.to_string());
    lab.wait_until("document.activeElement.matches('.user-name')");
    lab.keys(".user-name", format!("ana{}", Key::Enter));
    lab.wait_until("document.body.textContent.includes('This change is not possible')");
    assert_eq!(names(), json!(["ana", "ben"]));
}

/// What a change did stands above the schedules: whom it helped, or that it did nothing, and so does what undo did.
#[test]
fn a_change_says_what_it_did() {
    let site = Site::dist();
    let lab = steps::open(&site, "priority-inversion");
    assert_eq!(lab.eval("document.querySelector('#effect')"), json!(null));
    steps::click(&lab, "#more-cluster");
    fill(&lab, "#executors", "4");
    lab.wait_until("document.querySelector('#effect')?.textContent.includes('→')");
    let told = lab.text("#effect");
    assert!(told.contains("executors"), "{told}");
    lab.click("#undo");
    lab.wait_until("document.querySelector('#effect')?.textContent.startsWith('Undone: ')");
    // While the future is hidden, this is, too.
    lab.click("#hide-future");
    lab.wait_until("document.querySelector('#effect') === null");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Drawn as shares, schedules are pictures with the same words, and a link and undo keep them so.
#[test]
fn schedules_are_drawn_as_shares() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::DESK.sized(1440, 900), "paper-scenario-1");
    let labels = |css: &str| {
        lab.eval(&format!(
            "[...document.querySelectorAll('{css}')].map(chart => chart.getAttribute('aria-label'))"
        ))
    };
    let tasks = labels(".panel .chart canvas[aria-label]");
    lab.eval("document.querySelector('#view').click()");
    lab.select("#draw", "shares");
    lab.wait_until("document.querySelectorAll('.panel .shares path').length > 3");
    assert_eq!(lab.eval("document.querySelector('.panel .chart canvas')"), json!(null));
    let shares = labels(".panel .shares");
    assert_eq!(shares.as_array().map(Vec::len), Some(4), "{shares}");
    assert!(
        tasks.as_array().is_none_or(|tasks| tasks.is_empty() || shares == json!(tasks)),
        "{tasks} and {shares}"
    );
    axe::inject(&lab);
    assert_eq!(axe::faults(&lab, "shares"), Vec::<String>::new());
    lab.eval("document.activeElement.blur()");
    lab.wait_until("(localStorage.getItem('fairlane.session') ?? '').includes('draw=shares')");
    // A page that begins with them loads the rest as any other.
    lab.reload();
    lab.wait_until(steps::READY);
    lab.wait_until("document.querySelectorAll('.ideal path').length > 3");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_user_becomes_a_queue_and_is_none_again() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users&policies=sp,bopf");
    let native = steps::native("two-users");
    let user = UserId(1);
    steps::click(&lab, "#users");
    steps::click(&lab, "#user-1-queue");
    steps::click(&lab, "#user-1-queue-add");
    let queue = edited(&native, &Edit::queue(user, Some(&Queue::suggested(&native, user))));
    shows(&lab, &queue);
    fill(&lab, "#user-1-queue-within", "400");
    lab.wait_for(".field.wrong #user-1-queue-within");
    assert!(lab.text(".field.wrong small").contains("longer than the period"));
    fill(&lab, "#user-1-queue-within", "20");
    let within = Edit::set(ObjectPath::Queue(user), "within_s", 20);
    let shorter = edited(&queue, &within);
    shows(&lab, &shorter);
    lab.select("#user-1-queue-kind", "throughput");
    shows(&lab, &edited(&shorter, &Edit::set(ObjectPath::Queue(user), "kind", "throughput")));
    for before in [&shorter, &queue, &native] {
        lab.click("#undo");
        shows(&lab, before);
    }
    lab.wait_for("#user-1-queue-add");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_deadline_and_memory_change_the_schedules() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users&policies=reactive-fs,fair");
    let native = steps::native("two-users");
    open_section(&lab, "#job-deadline-section");
    // A group changes no schedule.
    fill(&lab, "#job-group", "nightly");
    lab.wait_until("!document.querySelector('#undo').disabled");
    shows(&lab, &native);
    lab.click("#undo");
    lab.wait_until("document.querySelector('#job-group').value === ''");
    fill(&lab, "#job-deadline", "1.5");
    let due = edited(&native, &Edit::set(ObjectPath::Job(BEN), "deadline_s", 1.5));
    shows(&lab, &due);
    steps::click(&lab, "#memory-and-locality");
    fill(&lab, "#executor-memory", "1000");
    steps::click(&lab, "#stage-0-memory-section");
    fill(&lab, "#stage-0-memory", "600");
    let memory = edited(&due, &Edit::set(ObjectPath::Cluster, "memory_mb_per_executor", 1000));
    let memory = edited(&memory, &Edit::set(ObjectPath::Stage(BEN, 0), "memory_mb", 600));
    shows(&lab, &memory);
    fill(&lab, "#executor-memory", "500");
    lab.wait_for(".field.wrong #executor-memory");
    assert!(lab.text(".field.wrong small").contains("500 MB"), "{}", lab.text(".field.wrong small"));
    lab.click("#undo");
    lab.click("#undo");
    shows(&lab, &due);
    lab.click("#undo");
    shows(&lab, &native);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_curve_is_drawn_pulled_and_measured() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users&policies=paf");
    let native = steps::native("two-users");
    open_section(&lab, "#job-curve-section");
    lab.select("#curve-form", "points");
    let first = points(&lab);
    let drawn = edited(&native, &curve(first.clone()));
    shows(&lab, &drawn);

    // By pointer.
    let handle = lab.rect("[data-handle='0'] .knob").centre();
    lab.drag(handle, (handle.0, handle.1 - 40.0));
    let pulled = points(&lab);
    let progress = |curve: &PerformanceCurve| curve.progress(1);
    assert!(progress(&pulled) > progress(&first) + 0.1, "{pulled:?}");
    shows(&lab, &edited(&native, &curve(pulled.clone())));
    // By keys; the focus stays.
    lab.eval("document.querySelector(\"[data-handle='0']\").focus()");
    lab.press(Key::Up);
    lab.press(Key::Up);
    let raised = points(&lab);
    assert!(progress(&raised) > progress(&pulled), "{raised:?}");
    assert_eq!(lab.eval("document.activeElement.dataset.handle"), json!("0"));
    let said = lab.eval("document.activeElement.getAttribute('aria-valuetext')");
    assert!(said.as_str().is_some_and(|said| said.starts_with("1 slot: progress ")), "{said}");
    // The two presses are one step, the pull another.
    lab.click("#undo");
    lab.wait_until(&format!("document.querySelector('#curve-points').value === {}", json!(written(&pulled))));
    lab.click("#undo");
    lab.wait_until(&format!("document.querySelector('#curve-points').value === {}", json!(written(&first))));
    // A press beside the curve adds a point.
    let area = lab.rect("#curve");
    let count = lab.count("#curve [data-handle]");
    lab.drag(area.at(0.42, 0.8), area.at(0.42, 0.8));
    lab.wait_until(&format!("document.querySelectorAll('#curve [data-handle]').length === {}", count + 1));
    steps::click(&lab, "#curve-remove");
    lab.wait_until(&format!("document.querySelectorAll('#curve [data-handle]').length === {count}"));

    steps::click(&lab, "#curve-measure");
    lab.wait_for("#curve-use-fit");
    let samples: Vec<_> = ernest::core_counts(&native)
        .into_iter()
        .map(|cores| ernest::measure(&native, BEN, cores, PartitionMode::Default).expect("it ends"))
        .collect();
    assert_eq!(lab.count("#curve-samples tbody tr"), samples.len());
    assert_eq!(lab.eval("document.querySelectorAll('.curve .samples rect').length"), json!(samples.len()));
    steps::click(&lab, "#curve-use-fit");
    let fit = ernest::fit(&samples).expect("it takes time");
    shows(&lab, &edited(&native, &curve(fit.curve())));
    lab.wait_for("#curve-a2");
    axe::inject(&lab);
    assert_eq!(axe::faults(&lab, "a measured curve"), Vec::<String>::new());
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// As the field below the curve shows points.
fn written(curve: &PerformanceCurve) -> String {
    match curve {
        PerformanceCurve::Points(points) => field::points_text(points),
        PerformanceCurve::Ernest(_) => String::new(),
    }
}

#[test]
fn a_finger_reaches_every_section_on_a_phone() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE, "two-users&policies=paf");
    open_section(&lab, "#job-curve-section");
    lab.select("#curve-form", "ernest");
    lab.wait_for("[data-handle='3']");
    let value = || lab.eval("document.querySelector(\"[data-handle='0']\").ariaValueNow").to_string();
    let before = value();
    lab.eval("document.querySelector('#curve').scrollIntoView({ block: 'center', behavior: 'instant' })");
    let (x, y) = lab.rect("[data-handle='0'] .knob").centre();
    let touch = |kind: &str, points: serde_json::Value| {
        lab.cdp("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
    };
    touch("touchStart", json!([{ "x": x, "y": y }]));
    for step in 1..=8 {
        touch("touchMove", json!([{ "x": x, "y": y - 4.0 * f64::from(step) }]));
    }
    touch("touchEnd", json!([]));
    lab.wait_until(&format!("document.querySelector(\"[data-handle='0']\").ariaValueNow !== {before}"));
    steps::click(&lab, "#job-deadline-section");
    fill(&lab, "#job-deadline", "9");
    lab.wait_until("document.querySelector('#job-deadline').value !== ''");
    steps::click(&lab, "#stage-0-memory-section");
    steps::click(&lab, "#stage-0-inflation-add");
    lab.wait_for("#stage-0-inflation-1-factor");
    fill(&lab, "#stage-0-inflation-1-factor", "1.2");
    lab.wait_until("document.querySelector('#stage-0-inflation-1-factor').value === '1.2'");
    // Out of order: the field says so and nothing changes.
    fill(&lab, "#stage-0-inflation-1-tasks", "1");
    lab.wait_until("document.querySelector('#stage-0-inflation-1-tasks').ariaInvalid === 'true'");
    assert!(lab.text("#stage-0-inflation-1-tasks-help").contains("ascending order"));
    steps::click(&lab, "[aria-label='Remove the point at 1']");
    lab.wait_until("document.querySelector('#stage-0-inflation-1-factor') === null");
    steps::click(&lab, "#undo");
    lab.wait_for("#stage-0-inflation-1-factor");
    let width = lab.eval("Math.max(document.documentElement.scrollWidth, innerWidth)");
    assert_eq!(width, json!(Look::PHONE.width), "nothing is wider than the window");
    axe::inject(&lab);
    assert_eq!(axe::faults(&lab, "a phone's editor"), Vec::<String>::new());
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn one_slider_over_the_charts_sets_the_length_of_tasks() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users&policies=uwfq");
    assert_eq!(lab.count("#atr-slider"), 0, "nothing is cut by runtime");
    steps::click(&lab, "#policy-uwfq-p");
    lab.wait_until(steps::READY);
    let native = steps::native("two-users");
    assert_eq!(lab.text(".task-length output"), "0.25 s, 416 tasks");
    lab.eval("document.querySelector('#atr-slider').focus()");
    // The least and, from there, the most.
    lab.press(Key::Home);
    lab.press(Key::End);
    let edit = Edit::advisory_task_runtime(Span(100_000_000));
    shows(&lab, &edited(&native, &edit));
    assert_eq!(lab.text(".task-length output"), "100 s, 208 tasks");
    lab.click("#undo");
    lab.wait_until(
        "document.querySelector('#undo').disabled || document.querySelector('#atr').value !== '100'",
    );
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
