//! The arguments of `fairlane lesson`.

use clap::{Args, Subcommand};

use crate::path::InputPath;

#[derive(Args, Debug)]
pub(crate) struct LessonArgs {
    #[command(subcommand)]
    pub(crate) command: LessonCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LessonCommand {
    /// Simulate what lessons say, check every claim, and print what was read as an outline with its figures
    Check(LessonCheckArgs),
    /// Print a lesson to begin with
    New,
}

#[derive(Args, Debug)]
pub(crate) struct LessonCheckArgs {
    /// Lessons, Markdown documents as `fairlane lesson new` prints one
    #[arg(required = true, value_name = "FILE")]
    pub(crate) lessons: Vec<InputPath>,

    /// Also refuse what is only a warning, such as a number that is written down
    #[arg(long)]
    pub(crate) strict: bool,

    /// Check the lessons as this student has them, if each has a scenario of their own (`seed: student`)
    #[arg(long, value_name = "NAME")]
    pub(crate) student: Option<String>,

    /// As how many made-up students a lesson with `seed: student` is checked as well; 0: as none
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(..=10_000))]
    pub(crate) tries: u32,

    /// Print nothing about lessons without a fault
    #[arg(long)]
    pub(crate) quiet: bool,
}
