//! SVG as text: elements, numbers, colours and escaped names.

use std::fmt::Write;

use crate::gantt::Rgb;

/// How text is aligned at its position.
#[derive(Clone, Copy, Debug)]
pub(super) enum TextAnchor {
    /// It begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// Left and upper edge, width and height.
pub(super) type SvgArea = [f64; 4];

/// The path of a line that covers an area if it is as wide as that is high.
pub(super) fn line_through([x, y, width, height]: SvgArea) -> String {
    format!("M{} {}h{}", number(x), number(y + height / 2.0), number(width))
}

/// Writes an SVG file element by element.
#[derive(Debug)]
pub(super) struct SvgWriter<'a>(&'a mut String);

impl<'a> SvgWriter<'a> {
    /// Begins a picture of a size in pixels.
    pub(super) fn new(
        out: &'a mut String,
        size: (u32, u32),
        title: &str,
        description: &str,
    ) -> SvgWriter<'a> {
        let mut writer = SvgWriter(out);
        let (width, height) = size;
        writer.line(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" font-family="system-ui, sans-serif">"#
        ));
        writer.line(format_args!("<title>{}</title>", escaped(title)));
        writer.line(format_args!("<desc>{}</desc>", escaped(description)));
        writer
    }

    fn line(&mut self, text: std::fmt::Arguments) {
        writeln!(self.0, "{text}").expect("a String accepts all text");
    }

    /// Begins a group.
    pub(super) fn open(&mut self, id: &str, label: &str) {
        self.line(format_args!(r#"<g id="{}" aria-label="{}">"#, escaped(id), escaped(label)));
    }

    /// Ends a group.
    pub(super) fn close(&mut self) {
        self.line(format_args!("</g>"));
    }

    /// An element with attributes that need no escaping, and with content that is escaped already.
    fn element(&mut self, name: &str, attributes: &[(&str, String)], content: &str) {
        let attributes: String =
            attributes.iter().map(|(key, value)| format!(r#" {key}="{value}""#)).collect();
        match content {
            "" => self.line(format_args!("<{name}{attributes}/>")),
            content => self.line(format_args!("<{name}{attributes}>{content}</{name}>")),
        }
    }

    /// A rectangle; a viewer shows its title when it is pointed at.
    pub(super) fn rect(&mut self, area: SvgArea, fill: Rgb, opacity: f64, title: Option<&str>) {
        let [x, y, width, height] = area.map(number);
        let mut attributes =
            vec![("x", x), ("y", y), ("width", width), ("height", height), ("fill", colour(fill))];
        if opacity != 1.0 {
            attributes.push(("fill-opacity", number(opacity)));
        }
        let title = title.map(|title| format!("<title>{}</title>", escaped(title))).unwrap_or_default();
        self.element("rect", &attributes, &title);
    }

    /// A path of lines.
    pub(super) fn lines(&mut self, path: String, stroke: String, width: u32) {
        let width = ("stroke-width", width.to_string());
        self.element("path", &[("d", path), ("stroke", stroke), width, ("fill", "none".to_owned())], "");
    }

    /// An upright line of the grid.
    pub(super) fn grid_line(&mut self, x: f64, from: f64, to: f64, stroke: Rgb) {
        let path = format!("M{} {}V{}", number(x), number(from), number(to));
        let opacity = ("stroke-opacity", "0.6".to_owned());
        let attributes = [("d", path), ("stroke", colour(stroke)), opacity, ("fill", "none".to_owned())];
        self.element("path", &attributes, "");
    }

    /// A cross that ends at a point, as wide and high as it says.
    pub(super) fn cross(&mut self, (x, y): (f64, f64), size: f64, stroke: Rgb) {
        let [left, right, top, bottom] = [x - size, x, y - size / 2.0, y + size / 2.0].map(number);
        let path = format!("M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}");
        let width = ("stroke-width", "1.5".to_owned());
        self.element(
            "path",
            &[("d", path), ("stroke", colour(stroke)), width, ("fill", "none".to_owned())],
            "",
        );
    }

    /// A text, of which `at` is the aligned end of the baseline.
    pub(super) fn text(&mut self, at: (f64, f64), size: f64, fill: Rgb, align: TextAnchor, text: &str) {
        let anchor = match align {
            TextAnchor::Start => "start",
            TextAnchor::Middle => "middle",
            TextAnchor::End => "end",
        };
        let attributes = [
            ("x", number(at.0)),
            ("y", number(at.1)),
            ("font-size", number(size)),
            ("fill", colour(fill)),
            ("text-anchor", anchor.to_owned()),
        ];
        self.element("text", &attributes, &escaped(text));
    }

    /// Ends the picture.
    pub(super) fn finish(&mut self) {
        self.line(format_args!("</svg>"));
    }
}

/// A colour as CSS writes it.
pub fn colour(Rgb(red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A number with two decimals at most.
fn number(value: f64) -> String {
    // Adding 0 turns a negative zero into a positive one.
    ((value * 100.0).round() / 100.0 + 0.0).to_string()
}

/// A text of at most this many characters; one that is cut ends in an ellipsis.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Text as XML holds it. Characters that XML 1.0 cannot hold at all become U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            _ => out.push(allowed(character)),
        }
    }
    out
}

/// A document's text, all of it, in which characters that XML 1.0 cannot hold at all are U+FFFD.
pub fn valid(document: &str) -> String {
    document.chars().map(allowed).collect()
}

/// A character, or U+FFFD in the place of one that XML 1.0 cannot hold.
fn allowed(character: char) -> char {
    match character {
        '\t' | '\n' | '\r' => character,
        '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        _ => character,
    }
}
