//! One recorded run predicted from the log of another: the same sessions of TPC-H queries recorded twice, and the same
//! sleeping tasks recorded with other pools. What `docs/importing.md` says of predictions is measured here, and the
//! command's defaults follow from it.

use std::collections::BTreeMap;

use fairlane::scenario::{Scenario, Sessions};
use fairlane::trace::JobRun;
use fairlane_import::spark::{DriverTime, Import, ImportOptions, PoolsFile};

use super::files::recorded;
use super::log;

/// A job of both runs: its user, its name, and how many of this name came before.
type Which = (String, String, usize);

/// The jobs of a scenario, without those that warmed Spark up, by index.
fn jobs(scenario: &Scenario) -> Vec<(Which, usize)> {
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut jobs = Vec::new();
    for (index, job) in scenario.jobs().iter().enumerate() {
        let user = scenario.users()[job.user.index()].name.clone();
        let before = seen.entry((user.clone(), job.name.clone())).or_default();
        *before += 1;
        if user != "setup" && user != "root" {
            jobs.push(((user, job.name.clone(), *before), index));
        }
    }
    jobs
}

fn responses(scenario: &Scenario, runs: &[JobRun]) -> BTreeMap<Which, f64> {
    let response = |(which, index): (Which, usize)| Some((which, runs[index].response()?.seconds()));
    jobs(scenario).into_iter().filter_map(response).collect()
}

/// Mean error of a job's response time.
fn error(predicted: &BTreeMap<Which, f64>, real: &BTreeMap<Which, f64>) -> f64 {
    let errors: Vec<f64> = real.iter().map(|(which, real)| (predicted[which] - real).abs() / real).collect();
    errors.iter().sum::<f64>() / errors.len() as f64
}

/// The errors with which a log predicts another run: that nothing changes, and the simulation under the other run's
/// scheduler.
fn predicted(from: &Import, other: &Import) -> [f64; 2] {
    let real = responses(&other.scenario, &other.observed.jobs);
    let pools: BTreeMap<Which, String> = jobs(&other.scenario)
        .into_iter()
        .map(|(which, index)| (which, other.scenario.jobs()[index].pool.clone()))
        .collect();
    let mut changed = from.scenario.jobs().to_vec();
    for (which, index) in jobs(&from.scenario) {
        changed[index].pool.clone_from(&pools[&which]);
    }
    let scenario = from.scenario.to_builder().jobs(changed).parameters(other.scenario.parameters().clone());
    let scenario = scenario.build().expect("a scenario");
    let simulated = fairlane::simulate(&scenario, "spark".parse().expect("a policy"));
    let same = error(&responses(&from.scenario, &from.observed.jobs), &real);
    [same, error(&responses(&scenario, &simulated.jobs), &real)]
}

fn import(name: &str, options: &ImportOptions) -> Import {
    log(&recorded(name)).import(options).expect("a log")
}

/// The mean over both directions.
fn both([one, other]: [&str; 2], options: [&ImportOptions; 2]) -> [f64; 2] {
    let (one, other) = (import(one, options[0]), import(other, options[1]));
    let [there, back] = [predicted(&one, &other), predicted(&other, &one)];
    [(there[0] + back[0]) / 2.0, (there[1] + back[1]) / 2.0]
}

const DRIVER_TIMES: [DriverTime; 3] = [DriverTime::Stage, DriverTime::Median, DriverTime::None];

const SESSIONS: [&str; 2] = ["multi-fair.gz", "multi-fair-again.gz"];

#[test]
fn a_run_of_sessions_is_predicted_as_well_as_by_a_second_run_of_spark() {
    let by = |driver_time, arrivals| {
        let options = ImportOptions { driver_time, arrivals, ..ImportOptions::default() };
        let [second_run, error] = both(SESSIONS, [&options; 2]);
        println!("{driver_time} {arrivals:?}: {error:.3}, second run {second_run:.3}");
        (second_run, error)
    };
    for time in DRIVER_TIMES {
        let ((second_run, closed), (_, open)) = (by(time, Sessions::Closed), by(time, Sessions::Open));
        // The command's default is the median, with sessions.
        assert!(closed < open, "sessions predict better than arrivals as they were");
        assert!(closed < second_run && closed < 0.29, "{time}");
    }
}

#[test]
fn other_pools_are_predicted() {
    let pools =
        PoolsFile::read("pools.xml", include_str!("../data/spark/pools-weighted.xml")).expect("pools");
    let by = |driver_time| {
        let options = ImportOptions { driver_time, ..ImportOptions::default() };
        let weighted = ImportOptions { pools: Some(pools.clone()), ..options.clone() };
        let [nothing, error] = both(["pools-undeclared.gz", "pools-weighted.gz"], [&options, &weighted]);
        println!("{driver_time}: {error:.3}, nothing changes {nothing:.3}");
        (nothing, error)
    };
    for time in DRIVER_TIMES {
        let (nothing, error) = by(time);
        assert!(error < 0.4 * nothing && error < 0.31, "{time}: {error} instead of {nothing}");
    }
}
