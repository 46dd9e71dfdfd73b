//! SVG as text: elements, numbers, colours and escaped names.

use std::fmt::Write;

use crate::view::gantt::Rgb;

/// How text is aligned at its position.
#[derive(Clone, Copy)]
pub(super) enum Align {
    Start,
    Middle,
    End,
}

/// Builds the text of a picture.
pub(super) struct Writer(String);

/// Left and upper edge, width and height.
pub(super) type Area = [f64; 4];

/// Appends to the text, which cannot fail.
macro_rules! append {
    ($out:expr, $($part:tt)*) => { write!($out.0, $($part)*).expect("a String accepts all text") };
}
macro_rules! append_line {
    ($out:expr, $($part:tt)*) => { writeln!($out.0, $($part)*).expect("a String accepts all text") };
}

impl Writer {
    pub(super) fn new(width: u32, height: u32, title: &str, description: &str) -> Writer {
        let mut out = Writer(String::new());
        append_line!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" font-family="system-ui, sans-serif">"#
        );
        append_line!(out, "<title>{}</title>", escaped(title));
        append_line!(out, "<desc>{}</desc>", escaped(description));
        out
    }

    pub(super) fn open(&mut self, id: &str, label: &str) {
        append_line!(self, r#"<g id="{}" aria-label="{}">"#, escaped(id), escaped(label));
    }

    pub(super) fn close(&mut self) {
        append_line!(self, "</g>");
    }

    /// A rectangle; a viewer shows its title when it is pointed at.
    pub(super) fn rect(&mut self, area: Area, fill: Rgb, opacity: f64, title: Option<&str>) {
        let [x, y, width, height] = area.map(number);
        append!(self, r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{}""#, colour(fill));
        if opacity != 1.0 {
            append!(self, r#" fill-opacity="{}""#, number(opacity));
        }
        match title {
            Some(title) => append_line!(self, "><title>{}</title></rect>", escaped(title)),
            None => append_line!(self, "/>"),
        }
    }

    pub(super) fn line(&mut self, x: f64, from: f64, to: f64, stroke: Rgb) {
        let (x, from, to, stroke) = (number(x), number(from), number(to), colour(stroke));
        append_line!(
            self,
            r#"<path d="M{x} {from}V{to}" stroke="{stroke}" stroke-opacity="0.6" fill="none"/>"#
        );
    }

    pub(super) fn text(&mut self, x: f64, y: f64, size: u32, fill: Rgb, align: Align, text: &str) {
        let anchor = match align {
            Align::Start => "start",
            Align::Middle => "middle",
            Align::End => "end",
        };
        let (x, y, fill, text) = (number(x), number(y), colour(fill), escaped(text));
        append_line!(
            self,
            r#"<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" text-anchor="{anchor}">{text}</text>"#
        );
    }

    pub(super) fn finish(mut self) -> String {
        append_line!(self, "</svg>");
        self.0
    }
}

/// A colour as CSS writes it.
fn colour(Rgb(red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A number with two decimals at most.
fn number(value: f64) -> String {
    // Adding 0 turns a negative zero into a positive one.
    ((value * 100.0).round() / 100.0 + 0.0).to_string()
}

/// Text as XML holds it. Characters that XML 1.0 cannot hold at all become U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
    out
}
