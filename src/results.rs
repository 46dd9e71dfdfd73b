//! What workers compute, as the page keeps it, and the codec between the two.
//!
//! Uses no other room.

pub mod codec;
pub mod measurement;
pub mod shared;
