//! The worker's side: takes one task at a time, simulates, answers with bytes.
//!
//! Messages are arrays whose first item is a word. To the worker: `["simulate", scenario as JSON, policy,
//! "quick" or "full"]`, `["sweep", scenario as JSON, policy, setting]` and `["check", text]`. From it: `["ready"]`
//! once, then `["progress", part]` and one of `["done", what is needed at once, what is needed later or null]`,
//! `["swept", mean]`, `["sound"]` or `["error", message]`, after which `["memory", bytes]` tells how large it has
//! grown; `["panic", message]` is its last. Results are buffers of [`super::wire`], handed over and not copied.

mod sweep;

use std::cell::RefCell;

use js_sys::WebAssembly::Memory;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::wire::{Care, Encoded, Known};
use crate::engine::Control;
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
            "simulate" => simulate(&word(1), &word(2), &word(3)),
            "sweep" => sweep::point(&word(1), &word(2), &word(3)),
            "check" => check(&word(1)),
            other => Err(format!("the worker does not know the task \"{other}\"")),
        };
        if let Err(message) = answer {
            post(&["error".into(), message.into()]);
        }
        post(&["memory".into(), memory().into()]);
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
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

/// A scenario's file, and what is known of it.
struct Last {
    text: String,
    known: Known,
}

/// Does something with what is known of a scenario.
fn with_known<T>(json: &str, work: impl FnOnce(&mut Known) -> Result<T, String>) -> Result<T, String> {
    // Taken out meanwhile: should the work end in a panic, nothing half done is left.
    let last = LAST.take();
    let mut last = match last {
        Some(last) if last.text == json => last,
        other => {
            let scenario = Scenario::from_json(json).map_err(|error| error.to_string())?;
            let known = match other {
                Some(before) => before.known.after(scenario),
                None => Known::new(scenario),
            };
            Last { text: json.to_owned(), known }
        }
    };
    let result = work(&mut last.known);
    LAST.set(Some(last));
    result
}

/// Tells the page now and then which part of its work is done.
fn telling() -> impl FnMut(f64) -> Control {
    let mut told = js_sys::Date::now();
    move |part: f64| {
        let now = js_sys::Date::now();
        if now - told >= PROGRESS_EVERY_MS {
            told = now;
            post(&["progress".into(), part.into()]);
        }
        Control::Continue
    }
}

fn simulate(json: &str, policy: &str, care: &str) -> Result<(), String> {
    let policy: PolicyId = policy.parse().map_err(|error| format!("{error}"))?;
    let care = if care == Care::Full.word() { Care::Full } else { Care::Quick };
    let found = with_known(json, |known| {
        known.find(policy, care, &mut telling()).map_err(|stopped| stopped.to_string())
    })?;
    let encoded = Encoded::from(found);
    let now = buffer(&encoded.now())?;
    let later = encoded.later().map(|pieces| buffer(&pieces)).transpose()?;
    drop(encoded);
    let later = later.map_or(JsValue::NULL, JsValue::from);
    let message = Array::of3(&"done".into(), &now, &later);
    let handed_over: Array = message.iter().filter(|item| item.is_instance_of::<ArrayBuffer>()).collect();
    scope().post_message_with_transfer(&message, &handed_over).map_err(|_| TOO_LARGE.to_owned())
}

const TOO_LARGE: &str = "the result could not be handed over; it may be too large for this browser";

/// Copies pieces out of this worker's memory, one behind the other: the one copy on this side.
fn buffer(pieces: &[&[u8]]) -> Result<ArrayBuffer, String> {
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    let length = u32::try_from(length).map_err(|_| TOO_LARGE.to_owned())?;
    let bytes = Uint8Array::new_with_length(length);
    let mut at = 0;
    for piece in pieces {
        let end = at + piece.len() as u32;
        bytes.subarray(at, end).copy_from(piece);
        at = end;
    }
    Ok(bytes.buffer())
}

/// How many bytes this worker's memory has grown to. It never shrinks.
fn memory() -> f64 {
    let memory: Memory = wasm_bindgen::memory().unchecked_into();
    let buffer: ArrayBuffer = memory.buffer().unchecked_into();
    f64::from(buffer.byte_length())
}
