//! Fairlane: an exact simulator of Apache Spark's task scheduler for many users on one cluster,
//! with the [policies](policy) of Spark and of the papers, each with and without runtime partitioning.
//!
//! There is one way through:
//!
//! ```text
//! scenario -> partition -> engine(policy) -> trace -> metrics
//!                                              \-> view -> app (draws) | cli (prints)
//! ```
//!
//! ```
//! use fairlane::{Scenario, simulate};
//! let scenario = Scenario::from_json(r#"{
//!     "format": "fairlane/scenario@1",
//!     "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1, 1, 2] }] }]
//! }"#)?;
//! let trace = simulate(&scenario, "uwfq".parse()?);
//! assert_eq!(trace.jobs[0].response(), Some(fairlane::units::Span(3_000_000)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything below `app` and `cli` is pure: no input or output, no clock, no threads. The same
//! scenario gives the same trace, byte for byte, natively and in the browser.

#![deny(missing_docs)]

// `docs/adding-a-policy.md` is the text of a file that works here and in any other crate.
extern crate self as fairlane;

#[cfg(doctest)]
#[doc = include_str!("../docs/adding-a-policy.md")]
struct AddingAPolicy;

#[cfg(doctest)]
#[doc = include_str!("../docs/rust.md")]
struct Rust;

#[cfg(any(feature = "web", all(test, not(target_arch = "wasm32"))))]
#[doc(hidden)]
pub mod app;
mod bits;
pub mod catalog;
#[cfg(all(feature = "cli", not(target_arch = "wasm32")))]
#[doc(hidden)]
pub mod cli;
mod comparison;
pub mod engine;
pub mod ernest;
pub mod export;
pub mod fidelity;
mod file;
pub mod fluid;
pub mod ids;
pub mod lesson;
pub mod link;
pub mod metrics;
pub mod number;
#[doc(hidden)]
pub mod order;
pub mod policy;
pub mod replay;
pub mod scenario;
#[cfg(feature = "spark")]
pub mod spark;
pub mod sweep;
#[cfg(feature = "tables")]
pub mod table;
mod tournament;
pub mod trace;
pub mod units;
pub mod view;

pub use comparison::{Comparison, compare};
pub use engine::simulate;
pub use policy::{PolicyId, PolicyKind};
pub use scenario::Scenario;
pub use trace::Trace;
