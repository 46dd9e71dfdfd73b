//! Simulations on the page's own thread, where the browser starts no workers.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::ArrayBuffer;

use crate::results::codec::{AnalysisHead, Analyzer, DecodeError};
use crate::results::shared::Shared;
use crate::store::{Action, Admitted, Notice, RunAction, is_loaded_later};
use crate::workers::handle::INVALID;
use crate::workers::pool::{Inner, replace};
use crate::workers::request::PoolTask;
use crate::workers::serve::buffer;
use crate::workers::work::LoadWork;
use fairlane::engine::{EventBudget, SimulationError};
use fairlane::metrics::EvaluationDetail;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;

/// Most tasks of a schedule that the page simulates itself: it shows nothing else meanwhile.
pub(super) const MAX_TASKS: u64 = 200_000;

/// Most events of a simulation here, some seconds of the page's time: ten for each of the tasks.
const MAX_EVENTS: u32 = 2_000_000;

/// An analysis with its columns, as a worker would have sent it.
pub(super) type Sent = (AnalysisHead, ArrayBuffer, Option<ArrayBuffer>);

/// Decodes the result of a simulation in slices and shows it; the worker that has sent a damaged one is replaced.
pub(super) fn decode(
    inner: &Rc<RefCell<Inner>>,
    revision: u32,
    admitted: Admitted,
    (report, now, later): Sent,
    serial: Option<u32>,
) {
    let (weak, slices) = (Rc::downgrade(inner), Rc::clone(&inner.borrow().slices));
    let (load, dispatch) = (inner.borrow().load, Rc::clone(&inner.borrow().dispatch));
    wasm_bindgen_futures::spawn_local(async move {
        let policy = admitted.policy();
        // The page asks its policy why.
        can_run(load, policy).await;
        let analysis = slices.decode(report, now, later, &admitted.source().document, policy).await;
        let damaged = matches!(analysis, Err(DecodeError::Damaged));
        let result = analysis.map(Shared::new).map_err(|error| match error {
            DecodeError::Damaged => INVALID.to_owned(),
            DecodeError::TooLarge => format!("{error}."),
        });
        dispatch(Action::Run(RunAction::Finished(revision, policy, result)));
        if let Some((inner, serial)) = weak.upgrade().zip(serial).filter(|_| damaged) {
            replace(&inner, serial, INVALID);
        }
    });
}

/// Loads what runs a policy, if it is not there from the start. If it cannot be loaded, that is said where it is missing.
async fn can_run(load: LoadWork, policy: PolicyId) {
    if is_loaded_later(policy.kind) {
        let _ = load().await;
    }
}

/// Simulates on the page's own thread what is small enough, a frame later; any other task fails.
pub(super) fn without_worker(inner: &Rc<RefCell<Inner>>, task: PoolTask, why: &str) {
    let mut state = inner.borrow_mut();
    let (load, dispatch) = (state.load, Rc::clone(&state.dispatch));
    let (revision, admitted, detail) = match task {
        PoolTask::Simulate { revision, admitted, detail }
            if admitted.source().document.tasks(admitted.policy().partitioning) <= MAX_TASKS =>
        {
            (revision, admitted, detail)
        }
        task => {
            drop(state);
            return dispatch(task.lost(why));
        }
    };
    let policy = admitted.policy();
    let was_blocked = std::mem::replace(&mut state.blocked, true);
    state.decoding.push((revision, policy));
    drop(state);
    if !was_blocked {
        dispatch(notice());
    }
    let weak = Rc::downgrade(inner);
    let simulate = async move {
        can_run(load, policy).await;
        // A newer version may have overtaken it.
        let is_wanted = |inner: &Rc<RefCell<Inner>>| inner.borrow().decoding.contains(&(revision, policy));
        let Some(inner) = weak.upgrade().filter(is_wanted) else { return };
        match analyze(&admitted, detail) {
            Ok(sent) => decode(&inner, revision, admitted, sent, None),
            Err(why) => dispatch(Action::Run(RunAction::Finished(revision, policy, Err(why)))),
        }
    };
    Timeout::new(0, || wasm_bindgen_futures::spawn_local(simulate)).forget();
}

/// Simulates and analyzes, without a pause.
///
/// # Errors
/// The policy breaks a rule, the simulation takes too many events, or there is no memory.
fn analyze(admitted: &Admitted, detail: EvaluationDetail) -> Result<Sent, String> {
    let policy = admitted.policy();
    let mut analyzer = Analyzer::new(Scenario::clone(&admitted.source().document.scenario));
    let mut budget = EventBudget::new(MAX_EVENTS);
    let go_on = &mut |_| budget.spend();
    let results = match detail {
        EvaluationDetail::Full => analyzer.full(policy, go_on),
        _ => analyzer.responses(policy, go_on),
    };
    let results = results.map_err(|error| match error {
        SimulationError::Stopped => TOO_LONG.to_owned(),
        error => error.to_string(),
    })?;
    let now = buffer(&results.columns())?;
    let later = results.later.as_deref().map(|later| buffer(&[later])).transpose()?;
    Ok((results.head, now, later))
}

const TOO_LONG: &str = "This simulation takes more events than a page without workers simulates. Shorten the empty \
                        time between jobs, or allow workers for this page.";

/// Says why the page is slow.
fn notice() -> Action {
    Action::warn(Notice {
        title: "This browser starts no simulation workers; the page simulates by itself".to_owned(),
        detail: "It may stop for a moment at each change, and cannot sweep or open files. Allow workers for this page, \
                 or use another browser."
            .to_owned(),
    })
}
