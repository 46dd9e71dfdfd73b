//! What is studied with the simulator: [guided tours](lesson) whose figures are simulated, the [comparison](fidelity)
//! with real Spark and with other papers' results, and [sweeps](sweep) over settings, with the tuning of one of them.
//!
//! Uses `fairlane` and `fairlane-view` (what a lesson shows on the page, and figures by their headings); the page and
//! the command use it. Pure: the same settings give the same figures on any machine.

#![deny(missing_docs)]

pub mod fidelity;
pub mod lesson;
pub mod sweep;
