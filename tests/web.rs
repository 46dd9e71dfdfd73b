//! The simulator and the page's browser parts, in a real browser.
#![cfg(target_arch = "wasm32")]

mod common;

use fairlane::app::{fatal, wire};
use fairlane::scenario::catalog;
use fairlane::{PolicyId, Scenario, simulate};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);
