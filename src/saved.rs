//! What the browser keeps for the reader: the page, changed scenarios, lessons and predictions.
//!
//! Uses `browser`, `results` and `store`.

pub mod answers;
pub mod lessons;
pub mod library;
pub mod predictions;
pub mod session;
