//! The tests of the command as one program: `cargo test -p fairlane-cli --test suite` with the name of a file runs that
//! file.

mod batch;
mod cli;
mod command;
mod compare;
mod custom;
mod fidelity;
mod files;
mod generate;
mod grade;
mod help;
mod history;
mod html;
mod import;
mod lesson;
mod open;
mod properties;
mod simulate;
mod sweep;
mod teaching;
mod tune;
