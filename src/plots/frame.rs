//! Drawing that all charts share: a canvas as sharp as the display, the frame with its axes, and the
//! series. [`Layout`] decides the positions; here they are only drawn.

use gloo::events::EventListener;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::surface::{Anchor, Canvas, Look, Surface, Svg};
use crate::selectors::{self, Hue};
use crate::theme::{self, Colours};
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::Mode;
use fairlane_view::chart::{Chart, Dots, Ink, Layout, Scale, Series, Shape, shortened, stripes};
use fairlane_view::export::svg::{Align, Writer};
use fairlane_view::gantt::Rgb;

/// Logical pixels.
const TEXT: f64 = 11.0;
const LINE: f64 = 2.0;
const THIN_LINE: f64 = 1.2;
const DOT: f64 = 3.0;
/// Text in a file, which is read at any size.
const FILE_TEXT: f64 = 9.0;
const FILE_TITLE: f64 = 12.0;

/// What a chart is drawn with.
pub struct Paint<'a> {
    pub colours: &'a Colours,
    /// Colours of jobs, by index; only for series of jobs.
    pub hues: &'a [Hue],
}

impl Paint<'_> {
    fn ink(&self, ink: Ink) -> Rgb {
        match ink {
            Ink::Policy(policy) => self.colours.ink.towards(self.colours.surface, grey(policy)),
            Ink::User(user) => self.colours.job(Hue { hue: selectors::user_hue(user), shade: 0 }),
            Ink::Job(job) => match self.hues.get(job.index()) {
                Some(hue) => self.colours.job(*hue),
                None => self.colours.ink,
            },
            Ink::Text => self.colours.ink,
            Ink::Faint => self.colours.dim,
        }
    }
}

/// A colour for the stylesheet: what [`Paint::ink`] is on a canvas.
pub fn css(ink: Ink, hues: &[Hue]) -> String {
    match ink {
        Ink::Policy(policy) => {
            format!("color-mix(in srgb, var(--ink) {:.0}%, var(--surface))", 100.0 * (1.0 - grey(policy)))
        }
        Ink::User(id) => theme::hue_colour(Hue { hue: selectors::user_hue(id), shade: 0 }),
        Ink::Job(job) => hues.get(job.index()).map_or("var(--ink)".to_owned(), |hue| theme::hue_colour(*hue)),
        Ink::Text => "var(--ink)".to_owned(),
        Ink::Faint => "var(--dim)".to_owned(),
    }
}

/// Whether a series is drawn differently from another one of the same colour.
pub fn is_broken(ink: Ink) -> bool {
    matches!(ink, Ink::Policy(policy) if policy.partitioning == Mode::Runtime)
}

/// Policies have no hue, as these are the users': they differ in how dark they are, in their dashes and their
/// markers. How far each is from the colour of text, with contrast enough for a line.
const GREYS: [f64; 3] = [0.0, 0.25, 0.45];
const DASHES: [&[f64]; 4] = [&[], &[7.0, 3.0], &[2.0, 3.0], &[9.0, 3.0, 2.0, 3.0]];

/// How opaque stripes are under runtime partitioning, and what is between stripes.
pub const HOLLOW: f64 = 0.35;
const GROUND: f64 = 0.15;

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    Disc,
    Square,
    Triangle,
    Diamond,
}

const MARKERS: [Marker; 4] = [Marker::Disc, Marker::Square, Marker::Triangle, Marker::Diamond];

fn number_of(policy: PolicyId) -> usize {
    PolicyKind::ALL.iter().position(|&kind| kind == policy.kind).unwrap_or(0)
}

fn grey(policy: PolicyId) -> f64 {
    GREYS[number_of(policy) % GREYS.len()]
}

/// The dashes of a series' line.
pub fn dash(ink: Ink) -> &'static [f64] {
    match ink {
        Ink::Policy(policy) => DASHES[number_of(policy) % DASHES.len()],
        Ink::Faint => DASHES[1],
        _ => &[],
    }
}

/// The marker of a series' points.
pub fn marker(ink: Ink) -> Marker {
    match ink {
        Ink::Policy(policy) => MARKERS[number_of(policy) % MARKERS.len()],
        _ => Marker::Disc,
    }
}

impl Marker {
    /// The corners of a marker about a point; none for a disc.
    pub fn corners(self, (x, y): (f64, f64), size: f64) -> Vec<(f64, f64)> {
        let corners: &[(f64, f64)] = match self {
            Marker::Disc => &[],
            Marker::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9), (-0.9, -0.9)],
            Marker::Triangle => &[(0.0, -1.2), (1.1, 0.9), (-1.1, 0.9), (0.0, -1.2)],
            Marker::Diamond => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0), (0.0, -1.3)],
        };
        corners.iter().map(|&(across, down)| (x + across * size, y + down * size)).collect()
    }
}

/// Device pixels per logical pixel, followed as the window moves to another display or is zoomed.
#[hook]
pub fn use_scale() -> f64 {
    let now = || web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
    let scale = use_state_eq(now);
    {
        let scale = scale.clone();
        use_effect_with(*scale, move |dots| {
            let query = gloo::utils::window().match_media(&format!("(resolution: {dots}dppx)"));
            let listener = query
                .ok()
                .flatten()
                .map(|query| EventListener::new(&query, "change", move |_| scale.set(now())));
            move || drop(listener)
        });
    }
    *scale
}

/// Draws a chart on a canvas as large as its layout. A failure is reported on the console: the numbers are in
/// the table, too.
pub fn draw_on_canvas(canvas: &HtmlCanvasElement, chart: &Chart, layout: &Layout, paint: &Paint, scale: f64) {
    match Canvas::new(canvas, (layout.width, layout.height), scale) {
        Ok(mut surface) => {
            // Lines do not become thinner than a device pixel.
            let hair = 1.0 / scale.min(1.0);
            Drawing { surface: &mut surface, chart, layout, paint, hair, text: TEXT }.draw();
        }
        Err(error) => web_sys::console::warn_2(&"a chart could not be drawn".into(), &error),
    }
}

/// Logical pixels that the heading, a column and a row of the legend of a saved chart take.
const HEADING: f64 = 30.0;
const COLUMN: f64 = 150.0;
const ROW: f64 = 18.0;

/// The chart as an SVG file, in logical pixels, with its title and a legend.
pub fn svg(chart: &Chart, layout: &Layout, paint: &Paint) -> String {
    let mut file = String::new();
    let (width, height) = (layout.width.round(), layout.height.round());
    let columns = (width / COLUMN).max(1.0) as usize;
    let size = (width, HEADING + height + chart.series.len().div_ceil(columns) as f64 * ROW + 10.0);
    let description = format!("{} over {}", chart.y.name, chart.x.name);
    let writer = Writer::new(&mut file, (size.0 as u32, size.1 as u32), &chart.title, &description);
    let mut surface = Svg { writer, shift: 0.0 };
    let left = (Align::Start, Anchor::Middle);
    surface.rect([0.0, 0.0, size.0, size.1], Look::filled(paint.colours.surface));
    surface.text(&chart.title, (8.0, 15.0), FILE_TITLE, paint.colours.ink, left);
    surface.shift = HEADING;
    Drawing { surface: &mut surface, chart, layout, paint, hair: 1.0, text: FILE_TEXT }.draw();
    for (index, series) in chart.series.iter().enumerate() {
        let x = 8.0 + (index % columns) as f64 * COLUMN;
        let y = height + (index / columns) as f64 * ROW + 8.0;
        let colour = paint.ink(series.ink);
        let look = if is_broken(series.ink) { Look::stroked(colour, 1.0) } else { Look::filled(colour) };
        for stripe in stripes([x, y - 5.0, x + 14.0, y + 5.0], dash(series.ink)) {
            surface.rect(stripe, look);
        }
        surface.text(&shortened(&series.name, 19), (x + 20.0, y), FILE_TEXT, paint.colours.dim, left);
    }
    surface.writer.finish();
    file
}

/// A chart and where it is drawn.
struct Drawing<'a> {
    surface: &'a mut dyn Surface,
    chart: &'a Chart,
    layout: &'a Layout,
    paint: &'a Paint<'a>,
    /// Width of the thinnest line.
    hair: f64,
    /// Size of text.
    text: f64,
}

impl Drawing<'_> {
    fn draw(mut self) {
        let Layout { width, height, .. } = *self.layout;
        self.surface.rect([0.0, 0.0, width, height], Look::filled(self.paint.colours.surface));
        self.draw_frame();
        match self.chart.shape {
            Shape::Bars => self.draw_bars(),
            Shape::Stack => self.draw_stack(),
            Shape::Dots => self.draw_dots(),
            Shape::Shares | Shape::Lines | Shape::Measured => {
                let chart = self.chart;
                chart.series.iter().for_each(|series| self.draw_line(series));
                for (index, series) in chart.series.iter().enumerate() {
                    self.label_line(index, series);
                }
                if chart.shape == Shape::Measured {
                    self.draw_dots();
                }
            }
        }
    }

    /// The position of a point, at the edge of the plot if it is beyond.
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let plot = self.layout.plot;
        (self.layout.x(x).clamp(plot.left, plot.right), self.layout.y(y).clamp(plot.top, plot.bottom))
    }

    fn text(&mut self, text: &str, at: (f64, f64), colour: Rgb, anchor: (Align, Anchor)) {
        self.surface.text(text, at, self.text, colour, anchor);
    }

    /// A level or upright line.
    fn line(&mut self, (left, top): (f64, f64), (right, bottom): (f64, f64), colour: Rgb) {
        let edges = [left, top, right.max(left + self.hair), bottom.max(top + self.hair)];
        self.surface.rect(edges, Look::filled(colour));
    }

    /// Grid, ticks, names of the axes, and the marks of the x axis.
    fn draw_frame(&mut self) {
        let (chart, layout) = (self.chart, self.layout);
        let (plot, &Colours { grid, dim, ink, .. }) = (layout.plot, self.paint.colours);
        for tick in &layout.across {
            let x = plot.left + tick.fraction * (plot.right - plot.left);
            self.line((x, plot.top), (x, plot.bottom), grid);
            self.text(&tick.label, (x, plot.bottom + 6.0), dim, (Align::Middle, Anchor::Top));
        }
        let named = matches!(chart.y.scale, Scale::Names(_));
        let mut last = f64::INFINITY;
        for tick in &layout.up {
            let y = plot.bottom - tick.fraction * (plot.bottom - plot.top);
            if !named {
                self.line((plot.left, y), (plot.right, y), grid);
            }
            // Names that would overlap are left out, as the table has them.
            if !named || last.is_infinite() || (y - last).abs() >= TEXT {
                let colour = if named { ink } else { dim };
                self.text(&tick.label, (plot.left - 7.0, y), colour, (Align::End, Anchor::Middle));
                last = y;
            }
        }
        // The axis from which bars and areas are measured is stronger.
        if named {
            let zero = layout.x(0.0);
            self.line((zero, plot.top), (zero, plot.bottom), dim);
        } else {
            self.line((plot.left, plot.bottom), (plot.right, plot.bottom), dim);
        }
        self.text(&chart.x.name, (plot.right, layout.height - 3.0), dim, (Align::End, Anchor::Bottom));
        self.text(&chart.y.name, (0.0, 3.0), dim, (Align::Start, Anchor::Top));
        for (value, name) in &chart.marks {
            let x = layout.x(*value);
            self.line((x, plot.top), (x, plot.bottom), ink);
            let left_half = x < (plot.left + plot.right) / 2.0;
            let (side, beside) = if left_half { (Align::Start, 5.0) } else { (Align::End, -5.0) };
            self.text(name, (x + beside, plot.top + 2.0), ink, (side, Anchor::Top));
        }
    }

    fn draw_line(&mut self, series: &Series) {
        let chart = self.chart;
        let mut points = Vec::with_capacity(series.points.len() * 2 + 1);
        let mut height = 0.0;
        for point in &series.points {
            if chart.shape == Shape::Shares {
                if points.is_empty() {
                    points.push(self.at(chart.x.from, 0.0));
                }
                points.push(self.at(point.x, height));
                height = point.y;
            }
            points.push(self.at(point.x, point.y));
        }
        // Under runtime partitioning the line is thinner and its marker hollow.
        let width = if is_broken(series.ink) { THIN_LINE } else { LINE };
        let look = Look::stroked(self.paint.ink(series.ink), width);
        self.surface.path(&points, Look { dash: dash(series.ink), ..look });
    }

    /// A policy's marker and name at its line, each at another part of the width.
    fn label_line(&mut self, index: usize, series: &Series) {
        if !matches!(series.ink, Ink::Policy(_)) || series.points.is_empty() {
            return;
        }
        let count = self.chart.series.len();
        let (first, last) = (&series.points[0], &series.points[series.points.len() - 1]);
        let wanted = first.x + (last.x - first.x) * (index as f64 + 0.6) / (count as f64 + 0.4);
        let point = series.points.partition_point(|point| point.x < wanted).min(series.points.len() - 1);
        let (x, y) = self.at(series.points[point].x, series.points[point].y);
        let colour = self.paint.ink(series.ink);
        self.draw_marker((x, y), DOT + 1.0, series.ink, Look::filled(colour));
        let left = x > (self.layout.plot.left + self.layout.plot.right) / 2.0;
        let (side, beside) = if left { (Align::End, -8.0) } else { (Align::Start, 8.0) };
        let above = if y > self.layout.plot.top + 2.0 * TEXT { -0.6 * TEXT } else { TEXT };
        // The names are small: they have the full contrast.
        self.text(&series.name, (x + beside, y + above), self.paint.colours.ink, (side, Anchor::Middle));
    }

    /// A point of a series, hollow under runtime partitioning.
    fn draw_marker(&mut self, at: (f64, f64), size: f64, ink: Ink, look: Look) {
        let corners = marker(ink).corners(at, size);
        let looks = match is_broken(ink) && look.stroke.is_none() {
            true => vec![Look::filled(self.paint.colours.surface), Look { stroke: Some(1.3), ..look }],
            false => vec![look],
        };
        for look in looks {
            match corners.as_slice() {
                [] => self.surface.circle(at, size, look),
                corners => self.surface.path(corners, look),
            }
        }
    }

    /// Filled markers, hollow ones under runtime partitioning.
    fn draw_dots(&mut self) {
        let chart = self.chart;
        let single = chart.shape == Shape::Dots;
        let size = if single { DOT } else { DOT + 0.5 };
        let shown = chart.series.iter().enumerate().filter(|(_, series)| series.dots == Dots::Shown);
        for (index, series) in shown {
            let aside = if single { self.layout.aside(index, chart.series.len()) } else { 0.0 };
            let colour = self.paint.ink(series.ink);
            // Single dots overlap in heaps; they are transparent.
            let look = match (single, is_broken(series.ink)) {
                (true, false) => Look { opacity: 0.7, ..Look::filled(colour) },
                (true, true) => Look { opacity: 0.8, ..Look::stroked(colour, 1.0) },
                (false, _) => Look::filled(colour),
            };
            for point in &series.points {
                let (x, y) = self.at(point.x, point.y);
                self.draw_marker((x + aside, y), size, series.ink, look);
            }
        }
    }

    fn draw_bars(&mut self) {
        let (chart, layout) = (self.chart, self.layout);
        let zero = layout.x(0.0);
        for (index, series) in chart.series.iter().enumerate() {
            let colour = self.paint.ink(series.ink);
            for point in &series.points {
                let (top, bottom) = layout.bar(point.item, index, chart.series.len());
                // A hairline between neighbours, where there is room for one.
                let gap = if bottom - top >= 5.0 { 1.0 } else { 0.0 };
                let end = layout.x(point.x);
                let edges = [zero.min(end), top, zero.max(end), bottom - gap];
                for stripe in stripes(edges, dash(series.ink)) {
                    let opacity = if is_broken(series.ink) { HOLLOW } else { 1.0 };
                    self.surface.rect(stripe, Look { opacity, ..Look::filled(colour) });
                }
                // What is between the stripes belongs to the bar, too.
                if is_broken(series.ink) || !dash(series.ink).is_empty() {
                    self.surface.rect(edges, Look { opacity: GROUND, ..Look::filled(colour) });
                    self.surface.rect(edges, Look::stroked(colour, 1.0));
                }
            }
        }
    }

    /// Bands on top of each other. Each is drawn down to the axis, the topmost first, so that no seam shows
    /// between two of them.
    fn draw_stack(&mut self) {
        let chart = self.chart;
        let Some(first) = chart.series.first() else { return };
        let mut heights = vec![0.0; first.points.len()];
        let mut bands = Vec::new();
        for series in &chart.series {
            for (height, point) in heights.iter_mut().zip(&series.points) {
                *height += point.y;
            }
            let mut outline = vec![self.at(chart.x.from, 0.0)];
            for (index, (point, height)) in series.points.iter().zip(&heights).enumerate() {
                let end = series.points.get(index + 1).map_or(chart.x.to, |next| next.x);
                outline.extend([self.at(point.x, *height), self.at(end, *height)]);
            }
            outline.push(self.at(chart.x.to, 0.0));
            bands.push((outline, self.paint.ink(series.ink)));
        }
        for (outline, colour) in bands.into_iter().rev() {
            self.surface.path(&outline, Look::filled(colour));
        }
    }
}
