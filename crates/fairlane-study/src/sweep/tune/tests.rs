use super::*;
use fairlane::scenario::Scenario;

fn policy(id: &str) -> PolicyId {
    id.parse().expect("a policy")
}

#[test]
fn values_are_round() {
    let all = values(-2.0, 2.0, 0.1).expect("values");
    assert_eq!(all.len(), 41);
    assert_eq!((all[0], all[17], all[20], all[40]), (-2.0, -0.3, 0.0, 2.0));
    assert_eq!(values(0.5, 0.5, 1.0), Ok(vec![0.5]));
    assert_eq!(values(0.0, 1.0, 0.4), Ok(vec![0.0, 0.4, 0.8]));
    for (from, to, step) in [(1.0, 0.0, 0.1), (0.0, 1.0, 0.0), (0.0, f64::NAN, 1.0), (0.0, 1e9, 1e-3)] {
        assert!(values(from, to, step).is_err(), "{from} {to} {step}");
    }
}

#[test]
fn what_cannot_be_tuned_is_refused_with_what_can() {
    let refused = |id: &str, name: &str| Tunable::find(policy(id), name).expect_err("no number");
    assert_eq!(refused("wfair", "beta"), "wfair has no parameter beta; it has alpha");
    assert_eq!(refused("wfair-p", "beta"), "wfair-p has no parameter beta; it has alpha, atr");
    assert_eq!(refused("fifo", "alpha"), "fifo has no parameters; tune atr under fifo-p");
    assert_eq!(refused("paf", "atr"), "paf does not use the advisory task runtime; tune it under paf-p");
    let alpha = Tunable::find(policy("paf"), "alpha").expect("a parameter");
    assert_eq!(alpha.check(1.5), Err("must be a number from 0 to 1".to_owned()));
    let factor = Tunable::find(policy("justice"), "factor").expect("a shared parameter");
    assert_eq!((factor.name(), factor.check(3.0)), ("factor", Ok(())));
    assert!(metric("beauty").is_err_and(|message| message.contains("mean-response, ")));
}

/// Figures 1 and 3 at one value, 2 and 2 at the next, none and 1 at the last; 5 and 5 with the scenario's own value.
#[test]
fn the_curve_by_hand() {
    let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
    let tuning = |goal| {
        let alpha = Tunable::find(policy("wfair"), "alpha").expect("a parameter");
        let values = vec![-1.0, 1.0, 2.0];
        let tuning = Tuning::new(scenario.clone().into(), policy("wfair"), alpha, values, METRICS[0]);
        let grid = Grid { seeds: vec![7, 8], estimate_errors: vec![2.0], ..tuning.grid };
        Tuning { grid, goal, ..tuning }
    };
    let figures = vec![Some(1.0), Some(2.0), None, Some(5.0), Some(3.0), Some(2.0), Some(1.0), Some(5.0)];
    let curve = tuning(Goal::Least).curve(figures.clone());
    assert_eq!(tuning(Goal::Least).cells(), figures.len());
    let first = &curve.points[0];
    assert_eq!((first.mean, first.least, first.most), (Some(2.0), Some(1.0), Some(3.0)));
    assert_eq!(first.deviation, Some(2.0_f64.sqrt()));
    assert_eq!((curve.points[2].mean, curve.points[2].deviation), (None, None));
    // The first of two that are as good.
    assert_eq!((curve.best, curve.own.value, curve.own.mean), (Some(0), 0.0, Some(5.0)));
    assert_eq!(curve.best_by_seed, [Some(-1.0), Some(2.0)]);
    let most = tuning(Goal::Most).curve(figures);
    assert_eq!((most.best, most.best_by_seed), (Some(0), vec![Some(1.0), Some(-1.0)]));
}

/// One core, which z holds until 1 s. a (3 s) and b (1 s) have arrived by then. At alpha -1 the smaller job's target is
/// larger, so b goes first: responses 1, 4.75 and 1.5 s. At alpha 1 a goes first, and at 0, where all targets are
/// equal, too, by its rank: 1, 3.75 and 4.5 s.
#[test]
fn small_jobs_first_is_best_for_the_mean() {
    let scenario = Scenario::from_json(
        r#"{"format": "fairlane/scenario@1", "cluster": {"cores_per_executor": 1}, "jobs": [
            {"user": "z", "arrival_s": 0, "stages": [{"tasks_s": [1]}]},
            {"user": "a", "arrival_s": 0.25, "stages": [{"tasks_s": [3]}]},
            {"user": "b", "arrival_s": 0.5, "stages": [{"tasks_s": [1]}]}]}"#,
    )
    .expect("a good scenario");
    let alpha = Tunable::find(policy("wfair"), "alpha").expect("a parameter");
    let values = values(-1.0, 1.0, 1.0).expect("values");
    let metric = metric("mean-response").expect("a metric");
    let tuning = Tuning::new(scenario.into(), policy("wfair"), alpha, values, metric);
    let figures: Result<Vec<_>, _> = (0..tuning.cells()).map(|cell| tuning.measure(cell)).collect();
    let curve = tuning.curve(figures.expect("all cells can be simulated"));
    let means: Vec<Option<f64>> = curve.points.iter().map(|point| point.mean).collect();
    let [small_first, by_rank] = [7_250_000.0, 9_250_000.0].map(|sum| sum / 3.0 / 1e6);
    assert_eq!(means, [Some(small_first), Some(by_rank), Some(by_rank)]);
    assert_eq!((curve.best, curve.own.mean), (Some(0), Some(by_rank)));
    assert_eq!(curve.own.deviation, None);
}
