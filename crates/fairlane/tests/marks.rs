//! The marks on a chart against slow, obvious counts on random scenarios.

mod common;
#[path = "common/inversions.rs"]
mod walk;

use std::collections::BTreeSet;

use common::crowds::{crowd, crowd_behind_long_tasks};
use fairlane::engine::{Control, simulate_with_journal};
use fairlane::ids::Rank;
use fairlane::metrics::{Inversion, idle_behind, inversions, stragglers};
use fairlane::policy::explain::Explainer;
use fairlane::policy::log::{EventKind, JobHistory, Snapshot};
use fairlane::policy::{Candidate, Context, KeyBasis, RankedPolicy, RankedVisitor};
use fairlane::trace::{CoreIndex, Journal};
use fairlane::units::Time;
use fairlane::{PolicyId, Scenario, Trace};
use proptest::prelude::*;

fn scenarios() -> impl Strategy<Value = Scenario> {
    (any::<u64>(), 1..=12_u64).prop_map(|(seed, jobs)| common::like_real_spark(seed, jobs))
}

fn policies() -> impl Strategy<Value = PolicyId> {
    prop::sample::select(PolicyId::all().collect::<Vec<_>>())
}

/// Compares, instant by instant, every pending stage with every run; `None` where keys are counts.
struct Slowly<'a>(&'a Scenario, &'a Trace, &'a Journal);

impl RankedVisitor for Slowly<'_> {
    type Output = Option<Vec<Vec<Inversion>>>;

    fn visit<P: RankedPolicy + 'static>(self) -> Self::Output {
        let counts = matches!(P::BASIS, KeyBasis::Counts);
        (!counts).then(|| slowly::<P::Reference>(self.0, self.1, self.2))
    }
}

/// Keys of ranked policies do not depend on it.
struct NoHistory;

impl JobHistory for NoHistory {
    fn held(&self, _: Rank) -> [u64; 2] {
        [0; 2]
    }

    fn used(&self, _: Rank, _: Time) -> [u128; 2] {
        [0; 2]
    }
}

fn slowly<P: Explainer>(scenario: &Scenario, trace: &Trace, journal: &Journal) -> Vec<Vec<Inversion>> {
    let stages = scenario.stages_by_id();
    let ranks = scenario.ranks();
    let mut submitted: Vec<(Time, usize)> = Vec::new();
    for event in &journal.events {
        if let EventKind::Submission(id) = event.kind {
            submitted.push((event.at, (id.0 - scenario.cluster().first_stage_id) as usize));
        }
    }
    let mut instants: BTreeSet<Time> = trace.tasks.iter().flat_map(|run| [run.start, run.end]).collect();
    instants.extend(journal.events.iter().map(|event| event.at));
    let instants: Vec<Time> = instants.into_iter().collect();
    let mut found: Vec<Vec<Inversion>> = vec![Vec::new(); scenario.jobs().len()];
    for step in instants.windows(2) {
        let (at, to) = (step[0], step[1]);
        let events = &journal.events[..journal.events.partition_point(|event| event.at <= at)];
        let snapshot = Snapshot { log: &journal.log, events, at: at.0 as f64, jobs: &NoHistory };
        let policy = P::at(&Context::new(scenario, trace.policy.partitioning), &snapshot);
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
        let expected = policy.kind.visit_ranked(Slowly(&scenario, &trace, &journal)).flatten();
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
