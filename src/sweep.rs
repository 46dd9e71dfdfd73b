//! Sweeps: one workload under many settings, a row of figures for each.
//!
//! A [`Grid`] lists its [`Point`]s in a fixed order; a point of a [`Workload`] becomes a [`Row`] by itself, without
//! its neighbours. So rows can be made in any order, on any number of threads or machines, and are the same bytes.
//! [`mod@line`] is how points and scenarios travel to other processes.

mod bench;
mod grid;
pub mod line;
mod row;
mod workload;

pub use bench::Bench;
pub use grid::{Grid, Point};
pub use row::{Fault, Label, Outcome, Row, Subject};
pub use workload::Workload;
