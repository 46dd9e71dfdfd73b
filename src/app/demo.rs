//! A demo: chosen parts of the page in a frame of another one (see [`fairlane_view::link::embed`]).

mod controls;
mod fetch;
mod host;

use std::collections::BTreeMap;

use yew::prelude::*;

use controls::{Controls, LabLink};

use super::effects::{self, Store};
use crate::app::lazy::{self, LoadTiming, use_later};
use crate::browser::address;
use crate::panels::guide::lessons::{LessonCard, LessonCardProps};
use crate::panels::guide::predict::{PredictCard, PredictExit};
use crate::panels::lanes::Lanes;
use crate::panels::lanes::ruler::Ruler;
use crate::panels::notice::{notice_bar, opening_bar};
use crate::panels::results::charts::Charts;
use crate::panels::results::compare::Compare;
use crate::panels::schedule::ideal::{Ideal, IdealProps};
use crate::panels::schedule::panel::{PanelPlace, panel};
use crate::panels::schedule::transport::Transport;
use crate::panels::schedule::{heights, transport};
use crate::plots::gantt::{PaintStyle, marks};
use crate::plots::theme::{self, use_theme};
use crate::results::shared::Shared;
use crate::saved::session;
use crate::store::selectors::{self, PanelFacts};
use crate::store::{
    Action, Approvals, ChartChoice, ChartKind, Guide, Heights, Notice, PlaybackAction, Predict, State,
    UiAction, ViewAction,
};
use crate::ui::lazy::{Lazy, LazyContext};
use crate::workers::work::Unreachable;
use fairlane::number;
use fairlane::units::Time;
use fairlane_study::lesson::StepId;
use fairlane_view::link::embed::{DemoPart, DemoSubject, Embed, EmbedError};
use fairlane_view::link::{LessonLink, LinkBounds, Session};
use fetch::DemoFault;

/// What a demo shows, and the state of the page at its start.
pub type Start = (Embed, Shared<State>);

#[derive(PartialEq, Properties)]
pub struct DemoProps {
    pub start: Result<Start, DemoFault>,
}

/// A demo, or why there is none.
#[component]
pub fn Demo(props: &DemoProps) -> Html {
    {
        use_effect_with(props.start.as_ref().err().cloned(), |fault| {
            if let Some(fault) = fault {
                host::report(None, fault);
            }
        });
    }
    match &props.start {
        Ok((embed, first)) => html! { <Subjects embed={embed.clone()} first={first.clone()} /> },
        Err(DemoFault { notice: Notice { title, detail }, .. }) => html! {
            <div class="lab demo" role="alert">
                <p class="empty"><b>{ title }</b><br />{ detail }</p>
            </div>
        },
    }
}

#[derive(PartialEq, Properties)]
struct SubjectsProps {
    embed: Embed,
    first: Shared<State>,
}

/// A demo whose page may have it show something else.
#[component]
fn Subjects(props: &SubjectsProps) -> Html {
    let opened = use_state(|| (0, props.embed.clone(), props.first.clone()));
    let asked = use_mut_ref(|| 0_u32);
    let reopen = {
        let opened = opened.setter();
        use_callback((), move |(embed, at): (Embed, Time), ()| {
            *asked.borrow_mut() += 1;
            let (opened, asked, number) = (opened.clone(), asked.clone(), *asked.borrow());
            wasm_bindgen_futures::spawn_local(async move {
                let host = embed.host.clone();
                let start = open(Ok(embed)).await;
                // Something else may have been asked for meanwhile.
                if *asked.borrow() != number {
                    return;
                }
                match start {
                    Ok((embed, first)) => {
                        opened.set((number, embed, Shared::new(first.reduce(PlaybackAction::Seek(at)))));
                    }
                    Err(fault) => host::report(host.as_deref(), &fault),
                }
            });
        })
    };
    let (number, embed, first) = &*opened;
    html! { <Stage key={*number} embed={embed.clone()} first={first.clone()} {reopen} /> }
}

/// What the address of a demo asks for; a file that it is about is fetched.
///
/// # Errors
/// Why there is nothing to show.
pub async fn open(embed: Result<Embed, EmbedError>) -> Result<Start, DemoFault> {
    let embed = embed.map_err(|error| Notice {
        title: "There is no demo at this address".to_owned(),
        detail: error.to_string(),
    })?;
    chart(&embed)?;
    let subject = match embed.subject {
        DemoSubject::Fragment(session) if session.is_empty() => {
            DemoSubject::Fragment(address::fragment().trim_start_matches('#').to_owned())
        }
        subject => subject,
    };
    let embed = Embed { subject, ..embed };
    let state = match &embed.subject {
        DemoSubject::File(address) => State::new(Shared::new(fetch::open(address).await?)),
        DemoSubject::Document(from) => of_lesson(LessonLink::to_address(from)).await?,
        DemoSubject::Fragment(text) if LessonLink::is_in(text) => {
            let link = LessonLink::from_fragment(text).and_then(Result::ok).ok_or_else(|| Notice {
                title: "The address of this demo has no sound lesson".to_owned(),
                detail: "Copy all of it again.".to_owned(),
            })?;
            of_lesson(link).await?
        }
        DemoSubject::Fragment(session) => of_fragment(session)?,
    };
    let state = match host::is_in_guide() {
        true => State { approvals: Approvals::All, ..state },
        false => session::with_approvals(state),
    };
    let state = with_choices(state, &embed);
    let state = match embed.predict {
        Some(policy) => state.reduce(Predict::Start(policy)),
        None => state,
    };
    let state = Shared::new(state.simulated_at_once());
    Ok((embed, state))
}

/// The chart that a demo is to show, if it is to show one.
fn chart(embed: &Embed) -> Result<Option<ChartKind>, Notice> {
    let Some(word) = embed.chart.as_deref() else { return Ok(None) };
    ChartKind::from_id(word).map(Some).ok_or_else(|| {
        let known: Vec<String> = ChartKind::all().map(|kind| kind.id().to_owned()).collect();
        Notice {
            title: format!("There is no chart \"{}\"", word.chars().take(60).collect::<String>()),
            detail: format!("A demo shows {}.", number::list(&known)),
        }
    })
}

/// The page at a step of a lesson that somebody else has written. What reads it is loaded for it.
async fn of_lesson(link: LessonLink) -> Result<State, Notice> {
    let not_opened = |detail: String| Notice { title: "The lesson was not opened".to_owned(), detail };
    let unreachable =
        |_: Unreachable| not_opened("A part of the page failed to load. Load this page again.".to_owned());
    let parts = lazy::load().await.map_err(unreachable)?;
    let (lesson, step) = (parts.read_lesson)(link).await.map_err(not_opened)?;
    Ok(session::newcomers_state().reduce(Guide::Open(lesson, step)))
}

/// The page as a session describes it, or a step of a lesson.
fn of_fragment(fragment: &str) -> Result<State, Notice> {
    if let Some(step) = StepId::from_fragment(fragment) {
        let step = step.map_err(|error| Notice {
            title: "The address points to no step of a lesson and no challenge".to_owned(),
            detail: error.to_string(),
        })?;
        return Ok(session::newcomers_state().reduce(Guide::Start(step)));
    }
    let session = Session::from_text(fragment, &LinkBounds::LINK).map_err(|error| Notice {
        title: format!("The address of this demo {error}"),
        detail: error.remedy().to_owned(),
    })?;
    Ok(State::from_session(session))
}

/// A state as the address of a demo asks for it.
fn with_choices(state: State, embed: &Embed) -> State {
    let mut state = State { full_results: false, poll: None, ..state };
    state.view.heights = Heights::Fit;
    if let Some(policies) = &embed.policies {
        state.view.policies = policies.clone();
    }
    if let Some(kind) = embed.chart.as_deref().and_then(ChartKind::from_id) {
        state.chart.kind = kind;
    }
    if let Some(at) = embed.at {
        state.view.playhead = at;
    }
    state.with_runs()
}

#[derive(Properties, PartialEq)]
struct StageProps {
    embed: Embed,
    first: Shared<State>,
    /// Shows another subject, at an instant.
    reopen: Callback<(Embed, Time)>,
}

#[component]
fn Stage(props: &StageProps) -> Html {
    let embed = use_state(|| props.embed.clone());
    let first = props.first.clone();
    let store = use_reducer_eq(move || Store::first((*first).clone()));
    let state = &store.0;
    let dispatch = store.dispatcher();
    let pool = effects::use_pool(dispatch.clone());
    let theme = use_theme(Some(theme::of_demo(embed.theme)));
    let axis = state.axis();
    effects::use_simulations(state, &pool, dispatch.clone());
    let shows = |parts: &[DemoPart]| parts.iter().any(|part| embed.shows(*part));
    let needed = shows(&[DemoPart::Ideal, DemoPart::Compare, DemoPart::Chart])
        || state.lessons.tour.is_some()
        || state.predict.is_some()
        || state.history.undo_title().is_some()
        || state.analyses().any(|(_, analysis)| marks::are_in(analysis));
    let later = use_later(LoadTiming::Needed(needed));
    effects::use_ready_mark(state.is_settled() && (later.is_settled() || !needed), state.revision);

    let change = use_change(&embed, state, dispatch.clone(), props.reopen.clone());
    let send = {
        let dispatch = dispatch.clone();
        use_callback(embed.editable, move |action: Action, editable| {
            if *editable || !action.is_edit() {
                dispatch.dispatch(action);
            }
        })
    };
    let zoom = heights::use_rows_zoom(state, state.runs.len(), false, true);
    let (at, off) = selectors::playhead_style(state);
    let page = html! {
        <div class={classes!("lab", "demo", state.drag.is_some().then_some("dragging"),
            (!embed.editable).then_some("read-only"), state.predict.is_some().then_some("predicting"))}
                data-future={state.future().words()}>
            <header class="top">
                <h1>{ state.document.title() }</h1>
                <span class="space"></span>
                <LabLink state={state.clone()} />
            </header>
            if let Some(notice) = &state.ui.notice {
                { notice_bar(notice, Html::default(), &send.reform(|()| Action::Ui(UiAction::CloseNotice))) }
            }
            { opening_bar(state.ui.opening.as_ref()) }
            <main>
                if embed.shows(DemoPart::Lesson) && let Some(tour) = &state.lessons.tour {
                    <Lazy<LessonCard> ..LessonCardProps::new(tour, state) />
                }
                <div class="stage" id="stage" role="region" aria-label="Schedules" tabindex="-1">
                    <div class={classes!("timebox", off.then_some("off"))} style={at}>
                        if embed.shows(DemoPart::Lanes) {
                            <Lanes document={state.document.clone()} {axis}
                                alone={selectors::alone(state).map(std::rc::Rc::from)} colouring={state.view.colouring} chosen={state.view.chosen.clone()}
                                choice={state.ui.choice} schedules={selectors::schedules(state)} />
                        } else if embed.shows(DemoPart::Panels) {
                            <Ruler {axis} />
                        }
                        if embed.shows(DemoPart::Ideal) {
                            <Lazy<Ideal> ..IdealProps::new(state, state) />
                        }
                        if embed.shows(DemoPart::Panels) {
                            <div class="panels">{ for panels(state, &theme.colours, zoom) }</div>
                            <div class="playhead" aria-hidden="true" hidden={off}></div>
                        }
                    </div>
                    if embed.shows(DemoPart::Compare) {
                        <Lazy<Compare> state={state.clone()} colours={theme.colours.clone()} />
                    }
                    if embed.shows(DemoPart::Chart) {
                        <Lazy<Charts> state={state.clone()} colours={theme.colours.clone()} pool={pool.clone()} />
                    }
                </div>
            </main>
            if state.predict.is_some() {
                <Lazy<PredictCard> state={state.clone()} place={PredictExit::Demo} />
            }
            if embed.shows(DemoPart::Transport) {
                <Transport ..transport::TransportProps::new(state) />
            }
            <Controls state={state.clone()} host={embed.host.clone()} editable={embed.editable} {dispatch} {change} />
            <p class="sr" role="status" id="said">{ &state.ui.said }</p>
        </div>
    };
    html! {
        <ContextProvider<Callback<Action>> context={send}>
            <ContextProvider<LazyContext> context={later.context}>{ page }</ContextProvider<LazyContext>>
        </ContextProvider<Callback<Action>>>
    }
}

/// Makes the demo follow another address. The same subject stays as the reader has left it, where that is possible.
#[hook]
fn use_change(
    embed: &UseStateHandle<Embed>,
    state: &State,
    dispatch: effects::Dispatch,
    reopen: Callback<(Embed, Time)>,
) -> Callback<Embed> {
    let current = use_mut_ref(|| (Time::ZERO, state.chart));
    *current.borrow_mut() = (state.view.playhead, state.chart);
    let setter = embed.setter();
    use_callback((**embed).clone(), move |wanted: Embed, embed| {
        let kind = match chart(&wanted) {
            Ok(kind) => kind,
            Err(notice) => return host::report(embed.host.as_deref(), &notice.into()),
        };
        let (playhead, choice) = *current.borrow();
        let at = wanted.at.filter(|_| wanted.at != embed.at);
        let by_itself = wanted.policies.is_none() && embed.policies.is_some();
        if wanted.subject != embed.subject || wanted.predict != embed.predict || by_itself {
            return reopen.emit((wanted, at.unwrap_or(playhead)));
        }
        if let Some(policies) = wanted.policies.clone().filter(|_| wanted.policies != embed.policies) {
            dispatch.dispatch(Action::View(ViewAction::Policies(policies)));
        }
        if let Some(kind) = kind.filter(|_| wanted.chart != embed.chart) {
            dispatch.dispatch(Action::View(ViewAction::Chart(ChartChoice { kind, ..choice })));
        }
        if let Some(at) = at {
            dispatch.dispatch(Action::Playback(PlaybackAction::Seek(at)));
        }
        setter.set(wanted);
    })
}

/// Below each other.
const PLACE: PanelPlace = PanelPlace { is_front: false, in_columns: false, opens: false };

/// A panel for each policy.
fn panels(state: &State, colours: &Shared<theme::ThemeColours>, zoom: f64) -> Vec<Html> {
    let longest = selectors::longest_mean(state);
    let style = PaintStyle::new(state, colours, zoom);
    let panels = selectors::panels(state, state, &BTreeMap::new()).into_iter();
    panels
        .map(|facts| PanelFacts { neighbour: None, ..facts })
        .map(|facts| panel(state, style.clone(), PLACE, facts, longest))
        .collect()
}
