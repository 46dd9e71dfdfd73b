//! The worker's side: works on one task at a time and answers with [`FromWorker`].

use std::cell::RefCell;

use js_sys::WebAssembly::Memory;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::messages::{FromWorker, SentScenario, ToWorker, pack, unpack};
use super::work::{LoadWork, Unreachable};
use crate::browser::clock;
use crate::results::codec::{AnalysisHead, Analyzer, EncodedAnalysis};
use crate::store::is_loaded_later;
use fairlane::engine::Control;
use fairlane::metrics::EvaluationDetail;
use fairlane::scenario::{Edit, Scenario};

/// Shortest time between two reports of progress, in milliseconds.
const PROGRESS_EVERY_MS: f64 = 100.0;

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn post(message: &FromWorker) {
    // A post can only fail for what cannot be cloned; bytes can.
    let _ = scope().post_message(&pack(message, []));
}

/// Answers the page's messages until the worker is terminated. The page sends nothing to a worker whose task has to
/// wait for what `load` brings.
pub fn serve(load: LoadWork) {
    std::panic::set_hook(Box::new(|info| post(&FromWorker::Crashed(info.to_string()))));
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        wasm_bindgen_futures::spawn_local(async move {
            if let Err(message) = answer(event.data(), load).await {
                post(&FromWorker::Failed(message));
            }
            post(&FromWorker::Memory(memory()));
        });
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    post(&FromWorker::Ready);
}

async fn answer(message: JsValue, load: LoadWork) -> Result<(), String> {
    let (message, attached) = unpack::<ToWorker>(message).ok_or("the worker was sent an invalid task")?;
    let work = async || load().await.map_err(|Unreachable| NOT_LOADED.to_owned());
    match message {
        ToWorker::Simulate { policy, detail, scenario } => {
            if is_loaded_later(policy.kind) {
                work().await?;
            }
            receive(scenario)?;
            let results = with_analyzer(|analyzer| {
                let results = match detail {
                    EvaluationDetail::Full => analyzer.full(policy, &mut reporter()),
                    _ => analyzer.responses(policy, &mut reporter()),
                };
                results.map_err(|error| error.to_string())
            })?;
            post_results(FromWorker::Simulated, results)
        }
        ToWorker::Measure { policy, subject, generator, scenario } => {
            receive(scenario)?;
            let measure = work().await?.measure;
            let figure = with_analyzer(|analyzer| {
                measure(analyzer.scenario(), policy, subject, generator.as_deref(), &mut reporter())
            })?;
            post(&FromWorker::Measured(figure));
            Ok(())
        }
        ToWorker::CheckProperties { policy, scenario } => {
            receive(scenario)?;
            let check = work().await?.check;
            let properties = with_analyzer(|analyzer| check(analyzer.scenario(), policy, &mut reporter()))?;
            post(&FromWorker::Properties(properties));
            Ok(())
        }
        ToWorker::Import(rules) => {
            let import = work().await?.import;
            import(&rules, &attached)
        }
        ToWorker::CheckText(text) => {
            Scenario::from_json(&text).map_err(|error| error.to_string())?;
            post(&FromWorker::Valid);
            Ok(())
        }
    }
}

const NOT_LOADED: &str = "a part of the simulator failed to load; check your connection";

thread_local! {
    /// What was received last: it is simulated under several policies in a row.
    static RECEIVED: RefCell<Option<Received>> = const { RefCell::new(None) };
}

/// A scenario that was received, and the version of it that is simulated.
struct Received {
    base: Scenario,
    /// What makes the version.
    edit: Option<Edit>,
    analyzer: Analyzer,
}

/// Makes a scenario the one that is simulated from now on.
fn receive(sent: SentScenario) -> Result<(), String> {
    let SentScenario { base, edit } = sent;
    // Taken out meanwhile: after an error nothing half done is left.
    let (base, earlier) = match (base, RECEIVED.take()) {
        (Some(json), earlier) => {
            let base = Scenario::from_json(&json).map_err(|error| error.to_string())?;
            (base, earlier.map(|received| received.analyzer))
        }
        (None, Some(received)) if received.edit == edit => {
            RECEIVED.set(Some(received));
            return Ok(());
        }
        (None, Some(received)) => (received.base, Some(received.analyzer)),
        (None, None) => return Err(NO_SCENARIO.to_owned()),
    };
    let version = match &edit {
        Some(edit) => base.with(edit).map_err(|error| error.to_string())?,
        None => base.clone(),
    };
    let analyzer = match earlier {
        Some(earlier) => earlier.after(version),
        None => Analyzer::new(version),
    };
    RECEIVED.set(Some(Received { base, edit, analyzer }));
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
            post(&FromWorker::Progress(part));
        }
        Control::Continue
    }
}

/// Sends an analysis, with its columns transferred and not copied.
pub(super) fn post_results(
    message: impl FnOnce(AnalysisHead) -> FromWorker,
    results: EncodedAnalysis,
) -> Result<(), String> {
    let mut buffers = vec![buffer(&results.columns())?];
    if let Some(later) = &results.later {
        buffers.push(buffer(&[later])?);
    }
    let transferred: Array = buffers.iter().collect();
    let message = pack(&message(results.head), buffers.into_iter().map(JsValue::from));
    scope().post_message_with_transfer(&message, &transferred).map_err(|_| TOO_LARGE.to_owned())
}

const TOO_LARGE: &str = "the result could not be transferred; it may be too large for this browser";

/// Copies pieces out of this thread's memory, one behind the other: the one copy on this side.
pub(super) fn buffer(pieces: &[&[u8]]) -> Result<ArrayBuffer, String> {
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
fn memory() -> u32 {
    let memory: Memory = wasm_bindgen::memory().unchecked_into();
    let buffer: ArrayBuffer = memory.buffer().unchecked_into();
    buffer.byte_length()
}
