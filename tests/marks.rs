//! The marks on a chart against slow, obvious counts on random scenarios.
#![cfg(not(target_arch = "wasm32"))]

mod common;
#[path = "common/inversions.rs"]
mod walk;

use std::collections::BTreeSet;

use common::crowds::{crowd, crowd_behind_long_tasks};
use fairlane::engine::{Control, simulate_with_journal};
use fairlane::metrics::{Inversion, idle_behind, inversions, stragglers};
use fairlane::policy::LateStage;
use fairlane::policy::notes::Past;
use fairlane::policy::parameters::uwfq_late_stage;
use fairlane::policy::{Candidate, Context, Explained, PolicyKind, cfq, fifo, uwfq};
use fairlane::trace::{CoreIndex, Journal, What};
use fairlane::units::Time;
use fairlane::{PolicyId, Scenario, Trace};
use proptest::prelude::*;

fn scenarios() -> impl Strategy<Value = Scenario> {
    (any::<u64>(), 1..=12_u64).prop_map(|(seed, jobs)| common::like_real_spark(seed, jobs))
}

fn policies() -> impl Strategy<Value = PolicyId> {
    prop::sample::select(PolicyId::all().collect::<Vec<_>>())
}

/// Compares, instant by instant, every pending stage with every run.
fn slowly<P: Explained>(scenario: &Scenario, trace: &Trace, journal: &Journal) -> Vec<Vec<Inversion>> {
    let stages = scenario.stages_by_id();
    let ranks = scenario.ranks();
    let mut submitted: Vec<(Time, usize)> = Vec::new();
    for heard in &journal.heard {
        if let What::Submission(id) = heard.what {
            submitted.push((heard.at, (id.0 - scenario.cluster().first_stage_id) as usize));
        }
    }
    let mut instants: BTreeSet<Time> = trace.tasks.iter().flat_map(|run| [run.start, run.end]).collect();
    instants.extend(journal.heard.iter().map(|heard| heard.at));
    let instants: Vec<Time> = instants.into_iter().collect();
    let mut found: Vec<Vec<Inversion>> = vec![Vec::new(); scenario.jobs().len()];
    for step in instants.windows(2) {
        let (at, to) = (step[0], step[1]);
        let heard = journal.heard.iter().filter(|heard| heard.at <= at).count() as u32;
        let past = Past { notes: &journal.notes, heard, at: at.0 as f64 };
        let policy = P::recall(Context::new(scenario), &past);
        let key = |place: usize| {
            let (job, _) = stages[place];
            let submission =
                submitted.iter().position(|&(_, other)| other == place).expect("submitted") as u32;
            policy.key(&Candidate {
                rank: ranks[job.index()],
                user: scenario.jobs()[job.index()].user,
                id: fairlane::ids::StageId(scenario.cluster().first_stage_id + place as u64),
                submission,
                running: 0,
                user_running: 0,
                tie: place as u64,
            })
        };
        let place_of = |job, stage| stages.iter().position(|&other| other == (job, stage)).expect("a stage");
        let running: Vec<(usize, u32)> = trace
            .tasks
            .iter()
            .zip(0..)
            .filter(|(run, _)| run.start <= at && at < run.end)
            .map(|(run, number)| (place_of(run.job, run.stage), number))
            .collect();
        let mut holders: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); scenario.jobs().len()];
        for &(_, place) in submitted.iter().filter(|&&(when, _)| when <= at) {
            let (job, stage) = stages[place];
            let pending =
                trace.tasks.iter().any(|run| (run.job, run.stage) == (job, stage) && run.start > at);
            let larger = running.iter().filter(|&&(other, _)| pending && key(other) > key(place));
            holders[job.index()].extend(larger.map(|&(_, number)| number));
        }
        for (job, holders) in holders.into_iter().enumerate().filter(|(_, holders)| !holders.is_empty()) {
            match found[job].last_mut() {
                Some(last) if last.to == at => {
                    last.to = to;
                    last.holders.extend(holders);
                    last.holders.sort_unstable();
                    last.holders.dedup();
                }
                _ => found[job].push(Inversion { from: at, to, holders: holders.into_iter().collect() }),
            }
        }
    }
    found
}

/// Some seconds' worth. `PROPTEST_CASES` asks for more.
fn few() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { failure_persistence: None, cases: usual.cases / 12, ..usual }
}

/// Against the walk, under all policies.
fn check_inversions(scenario: &Scenario) -> Result<(), TestCaseError> {
    let parameters = scenario.parameters().with("uwfq", "late_stage", "released".into());
    let released = scenario.to_builder().parameters(parameters.expect("a good value")).build();
    let released = released.expect("a good scenario");
    for (scenario, policy) in PolicyId::all()
        .map(|policy| (scenario, policy))
        .chain([(&released, "uwfq".parse().expect("a policy"))])
    {
        let (trace, journal) =
            simulate_with_journal(scenario, policy, &mut |_| Control::Continue).expect("nobody asks to stop");
        let found = inversions(scenario, &trace, &journal);
        prop_assert!(
            found == walk::inversions(scenario, &trace, &journal),
            "{policy}: {}",
            scenario.to_json()
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn inversions_are_those_of_every_pair(scenario in scenarios(), policy in policies()) {
        let (trace, journal) =
            simulate_with_journal(&scenario, policy, &mut |_| Control::Continue).expect("nobody asks to stop");
        let expected = match policy.kind {
            PolicyKind::Fifo => Some(slowly::<fifo::Fifo>(&scenario, &trace, &journal)),
            PolicyKind::Cfq => Some(slowly::<cfq::Cfq>(&scenario, &trace, &journal)),
            PolicyKind::Uwfq if uwfq_late_stage(scenario.parameters()) == LateStage::Released => {
                Some(slowly::<uwfq::Released>(&scenario, &trace, &journal))
            }
            PolicyKind::Uwfq => Some(slowly::<uwfq::Literal>(&scenario, &trace, &journal)),
            PolicyKind::Fair | PolicyKind::Ujf => None,
        };
        prop_assert_eq!(inversions(&scenario, &trace, &journal), expected, "{}", policy);
    }

    #[test]
    fn idle_cores_add_up(scenario in scenarios(), policy in policies()) {
        let trace = fairlane::simulate(&scenario, policy);
        let index = CoreIndex::new(&trace);
        for straggler in stragglers(&trace) {
            let stage = (straggler.job, straggler.stage);
            let ends = trace.tasks.iter().filter(|run| (run.job, run.stage) == stage).map(|run| run.end);
            prop_assert_eq!(ends.clone().filter(|&end| end == straggler.to).count(), 1);
            prop_assert_eq!(ends.max(), Some(straggler.to));
            prop_assert!(straggler.from <= straggler.to);
            let idle = idle_behind(&trace, &index, &straggler);
            prop_assert_eq!(idle.iter().map(|idle| idle.to.since(idle.from).0).sum::<u64>(), straggler.idle.0);
        }
    }
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn inversions_among_many_users_with_few_jobs(seed in any::<u64>()) {
        check_inversions(&crowd(seed, 40, 120))?;
    }

    #[test]
    fn inversions_among_few_users_with_many_jobs(seed in any::<u64>()) {
        check_inversions(&crowd(seed, 3, 200))?;
    }

    #[test]
    fn inversions_behind_long_tasks(seed in any::<u64>()) {
        check_inversions(&crowd_behind_long_tasks(seed, 12, 150))?;
    }
}
