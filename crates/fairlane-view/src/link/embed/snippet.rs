//! A demo as text to paste into a page: the element, a plain frame, or a still picture with a link.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{DemoSubject, DemoTheme, Embed};
use crate::export::svg::escaped;
use fairlane::units::Time;

/// What a snippet needs to know besides the demo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnippetContext {
    /// The address of the lab: its folder, with a slash at the end.
    pub lab: String,
    /// What the demo shows, in a line: the scenario's title.
    pub title: String,
    /// What is behind the `#` of a link that opens the lab in the same state; may be empty.
    pub session: String,
    /// The height of the demo in pixels.
    pub height: u32,
}

/// A still picture of the schedules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StillPicture {
    /// The picture as an SVG file.
    pub svg: String,
    /// The name under which it is saved.
    pub file: String,
    /// What it shows, for those who do not see it.
    pub description: String,
}

/// Most characters of a picture that becomes part of the snippet; a longer one is a file beside the page.
const MAX_INLINE: usize = 60_000;

/// The script and the element.
pub fn element(demo: &Embed, around: &SnippetContext) -> String {
    let mut attributes = Vec::new();
    for (key, value) in demo.pairs() {
        attributes.push(match value.as_str() {
            "" => key.to_owned(),
            value => format!("{key}=\"{}\"", escaped(value)),
        });
    }
    if let Some(session) = demo.session() {
        attributes.push(format!("session=\"{}\"", escaped(session)));
    }
    attributes.push(format!("label=\"{}\"", escaped(&around.title)));
    let SnippetContext { lab, height, .. } = around;
    format!(
        "<script defer src=\"{}fairlane-demo.js\"></script>\n<fairlane-demo {}\n    style=\"display: block; \
            height: {height}px\">\n  {}\n</fairlane-demo>\n",
        escaped(lab),
        attributes.join(" "),
        link(around, &format!("{}, in the lab", escaped(&around.title))),
    )
}

/// A frame without any script.
pub fn frame(demo: &Embed, around: &SnippetContext) -> String {
    let address = format!("{}{}", around.lab, demo.to_query());
    format!(
        "<iframe src=\"{}\"\n    sandbox=\"allow-scripts allow-same-origin allow-popups \
            allow-popups-to-escape-sandbox\"\n    loading=\"lazy\" width=\"100%\" height=\"{}\" style=\"border: \
            0\" title=\"{}\"></iframe>\n",
        escaped(&address),
        around.height,
        escaped(&around.title),
    )
}

/// A picture that leads to the lab.
pub fn picture(still: &StillPicture, around: &SnippetContext) -> String {
    let source = match data_address(&still.svg) {
        address if address.len() <= MAX_INLINE => address,
        _ => escaped(&still.file),
    };
    let image = format!(
        "<img src=\"{source}\"\n    alt=\"{}\" style=\"max-width: 100%; height: auto\">",
        escaped(&still.description)
    );
    format!("{}\n", link(around, &image))
}

/// Whether [`picture`] refers to the picture as a file.
pub fn needs_file(still: &StillPicture) -> bool {
    data_address(&still.svg).len() > MAX_INLINE
}

/// A link to the lab.
fn link(around: &SnippetContext, content: &str) -> String {
    let fragment = if around.session.is_empty() { String::new() } else { format!("#{}", around.session) };
    format!("<a href=\"{}\">{content}</a>", escaped(&format!("{}{fragment}", around.lab)))
}

/// What an SVG file has as `%3C` or the like in an address: as little as is safe within quotation marks.
const DATA: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b' ')
    .remove(b'=')
    .remove(b':')
    .remove(b'/')
    .remove(b';')
    .remove(b',')
    .remove(b'.')
    .remove(b'-')
    .remove(b'(')
    .remove(b')');

/// An SVG file as an address.
fn data_address(svg: &str) -> String {
    format!("data:image/svg+xml,{}", utf8_percent_encode(&svg.replace('\n', ""), DATA))
}

impl Embed {
    /// The same demo that starts at an instant; 0 is usual and left out.
    #[must_use]
    pub fn from_instant(self, at: Time) -> Embed {
        // A session has an instant of its own, which 0 replaces.
        let is_usual = at == Time::ZERO && self.session().is_none();
        Embed { at: (!is_usual).then_some(at), ..self }
    }

    /// The attributes of the element but the session, in the order of an address.
    fn pairs(&self) -> Vec<(&'static str, String)> {
        let without_session = match self.session() {
            Some(_) => Embed { subject: DemoSubject::Fragment(String::new()), ..self.clone() },
            None => self.clone(),
        };
        without_session.values()
    }
}

impl DemoTheme {
    /// The word for people.
    pub fn name(self) -> &'static str {
        match self {
            DemoTheme::System => "the reader’s own",
            DemoTheme::Light => "light",
            DemoTheme::Dark => "dark",
        }
    }
}

#[cfg(test)]
mod tests;
