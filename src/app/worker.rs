//! The worker's side: takes one task at a time, simulates, answers with bytes.
//!
//! Messages are arrays whose first item is a word. To the worker: `["simulate", scenario as JSON,
//! policy, "quick" or "full"]`, `["sweep", scenario as JSON, policy, setting]` and `["check", text]`. From it: `["ready"]` once, then
//! `["progress", part]` and one of `["done", trace]`, `["done", trace, journal, broken rule or null]`, `["swept", mean]`, `["sound"]` or
//! `["error", message]`; `["panic", message]` is its last.

mod sweep;

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::wire::{self, Care};
use crate::engine::{self, Control, Progress, Stopped};
use crate::metrics;
use crate::partition::Mode;
use crate::policy::PolicyId;
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::Time;

/// Tells the page how the simulation goes at most this often, in milliseconds.
const PROGRESS_EVERY_MS: f64 = 100.0;

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn post(items: &[JsValue]) {
    let message: Array = items.iter().collect();
    // A post can only fail for values that cannot be cloned; ours are text, numbers and buffers.
    let _ = scope().post_message(&message);
}

/// Answers the page's messages until the worker is ended.
pub fn serve() {
    std::panic::set_hook(Box::new(|info| post(&["panic".into(), info.to_string().into()])));
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(|event: MessageEvent| {
        let message: Array = event.data().unchecked_into();
        let word = |place| message.get(place).as_string().unwrap_or_default();
        let answer = match word(0).as_str() {
            "simulate" => simulate(&word(1), &word(2), &word(3)),
            "sweep" => sweep::point(&word(1), &word(2), &word(3)),
            "check" => check(&word(1)),
            other => Err(format!("the worker does not know the task \"{other}\"")),
        };
        if let Err(message) = answer {
            post(&["error".into(), message.into()]);
        }
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    post(&["ready".into()]);
}

fn check(text: &str) -> Result<(), String> {
    Scenario::from_json(text).map_err(|error| error.to_string())?;
    post(&["sound".into()]);
    Ok(())
}

thread_local! {
    /// The scenario simulated last: ten policies in a row are asked for of each.
    static LAST: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// A scenario and what has been found out about it.
struct Known {
    /// Its file.
    text: String,
    scenario: Rc<Scenario>,
    /// When its jobs finish under practical UJF, by partitioning.
    ujf: Vec<(Mode, Rc<[Time]>)>,
}

fn scenario_of(json: &str) -> Result<Rc<Scenario>, String> {
    let known = LAST.with_borrow(|last| {
        last.as_ref().filter(|known| known.text == json).map(|known| Rc::clone(&known.scenario))
    });
    if let Some(scenario) = known {
        return Ok(scenario);
    }
    let scenario = Rc::new(Scenario::from_json(json).map_err(|error| error.to_string())?);
    LAST.set(Some(Known { text: json.to_owned(), scenario: Rc::clone(&scenario), ujf: Vec::new() }));
    Ok(scenario)
}

/// When the jobs of the scenario simulated last finish under practical UJF with this partitioning.
fn ujf_finishes(
    mode: Mode,
    find_out: impl FnOnce() -> Result<Vec<Time>, Stopped>,
) -> Result<Rc<[Time]>, Stopped> {
    let known = LAST.with_borrow(|last| {
        let mut list = last.iter().flat_map(|known| &known.ujf);
        list.find(|(of, _)| *of == mode).map(|(_, finishes)| Rc::clone(finishes))
    });
    if let Some(finishes) = known {
        return Ok(finishes);
    }
    let finishes: Rc<[Time]> = find_out()?.into();
    LAST.with_borrow_mut(|last| {
        if let Some(known) = last {
            known.ujf.push((mode, Rc::clone(&finishes)));
        }
    });
    Ok(finishes)
}

/// Tells the page now and then how a simulation goes.
fn telling() -> impl FnMut(Progress) -> Control {
    let mut told = js_sys::Date::now();
    move |progress: Progress| {
        let now = js_sys::Date::now();
        if now - told >= PROGRESS_EVERY_MS {
            told = now;
            let part = progress.launched as f64 / progress.tasks.max(1) as f64;
            post(&["progress".into(), part.into()]);
        }
        Control::Continue
    }
}

fn simulate(json: &str, policy: &str, care: &str) -> Result<(), String> {
    let scenario = scenario_of(json)?;
    let policy: PolicyId = policy.parse().map_err(|error| format!("{error}"))?;
    let mut observer = telling();
    let message = Array::of1(&"done".into());
    if care == Care::Full.word() {
        let record = engine::simulate_with_journal(&scenario, policy, &mut observer);
        let (trace, journal) = record.map_err(|stopped| stopped.to_string())?;
        let reference = wire::reference_of(policy);
        let ujf = ujf_finishes(policy.partitioning, || {
            if policy == reference {
                return Ok(wire::finishes(&trace));
            }
            // The schedule asked for is done; all there is to tell is that something still goes on.
            let mut done = |_| observer(Progress { launched: 1, tasks: 1 });
            engine::simulate_observed(&scenario, reference, &mut done).map(|trace| wire::finishes(&trace))
        });
        let ujf = ujf.map_err(|stopped| stopped.to_string())?;
        message.push(&outcome_buffer(&scenario, policy, &trace, Some(&ujf)));
        message.push(&Uint8Array::from(journal.to_bytes().as_slice()).buffer());
        message.push(&wire::checked(&scenario, &trace).err().map_or(JsValue::NULL, JsValue::from));
    } else {
        let trace = engine::simulate_observed(&scenario, policy, &mut observer);
        let trace = trace.map_err(|stopped| stopped.to_string())?;
        message.push(&outcome_buffer(&scenario, policy, &trace, None));
    }
    let handed_over: Array = message.iter().filter(|item| item.is_instance_of::<ArrayBuffer>()).collect();
    scope()
        .post_message_with_transfer(&message, &handed_over)
        .map_err(|_| "the result could not be handed over; it may be too large for this browser".to_owned())
}

fn outcome_buffer(scenario: &Scenario, policy: PolicyId, trace: &Trace, ujf: Option<&[Time]>) -> ArrayBuffer {
    let alone = metrics::alone_responses(scenario, policy);
    Uint8Array::from(wire::encode(trace, &alone, ujf).as_slice()).buffer()
}
