//! The editor of the cluster and of runtime partitioning.

use yew::prelude::*;

use super::EditorProps;
use super::field::{ChoiceField, Fields, reader};
use crate::shared::Shared;
use crate::store::{Action, Document};
use fairlane::scenario::edit::{ClusterEdit, Edit, ModelEdit, PartitioningEdit};
use fairlane::scenario::{FairTieBreak, MinPartitions, field};
use fairlane::units::Span;

fn cluster(edit: ClusterEdit) -> Edit {
    Edit::Cluster(edit)
}

#[component]
pub fn ClusterEditor(props: &EditorProps) -> Html {
    let spec = props.document.scenario.cluster();
    let partitioning = props.document.scenario.partitioning();
    let fields = Fields::new(&props.document, &props.send);
    let tie = props.send.reform(|word: String| {
        let rule = if word == "spark" { FairTieBreak::Spark } else { FairTieBreak::Submission };
        Action::Edit(cluster(ClusterEdit::FairTieBreak(rule)))
    });
    let least = props.send.reform(|word: String| {
        let least = if word == "one" { MinPartitions::One } else { MinPartitions::Default };
        Action::Edit(Edit::Partitioning(PartitioningEdit::MinPartitions(least)))
    });
    html! {
        <section class="editor" aria-label="Cluster">
            <h2>{ "Cluster" }</h2>
            { fields.field("executors", "Executors", "", "Number of machines.", spec.executors.to_string(),
                reader(field::count, |count| cluster(ClusterEdit::Executors(count)))) }
            { fields.field("cores", "Cores each", "", "Tasks that an executor runs at once.", spec.cores_per_executor.to_string(),
                reader(field::count, |count| cluster(ClusterEdit::CoresPerExecutor(count)))) }
            <Atr value={partitioning.advisory_task_runtime} document={props.document.clone()} send={props.send.clone()} />
            <details>
                <summary id="more-cluster">{ "More cluster settings" }</summary>
                { fields.field("overhead", "Task overhead", "s", "Time that each task holds its core beyond its work.", field::seconds(spec.task_overhead.0),
                    reader(field::span, |span| cluster(ClusterEdit::TaskOverhead(span)))) }
                { fields.field("delay", "Stage delay", "s", "From the end of a stage to the submission of the next.", field::seconds(spec.stage_delay.0),
                    reader(field::span, |span| cluster(ClusterEdit::StageDelay(span)))) }
                { fields.field("driver-job", "Driver, per job", "s", "The driver handles one event at a time. Time for the arrival of a job.", field::seconds(spec.driver.job.0),
                    reader(field::span, |span| cluster(ClusterEdit::DriverJob(span)))) }
                { fields.field("driver-stage", "Driver, per stage", "s", "Time for each stage that it submits.", field::seconds(spec.driver.stage.0),
                    reader(field::span, |span| cluster(ClusterEdit::DriverStage(span)))) }
                { fields.field("driver-task", "Driver, per task", "s", "Time for the end of a task.", field::seconds(spec.driver.task.0),
                    reader(field::span, |span| cluster(ClusterEdit::DriverTask(span)))) }
                <ChoiceField id="tie" label="Tie rule" help="How policies that count running tasks break ties. By name, 10 sorts before 2." pick={tie}
                    options={vec![("submission".into(), "stage number".into()), ("spark".into(), "name, as in Spark".into())]}
                    value={if spec.fair_tie_break == FairTieBreak::Spark { "spark" } else { "submission" }} />
                { fields.field("first-stage", "First stage id", "", "Affects ties by name: 9 and 10, 99 and 100.", spec.first_stage_id.to_string(),
                    reader(field::whole, |id| cluster(ClusterEdit::FirstStageId(id)))) }
                <ChoiceField id="least" label="Minimum tasks" help="Runtime partitioning cuts a stage into at least this many." pick={least}
                    options={vec![("default".into(), "the default".into()), ("one".into(), "one".into())]}
                    value={if partitioning.min_partitions == MinPartitions::One { "one" } else { "default" }} />
            </details>
            <details>
                <summary id="memory-and-locality">{ "Memory and locality" }</summary>
                { fields.empty_means("none").field("executor-memory", "Memory each", "MB", "Memory of an executor: a task needs a core and its stage's memory. Empty: memory is not modelled.",
                    spec.memory_per_executor.map(|memory| memory.to_string()).unwrap_or_default(),
                    fields.model_reader(field::optional_whole, ModelEdit::ExecutorMemory)) }
                { fields.field("core-move", "Core move", "s", "Time that a core spends to join a job other than the one that it served last (a new JVM: 2 to 3 s in Spark).",
                    field::seconds(spec.core_move.0), fields.model_reader(field::span, ModelEdit::CoreMove)) }
            </details>
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct AtrProps {
    value: Span,
    document: Shared<Document>,
    send: Callback<Action>,
}

/// The slider's ends, as powers of ten of seconds, and its steps in between.
const ATR_FROM: f64 = -2.0;
const ATR_TO: f64 = 2.0;
const ATR_STEPS: f64 = 200.0;

/// The advisory task runtime: a slider over four powers of ten, and a field for the exact figure.
#[component]
fn Atr(props: &AtrProps) -> Html {
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
            send.emit(Action::DragTo(Edit::Partitioning(PartitioningEdit::AdvisoryTaskRuntime(Span(
                micros,
            )))));
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
    let fields = Fields::new(&props.document, &props.send);
    html! {
        <>
            { fields.field("atr", "Advisory task runtime", "s", "Runtime partitioning (-P) cuts stages into tasks of about this length.", shown.clone(),
                reader(field::span, |span| Edit::Partitioning(PartitioningEdit::AdvisoryTaskRuntime(span)))) }
            <input id="atr-slider" type="range" min="0" max={ATR_STEPS.to_string()} step="1" value={position.round().to_string()} {oninput} {onchange}
                {onpointerup} {onpointercancel} {onblur} aria-label="Advisory task runtime" aria-valuetext={format!("{shown} seconds")} />
        </>
    }
}
