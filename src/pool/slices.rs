//! Decoding in slices, so that the page's thread has time for the reader in between.

use std::cell::Cell;
use std::rc::Rc;

use gloo::timers::future::TimeoutFuture;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::JsCast;

use crate::clock;
use crate::codec::{self, Analysis, ByteSource, DecodeError};
use crate::shared::Shared;
use crate::store::{Document, ImportedLog, LogRules};
use fairlane::policy::{OBSERVED, PolicyId};
use fairlane::scenario::Scenario;
use fairlane_view::link::Origin;

/// Longest time that is spent on decoding without a pause, in milliseconds.
const SLICE_MS: f64 = 3.0;

/// The slice under way, which all results being decoded share.
#[derive(Default)]
pub(super) struct Slices {
    /// When it ends, in milliseconds.
    end: Cell<f64>,
}

impl Slices {
    /// Decodes an analysis.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub(super) async fn decode(
        &self,
        now: ArrayBuffer,
        later: Option<ArrayBuffer>,
        document: &Document,
        policy: PolicyId,
    ) -> Result<Analysis, DecodeError> {
        self.end.set(clock::now() + SLICE_MS);
        let later = later.map(|buffer| Box::new(Bytes::new(&buffer)) as Box<dyn ByteSource>);
        let pause = async || {
            if clock::now() >= self.end.get() {
                TimeoutFuture::new(0).await;
                self.end.set(clock::now() + SLICE_MS);
            }
        };
        codec::decode(&Bytes::new(&now), later, &document.scenario, policy, &pause).await
    }
}

impl Slices {
    /// A document from a worker's message about a log: the scenario, the policy that it ran with, the report, the ties
    /// between pools and those to the first name, and the recorded schedule. `None` if the message is invalid.
    pub(super) async fn log(
        &self,
        message: &Array,
        name: &str,
        number: usize,
        rules: LogRules,
    ) -> Option<Document> {
        let text = |index| message.get(index).as_string();
        let buffer = |index| message.get(index).dyn_into::<ArrayBuffer>().ok();
        // The worker has made it, so reading it again here cannot take long or fail.
        let scenario = Scenario::from_json(&text(1)?).ok()?;
        let (ran_with, report) = (text(2)?.parse().ok()?, serde_json::from_str(&text(3)?).ok()?);
        let mut document = Document::new(scenario, Origin::File(name.to_owned()));
        let count = |index| message.get(index).as_f64().map(|count| count as u64);
        let ties = [count(4)?, count(5)?];
        let later = Some(buffer(7)?);
        let analysis = self.decode(buffer(6)?, later, &document, OBSERVED).await.ok()?;
        let analysis = Shared::new(analysis);
        document.log = Some(Rc::new(ImportedLog { number, rules, analysis, ran_with, report, ties }));
        Some(document)
    }
}

/// Bytes of a buffer of the browser's, outside of the page's own memory.
#[derive(Debug)]
struct Bytes(Uint8Array);

impl Bytes {
    fn new(buffer: &ArrayBuffer) -> Bytes {
        Bytes(Uint8Array::new(buffer))
    }
}

impl ByteSource for Bytes {
    fn length(&self) -> usize {
        self.0.length() as usize
    }

    fn copy(&self, offset: usize, into: &mut [u8]) {
        let offset = offset as u32;
        self.0.subarray(offset, offset + into.len() as u32).copy_to(into);
    }
}
