//! Named scenarios, each with what to look for.

mod paper;
mod small;

use super::Scenario;
use crate::policy::PolicyId;

/// A scenario of the catalog.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name on the command line (`catalog:NAME`) and in links.
    pub name: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What to look for, in a sentence or two.
    pub look_for: &'static str,
    /// Policies worth comparing, as on the command line.
    pub policies: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    file: fn() -> String,
}

impl Entry {
    /// The scenario.
    pub fn scenario(&self) -> Scenario {
        Scenario::from_json(&(self.file)()).expect("the catalog's files are sound; a test reads them all")
    }
}

/// The catalog, in the order in which it is listed.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "priority-inversion",
        title: "Priority inversion",
        look_for: "A long job takes every core just before a short one of higher priority arrives. Tasks are never \
                   preempted, so the short job waits for the long tasks to end; with runtime partitioning cores come \
                   free soon.",
        policies: "fair,uwfq,uwfq-p",
        source: "After Figure 4 of the UWFQ paper (SoCC '25)",
        file: small::priority_inversion,
    },
    Entry {
        name: "skew",
        title: "Skew: one partition five times the others",
        look_for: "One task runs five times as long as the others while the cores beside it idle. Runtime \
                   partitioning cuts the heavy part of the input into several tasks and the straggler is gone.",
        policies: "uwfq,uwfq-p",
        source: "After Figure 3 of the UWFQ paper (SoCC '25)",
        file: small::skew,
    },
    Entry {
        name: "two-users",
        title: "Two users: many jobs against one",
        look_for: "ana submits twelve jobs at once, ben a single one a moment later. FIFO, Fair and CFQ count jobs or stages, \
                   so ana's number wins; UJF and UWFQ count users, and ben is served soon.",
        policies: "fifo,fair,ujf,cfq,uwfq",
        source: "Fairlane",
        file: small::two_users,
    },
    Entry {
        name: "paper-scenario-1",
        title: "Paper scenario 1: infrequent and frequent users",
        look_for: "Two users flood the cluster with 20 jobs every 30 s, two others come now and then. UJF and UWFQ \
                   answer user3 and user4 within seconds; Fair and CFQ let them wait as long as anybody.",
        policies: "fair,ujf,cfq,uwfq",
        source: "UWFQ paper (SoCC '25) 5.2.1 and its published set-up",
        file: paper::scenario_1,
    },
    Entry {
        name: "paper-scenario-2",
        title: "Paper scenario 2: multiple frequent users",
        look_for: "Four users submit 30 tiny jobs each at once. The estimates were constants and not the true work, \
                   which leads CFQ to finish nearly everything at the very end; UWFQ finishes one user's jobs after another.",
        policies: "fair,ujf,cfq,uwfq",
        source: "UWFQ paper (SoCC '25) 5.2.2 and its published set-up",
        file: paper::scenario_2,
    },
];

/// The entry of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// The policies that an entry suggests: every one of them parses.
pub fn suggested(entry: &Entry) -> Vec<PolicyId> {
    entry.policies.split(',').filter_map(|policy| policy.parse().ok()).collect()
}
