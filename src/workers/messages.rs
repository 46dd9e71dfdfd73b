//! The messages between the page and its workers: an enum for each direction, encoded by postcard. Both ends are the
//! same build of the program. What is large or the browser's own is attached to the bytes: columns of numbers as
//! buffers, which are transferred and not copied, and files.

use js_sys::{Array, Uint8Array};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};

use crate::results::codec::{self, AnalysisHead};
use crate::results::measurement::MeasurementRequest;
use crate::store::{LogReport, LogRules};
use fairlane::metrics::{EvaluationDetail, Properties};
use fairlane::policy::PolicyId;
use fairlane::scenario::Edit;

/// What a worker is asked.
#[derive(Deserialize, Serialize)]
pub enum ToWorker {
    /// Simulates a scenario under a policy.
    Simulate { policy: PolicyId, detail: EvaluationDetail, scenario: SentScenario },
    /// Measures a point of a sweep. `generator` makes the scenario from another seed, as JSON.
    Measure {
        policy: PolicyId,
        subject: MeasurementRequest,
        generator: Option<String>,
        scenario: SentScenario,
    },
    /// Finds out what a policy guarantees.
    CheckProperties { policy: PolicyId, scenario: SentScenario },
    /// Checks that a text is a scenario.
    CheckText(String),
    /// Reads a log. Its files are attached; one of the page's own by its address.
    Import(LogRules),
}

/// A scenario as a worker gets it: what it has already is not sent again.
#[derive(Deserialize, Serialize)]
pub struct SentScenario {
    /// The scenario as JSON; `None`: the one that was sent last.
    pub base: Option<String>,
    /// What is changed in it.
    pub edit: Option<Edit>,
}

/// What a worker reports.
#[derive(Deserialize, Serialize)]
pub enum FromWorker {
    /// It listens; once.
    Ready,
    /// Which part of its task is done, 0 to 1.
    Progress(f64),
    /// A simulation, with the columns that are needed at once and those that are needed later, if any, attached.
    Simulated(AnalysisHead),
    /// A figure.
    Measured(f64),
    /// What a policy guarantees.
    Properties(Box<Properties>),
    /// The text is a scenario.
    Valid,
    /// A log: its scenario as JSON, and the recorded schedule, with columns as [`FromWorker::Simulated`] has them.
    Imported {
        scenario: String,
        ran_with: PolicyId,
        ties: [u64; 2],
        report: Box<LogReport>,
        recorded: AnalysisHead,
    },
    /// The task failed: a sentence.
    Failed(String),
    /// After each task, how many bytes its memory has grown to.
    Memory(u32),
    /// Its last message: why it crashed.
    Crashed(String),
}

/// A message as the browser carries it: its bytes, then what is attached.
pub fn pack(message: &impl Serialize, attached: impl IntoIterator<Item = JsValue>) -> Array {
    let bytes = Uint8Array::from(&codec::to_bytes(message)[..]);
    std::iter::once(bytes.into()).chain(attached).collect()
}

/// A message, and what is attached to it; `None` if it is damaged.
pub fn unpack<T: DeserializeOwned>(data: JsValue) -> Option<(T, Array)> {
    let attached: Array = data.dyn_into().ok()?;
    let bytes: Uint8Array = attached.shift().dyn_into().ok()?;
    Some((codec::from_bytes(&bytes.to_vec()).ok()?, attached))
}
