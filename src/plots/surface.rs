//! What charts are drawn on: a canvas, or an SVG file. Positions are in logical pixels.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use fairlane_view::export::svg::{Align, Writer, colour};
use fairlane_view::gantt::Rgb;

/// How a shape is drawn: filled, or with a stroke.
#[derive(Clone, Copy)]
pub struct Look {
    pub colour: Rgb,
    pub opacity: f64,
    /// Width of the stroke; `None`: filled.
    pub stroke: Option<f64>,
    /// Lengths of dashes and of the gaps after them; empty: none.
    pub dash: &'static [f64],
}

impl Look {
    pub fn filled(colour: Rgb) -> Look {
        Look { colour, opacity: 1.0, stroke: None, dash: &[] }
    }

    pub fn stroked(colour: Rgb, width: f64) -> Look {
        Look { stroke: Some(width), ..Look::filled(colour) }
    }
}

/// Which part of a text is at its position.
#[derive(Clone, Copy)]
pub enum Anchor {
    Top,
    Middle,
    Bottom,
}

const FONT: &str = "system-ui, sans-serif";

pub trait Surface {
    /// A rectangle: left, upper, right and lower edge.
    fn rect(&mut self, edges: [f64; 4], look: Look);
    /// A line through points, or if it is filled the area that they surround.
    fn path(&mut self, points: &[(f64, f64)], look: Look);
    fn circle(&mut self, centre: (f64, f64), radius: f64, look: Look);
    fn text(&mut self, text: &str, at: (f64, f64), size: f64, colour: Rgb, anchor: (Align, Anchor));
}

/// A canvas.
pub struct Canvas {
    context: CanvasRenderingContext2d,
    /// Device pixels per logical pixel.
    scale: f64,
}

impl Canvas {
    /// Gives a canvas a size and clears it.
    ///
    /// # Errors
    /// What the browser refuses.
    pub fn new(
        canvas: &HtmlCanvasElement,
        (width, height): (f64, f64),
        scale: f64,
    ) -> Result<Canvas, JsValue> {
        let context = canvas.get_context("2d")?.ok_or("no 2d context")?.unchecked_into();
        let surface = Canvas { context, scale };
        canvas.set_width(surface.pixels(width) as u32);
        canvas.set_height(surface.pixels(height) as u32);
        Ok(surface)
    }

    /// Whole device pixels.
    fn pixels(&self, logical: f64) -> f64 {
        (logical * self.scale).round()
    }

    /// Fills the path or strokes it.
    fn draw(&self, look: Look) {
        let Rgb(red, green, blue) = look.colour;
        let colour = format!("rgba({red},{green},{blue},{})", look.opacity);
        let Some(width) = look.stroke else {
            self.context.set_fill_style_str(&colour);
            return self.context.fill();
        };
        let dashes: js_sys::Array = look.dash.iter().map(|dash| JsValue::from(self.pixels(*dash))).collect();
        // A canvas that refuses dashes shows a line without.
        let _ = self.context.set_line_dash(&dashes);
        self.context.set_stroke_style_str(&colour);
        self.context.set_line_width(self.pixels(width).max(1.0));
        self.context.stroke();
    }
}

impl Surface for Canvas {
    fn rect(&mut self, edges: [f64; 4], look: Look) {
        let [left, top, right, bottom] = edges.map(|edge| self.pixels(edge));
        self.context.begin_path();
        self.context.rect(left, top, right - left, bottom - top);
        self.draw(look);
    }

    fn path(&mut self, points: &[(f64, f64)], look: Look) {
        self.context.begin_path();
        for &(x, y) in points {
            // The first one begins the path.
            self.context.line_to(self.pixels(x), self.pixels(y));
        }
        self.draw(look);
    }

    fn circle(&mut self, (x, y): (f64, f64), radius: f64, look: Look) {
        self.context.begin_path();
        let (x, y, radius) = (self.pixels(x), self.pixels(y), self.pixels(radius));
        // It fails only for a negative radius.
        let _ = self.context.arc(x, y, radius, 0.0, std::f64::consts::TAU);
        self.draw(look);
    }

    fn text(
        &mut self,
        text: &str,
        (x, y): (f64, f64),
        size: f64,
        ink: Rgb,
        (align, anchor): (Align, Anchor),
    ) {
        self.context.set_text_align(match align {
            Align::Start => "start",
            Align::Middle => "center",
            Align::End => "end",
        });
        self.context.set_text_baseline(match anchor {
            Anchor::Top => "top",
            Anchor::Middle => "middle",
            Anchor::Bottom => "bottom",
        });
        self.context.set_fill_style_str(&colour(ink));
        self.context.set_font(&format!("{}px {FONT}", size * self.scale));
        // A text that cannot be drawn is in the table, too.
        let _ = self.context.fill_text(text, self.pixels(x), self.pixels(y));
    }
}

/// An SVG file.
pub struct Svg<'a> {
    pub writer: Writer<'a>,
    /// How far down everything is moved.
    pub shift: f64,
}

impl Svg<'_> {
    fn shape<const N: usize>(&mut self, name: &str, geometry: [(&'static str, String); N], look: Look) {
        let (ink, none) = (colour(look.colour), "none".to_owned());
        let (fill, stroke) = if look.stroke.is_none() { (ink, none) } else { (none, ink) };
        let mut attributes: Vec<_> = geometry.into();
        attributes.extend([("fill", fill), ("stroke", stroke), ("opacity", look.opacity.to_string())]);
        attributes.extend(look.stroke.map(|width| ("stroke-width", width.to_string())));
        if !look.dash.is_empty() {
            let dashes: Vec<String> = look.dash.iter().map(f64::to_string).collect();
            attributes.push(("stroke-dasharray", dashes.join(" ")));
        }
        self.writer.element(name, &attributes, "");
    }
}

impl Surface for Svg<'_> {
    fn rect(&mut self, [left, top, right, bottom]: [f64; 4], look: Look) {
        let area = [("x", left), ("y", top + self.shift), ("width", right - left), ("height", bottom - top)];
        self.shape("rect", area.map(|(key, value)| (key, format!("{value:.1}"))), look);
    }

    fn path(&mut self, points: &[(f64, f64)], look: Look) {
        let points = points.iter().map(|(x, y)| format!("{x:.1},{:.1}", y + self.shift));
        let points = points.collect::<Vec<_>>().join(" ");
        self.shape(if look.stroke.is_some() { "polyline" } else { "polygon" }, [("points", points)], look);
    }

    fn circle(&mut self, (x, y): (f64, f64), radius: f64, look: Look) {
        let circle = [("cx", x), ("cy", y + self.shift), ("r", radius)];
        self.shape("circle", circle.map(|(key, value)| (key, format!("{value:.1}"))), look);
    }

    fn text(
        &mut self,
        text: &str,
        (x, y): (f64, f64),
        size: f64,
        ink: Rgb,
        (align, anchor): (Align, Anchor),
    ) {
        let down = match anchor {
            Anchor::Top => "0.76em",
            Anchor::Middle => "0.5ex",
            Anchor::Bottom => "-0.5ex",
        };
        self.writer.text((x, y + self.shift), size, ink, (align, down), text);
    }
}
