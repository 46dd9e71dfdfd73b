use super::*;
use crate::testing::{policy, scenario};
use fairlane::engine;
use fairlane::ids::JobId;
use fairlane::metrics::{self, Baselines, EvaluationDetail};
use fairlane::replay::{Replay, ReplayPoint};
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::trace;
use fairlane::units::Time;

fn catalog_entry(name: &str) -> Shared<Scenario> {
    Shared::new(scenario(name))
}

/// What a worker would send: the head, the columns and what is decoded later.
type Sent = (Vec<u8>, Vec<u8>, Option<Vec<u8>>);

fn sent(analyzer: &mut Analyzer, id: &str, detail: EvaluationDetail) -> Sent {
    let mut report = |_| Control::Continue;
    let results = match detail {
        EvaluationDetail::Full => analyzer.full(policy(id), &mut report),
        _ => analyzer.responses(policy(id), &mut report),
    };
    let results = results.expect("the observer never stops it");
    (to_bytes(&results.head), results.columns().concat(), results.later)
}

fn decoded(
    (report, now, later): Sent,
    scenario: &Shared<Scenario>,
    id: &str,
) -> Result<Analysis, DecodeError> {
    decode_here(from_bytes(&report)?, &now, later, scenario, policy(id))
}

#[test]
fn decoded_results_equal_those_of_the_library() {
    let scenario = catalog_entry("two-users");
    for id in ["uwfq-p", "ujf", "cfq"] {
        let analysis = analyze_here(&scenario, policy(id));
        let trace = engine::simulate(&scenario, policy(id));
        let mut baselines = Baselines::new(1);
        let expected =
            metrics::evaluate(&scenario, policy(id), EvaluationDetail::Full, &mut baselines, &mut |_| {
                Control::Continue
            })
            .expect("nobody asks to stop");
        assert_eq!((&analysis.trace, &analysis.alone), (&trace, &expected.alone), "{id}");
        assert_eq!(analysis.summary, expected.summary, "{id}");
        assert_eq!((analysis.hash, analysis.end), (trace.hash(), trace.last()));
        assert_eq!(analysis.extras.as_ref().map(|extras| &extras.checks), Some(&Ok(())));
        let index = trace::LoadIndex::new(&scenario, &trace);
        let mut replay = Replay::new(&scenario, policy(id)).expect("a registered policy");
        for at in (0..20).map(|step| Time(trace.end().0 * step / 19)) {
            assert_eq!(analysis.load_at(at), Some(index.at(&trace, at)));
            let queue = replay.queue(&trace, ReplayPoint::Instant(at), 5);
            assert_eq!(analysis.ranked_queue(ReplayPoint::Instant(at), 5), queue);
        }
        assert!(analysis.ranked_queue(ReplayPoint::Dispatch(trace.tasks.len()), 5).is_none());
    }
}

#[test]
fn a_quick_analysis_has_the_schedule_and_its_figures() {
    let scenario = catalog_entry("two-users");
    let full = analyze_here(&scenario, policy("uwfq-p"));
    let sent = sent(&mut Analyzer::new(Scenario::clone(&scenario)), "uwfq-p", EvaluationDetail::Responses);
    assert!(sent.2.is_none());
    let quick = decoded(sent, &scenario, "uwfq-p").expect("complete bytes");
    assert_eq!((&quick.trace, quick.hash), (&full.trace, full.hash));
    assert!(quick.summary.ujf.is_none() && quick.extras.is_none());
    assert_eq!((&quick.summary.by_user, &quick.alone), (&full.summary.by_user, &full.alone));
    assert_eq!(
        (quick.inversions(&[].into()), quick.ranked_queue(ReplayPoint::Dispatch(0), 1)),
        (Vec::new(), None)
    );
    assert_eq!((quick.load_at(Time(1)), quick.next_instant(Time(0))), (None, None));
}

/// A worker that analyzes one version after the other answers as a new one would.
#[test]
fn a_reused_analyzer_gives_the_same_results() {
    let mut scenario = Scenario::clone(&catalog_entry("two-users"));
    let mut analyzer = Analyzer::new(scenario.clone());
    for step in 0..4 {
        let edit = Edit::set(ObjectPath::Job(JobId(0)), "arrival_s", step as f64 * 0.3);
        scenario = scenario.with(&edit).expect("a good edit");
        analyzer = analyzer.after(scenario.clone());
        for (id, detail) in [
            ("fair", EvaluationDetail::Full),
            ("uwfq-p", EvaluationDetail::Responses),
            ("fair-p", EvaluationDetail::Full),
        ] {
            let fresh = sent(&mut Analyzer::new(scenario.clone()), id, detail);
            assert!(sent(&mut analyzer, id, detail) == fresh, "{id} at step {step}");
        }
    }
}

#[test]
fn truncated_bytes_are_errors() {
    let scenario = catalog_entry("two-users");
    let mut analyzer = Analyzer::new(Scenario::clone(&scenario));
    let (report, now, later) = sent(&mut analyzer, "uwfq-p", EvaluationDetail::Full);
    let damaged = |report: &[u8], now: &[u8], later: &Option<Vec<u8>>| {
        let result = decoded((report.to_vec(), now.to_vec(), later.clone()), &scenario, "uwfq-p");
        assert_eq!(result.err(), Some(DecodeError::Damaged));
    };
    for length in 0..report.len() {
        damaged(&report[..length], &now, &later);
    }
    for length in 0..now.len() {
        damaged(&report, &now[..length], &later);
    }
    damaged(&report, &[now.as_slice(), &[0]].concat(), &later);
    damaged(&report, &now, &None);
    let (quick, columns, _) = sent(&mut analyzer, "uwfq-p", EvaluationDetail::Responses);
    damaged(&quick, &columns, &later);
    let other_scenario =
        decoded((report.clone(), now.clone(), later.clone()), &catalog_entry("skew"), "uwfq-p");
    assert_eq!(other_scenario.err(), Some(DecodeError::Damaged));
    // What is decoded later is missing then.
    let truncated = later.map(|bytes| bytes[..bytes.len() / 2].to_vec());
    let analysis =
        decoded((report, now, truncated), &scenario, "uwfq-p").expect("what is needed at once is complete");
    assert_eq!(analysis.stragglers(&[].into()), Vec::new());
}
