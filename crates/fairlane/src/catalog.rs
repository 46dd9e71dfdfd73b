//! Named scenarios, each with what to look for.
//!
//! ```
//! use fairlane::catalog;
//! let skew = catalog::find("skew").expect("an entry of the catalog");
//! println!("{}", skew.look_for);
//! println!("{}", fairlane::compare(&skew.scenario(), catalog::suggested(skew)));
//! ```

pub mod macro_benchmark;
mod paper;
pub mod papers;
mod small;

use crate::policy::PolicyId;
use crate::scenario::{Generator, Scenario, ScenarioError};

/// What a part of the catalog is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A scenario of the catalog.
#[derive(Clone, Copy, Debug)]
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
    made: CatalogDocument,
}

/// How an entry is made.
#[derive(Clone, Copy, Debug)]
enum CatalogDocument {
    /// Written down.
    Written(fn() -> String),
    /// Put together.
    Built(fn() -> Scenario),
    /// By a generator, and what makes the scenario of it.
    Generated(fn() -> Generator, fn(&Generator) -> Result<Scenario, ScenarioError>),
}

impl CatalogDocument {
    const fn generated(generator: fn() -> Generator) -> CatalogDocument {
        CatalogDocument::Generated(generator, Generator::scenario)
    }
}

impl Entry {
    /// The scenario.
    pub fn scenario(&self) -> Scenario {
        let scenario = match self.made {
            CatalogDocument::Written(file) => Scenario::from_json(&file()),
            CatalogDocument::Built(scenario) => Ok(scenario()),
            CatalogDocument::Generated(generator, make) => make(&generator()),
        };
        scenario.expect("the catalog's files are sound; a test reads them all")
    }

    /// The generator by which the entry is made, if it is: with another seed it makes the like.
    pub fn generator(&self) -> Option<Generator> {
        match self.made {
            CatalogDocument::Written(_) | CatalogDocument::Built(_) => None,
            CatalogDocument::Generated(generator, _) => Some(generator()),
        }
    }
}

/// The catalog, in the order in which it is listed.
pub static ENTRIES: &[Entry] = &joined::<ENTRY_COUNT>(&[WRITTEN, MACRO, TUNING, papers::ENTRIES]);

const ENTRY_COUNT: usize = WRITTEN.len() + MACRO.len() + TUNING.len() + papers::ENTRIES.len();

/// The entries of several lists, `N` in all.
const fn joined<const N: usize>(lists: &[&[Entry]]) -> [Entry; N] {
    let mut all = [OPENING; N];
    let (mut list, mut index, mut count) = (0, 0, 0);
    while list < lists.len() {
        if index == lists[list].len() {
            (list, index) = (list + 1, 0);
        } else {
            all[count] = lists[list][index];
            (index, count) = (index + 1, count + 1);
        }
    }
    assert!(count == N);
    all
}

/// The entry with which the page opens.
pub const OPENING: Entry = Entry {
    section: CatalogSection::Teaching,
    name: "two-users",
    title: "Two users: many jobs against one",
    look_for: "ana submits twelve jobs at once, ben a single one a moment later. FIFO, Fair and CFQ count jobs or \
        stages, \
               so ana's number wins; UJF and UWFQ count users, and ben is served soon.",
    policies: "fifo,fair,ujf,cfq,uwfq",
    source: "Fairlane",
    made: CatalogDocument::Written(small::two_users),
};

/// Teaching cases, and the UWFQ paper's scenarios.
const WRITTEN: &[Entry] = &[
    Entry {
        section: CatalogSection::Teaching,
        name: "priority-inversion",
        title: "Priority inversion",
        look_for: "A long job takes every core just before a short one of higher priority arrives. Tasks are never \
                   preempted, so the short job waits for the long tasks to end; with runtime partitioning cores become \
                   free soon.",
        policies: "fair,uwfq,uwfq-p",
        source: "After Figure 4 of the UWFQ paper (SoCC '25)",
        made: CatalogDocument::Written(small::priority_inversion),
    },
    Entry {
        section: CatalogSection::Teaching,
        name: "skew",
        title: "Skew: one partition five times the others",
        look_for: "One task runs five times as long as the others while the cores beside it idle. Runtime \
                   partitioning cuts the heavy part of the input into several tasks and the straggler is gone.",
        policies: "uwfq,uwfq-p",
        source: "After Figure 3 of the UWFQ paper (SoCC '25)",
        made: CatalogDocument::Written(small::skew),
    },
    OPENING,
    Entry {
        section: CatalogSection::Teaching,
        name: "heavy-first",
        title: "A heavy user arrives first",
        look_for: "Twenty jobs of one user fill the cluster for 40 s; three others come a little later with a \
            small job each. Under FIFO and Fair each of them waits for more than half a minute. UJF and UWFQ, \
            which count users, and CFQ, for which \
 a small job ends early, answer within 3 s, and the last of the heavy user's jobs ends no later for it.",
        policies: "fifo,fair,cfq,uwfq",
        source: "Fairlane",
        made: CatalogDocument::Written(small::heavy_first),
    },
    Entry {
        section: CatalogSection::Teaching,
        name: "weights",
        title: "Weights: three shares against one",
        look_for: "ana has weight 3, ben weight 1, and both submit the same ten jobs at once. UJF and UWFQ serve \
            ana three times as much while both wait, so that ana is done after two thirds of the time; FIFO, Fair \
            and CFQ know no weights and treat them alike.",
        policies: "fair,ujf,cfq,uwfq",
        source: "Fairlane",
        made: CatalogDocument::Written(small::weights),
    },
    Entry {
        section: CatalogSection::Teaching,
        name: "branches",
        title: "Parallel branches: a job of many stages",
        look_for: "ana's job scans, splits into four branches side by side and joins them; ben's has one stage. \
            Fair sees five stages and gives ben a fifth of the cluster, UJF a half; under UWFQ ben's job is \
            smaller and goes before all of ana's branches. \
 The join waits for the longest branch.",
        policies: "fair,ujf,cfq,uwfq",
        source: "Fairlane",
        made: CatalogDocument::Written(small::branches),
    },
    Entry {
        section: CatalogSection::Paper,
        name: "paper-scenario-1",
        title: "Paper scenario 1: infrequent and frequent users",
        look_for: "Two users flood the cluster with 20 jobs every 30 s, two others arrive now and then. UJF and UWFQ \
                   answer user3 and user4 within seconds; Fair and CFQ let them wait as long as anybody.",
        policies: "fair,ujf,cfq,uwfq",
        source: "UWFQ paper (SoCC '25) 5.2.1 and its published set-up",
        made: CatalogDocument::Written(paper::scenario_1),
    },
    Entry {
        section: CatalogSection::Paper,
        name: "paper-scenario-2",
        title: "Paper scenario 2: multiple frequent users",
        look_for: "Four users submit 30 tiny jobs each at once. The estimates were constants and not the true work, \
                   which leads CFQ to finish nearly everything at the very end; UWFQ finishes one user's jobs \
                   after another.",
        policies: "fair,ujf,cfq,uwfq",
        source: "UWFQ paper (SoCC '25) 5.2.2 and its published set-up",
        made: CatalogDocument::Written(paper::scenario_2),
    },
    Entry {
        section: CatalogSection::Paper,
        name: "paper-scenario-2-true",
        title: "Paper scenario 2 with true estimates",
        look_for: "The same 120 jobs, but the schedulers know the true work. CFQ, which finishes nearly everything \
            at the very end with the published constants, is then as quick as UWFQ: what looks like a fault of the \
            policy is one of the estimates.",
        policies: "ujf,cfq,uwfq",
        source: "UWFQ paper (SoCC '25) 5.2.2; its published set-up had constant estimates",
        made: CatalogDocument::Written(paper::scenario_2_true),
    },
];

/// The UWFQ paper's macro-benchmark.
const MACRO: &[Entry] = &[
    Entry {
        section: CatalogSection::Paper,
        name: "macro",
        title: "Macro-benchmark: the authors' 207 jobs",
        look_for: "22 users submit 207 jobs in 97 groups within 455 s, more work than 32 cores can do in that \
            time. CFQ and UWFQ answer most groups \
                   in half the time that UJF takes, and the slowest 5 % wait half as long again: they finish large \
                   jobs last, and the tasks \
                   of a job that has the cluster to itself slow each other down. Count responses by group: compare \
                   --by group.",
        policies: "fair,ujf,cfq,uwfq",
        source: "UWFQ paper (SoCC '25) 5.3, Table 2 and its published jobs; work and contention are calibrated",
        made: CatalogDocument::Built(macro_benchmark::jobs),
    },
    Entry {
        section: CatalogSection::Paper,
        name: "macro-p",
        title: "Macro-benchmark, partitioned by runtime",
        look_for: "The same jobs in tasks of half a second, as the authors' partitioner cut them; the policies \
            without -p are its rows with -P. \
                   Small jobs find free cores soon: under CFQ and UWFQ the quickest 80 % of groups take half the \
                   time that they \
                   take in 32 partitions.",
        policies: "fair,ujf,cfq,uwfq",
        source: "UWFQ paper (SoCC '25) 5.3, Table 2 and its published jobs; work and contention are calibrated",
        made: CatalogDocument::Built(macro_benchmark::cut_jobs),
    },
];

/// Settings and estimates that go wrong.
const TUNING: &[Entry] = &[
    Entry {
        section: CatalogSection::Tuning,
        name: "atr-too-small",
        title: "ATR too small: overhead wins",
        look_for: "Launching a task costs 50 ms, and the advisory task runtime asks for tasks of 20 ms: under \
            UWFQ-P the cores spend more time on launching than on work, and everything ends far later than with \
            default partitioning. Pull the ATR to 0.5 s.",
        policies: "uwfq,uwfq-p",
        source: "Fairlane, after UWFQ paper (SoCC '25) 3.2",
        made: CatalogDocument::Written(small::atr_too_small),
    },
    Entry {
        section: CatalogSection::Tuning,
        name: "atr-too-large",
        title: "ATR too large: skew wins",
        look_for: "One slice of ana's input is eight times the others, and the advisory task runtime of 10 s lets \
            it be: UWFQ-P makes the same tasks as UWFQ, one of 16 s, for which seven cores wait. Pull the ATR to \
            0.25 s.",
        policies: "uwfq,uwfq-p",
        source: "Fairlane, after UWFQ paper (SoCC '25) 3.2",
        made: CatalogDocument::Written(small::atr_too_large),
    },
    Entry {
        section: CatalogSection::Tuning,
        name: "estimates-off",
        title: "Estimates off by a factor of ten",
        look_for: "ana's large job is estimated at a tenth of its real work. CFQ and UWFQ believe it and let the \
            others' small jobs wait for all of it; UJF asks for no estimates and shares. Correct the estimate from \
            6.4 to 64 core-seconds: under CFQ and UWFQ the small jobs go first, and sooner than under UJF.",
        policies: "ujf,cfq,uwfq",
        source: "Fairlane, after UWFQ paper (SoCC '25) 6.4",
        made: CatalogDocument::Written(small::estimates_off),
    },
];

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
