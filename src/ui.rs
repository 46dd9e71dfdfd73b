//! Components and hooks that know nothing of scheduling: dialogs, menus, tables, icons, scrolling, focus, sizes,
//! sending actions.
//!
//! Uses `browser`.

pub mod dialog;
pub mod focus;
pub mod hooks;
pub mod icon;
pub mod menu;
pub mod scroll;
pub mod send;
pub mod table;
