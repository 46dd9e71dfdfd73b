//! Editors of jobs and programs, and the fields that they consist of.

pub mod field;
pub mod job;
pub mod program;
