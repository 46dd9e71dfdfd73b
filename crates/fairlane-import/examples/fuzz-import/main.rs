//! Imports damaged logs, millions of them: each must become a scenario with a sound report, or be refused.
//!
//! ```text
//! recorded logs -> stories (a few lines) -> damage -> files (text, compressed, zipped, rolling) -> damage -> check
//! ```
//!
//! Input number N of a seed is always the same bytes. `./fairlane-dev test` runs this for a minute; a failure prints
//! how to replay it.

mod check;
mod damage;
mod files;
mod memory;
mod run;
mod stories;

fn main() {
    run::main();
}
