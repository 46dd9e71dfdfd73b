//! Taking results in: they are read in slices, so that the page's thread has time for its reader in between.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::timers::future::TimeoutFuture;
use js_sys::{ArrayBuffer, Uint8Array};

use super::hear::{NONSENSE, dismiss};
use super::{Inner, News};
use crate::app::shared::Shared;
use crate::app::store::Document;
use crate::app::wire::{self, Source, Undecodable};
use crate::policy::PolicyId;

/// A simulation's bytes as a worker has sent them.
pub(super) struct Arrival {
    pub(super) revision: u32,
    pub(super) policy: PolicyId,
    pub(super) document: Shared<Document>,
    pub(super) now: ArrayBuffer,
    pub(super) later: Option<ArrayBuffer>,
}

/// Most milliseconds that results are read without a pause.
const SLICE_MS: f64 = 3.0;

/// Tells whoever works on the page's thread when it is time for a pause.
#[derive(Default)]
pub(super) struct Pace {
    /// When the slice under way ends.
    until: Cell<f64>,
}

impl Pace {
    fn begin(&self) {
        self.until.set(clock() + SLICE_MS);
    }

    /// Lets the page go on with something else, if it is time.
    async fn pause(&self) {
        if clock() >= self.until.get() {
            TimeoutFuture::new(0).await;
            self.begin();
        }
    }
}

/// Milliseconds, to a fraction.
fn clock() -> f64 {
    gloo::utils::window().performance().map_or_else(js_sys::Date::now, |performance| performance.now())
}

/// Reads a result and tells it; a worker that has sent a damaged one is ended.
pub(super) fn take_in(inner: &Rc<RefCell<Inner>>, serial: u32, arrival: Arrival) {
    let weak = Rc::downgrade(inner);
    let pace = Rc::clone(&inner.borrow().pace);
    let listener = Rc::clone(&inner.borrow().listener);
    pace.begin();
    wasm_bindgen_futures::spawn_local(async move {
        let Arrival { revision, policy, document, now, later } = arrival;
        let later = later.map(|buffer| Box::new(Bytes::of(&buffer)) as Box<dyn Source>);
        let pause = async || pace.pause().await;
        let outcome = wire::decode(&Bytes::of(&now), later, &document.scenario, policy, &pause).await;
        let damaged = matches!(outcome, Err(Undecodable::Damaged));
        let result = outcome.map(Shared::new).map_err(|error| match error {
            Undecodable::Damaged => NONSENSE.to_owned(),
            Undecodable::TooLarge => format!("{error}."),
        });
        listener(News::Simulated { revision, policy, result });
        if let Some(inner) = weak.upgrade().filter(|_| damaged) {
            dismiss(&inner, serial);
        }
    });
}

/// Bytes of a buffer of the browser's, outside of the page's own memory.
#[derive(Clone, Debug)]
struct Bytes(Uint8Array);

impl Bytes {
    fn of(buffer: &ArrayBuffer) -> Bytes {
        Bytes(Uint8Array::new(buffer))
    }
}

impl Source for Bytes {
    fn length(&self) -> usize {
        self.0.length() as usize
    }

    fn copy(&self, from: usize, into: &mut [u8]) {
        let from = from as u32;
        self.0.subarray(from, from + into.len() as u32).copy_to(into);
    }

    fn another(&self) -> Box<dyn Source> {
        Box::new(self.clone())
    }
}
