//! The editor of the chosen job: its facts, its performance curve, its stages, and the skew of their inputs as bars.

mod curve;
mod inflation;
mod pull;
mod skew;

use std::collections::BTreeSet;

use yew::prelude::*;

use super::field::{ChoiceField, EditorFields};
use crate::results::measurement::MeasuredMeans;
use crate::results::shared::Shared;
use crate::store::{Action, Document, DocumentAction, ViewAction};
use crate::ui::send::{Handlers, use_send};
use crate::workers::pool::Pool;
use curve::CurveEditor;
use fairlane::ids::JobId;
use fairlane::policy::PolicyId;
use fairlane::scenario::edit::{Edit, ObjectPath, Shift};
use fairlane::scenario::field::FieldError;
use fairlane::scenario::{PerformanceCurve, Stage, field};
use fairlane_view::arrival;
use fairlane_view::estimates::{self, EstimateSubject, read_by_any, read_by_ticked};
use inflation::inflation;
use skew::SkewBars;

#[derive(Clone, Properties, PartialEq)]
pub struct JobEditorProps {
    pub document: Shared<Document>,
    /// The chosen jobs; the editor shows a single one.
    pub chosen: Vec<JobId>,
    pub ticked: BTreeSet<PolicyId>,
    pub workers: Workers,
}

/// What measures jobs, and what it has measured of this version of the document.
#[derive(Clone, PartialEq)]
pub struct Workers {
    pub pool: Pool,
    pub revision: u32,
    pub means: MeasuredMeans,
}

#[component]
pub fn JobEditor(props: &JobEditorProps) -> Html {
    let send = use_send();
    let chosen: Vec<JobId> = props
        .chosen
        .iter()
        .copied()
        .filter(|job| job.index() < props.document.scenario.jobs().len())
        .collect();
    let all = {
        let edit = Action::Document(DocumentAction::Edit(Edit::PerfectEstimates));
        html! { <button type="button" id="perfect" onclick={send.press(edit)}
        title="Sets every estimate of every job to its true work">{ "Perfect estimates for all jobs" }</button> }
    };
    if chosen.is_empty() {
        return html! {
            <section class="editor">
                <p class="hint">{ "Drag a job's block sideways to move it in time, up or down to give it to another user. " }
                    <span class="by-mouse">{ "Press with Shift to choose several." }</span>
                    <span class="touch">{ "Switch on View, choose several jobs, to choose more than one." }</span></p>
                { all }
            </section>
        };
    }
    let several = chosen.len() > 1;
    let copy = Edit::Duplicate { jobs: chosen.clone(), by: Shift(DUPLICATE_SHIFT) };
    html! {
        <section class="editor" aria-label="Chosen job">
            <div class="buttons">
                <button type="button" id="duplicate" onclick={send.press(DocumentAction::Edit(copy))}>{ "Duplicate" }</button>
                <button type="button" id="delete"
                    onclick={send.press(DocumentAction::Edit(Edit::Delete { jobs: chosen.clone() }))}>{ "Delete" }</button>
                <button type="button" onclick={send.press(ViewAction::ChooseNone)}>{ "Clear selection" }</button>
            </div>
            if several {
                <p class="hint">{ "Drag one of them to move them together; choose a single one to edit it." }</p>
            } else {
                { one_job(props, chosen[0], &send) }
            }
            { all }
        </section>
    }
}

/// How much later copies arrive than their originals, in microseconds.
const DUPLICATE_SHIFT: i64 = 500_000;

fn one_job(props: &JobEditorProps, job: JobId, send: &Callback<Action>) -> Html {
    let scenario = &props.document.scenario;
    let spec = &scenario.jobs()[job.index()];
    let of = ObjectPath::Job(job);
    let users = scenario.users().iter();
    let pick = send.reform(move |name: String| {
        Action::Document(DocumentAction::Edit(Edit::set(ObjectPath::Job(job), "user", name)))
    });
    let add = send.press(DocumentAction::Edit(Edit::AddStage(job)));
    let fields = EditorFields { document: &props.document, send };
    html! {
        <>
            { fields.object_field("job-name", &of, "name") }
            { fields.object_field("job-group", &of, "group") }
            <ChoiceField id="job-user" label="User" help="Who submits it." {pick}
                value={scenario.users()[spec.user.index()].name.clone()}
                options={users.map(|user| (user.name.clone().into(), user.name.clone().into())).collect::<Vec<_>>()} />
            { fields.object_field("job-arrival", &of, "arrival_s") }
            { fields.with_help("job-estimate", &of, "estimate_s", &readers_text(props, EstimateSubject::Job)) }
            { readers(props, EstimateSubject::Job) }
            <p class="hint">{ format!("True work: {} core-seconds.", field::seconds(spec.work().0)) }</p>
            { deadline_section(&fields, job) }
            { arrival_section(&fields, job) }
            { cancellation_section(&fields, job) }
            { curve_section(props, job) }
            { for spec.stages.iter().enumerate().map(|(index, stage)| html! {
                <details key={index} class="stage-editor"
                    open={true}>{ one_stage(props, &fields, job, index as u32, stage, spec.stages.len() == 1) }</details>
            }) }
            <button type="button" id="add-stage" onclick={add}>{ "Add a stage" }</button>
        </>
    }
}

/// The folded section with what a job is due by and what warm cores are worth to it.
fn deadline_section(fields: &EditorFields, job: JobId) -> Html {
    let spec = &fields.document.scenario.jobs()[job.index()];
    let deadline = spec.deadline.map(|deadline| field::seconds(deadline.0));
    let summary = match &deadline {
        Some(seconds) => format!("Deadline: {seconds} s; warm cores"),
        None => "Deadline and warm cores".to_owned(),
    };
    let of = ObjectPath::Job(job);
    html! {
        <details class="model-editor">
            <summary id="job-deadline-section">{ summary }</summary>
            { fields.object_field("job-deadline", &of, "deadline_s") }
            { fields.object_field("job-warm", &of, "warm_factor") }
        </details>
    }
}

/// The folded section with the job that it waits for: in a session, or as a micro-batch of a stream.
fn arrival_section(fields: &EditorFields, job: JobId) -> Html {
    let scenario = &fields.document.scenario;
    let before = scenario.jobs()[job.index()].after;
    let summary = match before {
        Some(before) if before.batch => format!("Micro-batch after {}", scenario.job_label(before.job)),
        Some(before) => format!("Waits for {}", scenario.job_label(before.job)),
        None => "Sessions and micro-batches".to_owned(),
    };
    let document = fields.document.clone();
    let read = move |text: &str| {
        let before = match text.trim() {
            "" => None,
            text => Some(JobId(u32::try_from(field::whole(text)?).unwrap_or(u32::MAX))),
        };
        Ok::<_, FieldError>(Edit::wait_for(&document.scenario, job, before))
    };
    let help = format!(
        "Number of the job whose end its user waits for, unless sessions are open; this one is {}. Empty: none.",
        job.0
    );
    let value = before.map_or_else(String::new, |before| before.job.0.to_string());
    let of = ObjectPath::Predecessor(job);
    html! {
        <details class="model-editor">
            <summary id="job-after-section">{ summary }</summary>
            { fields.typed("job-after", "Waits for job", "", help, value, Some("none"), read) }
            if before.is_some() {
                { fields.object_field("job-think", &of, "think_s") }
                { fields.object_field("job-batch", &of, "batch") }
                <p class="hint">{ arrival::sentence(scenario, job) }</p>
            }
        </details>
    }
}

/// The folded section with when a job is cancelled.
fn cancellation_section(fields: &EditorFields, job: JobId) -> Html {
    let cancel = fields.document.scenario.jobs()[job.index()].cancel;
    let summary = match cancel {
        Some(after) => format!("Cancelled after {} s", field::seconds(after.0)),
        None => "Cancellation".to_owned(),
    };
    let of = ObjectPath::Job(job);
    let toggle = fields.send.press(DocumentAction::ToggleCancellation(job));
    html! {
        <details class="model-editor">
            <summary id="job-cancel-section">{ summary }</summary>
            { fields.object_field("job-cancel", &of, "cancel_s") }
            { fields.object_field("job-interrupt", &of, "interrupt") }
            <button type="button" class="small" id="job-cancel-now" onclick={toggle}>{ "Cancel at the playhead" }</button>
        </details>
    }
}

/// The folded section with the performance curve.
fn curve_section(props: &JobEditorProps, job: JobId) -> Html {
    let form = match props.document.scenario.jobs()[job.index()].curve {
        None => "none",
        Some(PerformanceCurve::Points(_)) => "points",
        Some(PerformanceCurve::Ernest(_)) => "Ernest",
    };
    html! {
        <details class="model-editor">
            <summary id="job-curve-section">{ format!("Performance curve: {form}") }</summary>
            <CurveEditor key={job.0} document={props.document.clone()} {job} workers={props.workers.clone()} />
        </details>
    }
}

/// The folded section with what a stage's tasks cost where they run.
fn memory_section(fields: &EditorFields, job: JobId, index: u32, stage: &Stage) -> Html {
    let of = ObjectPath::Stage(job, index);
    let id = |key: &str| format!("stage-{index}-{key}");
    let modelled = fields.document.scenario.cluster().memory_per_executor.is_some();
    html! {
        <details class="model-editor">
            <summary id={id("memory-section")}>{ "Memory and locality" }</summary>
            { fields.object_field(id("memory"), &of, "memory_mb") }
            if !modelled {
                <p class="hint">{ "It counts once executors have memory: Cluster, Memory and locality." }</p>
            }
            { fields.object_field(id("first-wave"), &of, "first_wave") }
            { inflation(fields, job, index, stage) }
        </details>
    }
}

/// Which policies read an estimate.
fn readers(props: &JobEditorProps, of: EstimateSubject) -> Html {
    html! { <p class="hint readers" title={read_by_any(of)}>{ read_by_ticked(of, props.ticked.iter().copied()) }</p> }
}

/// What an estimate's field says besides while it has the focus: it lies over the sentence below it, which is why it
/// repeats that.
fn readers_text(props: &JobEditorProps, of: EstimateSubject) -> String {
    read_by_ticked(of, props.ticked.iter().copied())
}

/// A stage's fields; `last` if the job has no other stage.
fn one_stage(
    props: &JobEditorProps,
    fields: &EditorFields,
    job: JobId,
    index: u32,
    stage: &Stage,
    last: bool,
) -> Html {
    let of = ObjectPath::Stage(job, index);
    // With the number by which other stages wait for it.
    let name = if stage.name.is_empty() {
        format!("stage {index}")
    } else {
        format!("stage {index}, {}", stage.name)
    };
    let field = |id: &str, name| fields.object_field(format!("stage-{index}-{id}"), &of, name);
    let slices = move |text: &str| field::count(text).map(|count| Edit::Slices(job, index, count));
    let remove = fields.send.press(DocumentAction::Edit(Edit::RemoveStage(job, index)));
    let summary =
        format!("{name}: {} core-s in {} tasks", field::seconds(stage.input.work().0), stage.partitions);
    html! {
        <>
            <summary>{ summary }</summary>
            <SkewBars {job} {index} weights={stage.input.weights()} partitions={stage.partitions} />
            { field("work", "work_s") }
            { field("partitions", "partitions") }
            { fields.typed(format!("stage-{index}-slices"), "Slices", "", "Number of bars above.",
                stage.input.slices().to_string(), None, slices) }
            { fields.with_help(format!("stage-{index}-estimate"), &of,
                "estimate_s", &readers_text(props, EstimateSubject::Stage)) }
            { readers(props, EstimateSubject::Stage) }
            { field("parents", "parents") }
            { field("name", "name") }
            { field("splittable", "splittable") }
            { field("barrier", "barrier") }
            { field("stage-pool", "pool") }
            if let Some(words) = estimates::unsplit(stage, props.ticked.iter().copied()) {
                <p class="hint readers unsplit">{ words }</p>
            }
            { memory_section(fields, job, index, stage) }
            <button type="button" class="small" onclick={remove} disabled={last}>{ "Remove this stage" }</button>
        </>
    }
}
