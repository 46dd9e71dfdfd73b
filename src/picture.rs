//! The first picture of a demo: its schedules, drawn before the interface has arrived.
//!
//! It is what the interface shows first, element by element, of markup that answers nothing. The schedules are handed on
//! to the interface, which takes the picture's place.

use std::collections::BTreeSet;

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlCanvasElement};

use super::codec::Analysis;
use super::heights::{self, COMPACT};
use super::plots::gantt::{Chart, Style, numbering};
use super::selectors::{self, Hue};
use super::shared::Shared;
use super::store::{ChartKind, Document, Heights, Notice, State};
use super::theme::{self, Colours};
use super::{address, fetched, instants, markup};
use fairlane::ids::UserId;
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane_study::lesson::StepId;
use fairlane_view::TimeAxis;
use fairlane_view::export::svg::escaped;
use fairlane_view::gantt::{CoreWindow, Image, Rows, Shares, Spans};
use fairlane_view::lanes;
use fairlane_view::link::embed::{Embed, EmbedError, Part, Subject};
use fairlane_view::link::{Bounds, Session};

/// What a demo's interface begins with.
pub struct First {
    /// What the address asks for.
    pub embed: Result<Embed, EmbedError>,
    /// The file that it is about, if it is about one.
    pub file: Option<Result<Shared<Document>, Notice>>,
    /// The picture, if one is painted.
    pub picture: Option<Picture>,
}

/// What is painted.
pub struct Picture {
    /// The page's state, with all schedules.
    pub state: State,
    /// The factor by which rows are taller than the cluster's size suggests.
    pub zoom: f64,
}

/// Draws a demo, if it shows schedules that are simulated at once and nothing that only the interface knows; a file that
/// it is about is fetched first.
pub async fn draw(root: &Element, embed: Result<Embed, EmbedError>) -> First {
    let file = match &embed {
        Ok(Embed { subject: Subject::File(address), .. }) => {
            Some(fetched::open(address).await.map(Shared::new))
        }
        _ => None,
    };
    let picture = embed.as_ref().ok().and_then(|embed| picture(root, embed, file.as_ref()));
    First { embed, file, picture }
}

fn picture(
    root: &Element,
    embed: &Embed,
    file: Option<&Result<Shared<Document>, Notice>>,
) -> Option<Picture> {
    let state = first_state(embed, file)?.simulated_at_once();
    if state.runs.is_empty() || !state.is_settled() {
        return None;
    }
    theme::of_demo(embed.theme).show();
    let show = |zoom| root.set_inner_html(&page(embed, &state, zoom));
    show(COMPACT);
    let zoom = heights::fitting(state.document.scenario.cluster()).unwrap_or(COMPACT);
    show(zoom);
    // Where a canvas cannot be drawn on, the interface says so.
    paint(root, &state, zoom).ok()?;
    instants::picture();
    Some(Picture { state, zoom })
}

/// The session or the step of a lesson that a demo is about, if it is not about a file.
pub fn fragment(embed: &Embed) -> String {
    match &embed.subject {
        Subject::Fragment(session) if !session.is_empty() => session.clone(),
        _ => address::fragment().trim_start_matches('#').to_owned(),
    }
}

/// A state as the address of a demo asks for it.
pub fn with_choices(state: State, embed: &Embed) -> State {
    let mut state = State { heights: Heights::Fit, in_full: false, ..state };
    if let Some(policies) = &embed.policies {
        state.ticked = policies.clone();
    }
    if let Some(kind) = embed.chart.as_deref().and_then(ChartKind::from_id) {
        state.chart.kind = kind;
    }
    if let Some(at) = embed.at {
        state.playhead = at;
    }
    state.with_runs()
}

/// The state of a demo whose first picture can be drawn here.
fn first_state(embed: &Embed, file: Option<&Result<Shared<Document>, Notice>>) -> Option<State> {
    let known_chart = embed.chart.as_deref().is_none_or(|chart| ChartKind::from_id(chart).is_some());
    if embed.predict.is_some() || !embed.shows(Part::Panels) || !known_chart {
        return None;
    }
    let fragment = fragment(embed);
    let state = match file {
        Some(document) => State::new(document.as_ref().ok()?.clone()),
        None if StepId::from_fragment(&fragment).is_some() => return None,
        None => State::from_session(Session::from_text(&fragment, &Bounds::LINK).ok()?),
    };
    let plain = state.chosen.is_empty() && state.collapsed.is_empty() && state.predict.is_none();
    let cores = state.document.scenario.cluster().cores();
    (plain && !Rows::has_windows(cores)).then(|| with_choices(state, embed))
}

/// The elements of [`Demo`](super::demo::Demo). Inert, so that nobody begins what the interface would end.
fn page(embed: &Embed, state: &State, zoom: f64) -> String {
    let axis = state.axis();
    let at = axis.fraction(state.playhead);
    let (off, hidden) = if (0.0..=1.0).contains(&at) { ("", "") } else { (" off", " hidden") };
    let part = |part, markup: &str| if embed.shows(part) { markup.to_owned() } else { String::new() };
    let awaited = "<span class=\"hint awaited\" role=\"status\">loading…</span>";
    let panel = |(policy, analysis): (PolicyId, Shared<Analysis>)| panel(policy, &analysis, axis, zoom);
    format!(
        "<div class=\"lab demo{}\" inert data-future=\"{}\"><header class=\"top\"><h1>{}</h1><span class=\"space\"></span>\
         <a class=\"lab-link\">Open in the lab</a></header><main><div class=\"stage\" id=\"stage\" role=\"region\" \
         aria-label=\"Schedules\"><div class=\"timebox{off}\" style=\"--at:{at};--now:&quot;{}&quot;\">{}{}\
         <div class=\"panels\">{}</div><div class=\"playhead\" aria-hidden=\"true\"{hidden}></div></div>{}{}</div></main>{}</div>",
        if embed.editable { "" } else { " read-only" },
        state.future().word(),
        escaped(state.document.title()),
        axis.label(state.playhead),
        if embed.shows(Part::Lanes) { users(state, axis) } else { String::new() },
        part(Part::Ideal, "<section class=\"ideal\"></section>"),
        selectors::schedules(state).into_iter().map(panel).collect::<String>(),
        part(Part::Compare, awaited),
        part(Part::Chart, awaited),
        part(Part::Transport, "<footer class=\"transport\"></footer>"),
    )
}

/// The elements of [`Lanes`](super::panels::lanes::Lanes), without the jobs' names.
fn users(state: &State, axis: TimeAxis) -> String {
    let scenario = &state.document.scenario;
    let laid = lanes::lanes(scenario, selectors::alone(state).unwrap_or_default());
    let unfolded = lanes::unfolded(scenario, &BTreeSet::new(), "");
    let hues = selectors::job_hues(scenario);
    let lane = |(index, lane): (usize, &lanes::Lane)| {
        let user = &scenario.users()[index];
        let hue = selectors::user_hue(UserId(index as u32));
        let block = |block: &lanes::Block| {
            let Hue { hue, shade } = hues[block.job];
            let alt = if shade == 1 { " alt" } else { "" };
            let dense = if lane.rows > markup::ROWS_WITH_BORDERS { " dense" } else { "" };
            format!(
                "<i class=\"block hue-{hue}{alt}{dense}\" style=\"{}\"></i>",
                markup::place(axis, block, lane.rows)
            )
        };
        format!(
            "<div class=\"lane row\"><div class=\"gutter user\"><i class=\"dot hue-{hue}\"></i><b>{}</b><small>{}</small></div>\
             <div class=\"plot track\">{}</div></div>",
            escaped(&user.name),
            markup::lane_facts(user.weight.value(), lane.blocks.len()),
            lane.blocks.iter().map(block).collect::<String>(),
        )
    };
    let shown = laid.iter().enumerate().filter(|(user, _)| unfolded[*user]);
    let rest = match unfolded.contains(&false) {
        true => {
            "<div class=\"lane row rest\"><div class=\"gutter\"></div><div class=\"plot track\"></div></div>"
        }
        false => "",
    };
    format!(
        "<section class=\"lanes\" id=\"lanes\" aria-label=\"Users and their jobs\"><div class=\"axis row\"><div class=\"gutter\"></div>\
         <div class=\"plot\">{}</div></div>{}{rest}</section>",
        markup::labels(axis),
        shown.map(lane).collect::<String>(),
    )
}

/// The elements of [`Panel`](super::panels::panel::Panel).
fn panel(policy: PolicyId, analysis: &Analysis, axis: TimeAxis, zoom: f64) -> String {
    let cluster = analysis.scenario.cluster();
    let window = CoreWindow::whole(cluster.cores());
    let rows = Rows::of_window(cluster, zoom, window);
    let seconds = |mean| format!("{}\u{a0}s", number::short(mean));
    let mean = analysis.summary.mean_response.map_or_else(|| "–".to_owned(), seconds);
    let unfinished =
        analysis.summary.unfinished.words().map(|words| format!("<span class=\"figure\">{words}</span>"));
    let unfinished: String = unfinished.collect();
    format!(
        "<section class=\"panel\" id=\"panel-{policy}\" data-state=\"done\" aria-label=\"{title}\"><header><h2>\
         <button type=\"button\" class=\"collapse\" aria-expanded=\"true\"><svg class=\"icon\" viewBox=\"0 0 24 24\" \
         aria-hidden=\"true\"><path d=\"M7 10l5 5 5-5\"/></svg>{title}</button></h2><span class=\"figure\">mean response \
         <b>{mean}</b></span>{unfinished}</header><div class=\"row{}\"><div class=\"gutter\" style=\"height:{height}px\" \
         aria-hidden=\"true\">{}</div><div class=\"plot chart\"><canvas role=\"img\" aria-label=\"{}\" \
         style=\"height:{height}px\"></canvas>{}</div><ul class=\"verdicts\"></ul></div></section>",
        if unfinished.is_empty() { "" } else { " with-ends" },
        markup::gutter(&rows, cluster.cores_per_executor, window),
        escaped(&selectors::spoken(policy, analysis)),
        markup::gridlines(axis),
        title = escaped(&policy.title()),
        height = rows.height,
    )
}

/// Paints the charts.
fn paint(root: &Element, state: &State, zoom: f64) -> Result<(), JsValue> {
    let style = Style {
        colours: Shared::new(Colours::read()),
        colouring: state.colouring,
        named: true,
        zoom,
        marks: state.marks.clone(),
        chosen: BTreeSet::new(),
        moved: None,
        asked: None,
    };
    let scale = gloo::utils::window().device_pixel_ratio();
    let canvases = root.get_elements_by_tag_name("canvas");
    for (index, (_, analysis)) in selectors::schedules(state).iter().enumerate() {
        let canvas = canvases.item(index as u32).ok_or("no canvas")?;
        let width = (canvas.get_bounding_client_rect().width() * scale).round() as u32;
        let spans = Spans::new(&analysis.trace);
        let number = numbering(analysis, style.colouring, &style.chosen);
        let chart = Chart {
            analysis,
            spans: &spans,
            shares: &Shares::new(&analysis.trace, &spans, &number),
            stripes: &[],
            axis: state.axis(),
            rows: &Rows::of_cluster(analysis.scenario.cluster(), zoom).at_scale(scale),
            width,
            style: &style,
        };
        chart.paint(canvas.unchecked_ref::<HtmlCanvasElement>(), &mut Image::default(), None)?;
    }
    Ok(())
}
