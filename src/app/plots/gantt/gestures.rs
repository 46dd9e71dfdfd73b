//! What a pointer does on a chart: hover tells a task's facts, a press asks why it runs, a drag pans
//! (or scrubs while everything is shown), two fingers pinch.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::Props;
use crate::app::selectors;
use crate::app::store::{Action, Asked, Choice};
use crate::app::wire::Outcome;
use crate::trace::TaskRun;
use crate::units::Time;
use crate::view::TimeAxis;
use crate::view::gantt::Rows;
use crate::view::pick::{self, Point};

/// A chart's pointer handlers, and the tip that they show.
pub(super) struct Gestures {
    pub(super) down: Callback<PointerEvent>,
    pub(super) moved: Callback<PointerEvent>,
    pub(super) up: Callback<PointerEvent>,
    pub(super) cancelled: Callback<PointerEvent>,
    pub(super) left: Callback<PointerEvent>,
    pub(super) tip: Html,
}

/// Logical pixels a pressed pointer may stray before the press becomes a drag.
const SLACK_PX: f64 = 3.0;

/// The pointers that are down.
#[derive(Default)]
struct Held {
    /// Where each is, in logical pixels from the left edge.
    pointers: BTreeMap<i32, f64>,
    /// Where the first was pressed.
    pressed: f64,
    /// The axis then.
    axis: Option<TimeAxis>,
    /// Distance of two pointers when the second came.
    spread: Option<f64>,
    strayed: bool,
}

/// Where a pointer is in the chart, in logical pixels, and how wide the chart is.
fn place(event: &PointerEvent) -> Option<(f64, f64, f64)> {
    // Yew listens at the root, so the current target is not the chart.
    let element: web_sys::Element = event.target()?.dyn_into().ok()?;
    let area = element.get_bounding_client_rect();
    let (x, y) = (f64::from(event.client_x()) - area.left(), f64::from(event.client_y()) - area.top());
    (area.width() > 0.0).then(|| (x, y, area.width()))
}

/// The task under a point, by place in the trace. A finger needs not be as exact as a mouse.
fn hit(
    outcome: &Outcome,
    axis: TimeAxis,
    rows: &Rows,
    (x, y, width): (f64, f64, f64),
    event: &PointerEvent,
) -> Option<usize> {
    let reach = if event.pointer_type() == "touch" { 12.0 } else { 2.0 };
    pick::task_at(&outcome.trace, &outcome.index, axis, rows, width, Point { x, y, reach })
}

#[hook]
pub(super) fn use_gestures(props: &Props, rows: Rows) -> Gestures {
    let held: Rc<RefCell<Held>> = use_mut_ref(Held::default);
    let tip = use_state_eq(|| None::<(usize, i32, i32)>);
    let (outcome, axis) = (props.outcome.clone(), props.axis);
    let down = {
        let (held, tip) = (Rc::clone(&held), tip.setter());
        Callback::from(move |event: PointerEvent| {
            let Some((x, ..)) = place(&event).filter(|_| event.button() == 0) else { return };
            if let Some(element) = event.target_dyn_into::<web_sys::Element>() {
                // Without capture a drag ends at the chart's edge, no worse.
                let _ = element.set_pointer_capture(event.pointer_id());
            }
            tip.set(None);
            let mut held = held.borrow_mut();
            held.pointers.insert(event.pointer_id(), x);
            if held.pointers.len() == 1 {
                *held = Held {
                    pointers: std::mem::take(&mut held.pointers),
                    pressed: x,
                    axis: Some(axis),
                    ..Held::default()
                };
            } else {
                held.spread = spread(&held);
                held.axis = Some(axis);
                held.strayed = true;
            }
        })
    };
    let moved = {
        let (held, tip, outcome, send, rows) =
            (Rc::clone(&held), tip.setter(), outcome.clone(), props.send.clone(), rows.clone());
        Callback::from(move |event: PointerEvent| {
            let Some((x, y, width)) = place(&event) else { return };
            let mut held = held.borrow_mut();
            if !held.pointers.contains_key(&event.pointer_id()) {
                let task = hit(&outcome, axis, &rows, (x, y, width), &event);
                tip.set(task.map(|task| (task, x as i32, y as i32)));
                return;
            }
            held.pointers.insert(event.pointer_id(), x);
            let Some(base) = held.axis else { return };
            if let (Some(before), Some(now)) = (held.spread, spread(&held)) {
                let middle = held.pointers.values().sum::<f64>() / held.pointers.len() as f64;
                send.emit(Action::ZoomBy { base, fraction: middle / width, factor: before / now.max(1.0) });
                return;
            }
            held.strayed |= (x - held.pressed).abs() > SLACK_PX;
            if held.strayed {
                send.emit(Action::PanOrScrub {
                    base,
                    part: (held.pressed - x) / width,
                    at: base.time(x / width),
                });
            }
        })
    };
    let up = {
        let (held, outcome, send, policy) =
            (Rc::clone(&held), outcome.clone(), props.send.clone(), props.policy);
        Callback::from(move |event: PointerEvent| {
            let mut held = held.borrow_mut();
            let was_down = held.pointers.remove(&event.pointer_id()).is_some();
            held.spread = None;
            let Some(point) = place(&event).filter(|_| was_down && !held.strayed) else { return };
            send.emit(Action::Seek(axis.time(point.0 / point.2)));
            if let Some(task) = hit(&outcome, axis, &rows, point, &event) {
                send.emit(Action::Choose(outcome.trace.tasks[task].job, Choice::Only));
                send.emit(Action::Ask(policy, Asked::Dispatch(task)));
            }
        })
    };
    let cancelled = Callback::from(move |_: PointerEvent| *held.borrow_mut() = Held::default());
    let left = {
        let tip = tip.setter();
        Callback::from(move |_: PointerEvent| tip.set(None))
    };
    let tip =
        tip.and_then(|(task, x, y)| outcome.trace.tasks.get(task).map(|run| tip_of(&outcome, run, x, y)));
    Gestures { down, moved, up, cancelled, left, tip: tip.unwrap_or_default() }
}

/// The distance of the first two pointers.
fn spread(held: &Held) -> Option<f64> {
    let mut places = held.pointers.values();
    Some((places.next()? - places.next()?).abs())
}

/// A task's facts beside the pointer.
fn tip_of(outcome: &Outcome, run: &TaskRun, x: i32, y: i32) -> Html {
    let scenario = &outcome.scenario;
    let stage = &scenario.jobs[run.job.index()].stages[run.stage as usize];
    let name = if stage.name.is_empty() { format!("stage {}", run.stage) } else { stage.name.clone() };
    let Time(length) = Time(run.end.since(run.start).0);
    html! {
        <div class="tip" style={format!("left:{x}px;top:{y}px")} aria-hidden="true">
            <b>{ scenario.job_label(run.job) }</b>{ format!(" of {}", scenario.user_name(run.job)) }<br />
            { format!("{name}, task {} on core {}", run.task, run.core.0) }<br />
            { format!("{} to {}, {}", selectors::instant(run.start), selectors::instant(run.end), selectors::instant(Time(length))) }
            <small>{ "press: why this one?" }</small>
        </div>
    }
}
