//! The arguments of `fairlane open`.

use clap::Args;

use super::{HistoryArgs, LogSource, ScenarioArg};
use crate::path::InputPath;

#[derive(Args, Debug)]
pub(crate) struct OpenArgs {
    /// Event logs, the folder of a rolling one or of several, or the address of a Spark History Server, with the
    /// cluster's fairscheduler.xml if it is at hand; or one scenario: a file, - for standard input, or catalog:NAME,
    /// also with traces or rows of a sweep of it. Without any, the page as it starts
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<LogSource<ScenarioArg>>,

    #[command(flatten)]
    pub(crate) history: HistoryArgs,

    /// Open the logs again as they grow, as that of a running application does; the page keeps playhead, zoom and
    /// policies
    #[arg(long)]
    pub(crate) watch: bool,

    /// Print the address of the page, and open no browser
    #[arg(long)]
    pub(crate) no_browser: bool,

    /// Show the page that is built in this folder [default: the page within the command]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) page: Option<InputPath>,
}
