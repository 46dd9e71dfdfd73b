//! A clock for the page and its workers.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the page or the worker started. Unlike the wall clock it is never set.
    #[wasm_bindgen(js_namespace = performance)]
    pub fn now() -> f64;
}
