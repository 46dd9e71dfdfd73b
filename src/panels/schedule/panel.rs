//! One policy: its main figures in a line, its Gantt chart of the cores, and the chosen jobs' responses.

use std::collections::BTreeSet;

use yew::prelude::*;

use super::reorder::{ReorderHandle, use_handle};
use super::verdict::{Trust, VerdictList};
use super::waiting::WaitingStages;
use crate::browser::fatal;
use crate::panels::TICKS;
use crate::plots::gantt::{Gantt, Overlays, PaintStyle, core_tools, marks, motion, use_core_wheel};
use crate::results::codec::{Analysis, SoFar};
use crate::results::shared::Shared;
use crate::store::selectors::{self, Hue, PanelFacts};
use crate::store::{Action, Direction, Drag, Motion, Notice, Run, RunPhase, State, Tab, Toast};
use fairlane::ids::{JobId, UserId};
use fairlane::number;
use fairlane::policy::{PolicyId, custom};
use fairlane::units::Time;
use fairlane_view::TimeAxis;
use fairlane_view::gantt::{ChartRows, CoreWindow};

#[derive(Properties, PartialEq)]
struct PanelProps {
    facts: PanelFacts,
    run: Run,
    axis: TimeAxis,
    style: PaintStyle,
    playhead: Time,
    motion: Motion,
    /// Whether only the heading is shown.
    collapsed: bool,
    /// Whether something is being dragged, so that schedules arrive one after the other.
    dragging: bool,
    /// Whether jobs are, so that each schedule replaces the one before at once.
    still: bool,
    /// The longest mean response of a user in any panel, in seconds.
    longest: f64,
    /// Whether the name stands beside the chart, over the upper part of its gutter.
    in_columns: bool,
    overlays: Option<Overlays>,
    send: Callback<Action>,
}

/// A handler that copies what is to be reported of a simulation that failed with a message.
fn reporting(message: &str, send: &Callback<Action>) -> Callback<MouseEvent> {
    let (message, send) = (message.to_owned(), send.clone());
    Callback::from(move |_: MouseEvent| {
        let (message, send) = (message.clone(), send.clone());
        wasm_bindgen_futures::spawn_local(async move {
            let (title, detail) = match fatal::copy_report(&message).await {
                true => ("The report was copied", "It has the version, the last steps and the message."),
                false => ("The report was not copied", "Allow this page the clipboard, and press again."),
            };
            let notice = Notice { title: title.to_owned(), detail: detail.to_owned() };
            send.emit(Action::Toast(Some(Toast::Done(notice))));
        });
    })
}

/// The panel of a policy on the page as it is; `in_columns`: with its name, its schedule and what comes out beside each
/// other.
pub fn panel(
    state: &State,
    style: PaintStyle,
    facts: PanelFacts,
    longest: f64,
    in_columns: bool,
    overlays: Option<Overlays>,
    send: &Callback<Action>,
) -> Html {
    let policy = facts.policy;
    html! {
        <Panel key={policy.to_string()} run={state.runs[&policy].clone()} axis={state.axis()} {style}
            playhead={state.view.playhead} {overlays} motion={state.playback.motion} collapsed={state.view.collapsed.contains(&policy)}
            dragging={state.drag.is_some()} still={state.drag.as_ref().is_some_and(Drag::is_of_jobs)} {longest} {in_columns} {facts}
            send={send.clone()} />
    }
}

#[component]
fn Panel(props: &PanelProps) -> Html {
    let policy = props.facts.policy;
    let state = match &props.run.phase {
        RunPhase::Pending(_) => "pending",
        RunPhase::Settled => "done",
        RunPhase::Failed(_) => "failed",
        RunPhase::Refused(_) => "refused",
    };
    // Of a policy that is ticked beside others, the tasks come from their schedule.
    let origin = use_memo((), |()| props.facts.neighbour.clone());
    let so_far = use_memo((props.run.analysis.clone(), props.facts.until), |(analysis, until)| {
        Some(analysis.as_ref()?.so_far((*until)?))
    });
    let body = match (&props.run.analysis, &props.run.phase) {
        (Some(analysis), _) => {
            html! { <Schedule {policy} analysis={analysis.clone()} axis={props.axis}
                style={props.style.clone()} waiting_at={props.facts.waiting_at} until={props.facts.until}
            before={props.facts.before.clone()} origin={(*origin).clone()} still={props.still} motion={props.motion}
            launched={props.facts.launched} below_name={props.in_columns} overlays={props.overlays} send={props.send.clone()} /> }
        }
        (None, RunPhase::Failed(message) | RunPhase::Refused(message)) => {
            let button = |words: &'static str, action: Action| {
                let onclick = props.send.reform(move |_: MouseEvent| action.clone());
                html! { <button type="button" {onclick}>{ words }</button> }
            };
            match &props.facts.unapproved {
                Some(text) => html! {
                    <div class="failed ask" role="alert">
                        <p>{ message }</p>
                        <pre tabindex="0" aria-label="The program">{ text.to_string() }</pre>
                        { button("Run it", Action::RunProgram(policy.kind)) }
                    </div>
                },
                None => html! {
                    <div class="failed" role="alert">
                        <p>{ message }</p>
                        if custom::is_program(policy.kind) {
                            { button("Show the program", Action::Show(Tab::Program)) }
                        } else if state == "failed" {
                            { button("Try again", Action::Retry(policy)) }
                            <button type="button" class="report" onclick={reporting(message, &props.send)}>
                                { "Copy a report" }</button>
                        }
                    </div>
                },
            }
        }
        (None, RunPhase::Pending(part)) => {
            html! { <div class="wait">{ progress(policy, *part) }</div> }
        }
        (None, RunPhase::Settled) => Html::default(),
    };
    let collapse = props.send.reform(move |_: MouseEvent| Action::Collapse(policy));
    let ReorderHandle { onpointerdown, onclick } = use_handle(policy, &props.send, collapse);
    let onkeydown = moved_by_keys(policy, &props.send);
    let titles: Vec<String> =
        [policy].iter().chain(&props.facts.merged).map(|policy| policy.title()).collect();
    let title = number::list(&titles);
    html! {
        <section class="panel" id={format!("panel-{}", policy)} data-state={state}
            aria-label={title.clone()}>
            <header>
                <div class="who">
                    <h2 title={policy.kind.info().summary}>
                        <button type="button" class="collapse" {onpointerdown} {onclick} {onkeydown}
                            aria-expanded={(!props.collapsed).to_string()}
                            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown">
                            <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path
                                d="M7 10l5 5 5-5" /></svg>{ title }
                        </button>
                    </h2>
                    if let Some(analysis) = &props.run.analysis {
                        { mean_response(analysis, props.facts.before.as_deref(), *so_far) }
                    }
                </div>
                if let Some(analysis) = &props.run.analysis {
                    <div class="outcome">
                        { verdict(analysis, *so_far, &props.style.chosen) }
                        { sameness(props) }
                        { load(analysis, props.playhead) }
                        <VerdictList analysis={analysis.clone()} before={props.facts.before.clone()}
                            until={props.facts.until.map(|_| match props.motion {
                                Motion::Paused => props.playhead,
                                Motion::Playing => coarse(props.playhead, props.longest),
                            })}
                            longest={props.longest} />
                        <Trust analysis={analysis.clone()} reached={props.facts.first} />
                        // In a drag the next schedule nearly always arrives within a frame or two: only for one that
                        // reports progress an element is worth its cost.
                        if let RunPhase::Pending(part) = props.run.phase && (part > 0.0 || !props.dragging) {
                            // With this key the element is created, and delayed, again with every schedule that arrives.
                            <span class="going-on" key={props.run.shown}>{ progress(policy, part) }</span>
                        }
                    </div>
                }
            </header>
            if !props.collapsed {
                { body }
            }
        </section>
    }
}

/// Keys that move the panel up and down.
fn moved_by_keys(policy: PolicyId, send: &Callback<Action>) -> Callback<KeyboardEvent> {
    let send = send.clone();
    Callback::from(move |event: KeyboardEvent| {
        let direction = match event.key().as_str() {
            "ArrowUp" => Direction::Back,
            "ArrowDown" => Direction::Forward,
            _ => return,
        };
        if event.alt_key() {
            event.prevent_default();
            send.emit(Action::MovePanel(policy, direction));
        }
    })
}

/// The playhead in steps that a bar of the verdict shows, which is enough while it moves.
fn coarse(playhead: Time, longest: f64) -> Time {
    let step = (longest * 1e6 / STEPS).max(1.0) as u64;
    Time(playhead.0 / step * step)
}

/// Steps of a full bar.
const STEPS: f64 = 100.0;

/// Whether another panel shows the same schedule, with a button that folds the two into one, or apart.
fn sameness(props: &PanelProps) -> Html {
    let fold = |policy: PolicyId| props.send.reform(move |_: MouseEvent| Action::Fold(policy));
    html! {
        <>
            if let Some(first) = props.facts.duplicate_of {
                <span class="figure">{ "as under " }<b>{ first.title() }</b></span>
                if props.facts.unmerged {
                    <button type="button" class="small fold" id={format!("fold-{}", props.facts.policy)}
                        onclick={fold(props.facts.policy)}
                        title={format!("Both run every task on the same core at the same time: show one panel for {} and {}", first.title(), props.facts.policy.title())}>{ "Fold" }</button>
                }
            }
            { for props.facts.merged.iter().map(|&policy| html! {
                <button type="button" class="small fold" id={format!("unfold-{policy}")} onclick={fold(policy)}
                    title={format!("Both run every task on the same core at the same time: show {} in a panel of its own", policy.title())}>{ format!("Show {} apart", policy.title()) }</button>
            }) }
        </>
    }
}

/// How far a simulation is, as a bar and in per cent. The stylesheet holds it back for the fifth of a second
/// that most simulations take less than.
fn progress(policy: PolicyId, part: f64) -> Html {
    html! {
        <span class="late">
            <progress max="1" value={(part > 0.0).then(|| part.to_string())}
                aria-label={format!("Simulating {}", policy.title())}></progress>
            { if part > 0.0 { format!("simulating, {:.0}\u{a0}%", part * 100.0) } else { "simulating…".to_owned() } }
        </span>
    }
}

/// Most chosen jobs that are named in the line and have a bar.
const NAMED_JOBS: usize = 2;

fn named_jobs(analysis: &Analysis, chosen: &BTreeSet<JobId>) -> impl Iterator<Item = JobId> {
    chosen.iter().copied().filter(|job| analysis.has_job(*job)).take(NAMED_JOBS)
}

/// The mean response; in a drag after what it was at its start, and while the future is hidden of what has happened.
fn mean_response(analysis: &Analysis, before: Option<&Analysis>, so_far: Option<SoFar>) -> Html {
    let mean = |mean: Option<f64>| mean.map_or_else(|| "–".to_owned(), seconds);
    let (name, now) = match so_far {
        Some(so_far) => ("mean so far", so_far.mean_response),
        None => ("mean", analysis.summary.mean_response),
    };
    let now = mean(now);
    let earlier = before.filter(|_| so_far.is_none()).map(|before| mean(before.summary.mean_response));
    let mean = match earlier.filter(|earlier| *earlier != now) {
        Some(earlier) => format!("{earlier} → {now}"),
        None => now,
    };
    html! { <span title="Mean response time of all jobs">{ figure(name.to_owned(), mean) }</span> }
}

/// The 95th percentile, what was wasted, what did not finish, and the responses of the chosen jobs.
fn verdict(analysis: &Analysis, so_far: Option<SoFar>, chosen: &BTreeSet<JobId>) -> Html {
    let unfinished = so_far.map_or(analysis.summary.unfinished, |so_far| so_far.unfinished);
    let response = |job: JobId| {
        let run = analysis.trace.jobs[job.index()];
        if so_far.is_some_and(|so_far| run.end() > so_far.at) {
            return "–".to_owned();
        }
        run.response().map_or_else(|| run.outcome.name().to_owned(), |response| seconds(response.seconds()))
    };
    let slowest = analysis.summary.percentiles.filter(|_| so_far.is_none());
    let slowest = slowest.map(|percentiles| seconds(percentiles.p95));
    let costs = analysis.summary.special.attempts.filter(|_| so_far.is_none());
    let wasted = costs.map(|costs| costs.wasted.seconds()).filter(|wasted| *wasted > 0.0);
    let jobs = named_jobs(analysis, chosen);
    html! {
        <>
            { for slowest.map(|slowest| html! { <span title="95 of 100 jobs are answered within this time">{
                figure("p95".to_owned(), slowest) }</span> }) }
            { for wasted.map(|wasted| figure("wasted".to_owned(), format!("{}\u{a0}core-s", number::short(wasted)))) }
            { for unfinished.words().map(|words| html! { <span class="figure">{ words }</span> }) }
            { for jobs.map(|job| figure(analysis.scenario.job_label(job), response(job))) }
        </>
    }
}

fn figure(name: String, figure: String) -> Html {
    html! {
        <span class="figure">{ name }{ " " }<b>{ figure }</b></span>
    }
}

fn seconds(seconds: f64) -> String {
    format!("{}\u{a0}s", number::three_digits(seconds))
}

/// Most users whose counts are shown.
const SHOWN_USERS: usize = 6;

/// Running and waiting tasks of each user at the playhead; nothing in a drag.
fn load(analysis: &Analysis, at: Time) -> Html {
    let Some(counts) = analysis.load_at(at) else { return Html::default() };
    let mut active =
        counts.iter().enumerate().filter(|(_, count)| count.running + count.waiting > 0).peekable();
    if active.peek().is_none() {
        return html! { <span class="load">{ "idle" }</span> };
    }
    html! {
        <span class="load" title="At the playhead: tasks running + tasks waiting, by user">
            { for active.take(SHOWN_USERS).map(|(user, count)| html! {
                <span>
                    <i class={classes!("dot", format!("hue-{}", selectors::user_hue(UserId(user as u32))))}></i>
                    <span class="sr">{ &analysis.trace.users[user] }</span>
                    { format!("{} run", count.running) }
                    if count.waiting > 0 { <em>{ format!("{} wait", count.waiting) }</em> }
                </span>
            }) }
        </span>
    }
}

#[derive(Properties, PartialEq)]
struct ScheduleProps {
    policy: PolicyId,
    until: Option<Time>,
    analysis: Shared<Analysis>,
    axis: TimeAxis,
    style: PaintStyle,
    waiting_at: Time,
    motion: Motion,
    before: Option<Shared<Analysis>>,
    origin: Option<Shared<Analysis>>,
    still: bool,
    launched: Option<usize>,
    /// Whether the upper part of the gutter is the name's.
    below_name: bool,
    overlays: Option<Overlays>,
    send: Callback<Action>,
}

/// The chart with its gutter, and the chosen jobs' responses below it. With many cores it can show
/// some of them; each chart on its own, as a core is not the same machine under two policies.
#[component]
fn Schedule(props: &ScheduleProps) -> Html {
    let cluster = props.analysis.scenario.cluster();
    let cores = cluster.cores();
    let chart = use_node_ref();
    let looked_at = use_state_eq(|| None::<CoreWindow>);
    let window = looked_at.unwrap_or(CoreWindow::whole(cores)).within(cores);
    let look = {
        let looked_at = looked_at.setter();
        // All of them stay all of them when the cluster grows.
        Callback::from(move |window: CoreWindow| {
            looked_at.set(Some(window).filter(|window| window.count < cores))
        })
    };
    let many = ChartRows::has_windows(cores);
    use_core_wheel(&chart, many.then_some(cores), window, look.clone());
    let jobs = named_jobs(&props.analysis, &props.style.chosen);
    let rows = ChartRows::of_window(cluster, props.style.zoom, window);
    let reserved = if props.below_name { NAME_ROOM_PX } else { 0 };
    let ends = props.analysis.summary.unfinished.words().next().map(|_| "with-ends");
    html! {
        <>
            if many {
                { core_tools(window, cores, &look) }
            }
            <div class={classes!("row", ends)} ref={chart}>
                <Gutter rows={rows.clone()} cores_per_executor={cluster.cores_per_executor} {window} {reserved}
                    send={props.send.clone()} />
                <WaitingStages analysis={props.analysis.clone()} at={props.waiting_at} {reserved}
                    playing={props.motion == Motion::Playing} rows={rows.clone()} />
                <div class="plot chart">
                    <Gantt policy={props.policy} analysis={props.analysis.clone()} axis={props.axis} cores={window}
                        {look} style={props.style.clone()} outlines={props.before.is_some()} send={props.send.clone()}
                        label={selectors::aria_label(props.policy, props.before.as_ref().unwrap_or(&props.analysis),
                            props.until)} />
                    if let Some(overlays) = props.overlays {
                        { (overlays.moving)(motion::MovingProps
                            { analysis: props.analysis.clone(), origin: props.origin.clone(), still: props.still,
                                axis: props.axis, rows: rows.clone(), style: props.style.clone() }) }
                        { (overlays.marks)(marks::MarksProps { analysis: props.analysis.clone(), axis: props.axis,
                            rows: rows.clone() }) }
                    }
                    { for props.launched.and_then(|task| launched(&props.analysis, task, props.axis, &rows)) }
                    <Gridlines axis={props.axis} />
                </div>
            </div>
            <>{ for jobs.map(|job| html! { <Response analysis={props.analysis.clone()} {job} axis={props.axis} /> })
                }</>
        </>
    }
}

/// A task that flies from where the stages wait to its core, over what is hidden.
fn launched(analysis: &Analysis, task: usize, axis: TimeAxis, rows: &ChartRows) -> Option<Html> {
    let run = analysis.trace.tasks.get(task)?;
    let (top, bottom) = *rows.bands.get(rows.row_of(run.core)?)?;
    let (from, to) = (axis.fraction(run.start), axis.fraction(run.end));
    let hue = selectors::user_hue(analysis.scenario.jobs()[run.job.index()].user);
    let style = format!(
        "left:{:.3}%;width:{:.3}%;top:{top}px;height:{}px",
        100.0 * from,
        100.0 * (to - from),
        bottom - top
    );
    Some(html! { <i key={task} class={classes!("launched", format!("hue-{hue}"))} {style}></i> })
}

#[derive(Properties, PartialEq)]
struct GridlinesProps {
    axis: TimeAxis,
}

#[component]
fn Gridlines(props: &GridlinesProps) -> Html {
    let line = |at: f64| html! { <i class="gridline" style={format!("left:{:.3}%", at * 100.0)}></i> };
    props.axis.ticks(TICKS).iter().map(|tick| line(tick.fraction)).collect()
}

#[derive(Properties, PartialEq)]
struct ResponseProps {
    analysis: Shared<Analysis>,
    job: JobId,
    axis: TimeAxis,
}

/// A job's bar from arrival to end, with a flag where it would end under ideal sharing.
#[component]
fn Response(props: &ResponseProps) -> Html {
    let analysis = &props.analysis;
    let run = analysis.trace.jobs[props.job.index()];
    let Hue { hue, .. } = selectors::job_hues(&analysis.scenario)[props.job.index()];
    let percent = |time: Time| props.axis.fraction(time).clamp(0.0, 1.0) * 100.0;
    let (from, to) = (percent(run.arrival), percent(run.end()));
    let ideal = analysis.ideal(props.job);
    let name = analysis.scenario.job_label(props.job);
    let spoken = format!(
        "{name}: arrives at {}, {} at {}{}",
        number::about(run.arrival),
        if run.finish().is_some() { "finishes" } else { run.outcome.name() },
        number::about(run.end()),
        ideal.map(|ideal| format!(", ideally at {}", number::about(ideal))).unwrap_or_default()
    );
    html! {
        <div class="row response" title={spoken.clone()}>
            <div class="gutter"><span>{ name }</span></div>
            <div class="plot" role="img" aria-label={spoken}>
                <i class={classes!("bar", format!("hue-{hue}"))}
                    style={format!("left:{from:.3}%;width:{:.3}%", to - from)}></i>
                if let Some(ideal) = ideal {
                    <i class={classes!("flag", (percent(ideal) > 90.0).then_some("leftwards"))}
                        style={format!("left:{:.3}%", percent(ideal))}><span>{ "ideal" }</span></i>
                }
            </div>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct GutterProps {
    rows: ChartRows,
    cores_per_executor: u32,
    window: CoreWindow,
    /// Logical pixels at the top that are the name's.
    reserved: u32,
    send: Callback<Action>,
}

/// How a chart is to be read.
const READING: &str = "Each row is a core. A pixel column with more than two tasks shows the users\u{2019} shares of that time, \
                       stacked from the bottom; the rest is idle time. Low rows and rows of several cores show a blend of the colours.";

/// Logical pixels that an executor needs for its name, and a core for its number.
const NAME_PX: u32 = 12;
const NUMBER_PX: u32 = 9;

/// Logical pixels of a panel's name and mean over its gutter.
const NAME_ROOM_PX: u32 = 42;

/// Names of executors and numbers of cores beside the chart, where there is room.
#[component]
fn Gutter(props: &GutterProps) -> Html {
    let &GutterProps { ref rows, cores_per_executor, window, reserved, ref send } = props;
    // Keys reach the same in the set-up, without a stop for each executor of each panel.
    let handle = |(executor, (top, bottom)): (u32, (u32, u32))| {
        let onclick = send.reform(move |_: MouseEvent| Action::ToggleExecutor(executor));
        let style = format!("top:{top}px;height:{}px", bottom - top);
        let title =
            format!("executor {executor}: press to take it away at the playhead, or to bring it back then");
        html! {
            <button type="button" class="executor-handle" {style} tabindex="-1" aria-label={title.clone()} {title}
                {onclick}></button>
        }
    };
    html! {
        <div class="gutter" style={format!("height:{}px", rows.height)} title={READING}>
            { for labels(rows, cores_per_executor, window, reserved).into_iter().map(|GutterLabel { class, middle, room, text }| html! {
                <span {class} style={format!("top:{middle}px;--room:{room}px")} aria-hidden="true">{ text }</span>
            }) }
            { for executor_bands(rows, cores_per_executor, window).into_iter().map(handle) }
        </div>
    }
}

/// The executors whose cores have rows of their own, each with the upper and lower edge of these, in logical pixels.
fn executor_bands(rows: &ChartRows, cores_per_executor: u32, window: CoreWindow) -> Vec<(u32, (u32, u32))> {
    if rows.bands.len() != rows.cores as usize {
        return Vec::new();
    }
    let end = window.first + window.count;
    let band = |core: u32| rows.bands[(core - window.first) as usize];
    let executors = window.first / cores_per_executor..=(end - 1) / cores_per_executor;
    let edges = |executor: u32| {
        let first = (executor * cores_per_executor).max(window.first);
        let last = ((executor + 1) * cores_per_executor).min(end) - 1;
        (executor, (band(first).0, band(last).1))
    };
    executors.map(edges).collect()
}

/// A name in the gutter.
struct GutterLabel {
    class: &'static str,
    /// Its middle, in logical pixels from the top of the chart.
    middle: f64,
    /// Its height at most, in logical pixels.
    room: u32,
    text: String,
}

/// The names of executors and numbers of cores that have room. Of the pixels reserved at the top the numbers are clear,
/// as they stand at the right.
fn labels(rows: &ChartRows, cores_per_executor: u32, window: CoreWindow, reserved: u32) -> Vec<GutterLabel> {
    if rows.bands.len() != rows.cores as usize {
        return vec![GutterLabel {
            class: "executor",
            middle: f64::from(reserved) + 8.0,
            room: NAME_PX,
            text: format!("{} cores", window.count),
        }];
    }
    let label = |class, least: u32, (top, bottom): (u32, u32), text: String| {
        let (middle, room) = (f64::from(top + bottom) / 2.0, bottom - top);
        (room >= least).then_some(GutterLabel { class, middle, room, text })
    };
    let executors = executor_bands(rows, cores_per_executor, window).into_iter();
    let executors = executors
        .filter_map(|(executor, band)| label("executor", NAME_PX, band, format!("executor {executor}")))
        .filter(|label| label.middle >= f64::from(reserved + NAME_PX / 2));
    let cores = (window.first..).zip(&rows.bands);
    let cores = cores.filter_map(|(core, &band)| label("core", NUMBER_PX, band, core.to_string()));
    executors.chain(cores).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_room_are_left_out() {
        let window = CoreWindow::whole(4);
        let texts = |rows: &ChartRows| {
            labels(rows, 2, window, 0).into_iter().map(|label| label.text).collect::<Vec<_>>()
        };
        let tall = texts(&ChartRows::new(2, 2, 1.0));
        assert!(
            ["executor 0", "executor 1", "3"].iter().all(|name| tall.iter().any(|text| text == name)),
            "{tall:?}"
        );
        let low = labels(&ChartRows::new(2, 2, 0.3), 2, window, 0);
        assert!(low.iter().all(|label| label.class != "core"));
        // None is higher than its row.
        let rows = ChartRows::new(2, 2, 1.0);
        let cores = labels(&rows, 2, window, 0).into_iter().filter(|label| label.class == "core");
        assert_eq!(
            cores.map(|label| label.room).collect::<Vec<_>>(),
            rows.bands.iter().map(|(top, bottom)| bottom - top).collect::<Vec<_>>()
        );
        let below = labels(&ChartRows::new(2, 2, 1.5), 2, window, 42);
        let names = below.iter().filter(|label| label.class == "executor").map(|label| label.text.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["executor 1"], "the first would lie under the panel's name");
        let many = labels(&ChartRows::new(100, 100, 1.0), 100, CoreWindow::whole(10_000), 0);
        assert_eq!(many.last().map(|label| label.text.as_str()), Some("10000 cores"));
    }
}
