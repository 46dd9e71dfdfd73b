//! How a session is shown, as parameters.

use std::collections::BTreeMap;

use super::LinkError;
use crate::display::{Colouring, Display, DisplayMode, Heights, Mark, Tab};
use fairlane::ids::JobId;
use fairlane::policy::PolicyId;

/// A key about the display.
pub(super) struct DisplayKey {
    pub(super) key: &'static str,
    /// The words of what differs from the usual display.
    words: fn(&Display) -> Vec<String>,
    /// Sets what some words mean, of which there may be none.
    read: fn(&mut Display, &[&str]) -> Result<(), LinkError>,
}

/// The word for no marks where some are usual.
const NO_MARKS: &str = "none";

/// The keys about the display, in the order in which they are written. A policy that this version lacks has no panel
/// to be moved, folded or shown apart.
pub(super) const KEYS: [DisplayKey; 12] = [
    DisplayKey {
        key: "jobs",
        words: |display| display.chosen.iter().map(|job| job.0.to_string()).collect(),
        read: |display, words| {
            let job = |word: &&str| word.parse().map(JobId).map_err(|_| LinkError::Damaged);
            display.chosen = words.iter().map(job).collect::<Result<_, _>>()?;
            Ok(())
        },
    },
    DisplayKey {
        key: "marks",
        words: |display| {
            let Some(chosen) = &display.marks else { return Vec::new() };
            let words = Mark::WORDS.iter().filter(|(mark, _)| chosen.contains(mark)).map(|(_, word)| *word);
            words.chain(chosen.is_empty().then_some(NO_MARKS)).map(str::to_owned).collect()
        },
        read: |display, words| {
            let mark = |word: &&str| value_of(&Mark::WORDS, word);
            let chosen = if words == [NO_MARKS] { &[] } else { words };
            display.marks = Some(chosen.iter().map(mark).collect::<Result<_, _>>()?);
            Ok(())
        },
    },
    DisplayKey {
        key: "colour",
        words: |display| unusual(&Colouring::WORDS, display.colouring),
        read: |display, words| set_word(&mut display.colouring, &Colouring::WORDS, words),
    },
    DisplayKey {
        key: "tab",
        words: |display| unusual(&Tab::WORDS, display.tab),
        read: |display, words| set_word(&mut display.tab, &Tab::WORDS, words),
    },
    DisplayKey {
        key: "mode",
        words: |display| unusual(&DisplayMode::WORDS, display.mode),
        read: |display, words| set_word(&mut display.mode, &DisplayMode::WORDS, words),
    },
    DisplayKey {
        key: "rows",
        words: |display| unusual(&Heights::ALL.map(|heights| (heights, heights.word())), display.heights),
        read: |display, words| {
            set_word(&mut display.heights, &Heights::ALL.map(|heights| (heights, heights.word())), words)
        },
    },
    DisplayKey {
        key: "order",
        words: |display| display.order.iter().map(PolicyId::to_string).collect(),
        read: |display, words| set_policies(words, |known| display.order = known.collect()),
    },
    DisplayKey {
        key: "collapsed",
        words: |display| display.collapsed.iter().map(PolicyId::to_string).collect(),
        read: |display, words| set_policies(words, |known| display.collapsed = known.collect()),
    },
    DisplayKey {
        key: "apart",
        words: |display| display.unmerged.iter().map(PolicyId::to_string).collect(),
        read: |display, words| set_policies(words, |known| display.unmerged = known.collect()),
    },
    DisplayKey {
        key: "virtual",
        words: |display| display.virtual_time.iter().map(PolicyId::to_string).collect(),
        read: |display, words| set_policies(words, |known| display.virtual_time = known.next()),
    },
    DisplayKey {
        key: "predict",
        words: |display| display.predict.iter().map(PolicyId::to_string).collect(),
        read: |display, words| set_policies(words, |known| display.predict = known.next()),
    },
    DisplayKey {
        key: "challenge",
        words: |display| display.challenge.iter().cloned().collect(),
        read: |display, words| {
            let [word] = words else { return Err(LinkError::Damaged) };
            display.challenge = Some((*word).to_owned());
            Ok(())
        },
    },
];

/// What differs from the usual display, as parameters.
pub(super) fn text(display: &Display) -> String {
    let texts = KEYS.iter().map(|DisplayKey { key, words, .. }| match words(display).join(",") {
        words if words.is_empty() => words,
        words => format!("&{key}={words}"),
    });
    texts.collect()
}

/// The word of a value, unless it is the usual one.
fn unusual<T: PartialEq + Default>(words: &[(T, &str)], value: T) -> Vec<String> {
    let word = words.iter().find(|(known, _)| *known == value && value != T::default());
    word.map(|(_, word)| (*word).to_owned()).into_iter().collect()
}

/// Sets a value to what its one word means.
fn set_word<T: Copy>(value: &mut T, known: &[(T, &str)], words: &[&str]) -> Result<(), LinkError> {
    let [word] = words else { return Err(LinkError::Damaged) };
    *value = value_of(known, word)?;
    Ok(())
}

/// Sets what some of the words are, those that are policies.
fn set_policies<'a>(
    words: &'a [&'a str],
    set: impl FnOnce(&mut dyn Iterator<Item = PolicyId>),
) -> Result<(), LinkError> {
    set(&mut words.iter().filter_map(|name| name.parse().ok()));
    Ok(())
}

/// Reads the display from the values by key.
pub(super) fn read(values: &BTreeMap<&str, &str>) -> Result<Display, LinkError> {
    let mut display = Display::default();
    for DisplayKey { key, read, .. } in &KEYS {
        if let Some(list) = values.get(key) {
            read(&mut display, &list.split(',').filter(|word| !word.is_empty()).collect::<Vec<_>>())?;
        }
    }
    Ok(display)
}

/// What a word means.
fn value_of<T: Copy>(words: &[(T, &str)], word: &str) -> Result<T, LinkError> {
    words.iter().find(|(_, known)| *known == word).map(|&(value, _)| value).ok_or(LinkError::Damaged)
}
