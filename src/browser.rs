//! Thin wrappers of what a browser offers.

pub mod address;
pub mod clock;
pub mod dom;
pub mod dropped_files;
pub mod fatal;
pub mod fetch;
pub mod first_paint;
pub mod storage;
pub mod stylesheet;
