//! Thin wrappers of what a browser offers: its document, storage, address, files and style sheets.
//!
//! Uses no other room.

pub mod address;
pub mod clock;
pub mod dom;
pub mod dropped_files;
pub mod fatal;
pub mod fetch;
pub mod first_paint;
pub mod identity;
pub mod locks;
pub mod storage;
pub mod stylesheet;
