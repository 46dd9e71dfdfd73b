//! One policy: its main figures in a line, its Gantt chart of the cores, and the chosen jobs' responses.

use yew::prelude::*;

use super::gutter::{Gutter, name_room};
use super::outcome::{self, named_jobs};
use super::reorder::{ReorderHandle, use_handle};
use super::shares::Shares;
use super::verdict::{Trust, VerdictList};
use super::waiting::WaitingStages;
use crate::browser::fatal;
use crate::panels::TICKS;
use crate::plots::gantt::marks::Marks;
use crate::plots::gantt::motion::Moving;
use crate::plots::gantt::{Gantt, PaintStyle, core_tools, use_core_wheel};
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::selectors::{self, Hue, PanelFacts};
use crate::store::{
    Action, Colouring, Direction, DocumentAction, Drag, Drawing, Motion, Notice, Run, RunAction, RunPhase,
    State, Tab, ViewAction,
};
use crate::ui::icon::icon;
use crate::ui::lazy::Lazy;
use crate::ui::send::{Handlers, use_send};
use fairlane::ids::JobId;
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
    place: PanelPlace,
}

/// A handler that copies what is to be reported of a simulation that failed with a message.
fn reporting(message: &str, send: &Callback<Action>) -> Callback<MouseEvent> {
    let message = message.to_owned();
    send.press_task(move || {
        let message = message.clone();
        async move {
            let (title, detail) = match fatal::copy_report(&message).await {
                true => ("The report was copied", "It has the version, the last steps and the message."),
                false => ("The report was not copied", "Allow this page the clipboard, and press again."),
            };
            Action::done(Notice { title: title.to_owned(), detail: detail.to_owned() })
        }
    })
}

/// Where a panel stands.
#[derive(Clone, Copy, PartialEq)]
pub struct PanelPlace {
    /// Whether it is the one that a phone shows.
    pub is_front: bool,
    /// Whether its name, its schedule and what comes out are beside each other.
    pub in_columns: bool,
    /// Whether a press on the figures of a user or a job opens the inspector.
    pub opens: bool,
}

/// The panel of a policy on the page as it is.
pub fn panel(state: &State, style: PaintStyle, place: PanelPlace, facts: PanelFacts, longest: f64) -> Html {
    let policy = facts.policy;
    html! {
        <Panel key={policy.to_string()} run={state.runs[&policy].clone()} axis={state.axis()} {style}
            playhead={state.view.playhead} motion={state.playback.motion} collapsed={state.view.collapsed.contains(&policy)}
            dragging={state.drag.is_some()} still={state.drag.as_ref().is_some_and(Drag::is_of_jobs)} {longest} {place} {facts} />
    }
}

#[component]
fn Panel(props: &PanelProps) -> Html {
    let send = use_send();
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
    let titles: Vec<String> =
        [policy].iter().chain(&props.facts.merged).map(|policy| policy.title()).collect();
    let title = number::list(&titles);
    let body = match (&props.run.analysis, &props.run.phase) {
        (Some(analysis), _) => {
            html! { <Schedule {policy} analysis={analysis.clone()} axis={props.axis}
                style={props.style.clone()} waiting_at={props.facts.waiting_at} until={props.facts.until}
            before={props.facts.before.clone()} origin={(*origin).clone()} still={props.still} motion={props.motion}
            launched={props.facts.launched} reserved={if props.place.in_columns { name_room(&title) } else { 0 }} /> }
        }
        (None, RunPhase::Failed(message) | RunPhase::Refused(message)) => failed(props, message, &send),
        (None, RunPhase::Pending(part)) => {
            html! { <div class="wait">{ progress(policy, *part) }</div> }
        }
        (None, RunPhase::Settled) => Html::default(),
    };
    let collapse = send.press(ViewAction::Collapse(policy));
    let ReorderHandle { onpointerdown, onclick } = use_handle(policy, &send, collapse);
    let onkeydown = moved_by_keys(policy, &send);
    html! {
        <section class={classes!("panel", props.place.is_front.then_some("front"))} id={format!("panel-{}", policy)} data-state={state}
            aria-label={title.clone()}>
            <header>
                <div class="who">
                    <h2 title={policy.kind.info().summary}>
                        <button type="button" class="collapse" {onpointerdown} {onclick} {onkeydown}
                            aria-expanded={(!props.collapsed).to_string()}
                            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown">
                            { icon("M7 10l5 5 5-5") }{ title }
                        </button>
                    </h2>
                    if let Some(analysis) = &props.run.analysis {
                        { outcome::mean_response(analysis, props.facts.before.as_deref(), *so_far) }
                    }
                </div>
                if let Some(analysis) = &props.run.analysis {
                    <div class="outcome">
                        { outcome::figures(analysis, *so_far, &props.style.chosen, props.place.opens.then_some(&send)) }
                        { sameness(props, &send) }
                        { outcome::load(analysis, props.playhead) }
                        <VerdictList analysis={analysis.clone()} before={props.facts.before.clone()}
                            until={props.facts.until.map(|_| match props.motion {
                                Motion::Paused => props.playhead,
                                Motion::Playing => coarse(props.playhead, props.longest),
                            })}
                            longest={props.longest} opens={props.place.opens} />
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

/// Why there is no schedule, and what the reader can do about it.
fn failed(props: &PanelProps, message: &str, send: &Callback<Action>) -> Html {
    let policy = props.facts.policy;
    let button = |words: &'static str, action: Action| {
        let onclick = send.press(action);
        html! { <button type="button" {onclick}>{ words }</button> }
    };
    match &props.facts.unapproved {
        Some(text) => html! {
            <div class="failed ask" role="alert">
                <p>{ message }</p>
                <pre tabindex="0" aria-label="The program">{ text.to_string() }</pre>
                { button("Run it", Action::Document(DocumentAction::RunProgram(policy.kind))) }
            </div>
        },
        None => html! {
            <div class="failed" role="alert">
                <p>{ message }</p>
                if custom::is_program(policy.kind) {
                    { button("Show the program", Action::View(ViewAction::Show(Tab::Program))) }
                } else if matches!(props.run.phase, RunPhase::Failed(_)) {
                    { button("Try again", Action::Run(RunAction::Retry(policy))) }
                    <button type="button" class="report" onclick={reporting(message, send)}>
                        { "Copy a report" }</button>
                }
            </div>
        },
    }
}

/// Keys that move the panel up and down.
fn moved_by_keys(policy: PolicyId, send: &Callback<Action>) -> Callback<KeyboardEvent> {
    send.on(move |event: KeyboardEvent| {
        let direction = match event.key().as_str() {
            "ArrowUp" if event.alt_key() => Direction::Back,
            "ArrowDown" if event.alt_key() => Direction::Forward,
            _ => return None,
        };
        event.prevent_default();
        Some(Action::View(ViewAction::MovePanel(policy, direction)))
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
fn sameness(props: &PanelProps, send: &Callback<Action>) -> Html {
    let fold = |policy: PolicyId| send.press(ViewAction::Fold(policy));
    html! {
        <>
            if let Some(first) = props.facts.duplicate_of {
                if props.facts.unmerged {
                    <button type="button" class="small fold" id={format!("fold-{}", props.facts.policy)}
                        onclick={fold(props.facts.policy)}
                        title={format!("Both run every task on the same core at the same time: show one panel for {} and {}", first.title(), props.facts.policy.title())}>{ format!("Fold into {}", first.title()) }</button>
                } else {
                    <span class="figure same">{ "as under " }<b>{ first.title() }</b></span>
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
    /// Logical pixels at the top of the gutter that are the name's.
    reserved: u32,
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
    let reserved = props.reserved;
    let is_shares = props.style.drawing == Drawing::Shares;
    let before = props.before.as_ref().unwrap_or(&props.analysis);
    let label = selectors::aria_label(props.policy, before, props.until);
    let ends = props.analysis.summary.unfinished.words().next().map(|_| "with-ends");
    html! {
        <>
            if many {
                { core_tools(window, cores, &look) }
            }
            <div class={classes!("row", ends)} ref={chart}>
                if is_shares {
                    <div class="gutter"></div>
                } else {
                    <Gutter rows={rows.clone()} cores_per_executor={cluster.cores_per_executor} speeds={cluster.speeds.clone()} {window}
                        {reserved} />
                }
                <WaitingStages analysis={props.analysis.clone()} at={props.waiting_at} {reserved}
                    playing={props.motion == Motion::Playing} colouring={props.style.colouring} rows={rows.clone()} />
                <div class="plot chart">
                    if is_shares {
                        <Shares analysis={props.analysis.clone()} axis={props.axis} height={rows.height} {label}
                            name={props.policy.to_string()} />
                    } else {
                        <Gantt policy={props.policy} analysis={props.analysis.clone()} axis={props.axis} cores={window}
                            {look} style={props.style.clone()} outlines={props.before.is_some()} {label} />
                    }
                    if !is_shares {
                        <Lazy<Moving> analysis={props.analysis.clone()} origin={props.origin.clone()} still={props.still}
                            axis={props.axis} rows={rows.clone()} style={props.style.clone()} />
                        <Lazy<Marks> analysis={props.analysis.clone()} axis={props.axis} rows={rows.clone()} />
                    }
                    { for props.launched.filter(|_| !is_shares).and_then(|task| launched(&props.analysis, task, props.axis, &rows, props.style.colouring)) }
                    <Gridlines axis={props.axis} />
                </div>
            </div>
            <>{ for jobs.map(|job| html! { <Response analysis={props.analysis.clone()} {job} colouring={props.style.colouring} axis={props.axis} until={props.until} /> })
                }</>
        </>
    }
}

/// A task that flies from where the stages wait to its core, over what is hidden.
fn launched(
    analysis: &Analysis,
    task: usize,
    axis: TimeAxis,
    rows: &ChartRows,
    colouring: Colouring,
) -> Option<Html> {
    let run = analysis.trace.tasks.get(task)?;
    let (top, bottom) = *rows.bands.get(rows.row_of(run.core)?)?;
    let (from, to) = (axis.fraction(run.start), axis.fraction(run.end));
    let hue = selectors::stage_hue(&analysis.scenario, colouring, run.job, run.stage);
    let style = format!(
        "left:{:.3}%;width:{:.3}%;top:{top}px;height:{}px",
        100.0 * from,
        100.0 * (to - from),
        bottom - top
    );
    Some(html! { <i key={task} class={classes!("launched", selectors::hue_classes(hue))} {style}></i> })
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
    colouring: Colouring,
    axis: TimeAxis,
    /// While something beyond the playhead is hidden, the instant up to which the reader is told what happens.
    until: Option<Time>,
}

/// When a job arrives, ends and would end under ideal sharing, as far as the reader may know.
fn response_words(analysis: &Analysis, job: JobId, until: Option<Time>) -> String {
    let run = analysis.trace.jobs[job.index()];
    let is_known = |time: &Time| until.is_none_or(|until| *time <= until);
    let verb = if run.finish().is_some() { "finishes" } else { run.outcome.name() };
    let end = Some(run.end()).filter(is_known).map(|end| format!(", {verb} at {}", number::about(end)));
    let ideal = analysis.ideal(job).filter(is_known);
    let ideal = ideal.map(|ideal| format!(", ideally at {}", number::about(ideal)));
    let (name, arrival) = (analysis.scenario.job_label(job), number::about(run.arrival));
    format!("{name}: arrives at {arrival}{}{}", end.unwrap_or_default(), ideal.unwrap_or_default())
}

/// A job's bar from arrival to end, with a flag where it would end under ideal sharing.
#[component]
fn Response(props: &ResponseProps) -> Html {
    let analysis = &props.analysis;
    let run = analysis.trace.jobs[props.job.index()];
    let Hue { hue, .. } = selectors::block_hues(&analysis.scenario, props.colouring)[props.job.index()];
    let percent = |time: Time| props.axis.fraction(time).clamp(0.0, 1.0) * 100.0;
    let (from, to) = (percent(run.arrival), percent(run.end()));
    let ideal = analysis.ideal(props.job);
    let shown = ideal.filter(|&ideal| (0.0..=1.0).contains(&props.axis.fraction(ideal)));
    let name = analysis.scenario.job_label(props.job);
    let spoken = response_words(analysis, props.job, props.until);
    html! {
        <div class="row response" title={spoken.clone()}>
            <div class="gutter"><span>{ name }</span></div>
            <div class="plot" role="img" aria-label={spoken}>
                <i class={classes!("bar", format!("hue-{hue}"))}
                    style={format!("left:{from:.3}%;width:{:.3}%", to - from)}></i>
                if let Some(ideal) = shown {
                    <i class={classes!("flag", (percent(ideal) > 90.0).then_some("leftwards"))}
                        style={format!("left:{:.3}%", percent(ideal))}><span>{ "ideal" }</span></i>
                }
            </div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::codec::analyze_here;
    use crate::testing::{policy, scenario};

    /// ben's job arrives at 0.2 s, would end at 2.2 s, and ends at 13.26 s under Fair.
    #[test]
    fn the_words_of_a_bar_say_nothing_of_what_is_hidden() {
        let analysis = analyze_here(&Shared::new(scenario("two-users")), policy("fair"));
        let words = |until: Option<u64>| response_words(&analysis, JobId(12), until.map(Time));
        assert_eq!(words(None), "ben-1: arrives at 0.200 s, finishes at 13.260 s, ideally at 2.200 s");
        assert_eq!(words(Some(1_000_000)), "ben-1: arrives at 0.200 s");
        assert_eq!(words(Some(3_000_000)), "ben-1: arrives at 0.200 s, ideally at 2.200 s");
    }
}
