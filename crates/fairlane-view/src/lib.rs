//! What is seen of a simulation: the geometry of the charts, a session as the text of a [`link`], and results as
//! [JSON, CSV and SVG](export). Pure functions without a browser, tested natively.
//!
//! Uses `fairlane` and nothing else of ours; lessons, the page, the command and the packages for JavaScript and Python
//! use it.
//!
//! Names distinguish three spaces: time (microseconds), fractions of a plot's width (0 to 1,
//! shared by every panel) and device pixels (whole).
//!
//! ```
//! use fairlane::units::Time;
//! use fairlane_view::TimeAxis;
//! let axis = TimeAxis { from: Time(0), to: Time(4_000_000) };
//! assert_eq!(axis.fraction(Time(1_000_000)), 0.25);
//! ```

#![deny(missing_docs)]

pub mod arrival;
pub mod axis;
#[cfg(feature = "charts")]
pub mod chart;
pub mod chips;
pub mod curve;
pub mod estimates;
pub mod executors;
pub mod export;
pub mod gantt;
pub mod hue;
pub mod ideal;
pub mod killed;
pub mod lanes;
pub mod link;
pub mod memory;
pub mod motion;
pub mod not_yet;
pub mod overview;
pub mod pick;
pub mod predict;
pub mod reorder;
pub mod shares;
mod snap;
#[cfg(test)]
mod testing;
pub mod verdict;
pub mod view;
#[cfg(feature = "charts")]
pub mod virtual_time;
pub mod words;
mod zoom;

pub use axis::TimeAxis;
pub use snap::{grid, snap};
