//! The built page, used as its readers use it.

mod axe;
mod bad_input;
mod charts;
mod compare;
mod deferred;
mod drag_rate;
mod fidelity;
mod figures;
mod firefox;
mod fits;
mod frames;
mod generator;
mod gestures;
mod kept;
mod keyboard;
mod large;
mod lessons;
mod many_cores;
mod opens;
mod own_work;
mod playhead;
mod reveal;
mod simulations;
mod steps;
mod theme;
mod workers;
