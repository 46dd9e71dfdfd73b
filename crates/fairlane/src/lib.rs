//! Fairlane: an exact simulator of Apache Spark's task scheduler for many users on one cluster,
//! with the [policies](policy) of Spark and of the papers, each with and without runtime partitioning.
//!
//! There is one way through:
//!
//! ```text
//! scenario -> partition -> engine(policy) -> trace -> metrics
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
//! This crate uses no other crate of the repository; all others use it. It is pure: no input or output, no clock;
//! `compare` simulates on several threads, on which no result depends. The same scenario gives the same trace, byte for
//! byte, natively and in the browser.

#![deny(missing_docs)]

#[cfg(doctest)]
#[doc = include_str!("../../../docs/adding-a-policy.md")]
struct AddingAPolicy;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
struct Rust;

mod bits;
pub mod catalog;
mod comparison;
pub mod engine;
pub mod ernest;
pub mod fluid;
pub mod ids;
pub mod metrics;
pub mod number;
#[doc(hidden)]
pub mod order;
pub mod policy;
pub mod replay;
pub mod scenario;
mod tournament;
pub mod trace;
pub mod units;

pub use comparison::{Comparison, compare};
pub use engine::simulate;
pub use policy::{PolicyId, PolicyKind};
pub use scenario::Scenario;
pub use trace::Trace;
