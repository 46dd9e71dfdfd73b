//! Components and hooks that know nothing of scheduling: dialogs, menus, tables, icons, scrolling, focus, sizes,
//! sending actions, loading parts later.
//!
//! Uses `browser`.

pub mod dialog;
pub mod focus;
pub mod hooks;
pub mod icon;
pub mod lazy;
pub mod menu;
pub mod scroll;
pub mod send;
pub mod table;
