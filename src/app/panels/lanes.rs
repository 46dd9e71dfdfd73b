//! A lane per user with a block per job, over the axis that all panels share. Blocks are dragged in
//! time and from lane to lane, and everything that can be dragged can be done by keys.

pub(super) mod drag;

use std::collections::BTreeSet;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::seeking;
use crate::app::selectors::{self, Hue};
use crate::app::shared::Shared;
use crate::app::store::{Action, Choice, Document, Tab};
use crate::ids::{JobId, UserId};
use crate::scenario::edit::{Edit, Lane as ToLane, Shift};
use crate::units::{SlotTime, Span};
use crate::view::pick::{self, Beside};
use crate::view::{self, TimeAxis, lanes};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub document: Shared<Document>,
    pub axis: TimeAxis,
    /// Response times alone on the idle cluster, once known.
    pub alone: Option<Rc<[Span]>>,
    pub chosen: BTreeSet<JobId>,
    pub send: Callback<Action>,
}

/// What a letter of a name takes, and the figure behind the name, as fractions of a lane on a laptop's screen.
const ROOM_FOR_LETTER: f64 = 0.014;
const ROOM_FOR_FIGURE: f64 = 0.06;
/// Less room than this has no name.
const ROOM_FOR_NAME: f64 = 0.06;
/// Most jobs that are drawn one by one; beyond it, those close together are drawn as one until the window
/// is narrower.
const MOST_BLOCKS: usize = 1_000;
/// Jobs nearer to each other than this part of the window are drawn as one in a crowded lane.
const CLUSTERS_PER_LANE: u64 = 200;
/// Most rows of a lane that still leave a name readable.
const ROWS_FOR_NAME: usize = 2;
/// Most rows of a lane whose blocks are tall enough to have a border.
const ROWS_WITH_BORDERS: usize = 6;
#[component]
pub fn Lanes(props: &Props) -> Html {
    let scenario = &props.document.scenario;
    let alone = props.alone.as_deref().unwrap_or_default();
    let seek = {
        let axis = props.axis;
        props.send.reform(move |fraction| Action::Seek(axis.time(fraction)))
    };
    let (onpointerdown, onpointermove) = seeking(&seek);
    let laid = Rc::new(lanes::lanes(scenario, alone));
    // One block takes part in the order of Tab; keys lead from it to the others.
    let first = laid.iter().flat_map(|lane| &lane.blocks).next().map(|block| JobId(block.job as u32));
    let reached = props.chosen.first().copied().or(first);
    let hues = selectors::job_hues(scenario);
    let in_window = |block: &lanes::Block| block.to >= props.axis.from && block.from <= props.axis.to;
    let shown = laid.iter().flat_map(|lane| &lane.blocks).filter(|block| in_window(block)).count();
    let crowded = shown > MOST_BLOCKS;
    let gap = Span(props.axis.length() / CLUSTERS_PER_LANE);
    let gestures = drag::use_gestures(&props.document, props.axis, &props.chosen, &props.send);
    let refocus = use_refocus();
    let onkeydown = {
        let (send, chosen, axis) = (props.send.clone(), props.chosen.clone(), props.axis);
        let laid = Rc::clone(&laid);
        Callback::from(move |event: KeyboardEvent| {
            let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
            let job =
                target.and_then(|target| target.get_attribute("data-job")).and_then(|text| text.parse().ok());
            let Some(job) = job.map(JobId) else { return };
            if let Some(way) = way_of_key(&event) {
                event.prevent_default();
                event.stop_propagation();
                if let Some(beside) = pick::job_beside(&laid, job, way) {
                    refocus.emit(beside);
                    send.emit(Action::Choose(beside, Choice::Only));
                }
                return;
            }
            let jobs = if chosen.contains(&job) { chosen.iter().copied().collect() } else { vec![job] };
            if let Some(actions) = actions_of_key(&event, job, &jobs, axis) {
                event.prevent_default();
                event.stop_propagation();
                refocus.emit(job);
                actions.into_iter().for_each(|action| send.emit(action));
            }
        })
    };
    html! {
        <section class="lanes" id="lanes" aria-label="Users and their jobs" onpointerdown={gestures.down} onpointermove={gestures.moved}
            onpointerup={gestures.up} onpointercancel={gestures.cancelled} {onkeydown}>
            <div class="axis row" title="Press or drag here to move the playhead">
                <div class="gutter"></div>
                <div class="plot" onpointerdown={onpointerdown.clone()} onpointermove={onpointermove.clone()}>
                    { for props.axis.ticks(8).into_iter().map(|tick| html! {
                        <span class="label" style={format!("left:{}", percent(tick.fraction))}>{ tick.label }</span>
                    }) }
                </div>
            </div>
            { for laid.iter().enumerate().map(|(user, lane)| {
                let spec = &scenario.users[user];
                let hue = selectors::user_hue(UserId(user as u32));
                html! {
                    <div class="lane row" key={user}>
                        <div class="gutter user">
                            <i class={classes!("dot", format!("hue-{hue}"))}></i>
                            <b title={spec.name.clone()}>{ &spec.name }</b>
                            <small>{ lane_facts(spec.weight.value(), lane.blocks.len()) }</small>
                        </div>
                        <div class="plot track" data-user={user.to_string()} onpointerdown={onpointerdown.clone()} onpointermove={onpointermove.clone()}>
                            { for if crowded { view::lanes::clusters(lane, gap) } else { Vec::new() }.into_iter().map(|cluster| together(cluster, hue, props.axis)) }
                            { for lane.blocks.iter().filter(|block| !crowded && in_window(block)).map(|placed| {
                                let job = JobId(placed.job as u32);
                                let face = if props.chosen.contains(&job) {
                                    Face::Chosen
                                } else if props.chosen.is_empty() {
                                    Face::Plain
                                } else {
                                    Face::Back
                                };
                                html! {
                                    <Block key={placed.job} {job} label={scenario.job_label(job)} user={spec.name.clone()} work={scenario.jobs[placed.job].work()}
                                        axis={props.axis} block={placed.clone()} rows={lane.rows} reached={reached == Some(job)} hue={hues[placed.job]} {face} />
                                }
                            }) }
                        </div>
                    </div>
                }
            }) }
        </section>
    }
}

/// Brings the focus back to a job's block after a key has moved it to another lane.
#[hook]
fn use_refocus() -> Callback<JobId> {
    let wanted = use_mut_ref(|| None::<JobId>);
    let after = Rc::clone(&wanted);
    use_effect(move || {
        let block = after.borrow_mut().take().and_then(|job| {
            let css = format!("#lanes [data-job='{}']", job.0);
            gloo::utils::document().query_selector(&css).ok().flatten()
        });
        if let Some(block) = block.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
            // An element that cannot take the focus leaves it where it is.
            let _ = block.focus();
        }
    });
    Callback::from(move |job| *wanted.borrow_mut() = Some(job))
}

/// Jobs of a crowded lane drawn as one.
fn together(cluster: lanes::Cluster, hue: usize, axis: TimeAxis) -> Html {
    let (from, to) = (axis.fraction(cluster.from).max(0.0), axis.fraction(cluster.to).min(1.0));
    if from > 1.0 || to < 0.0 {
        return Html::default();
    }
    let style = format!("left:{};width:{};top:0;height:100%", percent(from), percent(to - from));
    let title = format!("{} jobs; zoom in to see and move single ones", cluster.jobs);
    html! { <div class={classes!("block", "together", format!("hue-{hue}"))} {style} {title}></div> }
}

fn percent(fraction: f64) -> String {
    format!("{:.3}%", fraction * 100.0)
}

/// A user's weight, if it is not the usual one, and number of jobs.
fn lane_facts(weight: f64, jobs: usize) -> String {
    let jobs = format!("{jobs} job{}", if jobs == 1 { "" } else { "s" });
    if weight == 1.0 { jobs } else { format!("weight {weight}, {jobs}") }
}

/// How a block looks beside the others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Face {
    /// Chosen.
    Chosen,
    /// Nothing is chosen.
    Plain,
    /// Something else is chosen.
    Back,
}

/// Only what a block shows, so that a block that nothing happens to costs nothing.
#[derive(Properties, PartialEq)]
struct BlockProps {
    job: JobId,
    label: String,
    user: String,
    work: SlotTime,
    axis: TimeAxis,
    block: lanes::Block,
    rows: usize,
    hue: Hue,
    face: Face,
    /// Whether Tab leads to it.
    reached: bool,
}

/// A job's block: press to choose, drag to move.
#[component]
fn Block(props: &BlockProps) -> Html {
    let BlockProps { job, label, user, work, axis, block, rows, hue, face, reached } = props;
    let (from, to) = (axis.fraction(block.from), axis.fraction(block.to));
    let next = block.next.map_or(1.0, |next| axis.fraction(next));
    // Begins with what is written on the block, for those who speak to their machine.
    let facts = format!(
        "{label}, {} core-seconds of {user}: arrives at {}, {} alone on the idle cluster",
        selectors::seconds(work.seconds()),
        selectors::instant(block.from),
        block.to.since(block.from),
    );
    let style = format!(
        "left:{};width:{};top:{};height:{}",
        percent(from),
        percent(to - from),
        percent(block.row as f64 / *rows as f64),
        percent(1.0 / *rows as f64)
    );
    let (next, wide) = (next.min(1.0), to - from);
    let needed = ROOM_FOR_LETTER * label.chars().count() as f64 + ROOM_FOR_FIGURE;
    let beside = wide < needed && wide < next - to;
    let room = next - if beside { to } else { from };
    let named = *rows <= ROWS_FOR_NAME && room > ROOM_FOR_NAME;
    let class = classes!(
        "block",
        format!("hue-{}", hue.hue),
        (hue.shade == 1).then_some("alt"),
        (*rows > ROWS_WITH_BORDERS).then_some("dense"),
        match face {
            Face::Chosen => Some("chosen"),
            Face::Plain => None,
            Face::Back => Some("back"),
        },
    );
    let pressed = (*face == Face::Chosen).to_string();
    html! {
        <button type="button" {class} {style} title={facts.clone()} aria-label={facts} aria-pressed={pressed} data-job={job.0.to_string()}
            tabindex={if *reached { "0" } else { "-1" }}>
            if named {
                <span class={if beside { "beside" } else { "on" }} style={beside.then(|| format!("--room:{room:.4}"))}>{ label }<small>{ format!(" {}", selectors::seconds(work.seconds())) }</small></span>
            }
        </button>
    }
}

/// The way to another block that a key leads: Ctrl and an arrow.
fn way_of_key(event: &KeyboardEvent) -> Option<Beside> {
    let command = event.ctrl_key() || event.meta_key();
    let way = match event.key().as_str() {
        "ArrowLeft" => Beside::Earlier,
        "ArrowRight" => Beside::Later,
        "ArrowUp" => Beside::Above,
        "ArrowDown" => Beside::Below,
        _ => return None,
    };
    command.then_some(way)
}

/// What a key does to a block: arrows move it, others choose, copy, delete or open it.
fn actions_of_key(event: &KeyboardEvent, job: JobId, jobs: &[JobId], axis: TimeAxis) -> Option<Vec<Action>> {
    let step =
        view::grid(axis.length() as f64 / KEY_SCALE_PX).0 as i64 * if event.shift_key() { 10 } else { 1 };
    let shift = |by, lane| {
        vec![Action::Edit(Edit::Move { jobs: jobs.to_vec(), by: Shift(by), lane: ToLane::By(lane) })]
    };
    let command = event.ctrl_key() || event.meta_key();
    Some(match event.key().as_str() {
        "ArrowLeft" => shift(-step, 0),
        "ArrowRight" => shift(step, 0),
        "ArrowUp" => shift(0, -1),
        "ArrowDown" => shift(0, 1),
        "Delete" | "Backspace" => vec![Action::Edit(Edit::Delete { jobs: jobs.to_vec() })],
        "d" if command => vec![Action::Edit(Edit::Duplicate { jobs: jobs.to_vec(), by: Shift(step) })],
        " " => vec![Action::Choose(job, Choice::Toggle)],
        "Enter" => vec![Action::Choose(job, Choice::Only), Action::Show(Tab::Job)],
        _ => return None,
    })
}

/// The grid for keys is that of a lane so wide, in logical pixels, whatever the window's width.
const KEY_SCALE_PX: f64 = 600.0;
