//! Recorded runs simulated under Spark's own scheduler: response times are near those of the log.

use fairlane::engine::Control;
use fairlane::metrics;
use fairlane_import::spark::{ExecutorRule, ImportOptions, LogSimulations, PoolsFile, ReplayReport};

use super::files::recorded;
use super::{log, sound};

fn replayed(name: &str, options: &ImportOptions) -> ReplayReport {
    let import = sound(log(&recorded(name)).import(options).expect("a log"));
    import.replay().expect("jobs that ended")
}

#[test]
fn queries_of_four_users_are_replayed_as_they_ran() {
    let replay = replayed("multi-fair.gz", &ImportOptions::default());
    assert!(replay.mean_error < 0.04 && replay.bias.abs() < 0.02, "{replay:?}");
}

#[test]
fn weights_and_minimum_shares_of_a_pools_file_matter() {
    let pools =
        PoolsFile::read("pools.xml", include_str!("../data/spark/pools-weighted.xml")).expect("pools");
    let options = ImportOptions { pools: Some(pools), ..ImportOptions::default() };
    let replay = replayed("pools-weighted.gz", &options);
    assert!(replay.mean_error < 0.07, "{replay:?}");
    let assumed = replayed("pools-weighted.gz", &ImportOptions::default());
    assert!(!assumed.is_near(), "{assumed:?}");
}

#[test]
fn undeclared_pools_are_fifo_inside() {
    let replay = replayed("pools-undeclared.gz", &ImportOptions::default());
    assert!(replay.mean_error < 0.07, "{replay:?}");
}

/// The driver's time of each stage replays the log; with its median, which predicts other schedules best, one tie goes
/// the other way.
#[test]
fn the_error_beside_a_simulation_is_its_own() {
    let options =
        ImportOptions { driver_time: "median".parse().expect("a rule"), ..ImportOptions::default() };
    let import = log(&recorded("pools-undeclared.gz")).import(&options).expect("a log");
    let spark = import.report.cluster.ran_with.parse().expect("a policy");
    let both = import.simulations(spark, &mut |_| Control::Continue).expect("nobody stops it");
    let LogSimulations { replay, scenario } = both.expect("jobs that ended");
    for (simulation, simulated) in [(&replay, &import.recorded), (&scenario, &import.scenario)] {
        let trace = fairlane::simulate(simulated, spark);
        assert_eq!(Some(simulation.error()), metrics::replay_error(&import.observed.jobs, &trace.jobs));
        assert_eq!(simulation.means(), metrics::mean_response_by_user(&trace.jobs, trace.users.len()));
    }
    assert!(replay.error().is_tolerable(), "{replay:?}");
    assert!(!scenario.error().is_tolerable(), "{scenario:?}");
}

#[test]
fn executors_of_dynamic_allocation_are_replayed_as_they_came_and_went() {
    let replay = replayed("dynamic-gaps.gz", &ImportOptions::default());
    assert!(replay.mean_error < 0.05, "{replay:?}");
    let explained = replay.explained;
    assert!(explained.executors > Some(0.5) && explained.order > Some(0.0), "{explained:?}");
    assert!(explained.driver_time.is_some_and(|more| more.abs() < 0.03), "{explained:?}");
}

#[test]
fn an_idle_executor_takes_no_more_tasks_once_its_time_out_is_over() {
    let import = sound(log(&recorded("dynamic-gaps.gz")).import(&ImportOptions::default()).expect("a log"));
    let went: Vec<f64> = import
        .report
        .cluster
        .executors_at
        .windows(2)
        .filter(|pair| pair[1].1 < pair[0].1)
        .map(|pair| pair[1].0)
        .collect();
    // Idle from about 10.3 and 35.6 s on with a time-out of 3 s; their removal is announced at 18.4 and 43.7 s.
    assert_eq!(went.len(), 8, "{went:?}");
    assert!(went[..4].iter().all(|at| (13.0..14.0).contains(at)), "{went:?}");
    assert!(went[4..].iter().all(|at| (38.0..40.0).contains(at)), "{went:?}");
}

#[test]
fn dynamic_allocation_is_predicted_with_its_start_up_time_from_the_log() {
    let options = ImportOptions { executors: ExecutorRule::Dynamic, ..ImportOptions::default() };
    let import = sound(log(&recorded("dynamic-gaps.gz")).import(&options).expect("a log"));
    let allocation = import.scenario.cluster().dynamic_allocation.as_ref().expect("dynamic allocation");
    assert_eq!((allocation.min, allocation.max, allocation.initial), (0, None, Some(1)));
    let report = import.report.cluster.allocation.expect("executors came and went");
    // README of the recording: 4 to 6 s from request to registration, and more where three start at once.
    assert!((4.0..8.0).contains(&report.start_s) && report.started == 11, "{report:?}");
    assert!(report.idle_timeout_s == 3.0 && (8.0..9.0).contains(&report.idle_s), "{report:?}");
    let baseline = import.baseline().expect("it is not as recorded");
    assert!(baseline.mean_error < 0.1 && baseline.bias.abs() < 0.1, "{baseline:?}");
    assert!(baseline.held_error.is_some_and(|error| error.abs() < 0.1), "{baseline:?}");

    let error = log(&recorded("multi-fair.gz")).import(&options).expect_err("there is none");
    assert!(error.to_string().starts_with("--executors dynamic: the log ran without"), "{error}");
}
