//! SVG as text: elements, numbers, colours, and names that could be mistaken for any of them.

use std::fmt::Write;

use crate::view::gantt::Rgb;

/// How text lies at its place.
#[derive(Clone, Copy)]
pub(super) enum Align {
    Start,
    Middle,
    End,
}

/// A picture in the making.
pub(super) struct Writer(String);

/// Writing to a text cannot fail.
macro_rules! put {
    ($out:expr, $($part:tt)*) => { writeln!($out.0, $($part)*).expect("text takes every line") };
}

impl Writer {
    pub(super) fn new(width: u32, height: u32, title: &str, description: &str) -> Writer {
        let mut out = Writer(String::new());
        put!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" font-family="system-ui, sans-serif">"#
        );
        put!(out, "<title>{}</title>", escaped(title));
        put!(out, "<desc>{}</desc>", escaped(description));
        out
    }

    pub(super) fn open(&mut self, id: &str, label: &str) {
        put!(self, r#"<g id="{}" aria-label="{}">"#, escaped(id), escaped(label));
    }

    pub(super) fn close(&mut self) {
        put!(self, "</g>");
    }

    pub(super) fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, fill: Rgb, opacity: f64) {
        put!(self, "{}/>", start_of_rect(x, y, width, height, fill, opacity));
    }

    pub(super) fn rect_with_title(
        &mut self,
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        fill: Rgb,
        title: &str,
    ) {
        let start = start_of_rect(x, y, width, height, fill, 1.0);
        put!(self, "{start}><title>{}</title></rect>", escaped(title));
    }

    pub(super) fn line(&mut self, x: f64, from: f64, to: f64, stroke: Rgb) {
        let (x, from, to, stroke) = (number(x), number(from), number(to), colour(stroke));
        put!(self, r#"<path d="M{x} {from}V{to}" stroke="{stroke}" stroke-opacity="0.6" fill="none"/>"#);
    }

    pub(super) fn text(&mut self, x: f64, y: f64, size: u32, fill: Rgb, align: Align, text: &str) {
        let anchor = match align {
            Align::Start => "start",
            Align::Middle => "middle",
            Align::End => "end",
        };
        let (x, y, fill, text) = (number(x), number(y), colour(fill), escaped(text));
        put!(
            self,
            r#"<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" text-anchor="{anchor}">{text}</text>"#
        );
    }

    pub(super) fn finish(mut self) -> String {
        put!(self, "</svg>");
        self.0
    }
}

fn start_of_rect(x: f64, y: f64, width: f64, height: f64, fill: Rgb, opacity: f64) -> String {
    let opacity = match opacity {
        1.0 => String::new(),
        part => format!(r#" fill-opacity="{}""#, number(part)),
    };
    format!(
        r#"<rect x="{}" y="{}" width="{}" height="{}" fill="{}"{opacity}"#,
        number(x),
        number(y),
        number(width),
        number(height),
        colour(fill)
    )
}

/// A colour as CSS writes it.
fn colour(Rgb(red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A number with two decimals at most.
fn number(value: f64) -> String {
    // Adding 0 turns a negative zero into a plain one.
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
