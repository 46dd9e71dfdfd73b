//! What the browser keeps: the session, the reader's own scenarios, lessons and predictions.
//!
//! May use the store, results and the browser.

pub mod lessons;
pub mod library;
pub mod predictions;
pub mod session;
