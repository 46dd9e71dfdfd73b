//! The overlay of a chart under the pointer: an outline, and the facts about what it surrounds.

use yew::prelude::*;

use crate::results::codec::Analysis;
use crate::store::selectors;
use fairlane::ids::{CoreId, UserId};
use fairlane::number;
use fairlane::trace::TaskRun;
use fairlane::units::Time;
use fairlane_view::TimeAxis;
use fairlane_view::gantt::ChartRows;
use fairlane_view::killed;
use fairlane_view::pick::{self, ColumnFacts, PointerPosition};

/// What is under a pointer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hover {
    /// Where it is, in logical pixels.
    x: f64,
    y: f64,
    /// Whether there is more room on its left.
    leftwards: bool,
    what: TipContent,
}

#[derive(Clone, Debug, PartialEq)]
enum TipContent {
    /// A task, by index in the trace, that is wide enough to be seen.
    Task(usize),
    /// A column in which tasks are too narrow for that.
    Column(ColumnFacts),
}

/// With more tasks in a column than this, its shares are shown instead of one task.
const FEW: usize = 2;

impl Hover {
    /// What is under a point of a chart; `None` where there is nothing.
    pub(super) fn at(
        analysis: &Analysis,
        axis: TimeAxis,
        rows: &ChartRows,
        width: f64,
        point: PointerPosition,
    ) -> Option<Hover> {
        let (trace, index) = (&analysis.trace, analysis.index());
        let hover = |what| Hover { x: point.x, y: point.y, leftwards: point.x > width / 2.0, what };
        let column = pick::column_at(trace, index, axis, rows, width, point)?;
        if let Some(task) = pick::cross_at(trace, axis, rows, width, point) {
            return Some(hover(TipContent::Task(task)));
        }
        let together = column.tasks > FEW || (column.tasks > 0 && column.cores.len() > 1);
        if together {
            return Some(hover(TipContent::Column(column)));
        }
        pick::task_at(trace, index, axis, rows, width, point).map(|task| hover(TipContent::Task(task)))
    }

    /// Outline and facts.
    pub(super) fn over(&self, analysis: &Analysis, axis: TimeAxis, rows: &ChartRows) -> Html {
        let (outline, facts) = match &self.what {
            TipContent::Task(task) => {
                let Some(run) = analysis.trace.tasks.get(*task) else { return Html::default() };
                (self::outline(analysis, axis, rows, *task, "hit"), of_task(analysis, *task, run))
            }
            TipContent::Column(column) => {
                let left = format!("{}px", self.x.floor());
                (
                    around(rows, left, "1px".to_owned(), CoreId(column.cores.start), "hit"),
                    of_column(analysis, column),
                )
            }
        };
        html! {
            <>
                { outline.unwrap_or_default() }
                <div class={classes!("tip", self.leftwards.then_some("leftwards"))}
                    style={format!("left:{:.0}px;top:{:.0}px", self.x, self.y)} aria-hidden="true">{ facts }</div>
            </>
        }
    }
}

/// An outline of a task, as far as it is in the window.
pub(super) fn outline(
    analysis: &Analysis,
    axis: TimeAxis,
    rows: &ChartRows,
    task: usize,
    class: &'static str,
) -> Option<Html> {
    let run = analysis.trace.tasks.get(task)?;
    let (from, to) = (axis.fraction(run.start).max(0.0), axis.fraction(run.end).min(1.0));
    let percent = |part: f64| format!("{:.4}%", part * 100.0);
    (to >= from).then(|| around(rows, percent(from), percent(to - from), run.core, class))?
}

/// An outline in the row of a core.
fn around(rows: &ChartRows, left: String, width: String, core: CoreId, class: &'static str) -> Option<Html> {
    let (top, bottom) = rows.bands[rows.row_of(core)?];
    let style = format!("left:{left};width:{width};top:{top}px;height:{}px", (bottom - top).max(2));
    Some(html! { <i {class} {style}></i> })
}

/// A task's facts.
fn of_task(analysis: &Analysis, index: usize, run: &TaskRun) -> Html {
    let killed = killed::sentence(analysis, index as u32);
    let scenario = &analysis.scenario;
    let stage = &scenario.jobs()[run.job.index()].stages[run.stage as usize];
    let name = if stage.name.is_empty() { format!("stage {}", run.stage) } else { stage.name.clone() };
    let length = Time(run.end.since(run.start).0);
    html! {
        <>
            <b>{ scenario.job_label(run.job) }</b>{ format!(" of {}", scenario.user_name(run.job)) }<br />
            { format!("{name}, task {} on core {}", run.task, run.core.0) }<br />
            { format!("{} to {}, {}", number::instant(run.start), number::instant(run.end), number::instant(length)) }
            if let Some(killed) = killed { <br /><em>{ killed }</em> }
            <small>{ "press to ask why" }</small>
        </>
    }
}

/// Most users whose shares are shown one by one.
const SHOWN_USERS: usize = 5;

/// The shares of a column.
fn of_column(analysis: &Analysis, column: &ColumnFacts) -> Html {
    let percent = |part: f64| format!("{:.0}\u{a0}%", part * 100.0);
    let cores = match (column.cores.start, column.cores.end.saturating_sub(1)) {
        (first, last) if first == last => format!("core {first}"),
        (first, last) => format!("cores {first} to {last}"),
    };
    let shown = &column.users[..column.users.len().min(SHOWN_USERS)];
    let rest = &column.users[shown.len()..];
    let sum = |users: &[(UserId, f64)]| users.iter().map(|(_, part)| part).sum::<f64>();
    let idle = (1.0 - sum(&column.users)).max(0.0);
    html! {
        <>
            <b>{ number::counted(column.tasks, "task") }</b>{ format!(" in this column of {cores}") }
            { for shown.iter().map(|&(user, part)| html! {
                <div><i class={classes!("dot", format!("hue-{}", selectors::user_hue(&analysis.scenario, user)))}></i>{
                    format!(" {} {}", analysis.trace.users[user.index()], percent(part)) }</div>
            }) }
            if !rest.is_empty() {
                <div>{ format!("{} more {}", rest.len(), percent(sum(rest))) }</div>
            }
            if idle >= 0.005 {
                <div>{ format!("idle {}", percent(idle)) }</div>
            }
            <small>{ "shares by user; zoom in to see single tasks" }</small>
        </>
    }
}
