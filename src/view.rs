//! Where things lie on a picture: pure geometry without a browser, tested natively.
//!
//! Three spaces are told apart by name: time (microseconds), fractions of a plot's width (0 to 1,
//! shared by every panel) and device pixels (whole).

pub mod axis;
pub mod chart;
pub mod gantt;
pub mod lanes;
pub mod pick;
mod snap;
mod zoom;

pub use axis::TimeAxis;
pub use snap::{grid, snap};
