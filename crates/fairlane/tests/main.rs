//! The tests of the library as one program, so that what they share is compiled once: `cargo test -p fairlane --test suite`
//! with the name of a file runs that file.

mod attempt_rules;
mod attempts;
mod bounded_fairness;
mod cases;
mod catalog;
mod common;
mod contract;
mod edits;
mod generate;
mod goldens;
mod idle_time;
mod inversions_and_stragglers;
mod metrics;
mod outcomes;
mod policy_rules;
mod properties;
mod ready_queues;
mod reference;
mod replay;
mod scripted;
mod slow_inversions;
mod worked_example;
