//! Every figure of a small designed workload, worked out by hand.

use crate::common;
use fairlane::engine::Control;
use fairlane::ids::{JobId, UserId};
use fairlane::metrics::{
    AttemptCosts, Baselines, Deviation, EvaluationDetail, Fairness, Holder, ReferenceSchedule, ResponseGroup,
    Summary, alone_responses, evaluate, held_back, idle_behind, straggler_idle_time, stragglers, waiting,
};
use fairlane::trace::{CoreIndex, LoadIndex, Timeline, checks_idling};
use fairlane::units::{SlotTime, Span, Time};
use fairlane::{PolicyId, Scenario, Trace, simulate};
use proptest::prelude::*;

/// The workload of `tests/worked_example.rs`: two cores; ana submits a (four tasks of 1 s) and b (three
/// tasks of 1 s) at 0 s, ben submits c (one task of 4 s) at 1 s.
///
/// That file works out the schedules, which give these finish times (response times):
///
/// |      | a     | b     | c     |
/// |------|-------|-------|-------|
/// | FIFO | 2 (2) | 4 (4) | 7 (6) |
/// | UJF  | 3 (3) | 5 (5) | 6 (5) |
/// | UWFQ | 5 (5) | 3 (3) | 6 (5) |
///
/// Fluid UJF: up to 1 s a and b have a core each, which leaves them 3 and 2 core-seconds. Then ana and
/// ben have a core each, a and b half of ana's. At 5 s b and c end together; the core-second that a
/// has left takes both cores until 5.5 s: 5.5 (5.5), 5 (5), 5 (4).
const WORKLOAD: &str = r#"{ "format": "fairlane/scenario@1",
    "cluster": { "executors": 1, "cores_per_executor": 2 },
    "users": [{ "name": "ana" }, { "name": "idle" }, { "name": "ben" }],
    "jobs": [
        { "user": "ana", "name": "a", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1, 1] }] },
        { "user": "ana", "name": "b", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1] }] },
        { "user": "ben", "name": "c", "arrival_s": 1, "stages": [{ "tasks_s": [4] }] } ] }"#;

fn policy(name: &str) -> PolicyId {
    name.parse().expect("a policy")
}

fn summary(name: &str) -> Summary {
    let scenario = Scenario::from_json(WORKLOAD).expect("a sound workload");
    let mut baselines = Baselines::new(1);
    evaluate(&scenario, policy(name), EvaluationDetail::Full, &mut baselines, &mut |_| Control::Continue)
        .expect("nobody asks to stop")
        .summary
}

fn ujf(name: &str) -> Fairness {
    summary(name).ujf.expect("it was asked for")
}

#[track_caller]
fn assert_close(actual: Option<f64>, expected: f64) {
    let actual = actual.expect("a figure");
    assert!((actual - expected).abs() < 1e-12, "{actual} is not {expected}");
}

#[track_caller]
fn assert_deviation(actual: Deviation, dvr: f64, violations: usize, dsr: f64, slacks: usize) {
    assert_close(actual.dvr, dvr);
    assert_close(actual.dsr, dsr);
    assert_eq!((actual.violations, actual.slacks, actual.unrated), (violations, slacks, 0));
}

/// r(a) = (5 - 3) / 3, r(b) = (3 - 5) / 5, r(c) = (6 - 6) / 5, which is a slack of nothing.
#[test]
fn uwfq_against_practical_ujf() {
    let fairness = ujf("uwfq");
    assert_eq!(fairness.delays, [Some(2.0 / 3.0), Some(-0.4), Some(0.0)]);
    assert_deviation(fairness.overall, 2.0 / 3.0, 1, 0.2, 2);
    assert_deviation(fairness.by_user[0], 2.0 / 3.0, 1, 0.4, 1);
    assert_eq!(fairness.by_user[1], Deviation::default());
    assert_eq!(fairness.by_user[2], Deviation { dsr: Some(0.0), slacks: 1, ..Deviation::default() });
    // ana's jobs take 4 s on average under either, ben's takes 5 s.
    assert_eq!(fairness.user_delays, [Some(0.0), None, Some(0.0)]);
}

/// r(a) = (2 - 3) / 3, r(b) = (4 - 5) / 5, r(c) = (7 - 6) / 5. ana's mean response is 3 s against 4 s,
/// ben's 6 s against 5 s.
#[test]
fn fifo_against_practical_ujf() {
    let fairness = ujf("fifo");
    assert_deviation(fairness.overall, 0.2, 1, (1.0 / 3.0 + 0.2) / 2.0, 2);
    assert_eq!(fairness.user_delays, [Some(-0.25), None, Some(0.2)]);
    assert_deviation(fairness.among_users, 0.2, 1, 0.25, 1);
}

/// r(a) = (5 - 5.5) / 5.5, r(b) = (3 - 5) / 5, r(c) = (6 - 5) / 4. c is the furthest behind, by 1 s;
/// UWFQ is allowed 4 s / 2 + 2 x 4 s.
#[test]
fn uwfq_against_fluid_ujf() {
    let summary = summary("uwfq");
    assert_deviation(summary.fluid.overall, 0.25, 1, (1.0 / 11.0 + 0.4) / 2.0, 2);
    assert_close(summary.fluid.delays[0], -1.0 / 11.0);
    assert_close(summary.fluid.reference.finishes.first().copied(), 5.5e6);
    let furthest = summary.unfairness.expect("a job");
    assert_eq!((furthest.job, furthest.delay), (JobId(2), 1e6));
    assert_eq!(summary.allowance, 10e6);
}

/// Practical UJF is not the ideal: a is 2.5 s early, b is in time, c is 1 s late.
#[test]
fn practical_ujf_against_fluid_ujf() {
    let fluid = summary("ujf").fluid;
    assert_deviation(fluid.overall, 0.25, 1, (2.5 / 5.5) / 2.0, 2);
    assert_eq!(ujf("ujf").overall, Deviation { dsr: Some(0.0), slacks: 3, ..Deviation::default() });
}

/// Alone a, b and c take 2, 2 and 4 s. Slowdowns 5/2, 3/2 and 5/4: ana 2, ben 5/4 on average; Jain
/// (13/4)^2 / (2 x (4 + 25/16)). 11 core-seconds of 12 are used. Of three jobs floor(2.4) and
/// floor(2.85) are 2: b and a, which goes before c at 5 s, are the quickest, c is the slowest.
#[test]
fn uwfq_by_itself() {
    let summary = summary("uwfq");
    assert_close(summary.mean_response, 13.0 / 3.0);
    assert_eq!(summary.worst_decile, Some(5.0));
    assert_close(summary.mean_slowdown, 1.75);
    assert_eq!(summary.worst_decile_slowdown, Some(2.5));
    assert_eq!(summary.by_user, [Some(4.0), None, Some(5.0)]);
    assert_eq!(summary.slowdown_by_user, [Some(2.0), None, Some(1.25)]);
    assert_close(summary.jain, 3.25 * 3.25 / 11.125);
    assert_close(summary.utilization, 11.0 / 12.0);
    assert_eq!(
        summary.groups,
        [ResponseGroup::Quickest, ResponseGroup::Quickest, ResponseGroup::Slowest].map(Some)
    );
    assert_eq!(summary.by_group, [Some(4.0), None, Some(5.0)]);
    assert_eq!(summary.slowdown_by_group, [Some(2.0), None, Some(1.25)]);
    let by_group = ujf("uwfq").by_group;
    assert_deviation(by_group[0], 2.0 / 3.0, 1, 0.4, 1);
    assert_eq!((by_group[1], by_group[2].slacks), (Deviation::default(), 1));
}

/// On one core b has a job without work, which waits behind a's second: no ratio to nothing, neither
/// violation nor slack. A second such job, of the user who is served, does not wait.
#[test]
fn a_job_without_work_has_no_ratio_if_it_waits() {
    let scenario = Scenario::from_json(
        r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 1 }, "jobs": [
            { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [2] }] },
            { "user": "ben", "arrival_s": 1, "stages": [{ "tasks_s": [0] }] },
            { "user": "ben", "arrival_s": 3, "stages": [{ "tasks_s": [0] }] } ] }"#,
    )
    .expect("a sound workload");
    let trace = simulate(&scenario, policy("uwfq"));
    let fairness = Fairness::new(&trace.jobs, 2, ReferenceSchedule::fluid_ujf(&scenario));
    assert_eq!(fairness.delays, [Some(0.0), None, Some(0.0)]);
    assert_eq!(fairness.overall, Deviation { dsr: Some(0.0), slacks: 2, unrated: 1, ..Deviation::default() });
}

/// The idle time behind all stragglers, by laying the idle times of every core over each other.
#[test]
fn straggler_idle_time_counts_each_core_once() {
    let mut overlapping = 0;
    for seed in 0..300 {
        let scenario = Scenario::from_json(&common::random_scenario(seed)).expect("a sound file");
        let trace = simulate(&scenario, policy("ujf"));
        let found = stragglers(&scenario, &trace);
        let index = CoreIndex::new(&trace);
        let mut idle: Vec<_> =
            found.iter().flat_map(|one| idle_behind(&scenario, &trace, &index, one)).collect();
        idle.sort_unstable_by_key(|idle| (idle.core, idle.from, idle.to));
        let mut sum = 0;
        for of_core in idle.chunk_by(|a, b| a.core == b.core) {
            let mut counted = of_core[0].from;
            for idle in of_core {
                sum += idle.to.0.saturating_sub(idle.from.max(counted).0);
                counted = counted.max(idle.to);
            }
        }
        assert_eq!(straggler_idle_time(&scenario, &trace, &found).0.0, sum, "seed {seed}");
        overlapping += u32::from(found.iter().map(|one| one.idle.0).sum::<u64>() > sum);
    }
    assert!(overlapping > 30, "only {overlapping} schedules where it matters");
}

/// Who waited for whom, the slow way: at each instant fair shares by bisection, then every pair of a user who is
/// short and one with an excess. In core-µs by user and holder; the last holder is idle cores.
fn waits_for(scenario: &Scenario, trace: &Trace) -> Vec<Vec<f64>> {
    let users: Vec<UserId> = (0..scenario.users().len() as u32).map(UserId).collect();
    let loads = LoadIndex::new(scenario, trace);
    let mut instants: Vec<Time> = trace.tasks.iter().flat_map(|run| [run.start, run.end]).collect();
    instants.extend(Timeline::new(scenario, trace).submissions.into_iter().flatten());
    // What was not launched when a job is dropped waits no longer.
    instants.extend(trace.jobs.iter().map(|job| job.end()));
    instants.sort();
    instants.dedup();
    let cores = f64::from(trace.cores);
    let mut matrix = vec![vec![0.0; users.len() + 1]; users.len()];
    for between in instants.windows(2) {
        let loads: Vec<_> = users.iter().map(|&user| loads.user_load(trace, user, between[0])).collect();
        let held = |user: usize| f64::from(loads[user].running);
        let demand = |user: usize| held(user) + f64::from(loads[user].waiting);
        let all: f64 = (0..users.len()).map(demand).sum();
        let share = |user: usize, level: f64| demand(user).min(scenario.users()[user].weight.value() * level);
        let shared = |level: f64| (0..users.len()).map(|user| share(user, level)).sum::<f64>();
        let (mut low, mut high) = (0.0, 1e13);
        for _ in 0..120 {
            let middle = (low + high) / 2.0;
            *if shared(middle) < cores.min(all) { &mut low } else { &mut high } = middle;
        }
        let short: Vec<f64> =
            (0..users.len()).map(|user| (share(user, high) - held(user)).max(0.0)).collect();
        let mut excess: Vec<f64> =
            (0..users.len()).map(|user| (held(user) - share(user, high)).max(0.0)).collect();
        excess.push(cores.min(all) - (0..users.len()).map(held).sum::<f64>());
        let missing: f64 = short.iter().sum();
        if missing < 1e-6 {
            continue;
        }
        let time = between[1].since(between[0]).0 as f64;
        for (row, short) in matrix.iter_mut().zip(&short) {
            for (cell, excess) in row.iter_mut().zip(&excess) {
                *cell += short * excess / missing * time;
            }
        }
    }
    matrix
}

/// The same where executors have memory, in which each stage needs another part of it.
fn with_memory(scenario: &Scenario, memory: u64) -> Scenario {
    let mut cluster = scenario.cluster().clone();
    cluster.memory_per_executor = Some(memory);
    let mut jobs = scenario.jobs().to_vec();
    for (needed, stage) in (1..).zip(jobs.iter_mut().flat_map(|job| &mut job.stages)) {
        stage.memory = needed % (memory + 1);
    }
    scenario.to_builder().cluster(cluster).jobs(jobs).build().expect("a sound scenario")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Jobs alone need not be simulated where each stage waits for the one before; others are.
    #[test]
    fn jobs_alone_take_as_long_as_their_simulation(seed in any::<u64>(), jobs in 1..=8_u64, memory in 0..=9_u64) {
        let mut scenario = common::like_real_spark(seed, jobs);
        if memory > 0 {
            scenario = with_memory(&scenario, memory);
        }
        for policy in PolicyId::all() {
            let simulated = (0..scenario.jobs().len() as u32)
                .map(|job| simulate(&scenario.alone(JobId(job)), policy).jobs[0].response());
            let expected: Vec<Option<Span>> = simulated.collect();
            prop_assert_eq!(alone_responses(&scenario, policy), expected, "{}", policy);
        }
    }

    /// Whatever is shared, left out or done by threads: figures are the same.
    #[test]
    fn figures_do_not_depend_on_how_they_are_computed(seed in any::<u64>(), jobs in 1..=12_u64) {
        let scenario = common::like_real_spark(seed, jobs);
        let run = |policy, detail, baselines: &mut Baselines| {
            evaluate(&scenario, policy, detail, baselines, &mut |_| Control::Continue).expect("nobody asks to stop")
        };
        let (mut shared, mut threads) = (Baselines::new(1), Baselines::new(3));
        for policy in PolicyId::all() {
            let expected = run(policy, EvaluationDetail::Full, &mut Baselines::new(1));
            for baselines in [&mut shared, &mut threads] {
                let full = run(policy, EvaluationDetail::Full, baselines);
                prop_assert_eq!(&full.trace, &expected.trace);
                prop_assert_eq!((&full.alone, &full.summary), (&expected.alone, &expected.summary));
            }
            let quick = run(policy, EvaluationDetail::Responses, &mut threads).summary;
            prop_assert_eq!((&quick.ujf, &quick.blocking), (&None, &None));
            prop_assert_eq!(Summary { ujf: expected.summary.ujf.clone(),
                blocking: expected.summary.blocking.clone(), ..quick }, expected.summary);
        }
    }

    /// Against the slow way; rows add up to what users were short of; where no core may idle, nobody waits for one.
    #[test]
    fn who_waited_for_whom(seed in any::<u64>(), jobs in 1..=12_u64) {
        let scenario = Scenario::from_json(&common::adverse_scenario_of(seed, jobs)).expect("a sound file");
        for policy in PolicyId::all().filter(|&policy| checks_idling(&scenario, policy)) {
            let trace = simulate(&scenario, policy);
            let (waiting, expected) = (waiting(&scenario, &trace), waits_for(&scenario, &trace));
            let all: f64 = expected.iter().flatten().sum();
            let close = |one: f64, other: f64| (one - other).abs() <= 1e-6 * all.max(1.0);
            prop_assert!(!waiting.holders.contains(&Holder::Idle), "{}", policy);
            prop_assert!(close(waiting.core_seconds() * 1e6, all), "{}", policy);
            for (user, cells) in (0..).map(UserId).zip(&expected) {
                let row = waiting.rows.iter().find(|row| row.user == user);
                prop_assert!(close(row.map_or(0.0, |row| row.core_time), cells.iter().sum()), "{}", policy);
                for (holder, &cell) in (0..).map(|holder| Holder::User(UserId(holder))).zip(cells) {
                    let wait = row.and_then(|row| row.wait_for(holder));
                    prop_assert!(close(wait.map_or(0.0, |wait| wait.core_time), cell), "{}, {:?}", policy, holder);
                    prop_assert!(wait.is_none_or(|wait| wait.longest.length() <= row.unwrap().longest.length()));
                }
            }
            for pair in waiting.rows.windows(2) {
                prop_assert!(pair[0].core_time >= pair[1].core_time);
            }
        }
    }
}

#[test]
fn what_attempts_cost_by_hand() {
    let costs = |cluster: &str, job: &str| {
        let text = format!(
            r#"{{"format":"fairlane/scenario@1","cluster":{{"executors":2,"cores_per_executor":1{cluster}}},
                "jobs":[{{"user":"ana","arrival_s":0{job}}}]}}"#
        );
        let scenario = Scenario::from_json(&text).expect("a sound workload");
        let trace = simulate(&scenario, "fifo".parse().expect("a policy"));
        let costs = AttemptCosts::measure(&scenario, &trace);
        let held_back = held_back(&scenario, &trace).map(SlotTime::seconds);
        (costs.map(|costs| (costs.attempts, costs.wasted.seconds())), held_back)
    };
    let stages = r#","stages":[{"tasks_s":[3, 3]},{"tasks_s":[1]}]"#;
    assert_eq!(costs("", stages), (None, None));
    // Executor 0 is lost with the output of a task of 3 s, and with 0.5 s of the second stage's task. Both run again.
    let loss = r#","losses":[{"at_s":3.5,"executor":0,"back_s":0}]"#;
    assert_eq!(costs(loss, stages), (Some((5, 3.5)), None));
    // After 2 s both attempts run on for 1 s, for nothing.
    assert_eq!(costs("", &format!(r#","cancel_s":2{stages}"#)), (Some((2, 2.0)), None));
    // The second task waits for executor 0 for 2 s beside an idle core, then goes elsewhere.
    let prefers = r#","stages":[{"tasks_s":[3, 3],"prefers":[[0]]}]"#;
    assert_eq!(costs(r#","locality_wait_s":2"#, prefers), (None, Some(2.0)));
}
