//! The worker's side: takes one task at a time, simulates, answers with bytes.
//!
//! Messages are arrays whose first item is a word. To the worker: `["simulate", scenario as JSON,
//! policy, "quick" or "full"]` and `["check", text]`. From it: `["ready"]` once, then `["progress", part]` and one of
//! `["done", trace]`, `["done", trace, journal, broken rule or null]`, `["sound"]` or `["error", message]`; `["panic", message]` is its last.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::wire::{self, Care};
use crate::engine::{self, Control, Progress};
use crate::metrics;
use crate::policy::PolicyId;
use crate::scenario::Scenario;
use crate::trace::Trace;

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
    /// The scenario simulated last, by its file: ten policies in a row are asked for of each.
    static LAST: RefCell<Option<(String, Rc<Scenario>)>> = const { RefCell::new(None) };
}

fn scenario_of(json: &str) -> Result<Rc<Scenario>, String> {
    let known = LAST.with_borrow(|last| {
        last.as_ref().filter(|(text, _)| text == json).map(|(_, scenario)| Rc::clone(scenario))
    });
    if let Some(scenario) = known {
        return Ok(scenario);
    }
    let scenario = Rc::new(Scenario::from_json(json).map_err(|error| error.to_string())?);
    LAST.set(Some((json.to_owned(), Rc::clone(&scenario))));
    Ok(scenario)
}

fn simulate(json: &str, policy: &str, care: &str) -> Result<(), String> {
    let scenario = scenario_of(json)?;
    let policy: PolicyId = policy.parse().map_err(|error| format!("{error}"))?;
    let mut told = js_sys::Date::now();
    let mut observer = |progress: Progress| {
        let now = js_sys::Date::now();
        if now - told >= PROGRESS_EVERY_MS {
            told = now;
            let part = progress.launched as f64 / progress.tasks.max(1) as f64;
            post(&["progress".into(), part.into()]);
        }
        Control::Continue
    };
    let message = Array::of1(&"done".into());
    if care == Care::Full.word() {
        let record = engine::simulate_with_journal(&scenario, policy, &mut observer);
        let (trace, journal) = record.map_err(|stopped| stopped.to_string())?;
        message.push(&outcome_buffer(&scenario, policy, &trace));
        message.push(&Uint8Array::from(journal.to_bytes().as_slice()).buffer());
        message.push(&wire::checked(&scenario, &trace).err().map_or(JsValue::NULL, JsValue::from));
    } else {
        let trace = engine::simulate_observed(&scenario, policy, &mut observer);
        let trace = trace.map_err(|stopped| stopped.to_string())?;
        message.push(&outcome_buffer(&scenario, policy, &trace));
    }
    let handed_over: Array = message.iter().filter(|item| item.is_instance_of::<ArrayBuffer>()).collect();
    scope()
        .post_message_with_transfer(&message, &handed_over)
        .map_err(|_| "the result could not be handed over; it may be too large for this browser".to_owned())
}

fn outcome_buffer(scenario: &Scenario, policy: PolicyId, trace: &Trace) -> ArrayBuffer {
    let alone = metrics::alone_responses(scenario, policy);
    Uint8Array::from(wire::encode(trace, &alone).as_slice()).buffer()
}
