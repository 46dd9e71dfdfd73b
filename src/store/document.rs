//! The scenario on the page, and its origin.

mod action;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

pub use action::DocumentAction;

use super::{ImportedLog, LogImport, ProgramDigest, Record};
use crate::results::shared::Shared;
use fairlane::catalog;
use fairlane::ids::{JobId, UserId};
use fairlane::policy::{PolicyKind, custom};
use fairlane::scenario::edit::Edit;
use fairlane::scenario::palette::{self, JobTemplate};
use fairlane::scenario::{Cluster, Generator, Job, PartitionMode, Scenario, ScenarioError, User};
use fairlane::units::Time;
use fairlane_view::link::Origin;

/// Most characters of the title in the name of a file.
const FILE_STEM: usize = 60;

/// Whether a document is as it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentCondition {
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
    pub condition: DocumentCondition,
    /// Where it is kept once the reader changes it.
    pub record: Record,
    /// The log that it was imported from, as long as users and jobs are those of the log.
    pub log: Option<Rc<ImportedLog>>,
    /// Whether an edit has made users or jobs differ from those of a log.
    pub left_log: bool,
    json: OnceCell<Rc<str>>,
    /// Number of tasks under default and under runtime partitioning.
    tasks: OnceCell<[u64; 2]>,
    generator: OnceCell<Option<Generator>>,
    digests: OnceCell<Vec<(PolicyKind, ProgramDigest)>>,
}

impl Document {
    /// The log that the scenario is of, and its rules, if the reader has changed nothing.
    pub fn unchanged_log(&self) -> Option<LogImport> {
        self.log.as_ref().filter(|log| log.is_unchanged(&self.scenario))?.import()
    }

    /// Whether this is the log of another document, by the same rules, as it was written on.
    pub(super) fn has_grown_from(&self, before: &Document) -> bool {
        let own = self.log.as_ref().and_then(|log| log.import());
        own.is_some() && own == before.unchanged_log()
    }

    /// Title of a scenario to start from.
    pub const BLANK: &str = "Untitled";

    /// A document as it is opened.
    pub fn new(scenario: Scenario, origin: Origin) -> Document {
        Document {
            scenario: Shared::new(scenario),
            origin,
            condition: DocumentCondition::Pristine,
            record: Record::default(),
            log: None,
            left_log: false,
            json: OnceCell::new(),
            tasks: OnceCell::new(),
            generator: OnceCell::new(),
            digests: OnceCell::new(),
        }
    }

    /// The document as it is opened once more: what is changed in it is kept by itself.
    pub fn afresh(&self) -> Document {
        Document { record: Record::default(), ..self.clone() }
    }

    /// The document in another condition.
    pub fn in_condition(self, condition: DocumentCondition) -> Document {
        Document { condition, ..self }
    }

    /// A document of a catalog entry.
    pub fn from_catalog(entry: &catalog::Entry) -> Document {
        Document::new(entry.scenario(), Origin::Catalog(entry.name))
    }

    /// The smallest scenario there is to start from: a cluster, a user and a tiny job, since every scenario has a job.
    pub fn blank() -> Document {
        let cluster = Cluster::new(2, 4);
        let mut job = Job::new(UserId(0), Time::ZERO, palette::stages(JobTemplate::Tiny, &cluster));
        job.name = "tiny".to_owned();
        let scenario = Scenario::builder()
            .name(Self::BLANK)
            .cluster(cluster)
            .users([User::named("user 1")])
            .jobs([job])
            .build();
        Document::new(
            scenario.expect("a tiny job on eight cores keeps the rules; a test makes it"),
            Origin::File(Self::BLANK.to_owned()),
        )
    }

    /// Its title for people: the scenario's own, or that of its origin.
    pub fn title(&self) -> &str {
        match (self.scenario.name(), &self.origin) {
            ("", Origin::Catalog(name)) => self.entry().map_or(name, |entry| entry.title),
            ("", Origin::File(name)) => name.strip_suffix(".json").unwrap_or(name),
            ("", Origin::Generated(_)) => "Generated",
            (name, _) => name,
        }
    }

    /// The entry of the catalog that an edited scenario goes back to.
    pub fn changed_from(&self) -> Option<&'static catalog::Entry> {
        self.entry().filter(|_| self.condition == DocumentCondition::Edited)
    }

    /// The scenario as it is saved: an edited one of the catalog is the reader's own and does not keep the catalog's
    /// title and sentences.
    pub fn own(&self) -> Scenario {
        let scenario = (*self.scenario).clone();
        let Some(original) = self.changed_from().map(catalog::Entry::scenario) else { return scenario };
        let mut own = scenario.to_builder();
        if scenario.name() == original.name() {
            own = own.name(format!("{} (edited)", self.title()));
        }
        if scenario.description() == original.description() {
            own = own.description("");
        }
        // Words break no rule.
        own.build().unwrap_or(scenario)
    }

    /// The beginning of the names of files that are saved: its title in lower-case letters and digits.
    pub fn file_stem(&self) -> String {
        Document::stem(self.title())
    }

    /// The beginning of the name of a file with that title, in lower-case letters and digits.
    pub fn stem(title: &str) -> String {
        let title = title.to_lowercase();
        let words: Vec<&str> =
            title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let stem: String = words.join("-").chars().take(FILE_STEM).collect();
        if stem.is_empty() { "scenario".to_owned() } else { stem }
    }

    /// The scenario as a file in one line, which is what workers are sent.
    pub fn json(&self) -> Rc<str> {
        Rc::clone(self.json.get_or_init(|| Rc::from(self.scenario.to_compact_json())))
    }

    /// What makes the scenario from a seed, with the settings that it has now; `None` if nothing does, such as once a
    /// job was edited.
    pub fn generator(&self) -> Option<&Generator> {
        let make = || {
            let generator = match &self.origin {
                Origin::Generated(generator) => (**generator).clone(),
                Origin::Catalog(_) => self.entry()?.generator()?,
                Origin::File(_) => return None,
            };
            let generator = Generator {
                cluster: self.scenario.cluster().clone(),
                partitioning: self.scenario.partitioning().clone(),
                parameters: self.scenario.parameters().clone(),
                ..generator
            };
            let made = generator.scenario().ok()?;
            let same = made.jobs() == self.scenario.jobs() && made.users() == self.scenario.users();
            same.then_some(generator)
        };
        self.generator.get_or_init(make).as_ref()
    }

    /// Digests of its programs.
    pub fn digests(&self) -> &[(PolicyKind, ProgramDigest)] {
        let digest = |kind| Some((kind, ProgramDigest::of(custom::text(&self.scenario, kind)?)));
        self.digests.get_or_init(|| custom::programs(&self.scenario).into_iter().filter_map(digest).collect())
    }

    /// The digest of a program; `None` of any other policy, and of a program that the scenario does not have.
    pub fn digest(&self, policy: PolicyKind) -> Option<ProgramDigest> {
        self.digests().iter().find(|(kind, _)| *kind == policy).map(|(_, digest)| *digest)
    }

    /// How many tasks the stages are cut into.
    pub fn tasks(&self, mode: PartitionMode) -> u64 {
        let count = |mode| {
            let stages = self.scenario.jobs().iter().flat_map(|job| &job.stages);
            stages.map(|stage| self.scenario.partitioning().task_count(stage, mode)).sum()
        };
        let [default, runtime] =
            *self.tasks.get_or_init(|| [count(PartitionMode::Default), count(PartitionMode::Runtime)]);
        match mode {
            PartitionMode::Default => default,
            PartitionMode::Runtime => runtime,
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
            Origin::File(_) | Origin::Generated(_) => None,
        }
    }

    /// Whether another document has the same cluster, users and settings, whatever its jobs.
    pub fn has_set_up_of(&self, other: &Document) -> bool {
        let set_up = |document: &Document| {
            let scenario = &document.scenario;
            let settings = (scenario.partitioning().clone(), scenario.parameters().clone());
            (scenario.cluster().clone(), scenario.users().to_vec(), settings)
        };
        set_up(self) == set_up(other)
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
        let mut document = Document::new(edited.scenario, self.origin.clone());
        // Of other jobs the log that a scenario is from says nothing.
        if document.scenario.jobs() != self.scenario.jobs() {
            document.scenario = document.scenario.with_log_error(None).into();
        }
        let log = self.log.clone().filter(|log| log.matches_jobs_of(&document.scenario));
        let left_log = self.left_log || self.log.is_some() && log.is_none();
        let condition = DocumentCondition::Edited;
        let document = Document { condition, record: self.record.clone(), log, left_log, ..document };
        Ok((Shared::new(document), chosen))
    }
}
