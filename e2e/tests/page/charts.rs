//! Each chart shows the native simulator's numbers: in its table, under the pointer, by keys; small and
//! large.

use e2e::{Key, Lab, Look, Site, Value, json};
use fairlane::engine::Control;
use fairlane::ids::UserId;
use fairlane::metrics::{self, Evaluation, ReferenceSchedule};
use fairlane::number;
use fairlane::scenario::PartitionMode;
use fairlane::{PolicyId, Scenario, Trace, compare, simulate};
use fairlane_page::results::measurement::{SweepSetting, advisory_task_runtimes, estimate_errors, measure};
use fairlane_study::sweep::tune::{self, Tunable, Tuning};
use fairlane_view::TimeAxis;
use fairlane_view::chart::{self, Bars, Chart, Grouping, SweepAxis};
use fairlane_view::export::{PolicyProperties, property_cells};

use crate::steps::{self, READY};

const POLICIES: &str = "fair,ujf,uwfq,uwfq-p";

fn policies() -> Vec<PolicyId> {
    POLICIES.split(',').map(steps::policy).collect()
}

/// The page with a scenario, four policies and the charts at the side.
#[track_caller]
fn open(site: &Site, look: Look, name: &str) -> Lab {
    let lab = Lab::open_as(site, look, &format!("#catalog:{name}&policies={POLICIES}"));
    lab.wait_until(READY);
    steps::click(&lab, "#tab-charts");
    lab
}

/// Shows a chart and waits until it is the newest there can be.
#[track_caller]
fn show(lab: &Lab, kind: &str) {
    lab.select("#chart-kind", kind);
    lab.wait_for(&format!("#chart-{kind}[aria-busy=false]"));
}

/// The numbers that the page shows of the chart: headings and rows.
#[track_caller]
fn numbers(lab: &Lab) -> Value {
    if lab.eval("document.querySelector('#chart-table').getAttribute('aria-pressed')") == "false" {
        steps::click(lab, "#chart-table");
    }
    lab.wait_for("#chart-numbers");
    lab.eval(
        "(() => { const table = document.querySelector('#chart-numbers'); const cells = row => Array.from(row.cells, \
           cell => cell.textContent); return [cells(table.tHead.rows[0]), Array.from(table.tBodies[0].rows, \
           cells)]; })()",
    )
}

fn table(chart: &Chart) -> Value {
    let table = chart.table(500);
    json!([table.head, table.rows])
}

/// What the native simulator makes of a scenario.
struct Native {
    scenario: Scenario,
    users: Vec<String>,
    traces: Vec<(PolicyId, Trace)>,
}

impl Native {
    fn of(scenario: Scenario) -> Native {
        let traces = policies().into_iter().map(|policy| (policy, simulate(&scenario, policy))).collect();
        let users = scenario.users().iter().map(|user| user.name.clone()).collect();
        Native { scenario, users, traces }
    }

    fn ecdf(&self, user: Option<UserId>) -> Chart {
        let inputs: Vec<_> = self.traces.iter().map(|(policy, trace)| (*policy, &*trace.jobs)).collect();
        chart::ecdf(&inputs, user, &self.users)
    }

    fn bars(&self, bars: &Bars, grouping: Grouping, figures: impl Fn(&Trace) -> Vec<Option<f64>>) -> Chart {
        let rows: Vec<_> = self.traces.iter().map(|(policy, trace)| (*policy, figures(trace))).collect();
        chart::user_bars(bars, &rows, &self.users, grouping)
    }

    fn user_delays(&self, trace: &Trace, reference: ReferenceSchedule) -> Vec<Option<f64>> {
        metrics::Fairness::new(&trace.jobs, self.users.len(), reference).user_delays
    }

    fn slowdown(&self) -> Chart {
        let runs = compare(&self.scenario, self.traces.iter().map(|(policy, _)| *policy)).evaluations;
        chart::slowdown_by_size(&runs.iter().collect::<Vec<_>>())
    }

    /// The window that the page shows: all schedules to their end.
    fn window(&self) -> TimeAxis {
        TimeAxis::whole(self.traces.iter().map(|(_, trace)| trace.end()).max().expect("a schedule"))
    }

    /// Mean response time with a setting, as a worker computes it.
    fn mean(&self, setting: &SweepSetting, policy: PolicyId) -> Option<f64> {
        let request = setting.under(policy).subject();
        measure(&self.scenario, policy, request, None, &mut |_| Control::Continue).ok()
    }

    fn sweep(&self, what: SweepAxis, settings: &[SweepSetting]) -> Chart {
        let swept = |policy: &PolicyId| {
            what == SweepAxis::EstimateError || policy.partitioning == PartitionMode::Runtime
        };
        let line =
            |policy: PolicyId| (policy, settings.iter().map(|setting| self.mean(setting, policy)).collect());
        let level =
            |(policy, trace): &(PolicyId, Trace)| Some((*policy, metrics::mean_response(&trace.jobs)?));
        let lines: Vec<_> = policies().into_iter().filter(swept).map(line).collect();
        let levels: Vec<_> =
            self.traces.iter().filter(|(policy, _)| !swept(policy)).filter_map(level).collect();
        let values: Vec<f64> = settings.iter().filter_map(|setting| setting.value).collect();
        chart::sweep_chart(what, &values, None, &lines, &levels)
    }
}

#[test]
fn tables_show_the_native_numbers() {
    let site = Site::dist();
    let lab = open(&site, Look::DESK, "two-users");
    let native = Native::of(steps::native("two-users"));

    show(&lab, "responses");
    assert_eq!(numbers(&lab), table(&native.ecdf(None)));
    lab.select("#chart-user", "1");
    assert_eq!(numbers(&lab), table(&native.ecdf(Some(UserId(1)))), "ben's jobs");

    show(&lab, "users");
    let users = native.users.len();
    let means = |trace: &Trace| metrics::mean_response_by_user(&trace.jobs, users);
    assert_eq!(numbers(&lab), table(&native.bars(&Bars::RESPONSE, Grouping::Policy, means)));
    lab.select("#chart-grouping", "user");
    assert_eq!(numbers(&lab), table(&native.bars(&Bars::RESPONSE, Grouping::User, means)));

    show(&lab, "fairness");
    let ujf = |trace: &Trace| {
        native
            .user_delays(trace, ReferenceSchedule::practical_ujf(&native.scenario, trace.policy.partitioning))
    };
    assert_eq!(numbers(&lab), table(&native.bars(&Bars::AGAINST_UJF, Grouping::User, ujf)));
    lab.select("#chart-against", "fluid UJF");
    let fluid = |trace: &Trace| native.user_delays(trace, ReferenceSchedule::fluid_ujf(&native.scenario));
    assert_eq!(numbers(&lab), table(&native.bars(&Bars::AGAINST_FLUID, Grouping::User, fluid)));

    show(&lab, "slowdown");
    assert_eq!(numbers(&lab), table(&native.slowdown()));

    show(&lab, "cores");
    for (policy, trace) in &native.traces {
        lab.select("#chart-policy", &policy.to_string());
        assert_eq!(numbers(&lab), table(&chart::cores_in_use(trace, native.window())), "{policy}");
    }
    // No choice of any chart is wider than the side.
    let kinds = lab.eval("Array.from(document.querySelector('#chart-kind').options, kind => kind.value)");
    for kind in kinds.as_array().into_iter().flatten().filter_map(Value::as_str) {
        lab.select("#chart-kind", kind);
        let wide = lab.eval(
            "(right => [...document.querySelectorAll('#side .charts > :not(.numbers), #side .chooser *')].filter(e => \
               e.getBoundingClientRect().right > right + 1).map(e => e.outerHTML.slice(0, 80))) \
             (document.querySelector('aside.right').getBoundingClientRect().right)",
        );
        assert_eq!(wide, json!([]), "{kind}");
    }
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn sweeps_are_what_native_simulations_give() {
    let site = Site::dist();
    let lab = open(&site, Look::DESK, "skew");
    let native = Native::of(steps::native("skew"));
    show(&lab, "atr");
    let atrs = advisory_task_runtimes(&native.scenario);
    assert!(atrs.len() >= 8);
    assert_eq!(numbers(&lab), table(&native.sweep(SweepAxis::AdvisoryTaskRuntime, &atrs)));
    show(&lab, "estimates");
    assert_eq!(numbers(&lab), table(&native.sweep(SweepAxis::EstimateError, &estimate_errors(0))));
    lab.eval(
        "(() => { const seed = document.querySelector('#chart-seed'); seed.value = '7'; \
         seed.dispatchEvent(new Event('change', { bubbles: true })); })()",
    );
    lab.wait_until(
        "document.querySelector('#chart-estimates[aria-busy=false]') && \
        !document.querySelector('#sweep-progress')",
    );
    assert_eq!(numbers(&lab), table(&native.sweep(SweepAxis::EstimateError, &estimate_errors(7))));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// An edit redraws all charts and repeats sweeps; after a drop they show the dragged job at its new time.
#[test]
fn charts_follow_the_scenario() {
    let site = Site::dist();
    let lab = open(&site, Look::DESK, "two-users");
    show(&lab, "atr");
    let before = numbers(&lab);
    let (x, y) = lab.rect("#lanes [data-job='12']").centre();
    lab.drag((x, y), (x + 120.0, y));
    lab.wait_until(READY);
    lab.wait_for("#chart-atr[aria-busy=false]");
    assert_ne!(numbers(&lab), before);
    lab.click("#save");
    lab.click("#save-scenario");
    let saved = String::from_utf8(lab.download("two-users-many-jobs-against-one.json")).expect("a text");
    let native = Native::of(Scenario::from_json(&saved).expect("a scenario"));
    let atrs = advisory_task_runtimes(&native.scenario);
    assert_eq!(numbers(&lab), table(&native.sweep(SweepAxis::AdvisoryTaskRuntime, &atrs)));
    show(&lab, "responses");
    assert_eq!(numbers(&lab), table(&native.ecdf(None)));

    // Without runtime partitioning there is nothing to sweep, and the page shows what to do.
    steps::tick_exactly(&lab, &[steps::policy("fair")]);
    lab.select("#chart-kind", "atr");
    steps::click(&lab, "#chart-tick-runtime");
    lab.wait_for("#chart-atr[aria-busy=false]");
    assert_eq!(numbers(&lab)[0], json!(["ATR, s", "Fair-P", "Fair"]));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn pointer_and_keys_read_the_chart() {
    let site = Site::dist();
    let lab = open(&site, Look::DESK, "two-users");
    let native = Native::of(steps::native("two-users"));
    for (kind, chart) in [("responses", native.ecdf(None)), ("slowdown", native.slowdown())] {
        show(&lab, kind);
        // By keys: the first point, the next one, the last one, and another series.
        let said = || lab.text(&format!("#chart-{kind} [role=status]"));
        lab.eval(&format!("document.querySelector('#chart-{kind} canvas').focus()"));
        let mut spot = chart::start(&chart).expect("a point");
        lab.press(Key::Right);
        let words = |spot| chart.reading(spot).expect("a reading").words;
        assert_eq!(said(), words(spot), "{kind}");
        let keys = [
            (Key::Right, chart::PickHeading::Right),
            (Key::End, chart::PickHeading::Last),
            (Key::Down, chart::PickHeading::Down),
            (Key::Left, chart::PickHeading::Left),
            (Key::Up, chart::PickHeading::Up),
            (Key::Home, chart::PickHeading::First),
        ];
        for (key, heading) in keys {
            lab.press(key);
            spot = chart::neighbour(&chart, spot, heading).expect("a point");
            assert_eq!(said(), words(spot), "{kind} {heading:?}");
        }
        let figures = chart.reading(spot).expect("a reading").figures;
        let figures: Vec<String> = figures.into_iter().map(Option::unwrap_or_default).collect();
        assert_eq!(lab.texts(&format!("#chart-{kind} .readout b")), figures);
        lab.press(Key::Escape);
        assert_eq!(said(), "");

        // By pointer: exactly on a point, whose position is in the layout.
        let area = lab.rect(&format!("#chart-{kind} canvas"));
        let layout = chart::ChartLayout::new(&chart, area.width, area.height);
        let spot = chart::PointIndex { series: 1, point: 3 };
        let (x, y) = chart::position(&chart, &layout, spot).expect("a position");
        lab.hover((area.x + x, area.y + y));
        let nearest = chart::nearest(&chart, &layout, (x.round(), y.round())).expect("a point");
        assert_eq!(said(), words(nearest), "{kind}");
        lab.hover((10.0, 10.0));
        lab.wait_until(&format!("document.querySelector('#chart-{kind} [role=status]').textContent === ''"));
        // A finger leaves what it has found.
        let touched = format!(
            "(() => {{ const canvas = document.querySelector('#chart-{kind} canvas'), area = \
                canvas.getBoundingClientRect(); \
               for (const type of ['pointerdown', 'pointerup', 'pointerleave']) canvas.dispatchEvent(new \
               PointerEvent(type, \
                 {{ bubbles: type !== 'pointerleave', pointerType: 'touch', clientX: area.left + {x}, clientY: \
                 area.top + {y} }})); }})()"
        );
        lab.eval(&touched);
        lab.wait_until(&format!("document.querySelector('#chart-{kind} [role=status]').textContent !== ''"));
    }
    // The keys did not move the playhead.
    assert_eq!(lab.text("#now"), "0.000 s");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// What part of a canvas has something drawn on it that is not the background.
#[track_caller]
fn drawn(lab: &Lab, kind: &str) -> f64 {
    let part = lab.eval(&format!(
        "(() => {{ const canvas = document.querySelector('#chart-{kind} canvas'); \
           const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, \
           canvas.height).data.buffer); \
           return pixels.filter(pixel => pixel !== pixels[pixels.length - 1]).length / pixels.length; }})()"
    ));
    part.as_f64().unwrap_or(0.0)
}

#[test]
fn every_chart_is_drawn_as_sharp_as_the_display_and_keeps_its_picture_under_the_pointer() {
    let site = Site::dist();
    let lab = open(&site, Look::DESK.dark().scaled(2.0), "two-users");
    for kind in ["responses", "users", "fairness", "slowdown", "cores", "atr", "estimates"] {
        show(&lab, kind);
        let area = lab.rect(&format!("#chart-{kind} canvas"));
        let width = lab.eval(&format!("document.querySelector('#chart-{kind} canvas').width"));
        assert_eq!(width.as_f64(), Some((area.width * 2.0).round()), "{kind}");
        let before = drawn(&lab, kind);
        assert!(before > 0.02, "{kind}: {before}");
        lab.hover(area.at(0.5, 0.5));
        lab.wait_for(&format!("#chart-{kind} .cursor-ring"));
        assert_eq!(drawn(&lab, kind), before, "{kind}");
        lab.hover((10.0, 10.0));
    }
}

#[test]
fn a_chart_is_enlarged_in_a_dialog_that_escape_closes() {
    let site = Site::dist();
    let lab = open(&site, Look::DESK, "two-users");
    show(&lab, "cores");
    let small = lab.rect("#chart-cores canvas");
    steps::click(&lab, "#chart-size");
    lab.wait_for("#chart-dialog[open]");
    lab.wait_until("document.activeElement.id === 'chart-cores-plot'");
    lab.wait_until(&format!(
        "document.querySelector('#chart-cores canvas').getBoundingClientRect().width > 2 * {}",
        small.width
    ));
    // Everything works in it: another chart, the table, the keys.
    show(&lab, "users");
    numbers(&lab);
    lab.eval("document.querySelector('#chart-users canvas').focus()");
    lab.press(Key::Right);
    lab.wait_for("#chart-users .cursor-ring");
    lab.press(Key::Escape);
    lab.wait_until("!document.querySelector('#chart-dialog')");
    lab.wait_until("document.activeElement.id === 'chart-size'");
    assert_eq!(lab.text("#chart-size"), "Enlarge");
    assert!(lab.rect("#chart-users canvas").width < 2.0 * small.width);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_chart_can_be_saved() {
    let site = Site::dist();
    let lab = open(&site, Look::DESK, "two-users");
    let native = Native::of(steps::native("two-users"));
    show(&lab, "responses");
    steps::click(&lab, "#chart-csv");
    assert_eq!(lab.download("responses.csv"), native.ecdf(None).table(usize::MAX).csv().into_bytes());
    steps::click(&lab, "#chart-svg");
    let svg = String::from_utf8(lab.download("responses.svg")).expect("a text");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{}…", &svg[..80.min(svg.len())]);
    for policy in policies() {
        assert!(svg.contains(&policy.title()), "{policy} is not in the legend");
    }
    steps::click(&lab, "#chart-png");
    assert!(lab.download("responses.png").starts_with(b"\x89PNG"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Fairness and dominant shares are the native ones; a parameter is tuned, stopped and used, and undo takes it back.
#[test]
fn shares_over_time_are_the_native_ones_and_a_parameter_is_tuned() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK, "#catalog:heavy-first&policies=fair,wfair");
    lab.wait_until(READY);
    steps::click(&lab, "#tab-charts");
    let scenario = steps::native("heavy-first");
    let runs = compare(&scenario, ["fair", "wfair"].map(steps::policy)).evaluations;
    let runs: Vec<&Evaluation> = runs.iter().collect();
    let window = TimeAxis::whole(runs.iter().map(|run| run.trace.end()).max().expect("two schedules"));
    show(&lab, "sharing");
    assert_eq!(numbers(&lab), table(&chart::fairness_over_time(&runs, window)));
    show(&lab, "shares");
    assert_eq!(numbers(&lab), table(&chart::dominant_shares(runs[0], window)));
    show(&lab, "targets");
    assert_eq!(lab.eval("document.querySelector('#chart-policy').value"), "wfair");
    lab.select("#chart-kind", "memory");
    lab.wait_until("document.querySelector('.charts .hint').textContent.includes('does not model memory')");

    lab.select("#chart-kind", "tune");
    steps::click(&lab, "#chart-tune");
    lab.wait_for("#chart-best");
    let native = |metric: &str| {
        let policy = steps::policy("wfair");
        let alpha = Tunable::find(policy, "alpha").expect("a parameter");
        let values = tune::values(-2.0, 2.0, 0.1).expect("values");
        let metric = tune::metric(metric).expect("a metric");
        let tuning = Tuning::new(scenario.clone().into(), policy, alpha, values, metric);
        let figures: Result<Vec<_>, _> = (0..tuning.cells()).map(|cell| tuning.measure(cell)).collect();
        let curve = tuning.curve(figures.expect("all values can be simulated"));
        (tuning.verdict(&curve), curve.points[curve.best.expect("all jobs finish")].value)
    };
    let (words, best) = native("mean-response");
    assert_eq!(lab.text("#chart-best"), words);
    let text = number::with_minus(&best.to_string());
    assert_eq!(lab.text("#chart-use"), format!("Use {text}"));
    // For another metric, in place of the first.
    let slowdown = tune::METRICS.iter().position(|metric| metric.id == "slowdown").expect("a metric");
    lab.select("#chart-metric", &slowdown.to_string());
    steps::click(&lab, "#chart-tune");
    lab.wait_until("document.querySelector('#chart-best')?.innerText.includes('slowdown')");
    assert_eq!(lab.text("#chart-best"), native("slowdown").0);
    assert!(lab.eval("document.querySelector('#chart-seeds')").is_null(), "nothing is random");
    lab.select("#chart-metric", "0");
    lab.wait_for("#chart-use");
    steps::click(&lab, "#chart-use");
    // Another scenario now, which may be tuned again.
    lab.wait_until("!document.querySelector('#chart-use')");
    lab.wait_until(READY);
    lab.click("#undo");
    lab.wait_until("document.querySelector('#undo').disabled");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// The table of properties has the native answers once asked for; an edit clears it, and the file has a line per
/// policy.
#[test]
fn properties_are_checked_on_request() {
    let site = Site::dist();
    for look in [Look::DESK, Look::PHONE] {
        let lab = Lab::open_as(&site, look, "#catalog:bopf-queues&policies=sp,bopf-p");
        lab.wait_until(READY);
        steps::click(&lab, "#tab-charts");
        lab.select("#chart-kind", "properties");
        lab.wait_until("document.querySelector('#properties td')?.textContent === 'not checked yet'");
        lab.keys("#properties-check", Key::Enter);
        lab.wait_until("document.querySelectorAll('#properties tbody td').length === 8");
        let scenario = steps::native("bopf-queues");
        for (row, policy) in ["sp", "bopf-p"].into_iter().enumerate() {
            let properties =
                metrics::Properties::measure(&scenario, steps::policy(policy), &mut |_| Control::Continue);
            let properties = &properties.expect("it is simulated");
            let policy = steps::policy(policy);
            let cells =
                property_cells(PolicyProperties { scenario: &scenario, policy, properties }, str::to_owned);
            let expected: Vec<String> =
                cells.iter().map(|cell| format!("{}{}", cell.word(), cell.text)).collect();
            let shown = format!(
                "Array.from(document.querySelectorAll('#properties tbody tr')[{row}].querySelectorAll('td'), cell \
                    => cell.textContent)"
            );
            assert_eq!(lab.eval(&shown), json!(expected), "{policy}");
        }
        assert_eq!(lab.count("#properties-check"), 0, "all is known");
        if look == Look::DESK {
            steps::click(&lab, "#properties-csv");
            let file = lab.download("properties.csv");
            assert_eq!(String::from_utf8_lossy(&file).lines().count(), 3);
            steps::click(&lab, "#chart-size");
            lab.wait_for("#chart-dialog #properties");
            steps::click(&lab, "#chart-size");
        }
        assert_eq!(lab.console_errors(), Vec::<String>::new());
    }
}
