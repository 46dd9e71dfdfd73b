//! The tests of programs as policies, as one program.

mod hostile;
mod lines;
mod starters;
