//! Kinds of jobs to drag into a lane.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use crate::panels::lanes::drag::{lane_under, under};
use crate::results::shared::Shared;
use crate::store::{Action, Document, DocumentAction, InspectorPart, Tab, ViewAction};
use crate::ui::send::{Handlers, use_send};
use fairlane::ids::{JobId, UserId};
use fairlane::scenario::edit::Edit;
use fairlane::scenario::palette::JobTemplate;
use fairlane::units::{Time, Weight};
use fairlane_view::{TimeAxis, grid, snap};

#[derive(Clone, Properties, PartialEq)]
pub struct PaletteProps {
    pub document: Shared<Document>,
    pub axis: TimeAxis,
    pub playhead: Time,
    pub chosen: Option<JobId>,
}

/// The kinds, to be dragged into a lane; pressed, or by keys, one goes to the chosen job's lane (or the
/// first) at the playhead.
#[component]
pub fn Palette(props: &PaletteProps) -> Html {
    let send = use_send::<Action>();
    let name = props.document.scenario.free_user_name();
    let add_user = send.press(DocumentAction::Edit(Edit::AddUser { name, weight: Weight::ONE }));
    html! {
        <details class="palette">
            <summary id="add">{ "Add" }<span>{ " a job or user" }</span></summary>
            <div role="group" aria-label="New jobs and users">
            { for JobTemplate::ALL.iter().map(|&kind| html! {
                <Chip key={kind.name()} {kind} document={props.document.clone()} axis={props.axis}
                    playhead={props.playhead} chosen={props.chosen} />
            }) }
            <button type="button" class="chip" id="new-user" onclick={add_user}
                title="A lane for one more user, who needs a job to be seen in the schedules">{ "user" }</button>
            </div>
        </details>
    }
}

#[derive(Properties, PartialEq)]
struct ChipProps {
    kind: JobTemplate,
    document: Shared<Document>,
    axis: TimeAxis,
    playhead: Time,
    chosen: Option<JobId>,
}

#[derive(Clone, Copy, PartialEq)]
enum PaletteDrag {
    /// Where it was pressed; a release there adds a job at the playhead.
    Pressed(f64, f64),
    /// Away from there, and not yet over a lane.
    MovedAway,
    Dragging,
}

/// How far a pressed pointer may move and still be a press, in logical pixels.
const SLACK_PX: f64 = 4.0;

#[component]
fn Chip(props: &ChipProps) -> Html {
    let send = use_send();
    let hold: Rc<RefCell<Option<PaletteDrag>>> = use_mut_ref(|| None);
    let kind = props.kind;
    let onpointerdown = {
        let hold = Rc::clone(&hold);
        Callback::from(move |event: PointerEvent| {
            if event.button() == 0 {
                if let Some(chip) = event.target_dyn_into::<web_sys::Element>() {
                    // Without capture nothing can be dragged; the press still adds a job.
                    let _ = chip.set_pointer_capture(event.pointer_id());
                }
                *hold.borrow_mut() =
                    Some(PaletteDrag::Pressed(f64::from(event.client_x()), f64::from(event.client_y())));
            }
        })
    };
    let onpointermove = {
        let (hold, send, axis) = (Rc::clone(&hold), send.clone(), props.axis);
        Callback::from(move |event: PointerEvent| {
            let mut hold = hold.borrow_mut();
            let Some(held) = hold.as_mut() else { return };
            let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
            match (*held, edit_under(kind, x, y, axis, event.alt_key())) {
                (PaletteDrag::Dragging, None) => send.emit(Action::Document(DocumentAction::DragBack)),
                (PaletteDrag::Dragging, Some(edit)) => {
                    send.emit(Action::Document(DocumentAction::DragTo(edit)))
                }
                (PaletteDrag::Pressed(..) | PaletteDrag::MovedAway, Some(edit)) => {
                    *held = PaletteDrag::Dragging;
                    send.emit(Action::Document(DocumentAction::DragStart));
                    send.emit(Action::Document(DocumentAction::DragTo(edit)));
                }
                (PaletteDrag::Pressed(from_x, from_y), None) => {
                    if (x - from_x).hypot(y - from_y) > SLACK_PX {
                        *held = PaletteDrag::MovedAway;
                    }
                }
                (PaletteDrag::MovedAway, None) => {}
            }
        })
    };
    let onpointerup = {
        let hold = Rc::clone(&hold);
        send.on(move |_: PointerEvent| {
            (hold.borrow().as_ref() == Some(&PaletteDrag::Dragging))
                .then_some(Action::Document(DocumentAction::DragCommit))
        })
    };
    let onpointercancel = {
        let hold = Rc::clone(&hold);
        send.on(move |_: PointerEvent| {
            (hold.borrow_mut().take() == Some(PaletteDrag::Dragging))
                .then_some(Action::Document(DocumentAction::DragCancel))
        })
    };
    let onclick = {
        let arrival = props.playhead;
        let user = props
            .chosen
            .and_then(|job| props.document.scenario.jobs().get(job.index()))
            .map_or(UserId(0), |job| job.user);
        Callback::from(move |_: MouseEvent| {
            // The click that ends a drag is not another job; one by keys had no pointer before it.
            let adds = hold.borrow_mut().take().is_none_or(|hold| matches!(hold, PaletteDrag::Pressed(..)));
            if adds {
                send.emit(Action::Document(DocumentAction::Edit(Edit::AddJob { kind, user, arrival })));
                send.emit(Action::View(ViewAction::Show(Tab::Inspector(InspectorPart::Edit))));
            }
        })
    };
    html! {
        <button type="button" class="chip" id={format!("new-{}", kind.name())}
            title={format!("{} Drag it into a lane, or press to add it at the playhead.", kind.explanation())}
            {onpointerdown} {onpointermove} {onpointerup} {onpointercancel} {onclick}>{ kind.name() }</button>
    }
}

/// The job that a chip over a lane means; `None` if it is over none.
fn edit_under(kind: JobTemplate, x: f64, y: f64, axis: TimeAxis, free: bool) -> Option<Edit> {
    let user = UserId(lane_under(x, y)?);
    let area = under(x, y, ".track")?.get_bounding_client_rect();
    let fraction = (x - area.left()) / area.width().max(1.0);
    let wanted = axis.time(fraction);
    let grid = grid(axis.length() as f64 / area.width().max(1.0));
    let arrival = if free { wanted } else { snap(wanted, grid) };
    Some(Edit::AddJob { kind, user, arrival })
}
