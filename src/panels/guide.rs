//! Lessons, predictions, questions to a class, help and how close the simulator is to real Spark.

pub mod about;
pub mod fidelity;
pub mod help;
pub mod lessons;
pub mod poll;
pub mod predict;
