//! The tests of lessons, challenges and papers as one program.

mod challenges;
mod lessons;
mod papers;
mod recorded;
