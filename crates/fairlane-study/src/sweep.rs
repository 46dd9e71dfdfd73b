//! Sweeps: one workload under many settings, a row of figures for each.
//!
//! A [`Grid`] lists its [`GridPoint`]s in a fixed order; a point of a [`Workload`] becomes a [`ResultRow`]
//! independently of its neighbours. So rows can be made in any order, on any number of threads or machines, and are the
//! same bytes. [`mod@line`] is how points and scenarios travel to other processes, and [`tune`] finds the best value of
//! one number.
//!
//! ```
//! use fairlane_study::sweep::{Bench, Grid, RowLabel, Workload};
//! let workload = Workload::from(fairlane::catalog::find("two-users").expect("an entry").scenario());
//! let grid = Grid { loads: vec![0.5, 1.0], ..Grid::new(vec!["fair".parse()?, "uwfq".parse()?]) };
//! let mut bench = Bench::default();
//! for point in 0..grid.points().expect("few points") {
//!     print!("{}", bench.row(RowLabel::default(), &workload, &grid.point(point)).to_json_line());
//! }
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

mod bench;
mod cost;
mod grid;
pub mod line;
mod row;
mod setting;
pub mod tune;
mod workload;

pub use bench::Bench;
pub use cost::{Cost, mark_pareto_edge};
pub use grid::{Grid, GridPoint};
pub use row::{ResultRow, RowError, RowLabel, RowOutcome, RowSubject};
pub use setting::Setting;
pub use workload::Workload;
