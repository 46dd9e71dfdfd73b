//! Scenarios after what other papers published of their schedulers that are computed from a few numbers.
//!
//! The others are files in `scenarios/` and workloads of the generator. What comes out beside what was published is in
//! `fairlane_study::fidelity::papers`.

pub mod bopf;
