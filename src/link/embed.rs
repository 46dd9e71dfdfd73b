//! The address of an embedded demo: the page shown in a frame of another one, reduced to chosen parts.
//!
//! ```text
//! query    = "?embed" *( "&" key [ "=" value ] )
//! key      = "scenario"     the name of a catalog entry
//!          | "src"          the address of a scenario file (JSON)
//!          | "policies"     policies with commas between; those that suit the scenario if missing
//!          | "show"         parts with commas between: panels, lanes, ideal, compare, chart, lesson, transport
//!          | "chart"        which chart is shown, by the word that the command line has for it
//!          | "theme"        light, dark, or system (the reader's own)
//!          | "edit"         jobs can be moved
//!          | "at"           the instant shown, seconds
//!          | "host"         the origin of the page around the frame; messages of others are ignored
//! ```
//!
//! Without `scenario` and `src` the fragment is a session or a step of a lesson, as in a share link.
//!
//! ```
//! use fairlane::link::embed::{Embed, Part, Subject};
//! let embed = Embed::from_query("?embed&scenario=skew&policies=uwfq,uwfq-p&show=panels&at=1.5")?.expect("a demo");
//! assert_eq!(embed.subject, Subject::Fragment("catalog:skew".to_owned()));
//! assert!(embed.shows(Part::Panels) && !embed.shows(Part::Transport));
//! # Ok::<(), fairlane::link::embed::EmbedError>(())
//! ```

use std::collections::BTreeSet;

use super::parts::{decimal, micros, percent_decoded};
use crate::catalog;
use crate::policy::PolicyId;
use crate::units::Time;

/// A part of the page that a demo can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
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

impl Part {
    /// Each with its word in addresses, from top to bottom.
    pub const WORDS: [(Part, &str); 7] = [
        (Part::Lanes, "lanes"),
        (Part::Ideal, "ideal"),
        (Part::Panels, "panels"),
        (Part::Compare, "compare"),
        (Part::Chart, "chart"),
        (Part::Lesson, "lesson"),
        (Part::Transport, "transport"),
    ];
}

/// A demo's colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// The reader's own.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Each with its word; the first is usual and left out.
    pub const WORDS: [(Theme, &str); 3] =
        [(Theme::System, "system"), (Theme::Light, "light"), (Theme::Dark, "dark")];

    /// Its word.
    pub fn word(self) -> &'static str {
        Theme::WORDS[self as usize].1
    }
}

/// What a demo is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A session or a step of a lesson, without `#`; empty if the address has none.
    Fragment(String),
    /// The address of a scenario file.
    File(String),
}

/// A demo as its address describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embed {
    /// What it is about.
    pub subject: Subject,
    /// Its policies; `None`: those that suit the scenario.
    pub policies: Option<BTreeSet<PolicyId>>,
    /// The parts it shows.
    pub parts: BTreeSet<Part>,
    /// The word of the chart it shows.
    pub chart: Option<String>,
    /// Its colours.
    pub theme: Theme,
    /// Whether jobs can be moved.
    pub editable: bool,
    /// The instant shown; `None`: that of the session.
    pub at: Option<Time>,
    /// The origin of the page around the frame, if its messages are to be heeded only from there.
    pub host: Option<String>,
}

impl Default for Embed {
    /// Panels and time controls, read-only.
    fn default() -> Embed {
        Embed {
            subject: Subject::Fragment(String::new()),
            policies: None,
            parts: [Part::Panels, Part::Transport].into(),
            chart: None,
            theme: Theme::System,
            editable: false,
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
        "the address has \"{0}\"; a demo has scenario, src, policies, show, chart, theme, edit, at and host"
    )]
    UnknownKey(String),
    /// A key occurs twice.
    #[error("the address has \"{0}\" twice; leave one")]
    Twice(String),
    /// Both a catalog entry and a file.
    #[error("the address has both scenario and src; leave one")]
    TwoScenarios,
    /// The catalog has no such entry.
    #[error("the catalog has no scenario \"{0}\"; the page's list of scenarios has their names")]
    UnknownEntry(String),
    /// There is no such policy.
    #[error("there is no policy \"{0}\"; policies are written as on the command line, such as uwfq-p")]
    UnknownPolicy(String),
    /// There is no such part.
    #[error(
        "there is no part \"{0}\"; a demo shows panels, lanes, ideal, compare, chart, lesson and transport"
    )]
    UnknownPart(String),
    /// There is no such theme.
    #[error("there is no theme \"{0}\"; use light, dark or system")]
    UnknownTheme(String),
    /// Not an instant.
    #[error("at={0} is no instant; write seconds with at most six decimals, such as 1.5")]
    Instant(String),
    /// Not an address that is allowed.
    #[error("src={0} is not allowed; give an http or https address, or one relative to the page")]
    Address(String),
    /// Not written as addresses are.
    #[error("the address is damaged at \"{0}\"; write characters other than letters and digits as %XX")]
    Escape(String),
}

impl Embed {
    /// Whether a part is shown.
    pub fn shows(&self, part: Part) -> bool {
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
        let (mut entry, mut file) = (None, None);
        for pair in pairs {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = plain(value).ok_or_else(|| EmbedError::Escape(shown(value)))?;
            if !seen.insert(key) {
                return Err(EmbedError::Twice(shown(key)));
            }
            match key {
                "scenario" => entry = Some(value),
                "src" => file = Some(value),
                "policies" => embed.policies = Some(policies(&value)?),
                "show" => embed.parts = words(&value).map(part).collect::<Result<_, _>>()?,
                "chart" => embed.chart = Some(value),
                "theme" => embed.theme = theme(&value)?,
                "edit" => embed.editable = true,
                "at" => embed.at = Some(micros(&value).ok_or_else(|| EmbedError::Instant(shown(&value)))?),
                "host" => embed.host = Some(value),
                _ => return Err(EmbedError::UnknownKey(shown(key))),
            }
        }
        if embed.chart.is_some() {
            embed.parts.insert(Part::Chart);
        }
        embed.subject = match (entry, file) {
            (Some(_), Some(_)) => return Err(EmbedError::TwoScenarios),
            (Some(name), None) => {
                let entry = catalog::find(&name).ok_or_else(|| EmbedError::UnknownEntry(shown(&name)))?;
                Subject::Fragment(format!("catalog:{}", entry.name))
            }
            (None, Some(address)) => Subject::File(allowed(address)?),
            (None, None) => Subject::Fragment(String::new()),
        };
        Ok(Some(embed))
    }

    /// The query of its address, from `?` on, and the fragment behind it: the same demo gives the same text.
    pub fn to_query(&self) -> String {
        let mut query = "?embed".to_owned();
        let mut add = |key: &str, value: &str| query += &format!("&{key}={}", escaped(value));
        let mut fragment = String::new();
        match &self.subject {
            Subject::File(address) => add("src", address),
            Subject::Fragment(session) => match session.strip_prefix("catalog:") {
                Some(name) if catalog::find(name).is_some() => add("scenario", name),
                _ if session.is_empty() => {}
                _ => fragment = format!("#{session}"),
            },
        }
        if let Some(policies) = &self.policies {
            add("policies", &policies.iter().map(PolicyId::to_string).collect::<Vec<_>>().join(","));
        }
        if self.parts != Embed::default().parts {
            let parts = Part::WORDS.iter().filter(|(part, _)| self.shows(*part));
            add("show", &parts.map(|(_, word)| *word).collect::<Vec<_>>().join(","));
        }
        if let Some(chart) = &self.chart {
            add("chart", chart);
        }
        if self.theme != Theme::System {
            add("theme", self.theme.word());
        }
        if self.editable {
            query += "&edit";
        }
        let mut add = |key: &str, value: &str| query += &format!("&{key}={}", escaped(value));
        if let Some(at) = self.at {
            add("at", &decimal(at));
        }
        if let Some(host) = &self.host {
            add("host", host);
        }
        query + &fragment
    }
}

fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').filter(|word| !word.is_empty())
}

fn policies(list: &str) -> Result<BTreeSet<PolicyId>, EmbedError> {
    words(list).map(|word| word.parse().map_err(|_| EmbedError::UnknownPolicy(shown(word)))).collect()
}

fn part(word: &str) -> Result<Part, EmbedError> {
    let known = Part::WORDS.iter().find(|(_, known)| *known == word);
    known.map(|(part, _)| *part).ok_or_else(|| EmbedError::UnknownPart(shown(word)))
}

fn theme(word: &str) -> Result<Theme, EmbedError> {
    let known = Theme::WORDS.iter().find(|(_, known)| *known == word);
    known.map(|(theme, _)| *theme).ok_or_else(|| EmbedError::UnknownTheme(shown(word)))
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

/// Text as the query of an address has it: commas stay as they are.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b',' | b':' | b'/' => {
                escaped.push(char::from(byte));
            }
            byte => escaped += &format!("%{byte:02X}"),
        }
    }
    escaped
}

/// The text that [`escaped`] wrote; a `+` is a space, as forms write it.
fn plain(text: &str) -> Option<String> {
    String::from_utf8(percent_decoded(&text.replace('+', " "))?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<Option<Embed>, EmbedError> {
        Embed::from_query(query)
    }

    #[test]
    fn an_address_without_embed_is_no_demo() {
        for query in ["", "?", "?scenario=skew", "?embedded"] {
            assert_eq!(read(query), Ok(None), "{query}");
        }
    }

    #[test]
    fn a_demo_survives_its_address() {
        let policy = |name: &str| name.parse::<PolicyId>().expect("a policy");
        let demos = [
            Embed::default(),
            Embed {
                subject: Subject::Fragment("catalog:skew".to_owned()),
                policies: Some([policy("uwfq"), policy("uwfq-p")].into()),
                parts: Part::WORDS.iter().map(|(part, _)| *part).collect(),
                chart: Some("responses".to_owned()),
                theme: Theme::Dark,
                editable: true,
                at: Some(Time(1_500_000)),
                host: Some("https://example.org:8080".to_owned()),
            },
            Embed {
                subject: Subject::File("https://a.org/x y.json?v=ä&w=1".to_owned()), ..Embed::default()
            },
            Embed { subject: Subject::Fragment("fairlane1:abc&sum=00000000".to_owned()), ..Embed::default() },
        ];
        for demo in demos {
            let address = demo.to_query();
            let (query, fragment) = address.split_once('#').unwrap_or((&address, ""));
            let mut again = read(query).expect("a sound address").expect("a demo");
            if !fragment.is_empty() {
                again.subject = Subject::Fragment(fragment.to_owned());
            }
            assert_eq!(again, demo, "{address}");
        }
    }

    #[test]
    fn faults_name_the_place_and_the_remedy() {
        let fault = |query: &str| read(&format!("?embed&{query}")).unwrap_err();
        assert_eq!(fault("scenari=skew"), EmbedError::UnknownKey("scenari".to_owned()));
        assert_eq!(fault("at=1&at=2"), EmbedError::Twice("at".to_owned()));
        assert_eq!(fault("scenario=skew&src=x.json"), EmbedError::TwoScenarios);
        assert_eq!(fault("scenario=none"), EmbedError::UnknownEntry("none".to_owned()));
        assert_eq!(fault("policies=uwfq,best"), EmbedError::UnknownPolicy("best".to_owned()));
        assert_eq!(fault("show=panels,map"), EmbedError::UnknownPart("map".to_owned()));
        assert_eq!(fault("theme=blue"), EmbedError::UnknownTheme("blue".to_owned()));
        assert_eq!(fault("at=-1"), EmbedError::Instant("-1".to_owned()));
        assert_eq!(fault("scenario=%zz"), EmbedError::Escape("%zz".to_owned()));
        for src in ["", "javascript:alert(1)", "file:///etc/passwd", "data:application/json,{}", "blob:x"] {
            assert!(matches!(fault(&format!("src={}", escaped(src))), EmbedError::Address(_)), "{src}");
        }
        for src in ["https://a.org/s.json", "s.json", "../s.json", "/s.json?x=a:b"] {
            assert!(read(&format!("?embed&src={}", escaped(src))).is_ok(), "{src}");
        }
        let long = fault(&format!("show={}", "x".repeat(10_000)));
        assert!(long.to_string().len() < 300);
    }
}
