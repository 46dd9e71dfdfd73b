//! A demo: chosen parts of the page in a frame of another one (see [`fairlane_view::link::embed`]).

mod controls;
mod host;

pub use controls::{Controls, ControlsProps, LabLink, LabLinkProps};

use std::collections::BTreeMap;

use yew::prelude::*;

use super::deferred::{self, Deferred, Fetch};
use super::effects::{self, Store};
use super::heights;
use super::panels::{
    StateProps, charts, compare, ideal,
    lanes::Lanes,
    lessons,
    notice::{notice_bar, opening_bar},
    panel::Panel,
    predict, transport,
};
use super::persistence;
use super::picture::{First, Picture, fragment, with_choices};
use super::plots::gantt::Style;
use super::selectors::{self, PanelFacts};
use super::shared::Shared;
use super::store::{Action, ChartKind, Drag, Guide, Notice, Predict, State};
use super::theme::{self, use_theme};
use fairlane::number;
use fairlane_study::lesson::StepId;
use fairlane_view::link::embed::{Embed, Part};
use fairlane_view::link::{Bounds, Session};

#[derive(PartialEq, Properties)]
pub struct Props {
    pub first: Shared<First>,
    pub fetch: Fetch,
}

/// A demo, or why there is none.
#[component]
pub fn Demo(props: &Props) -> Html {
    let start = use_memo((), |()| start(&props.first).map(|(embed, state)| (embed, Shared::new(state))));
    match &*start {
        Ok((embed, first)) => {
            html! { <Stage embed={embed.clone()} fetch={props.fetch} first={first.clone()} zoom={props.first.picture.as_ref().map(|picture| picture.zoom)} /> }
        }
        Err(Notice { title, detail }) => fault(title, detail),
    }
}

fn fault(title: &str, detail: &str) -> Html {
    html! {
        <div class="lab demo" role="alert">
            <p class="empty"><b>{ title.to_owned() }</b><br />{ detail.to_owned() }</p>
        </div>
    }
}

/// What is shown, and the page at its start.
fn start(First { embed, file, picture }: &First) -> Result<(Embed, State), Notice> {
    let embed = embed.clone().map_err(|error| Notice {
        title: "There is no demo at this address".to_owned(),
        detail: error.to_string(),
    })?;
    if let Some(Picture { state, .. }) = picture {
        return Ok((embed, state.clone()));
    }
    if let Some(chart) = embed.chart.as_deref().filter(|chart| ChartKind::from_id(chart).is_none()) {
        let known: Vec<String> = ChartKind::ALL.iter().map(|kind| kind.id().to_owned()).collect();
        return Err(Notice {
            title: format!("There is no chart \"{}\"", chart.chars().take(60).collect::<String>()),
            detail: format!("A demo shows {}.", number::list(&known)),
        });
    }
    let fragment = fragment(&embed);
    let state = if let Some(document) = file {
        State::new(document.clone()?)
    } else if let Some(step) = StepId::from_fragment(&fragment) {
        let step = step.map_err(|error| Notice {
            title: "The address points to no step of a lesson".to_owned(),
            detail: error.to_string(),
        })?;
        persistence::newcomers_state().reduce(Action::Guide(Guide::Start(step)))
    } else {
        let session = Session::from_text(&fragment, &Bounds::LINK);
        State::from_session(session.map_err(|error| Notice {
            title: format!("The address of this demo {error}"),
            detail: error.remedy().to_owned(),
        })?)
    };
    let state = with_choices(state, &embed);
    let state = match embed.predict {
        Some(policy) => state.reduce(Action::Predict(Predict::Start(policy))),
        None => state,
    };
    Ok((embed, state.simulated_at_once()))
}

#[derive(Properties, PartialEq)]
struct StageProps {
    embed: Embed,
    fetch: Fetch,
    first: Shared<State>,
    /// By which rows are taller in the first picture.
    zoom: Option<f64>,
}

#[component]
fn Stage(props: &StageProps) -> Html {
    let embed = &props.embed;
    let first = props.first.clone();
    let store = use_reducer_eq(move || Store((*first).clone()));
    let state = &store.0;
    let dispatch = store.dispatcher();
    let pool = effects::use_pool(dispatch.clone());
    let theme = use_theme(Some(theme::of_demo(embed.theme)));
    let axis = state.axis();
    effects::use_simulations(state, &pool, dispatch.clone());
    let deferred = deferred::use_deferred(props.fetch, state.lessons.tour.is_some());
    effects::use_ready_mark(state.is_settled() && deferred.is_settled(), state.revision);

    let send = {
        let (dispatch, editable) = (dispatch.clone(), embed.editable);
        use_callback((), move |action: Action, ()| {
            if editable || !action.is_edit() {
                dispatch.dispatch(action);
            }
        })
    };
    let zoom = heights::use_rows_zoom(state, props.zoom);
    let at = format!("--at:{};--now:\"{}\"", axis.fraction(state.playhead), axis.label(state.playhead));
    let off = axis.fraction(state.playhead) < 0.0 || axis.fraction(state.playhead) > 1.0;
    let state_props =
        || StateProps { state: state.clone(), colours: theme.colours.clone(), send: send.clone() };
    html! {
        <div class={classes!("lab", "demo", state.drag.is_some().then_some("dragging"), (!embed.editable).then_some("read-only"), state.predict.is_some().then_some("predicting"))} data-future={state.future().word()}>
            <header class="top">
                <h1>{ state.document.title() }</h1>
                <span class="space"></span>
                { deferred.show_or::<LabLink>(LabLinkProps { state: state.clone() }, || html! { <a class="lab-link">{ "Open in the lab" }</a> }) }
            </header>
            if let Some(notice) = &state.notice {
                { notice_bar(notice, &send.reform(|()| Action::CloseNotice)) }
            }
            { opening_bar(state.opening.as_ref()) }
            <main>
                if embed.shows(Part::Lesson) && let Some(tour) = &state.lessons.tour {
                    { deferred.show::<lessons::LessonCard>(lessons::CardProps { tour: tour.clone(), document: state.document.clone(), settled: state.is_settled(), send: send.clone() }) }
                }
                <div class="stage" id="stage" role="region" aria-label="Schedules" tabindex="-1">
                    <div class={classes!("timebox", off.then_some("off"))} style={at}>
                        if embed.shows(Part::Lanes) {
                            <Lanes document={state.document.clone()} {axis} alone={selectors::alone(state).map(std::rc::Rc::from)} chosen={state.chosen.clone()} schedules={selectors::schedules(state)} deferred={deferred.clone()} send={send.clone()} />
                        }
                        if embed.shows(Part::Ideal) {
                            { the_ideal(state, &deferred, &send) }
                        }
                        if embed.shows(Part::Panels) {
                            <div class="panels">{ for panels(state, &theme.colours, zoom, &deferred, &send) }</div>
                            <div class="playhead" aria-hidden="true" hidden={off}></div>
                        }
                    </div>
                    if embed.shows(Part::Compare) {
                        { deferred.show::<compare::Compare>(state_props()) }
                    }
                    if embed.shows(Part::Chart) {
                        { deferred.show::<charts::Charts>(charts::Props { state: state.clone(), colours: theme.colours.clone(), pool: pool.clone(), send: send.clone() }) }
                    }
                </div>
            </main>
            if state.predict.is_some() {
                { deferred.show_or::<predict::PredictCard>(predict::Props { state: state.clone(), place: predict::Place::Demo, send: send.clone() }, Html::default) }
            }
            if embed.shows(Part::Transport) {
                { deferred.show_or::<transport::Transport>(transport::Props::new(state, &send), || html! { <footer class="transport"></footer> }) }
            }
            { deferred.show_or::<Controls>(ControlsProps { state: state.clone(), host: embed.host.clone(), editable: embed.editable, dispatch }, Html::default) }
            <p class="sr" role="status" id="said">{ &state.said }</p>
        </div>
    }
}

fn the_ideal(state: &State, deferred: &Deferred, send: &Callback<Action>) -> Html {
    let ideal = ideal::Props {
        analysis: selectors::schedules(state).into_iter().next().map(|(_, analysis)| analysis),
        axis: state.axis(),
        chosen: state.chosen.clone(),
        policies: state.with_virtual_time(),
        virtual_time: None,
        send: send.clone(),
    };
    deferred.show_or::<ideal::Ideal>(ideal, || html! { <section class="ideal"></section> })
}

/// A panel for each policy.
fn panels(
    state: &State,
    colours: &Shared<theme::Colours>,
    zoom: f64,
    deferred: &Deferred,
    send: &Callback<Action>,
) -> Vec<Html> {
    let axis = state.axis();
    let longest = selectors::longest_mean(state);
    let panel = |facts: PanelFacts| {
        let policy = facts.policy;
        let style = Style {
            colours: colours.clone(),
            colouring: state.colouring,
            named: state.drag.is_none(),
            zoom,
            marks: state.marks.clone(),
            chosen: state.chosen.clone(),
            moved: None,
            asked: None,
        };
        html! {
            <Panel key={policy.to_string()} run={state.runs[&policy].clone()} {axis} {style} playhead={state.playhead}
                motion={state.motion} collapsed={state.collapsed.contains(&policy)} deferred={deferred.clone()}
                dragging={state.drag.is_some()} still={state.drag.as_ref().is_some_and(Drag::is_of_jobs)} {longest} {facts} send={send.clone()} />
        }
    };
    let panels = selectors::panels(state, state, &BTreeMap::new()).into_iter();
    panels.map(|facts| PanelFacts { neighbour: None, ..facts }).map(panel).collect()
}
