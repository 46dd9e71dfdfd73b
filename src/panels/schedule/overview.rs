//! The whole schedule as a strip above the ruler, and the brush on it that chooses the window of time.

use std::cell::Cell;
use std::rc::Rc;

use yew::prelude::*;

use crate::browser::dom::around;
use crate::panels::pointer_fraction;
use crate::plots::texture::stacked;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{Action, ViewAction};
use crate::ui::focus::focus;
use crate::ui::hooks::use_width;
use crate::ui::send::{Handlers, use_send};
use fairlane::trace;
use fairlane_view::TimeAxis;
use fairlane_view::overview::{self, BrushHandle, COLUMNS, KEY_STEP};

#[derive(Clone, Properties, PartialEq)]
pub struct OverviewProps {
    /// The schedule of the first panel.
    pub analysis: Option<Shared<Analysis>>,
    pub axis: TimeAxis,
    pub whole: TimeAxis,
}

/// A drag: what is dragged, the window before, and where the pointer was pressed.
type OverviewDrag = (BrushHandle, TimeAxis, f64);

#[component]
pub fn Overview(props: &OverviewProps) -> Html {
    let send = use_send();
    let &OverviewProps { axis, whole, .. } = props;
    let plot = use_node_ref();
    let width = use_width(&plot);
    let image = use_memo((props.analysis.clone(), whole, width.to_bits()), |(analysis, whole, _)| {
        analysis.as_ref().map(|analysis| strip(analysis, *whole, width)).unwrap_or_default()
    });
    let held = use_memo((), |()| Cell::new(None::<OverviewDrag>));
    let look = send
        .reform(move |window: TimeAxis| Action::View(ViewAction::Zoom((window != whole).then_some(window))));
    let onpointerdown = {
        let held = Rc::clone(&held);
        Callback::from(move |event: PointerEvent| {
            let Some(at) = pointer_fraction(&event).filter(|_| event.button() == 0) else { return };
            if let Some(plot) = around(&event, ".plot") {
                // Without capture the drag ends at the strip's edge, no worse.
                let _ = plot.set_pointer_capture(event.pointer_id());
            }
            let target = event.target_dyn_into::<web_sys::Element>();
            let name = target.and_then(|target| target.get_attribute("data-grip")).unwrap_or_default();
            let grip = match name.as_str() {
                "start" => BrushHandle::Start,
                "end" => BrushHandle::End,
                "middle" if axis != whole => BrushHandle::Middle,
                _ => BrushHandle::New,
            };
            held.set(Some((grip, axis, at)));
        })
    };
    let onpointermove = {
        let (held, look) = (Rc::clone(&held), look.clone());
        Callback::from(move |event: PointerEvent| {
            let (Some((grip, base, from)), Some(to)) = (held.get(), pointer_fraction(&event)) else { return };
            // A press that hardly moves draws nothing.
            if grip != BrushHandle::New || (to - from).abs() > MIN_CHANGE {
                look.emit(overview::dragged(grip, base, whole, from, to));
            }
        })
    };
    let release = Callback::from(move |_: PointerEvent| held.set(None));
    let reset = send.press(ViewAction::Zoom(None));
    let (from, to) = (whole.fraction(axis.from), whole.fraction(axis.to));
    let key = |grip: BrushHandle| {
        let (look, send) = (look.clone(), send.clone());
        Callback::from(move |event: KeyboardEvent| {
            let step = KEY_STEP * (to - from);
            let by = match event.key().as_str() {
                "ArrowLeft" | "ArrowDown" => -step,
                "ArrowRight" | "ArrowUp" => step,
                "Escape" | "0" => {
                    event.prevent_default();
                    focus("#overview-middle");
                    return send.emit(Action::View(ViewAction::Zoom(None)));
                }
                _ => return,
            };
            if event.ctrl_key() || event.meta_key() || event.alt_key() {
                return;
            }
            event.prevent_default();
            look.emit(overview::dragged(grip, axis, whole, 0.0, by));
        })
    };
    let percent = |fraction: f64| format!("{:.3}", fraction * 100.0);
    let grip = |id: &'static str,
                name: &'static str,
                label: &'static str,
                grip: BrushHandle,
                now: f64,
                text: String,
                style: String| {
        html! {
            <span id={id} class={classes!("grip", name)} data-grip={name} role="slider" tabindex="0"
                aria-label={label} aria-valuemin="0" aria-valuemax="100"
                aria-valuenow={percent(now)} aria-valuetext={text} {style} onkeydown={key(grip)}></span>
        }
    };
    let (first, last) = (axis.label(axis.from), axis.label(axis.to));
    html! {
        <div class="row overview">
            <div class="gutter"><span>{ "overview" }</span></div>
            <div class="plot" ref={plot} title="Drag to choose what is shown; double-click shows everything" {onpointerdown}
                {onpointermove} onpointerup={release.clone()}
                onpointercancel={release} ondblclick={reset}>
                { (*image).clone() }
                { grip("overview-middle", "middle", "Window of time", BrushHandle::Middle, (from + to) / 2.0,
                    format!("{first} to {last}"),
                    format!("left:{}%;width:{}%", percent(from), percent(to - from))) }
                { grip("overview-start", "start", "Start of the window", BrushHandle::Start, from, first.clone(),
                    format!("left:{}%", percent(from))) }
                { grip("overview-end", "end", "End of the window", BrushHandle::End, to, last.clone(),
                    format!("left:{}%", percent(to))) }
            </div>
        </div>
    }
}

/// The least part of the strip that a new window takes.
const MIN_CHANGE: f64 = 0.01;

/// Height of the strip in logical pixels, as in the stylesheet.
const HEIGHT_PX: f64 = 24.0;

/// Each user's running tasks over time, stacked.
fn strip(analysis: &Analysis, whole: TimeAxis, width: f64) -> Html {
    let cores = analysis.trace.cores.max(1);
    let users = analysis.trace.users.len();
    let running = |column: usize| {
        let at = whole.time((column as f64 + 0.5) / COLUMNS as f64);
        let load = analysis.load_at(at).unwrap_or_else(|| vec![trace::CoreLoad::default(); users]);
        load.into_iter().map(|load| load.running).collect::<Vec<u32>>()
    };
    let columns: Vec<Vec<u32>> = (0..COLUMNS).map(running).collect();
    let of_user = |user: usize| columns.iter().map(|running| running[user]).collect();
    let series: Vec<Vec<u32>> = (0..users).map(of_user).collect();
    let paths = overview::stacked(&series, cores);
    stacked("overview", &analysis.scenario, (COLUMNS, cores), (width, HEIGHT_PX), paths, Html::default())
}
