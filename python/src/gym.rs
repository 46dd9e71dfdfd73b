//! Episodes for `fairlane.gym`: simulations that stop at each decision.

mod arena;
mod episode;
mod player;

pub use arena::Arena;
