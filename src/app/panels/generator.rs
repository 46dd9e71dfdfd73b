//! The workload generator: a form, a summary of the workload, and a button that opens it.

use std::collections::BTreeMap;
use std::str::FromStr;

use yew::prelude::*;

use super::EditorProps;
use super::field::{help_id, input_text, row, select};
use crate::app::shared::Shared;
use crate::app::store::{Action, Document};
use crate::catalog::{self, Entry};
use crate::link::Origin;
use crate::number;
use crate::scenario::generate::{Arrivals, Group, Stage, TextError};
use crate::scenario::{Generator, Mode, Scenario, field};

/// A field for a text; `unit` may be empty.
struct Text {
    id: &'static str,
    label: &'static str,
    unit: &'static str,
    usual: &'static str,
}

/// A field for a kind.
struct Choice {
    id: &'static str,
    label: &'static str,
    /// The id of the field for the figure that most kinds ask for.
    figure: &'static str,
    /// The usual kind, by index.
    usual: usize,
    kinds: &'static [Kind],
}

/// A kind: as the command's option names it, with `{}` for the figure that it asks for, if it does; its name; and the
/// figure's label, unit and usual value.
struct Kind(&'static str, &'static str, [&'static str; 3]);

impl Kind {
    fn asks(&self) -> bool {
        self.0.contains("{}")
    }

    fn word(&self) -> &'static str {
        self.0.split(':').next().unwrap_or_default()
    }
}

const SEED: Text = Text { id: "gen-seed", label: "Seed", unit: "", usual: "0" };
const USERS: Text = Text { id: "gen-users", label: "Users", unit: "", usual: "4" };
const DURATION: Text = Text { id: "gen-duration", label: "Duration", unit: "s", usual: "120" };
const JOBS: Text = Text { id: "gen-jobs", label: "Jobs each", unit: "", usual: "" };
const LOAD: Text = Text { id: "gen-load", label: "Load", unit: "", usual: "" };

const ARRIVALS: Choice = Choice {
    id: "gen-arrivals",
    label: "Arrivals",
    figure: "gen-arrivals-figure",
    usual: 0,
    kinds: &[
        Kind("poisson:{}", "Poisson", ["Rate", "/min", "8"]),
        Kind("bursts:10:{}", "bursts of ten", ["Every", "s", "30"]),
        Kind("at-once", "all at once", [""; 3]),
        Kind("scattered", "scattered", [""; 3]),
    ],
};
const SIZES: Choice = Choice {
    id: "gen-sizes",
    label: "Sizes",
    figure: "gen-sizes-figure",
    usual: 1,
    kinds: &[
        Kind("fixed:{}", "fixed", ["Work", "core-s", "24"]),
        Kind("exponential:{}", "exponential", ["Mean work", "core-s", "24"]),
        // From 4 to 1000 core-seconds.
        Kind("pareto:{}:4:1000", "Pareto", ["Shape", "", "1.1"]),
    ],
};
const SKEW: Choice = Choice {
    id: "gen-skew",
    label: "Skew",
    figure: "gen-skew-figure",
    usual: 0,
    kinds: &[
        Kind("even", "none", [""; 3]),
        Kind("heavy:{}", "heavy slice", ["Factor", "×", "5"]),
        Kind("zipf:{}", "Zipf", ["Exponent", "", "1"]),
    ],
};
const ESTIMATES: Choice = Choice {
    id: "gen-estimates",
    label: "Estimates",
    figure: "gen-estimates-figure",
    usual: 0,
    kinds: &[
        Kind("true", "true", [""; 3]),
        Kind("constant:{}", "constant", ["Estimate", "core-s", "5"]),
        Kind("factor:{}", "all off by", ["Factor", "×", "3"]),
        Kind("random:{}", "random", ["Up to", "×", "3"]),
    ],
};

/// The field for whose workload it is: one of users who are described here, or one of a paper.
const WORKLOAD: &str = "gen-workload";
const EXECUTORS: Text = Text { id: "gen-executors", label: "Executors", unit: "", usual: "" };
const CORES: Text = Text { id: "gen-cores", label: "Cores each", unit: "", usual: "" };

/// The catalog's workloads that are drawn from a seed in their own way: those of papers.
fn papers() -> impl Iterator<Item = &'static Entry> {
    let made = |entry: &&Entry| entry.is_seeded() && entry.generator().is_none();
    catalog::ENTRIES.iter().filter(made)
}

/// Jobs of each user where a number is needed and none is given.
const FIXED_JOBS: u32 = 10;

/// A fault and the field it is about.
type Fault = (&'static str, String);

/// What was typed and chosen, by the fields' ids; other fields have their usual values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Form(BTreeMap<String, String>);

impl Form {
    fn text(&self, text: &Text) -> &str {
        self.0.get(text.id).map_or(text.usual, |text| text.trim())
    }

    /// The paper's workload that is chosen, if one is.
    fn paper(&self) -> Option<&'static Entry> {
        let name = self.0.get(WORKLOAD)?;
        papers().find(|entry| entry.name == name)
    }

    /// A workload is chosen: a paper's fills the fields with what the paper has.
    fn with_workload(&self, name: &str) -> Form {
        let mut fields = self.0.clone();
        fields.insert(WORKLOAD.to_owned(), name.to_owned());
        if let Some(entry) = papers().find(|entry| entry.name == name) {
            let cluster = entry.scenario().cluster().clone();
            fields.insert(SEED.id.to_owned(), "1".to_owned());
            fields.insert(EXECUTORS.id.to_owned(), cluster.executors.to_string());
            fields.insert(CORES.id.to_owned(), cluster.cores_per_executor.to_string());
        }
        Form(fields)
    }

    fn count(&self, text: &Text) -> Result<u32, Fault> {
        field::count(self.text(text)).map_err(|error| (text.id, error.to_string()))
    }

    fn seed(&self) -> Result<u64, Fault> {
        let wrong = "must be a whole number from 0 to 18446744073709551615";
        self.text(&SEED).parse().map_err(|_| (SEED.id, wrong.to_owned()))
    }

    /// The document that the fields describe; of a paper's workload on a cluster of the size that is given.
    fn document(&self, scenario: &Scenario) -> Result<Document, Fault> {
        let Some(entry) = self.paper() else {
            let generator = self.generator(scenario)?;
            let made = generator.scenario().map_err(|error| (field_of(&error.path), error.message))?;
            return Ok(Document::new(made, Origin::Generated(Box::new(generator))));
        };
        let seed = self.seed()?;
        let drawn = entry.with_seed(seed).ok_or_else(|| (SEED.id, "is of no use here".to_owned()))?;
        let mut cluster = drawn.cluster().clone();
        cluster.executors = self.count(&EXECUTORS)?;
        cluster.cores_per_executor = self.count(&CORES)?;
        let name = format!("{}, seed {seed}", entry.title);
        let made = drawn.to_builder().name(name.clone()).cluster(cluster).build();
        let made = made.map_err(|error| (EXECUTORS.id, error.message))?;
        Ok(Document::new(made, Origin::File(name)))
    }

    fn kind(&self, choice: &Choice) -> &'static Kind {
        let chosen = |kind: &&Kind| self.0.get(choice.id).is_some_and(|word| word == kind.word());
        choice.kinds.iter().find(chosen).unwrap_or(&choice.kinds[choice.usual])
    }

    fn figure(&self, choice: &Choice) -> &str {
        self.0.get(choice.figure).map_or(self.kind(choice).2[2], String::as_str)
    }

    /// A field's text has changed.
    fn changed(&self, id: String, text: String) -> Form {
        let mut fields = self.0.clone();
        // Another kind asks for another figure.
        fields.remove(&format!("{id}-figure"));
        fields.insert(id, text);
        Form(fields)
    }

    /// What is chosen, read as the command reads its option.
    fn parsed<T: FromStr<Err = TextError>>(&self, choice: &Choice) -> Result<T, Fault> {
        let kind = self.kind(choice);
        let figure = self.figure(choice);
        if kind.asks() {
            number(figure, choice.figure)?;
        }
        kind.0.replace("{}", figure.trim()).parse().map_err(|error: TextError| (choice.id, error.to_string()))
    }

    /// The generator that the fields describe, on the scenario's own cluster.
    fn generator(&self, scenario: &Scenario) -> Result<Generator, Fault> {
        let seed = self.seed()?;
        let arrivals = self.parsed(&ARRIVALS)?;
        let (sizes, skew, estimates) = (self.parsed(&SIZES)?, self.parsed(&SKEW)?, self.parsed(&ESTIMATES)?);
        let users = self.count(&USERS)?;
        let jobs = match self.text(&JOBS) {
            "" => matches!(arrivals, Arrivals::AtOnce(_) | Arrivals::Scattered).then_some(FIXED_JOBS),
            _ => Some(self.count(&JOBS)?),
        };
        let load = match self.text(&LOAD) {
            "" => None,
            text => Some(number(text, LOAD.id)?),
        };
        let mut stages = Stage::chain();
        for stage in stages.iter_mut().filter(|stage| stage.share.is_some()) {
            stage.skew = skew;
        }
        let group = Group { users, jobs, arrivals, sizes, stages, estimates, ..Group::default() };
        Ok(Generator {
            seed,
            duration_s: Some(number(self.text(&DURATION), DURATION.id)?),
            load,
            cluster: scenario.cluster().clone(),
            partitioning: scenario.partitioning().clone(),
            parameters: scenario.parameters().clone(),
            groups: vec![group],
            ..Generator::default()
        })
    }
}

fn number(text: &str, id: &'static str) -> Result<f64, Fault> {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err((id, "is not a number; write it with digits, such as 1.5".to_owned())),
    }
}

/// The field that a parameter's JSON path is about.
fn field_of(path: &str) -> &'static str {
    let parts = [
        ("duration_s", DURATION.id),
        ("load", LOAD.id),
        (".users", USERS.id),
        (".jobs", JOBS.id),
        (".arrivals", ARRIVALS.figure),
        (".sizes", SIZES.figure),
        (".skew", SKEW.figure),
        (".estimates", ESTIMATES.figure),
    ];
    parts.iter().find(|(part, _)| path.contains(part)).map_or("", |(_, id)| id)
}

#[component]
pub fn GeneratorPanel(props: &EditorProps) -> Html {
    let open = use_state(|| false);
    let form = use_state_eq(Form::default);
    // Only while the form is open, as every change generates the workload again.
    let result = use_memo((open.then(|| (*form).clone()), props.document.clone()), |(form, document)| {
        form.as_ref().map(|form| form.document(&document.scenario).map(Shared::new))
    });
    let ontoggle = {
        let open = open.setter();
        Callback::from(move |event: Event| {
            let details = event.target_dyn_into::<web_sys::Element>();
            open.set(details.is_some_and(|details| details.has_attribute("open")));
        })
    };
    let onchange = {
        let form = form.clone();
        Callback::from(move |event: Event| {
            let id = event.target_dyn_into::<web_sys::Element>().map(|field| field.id()).unwrap_or_default();
            let text = input_text(&event).unwrap_or_default();
            form.set(if id == WORKLOAD { form.with_workload(&text) } else { form.changed(id, text) });
        })
    };
    let oninput = onchange.reform(|event: InputEvent| event.into());
    let surprise = {
        let form = form.clone();
        Callback::from(move |_: MouseEvent| {
            // A browser without random numbers keeps the seed.
            if let Ok(seed) = getrandom::u32() {
                form.set(form.changed(SEED.id.to_owned(), seed.to_string()));
            }
        })
    };
    let generate = {
        let (send, result) = (props.send.clone(), result.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(Ok(document)) = result.as_ref() {
                send.emit(Action::Open(document.clone()));
            }
        })
    };
    let fault = result.as_ref().as_ref().and_then(|result| result.as_ref().err());
    let fault_of = |id: &str| fault.filter(|(at, _)| *at == id).map(|(_, message)| message.as_str());
    let input = |id: &'static str, value: &str| {
        html! {
            <input {id} type="text" autocomplete="off" value={value.to_owned()} aria-describedby={help_id(id)} aria-invalid={fault_of(id).is_some().to_string()} />
        }
    };
    let text = |text: &'static Text, help: &str| {
        let value = form.0.get(text.id).map_or(text.usual, String::as_str);
        row(text.id, text.label, text.unit, help, fault_of(text.id), input(text.id, value))
    };
    let choice = |choice: &'static Choice, help: &str| {
        let (id, figure, kind) = (choice.id, choice.figure, form.kind(choice));
        let [label, unit, _] = kind.2;
        let options = choice.kinds.iter().map(|kind| (kind.word(), kind.1));
        html! {
            <>
                { row(id, choice.label, "", help, None, select(id, kind.word(), options, Some(help_id(id)), Callback::noop())) }
                if kind.asks() {
                    <div class="figure">{ row(figure, label, unit, label, fault_of(figure), input(figure, form.figure(choice))) }</div>
                }
            </>
        }
    };
    let ready = matches!(result.as_ref(), Some(Ok(_)));
    let own = ("", "users of your own");
    let workloads = std::iter::once(own).chain(papers().map(|entry| (entry.name, entry.title)));
    let paper = form.paper();
    let chosen = paper.map_or("", |entry| entry.name);
    // The load of a paper's workload is the paper's.
    let duration = if paper.is_some() { "" } else { form.text(&DURATION) };
    html! {
        <section class="editor" aria-label="Generator">
            <details class="generator" {ontoggle}>
                <summary id="generator">{ "Generate a workload" }</summary>
                <form onsubmit={generate} {onchange} {oninput} novalidate=true>
                    <p class="hint" id="gen-summary" role="status">{ summary(result.as_ref().as_ref(), duration) }</p>
                    { row(WORKLOAD, "Workload", "", "Jobs of users as described below, or those of a paper, drawn again from any seed.", None,
                        select(WORKLOAD, chosen, workloads, Some(help_id(WORKLOAD)), Callback::noop())) }
                    { text(&SEED, "The same seed gives the same jobs, here and on the command line.") }
                    <button id="gen-surprise" type="button" class="small" onclick={surprise} title="Draws a seed at random">{ "Surprise me" }</button>
                    if let Some(entry) = paper {
                        { text(&EXECUTORS, "Number of machines. The paper's is filled in.") }
                        { text(&CORES, "Tasks that an executor runs at once. The paper's is filled in.") }
                        <p class="hint">{ format!("{} Source: {}.", entry.look_for, entry.source) }</p>
                    } else {
                    { text(&USERS, "Number of users; each submits jobs independently.") }
                    { text(&DURATION, "Jobs arrive before this time.") }
                    { choice(&ARRIVALS, "When each user's jobs arrive. Scattered: spread evenly over the duration.") }
                    { text(&JOBS, "Maximum number of jobs per user. Empty: as many as arrive, or ten if they arrive all at once or scattered.") }
                    { choice(&SIZES, "How much work a job has. Pareto is heavy-tailed, the more so the smaller its shape; from 4 to 1000 core-seconds.") }
                    { choice(&SKEW, "How unevenly the work is spread over a job's input: one slice heavier than the others by a factor, or by Zipf's law.") }
                    { choice(&ESTIMATES, "The work that policies assume: the true work, the same for every job, all off by one factor, or each off by a random factor.") }
                    { text(&LOAD, "All work divided by cores and duration; sizes are scaled to reach it. Empty: as drawn.") }
                    }
                    <button id="gen-make" type="submit" disabled={!ready} title="Replaces the scenario on the page with the workload; undo restores it">{ "Generate" }</button>
                </form>
            </details>
        </section>
    }
}

/// Above this load the cores cannot do in the duration what arrives in it, and above the other most of it waits.
const FULL_LOAD: f64 = 1.0;
const EXCESSIVE_LOAD: f64 = 2.0;

/// The workload in a line: its jobs, work, tasks and load, and what a load beyond the cores means.
fn summary(result: Option<&Result<Shared<Document>, Fault>>, duration: &str) -> String {
    match result {
        Some(Ok(document)) => {
            let scenario = &document.scenario;
            let work_s: f64 = scenario.jobs().iter().map(|job| job.work().seconds()).sum();
            let could_s = f64::from(scenario.cluster().cores()) * duration.parse().unwrap_or(f64::NAN);
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
                tasks(Mode::Default),
                tasks(Mode::Runtime)
            )
        }
        Some(Err(("", message))) => message.clone(),
        Some(Err(_)) => "One of the fields has an error.".to_owned(),
        None => String::new(),
    }
}
