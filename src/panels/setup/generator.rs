//! The workload generator: a form, a summary of the workload, and a button that opens it.

use std::rc::Rc;

use yew::prelude::*;

use crate::panels::EditorProps;
use crate::panels::editors::field::{help_id, input_text, row, select, toggling};
use crate::panels::setup::workload_form::{
    ARRIVALS, CORES, DURATION, ESTIMATES, EXECUTORS, FormError, JOBS, KindChoice, LOAD, SEED, SIZES, SKEW,
    Text, USERS, WORKLOAD, WorkloadForm, parameter_id,
};
use crate::results::shared::Shared;
use crate::store::{Action, Document, DocumentAction};
use crate::ui::send::{Handlers, use_send};
use fairlane::number;
use fairlane::scenario::PartitionMode;
use fairlane::scenario::generate::Paper;
use fairlane::scenario::generate::preset::PresetParameter;

#[component]
pub fn GeneratorPanel(props: &EditorProps) -> Html {
    let send = use_send();
    let open = use_state(|| false);
    let form = use_state_eq(WorkloadForm::default);
    // Only while the form is open, as every change generates the workload again.
    let result = use_memo((open.then(|| (*form).clone()), props.document.clone()), |(form, document)| {
        form.as_ref().map(|form| form.document(&document.scenario).map(Shared::new))
    });
    let onchange = {
        let form = form.clone();
        Callback::from(move |event: Event| {
            let id = event.target_dyn_into::<web_sys::Element>().map(|field| field.id()).unwrap_or_default();
            let text = input_text(&event).unwrap_or_default();
            form.set(if id == WORKLOAD { form.with_workload(&text) } else { form.changed(id, text) });
        })
    };
    let oninput = onchange.reform(|event: InputEvent| event.into());
    let fault = result.as_ref().as_ref().and_then(|result| result.as_ref().err());
    let fault_of = |id: &str| fault.filter(|(at, _)| *at == id).map(|(_, message)| message.as_str());
    let input = |id: &str, value: &str, empty: &'static str| {
        html! {
            <input id={id.to_owned()} type="text" inputmode="decimal" autocomplete="off" value={value.to_owned()} placeholder={empty}
                aria-describedby={help_id(id)} aria-invalid={fault_of(id).is_some().to_string()} />
        }
    };
    let text = |text: &'static Text, help: &str| {
        row(
            text.id,
            text.label,
            text.unit,
            help,
            fault_of(text.id),
            input(text.id, form.typed(text), text.empty),
        )
    };
    let parameter = |parameter: &PresetParameter| {
        let id = parameter_id(parameter);
        let input = input(&id, &form.parameter(parameter), "");
        row(&id, parameter.label, parameter.unit, parameter.help, fault_of(&id), input)
    };
    let choice = |choice: &'static KindChoice, help: &str| {
        let (id, figure, kind) = (choice.id, choice.figure, form.kind(choice));
        let [label, unit, _] = kind.2;
        let options = choice.kinds.iter().map(|kind| (kind.word(), kind.1));
        html! {
            <>
                { row(id, choice.label, "", help, None,
                    select(id, kind.word(), options, Some(help_id(id)), Callback::noop())) }
                if kind.asks() {
                    <div class="figure">{ row(figure, label, unit, label, fault_of(figure),
                        input(figure, form.figure(choice), "")) }</div>
                }
            </>
        }
    };
    let ready = matches!(result.as_ref(), Some(Ok(_)));
    let own = ("", "users of your own");
    let workloads = std::iter::once(own).chain(Paper::ALL.map(|kind| (kind.id(), kind.title())));
    let preset = form.preset();
    let chosen = preset.map_or("", Paper::id);
    html! {
        <section class="editor" aria-label="Generator">
            <details class="generator" ontoggle={toggling(&open)}>
                <summary id="generator">{ "Generate a workload" }</summary>
                <form onsubmit={generating(&result, &send)} {onchange} {oninput} novalidate=true>
                    <p class="hint" id="gen-summary"
                        role="status">{ summary(result.as_ref().as_ref(), form.duration_s()) }</p>
                    { row(WORKLOAD, "Workload", "",
                        "Jobs of users as described below, or those of a paper, drawn again from any seed.", None,
                        select(WORKLOAD, chosen, workloads, Some(help_id(WORKLOAD)), Callback::noop())) }
                    { text(&SEED, "The same seed gives the same jobs, here and on the command line.") }
                    <button id="gen-surprise" type="button" class="small" onclick={surprising(&form)}
                        title="Draws a seed at random">{ "Surprise me" }</button>
                    if let Some(preset) = preset {
                        <p class="hint">{ preset.description() }</p>
                        { text(&EXECUTORS, "Number of machines. The paper's is filled in.") }
                        { text(&CORES, "Tasks that an executor runs at once. The paper's is filled in.") }
                        { for preset.parameters().iter().map(parameter) }
                    } else {
                    { text(&USERS, "Number of users; each submits jobs independently.") }
                    { text(&DURATION, "Jobs arrive before this time.") }
                    { choice(&ARRIVALS, "When each user's jobs arrive. Scattered: spread evenly over the duration.") }
                    { text(&JOBS, "Maximum number of jobs per user. Empty: as many as arrive, or ten if they arrive all at once or scattered.") }
                    { choice(&SIZES, "How much work a job has. Pareto is heavy-tailed, the more so the smaller its shape; from 4 to 1000 core-seconds.") }
                    { choice(&SKEW, "How unevenly the work is spread over a job's input: one slice heavier than the others by a factor, or by Zipf's law.") }
                    { choice(&ESTIMATES,
                        "The work that policies assume: the true work, the same for every job, all off by one factor, or each off by a random factor.") }
                    { text(&LOAD, "All work divided by cores and duration; sizes are scaled to reach it. Empty: as drawn.") }
                    }
                    <button id="gen-make" type="submit" disabled={!ready}
                        title="Replaces the scenario on the page with the workload; undo restores it">{ "Generate"
                        }</button>
                </form>
            </details>
        </section>
    }
}

/// A workload that the form makes, or what is wrong with it.
type FormResult = Result<Shared<Document>, FormError>;

/// Draws another seed.
fn surprising(form: &UseStateHandle<WorkloadForm>) -> Callback<MouseEvent> {
    let form = form.clone();
    Callback::from(move |_: MouseEvent| {
        // A browser without random numbers keeps the seed.
        if let Ok(seed) = getrandom::u32() {
            form.set(form.changed(SEED.id.to_owned(), seed.to_string()));
        }
    })
}

/// Opens the workload, if there is one.
fn generating(result: &Rc<Option<FormResult>>, send: &Callback<Action>) -> Callback<SubmitEvent> {
    let result = Rc::clone(result);
    send.on(move |event: SubmitEvent| {
        event.prevent_default();
        Some(Action::Document(DocumentAction::Open(result.as_ref().as_ref()?.as_ref().ok()?.clone())))
    })
}

/// Above this load the cores cannot do in the duration what arrives in it, and above the other most of it waits.
const FULL_LOAD: f64 = 1.0;
const EXCESSIVE_LOAD: f64 = 2.0;

/// The workload in a line: its jobs, work, tasks and load, and what a load beyond the cores means.
fn summary(result: Option<&FormResult>, duration_s: Option<f64>) -> String {
    match result {
        Some(Ok(document)) => {
            let scenario = &document.scenario;
            let work_s: f64 = scenario.jobs().iter().map(|job| job.work().seconds()).sum();
            let could_s = f64::from(scenario.cluster().cores()) * duration_s.unwrap_or(f64::NAN);
            let (jobs, cores) = (scenario.jobs().len(), scenario.cluster().cores());
            let load = work_s / could_s;
            let tasks = |mode| {
                let stages = scenario.jobs().iter().flat_map(|job| &job.stages);
                let tasks: u64 = stages.map(|stage| scenario.partitioning().task_count(stage, mode)).sum();
                number::grouped(&tasks.to_string())
            };
            let warning = match load {
                load if load > EXCESSIVE_LOAD => {
                    format!(
                        " Warning: that is {load:.1} times what the cores can do in that time; nearly every job will wait, \
                         whatever the policy. Try a load below 1."
                    )
                }
                load if load > FULL_LOAD => {
                    " More arrives than the cores can do in that time, so that the queue grows until the last arrival."
                        .to_owned()
                }
                _ => String::new(),
            };
            let of_load =
                if load.is_finite() { format!("a load of {load:.2} on ") } else { "on ".to_owned() };
            format!(
                "{jobs} jobs of {work_s:.0} core-seconds in total: {of_load}{cores} cores, cut into {} tasks \
                 ({} with runtime partitioning).{warning}",
                tasks(PartitionMode::Default),
                tasks(PartitionMode::Runtime)
            )
        }
        Some(Err((id, message))) if id.is_empty() => message.clone(),
        Some(Err(_)) => "One of the fields has an error.".to_owned(),
        None => String::new(),
    }
}
