//! The page as a whole and demos of it: what starts them, and what they do beyond drawing.
//!
//! May use every other room.

pub mod background;
pub mod demo;
pub mod effects;
pub mod lab;
pub mod lazy;
pub mod open_files;
pub mod start;
