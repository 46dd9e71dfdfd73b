//! The input's skew as bars that are dragged up and down.

use std::cell::Cell;
use std::rc::Rc;

use yew::prelude::*;

use crate::app::store::Action;
use crate::ids::JobId;
use crate::scenario::edit::{Edit, StageEdit};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub job: JobId,
    pub index: u32,
    /// How heavy each slice is, in the file's own terms.
    pub weights: Vec<f64>,
    /// Default number of tasks: as many slices are offered where there is only one.
    pub partitions: u32,
    pub send: Callback<Action>,
}

/// Most bars that can be distinguished and dragged.
const MOST_BARS: usize = 64;
/// Most slices that are offered where there is but one.
const FIRST_BARS: u32 = 16;
/// The heaviest bar fills this part of the height, so that it can be dragged further up.
const FULL: f64 = 0.7;
/// A key's step, as a part of the mean weight.
const KEY_STEP: f64 = 0.25;

/// The measures of a bar while it is dragged.
#[derive(Clone, Copy)]
struct Pull {
    slice: usize,
    /// Lower edge and height of the bars' area, in logical pixels.
    bottom: f64,
    height: f64,
    /// Weight of a logical pixel.
    scale: f64,
}

#[component]
pub fn SkewBars(props: &Props) -> Html {
    let pull = use_memo((), |()| Rc::new(Cell::new(None::<Pull>)));
    let heaviest = props.weights.iter().copied().fold(0.0, f64::max);
    if props.weights.len() == 1 {
        let (job, index, slices) = (props.job, props.index, props.partitions.clamp(2, FIRST_BARS));
        let draw = props
            .send
            .reform(move |_: MouseEvent| Action::Edit(Edit::Stage(job, index, StageEdit::Slices(slices))));
        return html! {
            <p class="hint">
                { "The work is spread evenly over the input. " }
                <button type="button" class="small" id={format!("stage-{index}-draw")} onclick={draw}>{ "Make it skewed…" }</button>
            </p>
        };
    }
    if props.weights.len() > MOST_BARS || heaviest <= 0.0 {
        return html! { <p class="hint">{ format!("{} slices: too many to drag one by one.", props.weights.len()) }</p> };
    }
    let mean = props.weights.iter().sum::<f64>() / props.weights.len() as f64;
    let (job, index) = (props.job, props.index);
    let edit = move |slice: usize, weight: f64| {
        // Three digits are enough for a figure that is dragged.
        let unit = 10_f64.powf(mean.log10().floor() - 2.0);
        let weight = ((weight.max(0.0) / unit).round() * unit * 1e9).round() / 1e9;
        Edit::Stage(job, index, StageEdit::Slice(slice as u32, weight))
    };
    let onpointerdown = {
        let (pull, send) = (Rc::clone(&pull), props.send.clone());
        Callback::from(move |event: PointerEvent| {
            // Yew listens at the root, so the bar is the closest one to what was pressed.
            let bar = event.target_dyn_into::<web_sys::Element>();
            let bar = bar.and_then(|target| target.closest("[data-slice]").ok().flatten());
            let Some(bars) = bar.as_ref().and_then(|bar| bar.parent_element()) else { return };
            let slice =
                bar.and_then(|bar| bar.get_attribute("data-slice")).and_then(|text| text.parse().ok());
            let Some(slice) = slice.filter(|_| event.button() == 0) else { return };
            // Without capture the drag only ends at the edge.
            let _ = bars.set_pointer_capture(event.pointer_id());
            // The bars are on the border's upper edge.
            let height = f64::from(bars.client_height().max(1));
            let top = bars.get_bounding_client_rect().top() + f64::from(bars.client_top());
            let new = Pull { slice, bottom: top + height, height, scale: heaviest / FULL / height };
            pull.set(Some(new));
            send.emit(Action::DragStart);
        })
    };
    let onpointermove = {
        let (pull, send) = (Rc::clone(&pull), props.send.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some(Pull { slice, bottom, height, scale }) = pull.get() {
                // A bar ends where its area does, and so does its weight.
                let tall = (bottom - f64::from(event.client_y())).clamp(0.0, height);
                send.emit(Action::DragTo(edit(slice, tall * scale)));
            }
        })
    };
    let end = |action: Action| {
        let (pull, send) = (Rc::clone(&pull), props.send.clone());
        Callback::from(move |_: PointerEvent| {
            if pull.take().is_some() {
                send.emit(action.clone());
            }
        })
    };
    // While one is dragged the others keep their scale.
    let scale = pull.get().map_or(heaviest / FULL, |pull| pull.scale * pull.height);
    html! {
        <>
            <div class="skew" role="group" aria-label="Skew of the input" {onpointerdown} {onpointermove} onpointerup={end(Action::DragCommit)} onpointercancel={end(Action::DragCancel)}>
                { for props.weights.iter().enumerate().map(|(slice, &weight)| {
                    let onkeydown = {
                        let send = props.send.clone();
                        Callback::from(move |event: KeyboardEvent| {
                            let step = match event.key().as_str() {
                                "ArrowUp" => mean * KEY_STEP,
                                "ArrowDown" => -mean * KEY_STEP,
                                _ => return,
                            };
                            event.prevent_default();
                            event.stop_propagation();
                            send.emit(Action::Edit(edit(slice, weight + step)));
                        })
                    };
                    html! {
                        <span class="slice" key={slice} data-slice={slice.to_string()} tabindex="0" role="slider" aria-orientation="vertical" aria-label={format!("slice {slice}")}
                            aria-valuemin="0" aria-valuemax={format!("{:.3}", heaviest.max(weight) * 2.0)} aria-valuenow={format!("{weight:.3}")} title={format!("slice {slice}: {weight:.3}")} {onkeydown}>
                            <u style={format!("height:{:.1}%", (weight / scale * 100.0).min(100.0))}></u>
                        </span>
                    }
                }) }
            </div>
            <p class="hint">{ "Drag a bar to make that slice of the input take longer." }</p>
        </>
    }
}
