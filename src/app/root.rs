//! The page as a whole: the store, the effects, and the panels side by side.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::effects::{self, Store};
use super::keep;
use super::panels::{
    charts::Charts, cluster::ClusterEditor, differences::Differences, export::ExportMenu, fidelity::Fidelity,
    generator::GeneratorPanel, header::Header, job::JobEditor, lanes::Lanes, lessons, lessons::LessonCard,
    lessons::LessonsMenu, notice::NoticeBar, palette::Palette, panel::Panel, policies::Policies,
    results::Results, tabs::Tabs, tools::Tools, transport::Transport, users::UsersEditor, why::Why,
};
use super::selectors;
use super::shared::Shared;
use super::store::{Action, Document, State, Tab};
use super::theme::use_theme;

/// Starts the page in the element `#app`.
pub fn mount() {
    super::instants::program();
    super::fatal::watch();
    super::pool::start_early();
    let document = gloo::utils::document();
    let root = document.get_element_by_id("app").unwrap_or_else(|| gloo::utils::body().unchecked_into());
    root.set_inner_html("");
    yew::Renderer::<App>::with_root(root).render();
}

/// The laboratory.
#[component]
pub fn App() -> Html {
    let store = use_reducer_eq(|| Store(lessons::first_state()));
    let state = &store.0;
    let dispatch = store.dispatcher();
    let pool = effects::use_pool(dispatch.clone());
    let theme = use_theme();
    let axis = state.axis();
    effects::use_simulations(state, &pool);
    effects::use_playback(state.motion, dispatch.clone());
    effects::use_keys(axis, state.playhead, dispatch.clone());
    effects::use_wheel(axis, dispatch.clone());
    keep::use_keeping(state, dispatch.clone());
    lessons::use_keeping(state, dispatch.clone());
    effects::use_ready_mark(state.is_settled(), state.revision);

    let send = {
        let dispatch = dispatch.clone();
        (*use_memo((), move |()| Callback::from(move |action| dispatch.dispatch(action)))).clone()
    };
    let open = {
        let (pool, dispatch) = (pool.clone(), dispatch.clone());
        (*use_memo((), move |()| {
            Callback::from(move |file| effects::open_file(file, pool.clone(), dispatch.clone()))
        }))
        .clone()
    };
    let ondragover = Callback::from(|event: DragEvent| event.prevent_default());
    let ondrop = {
        let open = open.clone();
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            let files = event.data_transfer().and_then(|transfer| transfer.files());
            if let Some(file) = files.and_then(|files| files.get(0)) {
                open.emit(file);
            }
        })
    };
    // Compared only while somebody looks.
    let compared = (state.tab == Tab::Differences).then(|| state.clone());
    let seen = compared.as_ref().and_then(State::compared).map(|(one, other)| {
        let outcome = |policy| state.runs.get(&policy).and_then(|run| run.outcome.clone());
        ((one, outcome(one)), (other, outcome(other)))
    });
    let difference = use_memo(seen, move |_| compared.and_then(|state| state.difference()).map(Shared::new));
    let moved = selectors::moved(state, difference.as_ref().as_ref());
    let share = {
        let (state, dispatch) = (state.clone(), dispatch.clone());
        Callback::from(move |_: MouseEvent| {
            let (state, dispatch) = (state.clone(), dispatch.clone());
            wasm_bindgen_futures::spawn_local(async move {
                dispatch.dispatch(Action::Warn(keep::share(state).await))
            });
        })
    };
    let at = format!("--at: {}", axis.fraction(state.playhead));
    let off = axis.fraction(state.playhead) < 0.0 || axis.fraction(state.playhead) > 1.0;
    let document = &state.document;
    html! {
        <div class={classes!("lab", state.drag.is_some().then_some("dragging"), state.lessons.tour.is_some().then_some("with-lesson"))} {ondragover} {ondrop}>
            <Header document={document.clone()} can_undo={state.history.undo_title().is_some()} can_redo={state.history.redo_title().is_some()}
                {open} send={send.clone()} mode={theme.mode} next_theme={theme.next.clone()}>
                <LessonsMenu lessons={state.lessons.clone()} send={send.clone()} />
                <button id="share" onclick={share} title="Put a link to this very page into the clipboard">{ "Share" }</button>
                <ExportMenu state={state.clone()} colours={theme.colours.clone()} send={send.clone()} />
            </Header>
            if let Some(name) = &state.opening {
                <p class="opening late" role="status"><progress aria-label={format!("Opening {name}")}></progress>{ format!("opening {name}…") }</p>
            }
            if let Some(notice) = &state.notice {
                <NoticeBar notice={notice.clone()} close={send.reform(|()| Action::CloseNotice)} />
            }
            <main>
                <div class="stage" id="stage">
                    <div class="timebox" style={at}>
                        <Lanes document={document.clone()} {axis} alone={selectors::alone(state).map(Rc::from)} chosen={state.chosen.clone()} send={send.clone()} />
                        <Palette document={document.clone()} {axis} playhead={state.playhead} chosen={state.chosen_job()} send={send.clone()} />
                        <Tools colouring={state.colouring} marks={state.marks.clone()} {axis} zoomed={state.window.is_some()} send={send.clone()} />
                        // A list of its own: its neighbours stay as they are when a policy is ticked.
                        <>
                        { for state.runs.iter().map(|(&policy, run)| html! {
                            <Panel key={policy.to_string()} {policy} run={run.clone()} {axis} colours={theme.colours.clone()} colouring={state.colouring}
                                marks={state.marks.clone()} chosen={state.chosen.clone()} moved={moved.get(&policy).cloned()} playhead={state.playhead} send={send.clone()} />
                        }) }
                        </>
                        if state.runs.is_empty() {
                            <p class="empty">{ "No policy is ticked. Tick one to see how it would schedule these jobs." }</p>
                        }
                        <div class="playhead" aria-hidden="true" hidden={off}></div>
                    </div>
                </div>
                if let Some(tour) = &state.lessons.tour {
                    <LessonCard tour={tour.clone()} document={document.clone()} settled={state.is_settled()} send={send.clone()} />
                }
                <aside class="left" aria-label="Set-up">
                    <Policies ticked={state.ticked.clone()} toggle={send.reform(Action::Toggle)} />
                    <ClusterEditor document={document.clone()} send={send.clone()} />
                    <UsersEditor document={document.clone()} send={send.clone()} />
                    <GeneratorPanel document={document.clone()} send={send.clone()} />
                    <About document={document.clone()} />
                    <p><Fidelity send={send.clone()} /></p>
                </aside>
                <aside class="right" aria-label="Results and editors">
                    <Tabs tab={state.tab} send={send.clone()}>
                        { match state.tab {
                            Tab::Results => html! { <Results state={state.clone()} colours={theme.colours.clone()} /> },
                            Tab::Charts => html! { <Charts state={state.clone()} colours={theme.colours.clone()} pool={pool.clone()} send={send.clone()} /> },
                            Tab::Job => html! { <JobEditor document={document.clone()} chosen={state.chosen.iter().copied().collect::<Vec<_>>()} send={send.clone()} /> },
                            Tab::Why => html! { <Why state={state.clone()} colours={theme.colours.clone()} send={send.clone()} /> },
                            Tab::Differences => html! { <Differences state={state.clone()} difference={(*difference).clone()} send={send.clone()} /> },
                        } }
                    </Tabs>
                </aside>
            </main>
            <Transport playhead={state.playhead} end={state.end()} motion={state.motion} speed={state.speed} chosen={state.chosen_job()} document={document.clone()} {send} />
            <p class="sr" role="status" id="said">{ &state.said }</p>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct AboutProps {
    document: Shared<Document>,
}

/// What the scenario is about and what to look for.
#[component]
fn About(props: &AboutProps) -> Html {
    let entry = props.document.entry();
    let words = entry.map_or(props.document.scenario.description.as_str(), |entry| entry.look_for);
    html! {
        <section class="about">
            if !words.is_empty() {
                <h2>{ "What to look for" }</h2>
                <p>{ words }</p>
            }
            <p class="hint">{ scenario_facts(&props.document) }</p>
            if let Some(entry) = entry {
                <p class="hint">{ format!("Source: {}.", entry.source) }</p>
            }
        </section>
    }
}

/// Size of the scenario and of the cluster, in a sentence.
fn scenario_facts(document: &Document) -> String {
    let scenario = &document.scenario;
    let count = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    format!(
        "{}, {}; {} of {}.",
        count(scenario.jobs.len(), "job"),
        count(scenario.users.len(), "user"),
        count(scenario.cluster.executors as usize, "executor"),
        count(scenario.cluster.cores_per_executor as usize, "core"),
    )
}
