//! The quick ways against the slow ones: every policy's ready queue against asking for every key, and UWFQ against the
//! paper's walk over all users and jobs, on random and on designed scenarios in which ties abound.

use crate::common;
use crate::common::by_key::ByKey;
use crate::common::crowds::crowd;
use fairlane::engine::{Engine, simulate_policy};
use fairlane::policy::uwfq::UwfqReference;
use fairlane::policy::{Idling, Policy, PolicyKind, PolicyVisitor};
use fairlane::scenario::PartitionMode;
use fairlane::{PolicyId, Scenario, Trace, simulate};
use proptest::prelude::*;

/// Simulates by asking for every key in every offer round.
struct Slowly<'a>(&'a Scenario, PartitionMode);

impl PolicyVisitor for Slowly<'_> {
    type Output = Trace;

    fn visit<P: Policy + Clone + 'static>(self) -> Trace {
        let mut engine = Engine::<ByKey<P>>::new(self.0, self.1);
        while engine.step() {}
        engine.into_trace().expect("a queue only makes it faster")
    }
}

/// Whether the keys alone decide: not where a freed core stays with its job, or a job is capped.
fn goes_by_key(kind: PolicyKind) -> bool {
    let keeps_cores = matches!(kind, PolicyKind::Wfair | PolicyKind::Graphene);
    !keeps_cores && kind.info().idling == Idling::Never
}

fn check(scenario: &Scenario) {
    for id in PolicyId::all().filter(|id| goes_by_key(id.kind)) {
        let quick = simulate(scenario, id);
        let slow = id.kind.visit(Slowly(scenario, id.partitioning)).expect("a registered policy");
        assert!(quick == slow, "{id} decides otherwise in {}", scenario.to_json());
        if id.kind == PolicyKind::Uwfq {
            let literal =
                simulate_policy::<UwfqReference>(scenario, id.partitioning).expect("it keeps the contract");
            assert!(quick == literal, "{id} decides otherwise than the paper in {}", scenario.to_json());
        }
    }
}

fn config() -> ProptestConfig {
    // A failure prints its scenario. `PROPTEST_CASES` asks for more.
    let usual = ProptestConfig::default();
    ProptestConfig { failure_persistence: None, cases: usual.cases / 12, ..usual }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn small_scenarios_of_every_kind((seed, jobs) in (any::<u64>(), 1..=60_u64)) {
        check(&common::like_real_spark(seed, jobs));
    }

    #[test]
    fn crowds(seed in any::<u64>()) {
        check(&crowd(seed, 40, 120));
    }

    #[test]
    fn few_users_with_many_jobs(seed in any::<u64>()) {
        check(&crowd(seed, 3, 120));
    }
}

/// Everybody the same: each user submits the same jobs at the same instants, so that all deadlines of one kind are
/// equal and every user's Vu meets the same deadlines at once.
#[test]
fn all_ties() {
    for (users, jobs, every) in [(30, 4, 0), (30, 4, 1), (7, 20, 2), (2, 60, 3)] {
        let mut list = Vec::new();
        for job in 0..jobs {
            for user in 0..users {
                list.push(format!(
                    r#"{{"user":"u{user}","arrival_s":{},"stages":[{{"tasks_s":[1,1]}},{{"tasks_s":[1]}}]}}"#,
                    f64::from(job * every) * 0.1
                ));
            }
        }
        let jobs = list.join(",");
        for late in ["grace", "top"] {
            let text = format!(
                r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":3,"uwfq_late_stage":"{late}","uwfq_grace_s":0}},"jobs":[{jobs}]}}"#
            );
            check(&Scenario::from_json(&text).expect("a sound scenario"));
        }
    }
}

/// Seeds of [`crowd()`] (for most users of 40 and of 3) in which only the last bits of the paper's sums say which of
/// two jobs goes first, or whether a stage is late: a quick way that did not make up for them gives other schedules
/// here, as was tried.
#[test]
fn rounding_that_decides() {
    for seed in [181, 621, 678, 987, 1011, 1038, 1419, 1553, 1596, 1611, 1775, 2129, 2135] {
        check(&crowd(seed, 40, 200));
    }
    for seed in [16, 124, 313, 358, 816, 874, 1564, 1972, 2334, 2445, 2814, 3095] {
        check(&crowd(seed, 3, 200));
    }
}
