//! The page as a whole: the store, the effects, and the panels side by side.

use std::collections::BTreeMap;
use std::rc::Rc;

use yew::prelude::*;

use super::background;
use super::effects::{self, Store};
use crate::app::lazy::{LoadTiming, Loaded, use_later};
use crate::browser::dropped_files;
use crate::panels::editors::field::RefusedEdit;
use crate::panels::editors::{job, program};
use crate::panels::guide::{about, fidelity, help, lessons, predict};
use crate::panels::header::Header;
use crate::panels::lanes::{Lanes, palette};
use crate::panels::notice::{notice_bar, opening_bar};
use crate::panels::results::{charts, differences, log};
use crate::panels::schedule::legend::Legend;
use crate::panels::schedule::panel::panel;
use crate::panels::schedule::tools::Tools;
use crate::panels::schedule::transport::Transport;
use crate::panels::schedule::{block_tip, heights, ideal, overview, story, transport};
use crate::panels::setup::policies;
use crate::panels::share::{buttons, saved_scenarios};
use crate::panels::tabs::Tabs;
use crate::panels::{EditorProps, StateProps, toast};
use crate::plots::gantt::PaintStyle;
use crate::plots::theme::use_theme;
use crate::results::shared::Shared;
use crate::saved;
use crate::store::{Action, DisplayMode, Future, Guide, Motion, Opening, SideSheet, State, Tab, selectors};
use crate::ui::focus::focus;
use fairlane::policy::{OBSERVED, PolicyId, custom};
use fairlane::scenario::PartitionMode;

/// Why what a log recorded is not shown beside what is simulated.
const OTHER_CLUSTER: &str =
    " is not shown: the cluster is no longer the log's. Undo the change to compare with it.";
const OTHER_JOBS: &str = "The jobs are no longer the log's, so nothing is compared with it. Undo the change to bring the log back.";

/// The laboratory.
#[component]
pub fn App() -> Html {
    let store = use_reducer_eq(|| Store::first(saved::lessons::first_state().simulated_at_once()));
    let state = &store.0;
    let dispatch = store.dispatcher();
    let pool = effects::use_pool(dispatch.clone());
    let theme = use_theme(None);
    let axis = state.axis();
    effects::use_simulations(state, &pool, dispatch.clone());
    // Without a schedule to draw there is nothing to wait for.
    let wanted = state.tab != Tab::Compare || state.lessons.tour.is_some() || state.runs.is_empty();
    let later = use_later(LoadTiming::AfterPicture(wanted));
    {
        let dispatch = dispatch.clone();
        use_effect_with(later.loaded().is_some(), move |_| dispatch.dispatch(Action::Guide(Guide::Explain)));
    }
    effects::use_ready_mark(state.is_settled() && later.is_settled(), state.revision);

    let send = {
        let dispatch = dispatch.clone();
        use_callback((), move |action, ()| dispatch.dispatch(action))
    };
    let open = {
        let (pool, dispatch) = (pool.clone(), dispatch.clone());
        let log = state.document.log.as_ref().and_then(|log| log.without_pools());
        use_callback(log, move |files, log| {
            effects::open_files(files, log.clone(), pool.clone(), dispatch.clone());
        })
    };
    let import = {
        let (pool, dispatch) = (pool.clone(), dispatch.clone());
        use_callback((), move |(number, rules), ()| {
            dispatch.dispatch(Action::Opening(Opening::named("the log")));
            pool.import_again(number, rules);
        })
    };
    let ondragover = Callback::from(|event: DragEvent| event.prevent_default());
    let ondrop = {
        let open = open.clone();
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            dropped_files::send(event.data_transfer(), open.clone());
        })
    };
    // Computed only while it is shown.
    let is_compared = state.tab == Tab::Differences && state.sheet == SideSheet::Unfolded;
    let compared = is_compared.then(|| state.clone());
    let seen = compared.as_ref().and_then(State::compared).map(|(one, other)| {
        let analysis = |policy| state.runs.get(&policy).and_then(|run| run.analysis.clone());
        ((one, analysis(one)), (other, analysis(other)))
    });
    let loaded = later.loaded();
    let overlays = loaded.map(|Loaded(parts)| parts.overlays);
    let difference = use_memo((seen, loaded), move |(_, loaded)| {
        let (state, Loaded(parts)) = compared.as_ref().zip(*loaded)?;
        (parts.difference)(state).map(Shared::new)
    });
    let document = &state.document;
    let zoom = heights::use_rows_zoom(state);
    let moved = selectors::moved(state, difference.as_ref().as_ref());
    let style = |policy| PaintStyle {
        moved: moved.get(&policy).cloned(),
        asked: state.asked_task(policy),
        ..PaintStyle::new(state, &theme.colours, zoom)
    };
    // What is derived from all schedules follows once nothing is dragged: each frame of a drag has ten new ones.
    let settled_state = use_mut_ref(|| state.clone());
    if state.drag.is_none() {
        *settled_state.borrow_mut() = state.clone();
    }
    let settled_state: State = settled_state.borrow().clone();
    // What the editors beside the lanes show stays as it is while jobs are dragged.
    let set_up = match document.has_set_up_of(&settled_state.document) {
        true => &settled_state.document,
        false => document,
    };
    let schedules = selectors::schedules(&settled_state);
    let panels = selectors::panels(state, &settled_state, &use_identical(&settled_state));
    let longest = use_longest(state);
    let future = state.future();
    // What moves with the playhead: the stylesheet needs nothing else.
    let (at, off) = selectors::playhead_style(state);
    let send_toast = send.clone();
    let state_props = |state: &State| StateProps {
        state: state.clone(),
        colours: theme.colours.clone(),
        send: send.clone(),
    };
    let sheet = match (state.sheet, state.tab) {
        (SideSheet::Folded, _) => None,
        (SideSheet::SetUp, _) => Some("with-set-up"),
        (SideSheet::Unfolded, Tab::Compare) => Some("with-sheet comparing"),
        (SideSheet::Unfolded, _) => Some("with-sheet"),
    };
    let skip = |css: &'static str| {
        Callback::from(move |event: MouseEvent| {
            event.prevent_default();
            focus(css);
        })
    };
    // The space bar plays then, instead of leaving.
    let present = {
        let (send, enters) = (send.clone(), state.mode == DisplayMode::Work);
        move |_: MouseEvent| {
            send.emit(Action::Present);
            if enters {
                focus("#play");
            }
        }
    };
    html! {
        <div class={classes!("lab", state.drag.is_some().then_some("dragging"),
            state.lessons.tour.is_some().then_some("with-lesson"),
            (state.mode == DisplayMode::Present).then_some("presenting"),
                state.predict.is_some().then_some("predicting"),
                    (state.motion == Motion::Playing).then_some("playing"), sheet)} data-future={future.word()}
                        {ondragover} {ondrop}>
            <nav class="skip" aria-label="Skip">
                <a id="skip-to-schedules" href="#stage" onclick={skip("#stage")}>{ "To the schedules" }</a>
                <a id="skip-to-time" href="#play" onclick={skip("#play")}>{ "To the time controls" }</a>
                <a id="skip-to-figures" href="#side"
                    onclick={skip(".tabs [aria-selected=true]")}>{ "To the figures" }</a>
            </nav>
            <Header document={settled_state.document.clone()} can_undo={state.history.undo_title().is_some()}
                can_redo={state.history.redo_title().is_some()}
                {open} send={send.clone()} mode={theme.mode} next_theme={theme.next.clone()}
                mine={later.show_or(|parts| (parts.mine)(saved_scenarios::MineProps { send: send.clone() }), || html!
                { <button disabled=true>{ "Mine" }</button> })}>
                <button id="present" aria-pressed={(state.mode == DisplayMode::Present).to_string()}
                    onclick={present}
                    title="Larger type, the schedules alone (P)">{ "Present" }</button>
                if state.mode == DisplayMode::Present {
                    <button id="present-policies" aria-controls="set-up"
                        aria-expanded={(state.sheet == SideSheet::SetUp).to_string()}
                        onclick={send.reform(|_: MouseEvent| Action::SetUp)}>{ "Policies" }</button>
                }
                <details class="menu lessons-menu" name="menu" id="lessons">
                    <summary title="Guided tours of this page">{ "Lessons" }</summary>
                    <div>{ later.show(|parts| (parts.lessons)(lessons::ListProps
                        { lessons: state.lessons.clone(), send: send.clone() })) }</div>
                </details>
                { later.show_or(|parts| (parts.share)(buttons::ShareProps
                    { state: settled_state.clone(), send: send.clone() }), || html!
                        { <><button disabled=true>{ "Share" }</button><button disabled=true>{ "Embed" }</button></> }) }
                <details class="menu" name="menu" id="export">
                    <summary id="save">{ "Save" }</summary>
                    <div>{ later.show(|parts| (parts.export)(state_props(&settled_state))) }</div>
                </details>
                { later.show_or(|parts| (parts.help)(help::HelpProps { open: state.help, send: send.clone() }),
                    || html! { <button disabled=true>{ "?" }</button> }) }
            </Header>
            <div class="story" id="story" role="region"
                aria-label="In short">{ later.show_or(|parts|
                (parts.story)(story::StoryProps { state: settled_state.clone(), send: send.clone() }), || html!
                    { <p>{ document.title() }</p> }) }</div>
            { later.show_or(|parts| (parts.background)(background::BackgroundProps
                { state: state.clone(), dispatch: dispatch.clone() }), Html::default) }
            { opening_bar(state.opening.as_ref()) }
            if let Some(notice) = &state.notice {
                { notice_bar(notice, Html::default(), &send.reform(|()| Action::CloseNotice)) }
            }
            <ContextProvider<RefusedEdit> context={state.refused.clone()}>
            <main>
                <div class="stage" id="stage" role="region" aria-label="Schedules" tabindex="-1">
                    <div class={classes!("timebox", off.then_some("off"))} style={at}>
                        <Lanes document={document.clone()} {axis} alone={selectors::alone(state).map(Rc::from)}
                            chosen={state.chosen.clone()} choice={state.choice} schedules={schedules.clone()}
                            send={send.clone()} />
                        <div class="stage-tools">
                        { later.show_or(|parts| (parts.palette)(palette::PaletteProps
                            { document: settled_state.document.clone(), axis, playhead: state.playhead,
                                chosen: state.chosen_job(), send: send.clone() }), Html::default) }
                        <Tools colouring={state.colouring} marks={state.marks.clone()} {future}
                            heights={state.rows()} {axis} zoomed={state.window.is_some()}
                            choice={state.choice} textured={theme.textured} texture={theme.texture.clone()}
                            send={send.clone()} />
                        if state.ticked.iter().any(|policy| policy.partitioning == PartitionMode::Runtime) {
                            { later.show_or(|parts| (parts.task_length)(EditorProps
                                { document: document.clone(), send: send.clone() }), Html::default) }
                        }
                        </div>
                        <Legend document={document.clone()} colouring={state.colouring} />
                        { later.show_or(|parts| (parts.ideal)(ideal::IdealProps::new(state, &settled_state, &send)),
                            || html! { <section class="ideal"></section> }) }
                        if document.log.is_some() && !state.runs.contains_key(&OBSERVED) {
                            <p class="empty" id="no-observed"><b>{ OBSERVED.title() }</b>{ OTHER_CLUSTER }</p>
                        }
                        if document.left_log { <p class="empty" id="left-log">{ OTHER_JOBS }</p> }
                        // A list of its own: its neighbours stay as they are when a policy is ticked.
                        <div class="panels">
                        { for panels.into_iter().map(|facts|
                            panel(state, style(facts.policy), facts, longest, overlays, &send)) }
                        </div>
                        if state.runs.is_empty() {
                            <p class="empty">{
                                "No policy is ticked. Tick one to see how it would schedule these jobs." }</p>
                        }
                        <div class="playhead" aria-hidden="true" hidden={off}></div>
                        if state.window.is_some() {
                            { later.show(|parts| (parts.overview)(overview::OverviewProps
                                { analysis: schedules.first().map(|(_, analysis)| analysis.clone()), axis,
                                    whole: state.whole(), send: send.clone() })) }
                        }
                    </div>
                </div>
                if let Some(tour) = &state.lessons.tour {
                    { later.show(|parts| (parts.lesson)(lessons::LessonCardProps::new(tour, state, &send))) }
                }
                <aside class="left" id="set-up" aria-label="Set-up">
                    if let Some(log) = &document.log {
                        { later.show(|parts|
                            (parts.log)(log::LogProps
                                { document: document.clone(), simulated: state.runs.get(&log.ran_with).cloned(),
                                    import, send: send.clone() })) }
                    }
                    { later.show_or(|parts| (parts.policies)(policies::PoliciesProps
                        { ticked: state.ticked.clone(), document: set_up.clone(), send: send.clone() }), || html!
                            { <h2>{ "Policies" }</h2> }) }
                    { later.show(|parts| (parts.set_up)(EditorProps { document: set_up.clone(), send: send.clone() })) }
                    { later.show_or(|parts| (parts.about)(about::AboutProps { document: set_up.clone() }),
                        Html::default) }
                    <p>{ later.show(|parts| (parts.fidelity)(fidelity::FidelityProps { send: send.clone() })) }</p>
                </aside>
                <aside class="right" aria-label="Results and editors">
                    <button type="button" class="fold-sheet small"
                        onclick={send.reform(|_: MouseEvent| Action::FoldSheet)}
                        aria-label="Fold the sheet">{ "✕" }</button>
                    <Tabs tab={state.tab} has_programs={!custom::programs(&document.scenario).is_empty()}
                        sheet={state.sheet} send={send.clone()}>
                        { match state.tab {
                            Tab::Compare => later.show(|parts| (parts.compare)(state_props(&settled_state))),
                            Tab::Charts =>
                                later.show(|parts| (parts.charts)(charts::ChartsProps
                                    { state: state.clone(), colours: theme.colours.clone(), pool: pool.clone(),
                                        send: send.clone() })),
                            Tab::Job => later.show(|parts|
                                (parts.job)(job::JobEditorProps
                                    { document: document.clone(), chosen: state.chosen.iter().copied().collect(),
                                        ticked: state.ticked.clone(),
                                workers: job::Workers
                                    { pool: pool.clone(), revision: state.revision, means: state.means.clone() },
                                        send: send.clone() })),
                            Tab::Why => later.show(|parts| (parts.why)(state_props(state))),
                            Tab::Program => later.show(|parts| (parts.program)(program::ProgramTabProps
                                { document: document.clone(), approvals: state.approvals.clone(),
                                    failures: program::failures(state), send: send.clone() })),
                            Tab::Differences
                                => later.show(|parts| (parts.differences)(differences::DifferencesProps
                                    { state: state.clone(), difference: (*difference).clone(), send: send.clone() })),
                        } }
                    </Tabs>
                </aside>
                { later.show_or(|parts| (parts.block_tip)(block_tip::BlockTipProps
                    { schedules, at: state.playhead, hidden: state.drag.is_some() || state.motion == Motion::Playing
                        || future == Future::Secret, document: document.clone() }), Html::default) }
            </main>
            </ContextProvider<RefusedEdit>>
            if state.predict.is_some() {
                { later.show(|parts| (parts.predict)(predict::PredictCardProps
                    { state: state.clone(), place: predict::PredictExit::Lab, send: send.clone() })) }
            }
            <Transport end={settled_state.end()} chosen={settled_state.chosen_job()}
                document={settled_state.document.clone()} ..transport::TransportProps::new(state, &send) />
            { later.show_or(|parts| (parts.toast)(toast::ToastProps
                { toast: state.toast.clone(), send: send_toast }), Html::default) }
            <p class="sr" role="status" id="said">{ &state.said }</p>
        </div>
    }
}

/// Policies with the schedule of an earlier one. While something is dragged schedules arrive one after the other, and
/// what was known stays.
#[hook]
fn use_identical(state: &State) -> Rc<BTreeMap<PolicyId, PolicyId>> {
    let known = use_mut_ref(|| (Vec::new(), Rc::default()));
    let mut known = known.borrow_mut();
    let runs: Vec<_> = state.analyses().map(|(policy, analysis)| (policy, analysis.clone())).collect();
    if state.drag.is_none() && known.0 != runs {
        let identical = Rc::new(selectors::identical(&runs));
        *known = (runs, identical);
    }
    Rc::clone(&known.1)
}

/// The length of a full bar in all verdicts, in seconds; it stays while something is dragged.
#[hook]
fn use_longest(state: &State) -> f64 {
    let known = use_mut_ref(|| 0.0);
    let mut known = known.borrow_mut();
    if state.drag.is_none() || *known == 0.0 {
        *known = selectors::longest_mean(state);
    }
    *known
}
