//! The picture of a performance curve, with handles that are pulled and points that are added.

use yew::prelude::*;

use crate::panels::editors::job::pull::{PullHandlers, handle_of, press_beside, use_pull};
use crate::store::{Action, DocumentAction};
use crate::ui::send::use_send;
use fairlane::ernest::{self, Fit, Sample};
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::scenario::{Edit, PerformanceCurve};
use fairlane_view::curve::{self, AREA, CurveHandle, Plot, SIZE};

/// A key's step, and a larger one, as parts of the picture's height.
const KEY_STEP: f64 = 0.02;
const LARGE_STEP: f64 = 0.1;

#[derive(Properties, PartialEq)]
pub struct PictureProps {
    pub cores: u32,
    pub curve: Option<PerformanceCurve>,
    pub samples: Vec<Sample>,
    pub fit: Option<Fit>,
    pub job: JobId,
}

impl PictureProps {
    /// Progress at each measured number of cores.
    fn measured(&self) -> Vec<(u32, f64)> {
        let progress = |sample: &Sample| {
            let shortest = self.fit.as_ref().map_or(0.0, |fit| fit.shortest);
            (sample.cores, shortest / sample.response.seconds())
        };
        self.samples.iter().map(progress).collect()
    }
}

/// Where a key leads a handle: a number of slots and a progress.
fn moved_by(key: &str, large: bool, sideways: bool, handle: &CurveHandle, top: f64) -> Option<(u32, f64)> {
    let step = top * if large { LARGE_STEP } else { KEY_STEP };
    Some(match key {
        "ArrowUp" => (handle.slots, handle.progress + step),
        "ArrowDown" => (handle.slots, handle.progress - step),
        "PageUp" => (handle.slots, handle.progress + top * LARGE_STEP),
        "PageDown" => (handle.slots, handle.progress - top * LARGE_STEP),
        "ArrowRight" if sideways => (handle.slots + 1, handle.progress),
        "ArrowLeft" if sideways => (handle.slots.saturating_sub(1), handle.progress),
        "ArrowRight" => (handle.slots, handle.progress + step),
        "ArrowLeft" => (handle.slots, handle.progress - step),
        _ => return None,
    })
}

/// The slots and the progress at a position in the picture.
fn at_position(plot: &Plot, (x, y): (f64, f64)) -> (u32, f64) {
    plot.at(x * SIZE.0, (1.0 - y) * SIZE.1)
}

#[component]
pub fn Picture(props: &PictureProps) -> Html {
    let send = use_send();
    let PictureProps { cores, curve: given, job, .. } = props;
    let (cores, job) = (*cores, *job);
    let chosen = use_state_eq(|| 0_usize);
    let measured = props.measured();
    let fitted = props.fit.as_ref().map(Fit::curve);
    let drawn = given.iter().chain(&fitted);
    let plot = Plot::of(cores, drawn, measured.iter().map(|point| point.1));
    let handles: Vec<CurveHandle> =
        given.as_ref().map(|curve| curve::handles(curve, cores)).unwrap_or_default();
    let moved = {
        let given = given.clone();
        move |handle: usize, slots: u32, progress: f64| {
            let curve = curve::pulled(given.as_ref()?, handle, slots, progress, cores);
            Some(Edit::Curve { job, curve: Some(curve), handle: Some(handle) })
        }
    };
    let pulling = {
        let moved = moved.clone();
        use_pull("svg", plot, &send, move |handle, plot: Plot, position| {
            let (slots, progress) = at_position(&plot, position);
            moved(handle, slots, progress)
        })
    };
    let plot = pulling.scale.unwrap_or(plot);
    let act = {
        let send = send.clone();
        move |edit: &Edit| send.emit(Action::Document(DocumentAction::Edit(edit.clone())))
    };
    let onkeydown = {
        let (handles, act, given) = (handles.clone(), act.clone(), given.clone());
        Callback::from(move |event: KeyboardEvent| {
            let index = handle_of(&event);
            let Some((index, handle)) = index.and_then(|index| Some((index, handles.get(index)?))) else {
                return;
            };
            let key = event.key();
            let edit = if ["Delete", "Backspace"].contains(&key.as_str()) {
                given.as_ref().and_then(|curve| without(curve, index, job))
            } else {
                let sideways = matches!(given, Some(PerformanceCurve::Points(_)));
                let moves = moved_by(&key, event.shift_key(), sideways, handle, plot.top);
                let Some((slots, progress)) = moves else { return };
                moved(index, slots, ernest::rounded(progress.max(plot.top * KEY_STEP / 4.0), 4))
            };
            event.prevent_default();
            event.stop_propagation();
            edit.iter().for_each(&act);
        })
    };
    let points = match given {
        Some(PerformanceCurve::Points(points)) => Some(points.clone()),
        _ => None,
    };
    let onclick = {
        let (was_pulled, act, points) = (pulling.was_pulled(), act.clone(), points.clone());
        Callback::from(move |event: MouseEvent| {
            let (Some(points), Some(position)) = (&points, press_beside(&event, "svg")) else { return };
            if was_pulled() {
                return;
            }
            let (slots, progress) = at_position(&plot, position);
            if let Some((_, curve)) = curve::with_point(points, slots, progress) {
                act(&Edit::Curve { job, curve: Some(curve), handle: None });
            }
        })
    };
    let onfocusin = {
        let choose = chosen.setter();
        Callback::from(move |event: FocusEvent| {
            handle_of(&event).into_iter().for_each(|index| choose.set(index))
        })
    };
    let PullHandlers { onpointerdown, onpointermove, onpointerup, onpointercancel, .. } = pulling;
    html! {
        <>
            <svg class={classes!("curve", points.is_some().then_some("drawable"))}
                id="curve" viewBox={format!("0 0 {} {}", SIZE.0, SIZE.1)} role="group"
                aria-label="Performance curve: progress by slots"
                {onpointerdown} {onpointermove} {onpointerup} {onpointercancel} {onkeydown} {onclick} {onfocusin}>
                <g aria-hidden="true">
                    { axes(&plot) }
                    if let Some(fitted) = &fitted {
                        <path class="fit" d={plot.path(fitted)} />
                    }
                    <g class="samples">{ for measured.iter().map(|point| marker(*point, &plot)) }</g>
                    if let Some(curve) = given {
                        <path class="drawn" d={plot.path(curve)} />
                    }
                </g>
                { for handles.iter().enumerate().map(|(index, handle)| slider(index, handle, &plot)) }
            </svg>
            { key_and_hints(!measured.is_empty(), given.as_ref(), |points| point_buttons(points, cores, job, *chosen, act)) }
        </>
    }
}

/// A square where progress was measured.
fn marker((slots, progress): (u32, f64), plot: &Plot) -> Html {
    let (x, y) = (plot.x(slots), plot.y(progress));
    html! { <rect x={format!("{:.1}", x - 3.0)} y={format!("{:.1}", y - 3.0)} width="6" height="6" /> }
}

/// A handle of the curve, for pointer and keys.
fn slider(index: usize, handle: &CurveHandle, plot: &Plot) -> Html {
    let (x, y) = (format!("{:.1}", plot.x(handle.slots)), format!("{:.1}", plot.y(handle.progress)));
    let words = curve::handle_text(handle.slots, handle.progress);
    html! {
        <g key={index} data-handle={index.to_string()} class="handle" tabindex="0" role="slider"
            aria-orientation="vertical" aria-label={handle.name.clone()}
            aria-valuemin="0" aria-valuemax={number::trimmed(plot.top, 6)}
            aria-valuenow={number::trimmed(handle.progress, 6)} aria-valuetext={words.clone()}>
            <title>{ format!("{}, {words}", handle.name) }</title>
            <circle class="reach" cx={x.clone()} cy={y.clone()} r="15" />
            <circle class="knob" cx={x} cy={y} r="5" />
        </g>
    }
}

/// What is below the curve: what its colours mean, and how it is changed.
fn key_and_hints(
    has_measured: bool,
    given: Option<&PerformanceCurve>,
    buttons: impl FnOnce(&[(u32, f64)]) -> Html,
) -> Html {
    html! {
        <>
            if has_measured {
                <p class="hint curve-key"><span><i class="square"></i>{ "measured" }</span><span><i
                    class="dashes"></i>{ "fit" }</span></p>
            }
            { match given {
                Some(PerformanceCurve::Points(points)) => html! {
                    <>
                        { buttons(points) }
                        <p class="hint">{ "Pull a point, press beside it for another one. Keys: arrows, Delete." }</p>
                    </>
                },
                Some(_) => html! {
                    <p class="hint">{ "Pull a handle: from left to right the divided work, the serial part, the depth of a tree, the cost of each slot." }</p>
                },
                None => Html::default(),
            } }
        </>
    }
}

/// Buttons for those who cannot press beside the curve.
fn point_buttons(
    points: &[(u32, f64)],
    cores: u32,
    job: JobId,
    chosen: usize,
    act: impl Fn(&Edit) + Clone + 'static,
) -> Html {
    let whole = PerformanceCurve::Points(points.to_vec());
    let added = curve::free_slots(points, cores).and_then(|slots| {
        let progress = whole.progress(slots);
        let progress = if progress > 0.0 { ernest::rounded(progress, 3) } else { 1.0 };
        curve::with_point(points, slots, progress)
    });
    let added = added.map(|(_, curve)| Edit::Curve { job, curve: Some(curve), handle: None });
    let chosen = chosen.min(points.len().saturating_sub(1));
    let removed = without(&whole, chosen, job);
    let button = |id: &'static str, words: String, edit: Option<Edit>| {
        let (act, disabled) = (act.clone(), edit.is_none());
        let onclick = Callback::from(move |_: MouseEvent| edit.iter().for_each(&act));
        html! { <button type="button" class="small" {id} {onclick} {disabled}>{ words }</button> }
    };
    html! {
        <div class="buttons">
            { button("curve-add", "Add a point".to_owned(), added) }
            { button("curve-remove", format!("Remove point {}", chosen + 1), removed) }
        </div>
    }
}

/// The curve without a point, unless it is the last one.
fn without(curve: &PerformanceCurve, index: usize, job: JobId) -> Option<Edit> {
    let PerformanceCurve::Points(points) = curve else { return None };
    if points.len() < 2 || index >= points.len() {
        return None;
    }
    let mut points = points.clone();
    points.remove(index);
    Some(Edit::Curve { job, curve: Some(PerformanceCurve::Points(points)), handle: None })
}

/// The axes with their numbers.
fn axes(plot: &Plot) -> Html {
    let (left, _, right, bottom) = AREA;
    let at = |value: f64| format!("{value:.1}");
    html! {
        <>
            { for plot.progress_ticks().into_iter().map(|progress| {
                let y = plot.y(progress);
                html! {
                    <>
                        <path class="grid" d={format!("M{left},{y:.1}H{right}")} />
                        <text class="end" x={at(left - 5.0)} y={at(y + 3.5)}>{ number::trimmed(progress, 3) }</text>
                    </>
                }
            }) }
            { for plot.slot_ticks().into_iter().map(|slots| {
                let x = plot.x(slots);
                html! {
                    <>
                        <path class="grid" d={format!("M{x:.1},{bottom}v3")} />
                        <text class="middle" x={at(x)} y={at(bottom + 13.0)}>{ slots }</text>
                    </>
                }
            }) }
            <text class="end" x={at(right)} y={at(SIZE.1 - 2.0)}>{ "slots" }</text>
            <text x={at(left + 4.0)} y="10">{ "progress" }</text>
        </>
    }
}
