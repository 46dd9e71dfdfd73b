//! Results of simulations and measurements, computed by workers, and the codec by which they reach the page.
//!
//! Uses no other room.

pub mod codec;
pub mod measurement;
pub mod shared;
