//! Drives the built page in a real Chromium or Firefox, as a reader of the page would.
//!
//! A test opens a [`Site`] (the built page behind a small server, any part of which a test may replace) and
//! a [`Lab`] (a browser with the page open). Every [`Lab`] method blocks, waits for what it needs and panics
//! at the test's own line with the page's text and console if it never appears, so a test reads as steps: see
//! `tests/harness.rs`.
//!
//! `CHROMEDRIVER`, `CHROME_BIN`, `GECKODRIVER` and `FIREFOX_BIN` name the programs where they are not on the path.

pub mod bench;
mod driver;
mod lab;
mod look;
mod site;

pub use fantoccini::key::Key;
pub use lab::{Lab, Rect};
pub use look::{Look, Scheme};
pub use serde_json::{Value, json};
pub use site::{Answer, Link, Site, Traffic, dist};
