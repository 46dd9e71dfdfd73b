//! Decoding in slices, so that the page's thread has time for the reader in between.

use std::cell::Cell;

use gloo::timers::future::TimeoutFuture;
use js_sys::{ArrayBuffer, Uint8Array};

use crate::browser::clock;
use crate::results::codec::{self, Analysis, AnalysisHead, ByteSource, DecodeError};
use crate::store::Document;
use fairlane::policy::PolicyId;

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
        head: AnalysisHead,
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
        codec::decode(head, &Bytes::new(&now), later, &document.scenario, policy, &pause).await
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
