//! A policy's virtual time and its deadlines over real time, with the playhead on them.

use plotters::prelude::*;
use plotters_canvas::CanvasBackend;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::{rgb, scale};
use crate::app::effects::use_width;
use crate::app::selectors;
use crate::app::shared::Shared;
use crate::app::theme::Colours;
use crate::app::wire::Outcome;
use crate::ids::JobId;
use crate::trace::VirtualTimeSeries;
use crate::units::{MICROS_PER_SECOND, Time};
use crate::view::TimeAxis;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub outcome: Shared<Outcome>,
    /// Whose deadlines are shown.
    pub jobs: Vec<JobId>,
    pub axis: TimeAxis,
    pub playhead: Time,
    pub colours: Shared<Colours>,
}

/// Logical pixels.
const HEIGHT: f64 = 190.0;
/// Logical pixels left of and below the plot, for labels.
const LEFT: f64 = 44.0;
const BELOW: f64 = 34.0;
const MARGIN: f64 = 6.0;

#[component]
pub fn VirtualTime(props: &Props) -> Html {
    let canvas = use_node_ref();
    let width = use_width(&canvas);
    let series = use_memo((props.outcome.clone(), props.jobs.clone()), |(outcome, jobs)| {
        outcome.virtual_time(jobs).filter(|series| !series.v.is_empty())
    });
    {
        let canvas = canvas.clone();
        let parts = (series.clone(), props.outcome.clone(), props.axis, props.colours.clone(), width);
        use_effect_with(parts, move |(series, outcome, axis, colours, width)| {
            let (Some(series), Some(canvas)) = (series.as_ref(), canvas.cast::<HtmlCanvasElement>()) else {
                return;
            };
            if *width == 0.0 {
                return;
            }
            let scale = scale();
            canvas.set_width((width * scale).round() as u32);
            canvas.set_height((HEIGHT * scale).round() as u32);
            if let Err(error) = draw(canvas, series, outcome, *axis, colours, scale) {
                web_sys::console::warn_1(&format!("a chart could not be drawn: {error}").into());
            }
        });
    }
    if series.is_none() {
        return html! { <p class="hint">{ "This policy keeps no virtual time: it looks at running tasks and arrivals alone." }</p> };
    }
    let at = props.axis.fraction(props.playhead).clamp(0.0, 1.0);
    let left = format!("left:calc({}px + (100% - {}px) * {at})", LEFT + MARGIN, LEFT + 2.0 * MARGIN);
    html! {
        <>
            <h2>{ "Virtual time and deadlines" }</h2>
            <div class="vt">
                <canvas ref={canvas} class="ecdf" role="img" style={format!("height:{HEIGHT}px")}
                    aria-label="Virtual time over real time, with the deadlines as level lines; the table above gives the figures at the playhead"></canvas>
                <i class="mark" style={format!("{left};top:{MARGIN}px;height:{}px", HEIGHT - BELOW - 2.0 * MARGIN)}></i>
            </div>
            <p class="hint">{ "The rising line is virtual time V; a level line is a deadline from when it is set until its last task starts. A job has ended virtually where V crosses it." }</p>
        </>
    }
}

fn draw(
    canvas: HtmlCanvasElement,
    series: &VirtualTimeSeries,
    outcome: &Outcome,
    axis: TimeAxis,
    colours: &Colours,
    scale: f64,
) -> Result<(), String> {
    let area = CanvasBackend::with_canvas_object(canvas).ok_or("no canvas")?.into_drawing_area();
    let words = |error: DrawingAreaErrorKind<_>| error.to_string();
    area.fill(&rgb(colours.surface)).map_err(words)?;
    let seconds = |micros: f64| micros / MICROS_PER_SECOND;
    let highest = series.deadlines.iter().map(|line| line.deadline);
    let highest = highest.chain(series.v.iter().map(|point| point.1)).fold(1.0, f64::max);
    let pixels = |logical: f64| (logical * scale).round() as u32;
    let (from, to) = (axis.from.seconds(), axis.to.seconds());
    let mut chart = ChartBuilder::on(&area)
        .margin(pixels(MARGIN))
        .x_label_area_size(pixels(BELOW))
        .y_label_area_size(pixels(LEFT))
        .build_cartesian_2d(from..to, 0.0..seconds(highest) * 1.05)
        .map_err(words)?;
    let text = ("sans-serif", 11.0 * scale).into_font().color(&rgb(colours.dim));
    chart
        .configure_mesh()
        .x_labels(5)
        .y_labels(5)
        .x_desc("real time, s")
        .x_label_formatter(&|seconds| format!("{seconds}"))
        .y_label_formatter(&|seconds| format!("{seconds}"))
        .label_style(text.clone())
        .axis_desc_style(text)
        .axis_style(rgb(colours.grid))
        .bold_line_style(rgb(colours.grid))
        .light_line_style(TRANSPARENT)
        .draw()
        .map_err(words)?;
    let hues = selectors::job_hues(&outcome.scenario);
    for line in &series.deadlines {
        let style = rgb(colours.job(hues[line.job.index()])).stroke_width(pixels(1.5));
        let y = seconds(line.deadline);
        chart
            .draw_series(LineSeries::new([(line.from.seconds(), y), (line.to.seconds(), y)], style))
            .map_err(words)?;
    }
    let mut v: Vec<(f64, f64)> = series.v.iter().map(|&(at, v)| (seconds(at), seconds(v))).collect();
    v.insert(0, (from.min(v[0].0), if from < v[0].0 { 0.0 } else { v[0].1 }));
    if let Some(&(_, last)) = v.last() {
        v.push((to, last));
    }
    chart.draw_series(LineSeries::new(v, rgb(colours.ink).stroke_width(pixels(1.8)))).map_err(words)?;
    area.present().map_err(words)
}
