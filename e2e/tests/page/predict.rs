//! Predictions: the schedule stops at each decision, the reader says which job goes next, and sees why.

use e2e::{Key, Lab, Look, Site, json};
use fairlane::replay::{ChoiceFilter, Replay, ReplayPoint};
use fairlane::simulate;
use fairlane_view::predict::{MAX_STAGES, PredictQuestion, first_at_instant, question};

use crate::axe;
use crate::steps;

/// The first few decisions of a policy between jobs.
fn decisions(name: &str, policy: &str, count: usize) -> Vec<PredictQuestion> {
    let scenario = steps::native(name);
    let policy = steps::policy(policy);
    let trace = simulate(&scenario, policy);
    let mut replay = Replay::new(&scenario, policy).expect("a registered policy");
    let mut from = 0;
    let mut next = || {
        let task = replay.next_choice(&trace, from, ChoiceFilter::Any)?;
        from = task + 1;
        let first = first_at_instant(&trace, task);
        let is_further = replay.next_choice(&trace, first, ChoiceFilter::Any) != Some(task);
        question(&scenario, &replay.queue(&trace, ReplayPoint::Dispatch(task), MAX_STAGES)?, is_further)
    };
    (0..count).map_while(|_| next()).collect()
}

/// The digit of the right job, or of a wrong one.
fn digit(question: &PredictQuestion, right: bool) -> String {
    let index = question.jobs.iter().position(|contestant| (contestant.job == question.right) == right);
    (index.expect("a job") + 1).to_string()
}

/// Waits until a question is asked.
#[track_caller]
fn wait_for_question(lab: &Lab, question: &PredictQuestion, title: &str) {
    lab.wait_until(&format!(
        "document.querySelector('#predict-question')?.textContent === {} && \
            document.querySelectorAll('.contestant:enabled').length === {}",
        json!(question.words(title)),
        question.jobs.len()
    ));
}

#[test]
fn decisions_are_predicted_by_keys_in_the_lab() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:two-users&policies=fair,uwfq");
    lab.wait_until(steps::READY);
    let asked = decisions("two-users", "fair", 3);
    lab.wait_for("#predict-mode");
    lab.click("#predict-mode");
    wait_for_question(&lab, &asked[0], "Fair");
    // What is still to come is hidden, and so is what would answer the question.
    assert_eq!(lab.eval("document.querySelector('.lab').dataset.future"), json!("hidden secret"));
    for css in [".panel .load", "#side > *", ".panel .verdicts"] {
        assert_eq!(
            lab.eval(&format!("getComputedStyle(document.querySelector('{css}')).visibility")),
            json!("hidden"),
            "{css}"
        );
    }
    // Each job has its bar, and the schedule that they are about is in view.
    assert_eq!(lab.count(".contestant .key"), asked[0].jobs.len());
    lab.wait_until(
        "(panel => panel.top >= 0 && panel.top < document.querySelector('#predict').getBoundingClientRect().top)( \
            document.querySelector('#panel-fair').getBoundingClientRect())",
    );
    axe::inject(&lab);
    let mut faults = axe::faults(&lab, "a question");
    assert_eq!(lab.count(".launched"), 0);
    lab.eval("document.activeElement.blur()");
    lab.press(digit(&asked[0], true));
    lab.wait_for("#predict-question.correct");
    assert_eq!(lab.text("#predict-reason"), asked[0].reason);
    // The task has flown onto a row of the chart, from the instant of the decision on.
    lab.wait_until(
        "(([task, chart]) => task.top >= chart.top && task.bottom <= chart.bottom + 1)( \
            ['#panel-fair .launched', '#panel-fair .chart canvas'].map(css => \
            document.querySelector(css).getBoundingClientRect()))",
    );
    assert_eq!(lab.count(".launched"), 1);
    assert_eq!(lab.text("#predict-scores"), "Fair 1 of 1");
    lab.eval("document.querySelector('#predict-queue').open = true");
    assert!(lab.count("#predict-queue tbody tr") > 1);
    faults.extend(axe::faults(&lab, "an answer"));
    lab.press(Key::Return);
    wait_for_question(&lab, &asked[1], "Fair");
    lab.press(digit(&asked[1], false));
    lab.wait_for("#predict-question.incorrect");
    assert_eq!(lab.text("#predict-scores"), "Fair 1 of 2");
    // Playing goes on to the next decision and stops there.
    lab.click("#play");
    wait_for_question(&lab, &asked[2], "Fair");
    assert_eq!(lab.eval("document.querySelector('#play').ariaLabel"), json!("Play"));

    // The link is homework: it asks from there on.
    lab.click("#predict-homework");
    lab.wait_for(".toast p");
    let link = lab.text(".toast p");
    let fragment = link.split_once('#').expect("a link").1;
    assert!(fragment.contains("&predict=fair"), "{link}");

    // Another policy has a score of its own, and after playing the future stays a ghost.
    lab.select("#predict-policy", "uwfq");
    lab.wait_until("document.querySelector('#predict-question')?.textContent.includes('UWFQ')");
    lab.click("#predict-reveal");
    lab.wait_for("#predict-question.shown");
    assert_eq!(lab.text("#predict-scores"), "Fair 1 of 2");
    lab.click("#predict-leave");
    lab.wait_until(
        "document.querySelector('#predict') === null && document.querySelector('.lab').dataset.future \
        === 'ghost'",
    );
    assert_eq!(faults, Vec::<String>::new());
    assert_eq!(lab.console_errors(), Vec::<String>::new());
    drop(lab);
    // Whoever opens it has not seen the decision before at the same instant.
    assert_eq!(asked[1].at, asked[2].at);
    let homework = Lab::open_as(&site, Look::DESK, &format!("#{fragment}"));
    wait_for_question(&homework, &asked[1], "Fair");
}

#[test]
fn a_reload_keeps_the_score_and_leaving_forgets_it() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:two-users&policies=fair&predict=fair");
    let asked = decisions("two-users", "fair", 3);
    for question in &asked[..2] {
        wait_for_question(&lab, question, "Fair");
        lab.press(digit(question, false));
        lab.wait_for("#predict-question.incorrect");
        lab.press(Key::Return);
    }
    // It is at the same instant as those before.
    wait_for_question(&lab, &asked[2], "Fair");
    // The page keeps itself a moment after the last change.
    lab.eval("new Promise(done => setTimeout(done, 700))");
    lab.reload();
    wait_for_question(&lab, &asked[2], "Fair");
    lab.wait_until("document.querySelector('#predict-scores')?.innerText === 'Fair 0 of 2'");
    lab.press(digit(&asked[2], true));
    lab.wait_until("document.querySelector('#predict-scores').innerText === 'Fair 1 of 3'");
    lab.click("#predict-leave");
    lab.wait_until("document.querySelector('#predict') === null");
    lab.click("#predict-mode");
    lab.wait_for("#predict-scores");
    assert_eq!(lab.text("#predict-scores"), "");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_demo_asks_for_predictions_and_reports_the_score() {
    let site = Site::dist();
    for look in [Look::DESK.dark(), Look::PHONE] {
        let lab = Lab::blank(&site, look);
        let asked = decisions("two-users", "uwfq", 2);
        lab.goto("?embed&scenario=two-users&policies=fair,uwfq&predict=uwfq");
        wait_for_question(&lab, &asked[0], "UWFQ");
        axe::inject(&lab);
        let mut faults = axe::faults(&lab, "a demo's question");
        // A press where the job is.
        let index = digit(&asked[0], true);
        steps::click(&lab, &format!(".contestants li:nth-child({index}) button"));
        lab.wait_for("#predict-question.correct");
        faults.extend(axe::faults(&lab, "a demo's answer"));
        assert_eq!(lab.text("#predict-scores"), "UWFQ 1 of 1");
        steps::click(&lab, "#predict-next");
        wait_for_question(&lab, &asked[1], "UWFQ");
        assert_eq!(lab.eval("document.documentElement.scrollWidth > innerWidth"), json!(false));
        let link = lab.eval("document.querySelector('.lab-link').getAttribute('href')");
        assert!(link.as_str().is_some_and(|link| link.contains("&predict=uwfq")), "{link}");
        assert_eq!(faults, Vec::<String>::new());
        assert_eq!(lab.console_errors(), Vec::<String>::new());
    }
    // A page around it hears the score.
    let host = Site::folder(tempfile::TempDir::new().expect("a folder").path());
    host.answer("/host.html", e2e::Answer::html(&format!("<title>Host</title><link rel='icon' \
        href='data:,'><script>window.heard = null; addEventListener('message', event => {{ heard = event.data; \
        }});</script><iframe id='demo' src='{}?embed&scenario=two-users&policies=fair&predict=fair' width='700' \
        height='500'></iframe>", site.url(""))));
    let lab = Lab::open_as(&host, Look::DESK, "host.html");
    lab.wait_until("heard?.type === 'state' && heard.settled");
    assert_eq!(lab.eval("heard.predictions"), json!({}));
}

/// System colours leave the contestants their hues, and what is to be guessed is under an opaque cover.
#[test]
fn a_question_gives_nothing_away_in_forced_colours() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK.forced(), "#catalog:two-users&policies=fair");
    lab.wait_until(steps::READY);
    lab.wait_for("#predict-mode");
    lab.click("#predict-mode");
    lab.wait_for("#predict-reveal");
    let cover = "getComputedStyle(document.querySelector('.panel .chart'), '::after')";
    assert!(lab.eval(&format!("parseFloat({cover}.width) > 10")) == json!(true), "something is covered");
    assert_eq!(
        lab.eval(&format!("{cover}.backgroundColor")),
        lab.eval("getComputedStyle(document.body).backgroundColor")
    );
    let hues = "new Set([...document.querySelectorAll('.contestant .dot')].map(dot => \
        getComputedStyle(dot).backgroundColor)).size";
    assert_eq!(lab.eval(hues), json!(2));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
