use super::*;
use crate::testing;

#[test]
fn runtimes_are_round_but_for_the_scenarios_own() {
    let scenario = testing::scenario("skew");
    let scenario = scenario.with(&Edit::advisory_task_runtime(Span(300_000))).expect("a good runtime");
    let values: Vec<f64> =
        advisory_task_runtimes(&scenario).into_iter().filter_map(|setting| setting.value).collect();
    assert_eq!(values, [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0]);
}

/// What a worker answers.
fn measured(scenario: &Scenario, setting: &SweepSetting, policy: &str) -> Result<f64, String> {
    let policy = policy.parse().expect("a policy");
    measure(scenario, policy, setting.under(policy).subject(), None, &mut |_| Control::Continue)
}

#[test]
fn too_fine_a_cut_is_refused_with_the_figures() {
    let scenario = testing::scenario("paper-scenario-1");
    let cut = |atr| SweepSetting::swept(0.0, Some(Edit::advisory_task_runtime(Span(atr))), 1.0, None);
    let refused = measured(&scenario, &cut(10_000), "fair-p").expect_err("too many tasks");
    assert!(refused.ends_with("tasks; the limit of a sweep is 300000"), "{refused}");
    assert!(measured(&scenario, &cut(10_000), "fair").is_ok(), "it does not touch default partitioning");
    assert!(measured(&scenario, &cut(0), "fair-p").is_err());
    assert!(advisory_task_runtimes(&scenario).len() > 3);
}

#[test]
fn an_estimate_error_of_zero_leaves_the_scenario_unchanged() {
    let scenario = testing::scenario("two-users");
    let settings = estimate_errors(3);
    let mean = |scenario: &Scenario| {
        METRICS[0].value(scenario, "sjf-cp".parse().expect("a policy"), &mut |_| Control::Continue)
    };
    assert_eq!(measured(&scenario, &settings[0], "sjf-cp").ok(), mean(&scenario));
    let off = scenario.with(&Edit::EstimateErrors { factor: 4.0, seed: 3 }).expect("a good factor");
    assert_eq!(measured(&scenario, &settings[4], "sjf-cp").ok(), mean(&off));
}

#[test]
fn parameters_vary_around_their_default() {
    let scenario = testing::scenario("two-users");
    let values = |policy: &str, tunable: u8| {
        let policy = policy.parse().expect("a policy");
        let choice = TuningChoice { tunable, ..TuningChoice::default() };
        tuning(&scenario, None, policy, choice).map(|tuning| tuning.values)
    };
    let wfair = values("wfair", 0).expect("a parameter");
    assert_eq!((wfair.len(), wfair[0], wfair[1], wfair[20], wfair[40]), (41, -2.0, -1.9, 0.0, 2.0));
    let paf = values("paf", 0).expect("a parameter");
    assert_eq!((paf.len(), paf[0], paf[36], paf[40]), (41, 0.0, 0.9, 1.0));
    assert_eq!((values("fifo", 0), values("wfair", 1)), (None, None));
    let atr: Vec<f64> =
        advisory_task_runtimes(&scenario).into_iter().filter_map(|setting| setting.value).collect();
    assert_eq!(values("fifo-p", 0), Some(atr));
}

/// What the page's workers answer, put together, is what `fairlane tune` computes: of a generated workload over three
/// seeds, for another metric than the first.
#[test]
fn tuning_on_the_page_is_that_of_the_command() {
    let generator = Generator { seed: 7, duration_s: Some(20.0), ..Generator::default() };
    let scenario = generator.scenario().expect("good settings");
    let policy: PolicyId = "wfair".parse().expect("a policy");
    let slowdown = METRICS.iter().position(|metric| metric.id == "slowdown").expect("a metric");
    let choice = TuningChoice { tunable: 0, metric: slowdown as u8, further_seeds: 2 };
    let here = tuning(&scenario, Some(&generator), policy, choice).expect("a parameter");
    assert_eq!(tuned_cells(&here).len(), here.cells());
    let figure = |cell| {
        let subject = tuned_cell(&here, cell).under(policy).subject();
        let generator = subject.is_generated().then(|| generator.to_json());
        let figure = measure(&scenario, policy, subject, generator.as_deref(), &mut |_| Control::Continue);
        Some(figure.expect("all jobs finish"))
    };
    let figures = (0..here.cells()).map(figure).collect();
    let alpha = Tunable::find(policy, "alpha").expect("a parameter");
    let values = tune::values(-2.0, 2.0, 0.1).expect("values");
    let metric = tune::metric("slowdown").expect("a metric");
    let command = Tuning::new(generator.clone().into(), policy, alpha, values, metric);
    let command = Tuning { grid: Grid { seeds: vec![7, 8, 9], ..command.grid }, ..command };
    let expected: Result<Vec<_>, _> = (0..command.cells()).map(|cell| command.measure(cell)).collect();
    let expected = command.curve(expected.expect("all cells can be simulated"));
    let curve = here.curve(figures);
    assert_eq!(curve, expected);
    assert_eq!(here.verdict(&curve), command.verdict(&expected));
    // A scenario that no generator makes has no further seeds.
    let alone = tuning(&scenario, None, policy, choice).expect("a parameter");
    assert_eq!((alone.cells(), alone.grid.seeds), (42, vec![]));
}

#[test]
fn a_job_alone_is_measured_as_the_library_does() {
    let scenario = testing::scenario("two-users");
    let sample = ernest::measure(&scenario, JobId(3), 2, PartitionMode::Runtime).expect("it ends");
    assert_eq!(
        measured(&scenario, &SweepSetting::alone(JobId(3), 2), "fifo-p"),
        Ok(sample.response.0 as f64)
    );
}
