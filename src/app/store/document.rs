//! The scenario on the page, and its origin.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::app::shared::Shared;
use crate::catalog;
use crate::ids::JobId;
use crate::link::Origin;
use crate::scenario::edit::Edit;
use crate::scenario::{Mode, Scenario, ScenarioError};

/// Whether a document is as it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// As it was opened.
    Pristine,
    /// Changed on the page.
    Edited,
}

/// A scenario on the page. Never changed: an edit makes another document.
#[derive(Clone, Debug)]
pub struct Document {
    /// What is simulated.
    pub scenario: Shared<Scenario>,
    /// Its origin.
    pub origin: Origin,
    /// Whether it is as it was opened.
    pub condition: Condition,
    json: OnceCell<Rc<str>>,
    /// Number of tasks under default and under runtime partitioning.
    tasks: OnceCell<[u64; 2]>,
}

impl Document {
    /// A document as it is opened.
    pub fn new(scenario: Scenario, origin: Origin) -> Document {
        Document {
            scenario: Shared::new(scenario),
            origin,
            condition: Condition::Pristine,
            json: OnceCell::new(),
            tasks: OnceCell::new(),
        }
    }

    /// The document in another condition.
    pub fn in_condition(self, condition: Condition) -> Document {
        Document { condition, ..self }
    }

    /// A document of a catalog entry.
    pub fn from_catalog(entry: &catalog::Entry) -> Document {
        Document::new(entry.scenario(), Origin::Catalog(entry.name))
    }

    /// The scenario as a file in one line, which is what workers are sent.
    pub fn json(&self) -> Rc<str> {
        Rc::clone(self.json.get_or_init(|| Rc::from(self.scenario.to_compact_json())))
    }

    /// How many tasks the stages are cut into.
    pub fn tasks(&self, mode: Mode) -> u64 {
        let count = |mode| {
            let stages = self.scenario.jobs().iter().flat_map(|job| &job.stages);
            stages.map(|stage| self.scenario.partitioning().task_count(stage, mode)).sum()
        };
        let [default, runtime] = *self.tasks.get_or_init(|| [count(Mode::Default), count(Mode::Runtime)]);
        match mode {
            Mode::Default => default,
            Mode::Runtime => runtime,
        }
    }

    /// About how many bytes the document takes in memory.
    pub fn bytes(&self) -> usize {
        let stages = self.scenario.jobs().iter().flat_map(|job| &job.stages);
        let slices: usize = stages.map(|stage| 100 + 16 * stage.input.slices()).sum();
        slices + 100 * self.scenario.jobs().len() + self.json.get().map_or(0, |json| json.len())
    }

    /// The catalog entry that the document is, or was before it was edited.
    pub fn entry(&self) -> Option<&'static catalog::Entry> {
        match &self.origin {
            Origin::Catalog(name) => catalog::find(name),
            Origin::File(_) => None,
        }
    }

    /// The document after an edit, and the jobs chosen then: those the edit was about, or else those
    /// that were chosen before, as they are numbered now.
    ///
    /// # Errors
    /// What is wrong with the edit; this document stays as it is.
    pub fn edited(
        &self,
        edit: &Edit,
        chosen: &BTreeSet<JobId>,
    ) -> Result<(Shared<Document>, BTreeSet<JobId>), ScenarioError> {
        let edited = self.scenario.edited(edit)?;
        let chosen = match edited.jobs.is_empty() {
            true => chosen.iter().filter_map(|&job| edited.job_now(job)).collect(),
            false => edited.jobs.iter().copied().collect(),
        };
        let document = Document::new(edited.scenario, self.origin.clone());
        Ok((Shared::new(document.in_condition(Condition::Edited)), chosen))
    }
}
