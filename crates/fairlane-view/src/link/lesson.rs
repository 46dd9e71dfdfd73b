//! Links to lessons that somebody has written: `#lesson=https://…/mine.md&step=2`, or with the document inside.
//!
//! ```text
//! link = "lesson=" address *( "&" key "=" value )           the address of a document, escaped as in a query
//!      | "document1:" data *( "&" key "=" value ) "&sum=" sum   the document, deflated, in URL-safe base64
//! key  = "step"        the step that is shown first, from 1
//!      | "student"     who answers
//! ```

use std::collections::BTreeMap;

use miniz_oxide::deflate::compress_to_vec;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use super::parts::{base64, percent_decoded, unescaped};
use super::{LinkBounds, LinkError, SUM, file_of, sum};

const ADDRESS: &str = "lesson=";
const DOCUMENT: &str = "document";
const VERSION: &str = "1";
/// What a value of the link has as `%2C` or the like.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'/').remove(b':');
/// Longest name of a student, in characters.
pub const MAX_STUDENT: usize = 100;

/// A lesson as it was written: the text of a document, with the files that it names.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct LessonDocument {
    /// The name of the document's file, as the reader knows it.
    pub name: String,
    /// The text.
    pub text: String,
    /// Files beside the document, such as a scenario, by the names that the document gives them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The address that the document was loaded from, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

/// Where a link has its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LessonLinkSource {
    /// At an address.
    Address(String),
    /// In the link itself.
    Document(LessonDocument),
}

/// A link to a lesson that somebody has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonLink {
    /// Where the document is.
    pub source: LessonLinkSource,
    /// The step that is shown first, from 0.
    pub step: usize,
    /// Who answers the questions, if the link says so.
    pub student: Option<String>,
}

impl LessonLink {
    /// A link to the first step of the document at an address.
    pub fn to_address(address: &str) -> LessonLink {
        LessonLink { source: LessonLinkSource::Address(address.to_owned()), step: 0, student: None }
    }

    /// Whether a fragment, with or without `#`, means to be such a link.
    pub fn is_in(fragment: &str) -> bool {
        let text = fragment.strip_prefix('#').unwrap_or(fragment);
        text.starts_with(ADDRESS) || text.starts_with(DOCUMENT)
    }

    /// The fragment without `#`: the same link gives the same text.
    ///
    /// # Errors
    /// [`LinkError::TooLong`] of a document that is too long for a link.
    pub fn to_fragment(&self) -> Result<String, LinkError> {
        let mut text = match &self.source {
            LessonLinkSource::Address(address) => {
                format!("{ADDRESS}{}", utf8_percent_encode(address, ESCAPED))
            }
            LessonLinkSource::Document(document) => {
                let file = serde_json::to_string(document).map_err(|_| LinkError::Damaged)?;
                let data = compress_to_vec(file.as_bytes(), LinkBounds::LINK.effort);
                format!("{DOCUMENT}{VERSION}:{}", base64(&data))
            }
        };
        if self.step > 0 {
            text += &format!("&step={}", self.step + 1);
        }
        if let Some(student) = &self.student {
            text += &format!("&student={}", utf8_percent_encode(student, ESCAPED));
        }
        if matches!(self.source, LessonLinkSource::Document(_)) {
            text = format!("{text}{SUM}{}", sum(&text));
        }
        match text.len() {
            length if length > LinkBounds::LINK.text => {
                Err(LinkError::TooLong { length, most: LinkBounds::LINK.text })
            }
            _ => Ok(text),
        }
    }

    /// Reads a fragment with or without `#`; `None` if it is no link to a lesson.
    ///
    /// # Errors
    /// Any [`LinkError`]; hostile text costs no more memory than the bounds of a link say.
    pub fn from_fragment(fragment: &str) -> Option<Result<LessonLink, LinkError>> {
        LessonLink::is_in(fragment).then(|| LessonLink::read(fragment))
    }

    fn read(fragment: &str) -> Result<LessonLink, LinkError> {
        let text = fragment.strip_prefix('#').unwrap_or(fragment);
        if text.len() > LinkBounds::LINK.text {
            return Err(LinkError::TooLong { length: text.len(), most: LinkBounds::LINK.text });
        }
        if let Some(rest) = text.strip_prefix(ADDRESS) {
            let (address, keys) = divided(rest);
            return LessonLink::to_address(&plain(address)?).with(keys);
        }
        // A mail program may have added these from the sentence around the link.
        let text = text.trim_end_matches(['.', ',', ';', ')', '>', '"', '\'']);
        let (body, written) = text.rsplit_once(SUM).ok_or(LinkError::Truncated)?;
        if written != sum(body) {
            return Err(if written.len() < 8 { LinkError::Truncated } else { LinkError::Damaged });
        }
        let (source, keys) = divided(body);
        let source = unescaped(source).ok_or(LinkError::Damaged)?;
        let data = match source.strip_prefix(DOCUMENT).and_then(|rest| rest.split_once(':')) {
            Some((VERSION, data)) => data,
            Some((version, _)) => {
                let version: String = version.chars().take(12).collect();
                return Err(LinkError::OtherVersion(format!("{DOCUMENT}{version}")));
            }
            None => return Err(LinkError::Truncated),
        };
        let file = file_of(data, &LinkBounds::LINK)?;
        let document = serde_json::from_str(&file).map_err(|_| LinkError::Damaged)?;
        LessonLink { source: LessonLinkSource::Document(document), step: 0, student: None }.with(keys)
    }

    fn with(mut self, keys: &str) -> Result<LessonLink, LinkError> {
        for pair in keys.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("step", number)) => {
                    let number: usize = number.parse().map_err(|_| LinkError::Damaged)?;
                    self.step = number.saturating_sub(1);
                }
                Some(("student", name)) => {
                    let name: String = plain(name)?.trim().chars().take(MAX_STUDENT).collect();
                    self.student = Some(name).filter(|name| !name.is_empty());
                }
                _ => return Err(LinkError::Damaged),
            }
        }
        Ok(self)
    }
}

/// A source, and the keys behind it.
fn divided(text: &str) -> (&str, &str) {
    text.split_once('&').unwrap_or((text, ""))
}

/// A value without its escapes.
fn plain(text: &str) -> Result<String, LinkError> {
    let bytes = percent_decoded(text).ok_or(LinkError::Damaged)?;
    String::from_utf8(bytes).map_err(|_| LinkError::Damaged)
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    fn document() -> LessonDocument {
        LessonDocument {
            name: "mine.md".to_owned(),
            text: "---\ntitle: Müller & Söhne\n---\n\n## A step\n".to_owned(),
            files: [("busy.json".to_owned(), "{}".to_owned())].into(),
            address: None,
        }
    }

    fn read(fragment: &str) -> Result<LessonLink, LinkError> {
        LessonLink::from_fragment(fragment).expect("a link to a lesson")
    }

    #[test]
    fn a_link_leads_to_the_document_that_it_was_made_of() {
        let address = LessonLinkSource::Address("https://a.example/x.md?v=1&w=ü".to_owned());
        for source in [address, LessonLinkSource::Document(document())] {
            for (step, student) in [(0, None), (2, Some("Ana Ünal & Co".to_owned()))] {
                let link = LessonLink { source: source.clone(), step, student };
                let text = link.to_fragment().expect("a short link");
                assert!(text.is_ascii() && !text.contains(' '), "{text}");
                assert_eq!(read(&format!("#{text}")), Ok(link.clone()));
            }
        }
        let plain = read("#lesson=https://a.example/x.md&step=3").expect("a link by hand");
        assert_eq!(plain.source, LessonLinkSource::Address("https://a.example/x.md".to_owned()));
        assert_eq!((plain.step, plain.student), (2, None));
        for other in ["", "#lesson:skew/3", "#catalog:skew", "#open=a.md"] {
            assert_eq!(LessonLink::from_fragment(other), None, "{other}");
        }
    }

    #[test]
    fn a_damaged_link_says_so_and_a_long_one_is_refused() {
        let source = LessonLinkSource::Document(document());
        let text = LessonLink { source, step: 1, student: None }.to_fragment().expect("short");
        for end in 0..text.len() {
            if LessonLink::is_in(&text[..end]) {
                assert!(read(&text[..end]).is_err(), "{end}");
            }
        }
        assert_eq!(read(&text.replacen("step=2", "step=3", 1)), Err(LinkError::Damaged));
        assert_eq!(
            read("document2:AAAA&sum=00000000").map_err(|error| matches!(error, LinkError::Damaged)),
            Err(true)
        );
        // No compression shortens it.
        let letter = |n: u32| char::from(b'!' + (xxh3_64(&n.to_le_bytes()) % 90) as u8);
        let long: String = (0..400_000).map(letter).collect();
        let source = LessonLinkSource::Document(LessonDocument { text: long, ..document() });
        let link = LessonLink { source, step: 0, student: None };
        assert!(matches!(link.to_fragment(), Err(LinkError::TooLong { .. })));
        for wrong in ["lesson=%zz", "lesson=a.md&step=x", "lesson=a.md&colour=red", "lesson=a.md&student=%ff"]
        {
            assert_eq!(read(wrong), Err(LinkError::Damaged), "{wrong}");
        }
    }
}
