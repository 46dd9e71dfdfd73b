//! The editor of the cluster and of runtime partitioning.

use yew::prelude::*;

use super::places::places;
use crate::panels::EditorProps;
use crate::panels::editors::field::EditorFields;
use crate::store::DocumentAction;
use crate::ui::send::{Handlers, use_send};
use fairlane::number;
use fairlane::scenario::edit::{Edit, ObjectPath};

#[component]
pub fn ClusterEditor(props: &EditorProps) -> Html {
    let send = use_send();
    let fields = EditorFields { document: &props.document, send: &send };
    let cluster = props.document.scenario.cluster();
    let field = |id: &'static str, name| fields.object_field(id, &ObjectPath::Cluster, name);
    html! {
        <section class="editor" aria-label="Cluster">
            { fields.object_field("atr", &ObjectPath::Partitioning, "advisory_task_runtime_s") }
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
                { field("belong", "executors_belong") }
            </details>
            { elastic(&fields) }
            { places(&fields) }
        </section>
    }
}

/// Executors that come and go: as recorded, or by dynamic allocation with its parameters.
fn elastic(fields: &EditorFields) -> Html {
    let cluster = fields.document.scenario.cluster();
    let set = |name: &'static str, value: serde_json::Value| Edit::set(ObjectPath::Cluster, name, value);
    let button = |id: &'static str, words: &'static str, edit: Edit| {
        let onclick = fields.send.press(DocumentAction::Edit(edit));
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
                if fields.document.log.is_some() {
                    <p class="hint">{ "With the log's own parameters: Executors, under Imported log." }</p>
                }
            }
        </details>
    }
}
