//! Generated workloads: sound for all sound parameters, the same for the same seed, and distributed
//! as they say.

use std::path::Path;
use std::{env, fs};

use crate::common::generators::{GENERATORS, fingerprints};
use fairlane::Scenario;
use fairlane::scenario::generate::{
    Arrivals, AtOnce, Bursts, Constant, Estimates, Exponential, Factor, FixedSize, HeavySkew, Pareto,
    Poisson, Random, Sizes, Skew, StageTemplate, UserGroup, Zipf,
};
use fairlane::scenario::{Generator, Job, Partitioning};
use fairlane::units::Span;
use proptest::prelude::*;

/// Set to anything, rewrites the file; read the difference before you commit it.
const REWRITE: &str = "FAIRLANE_REWRITE_HASHES";

/// `tests/web.rs` holds the browser to the same file.
#[test]
fn the_same_seed_gives_the_scenarios_it_always_gave() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generators.txt");
    let actual = fingerprints();
    if env::var_os(REWRITE).is_some() {
        fs::write(&path, &actual).expect("a writable file");
    }
    assert_eq!(actual, fs::read_to_string(&path).expect("tests/generators.txt is there"));
}

fn generator(text: &str) -> Generator {
    Generator::from_json(text).expect("a good file")
}

/// A group whose jobs have a single stage.
fn plain() -> UserGroup {
    UserGroup { stages: StageTemplate::single(), ..UserGroup::default() }
}

/// One group's generator on four cores.
fn with(group: UserGroup, duration_s: Option<f64>) -> Generator {
    let bare = generator(r#"{"format":"fairlane/generator@1","groups":[]}"#);
    Generator { duration_s, groups: vec![group], ..bare }
}

fn jobs_of<'a>(scenario: &'a Scenario, user: &str) -> Vec<&'a Job> {
    scenario.jobs().iter().filter(|job| scenario.users()[job.user.index()].name == user).collect()
}

fn arrivals() -> impl Strategy<Value = Arrivals> {
    prop_oneof![
        (0.01..200.0).prop_map(|per_minute| Arrivals::Poisson(Poisson { per_minute })),
        (1..30_u32, 0.5..60.0, 0.0..=1.0, 0.0..2.0).prop_map(|(size, every_s, late, spacing_s)| {
            Arrivals::Bursts(Bursts { size, every_s, jitter_s: late * every_s, spacing_s })
        }),
        (0.0..1.0).prop_map(|spacing_s| Arrivals::AtOnce(AtOnce { spacing_s })),
        Just(Arrivals::Scattered),
    ]
}

fn sizes() -> impl Strategy<Value = Sizes> {
    prop_oneof![
        (1e-6..1e3).prop_map(|work_s| Sizes::Fixed(FixedSize { work_s })),
        (1e-3..1e3).prop_map(|mean_s| Sizes::Exponential(Exponential { mean_s })),
        (0.3..3.0, 1e-3..10.0, 1.1..1e3).prop_map(|(shape, least_s, times)| {
            Sizes::Pareto(Pareto { shape, least_s, cap_s: Some(least_s * times) })
        }),
    ]
}

fn skew() -> impl Strategy<Value = Skew> {
    prop_oneof![
        Just(Skew::Even),
        (1.0..50.0).prop_map(|factor| Skew::Heavy(HeavySkew { factor })),
        (0.0..3.0).prop_map(|exponent| Skew::Zipf(Zipf { exponent })),
    ]
}

fn stages() -> impl Strategy<Value = Vec<StageTemplate>> {
    let cut = prop_oneof![
        Just((None, None)),
        (1..70_u32).prop_map(|partitions| (Some(partitions), None)),
        (0.5..20.0).prop_map(|work_s| (None, Some(work_s))),
    ];
    (any::<bool>(), cut, skew(), any::<bool>()).prop_map(
        |(chain, (partitions, partition_work_s), skew, splittable)| {
            let mut stages = if chain { StageTemplate::chain() } else { StageTemplate::single() };
            let place = stages.len() / 2;
            stages[place] =
                StageTemplate { partitions, partition_work_s, skew, splittable, ..stages[place].clone() };
            stages
        },
    )
}

fn estimates() -> impl Strategy<Value = Estimates> {
    prop_oneof![
        Just(Estimates::True),
        (1e-3..1e3).prop_map(|work_s| Estimates::Constant(Constant { work_s })),
        (0.01..10.0).prop_map(|by| Estimates::Factor(Factor { by })),
        (1.0..10.0).prop_map(|up_to| Estimates::Random(Random { up_to })),
    ]
}

fn groups() -> impl Strategy<Value = UserGroup> {
    (1..6_u32, 0.001..100.0, 0.0..20.0, 0.0..2.0, 1..40_u32, arrivals(), sizes(), stages(), estimates())
        .prop_map(|(users, weight, start_s, stagger_s, jobs, arrivals, sizes, stages, estimates)| UserGroup {
            users,
            weight,
            start_s,
            stagger_s,
            jobs: Some(jobs),
            arrivals,
            sizes,
            stages,
            estimates,
            ..plain()
        })
}

fn generators() -> impl Strategy<Value = Generator> {
    let load = prop::option::of(0.2..3.0);
    (any::<u64>(), 40.0..500.0, load, prop::collection::vec(groups(), 1..4)).prop_map(
        |(seed, duration_s, load, mut groups)| {
            for (index, group) in groups.iter_mut().enumerate() {
                group.prefix = format!("group {index} user ");
            }
            // So that runtime partitioning cannot make too many tasks, whatever the estimates.
            let partitioning =
                Partitioning { advisory_task_runtime: Span(10_000_000), ..Partitioning::default() };
            // So that there is always a job.
            groups[0].arrivals = Arrivals::AtOnce(AtOnce { spacing_s: 0.0 });
            Generator {
                seed,
                load,
                partitioning,
                duration_s: Some(duration_s),
                groups,
                ..with(plain(), None)
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sound_parameters_give_a_sound_scenario(generator in generators()) {
        let scenario = match generator.scenario() {
            Ok(scenario) => scenario,
            // The only fault that parameters in range can have: stages of fixed length exceed the load.
            Err(error) => {
                prop_assert!(generator.load.is_some() && error.path == "load", "{error}");
                return Ok(());
            }
        };
        // Read back by the rules for files, and the same again from the generator's own file.
        let file = scenario.to_json();
        let read = Scenario::from_json(&file);
        prop_assert_eq!(read.as_ref(), Ok(&scenario));
        let again = Generator::from_json(&generator.to_json());
        prop_assert_eq!(again.as_ref(), Ok(&generator));
        prop_assert_eq!(generator.scenario().expect("it was sound").to_json(), file);

        let end_s = generator.duration_s.expect("it is given");
        prop_assert!(scenario.jobs().windows(2).all(|pair| pair[0].arrival <= pair[1].arrival));
        for (group, index) in generator.groups.iter().zip(0..) {
            for user in 1..=group.users {
                let jobs = jobs_of(&scenario, &format!("group {index} user {user}"));
                prop_assert!(jobs.len() <= group.jobs.expect("it is given") as usize);
                let start_s = group.start_s + group.stagger_s * f64::from(user - 1);
                for (place, job) in jobs.iter().enumerate() {
                    // Rounded to the microsecond, either may be reached.
                    prop_assert!(job.arrival.seconds() > start_s - 1e-6 && job.arrival.seconds() < end_s + 1e-6);
                    prop_assert_eq!(&job.name, &format!("group {index} user {user}-{}", place + 1));
                    prop_assert_eq!(job.stages.len(), group.stages.len());
                    if group.estimates == Estimates::True {
                        prop_assert_eq!(job.estimate, job.work());
                    }
                }
            }
        }
        if let Some(load) = generator.load {
            let work_s: f64 = scenario.jobs().iter().map(|job| job.work().seconds()).sum();
            let reached = work_s / (f64::from(scenario.cluster().cores()) * end_s);
            // Each job is rounded to the microsecond and holds at least one.
            prop_assert!((reached - load).abs() < 1e-6, "{reached} instead of {load}");
        }
    }

    /// Bad figures are told at their place and nothing panics.
    #[test]
    fn any_figures_give_a_scenario_or_a_place(
        figures in prop::collection::vec(prop_oneof![Just(0.0), Just(-1.0), Just(1e300), Just(f64::NAN),
            Just(f64::INFINITY), -1e3..1e3_f64], 10),
        kind in 0..3_u32,
    ) {
        let group = UserGroup {
            weight: figures[0],
            start_s: figures[1],
            stagger_s: figures[2],
            jobs: Some(100),
            users: 2,
            arrivals: match kind {
                0 => Arrivals::Poisson(Poisson { per_minute: figures[3] }),
                1 => Arrivals::Bursts(Bursts { size: 3, every_s: figures[3], jitter_s: figures[4],
                    spacing_s: figures[5] }),
                _ => Arrivals::AtOnce(AtOnce { spacing_s: figures[3] }),
            },
            sizes: match kind {
                0 => Sizes::Pareto(Pareto { shape: figures[6], least_s: figures[7], cap_s: Some(figures[8]) }),
                1 => Sizes::Pareto(Pareto { shape: figures[6], least_s: figures[7], cap_s: None }),
                _ => Sizes::Exponential(Exponential { mean_s: figures[6] }),
            },
            estimates: Estimates::Random(Random { up_to: figures[9] }),
            ..plain()
        };
        if let Err(error) = with(group, Some(1000.0)).scenario() {
            prop_assert!(!error.path.is_empty() && !error.message.is_empty(), "{error:?}");
        }
    }
}

#[test]
fn another_user_changes_nobody_elses_jobs() {
    for (name, text) in GENERATORS {
        let mut more = Generator { load: None, ..generator(text) };
        if more.preset.is_some() {
            continue;
        }
        let before = more.scenario().expect("good parameters");
        more.groups[0].users += 1;
        more.groups.insert(0, UserGroup { prefix: "new".to_owned(), jobs: Some(5), ..plain() });
        let after = more.scenario().expect("good parameters");
        assert_eq!(after.users().len(), before.users().len() + 2, "{name}");
        for user in before.users() {
            let (old, new) = (jobs_of(&before, &user.name), jobs_of(&after, &user.name));
            let same = |(old, new): (&&Job, &&Job)| {
                (old.arrival, &old.name, &old.stages, old.estimate)
                    == (new.arrival, &new.name, &new.stages, new.estimate)
            };
            assert!(old.len() == new.len() && old.iter().zip(&new).all(same), "{name}: {}", user.name);
        }
    }
}

#[test]
fn a_user_may_have_jobs_of_several_kinds() {
    let nightly = UserGroup { users: 2, kind: "nightly".to_owned(), jobs: Some(3), ..plain() };
    let group = UserGroup { users: 3, jobs: Some(40), ..plain() };
    let alone = with(group.clone(), None).scenario().expect("good parameters");
    let both = Generator { groups: vec![group, nightly], ..with(plain(), None) };
    let both = both.scenario().expect("good parameters");
    assert_eq!((both.users().len(), both.jobs().len()), (3, 126));
    for user in both.users() {
        let (nightly, usual): (Vec<&Job>, Vec<&Job>) =
            jobs_of(&both, &user.name).into_iter().partition(|job| job.name.contains("nightly"));
        assert_eq!(nightly.len(), if user.name == "user3" { 0 } else { 3 });
        assert!(usual.iter().eq(jobs_of(&alone, &user.name).iter()), "{}", user.name);
        let draws = |jobs: &[&Job]| jobs.iter().map(|job| job.arrival).take(3).collect::<Vec<_>>();
        assert_ne!(draws(&nightly), draws(&usual), "both kinds share a stream");
    }
}

/// Common random numbers: what is varied changes and nothing else does.
#[test]
fn other_sizes_leave_arrivals_and_other_estimates_leave_sizes() {
    let mut varied = generator(GENERATORS[1].1);
    let before = varied.scenario().expect("good parameters");
    varied.groups[0].estimates = Estimates::True;
    let told_truly = varied.scenario().expect("good parameters");
    let inputs = |scenario: &Scenario| -> Vec<_> {
        scenario.jobs().iter().flat_map(|job| job.stages.iter().map(|stage| stage.input.clone())).collect()
    };
    assert_eq!(inputs(&before), inputs(&told_truly));
    assert_ne!(before, told_truly);
    varied.groups[0].sizes = Sizes::Fixed(FixedSize { work_s: 3.0 });
    let alike = varied.scenario().expect("good parameters");
    let arrivals =
        |scenario: &Scenario| -> Vec<_> { scenario.jobs().iter().map(|job| job.arrival).collect() };
    assert_eq!(arrivals(&before), arrivals(&alike));
    assert_ne!(inputs(&before), inputs(&alike));
}

/// Mean and its standard error over many jobs.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// Within four standard errors; one draw in 16 000 would be further off, and the seed is fixed.
#[track_caller]
fn assert_mean(values: &[f64], expected: f64) {
    let (mean, error) = mean_and_error(values);
    assert!((mean - expected).abs() < 4.0 * error.max(1e-9), "{mean} ± {error} instead of {expected}");
    assert!(error < 0.05 * expected, "{error} says nothing about {expected}");
}

#[test]
fn sizes_have_the_means_that_they_should() {
    let cases = [
        (Sizes::Fixed(FixedSize { work_s: 24.0 }), 24.0),
        (Sizes::Exponential(Exponential { mean_s: 24.0 }), 24.0),
        // shape / (shape - 1) times the least.
        (Sizes::Pareto(Pareto { shape: 3.0, least_s: 2.0, cap_s: None }), 3.0),
        // Bounded from 1 to 100 with shape 1: ln 100 / (1 - 1/100).
        (Sizes::Pareto(Pareto { shape: 1.0, least_s: 1.0, cap_s: Some(100.0) }), 100_f64.ln() / 0.99),
        // Shape 1/2: the mean of a bounded Pareto is the geometric mean of its ends.
        (Sizes::Pareto(Pareto { shape: 0.5, least_s: 1.0, cap_s: Some(400.0) }), 20.0),
    ];
    for (sizes, expected) in cases {
        let mean_s = sizes.mean_s().expect("finite");
        assert!((mean_s / expected - 1.0).abs() < 1e-12, "{sizes:?}: {mean_s}");
        let group = UserGroup {
            jobs: Some(20_000),
            arrivals: Arrivals::AtOnce(AtOnce { spacing_s: 0.0 }),
            sizes,
            ..plain()
        };
        let scenario = with(group, None).scenario().expect("good parameters");
        let values: Vec<f64> = scenario.jobs().iter().map(|job| job.work().seconds()).collect();
        assert_mean(&values, expected);
    }
    assert_eq!(Sizes::Pareto(Pareto { shape: 1.0, least_s: 2.0, cap_s: None }).mean_s(), None);
}

#[test]
fn poisson_arrivals_come_at_their_rate_and_without_memory() {
    let group = UserGroup { users: 4, arrivals: Arrivals::Poisson(Poisson { per_minute: 30.0 }), ..plain() };
    let scenario = with(group, Some(6000.0)).scenario().expect("good parameters");
    for user in scenario.users() {
        let instants: Vec<f64> =
            jobs_of(&scenario, &user.name).iter().map(|job| job.arrival.seconds()).collect();
        // 3000 are expected, with a standard deviation of √3000 = 55.
        assert!(instants.len().abs_diff(3000) < 220, "{}", instants.len());
        let gaps: Vec<f64> = instants.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_mean(&gaps, 2.0);
        // The deviation of exponential gaps is their mean.
        let (mean, error) = mean_and_error(&gaps);
        let deviation = error * (gaps.len() as f64).sqrt();
        assert!((deviation / mean - 1.0).abs() < 0.1, "{deviation} against {mean}");
    }
    let firsts: Vec<_> =
        scenario.users().iter().map(|user| jobs_of(&scenario, &user.name)[0].arrival).collect();
    assert!(firsts.windows(2).all(|pair| pair[0] != pair[1]), "users share a stream: {firsts:?}");
}

#[test]
fn bursts_come_in_their_rhythm() {
    let bursts = Bursts { size: 3, every_s: 10.0, jitter_s: 0.0, spacing_s: 0.5 };
    let group = UserGroup {
        users: 2,
        start_s: 1.0,
        stagger_s: 2.0,
        arrivals: Arrivals::Bursts(bursts),
        ..UserGroup::default()
    };
    let scenario = with(group, Some(22.0)).scenario().expect("good parameters");
    let arrivals =
        |user| -> Vec<f64> { jobs_of(&scenario, user).iter().map(|job| job.arrival.seconds()).collect() };
    assert_eq!(arrivals("user1"), [1.0, 1.5, 2.0, 11.0, 11.5, 12.0, 21.0, 21.5]);
    assert_eq!(arrivals("user2"), [3.0, 3.5, 4.0, 13.0, 13.5, 14.0]);
}

#[test]
fn skew_is_as_heavy_as_it_says_and_lies_anywhere() {
    let stage = |skew| vec![StageTemplate { partitions: Some(8), skew, ..StageTemplate::whole("scan") }];
    let scenario = |skew| {
        let group = UserGroup {
            jobs: Some(400),
            arrivals: Arrivals::AtOnce(AtOnce { spacing_s: 0.0 }),
            stages: stage(skew),
            ..plain()
        };
        with(group, None).scenario().expect("good parameters")
    };
    let mut heavy_at = [0; 8];
    for job in scenario(Skew::Heavy(HeavySkew { factor: 5.0 })).jobs() {
        let weights = job.stages[0].input.weights();
        assert_eq!(weights.iter().sum::<f64>(), 12.0);
        heavy_at[weights.iter().position(|&weight| weight == 5.0).expect("a heavy slice")] += 1;
    }
    // 50 each are expected, with a deviation of 6.6.
    assert!(heavy_at.iter().all(|count| (25..=75).contains(count)), "{heavy_at:?}");
    for job in scenario(Skew::Zipf(Zipf { exponent: 1.0 })).jobs() {
        let mut weights = job.stages[0].input.weights();
        weights.sort_by(f64::total_cmp);
        assert_eq!(weights, [1.0, 1.14, 1.33, 1.6, 2.0, 2.67, 4.0, 8.0]);
    }
}

#[test]
fn estimates_are_off_by_as_much_as_they_say() {
    let ratios = |estimates| -> Vec<f64> {
        let group = UserGroup {
            jobs: Some(5000),
            arrivals: Arrivals::AtOnce(AtOnce { spacing_s: 0.0 }),
            estimates,
            ..plain()
        };
        let scenario = with(group, None).scenario().expect("good parameters");
        // Jobs of a few microseconds cannot be told to within a thousandth.
        let large = scenario.jobs().iter().filter(|job| job.work().seconds() > 0.1);
        large.map(|job| job.estimate.seconds() / job.work().seconds()).collect()
    };
    assert!(ratios(Estimates::Factor(Factor { by: 3.0 })).iter().all(|ratio| (ratio - 3.0).abs() < 1e-3));
    let random = ratios(Estimates::Random(Random { up_to: 10.0 }));
    assert!(random.iter().all(|ratio| (0.0999..10.01).contains(ratio)));
    let logs: Vec<f64> = random.iter().map(|ratio| ratio.log10() + 1.0).collect();
    assert_mean(&logs, 1.0);
    assert!(logs.iter().any(|&log| log < 0.05) && logs.iter().any(|&log| log > 1.95));
}

fn error_of(text: &str) -> String {
    let error = Generator::from_json(text).and_then(|generator| generator.scenario()).expect_err("faulty");
    error.to_string()
}

#[test]
fn faults_name_the_place_and_the_remedy() {
    let of = |inner: &str| error_of(&format!(r#"{{"format":"fairlane/generator@1",{inner}}}"#));
    let group = |inner: &str| {
        of(&format!(
            r#""duration_s":60,"groups":[{{"prefix":"u","arrivals":{{"poisson":{{"per_minute":8}}}},"sizes":{{"fixed":{{"work_s":1}}}}{inner}}}]"#
        ))
    };
    let arrivals = |inner: &str| {
        of(&format!(
            r#""duration_s":60,"groups":[{{"prefix":"u","arrivals":{inner},"sizes":{{"fixed":{{"work_s":1}}}}}}]"#
        ))
    };
    let sizes = |inner: &str| {
        of(&format!(
            r#""duration_s":60,"groups":[{{"prefix":"u","arrivals":{{"poisson":{{"per_minute":8}}}},"sizes":{inner}}}]"#
        ))
    };
    let stages = |inner: &str| group(&format!(r#","stages":[{inner}]"#));
    let told = [
        error_of(""),
        error_of(r#"{"format":"fairlane/scenario@1"}"#),
        of(r#""groups":[]"#),
        of(r#""groups":[],"seed":-1"#),
        of(r#""groups":[],"colour":"red""#),
        of(r#""groups":[],"duration_s":0"#),
        of(r#""groups":[],"load":1"#),
        of(r#""groups":[],"load":0,"duration_s":1"#),
        of(r#""groups":[],"cluster":{"executors":0}"#),
        of(r#""preset":{"justice":{"jobs":2.5}}"#),
        of(r#""preset":{"justice":{"load":"much"}}"#),
        of(r#""preset":{"justice":{"colour":1}}"#),
        of(r#""preset":{"sparrow":{}}"#),
        of(r#""preset":{"paf":{},"bopf":{}}"#),
        of(r#""preset":{"paf":{}},"duration_s":60"#),
        of(
            r#""groups":[{"prefix":"u","jobs":1,"arrivals":"scattered","sizes":{"fixed":{"work_s":1}}}],"preset":{"paf":{}}"#,
        ),
        of(r#""groups":[{}]"#),
        of(r#""groups":[["u",1]]"#),
        group(r#","users":0"#),
        group(r#","users":4000000000"#),
        group(r#","weight":0"#),
        group(r#","start_s":60"#),
        group(r#","users":7,"stagger_s":10"#),
        group(r#","jobs":0"#),
        group(r#","estimates":"wrong""#),
        group(r#","estimates":{"random":{"up_to":0.5}}"#),
        of(
            r#""groups":[{"prefix":"u","arrivals":{"poisson":{"per_minute":8}},"sizes":{"fixed":{"work_s":1}}}]"#,
        ),
        of(
            r#""duration_s":60,"groups":[{"prefix":"u","users":11,"arrivals":{"poisson":{"per_minute":8}},"sizes":{"fixed":{"work_s":1}}},
            {"prefix":"u1","arrivals":{"poisson":{"per_minute":8}},"sizes":{"fixed":{"work_s":1}}}]"#,
        ),
        arrivals(r#"{"poisson":{"per_minute":-8}}"#),
        arrivals(r#"{"poisson":{"per_minute":1e9}}"#),
        arrivals(r#"{"poisson":{"per_minute":6e7}}"#),
        arrivals(r#"{"poisson":{"per_minute":1e-9}}"#),
        arrivals(r#"{"poisson":{"per_hour":8}}"#),
        arrivals(r#"{"poisson":[8]}"#),
        arrivals(r#"{"bursts":{"size":0,"every_s":1}}"#),
        arrivals(r#"{"bursts":{"size":2,"every_s":1,"jitter_s":2}}"#),
        arrivals(r#"{"at_once":{}}"#),
        arrivals(r#""scattered""#),
        arrivals(r#""sometimes""#),
        sizes(r#"{"fixed":{"work_s":0}}"#),
        sizes(r#"{"pareto":{"shape":0,"least_s":1}}"#),
        sizes(r#"{"pareto":{"shape":1,"least_s":5,"cap_s":5}}"#),
        sizes(r#"{"pareto":{"shape":0.01,"least_s":1}}"#),
        stages(""),
        stages(r#"{"name":"a"}"#),
        stages(r#"{"share":1,"work_s":1}"#),
        stages(r#"{"work_s":1}"#),
        stages(r#"{"share":-1}"#),
        stages(r#"{"share":1,"partitions":0}"#),
        stages(r#"{"share":1,"partitions":2,"partition_work_s":1}"#),
        stages(r#"{"share":1,"partitions":4000000000,"skew":{"heavy":{"factor":2}}}"#),
        stages(r#"{"share":1,"skew":{"heavy":{"factor":0.5}}}"#),
        stages(r#"{"share":1,"skew":{"zipf":{"exponent":-1}}}"#),
        stages(r#"{"share":1,"parents":[1]},{"share":1,"parents":[0]}"#),
        of(
            r#""duration_s":60,"load":0.001,"groups":[{"prefix":"u","jobs":9,"arrivals":{"at_once":{}},"sizes":{"fixed":{"work_s":1}},
            "stages":[{"work_s":1},{"share":1}]}]"#,
        ),
    ];
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn parameters_are_read_from_a_word_or_two() {
    assert_eq!("poisson:8".parse(), Ok(Arrivals::Poisson(Poisson { per_minute: 8.0 })));
    assert_eq!(
        "bursts:20:30:2".parse(),
        Ok(Arrivals::Bursts(Bursts { size: 20, every_s: 30.0, jitter_s: 2.0, spacing_s: 0.001 }))
    );
    assert_eq!("at-once".parse(), Ok(Arrivals::AtOnce(AtOnce { spacing_s: 0.001 })));
    assert_eq!(
        " pareto : 1.5 : 4".parse(),
        Ok(Sizes::Pareto(Pareto { shape: 1.5, least_s: 4.0, cap_s: None }))
    );
    assert_eq!("zipf:1".parse(), Ok(Skew::Zipf(Zipf { exponent: 1.0 })));
    assert_eq!("random:3".parse(), Ok(Estimates::Random(Random { up_to: 3.0 })));
    for text in ["", "poisson", "poisson:x", "poisson:nan", "bursts:1.5:30", "bursts:-1:30", "scattered:1"] {
        assert!(text.parse::<Arrivals>().is_err(), "{text}");
    }
    let told = "pareto:steep".parse::<Sizes>().expect_err("faulty").to_string();
    assert_eq!(told, "\"steep\" is not a number; write it as in pareto:1.5");
}
