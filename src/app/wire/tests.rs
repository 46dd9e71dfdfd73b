use super::*;
use crate::engine;
use crate::ids::JobId;
use crate::metrics::{self, Reference, Summary};
use crate::scenario::catalog;
use crate::scenario::edit::{Edit, JobEdit};
use crate::trace::{self, At};
use crate::units::Time;

fn catalog_entry(name: &str) -> Shared<Scenario> {
    Shared::new(catalog::find(name).expect("an entry").scenario())
}

fn policy(id: &str) -> PolicyId {
    id.parse().expect("a policy")
}

/// What a worker would send: at once and later.
fn sent(scenario: &Scenario, id: &str, care: Care) -> (Vec<u8>, Option<Vec<u8>>) {
    let mut known = Known::new(scenario.clone());
    let found = known.find(policy(id), care, &mut |_| Control::Continue).expect("nobody asks to stop");
    let encoded = Encoded::from(found);
    (encoded.now().concat(), encoded.later().map(|pieces| pieces.concat()))
}

fn read(
    now: &[u8],
    later: Option<&[u8]>,
    scenario: &Shared<Scenario>,
    id: &str,
) -> Result<Outcome, Undecodable> {
    let later = later.map(|bytes| Box::new(bytes.to_vec()) as Box<dyn Source>);
    at_once(decode(&now.to_vec(), later, scenario, policy(id), &async || {}))
}

#[test]
fn what_arrives_is_what_the_library_finds() {
    let scenario = catalog_entry("two-users");
    for id in ["uwfq-p", "ujf", "cfq"] {
        let outcome = simulate_here(&scenario, policy(id));
        let (trace, journal) =
            engine::simulate_with_journal(&scenario, policy(id), &mut |_| Control::Continue)
                .expect("no stop");
        let alone = metrics::alone_responses(&scenario, policy(id));
        let inversions = metrics::inversions(&scenario, &trace, &journal);
        let ujf = Reference::practical_ujf(&scenario, policy(id).partitioning);
        let summary = Summary::new(&scenario, &trace, &alone).against_ujf(&trace, ujf).blocked(
            &trace,
            inversions.as_deref(),
            &metrics::stragglers(&trace),
        );
        assert_eq!((&outcome.trace, &outcome.alone, &outcome.summary), (&trace, &alone, &summary), "{id}");
        assert_eq!((outcome.hash, outcome.end), (trace.hash(), trace.end()));
        assert_eq!(outcome.detail.as_ref().map(|detail| &detail.checks), Some(&Ok(())));
        let index = trace::LoadIndex::new(&scenario, &trace);
        let queues = trace::QueueIndex::new(&scenario, &trace, &journal);
        for at in (0..20).map(|step| Time(trace.end().0 * step / 19)) {
            assert_eq!(outcome.load_at(at), index.at(&trace, at));
            let queue = trace::ranked_queue(&scenario, &trace, &journal, &queues, At::Instant(at), 5);
            assert_eq!(outcome.ranked_queue(At::Instant(at), 5), Some(queue));
        }
        for (job, _) in (0..).map(JobId).zip(&trace.jobs) {
            let waited = inversions.as_ref().map(|jobs| metrics::inversion_time(&jobs[job.index()]));
            assert_eq!(outcome.inversion_of(job), waited);
        }
        assert!(outcome.ranked_queue(At::Dispatch(trace.tasks.len()), 5).is_none());
    }
}

#[test]
fn haste_brings_the_schedule_and_its_figures() {
    let scenario = catalog_entry("two-users");
    let careful = simulate_here(&scenario, policy("uwfq-p"));
    let (now, later) = sent(&scenario, "uwfq-p", Care::Quick);
    assert!(later.is_none());
    let hasty = read(&now, None, &scenario, "uwfq-p").expect("sound bytes");
    assert_eq!((&hasty.trace, hasty.hash), (&careful.trace, careful.hash));
    assert_eq!((&hasty.summary.ujf, &hasty.detail), (&None, &None));
    assert_eq!((&hasty.summary.by_user, &hasty.alone), (&careful.summary.by_user, &careful.alone));
    assert_eq!((hasty.inversions(&[].into()), hasty.ranked_queue(At::Dispatch(0), 1)), (Vec::new(), None));
}

/// A worker that is asked for one version after the other gives what a new one would.
#[test]
fn what_a_worker_knows_changes_nothing() {
    let mut scenario = Scenario::clone(&catalog_entry("two-users"));
    let mut known = Known::new(scenario.clone());
    for step in 0..4 {
        let edit = Edit::Job(JobId(0), JobEdit::Arrival(Time(step * 300_000)));
        scenario = scenario.edited(&edit).expect("a good edit").scenario;
        known = known.after(scenario.clone());
        for (id, care) in [("fair", Care::Full), ("uwfq-p", Care::Quick), ("fair-p", Care::Full)] {
            let found = known.find(policy(id), care, &mut |_| Control::Continue).expect("no stop");
            let encoded = Encoded::from(found);
            let again = (encoded.now().concat(), encoded.later().map(|pieces| pieces.concat()));
            assert!(again == sent(&scenario, id, care), "{id} at step {step}");
        }
    }
}

#[test]
fn damage_is_an_error_and_no_panic() {
    let scenario = catalog_entry("two-users");
    let (now, later) = sent(&scenario, "uwfq-p", Care::Full);
    let later = later.expect("a careful simulation");
    let damaged = |now: &[u8], later: Option<&[u8]>| {
        assert_eq!(read(now, later, &scenario, "uwfq-p").err(), Some(Undecodable::Damaged));
    };
    damaged(&[], Some(&later));
    damaged(&now, None);
    damaged(&now, Some(&[]));
    damaged(&now, Some(&later[1..]));
    damaged(&[now.as_slice(), &[0]].concat(), Some(&later));
    for length in (0..now.len()).step_by(now.len() / 200 + 1) {
        damaged(&now[..length], Some(&later));
    }
    let (hasty, _) = sent(&scenario, "uwfq-p", Care::Quick);
    damaged(&hasty, Some(&later));
    assert_eq!(read(&now, Some(&later), &catalog_entry("skew"), "uwfq-p").err(), Some(Undecodable::Damaged));
}

/// Whatever a single byte is changed to, the answer is refused or can be asked for everything.
#[test]
fn no_changed_byte_leads_out_of_bounds() {
    let scenario = catalog_entry("two-users");
    let (now, later) = sent(&scenario, "uwfq", Care::Full);
    let later = later.expect("a careful simulation");
    let ask = |now: &[u8], later: &[u8]| {
        let Ok(outcome) = read(now, Some(later), &scenario, "uwfq") else { return };
        let nobody = [].into();
        outcome.load_at(Time(1_000_000));
        outcome.ranked_queue(At::Dispatch(outcome.trace.tasks.len() / 2), 9);
        outcome.ranked_queue(At::Instant(Time(1_500_000)), 9);
        outcome.virtual_time(&[JobId(0)]);
        outcome.inversions(&nobody);
        outcome.stragglers(&nobody);
        outcome.ideal(JobId(0));
    };
    for place in 0..now.len() {
        let mut changed = now.clone();
        changed[place] ^= 0x81;
        ask(&changed, &later);
    }
    for place in 0..later.len() {
        let mut changed = later.clone();
        changed[place] ^= 0x81;
        ask(&now, &changed);
    }
}
