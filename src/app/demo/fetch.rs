//! Scenario files at an address, for demos.

use crate::browser::fetch;
use crate::store::{Document, Notice};
use fairlane::scenario::Scenario;
use fairlane_view::link::{LinkBounds, Origin};

/// Why a demo shows nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct DemoFault {
    /// What the reader is told.
    pub notice: Notice,
    /// Whether it says what is in a file, which is no business of a page of another origin.
    pub quotes_file: bool,
}

impl From<Notice> for DemoFault {
    fn from(notice: Notice) -> DemoFault {
        DemoFault { notice, quotes_file: false }
    }
}

/// Fetches a scenario file.
///
/// # Errors
/// Why it was not opened.
pub async fn open(address: &str) -> Result<Document, DemoFault> {
    let not_opened = |detail| Notice { title: format!("{address} was not opened"), detail };
    let text = fetch::text(address, LinkBounds::LINK.scenario).await.map_err(not_opened)?;
    let scenario = Scenario::from_json(&text)
        .map_err(|error| DemoFault { notice: not_opened(error.to_string()), quotes_file: true })?;
    let name = address.split(['?', '#']).next().unwrap_or(address).rsplit('/').next().unwrap_or(address);
    Ok(Document::new(scenario, Origin::File(name.to_owned())))
}
