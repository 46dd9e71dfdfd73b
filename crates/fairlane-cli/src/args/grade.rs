//! The arguments of `fairlane grade`.

use clap::Args;

use crate::path::{InputPath, OutputPath};

#[derive(Args, Debug)]
pub(crate) struct GradeArgs {
    /// The lesson that was handed out, a Markdown document
    #[arg(value_name = "LESSON")]
    pub(crate) lesson: InputPath,

    /// Answer files as Hand in saves them, or folders with them
    #[arg(required = true, value_name = "ANSWERS")]
    pub(crate) answers: Vec<InputPath>,

    /// Write a line per file to this file, and no table
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<OutputPath>,

    /// Write all of it as one JSON object to this file, and no table
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<OutputPath>,
}
