//! Policies that are programs in a scenario, written in [Rhai](https://rhai.rs): an expression that ranks the stages,
//! or functions that Fairlane calls at events. `docs/custom.md` is their documentation.
//!
//! [`install`] makes `fairlane` run them. A program has no clock, no files and no randomness but the scenario's seed,
//! and limits on operations, depth and sizes; mathematics is `libm`'s, so that a browser gives the same schedule.
//!
//! ```
//! fairlane_custom::install();
//! let scenario = fairlane::Scenario::from_json(r#"{ "format": "fairlane/scenario@1",
//!     "policies": { "custom": { "program": "running / weight" } },
//!     "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1, 2] }] }] }"#)?;
//! let trace = fairlane::simulate(&scenario, "custom".parse()?);
//! assert_eq!(trace.end().seconds(), 2.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod code;
mod error;
mod keys;
mod language;
pub mod names;
mod policy;
mod program;
pub mod request;
mod script;
pub mod starters;
mod syntax;

use fairlane::policy::{Context, Policy, ProgramError, custom};

pub use policy::{CodePolicy, ProgramPolicy};
pub use program::Program;
pub use script::Script;
pub use syntax::FUNCTIONS;

/// Makes `fairlane` run programs.
pub fn install() {
    custom::install(create);
}

/// The policy of a program's text.
///
/// # Errors
/// A mistake that shows before the simulation starts.
pub fn create(context: &Context, text: &str, seed: u32) -> Result<Box<dyn Policy>, ProgramError> {
    Ok(Box::new(ProgramPolicy::new(context, Program::new(text)?, seed)?))
}
