//! Episodes for `fairlane.gym`: simulations that stop at each decision.

mod arena;
mod arrays;
mod crew;
mod episode;
mod player;

pub use arena::Arena;
