//! The address of an embedded demo: the page shown in a frame of another one, reduced to chosen parts.
//!
//! ```text
//! query    = "?embed" *( "&" key [ "=" value ] )
//! key      = "scenario"     the name of a catalog entry
//!          | "src"          the address of a scenario file (JSON)
//!          | "lesson"       one of the project's lessons by name, or the address of a document
//!          | "policies"     policies with commas between; those that suit the scenario if missing
//!          | "show"         parts with commas between: panels, lanes, ideal, compare, chart, lesson, transport
//!          | "chart"        which chart is shown, by the word that the command line has for it
//!          | "theme"        light, dark, or system (the reader's own)
//!          | "edit"         jobs can be moved, unless its value is "false"
//!          | "predict"      the policy whose decisions the reader is asked to predict
//!          | "at"           the instant shown, seconds
//!          | "host"         the origin of the page around the frame; messages of others are ignored
//! ```
//!
//! Without `scenario`, `src` and `lesson` the fragment is a session or a step of a lesson, as in a share link.
//!
//! ```
//! use fairlane_view::link::embed::{DemoPart, DemoSubject, Embed};
//! let embed = Embed::from_query("?embed&scenario=skew&policies=uwfq,uwfq-p&show=panels&at=1.5")?.expect("a demo");
//! assert_eq!(embed.subject, DemoSubject::Fragment("catalog:skew".to_owned()));
//! assert!(embed.shows(DemoPart::Panels) && !embed.shows(DemoPart::Transport));
//! # Ok::<(), fairlane_view::link::embed::EmbedError>(())
//! ```

pub mod snippet;

use std::collections::BTreeSet;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::parts::{decimal, micros, percent_decoded};
use super::{LinkBounds, LinkError, Origin, Session};
use crate::view::{DisplayMode, Heights, Tab, View};
use fairlane::catalog;
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::units::Time;

/// A part of the page that a demo can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DemoPart {
    /// The users' lanes with their jobs.
    Lanes,
    /// The ideal: the users' fluid rates.
    Ideal,
    /// A Gantt chart for each policy.
    Panels,
    /// Users' mean responses under each policy against the ideal.
    Compare,
    /// One chart.
    Chart,
    /// The card of a lesson.
    Lesson,
    /// The time controls.
    Transport,
}

impl DemoPart {
    /// Each with its word in addresses, from top to bottom.
    pub const WORDS: [(DemoPart, &str); 7] = [
        (DemoPart::Lanes, "lanes"),
        (DemoPart::Ideal, "ideal"),
        (DemoPart::Panels, "panels"),
        (DemoPart::Compare, "compare"),
        (DemoPart::Chart, "chart"),
        (DemoPart::Lesson, "lesson"),
        (DemoPart::Transport, "transport"),
    ];

    /// The words of all of them, as a sentence has them.
    fn list() -> String {
        number::list(&DemoPart::WORDS.map(|(_, word)| word.to_owned()))
    }
}

/// A demo's colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DemoTheme {
    /// The reader's own.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl DemoTheme {
    /// Each with its word; the first is usual and left out.
    pub const WORDS: [(DemoTheme, &str); 3] =
        [(DemoTheme::System, "system"), (DemoTheme::Light, "light"), (DemoTheme::Dark, "dark")];

    /// Its word.
    pub fn word(self) -> &'static str {
        DemoTheme::WORDS[self as usize].1
    }
}

/// What a demo is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DemoSubject {
    /// A session or a step of a lesson, without `#`; empty if the address has none.
    Fragment(String),
    /// The address of a scenario file.
    File(String),
    /// The address of a lesson's document.
    Document(String),
}

/// A demo as its address describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embed {
    /// What it is about.
    pub subject: DemoSubject,
    /// Its policies; `None`: those that suit the scenario.
    pub policies: Option<BTreeSet<PolicyId>>,
    /// The parts it shows.
    pub parts: BTreeSet<DemoPart>,
    /// The word of the chart it shows.
    pub chart: Option<String>,
    /// Its colours.
    pub theme: DemoTheme,
    /// Whether jobs can be moved.
    pub editable: bool,
    /// The policy whose decisions the reader is asked to predict.
    pub predict: Option<PolicyId>,
    /// The instant shown; `None`: that of the session.
    pub at: Option<Time>,
    /// The origin of the page around the frame, if its messages are to be heeded only from there.
    pub host: Option<String>,
}

impl Default for Embed {
    /// Panels and time controls, read-only.
    fn default() -> Embed {
        Embed {
            subject: DemoSubject::Fragment(String::new()),
            policies: None,
            parts: Embed::usual_parts(false, false),
            chart: None,
            theme: DemoTheme::System,
            editable: false,
            predict: None,
            at: None,
            host: None,
        }
    }
}

/// Why an address describes no demo.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// A key that there is not.
    #[error(
        "the address has \"{0}\"; a demo has scenario, src, lesson, policies, show, chart, theme, edit, predict, at and host"
    )]
    UnknownKey(String),
    /// A key occurs twice.
    #[error("the address has \"{0}\" twice; leave one")]
    Twice(String),
    /// Several of a catalog entry, a file and a lesson.
    #[error("the address has more than one of scenario, src and lesson; leave one")]
    TwoScenarios,
    /// The catalog has no such entry.
    #[error("the catalog has no scenario \"{0}\"; the page's list of scenarios has their names")]
    UnknownEntry(String),
    /// There is no such policy.
    #[error("there is no policy \"{0}\"; policies are written as on the command line, such as uwfq-p")]
    UnknownPolicy(String),
    /// There is no such part.
    #[error("there is no part \"{0}\"; a demo shows {parts}", parts = DemoPart::list())]
    UnknownPart(String),
    /// There is no such theme.
    #[error("there is no theme \"{0}\"; use light, dark or system")]
    UnknownTheme(String),
    /// Not an instant.
    #[error("at={0} is no instant; write seconds with at most six decimals, such as 1.5")]
    Instant(String),
    /// Not an address that is allowed.
    #[error("the address {0} is not allowed; give an http or https address, or one relative to the page")]
    Address(String),
    /// Not written as addresses are.
    #[error("the address is damaged at \"{0}\"; write characters other than letters and digits as %XX")]
    Escape(String),
}

impl Embed {
    /// Whether a part is shown.
    pub fn shows(&self, part: DemoPart) -> bool {
        self.parts.contains(&part)
    }

    /// Reads the query of an address, with or without `?`; `None` if it asks for no demo.
    ///
    /// # Errors
    /// Any [`EmbedError`].
    pub fn from_query(query: &str) -> Result<Option<Embed>, EmbedError> {
        let mut pairs = query.trim_start_matches('?').split('&').filter(|pair| !pair.is_empty());
        if pairs.next() != Some("embed") {
            return Ok(None);
        }
        let mut embed = Embed::default();
        let mut seen = BTreeSet::new();
        let (mut entry, mut file, mut lesson) = (None, None, None);
        for pair in pairs {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = plain(value).ok_or_else(|| EmbedError::Escape(shown(value)))?;
            if !seen.insert(key) {
                return Err(EmbedError::Twice(shown(key)));
            }
            match key {
                "scenario" => entry = Some(value),
                "src" => file = Some(value),
                "lesson" => lesson = Some(value),
                "policies" => embed.policies = Some(policies(&value)?),
                "show" => embed.parts = words(&value).map(part).collect::<Result<_, _>>()?,
                "chart" => embed.chart = Some(value),
                "theme" => embed.theme = theme(&value)?,
                "edit" => embed.editable = value != "false",
                "predict" => embed.predict = Some(policy(&value)?),
                "at" => embed.at = Some(micros(&value).ok_or_else(|| EmbedError::Instant(shown(&value)))?),
                "host" => embed.host = Some(value),
                _ => return Err(EmbedError::UnknownKey(shown(key))),
            }
        }
        if !seen.contains("show") {
            embed.parts = Embed::usual_parts(embed.editable, lesson.is_some());
        }
        if embed.chart.is_some() {
            embed.parts.insert(DemoPart::Chart);
        }
        embed.subject = match (entry, file, lesson) {
            (None, None, None) => DemoSubject::Fragment(String::new()),
            (Some(name), None, None) => {
                let entry = catalog::find(&name).ok_or_else(|| EmbedError::UnknownEntry(shown(&name)))?;
                DemoSubject::Fragment(format!("catalog:{}", entry.name))
            }
            (None, Some(address), None) => DemoSubject::File(allowed(address)?),
            (None, None, Some(name)) if is_name(&name) => DemoSubject::Fragment(format!("lesson:{name}")),
            (None, None, Some(address)) => DemoSubject::Document(allowed(address)?),
            _ => return Err(EmbedError::TwoScenarios),
        };
        Ok(Some(embed))
    }

    /// The parts of a demo whose address names none: jobs that can be moved are in lanes, and a lesson has its card.
    fn usual_parts(editable: bool, is_lesson: bool) -> BTreeSet<DemoPart> {
        let lanes = editable.then_some(DemoPart::Lanes);
        let card = is_lesson.then_some(DemoPart::Lesson);
        [DemoPart::Panels, DemoPart::Transport].into_iter().chain(lanes).chain(card).collect()
    }

    /// A demo of what a page shows: by the name of a catalog entry where that says it all, or else by the session.
    ///
    /// # Errors
    /// [`LinkError::TooLong`] and [`LinkError::TooLarge`].
    pub fn of_session(session: &Session) -> Result<Embed, LinkError> {
        let embed = Embed { predict: session.predict, ..Embed::default() };
        // What a demo shows, and how tall, is said by its address.
        let (tab, mode, heights) = (Tab::default(), DisplayMode::default(), Heights::default());
        let view = View { tab, mode, heights, ..session.view.clone() };
        let session = Session { view, predict: None, challenge: None, ..session.clone() };
        let text = session.to_text(&LinkBounds::LINK)?;
        let Origin::Catalog(name) = session.origin else {
            return Ok(Embed { subject: DemoSubject::Fragment(text), ..embed });
        };
        let source = format!("catalog:{name}");
        let unchanged = text.split('&').next() == Some(source.as_str());
        // A demo's address says which policies it shows, and when.
        let View { policies, playhead, .. } = session.view.clone();
        let is_said = session.view == View { policies: policies.clone(), playhead, ..View::default() };
        Ok(match unchanged && is_said {
            true => Embed {
                subject: DemoSubject::Fragment(source),
                policies: Some(policies),
                at: Some(playhead).filter(|at| *at != Time::ZERO),
                ..embed
            },
            false => Embed { subject: DemoSubject::Fragment(text), ..embed },
        })
    }

    /// The name of the catalog entry that it shows unchanged.
    fn entry(&self) -> Option<&str> {
        let DemoSubject::Fragment(session) = &self.subject else { return None };
        session.strip_prefix("catalog:").filter(|name| catalog::find(name).is_some())
    }

    /// The session in its address behind `#`, if it has one.
    fn session(&self) -> Option<&str> {
        match &self.subject {
            DemoSubject::Fragment(session) if !session.is_empty() && self.entry().is_none() => Some(session),
            DemoSubject::Fragment(_) | DemoSubject::File(_) | DemoSubject::Document(_) => None,
        }
    }

    /// The query of its address, from `?` on, and the fragment behind it: the same demo gives the same text.
    pub fn to_query(&self) -> String {
        let mut query = "?embed".to_owned();
        for (key, value) in self.values() {
            query += &match value.as_str() {
                "" => format!("&{key}"),
                value => format!("&{key}={}", escaped(value)),
            };
        }
        match self.session() {
            Some(session) => format!("{query}#{session}"),
            None => query,
        }
    }

    /// The keys of its address with their values, which are empty for those without.
    fn values(&self) -> Vec<(&'static str, String)> {
        let mut values = Vec::new();
        if let Some(name) = self.entry() {
            values.push(("scenario", name.to_owned()));
        }
        if let DemoSubject::File(address) = &self.subject {
            values.push(("src", address.clone()));
        }
        if let DemoSubject::Document(address) = &self.subject {
            values.push(("lesson", address.clone()));
        }
        if let Some(policies) = &self.policies {
            let names: Vec<String> = policies.iter().map(PolicyId::to_string).collect();
            values.push(("policies", names.join(",")));
        }
        let is_lesson = matches!(self.subject, DemoSubject::Document(_));
        if self.parts != Embed::usual_parts(self.editable, is_lesson) {
            let parts = DemoPart::WORDS.iter().filter(|(part, _)| self.shows(*part));
            values.push(("show", parts.map(|(_, word)| *word).collect::<Vec<_>>().join(",")));
        }
        if let Some(chart) = &self.chart {
            values.push(("chart", chart.clone()));
        }
        if self.theme != DemoTheme::System {
            values.push(("theme", self.theme.word().to_owned()));
        }
        if self.editable {
            values.push(("edit", String::new()));
        }
        if let Some(policy) = self.predict {
            values.push(("predict", policy.to_string()));
        }
        if let Some(at) = self.at {
            values.push(("at", decimal(at)));
        }
        if let Some(host) = &self.host {
            values.push(("host", host.clone()));
        }
        values
    }
}

fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').filter(|word| !word.is_empty())
}

fn policies(list: &str) -> Result<BTreeSet<PolicyId>, EmbedError> {
    words(list).map(policy).collect()
}

fn policy(word: &str) -> Result<PolicyId, EmbedError> {
    word.parse().map_err(|_| EmbedError::UnknownPolicy(shown(word)))
}

fn part(word: &str) -> Result<DemoPart, EmbedError> {
    let known = DemoPart::WORDS.iter().find(|(_, known)| *known == word);
    known.map(|(part, _)| *part).ok_or_else(|| EmbedError::UnknownPart(shown(word)))
}

fn theme(word: &str) -> Result<DemoTheme, EmbedError> {
    let known = DemoTheme::WORDS.iter().find(|(_, known)| *known == word);
    known.map(|(theme, _)| *theme).ok_or_else(|| EmbedError::UnknownTheme(shown(word)))
}

/// Whether it is the name of a lesson, with or without the number of a step, and no address: `skew`, `skew/3`.
fn is_name(text: &str) -> bool {
    let (name, step) = text.split_once('/').unwrap_or((text, "1"));
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.bytes().all(is_word) && step.bytes().all(|byte| byte.is_ascii_digit())
}

/// An address that may be fetched: of the web, or relative to the page.
fn allowed(address: String) -> Result<String, EmbedError> {
    let scheme = address.split(['/', '?', '#']).next().and_then(|start| start.split_once(':'));
    let is_web = scheme.is_none_or(|(scheme, _)| ["http", "https"].contains(&scheme));
    if is_web && !address.is_empty() { Ok(address) } else { Err(EmbedError::Address(shown(&address))) }
}

/// The beginning of what somebody else has written.
fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}

/// What the query of an address has as `%2C` or the like: commas stay as they are.
const QUERY: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b',').remove(b':').remove(b'/');

/// Text as the query of an address has it.
fn escaped(text: &str) -> String {
    utf8_percent_encode(text, QUERY).to_string()
}

/// The text that [`escaped`] wrote; a `+` is a space, as forms write it.
fn plain(text: &str) -> Option<String> {
    String::from_utf8(percent_decoded(&text.replace('+', " "))?).ok()
}

#[cfg(test)]
mod tests;
