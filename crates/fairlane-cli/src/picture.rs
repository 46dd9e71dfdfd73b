//! Pictures of schedules as files.

use super::CliError;
use super::output::StagedFile;
use super::path::OutputPath;
use fairlane::metrics::Evaluation;
use fairlane::scenario::Scenario;
use fairlane_view::export::picture::picture;
use fairlane_view::export::svg::SvgTasks;

/// Width of the plots, in pixels.
const WIDTH: u32 = 1000;

/// Writes a picture of the runs, which becomes the file once it is committed.
pub(super) fn stage(
    path: &OutputPath,
    scenario: &Scenario,
    runs: &[Evaluation],
) -> Result<StagedFile, CliError> {
    let picture = picture(scenario, runs, WIDTH, SvgTasks::WithFacts);
    path.stage(|writer| writer.write_all(picture.as_bytes()))
}
