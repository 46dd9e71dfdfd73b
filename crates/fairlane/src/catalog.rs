//! Named scenarios, each with what to look for.
//!
//! ```
//! use fairlane::catalog;
//! let skew = catalog::find("skew").expect("an entry of the catalog");
//! println!("{}", skew.look_for);
//! println!("{}", fairlane::compare(&skew.scenario(), catalog::suggested(skew)));
//! ```

pub mod macro_benchmark;
pub mod papers;

use std::sync::LazyLock;

use serde::Deserialize;

use crate::policy::PolicyId;
use crate::scenario::generate::Preset;
use crate::scenario::{Generator, Scenario, ScenarioError};

/// What a part of the catalog is for.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CatalogSection {
    /// Small enough to follow by eye.
    Teaching,
    /// The UWFQ paper's evaluation.
    Paper,
    /// Settings and estimates that go wrong.
    Tuning,
    /// What other papers published of their schedulers.
    Papers,
}

impl CatalogSection {
    /// All of them, in the order in which they are listed.
    pub const ALL: [CatalogSection; 4] =
        [CatalogSection::Teaching, CatalogSection::Paper, CatalogSection::Tuning, CatalogSection::Papers];

    /// A heading for people.
    pub fn title(self) -> &'static str {
        match self {
            CatalogSection::Teaching => "Teaching cases",
            CatalogSection::Paper => "The paper's evaluation",
            CatalogSection::Tuning => "Tuning",
            CatalogSection::Papers => "Other papers' results",
        }
    }

    /// Its entries, in order.
    pub fn entries(self) -> impl Iterator<Item = &'static Entry> {
        ENTRIES.iter().filter(move |entry| entry.section == self)
    }
}

/// A scenario of the catalog: a row of `scenarios/index.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The part of the catalog it belongs to.
    pub section: CatalogSection,
    /// Name on the command line (`catalog:NAME`) and in links.
    pub name: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What to look for, in a sentence or two.
    pub look_for: &'static str,
    /// Policies worth comparing, as on the command line.
    pub policies: &'static str,
    /// Its source.
    pub source: &'static str,
    drawn: Option<DrawnEntry>,
}

/// The generator of an entry that is not written down.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DrawnEntry {
    /// A paper's workload with its parameters, as [`Preset`](crate::scenario::generate::Preset) reads it.
    preset: &'static str,
    seed: u64,
    /// Title of the scenario.
    name: &'static str,
}

impl DrawnEntry {
    fn generator(&self) -> Generator {
        let preset: Preset =
            self.preset.parse().expect("the catalog's presets are sound; a test draws them all");
        Generator { name: self.name.to_owned(), seed: self.seed, ..preset.into() }
    }
}

impl Entry {
    /// The scenario.
    pub fn scenario(&self) -> Scenario {
        let scenario = match self.name {
            "macro" => Ok(macro_benchmark::jobs()),
            "macro-p" => Ok(macro_benchmark::cut_jobs()),
            "bopf-eight-batch-queues" => Ok(papers::bopf::eight_batch_queues()),
            _ => match &self.drawn {
                Some(drawn) => drawn.generator().scenario(),
                None => Scenario::from_json(self.file()),
            },
        };
        scenario.expect("the catalog's files are sound; a test reads them all")
    }

    /// The generator by which the entry is made, if it is: with another seed it makes the like.
    pub fn generator(&self) -> Option<Generator> {
        self.drawn.as_ref().map(DrawnEntry::generator)
    }

    /// Text of the scenario file.
    fn file(&self) -> &'static str {
        FILES.iter().find(|(name, _)| *name == self.name).map_or("", |(_, text)| text)
    }
}

/// The files of `scenarios/`, with the names of their entries.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../scenarios/", $name, ".json")))),*]
    };
}

/// Entries that are written down as scenario files.
const FILES: &[(&str, &str)] = files![
    "priority-inversion",
    "skew",
    "two-users",
    "heavy-first",
    "weights",
    "branches",
    "preemption",
    "machine-dies",
    "slow-machine",
    "wait-for-data",
    "all-or-nothing",
    "streaming",
    "paper-scenario-1",
    "paper-scenario-2",
    "paper-scenario-2-true",
    "atr-too-small",
    "atr-too-large",
    "estimates-off",
    "paf-packing",
    "paf-two-jobs",
    "paf-three-jobs",
    "bopf-growing",
    "bopf-queues",
];

/// The catalog, in the order in which it is listed.
pub static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let index = include_str!("../scenarios/index.json");
    serde_json::from_str(index).expect("the catalog's index is sound; a test reads it")
});

/// The entry with which the page opens.
pub fn opening() -> &'static Entry {
    find("two-users").expect("the catalog has the entry with which the page opens")
}

/// The entry of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// The entry of that name.
///
/// # Errors
/// There is none; the message names those that there are.
pub fn entry(name: &str) -> Result<&'static Entry, ScenarioError> {
    find(name).ok_or_else(|| {
        let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        let message = format!("there is no such scenario in the catalog; it has {}", names.join(", "));
        ScenarioError::at(format!("catalog:{name}"), message)
    })
}

/// The scenario that a text means: `catalog:NAME`, or the text of a scenario file.
///
/// ```
/// let error = fairlane::catalog::scenario("skew").expect_err("no text of a file");
/// assert_eq!(error.to_string(), "a scenario of the catalog is written \"catalog:skew\"");
/// ```
///
/// # Errors
/// There is no such entry, or as [`Scenario::from_json`].
pub fn scenario(text: &str) -> Result<Scenario, ScenarioError> {
    named(text)?.map_or_else(|| Scenario::from_json(text), |entry| Ok(entry.scenario()))
}

/// The entry that a text names as `catalog:NAME`; `None` if it is the text of a file.
///
/// # Errors
/// There is no such entry, or the text is only its name.
pub fn named(text: &str) -> Result<Option<&'static Entry>, ScenarioError> {
    match text.strip_prefix("catalog:") {
        Some(name) => entry(name).map(Some),
        None if find(text).is_some() => {
            Err(ScenarioError::at("", format!("a scenario of the catalog is written \"catalog:{text}\"")))
        }
        None => Ok(None),
    }
}

/// The policies that an entry suggests: every one of them parses.
pub fn suggested(entry: &Entry) -> Vec<PolicyId> {
    entry.policies.split(',').filter_map(|policy| policy.parse().ok()).collect()
}
