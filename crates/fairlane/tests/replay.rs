//! Replays against the schedules that they explain, on random scenarios.

use crate::common;
use fairlane::ids::JobId;
use fairlane::policy::explain::{KeyComponent, Value};
use fairlane::policy::{Idling, KeyOrder, PolicyGroup, PolicyId, PolicyKind};
use fairlane::replay::{RankedQueue, Replay, ReplayPoint, WaitingStage};
use fairlane::trace::{LoadIndex, TaskRun};
use fairlane::units::Time;
use fairlane::{Scenario, Trace, simulate};
use proptest::prelude::*;

fn scenarios() -> impl Strategy<Value = Scenario> {
    (any::<u64>(), 1..=12_u64).prop_map(|(seed, jobs)| common::like_real_spark(seed, jobs))
}

fn policies() -> impl Strategy<Value = PolicyId> {
    prop::sample::select(PolicyId::all().collect::<Vec<_>>())
}

fn without_memory(scenario: &Scenario) -> Scenario {
    let mut cluster = scenario.cluster().clone();
    cluster.memory_per_executor = None;
    scenario.to_builder().cluster(cluster).build().expect("a sound scenario")
}

fn replay(scenario: &Scenario, policy: PolicyId) -> Replay {
    Replay::new(scenario, policy).expect("a registered policy")
}

fn at_launch(replay: &mut Replay, trace: &Trace, task: usize) -> RankedQueue {
    replay.queue(trace, ReplayPoint::Dispatch(task), usize::MAX).expect("a launch of the trace")
}

/// Whether the first stage of the queue is launched: a freed core may stay with its job.
fn first_goes(kind: PolicyKind) -> bool {
    !matches!(kind, PolicyKind::Wfair | PolicyKind::Graphene)
}

/// The round launches what its queue says.
fn check_launches(trace: &Trace, queue: &RankedQueue, id: PolicyId) {
    let round = queue.launches.clone().expect("a decision");
    let runs = &trace.tasks[round.start as usize..round.end as usize];
    let launches: u32 = queue.stages.iter().map(|stage| stage.launches).sum();
    assert_eq!(launches as usize, runs.len(), "{id}: all launches are of waiting stages");
    assert!(runs.iter().all(|run| run.start == queue.time), "{id}");
    if id.kind.info().order == KeyOrder::EachRound {
        let in_order = queue
            .stages
            .iter()
            .flat_map(|stage| std::iter::repeat_n((stage.job, stage.stage), stage.launches as usize));
        assert!(in_order.eq(runs.iter().map(|run| (run.job, run.stage))), "{id}: in the order of the queue");
    } else if first_goes(id.kind) {
        let first = &queue.stages[0];
        assert_eq!((runs[0].job, runs[0].stage), (first.job, first.stage), "{id}: {}", queue.reason);
    }
}

/// CFQ and UWFQ: the facts add up to the deadline, bit by bit.
fn check_facts(stage: &WaitingStage, id: PolicyId) {
    let (key, facts) = (&stage.key, &stage.facts);
    let fact = |name: &str| {
        let fact = facts.parts.iter().find(|fact| fact.name == name);
        fact.map(|KeyComponent { value, .. }| match *value {
            Value::Work(micros) | Value::WorkPerWeight(micros) => micros,
            Value::Weight(weight) => weight.value(),
            ref other => panic!("{other} is not a number"),
        })
    };
    let sum = match id.kind {
        PolicyKind::Cfq => fact("V at submission").zip(fact("estimated work")).map(|(v, work)| v + work),
        PolicyKind::Uwfq => fact("V at the user's entry (Va)").and_then(|va| {
            let work = fact("work served since")? + fact("work of those")? + fact("its estimated work")?;
            Some(va + work / fact("weight")?)
        }),
        _ => return,
    };
    let (Value::Work(deadline) | Value::WorkPerWeight(deadline)) = key.parts()[0].value else {
        panic!("{id} orders by deadline")
    };
    assert!(sum.is_none_or(|sum| sum == deadline), "{id}: {sum:?} is not {deadline}");
    assert!(sum.is_some() || facts.remark.is_some(), "{id}: facts or a remark");
}

/// V between the points of a series.
fn read(points: &[(f64, f64)], at: f64) -> f64 {
    let after = points.partition_point(|point| point.0 <= at);
    match (points[..after].last(), points.get(after)) {
        (Some(last), Some(next)) => last.1 + (next.1 - last.1) * (at - last.0) / (next.0 - last.0),
        (Some(last), None) => last.1,
        (None, _) => 0.0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_round_launches_what_its_queue_says(scenario in scenarios(), id in policies()) {
        let scenario = without_memory(&scenario);
        let (trace, mut replay) = (simulate(&scenario, id), replay(&scenario, id));
        for task in 0..trace.tasks.len() {
            let queue = at_launch(&mut replay, &trace, task);
            let chosen = &queue.stages[queue.chosen.expect("it was launched")];
            prop_assert_eq!((chosen.job, chosen.stage), (trace.tasks[task].job, trace.tasks[task].stage));
            prop_assert!(queue.launches.as_ref().is_some_and(|round| round.contains(&(task as u32))));
            for pair in queue.stages.windows(2) {
                let [first, second] = [&pair[0].key, &pair[1].key];
                let part = first.decided_by(second).expect("keys differ");
                let order = first.parts()[part].value.compare(&second.parts()[part].value);
                prop_assert!(order.is_lt(), "{}: what is shown orders the stages", id);
            }
            queue.stages.iter().for_each(|stage| check_facts(stage, id));
            check_launches(&trace, &queue, id);
        }
    }

    /// Where memory decides the first may not fit, except under Tetris.
    #[test]
    fn the_best_score_is_launched((seed, jobs) in (any::<u64>(), 1..=12_u64)) {
        let scenario = Scenario::from_json(&common::costly_scenario_of(seed, jobs)).expect("a sound file");
        for id in ["tetris", "tetris-p"].map(|id| id.parse::<PolicyId>().expect("a policy")) {
            let (trace, mut replay) = (simulate(&scenario, id), replay(&scenario, id));
            for task in 0..trace.tasks.len() {
                check_launches(&trace, &at_launch(&mut replay, &trace, task), id);
            }
        }
    }

    /// Forwards, backwards and by checkpoints, a moment is the same.
    #[test]
    fn jumps_lead_to_the_same_moments(
        scenario in scenarios(),
        id in policies(),
        jumps in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>()), 1..30),
    ) {
        let (trace, mut jumping) = (simulate(&scenario, id), replay(&scenario, id));
        prop_assume!(!trace.tasks.is_empty());
        for (is_launch, index) in jumps {
            let task = index.index(trace.tasks.len());
            let at = match is_launch {
                true => ReplayPoint::Dispatch(task),
                false => ReplayPoint::Instant(trace.tasks[task].end),
            };
            prop_assert_eq!(jumping.queue(&trace, at, 9), replay(&scenario, id).queue(&trace, at, 9), "{:?}", at);
        }
    }

    /// The plot shows the very deadlines that rank the stages, and the very clock.
    #[test]
    fn the_plot_of_virtual_time_shows_what_ranks_stages(scenario in scenarios(), id in policies()) {
        let (trace, mut replay) = (simulate(&scenario, id), replay(&scenario, id));
        let jobs: Vec<JobId> = (0..scenario.jobs().len() as u32).map(JobId).collect();
        let series = replay.virtual_time(&jobs);
        prop_assert!(series.v.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1));
        prop_assert_eq!(series.v.is_empty(), id.kind.info().group != PolicyGroup::VirtualTime);
        for task in 0..trace.tasks.len() {
            let queue = at_launch(&mut replay, &trace, task);
            let Some(clock) = &queue.clock else { continue };
            let v = read(&series.v, queue.time.0 as f64);
            // Of several virtual finishes within a microsecond the plot has one: V grows by at most all cores' work
            // of it.
            let tolerance = 2.0 * f64::from(trace.cores) / 0.01 + 1e-9 * clock.virtual_time;
            // The released class may move V several times at an instant, of which the plot has the last.
            let is_close = (v - clock.virtual_time).abs() <= tolerance;
            prop_assert!(is_close || id.kind == PolicyKind::UwfqReleased, "{} {:?}", v, clock);
            for stage in &queue.stages {
                let (Value::Work(deadline) | Value::WorkPerWeight(deadline)) = stage.key.parts()[0].value else {
                    panic!("{id} ranks by deadline")
                };
                let shown = series.deadlines.iter().any(|span| {
                    span.job == stage.job
                        && span.stage.is_none_or(|index| index == stage.stage)
                        && (span.from..=span.to).contains(&queue.time)
                        && span.deadline == deadline
                });
                prop_assert!(shown, "{} of {:?} at {:?} in {:?}", deadline, stage.job, queue.time, series.deadlines);
            }
        }
    }
}

#[test]
fn instants_and_the_end() {
    let scenario = Scenario::from_json(&common::random_scenario_of(3, 12)).expect("a sound file");
    for id in PolicyId::all() {
        let (trace, mut replay) = (simulate(&scenario, id), replay(&scenario, id));
        let loads = LoadIndex::new(&scenario, &trace);
        let mut ask = |at| replay.queue(&trace, ReplayPoint::Instant(at), 3).expect("an instant");
        for run in &trace.tasks {
            let queue = ask(run.start);
            let idles = id.kind.info().idling == Idling::OnPurpose;
            assert!(queue.free == 0 || queue.waiting == 0 || idles, "{id}");
            assert!(queue.stages.len() <= 3);
            let waiting: u32 = loads.at(&trace, run.start).iter().map(|load| load.waiting).sum();
            assert_eq!(waiting == 0, queue.waiting == 0, "{id}");
        }
        let end = ask(trace.end());
        assert_eq!((end.waiting, end.reason.as_str()), (0, "No stage waits."), "{id}");
    }
}

/// What a stage waits for besides its turn: executors that it prefers or may use, or cores for all its tasks at once.
#[test]
fn a_reason_says_which_place_a_stage_waits_for() {
    let reason = |cluster: &str, jobs: &[&str], point: fn(&Trace) -> ReplayPoint| {
        let text = format!(
            r#"{{"format":"fairlane/scenario@1","cluster":{{{cluster}}},"jobs":[{}]}}"#,
            jobs.join(",")
        );
        let scenario = Scenario::from_json(&text).expect("a good scenario");
        let fifo = "fifo".parse().expect("a policy");
        let trace = simulate(&scenario, fifo);
        replay(&scenario, fifo).queue(&trace, point(&trace), 5).expect("there is such a point").reason
    };
    let at_one = |_: &Trace| ReplayPoint::Instant(Time(1_000_000));

    let prefers =
        r#"{"user":"ana","name":"scan","arrival_s":0,"stages":[{"tasks_s":[5,5],"prefers":[[0]]}]}"#;
    assert_eq!(
        reason(r#""executors":2,"cores_per_executor":1"#, &[prefers], at_one),
        "scan is the only stage that waits, and it waits for its executor until 3.000 s."
    );

    let scan = r#"{"user":"ana","name":"scan","arrival_s":0,"stages":[{"tasks_s":[5,5]}]}"#;
    assert_eq!(
        reason(r#""executors":2,"cores_per_executor":1,"resource_profiles":[0,1]"#, &[scan], at_one),
        "scan is the only stage that waits, and it waits for an executor that takes its tasks."
    );

    let etl = r#"{"user":"ana","name":"etl","arrival_s":0,"stages":[{"tasks_s":[4]}]}"#;
    let train =
        r#"{"user":"ben","name":"train","arrival_s":0,"stages":[{"tasks_s":[1,1,1,1],"barrier":true}]}"#;
    let lookup = r#"{"user":"cleo","name":"lookup","arrival_s":1,"stages":[{"tasks_s":[1]}]}"#;
    let four = r#""executors":1,"cores_per_executor":4"#;
    assert_eq!(
        reason(four, &[etl, train], at_one),
        "train is the only stage that waits, and it waits until 4 cores are free together."
    );
    let next = reason(four, &[etl, train, lookup], |trace| {
        let is_it = |run: &TaskRun| run.job == JobId(2);
        ReplayPoint::Dispatch(trace.tasks.iter().position(is_it).expect("it ran"))
    });
    assert!(next.ends_with(" train waits until 4 cores are free together, so lookup was next."), "{next}");
}
