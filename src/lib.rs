//! The page: one store with a pure reducer, effects outside it, components that only draw.
//!
//! [`results`] and [`store`] call nothing of a browser and are tested natively. The page uses all crates below it but
//! the command.

#![allow(unsafe_code, reason = "what the macros of wasm-bindgen and zerocopy write is unsafe")]

pub mod results;
pub mod store;

mod app;
mod browser;
mod panels;
mod plots;
mod saved;
#[cfg(test)]
mod testing;
mod ui;
#[cfg(test)]
mod walk;
mod workers;

use wasm_bindgen::JsCast;

/// Runs the page, or a worker of it, whichever has loaded the program.
pub fn main() {
    match js_sys::global().has_type::<web_sys::Window>() {
        true => app::start::start(),
        false => workers::serve::serve(app::lazy::load_work),
    }
}
