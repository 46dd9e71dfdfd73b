//! Journals as bytes and as lines of a plot, on random scenarios.

mod common;

use fairlane::engine::{Control, simulate_with_journal};
use fairlane::ids::JobId;
use fairlane::policy::Group;
use fairlane::policy::explain::{Active, Value};
use fairlane::trace::{
    At, Journal, QueueIndex, RankedQueue, VirtualTimeSeries, ranked_queue, virtual_time_series,
};
use fairlane::{PolicyId, Scenario, Trace};
use proptest::prelude::*;

fn scenarios() -> impl Strategy<Value = Scenario> {
    (any::<u64>(), 1..=12_u64).prop_map(|(seed, jobs)| common::like_real_spark(seed, jobs))
}

fn policies() -> impl Strategy<Value = PolicyId> {
    prop::sample::select(PolicyId::all().collect::<Vec<_>>())
}

fn simulate(scenario: &Scenario, policy: PolicyId) -> (Trace, Journal) {
    simulate_with_journal(scenario, policy, &mut |_| Control::Continue).expect("nobody asks to stop")
}

fn every_queue(scenario: &Scenario, trace: &Trace, journal: &Journal) -> Vec<RankedQueue> {
    let index = QueueIndex::new(scenario, trace, journal);
    let ask = |task| ranked_queue(scenario, trace, journal, &index, At::Dispatch(task), usize::MAX);
    (0..trace.tasks.len()).map(ask).collect()
}

fn series(scenario: &Scenario, trace: &Trace, journal: &Journal) -> VirtualTimeSeries {
    let jobs: Vec<JobId> = (0..scenario.jobs().len() as u32).map(JobId).collect();
    virtual_time_series(scenario, trace, journal, &jobs)
}

/// The value of a line of points at an instant.
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

    /// The plot shows the very deadlines that rank the stages, and the very clock.
    #[test]
    fn lines_show_what_queues_tell(scenario in scenarios(), policy in policies()) {
        let (trace, journal) = simulate(&scenario, policy);
        let series = series(&scenario, &trace, &journal);
        prop_assert!(series.v.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1));
        for queue in every_queue(&scenario, &trace, &journal) {
            let at = queue.time.0 as f64;
            let Some(clock) = queue.clock else { continue };
            prop_assert!((read(&series.v, at) - clock.virtual_time).abs() <= 1e-9 * clock.virtual_time);
            for stage in queue.stages {
                let (Value::Work(deadline) | Value::WorkPerWeight(deadline)) = stage.key.parts[0].value else {
                    panic!("{policy} ranks by deadline")
                };
                let shown = series.deadlines.iter().any(|line| {
                    line.job == stage.job
                        && line.stage.is_none_or(|index| index == stage.stage)
                        && (line.from..=line.to).contains(&queue.time)
                        && line.deadline == deadline
                });
                prop_assert!(shown, "{deadline} of {:?} at {:?} in {:?}", stage.job, queue.time, series.deadlines);
            }
            let Active::Users(users) = clock.active else { continue };
            for user in users.iter().filter(|user| !user.jobs.is_empty()) {
                let within = |points: &[(f64, f64)]| points[0].0 <= at && points[points.len() - 1].0 >= at;
                let mut lines = series.users.iter().filter(|line| line.user == user.user && within(&line.points));
                let close = lines.any(|line| {
                    (read(&line.points, at) - user.user_time).abs() <= 1e-6 * user.end.max(1.0)
                });
                prop_assert!(close, "{user:?} at {at} in {:?}", series.users);
            }
        }
        let virtual_time = policy.kind.info().group == Group::VirtualTime;
        prop_assert_eq!(series.v.is_empty(), !virtual_time);
    }
}
