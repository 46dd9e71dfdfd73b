//! What lies over a chart besides its tasks: tasks that a drop ended, the instants at which jobs were dropped or
//! rejected, the memory in use on each executor, and executors that come and go.

use yew::prelude::*;

use super::executors::Executors;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::selectors;
use crate::ui::hooks::use_width;
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::units::Time;
use fairlane_view::TimeAxis;
use fairlane_view::gantt::{ChartRows, MemoryOf};
use fairlane_view::ideal::{COLUMNS, LabelSide, paths, sides};
use fairlane_view::memory::MemoryInUse;
use fairlane_view::pick::MIN_CROSS_ROW_PX;

#[derive(Clone, Properties, PartialEq)]
pub struct MarksProps {
    pub analysis: Shared<Analysis>,
    pub axis: TimeAxis,
    /// The chart's rows, in logical pixels.
    pub rows: ChartRows,
}

/// Most tasks and most jobs that are marked.
const MAX_TASKS: usize = 400;
const MAX_JOBS: usize = 100;
/// Half the width of the cross at the instant of a drop, in logical pixels.
const CROSS_PX: f64 = 6.0;

/// Whether a schedule has any.
pub fn are_in(analysis: &Analysis) -> bool {
    !analysis.trace.killed.is_empty()
        || analysis.trace.jobs.iter().any(|run| run.finish().is_none())
        || MemoryOf::cluster(analysis.scenario.cluster()).is_some()
}

#[component]
pub fn Marks(props: &MarksProps) -> Html {
    let plot = use_node_ref();
    let width = use_width(&plot);
    html! {
        <div class="marks" ref={plot}>
            <Killed ..props.clone() />
            { ends(props, width) }
            <Memory ..props.clone() />
            <Executors ..props.clone() />
        </div>
    }
}

fn percent(fraction: f64) -> String {
    format!("{:.3}%", fraction * 100.0)
}

/// Hatches the tasks that a drop ended, with a cross at their ends.
#[component]
fn Killed(props: &MarksProps) -> Html {
    let MarksProps { analysis, axis, rows } = props;
    let run = |index: &u32| &analysis.trace.tasks[*index as usize];
    let in_view = |index: &&u32| run(index).end >= axis.from && run(index).start <= axis.to;
    let mark = |index: &u32| {
        let run = run(index);
        let (top, bottom) = rows.bands[rows.row_of(run.core)?];
        let (from, to) = (axis.fraction(run.start).max(0.0), axis.fraction(run.end));
        let style = format!(
            "left:{};width:{};top:{top}px;height:{}px",
            percent(from),
            percent(to.min(1.0) - from),
            bottom - top
        );
        // In a low row a cross would cover its neighbours.
        Some(
            html! { <i class={classes!("killed", (bottom - top >= MIN_CROSS_ROW_PX && to <= 1.0).then_some("crossed"))} {style}></i> },
        )
    };
    html! { { for analysis.trace.killed.iter().filter(in_view).take(MAX_TASKS).filter_map(mark) } }
}

/// The instants at which jobs were dropped or rejected, with words where there is room for them.
fn ends(props: &MarksProps, width: f64) -> Html {
    let MarksProps { analysis, axis, .. } = props;
    let jobs = (0..).map(JobId).zip(&analysis.trace.jobs);
    let unfinished = jobs.filter(|(_, run)| run.finish().is_none());
    let ends: Vec<(f64, String, usize)> = unfinished
        .map(|(job, run)| {
            let words = format!("{} {}", analysis.scenario.job_label(job), run.outcome.name());
            (axis.fraction(run.end()), words, selectors::user_hue(&analysis.scenario, run.user))
        })
        .filter(|(at, ..)| (0.0..=1.0).contains(at))
        .take(MAX_JOBS)
        .collect();
    let sized: Vec<_> = ends.iter().map(|(at, words, _)| (at * width, words.chars().count() + 1)).collect();
    let mark = |((at, words, hue), side): ((f64, String, usize), Option<LabelSide>)| {
        let leftwards = (side == Some(LabelSide::Left)).then_some("leftwards");
        let words = if side.is_some() {
            html! { <span>{ words }</span> }
        } else {
            html! { <span class="sr">{ words }</span> }
        };
        html! {
            <i class={classes!("unfinished", format!("hue-{hue}"), leftwards)}
                style={format!("left:{}", percent(at))}><b>{ "✕" }</b>{ words }</i>
        }
    };
    html! { { for ends.into_iter().zip(sides(&sized, width, CROSS_PX)).map(mark) } }
}

/// An executor and an instant under the pointer, and how far it is from the left.
#[derive(Clone, Copy, PartialEq)]
struct PointerTarget {
    executor: usize,
    at: Time,
    fraction: f64,
}

/// The memory in use on each executor, below its cores; of many executors that of all, below all cores.
#[component]
fn Memory(props: &MarksProps) -> Html {
    let MarksProps { analysis, axis, rows } = props;
    let cluster = analysis.scenario.cluster();
    let bands = rows.memory_bands(cluster);
    let shown = !bands.is_empty();
    let of = MemoryOf::cluster(cluster).filter(|_| shown);
    let memory = use_memo((analysis.clone(), of), |(analysis, of)| match of {
        Some(MemoryOf::Executors) => MemoryInUse::new(analysis),
        Some(MemoryOf::Cluster) => MemoryInUse::of_cluster(analysis),
        None => MemoryInUse::default(),
    });
    let pointed = use_state_eq(|| None::<PointerTarget>);
    let Some((each, of)) = cluster.memory_per_executor.zip(of) else { return Html::default() };
    let (capacity, owner): (u64, fn(usize) -> String) = match of {
        MemoryOf::Executors => (each, |executor| format!("executor {executor}")),
        MemoryOf::Cluster => (each * u64::from(cluster.executors), |_| "all executors".to_owned()),
    };
    let onpointermove = |executor: usize| {
        let (pointed, axis) = (pointed.setter(), *axis);
        Callback::from(move |event: PointerEvent| {
            let row = event
                .target_dyn_into::<web_sys::Element>()
                .and_then(|target| target.closest(".memory").ok()?);
            let Some(area) = row.map(|row| row.get_bounding_client_rect()).filter(|area| area.width() > 0.0)
            else {
                return;
            };
            let fraction = (f64::from(event.client_x()) - area.left()) / area.width();
            pointed.set(Some(PointerTarget { executor, at: axis.time(fraction), fraction }));
        })
    };
    let left = {
        let pointed = pointed.setter();
        Callback::from(move |_: PointerEvent| pointed.set(None))
    };
    let row = |(executor, &(top, bottom)): (usize, &(u32, u32))| {
        let path = paths(&[memory.means(executor, *axis, COLUMNS)], capacity as u32).remove(0);
        let spoken = format!(
            "Memory of {}: at most {} of {capacity} MB in use at once",
            owner(executor),
            memory.peak(executor)
        );
        html! {
            <div class="memory" style={format!("top:{top}px;height:{}px", bottom - top)} role="img" aria-label={spoken}
                onpointermove={onpointermove(executor)} onpointerleave={left.clone()}>
                <svg viewBox={format!("0 0 {COLUMNS} {capacity}")} preserveAspectRatio="none" aria-hidden="true">
                    if let Some(d) = path { <path {d} /> }
                </svg>
                <span aria-hidden="true">{ "memory" }</span>
            </div>
        }
    };
    let tip = pointed.and_then(|PointerTarget { executor, at, fraction }| {
        let &(_, bottom) = bands.get(executor)?;
        let style = format!("left:{};top:{bottom}px", percent(fraction));
        Some(html! {
            <div class={classes!("tip", "memory-tip", (fraction > 0.6).then_some("leftwards"))} {style}
                aria-hidden="true">
                <b>{ format!("{} of {capacity} MB", memory.at(executor, at)) }</b>{ format!(" on {}",
                    owner(executor)) }<br />{ format!("at {}", number::instant(at)) }
            </div>
        })
    });
    html! { <>{ for bands.iter().enumerate().map(row) }<>{ for tip }</></> }
}
