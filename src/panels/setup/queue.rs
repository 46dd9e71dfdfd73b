//! The editor of a user's queue: bursts, what each demands, and within which time.

use yew::prelude::*;

use crate::panels::editors::field::EditorFields;
use crate::store::DocumentAction;
use crate::ui::send::Handlers;
use fairlane::ids::UserId;
use fairlane::number;
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::scenario::{Cluster, Queue, QueueKind};
use fairlane::units::{MICROS_PER_SECOND, SlotTime};

/// The folded section with a user's queue; `index` is the user's.
pub fn queue_section(fields: &EditorFields, index: usize) -> Html {
    let scenario = &fields.document.scenario;
    let user = UserId(index as u32);
    let queue = &scenario.users()[index].queue;
    let body = match queue {
        Some(queue) => queue_fields(fields, user, queue),
        None => {
            let suggested = Queue::suggested(scenario, user);
            let add = fields.send.press(DocumentAction::Edit(Edit::queue(user, Some(&suggested))));
            html! {
                <>
                    <p class="hint">{ "A throughput queue without demand. SP, M-BVT and BoPF treat latency queues better." }</p>
                    <button type="button" class="small" id={format!("user-{index}-queue-add")}
                        onclick={add}>{ "Make it a queue with bursts" }</button>
                </>
            }
        }
    };
    let summary = match queue {
        Some(Queue { kind, .. }) => format!("Queue: {}", kind_name(*kind)),
        None => "Queue: none".to_owned(),
    };
    html! {
        <details class="queue-editor">
            <summary id={format!("user-{index}-queue")}>{ summary }</summary>
            { body }
        </details>
    }
}

fn kind_name(kind: QueueKind) -> &'static str {
    match kind {
        QueueKind::Latency => "latency",
        QueueKind::Throughput => "throughput",
    }
}

fn queue_fields(fields: &EditorFields, user: UserId, queue: &Queue) -> Html {
    let id = |key: &str| format!("user-{}-queue-{key}", user.0);
    let field = |key, name| fields.object_field(id(key), &ObjectPath::Queue(user), name);
    let remove = fields.send.press(DocumentAction::Edit(Edit::queue(user, None)));
    let cluster = fields.document.scenario.cluster();
    html! {
        <>
            { field("kind", "kind") }
            { field("joins", "joins_s") }
            { field("period", "period_s") }
            { field("within", "within_s") }
            { field("demand", "demand_core_s") }
            if cluster.memory_per_executor.is_some() || queue.memory_demand > 0 {
                { field("memory", "demand_mb_s") }
            }
            { field("warp", "warp_s") }
            <p class="hint" id={id("rate")}>{ rates(queue, cluster) }</p>
            <button type="button" class="small" id={id("remove")} onclick={remove}>{ "Remove the queue" }</button>
        </>
    }
}

/// What the demand means in cores.
fn rates(queue: &Queue, cluster: &Cluster) -> String {
    if queue.demand == SlotTime(0) {
        return "It states no demand.".to_owned();
    }
    let cores =
        |micros: u64| number::trimmed(queue.demand.seconds() / (micros as f64 / MICROS_PER_SECOND), 2);
    let (window, long) = (cores(queue.within.0), cores(queue.period.0));
    let of = number::counted(cluster.cores() as usize, "core");
    match queue.within == queue.period {
        true => format!("That is {long} of {of} all the time."),
        false => format!("That is {window} of {of} inside each window, and {long} in the long run."),
    }
}
