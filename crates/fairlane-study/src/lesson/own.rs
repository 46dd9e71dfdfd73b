//! The project's own lessons: the documents in `lessons/`, read when the first of them is opened.

use std::sync::LazyLock;

use super::Challenge;
use super::document::{self, Lesson, LessonFiles};

/// Documents in the folder `lessons` by their names without the ending.
macro_rules! documents {
    ($($name:literal,)*) => { [$(($name, include_str!(concat!("../../../../lessons/", $name, ".md")))),*] };
}

/// Scenarios in the folder `lessons/scenarios` by the names that documents give them.
macro_rules! scenarios {
    ($($name:literal,)*) => {
        [$((
            concat!("scenarios/", $name, ".json"),
            include_str!(concat!("../../../../lessons/scenarios/", $name, ".json")),
        )),*]
    };
}

/// The lessons in the order in which they build on each other, and the challenges behind them.
const DOCUMENTS: [(&str, &str); 22] = documents![
    "fifo-and-fair",
    "jobs-are-not-users",
    "virtual-time",
    "uwfq-deadlines",
    "skew",
    "priority-inversion",
    "choosing-the-atr",
    "wrong-estimates",
    "who-can-spare-a-core",
    "priority-but-bounded",
    "too-late-to-start",
    "shortest-first",
    "whats-in-a-name",
    "undeclared-pool",
    "what-the-network-found",
    "why-not-kill",
    "a-machine-dies",
    "slow-machine",
    "wait-for-your-data",
    "all-or-nothing",
    "micro-batches",
    "challenges",
];

/// The scenarios of the documents.
const SCENARIOS: [(&str, &str); 38] = scenarios![
    "a-lie-that-pays",
    "a-machine-dies-and-is-back",
    "a-pool-nobody-declared",
    "a-pool-nobody-declared-declared",
    "a-pool-nobody-declared-weighted",
    "all-or-nothing-half",
    "all-or-nothing-room",
    "below-uwfq",
    "choosing-the-atr",
    "fifo-and-fair",
    "how-uwfq-sets-deadlines",
    "no-deadline-missed",
    "priority-but-bounded",
    "protect-ben",
    "shortest-first",
    "shortest-first-shares-by-size",
    "slow-machine-skewed-slice",
    "ten-times-the-wait",
    "too-late-to-start",
    "too-late-to-start-uneven-tasks",
    "two-cores-fewer",
    "virtual-time",
    "virtual-time-a-third-user",
    "wait-for-your-data-far",
    "wait-for-your-data-not",
    "wait-for-your-data-two-users",
    "what-the-network-found-out",
    "whats-in-a-name",
    "whats-in-a-name-renamed",
    "who-can-spare-a-core",
    "who-can-spare-a-core-a-strict-promise",
    "why-not-kill-again",
    "wrong-estimates",
    "wrong-estimates-none-yet",
    "wrong-estimates-query-too-large",
    "wrong-estimates-train-too-small",
    "wrong-estimates-trains-stage-too-small",
    "your-own-policy",
];

/// A file of the folder `lessons` by its name there.
pub(super) fn scenario_file(name: &str) -> Option<&'static str> {
    SCENARIOS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The files beside the project's documents.
struct OwnFiles;

impl LessonFiles for OwnFiles {
    fn text(&self, name: &str) -> Result<String, String> {
        scenario_file(name)
            .map(str::to_owned)
            .ok_or_else(|| format!("there is no file {name}; add it to the list in own.rs"))
    }
}

/// All tours by the index of their steps' ids: the lessons, and behind them the challenges.
pub(super) static TOURS: LazyLock<Vec<Lesson>> = LazyLock::new(|| {
    let tour = |(id, text): (&str, &str)| Lesson { id: id.to_owned(), ..document::read(text, &OwnFiles) };
    DOCUMENTS.map(tour).into()
});

/// The lessons, in the order in which they build on each other.
pub fn lessons() -> &'static [Lesson] {
    &TOURS[..TOURS.len() - 1]
}

/// The challenges, in the order in which they are offered.
pub fn challenges() -> &'static [Challenge] {
    static CHALLENGES: LazyLock<Vec<Challenge>> = LazyLock::new(|| {
        let steps = &TOURS[TOURS.len() - 1].steps;
        steps.iter().filter_map(|step| step.challenge.as_deref().cloned()).collect()
    });
    &CHALLENGES
}
