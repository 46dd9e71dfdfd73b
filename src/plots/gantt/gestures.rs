//! Pointer gestures on a chart: hovering shows a task's facts, a press asks why it runs, a drag pans
//! (or scrubs while everything is shown; up and down where only some of the cores are), two fingers pinch.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use yew::prelude::*;

use super::GanttProps;
use super::tip::Hover;
use crate::store::{Action, DisplayQuestion, JobChoice, PlaybackAction, ViewAction};
use crate::ui::send::use_send;
use fairlane_view::TimeAxis;
use fairlane_view::gantt::{ChartRows, CoreWindow};
use fairlane_view::pick::{self, PointerPosition};

/// A chart's pointer handlers, and the overlay.
pub(super) struct GanttGestures {
    pub(super) down: Callback<PointerEvent>,
    pub(super) moved: Callback<PointerEvent>,
    pub(super) up: Callback<PointerEvent>,
    pub(super) clicked: Callback<MouseEvent>,
    pub(super) cancelled: Callback<PointerEvent>,
    pub(super) left: Callback<PointerEvent>,
    pub(super) over: Html,
}

/// How far a pressed pointer may move before the press becomes a drag, in logical pixels.
const SLACK_PX: f64 = 3.0;

/// The pointers that are down.
#[derive(Default)]
struct ActivePointers {
    /// Where each is, in logical pixels from the left edge.
    pointers: BTreeMap<i32, f64>,
    /// Where the first was pressed.
    pressed: (f64, f64),
    /// The axis and the cores shown then.
    axis: Option<TimeAxis>,
    cores: Option<CoreWindow>,
    /// Distance of two pointers when the second was pressed.
    spread: Option<f64>,
    moved_away: bool,
    /// Where a press has ended that was no drag, and how wide the chart is; the click follows.
    released: Option<(PointerPosition, f64)>,
}

impl ActivePointers {
    /// Begins with a pointer alone, or goes on with one more, which zooms.
    fn press(&mut self, pointer: i32, at: (f64, f64), axis: TimeAxis, cores: Option<CoreWindow>) {
        self.pointers.insert(pointer, at.0);
        if self.pointers.len() == 1 {
            *self = ActivePointers {
                pointers: std::mem::take(&mut self.pointers),
                pressed: at,
                axis: Some(axis),
                cores,
                ..ActivePointers::default()
            };
        } else {
            self.spread = spread(self);
            self.axis = Some(axis);
            self.moved_away = true;
        }
    }
}

/// Where a pointer is in the chart, in logical pixels, and how wide the chart is.
fn position(event: &PointerEvent) -> Option<(f64, f64, f64)> {
    // Yew listens at the root, so the current target is not the chart.
    let element = event.target_dyn_into::<web_sys::Element>()?;
    let area = element.get_bounding_client_rect();
    let (x, y) = (f64::from(event.client_x()) - area.left(), f64::from(event.client_y()) - area.top());
    (area.width() > 0.0).then(|| (x, y, area.width()))
}

/// A point of the chart. A finger needs not be as exact as a mouse.
fn point((x, y): (f64, f64), event: &PointerEvent) -> PointerPosition {
    PointerPosition { x, y, reach: if event.pointer_type() == "touch" { 12.0 } else { 2.0 } }
}

#[hook]
pub(super) fn use_gestures(props: &GanttProps, rows: ChartRows) -> GanttGestures {
    let send = use_send();
    let held: Rc<RefCell<ActivePointers>> = use_mut_ref(ActivePointers::default);
    let tip = use_state_eq(|| None::<Hover>);
    let (analysis, axis, shown) = (props.analysis.clone(), props.axis, props.cores);
    let all = analysis.scenario.cluster().cores();
    let down = {
        let (held, tip) = (Rc::clone(&held), tip.setter());
        Callback::from(move |event: PointerEvent| {
            let Some((x, y, _)) = position(&event).filter(|_| event.button() == 0) else { return };
            if let Some(element) = event.target_dyn_into::<web_sys::Element>() {
                // Without capture a drag ends at the chart's edge, no worse.
                let _ = element.set_pointer_capture(event.pointer_id());
            }
            tip.set(None);
            let cores = Some(shown).filter(|shown| shown.count < all);
            held.borrow_mut().press(event.pointer_id(), (x, y), axis, cores);
        })
    };
    let moved = {
        let (held, tip, analysis, rows) = (Rc::clone(&held), tip.setter(), analysis.clone(), rows.clone());
        let (send, look) = (send.clone(), props.look.clone());
        Callback::from(move |event: PointerEvent| {
            let Some((x, y, width)) = position(&event) else { return };
            let mut held = held.borrow_mut();
            if !held.pointers.contains_key(&event.pointer_id()) {
                tip.set(Hover::at(&analysis, axis, &rows, width, point((x, y), &event)));
                return;
            }
            held.pointers.insert(event.pointer_id(), x);
            let Some(base) = held.axis else { return };
            if let (Some(before), Some(now)) = (held.spread, spread(&held)) {
                let middle = held.pointers.values().sum::<f64>() / held.pointers.len() as f64;
                send.emit(Action::View(ViewAction::ZoomBy {
                    base,
                    fraction: middle / width,
                    factor: before / now.max(1.0),
                }));
                return;
            }
            let (pressed_x, pressed_y) = held.pressed;
            let down = held.cores.map(|cores| (cores, y - pressed_y));
            held.moved_away |=
                (x - pressed_x).abs() > SLACK_PX || down.is_some_and(|(_, down)| down.abs() > SLACK_PX);
            if held.moved_away {
                if let Some((cores, down)) = down {
                    let by = -down / f64::from(rows.height.max(1)) * f64::from(cores.count);
                    look.emit(cores.moved(by.round() as i64, all));
                }
                send.emit(Action::View(ViewAction::PanOrScrub {
                    base,
                    part: (pressed_x - x) / width,
                    at: base.time(x / width),
                }));
            }
        })
    };
    let up = {
        let held = Rc::clone(&held);
        Callback::from(move |event: PointerEvent| {
            let mut held = held.borrow_mut();
            let was_down = held.pointers.remove(&event.pointer_id()).is_some();
            held.spread = None;
            let at = position(&event).filter(|_| was_down && !held.moved_away);
            held.released = at.map(|(x, y, width)| (point((x, y), &event), width));
        })
    };
    // Not before the click: it would hit what has just opened beneath the finger.
    let clicked = {
        let (held, analysis, send, policy, rows) =
            (Rc::clone(&held), analysis.clone(), send, props.policy, rows.clone());
        Callback::from(move |_: MouseEvent| {
            let Some((point, width)) = held.borrow_mut().released.take() else { return };
            send.emit(Action::Playback(PlaybackAction::Seek(axis.time(point.x / width))));
            let trace = &analysis.trace;
            let task = pick::cross_at(trace, axis, &rows, width, point)
                .or_else(|| pick::task_at(trace, analysis.index(), axis, &rows, width, point));
            if let Some(task) = task {
                send.emit(Action::View(ViewAction::Choose(trace.tasks[task].job, JobChoice::Only)));
                send.emit(Action::View(ViewAction::Ask(policy, DisplayQuestion::Dispatch(task))));
            }
        })
    };
    let cancelled = Callback::from(move |_: PointerEvent| *held.borrow_mut() = ActivePointers::default());
    let left = {
        let tip = tip.setter();
        Callback::from(move |_: PointerEvent| tip.set(None))
    };
    let over = (*tip).as_ref().map(|hover| hover.over(&analysis, axis, &rows));
    GanttGestures { down, moved, up, clicked, cancelled, left, over: over.unwrap_or_default() }
}

/// The distance of the first two pointers.
fn spread(held: &ActivePointers) -> Option<f64> {
    let mut positions = held.pointers.values();
    Some((positions.next()? - positions.next()?).abs())
}
