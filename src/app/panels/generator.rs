//! The workload generator: a few fields, what they amount to, and a button that opens it.

use yew::prelude::*;

use super::field::input_text;
use crate::app::shared::Shared;
use crate::app::store::{Action, Document, Origin};
use crate::scenario::generate::{
    Arrivals, AtOnce, Bursts, Constant, Estimates, Exponential, Factor, Fixed, Group, Heavy, Pareto, Poisson,
    Random, Sizes, Skew, Stage, Zipf,
};
use crate::scenario::{Cluster, Generator, Partitioning, Scenario, field};

/// What stands in the fields, as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Form {
    seed: String,
    users: String,
    duration: String,
    jobs: String,
    load: String,
    arrivals: Choice,
    sizes: Choice,
    skew: Choice,
    estimates: Choice,
}

/// A kind and the figure that goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Choice {
    word: &'static str,
    figure: String,
}

impl Default for Form {
    /// What [`Generator::default`] makes.
    fn default() -> Form {
        Form {
            seed: "0".to_owned(),
            users: "4".to_owned(),
            duration: "120".to_owned(),
            jobs: String::new(),
            load: String::new(),
            arrivals: ARRIVALS[0].choice(),
            sizes: SIZES[1].choice(),
            skew: SKEWS[0].choice(),
            estimates: ESTIMATES[0].choice(),
        }
    }
}

/// An option of a choice, and the figure that it asks for.
struct Kind {
    word: &'static str,
    name: &'static str,
    /// Label, unit and usual value of the figure; empty labels ask for none.
    label: &'static str,
    unit: &'static str,
    usual: &'static str,
}

impl Kind {
    const fn new(
        word: &'static str,
        name: &'static str,
        label: &'static str,
        unit: &'static str,
        usual: &'static str,
    ) -> Kind {
        Kind { word, name, label, unit, usual }
    }

    fn choice(&self) -> Choice {
        Choice { word: self.word, figure: self.usual.to_owned() }
    }
}

const ARRIVALS: [Kind; 4] = [
    Kind::new("poisson", "Poisson", "Rate", "/min", "8"),
    Kind::new("bursts", "bursts of ten", "Every", "s", "30"),
    Kind::new("at-once", "all at once", "", "", ""),
    Kind::new("scattered", "scattered", "", "", ""),
];
const SIZES: [Kind; 3] = [
    Kind::new("fixed", "fixed", "Work", "core s", "24"),
    Kind::new("exponential", "exponential", "Mean work", "core s", "24"),
    Kind::new("pareto", "Pareto", "Shape", "", "1.1"),
];
const SKEWS: [Kind; 3] = [
    Kind::new("even", "none", "", "", ""),
    Kind::new("heavy", "heavy slice", "Factor", "×", "5"),
    Kind::new("zipf", "Zipf", "Exponent", "", "1"),
];
const ESTIMATES: [Kind; 4] = [
    Kind::new("true", "true", "", "", ""),
    Kind::new("constant", "constant", "Estimate", "core s", "5"),
    Kind::new("factor", "all off by", "Factor", "×", "3"),
    Kind::new("random", "random", "Up to", "×", "3"),
];

/// Jobs of a burst.
const BURST: u32 = 10;
/// The smallest and the largest job of the heavy-tailed distribution, core-seconds.
const PARETO_LEAST_S: f64 = 4.0;
const PARETO_CAP_S: f64 = 1000.0;
/// Jobs of each user where a number is needed and none is given.
const JOBS: u32 = 10;

/// A fault and the field it is about.
type Fault = (&'static str, String);

impl Form {
    /// The generator that the fields amount to, on the page's own cluster.
    fn generator(&self, cluster: &Cluster, partitioning: &Partitioning) -> Result<Generator, Fault> {
        let seed =
            self.seed.trim().parse().map_err(|_| {
                ("gen-seed", "must be a whole number from 0 to 18446744073709551615".to_owned())
            })?;
        let users = field::count(&self.users).map_err(|error| ("gen-users", error.to_string()))?;
        let duration_s = number(&self.duration, "gen-duration")?;
        let jobs = match self.jobs.trim() {
            "" if matches!(self.arrivals.word, "at-once" | "scattered") => Some(JOBS),
            "" => None,
            text => Some(field::count(text).map_err(|error| ("gen-jobs", error.to_string()))?),
        };
        let load = match self.load.trim() {
            "" => None,
            text => Some(number(text, "gen-load")?),
        };
        let mut stages = Stage::chain();
        let skew = self.skew()?;
        for stage in stages.iter_mut().filter(|stage| stage.share.is_some()) {
            stage.skew = skew;
        }
        let group = Group {
            users,
            jobs,
            arrivals: self.arrivals()?,
            sizes: self.sizes()?,
            stages,
            estimates: self.estimates()?,
            ..Group::default()
        };
        Ok(Generator {
            seed,
            duration_s: Some(duration_s),
            load,
            cluster: cluster.clone(),
            partitioning: partitioning.clone(),
            groups: vec![group],
            ..Generator::default()
        })
    }

    fn arrivals(&self) -> Result<Arrivals, Fault> {
        let figure = || number(&self.arrivals.figure, "gen-arrivals-figure");
        Ok(match self.arrivals.word {
            "bursts" => {
                Arrivals::Bursts(Bursts { size: BURST, every_s: figure()?, jitter_s: 0.0, spacing_s: 0.001 })
            }
            "at-once" => Arrivals::AtOnce(AtOnce { spacing_s: 0.001 }),
            "scattered" => Arrivals::Scattered,
            _ => Arrivals::Poisson(Poisson { per_minute: figure()? }),
        })
    }

    fn sizes(&self) -> Result<Sizes, Fault> {
        let figure = number(&self.sizes.figure, "gen-sizes-figure")?;
        Ok(match self.sizes.word {
            "fixed" => Sizes::Fixed(Fixed { work_s: figure }),
            "pareto" => {
                Sizes::Pareto(Pareto { shape: figure, least_s: PARETO_LEAST_S, cap_s: Some(PARETO_CAP_S) })
            }
            _ => Sizes::Exponential(Exponential { mean_s: figure }),
        })
    }

    fn skew(&self) -> Result<Skew, Fault> {
        let figure = || number(&self.skew.figure, "gen-skew-figure");
        Ok(match self.skew.word {
            "heavy" => Skew::Heavy(Heavy { factor: figure()? }),
            "zipf" => Skew::Zipf(Zipf { exponent: figure()? }),
            _ => Skew::Even,
        })
    }

    fn estimates(&self) -> Result<Estimates, Fault> {
        let figure = || number(&self.estimates.figure, "gen-estimates-figure");
        Ok(match self.estimates.word {
            "constant" => Estimates::Constant(Constant { work_s: figure()? }),
            "factor" => Estimates::Factor(Factor { by: figure()? }),
            "random" => Estimates::Random(Random { up_to: figure()? }),
            _ => Estimates::True,
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
        ("duration_s", "gen-duration"),
        ("load", "gen-load"),
        (".users", "gen-users"),
        (".jobs", "gen-jobs"),
        (".arrivals", "gen-arrivals-figure"),
        (".sizes", "gen-sizes-figure"),
        (".skew", "gen-skew-figure"),
        (".estimates", "gen-estimates-figure"),
    ];
    parts.iter().find(|(part, _)| path.contains(part)).map_or("", |(_, id)| id)
}

/// The scenario that the fields amount to, or the fault.
fn made(form: &Form, document: &Document) -> Result<Scenario, Fault> {
    let generator = form.generator(document.scenario.cluster(), document.scenario.partitioning())?;
    generator.scenario().map_err(|error| (field_of(&error.path), error.message))
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub document: Shared<Document>,
    pub send: Callback<Action>,
}

#[component]
pub fn GeneratorPanel(props: &Props) -> Html {
    let open = use_state(|| false);
    let form = use_state(Form::default);
    // Only while somebody looks: it is made anew with every figure.
    let result = use_memo((open.then(|| (*form).clone()), props.document.clone()), |(form, document)| {
        form.as_ref().map(|form| made(form, document))
    });
    let ontoggle = {
        let open = open.clone();
        Callback::from(move |event: Event| {
            open.set(
                event
                    .target_dyn_into::<web_sys::Element>()
                    .is_some_and(|details| details.has_attribute("open")),
            );
        })
    };
    let make = {
        let (send, result) = (props.send.clone(), result.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(Ok(scenario)) = result.as_ref() {
                let title = format!("generate a workload: {}", scenario.name());
                let origin = Origin::File(scenario.name().to_owned());
                send.emit(Action::Replace(Document::new(scenario.clone(), origin).into(), title));
            }
        })
    };
    let fault = result.as_ref().as_ref().and_then(|result| result.as_ref().err());
    let fault_of = |id: &str| fault.filter(|(at, _)| *at == id).map(|(_, message)| message.as_str());
    let text = |id: &'static str,
                label: &'static str,
                unit: &'static str,
                help: &'static str,
                value: &str,
                set: fn(&mut Form, String)| {
        let oninput = changed(&form, set);
        let fault = fault_of(id);
        html! {
            <div class={classes!("field", fault.is_some().then_some("wrong"))}>
                <label for={id} title={help}>{ label }</label>
                <span class="value">
                    <input {id} type="text" autocomplete="off" value={value.to_owned()} {oninput} aria-describedby={format!("{id}-help")} aria-invalid={fault.is_some().to_string()} />
                    if !unit.is_empty() { <span class="unit">{ unit }</span> }
                </span>
                <small id={format!("{id}-help")} role={fault.is_some().then_some("alert")}>{ fault.unwrap_or(help) }</small>
            </div>
        }
    };
    let choice = |id: &'static str,
                  label: &'static str,
                  help: &'static str,
                  kinds: &'static [Kind],
                  now: &Choice,
                  of: fn(&mut Form) -> &mut Choice| {
        let kind = kinds.iter().find(|kind| kind.word == now.word).unwrap_or(&kinds[0]);
        let onchange = {
            let form = form.clone();
            Callback::from(move |event: Event| {
                let word = input_text(&event);
                if let Some(kind) = kinds.iter().find(|kind| Some(kind.word) == word.as_deref()) {
                    let mut next = (*form).clone();
                    *of(&mut next) = kind.choice();
                    form.set(next);
                }
            })
        };
        let oninput = {
            let form = form.clone();
            Callback::from(move |event: InputEvent| {
                if let Some(text) = input_text(&event) {
                    let mut next = (*form).clone();
                    of(&mut next).figure = text;
                    form.set(next);
                }
            })
        };
        let figure = format!("{id}-figure");
        let fault = fault_of(&figure);
        html! {
            <>
                <div class="field">
                    <label for={id} title={help}>{ label }</label>
                    <span class="value">
                        <select {id} {onchange} aria-describedby={format!("{id}-help")}>
                            { for kinds.iter().map(|kind| html! { <option value={kind.word} selected={kind.word == now.word}>{ kind.name }</option> }) }
                        </select>
                    </span>
                    <small id={format!("{id}-help")}>{ help }</small>
                </div>
                if !kind.label.is_empty() {
                    <div class={classes!("field", "figure", fault.is_some().then_some("wrong"))}>
                        <label for={figure.clone()}>{ kind.label }</label>
                        <span class="value">
                            <input id={figure.clone()} type="text" autocomplete="off" value={now.figure.clone()} {oninput} aria-describedby={format!("{figure}-help")} aria-invalid={fault.is_some().to_string()} />
                            if !kind.unit.is_empty() { <span class="unit">{ kind.unit }</span> }
                        </span>
                        <small id={format!("{figure}-help")} role={fault.is_some().then_some("alert")}>{ fault.unwrap_or(kind.label) }</small>
                    </div>
                }
            </>
        }
    };
    let ready = matches!(result.as_ref(), Some(Ok(_)));
    html! {
        <section class="editor" aria-label="Generator">
            <details class="generator" {ontoggle}>
                <summary id="generator">{ "Generate a workload" }</summary>
                <form onsubmit={make} novalidate=true>
                    <p class="hint" id="gen-summary" role="status">{ summary(result.as_ref().as_ref(), &form.duration) }</p>
                    { text("gen-seed", "Seed", "", "The same seed gives the same jobs, here and on the command line.", &form.seed, |form, text| form.seed = text) }
                    { text("gen-users", "Users", "", "Number of users; each submits jobs independently.", &form.users, |form, text| form.users = text) }
                    { text("gen-duration", "Duration", "s", "Jobs arrive before this time.", &form.duration, |form, text| form.duration = text) }
                    { choice("gen-arrivals", "Arrivals", "When each user's jobs arrive. Scattered: spread evenly over the duration.", &ARRIVALS, &form.arrivals, |form| &mut form.arrivals) }
                    { text("gen-jobs", "Jobs each", "", "Maximum number of jobs per user. Empty: as many as arrive, or ten if they arrive all at once or scattered.", &form.jobs, |form, text| form.jobs = text) }
                    { choice("gen-sizes", "Sizes", "How much work a job has. Pareto is heavy-tailed, the more so the smaller its shape; from 4 to 1000 core-seconds.", &SIZES, &form.sizes, |form| &mut form.sizes) }
                    { choice("gen-skew", "Skew", "How unevenly the work is spread over a job's input: one slice heavier than the others by a factor, or by Zipf's law.", &SKEWS, &form.skew, |form| &mut form.skew) }
                    { choice("gen-estimates", "Estimates", "The work that policies assume: the true work, the same for every job, all off by one factor, or each off by a random factor.", &ESTIMATES, &form.estimates, |form| &mut form.estimates) }
                    { text("gen-load", "Load", "", "All work divided by cores and duration; sizes are scaled to reach it. Empty: as drawn.", &form.load, |form, text| form.load = text) }
                    <button id="gen-make" type="submit" disabled={!ready} title="Replaces the scenario on the page with the workload; undo restores it">{ "Generate" }</button>
                </form>
            </details>
        </section>
    }
}

/// A callback that writes what is typed into one field.
fn changed(form: &UseStateHandle<Form>, set: fn(&mut Form, String)) -> Callback<InputEvent> {
    let form = form.clone();
    Callback::from(move |event: InputEvent| {
        if let Some(text) = input_text(&event) {
            let mut next = (*form).clone();
            set(&mut next, text);
            form.set(next);
        }
    })
}

/// What would be made, in a line.
fn summary(result: Option<&Result<Scenario, Fault>>, duration: &str) -> String {
    match result {
        Some(Ok(scenario)) => {
            let work_s: f64 = scenario.jobs().iter().map(|job| job.work().seconds()).sum();
            let could_s = f64::from(scenario.cluster().cores()) * duration.trim().parse().unwrap_or(f64::NAN);
            let (jobs, cores) = (scenario.jobs().len(), scenario.cluster().cores());
            format!(
                "{jobs} jobs of {work_s:.0} core-seconds in total: a load of {:.2} on {cores} cores.",
                work_s / could_s
            )
        }
        Some(Err(("", message))) => message.clone(),
        Some(Err(_)) => "One of the fields has an error.".to_owned(),
        None => String::new(),
    }
}
