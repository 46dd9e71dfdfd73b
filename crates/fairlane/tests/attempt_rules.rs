//! That [`check`] refuses a trace that breaks a rule of attempts, rule by rule.

use fairlane::trace::{Fault, KillReason, Outcome, check};
use fairlane::units::{Span, Time};
use fairlane::{Scenario, Trace, simulate};

/// What is wrong with a sound trace of two executors of a core after some damage.
fn fault(cluster: &str, jobs: &[&str], policy: &str, damage: impl Fn(&mut Trace)) -> Fault {
    let jobs = jobs.join(",");
    let text = format!(
        r#"{{"format":"fairlane/scenario@1","cluster":{{"executors":2,"cores_per_executor":1{cluster}}},"jobs":[{jobs}]}}"#
    );
    let scenario = Scenario::from_json(&text).expect("a good scenario");
    let mut trace = simulate(&scenario, policy.parse().expect("a policy"));
    assert_eq!(check(&scenario, &trace), Ok(()), "before the damage");
    damage(&mut trace);
    check(&scenario, &trace).expect_err("a broken rule")
}

/// Ana's job at 0 with some fields.
fn ana(fields: &str) -> String {
    format!(r#"{{"user":"ana","arrival_s":0,{fields}}}"#)
}

fn seconds(seconds: f64) -> Time {
    Time((seconds * 1e6).round() as u64)
}

/// Moves an attempt, by index in the trace.
fn shift(trace: &mut Trace, index: usize, by: f64) {
    let run = &mut trace.tasks[index];
    for time in [&mut run.start, &mut run.end] {
        *time = seconds(time.seconds() + by);
    }
}

/// The second executor goes at 1 s for half a second, and its task with it.
const LOSS: &str = r#","losses":[{"at_s":1,"executor":1,"back_s":0.5}]"#;
const FOUR: &str = r#""stages":[{"tasks_s":[2,2,2,2]}]"#;

/// Executor 1 is of another profile, or takes no more tasks from 1 s on.
#[test]
fn a_task_goes_to_an_executor_that_takes_it() {
    let not_taken = |task| Fault::NotTaken { job: 0, stage: 0, task };
    let one_by_one = |trace: &mut Trace, index: usize| trace.tasks[index].core = fairlane::ids::CoreId(1);
    let job = ana(r#""stages":[{"tasks_s":[2,2]}]"#);
    let profiles = r#","resource_profiles":[0,1]"#;
    assert_eq!(fault(profiles, &[&job], "fifo", |trace| one_by_one(trace, 0)), not_taken(0));
    let excluded = r#","exclusions":[{"executor":1,"from_s":0,"for_s":3}]"#;
    assert_eq!(fault(excluded, &[&job], "fifo", |trace| one_by_one(trace, 1)), not_taken(1));
    let job = ana(r#""stages":[{"tasks_s":[2,2,2],"exclusions":[{"executor":1,"from_s":1}]}]"#);
    assert_eq!(fault("", &[&job], "fifo", |trace| one_by_one(trace, 2)), not_taken(2));
}

#[test]
fn every_killed_attempt_has_a_reason_that_holds() {
    let job = ana(FOUR);
    let no_reason = fault(LOSS, &[&job], "fifo", |trace| trace.reasons.clear());
    assert_eq!(no_reason, Fault::OtherReasons);
    let wrong = Fault::WrongReason { job: 0, stage: 0, task: 1 };
    for reason in [KillReason::Dropped, KillReason::Cancelled, KillReason::Overtaken, KillReason::Preempted] {
        assert_eq!(fault(LOSS, &[&job], "fifo", |trace| trace.reasons[0] = reason), wrong, "{reason:?}");
    }
    // Killed before the loss.
    assert_eq!(fault(LOSS, &[&job], "fifo", |trace| trace.tasks[1].end = seconds(0.5)), wrong);
}

#[test]
fn a_task_has_another_attempt_only_if_it_returned() {
    let job = ana(FOUR);
    let again = fault(LOSS, &[&job], "fifo", |trace| {
        // The first task ran to its end.
        let last = trace.tasks.len() - 1;
        trace.tasks[last].task = 0;
    });
    assert!(matches!(again, Fault::NotATask { .. } | Fault::Missing { .. }), "{again}");
    let cancelled = ana(&format!(r#""cancel_s":100,{FOUR}"#));
    let twice = fault("", &[&cancelled], "fifo", |trace| {
        trace.tasks.push(trace.tasks[3]);
        shift(trace, 4, 2.0);
    });
    assert_eq!(twice, Fault::NotATask { job: 0, stage: 0, task: 3 });
}

#[test]
fn executors_are_lost_with_what_runs_there() {
    let job = ana(FOUR);
    let stays = fault(LOSS, &[&job], "fifo", |trace| {
        let stay = trace.executors.iter_mut().find(|stay| stay.executor == 1).expect("it was there");
        stay.to = seconds(1.2);
    });
    assert_eq!(stays, Fault::NotLost { executor: 1, at: seconds(1.0) });
    let survives = fault(LOSS, &[&job], "fifo", |trace| {
        trace.killed.clear();
        trace.reasons.clear();
        trace.tasks[1].end = seconds(2.0);
    });
    assert_eq!(survives, Fault::NoSuchExecutor { executor: 1, at: Time::ZERO });
}

#[test]
fn what_returned_goes_first() {
    let swapped = fault(LOSS, &[&ana(FOUR)], "fifo", |trace| {
        assert_eq!([trace.tasks[2].task, trace.tasks[3].task], [1, 2]);
        (trace.tasks[2].task, trace.tasks[3].task) = (2, 1);
    });
    assert_eq!(swapped, Fault::OutOfTurn { job: 0, stage: 0, task: 2 });
}

/// Executor 0 goes with the output of a task of 3 s while the second stage runs there.
#[test]
fn a_stage_waits_for_outputs_that_are_lost() {
    let loss = r#","losses":[{"at_s":3.5,"executor":0,"back_s":0}]"#;
    let early = fault(loss, &[&ana(r#""stages":[{"tasks_s":[3,3]},{"tasks_s":[1]}]"#)], "fifo", |trace| {
        shift(trace, 4, -2.0);
    });
    assert_eq!(early, Fault::TooEarly { job: 0, stage: 1 });
}

/// Executor 1 takes ten times as long. The second task has a copy at 3.1 s, which overtakes it at 4.1 s.
#[test]
fn a_second_attempt_follows_a_slow_one_and_overtakes_it() {
    let slow = r#","speeds":[1,0.1],"speculation":{"quantile":0.5}"#;
    let job = ana(r#""stages":[{"tasks_s":[1,1]}]"#);
    let early = fault(slow, &[&job], "fifo", |trace| {
        shift(trace, 2, -1.0);
        trace.tasks[1].end = seconds(3.1);
        trace.jobs[0].outcome = Outcome::Finished(seconds(3.1));
    });
    assert_eq!(early, Fault::NotSlow { job: 0, stage: 0, task: 1 });
    let goes_on = fault(slow, &[&job], "fifo", |trace| {
        trace.killed.clear();
        trace.reasons.clear();
        trace.tasks[1].end = seconds(10.0);
    });
    assert_eq!(goes_on, Fault::NotOvertaken { job: 0, stage: 0, task: 1 });
}

#[test]
fn the_tasks_of_a_barrier_stage_run_together() {
    let job = ana(r#""stages":[{"tasks_s":[3,3],"barrier":true}]"#);
    let apart = fault("", &[&job], "fifo", |trace| {
        shift(trace, 1, 1.0);
        trace.jobs[0].outcome = Outcome::Finished(seconds(4.0));
    });
    assert_eq!(apart, Fault::NotTogether { job: 0, stage: 0 });
    // The loss ends both attempts at 1 s.
    let goes_on = fault(LOSS, &[&job], "fifo", |trace| {
        assert_eq!(trace.killed, [0, 1]);
        trace.tasks[0].end = seconds(1.2);
    });
    assert!(matches!(goes_on, Fault::NotTogether { .. } | Fault::WrongReason { .. }), "{goes_on}");
}

#[test]
fn a_task_waits_for_executors_that_it_prefers() {
    let job = ana(r#""stages":[{"tasks_s":[5,5],"prefers":[[0]]}]"#);
    let early = fault("", &[&job], "fifo", |trace| {
        shift(trace, 1, -1.0);
        trace.jobs[0].outcome = Outcome::Finished(seconds(7.0));
    });
    assert_eq!(early, Fault::NotPreferred { job: 0, stage: 0, task: 1 });
}

#[test]
fn jobs_are_cancelled_in_time_and_their_attempts_with_them() {
    let three = r#""stages":[{"tasks_s":[1,3,3]}]"#;
    let holds = ana(&format!(r#""cancel_s":2,{three}"#));
    let wrong = Fault::WrongCancellation { job: 0 };
    let late = |trace: &mut Trace| trace.jobs[0].outcome = Outcome::Cancelled(seconds(2.5));
    assert_eq!(fault("", &[&holds], "fifo", late), wrong);
    let in_time = ana(&format!(r#""cancel_s":20,{three}"#));
    let never = |trace: &mut Trace| trace.jobs[0].outcome = Outcome::Cancelled(trace.jobs[0].end());
    assert_eq!(fault("", &[&in_time], "fifo", never), wrong);
    let too_late = ana(&format!(r#""cancel_s":4,{three}"#));
    let finished =
        |trace: &mut Trace| trace.jobs[0].outcome = Outcome::Finished(trace.jobs[0].end() + Span(1));
    assert_eq!(fault("", &[&too_late], "fifo", finished), wrong);
    // Nothing is launched after the cancellation, and with `interrupt` nothing goes on.
    let launched = fault("", &[&holds], "fifo", |trace| shift(trace, 2, 1.5));
    assert_eq!(launched, Fault::WrongFinish { job: 0 });
    let interrupted = ana(&format!(r#""cancel_s":2,"interrupt":true,{three}"#));
    let goes_on = fault("", &[&interrupted], "fifo", |trace| {
        trace.killed.pop();
        trace.reasons.pop();
        trace.tasks[2].end = seconds(4.0);
    });
    assert_eq!(goes_on, Fault::WrongFinish { job: 0 });
}

/// Ana's two long tasks are preempted once for ben, after 30 s, and ben's task follows at once.
#[test]
fn attempts_are_preempted_at_a_look_and_for_somebody_else() {
    let long = ana(r#""stages":[{"tasks_s":[90,90]}]"#);
    let ben = r#"{"user":"ben","arrival_s":1,"stages":[{"tasks_s":[1]}]}"#;
    let wrong = Fault::WrongReason { job: 0, stage: 0, task: 1 };
    for early in [1e-6, 5.0] {
        let early = fault(r#","preemption":{}"#, &[&long, ben], "ujf", |trace| {
            let run = &mut trace.tasks[1];
            run.end = seconds(run.end.seconds() - early);
        });
        assert_eq!(early, wrong);
    }
}

/// What is said of fields that are wrong.
#[test]
fn faults_of_attempts_name_the_place_and_the_remedy() {
    let file = |cluster: &str, job: &str, stage: &str| {
        format!(
            r#"{{"format":"fairlane/scenario@1","cluster":{{"executors":2,"cores_per_executor":2{cluster}}},
                "jobs":[{{"user":"ana","arrival_s":0{job},"stages":[{{"tasks_s":[1,1,1]{stage}}}]}}]}}"#
        )
    };
    let cluster = |cluster: &str| file(cluster, "", "");
    let stage = |stage: &str| file("", "", stage);
    let barrier = |with: &str| file(with, "", r#","barrier":true"#);
    let faults = [
        cluster(r#","speeds":[1]"#),
        cluster(r#","speeds":[1,0]"#),
        cluster(r#","speeds":[1,-2]"#),
        cluster(r#","locality_wait_s":-1"#),
        cluster(r#","losses":[{"at_s":1,"executor":2}]"#),
        cluster(r#","losses":[{"executor":0}]"#),
        cluster(r#","losses":[{"at_s":9e9,"executor":0,"back_s":9e9}]"#),
        cluster(r#","losses":[{"at_s":1,"executor":0},{"at_s":2,"executor":1}]"#),
        cluster(r#","dynamic_allocation":{},"losses":[{"at_s":1,"executor":0,"back_s":1}]"#),
        cluster(r#","speculation":{"quantile":1.5}"#),
        cluster(r#","speculation":{"multiplier":-1}"#),
        cluster(r#","speculation":{"interval_s":1e-7}"#),
        cluster(r#","speculation":{"median":1}"#),
        cluster(r#","preemption":{"threshold":0}"#),
        cluster(r#","preemption":{"threshold":1.1}"#),
        cluster(r#","preemption":{"interval_s":0}"#),
        cluster(r#","executors_belong":"jobs","preemption":{}"#),
        cluster(r#","dynamic_allocation":{"shuffle_tracking":1}"#),
        file("", r#","interrupt":true"#, ""),
        file("", r#","cancel_s":-1"#, ""),
        file("", r#","cancel_s":9007199255"#, ""),
        stage(r#","prefers":[[0],[2]]"#),
        stage(r#","prefers":[[1,1]]"#),
        stage(r#","prefers":[0]"#),
        stage(r#","away":0"#),
        stage(r#","pool":"etl"},{"work_s":1,"pool":"bi""#),
        stage(r#","barrier":true,"splittable":true"#),
        stage(r#","barrier":true,"partitions":5"#),
        barrier(r#","dynamic_allocation":{}"#),
        barrier(r#","executors_belong":"jobs""#),
        barrier(r#","executors_at":[[0,2],[1,1]]"#),
        barrier(r#","losses":[{"at_s":1,"executor":1}]"#),
        file(r#","memory_mb_per_executor":100"#, "", r#","barrier":true,"memory_mb":60"#),
        cluster(r#","resource_profiles":[1]"#),
        cluster(r#","resource_profiles":[0,-1]"#),
        cluster(r#","resource_profiles":[1,1]"#),
        cluster(r#","dynamic_allocation":{},"resource_profiles":[0,0]"#),
        cluster(r#","executors_belong":"jobs","resource_profiles":[0,0]"#),
        cluster(r#","exclusions":[{"executor":2,"from_s":0}]"#),
        cluster(r#","exclusions":[{"executor":0}]"#),
        cluster(r#","exclusions":[{"executor":0,"from_s":9e9,"for_s":9e9}]"#),
        cluster(r#","exclusions":[{"executor":0,"from_s":1},{"executor":1,"from_s":2}]"#),
        cluster(r#","dynamic_allocation":{},"exclusions":[{"executor":0,"from_s":1,"for_s":1}]"#),
        stage(r#","resource_profile":1"#),
        stage(r#","exclusions":[{"executor":2,"from_s":0}]"#),
        stage(r#","exclusions":[{"executor":0,"from_s":-1}]"#),
        stage(r#","exclusions":[{"executor":0,"from_s":1},{"executor":1,"from_s":2}]"#),
        file(r#","executors_belong":"jobs""#, "", r#","exclusions":[{"executor":0,"from_s":1}]"#),
        file(r#","dynamic_allocation":{}"#, "", r#","exclusions":[{"executor":0,"from_s":1}]"#),
        file(
            r#","resource_profiles":[0,1],"executors_at":[[0,2],[5,1]]"#,
            "",
            r#"},{"work_s":1,"resource_profile":1"#,
        ),
        file(r#","resource_profiles":[0,1]"#, "", r#","barrier":true"#),
        barrier("").replace(
            r#""cluster""#,
            r#""policies":{"spark":{"pools":[{"name":"default","max_share":2}]}},"cluster""#,
        ),
    ];
    let error = |text: &String| Scenario::from_json(text).expect_err("the text is faulty").to_string();
    let errors: Vec<String> = faults.iter().map(error).collect();
    insta::assert_snapshot!(errors.join("\n"));
}
