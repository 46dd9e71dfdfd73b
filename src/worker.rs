//! The worker's side: works on one task at a time and answers with bytes.
//!
//! Messages are arrays whose first item is a word. To the worker: `["simulate", policy, whether in full, moves]`,
//! `["sweep", policy, request as JSON, moves]`, `["properties", policy, null, moves]` and `["check", text]`. All but the
//! last are about the last scenario sent, with jobs moved in it (see [`super::store::moves`]); another one follows as JSON. `["import", jobs, users, estimates, files]` reads a log; a file of the page's own is given by its address. From it: `["ready"]` once,
//! then `["progress", part]` and one of `["done", what is needed at once]` (of a full analysis followed by the two parts
//! that are needed later), `["swept", figure]`, `["properties", JSON]`, `["valid"]`, `["imported", scenario,
//! policy, report, ties, those to the first name]` followed by the three parts of the recorded schedule, or `["error", message]`, after which
//! `["memory", bytes]` reports how large it has grown; `["panic", message]` is its last. Results are buffers of
//! [`super::codec`], transferred and not copied.

use std::cell::RefCell;

use js_sys::WebAssembly::Memory;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::clock;
use super::codec::{Analyzer, Results};
use super::later::{self, Unreachable};
use super::store::moves;
use fairlane::engine::Control;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;

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

/// Answers the page's messages until the worker is terminated. The page sends nothing to a worker whose task has to wait
/// for the parts that are loaded later.
pub fn serve() {
    std::panic::set_hook(Box::new(|info| post(&["panic".into(), info.to_string().into()])));
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(|event: MessageEvent| {
        let message: Array = event.data().unchecked_into();
        wasm_bindgen_futures::spawn_local(async move {
            if let Err(message) = answer(&message).await {
                post(&["error".into(), message.into()]);
            }
            post(&["memory".into(), memory().into()]);
        });
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    post(&["ready".into()]);
}

async fn answer(message: &Array) -> Result<(), String> {
    let word = |index| message.get(index).as_string().unwrap_or_default();
    let policy = || word(1).parse::<PolicyId>().map_err(|error| error.to_string());
    let receive = || receive(message.get(4).as_string(), word(3));
    let parts = async || later::load().await.map_err(|Unreachable| NOT_LOADED.to_owned());
    match word(0).as_str() {
        "simulate" => {
            receive()?;
            simulate(policy()?, message.get(2).is_truthy())
        }
        "sweep" => {
            receive()?;
            let (policy, measure) = (policy()?, parts().await?.measure);
            let figure =
                with_analyzer(|analyzer| measure(analyzer.scenario(), policy, &word(2), &mut reporter()))?;
            post(&["swept".into(), figure.into()]);
            Ok(())
        }
        "properties" => {
            receive()?;
            let (policy, check) = (policy()?, parts().await?.check);
            let text = with_analyzer(|analyzer| check(analyzer.scenario(), policy, &mut reporter()))?;
            post(&["properties".into(), text.into()]);
            Ok(())
        }
        "import" => (parts().await?.import)(message),
        "check" => check(&word(1)),
        other => Err(format!("unknown task \"{other}\"")),
    }
}

const NOT_LOADED: &str = "a part of the simulator failed to load; check your connection";

fn check(text: &str) -> Result<(), String> {
    Scenario::from_json(text).map_err(|error| error.to_string())?;
    post(&["valid".into()]);
    Ok(())
}

thread_local! {
    /// What was received last: it is simulated under several policies in a row.
    static RECEIVED: RefCell<Option<Received>> = const { RefCell::new(None) };
}

/// A scenario that was received, and the version of it that is simulated.
struct Received {
    base: Scenario,
    /// The moves that make the version, as text.
    moves: String,
    analyzer: Analyzer,
}

/// Makes a scenario, if there is another one, with some moves the version that is simulated from now on.
fn receive(json: Option<String>, moves: String) -> Result<(), String> {
    // Taken out meanwhile: after an error nothing half done is left.
    let (base, earlier) = match (json, RECEIVED.take()) {
        (Some(json), earlier) => {
            let base = Scenario::from_json(&json).map_err(|error| error.to_string())?;
            (base, earlier.map(|received| received.analyzer))
        }
        (None, Some(received)) if received.moves == moves => {
            RECEIVED.set(Some(received));
            return Ok(());
        }
        (None, Some(received)) => (received.base, Some(received.analyzer)),
        (None, None) => return Err(NO_SCENARIO.to_owned()),
    };
    let version = moves::moved(&base, &moves).map_err(|error| error.to_string())?;
    let analyzer = match earlier {
        Some(earlier) => earlier.after(version),
        None => Analyzer::new(version),
    };
    RECEIVED.set(Some(Received { base, moves, analyzer }));
    Ok(())
}

/// Does something with the analyzer of what was received last.
fn with_analyzer<T>(work: impl FnOnce(&mut Analyzer) -> Result<T, String>) -> Result<T, String> {
    // Taken out meanwhile: should the work end in a panic, nothing half done is left.
    let mut received = RECEIVED.take().ok_or(NO_SCENARIO)?;
    let result = work(&mut received.analyzer);
    RECEIVED.set(Some(received));
    result
}

const NO_SCENARIO: &str = "the worker was sent no scenario";

/// Reports now and then which part of the work is done.
pub(super) fn reporter() -> impl FnMut(f64) -> Control {
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

fn simulate(policy: PolicyId, in_full: bool) -> Result<(), String> {
    let analyze = if in_full { Analyzer::full } else { Analyzer::responses };
    let results = with_analyzer(|analyzer| {
        analyze(analyzer, policy, &mut reporter()).map_err(|stopped| stopped.to_string())
    })?;
    post_results(&["done".into()], results)
}

/// Sends an analysis behind some words, transferred and not copied.
pub(super) fn post_results(words: &[JsValue], results: Results) -> Result<(), String> {
    let mut buffers = vec![buffer(&results.columns())?];
    if let Some(later) = &results.later {
        buffers.push(buffer(&[later])?);
    }
    drop(results);
    let transferred: Array = buffers.iter().collect();
    let message = words.iter().collect::<Array>().concat(&transferred);
    scope().post_message_with_transfer(&message, &transferred).map_err(|_| TOO_LARGE.to_owned())
}

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
