//! Components and hooks that know nothing of scheduling: dialogs, menus, scrolling, focus, sizes.
//!
//! Uses `browser`.

pub mod dialog;
pub mod focus;
pub mod hooks;
pub mod menu;
pub mod scroll;
