//! Charts drawn by plotters on any of its backends, such as a canvas, and as SVG files.
//!
//! Plotters draws mesh, ticks, their labels and all series over a coordinate system of ours, since the cursor, the table
//! and a click need the same positions without a backend. Four things it cannot do as the page needs them: its legend is
//! one column over the plot (`SeriesLabelStyle`), its names of axes are centred and the upright one is turned
//! (`draw_axis_and_labels`), a stroke between two rows of a canvas's pixels is blurred, so its line of an axis is, and
//! the room for labels is given to it, not measured.

use plotters::coord::{CoordTranslate, Shift};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::labels::{NamePlace, PointLabel, labels};
use super::layout::{bar, height};
use super::{Chart, ChartLayout, Dots, Marker, Ruler, Scale, Series, SeriesInk, SeriesShape, SeriesStyle};
use crate::export::svg::{escaped, shortened, valid};
use crate::gantt::Rgb;

/// Logical pixels.
const TEXT: f64 = 11.0;
const TITLE: f64 = 15.0;
const LINE: f64 = 2.0;
const THIN_LINE: f64 = 1.2;
const DOT: f64 = 3.0;
/// Plotters' SVG takes the size of a text for its line height, which is larger by this factor.
const SVG_TEXT: f64 = 1.24;
const FONT: &str = "system-ui, sans-serif";

/// How opaque the fill of a series under runtime partitioning is.
pub const HOLLOW: f64 = 0.35;
/// How opaque a bar is between its dashes.
const GROUND: f64 = 0.15;

/// Logical pixels that the margins, the heading, a column and a row of the legend of an SVG file take.
const MARGIN: f64 = 8.0;
const HEADING: f64 = 24.0;
const COLUMN: f64 = 150.0;
const ROW: f64 = 18.0;

/// The colours of a chart.
pub struct Paint<'a> {
    /// Behind everything.
    pub surface: Rgb,
    /// Grid lines.
    pub grid: Rgb,
    /// Text.
    pub text: Rgb,
    /// Secondary text, and axes.
    pub dim: Rgb,
    /// A series.
    pub ink: &'a dyn Fn(SeriesInk) -> Rgb,
}

type Plane<DB> = DrawingArea<DB, Cartesian2d<Ruler, Ruler>>;
type DrawResult<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// Draws a chart with `scale` pixels of the backend per logical pixel.
///
/// # Errors
/// Those of the backend.
pub fn draw<DB: DrawingBackend>(
    backend: DB,
    chart: &Chart,
    layout: &ChartLayout,
    paint: &Paint,
    scale: f64,
) -> DrawResult<DB> {
    let area = backend.into_drawing_area();
    Pen { chart, layout, paint, scale, text: scale }.draw(&area)?;
    area.present()
}

/// A chart as an SVG file with its title and a legend, of this width and in a room of this height for the plot.
pub fn svg(chart: &Chart, (width, room): (f64, f64), paint: &Paint) -> String {
    let layout = &ChartLayout::new(chart, width, height(chart, room));
    let columns = (width / COLUMN).max(1.0) as usize;
    let legend = chart.series.len().div_ceil(columns) as f64 * ROW;
    let size = [width, HEADING + layout.height + legend].map(|length| (length + 2.0 * MARGIN).round() as u32);
    let mut file = String::new();
    let area = SVGBackend::with_string(&mut file, size.into()).into_drawing_area();
    let pen = Pen { chart, layout, paint, scale: 1.0, text: SVG_TEXT };
    pen.draw_with_legend(&area, columns).expect("a String accepts any drawing");
    drop(area);
    // Plotters leaves out what a screen reader reads.
    let description = format!("{} over {}", chart.y.name, chart.x.name);
    let words = format!(
        " role=\"img\">\n<title>{}</title>\n<desc>{}</desc>",
        escaped(&chart.title),
        escaped(&description)
    );
    // Nor does it look at characters that no XML has.
    valid(&file.replacen('>', &words, 1))
}

/// A chart, and how it is drawn.
struct Pen<'a> {
    chart: &'a Chart,
    layout: &'a ChartLayout,
    paint: &'a Paint<'a>,
    /// Pixels per logical pixel.
    scale: f64,
    /// The same for text.
    text: f64,
}

fn rgb(Rgb(red, green, blue): Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}

impl Pen<'_> {
    fn pixels(&self, logical: f64) -> i32 {
        (logical * self.scale).round() as i32
    }

    /// The width of a stroke, a pixel at the least.
    fn width(&self, logical: f64) -> u32 {
        self.pixels(logical).max(1) as u32
    }

    fn colour(&self, ink: SeriesInk) -> RGBColor {
        rgb((self.paint.ink)(ink))
    }

    fn text_style(&self, size: f64, colour: Rgb, across: HPos, down: VPos) -> TextStyle<'static> {
        (FONT, size * self.text).into_font().color(&rgb(colour)).pos(Pos::new(across, down))
    }

    fn draw_with_legend<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        columns: usize,
    ) -> DrawResult<DB> {
        area.fill(&rgb(self.paint.surface))?;
        let inner = area.margin(MARGIN, MARGIN, MARGIN, MARGIN);
        let (heading, below) = inner.split_vertically(self.pixels(HEADING));
        let (plot, legend) = below.split_vertically(self.pixels(self.layout.height));
        let style = |size, colour| self.text_style(size, colour, HPos::Left, VPos::Center);
        heading.draw_text(&self.chart.title, &style(TITLE, self.paint.text), (0, 8))?;
        self.draw(&plot)?;
        for (index, series) in self.chart.series.iter().enumerate() {
            let x = (index % columns) as i32 * self.pixels(COLUMN);
            let y = (index / columns) as i32 * self.pixels(ROW) + 8;
            match self.chart.shape {
                SeriesShape::Bars | SeriesShape::Stack => {
                    self.draw_bar(&legend, [(x, y - 5), (x + 24, y + 5)], y, (10, 0), series.ink)?;
                }
                SeriesShape::Dots => {
                    self.draw_marker(&legend, ((x + 12, y), 0), (DOT + 0.5, 1.0), series.ink)?
                }
                SeriesShape::Shares | SeriesShape::Lines | SeriesShape::Measured => {
                    self.draw_path(&legend, vec![(x, y), (x + 24, y)], series.ink)?;
                    if matches!(series.ink, SeriesInk::Policy(_)) {
                        self.draw_marker(&legend, ((x + 12, y), 0), (DOT + 0.5, 1.0), series.ink)?;
                    }
                }
            }
            legend.draw_text(&shortened(&series.name, 19), &style(TEXT, self.paint.dim), (x + 30, y))?;
        }
        area.present()
    }

    /// Draws the plot with its axes.
    fn draw<DB: DrawingBackend>(&self, area: &DrawingArea<DB, Shift>) -> DrawResult<DB> {
        let Pen { chart, layout, paint, .. } = *self;
        let plot = layout.plot;
        area.fill(&rgb(paint.surface))?;
        let mut context = ChartBuilder::on(area)
            .margin_top(self.pixels(plot.top))
            .margin_right(self.pixels(layout.width - plot.right))
            .x_label_area_size(self.pixels(layout.height - plot.bottom))
            .y_label_area_size(self.pixels(plot.left))
            .build_cartesian_2d(layout.x.clone(), layout.y.clone())?;
        let named = matches!(chart.y.scale, Scale::Names(_));
        let mut mesh = context.configure_mesh();
        if named {
            mesh.disable_y_mesh();
        }
        let names = if named { paint.text } else { paint.dim };
        mesh.axis_style(TRANSPARENT)
            .set_all_tick_mark_size(self.pixels(3.0))
            .bold_line_style(rgb(paint.grid))
            .x_label_style(self.text_style(TEXT, paint.dim, HPos::Center, VPos::Top))
            .y_label_style(self.text_style(TEXT, names, HPos::Right, VPos::Center))
            .draw()?;
        let x_name = self.text_style(TEXT, paint.dim, HPos::Right, VPos::Bottom);
        area.draw_text(&chart.x.name, &x_name, (self.pixels(plot.right), self.pixels(layout.height - 3.0)))?;
        let y_name = self.text_style(TEXT, paint.dim, HPos::Left, VPos::Top);
        area.draw_text(&chart.y.name, &y_name, (0, self.pixels(3.0)))?;
        let plane = context.plotting_area();
        // The axis from which bars and areas are measured.
        let (wide, high) = plane.dim_in_pixel();
        let rule = |at, wide, high, colour| {
            // Sharp, as a stroke between two rows of pixels is not.
            let line = Rectangle::new(
                [(0, 0), (wide, high)].map(|(x, y)| (x as i32, y as i32)),
                rgb(colour).filled(),
            );
            plane.draw(&(EmptyElement::at(at) + line))
        };
        let upright = |x, colour| rule((x, chart.y.value(1.0)), self.width(1.0), high, colour);
        match named {
            true => upright(0.0, paint.dim)?,
            false => rule((chart.x.from, chart.y.from), wide, self.width(1.0), paint.dim)?,
        }
        for (value, name) in &chart.marks {
            upright(*value, paint.text)?;
            let left_half = chart.x.fraction(*value) < 0.5;
            let (side, beside) = if left_half { (HPos::Left, 5.0) } else { (HPos::Right, -5.0) };
            let style = self.text_style(TEXT, paint.text, side, VPos::Top);
            let name = Text::new(name.clone(), (self.pixels(beside), self.pixels(2.0)), style);
            plane.draw(&(EmptyElement::at((*value, chart.y.value(1.0))) + name))?;
        }
        match chart.shape {
            SeriesShape::Bars => self.draw_bars(plane),
            SeriesShape::Stack => self.draw_stack(plane),
            SeriesShape::Dots => self.draw_dots(plane),
            SeriesShape::Shares | SeriesShape::Lines | SeriesShape::Measured => {
                chart.series.iter().try_for_each(|series| self.draw_line(plane, series))?;
                labels(chart, layout).iter().try_for_each(|label| self.label_point(plane, label))?;
                if chart.shape == SeriesShape::Measured { self.draw_dots(plane) } else { Ok(()) }
            }
        }
    }

    fn draw_line<DB: DrawingBackend>(&self, plane: &Plane<DB>, series: &Series) -> DrawResult<DB> {
        let mut points = Vec::with_capacity(series.points.len() * 2 + 1);
        let mut height = 0.0;
        for point in &series.points {
            if self.chart.shape == SeriesShape::Shares {
                if points.is_empty() {
                    points.push((self.chart.x.from, 0.0));
                }
                points.push((point.x, height));
                height = point.y;
            }
            points.push((point.x, point.y));
        }
        self.draw_path(plane, points, series.ink)
    }

    /// A series' line; thinner under runtime partitioning.
    fn draw_path<DB, CT>(
        &self,
        area: &DrawingArea<DB, CT>,
        points: Vec<CT::From>,
        ink: SeriesInk,
    ) -> DrawResult<DB>
    where
        DB: DrawingBackend,
        CT: CoordTranslate<From: Clone + 'static>,
    {
        let look = ink.look();
        let style = self.colour(ink).stroke_width(self.width(if look.hollow { THIN_LINE } else { LINE }));
        match look.dash.map(|lengths| lengths.map(|length| self.pixels(length))) {
            Some([dash, gap]) => area.draw(&DashedPathElement::new(points, dash, gap, style)),
            None => area.draw(&PathElement::new(points, style)),
        }
    }

    /// A point's marker, and its name or that of its curve.
    fn label_point<DB: DrawingBackend>(&self, plane: &Plane<DB>, label: &PointLabel) -> DrawResult<DB> {
        let ink = self.chart.series[label.series].ink;
        let at = (label.point.x, label.point.y);
        self.draw_marker(plane, (at, 0), (DOT + 1.0, 1.0), ink)?;
        let Some((name, NamePlace { beside, down })) = &label.name else { return Ok(()) };
        let side = if *beside < 0.0 { HPos::Right } else { HPos::Left };
        // The names are small: they have the full contrast.
        let style = self.text_style(TEXT, self.paint.text, side, VPos::Center);
        let name = Text::new(name.clone(), (self.pixels(*beside), self.pixels(*down)), style);
        plane.draw(&(EmptyElement::at(at) + name))
    }

    /// A point of a series, moved to the right; hollow under runtime partitioning.
    fn draw_marker<DB, CT>(
        &self,
        area: &DrawingArea<DB, CT>,
        (at, aside): (CT::From, i32),
        (size, opacity): (f64, f64),
        ink: SeriesInk,
    ) -> DrawResult<DB>
    where
        DB: DrawingBackend,
        CT: CoordTranslate<From: Clone + 'static>,
    {
        let SeriesStyle { marker, hollow, .. } = ink.look();
        let colour = self.colour(ink).mix(opacity);
        // In heaps of transparent points those behind show through the hollow ones, too.
        let ground = rgb(self.paint.surface).mix(f64::from(opacity == 1.0));
        let fill = if hollow { ground } else { colour }.filled();
        let stroke = colour.mix(f64::from(hollow)).stroke_width(self.width(1.3));
        let at = EmptyElement::at(at);
        if marker == Marker::Disc {
            let circle = |style| Circle::new((aside, 0), self.width(size), style);
            return area.draw(&(at + circle(fill) + circle(stroke)));
        }
        let corners = marker.corners((0.0, 0.0), size).into_iter();
        let corners: Vec<_> = corners.map(|(x, y)| (aside + self.pixels(x), self.pixels(y))).collect();
        area.draw(&(at + Polygon::new(corners.clone(), fill) + PathElement::new(corners, stroke)))
    }

    fn draw_dots<DB: DrawingBackend>(&self, plane: &Plane<DB>) -> DrawResult<DB> {
        let Pen { chart, layout, .. } = *self;
        let single = chart.shape == SeriesShape::Dots;
        let look = if single { (DOT, 0.7) } else { (DOT + 0.5, 1.0) };
        let shown = chart.series.iter().enumerate().filter(|(_, series)| series.dots == Dots::Shown);
        for (index, series) in shown {
            let aside = if single { self.pixels(layout.aside(index, chart.series.len())) } else { 0 };
            for point in &series.points {
                self.draw_marker(plane, ((point.x, point.y), aside), look, series.ink)?;
            }
        }
        Ok(())
    }

    fn draw_bars<DB: DrawingBackend>(&self, plane: &Plane<DB>) -> DrawResult<DB> {
        for (index, series) in self.chart.series.iter().enumerate() {
            for point in &series.points {
                let (top, bottom) = bar(point.item, index, self.chart.series.len());
                let thick = self.width(self.layout.y(bottom) - self.layout.y(top));
                // A hairline between neighbours, where there is room for one.
                let gap = if f64::from(thick) >= 5.0 * self.scale { self.width(1.0) } else { 0 };
                let corners = [(0.0, top), (point.x, bottom)];
                self.draw_bar(plane, corners, (top + bottom) / 2.0, (thick - gap, gap), series.ink)?;
            }
        }
        Ok(())
    }

    /// A bar with a gap below, in the dashes of the series' line, so that bars without hues are distinct.
    fn draw_bar<DB, CT, T>(
        &self,
        area: &DrawingArea<DB, CT>,
        corners: [(T, T); 2],
        middle: T,
        (thick, gap): (u32, u32),
        ink: SeriesInk,
    ) -> DrawResult<DB>
    where
        DB: DrawingBackend,
        CT: CoordTranslate<From = (T, T)>,
        T: Copy + 'static,
    {
        let (look, colour) = (ink.look(), self.colour(ink));
        let fill = colour.mix(if look.hollow { HOLLOW } else { 1.0 });
        let draw = |style: ShapeStyle| {
            let mut whole = Rectangle::new(corners, style);
            area.draw(whole.set_margin(0, gap, 0, 0))
        };
        match look.dash.map(|lengths| lengths.map(|length| self.pixels(length))) {
            Some([dash, gap]) => {
                let axis = corners.map(|(x, _)| (x, middle));
                area.draw(&DashedPathElement::new(axis, dash, gap, fill.stroke_width(thick)))?;
                draw(colour.mix(GROUND).filled())?;
            }
            None => draw(fill.filled())?,
        }
        let outlined = look.hollow || look.dash.is_some();
        draw(colour.mix(f64::from(outlined)).stroke_width(self.width(1.0)))
    }

    /// Bands on top of each other. Each reaches down to the axis, the topmost is drawn first, so that no seam shows
    /// between two of them.
    fn draw_stack<DB: DrawingBackend>(&self, plane: &Plane<DB>) -> DrawResult<DB> {
        let chart = self.chart;
        let mut heights = vec![0.0; chart.series.first().map_or(0, |series| series.points.len())];
        let mut bands = Vec::new();
        for series in &chart.series {
            let mut outline = Vec::with_capacity(2 * heights.len());
            for (index, (point, height)) in series.points.iter().zip(&mut heights).enumerate() {
                *height += point.y;
                let end = series.points.get(index + 1).map_or(chart.x.to, |next| next.x);
                outline.extend([(point.x, *height), (end, *height)]);
            }
            bands.push(AreaSeries::new(outline, 0.0, self.colour(series.ink).filled()));
        }
        bands.into_iter().rev().flatten().try_for_each(|band| plane.draw(&band))
    }
}

#[cfg(test)]
mod tests;
