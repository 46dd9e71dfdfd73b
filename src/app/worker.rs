//! The worker's side: takes one task at a time, simulates, answers with bytes.
//!
//! Messages are arrays whose first item is a word. To the worker: `["simulate", scenario as JSON,
//! policy]` and `["check", text]`. From it: `["ready"]` once, then `["progress", part]` and one of
//! `["done", ArrayBuffer]`, `["sound"]` or `["error", message]`; `["panic", message]` is its last.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::wire;
use crate::engine::{self, Control};
use crate::metrics;
use crate::policy::PolicyId;
use crate::scenario::Scenario;

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
            "simulate" => simulate(&word(1), &word(2)),
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

fn simulate(json: &str, policy: &str) -> Result<(), String> {
    let scenario = Scenario::from_json(json).map_err(|error| error.to_string())?;
    let policy: PolicyId = policy.parse().map_err(|error| format!("{error}"))?;
    let mut told = js_sys::Date::now();
    let trace = engine::simulate_observed(&scenario, policy, &mut |progress| {
        let now = js_sys::Date::now();
        if now - told >= PROGRESS_EVERY_MS {
            told = now;
            let part = progress.launched as f64 / progress.tasks.max(1) as f64;
            post(&["progress".into(), part.into()]);
        }
        Control::Continue
    })
    .map_err(|stopped| stopped.to_string())?;
    let alone = metrics::alone_responses(&scenario, policy);
    let bytes = Uint8Array::from(wire::encode(&trace, &alone).as_slice());
    let message = Array::of2(&"done".into(), &bytes.buffer());
    scope()
        .post_message_with_transfer(&message, &Array::of1(&bytes.buffer()))
        .map_err(|_| "the result could not be handed over; it may be too large for this browser".to_owned())
}
