//! Drawing that all charts share: a canvas as sharp as the display, the frame with its axes, and the
//! series. [`Layout`] decides the positions; here they are only drawn.

use gloo::events::EventListener;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters_canvas::CanvasBackend;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::rgb;
use super::svg::SvgBackend;
use crate::app::selectors::{self, Hue};
use crate::app::theme::{self, Colours};
use crate::scenario::Mode;
use crate::view::chart::{Chart, Dots, Ink, Layout, Scale, Series, Shape, shortened};

/// Logical pixels.
const TEXT: f64 = 11.0;
const LINE: f64 = 2.0;
const DOT: f64 = 3.0;
const FONT: &str = "system-ui, sans-serif";

/// What a chart is drawn with.
pub struct Paint<'a> {
    pub colours: &'a Colours,
    /// Colours of jobs, by index; only for series of jobs.
    pub hues: &'a [Hue],
    /// Device pixels per logical pixel.
    pub scale: f64,
}

impl Paint<'_> {
    fn pixels(&self, logical: f64) -> u32 {
        (logical * self.scale).round().max(1.0) as u32
    }

    fn ink(&self, ink: Ink) -> RGBColor {
        rgb(match ink {
            Ink::Policy(policy) => self.colours.policy(policy.kind),
            Ink::User(user) => self.colours.job(Hue { hue: selectors::user_hue(user), shade: 0 }),
            Ink::Job(job) => match self.hues.get(job.index()) {
                Some(hue) => self.colours.job(*hue),
                None => self.colours.ink,
            },
            Ink::Text => self.colours.ink,
        })
    }
}

/// A colour for the stylesheet: what [`Paint::ink`] is on a canvas.
pub fn css(ink: Ink, hues: &[Hue]) -> String {
    match ink {
        Ink::Policy(policy) => theme::policy_colour(policy.kind),
        Ink::User(id) => theme::hue_colour(Hue { hue: selectors::user_hue(id), shade: 0 }),
        Ink::Job(job) => hues.get(job.index()).map_or("var(--ink)".to_owned(), |hue| theme::hue_colour(*hue)),
        Ink::Text => "var(--ink)".to_owned(),
    }
}

/// Whether a series is drawn differently from another one of the same colour.
pub fn is_broken(ink: Ink) -> bool {
    matches!(ink, Ink::Policy(policy) if policy.partitioning == Mode::Runtime)
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
pub fn draw_on_canvas(canvas: &HtmlCanvasElement, chart: &Chart, layout: &Layout, paint: &Paint) {
    canvas.set_width(paint.pixels(layout.width));
    canvas.set_height(paint.pixels(layout.height));
    let drawn = match CanvasBackend::with_canvas_object(canvas.clone()) {
        Some(backend) => {
            let area = backend.into_drawing_area();
            let drawn = Drawing { area: &area, chart, layout, paint }.draw();
            drawn.and_then(|()| area.present()).map_err(|error| error.to_string())
        }
        None => Err("no canvas".to_owned()),
    };
    if let Err(error) = drawn {
        web_sys::console::warn_1(&format!("a chart could not be drawn: {error}").into());
    }
}

/// Logical pixels that the heading, a column and a row of the legend of a saved chart take.
const HEADING: u32 = 30;
const COLUMN: i32 = 150;
const ROW: i32 = 18;

/// The chart as an SVG file, in logical pixels, with its title and a legend.
pub fn svg(chart: &Chart, layout: &Layout, paint: &Paint) -> Result<String, String> {
    let mut file = String::new();
    let height = layout.height.round() as u32;
    let columns = (layout.width.round() as i32 / COLUMN).max(1);
    let rows = (chart.series.len() as i32 + columns - 1) / columns;
    let size = (layout.width.round() as u32, HEADING + height + (rows * ROW) as u32 + 10);
    let description = format!("{} over {}", chart.y.name, chart.x.name);
    let area = SvgBackend::new(&mut file, size, &chart.title, &description).into_drawing_area();
    let drawing = Drawing { area: &area, chart, layout, paint };
    drawing.draw_with_legend(columns, height).map_err(|error| error.to_string())?;
    drop(area);
    Ok(file)
}

type Plane<'a, DB> = ChartContext<'a, DB, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Drawn<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// A chart and where it is drawn.
struct Drawing<'a, DB: DrawingBackend> {
    area: &'a DrawingArea<DB, Shift>,
    chart: &'a Chart,
    layout: &'a Layout,
    paint: &'a Paint<'a>,
}

impl<DB: DrawingBackend> Drawing<'_, DB> {
    /// Title, chart and legend.
    fn draw_with_legend(&self, columns: i32, height: u32) -> Drawn<DB> {
        let Drawing { area, chart, layout, paint } = *self;
        let (ink, dim) = (rgb(paint.colours.ink), rgb(paint.colours.dim));
        let left = Pos::new(HPos::Left, VPos::Center);
        area.fill(&rgb(paint.colours.surface))?;
        self.text(&chart.title, (8, 15), 15.0, ink, left)?;
        let below = area.clone().shrink((0, HEADING), (layout.width.round() as u32, height));
        Drawing { area: &below, ..*self }.draw()?;
        for (index, series) in chart.series.iter().enumerate() {
            let index = index as i32;
            let x = 8 + index % columns * COLUMN;
            let y = (HEADING + height) as i32 + index / columns * ROW + 8;
            let colour = paint.ink(series.ink);
            let style = if is_broken(series.ink) { colour.stroke_width(1) } else { colour.filled() };
            area.draw(&Rectangle::new([(x, y - 5), (x + 14, y + 5)], style))?;
            self.text(&shortened(&series.name, 19), (x + 20, y), TEXT, dim, left)?;
        }
        area.present()
    }

    /// Draws without presenting: that ends an SVG, which may have more to it.
    fn draw(&self) -> Drawn<DB> {
        let Drawing { area, chart, layout, paint } = *self;
        area.fill(&rgb(paint.colours.surface))?;
        self.draw_frame()?;
        let plot = layout.plot;
        let inset = |logical: f64| (logical * paint.scale).round() as u32;
        // Both coordinates are fractions of the plot, which the axes compute.
        let mut plane = ChartBuilder::on(area)
            .margin_left(inset(plot.left))
            .margin_top(inset(plot.top))
            .margin_right(inset(layout.width - plot.right))
            .margin_bottom(inset(layout.height - plot.bottom))
            .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
        match chart.shape {
            Shape::Bars => self.draw_bars(&mut plane)?,
            Shape::Stack => self.draw_stack(&mut plane)?,
            Shape::Dots => self.draw_dots(&mut plane)?,
            Shape::Shares | Shape::Lines | Shape::Measured => {
                for series in &chart.series {
                    self.draw_line(&mut plane, series)?;
                }
                if chart.shape == Shape::Measured {
                    self.draw_dots(&mut plane)?;
                }
            }
        }
        Ok(())
    }

    fn text(&self, text: &str, at: (i32, i32), size: f64, colour: RGBColor, anchor: Pos) -> Drawn<DB> {
        let style = (FONT, size * self.paint.scale).into_font().color(&colour).pos(anchor);
        self.area.draw(&Text::new(text.to_owned(), at, style))
    }

    /// Grid, ticks, names of the axes, and the marks of the x axis.
    fn draw_frame(&self) -> Drawn<DB> {
        let Drawing { area, chart, layout, paint } = *self;
        let at = |x: f64, y: f64| ((x * paint.scale).round() as i32, (y * paint.scale).round() as i32);
        // Level and upright lines as rectangles of whole pixels, which a stroke between two rows of pixels is not.
        let hair = paint.pixels(1.0) as i32;
        let line = |(x, y): (i32, i32), to: (i32, i32), colour: RGBColor| {
            let corners = [(x, y), (to.0.max(x + hair), to.1.max(y + hair))];
            area.draw(&Rectangle::new(corners, colour.filled()))
        };
        let text = |text: &str, x: f64, y: f64, colour: RGBColor, h: HPos, v: VPos| {
            self.text(text, at(x, y), TEXT, colour, Pos::new(h, v))
        };
        let (plot, colours) = (layout.plot, paint.colours);
        let (grid, dim, ink) = (rgb(colours.grid), rgb(colours.dim), rgb(colours.ink));
        for tick in &layout.across {
            let x = plot.left + tick.fraction * (plot.right - plot.left);
            line(at(x, plot.top), at(x, plot.bottom), grid)?;
            text(&tick.label, x, plot.bottom + 6.0, dim, HPos::Center, VPos::Top)?;
        }
        let named = matches!(chart.y.scale, Scale::Names(_));
        let mut last = f64::INFINITY;
        for tick in &layout.up {
            let y = plot.bottom - tick.fraction * (plot.bottom - plot.top);
            if !named {
                line(at(plot.left, y), at(plot.right, y), grid)?;
            }
            // Names that would overlap are left out, as the table has them.
            if !named || last.is_infinite() || (y - last).abs() >= TEXT {
                let colour = if named { ink } else { dim };
                text(&tick.label, plot.left - 7.0, y, colour, HPos::Right, VPos::Center)?;
                last = y;
            }
        }
        // The axis from which bars and areas are measured stands out.
        if named {
            let zero = layout.x(0.0);
            line(at(zero, plot.top), at(zero, plot.bottom), dim)?;
        } else {
            line(at(plot.left, plot.bottom), at(plot.right, plot.bottom), dim)?;
        }
        text(&chart.x.name, plot.right, layout.height - 3.0, dim, HPos::Right, VPos::Bottom)?;
        text(&chart.y.name, 0.0, 3.0, dim, HPos::Left, VPos::Top)?;
        for (value, name) in &chart.marks {
            let x = layout.x(*value);
            line(at(x, plot.top), at(x, plot.bottom), ink)?;
            let left_half = x < (plot.left + plot.right) / 2.0;
            let (side, beside) = if left_half { (HPos::Left, 5.0) } else { (HPos::Right, -5.0) };
            text(name, x + beside, plot.top + 2.0, ink, side, VPos::Top)?;
        }
        Ok(())
    }

    fn draw_line(&self, plane: &mut Plane<DB>, series: &Series) -> Drawn<DB> {
        let Drawing { chart, paint, .. } = *self;
        let style = paint.ink(series.ink).stroke_width(paint.pixels(LINE));
        let at = |x: f64, y: f64| (chart.x.fraction(x), chart.y.fraction(y));
        let mut points = Vec::with_capacity(series.points.len() * 2 + 1);
        let mut height = 0.0;
        for point in &series.points {
            if chart.shape == Shape::Shares {
                if points.is_empty() {
                    points.push(at(chart.x.from, 0.0));
                }
                points.push(at(point.x, height));
                height = point.y;
            }
            points.push(at(point.x, point.y));
        }
        if is_broken(series.ink) {
            let (dash, gap) = (paint.pixels(5.0), paint.pixels(3.0));
            plane.draw_series(DashedLineSeries::new(points, dash, gap, style))?;
        } else {
            plane.draw_series(LineSeries::new(points, style))?;
        }
        Ok(())
    }

    /// Filled dots, hollow ones under runtime partitioning.
    fn draw_dots(&self, plane: &mut Plane<DB>) -> Drawn<DB> {
        let Drawing { chart, layout, paint, .. } = *self;
        let surface = rgb(paint.colours.surface);
        let single = chart.shape == Shape::Dots;
        let shown = chart.series.iter().enumerate().filter(|(_, series)| series.dots == Dots::Shown);
        for (index, series) in shown {
            let aside = layout.aside(index, chart.series.len()) / (layout.plot.right - layout.plot.left);
            let aside = if single { aside } else { 0.0 };
            let colour = paint.ink(series.ink);
            let size = paint.pixels(if single { DOT } else { DOT + 0.5 });
            // Single dots overlap in heaps; they are transparent.
            let (fill, stroke) = match (single, is_broken(series.ink)) {
                (true, false) => (Some(colour.mix(0.7)), None),
                (true, true) => (None, Some(colour.mix(0.8).stroke_width(paint.pixels(1.0)))),
                (false, false) => (Some(colour.mix(1.0)), None),
                (false, true) => (Some(surface.mix(1.0)), Some(colour.stroke_width(paint.pixels(1.5)))),
            };
            let styles = [fill.map(|fill| fill.filled()), stroke];
            for point in &series.points {
                let at = (chart.x.fraction(point.x) + aside, chart.y.fraction(point.y));
                plane.draw_series(styles.iter().flatten().map(|style| Circle::new(at, size, *style)))?;
            }
        }
        Ok(())
    }

    fn draw_bars(&self, plane: &mut Plane<DB>) -> Drawn<DB> {
        let Drawing { chart, layout, paint, .. } = *self;
        let height = layout.plot.bottom - layout.plot.top;
        let fraction = |y: f64| (layout.plot.bottom - y) / height;
        let zero = chart.x.fraction(0.0);
        for (index, series) in chart.series.iter().enumerate() {
            let colour = paint.ink(series.ink);
            let (fill, stroke) = match is_broken(series.ink) {
                false => (colour.filled(), None),
                true => (colour.mix(0.35).filled(), Some(colour.stroke_width(paint.pixels(1.0)))),
            };
            for point in &series.points {
                let (top, bottom) = layout.bar(point.item, index, chart.series.len());
                // A hairline between neighbours, where there is room for one.
                let gap = if bottom - top >= 5.0 { 1.0 } else { 0.0 };
                let corners = [(zero, fraction(top)), (chart.x.fraction(point.x), fraction(bottom - gap))];
                let styles = [Some(fill), stroke].into_iter().flatten();
                plane.draw_series(styles.map(|style| Rectangle::new(corners, style)))?;
            }
        }
        Ok(())
    }

    /// Bands on top of each other. Each is drawn down to the axis, the topmost first, so that no seam shows
    /// between two of them.
    fn draw_stack(&self, plane: &mut Plane<DB>) -> Drawn<DB> {
        let Drawing { chart, paint, .. } = *self;
        let Some(first) = chart.series.first() else { return Ok(()) };
        let mut heights = vec![0.0; first.points.len()];
        let mut bands = Vec::new();
        for series in &chart.series {
            for (height, point) in heights.iter_mut().zip(&series.points) {
                *height += point.y;
            }
            let at = |x: f64, y: f64| (chart.x.fraction(x), chart.y.fraction(y));
            let mut outline = vec![at(chart.x.from, 0.0)];
            for (index, (point, height)) in series.points.iter().zip(&heights).enumerate() {
                let end = series.points.get(index + 1).map_or(chart.x.to, |next| next.x);
                outline.extend([at(point.x, *height), at(end, *height)]);
            }
            outline.push(at(chart.x.to, 0.0));
            bands.push((outline, paint.ink(series.ink)));
        }
        for (outline, colour) in bands.into_iter().rev() {
            plane.draw_series([Polygon::new(outline, colour.filled())])?;
        }
        Ok(())
    }
}
