//! The page: one store with a pure reducer, effects outside it, components that only draw.
//!
//! [`charts`], [`codec`], [`history`], [`store`], [`selectors`], [`measurement`] and [`workload_form`] call nothing of a
//! browser and are tested natively. The page uses all crates below it but the command.

pub mod charts;
pub mod codec;
pub mod history;
pub mod markup;
pub mod measurement;
pub mod selectors;
pub mod shared;
pub mod store;
pub mod watchdog;
pub mod workload_form;

mod address;
mod background;
mod clock;
mod cover;
pub mod deferred;
mod demo;
mod dropped;
mod effects;
pub mod fatal;
mod fetched;
mod heights;
mod instants;
mod library;
pub mod log;
mod panels;
pub mod parts;
mod persistence;
pub mod picture;
mod plots;
mod pool;
mod root;
pub mod start;
mod storage;
mod stylesheet;
mod theme;
pub mod worker;

/// Runs the page, or a worker of it, whichever has loaded the program.
pub fn main() {
    use deferred::Fetch;
    use wasm_bindgen::JsCast;
    if js_sys::global().has_type::<web_sys::Window>() {
        start::start(
            || Box::pin(async { Ok(start::mount as start::Interface) }),
            Fetch(|| Box::pin(async { Ok(parts::load()) })),
            || Box::pin(async { Ok(()) }),
        );
    } else {
        worker::serve(
            || Box::pin(async { Ok(&worker::LATER) }),
            || Box::pin(async { Ok(log::import as worker::Import) }),
        );
    }
}
