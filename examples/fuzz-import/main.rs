//! Imports damaged logs, millions of them: each must become a scenario with a sound report, or be refused.
//!
//! ```text
//! recorded logs -> stories (a few lines) -> damage -> files (text, gzip, zstd, lz4, rolling) -> damage -> check
//!                                        -> answers of the REST API  -> damage             -> check
//! ```
//!
//! Input number N of a seed is always the same bytes. `./fairlane-dev test` runs this for a minute; a failure prints how to
//! replay it.

#[cfg(not(target_arch = "wasm32"))]
#[path = "../../tests/spark/answers.rs"]
mod answers;
#[cfg(not(target_arch = "wasm32"))]
mod check;
#[cfg(not(target_arch = "wasm32"))]
mod damage;
#[cfg(not(target_arch = "wasm32"))]
mod files;
#[cfg(not(target_arch = "wasm32"))]
mod memory;
#[cfg(not(target_arch = "wasm32"))]
mod run;
#[cfg(not(target_arch = "wasm32"))]
mod stories;

fn main() {
    #[cfg(not(target_arch = "wasm32"))]
    run::main();
}
