//! A Gantt chart on a canvas: the image of [`fairlane_view::gantt`], one pixel a device pixel, with
//! what a pointer can do to it. What moves with the pointer is an overlay, so that the canvas is not drawn again.

mod cores;
mod executors;
mod gestures;
pub mod marks;
pub mod motion;
mod paint;
mod tip;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

pub use cores::{core_tools, use_core_wheel};
pub use paint::{GanttPaint, PaintStyle, numbering};

use super::scale;
use crate::browser::first_paint;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::ui::hooks::{use_on_screen, use_width};
use fairlane::policy::PolicyId;
use fairlane_view::TimeAxis;
use fairlane_view::gantt::{ChartRows, ColourShares, CoreWindow, Image, Spans};

#[derive(Properties, PartialEq)]
pub struct GanttProps {
    pub policy: PolicyId,
    pub analysis: Shared<Analysis>,
    pub axis: TimeAxis,
    /// The cores that are shown.
    pub cores: CoreWindow,
    /// Asks for other cores to be shown.
    pub look: Callback<CoreWindow>,
    pub style: PaintStyle,
    /// Whether the schedule that was shown before outlines began shows through as outlines.
    pub outlines: bool,
    /// Describes the chart to screen readers.
    pub label: AttrValue,
}

/// What a canvas shows.
#[derive(Default)]
struct CanvasContent {
    image: Image,
    /// What it showed before outlines began.
    before: Option<Image>,
}

#[component]
pub fn Gantt(props: &GanttProps) -> Html {
    let canvas = use_node_ref();
    let width = use_width(&canvas);
    // In a drag only what is seen is drawn; the rest once it is scrolled to, or the drag has ended.
    let drawing = use_on_screen(&canvas) || !props.outlines;
    let scale = scale();
    let logical = rows_of(&props.analysis, props.cores, props.style.zoom);
    let rows = logical.at_scale(scale);
    // Both take time proportional to the tasks, and are built once; a frame's time does not depend on them.
    let drawn_from = drawing.then(|| props.analysis.clone());
    let spans = use_memo(drawn_from.clone(), |analysis| {
        analysis.as_ref().map(|analysis| Spans::new(&analysis.trace)).unwrap_or_default()
    });
    let style = &props.style;
    let coloured = (drawn_from, style.colouring, style.chosen.clone());
    let shares = use_memo(coloured, |(analysis, colouring, chosen)| match analysis {
        Some(analysis) => {
            ColourShares::new(&analysis.trace, &spans, &numbering(analysis, *colouring, chosen))
        }
        None => ColourShares::default(),
    });
    let stripes = use_memo((props.analysis.clone(), style.clone()), |(analysis, style)| {
        paint::stripes(analysis, style)
    });
    let drawn = use_mut_ref(CanvasContent::default);
    {
        let canvas = canvas.clone();
        // Instead of the shares and the stripes what they are derived from: comparing them would take long.
        let area = ((width * scale).round() as u32, rows);
        let parts = (props.analysis.clone(), props.axis, style.clone(), area, (props.outlines, drawing));
        use_effect_with(parts, move |(analysis, axis, style, (width, rows), (outlines, drawing))| {
            let canvas = canvas.cast::<HtmlCanvasElement>().filter(|_| *width > 0 && *drawing);
            let Some(canvas) = canvas else { return };
            let mut drawn = drawn.borrow_mut();
            let CanvasContent { image, before } = &mut *drawn;
            match (outlines, &before) {
                (true, None) => *before = Some(image.clone()),
                (false, Some(_)) => *before = None,
                _ => {}
            }
            let (axis, width) = (*axis, *width);
            let chart = GanttPaint {
                analysis,
                spans: &spans,
                shares: &shares,
                stripes: &stripes,
                axis,
                rows,
                width,
                style,
            };
            match chart.paint(&canvas, image, before.as_ref()) {
                Ok(()) => first_paint::picture(),
                Err(error) => web_sys::console::warn_2(&"a chart could not be drawn".into(), &error),
            }
        });
    }
    let height = logical.height;
    let gestures = gestures::use_gestures(props, logical.clone());
    html! {
        <>
            <canvas ref={canvas} role="img" aria-label={&props.label} style={format!("height:{height}px")}
                onpointerdown={gestures.down}
                onpointermove={gestures.moved} onpointerup={gestures.up} onclick={gestures.clicked}
                onpointercancel={gestures.cancelled} onpointerleave={gestures.left}></canvas>
            // A list of its own: the canvas stays when the outline comes.
            <>{ for style.asked.and_then(|task| tip::outline(&props.analysis, props.axis, &logical, task,
                "hit asked")) }</>
            { gestures.over }
        </>
    }
}

/// The rows of the cores shown.
fn rows_of(analysis: &Analysis, cores: CoreWindow, scale: f64) -> ChartRows {
    ChartRows::of_window(analysis.scenario.cluster(), scale, cores)
}
