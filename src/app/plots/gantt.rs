//! A Gantt chart on a canvas: the image of [`crate::view::gantt`], one pixel a device pixel.

use std::rc::Rc;

use wasm_bindgen::Clamped;
use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};
use yew::prelude::*;

use super::scale;
use crate::app::effects::use_width;
use crate::app::selectors::Hue;
use crate::app::theme::Colours;
use crate::app::wire::Outcome;
use crate::view::TimeAxis;
use crate::view::gantt::{self, Image, Palette, Rows};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub outcome: Rc<Outcome>,
    pub axis: TimeAxis,
    pub hues: Rc<Vec<Hue>>,
    pub colours: Rc<Colours>,
    pub executors: u32,
    pub cores_per_executor: u32,
    /// The chart in words, for those who do not see it.
    pub label: AttrValue,
}

#[component]
pub fn Gantt(props: &Props) -> Html {
    let canvas = use_node_ref();
    let width = use_width(&canvas);
    let scale = scale();
    let rows = Rows::new(props.executors, props.cores_per_executor, scale);
    {
        let canvas = canvas.clone();
        let parts = (
            Rc::clone(&props.outcome),
            props.axis,
            Rc::clone(&props.hues),
            Rc::clone(&props.colours),
            (width * scale).round() as u32,
            rows.clone(),
        );
        use_effect_with(parts, move |(outcome, axis, hues, colours, width, rows)| {
            let Some(canvas) = canvas.cast::<HtmlCanvasElement>() else { return };
            if *width == 0 {
                return;
            }
            let palette = Palette {
                surface: colours.surface,
                row: colours.row,
                jobs: hues.iter().map(|&hue| colours.job(hue)).collect(),
            };
            let image = gantt::draw(&outcome.trace, &outcome.index, *axis, rows, *width, &palette);
            if let Err(error) = put(&canvas, &image) {
                web_sys::console::warn_2(&"a chart could not be drawn".into(), &error);
            }
        });
    }
    let height = f64::from(rows.height) / scale;
    html! { <canvas ref={canvas} role="img" aria-label={&props.label} style={format!("height:{height}px")}></canvas> }
}

/// Shows an image on a canvas of the same size.
///
/// # Errors
/// What the browser refuses, such as a canvas larger than it can hold.
fn put(canvas: &HtmlCanvasElement, image: &Image) -> Result<(), JsValue> {
    canvas.set_width(image.width);
    canvas.set_height(image.height);
    let context: CanvasRenderingContext2d =
        canvas.get_context("2d")?.ok_or("no 2d context")?.dyn_into().map_err(JsValue::from)?;
    let data = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&image.bytes), image.width, image.height)?;
    context.put_image_data(&data, 0.0, 0.0)
}
