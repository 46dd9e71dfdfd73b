use super::*;
use fairlane::catalog;

#[test]
fn runtimes_are_round_but_for_the_scenarios_own() {
    let scenario = catalog::find("skew").expect("an entry").scenario();
    let scenario = scenario.with(&Edit::advisory_task_runtime(Span(300_000))).expect("a good runtime");
    let values: Vec<f64> = advisory_task_runtimes(&scenario).into_iter().filter_map(Setting::value).collect();
    assert_eq!(values, [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0]);
}

#[test]
fn too_fine_a_cut_is_refused_with_the_figures() {
    let scenario = catalog::find("paper-scenario-1").expect("an entry").scenario();
    let fine = Setting::AdvisoryTaskRuntime(Span(10_000));
    let [fair, fair_p] = ["fair", "fair-p"].map(|id| id.parse().expect("a policy"));
    let refused = fine.apply(&scenario, fair_p).expect_err("too many tasks");
    assert!(refused.ends_with("tasks; the limit of a sweep is 300000"), "{refused}");
    assert!(fine.apply(&scenario, fair).is_ok(), "it does not touch default partitioning");
    let none = Setting::AdvisoryTaskRuntime(Span(0));
    assert!(none.apply(&scenario, fair_p).is_err());
    assert!(advisory_task_runtimes(&scenario).len() > 3);
}

#[test]
fn no_error_is_the_scenario_itself() {
    let scenario = catalog::find("two-users").expect("an entry").scenario();
    let settings = estimate_errors(3);
    let fair = "fair".parse().expect("a policy");
    assert_eq!(settings[0].apply(&scenario, fair).as_ref(), Ok(&scenario));
    let off = settings[4].apply(&scenario, fair).expect("a good setting");
    assert_eq!(
        Ok(off),
        scenario.with(&Edit::EstimateErrors { factor: 4.0, seed: 3 }).map_err(|error| error.to_string())
    );
}

#[test]
fn parameters_vary_around_their_default() {
    let scenario = catalog::find("two-users").expect("an entry").scenario();
    let values = |policy: &str, knob: u8| {
        let policy = policy.parse().expect("a policy");
        let choice = TuningChoice { knob, ..TuningChoice::default() };
        tuning(&scenario, None, policy, choice).map(|tuning| tuning.values)
    };
    let wfair = values("wfair", 0).expect("a parameter");
    assert_eq!((wfair.len(), wfair[0], wfair[1], wfair[20], wfair[40]), (41, -2.0, -1.9, 0.0, 2.0));
    let paf = values("paf", 0).expect("a parameter");
    assert_eq!((paf.len(), paf[0], paf[36], paf[40]), (41, 0.0, 0.9, 1.0));
    assert_eq!((values("fifo", 0), values("wfair", 1)), (None, None));
    let atr: Vec<f64> = advisory_task_runtimes(&scenario).into_iter().filter_map(Setting::value).collect();
    assert_eq!(values("fifo-p", 0), Some(atr));
}

/// What the page's workers answer, put together, is what `fairlane tune` computes: of a generated workload over three seeds,
/// for another metric than the first.
#[test]
fn tuning_on_the_page_is_that_of_the_command() {
    let generator = Generator { seed: 7, duration_s: Some(20.0), ..Generator::default() };
    let scenario = generator.scenario().expect("good settings");
    let policy: PolicyId = "wfair".parse().expect("a policy");
    let slowdown = METRICS.iter().position(|metric| metric.id == "slowdown").expect("a metric");
    let choice = TuningChoice { knob: 0, metric: slowdown as u8, further_seeds: 2 };
    let here = tuning(&scenario, Some(&generator), policy, choice).expect("a parameter");
    let mut figures = vec![None; here.cells()];
    for setting in tuned_cells(&here, choice) {
        let Setting::Tuned { cell, .. } = setting else { panic!("a cell") };
        let request = setting.request(Some(&generator));
        let figure = measure(&scenario, policy, &request, &mut |_| Control::Continue);
        figures[usize::from(cell)] = Some(figure.expect("all jobs finish"));
    }
    let command = Tuning {
        workload: generator.into(),
        policy,
        knob: Knob::find(policy, "alpha").expect("a parameter"),
        values: tune::values(-2.0, 2.0, 0.1).expect("values"),
        seeds: vec![7, 8, 9],
        load: 1.0,
        estimate_error: 1.0,
        metric: tune::metric("slowdown").expect("a metric"),
        goal: tune::Goal::Least,
    };
    let expected: Result<Vec<_>, _> = (0..command.cells()).map(|cell| command.measure(cell)).collect();
    let expected = command.curve(expected.expect("all cells can be simulated"));
    let curve = here.curve(figures);
    assert_eq!(curve, expected);
    assert_eq!(here.verdict(&curve), command.verdict(&expected));
    // A scenario that no generator makes has no further seeds.
    let alone = tuning(&scenario, None, policy, choice).expect("a parameter");
    assert_eq!((alone.cells(), alone.seeds), (42, vec![]));
}

#[test]
fn a_job_alone_is_measured_as_the_library_does() {
    let scenario = catalog::find("two-users").expect("an entry").scenario();
    let policy: PolicyId = "fifo-p".parse().expect("a policy");
    let request = Setting::Alone { job: 3, cores: 2 }.request(None);
    let sample = ernest::measure(&scenario, JobId(3), 2, Mode::Runtime).expect("it ends");
    let figure = measure(&scenario, policy, &request, &mut |_| Control::Continue);
    assert_eq!(figure, Ok(sample.response.0 as f64));
}
