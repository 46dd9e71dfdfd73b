//! Attempts and places of logs: what of them is simulated, and how near that is to what happened.

use fairlane::trace::{KillReason, Outcome};
use fairlane::units::{Span, Time};
use fairlane_import::spark::{ExecutorRule, ImportOptions, PoolsFile};
use serde_json::json;

use super::files::recorded;
use super::world::{by_property, errors, import, responses, section};
use super::{Written, default, log, sound};

#[test]
fn recordings_of_attempts_and_places_are_replayed() {
    for name in [
        "weight-1-355",
        "weight-4-355",
        "shuffletracking2-355",
        "cancel-331",
        "cancel-no",
        "barrier2-355",
        "local-all",
        "spec-plain",
        "loss-map",
        "loss-reduce2",
    ] {
        // The weights that its README names.
        let pools = "<allocations><pool name=\"zz-priority\"><weight>1000</weight></pool></allocations>";
        let pools = name.starts_with("weight").then(|| PoolsFile::read("pools.xml", pools).expect("pools"));
        let options = ImportOptions { pools, ..ImportOptions::default() };
        let mut import = sound(log(&recorded(&format!("{name}.gz"))).import(&options).expect("a log"));
        import.report.replay = import.replay();
        import.report.baseline = import.baseline();
        let [replay, scenario] = errors(&import);
        println!("{name}: replay {replay:.1} %, scenario {scenario:.1} %");
        assert!(replay < 5.0 && scenario < 10.0, "{name}: {replay} {scenario}");
    }
}

/// A barrier stage of a log starts its tasks together in the scenario as well.
#[test]
fn barrier_stages_are_simulated() {
    for name in ["barrier2-355.gz", "08"] {
        let import = match name {
            "08" => import("08-barrier-waits-for-all-slots.ndjson"),
            name => default(&recorded(name)),
        };
        let stages = || import.scenario.jobs().iter().flat_map(|job| &job.stages);
        assert!(stages().any(|stage| stage.barrier && !stage.splittable), "{name}");
        let simulated = import.report.simulated.barrier_stages;
        assert_eq!(stages().filter(|stage| stage.barrier).count() as u64, simulated, "{name}");
        assert!(section(&import, "attempts").contains("barrier stage"), "{name}");
        assert!(import.report.unlike.iter().all(|unlike| !unlike.what.starts_with("barrier")), "{name}");
    }
}

/// Fourteen tasks preferred one host for 3 s; then each idle core elsewhere took one.
#[test]
fn tasks_wait_for_their_data_as_in_the_log() {
    let import = default(&recorded("local-all.gz"));
    let stages = import.scenario.jobs().iter().flat_map(|job| &job.stages);
    let [stage] = &stages.filter(|stage| stage.has_preferences()).collect::<Vec<_>>()[..] else {
        panic!("one stage waits")
    };
    assert_eq!(stage.prefers.len(), 14);
    assert!(stage.prefers.iter().all(|entry| *entry == stage.prefers[0]), "{:?}", stage.prefers);
    assert_eq!(import.scenario.cluster().locality_wait, Span(3_000_000));
    assert!(section(&import, "attempts").contains("1 stage that waits for executors near its data"));
}

/// The user gave up after two seconds, and four tasks of twelve ran on.
#[test]
fn a_cancelled_job_is_cancelled_in_the_scenario_and_holds_its_cores() {
    let import = sound(log(&recorded("cancel-331.gz")).import(&by_property()).expect("a log"));
    let job = import.scenario.jobs().iter().find(|job| job.cancel.is_some()).expect("a cancelled job");
    assert!(!job.interrupt && job.stages[0].partitions == 12, "{job:?}");
    let report = import.report.simulated;
    assert_eq!((report.cancelled_jobs, report.interrupted_jobs, report.discarded_tasks), (1, 0, 8));
    assert_eq!(import.report.unlike, [], "its killed attempts are simulated");
    let spark = "spark".parse().expect("a policy");
    let trace = fairlane::simulate(&import.scenario, spark);
    let cancelled = trace.jobs.iter().filter(|job| matches!(job.outcome, Outcome::Cancelled(_)));
    assert_eq!(cancelled.count(), 1);
    assert!(trace.killed.is_empty(), "without interruption the attempts go on");
}

/// What a damaged log says of tasks that never ran costs little: there is room for a hundred thousand in all of them.
#[test]
fn tasks_that_were_never_launched_are_counted_and_limited() {
    let cancelled = |stage: u32| {
        json!({ "Stage Info": { "Stage ID": stage, "Stage Attempt ID": 0, "Number of Tasks": u32::MAX,
            "Failure Reason": format!("Job {stage} cancelled part of cancelled job group a") } })
    };
    let killed = || json!({ "Task End Reason": { "Reason": "TaskKilled" }, "info": { "Killed": true } });
    let failed = |job: u32| json!({ "Job ID": job, "Completion Time": 3_000, "Job Result": { "Result": "JobFailed" } });
    let import = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], json!({ "user.name": "ana" }))
        .job(1, 1_500, &[(1, &[], 1)], json!({ "user.name": "ben" }))
        .any_task(0, 0, 1_000, 3_000, killed())
        .any_task(1, 1, 1_500, 3_000, killed())
        .event("SparkListenerStageCompleted", cancelled(0))
        .event("SparkListenerStageCompleted", cancelled(1))
        .event("SparkListenerJobEnd", failed(0))
        .event("SparkListenerJobEnd", failed(1))
        .import();
    let stages = import.scenario.jobs().iter().flat_map(|job| &job.stages);
    assert_eq!(stages.map(|stage| stage.partitions).collect::<Vec<_>>(), [100_001, 1]);
    assert_eq!((import.report.tasks.imported, import.report.simulated.discarded_tasks), (2, 100_000));
}

/// With interruption the tasks end with their job, and would have run for longer.
#[test]
fn an_interrupted_job_takes_its_tasks_with_it() {
    let killed = json!({ "Task End Reason": { "Reason": "TaskKilled" }, "info": { "Killed": true } });
    let cancelled = json!({ "Stage ID": 0, "Stage Attempt ID": 0, "Number of Tasks": 3,
        "Failure Reason": "Job 0 cancelled part of cancelled job group a" });
    let import = Written::new()
        .job(0, 1_000, &[(0, &[], 1)], json!({ "user.name": "ana" }))
        .job(1, 1_500, &[(1, &[], 2)], json!({ "user.name": "ben" }))
        .any_task(0, 0, 1_000, 3_000, killed.clone())
        .any_task(1, 0, 1_000, 3_020, killed)
        .event("SparkListenerStageCompleted", json!({ "Stage Info": cancelled }))
        .event(
            "SparkListenerJobEnd",
            json!({ "Job ID": 0, "Completion Time": 3_000, "Job Result": { "Result": "JobFailed" } }),
        )
        .task(2, 1, 3_020, 4_020)
        .completed(1, 0, None)
        .job_end(1, 4_020)
        .import();
    let job = &import.scenario.jobs()[0];
    assert_eq!((job.cancel, job.interrupt), (Some(Span(2_000_000)), true));
    assert_eq!(job.stages[0].input.durations(3), [4_000_000, 4_040_000, 4_040_000].map(Span));
    assert_eq!(import.observed.killed, [0, 1]);
    assert_eq!(import.observed.jobs[0].outcome, Outcome::Cancelled(Time(2_000_000)));
    let trace = fairlane::simulate(&import.scenario, "spark".parse().expect("a policy"));
    assert_eq!((trace.killed.len(), trace.jobs[0].outcome), (2, Outcome::Cancelled(Time(2_000_000))));
}

/// Each job of Spark of a query is in the pool of the thread that submitted it.
#[test]
fn stages_are_in_the_pools_of_their_own_jobs() {
    let pool = |pool: &str| json!({ "spark.sql.execution.id": "5", "spark.scheduler.pool": pool });
    let import = Written::new()
        .execution(5, 5, 1_000, "a report")
        .job(0, 1_000, &[(0, &[], 1)], pool("wide"))
        .job(1, 1_100, &[(1, &[], 2)], pool("narrow"))
        .result(0, 0, 1_000, 2_000)
        .result(1, 1, 1_100, 2_100)
        .import();
    let job = &import.scenario.jobs()[0];
    assert_eq!(job.pool, "wide");
    let pools: Vec<Option<&str>> = job.stages.iter().map(|stage| stage.pool.as_deref()).collect();
    assert_eq!(pools, [None, Some("narrow")]);
    let known: Vec<&str> = import.report.cluster.pools.iter().map(|pool| pool.pool.name.as_str()).collect();
    assert_eq!((known, import.report.cluster.in_several_pools), (vec!["narrow", "wide"], 1));
}

/// Spark 3.5 tracks shuffles unless it is told not to: what holds one stays. By that rule the scenario is as near to the
/// log as the executors that were recorded.
#[test]
fn executors_that_hold_shuffles_stay() {
    let options = ImportOptions {
        executors: ExecutorRule::Dynamic,
        driver_time: "none".parse().expect("a rule"),
        ..by_property()
    };
    let import = sound(log(&recorded("shuffletracking2-355.gz")).import(&options).expect("a log"));
    let allocation = import.scenario.cluster().dynamic_allocation.as_ref().expect("dynamic allocation");
    assert!(allocation.shuffle_tracking && allocation.shuffle_timeout.is_none(), "{allocation:?}");
    let baseline = import.baseline().expect("it is not as recorded");
    let trace = fairlane::simulate(&import.scenario, "spark".parse().expect("a policy"));
    println!("{:?} {:?}", responses(&import), baseline);
    println!("{:?}", trace.jobs.iter().map(|job| job.response().map(Span::seconds)).collect::<Vec<_>>());
    assert!(baseline.mean_error < 0.1, "{baseline:?}");
}

/// Two attempts went with their executor, and two tasks that had ended there were computed again: ten tasks, fourteen
/// attempts.
#[test]
fn what_a_lost_executor_took_with_it_runs_again() {
    let import = default(&recorded("loss-map.gz"));
    let report = import.report.simulated;
    assert_eq!((report.losses, report.lost_attempts, report.repeated_tasks, report.copies), (1, 2, 2, 0));
    let [loss] = import.scenario.cluster().losses[..] else { panic!("one loss") };
    assert!(loss.back.is_none() && import.scenario.cluster().executors_at.is_empty());
    let stages = import.scenario.jobs().iter().flat_map(|job| &job.stages);
    assert!(stages.clone().all(|stage| stage.partitions == 6 || stage.partitions == 10));
    assert_eq!(import.observed.reasons, [KillReason::Lost; 2]);
    let attempts = section(&import, "attempts");
    for part in ["1 lost executor", "2 attempts that their executor took with it", "2 tasks computed again"] {
        assert!(attempts.contains(part), "{attempts}");
    }
    // The simulation loses what it has there at that instant.
    let trace = fairlane::simulate(&import.scenario, "spark".parse().expect("a policy"));
    assert!(trace.executors.iter().any(|stay| stay.executor == loss.executor && stay.to == loss.at));
}

/// A stage that failed to fetch what was lost was tried again: its attempts are stages of their own.
#[test]
fn a_loss_that_a_later_stage_noticed_is_replayed_as_it_was() {
    let import = default(&recorded("loss-reduce2.gz"));
    assert_eq!((import.report.cluster.lost_executors, import.report.simulated.losses), (1, 0));
    assert!(import.scenario.cluster().losses.is_empty() && import.observed.killed.is_empty());
    let attempts = section(&import, "attempts");
    assert!(attempts.contains("replayed as it was") && attempts.contains("1 lost executor"), "{attempts}");
}

/// Two copies of the tasks on the slow host began later and did not win; the settings are the log's.
#[test]
fn speculative_copies_are_attempts_of_their_task() {
    let import = default(&recorded("spec-plain.gz"));
    let speculation = import.scenario.cluster().speculation.as_ref().expect("the log's");
    assert_eq!((speculation.quantile, speculation.multiplier), (0.5, 1.5));
    assert_eq!(speculation.interval, Span(100_000));
    assert_eq!(import.report.simulated.copies, 2);
    assert_eq!(import.observed.reasons, [KillReason::Overtaken; 2]);
    let tasks: u32 =
        import.scenario.jobs().iter().flat_map(|job| &job.stages).map(|stage| stage.partitions).sum();
    assert_eq!(u64::from(tasks) + 2, import.report.tasks.imported);
    let trace = fairlane::simulate(&import.scenario, "spark".parse().expect("a policy"));
    assert!(trace.reasons.contains(&KillReason::Overtaken), "the simulation has copies of its own");
}

/// A copy that wins: the task lasts from its first launch to the copy's end.
#[test]
fn a_task_whose_copy_won_lasts_until_then() {
    let copy = json!({ "info": { "Index": 1, "Attempt": 1, "Speculative": true } });
    let slow =
        json!({ "Task End Reason": { "Reason": "TaskKilled" }, "info": { "Killed": true, "Index": 1 } });
    let import = Written::new()
        .job(0, 1_000, &[(0, &[], 2)], json!({ "user.name": "ana" }))
        .task(0, 0, 1_000, 2_000)
        .any_task(1, 0, 1_000, 6_000, slow)
        .any_task(2, 0, 3_000, 5_000, copy)
        .completed(0, 0, None)
        .job_end(0, 5_000)
        .import();
    assert_eq!(import.report.simulated.copies, 1, "{:?}", import.observed.tasks);
    assert_eq!(import.scenario.jobs()[0].stages[0].input.durations(2), [1_000_000, 4_000_000].map(Span));
    assert_eq!(import.observed.killed.len(), 1);
}
