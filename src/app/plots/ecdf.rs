//! The share of jobs whose response time is at most so long, a line per policy (the form of the
//! UWFQ paper's Figures 5 and 6).

use plotters::prelude::*;
use plotters_canvas::CanvasBackend;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::{rgb, scale};
use crate::app::effects::use_width;
use crate::app::shared::Shared;
use crate::app::theme::Colours;
use crate::app::wire::Outcome;
use crate::partition::Mode;
use crate::policy::PolicyId;
use crate::trace::JobRun;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub outcomes: Vec<(PolicyId, Shared<Outcome>)>,
    pub colours: Shared<Colours>,
    /// Whether the chart is to stay as it is for now: drawing it takes longer than a schedule, and
    /// while something is dragged schedules come thick and fast.
    pub still: bool,
}

/// Logical pixels.
const HEIGHT: f64 = 200.0;

#[component]
pub fn Ecdf(props: &Props) -> Html {
    let canvas = use_node_ref();
    let width = use_width(&canvas);
    {
        let canvas = canvas.clone();
        let outcomes = if props.still { Vec::new() } else { props.outcomes.clone() };
        let parts = (outcomes, props.colours.clone(), width);
        use_effect_with(parts, move |(outcomes, colours, width)| {
            let Some(canvas) = canvas.cast::<HtmlCanvasElement>() else { return };
            if *width == 0.0 || outcomes.is_empty() {
                return;
            }
            let scale = scale();
            canvas.set_width((width * scale).round() as u32);
            canvas.set_height((HEIGHT * scale).round() as u32);
            if let Err(error) = draw(canvas, outcomes, colours, scale) {
                web_sys::console::warn_1(&format!("a chart could not be drawn: {error}").into());
            }
        });
    }
    html! {
        <>
            <canvas ref={canvas} class="ecdf" role="img" style={format!("height:{HEIGHT}px")}
                aria-label="Share of jobs answered within a response time, a line per policy; the tables above give the means"></canvas>
            <ul class="legend">
                { for props.outcomes.iter().map(|(policy, _)| {
                    let dashed = (policy.partitioning == Mode::Runtime).then_some("dashed");
                    html! {
                        <li><i class={classes!("key", dashed)} style={format!("--c:var(--policy-{})", policy.kind.info().id)}></i>{ policy.title() }</li>
                    }
                }) }
            </ul>
        </>
    }
}

/// The steps of the distribution: response time in seconds, share of jobs.
fn steps(jobs: &[JobRun]) -> Vec<(f64, f64)> {
    let mut responses: Vec<f64> = jobs.iter().map(|job| job.response().seconds()).collect();
    responses.sort_by(f64::total_cmp);
    let count = responses.len() as f64;
    let mut points = vec![(0.0, 0.0)];
    for (place, response) in responses.into_iter().enumerate() {
        points.push((response, place as f64 / count));
        points.push((response, (place as f64 + 1.0) / count));
    }
    points
}

fn draw(
    canvas: HtmlCanvasElement,
    outcomes: &[(PolicyId, Shared<Outcome>)],
    colours: &Colours,
    scale: f64,
) -> Result<(), String> {
    let area = CanvasBackend::with_canvas_object(canvas).ok_or("no canvas")?.into_drawing_area();
    let words = |error: DrawingAreaErrorKind<_>| error.to_string();
    area.fill(&rgb(colours.surface)).map_err(words)?;
    let longest = outcomes
        .iter()
        .flat_map(|(_, outcome)| outcome.trace.jobs.iter().map(|job| job.response().seconds()))
        .fold(0.001, f64::max);
    let pixels = |logical: f64| (logical * scale).round() as u32;
    let mut chart = ChartBuilder::on(&area)
        .margin(pixels(6.0))
        .x_label_area_size(pixels(34.0))
        .y_label_area_size(pixels(38.0))
        .build_cartesian_2d(0.0..longest * 1.02, 0.0..1.0)
        .map_err(words)?;
    let text = ("sans-serif", 11.0 * scale).into_font().color(&rgb(colours.dim));
    chart
        .configure_mesh()
        .x_labels(5)
        .y_labels(5)
        .x_desc("response time, s")
        .y_label_formatter(&|share| format!("{:.0} %", share * 100.0))
        .x_label_formatter(&|seconds| format!("{seconds}"))
        .label_style(text.clone())
        .axis_desc_style(text)
        .axis_style(rgb(colours.grid))
        .bold_line_style(rgb(colours.grid))
        .light_line_style(TRANSPARENT)
        .draw()
        .map_err(words)?;
    for (policy, outcome) in outcomes {
        let style = rgb(colours.policy(policy.kind)).stroke_width(pixels(1.5));
        let points = steps(&outcome.trace.jobs);
        match policy.partitioning {
            Mode::Default => chart.draw_series(LineSeries::new(points, style)).map_err(words)?,
            Mode::Runtime => {
                let dashes = DashedLineSeries::new(points, pixels(4.0), pixels(3.0), style);
                chart.draw_series(dashes).map_err(words)?
            }
        };
    }
    area.present().map_err(words)
}
