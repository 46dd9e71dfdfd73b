//! Recorded runs simulated under Spark's own scheduler: response times are near those of the log.

use fairlane_import::spark::{ImportOptions, PoolsFile, ReplayReport};

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

#[test]
fn executors_of_dynamic_allocation_are_replayed_as_they_came_and_went() {
    let replay = replayed("dynamic-gaps.gz", &ImportOptions::default());
    assert!(replay.mean_error < 0.05, "{replay:?}");
}
