//! Lessons, predictions, help and how close the simulator is to real Spark.

pub mod about;
pub mod fidelity;
pub mod help;
pub mod lessons;
pub mod predict;
