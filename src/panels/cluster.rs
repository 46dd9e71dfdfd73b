//! The editor of the cluster and of runtime partitioning.

use yew::prelude::*;

use super::EditorProps;
use super::field::EditorFields;
use crate::store::Action;
use fairlane::number;
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::scenario::field;
use fairlane::units::Span;

#[component]
pub fn ClusterEditor(props: &EditorProps) -> Html {
    let fields = EditorFields { document: &props.document, send: &props.send };
    let cluster = props.document.scenario.cluster();
    let field = |id: &'static str, name| fields.object_field(id, &ObjectPath::Cluster, name);
    html! {
        <section class="editor" aria-label="Cluster">
            { fields.object_field("atr", &ObjectPath::Partitioning, "advisory_task_runtime_s") }
            <AtrSlider value={props.document.scenario.partitioning().advisory_task_runtime} send={props.send.clone()} />
            <details>
                <summary id="more-cluster">{ format!("Cluster ({} × {} cores)", cluster.executors,
                    cluster.cores_per_executor) }</summary>
                { field("executors", "executors") }
                { field("cores", "cores_per_executor") }
                { field("overhead", "task_overhead_s") }
                { field("delay", "stage_delay_s") }
                { field("driver-job", "driver_job_s") }
                { field("driver-stage", "driver_stage_s") }
                { field("driver-task", "driver_task_s") }
                { field("tie", "fair_tie_break") }
                { field("first-stage", "first_stage_id") }
                { fields.object_field("least", &ObjectPath::Partitioning, "min_partitions") }
            </details>
            <details>
                <summary id="memory-and-locality">{ "Memory and locality" }</summary>
                { field("executor-memory", "memory_mb_per_executor") }
                { field("core-move", "core_move_s") }
            </details>
            { elastic(props, &fields) }
        </section>
    }
}

/// Executors that come and go: as recorded, or by dynamic allocation with its parameters.
fn elastic(props: &EditorProps, fields: &EditorFields) -> Html {
    let cluster = props.document.scenario.cluster();
    let set = |name: &'static str, value: serde_json::Value| Edit::set(ObjectPath::Cluster, name, value);
    let button = |id: &'static str, words: &'static str, edit: Edit| {
        let onclick = props.send.reform(move |_: MouseEvent| Action::Edit(edit.clone()));
        html! { <button type="button" class="small" {id} {onclick}>{ words }</button> }
    };
    let dynamic = Edit::several(
        "add dynamic allocation",
        vec![set("executors_at", serde_json::Value::Null), set("dynamic_allocation", serde_json::json!({}))],
    );
    let allocation = |id: &'static str, name| fields.object_field(id, &ObjectPath::DynamicAllocation, name);
    html! {
        <details>
            <summary id="dynamic-allocation">{ "Executors that come and go" }</summary>
            if cluster.dynamic_allocation.is_some() {
                { allocation("dynamic-min", "min") }
                { allocation("dynamic-max", "max") }
                { allocation("dynamic-initial", "initial") }
                { allocation("dynamic-backlog", "backlog_s") }
                { allocation("dynamic-sustained", "sustained_s") }
                { allocation("dynamic-idle", "idle_s") }
                { allocation("dynamic-start", "start_s") }
                { button("dynamic-remove", "All executors, always",
                    set("dynamic_allocation", serde_json::Value::Null)) }
            } else {
                if !cluster.executors_at.is_empty() {
                    <p class="hint">{ format!("As given or recorded: {} in their number.",
                        number::counted(cluster.executors_at.len(), "change")) }</p>
                    { button("executors-always", "All executors, always",
                        set("executors_at", serde_json::Value::Null)) }
                }
                { button("dynamic-add", "Dynamic allocation", dynamic) }
            }
        </details>
    }
}

#[derive(Properties, PartialEq)]
struct AtrProps {
    value: Span,
    send: Callback<Action>,
}

/// The slider's ends, as powers of ten of seconds, and its steps in between.
const ATR_FROM: f64 = -2.0;
const ATR_TO: f64 = 2.0;
const ATR_STEPS: f64 = 200.0;

/// The advisory task runtime as a slider over four powers of ten.
#[component]
fn AtrSlider(props: &AtrProps) -> Html {
    let position =
        ((props.value.seconds().log10() - ATR_FROM) / (ATR_TO - ATR_FROM) * ATR_STEPS).clamp(0.0, ATR_STEPS);
    let held = use_mut_ref(|| false);
    let oninput = {
        let (send, held) = (props.send.clone(), held.clone());
        Callback::from(move |event: InputEvent| {
            let Some(input) = event.target_dyn_into::<web_sys::HtmlInputElement>() else { return };
            let exact = 10_f64.powf(ATR_FROM + input.value_as_number() / ATR_STEPS * (ATR_TO - ATR_FROM));
            // Two digits are enough for a figure that is dragged.
            let unit = 10_f64.powf(exact.log10().floor() - 1.0);
            let micros = ((exact / unit).round() * unit * 1e6).round() as u64;
            if !held.replace(true) {
                send.emit(Action::DragStart);
            }
            send.emit(Action::DragTo(Edit::advisory_task_runtime(Span(micros))));
        })
    };
    let end = {
        let send = props.send.clone();
        Callback::from(move |()| {
            if held.replace(false) {
                send.emit(Action::DragCommit);
            }
        })
    };
    // Dragged away and back, the slider has not changed; its release ends the gesture all the same.
    let onchange = end.reform(|_: Event| ());
    let onpointerup = end.reform(|_: PointerEvent| ());
    let onpointercancel = end.reform(|_: PointerEvent| ());
    let onblur = end.reform(|_: FocusEvent| ());
    let shown = field::seconds(props.value.0);
    html! {
        <input id="atr-slider" type="range" min="0" max={ATR_STEPS.to_string()} step="1"
            value={position.round().to_string()} {oninput} {onchange}
            {onpointerup} {onpointercancel} {onblur} aria-label="Advisory task runtime"
            aria-valuetext={format!("{shown} seconds")} />
    }
}
