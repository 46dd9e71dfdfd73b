//! The editor of a user's queue: bursts, what each demands, and within which time.

use yew::prelude::*;

use super::EditorProps;
use super::field::{ChoiceField, Fields};
use fairlane::ids::UserId;
use fairlane::number;
use fairlane::scenario::edit::{ModelEdit, QueueEdit};
use fairlane::scenario::{Cluster, Queue, QueueKind, field};
use fairlane::units::{MICROS_PER_SECOND, SlotTime};

/// The folded section with a user's queue; `index` is the user's.
pub fn queue_section(props: &EditorProps, index: usize) -> Html {
    let scenario = &props.document.scenario;
    let user = UserId(index as u32);
    let queue = &scenario.users()[index].queue;
    let fields = Fields::new(&props.document, &props.send);
    let body = match queue {
        Some(queue) => queue_fields(&fields, user, queue),
        None => {
            let suggested = Queue::suggested(scenario, user);
            let add = fields.model_edit(move |_: MouseEvent| ModelEdit::Queue(user, Some(suggested.clone())));
            html! {
                <>
                    <p class="hint">{ "A throughput queue without demand. SP, M-BVT and BoPF treat latency queues better." }</p>
                    <button type="button" class="small" id={format!("user-{index}-queue-add")} onclick={add}>{ "Make it a queue with bursts" }</button>
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

fn queue_fields(fields: &Fields, user: UserId, queue: &Queue) -> Html {
    let edit = move |edit: QueueEdit| ModelEdit::QueueField(user, edit);
    let id = |key: &str| format!("user-{}-queue-{key}", user.0);
    let pick = fields.model_edit(move |word: String| {
        edit(QueueEdit::Kind(if word == "latency" { QueueKind::Latency } else { QueueKind::Throughput }))
    });
    let remove = fields.model_edit(move |_: MouseEvent| ModelEdit::Queue(user, None));
    let options = [QueueKind::Latency, QueueKind::Throughput]
        .map(|kind| (kind_name(kind).into(), kind_name(kind).into()));
    let cluster = fields.document.scenario.cluster();
    html! {
        <>
            <ChoiceField id={id("kind")} label="Kind" help="A latency queue wants its bursts to end soon, a throughput queue much work done in the long run." {pick}
                options={options.to_vec()} value={kind_name(queue.kind)} />
            { fields.field(id("joins"), "First burst", "s", "When its first burst begins.", field::seconds(queue.joins.0),
                fields.model_reader(field::instant, move |time| edit(QueueEdit::Joins(time)))) }
            { fields.field(id("period"), "Period", "s", "From the begin of one burst to the next.", field::seconds(queue.period.0),
                fields.model_reader(field::span, move |span| edit(QueueEdit::Period(span)))) }
            { fields.field(id("within"), "Window", "s", "A burst is owed its demand within this long; at most the period.", field::seconds(queue.within.0),
                fields.model_reader(field::span, move |span| edit(QueueEdit::Within(span)))) }
            { fields.field(id("demand"), "Demand", "core-s", "Work that each burst says it needs.", field::seconds(queue.demand.0),
                fields.model_reader(field::work, move |work| edit(QueueEdit::Demand(work)))) }
            if cluster.memory_per_executor.is_some() || queue.memory_demand > 0 {
                { fields.field(id("memory"), "Memory", "MB-s", "Memory that each burst says it needs, times how long.", field::seconds(queue.memory_demand),
                    fields.model_reader(field::work, move |SlotTime(demand)| edit(QueueEdit::MemoryDemand(demand)))) }
            }
            { fields.field(id("warp"), "Warp", "s", "M-BVT sets the queue's virtual time back by this much inside a window.", field::seconds(queue.warp.0),
                fields.model_reader(field::span, move |span| edit(QueueEdit::Warp(span)))) }
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
