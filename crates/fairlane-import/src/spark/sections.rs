//! The report for people, a section for each subject.

mod applications;
mod cluster;
mod contents;
mod sure;

use serde::{Deserialize, Serialize};

use super::ImportReport;

/// What a report says of one subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogSection {
    /// The subject, in a word.
    pub title: String,
    /// What was carried over.
    pub text: String,
    /// What was not, or not as it is in the log; one sentence each.
    pub details: Vec<String>,
}

impl LogSection {
    /// A section; details that are `None` are left out.
    pub fn new(title: &str, text: String, details: impl IntoIterator<Item = Option<String>>) -> LogSection {
        LogSection { title: title.to_owned(), text, details: details.into_iter().flatten().collect() }
    }

    /// A sentence with those counts that are not 0. A noun has both numbers: `job{|s}`, `{copy|copies}`.
    pub fn list(title: &str, counts: &[(u64, &str)]) -> Option<String> {
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {}", of_number(*count, what)))
            .collect();
        (!counts.is_empty()).then(|| format!("{title}: {}", counts.join(", ")))
    }
}

/// Words with the number of their nouns that a count asks for: `job{|s}`.
fn of_number(count: u64, words: &str) -> String {
    let mut text = String::new();
    let mut rest = words;
    while let Some((before, (one, many, after))) = alternatives(rest) {
        text += before;
        text += if count == 1 { one } else { many };
        rest = after;
    }
    text + rest
}

/// What is before the first alternatives of a text, both, and the rest.
fn alternatives(text: &str) -> Option<(&str, (&str, &str, &str))> {
    let (before, rest) = text.split_once('{')?;
    let (one, rest) = rest.split_once('|')?;
    let (many, after) = rest.split_once('}')?;
    Some((before, (one, many, after)))
}

impl ImportReport {
    /// The report in sentences, without its users.
    pub fn sections(&self) -> Vec<LogSection> {
        let application = &self.application;
        let spark = if application.spark.is_empty() { "unknown" } else { &application.spark };
        let log =
            LogSection::new("log", format!("{} ({}), Spark {spark}", application.name, application.id), []);
        [log]
            .into_iter()
            .chain(self.applications_section())
            .chain(self.events.sections())
            .chain([self.tasks.section(self.jobs.spark_repeated), self.jobs.section()])
            .chain([self.stages.section(&self.simulated)])
            .chain([self.simulated_section()])
            .chain(self.cluster.sections())
            .chain([
                self.costs.section(),
                self.driver.section(),
                self.sessions.section(),
                self.observed.section(),
            ])
            .chain(self.one_user_section())
            .chain(self.fallback_section())
            .chain(self.replay.as_ref().map(|replay| self.replay_section(replay)))
            .chain(self.baseline.as_ref().map(|baseline| self.baseline_section(baseline)))
            .chain(self.certainty())
            .collect()
    }
}
