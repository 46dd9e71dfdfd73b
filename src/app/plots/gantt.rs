//! A Gantt chart on a canvas: the image of [`crate::view::gantt`], one pixel a device pixel, with
//! what a pointer can do to it.

mod gestures;

use std::collections::BTreeSet;

use wasm_bindgen::Clamped;
use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};
use yew::prelude::*;

use super::scale;
use crate::app::effects::use_width;
use crate::app::selectors::{self, Hue};
use crate::app::shared::Shared;
use crate::app::store::{Action, Colouring, Mark};
use crate::app::theme::Colours;
use crate::app::wire::Outcome;
use crate::ids::JobId;
use crate::policy::PolicyId;
use crate::trace::TaskRun;
use crate::view::TimeAxis;
use crate::view::gantt::{self, Image, Palette, Rgb, Rows, Stripe};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub policy: PolicyId,
    pub outcome: Shared<Outcome>,
    pub axis: TimeAxis,
    pub colours: Shared<Colours>,
    pub colouring: Colouring,
    pub marks: BTreeSet<Mark>,
    pub chosen: BTreeSet<JobId>,
    /// Tasks to be set off from the rest, by place in the trace.
    pub moved: Option<Shared<Vec<usize>>>,
    pub send: Callback<Action>,
    /// The chart in words, for those who do not see it.
    pub label: AttrValue,
}

/// How far tasks of jobs that are not chosen step back towards the empty row.
const STEP_BACK: f64 = 0.66;

#[component]
pub fn Gantt(props: &Props) -> Html {
    let canvas = use_node_ref();
    let width = use_width(&canvas);
    let scale = scale();
    let cluster = &props.outcome.scenario.cluster;
    let rows = Rows::new(cluster.executors, cluster.cores_per_executor, scale);
    {
        let canvas = canvas.clone();
        let parts = (
            props.outcome.clone(),
            props.axis,
            props.colours.clone(),
            props.colouring,
            props.marks.clone(),
            props.chosen.clone(),
            props.moved.clone(),
            (width * scale).round() as u32,
            rows.clone(),
        );
        use_effect_with(
            parts,
            move |(outcome, axis, colours, colouring, marks, chosen, moved, width, rows)| {
                let Some(canvas) = canvas.cast::<HtmlCanvasElement>() else { return };
                if *width == 0 {
                    return;
                }
                let paint = painter(outcome, colours, *colouring, chosen);
                let palette = Palette { surface: colours.surface, row: colours.row, task: &paint };
                let mut image = gantt::draw(&outcome.trace, &outcome.index, *axis, rows, *width, &palette);
                gantt::stripe(
                    &mut image,
                    *axis,
                    rows,
                    &stripes(outcome, colours, marks, chosen, moved.as_deref()),
                );
                if let Err(error) = put(&canvas, &image) {
                    web_sys::console::warn_2(&"a chart could not be drawn".into(), &error);
                }
            },
        );
    }
    let height = f64::from(rows.height) / scale;
    let logical = Rows::new(cluster.executors, cluster.cores_per_executor, 1.0);
    let gestures = gestures::use_gestures(props, logical);
    html! {
        <>
            <canvas ref={canvas} role="img" aria-label={&props.label} style={format!("height:{height}px")} onpointerdown={gestures.down}
                onpointermove={gestures.moved} onpointerup={gestures.up} onpointercancel={gestures.cancelled} onpointerleave={gestures.left}></canvas>
            { gestures.tip }
        </>
    }
}

/// Gives each task its colour.
fn painter(
    outcome: &Outcome,
    colours: &Colours,
    colouring: Colouring,
    chosen: &BTreeSet<JobId>,
) -> impl Fn(&TaskRun) -> Rgb + use<> {
    let jobs = outcome.scenario.jobs.len();
    let back = colours.row;
    let of_hues = |hues: Vec<Hue>| -> Vec<Rgb> { hues.into_iter().map(|hue| colours.job(hue)).collect() };
    let by_number = match colouring {
        Colouring::User => of_hues(selectors::job_hues(&outcome.scenario)),
        Colouring::Job => of_hues((0..jobs).map(selectors::cycling_hue).collect()),
        Colouring::Stage => of_hues((0..2 * selectors::HUES).map(selectors::cycling_hue).collect()),
    };
    let steps_back: Vec<bool> =
        (0..jobs as u32).map(|job| !chosen.is_empty() && !chosen.contains(&JobId(job))).collect();
    move |run| {
        let number = match colouring {
            Colouring::User | Colouring::Job => run.job.index(),
            Colouring::Stage => run.stage as usize,
        };
        let colour = by_number[number % by_number.len()];
        if steps_back[run.job.index()] { colour.towards(back, STEP_BACK) } else { colour }
    }
}

/// What is set off by stripes: tasks that moved, and the marks that are switched on.
fn stripes(
    outcome: &Outcome,
    colours: &Colours,
    marks: &BTreeSet<Mark>,
    chosen: &BTreeSet<JobId>,
    moved: Option<&Vec<usize>>,
) -> Vec<Stripe> {
    let of_run = |place: &usize| {
        let run = outcome.trace.tasks.get(*place)?;
        Some(Stripe { core: run.core, from: run.start, to: run.end, colour: colours.moved })
    };
    let mut stripes: Vec<Stripe> = moved.into_iter().flatten().filter_map(of_run).collect();
    for mark in marks {
        let (stretches, colour) = match mark {
            Mark::Inversion => (outcome.inversions(chosen), colours.inversion),
            Mark::Skew => (outcome.stragglers(chosen), colours.skew),
        };
        stripes.extend(stretches.into_iter().map(|(core, from, to)| Stripe { core, from, to, colour }));
    }
    stripes
}

/// Shows an image on a canvas of the same size.
///
/// # Errors
/// What the browser refuses, such as a canvas larger than it can hold.
fn put(canvas: &HtmlCanvasElement, image: &Image) -> Result<(), JsValue> {
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
