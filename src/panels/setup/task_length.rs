//! The length of tasks under runtime partitioning as a slider over the charts, which change as it moves.

use yew::prelude::*;

use crate::panels::EditorProps;
use crate::store::{Action, DocumentAction};
use crate::ui::send::{Handlers, use_send};
use fairlane::number;
use fairlane::scenario::edit::Edit;
use fairlane::scenario::{PartitionMode, field};
use fairlane::units::Span;

/// The slider's ends, as powers of ten of seconds, and its steps in between.
const ATR_FROM: f64 = -2.0;
const ATR_TO: f64 = 2.0;
const ATR_STEPS: f64 = 200.0;

/// The advisory task runtime over four powers of ten, and how many tasks it makes.
#[component]
pub fn TaskLength(props: &EditorProps) -> Html {
    let send = use_send();
    let document = &props.document;
    let value = document.scenario.partitioning().advisory_task_runtime;
    let position =
        ((value.seconds().log10() - ATR_FROM) / (ATR_TO - ATR_FROM) * ATR_STEPS).clamp(0.0, ATR_STEPS);
    let held = use_mut_ref(|| false);
    let oninput = {
        let (send, held) = (send.clone(), held.clone());
        Callback::from(move |event: InputEvent| {
            let Some(input) = event.target_dyn_into::<web_sys::HtmlInputElement>() else { return };
            let exact = 10_f64.powf(ATR_FROM + input.value_as_number() / ATR_STEPS * (ATR_TO - ATR_FROM));
            // Two digits are enough for a figure that is dragged.
            let unit = 10_f64.powf(exact.log10().floor() - 1.0);
            let micros = ((exact / unit).round() * unit * 1e6).round() as u64;
            if !held.replace(true) {
                send.emit(Action::Document(DocumentAction::DragStart));
            }
            send.emit(Action::Document(DocumentAction::DragTo(Edit::advisory_task_runtime(Span(micros)))));
        })
    };
    let end = send.on(move |()| held.replace(false).then_some(Action::Document(DocumentAction::DragCommit)));
    // Dragged away and back, the slider has not changed; its release ends the gesture all the same.
    let onchange = end.reform(|_: Event| ());
    let onpointerup = end.reform(|_: PointerEvent| ());
    let onpointercancel = end.reform(|_: PointerEvent| ());
    let onblur = end.reform(|_: FocusEvent| ());
    let shown = field::seconds(value.0);
    let tasks = number::counted(document.tasks(PartitionMode::Runtime) as usize, "task");
    html! {
        <label class="task-length" title="Advisory task runtime: what policies with -P cut stages into">
            <span>{ "Task length" }</span>
            <input id="atr-slider" type="range" min="0" max={ATR_STEPS.to_string()} step="1"
                value={position.round().to_string()} {oninput} {onchange}
                {onpointerup} {onpointercancel} {onblur} aria-label="Task length"
                aria-valuetext={format!("{shown} seconds, {tasks}")} />
            <output for="atr-slider">{ format!("{shown} s, {tasks}") }</output>
        </label>
    }
}
