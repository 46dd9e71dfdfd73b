//! The built page, used as its readers use it.

mod bad_input;
mod figures;
mod keyboard;
mod large;
mod opens;
mod playhead;
mod steps;
mod theme;
mod workers;
