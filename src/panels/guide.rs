//! Lessons, predictions, help and how close the simulator is to real Spark.

pub mod about;
pub mod fidelity;
pub mod help;
mod lesson_link;
pub mod lessons;
pub mod predict;

pub use lesson_link::{lesson_about, lesson_link};
