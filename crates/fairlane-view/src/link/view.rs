//! What is shown, as parameters.

use std::collections::BTreeMap;

use super::LinkError;
use super::parts::{decimal, micros};
use crate::TimeAxis;
use crate::view::{Colouring, DisplayMode, Drawing, Heights, Mark, Tab, View};
use fairlane::ids::JobId;
use fairlane::policy::PolicyId;
use fairlane::units::Time;

/// A key about what is shown.
pub(super) struct ViewKey {
    pub(super) key: &'static str,
    /// The value, unless it is the usual one.
    write: fn(&View) -> Option<String>,
    /// Sets what a value means.
    read: fn(&mut View, &str) -> Result<(), LinkError>,
}

/// The word for a future that is hidden.
const HIDDEN: &str = "hidden";

/// The word for no marks where some are usual.
const NO_MARKS: &str = "none";

/// The keys about what is shown, in the order in which they are written. A policy that this version lacks has no panel
/// to be moved, folded or shown apart.
pub(super) const KEYS: &[ViewKey] = &[
    ViewKey {
        key: "policies",
        write: |view| Some(joined(&view.policies)),
        read: |view, value| {
            let unknown = |name: &str| LinkError::UnknownPolicy(name.chars().take(40).collect());
            let known = words(value).map(|name| name.parse().map_err(|_| unknown(name)));
            view.policies = known.collect::<Result<_, _>>()?;
            Ok(())
        },
    },
    ViewKey {
        key: "at",
        write: |view| Some(decimal(view.playhead)).filter(|_| view.playhead != Time::ZERO),
        read: |view, value| {
            view.playhead = instant(value)?;
            Ok(())
        },
    },
    ViewKey {
        key: "from",
        write: |view| view.window.map(|window| decimal(window.from)),
        read: |view, value| {
            let from = instant(value)?;
            view.window = Some(TimeAxis { from, to: from });
            Ok(())
        },
    },
    ViewKey {
        key: "to",
        write: |view| view.window.map(|window| decimal(window.to)),
        read: |view, value| {
            view.window.as_mut().ok_or(LinkError::Damaged)?.to = instant(value)?;
            Ok(())
        },
    },
    ViewKey {
        key: "jobs",
        write: |view| filled(joined(view.chosen.iter().map(|job| job.0))),
        read: |view, value| {
            let job = |word: &str| word.parse().map(JobId).map_err(|_| LinkError::Damaged);
            view.chosen = words(value).map(job).collect::<Result<_, _>>()?;
            Ok(())
        },
    },
    ViewKey {
        key: "marks",
        write: |view| {
            let chosen = view.marks.as_ref()?;
            let words = Mark::WORDS.iter().filter(|(mark, _)| chosen.contains(mark)).map(|(_, word)| *word);
            filled(joined(words.chain(chosen.is_empty().then_some(NO_MARKS))))
        },
        read: |view, value| {
            let chosen = words(value).filter(|_| value != NO_MARKS);
            view.marks = Some(chosen.map(|word| value_of(&Mark::WORDS, word)).collect::<Result<_, _>>()?);
            Ok(())
        },
    },
    ViewKey {
        key: "colour",
        write: |view| unusual(&Colouring::WORDS, view.colouring),
        read: |view, value| set_word(&mut view.colouring, &Colouring::WORDS, value),
    },
    ViewKey {
        key: "draw",
        write: |view| unusual(&Drawing::WORDS, view.drawing),
        read: |view, value| set_word(&mut view.drawing, &Drawing::WORDS, value),
    },
    ViewKey {
        key: "tab",
        write: |view| unusual(&Tab::WORDS, view.tab),
        read: |view, value| set_word(&mut view.tab, &Tab::WORDS, value),
    },
    ViewKey {
        key: "mode",
        write: |view| unusual(&DisplayMode::WORDS, view.mode),
        read: |view, value| set_word(&mut view.mode, &DisplayMode::WORDS, value),
    },
    ViewKey {
        key: "rows",
        write: |view| unusual(&Heights::ALL.map(|heights| (heights, heights.word())), view.heights),
        read: |view, value| {
            set_word(&mut view.heights, &Heights::ALL.map(|heights| (heights, heights.word())), value)
        },
    },
    ViewKey {
        key: "order",
        write: |view| filled(joined(&view.order)),
        read: |view, value| {
            view.order = policies(value).collect();
            Ok(())
        },
    },
    ViewKey {
        key: "collapsed",
        write: |view| filled(joined(&view.collapsed)),
        read: |view, value| {
            view.collapsed = policies(value).collect();
            Ok(())
        },
    },
    ViewKey {
        key: "apart",
        write: |view| filled(joined(&view.unmerged)),
        read: |view, value| {
            view.unmerged = policies(value).collect();
            Ok(())
        },
    },
    ViewKey {
        key: "virtual",
        write: |view| view.virtual_time.map(|policy| policy.to_string()),
        read: |view, value| {
            view.virtual_time = policies(value).next();
            Ok(())
        },
    },
    ViewKey {
        key: "future",
        write: |view| view.hides_future.then(|| HIDDEN.to_owned()),
        read: |view, value| {
            view.hides_future = value == HIDDEN;
            if view.hides_future { Ok(()) } else { Err(LinkError::Damaged) }
        },
    },
    ViewKey {
        key: "ask",
        write: |view| view.asks.map(|(policy, job)| format!("{policy}:{}", job.0)),
        read: |view, value| {
            // A program's policy has a colon in its name.
            let (policy, job) = value.rsplit_once(':').ok_or(LinkError::Damaged)?;
            let job = job.parse().map(JobId).map_err(|_| LinkError::Damaged)?;
            view.asks = policies(policy).next().map(|policy| (policy, job));
            Ok(())
        },
    },
];

/// What differs from the usual view, as parameters.
pub(super) fn text(view: &View) -> String {
    let texts = KEYS.iter().filter_map(|ViewKey { key, write, .. }| Some(format!("&{key}={}", write(view)?)));
    texts.collect()
}

/// Reads what is shown from the values by key.
pub(super) fn read(values: &BTreeMap<&str, &str>) -> Result<View, LinkError> {
    let mut view = View::default();
    for ViewKey { key, read, .. } in KEYS {
        if let Some(value) = values.get(key) {
            read(&mut view, value)?;
        }
    }
    let is_sound = view.window.is_none_or(|window| window.from < window.to);
    if is_sound { Ok(view) } else { Err(LinkError::Damaged) }
}

fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').filter(|word| !word.is_empty())
}

/// The words that are policies of this version.
pub(super) fn policies(value: &str) -> impl Iterator<Item = PolicyId> {
    words(value).filter_map(|name| name.parse().ok())
}

fn instant(value: &str) -> Result<Time, LinkError> {
    micros(value).ok_or(LinkError::Damaged)
}

fn joined(items: impl IntoIterator<Item: ToString>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(",")
}

fn filled(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// The word of a value, unless it is the usual one.
fn unusual<T: PartialEq + Default>(words: &[(T, &str)], value: T) -> Option<String> {
    let word = words.iter().find(|(known, _)| *known == value && value != T::default());
    word.map(|(_, word)| (*word).to_owned())
}

/// Sets a value to what a word means.
fn set_word<T: Copy>(value: &mut T, known: &[(T, &str)], word: &str) -> Result<(), LinkError> {
    *value = value_of(known, word)?;
    Ok(())
}

/// What a word means.
fn value_of<T: Copy>(words: &[(T, &str)], word: &str) -> Result<T, LinkError> {
    words.iter().find(|(_, known)| *known == word).map(|&(value, _)| value).ok_or(LinkError::Damaged)
}
