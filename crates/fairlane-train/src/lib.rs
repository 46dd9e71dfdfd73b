//! Trains the policy `decima` on Fairlane's simulator, and measures it (docs/decima.md).
//!
//! Workloads are those of the Decima paper from measured TPC-H profiles ([`workload`]). Weights that begin at random
//! ([`evolve`]) are simulated on them through the contract of all policies, and become better round by round ([`train`]).

pub mod evaluate;
pub mod evolve;
pub mod parallel;
pub mod plot;
pub mod random;
pub mod train;
pub mod workload;
