//! Wherever a program comes from, it waits until the reader has let its text run.

use super::*;
use crate::results::shared::Shared;
use crate::store::{Action, DocumentAction, RunAction, RunPhase, ViewAction};
use crate::testing::{page, policy};
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane::scenario::edit::{Edit, ObjectPath, Shift};
use fairlane_view::link::{LinkBounds, Origin, Session};

const THEIRS: &str = "job.estimate";

fn custom() -> PolicyId {
    policy("custom")
}

fn program(text: &str) -> Edit {
    Edit::Set { of: ObjectPath::Policy("custom".into()), field: "program".into(), value: text.into() }
}

/// A scenario of somebody else's, with a program.
fn theirs() -> Scenario {
    page("two-users").document.scenario.with(&program(THEIRS)).expect("a possible edit")
}

fn opened(state: &State, scenario: Scenario) -> State {
    state.reduce(DocumentAction::Open(Shared::new(Document::new(
        scenario,
        Origin::File("theirs.json".into()),
    ))))
}

/// A page whose link has brought the program.
fn by_link() -> State {
    let ticked = Action::View(ViewAction::Policies([custom(), policy("fair")].into()));
    let session = opened(&page("skew"), theirs()).reduce(ticked).session();
    let text = session.to_text(&LinkBounds::LINK).expect("a short link");
    State::from_session(Session::from_text(&text, &LinkBounds::LINK).expect("a sound link"))
}

/// Neither its panel nor anything that is measured runs the program.
#[track_caller]
fn waits(state: &State) {
    assert!(matches!(state.runs[&custom()].phase, RunPhase::Refused(_)), "{:?}", state.runs[&custom()].phase);
    assert_eq!(state.source().admit(custom()), Err(UNAPPROVED));
    assert!(state.unapproved(custom().kind).is_some());
    assert!(state.source().admit(policy("fair")).is_ok(), "the others run");
}

#[track_caller]
fn runs(state: &State) {
    assert_eq!(state.runs[&custom()].phase, RunPhase::Pending(0.0));
    assert!(state.source().admit(custom()).is_ok());
    assert_eq!(state.unapproved(custom().kind), None);
}

#[test]
fn a_program_waits_by_link_by_file_after_new_and_undo_and_in_every_version() {
    let state = by_link();
    waits(&state);
    waits(&opened(&page("skew"), theirs()));
    let away = state.reduce(DocumentAction::New);
    waits(&away.reduce(DocumentAction::Undo));
    let edit = Edit::Move { jobs: vec![fairlane::ids::JobId(0)], by: Shift(500_000), lanes: 0 };
    let edited = state.reduce(DocumentAction::Edit(edit.clone()));
    waits(&edited);
    waits(&edited.reduce(DocumentAction::Undo));
    waits(&edited.reduce(DocumentAction::Undo).reduce(DocumentAction::Redo));
    waits(&state.reduce(DocumentAction::DragStart).reduce(DocumentAction::DragTo(edit)));
    waits(&state.reduce(RunAction::Retry(custom())));
    // A change of what was not read has not been read, either.
    waits(&state.reduce(DocumentAction::EditField(program("job.estimate + 1"))));
}

#[test]
fn an_approved_program_runs_wherever_its_text_comes_from() {
    let state = by_link().reduce(DocumentAction::RunProgram(custom().kind));
    runs(&state);
    runs(&state.reduce(DocumentAction::New).reduce(DocumentAction::Undo));
    runs(&opened(&state, theirs()));
    let changed = state.reduce(DocumentAction::EditField(program("job.estimate + 1")));
    runs(&changed);
    runs(&changed.reduce(DocumentAction::Undo));
    runs(&changed.reduce(DocumentAction::Undo).reduce(DocumentAction::Redo));
    let other = theirs().with(&program("0 - job.estimate")).expect("a possible edit");
    waits(&opened(&changed, other));
}

#[test]
fn programs_that_the_reader_writes_run_at_once() {
    runs(&page("two-users").reduce(DocumentAction::Write("running / weight")));
}

/// What could not be measured before is measured again.
#[test]
fn reading_a_program_forgets_what_was_refused() {
    let state = by_link();
    let point = crate::results::measurement::SweepSetting::alone(fairlane::ids::JobId(0), 1).under(custom());
    let refused = state.reduce(RunAction::Swept(0, point, Err(UNAPPROVED.into())));
    let refused = refused.reduce(RunAction::Checked(0, custom(), Err(UNAPPROVED.into())));
    assert_eq!((refused.means.len(), refused.properties.len()), (1, 1));
    let read = refused.clone().reduce(DocumentAction::RunProgram(custom().kind));
    assert_eq!((read.means.len(), read.properties.len()), (0, 0));
    // So it is where another tab was told, and nothing is forgotten when that tab tells of it again.
    let elsewhere = Action::Document(DocumentAction::ApprovedElsewhere(read.approvals.to_text()));
    let heard = refused.reduce(elsewhere.clone());
    runs(&heard);
    assert_eq!((heard.means.len(), heard.properties.len()), (0, 0));
    let measured = heard.reduce(RunAction::Checked(0, custom(), Err("too large".into())));
    assert_eq!(measured.clone().reduce(elsewhere), measured);
}

#[test]
fn what_another_tab_stores_approves_no_other_text() {
    let other = theirs().with(&program("0 - job.estimate")).expect("a possible edit");
    let read = opened(&by_link(), other).reduce(DocumentAction::RunProgram(custom().kind));
    waits(&by_link().reduce(DocumentAction::ApprovedElsewhere(read.approvals.to_text())));
    waits(&by_link().reduce(DocumentAction::ApprovedElsewhere("nothing, of, sense".to_owned())));
}

#[test]
fn approvals_are_stored_and_what_is_damaged_approves_nothing() {
    let state = by_link().reduce(DocumentAction::RunProgram(custom().kind));
    let text = state.approvals.to_text();
    let again = State { approvals: Approvals::default().after(&text), ..by_link() };
    runs(&again.with_runs());
    for damaged in ["", ",,", "x", &text[1..], &text[..40], &format!("{text}AA"), &text.to_lowercase()] {
        let state = State { approvals: Approvals::default().after(damaged), ..by_link() };
        waits(&state.with_runs());
    }
    assert_eq!(state.approvals.after(&text).to_text(), text, "once each");
    let digests = |texts: std::ops::Range<usize>| {
        let mut all = Approvals::default();
        texts.for_each(|text| all.insert(ProgramDigest::of(&text.to_string())));
        all
    };
    let many = digests(0..MAX_APPROVALS + 3);
    assert_eq!(many, digests(3..MAX_APPROVALS + 3), "the oldest are forgotten");
    assert_eq!(Approvals::default().after(&many.to_text()), many);
}

/// The digest is SHA-256, as FIPS 180-4 has it of "abc".
#[test]
fn digests_are_those_of_the_standard() {
    let ProgramDigest(bytes) = ProgramDigest::of("abc");
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
