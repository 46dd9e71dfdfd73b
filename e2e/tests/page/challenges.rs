//! Challenges: won through the page as their known solution says, kept over a reload, and shared as they were played.

use e2e::{Key, Lab, Look, Site, json};
use fairlane_study::lesson::challenges;

use crate::axe;
use crate::editors::fill;
use crate::steps::{self, READY};

/// Waits until the card says what is said of the challenge.
#[track_caller]
pub fn says(lab: &Lab, words: &str) {
    lab.wait_until(&format!("document.querySelector('#goal-state').textContent === {}", json!(words)));
    lab.wait_until(READY);
}

/// Starts a challenge from the menu.
#[track_caller]
pub fn start(lab: &Lab, id: &str) {
    lab.click("#lessons > summary");
    lab.click(&format!("#lessons [data-challenge='{id}']"));
    lab.wait_for(&format!("#lesson[data-place='challenge:{id}']"));
    says(lab, "Not reached");
}

#[track_caller]
fn menu_says(lab: &Lab, id: &str, words: &str) {
    let note = format!("document.querySelector('[data-challenge=\"{id}\"] i')?.textContent ?? ''");
    assert_eq!(lab.eval(&note), json!(words), "{id} in the menu");
}

#[test]
fn a_challenge_is_won_by_its_solution_and_the_score_is_kept() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    start(&lab, "one-change");
    assert_eq!(lab.text("#lesson-title"), challenges()[0].step.title);
    menu_says(&lab, "one-change", "");
    steps::click(&lab, "#policy-uwfq-p");
    says(&lab, "✓ Reached, at par");
    assert_eq!(lab.text("#goal-best"), "1.80\u{a0}s, 1 change");
    // Undone it is not reached, and the score stays.
    lab.click("#undo");
    says(&lab, "Not reached");
    assert_eq!(lab.text("#goal-best"), "1.80\u{a0}s, 1 change");
    lab.click("#redo");
    says(&lab, "✓ Reached, at par");

    // The page is saved a moment after each change.
    lab.wait_until("localStorage['fairlane.session'].includes('uwfq-p')");
    lab.reload();
    lab.wait_for("#lesson[data-place='challenge:one-change']");
    says(&lab, "✓ Reached, at par");
    menu_says(&lab, "one-change", "✓ at par");

    lab.click("#share");
    lab.wait_for(".toast p");
    let link = lab.text(".toast p");
    let suffix = link[link.find('#').expect("a fragment")..].to_owned();
    assert!(suffix.contains("challenge=one-change"), "{suffix}");
    lab.eval("document.querySelector('#lesson-set-up').click()");
    says(&lab, "Not reached");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
    drop(lab);

    // Elsewhere it opens as it was played, and the reader's own page is behind it.
    let there = steps::open(&site, "weights");
    there.wait_until("(localStorage['fairlane.session'] ?? '').startsWith('catalog:weights')");
    there.goto(&suffix);
    there.wait_for("#lesson[data-place='challenge:one-change']");
    says(&there, "✓ Reached, at par");
    there.eval("document.querySelector('#lesson-close').click()");
    there.wait_for("#lesson-return");
    there.eval("document.querySelector('#lesson-return').click()");
    there.wait_until(READY);
    assert!(steps::shown_scenario(&there).contains("Weights"), "{}", steps::shown_scenario(&there));
    menu_says(&there, "one-change", "✓ at par");
    assert_eq!(there.console_errors(), Vec::<String>::new());
}

#[test]
fn rules_are_judged_while_fields_are_edited() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    start(&lab, "two-cores-fewer");
    let rules = "Array.from(document.querySelectorAll('.rules li'), li => li.className)";
    assert_eq!(lab.eval(rules), json!(["holds", "broken"]));
    steps::click(&lab, "#more-cluster");
    fill(&lab, "#cores", "3");
    lab.wait_until(&format!("({rules}).join() === 'holds,holds'"));
    says(&lab, "Not reached");
    fill(&lab, "#atr", "0.25");
    says(&lab, "✓ Reached, at par");
    assert_eq!(lab.text("#goal-changes"), "2");
    // A job that was made smaller is another game.
    fill(&lab, "#executors", "1");
    says(&lab, "Not reached");
    lab.click("#undo");
    says(&lab, "✓ Reached, at par");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn an_unknown_challenge_says_so() {
    let site = Site::dist();
    for link in ["#challenge:twice", "#catalog:skew&challenge=twice"] {
        let lab = Lab::open_as(&site, Look::DESK, link);
        lab.wait_for(".notice");
        assert!(lab.text(".notice").contains("no challenge \"twice\""), "{}", lab.text(".notice"));
        assert_eq!(lab.count("#lesson"), 0);
    }
}

/// On a usual screen a challenge's rules need no scrolling.
#[track_caller]
fn rules_are_in_sight(lab: &Lab, challenge: &str) {
    // Where the challenge opens the editor, that has its room.
    lab.eval("document.querySelector('.with-sheet .fold-sheet')?.click()");
    lab.wait_until("document.querySelector('.with-sheet') === null");
    let hidden = lab.eval(
        "(rules => rules.getBoundingClientRect().bottom - \
           rules.closest('.lesson-body').getBoundingClientRect().bottom)(document.querySelector('#lesson .rules'))",
    );
    assert!(hidden.as_f64() <= Some(0.0), "{challenge}: {hidden} px of the rules are out of sight");
}

/// Each challenge, at its start, and the menu.
#[track_caller]
fn examine(look: Look, name: &str) {
    let site = Site::dist();
    let lab = steps::open_as(&site, look, "two-users");
    axe::inject(&lab);
    let mut found = Vec::new();
    for challenge in challenges() {
        lab.eval(&format!("void (location.hash = 'challenge:{}')", challenge.id));
        lab.wait_for(&format!("#lesson[data-place='challenge:{}']", challenge.id));
        says(&lab, "Not reached");
        found.extend(axe::faults(&lab, &format!("{name}, {}", challenge.id)));
        let widths = lab.eval("[document.documentElement.scrollWidth, innerWidth]");
        assert!(widths[0].as_f64() <= widths[1].as_f64(), "{name}, {}: {widths}", challenge.id);
        if look == Look::DESK {
            rules_are_in_sight(&lab, &challenge.id);
        }
    }
    lab.eval("document.querySelector('#lessons').open = true");
    found.extend(axe::faults(&lab, &format!("{name}, the menu")));
    lab.press(Key::Escape);
    lab.eval("location.hash = 'challenge:one-change'");
    lab.eval("document.querySelector('#policy-uwfq-p').click()");
    lab.wait_for(".goal.reached");
    found.extend(axe::faults(&lab, &format!("{name}, reached")));
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn challenges_on_a_desk_have_their_rules_in_sight_and_no_fault_that_axe_finds() {
    examine(Look::DESK, "desk");
}

#[test]
fn challenges_have_no_fault_that_axe_finds_on_a_phone_in_the_dark() {
    examine(Look::PHONE.dark(), "phone");
}
