//! How a link's generator is read. The first picture of most pages needs no generator.

use fairlane::scenario::{Generator, Scenario, ScenarioError};

/// Reads a generator's file and makes its scenario.
type Generate = fn(&str) -> Result<(Scenario, Box<Generator>), ScenarioError>;

const GENERATE: Generate = |file| {
    let generator = Generator::from_json(file)?;
    Ok((generator.scenario()?, Box::new(generator)))
};

pub(super) fn available() -> Option<Generate> {
    Some(GENERATE)
}
