//! The page: one store with a pure reducer, effects outside it, components that only draw.
//!
//! [`charts`], [`codec`], [`history`], [`store`], [`selectors`], [`measurement`] and [`workload_form`] call nothing
//! of a browser and are tested natively. The page uses all crates below it but the command.

#![allow(unsafe_code, reason = "what the macros of wasm-bindgen and zerocopy write is unsafe")]

pub mod charts;
pub mod codec;
pub mod history;
pub mod measurement;
pub mod selectors;
pub mod shared;
pub mod store;
pub mod watchdog;
pub mod workload_form;

mod address;
mod background;
mod clock;
mod demo;
mod dom;
mod dropped;
mod effects;
mod fatal;
mod fetched;
mod files;
mod focus;
mod heights;
mod instants;
mod later;
mod library;
mod log;
mod menus;
mod messages;
mod panels;
mod persistence;
mod plots;
mod pool;
mod root;
mod start;
mod storage;
mod stylesheet;
#[cfg(test)]
mod testing;
mod theme;
#[cfg(test)]
mod walk;
mod worker;

use wasm_bindgen::JsCast;

/// Runs the page, or a worker of it, whichever has loaded the program.
pub fn main() {
    match js_sys::global().has_type::<web_sys::Window>() {
        true => start::start(),
        false => worker::serve(),
    }
}
