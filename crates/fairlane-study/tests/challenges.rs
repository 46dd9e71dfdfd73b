//! The challenges against the simulator: none is won at the start, and the solution known wins each, exactly at par.

use std::collections::BTreeSet;
use std::rc::Rc;

use fairlane::ids::{JobId, UserId};
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::scenario::edit::{Edit, ObjectPath, Shift};
use fairlane::scenario::{Scenario, ScenarioError};
use fairlane_study::lesson::document::check;
use fairlane_study::lesson::{
    Challenge, ChallengeScore, GoalSide, Judgement, LessonFacts, StepId, challenges, changes,
};

/// A challenge's scenario at the start, with its figures.
fn start(challenge: &Challenge) -> Rc<LessonFacts> {
    challenge.start().expect("a sound scenario")
}

fn policies(names: &str) -> Vec<PolicyId> {
    names.split(',').filter(|name| !name.is_empty()).map(|name| name.parse().expect("a policy")).collect()
}

/// The policies that are ticked at the start.
fn ticked(challenge: &Challenge) -> Vec<PolicyId> {
    challenge.step.scene.view.policies.iter().copied().collect()
}

/// The scenario of a challenge after some edits.
fn edited(challenge: &Challenge, edits: &[Edit]) -> Result<Scenario, ScenarioError> {
    edits.iter().try_fold(start(challenge).scenario().clone(), |scenario, edit| scenario.with(edit))
}

fn judged(challenge: &Challenge, edits: &[Edit], policies: &[PolicyId]) -> Judgement {
    fairlane_custom::install();
    let scenario = edited(challenge, edits).expect("sound edits");
    challenge.judged(&start(challenge), LessonFacts::new(scenario), policies)
}

fn after(challenge: &Challenge, edits: &[Edit], names: &str) -> Judgement {
    judged(challenge, edits, &policies(names))
}

fn named(id: &str) -> &'static Challenge {
    Challenge::named(id).expect("a challenge")
}

#[test]
fn there_are_nine_each_with_a_name_of_its_own() {
    let ids: BTreeSet<&str> = challenges().iter().map(|challenge| challenge.id.as_str()).collect();
    assert_eq!((challenges().len(), ids.len()), (9, 9));
    for (index, challenge) in challenges().iter().enumerate() {
        assert!(
            challenge.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'),
            "{}",
            challenge.id
        );
        let step = StepId::challenge_named(&challenge.id).expect("a step");
        assert_eq!(step, StepId::of_challenge(index));
        assert_eq!(step.challenge().map(|challenge| &challenge.id), Some(&challenge.id));
        assert_eq!(step.step().title, challenge.step.title);
    }
}

#[test]
fn a_challenge_is_not_won_at_the_start_and_what_it_says_holds() {
    for challenge in challenges() {
        let Challenge { id, step, .. } = challenge;
        let begun = judged(challenge, &[], &ticked(challenge));
        assert!(begun.figure.is_some() && begun.limit.is_some(), "{id}: {begun:?}");
        assert!(!begun.is_reached() && begun.changes == 0 && begun.is_free, "{id}: {begun:?}");
        for rule in &challenge.rules {
            for policy in ticked(challenge) {
                let claim = rule.claim.replace('$', &policy.to_string());
                let facts = start(challenge);
                let own = LessonFacts::new(facts.scenario().clone()).with_start(facts);
                own.holds(&claim).unwrap_or_else(|error| panic!("{id}: {error}"));
            }
        }
        assert!(!step.targets.is_empty() && step.question.is_none(), "{id}");
    }
    let tour = StepId::of_challenge(0).lesson();
    assert_eq!(check(tour, &|log| Err(log.to_owned())).faults, []);
}

#[test]
fn the_known_solution_wins_exactly_at_par() {
    for challenge in challenges() {
        let Challenge { id, par, .. } = challenge;
        let end = judged(challenge, &par.edits, &par.policies);
        let score = end.score().unwrap_or_else(|| panic!("{id}: {end:?}"));
        let three = |value: f64| number::trimmed(number::three_digits(value).parse().expect("a number"), 2);
        assert_eq!(three(score.value), par.score.value.to_string(), "{id}: {end:?}");
        assert_eq!(score.changes, par.score.changes, "{id}");
        assert!(challenge.is_par(score), "{id}");
        assert!(!par.score.beats(score, challenge.goal.side), "{id}");
    }
}

#[test]
fn rules_and_the_number_of_changes_are_kept() {
    let skew = named("one-change");
    // Equal slices make a quick job, but another one.
    let job = Edit::Slice(JobId(0), 0, 2, 1.0);
    assert!(!after(skew, &[job], "uwfq").is_free);
    let two = [
        Edit::set(ObjectPath::Cluster, "executors", 3),
        Edit::set(ObjectPath::Cluster, "cores_per_executor", 8),
    ];
    let end = after(skew, &two, "uwfq,uwfq-p");
    assert!(!end.is_within_changes && !end.is_reached() && end.is_met, "{end:?}");
    let wait = named("ten-times");
    let longer = Edit::set(ObjectPath::Stage(JobId(1), 0), "work_s", 120);
    let end = after(wait, &[longer], "uwfq");
    assert!(end.is_met && !end.is_reached(), "{end:?}");
    // Without its job a goal has no figure, and rules about it are broken.
    let end = after(wait, &[Edit::Delete { jobs: vec![JobId(1)] }], "uwfq");
    assert!(end.figure.is_none() && !end.is_reached() && !end.rules[0], "{end:?}");
    let end = after(wait, &[], "");
    assert!(end.policy.is_none() && !end.is_reached(), "{end:?}");
}

#[test]
fn changes_are_counted_however_they_were_made() {
    let start = start(named("lie")).scenario().clone();
    let count = |edits: &[Edit]| {
        let scenario = edits.iter().try_fold(start.clone(), |scenario, edit| scenario.with(edit));
        changes(&start, &scenario.expect("sound edits")).values().sum::<u32>()
    };
    let arrival = |s: u32| Edit::set(ObjectPath::Job(JobId(0)), "arrival_s", s);
    let name = Edit::set(ObjectPath::Scenario, "name", "mine");
    assert_eq!(count(&[name]), 0);
    assert_eq!(count(&[arrival(2), arrival(3), Edit::set(ObjectPath::Job(JobId(0)), "estimate_s", 7)]), 1);
    assert_eq!(count(&[arrival(2), arrival(0)]), 0);
    let copies = Edit::Duplicate { jobs: vec![JobId(0), JobId(1)], by: Shift(500_000) };
    assert_eq!(count(std::slice::from_ref(&copies)), 2);
    assert_eq!(count(&[copies, Edit::Delete { jobs: vec![JobId(2)] }]), 2, "one removed and two added");
    assert_eq!(count(&[Edit::set(ObjectPath::User(UserId(0)), "weight", 2)]), 1);
    let cluster = |field: &'static str| Edit::set(ObjectPath::Cluster, field, 1);
    assert_eq!(count(&[cluster("executors"), cluster("stage_delay_s")]), 2);
}

#[test]
fn scores_compare_as_they_are_shown() {
    let score = |value: f64, changes: u32| ChallengeScore { value, changes };
    assert!(score(1.8, 1).beats(score(1.9, 1), GoalSide::AtMost));
    assert!(!score(1.8, 1).beats(score(1.9, 1), GoalSide::AtLeast));
    assert!(score(1.801, 1).beats(score(1.8, 2), GoalSide::AtMost), "the same figure by fewer changes");
    assert!(!score(1.801, 1).beats(score(1.8, 1), GoalSide::AtMost));
}
