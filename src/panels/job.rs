//! The editor of the chosen job: its facts, its performance curve, its stages, and the skew of their inputs as bars.

mod curve;
mod inflation;
mod pull;
mod skew;

use std::collections::BTreeSet;

use yew::prelude::*;

use super::field::{ChoiceField, Fields, Read, help_id, reader, row};
use crate::measurement::Means;
use crate::pool::Pool;
use crate::selectors;
use crate::shared::Shared;
use crate::store::{Action, Document};
use curve::CurveEditor;
use fairlane::ids::{JobId, UserId};
use fairlane::policy::PolicyId;
use fairlane::scenario::edit::{
    Edit, Estimate, JobEdit, JobModelEdit, ModelEdit, Shift, StageEdit, StageModelEdit,
};
use fairlane::scenario::{PerformanceCurve, Stage, field};
use fairlane::units::SlotTime;
use fairlane_view::estimates::{self, EstimateOf, read_by_any, read_by_ticked};
use inflation::inflation;
use skew::SkewBars;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub document: Shared<Document>,
    /// The chosen jobs; the editor shows a single one.
    pub chosen: Vec<JobId>,
    pub ticked: BTreeSet<PolicyId>,
    pub workers: Workers,
    pub send: Callback<Action>,
}

/// What measures jobs, and what it has measured of this version of the document.
#[derive(Clone, PartialEq)]
pub struct Workers {
    pub pool: Pool,
    pub revision: u32,
    pub means: Means,
}

#[component]
pub fn JobEditor(props: &Props) -> Html {
    let chosen: Vec<JobId> = props
        .chosen
        .iter()
        .copied()
        .filter(|job| job.index() < props.document.scenario.jobs().len())
        .collect();
    let act = |action: Action| props.send.reform(move |_: MouseEvent| action.clone());
    let all = {
        let edit = Action::Edit(Edit::PerfectEstimates);
        html! { <button type="button" id="perfect" onclick={act(edit)} title="Sets every estimate of every job to its true work">{ "Perfect estimates for all jobs" }</button> }
    };
    if chosen.is_empty() {
        return html! {
            <section class="editor">
                <p class="hint">{ "Choose a job: press its block in the lanes. Drag it sideways to move it in time, up or down to give it to another user. Press with Shift to choose several." }</p>
                { all }
            </section>
        };
    }
    let several = chosen.len() > 1;
    let copy = Edit::Duplicate { jobs: chosen.clone(), by: Shift(DUPLICATE_SHIFT) };
    html! {
        <section class="editor" aria-label="Chosen job">
            <div class="buttons">
                <button type="button" id="duplicate" onclick={act(Action::Edit(copy))}>{ "Duplicate" }</button>
                <button type="button" id="delete" onclick={act(Action::Edit(Edit::Delete { jobs: chosen.clone() }))}>{ "Delete" }</button>
                <button type="button" onclick={act(Action::ChooseNone)}>{ "Clear selection" }</button>
            </div>
            if several {
                <p class="hint">{ format!("{} jobs are chosen. Drag one of them to move them together; choose a single one to edit it.", chosen.len()) }</p>
            } else {
                { one_job(props, chosen[0]) }
            }
            { all }
        </section>
    }
}

/// How much later copies arrive than their originals, in microseconds.
const DUPLICATE_SHIFT: i64 = 500_000;

fn one_job(props: &Props, job: JobId) -> Html {
    let scenario = &props.document.scenario;
    let spec = &scenario.jobs()[job.index()];
    let about = move |edit: JobEdit| Edit::Job(job, edit);
    let users = scenario.users().iter().enumerate();
    let pick = props
        .send
        .reform(move |word: String| Action::Edit(about(JobEdit::User(UserId(word.parse().unwrap_or(0))))));
    let add = props.send.reform(move |_: MouseEvent| Action::Edit(Edit::AddStage(job)));
    let fields = Fields::new(&props.document, &props.send);
    let hue = selectors::user_hue(spec.user);
    html! {
        <>
            <h2>{ "Job " }<em class={classes!("name", format!("hue-{hue}"))}>{ scenario.job_label(job) }</em></h2>
            { fields.field("job-name", "Name", "", "Shown in the lanes and tables.", spec.name.clone(), reader(|name: &str| Ok::<_, String>(name.trim().to_owned()), move |name| about(JobEdit::Name(name)))) }
            { fields.field("job-group", "Group", "", "Jobs of one user with the same group can be measured as one (fairlane compare --by group). Empty: none.", spec.group.clone(), reader(|group: &str| Ok::<_, String>(group.trim().to_owned()), move |group| about(JobEdit::Group(group)))) }
            <ChoiceField id="job-user" label="User" help="Who submits it." {pick} value={spec.user.0.to_string()}
                options={users.map(|(index, user)| (index.to_string().into(), user.name.clone().into())).collect::<Vec<_>>()} />
            { fields.field("job-arrival", "Arrival", "s", "When it is submitted.", field::seconds(spec.arrival.0), reader(field::instant, move |time| about(JobEdit::Arrival(time)))) }
            { fields.field("job-estimate", "Estimate", "core-s", help_of_estimate("The work that policies assume for the whole job. Empty: the true work.", props, EstimateOf::Job), field::seconds(spec.estimate.0), estimate_reader(move |estimate| about(JobEdit::Estimate(estimate)))) }
            { readers(props, EstimateOf::Job) }
            <p class="hint">{ format!("True work: {} core-seconds.", field::seconds(spec.work().0)) }</p>
            { deadline_section(&fields, job) }
            { curve_section(props, job) }
            { for spec.stages.iter().enumerate().map(|(index, stage)| html! {
                <details key={index} class="stage-editor" open={true}>{ one_stage(props, job, index as u32, stage, spec.stages.len() == 1) }</details>
            }) }
            <button type="button" id="add-stage" onclick={add}>{ "Add a stage" }</button>
        </>
    }
}

/// The folded section with what a job is due by and what warm cores are worth to it.
fn deadline_section(fields: &Fields, job: JobId) -> Html {
    let spec = &fields.document.scenario.jobs()[job.index()];
    let deadline = spec.deadline.map(|deadline| field::seconds(deadline.0));
    let summary = match &deadline {
        Some(seconds) => format!("Deadline: {seconds} s; warm cores"),
        None => "Deadline and warm cores".to_owned(),
    };
    let about = move |edit: JobModelEdit| ModelEdit::Job(job, edit);
    html! {
        <details class="model-editor">
            <summary id="job-deadline-section">{ summary }</summary>
            { fields.empty_means("factor").field("job-deadline", "Deadline", "s", "How long after its arrival it is due. Empty: the deadline factor times its response alone.", deadline.unwrap_or_default(),
                fields.model_reader(field::optional_span, move |span| about(JobModelEdit::Deadline(span)))) }
            { fields.field("job-warm", "Warm factor", "×", "How many times as fast a task is on a core whose last task was of this job; at least 1.", spec.warm_factor.to_string(),
                fields.model_reader(field::number, move |factor| about(JobModelEdit::WarmFactor(factor)))) }
        </details>
    }
}

/// The folded section with the performance curve.
fn curve_section(props: &Props, job: JobId) -> Html {
    let form = match props.document.scenario.jobs()[job.index()].curve {
        None => "none",
        Some(PerformanceCurve::Points(_)) => "points",
        Some(PerformanceCurve::Ernest(_)) => "Ernest",
    };
    html! {
        <details class="model-editor">
            <summary id="job-curve-section">{ format!("Performance curve: {form}") }</summary>
            <CurveEditor key={job.0} document={props.document.clone()} {job} workers={props.workers.clone()} send={props.send.clone()} />
        </details>
    }
}

/// The folded section with what a stage's tasks cost where they run.
fn memory_section(fields: &Fields, job: JobId, index: u32, stage: &Stage) -> Html {
    let about = move |edit: StageModelEdit| ModelEdit::Stage(job, index, edit);
    let id = |key: &str| format!("stage-{index}-{key}");
    let modelled = fields.document.scenario.cluster().memory_per_executor.is_some();
    html! {
        <details class="model-editor">
            <summary id={id("memory-section")}>{ "Memory and locality" }</summary>
            { fields.field(id("memory"), "Memory", "MB", "Memory that each task holds with its core.", stage.memory.to_string(),
                fields.model_reader(field::whole, move |memory| about(StageModelEdit::Memory(memory)))) }
            if !modelled {
                <p class="hint">{ "It counts once executors have memory: Cluster, Memory and locality." }</p>
            }
            { fields.field(id("first-wave"), "First wave", "×", "How many times as long a task takes on a core whose last task was not of this stage.", stage.first_wave.to_string(),
                fields.model_reader(field::number, move |factor| about(StageModelEdit::FirstWave(factor)))) }
            { inflation(fields, job, index, stage) }
        </details>
    }
}

/// Which policies read an estimate.
fn readers(props: &Props, of: EstimateOf) -> Html {
    html! { <p class="hint readers" title={read_by_any(of)}>{ read_by_ticked(of, props.ticked.iter().copied()) }</p> }
}

/// What an estimate's field says while it has the focus: it lies over the sentence below it, which is why it repeats that.
fn help_of_estimate(help: &str, props: &Props, of: EstimateOf) -> String {
    format!("{help} {}", read_by_ticked(of, props.ticked.iter().copied()))
}

/// Reads an estimate; an empty text means the true work.
fn estimate_reader(edit: impl Fn(Estimate) -> Edit + 'static) -> Read {
    let parse = |text: &str| match text.trim() {
        "" => Ok(Estimate::Perfect),
        text => field::work(text).map(Estimate::Of),
    };
    reader(parse, edit)
}

/// A stage's fields; `last` if the job has no other stage.
fn one_stage(props: &Props, job: JobId, index: u32, stage: &Stage, last: bool) -> Html {
    let about = move |edit: StageEdit| Edit::Stage(job, index, edit);
    // With the number by which other stages wait for it.
    let name = if stage.name.is_empty() {
        format!("stage {index}")
    } else {
        format!("stage {index}, {}", stage.name)
    };
    let fields = Fields::new(&props.document, &props.send);
    let field = |id: &str, label, unit, help: &str, value, read| {
        fields.field(format!("stage-{index}-{id}"), label, unit, help.to_owned(), value, read)
    };
    let parents: Vec<String> = stage.parents.iter().map(u32::to_string).collect();
    let remove = props.send.reform(move |_: MouseEvent| Action::Edit(Edit::RemoveStage(job, index)));
    let (splittable, on) = (format!("stage-{index}-splittable"), stage.splittable);
    let onchange = props.send.reform(move |_: Event| Action::Edit(about(StageEdit::Splittable(!on))));
    let switch = html! {
        <input id={splittable.clone()} type="checkbox" checked={on} {onchange} aria-describedby={help_id(&splittable)} />
    };
    let summary =
        format!("{name}: {} core-s in {} tasks", field::seconds(stage.input.work().0), stage.partitions);
    html! {
        <>
            <summary>{ summary }</summary>
            <SkewBars {job} {index} weights={stage.input.weights()} partitions={stage.partitions} send={props.send.clone()} />
            { field("work", "Work", "core-s", "Time that it takes on a single core.", field::seconds(stage.input.work().0), reader(field::work, move |work: SlotTime| about(StageEdit::Work(work)))) }
            { field("partitions", "Tasks", "", "Default number of partitions.", stage.partitions.to_string(), reader(field::count, move |count| about(StageEdit::Partitions(count)))) }
            { field("slices", "Slices", "", "Number of bars above.", stage.input.slices().to_string(), reader(field::count, move |count| about(StageEdit::Slices(count)))) }
            { field("estimate", "Estimate", "core-s", &help_of_estimate("The work that policies and runtime partitioning assume for the stage. Empty: the true work.", props, EstimateOf::Stage), field::seconds(stage.estimate.0), estimate_reader(move |estimate| about(StageEdit::Estimate(estimate)))) }
            { readers(props, EstimateOf::Stage) }
            { field("parents", "Waits for", "", "Numbers of the stages that must finish first, such as 0, 1.", parents.join(", "), reader(field::stages, move |parents| about(StageEdit::Parents(parents)))) }
            { field("name", "Name", "", "Shown in tooltips.", stage.name.clone(), reader(|name: &str| Ok::<_, String>(name.trim().to_owned()), move |name| about(StageEdit::Name(name)))) }
            { row(&splittable, "Splittable", "", "Runtime partitioning may split it.", None, switch) }
            if let Some(words) = estimates::unsplit(stage, props.ticked.iter().copied()) {
                <p class="hint readers unsplit">{ words }</p>
            }
            { memory_section(&fields, job, index, stage) }
            <button type="button" class="small" onclick={remove} disabled={last}>{ "Remove this stage" }</button>
        </>
    }
}
