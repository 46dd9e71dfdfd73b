//! Scenarios that a generator draws, from its own seed or from a student's.

use std::borrow::Cow;
use std::cell::Cell;

use super::{LessonScene, StepSource};
use crate::lesson::answers::student_seed;
use crate::sweep::Workload;
use fairlane::catalog;
use fairlane::scenario::generate;

/// Draws the scenarios of a document.
#[derive(Debug)]
pub(super) struct Drawing {
    /// The student's seed, if the document is read for one.
    seed: Option<u64>,
    has_drawn: Cell<bool>,
}

impl Drawing {
    /// For a student by name, or from the generators' own seeds.
    pub(super) fn new(student: Option<&str>) -> Drawing {
        Drawing { seed: student.map(student_seed), has_drawn: Cell::new(false) }
    }

    /// Whether a scenario was drawn.
    pub(super) fn has_drawn(&self) -> bool {
        self.has_drawn.get()
    }

    /// A scene with its scenario instead of the generator that makes it; any other as it is.
    pub(super) fn drawn(&self, scene: LessonScene) -> Result<LessonScene, String> {
        let workload: Workload = match &scene.source {
            StepSource::File(text) if text.contains(generate::FORMAT) => {
                Workload::from_json(text).map_err(|error| format!("the generator cannot be read: {error}"))?
            }
            StepSource::Catalog(name) => match catalog::find(name).and_then(catalog::Entry::generator) {
                Some(generator) => generator.into(),
                None => return Ok(scene),
            },
            _ => return Ok(scene),
        };
        // A scenario may mention the format in its description.
        if !workload.is_random(&[]) {
            return Ok(scene);
        }
        self.has_drawn.set(true);
        // The catalog has its own scenario, which readers know by name.
        if self.seed.is_none() && matches!(scene.source, StepSource::Catalog(_)) {
            return Ok(scene);
        }
        let scenario = workload.seeded(self.seed).map_err(|error| format!("the generator fails: {error}"))?;
        let generator = match &scene.source {
            StepSource::File(text) => text.clone(),
            _ => Cow::Borrowed(""),
        };
        let source = StepSource::File(Cow::Owned(scenario.to_compact_json()));
        Ok(LessonScene { source, generator: Some(generator), ..scene })
    }
}
