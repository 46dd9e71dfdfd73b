//! What figures and look-ups make of jobs that did not finish: the first job is dropped at 2.5 s, the third rejected.

use crate::scripted;
use crate::scripted::Script;
use fairlane::ids::JobId;
use fairlane::metrics::{self, Deviation, Fairness, ReferenceSchedule, ResponseGroup, Unfinished};
use fairlane::replay::ReplayPoint;
use fairlane::scenario::PartitionMode;
use fairlane::trace::{CoreLoad, LoadIndex, check};
use fairlane::units::{SlotTime, Span, Time};
use fairlane::{Scenario, Trace};

/// Two cores. Jobs: ana's of 1, 9 and `third` s at 0 s, ben's of 2 and 2 s at 0 s, cleo's of 1 s at 2 s and another at
/// 4 s.
fn scenario(third: f64) -> Scenario {
    Scenario::from_json(&format!(
        r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "cores_per_executor": 2 }}, "jobs": [
            {{ "user": "ana", "arrival_s": 0, "stages": [{{ "tasks_s": [1, 9, {third}] }}, {{ "tasks_s": [1] }}] }},
            {{ "user": "ben", "arrival_s": 0, "stages": [{{ "tasks_s": [2, 2] }}] }},
            {{ "user": "cleo", "arrival_s": 2, "stages": [{{ "tasks_s": [1] }}] }},
            {{ "user": "cleo", "arrival_s": 4, "stages": [{{ "tasks_s": [1] }}] }} ] }}"#
    ))
    .expect("a good scenario")
}

fn run(scenario: &Scenario) -> Trace {
    let trace = scripted::run(scenario, Script::DropAndReject).expect("it keeps the contract");
    assert_eq!(check(scenario, &trace), Ok(()));
    trace
}

fn seconds(seconds: f64) -> Time {
    Time((seconds * 1e6) as u64)
}

/// Core 0: ana 0-1, 1-2, ben 2-4, cleo 4-5. Core 1: ana 0-2.5, killed; ben 2.5-4.5. So ben's job takes 4.5 s and
/// cleo's second 1 s; alone they would take 2 and 1 s. The cores are busy for 9.5 s of 10 s.
#[test]
fn figures_are_those_of_the_jobs_that_finished() {
    let scenario = scenario(1.0);
    let trace = run(&scenario);
    let jobs = &trace.jobs;
    let unfinished = Unfinished::among(jobs);
    assert_eq!(unfinished, Unfinished { dropped: 1, rejected: 1, cancelled: 0 });
    assert_eq!(unfinished.words().collect::<Vec<_>>(), ["1 dropped", "1 rejected"]);
    assert_eq!((metrics::mean_response(jobs), metrics::worst_decile_mean(jobs)), (Some(2.75), Some(4.5)));
    assert_eq!(metrics::mean_response_by_user(jobs, 3), [None, Some(4.5), Some(1.0)]);
    assert_eq!(
        metrics::groups(jobs),
        [None, Some(ResponseGroup::Slowest), None, Some(ResponseGroup::Quickest)]
    );
    let alone = [None, Some(Span(2_000_000)), Some(Span(1_000_000)), Some(Span(1_000_000))];
    let slowdowns = metrics::slowdowns(jobs, &alone);
    assert_eq!(slowdowns, [None, Some(2.25), None, Some(1.0)]);
    assert_eq!(metrics::mean_slowdown(&slowdowns), Some(1.625));
    assert_eq!(metrics::mean_slowdown_by_user(jobs, &slowdowns, 3), [None, Some(2.25), Some(1.0)]);
    assert_eq!(metrics::makespan(&trace), Some(Span(5_000_000)));
    assert_eq!(metrics::utilization(&scenario, &trace), Some(0.95));
}

/// UJF. Core 0: ana 0-1, ben 1-3 and 3-5, cleo 5-6 and 6-7, ana 7-8. Core 1: ana 0-9. So r is (4.5 - 5) / 5 and
/// (5 - 7) / 3.
#[test]
fn delays_are_those_of_the_jobs_that_finished() {
    let scenario = scenario(1.0);
    let trace = run(&scenario);
    let ujf = ReferenceSchedule::practical_ujf(&scenario, PartitionMode::Default);
    assert_eq!(ujf.finishes[1..], [5e6, 6e6, 7e6]);
    let (ben, cleo) = (-0.1, -2.0 / 3.0);
    let unfairness = metrics::bounded_unfairness(&trace.jobs, &ujf).expect("jobs finished");
    assert_eq!((unfairness.job, unfairness.delay), (JobId(1), -5e5));
    let fairness = Fairness::new(&trace.jobs, 3, ujf);
    assert_eq!(fairness.delays, [None, Some(ben), None, Some(cleo)]);
    let dsr = Some((0.1 + 2.0 / 3.0) / 2.0);
    assert_eq!(fairness.overall, Deviation { dsr, slacks: 2, unrated: 2, ..Deviation::default() });
    assert_eq!(fairness.user_delays, [None, Some(ben), Some(cleo)]);
    assert_eq!(fairness.by_user[0], Deviation { unrated: 1, ..Deviation::default() });
    assert_eq!(fairness.by_group.map(|group| group.slacks + group.unrated), [1, 0, 1]);
}

/// ana's long task is the last of its stage when it is killed at 2.5 s; ben's second ends 0.5 s after the first, while
/// cleo keeps the other core busy.
#[test]
fn a_dropped_job_has_no_straggler() {
    let scenario = scenario(1.0);
    let trace = run(&scenario);
    let stragglers = metrics::stragglers(&scenario, &trace);
    let of: Vec<_> = stragglers.iter().map(|one| (one.job, one.from, one.to, one.idle)).collect();
    assert_eq!(of, [(JobId(1), seconds(4.0), seconds(4.5), SlotTime(0))]);
}

#[test]
fn nothing_finishes() {
    let scenario = scenario(1.0);
    let mut trace = run(&scenario);
    for job in &mut trace.jobs {
        job.outcome = fairlane::trace::Outcome::Rejected(job.arrival);
    }
    trace.tasks.clear();
    trace.killed.clear();
    assert_eq!((metrics::mean_response(&trace.jobs), metrics::worst_decile_mean(&trace.jobs)), (None, None));
    assert_eq!((metrics::makespan(&trace), metrics::utilization(&scenario, &trace)), (None, None));
    let fluid = ReferenceSchedule::fluid_ujf(&scenario);
    assert_eq!(metrics::bounded_unfairness(&trace.jobs, &fluid), None);
    assert_eq!(
        Fairness::new(&trace.jobs, 3, fluid).overall,
        Deviation { unrated: 4, ..Deviation::default() }
    );
}

/// Core 0: ana 0-1, 1-2.5. At 2.5 s that task ends and frees core 0 for ben's first; only then ana's job is dropped,
/// which kills her task on core 1 and frees that for ben's second.
#[test]
fn a_task_that_ends_by_itself_ends_before_those_that_are_killed_at_that_instant() {
    let scenario = scenario(1.5);
    let trace = run(&scenario);
    let mut replay = scripted::replay(&scenario, Script::DropAndReject);
    let mut queue = |task| replay.queue(&trace, ReplayPoint::Dispatch(task), 9).expect("a launch");
    let first = queue(3);
    assert_eq!((first.time, first.launches, first.free), (seconds(2.5), Some(3..4), 1));
    let waiting: Vec<_> =
        first.stages.iter().map(|stage| (stage.job, stage.pending, stage.running)).collect();
    assert_eq!(waiting, [(JobId(1), 2, 0)]);
    let second = queue(4);
    assert_eq!((second.launches, second.free), (Some(4..5), 1));
}

/// As in the first test; ana's third task waits until 1 s, ben's second from 2 s until 2.5 s.
#[test]
fn a_job_that_has_ended_waits_for_nothing() {
    let scenario = scenario(1.0);
    let trace = run(&scenario);
    let index = LoadIndex::new(&scenario, &trace);
    let loads = |at| -> Vec<(u32, u32)> {
        let loads = index.at(&trace, seconds(at));
        loads.into_iter().map(|CoreLoad { running, waiting, .. }| (running, waiting)).collect()
    };
    assert_eq!(loads(0.5), [(2, 1), (0, 2), (0, 0)]);
    assert_eq!(loads(2.0), [(1, 0), (1, 1), (0, 0)]);
    assert_eq!(loads(2.5), [(0, 0), (2, 0), (0, 0)]);
    assert_eq!(loads(4.0), [(0, 0), (1, 0), (1, 0)]);
    let mut replay = scripted::replay(&scenario, Script::DropAndReject);
    let mut waiting = |at: f64| {
        let queue = replay.queue(&trace, ReplayPoint::Instant(seconds(at)), 9).expect("an instant");
        queue.stages.iter().map(|stage| (stage.job.0, stage.pending)).collect::<Vec<_>>()
    };
    assert_eq!(waiting(0.5), [(0, 1), (1, 2)]);
    assert_eq!(waiting(2.0), [(1, 1)]);
    assert_eq!(waiting(2.5), []);
}
