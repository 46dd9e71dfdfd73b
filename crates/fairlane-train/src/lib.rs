//! Trains the policy `decima` on Fairlane's simulator, and measures it (docs/decima.md).
//!
//! Workloads are those of the Decima paper from measured TPC-H profiles ([`workload`]). Episodes go through the contract
//! of all policies ([`rollout`]); what was seen and chosen in them ([`record`]) gives gradients ([`gradient`], [`learn`])
//! that first bring the network close to a rule ([`teacher`]) and then may improve it ([`improve`]).

pub mod evaluate;
pub mod gradient;
pub mod improve;
pub mod learn;
pub mod parallel;
pub mod random;
pub mod record;
pub mod rollout;
pub mod teacher;
pub mod train;
pub mod workload;
