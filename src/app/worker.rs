//! The worker's side: works on one task at a time and answers with bytes.
//!
//! Messages are arrays whose first item is a word. To the worker: `["simulate", scenario as JSON, policy,
//! whether in full]`, `["sweep", scenario as JSON, policy, setting as JSON]` and `["check", text]`. From it: `["ready"]`
//! once, then `["progress", part]` and one of `["done", what is needed at once]` (of a full analysis followed by the
//! two parts that are needed later), `["swept", mean]`, `["valid"]` or `["error", message]`, after which
//! `["memory", bytes]` reports how large it has grown; `["panic", message]` is its last. Results are buffers of
//! [`super::codec`], transferred and not copied.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;

use js_sys::WebAssembly::Memory;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::clock;
use super::codec::Analyzer;
use super::deferred::Unreachable;
use super::sweep::Setting;
use crate::engine::{self, Control, Progress};
use crate::metrics::{self, Detail};
use crate::policy::PolicyId;
use crate::scenario::Scenario;

/// Shortest time between two reports of progress, in milliseconds.
const PROGRESS_EVERY_MS: f64 = 100.0;

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn post(items: &[JsValue]) {
    let message: Array = items.iter().collect();
    // A post can only fail for values that cannot be cloned; ours are text, numbers and buffers.
    let _ = scope().post_message(&message);
}

/// Loads the policies that this program starts without.
pub type Fetch = fn() -> Pin<Box<dyn Future<Output = Result<(), Unreachable>>>>;

/// Answers the page's messages until the worker is terminated.
pub fn serve(fetch: Fetch) {
    std::panic::set_hook(Box::new(|info| post(&["panic".into(), info.to_string().into()])));
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let message: Array = event.data().unchecked_into();
        wasm_bindgen_futures::spawn_local(async move {
            if let Err(message) = answer(&message, fetch).await {
                post(&["error".into(), message.into()]);
            }
            post(&["memory".into(), memory().into()]);
        });
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    post(&["ready".into()]);
}

async fn answer(message: &Array, fetch: Fetch) -> Result<(), String> {
    let word = |index| message.get(index).as_string().unwrap_or_default();
    match word(0).as_str() {
        "simulate" => {
            let full = message.get(3).is_truthy();
            let policy = policy(&word(2), fetch).await?;
            simulate(&word(1), policy, if full { Detail::Full } else { Detail::Responses })
        }
        "sweep" => sweep(&word(1), policy(&word(2), fetch).await?, &word(3)),
        "check" => check(&word(1)),
        other => Err(format!("unknown task \"{other}\"")),
    }
}

/// The policy of this name, once this worker can simulate it.
async fn policy(name: &str, fetch: Fetch) -> Result<PolicyId, String> {
    let policy: PolicyId = name.parse().map_err(|error| format!("{error}"))?;
    if !policy.kind.is_ranked() {
        fetch().await.map_err(|Unreachable| NO_POLICY.to_owned())?;
    }
    Ok(policy)
}

fn check(text: &str) -> Result<(), String> {
    Scenario::from_json(text).map_err(|error| error.to_string())?;
    post(&["valid".into()]);
    Ok(())
}

thread_local! {
    /// The scenario simulated last, as JSON: it is simulated under several policies in a row.
    static LAST: RefCell<Option<(String, Analyzer)>> = const { RefCell::new(None) };
}

/// Does something with the analyzer of a scenario.
fn with_analyzer<T>(json: &str, work: impl FnOnce(&mut Analyzer) -> Result<T, String>) -> Result<T, String> {
    // Taken out meanwhile: should the work end in a panic, nothing half done is left.
    let (text, mut analyzer) = match LAST.take() {
        Some((text, analyzer)) if text == json => (text, analyzer),
        other => {
            let scenario = Scenario::from_json(json).map_err(|error| error.to_string())?;
            let analyzer = match other {
                Some((_, earlier)) => earlier.after(scenario),
                None => Analyzer::new(scenario),
            };
            (json.to_owned(), analyzer)
        }
    };
    let result = work(&mut analyzer);
    LAST.set(Some((text, analyzer)));
    result
}

/// Reports now and then which part of the work is done.
fn reporter() -> impl FnMut(f64) -> Control {
    let mut reported = clock::now();
    move |part: f64| {
        let now = clock::now();
        if now - reported >= PROGRESS_EVERY_MS {
            reported = now;
            post(&["progress".into(), part.into()]);
        }
        Control::Continue
    }
}

fn simulate(json: &str, policy: PolicyId, detail: Detail) -> Result<(), String> {
    let results = with_analyzer(json, |analyzer| {
        analyzer.analyze(policy, detail, &mut reporter()).map_err(|stopped| stopped.to_string())
    })?;
    let mut buffers = vec![buffer(&results.columns())?];
    for part in results.later.iter().flatten() {
        buffers.push(buffer(&[part])?);
    }
    drop(results);
    let transferred: Array = buffers.iter().collect();
    let message = Array::of1(&"done".into()).concat(&transferred);
    scope().post_message_with_transfer(&message, &transferred).map_err(|_| TOO_LARGE.to_owned())
}

/// Simulates a scenario with another setting and sends the mean response time in seconds.
fn sweep(json: &str, policy: PolicyId, setting: &str) -> Result<(), String> {
    let setting: Setting = serde_json::from_str(setting).map_err(|error| error.to_string())?;
    let scenario = with_analyzer(json, |analyzer| setting.apply(analyzer.scenario(), policy.partitioning))?;
    let mut report = reporter();
    let mut observer = |progress: Progress| report(progress.launched as f64 / progress.tasks.max(1) as f64);
    let trace = engine::simulate_observed(&scenario, policy, &mut observer);
    let trace = trace.map_err(|stopped| stopped.to_string())?;
    let mean = metrics::mean_response(&trace.jobs).ok_or_else(|| NO_MEAN.to_owned())?;
    post(&["swept".into(), mean.into()]);
    Ok(())
}

const NO_POLICY: &str = "this policy failed to load; check your connection and tick it again";
const NO_MEAN: &str = "no job finishes, so there is no mean response time";
const TOO_LARGE: &str = "the result could not be transferred; it may be too large for this browser";

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
