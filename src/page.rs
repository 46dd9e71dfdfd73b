//! The page as a package of its own, so that it can be built to be small while the library that it rests on,
//! the simulator with all that is drawn of its traces, is built to be fast (see the profile `page`).
//!
//! Its source is beside the library's, where natively it is tested; the modules that only the page's own
//! thread uses are compiled here once more, for size.
#![cfg(target_arch = "wasm32")]

pub use fairlane::{PolicyId, PolicyKind, Scenario, Trace};
pub use fairlane::{
    catalog, engine, ernest, fluid, ids, metrics, number, order, policy, scenario, simulate, spark, sweep,
    trace, units, view,
};

pub mod app;
pub mod export;
pub mod fidelity;
pub mod lesson;
pub mod link;
