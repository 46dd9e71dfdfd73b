//! Sections 18 to 27 of `docs/model.md` on random scenarios: attempts that are killed and run again, and executors that
//! are lost, slow or preferred.

use std::collections::{BTreeMap, BTreeSet};

use crate::properties::{config, outcome};
use crate::{common, reference};
use fairlane::engine::{Control, simulate_outcomes};
use fairlane::ids::UserId;
use fairlane::policy::Placement;
use fairlane::trace::{CoreIndex, TaskRun, check};
use fairlane::units::Time;
use fairlane::{PolicyId, PolicyKind, Scenario, Trace, metrics, simulate};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A sound file of a real cluster with a change to it, beside the same without.
fn identity(text: &str, change: impl Fn(&mut Value)) -> [Scenario; 2] {
    let file: Value = serde_json::from_str(text).expect("JSON");
    let mut changed = file.clone();
    change(&mut changed);
    [file, changed].map(|file| Scenario::from_json(&file.to_string()).expect("a sound file"))
}

/// Applies a change to every stage.
fn for_stages(file: &mut Value, change: impl Fn(&mut Value)) {
    for job in file["jobs"].as_array_mut().expect("jobs") {
        job["stages"].as_array_mut().expect("stages").iter_mut().for_each(&change);
    }
}

/// The file with one task in every stage.
fn with_single_tasks(text: &str) -> String {
    let mut file: Value = serde_json::from_str(text).expect("JSON");
    for_stages(&mut file, |stage| {
        stage["partitions"] = json!(1);
        stage["splittable"] = json!(false);
    });
    file.to_string()
}

/// Tasks and jobs do not notice a field.
fn are_equal([without, with]: &[Scenario; 2], policy: PolicyId) -> Result<(), TestCaseError> {
    let [without, with] = [without, with].map(|scenario| simulate(scenario, policy));
    prop_assert_eq!(with.tasks, without.tasks, "{}", policy);
    prop_assert_eq!(with.jobs, without.jobs, "{}", policy);
    Ok(())
}

/// A task: its job, stage and index.
type TaskId = (u32, u32, u32);

/// The attempts of each task.
fn by_task(trace: &Trace) -> BTreeMap<TaskId, Vec<(u32, &TaskRun)>> {
    let mut tasks: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (index, run) in (0..).zip(&trace.tasks) {
        tasks.entry((run.job.0, run.stage, run.task)).or_default().push((index, run));
    }
    tasks
}

fn spark_files() -> impl Strategy<Value = String> {
    (any::<u64>(), 2..=8_u64).prop_map(|(seed, jobs)| common::clusters::spark_scenario_of(seed, jobs))
}

fn policies() -> impl Strategy<Value = PolicyId> {
    prop::sample::select(PolicyId::all().collect::<Vec<_>>())
}

/// A sound file of a cluster on which tasks may have several attempts.
fn files() -> impl Strategy<Value = String> {
    (any::<u64>(), 1..=8_u64).prop_map(|(seed, jobs)| common::attempts::attempts_scenario_of(seed, jobs))
}

proptest! {
    #![proptest_config(config())]

    /// Cores that are away count nowhere, or what is used, idle behind stragglers and idle beside work would not fit what
    /// is there.
    #[test]
    fn one_notion_of_the_cores_that_are_there(text in files(), policy in policies()) {
        let scenario = Scenario::from_json(&text).expect("a sound file");
        let trace = simulate(&scenario, policy);
        let used = metrics::ExecutorUse::of(&scenario, &trace);
        prop_assert!(used.working <= used.held, "{:?} under {}", used, policy);
        if let Some(part) = metrics::utilization(&scenario, &trace) {
            let idle = used.idle().seconds() / used.held.seconds();
            prop_assert!((part + idle - 1.0).abs() < 1e-9, "{} used and {} idle under {}", part, idle, policy);
        }
        let index = CoreIndex::new(&trace);
        let found = metrics::stragglers(&scenario, &trace);
        prop_assert!(metrics::straggler_idle_time(&scenario, &trace, &found).0 <= used.idle());
        for straggler in found {
            let idle = metrics::idle_behind(&scenario, &trace, &index, &straggler);
            let sum: u64 = idle.iter().map(|idle| idle.to.since(idle.from).0).sum();
            prop_assert_eq!(sum, straggler.idle.0, "{}", policy);
        }
        // A job that is cancelled may wait longer than any task runs.
        let there = metrics::CoresThere::new(&scenario, &trace).between(Time::ZERO, trace.last());
        for user in (0..scenario.users().len() as u32).map(UserId) {
            let waits = metrics::user_waits(&scenario, &trace, user);
            let idle = metrics::holders(&scenario, &trace, &waits).idle;
            prop_assert!(idle.0 + used.working.0 <= there.0, "{}", policy);
        }
    }

    /// The engine against the slow, obvious one, under a policy drawn for each scenario and `spark`.
    #[test]
    fn the_engine_does_what_the_model_says_of_attempts(text in files(), other in any::<prop::sample::Index>()) {
        let known: Vec<PolicyId> =
            PolicyId::all().filter(|policy| reference::knows(policy.kind.info().id)).collect();
        for policy in ["spark".parse().expect("a policy"), *other.get(&known)] {
            prop_assert_eq!(difference(&text, policy), None, "{} under {}", smallest(&text, policy), policy);
        }
    }

    /// Whatever the policy, nothing panics, and jobs end as they do without a trace.
    #[test]
    fn jobs_with_attempts_end_alike_with_and_without_a_trace(text in files()) {
        let scenario = Scenario::from_json(&text).expect("the generator makes sound files");
        for policy in PolicyId::all() {
            let trace = simulate(&scenario, policy);
            let outcomes = simulate_outcomes(&scenario, policy, &mut |_| Control::Continue);
            prop_assert_eq!(outcomes, Ok(trace.jobs), "{}", policy);
        }
    }

    /// Whatever the policy, no attempt breaks a rule.
    #[test]
    fn every_trace_with_attempts_is_sound(text in files()) {
        let scenario = Scenario::from_json(&text).expect("the generator makes sound files");
        for policy in PolicyId::all() {
            prop_assert_eq!(check(&scenario, &simulate(&scenario, policy)), Ok(()), "{}", policy);
        }
    }

    /// Section 27: executors that are all as fast, and preferred by all, are as any.
    #[test]
    fn equal_executors_make_no_difference(text in spark_files(), policy in policies()) {
        // It keeps cores for stages, and where places matter takes the lowest-numbered.
        prop_assume!(policy.kind != PolicyKind::Decima);
        let scenarios = identity(&text, |file| {
            let executors = file["cluster"]["executors"].as_u64().expect("a number");
            file["cluster"]["speeds"] = json!(vec![1; executors as usize]);
            for_stages(file, |stage| {
                stage["prefers"] = json!([(0..executors).collect::<Vec<_>>()]);
                stage["away"] = json!(2);
            });
        });
        are_equal(&scenarios, policy)?;
    }

    /// Section 29: executors of one profile, and exclusions that begin too late or last no time, are as any.
    #[test]
    fn limits_that_bind_nothing_make_no_difference(text in spark_files(), policy in policies()) {
        // As above.
        prop_assume!(policy.kind != PolicyKind::Decima);
        let mut file: Value = serde_json::from_str(&text).expect("JSON");
        file["cluster"].as_object_mut().expect("a cluster").remove("dynamic_allocation");
        let scenarios = identity(&file.to_string(), |file| {
            let executors = file["cluster"]["executors"].as_u64().expect("a number");
            file["cluster"]["resource_profiles"] = json!(vec![7; executors as usize]);
            file["cluster"]["exclusions"] = json!([{ "executor": 0, "from_s": 1e6, "for_s": 1 }]);
            for_stages(file, |stage| {
                stage["resource_profile"] = json!(7);
                stage["exclusions"] = json!([{ "executor": 0, "from_s": 1e6, "for_s": 1 }]);
            });
        });
        are_equal(&scenarios, policy)?;
    }

    /// Losses and cancellations after the end come too late.
    #[test]
    fn what_comes_after_the_end_makes_no_difference(text in spark_files(), policy in policies()) {
        let scenario = Scenario::from_json(&text).expect("a sound file");
        let late = simulate(&scenario, policy).end().seconds().ceil() + 1.0;
        let is_dynamic = scenario.cluster().dynamic_allocation.is_some();
        are_equal(&identity(&text, |file| {
            let mut loss = json!({ "at_s": late, "executor": 0 });
            if !is_dynamic {
                loss["back_s"] = json!(1);
            }
            file["cluster"]["losses"] = json!([loss]);
        }), policy)?;
        are_equal(&identity(&text, |file| {
            file["jobs"].as_array_mut().expect("jobs").iter_mut().for_each(|job| job["cancel_s"] = json!(late));
        }), policy)?;
    }

    /// A stage of one task has none that others would be slower than.
    #[test]
    fn single_tasks_are_not_speculated(text in spark_files(), policy in policies()) {
        let scenarios = identity(&with_single_tasks(&text), |file| {
            file["cluster"]["speculation"] = json!({ "quantile": 0, "multiplier": 0, "min_s": 0 });
        });
        are_equal(&scenarios, policy)?;
    }

    /// One task is always together with itself.
    #[test]
    fn single_tasks_are_their_own_barrier(text in spark_files(), policy in policies()) {
        let stays = matches!(policy.kind.info().placement, Placement::SameJob | Placement::SameStage);
        prop_assume!(!stays);
        let mut file: Value = serde_json::from_str(&with_single_tasks(&text)).expect("JSON");
        file["cluster"].as_object_mut().expect("a cluster").remove("dynamic_allocation");
        let scenarios =
            identity(&file.to_string(), |file| for_stages(file, |stage| stage["barrier"] = json!(true)));
        are_equal(&scenarios, policy)?;
    }

    /// Nobody is preempted for the only user.
    #[test]
    fn one_user_is_not_preempted(text in spark_files(), policy in policies()) {
        let mut file: Value = serde_json::from_str(&text).expect("JSON");
        file["policies"]["spark"]["by"] = json!("user");
        file["jobs"].as_array_mut().expect("jobs").iter_mut().for_each(|job| job["user"] = json!("ana"));
        let scenarios = identity(&file.to_string(), |file| {
            file["cluster"]["preemption"] = json!({ "threshold": 1, "after_s": 0, "interval_s": 0.1 });
        });
        are_equal(&scenarios, policy)?;
    }

    /// Under speculation alone no two attempts of a task share an executor, and one of each task ends by itself.
    #[test]
    fn copies_run_elsewhere_and_one_attempt_ends(text in spark_files(), policy in policies()) {
        let [_, scenario] = identity(&text, |file| {
            file["cluster"]["speculation"] = json!({ "quantile": 0.25, "multiplier": 0.5, "min_s": 0 });
        });
        let trace = simulate(&scenario, policy);
        for (task, attempts) in by_task(&trace) {
            let executor = |run: &TaskRun| run.core.0 / scenario.cluster().cores_per_executor;
            let executors: BTreeSet<u32> = attempts.iter().map(|(_, run)| executor(run)).collect();
            prop_assert_eq!(executors.len(), attempts.len(), "{}: {:?}", policy, task);
            let ended = attempts.iter().filter(|(index, _)| !trace.killed.contains(index)).count();
            let finished = trace.jobs[task.0 as usize].finish().is_some();
            prop_assert!(if finished { ended == 1 } else { ended <= 1 }, "{}: {:?}", policy, task);
        }
    }

    /// With every loss a task may run once more to its end.
    #[test]
    fn a_task_ends_at_most_once_more_per_loss(text in files(), policy in policies()) {
        let mut file: Value = serde_json::from_str(&text).expect("JSON");
        file["cluster"].as_object_mut().expect("a cluster").remove("speculation");
        let scenario = Scenario::from_json(&file.to_string()).expect("a sound file");
        let trace = simulate(&scenario, policy);
        for (task, attempts) in by_task(&trace) {
            let ended = attempts.iter().filter(|(index, _)| !trace.killed.contains(index)).count();
            prop_assert!(ended <= 1 + scenario.cluster().losses.len(), "{}: {:?}", policy, task);
        }
    }
}

/// All of it together on many small scenarios, each under the next policy: nothing panics or hangs, the check finds no
/// fault, and the slow simulator agrees where it knows the policy: on every scenario, or on each of so many.
/// `FAIRLANE_SCENARIOS=1000000 cargo test -p fairlane --release --test suite many_scenarios_with_attempts -- --ignored
/// --nocapture`.
#[test]
#[ignore = "takes long for a million; run it by hand after a change of the engine"]
fn many_scenarios_with_attempts() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("FAIRLANE_FIRST").unwrap_or(0);
    let last = first + number("FAIRLANE_SCENARIOS").unwrap_or(10_000);
    let compared = number("FAIRLANE_COMPARED").unwrap_or(1).max(1);
    let policies: Vec<PolicyId> = PolicyId::all().collect();
    let (mut faults, mut figures) = (0, Figures::default());
    for seed in first..last {
        let text = common::attempts::attempts_scenario_of(seed, 1 + seed % 5);
        let policy = policies[(seed / 5) as usize % policies.len()];
        if let Some(fault) = fault(&text, policy, seed.is_multiple_of(compared), &mut figures) {
            faults += 1;
            println!("seed {seed} under {policy}: {fault}");
            if faults <= 5 {
                println!("{}", smallest(&text, policy));
            }
        }
        if (seed + 1 - first).is_multiple_of(100_000) {
            println!("{} scenarios: {figures:?}", seed + 1 - first);
        }
    }
    println!("{} scenarios: {figures:?}", last - first);
    assert_eq!(faults, 0);
}

/// What many scenarios were made of.
#[derive(Debug, Default)]
struct Figures {
    attempts: u64,
    killed: BTreeMap<String, u64>,
    /// Traces that the slow simulator has as well.
    compared: u64,
}

/// What is wrong with the trace of a scenario under a policy.
fn fault(text: &str, policy: PolicyId, is_compared: bool, figures: &mut Figures) -> Option<String> {
    let scenario = Scenario::from_json(text).expect("a sound file");
    let Ok(trace) = std::panic::catch_unwind(|| simulate(&scenario, policy)) else {
        return Some(format!(
            "panics; the reference has {:?}",
            reference::simulate(text, &policy.to_string())
        ));
    };
    figures.attempts += trace.tasks.len() as u64;
    for index in &trace.killed {
        let reason = trace.kill_reason(*index).map_or(String::new(), |reason| format!("{reason:?}"));
        *figures.killed.entry(reason).or_default() += 1;
    }
    if let Err(fault) = check(&scenario, &trace) {
        return Some(format!("the check says that {fault}"));
    }
    if !is_compared || !reference::knows(policy.kind.info().id) {
        return None;
    }
    figures.compared += 1;
    difference(text, policy)
}

/// One core. The first batch runs to 5 s; those of 1 s and 2 s have come meanwhile and arrive with each other then; that
/// of 8 s is in time, and that of 9 s comes while it runs.
#[test]
fn a_late_micro_batch_takes_what_has_come_meanwhile() {
    let batch = |job: usize, at: u32, seconds: u32| {
        let mut file = json!({ "user": "stream", "arrival_s": at, "stages": [{ "tasks_s": [seconds] }] });
        if let Some(before) = job.checked_sub(1) {
            file["after"] = json!({ "job": before, "batch": true });
        }
        file
    };
    let jobs = [(0, 5), (1, 1), (2, 1), (8, 3), (9, 1)];
    let jobs: Vec<Value> = (0..).zip(jobs).map(|(job, (at, seconds))| batch(job, at, seconds)).collect();
    let file =
        json!({ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 1 }, "jobs": jobs });
    let text = file.to_string();
    let scenario = Scenario::from_json(&text).expect("a sound file");
    let trace = simulate(&scenario, "fifo".parse().expect("a policy"));
    let seconds: Vec<f64> = trace.jobs.iter().map(|job| job.arrival.seconds()).collect();
    assert_eq!(seconds, [0.0, 5.0, 5.0, 8.0, 11.0]);
    assert_eq!(check(&scenario, &trace), Ok(()));
    assert_eq!(difference(&text, "fifo".parse().expect("a policy")), None);
    assert!(!trace.jobs.iter().any(|job| job.finish().is_none()));
}

/// Three executors of a core each, the last of another profile, whose stage waits for it behind its own other task
/// although two cores are free. Of the first stage, executor 1 takes no more tasks from 1 s after its first launch on, but
/// goes on with the one it has; executor 0 takes none of any stage from 4 to 6 s.
#[test]
fn a_stage_uses_only_executors_that_take_its_tasks() {
    let text = r#"{"format":"fairlane/scenario@1",
        "cluster":{"executors":3,"cores_per_executor":1,"resource_profiles":[0,0,1],
                   "exclusions":[{"executor":0,"from_s":4,"for_s":2}]},
        "jobs":[{"user":"ana","arrival_s":0,"stages":[
                    {"tasks_s":[2,2,2,2],"exclusions":[{"executor":1,"from_s":1}]}]},
                {"user":"ben","arrival_s":0,"stages":[{"tasks_s":[1,1],"resource_profile":1}]}]}"#;
    let scenario = Scenario::from_json(text).expect("a sound file");
    for policy in ["fifo", "uwfq", "drf", "spark"].map(|policy| policy.parse().expect("a policy")) {
        let trace = simulate(&scenario, policy);
        let runs: Vec<_> =
            trace.tasks.iter().map(|run| (run.job.0, run.core.0, run.start.seconds())).collect();
        let ana = [(0, 0, 0.0), (0, 1, 0.0), (0, 0, 2.0), (0, 0, 6.0)];
        let ben = [(1, 2, 0.0), (1, 2, 1.0)];
        for run in ana.iter().chain(&ben) {
            assert!(runs.contains(run), "{policy}: {runs:?}");
        }
        assert_eq!((runs.len(), check(&scenario, &trace)), (6, Ok(())), "{policy}");
        assert_eq!(difference(text, policy), None);
    }
}

/// Two executors of a core each. ben's task holds the first to 5 s; ana's of 4 s begins on the second, which is lost at
/// 2 s and back at 3 s. Meanwhile one core is there, of which each is owed a half, and ana's task waits again: for ben,
/// by half a core-second. No core ever idles while it waits.
#[test]
fn a_task_that_was_killed_waits_again_and_absent_cores_do_not_idle() {
    let text = r#"{"format":"fairlane/scenario@1",
        "cluster":{"executors":2,"cores_per_executor":1,"losses":[{"at_s":2,"executor":1,"back_s":1}]},
        "jobs":[{"user":"ben","arrival_s":0,"stages":[{"tasks_s":[5]}]},
                {"user":"ana","arrival_s":0,"stages":[{"tasks_s":[4]}]}]}"#;
    let scenario = Scenario::from_json(text).expect("a sound file");
    let policy = "fifo".parse().expect("a policy");
    let trace = simulate(&scenario, policy);
    assert_eq!(trace.end().seconds(), 7.0);
    let waiting = fairlane::metrics::waiting(&scenario, &trace);
    let seconds = |row: &fairlane::metrics::Waiter| (row.user.0, row.core_seconds());
    assert_eq!(waiting.rows.iter().map(seconds).collect::<Vec<_>>(), [(1, 0.5)]);
    let stretch = waiting.rows[0].longest;
    assert_eq!((stretch.from.seconds(), stretch.to.seconds()), (2.0, 3.0));
    let properties = fairlane::metrics::Properties::measure(&scenario, policy, &mut |_| {
        fairlane::engine::Control::Continue
    });
    assert!(properties.expect("a sound policy").conservation.holds());
}

/// What random scenarios found: a task that is marked at the instant of a tick of dynamic allocation is seen by the next
/// tick, and a job whose barrier stage does not fit on one executor is never in time for `deadline-oracle`.
#[test]
fn marks_come_after_the_tick_of_their_instant() {
    let marked = r#"{"format":"fairlane/scenario@1",
        "cluster":{"cores_per_executor":1,"dynamic_allocation":{"backlog_s":0.0,"idle_s":0.2},"executors":3,
                   "speculation":{"interval_s":0.5,"multiplier":1.5}},
        "jobs":[{"user":"ana","arrival_s":1.2,"stages":[{"inflation":[[1,1.4]],"tasks_s":[0.8,0.2]}]}]}"#;
    let unfitting = r#"{"format":"fairlane/scenario@1","cluster":{"executors":8,"memory_mb_per_executor":100},
        "jobs":[{"user":"ana","arrival_s":0,
                 "stages":[{"barrier":true,"memory_mb":100,"partitions":2,"work_s":2.4}]}]}"#;
    for (text, policy) in [(marked, "fair"), (unfitting, "deadline-oracle")] {
        assert_eq!(difference(text, policy.parse().expect("a policy")), None, "{policy}");
    }
}

/// What random scenarios found in the check: a task without length that ends at the very instant at which its executor
/// is lost and replaced, and a delay of a job that was dropped before it started, which costs the driver nothing.
#[test]
fn instants_of_a_loss_and_delays_of_unstarted_jobs_are_sound() {
    let lost = r#"{"format":"fairlane/scenario@1",
        "cluster":{"core_move_s":0.2,"cores_per_executor":1,"executors":1,
                   "losses":[{"at_s":1.2,"executor":0,"back_s":0}]},
        "jobs":[{"user":"ana","arrival_s":0,"stages":[{"tasks_s":[1.0,0.0,0.5]}]}]}"#;
    let dropped = r#"{"format":"fairlane/scenario@1",
        "cluster":{"cores_per_executor":1,"driver_job_s":0.1,"driver_stage_s":0.1,"driver_task_s":0.1,"executors":1},
        "jobs":[{"user":"ana","arrival_s":0,"deadline_s":9,"stages":[{"tasks_s":[0.85]}]},
                {"user":"ben","arrival_s":0.1,"deadline_s":0,"stages":[{"delay_s":0.6,"tasks_s":[0.2]}]}]}"#;
    for (text, policy) in [(lost, "fifo"), (dropped, "deadline-oracle")] {
        let scenario = Scenario::from_json(text).expect("a sound file");
        let trace = simulate(&scenario, policy.parse().expect("a policy"));
        assert_eq!(check(&scenario, &trace), Ok(()), "{policy}");
    }
}

/// What random scenarios found where cores belong to jobs: a lost executor's cores were still counted as held, and tasks
/// of a stage that waits for lost outputs were no need.
#[test]
fn jobs_get_other_cores_for_those_that_are_lost() {
    let held = r#"{"format":"fairlane/scenario@1",
        "cluster":{"executors":3,"executors_belong":"jobs","losses":[{"at_s":0.7,"executor":1}]},
        "jobs":[{"user":"ana","arrival_s":0.3,"stages":[{"delay_s":0.3,"partitions":8,"work_s":1.6}]}]}"#;
    assert_eq!(difference(held, "paf".parse().expect("a policy")), None);
    let needed = r#"{"format":"fairlane/scenario@1",
        "cluster":{"executors":5,"executors_belong":"jobs","losses":[{"at_s":0.6,"executor":0}]},
        "jobs":[{"user":"b10","arrival_s":0,
                 "stages":[{"tasks_s":[0.25]},{"tasks_s":[0.15]},{"partitions":2,"work_s":0.7}]},
                {"user":"b2","arrival_s":0.75,"stages":[{"work_s":0.15}]}]}"#;
    assert_eq!(difference(needed, "cfq".parse().expect("a policy")), None);
}

/// How the engine's trace differs from that of the model, or what is wrong with it.
fn difference(text: &str, policy: PolicyId) -> Option<String> {
    let scenario = Scenario::from_json(text).expect("a sound file");
    let trace = simulate(&scenario, policy);
    let file: Value = serde_json::from_str(&trace.to_json()).expect("JSON");
    let (actual, expected) = (outcome(&file), reference::simulate(text, &policy.to_string()));
    (actual != expected).then(|| {
        let only = |one: &reference::Outcome, other: &reference::Outcome| {
            let mut rest = one.clone();
            rest.lines.retain(|line| !other.lines.contains(line));
            rest.executors.retain(|run| !other.executors.contains(run));
            rest
        };
        let (more, less) = (only(&actual, &expected), only(&expected, &actual));
        format!("the engine alone has\n{more:?}\nand the reference\n{less:?}")
    })
}

/// Smallest scenarios on which engine, check and reference once differed, as random ones have found them.
#[test]
fn what_random_scenarios_have_found_stays_right() {
    let found: Vec<Value> = serde_json::from_str(include_str!("found.json")).expect("a list");
    let mut faults = String::new();
    for (index, entry) in found.iter().enumerate() {
        let text = entry["scenario"].to_string();
        let policy: PolicyId = entry["policy"].as_str().expect("a name").parse().expect("a policy");
        if let Some(fault) = fault(&text, policy, true, &mut Figures::default()) {
            faults += &format!("{index} under {policy}: {fault}\n");
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

/// A file that differs still, but no longer if anything else is taken out of it.
fn smallest(text: &str, policy: PolicyId) -> String {
    let mut file: Value = serde_json::from_str(text).expect("JSON");
    let differs = |file: &Value| {
        let text = file.to_string();
        Scenario::from_json(&text).is_ok() && fault(&text, policy, true, &mut Figures::default()).is_some()
    };
    while let Some(smaller) = removals(&file).into_iter().find(differs) {
        file = smaller;
    }
    file.to_string()
}

/// The value without one of its parts.
fn removals(value: &Value) -> Vec<Value> {
    let mut smaller = Vec::new();
    match value {
        Value::Array(list) => {
            for index in 0..list.len() {
                let mut copy = list.clone();
                copy.remove(index);
                smaller.push(copy.into());
                smaller.extend(removals(&list[index]).into_iter().map(|part| {
                    let mut copy = list.clone();
                    copy[index] = part;
                    copy.into()
                }));
            }
        }
        Value::Object(object) => {
            for (key, of_key) in object {
                let mut copy = object.clone();
                copy.remove(key);
                smaller.push(copy.into());
                smaller.extend(removals(of_key).into_iter().map(|part| {
                    let mut copy = object.clone();
                    copy[key] = part;
                    copy.into()
                }));
            }
        }
        _ => {}
    }
    smaller
}
