//! Parts of a page that know nothing of scheduling: dialogs, menus, scrolling, focus.
//!
//! May use the browser.

pub mod dialog;
pub mod focus;
pub mod menu;
pub mod scroll;
