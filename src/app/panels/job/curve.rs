//! The performance curve of a job: drawn, pulled by its handles, or measured.

use std::cell::Cell;
use std::rc::Rc;

use gloo::timers::future::TimeoutFuture;
use yew::prelude::*;

use crate::app::panels::field::{ChoiceField, Fields, model_action};
use crate::app::shared::Shared;
use crate::app::store::{Action, Document};
use crate::ernest::{self, Fit, MeasureError, Sample};
use crate::ids::JobId;
use crate::number;
use crate::scenario::edit::{JobModelEdit, ModelEdit};
use crate::scenario::{Cluster, Mode, Partitioning, PerformanceCurve, Stage, field};
use crate::view::curve::{self, AREA, Handle, Plot, SIZE, TERMS};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub document: Shared<Document>,
    pub job: JobId,
    pub send: Callback<Action>,
}

/// A key's step, and a larger one, as parts of the picture's height.
const KEY_STEP: f64 = 0.02;
const LARGE_STEP: f64 = 0.1;

/// A handle that is pulled.
#[derive(Clone, Copy)]
struct Pull {
    handle: usize,
    /// Left and upper edge of the drawing, and logical pixels of one of its units.
    left: f64,
    top: f64,
    scale: f64,
    /// The layout, which stays meanwhile.
    plot: Plot,
}

/// All that the times of a job alone depend on.
#[derive(Clone, PartialEq)]
struct Measured {
    job: JobId,
    stages: Vec<Stage>,
    warm_factor: f64,
    cluster: Cluster,
    partitioning: Partitioning,
    mode: Mode,
}

impl Measured {
    fn of(document: &Document, job: JobId, mode: Mode) -> Measured {
        let scenario = &document.scenario;
        let spec = &scenario.jobs()[job.index()];
        Measured {
            job,
            stages: spec.stages.clone(),
            warm_factor: spec.warm_factor,
            cluster: scenario.cluster().clone(),
            partitioning: scenario.partitioning().clone(),
            mode,
        }
    }
}

/// A measurement, as far as it has come.
#[derive(Clone, PartialEq)]
struct Measurement {
    of: Measured,
    counts: usize,
    samples: Result<Vec<Sample>, MeasureError>,
}

impl Measurement {
    /// All samples, once they are there.
    fn samples(&self) -> &[Sample] {
        match &self.samples {
            Ok(samples) if samples.len() == self.counts => samples,
            _ => &[],
        }
    }
}

#[component]
pub fn CurveEditor(props: &Props) -> Html {
    let Props { document, job, send } = props;
    let (scenario, job) = (&document.scenario, *job);
    let cores = scenario.cluster().cores();
    let given = scenario.jobs()[job.index()].curve.as_ref();
    let mode = use_state_eq(|| Mode::Default);
    let measurement = use_state_eq(|| None::<Measurement>);
    let valid = (*measurement).clone().filter(|known| known.of == Measured::of(document, job, *mode));
    let fit = valid.as_ref().and_then(|known| ernest::fit(known.samples()));
    let fields = Fields { document, send };
    let form = match given {
        None => "none",
        Some(PerformanceCurve::Points(_)) => "points",
        Some(PerformanceCurve::Ernest(_)) => "ernest",
    };
    let now = given.cloned();
    let pick = fields.model_edit(move |word: String| {
        let from = now.clone().unwrap_or_else(|| curve::first_drawn(cores));
        let new = match word.as_str() {
            "points" => Some(curve::as_points(&from, cores)),
            "ernest" => Some(curve::as_ernest(&from, cores)),
            _ => None,
        };
        ModelEdit::Job(job, JobModelEdit::Curve(new))
    });
    html! {
        <div class="curve-editor">
            <ChoiceField id="curve-form" label="Curve" help="Progress by number of slots. PAF moves slots by it; a job without one keeps its fair share." {pick} value={form}
                options={vec![("none".into(), "none".into()), ("points".into(), "points".into()), ("ernest".into(), "Ernest's model".into())]} />
            if given.is_some() || fit.is_some() {
                <Picture {cores} curve={given.cloned()} samples={valid.as_ref().map(|known| known.samples().to_vec()).unwrap_or_default()} fit={fit.clone()}
                    document={document.clone()} {job} send={send.clone()} />
            }
            { figures(&fields, job, given) }
            { measuring(&fields, job, &mode, &measurement, valid.as_ref(), fit.as_ref()) }
        </div>
    }
}

/// The curve in figures.
fn figures(fields: &Fields, job: JobId, given: Option<&PerformanceCurve>) -> Html {
    let whole = move |curve: PerformanceCurve| ModelEdit::Job(job, JobModelEdit::Curve(Some(curve)));
    match given {
        None => Html::default(),
        Some(PerformanceCurve::Points(points)) => html! {
            <div class="wide">
                { fields.field("curve-points", "Points", "", "Slots and progress, such as 1 0.2, 8 0.9. Between points the curve is straight.", field::points_text(points),
                    fields.model_reader(field::points, move |points| whole(PerformanceCurve::Points(points)))) }
            </div>
        },
        Some(&PerformanceCurve::Ernest(coefficients)) => {
            let helps = [
                "Time that is divided by the number of slots, in units of progress 1.",
                "Time that stays the same on any number of slots.",
                "Time that grows with the logarithm of the slots, such as that of a tree of sums.",
                "Time that each further slot adds.",
            ];
            html! {
                <>
                    { for TERMS.iter().zip(helps).map(|(&(name, index), help)| {
                        let (first, rest) = name.split_at(1);
                        let read = fields.model_reader(field::number, move |value| {
                            let mut coefficients = coefficients;
                            coefficients[index] = value;
                            whole(PerformanceCurve::Ernest(coefficients))
                        });
                        fields.field(format!("curve-a{index}"), format!("{}{rest}", first.to_uppercase()), "", help, coefficients[index].to_string(), read)
                    }) }
                    <p class="hint">{ format!("Progress on x slots: 1 / ({})", curve::formula(&coefficients)) }</p>
                </>
            }
        }
    }
}

/// The button that measures, and what has been measured.
fn measuring(
    fields: &Fields,
    job: JobId,
    mode: &UseStateHandle<Mode>,
    measurement: &UseStateHandle<Option<Measurement>>,
    valid: Option<&Measurement>,
    fit: Option<&Fit>,
) -> Html {
    let pick = {
        let mode = mode.setter();
        Callback::from(move |word: String| {
            mode.set(if word == "runtime" { Mode::Runtime } else { Mode::Default })
        })
    };
    let measure = {
        let (document, of) = (fields.document.clone(), Measured::of(fields.document, job, **mode));
        let setter = measurement.setter();
        Callback::from(move |_: MouseEvent| {
            wasm_bindgen_futures::spawn_local(measure(document.clone(), of.clone(), setter.clone()));
        })
    };
    let use_curve = |curve: Option<PerformanceCurve>| {
        fields.model_edit(move |_: MouseEvent| ModelEdit::Job(job, JobModelEdit::Curve(curve.clone())))
    };
    let outcome = valid.map(|known| &known.samples);
    let all = valid.map_or(0, |known| known.counts);
    let busy = matches!(outcome, Some(Ok(samples)) if samples.len() < all);
    // Always there, so that screen readers notice when it changes.
    let words = match (outcome, fit) {
        (None, _) => String::new(),
        (Some(Err(error)), _) => format!("Not measured: {error}."),
        (Some(Ok(samples)), _) if busy => {
            format!("Measured on {} of {all} numbers of cores…", samples.len())
        }
        (Some(Ok(_)), None) => "The job takes no time, so it has no curve.".to_owned(),
        (Some(Ok(_)), Some(fit)) => {
            let off = number::percent(fit.largest_error, 1);
            format!("Fit: {} seconds on x cores, at most {off} off.", curve::formula(&fit.coefficients))
        }
    };
    let options = vec![("default".into(), "default".into()), ("runtime".into(), "runtime (-P)".into())];
    html! {
        <>
            <ChoiceField id="curve-mode" label="Measured with" help="The partitioning under which the job is measured alone." {pick} {options}
                value={if **mode == Mode::Runtime { "runtime" } else { "default" }} />
            <button type="button" id="curve-measure" onclick={measure} disabled={busy}
                title="Simulates the job alone on 1, 2, 4, … cores up to the cluster's and fits Ernest's model">{ "Measure the job alone" }</button>
            <p class={classes!("hint", matches!(outcome, Some(Err(_))).then_some("bad"))} role="status" id="curve-measured">{ words }</p>
            if let (Some(Ok(samples)), Some(fit)) = (outcome, fit) {
                { table(samples, fit) }
                <div class="buttons">
                    <button type="button" class="small" id="curve-use-fit" onclick={use_curve(Some(fit.curve()))}>{ "Use the fit" }</button>
                    <button type="button" class="small" id="curve-use-points" onclick={use_curve(ernest::points(samples))}>{ "Use the points" }</button>
                </div>
            }
        </>
    }
}

/// Measures one number of cores after the other, so that the page stays responsive in between.
async fn measure(document: Shared<Document>, of: Measured, setter: UseStateSetter<Option<Measurement>>) {
    let counts = ernest::core_counts(&document.scenario);
    let report = |samples| setter.set(Some(Measurement { of: of.clone(), counts: counts.len(), samples }));
    let mut samples = Vec::new();
    for &cores in &counts {
        report(Ok(samples.clone()));
        TimeoutFuture::new(0).await;
        match ernest::measure(&document.scenario, of.job, cores, of.mode) {
            Ok(sample) => samples.push(sample),
            Err(error) => {
                report(Err(error));
                return;
            }
        }
    }
    report(Ok(samples));
}

/// The measured times beside those of the fit.
fn table(samples: &[Sample], fit: &Fit) -> Html {
    html! {
        <div class="scroll">
            <table id="curve-samples">
                <caption class="sr">{ "Response time of the job alone by number of cores" }</caption>
                <thead><tr><th scope="col">{ "Cores" }</th><th scope="col">{ "Alone, s" }</th><th scope="col">{ "Fit, s" }</th><th scope="col">{ "Progress" }</th></tr></thead>
                <tbody>
                    { for samples.iter().map(|sample| html! {
                        <tr>
                            <th scope="row">{ sample.cores }</th>
                            <td>{ number::short(sample.response.seconds()) }</td>
                            <td>{ number::short(fit.seconds(sample.cores)) }</td>
                            <td>{ number::short(fit.shortest / sample.response.seconds()) }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct PictureProps {
    cores: u32,
    curve: Option<PerformanceCurve>,
    samples: Vec<Sample>,
    fit: Option<Fit>,
    document: Shared<Document>,
    job: JobId,
    send: Callback<Action>,
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

/// The picture with its handles.
#[component]
fn Picture(props: &PictureProps) -> Html {
    let PictureProps { cores, curve: given, document, job, send, .. } = props;
    let (cores, job) = (*cores, *job);
    let pull = use_memo((), |()| Rc::new(Cell::new(None::<Pull>)));
    // A press that has pulled adds no point where it ends.
    let was_pulled = use_memo((), |()| Rc::new(Cell::new(false)));
    let chosen = use_state_eq(|| 0_usize);
    let measured = props.measured();
    let fitted = props.fit.as_ref().map(Fit::curve);
    let drawn = given.iter().chain(&fitted);
    let plot = match pull.get() {
        Some(pull) => pull.plot,
        None => Plot::of(cores, drawn, measured.iter().map(|point| point.1)),
    };
    let handles: Vec<Handle> = given.as_ref().map(|curve| curve::handles(curve, cores)).unwrap_or_default();
    let moved = {
        let given = given.clone();
        move |handle: usize, slots: u32, progress: f64| {
            let curve = curve::pulled(given.as_ref()?, handle, slots, progress, cores);
            Some(ModelEdit::Job(job, JobModelEdit::CurveHandle(handle, curve)))
        }
    };
    let act = {
        let (document, send) = (document.clone(), send.clone());
        move |edit: &ModelEdit| send.emit(model_action(&document, edit))
    };
    let onpointerdown = {
        let (pull, was_pulled, send, choose) =
            (Rc::clone(&pull), Rc::clone(&was_pulled), send.clone(), chosen.setter());
        Callback::from(move |event: PointerEvent| {
            was_pulled.set(false);
            // Yew listens at the root, so the handle is the closest one to what was pressed.
            let target = event.target_dyn_into::<web_sys::Element>();
            let handle = target.and_then(|target| target.closest("[data-handle]").ok().flatten());
            let drawing = handle.as_ref().and_then(|handle| handle.closest("svg").ok().flatten());
            let index = handle.and_then(|handle| handle.get_attribute("data-handle")?.parse().ok());
            let (Some(drawing), Some(handle)) = (drawing, index.filter(|_| event.button() == 0)) else {
                return;
            };
            // Without capture the drag only ends at the edge.
            let _ = drawing.set_pointer_capture(event.pointer_id());
            let area = drawing.get_bounding_client_rect();
            let scale = (area.width() / SIZE.0).max(f64::MIN_POSITIVE);
            pull.set(Some(Pull { handle, left: area.left(), top: area.top(), scale, plot }));
            choose.set(handle);
            send.emit(Action::DragStart);
        })
    };
    let onpointermove = {
        let (pull, send, moved, document) = (Rc::clone(&pull), send.clone(), moved.clone(), document.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(Pull { handle, left, top, scale, plot }) = pull.get() else { return };
            let x = (f64::from(event.client_x()) - left) / scale;
            let (slots, progress) = plot.at(x, (f64::from(event.client_y()) - top) / scale);
            // What the rules forbid is passed over; the last possible curve stays.
            let edit = moved(handle, slots, progress).and_then(|edit| edit.of(&document.scenario).ok());
            if let Some(edit) = edit {
                send.emit(Action::DragTo(edit));
            }
        })
    };
    let end = |action: Action| {
        let (pull, was_pulled, send) = (Rc::clone(&pull), Rc::clone(&was_pulled), send.clone());
        Callback::from(move |_: PointerEvent| {
            if pull.take().is_some() {
                was_pulled.set(true);
                send.emit(action.clone());
            }
        })
    };
    let onkeydown = {
        let (handles, act, given) = (handles.clone(), act.clone(), given.clone());
        Callback::from(move |event: KeyboardEvent| {
            let target = event.target_dyn_into::<web_sys::Element>();
            let index = target.and_then(|target| target.get_attribute("data-handle")?.parse::<usize>().ok());
            let Some((index, handle)) = index.and_then(|index| Some((index, handles.get(index)?))) else {
                return;
            };
            let step = plot.top * if event.shift_key() { LARGE_STEP } else { KEY_STEP };
            let sideways = matches!(given, Some(PerformanceCurve::Points(_)));
            let (slots, progress) = match event.key().as_str() {
                "ArrowUp" => (handle.slots, handle.progress + step),
                "ArrowDown" => (handle.slots, handle.progress - step),
                "PageUp" => (handle.slots, handle.progress + plot.top * LARGE_STEP),
                "PageDown" => (handle.slots, handle.progress - plot.top * LARGE_STEP),
                "ArrowRight" if sideways => (handle.slots + 1, handle.progress),
                "ArrowLeft" if sideways => (handle.slots.saturating_sub(1), handle.progress),
                "ArrowRight" => (handle.slots, handle.progress + step),
                "ArrowLeft" => (handle.slots, handle.progress - step),
                "Delete" | "Backspace" => {
                    event.prevent_default();
                    event.stop_propagation();
                    if let Some(edit) = given.as_ref().and_then(|curve| without(curve, index, job)) {
                        act(&edit);
                    }
                    return;
                }
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            let progress = ernest::rounded(progress.max(plot.top * KEY_STEP / 4.0), 4);
            if let Some(edit) = moved(index, slots, progress) {
                act(&edit);
            }
        })
    };
    let points = match given {
        Some(PerformanceCurve::Points(points)) => Some(points.clone()),
        _ => None,
    };
    let onclick = {
        let (was_pulled, act, points) = (Rc::clone(&was_pulled), act.clone(), points.clone());
        Callback::from(move |event: MouseEvent| {
            let target = event.target_dyn_into::<web_sys::Element>();
            let drawing = target.as_ref().and_then(|target| target.closest("svg").ok().flatten());
            let on_handle =
                target.is_some_and(|target| target.closest("[data-handle]").ok().flatten().is_some());
            let (Some(points), Some(drawing)) = (&points, drawing) else { return };
            if on_handle || was_pulled.replace(false) {
                return;
            }
            let area = drawing.get_bounding_client_rect();
            let scale = (area.width() / SIZE.0).max(f64::MIN_POSITIVE);
            let x = (f64::from(event.client_x()) - area.left()) / scale;
            let (slots, progress) = plot.at(x, (f64::from(event.client_y()) - area.top()) / scale);
            if let Some((_, curve)) = curve::with_point(points, slots, progress) {
                act(&ModelEdit::Job(job, JobModelEdit::Curve(Some(curve))));
            }
        })
    };
    let focus = {
        let choose = chosen.setter();
        move |index: usize| {
            let choose = choose.clone();
            Callback::from(move |_: FocusEvent| choose.set(index))
        }
    };
    let marker = |&(slots, progress): &(u32, f64)| {
        let (x, y) = (plot.x(slots), plot.y(progress));
        html! { <rect x={format!("{:.1}", x - 3.0)} y={format!("{:.1}", y - 3.0)} width="6" height="6" /> }
    };
    html! {
        <>
            <svg class={classes!("curve", points.is_some().then_some("drawable"))} id="curve" viewBox={format!("0 0 {} {}", SIZE.0, SIZE.1)} role="group" aria-label="Performance curve: progress by slots"
                {onpointerdown} {onpointermove} onpointerup={end(Action::DragCommit)} onpointercancel={end(Action::DragCancel)} {onkeydown} {onclick}>
                <g aria-hidden="true">
                    { axes(&plot) }
                    if let Some(fitted) = &fitted {
                        <path class="fit" d={plot.path(fitted)} />
                    }
                    <g class="samples">{ for measured.iter().map(marker) }</g>
                    if let Some(curve) = given {
                        <path class="drawn" d={plot.path(curve)} />
                    }
                </g>
                { for handles.iter().enumerate().map(|(index, handle)| {
                    let (x, y) = (format!("{:.1}", plot.x(handle.slots)), format!("{:.1}", plot.y(handle.progress)));
                    let words = curve::handle_text(handle.slots, handle.progress);
                    html! {
                        <g key={index} data-handle={index.to_string()} class="handle" tabindex="0" role="slider" aria-orientation="vertical" aria-label={handle.name.clone()}
                            aria-valuemin="0" aria-valuemax={number::trimmed(plot.top, 6)} aria-valuenow={number::trimmed(handle.progress, 6)} aria-valuetext={words.clone()} onfocus={focus(index)}>
                            <title>{ format!("{}, {words}", handle.name) }</title>
                            <circle class="reach" cx={x.clone()} cy={y.clone()} r="15" />
                            <circle class="knob" cx={x} cy={y} r="5" />
                        </g>
                    }
                }) }
            </svg>
            if !measured.is_empty() {
                <p class="hint curve-key"><span><i class="square"></i>{ "measured" }</span><span><i class="dashes"></i>{ "fit" }</span></p>
            }
            if let Some(points) = &points {
                { point_buttons(points, cores, job, *chosen, act) }
                <p class="hint">{ "Pull a point, press beside it for another one. Keys: arrows, Delete." }</p>
            } else if given.is_some() {
                <p class="hint">{ "Pull a handle: from left to right the divided work, the serial part, the depth of a tree, the cost of each slot." }</p>
            }
        </>
    }
}

/// Buttons for those who cannot press beside the curve.
fn point_buttons(
    points: &[(u32, f64)],
    cores: u32,
    job: JobId,
    chosen: usize,
    act: impl Fn(&ModelEdit) + Clone + 'static,
) -> Html {
    let whole = PerformanceCurve::Points(points.to_vec());
    let added = curve::free_slots(points, cores).and_then(|slots| {
        let progress = whole.progress(slots);
        let progress = if progress > 0.0 { ernest::rounded(progress, 3) } else { 1.0 };
        curve::with_point(points, slots, progress)
    });
    let added = added.map(|(_, curve)| ModelEdit::Job(job, JobModelEdit::Curve(Some(curve))));
    let chosen = chosen.min(points.len().saturating_sub(1));
    let removed = without(&whole, chosen, job);
    let button = |id: &'static str, words: String, edit: Option<ModelEdit>| {
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
fn without(curve: &PerformanceCurve, index: usize, job: JobId) -> Option<ModelEdit> {
    let PerformanceCurve::Points(points) = curve else { return None };
    if points.len() < 2 || index >= points.len() {
        return None;
    }
    let mut points = points.clone();
    points.remove(index);
    Some(ModelEdit::Job(job, JobModelEdit::Curve(Some(PerformanceCurve::Points(points)))))
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
