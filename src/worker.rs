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

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::WebAssembly::Memory;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::clock;
use super::codec::{Analyzer, Full, Results};
use super::deferred::{Loading, Unreachable};
use super::measurement::{self, Check, Measure};
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

/// What a worker's program starts without, beside the policies that are not ranked.
pub struct Later {
    analyze: Full,
    measure: Measure,
    properties: Check,
}

/// All of it, available once it is loaded.
pub static LATER: Later =
    Later { analyze: Analyzer::full, measure: measurement::measure, properties: measurement::check };

/// Loads what a worker's program starts without.
pub type Fetch = fn() -> Loading<&'static Later>;

/// Answers a message about a real cluster's log.
pub type Import = fn(&Array) -> Result<(), String>;

/// Loads what reads a real cluster's log.
pub type FetchImport = fn() -> Loading<Import>;

/// Answers the page's messages until the worker is terminated.
pub fn serve(fetch: Fetch, import: FetchImport) {
    std::panic::set_hook(Box::new(|info| post(&["panic".into(), info.to_string().into()])));
    // One after the other, also where an answer has to wait: each message builds on those before.
    let messages: Rc<RefCell<VecDeque<Array>>> = Rc::default();
    let answering: Rc<Cell<bool>> = Rc::default();
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let message: Array = event.data().unchecked_into();
        messages.borrow_mut().push_back(message);
        if answering.replace(true) {
            return;
        }
        let (messages, answering) = (Rc::clone(&messages), Rc::clone(&answering));
        wasm_bindgen_futures::spawn_local(async move {
            loop {
                let next = messages.borrow_mut().pop_front();
                let Some(message) = next else { break };
                if let Err(message) = answer(&message, fetch, import).await {
                    post(&["error".into(), message.into()]);
                }
                post(&["memory".into(), memory().into()]);
            }
            answering.set(false);
        });
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    post(&["ready".into()]);
}

async fn answer(message: &Array, fetch: Fetch, import: FetchImport) -> Result<(), String> {
    let word = |index| message.get(index).as_string().unwrap_or_default();
    match word(0).as_str() {
        "simulate" => {
            receive(message.get(4).as_string(), word(3))?;
            let policy = policy(&word(1), fetch).await?;
            match message.get(2).is_truthy() {
                true => simulate(policy, load(fetch).await?.analyze),
                false => simulate(policy, Analyzer::responses),
            }
        }
        "sweep" => {
            receive(message.get(4).as_string(), word(3))?;
            let policy = policy(&word(1), fetch).await?;
            measure(policy, &word(2), load(fetch).await?.measure)
        }
        "properties" => {
            receive(message.get(4).as_string(), word(3))?;
            let policy = policy(&word(1), fetch).await?;
            let check = load(fetch).await?.properties;
            let text = with_analyzer(|analyzer| check(analyzer.scenario(), policy, &mut reporter()))?;
            post(&["properties".into(), text.into()]);
            Ok(())
        }
        "import" => {
            let import = import().await.map_err(|Unreachable| NOT_LOADED.to_owned())?;
            import(message)
        }
        "check" => check(&word(1)),
        other => Err(format!("unknown task \"{other}\"")),
    }
}

/// The policy of this name, once this worker can simulate it.
async fn policy(name: &str, fetch: Fetch) -> Result<PolicyId, String> {
    let _ = fetch;
    name.parse().map_err(|error| format!("{error}"))
}

/// Loads the rest of the program, unless it is there already.
async fn load(fetch: Fetch) -> Result<&'static Later, String> {
    fetch().await.map_err(|Unreachable| NOT_LOADED.to_owned())
}

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

fn simulate(policy: PolicyId, analyze: Full) -> Result<(), String> {
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

/// Measures a figure of the scenario and sends it.
fn measure(policy: PolicyId, request: &str, measure: Measure) -> Result<(), String> {
    let figure = with_analyzer(|analyzer| measure(analyzer.scenario(), policy, request, &mut reporter()))?;
    post(&["swept".into(), figure.into()]);
    Ok(())
}

const NOT_LOADED: &str = "a part of the simulator failed to load; check your connection";
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
