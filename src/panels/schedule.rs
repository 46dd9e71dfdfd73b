//! Schedules on the axis of time, and what stands around them.

pub mod block_tip;
pub mod front;
mod gutter;
pub mod heights;
pub mod hidden_future;
pub mod ideal;
pub mod legend;
mod outcome;
pub mod overview;
pub mod panel;
pub mod reorder;
mod shares;
pub mod story;
pub mod tools;
pub mod transport;
pub mod verdict;
pub mod waiting;
