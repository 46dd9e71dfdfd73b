//! A session as text: the share link behind the `#` of an address, and what the browser stores.
//!
//! One grammar for both, plain characters only, so that no mail or chat has a reason to change it:
//!
//! ```text
//! session  = source *( "&" key "=" value ) [ "&sum=" sum ]
//! source   = "catalog:" name               the catalog's scenario, unchanged
//!          | "fairlane1:" data             any scenario: its file, deflated, in URL-safe base64
//!          | "generator1:" data            a generated scenario, unchanged: seed and settings, in the same form
//! key      = "origin"                      "catalog:" name, or "file:" and the name in base64
//!          | "policies"                    ticked policies with commas between, as on the command line
//!          | "at"                          the playhead, seconds
//!          | "from" | "to"                 the zoom window, seconds, both or neither
//!          | "jobs"                        chosen jobs by index, with commas between
//!          | "marks"                       "inversion", "skew", both with a comma between, or "none"; what suits the scenario if missing
//!          | "colour"                      "job" or "stage"; by user if missing
//!          | "draw"                        "shares"; tasks if missing
//!          | "tab"                         what the side shows
//!          | "mode"                        "present"
//!          | "rows"                        the height of the panels' rows
//!          | "order"                       policies whose panels come first, in this order
//!          | "collapsed"                   policies whose panels show only their heading
//!          | "apart"                       policies whose panels are shown although others have the same schedule
//!          | "virtual"                     the policy whose virtual time is shown
//!          | "future"                      hidden, if what lies beyond the playhead is
//!          | "ask"                         a policy, ":" and a job by index: how long it waits is asked of a class
//!          | "predict"                     the policy whose decisions the reader is asked to predict
//!          | "challenge"                   the name of the challenge that the reader plays
//!          | "log"                         what the log says that the scenario was imported from, as data
//! sum      = 8 hexadecimal digits          XXH3 of everything before "&sum=", its low half
//! ```
//!
//! `sum` may only be missing behind `catalog:`, so that such links can be written by hand:
//! `#catalog:skew&policies=uwfq,uwfq-p&at=1.5`.
//!
//! ```
//! use fairlane_view::link::{LinkBounds, Session};
//! let session = Session::from_text("catalog:skew&policies=uwfq,uwfq-p&at=1.5", &LinkBounds::LINK)?;
//! assert_eq!(session.view.playhead.seconds(), 1.5);
//! assert_eq!(session.view.policies.len(), 2);
//! # Ok::<(), fairlane_view::link::LinkError>(())
//! ```

pub mod embed;
mod files;
mod lesson;
mod log;
mod parts;
mod view;

use std::collections::{BTreeMap, BTreeSet};

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
use xxhash_rust::xxh3::xxh3_64;

use crate::view::View;
use fairlane::catalog;
use fairlane::policy::PolicyId;
use fairlane::scenario::{Generator, Scenario, ScenarioError};
pub use files::LinkedFile;
pub use lesson::{LessonDocument, LessonLink, LessonLinkSource, MAX_STUDENT};
pub use log::{LinkedLog, LinkedSimulation};
use parts::{base64, from_base64, unescaped};

/// A scenario's origin, before it was edited.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// The catalog's entry of that name.
    Catalog(&'static str),
    /// A file of that name.
    File(String),
    /// A generator.
    Generated(Box<Generator>),
}

/// What the reader is working on and how it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// The scenario as it is now.
    pub scenario: Scenario,
    /// Its origin.
    pub origin: Origin,
    /// What is shown of it.
    pub view: View,
    /// The policy whose decisions the reader is asked to predict.
    pub predict: Option<PolicyId>,
    /// The name of the challenge that the reader plays.
    pub challenge: Option<String>,
    /// What the log says that the scenario was imported from.
    pub log: Option<LinkedLog>,
}

/// The longest text and the largest scenario accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkBounds {
    /// Characters of the text.
    pub text: usize,
    /// Bytes of the scenario's file.
    pub scenario: usize,
    /// How hard to compress, from 1 (fast) to 9 (small).
    pub effort: u8,
}

impl LinkBounds {
    /// Bounds of a link: browsers accept it, and it opens at once.
    pub const LINK: LinkBounds = LinkBounds { text: 100_000, scenario: 4 << 20, effort: 8 };
    /// Bounds of what the browser stores, about five million characters at most.
    pub const STORAGE: LinkBounds = LinkBounds { text: 4_000_000, scenario: 64 << 20, effort: 1 };
}

/// Why a text is not a session, or a session cannot become one. Follows `The link` or `What was
/// saved`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// It does not begin like a session.
    #[error("is not one of Fairlane's: it does not begin with catalog:, fairlane1: or generator1:")]
    Foreign,
    /// It was written by a version with another grammar.
    #[error(
        "was made by another version of Fairlane (its tag is {0}, this one reads fairlane1 and generator1)"
    )]
    OtherVersion(String),
    /// Its end is missing.
    #[error("is incomplete: its end is missing")]
    Truncated,
    /// Some of its characters have changed.
    #[error("is damaged: some of its characters have changed")]
    Damaged,
    /// It is longer than allowed.
    #[error("is {length} characters long; the limit is {most}")]
    TooLong {
        /// Characters.
        length: usize,
        /// Characters.
        most: usize,
    },
    /// Its scenario is larger than allowed.
    #[error("contains a scenario larger than the limit of {} MB", .most >> 20)]
    TooLarge {
        /// Bytes.
        most: usize,
    },
    /// The catalog has no such entry.
    #[error("names the catalog's scenario \"{0}\", which this version of Fairlane does not have")]
    UnknownEntry(String),
    /// There is no such policy.
    #[error("names the policy \"{0}\", which this version of Fairlane does not have")]
    UnknownPolicy(String),
    /// The scenario is invalid.
    #[error("contains an invalid scenario: {0}")]
    Scenario(ScenarioError),
}

impl LinkError {
    /// What to do about a link that cannot be read or made.
    pub fn remedy(&self) -> &'static str {
        match self {
            LinkError::Foreign => "Check the address, or open a scenario from the catalog.",
            LinkError::OtherVersion(_) | LinkError::UnknownEntry(_) | LinkError::UnknownPolicy(_) => {
                "Open it with the version that made it, or ask for the scenario as a file."
            }
            LinkError::Truncated | LinkError::Damaged => {
                "Copy all of it again, or ask for the scenario as a file."
            }
            LinkError::TooLong { .. } | LinkError::TooLarge { .. } => {
                "Save the scenario as a file and send that instead."
            }
            LinkError::Scenario(_) => "Ask for the scenario as a file and correct it there.",
        }
    }
}

const CATALOG: &str = "catalog:";
const FILE: &str = "file:";
const TAG: &str = "fairlane";
const GENERATOR: &str = "generator";
const VERSION: &str = "1";
/// The keys besides those of the view.
const KEYS: [&str; 4] = ["origin", "predict", "challenge", "log"];
const SUM: &str = "&sum=";
/// Digits of the sum.
const SUM_DIGITS: usize = 8;

/// Whether a fragment means to be a link and is not, say, an anchor of the page.
pub fn is_link(fragment: &str) -> bool {
    let text = fragment.strip_prefix('#').unwrap_or(fragment);
    [CATALOG, TAG, GENERATOR].iter().any(|start| text.starts_with(start))
}

/// The keys about what is shown, in the order in which a link has them.
pub fn view_keys() -> impl Iterator<Item = &'static str> {
    view::KEYS.iter().map(|key| key.key)
}

/// What differs from the usual view as keys and values, `&` in front of each.
pub fn view_text(view: &View) -> String {
    view::text(view)
}

/// What is shown, from the values of [`view_keys`]; what is left out is as usual.
///
/// # Errors
/// [`LinkError::UnknownPolicy`], and [`LinkError::Damaged`] for a value that its key cannot have.
pub fn view_of(values: &BTreeMap<&str, &str>) -> Result<View, LinkError> {
    view::read(values)
}

impl Session {
    /// A view of a scenario, without anything that the reader is asked.
    pub fn new(scenario: Scenario, origin: Origin, view: View) -> Session {
        Session { scenario, origin, view, predict: None, challenge: None, log: None }
    }

    /// A scenario under some policies. It is from the catalog if that has the same, or else from a file without a name.
    pub fn of(scenario: Scenario, policies: BTreeSet<PolicyId>) -> Session {
        let entry = catalog::ENTRIES.iter().find(|entry| entry.scenario() == scenario);
        let origin = entry.map_or(Origin::File(String::new()), |entry| Origin::Catalog(entry.name));
        Session::new(scenario, origin, View { policies, ..View::default() })
    }

    /// The session as text, without the `#` of a link. The same session gives the same text.
    ///
    /// # Errors
    /// [`LinkError::TooLong`] and [`LinkError::TooLarge`].
    pub fn to_text(&self, bounds: &LinkBounds) -> Result<String, LinkError> {
        let mut text = self.source(bounds)? + &view::text(&self.view);
        if let Some(policy) = self.predict {
            text += &format!("&predict={policy}");
        }
        if let Some(challenge) = &self.challenge {
            text += &format!("&challenge={challenge}");
        }
        if let Some(log) = self.log.as_ref().and_then(|log| serde_json::to_vec(log).ok()) {
            text += &format!("&log={}", base64(&compress_to_vec(&log, bounds.effort)));
        }
        text = format!("{text}{SUM}{}", sum(&text));
        if text.len() > bounds.text {
            return Err(LinkError::TooLong { length: text.len(), most: bounds.text });
        }
        Ok(text)
    }

    /// The source and the origin; of an unchanged catalog entry only its name.
    fn source(&self, bounds: &LinkBounds) -> Result<String, LinkError> {
        let origin = match &self.origin {
            Origin::Catalog(name) => {
                let unchanged = catalog::find(name).is_some_and(|entry| entry.scenario() == self.scenario);
                if unchanged {
                    return Ok(format!("{CATALOG}{name}"));
                }
                format!("{CATALOG}{name}")
            }
            Origin::File(name) => format!("{FILE}{}", base64(name.as_bytes())),
            Origin::Generated(generator) => {
                if generator.scenario().is_ok_and(|scenario| scenario == self.scenario) {
                    let data = compress_to_vec(generator.to_json().as_bytes(), bounds.effort);
                    return Ok(format!("{GENERATOR}{VERSION}:{}", base64(&data)));
                }
                format!("{FILE}{}", base64(self.scenario.name().as_bytes()))
            }
        };
        let file = self.scenario.to_compact_json();
        if file.len() > bounds.scenario {
            return Err(LinkError::TooLarge { most: bounds.scenario });
        }
        let data = base64(&compress_to_vec(file.as_bytes(), bounds.effort));
        Ok(format!("{TAG}{VERSION}:{data}&origin={origin}"))
    }

    /// Reads a session: a link's fragment with or without `#`, or what was stored.
    ///
    /// # Errors
    /// Any [`LinkError`]; hostile text costs no more memory than the bounds say.
    pub fn from_text(text: &str, bounds: &LinkBounds) -> Result<Session, LinkError> {
        if text.len() > bounds.text {
            return Err(LinkError::TooLong { length: text.len(), most: bounds.text });
        }
        // A mail program may have included the punctuation after the link.
        let text = text.trim().trim_end_matches(['.', ',', ';', ')', '>', '"', '\'']);
        let text = unescaped(text.strip_prefix('#').unwrap_or(text)).ok_or(LinkError::Damaged)?;
        let (source, parameters) = verified(&text)?;
        let parameters = Parameters::new(parameters)?;
        let mut view = view::read(&parameters.0)?;
        let (scenario, origin) = match source {
            LinkSource::Catalog(name) => {
                let entry = catalog::find(name).ok_or_else(|| LinkError::UnknownEntry(name.to_owned()))?;
                (entry.scenario(), Origin::Catalog(entry.name))
            }
            LinkSource::Data(data) => {
                let scenario = Scenario::from_json(&file_of(data, bounds)?).map_err(LinkError::Scenario)?;
                (scenario, parameters.origin()?)
            }
            LinkSource::Generator(data) => {
                let generator = Generator::from_json(&file_of(data, bounds)?).map_err(LinkError::Scenario)?;
                let scenario = generator.scenario().map_err(LinkError::Scenario)?;
                (scenario, Origin::Generated(Box::new(generator)))
            }
        };
        view.chosen.retain(|job| job.index() < scenario.jobs().len());
        if !parameters.0.contains_key("policies") {
            // A catalog link written by hand brings the policies that suit its entry.
            let Origin::Catalog(name) = origin else { return Err(LinkError::Damaged) };
            view.policies = catalog::find(name).map(View::suiting).unwrap_or_default().policies;
        }
        let predict = parameters.0.get("predict").and_then(|value| view::policies(value).next());
        let challenge = parameters.0.get("challenge").map(|&name| name.to_owned());
        let log = parameters.log(scenario.users().len(), bounds)?;
        Ok(Session { scenario, origin, view, predict, challenge, log })
    }
}

fn sum(text: &str) -> String {
    format!("{:0SUM_DIGITS$x}", xxh3_64(text.as_bytes()) as u32)
}

/// The file that a link contains.
fn file_of(data: &str, bounds: &LinkBounds) -> Result<String, LinkError> {
    let bytes = from_base64(data).ok_or(LinkError::Damaged)?;
    let file = decompress_to_vec_with_limit(&bytes, bounds.scenario).map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => LinkError::TooLarge { most: bounds.scenario },
        _ => LinkError::Damaged,
    })?;
    String::from_utf8(file).map_err(|_| LinkError::Damaged)
}

/// The part before the first `&`.
#[derive(Clone, Copy)]
enum LinkSource<'a> {
    Catalog(&'a str),
    Data(&'a str),
    Generator(&'a str),
}

/// The source and the parameters of a text whose sum is right, or may be missing.
fn verified(text: &str) -> Result<(LinkSource<'_>, Option<&str>), LinkError> {
    let (body, written) = match text.rsplit_once(SUM) {
        Some((body, written)) => (body, Some(written)),
        None => (text, None),
    };
    let (source, parameters) = match body.split_once('&') {
        Some((source, parameters)) => (source, Some(parameters)),
        None => (body, None),
    };
    let tagged = |tag: &'static str| source.strip_prefix(tag).map(|rest| (tag, rest));
    let source = match (source.strip_prefix(CATALOG), tagged(TAG).or_else(|| tagged(GENERATOR))) {
        (Some(name), _) => LinkSource::Catalog(name),
        (None, Some((tag, rest))) => match rest.split_once(':') {
            Some((VERSION, data)) if tag == TAG => LinkSource::Data(data),
            Some((VERSION, data)) => LinkSource::Generator(data),
            Some((version, _)) => {
                let version: String = version.chars().take(12).collect();
                return Err(LinkError::OtherVersion(format!("{tag}{version}")));
            }
            None => return Err(LinkError::Truncated),
        },
        (None, None) => return Err(LinkError::Foreign),
    };
    match (written, source) {
        (Some(written), _) if written == sum(body) => Ok((source, parameters)),
        (Some(written), _) if written.len() < SUM_DIGITS => Err(LinkError::Truncated),
        (Some(_), _) => Err(LinkError::Damaged),
        (None, LinkSource::Catalog(_)) => Ok((source, parameters)),
        (None, LinkSource::Data(_) | LinkSource::Generator(_)) => Err(LinkError::Truncated),
    }
}

/// The values by key, each key once.
struct Parameters<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Parameters<'a> {
    fn new(text: Option<&'a str>) -> Result<Parameters<'a>, LinkError> {
        let mut values = BTreeMap::new();
        for part in text.into_iter().flat_map(|text| text.split('&')) {
            let (key, value) = part.split_once('=').ok_or(LinkError::Damaged)?;
            let is_known = KEYS.contains(&key) || view::KEYS.iter().any(|view| view.key == key);
            if !is_known || values.insert(key, value).is_some() {
                return Err(LinkError::Damaged);
            }
        }
        Ok(Parameters(values))
    }

    fn origin(&self) -> Result<Origin, LinkError> {
        let origin = self.0.get("origin").ok_or(LinkError::Damaged)?;
        if let Some(name) = origin.strip_prefix(CATALOG) {
            // An entry that this version lacks: the scenario is complete all the same.
            return Ok(match catalog::find(name) {
                Some(entry) => Origin::Catalog(entry.name),
                None => Origin::File(format!("{name}.json")),
            });
        }
        let name = origin.strip_prefix(FILE).and_then(from_base64).ok_or(LinkError::Damaged)?;
        String::from_utf8(name).map(Origin::File).map_err(|_| LinkError::Damaged)
    }

    fn log(&self, users: usize, bounds: &LinkBounds) -> Result<Option<LinkedLog>, LinkError> {
        let Some(data) = self.0.get("log") else { return Ok(None) };
        let log: LinkedLog = serde_json::from_str(&file_of(data, bounds)?).map_err(|_| LinkError::Damaged)?;
        if log.is_of(users) { Ok(Some(log)) } else { Err(LinkError::Damaged) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_names_every_key() {
        let grammar: Vec<&str> =
            include_str!("link.rs").lines().take_while(|line| line.starts_with("//!")).collect();
        for key in KEYS.into_iter().chain(view::KEYS.iter().map(|view| view.key)) {
            assert!(grammar.iter().any(|line| line.contains(&format!("\"{key}\""))), "{key}");
        }
    }
}
