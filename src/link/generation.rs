//! How a link's generator is read. The first picture of most pages needs no generator.

use crate::scenario::{Generator, Scenario, ScenarioError};

/// Reads a generator's file and makes its scenario.
type Generate = fn(&str) -> Result<(Scenario, Box<Generator>), ScenarioError>;

const GENERATE: Generate = |file| {
    let generator = Generator::from_json(file)?;
    Ok((generator.scenario()?, Box::new(generator)))
};

#[cfg(not(feature = "split"))]
pub(super) fn available() -> Option<Generate> {
    Some(GENERATE)
}

#[cfg(feature = "split")]
pub(super) use split::available;
#[cfg(feature = "split")]
pub use split::install;

/// A program in parts, as the page's.
#[cfg(feature = "split")]
mod split {
    use std::cell::Cell;

    use super::{GENERATE, Generate};

    thread_local! {
        static INSTALLED: Cell<Option<Generate>> = const { Cell::new(None) };
    }

    /// Makes generators readable.
    pub fn install() {
        INSTALLED.set(Some(GENERATE));
    }

    pub fn available() -> Option<Generate> {
        INSTALLED.get()
    }
}
