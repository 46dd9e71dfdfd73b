//! The page as a whole: the store, the effects, and the panels side by side.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::effects::{self, Store};
use super::panels::{
    header::Header, lanes::Lanes, notice::NoticeBar, panel::Panel, policies::Policies, results::Results,
    transport::Transport,
};
use super::selectors;
use super::store::{Action, Document, State};
use super::theme::use_theme;
use crate::policy::PolicyId;
use crate::scenario::catalog;

/// Starts the page in the element `#app`.
pub fn mount() {
    super::fatal::watch();
    let document = gloo::utils::document();
    let root = document.get_element_by_id("app").unwrap_or_else(|| gloo::utils::body().unchecked_into());
    root.set_inner_html("");
    yew::Renderer::<App>::with_root(root).render();
}

/// The scenario that the page starts with: the one named in the address (`#catalog:NAME`), else the
/// first of the catalog.
fn first_document() -> Document {
    let hash = gloo::utils::window().location().hash().unwrap_or_default();
    let named = hash.strip_prefix("#catalog:").and_then(catalog::find);
    Document::from_catalog(named.unwrap_or(&catalog::ENTRIES[0]))
}

/// The laboratory.
#[component]
pub fn App() -> Html {
    let store = use_reducer_eq(|| Store(State::new(Rc::new(first_document()))));
    let state = &store.0;
    let dispatch = store.dispatcher();
    let pool = effects::use_pool(dispatch.clone());
    let theme = use_theme();
    effects::use_simulations(state, &pool);
    effects::use_playback(state.motion, dispatch.clone());
    effects::use_keys(dispatch.clone());
    effects::use_ready_mark(state.is_settled(), state.revision);

    let axis = state.axis();
    let hues = use_memo(Rc::clone(&state.document), |document| selectors::job_hues(&document.scenario));
    let act = |action: fn() -> Action| {
        let dispatch = dispatch.clone();
        Callback::from(move |()| dispatch.dispatch(action()))
    };
    let send = {
        let dispatch = dispatch.clone();
        Callback::from(move |action| dispatch.dispatch(action))
    };
    let seek = {
        let dispatch = dispatch.clone();
        Callback::from(move |fraction| dispatch.dispatch(Action::Seek(axis.time(fraction))))
    };
    let open = {
        let (pool, dispatch) = (pool.clone(), dispatch.clone());
        Callback::from(move |file| effects::open_file(file, pool.clone(), dispatch.clone()))
    };
    let toggle = {
        let dispatch = dispatch.clone();
        Callback::from(move |policy: PolicyId| dispatch.dispatch(Action::Toggle(policy)))
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
    let at = format!("--at: {}", axis.fraction(state.playhead));
    let entry = state.document.entry();
    html! {
        <div class="lab" {ondragover} {ondrop}>
            <Header document={Rc::clone(&state.document)} {open} send={send.clone()} mode={theme.mode} next_theme={theme.next.clone()} />
            if let Some(notice) = &state.notice {
                <NoticeBar notice={notice.clone()} close={act(|| Action::CloseNotice)} />
            }
            <main>
                <div class="stage" id="stage">
                    <div class="timebox" style={at}>
                        <Lanes document={Rc::clone(&state.document)} {axis} hues={Rc::clone(&hues)}
                            alone={selectors::alone(state).map(Rc::from)} seek={seek.clone()} />
                        { for state.runs.iter().map(|(&policy, run)| html! {
                            <Panel key={policy.to_string()} {policy} run={run.clone()} document={Rc::clone(&state.document)} {axis}
                                hues={Rc::clone(&hues)} colours={Rc::clone(&theme.colours)} seek={seek.clone()} send={send.clone()} />
                        }) }
                        if state.runs.is_empty() {
                            <p class="empty">{ "No policy is ticked. Tick one to see how it would schedule these jobs." }</p>
                        }
                        <div class="playhead" aria-hidden="true"></div>
                    </div>
                </div>
                <aside class="left" aria-label="Set-up">
                    <Policies ticked={state.ticked.clone()} {toggle} />
                    <section class="about">
                        <h2>{ "What to look for" }</h2>
                        <p>{ entry.map_or(state.document.scenario.description.as_str(), |entry| entry.look_for) }</p>
                        <p class="hint">{ scenario_facts(&state.document) }</p>
                        if let Some(entry) = entry {
                            <p class="hint">{ format!("Source: {}.", entry.source) }</p>
                        }
                    </section>
                </aside>
                <aside class="right" aria-label="Results">
                    <Results state={state.clone()} colours={Rc::clone(&theme.colours)} />
                </aside>
            </main>
            <Transport playhead={state.playhead} end={state.end()} motion={state.motion} speed={state.speed} {send} />
        </div>
    }
}

/// Size of the scenario and of the cluster, in a sentence.
fn scenario_facts(document: &Document) -> String {
    let scenario = &document.scenario;
    let count = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    format!(
        "{}, {}; {} of {}. Advisory task runtime {}.",
        count(scenario.jobs.len(), "job"),
        count(scenario.users.len(), "user"),
        count(scenario.cluster.executors as usize, "executor"),
        count(scenario.cluster.cores_per_executor as usize, "core"),
        scenario.partitioning.advisory_task_runtime.to_string().replace(' ', "\u{a0}"),
    )
}
