//! One document with the page, a scenario and what is shown of it: that of the page, filled.

use std::collections::BTreeSet;

use super::CliError;
use super::args::{HtmlArgs, ScenarioArg};
use super::open::Page;
use super::output::StagedFile;
use fairlane::catalog;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane_view::export::one_document::{self, OneDocumentError};
use fairlane_view::link::{Origin, Session};
use fairlane_view::view::View;

/// Writes the document that is asked for, which becomes the file once it is committed.
pub(super) fn stage(
    args: &HtmlArgs,
    source: &ScenarioArg,
    scenario: &Scenario,
    policies: impl IntoIterator<Item = PolicyId>,
) -> Result<Option<StagedFile>, CliError> {
    let Some(path) = &args.html else { return Ok(None) };
    let error = |fault: OneDocumentError| match fault {
        OneDocumentError::Foreign => CliError::new("the page", fault.to_string()),
        OneDocumentError::TooLarge(_) => CliError::new(path.path().display().to_string(), fault.to_string()),
    };
    let page = Page::of(args.page.as_ref())?;
    let page = page.read(one_document::FILE).ok_or_else(|| error(OneDocumentError::Foreign))?;
    let view = View { policies: policies.into_iter().collect::<BTreeSet<_>>(), ..View::default() };
    let session = Session::new(scenario.clone(), origin(source, scenario), view);
    let document = one_document::fill(&page, &session).map_err(error)?;
    path.stage(|writer| writer.write_all(&document)).map(Some)
}

/// Where the scenario is from, as the page shows it.
pub(super) fn origin(source: &ScenarioArg, scenario: &Scenario) -> Origin {
    match source {
        ScenarioArg::Catalog(name) => match catalog::find(name) {
            Some(entry) => Origin::Catalog(entry.name),
            None => Origin::File(name.clone()),
        },
        ScenarioArg::File(path) => {
            let name = path.path().file_name().map(|name| name.to_string_lossy().into_owned());
            Origin::File(name.unwrap_or_else(|| scenario.name().to_owned()))
        }
        ScenarioArg::StandardInput => Origin::File("scenario.json".to_owned()),
    }
}
