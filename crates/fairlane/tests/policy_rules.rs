//! What policies promise, checked on their traces: busy cores, memory, allocations, drops, reservations, classes, and
//! the explanations of all that.

use crate::common;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use fairlane::ids::Rank;
use fairlane::policy::explain::{Decision, DecisionSubject, Value};
use fairlane::policy::spark::{self, Pool};
use fairlane::policy::{Idling, PolicyKind};
use fairlane::replay::{Replay, ReplayPoint};
use fairlane::trace::{Outcome, TaskRun, Trace, check};
use fairlane::units::{Span, Time};
use fairlane::{PolicyId, Scenario, simulate};
use flate2::read::GzDecoder;
use proptest::prelude::*;

/// Random scenarios with queues, deadlines and costs that depend on the core.
fn scenarios() -> impl Strategy<Value = Scenario> {
    (any::<u64>(), 1..=14_u64).prop_map(|(seed, jobs)| {
        Scenario::from_json(&common::costly_scenario_of(seed, jobs)).expect("the generator makes sound files")
    })
}

/// Without the caps of pools, which leave cores idle.
fn without_caps(scenario: &Scenario) -> Scenario {
    let pools = scenario.parameters().get("spark", "pools").cloned().unwrap_or_default();
    let mut pools: Vec<Pool> = spark::read(&pools).unwrap_or_default();
    for pool in &mut pools {
        pool.max_share = None;
    }
    let pools = serde_json::to_value(pools).expect("JSON");
    let parameters = scenario.parameters().with("spark", "pools", pools).expect("sound pools");
    scenario.to_builder().parameters(parameters).build().expect("a sound scenario")
}

fn without_memory(scenario: &Scenario) -> Scenario {
    let mut cluster = scenario.cluster().clone();
    cluster.memory_per_executor = None;
    scenario.to_builder().cluster(cluster).build().expect("a sound scenario")
}

fn record(scenario: &Scenario, policy: &str) -> (Trace, Replay) {
    let policy: PolicyId = policy.parse().expect("a policy");
    (simulate(scenario, policy), Replay::new(scenario, policy).expect("a registered policy"))
}

/// The allocation of each job, by rank.
fn allocations(decided: &[Decision]) -> BTreeMap<u32, u32> {
    let mut allocations = BTreeMap::new();
    for decision in decided.iter().filter(|decision| decision.sentence.contains("is admitted")) {
        let DecisionSubject::Job(Rank(rank)) = decision.subject else { panic!("jobs are admitted") };
        let Some(Value::Cores(cores)) = decision.parts.last().map(|part| part.value.clone()) else {
            panic!("{decision:?} ends with the cores asked for")
        };
        allocations.insert(rank, cores as u32);
    }
    allocations
}

/// When each stage is submitted, by job and stage; `None` if it never is. By going through all tasks for every stage.
fn submissions(scenario: &Scenario, trace: &Trace) -> Vec<Vec<Option<Time>>> {
    let ends = |job: usize, stage: usize| -> Option<Time> {
        let spec = &scenario.jobs()[job].stages[stage];
        let of = |run: &&TaskRun| (run.job.index(), run.stage as usize) == (job, stage);
        let runs: Vec<&TaskRun> = trace.tasks.iter().filter(of).collect();
        let all = scenario.partitioning().task_count(spec, trace.policy.partitioning) == runs.len() as u64;
        runs.iter().map(|run| run.end).max().filter(|_| all)
    };
    let of_stage = |job: usize, stage: usize| -> Option<Time> {
        let (spec, run) = (&scenario.jobs()[job], &trace.jobs[job]);
        if matches!(run.outcome, Outcome::Rejected(_)) {
            return None;
        }
        let begin = if gates(trace.policy) { run.started? } else { run.arrival };
        let parents = &spec.stages[stage].parents;
        let ready: Option<Vec<Time>> = parents.iter().map(|parent| ends(job, *parent as usize)).collect();
        Some(ready?.into_iter().max().map_or(begin, |last| last + scenario.cluster().stage_delay))
    };
    let of_job =
        |job: usize| (0..scenario.jobs()[job].stages.len()).map(|stage| of_stage(job, stage)).collect();
    (0..scenario.jobs().len()).map(of_job).collect()
}

/// Whose task it is.
fn user_of(scenario: &Scenario, run: &TaskRun) -> usize {
    scenario.jobs()[run.job.index()].user.index()
}

/// Whether jobs are admitted, and hold an allocation from then on.
fn gates(policy: PolicyId) -> bool {
    policy.kind.info().idling == Idling::OnPurpose
        && !matches!(policy.kind, PolicyKind::Spark | PolicyKind::Decima)
}

/// The instants at which anything happens, ascending.
fn instants(trace: &Trace, submitted: &[Vec<Option<Time>>]) -> Vec<Time> {
    let mut instants: Vec<Time> = trace.tasks.iter().flat_map(|run| [run.start, run.end]).collect();
    instants.extend(
        trace.jobs.iter().flat_map(|job| [Some(job.arrival), job.started, Some(job.end())]).flatten(),
    );
    instants.extend(submitted.iter().flatten().flatten());
    instants.sort_unstable();
    instants.dedup();
    instants
}

/// The state after all that happens at an instant.
struct Cluster {
    /// By core.
    busy: Vec<bool>,
    /// Free MB by executor.
    free: Vec<u64>,
    /// Cores by job.
    held: Vec<u32>,
}

impl Cluster {
    fn at(scenario: &Scenario, trace: &Trace, at: Time) -> Cluster {
        let spec = scenario.cluster();
        let mut state = Cluster {
            busy: vec![false; spec.cores() as usize],
            free: vec![spec.memory_per_executor.unwrap_or(u64::MAX); spec.executors as usize],
            held: vec![0; scenario.jobs().len()],
        };
        for run in trace.tasks.iter().filter(|run| run.start <= at && at < run.end) {
            let core = run.core.0 as usize;
            assert!(!state.busy[core], "two tasks on core {core} at {at:?}");
            state.busy[core] = true;
            state.held[run.job.index()] += 1;
            if spec.memory_per_executor.is_some() {
                let memory = scenario.jobs()[run.job.index()].stages[run.stage as usize].memory;
                let free = &mut state.free[core / spec.cores_per_executor as usize];
                *free = free
                    .checked_sub(memory)
                    .unwrap_or_else(|| panic!("too much memory on core {core} at {at:?}"));
            }
        }
        state
    }

    /// Whether a core is free beside this much memory.
    fn fits(&self, memory: u64) -> bool {
        let cores = self.busy.len() / self.free.len();
        self.busy.chunks(cores).zip(&self.free).any(|(busy, free)| busy.contains(&false) && *free >= memory)
    }
}

/// The tasks of a stage that wait at an instant, once all that happens then has happened.
fn pending(scenario: &Scenario, trace: &Trace, (job, stage): (usize, usize), at: Time) -> u64 {
    if trace.jobs[job].end() <= at {
        return 0;
    }
    let spec = &scenario.jobs()[job].stages[stage];
    let launched = |run: &&TaskRun| (run.job.index(), run.stage as usize) == (job, stage) && run.start <= at;
    let tasks = scenario.partitioning().task_count(spec, trace.policy.partitioning);
    tasks - trace.tasks.iter().filter(launched).count() as u64
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Every policy keeps to this at every instant: a core runs one task, an executor's memory suffices, nothing of a
    /// job runs once it has ended, jobs hold no more than their allocation, and no core idles that a pending task fits
    /// unless the allocation of its job is used up.
    #[test]
    fn every_policy_keeps_to_cores_memory_and_caps(scenario in scenarios()) {
        let scenario = without_caps(&scenario);
        for policy in PolicyId::all() {
            let (trace, mut replay) = record(&scenario, &policy.to_string());
            let decided = if gates(policy) { replay.decisions().to_vec() } else { Vec::new() };
            let allocations = allocations(&decided);
            let ranks = scenario.ranks();
            let cap = |job: usize| match gates(policy) {
                true => allocations.get(&ranks[job].0).copied().unwrap_or(0),
                false => u32::MAX,
            };
            let submitted = submissions(&scenario, &trace);
            for at in instants(&trace, &submitted) {
                let state = Cluster::at(&scenario, &trace, at);
                for (job, spec) in scenario.jobs().iter().enumerate() {
                    prop_assert!(state.held[job] <= cap(job), "{}: job {} at {:?}", policy, job, at);
                    prop_assert!(state.held[job] == 0 || at < trace.jobs[job].end(), "{}: job {}", policy, job);
                    for (stage, spec) in spec.stages.iter().enumerate() {
                        let waits = submitted[job][stage].is_some_and(|since| since <= at)
                            && pending(&scenario, &trace, (job, stage), at) > 0;
                        // Decima's limits are its own affair.
                        let may = waits && state.held[job] < cap(job) && policy.kind != PolicyKind::Decima;
                        prop_assert!(!(may && state.fits(spec.memory)), "{}: stage {} of job {} at \
                            {:?}", policy, stage, job, at);
                    }
                }
            }
        }
    }

    /// BoPF's hard guarantee (line 32): while such a queue has not had its demand, holds fewer cores than its rate and
    /// waits, nobody after it is served.
    #[test]
    fn hard_guarantees_are_served_first(
        scenario in scenarios(),
        policy in prop::sample::select(vec!["n-bopf", "n-bopf-p", "bopf", "bopf-p"]),
    ) {
        let scenario = without_memory(&scenario);
        let trace = simulate(&scenario, policy.parse().expect("a policy"));
        let submitted = submissions(&scenario, &trace);
        let hard = |user: usize| trace.classes[user].name() == "H";
        let queue = |user: usize| scenario.users()[user].queue.clone().unwrap_or_default();
        let order = |user: usize| (queue(user).joins, user);
        for (index, launch) in trace.tasks.iter().enumerate() {
            let (at, served) = (launch.start, user_of(&scenario, launch));
            for user in (0..trace.users.len()).filter(|&user| hard(user) && queue(user).joins <= at) {
                if hard(served) && order(served) <= order(user) {
                    continue;
                }
                let spec = queue(user);
                let burst = spec.joins + Span((at.0 - spec.joins.0) / spec.period.0 * spec.period.0);
                let own = |run: &&TaskRun| user_of(&scenario, run) == user;
                let used: u64 = trace.tasks.iter().filter(own).map(|run|
                    run.end.min(at).0.saturating_sub(run.start.max(burst).0)).sum();
                // A task that ends at this instant may still hold its core.
                let held = trace.tasks[..index].iter().filter(own).filter(|run| run.end >= at).count() as u64;
                let demand = spec.demand.0;
                let behind = demand == 0 || used < demand && u128::from(held) * u128::from(spec.within.0)
                    < u128::from(demand);
                let waits = scenario.jobs().iter().enumerate().filter(|(_, job)| job.user.index()
                    == user).any(|(job, spec)| {
                    (0..spec.stages.len()).any(|stage| {
                        submitted[job][stage].is_some_and(|since| since < at)
                            && pending(&scenario, &trace, (job, stage), at) > 0
                    })
                });
                prop_assert!(!(behind && waits), "user {} waits while {} is served at {:?}", user, served, at);
            }
        }
    }

    /// Jobs hold no more cores than they were given, all allocations fit the cluster, nothing of a dropped job runs
    /// afterwards, and no core idles that a job may use.
    #[test]
    fn allocations_hold(scenario in scenarios(), policy in prop::sample::select(vec!["justice", "deadline-oracle"])) {
        let scenario = without_memory(&scenario);
        let (trace, mut replay) = record(&scenario, policy);
        prop_assert_eq!(check(&scenario, &trace), Ok(()));
        let decided = replay.decisions().to_vec();
        let allocations = allocations(&decided);
        let ranks = scenario.ranks();
        let mut instants: Vec<Time> = trace.tasks.iter().flat_map(|run| [run.start, run.end]).collect();
        instants.extend(trace.jobs.iter().flat_map(|job| job.started));
        instants.sort_unstable();
        instants.dedup();
        for &at in &instants {
            let mut allocated = 0;
            let mut held = vec![0_u32; scenario.jobs().len()];
            for run in trace.tasks.iter().filter(|run| run.start <= at && at < run.end) {
                held[run.job.index()] += 1;
            }
            for (job, run) in trace.jobs.iter().enumerate() {
                let allocation = allocations.get(&ranks[job].0).copied();
                prop_assert_eq!(allocation.is_some(), run.started.is_some(), "job {}", job);
                prop_assert!(held[job] <= allocation.unwrap_or(0), "job {} at {:?}", job, at);
                if run.started.is_some_and(|start| start <= at) && at < run.end() {
                    allocated += allocation.unwrap_or(0);
                }
            }
            prop_assert!(allocated <= trace.cores, "at {:?}", at);
        }
        for run in &trace.tasks {
            let job = &trace.jobs[run.job.index()];
            prop_assert!(run.end <= job.end() && job.started.is_some_and(|start| start <= run.start));
        }
        // A waiting stage waits because its job holds all it was given.
        for &at in &instants {
            for stage in replay.queue(&trace, ReplayPoint::Instant(at), usize::MAX).expect("an instant").stages {
                prop_assert_eq!(&stage.key.parts()[0].value, &Value::Number(1), "at {:?}: {:?}", at, stage);
            }
        }
        for (job, run) in trace.jobs.iter().enumerate() {
            let about = |decision: &&Decision| decision.subject == DecisionSubject::Job(ranks[job]);
            let last = decided.iter().rfind(about).expect("every job is decided on");
            let dropped = matches!(run.outcome, Outcome::Dropped(_));
            prop_assert_eq!(last.sentence.contains("is dropped"), dropped, "{}", last.sentence);
            if let Outcome::Dropped(at) = run.outcome {
                prop_assert_eq!(last.at, at);
            }
        }
    }

    /// The oracle's jobs succeed if they are admitted and nobody is in their way on their own cores.
    #[test]
    fn the_oracle_never_drops_what_it_has_admitted(scenario in scenarios()) {
        let trace = simulate(&scenario, "deadline-oracle".parse().expect("a policy"));
        for job in &trace.jobs {
            prop_assert_eq!(job.started.is_some(), job.finish().is_some());
        }
        prop_assert!(trace.killed.is_empty());
    }

    /// A user has a class and a decision that says why, and jobs are rejected exactly in the class of that name.
    #[test]
    fn classes_are_explained(scenario in scenarios(), policy in prop::sample::select(vec!["n-bopf", "bopf"])) {
        let (trace, mut replay) = record(&scenario, policy);
        let decided = replay.decisions().to_vec();
        prop_assert_eq!(decided.len(), trace.users.len());
        for (class, decision) in trace.classes.iter().zip(&decided) {
            prop_assert!(decision.sentence.contains(class.title()), "{:?}", decision);
        }
        for job in &trace.jobs {
            let is_rejected = trace.classes[job.user.index()].name() == "rejected";
            prop_assert_eq!(is_rejected, matches!(job.outcome, Outcome::Rejected(_)));
        }
        let file: serde_json::Value = serde_json::from_str(&trace.to_json()).expect("JSON");
        prop_assert_eq!(file["classes"].as_object().map(|classes| classes.len()), Some(trace.users.len()));
    }
}

fn given(case: &str) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases-allocation").join(case);
    let mut text = String::new();
    GzDecoder::new(File::open(path).expect("a readable case")).read_to_string(&mut text).expect("it unpacks");
    let case: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    Scenario::from_json(&case["scenario"].to_string()).expect("a good scenario")
}

/// Three latency queues beside a batch on 32 cores, like Figure 10 of the BoPF paper: mean responses in seconds of LQ-0
/// (hard), LQ-1 (soft), LQ-2 (no guarantee) and the batch.
#[test]
fn bursts_are_bounded_as_published() {
    let scenario = given("case-22.json.gz");
    let means = |policy: &str| {
        let trace = simulate(&scenario, policy.parse().expect("a policy"));
        ["LQ-0", "LQ-1", "LQ-2", "batch"].map(|name| {
            let user = trace.users.iter().position(|user| user == name).expect("a user");
            let jobs = trace.jobs.iter().filter(|job| job.user.index() == user);
            let responses: Vec<f64> = jobs.filter_map(|job| Some(job.response()?.seconds())).collect();
            (responses.iter().sum::<f64>() / responses.len() as f64).round() as u32
        })
    };
    let rows = ["drf", "sp", "n-bopf", "bopf"].map(means);
    assert_eq!(rows, [[96, 91, 109, 622], [69, 76, 66, 610], [46, 93, 129, 618], [44, 75, 109, 623]]);
    // With short tasks the hard guarantee is kept to the second.
    assert_eq!(means("bopf-p")[0], 27);
}

/// One queue for each outcome of the three conditions, on ten cores.
#[test]
fn each_condition_of_the_admission_is_reported() {
    let scenario = Scenario::from_json(
        r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 10 },
             "users": [
                { "name": "hard", "queue": { "kind": "latency", "period_s": 100, "within_s": 10, "demand_core_s": 60 } },
                { "name": "soft", "queue": { "kind": "latency", "joins_s": 5, "period_s": 100, "within_s": 10, "demand_core_s": 60 } },
                { "name": "large", "queue": { "kind": "latency", "joins_s": 6, "period_s": 100, "demand_core_s": 400 } },
                { "name": "fixed", "queue": { "kind": "latency", "joins_s": 7, "period_s": 10, "within_s": 10, "demand_core_s": 25 } },
                { "name": "batch", "queue": { "kind": "throughput", "joins_s": 8 } } ],
             "jobs": [{ "user": "batch", "arrival_s": 0, "stages": [{ "tasks_s": [1] }] }] }"#,
    )
    .expect("a sound workload");
    let (_, mut replay) = record(&scenario, "bopf");
    let sentences: Vec<String> =
        replay.decisions().iter().map(|decision| decision.sentence.clone()).collect();
    assert_eq!(
        sentences,
        [
            "hard has a hard guarantee: all three conditions hold.",
            "soft: soft guarantee, because the guaranteed rates and its own are more than the cluster at 5.00 s.",
            "large: no guarantee, because its bursts demand more than its fair share.",
            "fixed has a hard guarantee: all three conditions hold.",
            "batch: rejected, because with it, fixed could no longer be sure of its demand.",
        ]
    );
    let soft = &replay.decisions()[1];
    let parts: Vec<String> = soft.parts.iter().map(|part| format!("{}: {}", part.name, part.value)).collect();
    assert_eq!(
        parts,
        [
            "queues that share, N: 2",
            "safe: the guarantee closest to its limit is that of: hard",
            "safe: its demand times N: 120.00 core-seconds",
            "safe: capacity over its period: 1000.00 core-seconds",
            "fair: demand times N: 120.00 core-seconds",
            "fair: capacity over the period: 1000.00 core-seconds",
            "resource: rates compared at: 5.00 s",
            "resource: guaranteed rates and its own: 12 cores",
            "resource: capacity: 10 cores",
        ]
    );
}
