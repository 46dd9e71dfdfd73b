//! The marks on a chart against slow, obvious counts on random scenarios.

use crate::common::crowds::{crowd, crowd_behind_long_tasks};
use crate::{common, slow_inversions};
use fairlane::metrics::{idle_behind, inversions, stragglers};
use fairlane::trace::CoreIndex;
use fairlane::{PolicyId, Scenario};
use proptest::prelude::*;

fn scenarios() -> impl Strategy<Value = Scenario> {
    (any::<u64>(), 1..=12_u64).prop_map(|(seed, jobs)| common::like_real_spark(seed, jobs))
}

fn policies() -> impl Strategy<Value = PolicyId> {
    prop::sample::select(PolicyId::all().collect::<Vec<_>>())
}

/// Some seconds' worth. `PROPTEST_CASES` asks for more.
fn few() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { failure_persistence: None, cases: usual.cases / 12, ..usual }
}

/// Against the walk, under all policies, and under UWFQ whatever it does with late stages.
fn check_inversions(scenario: &Scenario) -> Result<(), TestCaseError> {
    let late = ["grace", "top"].map(|late_stage| {
        let parameters = scenario.parameters().with("uwfq", "late_stage", late_stage.into());
        let scenario = scenario.to_builder().parameters(parameters.expect("a good value")).build();
        scenario.expect("a good scenario")
    });
    let uwfq: PolicyId = "uwfq".parse().expect("a policy");
    let all = PolicyId::all().map(|policy| (scenario, policy));
    for (scenario, policy) in all.chain(late.iter().map(|scenario| (scenario, uwfq))) {
        let found = inversions(scenario, policy);
        prop_assert!(
            found == slow_inversions::inversions(scenario, policy),
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
        prop_assert_eq!(inversions(&scenario, policy), slow_inversions::inversions(&scenario, policy), "{}", policy);
    }

    #[test]
    fn idle_cores_add_up(scenario in scenarios(), policy in policies()) {
        let trace = fairlane::simulate(&scenario, policy);
        let index = CoreIndex::new(&trace);
        for straggler in stragglers(&scenario, &trace) {
            let stage = (straggler.job, straggler.stage);
            let ends = trace.tasks.iter().filter(|run| (run.job, run.stage) == stage).map(|run| run.end);
            prop_assert_eq!(ends.clone().filter(|&end| end == straggler.to).count(), 1);
            prop_assert_eq!(ends.max(), Some(straggler.to));
            prop_assert!(straggler.from <= straggler.to);
            let idle = idle_behind(&scenario, &trace, &index, &straggler);
            prop_assert_eq!(idle.iter().map(|idle| idle.to.since(idle.from).0).sum::<u64>(), straggler.idle.0);
        }
    }
}

/// A job is moved to the top while its own stages hold cores, so that a key becomes smaller behind which others wait.
#[test]
fn inversions_where_a_job_on_cores_is_moved_to_the_top() {
    let scenario = Scenario::from_json(include_str!("data/late-stage-on-top.json")).expect("a sound file");
    check_inversions(&scenario).expect("the walk finds the same");
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn inversions_behind_jobs_moved_to_the_top(seed in any::<u64>(), jobs in 4..=30_u64) {
        let file = common::adverse_scenario_of(seed, jobs);
        check_inversions(&Scenario::from_json(&file).expect("the generator makes sound files"))?;
    }

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
