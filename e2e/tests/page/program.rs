//! Policies that the reader writes: simulated at every valid keystroke as natively, completed, explained by their parts,
//! and never run from a link before the reader says so.

use e2e::{Lab, Look, Site, json};
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::{Scenario, simulate};
use fairlane_view::link::{LinkBounds, Origin, Session};
use fairlane_view::view::View;

use crate::challenges::{says, start};
use crate::guide::see_the_demos;
use crate::{axe, steps};

const PANEL: &str = "#panel-custom[data-state=done]";

/// Has the text area hold a text, as if it had been typed.
fn write(lab: &Lab, text: &str) {
    lab.wait_for("#program");
    lab.eval(&format!(
        "(() => {{ const area = document.querySelector('#program'); area.focus(); area.value = {}; \
          area.dispatchEvent(new InputEvent('input', {{ bubbles: true }})); }})()",
        json!(text)
    ));
}

fn with_program(name: &str, program: &str) -> Scenario {
    let edit = Edit::set(ObjectPath::Policy("custom".into()), "program", json!(program));
    steps::native(name).with(&edit).expect("a possible edit")
}

/// Waits for the program's schedule, in a panel of its own also if another policy has the same.
fn wait_apart(lab: &Lab) {
    lab.wait_until(&format!("document.querySelector('{PANEL}, [id^=unfold-]') !== null"));
    steps::show_apart(lab);
    lab.wait_for(PANEL);
}

/// Waits until the panel shows the schedule that the scenario has natively.
fn shows(lab: &Lab, scenario: &Scenario) {
    let hash = format!("{:016x}", simulate(scenario, steps::policy("custom")).hash());
    lab.wait_until(&format!("document.querySelector('{PANEL} code.hash')?.textContent === '{hash}'"));
}

#[test]
fn a_policy_is_written_completed_and_explained() {
    fairlane_custom::install();
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::DESK.sized(1440, 900), "two-users");
    lab.click("#write-policy");
    wait_apart(&lab);
    shows(&lab, &with_program("two-users", "running / weight"));

    // A mistake is named at its place; the last valid program stays in force.
    write(&lab, "running / wieght");
    lab.wait_until("document.querySelector('#program-state').innerText.includes('line 1, column 11')");
    assert!(lab.text("#program-state").contains("wieght"), "{}", lab.text("#program-state"));
    shows(&lab, &with_program("two-users", "running / weight"));

    // What is begun is completed, with unit and meaning.
    write(&lab, "user.run");
    lab.wait_until("document.querySelector('#suggestions').innerText.includes('tasks')");
    lab.keys("#program", "\u{e007}");
    lab.wait_until("document.querySelector('#program').value === 'user.running'");
    shows(&lab, &with_program("two-users", "user.running"));
    axe::inject(&lab);
    assert_eq!(axe::faults(&lab, "the editor of programs"), Vec::<String>::new());

    // What can be read is listed with what it says of the stage that is next, and of no stage while none waits.
    lab.click("#program-names summary");
    lab.wait_until("document.querySelector('#program-names').innerText.includes('Of ')");
    assert!(lab.text("#program-names").contains("user.running"), "{}", lab.text("#program-names"));
    lab.click("#to-end");
    lab.wait_until("document.querySelector('#program-names').innerText.includes('No stage waits')");
    assert_eq!(axe::faults(&lab, "the names of programs"), Vec::<String>::new());
    lab.click("#program-names summary");

    // Who names a user is told that this rules nothing else.
    let user = &steps::native("two-users").users()[0].name.clone();
    write(&lab, &format!("if job.name == \"x\" || user.name == \"{user}\" {{ 0 }} else {{ 1 }}"));
    lab.wait_until("document.querySelector('#program-naming')?.innerText.includes('by name')");
    write(&lab, "user.running");
    lab.wait_until("document.querySelector('#program-naming') === null");
    shows(&lab, &with_program("two-users", "user.running"));

    // So is one that shows when the program runs, such as an endless loop.
    for (program, words) in [("job", "is a job"), ("let x = 0; while x == 0 { } x", "loop")] {
        write(&lab, program);
        lab.wait_until(&format!("document.querySelector('#program-state').innerText.includes('{words}')"));
        shows(&lab, &with_program("two-users", "user.running"));
    }
    // A mistake after the trial ends that simulation alone.
    write(&lab, "let x = 0; while x < 60000 { x += 1; } if now > 4.0 { 0.0 / 0.0 } else { 1.0 }");
    lab.wait_until("document.querySelector('#panel-custom')?.innerText.includes('not a number')");
    lab.wait_for("#panel-fair[data-state=done]");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_program_of_a_link_waits_for_its_reader() {
    fairlane_custom::install();
    let site = Site::dist();
    let scenario = with_program("two-users", "running / weight");
    let view = View { policies: [steps::policy("custom"), steps::policy("fair")].into(), ..View::default() };
    let session = Session::new(scenario.clone(), Origin::File("theirs.json".to_owned()), view);
    let text = session.to_text(&LinkBounds::LINK).expect("a short link");
    let lab = Lab::open_as(&site, Look::DESK.sized(1440, 900), &format!("#{}", text.trim_start_matches('#')));
    lab.wait_for("#panel-fair[data-state=done]");
    lab.wait_for("#panel-custom[data-state=refused]");
    let waits = |place: &str| {
        lab.wait_for("#panel-fair[data-state=done]");
        lab.wait_for("#panel-custom[data-state=refused]");
        assert_eq!(lab.text("#panel-custom pre"), "running / weight", "{place}");
    };
    waits("a link");
    // Neither a reload nor another scenario and Undo is consent, nor is another tab.
    lab.reload();
    waits("a reload");
    lab.wait_for("#new");
    lab.click("#new");
    lab.wait_until("document.querySelector('#title').value === 'Untitled'");
    lab.click("#undo");
    waits("New and Undo");
    lab.other_tab("");
    waits("another tab");
    // What sweeps, tunes and checks does not run it, either: it says so.
    lab.click("#tab-charts");
    lab.wait_for("#chart-kind");
    lab.select("#chart-kind", "estimates");
    lab.wait_until("document.querySelector('.charts').innerText.includes('has not run in this browser yet')");
    lab.select("#chart-kind", "properties");
    lab.wait_for("#properties-check");
    lab.click("#properties-check");
    lab.wait_until("document.querySelector('.charts').innerText.includes('has not run in this browser yet')");
    // Its text is tried no sooner, though it can be written on.
    lab.click("#tab-program");
    write(&lab, "running / weight + 0");
    lab.wait_until("document.querySelector('#program-state').innerText.includes('Waits')");
    lab.wait_for("#panel-custom[data-state=refused]");
    lab.click("#undo");
    // It is kept under Mine, where it waits as well.
    lab.eval("new Promise(done => setTimeout(done, 900))");
    lab.click("#new");
    lab.wait_until("document.querySelector('#title').value === 'Untitled'");
    lab.click("#my-scenarios");
    lab.click(".mine .kept");
    lab.wait_for("#panel-custom[data-state=refused]");

    lab.click("#run-program");
    wait_apart(&lab);
    shows(&lab, &scenario);
    // Once it is read it runs after a reload, too.
    lab.eval("new Promise(done => setTimeout(done, 700))");
    lab.reload();
    wait_apart(&lab);
    shows(&lab, &scenario);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A tab that is open and asks hears that the reader has let the program run in another one.
#[test]
fn an_open_tab_hears_of_an_approval_in_another_one() {
    fairlane_custom::install();
    let site = Site::dist();
    let view = View { policies: [steps::policy("custom"), steps::policy("fair")].into(), ..View::default() };
    let scenario = with_program("two-users", "running / weight");
    let session = Session::new(scenario.clone(), Origin::File("theirs.json".to_owned()), view);
    let text = session.to_text(&LinkBounds::LINK).expect("a short link");
    let link = format!("#{}", text.trim_start_matches('#'));
    let lab = Lab::open_as(&site, Look::DESK.sized(1440, 900), &link);
    lab.wait_for("#panel-custom[data-state=refused]");
    let first = lab.other_tab(&link);
    lab.wait_for("#panel-custom[data-state=refused] .ask button");
    lab.click("#panel-custom .ask button");
    wait_apart(&lab);
    lab.switch_to(first);
    wait_apart(&lab);
    shows(&lab, &scenario);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A demo by itself, as somebody may link to it, asks in its panel.
#[test]
fn a_program_of_a_demo_waits_for_its_reader() {
    fairlane_custom::install();
    let site = Site::dist();
    let scenario = with_program("two-users", "running / weight");
    let view = View { policies: [steps::policy("custom"), steps::policy("fair")].into(), ..View::default() };
    let session = Session::new(scenario.clone(), Origin::File("theirs.json".to_owned()), view);
    let text = session.to_text(&LinkBounds::LINK).expect("a short link");
    let lab = Lab::open_as(&site, Look::DESK, &format!("?embed#{}", text.trim_start_matches('#')));
    lab.wait_for("#panel-fair[data-state=done]");
    lab.wait_for("#panel-custom[data-state=refused] pre");
    lab.click("#panel-custom .ask button");
    shows(&lab, &scenario);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_challenge_is_won_by_a_program() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::DESK.sized(1440, 900), "two-users");
    start(&lab, "own-protect");
    // What there is does not win, however good it is.
    steps::click(&lab, "#policy-uwfq");
    says(&lab, "Not reached");
    lab.click("#write-policy");
    lab.wait_for(PANEL);
    write(&lab, "job.estimate");
    says(&lab, "✓ Reached, at par");
    assert_eq!(lab.text("#goal-best"), "1.50\u{a0}s, 2 changes");
    // While it is wrong, the last valid one stays in force; a worse one loses.
    write(&lab, "job.estimate +");
    lab.wait_until("document.querySelector('#program-state').className === 'fault'");
    says(&lab, "✓ Reached, at par");
    write(&lab, "rank");
    says(&lab, "Not reached");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn demos_run_the_programs_of_their_authors() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK.sized(1440, 900), "");
    lab.goto("guide/custom.html");
    assert_eq!(see_the_demos(&lab, "light"), 4);
    for index in 0..4 {
        lab.wait_until(&format!(
            "document.querySelectorAll('fairlane-demo')[{index}].shadowRoot.querySelector('iframe').contentDocument \
             .querySelector('{PANEL}') !== null"
        ));
    }
}
