//! The laboratory as a whole: the store, the effects, and the panels side by side.

mod parts;

use std::collections::BTreeMap;
use std::rc::Rc;

use yew::prelude::*;

use super::effects::{self, Dispatch, Store};
use crate::app::lazy::{LazyState, LoadTiming, Loaded, use_later};
use crate::app::linked_files::{use_growing_log, use_linked_files};
use crate::browser::dropped_files;
use crate::panels::editors::field::RefusedEdit;
use crate::panels::schedule::panel::{PanelPlace, panel};
use crate::panels::schedule::transport::{Transport, TransportProps};
use crate::panels::schedule::{front, heights};
use crate::panels::toast::Toast;
use crate::plots::gantt::PaintStyle;
use crate::plots::theme::use_theme;
use crate::results::shared::Shared;
use crate::saved;
use crate::store::selectors::PanelFacts;
use crate::store::{
    Action, DisplayMode, Guide, LogImport, Opening, SideSheet, State, Tab, UiAction, WelcomeScene, selectors,
};
use crate::ui::hooks::use_media;
use crate::ui::lazy::{Lazy, LazyContext};
use crate::workers::pool::Pool;
use fairlane::policy::PolicyId;
use fairlane::trace::Difference;
use parts::{Parts, skip_links};

/// Windows so wide that names, schedules and outcomes have a column each; the stylesheet has the same bound.
const WIDE: &str = "(min-width: 75em)";

/// Windows so narrow that one schedule is in front; the stylesheet has the same bounds.
const PHONE: &str = "(max-width: 40em) and (min-height: 30.0625em)";

/// How much taller rows are there.
const PHONE_ROWS: f64 = 1.7;

/// How much taller rows are in front of a newcomer, who has one or two schedules to look at.
const WELCOME_ROWS: f64 = 1.3;

/// The laboratory.
#[component]
pub fn App() -> Html {
    let store = use_reducer_eq(|| Store::first(saved::lessons::first_state().simulated_at_once()));
    let state = &store.0;
    let dispatch = store.dispatcher();
    let pool = effects::use_pool(dispatch.clone());
    let theme = use_theme(None);
    effects::use_simulations(state, &pool, dispatch.clone());
    let later = use_parts(state, &dispatch);
    effects::use_ready_mark(state.is_settled() && later.is_settled(), state.revision);
    let send = use_callback(dispatch.clone(), |action, dispatch| dispatch.dispatch(action));
    let open = use_open(state, &pool, &dispatch);
    use_linked_files(open.clone(), dispatch.clone());
    use_growing_log(state, &pool, dispatch.clone());
    let import = use_import(&pool, &dispatch);
    let difference = use_difference(state, later.loaded);
    let in_columns = use_media(WIDE) && state.lessons.tour.is_none() && state.view.mode == DisplayMode::Work;
    let settled = use_settled(state);
    let (identical, longest) = (use_identical(&settled), use_longest(state));
    let facts = selectors::panels(state, &settled, &identical);
    let zoom = use_zoom(state, &facts, in_columns, later.loaded.is_some());

    let schedules = selectors::schedules(&settled);
    let set_up = match state.document.has_set_up_of(&settled.document) {
        true => &settled.document,
        false => &state.document,
    };
    let parts = Parts {
        state,
        settled: &settled,
        set_up,
        theme: &theme,
        pool: &pool,
        dispatch: &dispatch,
        send: &send,
        schedules: &schedules,
        difference: &difference,
    };
    let moved = selectors::moved(state, difference.as_ref());
    let front = front::in_front(&facts, state.ui.front);
    let names = front::names(&facts, front, &send);
    let opens = state.ui.welcome.is_none();
    let panels = facts.into_iter().map(|facts| {
        let is_front = front == Some(facts.policy);
        let style = PaintStyle {
            moved: moved.get(&facts.policy).cloned(),
            asked: state.asked_task(facts.policy),
            ..PaintStyle::new(state, &theme.colours, zoom)
        };
        panel(state, style, PanelPlace { is_front, in_columns, opens }, facts, longest)
    });
    let ondragover = Callback::from(|event: DragEvent| event.prevent_default());
    let ondrop = opening_dropped(open.clone());
    let transport = html! {
        <Transport end={settled.end()} axis_end={settled.axis_end()} chosen={settled.chosen_job()} document={settled.document.clone()}
            ..TransportProps::new(state) />
    };
    // In columns it stands in the ruler, and is reached in front of the lanes.
    let (in_ruler, at_foot) =
        if in_columns { (transport, Html::default()) } else { (Html::default(), transport) };
    let scene = state.welcome_scene();
    let content = match scene {
        Some(scene) => parts.welcome(scene, panels, [in_ruler, at_foot]),
        None => html! {
            <>
                { skip_links() }
                { parts.header(open) }
                { parts.story() }
                { parts.messages() }
                { in_ruler }
                <ContextProvider<RefusedEdit> context={state.ui.refused.clone()}>
                    <main>
                        { parts.writer() }
                        { parts.stage(names, panels) }
                        { parts.lesson() }
                        { parts.set_up(import) }
                        { parts.side() }
                        { parts.block_tip() }
                    </main>
                </ContextProvider<RefusedEdit>>
                { parts.predict() }
                { parts.poll() }
                { at_foot }
                <Lazy<Toast> toast={state.ui.toast.clone()} />
            </>
        },
    };
    html! {
        <ContextProvider<Callback<Action>> context={send.clone()}>
            <ContextProvider<LazyContext> context={later.context.clone()}>
                <div class={parts.classes(in_columns)} data-future={state.future().words()}
                    data-scene={scene.map(WelcomeScene::word)} {ondragover} {ondrop}>
                    { content }
                    <p class="sr" role="status" id="said">{ &state.ui.said }</p>
                </div>
            </ContextProvider<LazyContext>>
        </ContextProvider<Callback<Action>>>
    }
}

/// A handler that opens what is dropped.
fn opening_dropped(open: Callback<Vec<web_sys::File>>) -> Callback<DragEvent> {
    Callback::from(move |event: DragEvent| {
        event.prevent_default();
        dropped_files::send(event.data_transfer(), open.clone());
    })
}

/// How tall the rows of panels are, over the usual.
#[hook]
fn use_zoom(state: &State, facts: &[PanelFacts], in_columns: bool, is_whole: bool) -> f64 {
    let with_charts = facts.iter().filter(|facts| !state.view.collapsed.contains(&facts.policy)).count();
    let zoom = heights::use_rows_zoom(state, with_charts, in_columns, is_whole);
    let is_alone = use_media(PHONE) && state.lessons.tour.is_none();
    match state.ui.welcome {
        Some(_) => WELCOME_ROWS,
        None if is_alone => zoom * PHONE_ROWS,
        None => zoom,
    }
}

/// What is loaded after the first picture; once it is there, a lesson's text is completed.
#[hook]
fn use_parts(state: &State, dispatch: &Dispatch) -> LazyState {
    // Without a schedule to draw there is nothing to wait for.
    let wanted = state.view.tab != Tab::Compare || state.lessons.tour.is_some() || state.runs.is_empty();
    let later = use_later(LoadTiming::AfterPicture(wanted));
    let dispatch = dispatch.clone();
    use_effect_with(later.loaded.is_some(), move |_| dispatch.dispatch(Action::Guide(Guide::Explain)));
    later
}

/// Opens files that the reader has chosen or dropped.
#[hook]
fn use_open(state: &State, pool: &Pool, dispatch: &Dispatch) -> Callback<Vec<web_sys::File>> {
    let (pool, dispatch) = (pool.clone(), dispatch.clone());
    let log = state.document.log.as_ref().and_then(|log| log.without_pools());
    use_callback(log, move |files, log| {
        effects::open_files(files, log.clone(), pool.clone(), dispatch.clone());
    })
}

/// Imports a log again, by other rules.
#[hook]
fn use_import(pool: &Pool, dispatch: &Dispatch) -> Callback<LogImport> {
    let (pool, dispatch) = (pool.clone(), dispatch.clone());
    use_callback((), move |(number, rules), ()| {
        dispatch.dispatch(Action::Ui(UiAction::Opening(Opening::named("the log"))));
        pool.import_again(number, rules);
    })
}

/// How the two compared schedules differ; computed only while it is shown.
#[hook]
fn use_difference(state: &State, loaded: Option<Loaded>) -> Option<Shared<Difference>> {
    let is_compared = state.view.tab == Tab::Differences && state.ui.sheet == SideSheet::Unfolded;
    let compared = is_compared.then(|| state.clone());
    let seen = compared.as_ref().and_then(State::compared).map(|(one, other)| {
        let analysis = |policy| state.runs.get(&policy).and_then(|run| run.analysis.clone());
        ((one, analysis(one)), (other, analysis(other)))
    });
    let difference = use_memo((seen, loaded), move |(_, loaded)| {
        let (state, Loaded(parts)) = compared.as_ref().zip(*loaded)?;
        (parts.difference)(state).map(Shared::new)
    });
    (*difference).clone()
}

/// The page before the drag under way, or as it is.
#[hook]
fn use_settled(state: &State) -> State {
    let settled = use_mut_ref(|| state.clone());
    if state.drag.is_none() {
        *settled.borrow_mut() = state.clone();
    }
    settled.borrow().clone()
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
