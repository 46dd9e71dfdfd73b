//! A lane per user with a block per job, over the axis that all panels share. Blocks are dragged in
//! time and from lane to lane, and everything that can be dragged can be done by keys.

pub(super) mod drag;
mod job_block;
mod lane;
pub mod marks;
pub mod palette;
pub mod ruler;
mod user_name;

use std::collections::BTreeSet;
use std::rc::Rc;

use yew::prelude::*;

use job_block::{BlockAppearance, JobBlock};
use lane::Lane;
use marks::Schedules;
use ruler::{Ruler, use_seeking};

use crate::panels::editors::field::typing;
use crate::results::shared::Shared;
use crate::store::{
    Action, Colouring, Document, DocumentAction, InspectorPart, JobChoice, Tab, ViewAction, selectors,
};
use crate::ui::focus::{focus, focus_soon};
use crate::ui::hooks::use_width;
use crate::ui::send::use_send;
use fairlane::ids::{JobId, UserId};
use fairlane::number;
use fairlane::scenario::edit::{Edit, Shift};
use fairlane::scenario::{Job, QueueKind};
use fairlane::units::Span;
use fairlane_view::arrival;
use fairlane_view::lanes::{self, clusters};
use fairlane_view::pick::{self, JobDirection};
use fairlane_view::{TimeAxis, grid};

#[derive(Properties, PartialEq)]
pub struct LanesProps {
    pub document: Shared<Document>,
    pub axis: TimeAxis,
    /// Response times alone on the idle cluster, once known.
    pub alone: Option<Rc<[Option<Span>]>>,
    pub colouring: Colouring,
    pub chosen: BTreeSet<JobId>,
    /// What a press on a block does to the others that are chosen.
    pub choice: JobChoice,
    /// The schedules to be marked; during a drag those from before it.
    pub schedules: Schedules,
}

/// Most jobs that are drawn one by one; beyond it, those close together are drawn as one until the window
/// is narrower.
const MAX_BLOCKS: usize = 1_000;
/// Jobs nearer to each other than this part of the window are drawn as one: in a crowded lane, and where names have no
/// room.
const CLUSTERS_PER_LANE: u64 = 200;

#[component]
pub fn Lanes(props: &LanesProps) -> Html {
    let send = use_send();
    let scenario = &props.document.scenario;
    let alone = props.alone.as_deref().unwrap_or_default();
    let plot = use_node_ref();
    let width = use_width(&plot);
    let (onpointerdown, onpointermove) = use_seeking(props.axis);
    let laid = Rc::new(lanes::lanes(scenario, alone));
    // One block is in the tab order; keys lead from it to the others.
    let first = laid.iter().flat_map(|lane| &lane.blocks).next().map(|block| JobId(block.job as u32));
    let reached = props.chosen.first().copied().or(first);
    let hues = selectors::block_hues(scenario, props.colouring);
    let in_window = |block: &lanes::LaneBlock| block.to >= props.axis.from && block.from <= props.axis.to;
    let shown = laid.iter().flat_map(|lane| &lane.blocks).filter(|block| in_window(block)).count();
    let crowded = shown > MAX_BLOCKS;
    let gap = Span(props.axis.length() / CLUSTERS_PER_LANE);
    let search = use_state_eq(String::new);
    let all = use_state_eq(|| false);
    let mut unfolded = lanes::unfolded(scenario, &props.chosen, &search);
    if *all {
        unfolded.fill(true);
    }
    let rest = unfolded.iter().filter(|shown| !**shown).count();
    let folds = scenario.users().len() > lanes::MAX_LANES + 1;
    let gestures = drag::use_gestures(props);
    let onkeydown = keys(props, send, &laid, use_refocus());
    let face = |job| match (props.chosen.contains(&job), props.chosen.is_empty()) {
        (true, _) => BlockAppearance::Chosen,
        (false, true) => BlockAppearance::Normal,
        (false, false) => BlockAppearance::Back,
    };
    let card = |block: &lanes::LaneBlock| {
        let job = JobId(block.job as u32);
        JobBlock {
            label: scenario.job_label(job),
            work: scenario.jobs()[block.job].work(),
            waits: arrival::waiting(scenario, job),
            estimate: estimate_of(&scenario.jobs()[block.job]),
            block: block.clone(),
            hue: hues[block.job],
            face: face(job),
            reached: reached == Some(job),
        }
    };
    // Of several lanes with chosen jobs the last one stays in sight: stacked they would hide the panels.
    let holds_chosen = |lane: &lanes::Lane| {
        let mut shown = lane.blocks.iter().filter(|block| !crowded && in_window(block));
        shown.any(|block| props.chosen.contains(&JobId(block.job as u32)))
    };
    let sticky = (0..laid.len()).rev().find(|&user| unfolded[user] && holds_chosen(&laid[user]));
    html! {
        <section class="lanes" id="lanes" aria-label="Users and their jobs" onpointerdown={gestures.down}
            onpointermove={gestures.moved}
            onpointerup={gestures.up} onclick={gestures.clicked} onpointercancel={gestures.cancelled} {onkeydown}
            onkeyup={keep_space()}>
            <Ruler axis={props.axis} {plot} />
            // A list of its own: the ruler, whose width is watched, stays when there are fewer users.
            <>{ for laid.iter().enumerate().filter(|(user, _)| unfolded[*user]).map(|(user, lane)| {
                let spec = &scenario.users()[user];
                let alone = lane.blocks.iter().filter(|block| !crowded && in_window(block));
                let together = if crowded { clusters(lane, gap) } else { Vec::new() };
                html! {
                    <Lane key={user} user={UserId(user as u32)} name={spec.name.clone()}
                        hue={selectors::user_hue(scenario, UserId(user as u32))}
                        facts={facts(spec.weight.value(), lane.blocks.len())}
                        axis={props.axis} {gap} {width} sticky={sticky == Some(user)} rows={lane.rows}
                        cards={alone.map(card).collect::<Vec<_>>()} {together}
                        queue={spec.queue.clone().filter(|queue| queue.kind == QueueKind::Latency)}
                        schedules={props.schedules.clone()}
                        onpointerdown={onpointerdown.clone()} onpointermove={onpointermove.clone()} />
                }
            }) }</>
            if folds {
                { rest_of_users(rest, &lanes::merged(laid.iter().zip(&unfolded).filter(|(_, shown)|
                    !**shown).map(|(lane, _)| lane)),
                    props.axis, gap, &search, &all) }
            }
        </section>
    }
}

/// Keys of the block that has the focus: they lead to other blocks, and change it and the chosen ones.
fn keys(
    props: &LanesProps,
    send: Callback<Action>,
    laid: &Rc<Vec<lanes::Lane>>,
    refocus: Callback<JobId>,
) -> Callback<KeyboardEvent> {
    let (chosen, axis) = (props.chosen.clone(), props.axis);
    let laid = Rc::clone(laid);
    Callback::from(move |event: KeyboardEvent| {
        let target = event.target_dyn_into::<web_sys::Element>();
        let job = target.and_then(|target| target.get_attribute("data-job")?.parse().ok());
        let Some(job) = job.map(JobId) else { return };
        if let Some(way) = direction_of_key(&event) {
            event.prevent_default();
            event.stop_propagation();
            if let Some(beside) = pick::job_beside(&laid, job, way) {
                refocus.emit(beside);
                send.emit(Action::View(ViewAction::Choose(beside, JobChoice::Only)));
            }
            return;
        }
        let jobs = if chosen.contains(&job) { chosen.iter().copied().collect() } else { vec![job] };
        if let Some(actions) = actions_of_key(&event, job, &jobs, axis) {
            event.prevent_default();
            event.stop_propagation();
            if actions.contains(&EDIT) {
                focus_soon("#job-name");
            } else {
                refocus.emit(job);
            }
            actions.into_iter().for_each(|action| send.emit(action));
        }
    })
}

/// Keeps a space from pressing the block when it comes up, as it would in some browsers.
fn keep_space() -> Callback<KeyboardEvent> {
    Callback::from(|event: KeyboardEvent| {
        let target = event.target_dyn_into::<web_sys::Element>();
        if target.is_some_and(|target| target.has_attribute("data-job")) {
            event.prevent_default();
        }
    })
}

/// A user's weight, if it is not the usual one, and number of jobs.
fn facts(weight: f64, jobs: usize) -> String {
    let jobs = number::counted(jobs, "job");
    if weight == 1.0 { jobs } else { format!("weight {weight}, {jobs}") }
}

/// The lane of all users without one of their own, with a field to find one and a button to show all.
fn rest_of_users(
    rest: usize,
    lane: &lanes::Lane,
    axis: TimeAxis,
    gap: Span,
    search: &UseStateHandle<String>,
    all: &UseStateHandle<bool>,
) -> Html {
    let onclick = {
        let all = all.clone();
        Callback::from(move |_: MouseEvent| all.set(!*all))
    };
    let users = number::counted(rest, "more user");
    html! {
        <div class="lane row rest">
            <div class="gutter"><input type="text" id="find-user" placeholder="find a user" aria-label="Find a user"
                value={(**search).clone()} oninput={typing(search)} /></div>
            <div class="plot track">
                { for clusters(lane, gap).iter().map(|cluster| lane::together(cluster, "nobody", axis)) }
                <button type="button" class="small" id="all-users" {onclick} aria-expanded={all.to_string()}>
                    { if **all { "show fewer".to_owned() } else { format!("{users}: show all") } }
                </button>
            </div>
        </div>
    }
}

/// Brings the focus back to a job's block after a key has moved it to another lane.
#[hook]
fn use_refocus() -> Callback<JobId> {
    let wanted = use_mut_ref(|| None::<JobId>);
    let after = Rc::clone(&wanted);
    use_effect(move || {
        if let Some(job) = after.borrow_mut().take() {
            focus(&format!("#lanes [data-job='{}']", job.0));
        }
    });
    Callback::from(move |job| *wanted.borrow_mut() = Some(job))
}

fn percent(fraction: f64) -> String {
    format!("{:.3}%", fraction * 100.0)
}

/// A job's estimate over its true work, where they differ.
fn estimate_of(job: &Job) -> Option<f64> {
    let (estimate, work) = (job.estimate.0, job.work().0);
    (estimate != work && work > 0).then(|| estimate as f64 / work as f64)
}

/// The way to another block that a key leads: Ctrl and an arrow.
fn direction_of_key(event: &KeyboardEvent) -> Option<JobDirection> {
    let command = event.ctrl_key() || event.meta_key();
    let way = match event.key().as_str() {
        "ArrowLeft" => JobDirection::Earlier,
        "ArrowRight" => JobDirection::Later,
        "ArrowUp" => JobDirection::Above,
        "ArrowDown" => JobDirection::Below,
        _ => return None,
    };
    command.then_some(way)
}

/// Opens the editor of the chosen job.
const EDIT: Action = Action::View(ViewAction::Show(Tab::Inspector(InspectorPart::Edit)));

/// What a key does to a block: arrows move it, others choose, copy, delete or open it.
fn actions_of_key(event: &KeyboardEvent, job: JobId, jobs: &[JobId], axis: TimeAxis) -> Option<Vec<Action>> {
    let step = grid(axis.length() as f64 / KEY_SCALE_PX).0 as i64 * if event.shift_key() { 10 } else { 1 };
    let shift = |by, lanes| {
        vec![Action::Document(DocumentAction::Edit(Edit::Move { jobs: jobs.to_vec(), by: Shift(by), lanes }))]
    };
    let command = event.ctrl_key() || event.meta_key();
    Some(match event.key().as_str() {
        "ArrowLeft" => shift(-step, 0),
        "ArrowRight" => shift(step, 0),
        "ArrowUp" => shift(0, -1),
        "ArrowDown" => shift(0, 1),
        "Delete" | "Backspace" => {
            vec![Action::Document(DocumentAction::Edit(Edit::Delete { jobs: jobs.to_vec() }))]
        }
        "d" if command => vec![Action::Document(DocumentAction::Edit(Edit::Duplicate {
            jobs: jobs.to_vec(),
            by: Shift(step),
        }))],
        " " => vec![Action::View(ViewAction::Choose(job, JobChoice::Toggle))],
        "Enter" => vec![Action::View(ViewAction::Choose(job, JobChoice::Only)), EDIT],
        _ => return None,
    })
}

/// The grid for keys is that of a lane so wide, in logical pixels, whatever the window's width.
const KEY_SCALE_PX: f64 = 600.0;
