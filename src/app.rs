//! The page as a whole and demos of it: how they start, and what they do beyond drawing.
//!
//! Uses `browser`, `panels`, `plots`, `results`, `saved`, `store`, `ui` and `workers`.

pub mod background;
pub mod demo;
pub mod effects;
pub mod lab;
pub mod lazy;
pub mod lesson_links;
pub mod linked_files;
pub mod open_files;
pub mod start;
mod welcome;
