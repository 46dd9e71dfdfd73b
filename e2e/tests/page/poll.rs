//! A lecturer asks a class how long a job waits, collects guesses, and reveals the answer.

use e2e::{Key, Lab, Look, Site, json};
use fairlane::number;
use fairlane::simulate;

use crate::axe;
use crate::steps;

/// ben's only job among ana's, in the file.
const BEN: usize = 12;

/// How long ben waits under Fair, as the page writes it.
fn truth() -> String {
    let trace = simulate(&steps::native("two-users"), steps::policy("fair"));
    let wait = trace.jobs[BEN].response().expect("it ends");
    format!("{}\u{a0}s", number::three_digits(wait.seconds()))
}

/// All that is to be seen, read aloud or shown at a touch, but for the times on the ruler.
const ALL_TEXTS: &str = "[...document.querySelectorAll('.lab *')].filter(element => !element.closest('.axis, script') && \
    element.checkVisibility({ visibilityProperty: true })).flatMap(element => [element.title, element.ariaLabel, \
    element.getAttribute('aria-valuetext'), ...[...element.childNodes].filter(node => node.nodeType === 3).map(node => \
    node.data)]).filter(Boolean).join('\\n')";

fn type_guesses(lab: &Lab, guesses: &[&str]) {
    for guess in guesses {
        let before = lab.text("#poll-hint");
        lab.keys("#poll-guess", format!("{guess}{}", Key::Return));
        lab.wait_until(&format!("document.querySelector('#poll-hint').textContent !== {}", json!(before)));
    }
}

#[test]
fn a_lecturer_collects_guesses_and_reveals_the_answer() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:two-users&policies=fair,uwfq");
    lab.wait_until(steps::READY);
    lab.click("#lessons > summary");
    lab.wait_for("#ask-class");
    lab.click("#ask-class");
    lab.wait_until("document.activeElement.id === 'poll-guess'");
    assert_eq!(lab.text("#poll-question"), "How long does ben wait under Fair?");
    assert_eq!(lab.eval("document.querySelector('.lab').dataset.future"), json!("hidden secret"));
    // Another question, and back.
    lab.select("#poll-policy", "uwfq");
    lab.wait_until("document.querySelector('#poll-question').textContent.endsWith('under UWFQ?')");
    lab.select("#poll-policy", "fair");
    lab.wait_until("document.querySelector('#poll-question').textContent.endsWith('under Fair?')");
    // Nothing on the page has the answer.
    let truth = truth();
    let seen = lab.eval(ALL_TEXTS);
    let seen = seen.as_str().expect("texts").replace('\u{a0}', " ");
    assert!(!seen.contains(&truth.replace('\u{a0}', " ")), "{truth} in {seen}");
    type_guesses(&lab, &["4", "4,0", "soon"]);
    assert_eq!(lab.text("#poll-hint"), "“soon” is no number; type a number of seconds, such as 4.5.");
    assert_eq!(lab.eval("document.querySelector('#poll-guess').value"), json!(""), "it is quoted below");
    axe::inject(&lab);
    let mut faults = axe::faults(&lab, "a refused guess");
    type_guesses(&lab, &["2.5", "7"]);
    assert_eq!(lab.texts("#poll-guesses li"), ["2.5\u{a0}s", "4\u{a0}s × 2", "7\u{a0}s"]);
    assert_eq!(lab.count(".poll-ticks i"), 3);
    lab.click("#poll-guesses li:first-child button");
    lab.wait_until("document.querySelectorAll('#poll-guesses li').length === 2");
    let ruler = lab.texts(".axis .label");
    lab.click("#poll-reveal");
    lab.wait_for("#poll-again");
    assert_eq!(lab.texts(".axis .label"), ruler, "nothing moves at the answer");
    assert_eq!(lab.text("#poll-question"), format!("ben waits {truth} under Fair."));
    assert!(lab.text("#story .cause").contains("counts jobs, not users"));
    let result = lab.text("#poll-result");
    assert!(result.starts_with("3 guesses. The median is 4.00\u{a0}s, "), "{result}");
    assert!(result.ends_with("the nearest is 7\u{a0}s."), "{result}");
    assert_eq!(lab.texts(".poll-flags .tag"), ["median: 4.00\u{a0}s".to_owned(), format!("answer: {truth}")]);
    faults.extend(axe::faults(&lab, "an answer"));
    lab.click("#poll-again");
    lab.wait_until("document.querySelectorAll('#poll-guesses li').length === 0");
    assert_eq!(lab.eval("document.querySelector('.lab').dataset.future"), json!("hidden secret"));
    lab.click("#poll-leave");
    lab.wait_until("!document.querySelector('#poll') && !document.querySelector('.lab').dataset.future.includes('hidden')");
    assert_eq!(faults, Vec::<String>::new());
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// With a projector, by keys alone: the question is large, and the card leaves the schedules in sight.
#[test]
fn a_presentation_asks_the_class() {
    let site = Site::dist();
    for look in [Look::DESK.sized(1024, 768), Look::DESK.sized(1024, 768).dark()] {
        let lab = Lab::open_as(&site, look, "#catalog:two-users&policies=fair,uwfq&mode=present");
        lab.wait_until(steps::READY);
        lab.wait_for("#ask-present");
        lab.keys("#ask-present", Key::Return);
        lab.wait_until("document.activeElement.id === 'poll-guess'");
        let size =
            lab.eval("parseFloat(getComputedStyle(document.querySelector('#poll-question')).fontSize)");
        assert!(size.as_f64() >= Some(28.0), "{size}");
        type_guesses(&lab, &["3", "5", "8"]);
        let edges = "['#panel-fair .chart canvas', '#poll', '.transport'].map(css => \
            document.querySelector(css).getBoundingClientRect()).flatMap(area => [area.top, area.bottom])";
        let edges: Vec<f64> = serde_json::from_value(lab.eval(edges)).expect("numbers");
        assert!(edges[0] >= 0.0 && edges[1] - edges[0] >= 40.0 && edges[0] + 40.0 < edges[2], "{edges:?}");
        assert!(edges[3] <= edges[4] + 1.0 && edges[5] <= 768.0, "{edges:?}");
        lab.keys("#poll-reveal", Key::Return);
        lab.wait_for("#poll-again");
        assert_eq!(lab.text("#poll-question"), format!("ben waits {} under Fair.", truth()));
        lab.keys("#poll-done", Key::Return);
        lab.wait_until("!document.querySelector('#poll')");
        assert_eq!(lab.console_errors(), Vec::<String>::new());
    }
}

/// Whoever opens the link is asked, on a phone, too.
#[test]
fn a_link_asks_the_class() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::PHONE, "#catalog:two-users&policies=fair&ask=fair:12");
    lab.wait_until(steps::READY);
    lab.wait_for("#poll-guess");
    assert_eq!(lab.text("#poll-question"), "How long does ben wait under Fair?");
    let wide = lab.eval("document.scrollingElement.scrollWidth > innerWidth");
    assert_eq!(wide, json!(false));
    type_guesses(&lab, &["4"]);
    lab.click("#poll-reveal");
    lab.wait_for("#poll-done");
    assert_eq!(lab.text("#poll-question"), format!("ben waits {} under Fair.", truth()));
}
