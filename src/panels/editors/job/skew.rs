//! The input's skew as bars that are dragged up and down.

use yew::prelude::*;

use super::pull::{PullHandlers, handle_of, use_pull};
use crate::store::{Action, DocumentAction};
use crate::ui::send::{Handlers, use_send};
use fairlane::ids::JobId;
use fairlane::scenario::Edit;

#[derive(Properties, PartialEq)]
pub struct SkewBarsProps {
    pub job: JobId,
    pub index: u32,
    /// How heavy each slice is, in the file's own terms.
    pub weights: Vec<f64>,
    /// Default number of tasks: as many slices are offered where there is only one.
    pub partitions: u32,
}

/// Most bars that can be distinguished and dragged.
const MAX_BARS: usize = 64;
/// Most slices that are offered where there is but one.
const FIRST_BARS: u32 = 16;
/// The heaviest bar fills this part of the height, so that it can be dragged further up.
const FULL: f64 = 0.7;
/// A key's step, as a part of the mean weight.
const KEY_STEP: f64 = 0.25;

/// A weight with three digits in terms of the mean, which are enough for a figure that is dragged.
fn rounded(weight: f64, mean: f64) -> f64 {
    let unit = 10_f64.powf(mean.log10().floor() - 2.0);
    ((weight.max(0.0) / unit).round() * unit * 1e9).round() / 1e9
}

#[component]
pub fn SkewBars(props: &SkewBarsProps) -> Html {
    let send = use_send();
    let (job, index) = (props.job, props.index);
    let heaviest = props.weights.iter().copied().fold(0.0, f64::max);
    let mean = props.weights.iter().sum::<f64>() / props.weights.len().max(1) as f64;
    let edit = move |slice: usize, weight: f64| Edit::Slice(job, index, slice as u32, rounded(weight, mean));
    // The weight of the picture's whole height; while one bar is dragged the others keep their scale.
    let pulling = use_pull(".skew", heaviest / FULL, &send, move |slice, whole, (_, height)| {
        // A bar ends where its area does, and so does its weight.
        Some(edit(slice, height.clamp(0.0, 1.0) * whole))
    });
    if props.weights.len() == 1 {
        let slices = props.partitions.clamp(2, FIRST_BARS);
        let draw = send.press(DocumentAction::Edit(Edit::Slices(job, index, slices)));
        return html! {
            <p class="hint">
                { "The work is spread evenly over the input. " }
                <button type="button" class="small" id={format!("stage-{index}-draw")}
                    onclick={draw}>{ "Make it skewed…" }</button>
            </p>
        };
    }
    if props.weights.len() > MAX_BARS || heaviest <= 0.0 {
        return html! { <p class="hint">{ format!("{} slices: too many to drag one by one.", props.weights.len())
        }</p> };
    }
    let onkeydown = {
        let (send, weights) = (send.clone(), props.weights.clone());
        Callback::from(move |event: KeyboardEvent| {
            let step = match event.key().as_str() {
                "ArrowUp" => mean * KEY_STEP,
                "ArrowDown" => -mean * KEY_STEP,
                _ => return,
            };
            let slice = handle_of(&event).and_then(|slice| Some((slice, weights.get(slice)?)));
            let Some((slice, weight)) = slice else { return };
            event.prevent_default();
            event.stop_propagation();
            send.emit(Action::Document(DocumentAction::Edit(edit(slice, weight + step))));
        })
    };
    let whole = pulling.scale.unwrap_or(heaviest / FULL);
    let PullHandlers { onpointerdown, onpointermove, onpointerup, onpointercancel, .. } = pulling;
    html! {
        <>
            <div class="skew" role="group" aria-label="Skew of the input" {onpointerdown} {onpointermove}
                {onpointerup} {onpointercancel} {onkeydown}>
                { for props.weights.iter().enumerate().map(|(slice, &weight)| html! {
                    <span class="slice" key={slice} data-handle={slice.to_string()} tabindex="0" role="slider"
                        aria-orientation="vertical" aria-label={format!("slice {slice}")}
                        aria-valuemin="0" aria-valuemax={format!("{:.3}", heaviest.max(weight) * 2.0)}
                        aria-valuenow={format!("{weight:.3}")} title={format!("slice {slice}: {weight:.3}")}>
                        <u style={format!("height:{:.1}%", (weight / whole * 100.0).min(100.0))}></u>
                    </span>
                }) }
            </div>
            <p class="hint">{ "Drag a bar to give that slice more of the stage’s work, and the others less." }</p>
        </>
    }
}
