//! Where a document with the page in it is written.

use clap::Args;

use crate::path::{InputPath, OutputPath};

#[derive(Args, Debug)]
pub(crate) struct HtmlArgs {
    /// Write one document with the page, the scenario and these policies to this file: it opens in a browser without a
    /// server or a connection, and everything in it can be moved
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<OutputPath>,

    /// Use the page that is built in this folder for the document [default: the page within the command]
    #[arg(long, value_name = "FOLDER", requires = "html")]
    pub(crate) page: Option<InputPath>,
}
