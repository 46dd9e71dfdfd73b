//! Paints a Gantt chart on a canvas: the image of [`gantt`](fairlane_view::gantt), one pixel a device pixel, and
//! names on its bars.

use std::collections::BTreeSet;

use wasm_bindgen::Clamped;
use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use crate::plots::scale;
use crate::plots::theme::{Texture, ThemeColours};
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::selectors::{self, chart_colours};
use crate::store::{Colouring, Drawing, Mark, State};
use fairlane::ids::JobId;
use fairlane::trace::TaskRun;
use fairlane_view::TimeAxis;
use fairlane_view::gantt::{self, ChartRows, ColourShares, Image, Palette, Pattern, Rgb, Spans, Stripe};
use fairlane_view::hue;

/// How the tasks of a chart are coloured and marked.
#[derive(Clone, PartialEq)]
pub struct PaintStyle {
    pub colours: Shared<ThemeColours>,
    pub colouring: Colouring,
    pub drawing: Drawing,
    /// Whether bars with room for it have their job's name.
    pub named: bool,
    /// Heights of the rows over those that a cluster of this size has by default.
    pub zoom: f64,
    pub marks: BTreeSet<Mark>,
    pub chosen: BTreeSet<JobId>,
    /// Tasks that differ between two schedules, by index in the trace.
    pub moved: Option<Shared<Vec<usize>>>,
    /// The task whose launch is explained, by index in the trace.
    pub asked: Option<usize>,
}

impl PaintStyle {
    /// The style in which the page shows all charts.
    pub fn new(state: &State, colours: &Shared<ThemeColours>, zoom: f64) -> PaintStyle {
        PaintStyle {
            colours: colours.clone(),
            colouring: state.view.colouring,
            drawing: state.view.drawing,
            named: state.drag.is_none(),
            zoom,
            marks: state.marks().clone(),
            chosen: state.view.chosen.clone(),
            moved: None,
            asked: None,
        }
    }
}

/// How far the colours of jobs that are not chosen fade towards the empty row.
const FADE: f64 = 0.66;

/// A chart of a schedule.
pub struct GanttPaint<'a> {
    pub analysis: &'a Analysis,
    pub spans: &'a Spans,
    pub shares: &'a ColourShares,
    pub stripes: &'a [Stripe],
    pub axis: TimeAxis,
    /// Place of each row, in device pixels.
    pub rows: &'a ChartRows,
    /// Width of the image, in device pixels.
    pub width: u32,
    pub style: &'a PaintStyle,
}

impl GanttPaint<'_> {
    /// Paints it, by way of an image, with the outlines of an earlier one over it if there is one.
    ///
    /// # Errors
    /// What the browser refuses.
    pub fn paint(
        &self,
        canvas: &HtmlCanvasElement,
        image: &mut Image,
        before: Option<&Image>,
    ) -> Result<(), JsValue> {
        let GanttPaint { analysis, spans, shares, stripes, axis, rows, width, style } = *self;
        let tasks = task_colours(analysis, style);
        let colours = &style.colours;
        let palette = Palette { surface: colours.surface, row: colours.row, tasks: &tasks };
        gantt::draw(image, spans, shares, axis, rows, width, &palette);
        gantt::stripe(image, axis, rows, stripes);
        if let Some(before) = before {
            gantt::outline(image, before, rows, colours.row, colours.ink);
        }
        show(canvas, image)?;
        name_bars(canvas, analysis, axis, rows, style, &tasks)
    }
}

/// Gives each task the number of its colour.
pub fn numbering(
    analysis: &Analysis,
    colouring: Colouring,
    chosen: &BTreeSet<JobId>,
) -> impl Fn(&TaskRun) -> u8 + use<> {
    let colours = chart_colours(&analysis.scenario, colouring);
    let number = |hue| colours.iter().position(|&colour| colour == hue).unwrap_or(0) as u8;
    let jobs = analysis.scenario.jobs().len();
    let by_index: Vec<u8> = match colouring {
        Colouring::User | Colouring::Job => {
            selectors::block_hues(&analysis.scenario, colouring).into_iter().map(number).collect()
        }
        Colouring::Stage => (0..colours.len())
            .map(|index| number(selectors::cycling_hue(index, &analysis.scenario)))
            .collect(),
    };
    let faded = colours.len() as u8;
    let back: Vec<u8> = (0..jobs as u32)
        .map(|job| if chosen.is_empty() || chosen.contains(&JobId(job)) { 0 } else { faded })
        .collect();
    move |run| {
        let index = match colouring {
            Colouring::User | Colouring::Job => run.job.index(),
            Colouring::Stage => run.stage as usize,
        };
        by_index[index % by_index.len()] + back[run.job.index()]
    }
}

/// The colours of the numbers: all of a chart's, and once more, faded.
pub(super) fn task_colours(analysis: &Analysis, style: &PaintStyle) -> Vec<Rgb> {
    let colours = &style.colours;
    let hues = chart_colours(&analysis.scenario, style.colouring);
    let full = hues.into_iter().map(|hue| colours.job(hue));
    let back = full.clone().map(|colour| colour.towards(colours.row, FADE));
    full.chain(back).collect()
}

/// What lies over the tasks: textures if they are asked for, stripes over tasks that differ, and the marks that are
/// switched on.
pub(super) fn stripes(analysis: &Analysis, style: &PaintStyle) -> Vec<Stripe> {
    let PaintStyle { colours, marks, chosen, moved, .. } = style;
    let over = |run: &TaskRun, colour, pattern| {
        let &TaskRun { core, start: from, end: to, .. } = run;
        Stripe { core, from, to, colour, pattern }
    };
    let of_run = |index: &usize| {
        let run = analysis.trace.tasks.get(*index)?;
        Some(over(run, colours.moved, Pattern::Mark))
    };
    let mut stripes = Vec::new();
    if colours.texture != Texture::None && analysis.trace.tasks.len() <= MAX_TEXTURED {
        let (tasks, hues) =
            (task_colours(analysis, style), chart_colours(&analysis.scenario, style.colouring));
        let number = numbering(analysis, style.colouring, chosen);
        let every = (TEXTURE_PX * scale()).round() as u32;
        for run in &analysis.trace.tasks {
            let number = usize::from(number(run));
            let (colour, hue) = (tasks[number], hues[number % hues.len()].hue);
            let ink = colour.towards(colours.readable_on(colour), INK_OF_TEXTURE);
            stripes.push(over(run, ink, Pattern::Texture { strokes: hue::texture(hue), every }));
            if colours.texture == Texture::Bordered {
                stripes.push(over(run, colours.ink, Pattern::Border));
            }
        }
    }
    stripes.extend(moved.iter().flat_map(|moved| moved.iter()).filter_map(of_run));
    for mark in marks {
        let (stretches, colour) = match mark {
            Mark::Inversion => (analysis.inversions(chosen), colours.inversion),
            Mark::Skew => (analysis.stragglers(chosen), colours.skew),
        };
        let pattern = Pattern::Mark;
        stripes.extend(stretches.into_iter().map(|(core, from, to)| Stripe {
            core,
            from,
            to,
            colour,
            pattern,
        }));
    }
    stripes
}

/// Most tasks of a schedule that have textures: with more they are too narrow.
const MAX_TEXTURED: usize = 50_000;
/// Logical pixels from one line of a texture to the next, as in the stylesheet.
const TEXTURE_PX: f64 = 6.0;
/// How far a texture's colour is from the task's towards that of text on it.
const INK_OF_TEXTURE: f64 = 0.8;

/// Rows at least this many logical pixels high have room for names, and the size of these.
const NAMED_ROW_PX: f64 = 9.0;
const NAME_PX: f64 = 9.0;
/// The same in tall rows, such as those of a presentation, and the largest part of a row's height.
const LARGE_NAME_PX: f64 = 14.0;
const NAME_IN_ROW: f64 = 0.8;
/// The usual width of a letter, and the space beside a name, in logical pixels; a name of wider letters is squeezed.
const LETTER_PX: f64 = 5.0;
const BESIDE_PX: f64 = 6.0;
/// Most tasks of a schedule whose bars are named.
const MAX_NAMED: usize = 2_000;

/// Writes the jobs' names on the bars that have room for them.
///
/// # Errors
/// What the browser refuses.
fn name_bars(
    canvas: &HtmlCanvasElement,
    analysis: &Analysis,
    axis: TimeAxis,
    rows: &ChartRows,
    style: &PaintStyle,
    tasks: &[Rgb],
) -> Result<(), JsValue> {
    let scale = scale();
    let tall = rows.bands.first().map_or(0, |(top, bottom)| bottom - top);
    let one_core_a_row = rows.bands.len() == rows.cores as usize;
    if !style.named
        || f64::from(tall) < NAMED_ROW_PX * scale
        || !one_core_a_row
        || analysis.trace.tasks.len() > MAX_NAMED
    {
        return Ok(());
    }
    // As large as the rows allow.
    let text = (f64::from(tall) * NAME_IN_ROW).clamp(NAME_PX * scale, LARGE_NAME_PX * scale) / NAME_PX;
    let context: CanvasRenderingContext2d =
        canvas.get_context("2d")?.ok_or("no 2d context")?.dyn_into().map_err(JsValue::from)?;
    let set_size = |size: f64| context.set_font(&format!("{}px system-ui, sans-serif", NAME_PX * size));
    set_size(text);
    context.set_text_baseline("middle");
    let mut size = text;
    let width = f64::from(canvas.width());
    let number = numbering(analysis, style.colouring, &style.chosen);
    for run in &analysis.trace.tasks {
        let from = (axis.fraction(run.start) * width).max(0.0);
        let room = (axis.fraction(run.end) * width).min(width) - from;
        let Some(row) = rows.row_of(run.core).filter(|_| room > 3.0 * LETTER_PX * scale) else { continue };
        let name = analysis.scenario.job_label(run.job);
        // Smaller where there is less room.
        let fitting = text.min(room / (name.chars().count() as f64 * LETTER_PX + BESIDE_PX));
        if fitting < scale {
            continue;
        }
        if fitting != size {
            size = fitting;
            set_size(size);
        }
        let colour = tasks.get(usize::from(number(run))).copied().unwrap_or_default();
        let (top, bottom) = rows.bands[row];
        if style.colours.texture != Texture::None {
            // A name is not read among lines.
            context.set_fill_style_str(&fairlane_view::export::svg::colour(colour));
            let wide = name.chars().count() as f64 * LETTER_PX * size;
            context.fill_rect(
                from + scale,
                f64::from(top) + scale,
                wide,
                f64::from(bottom - top) - 2.0 * scale,
            );
        }
        context.set_fill_style_str(&fairlane_view::export::svg::colour(style.colours.readable_on(colour)));
        context.fill_text_with_max_width(
            &name,
            from + BESIDE_PX / 2.0 * scale,
            f64::from(top + bottom) / 2.0 + 0.5 * scale,
            room - BESIDE_PX * scale,
        )?;
    }
    Ok(())
}

/// Shows an image on a canvas of the same size.
///
/// # Errors
/// What the browser refuses, such as a canvas larger than it can hold.
pub(super) fn show(canvas: &HtmlCanvasElement, image: &Image) -> Result<(), JsValue> {
    // Setting a size clears and reallocates, so it is done only where the size differs.
    if canvas.width() != image.width {
        canvas.set_width(image.width);
    }
    if canvas.height() != image.height {
        canvas.set_height(image.height);
    }
    let context: CanvasRenderingContext2d =
        canvas.get_context("2d")?.ok_or("no 2d context")?.dyn_into().map_err(JsValue::from)?;
    let data = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&image.bytes), image.width, image.height)?;
    context.put_image_data(&data, 0.0, 0.0)
}
