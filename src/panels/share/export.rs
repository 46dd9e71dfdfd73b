//! The export menu: charts as SVG and PNG, figures as CSV or as a table to paste, scenario and schedules as JSON, and all
//! of it as one document.

use wasm_bindgen::prelude::*;
use yew::prelude::*;

use super::one_document;
use crate::browser::address;
use crate::panels::StateProps;
use crate::plots::theme::ThemeColours;
use crate::store::{Action, Notice, State};
use crate::ui::send::{Handlers, use_send};
use fairlane::metrics::Evaluation;
use fairlane_view::export::svg::{self, Picture, SvgChart};
use fairlane_view::export::{csv, markdown};

/// Width of the plots of an exported picture, in pixels; a PNG has twice as many.
const WIDTH: u32 = 1000;
const PNG_SCALE: f64 = 2.0;

/// The items of the menu.
#[component]
pub fn ExportItems(props: &StateProps) -> Html {
    let send = use_send();
    let is_hidden = props.state.future().is_hidden();
    let item =
        |id: &'static str, label: &'static str, save: fn(&State, &ThemeColours) -> Result<(), JsValue>| {
            let (state, colours) = (props.state.clone(), props.colours.clone());
            let onclick = saving(&send, move || save(&state, &colours));
            button(id, label, is_hidden && id != SCENARIO, onclick)
        };
    html! {
        <>
            { item(SCENARIO, "Scenario, JSON", |state, _| save_scenario(state)) }
            { item("save-traces", "Schedules, JSON", |state,
                _| save(&file(state, "-schedules.json"), "application/json", &traces(state))) }
            { item("save-metrics", "Figures by policy, CSV", |state,
                _| save(&file(state, "-figures.csv"),
                    "text/csv", &csv::policies(evaluations(state)))) }
            { item("save-jobs", "Figures by job, CSV", |state,
                _| save(&file(state, "-jobs.csv"), "text/csv", &csv::jobs(evaluations(state)))) }
            { one_document::item(&props.state, &send) }
            { copy_table(&props.state, &send) }
            { item("save-svg", "Charts, SVG", |state,
                colours| save(&file(state, "-charts.svg"), "image/svg+xml", &picture(state, colours))) }
            { item("save-png", "Charts, PNG", |state,
                colours| save_png(&file(state, "-charts.png"), &picture(state, colours))) }
        </>
    }
}

/// The item that gives away nothing of the schedules.
const SCENARIO: &str = "save-scenario";

/// An item of the menu; `is_hidden`: it is about schedules that are hidden.
fn button(id: &'static str, label: &'static str, is_hidden: bool, onclick: Callback<MouseEvent>) -> Html {
    let title = is_hidden.then_some("The future is hidden: show it first");
    html! { <button type="button" {id} {onclick} {title} disabled={is_hidden}>{ label }</button> }
}

/// Copies what each user has under each policy, of a log with how near the simulation is to it.
fn copy_table(state: &State, send: &Callback<Action>) -> Html {
    let state = state.clone();
    let is_hidden = state.future().is_hidden();
    let onclick = send.press_task(move || {
        // In the order of the panels.
        let panels = state.panels().into_iter();
        let analyses =
            panels.filter_map(|panel| state.current_analyses().find(|(policy, _)| *policy == panel));
        let mut table = markdown::users(analyses.map(|(_, analysis)| &analysis.evaluation));
        if let Some(error) = state.replay_error() {
            table += &format!("\n{}\n", error.sentence());
        }
        async move {
            let title = match address::copy(&table).await {
                true => "The table was copied, in Markdown",
                false => "Copy this table; the browser denied access to the clipboard",
            };
            Action::done(Notice { title: title.to_owned(), detail: table })
        }
    });
    button("copy-table", "Copy figures as a table", is_hidden, onclick)
}

/// The name of a file: the scenario's title and what it holds.
pub fn file(state: &State, end: &str) -> String {
    state.document.file_stem() + end
}

fn evaluations(state: &State) -> impl Iterator<Item = &Evaluation> {
    state.current_analyses().map(|(_, analysis)| &analysis.evaluation)
}

/// A handler that saves a file and reports if the browser refuses.
pub fn saving(
    send: &Callback<Action>,
    save: impl Fn() -> Result<(), JsValue> + 'static,
) -> Callback<MouseEvent> {
    let send = send.clone();
    Callback::from(move |_| {
        was_saved(&send, save());
    })
}

/// Whether a file was saved; if the browser refuses it is said.
pub fn was_saved(send: &Callback<Action>, saved: Result<(), JsValue>) -> bool {
    if saved.is_err() {
        let title = "The browser did not save the file".to_owned();
        let detail = "Allow downloads for this page and try again.".to_owned();
        send.emit(Action::warn(Notice { title, detail }));
    }
    saved.is_ok()
}

/// Saves the scenario as a file.
///
/// # Errors
/// The browser refuses.
pub fn save_scenario(state: &State) -> Result<(), JsValue> {
    save(&file(state, ".json"), "application/json", &state.document.own().to_json())
}

/// All schedules as one JSON list of trace files.
fn traces(state: &State) -> String {
    let traces: Vec<String> =
        state.current_analyses().map(|(_, analysis)| analysis.trace.to_json()).collect();
    format!("[{}]", traces.join(",\n"))
}

/// The charts of all policies as an SVG file.
pub fn picture(state: &State, colours: &ThemeColours) -> String {
    let scenario = &state.document.scenario;
    let charts: Vec<SvgChart> = state
        .current_analyses()
        .map(|(_, analysis)| SvgChart {
            run: &analysis.evaluation,
            index: analysis.index(),
            caption: analysis.summary.mean_response_in_words(),
        })
        .collect();
    svg::svg(&Picture {
        scenario,
        axis: state.axis(),
        width: WIDTH,
        charts: &charts,
        colours: &svg::SvgColours {
            background: colours.surface,
            row: colours.row,
            grid: colours.grid,
            text: colours.ink,
            dim: colours.dim,
            users: &colours.users,
        },
        tasks: svg::SvgTasks::WithFacts,
    })
}

/// Hands a text to the browser as a file to be saved.
pub fn save(name: &str, kind: &str, text: &str) -> Result<(), JsValue> {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(kind);
    let blob = web_sys::Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&text.into()), &options)?;
    save_blob(name, &blob)
}

/// Hands a file's content to the browser to be saved.
///
/// # Errors
/// The browser refuses.
pub fn save_blob(name: &str, blob: &web_sys::Blob) -> Result<(), JsValue> {
    let address = web_sys::Url::create_object_url_with_blob(blob)?;
    let anchor: web_sys::HtmlAnchorElement = gloo::utils::document().create_element("a")?.unchecked_into();
    anchor.set_href(&address);
    anchor.set_download(name);
    anchor.click();
    // The browser has read the address by then.
    gloo::timers::callback::Timeout::new(1_000, move || {
        let _ = web_sys::Url::revoke_object_url(&address);
    })
    .forget();
    Ok(())
}

/// Draws an SVG on a canvas and saves that as PNG.
pub fn save_png(name: &str, svg: &str) -> Result<(), JsValue> {
    let name = name.to_owned();
    let image = web_sys::HtmlImageElement::new()?;
    let drawn = {
        let image = image.clone();
        Closure::once_into_js(move || {
            // A canvas that the browser cannot make or draw leaves nothing to save.
            let _ = draw_and_save(name, &image);
        })
    };
    image.set_onload(Some(drawn.unchecked_ref()));
    image.set_src(&format!("data:image/svg+xml,{}", String::from(js_sys::encode_uri_component(svg))));
    Ok(())
}

fn draw_and_save(name: String, image: &web_sys::HtmlImageElement) -> Result<(), JsValue> {
    let canvas: web_sys::HtmlCanvasElement =
        gloo::utils::document().create_element("canvas")?.unchecked_into();
    let (width, height) =
        (f64::from(image.natural_width()) * PNG_SCALE, f64::from(image.natural_height()) * PNG_SCALE);
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let context = canvas.get_context("2d")?.ok_or("no 2d context")?;
    let context: web_sys::CanvasRenderingContext2d = context.unchecked_into();
    context.draw_image_with_html_image_element_and_dw_and_dh(image, 0.0, 0.0, width, height)?;
    let saved = Closure::once_into_js(move |blob: Option<web_sys::Blob>| {
        if let Some(blob) = blob {
            let _ = save_blob(&name, &blob);
        }
    });
    canvas.to_blob(saved.unchecked_ref())
}
