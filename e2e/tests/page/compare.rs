//! The verdict on each panel and the comparison at the side: figures as native, sorting, and what a cell leads to.

use e2e::{Key, Lab, Look, Site, json};
use fairlane::engine::Control;
use fairlane::ids::JobId;
use fairlane::metrics::{self, Baselines, Evaluation, EvaluationDetail};
use fairlane::{PolicyId, Scenario};
use fairlane_view::verdict::ratio;

use crate::steps;

const NAME: &str = "two-users";

fn evaluations(scenario: &Scenario, policies: &[PolicyId]) -> Vec<Evaluation> {
    let mut baselines = Baselines::new(1);
    let evaluate = |policy: &PolicyId| {
        metrics::evaluate(scenario, *policy, EvaluationDetail::Responses, &mut baselines, &mut |_| {
            Control::Continue
        })
        .expect("nobody asks to stop")
    };
    policies.iter().map(evaluate).collect()
}

/// The texts of the heat map's rows of users.
fn heat(lab: &Lab) -> Vec<Vec<String>> {
    let rows = lab.eval(
        "Array.from(document.querySelector('#heat').tBodies[0].rows, row => Array.from(row.cells, cell => \
            cell.innerText.trim()))",
    );
    serde_json::from_value(rows).expect("rows of texts")
}

#[test]
fn ratios_are_the_native_ones_and_are_sorted() {
    let site = Site::dist();
    let lab = steps::open(&site, NAME);
    let policies: Vec<PolicyId> = steps::panels(&lab).iter().map(|id| steps::policy(id)).collect();
    let scenario = steps::native(NAME);
    let runs = evaluations(&scenario, &policies);
    let verdicts: Vec<_> = runs.iter().map(|run| metrics::verdicts(&run.trace.jobs, &run.summary)).collect();
    let text = |figure: Option<f64>| figure.map_or("–".to_owned(), ratio);
    for (policy, verdicts) in policies.iter().zip(&verdicts) {
        let shown = lab.texts(&format!("#panel-{policy} .verdicts .ratio"));
        assert_eq!(shown, verdicts.iter().map(|verdict| text(verdict.ratio)).collect::<Vec<_>>(), "{policy}");
    }
    let row = |user: usize| {
        let cells = verdicts.iter().map(|verdicts| text(verdicts[user].ratio));
        std::iter::once(scenario.users()[user].name.clone()).chain(cells).collect::<Vec<_>>()
    };
    let mut rows: Vec<_> = (0..scenario.users().len()).map(row).collect();
    assert_eq!(heat(&lab), rows);

    // By the first policy, the worst first; once more, the best first.
    steps::click(&lab, "#heat thead button");
    lab.wait_for("#heat th[aria-sort=descending]");
    let first = |user: usize| verdicts[0][user].ratio.unwrap_or_default();
    if first(0) < first(1) {
        rows.reverse();
    }
    assert_eq!(heat(&lab), rows);
    lab.press(Key::Return);
    lab.wait_for("#heat th[aria-sort=ascending]");
    rows.reverse();
    assert_eq!(heat(&lab), rows);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A press on a cell opens the inspector over the comparison, which Escape leads back to as it was.
#[test]
fn a_cell_opens_the_inspector_and_escape_leads_back() {
    let site = Site::dist();
    for look in [Look::DESK, Look::PHONE] {
        let lab = steps::open_as(&site, look, NAME);
        let scenario = steps::native(NAME);
        let fair = steps::policy(&steps::panels(&lab)[0]);
        let run = &evaluations(&scenario, &[fair])[0];
        let user = 1;
        lab.click("#tab-compare");
        // With the keyboard: from the first cell down, and Enter.
        lab.eval("document.querySelector(`#heat [data-cell='0,0']`).focus()");
        lab.press(Key::Down);
        lab.wait_until("document.activeElement.dataset.cell === '1,0'");
        lab.press(Key::Return);
        let worst = (0..scenario.jobs().len())
            .filter(|&job| scenario.jobs()[job].user.index() == user)
            .max_by(|&a, &b| {
                run.summary.fluid.delays[a].unwrap().total_cmp(&run.summary.fluid.delays[b].unwrap())
            });
        let worst = JobId(worst.expect("a job of ben") as u32);
        lab.wait_for("#tab-job[aria-selected=true]");
        lab.wait_until(&format!(
            "document.querySelector('#inspected').textContent.startsWith({})",
            json!(scenario.job_label(worst))
        ));
        assert_eq!(lab.count(&format!("#lanes [data-job='{}'][aria-pressed=true]", worst.0)), 1);
        assert_eq!(lab.eval("document.querySelector('#why-policy').value"), json!(fair.to_string()));
        let wait = metrics::job_waits(&scenario, &run.trace, worst).longest().expect("a wait");
        let now = lab.text("#now").trim_end_matches(" s").parse::<f64>().expect("seconds");
        assert!(
            wait.from.seconds() - 0.001 <= now && now <= wait.to.seconds() + 0.001,
            "{now} s in {wait:?}"
        );
        // Who held the cores is in sight, in a phone's sheet too, and told to whoever does not see the bars.
        let holders = format!("#inspector tr[data-policy='{fair}'] .cores");
        lab.wait_until(&format!(
            "(() => {{ const box = document.querySelector(\"{holders}\").getBoundingClientRect(); \
              const top = document.elementFromPoint(box.x + 5, box.y + box.height / 2); \
              return document.querySelector(\"{holders}\").contains(top); }})()"
        ));
        assert!(lab.text(&holders).contains(" %"), "{}", lab.text(&holders));
        // The focus has not been lost, and comes back with the comparison, in which the job has a row now.
        lab.wait_until("document.activeElement.id === 'tab-job'");
        lab.press(Key::Escape);
        lab.wait_for("#tab-compare[aria-selected=true]");
        lab.wait_until("document.activeElement.dataset.cell === '1,0'");
        assert_eq!(lab.eval("document.querySelector('#heat').tBodies.length"), json!(2));
        lab.press(Key::Escape);
        lab.wait_until("document.querySelector('.with-sheet') === null");
        assert_eq!(lab.console_errors(), Vec::<String>::new());
    }
}

/// A press on the figures of a user or of a chosen job opens the inspector; the arrow keys go among users.
#[test]
fn a_figure_beside_a_schedule_opens_the_inspector() {
    let site = Site::dist();
    for look in [Look::DESK.sized(1440, 900), Look::DESK.sized(768, 1024), Look::PHONE] {
        let lab = steps::open_as(&site, look, NAME);
        let fair = steps::panels(&lab)[0].clone();
        let list = format!("#panel-{fair} .verdicts");
        lab.wait_for(&format!("{list} button"));
        lab.eval(&format!("document.querySelector('{list} button').focus()"));
        lab.press(Key::Right);
        let second = format!("document.activeElement === document.querySelectorAll('{list} button')[1]");
        lab.wait_until(&second);
        lab.press(Key::Return);
        lab.wait_for("#tab-job[aria-selected=true]");
        lab.wait_for(&format!("#inspector tr[data-policy='{fair}'] .link[aria-pressed=true]"));
        assert!(lab.text("#inspected").contains("of ben"), "{}", lab.text("#inspected"));
        lab.press(Key::Escape);
        lab.wait_until(&second);
        // The job that was shown is chosen, and its response beside the schedule leads back to it.
        let response = format!("#panel-{fair} button.figure");
        lab.wait_for(&response);
        lab.eval(&format!("document.querySelector('{response}').focus()"));
        lab.press(Key::Return);
        lab.wait_for("#tab-job[aria-selected=true]");
        lab.press(Key::Escape);
        lab.wait_until(&format!("document.activeElement === document.querySelector('{response}')"));
        // While the future is hidden nothing leads to it.
        lab.eval("document.querySelector('#to-start').click()");
        lab.eval("document.querySelector('#hide-future').click()");
        let none = format!("document.querySelector('{list} button, {response}') === null");
        lab.wait_until(&none);
        assert_eq!(lab.console_errors(), Vec::<String>::new());
    }
}

/// Twelve jobs of ana arrive at once, in a lane that is too low for their names.
#[test]
fn jobs_that_arrive_at_once_are_one_block_until_the_lane_is_touched() {
    let site = Site::dist();
    for look in [Look::DESK, Look::PHONE] {
        let lab = steps::open_as(&site, look, "two-users");
        lab.wait_for(".lane .merged");
        let shown = || {
            lab.eval("[...document.querySelectorAll('.merged')].filter(e => e.checkVisibility()).map(e => e.textContent)")
        };
        assert_eq!(shown(), json!(["12×"]));
        // The jobs are there for keys, and one of them is found under the number.
        lab.eval("document.querySelector('.block[data-job=\"3\"]').focus()");
        assert_eq!(shown(), json!([]));
        lab.eval("document.activeElement.blur()");
        assert_eq!(shown(), json!(["12×"]));
        let hit = "(() => { const at = document.querySelector('.merged').getBoundingClientRect(); \
            return document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2).dataset.job; })()";
        assert!(lab.eval(hit).as_str().is_some_and(|job| job.parse::<u32>().is_ok_and(|job| job < 12)));
    }
}

/// With one user Fair shares among the jobs as UJF does.
#[test]
fn identical_schedules_fold_into_one_panel() {
    let site = Site::dist();
    let scenario = steps::native("skew");
    let lab = steps::open(&site, "skew");
    let [fair, ujf] = ["fair", "ujf"].map(steps::policy);
    assert_eq!(fairlane::simulate(&scenario, fair).tasks, fairlane::simulate(&scenario, ujf).tasks);
    steps::tick_exactly(&lab, &[fair, ujf]);
    lab.wait_until("document.querySelector('#panel-ujf header').textContent.includes('Fold into Fair')");
    steps::click(&lab, "#fold-ujf");
    lab.wait_until("document.querySelector('#panel-ujf') === null");
    assert_eq!(lab.text("#panel-fair h2"), "Fair and UJF");
    steps::click(&lab, "#unfold-ujf");
    lab.wait_for("#panel-ujf[data-state=done]");
    assert_eq!(lab.text("#panel-fair h2"), "Fair");
    // By themselves they are one panel, but not where a mark may be of one of them alone.
    lab.goto("#catalog:skew&policies=fair,ujf");
    lab.wait_for("#unfold-ujf");
    assert_eq!(lab.text("#panel-fair h2"), "Fair and UJF");
    steps::click(&lab, "#mark-inversion");
    lab.wait_for("#panel-ujf[data-state=done]");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Only what scrolls is a stop of the Tab key, and another tab begins at its top.
#[test]
fn tables_that_fit_are_no_tab_stops() {
    let site = Site::dist();
    let lab = steps::open(&site, NAME);
    steps::click(&lab, "#all-tables summary");
    let wrong = "Array.from(document.querySelectorAll('#side .scroll')).filter(box => \
        box.hasAttribute('tabindex') !== (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight)) \
        .map(box => box.firstElementChild.id)";
    assert_eq!(lab.eval(wrong), json!([]));
    assert!(lab.count("#side .scroll") > 5);
    lab.eval("document.querySelector('aside.right').scrollTop = 400");
    lab.click("#tab-job");
    lab.wait_for("#tab-job[aria-selected=true]");
    lab.wait_until("document.querySelector('aside.right').scrollTop === 0");
    // What was checked and the hash are one press away.
    let is_open = "document.querySelector('#panel-uwfq .hash').checkVisibility()";
    assert_eq!(lab.eval(is_open), json!(false));
    steps::click(&lab, "#panel-uwfq .trust summary");
    lab.wait_until(is_open);
    assert!(lab.text("#panel-uwfq .trust div").starts_with("Every task ran exactly once"));
}

/// What the story offers to tick is in sight at once: its panel, its column, and its figure in the story.
#[test]
fn the_policy_that_the_story_offers_is_in_sight() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::DESK.sized(1440, 900), "paper-scenario-1");
    lab.click("#tick-next");
    lab.wait_for("#panel-uwfq-p[data-state=done]");
    lab.wait_until("document.querySelector('#story').innerText.includes('UWFQ-P')");
    lab.wait_until(
        "(() => { const panel = document.querySelector('#panel-uwfq-p').getBoundingClientRect(); \
          return panel.top < document.querySelector('#stage').getBoundingClientRect().bottom - 60; })()",
    );
    // The tables are in the side, once that is asked for.
    lab.click("#tab-compare");
    let column = "(() => { const table = document.querySelector('#heat'); \
        return table.checkVisibility() && table.tHead.rows[0].cells.length === 6 && \
        table.parentElement.scrollWidth <= table.parentElement.clientWidth; })()";
    lab.wait_until(column);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Where the same thing stands twice, both are one number.
#[test]
fn a_verdicts_ratio_is_its_seconds_over_those_of_the_ideal() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::DESK.sized(1440, 900), "paper-scenario-1");
    let number = |text: &String| {
        let words = text.trim_end_matches(['s', '×', '\u{a0}', ' ']);
        words
            .rsplit(|sign: char| sign.is_whitespace() || sign == ':')
            .next()
            .and_then(|word| word.parse::<f64>().ok())
            .expect("a number")
    };
    let numbers = |css: &str| lab.texts(css).iter().map(number).collect::<Vec<f64>>();
    let ideals = numbers(".ideals li");
    assert_eq!(ideals.len(), 4);
    for policy in ["fair", "ujf", "cfq", "uwfq"] {
        let seconds = numbers(&format!("#panel-{policy} .verdicts .seconds"));
        let ratios = numbers(&format!("#panel-{policy} .verdicts .ratio"));
        for ((seconds, ideal), ratio) in seconds.iter().zip(&ideals).zip(ratios) {
            let exact = seconds / ideal;
            assert!((ratio / exact - 1.0).abs() < 0.08, "{policy}: {seconds} / {ideal} is not {ratio}");
        }
    }
}

#[test]
fn who_waited_for_whom_begins_with_whom_the_headline_names() {
    let site = Site::dist();
    for name in ["two-users", "paper-scenario-1", "heavy-first"] {
        let lab = steps::open(&site, name);
        steps::click(&lab, "#waited summary");
        lab.wait_for(".waited li");
        let named = lab.text(".headline .name");
        assert!(lab.text(".waited li").starts_with(&named), "{name}: {named}, {}", lab.text(".waited li"));
        let row = lab.text("#waited-matrix tbody th");
        assert_eq!(row.trim(), named, "{name}");
    }
}
