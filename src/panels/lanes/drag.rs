//! Dragging blocks: the pointer is held by the section as a whole, because a block that goes to
//! another lane is another element there.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::LanesProps;
use crate::browser::dom::{self, around};
use crate::results::shared::Shared;
use crate::store::{Action, Document, DocumentAction, InspectorPart, JobChoice, Tab, ViewAction};
use crate::ui::send::use_send;
use fairlane::ids::JobId;
use fairlane::scenario::edit::{Edit, Shift};
use fairlane::units::Time;
use fairlane_view::{TimeAxis, grid, snap};

/// How far a pressed pointer may move before the press becomes a drag, in logical pixels.
const SLACK_PX: f64 = 3.0;

/// The section's pointer handlers.
pub(super) struct LaneGestures {
    pub(super) down: Callback<PointerEvent>,
    pub(super) moved: Callback<PointerEvent>,
    pub(super) up: Callback<PointerEvent>,
    pub(super) clicked: Callback<MouseEvent>,
    pub(super) cancelled: Callback<PointerEvent>,
}

/// A pressed pointer on a block.
struct BlockPress {
    pointer: i32,
    job: JobId,
    /// The jobs that go along, as numbered when the pointer was pressed.
    jobs: Vec<JobId>,
    arrival: Time,
    lane: i32,
    /// The lanes.
    section: web_sys::Element,
    x: f64,
    y: f64,
    /// Microseconds per logical pixel.
    scale: f64,
    /// The height at which the pointer was last, and how many lanes down that is: finding it out again would have the
    /// browser lay the page out once more in each frame of a drag along a lane.
    lanes: (f64, i32),
    /// Whether it is a finger on a job that was not chosen alone.
    first_touch: bool,
    stage: DragPhase,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DragPhase {
    /// Not yet further than the slack.
    Pressed,
    Dragging,
    /// No longer pressed, without having been dragged; the click follows.
    Released,
}

/// The element under a point, or one around it, that matches.
pub(crate) fn under(x: f64, y: f64, css: &str) -> Option<web_sys::Element> {
    let element = gloo::utils::document().element_from_point(x as f32, y as f32)?;
    element.closest(css).ok().flatten()
}

/// The user's number of the lane under a point.
pub(crate) fn lane_under(x: f64, y: f64) -> Option<u32> {
    under(x, y, ".track")?.get_attribute("data-user")?.parse().ok()
}

/// The user's number of the lane at a point, from the lanes' positions. Asking the browser for the element under the
/// point takes longer, with hundreds of blocks, than everything else that a move of the pointer needs.
fn lane_at(section: &web_sys::Element, x: f64, y: f64) -> Option<i32> {
    let tracks = section.query_selector_all(".track").ok()?;
    let area = |index: u32| {
        Some(tracks.item(index)?.dyn_into::<web_sys::Element>().ok()?.get_bounding_client_rect())
    };
    // One below the other, so the last that begins above the point is the one, or none is.
    let (mut first, mut after) = (0, tracks.length());
    while first + 1 < after {
        let middle = first.midpoint(after);
        if area(middle)?.top() <= y {
            first = middle;
        } else {
            after = middle;
        }
    }
    let area = area(first).filter(|area| (area.top()..area.bottom()).contains(&y))?;
    let user = tracks.item(first)?.dyn_into::<web_sys::Element>().ok()?.get_attribute("data-user")?;
    (area.left()..area.right()).contains(&x).then(|| user.parse().ok()).flatten()
}

#[hook]
pub(super) fn use_gestures(props: &LanesProps) -> LaneGestures {
    let press: Rc<RefCell<Option<BlockPress>>> = use_mut_ref(|| None);
    let &LanesProps { ref document, axis, ref chosen, choice, .. } = props;
    let send = use_send();
    // Whether a pointer adds to what is chosen.
    let adds = move |event: &MouseEvent| {
        choice == JobChoice::Toggle || event.shift_key() || event.ctrl_key() || event.meta_key()
    };
    let down = {
        let (press, document, chosen, send) =
            (Rc::clone(&press), document.clone(), chosen.clone(), send.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() != 0 {
                return;
            }
            *press.borrow_mut() = None;
            if let Some(new) = pressed(&event, &document, axis, &chosen) {
                // Without capture the drag ends at the section's edge, no worse.
                let _ = new.section.set_pointer_capture(event.pointer_id());
                if !chosen.contains(&new.job) && !adds(&event) {
                    send.emit(Action::View(ViewAction::Choose(new.job, JobChoice::Only)));
                }
                *press.borrow_mut() = Some(new);
            }
        })
    };
    let moved = {
        let (press, send) = (Rc::clone(&press), send.clone());
        Callback::from(move |event: PointerEvent| {
            let mut press = press.borrow_mut();
            let held = |press: &&mut BlockPress| {
                press.pointer == event.pointer_id() && press.stage != DragPhase::Released
            };
            let Some(press) = press.as_mut().filter(held) else { return };
            let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
            if press.stage == DragPhase::Pressed {
                if (x - press.x).hypot(y - press.y) <= SLACK_PX {
                    return;
                }
                press.stage = DragPhase::Dragging;
                send.emit(Action::Document(DocumentAction::DragStart));
            }
            press.look(x, y);
            send.emit(Action::Document(DocumentAction::DragTo(press.edit(x, event.alt_key()))));
        })
    };
    let up = {
        let (press, send) = (Rc::clone(&press), send.clone());
        Callback::from(move |_: PointerEvent| {
            let mut press = press.borrow_mut();
            match press.as_mut() {
                Some(BlockPress { stage: DragPhase::Dragging, .. }) => {
                    *press = None;
                    // The arrow keys step through time again, and do not move the job.
                    dom::blur();
                    send.emit(Action::Document(DocumentAction::DragCommit));
                }
                Some(press) => press.stage = DragPhase::Released,
                None => {}
            }
        })
    };
    // Not before the click: it would hit what has just opened beneath the finger.
    let clicked = {
        let (press, send) = (Rc::clone(&press), send.clone());
        Callback::from(move |event: MouseEvent| {
            let released = press.take().filter(|press| press.stage == DragPhase::Released);
            let first_touch = released.as_ref().is_some_and(|press| press.first_touch);
            let job = match event.detail() {
                // Not by a pointer, but such as by a screen reader.
                0 => block_of(&event),
                _ => released.map(|press| press.job),
            };
            match job {
                None => {}
                Some(job) if adds(&event) => {
                    send.emit(Action::View(ViewAction::Choose(job, JobChoice::Toggle)))
                }
                Some(job) => {
                    send.emit(Action::View(ViewAction::Choose(job, JobChoice::Only)));
                    // A finger chooses first and edits with the second press: the sheet would cover what it has chosen.
                    if !first_touch {
                        send.emit(Action::View(ViewAction::Show(Tab::Inspector(InspectorPart::Edit))));
                    }
                }
            }
        })
    };
    let cancelled = {
        let send = send.clone();
        Callback::from(move |_: PointerEvent| {
            if press.borrow_mut().take().is_some_and(|press| press.stage == DragPhase::Dragging) {
                send.emit(Action::Document(DocumentAction::DragCancel));
            }
        })
    };
    LaneGestures { down, moved, up, clicked, cancelled }
}

/// The job that an event is about.
fn block_of(event: &MouseEvent) -> Option<JobId> {
    let block = around(event, "[data-job]")?;
    block.get_attribute("data-job")?.parse().ok().map(JobId)
}

/// The press that a pointer on a block makes.
fn pressed(
    event: &PointerEvent,
    document: &Shared<Document>,
    axis: TimeAxis,
    chosen: &BTreeSet<JobId>,
) -> Option<BlockPress> {
    let job = block_of(event)?;
    let (track, section) = (around(event, ".track")?, around(event, "#lanes")?);
    let spec = document.scenario.jobs().get(job.index())?;
    let jobs = if chosen.contains(&job) { chosen.iter().copied().collect() } else { vec![job] };
    Some(BlockPress {
        pointer: event.pointer_id(),
        job,
        jobs,
        arrival: spec.arrival,
        lane: spec.user.0 as i32,
        section,
        x: f64::from(event.client_x()),
        y: f64::from(event.client_y()),
        scale: axis.length() as f64 / track.get_bounding_client_rect().width().max(1.0),
        lanes: (f64::from(event.client_y()), 0),
        first_touch: event.pointer_type() == "touch" && !chosen.iter().eq([&job]),
        stage: DragPhase::Pressed,
    })
}

impl BlockPress {
    /// Looks in which lane the pointer is.
    fn look(&mut self, x: f64, y: f64) {
        if self.lanes.0 != y {
            self.lanes = (y, lane_at(&self.section, x, y).map_or(0, |lane| lane - self.lane));
        }
    }

    /// The move that the pointer means: a distance in time and a number of lanes.
    fn edit(&self, x: f64, free: bool) -> Edit {
        let wanted = (self.arrival.0 as f64 + (x - self.x) * self.scale).max(0.0);
        let wanted = Time(wanted.round() as u64);
        let arrival = if free { wanted } else { snap(wanted, grid(self.scale)) };
        Edit::Move { jobs: self.jobs.clone(), by: Shift::between(self.arrival, arrival), lanes: self.lanes.1 }
    }
}
