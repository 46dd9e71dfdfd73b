//! What runs behind the page once it is loaded: keys, the wheel, playing, saving; and what it says if saving fails.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::effects::{self, Dispatch};
use super::lesson_links::LessonLinks;
use crate::panels::notice::notice_bar;
use crate::panels::share::export::{save_scenario, saving};
use crate::panels::share::recovery_bar::RestoredBar;
use crate::saved::{lessons, session};
use crate::store::{Notice, State};
use crate::ui::focus::use_kept_focus;
use crate::ui::menu;
use crate::ui::send::use_send;

#[derive(Clone, Properties, PartialEq)]
pub struct BackgroundProps {
    pub state: State,
    pub dispatch: Dispatch,
}

/// Renders a notice while the browser does not keep the reader's work, with a button that saves it as a file.
#[component]
pub fn Background(props: &BackgroundProps) -> Html {
    let BackgroundProps { state, dispatch } = props;
    // Before the keys of the page: an open menu takes Escape.
    menu::use_menus();
    effects::use_time_controls(state, dispatch.clone());
    let unsaved = use_state_eq(|| None::<Notice>);
    let setter = unsaved.setter();
    let report = use_callback((), move |notice, ()| setter.set(Some(notice)));
    let send = use_send();
    session::use_autosave(state, report, send.clone());
    use_kept_focus();
    lessons::use_keeping(state, send.clone());
    use_offline_copy();
    let unsaved = unsaved.as_ref().map(|notice| {
        let close = Callback::from({
            let unsaved = unsaved.setter();
            move |()| unsaved.set(None)
        });
        let kept = state.clone();
        let onclick = saving(&send, move || save_scenario(&kept));
        let remedy =
            html! { <button type="button" id="save-unsaved" {onclick}>{ "Save as a file" }</button> };
        notice_bar(notice, remedy, &close)
    });
    // Always in this order: Yew compares lists without keys by place, and elsewhere it would forget that it was closed.
    html! {
        <>
            <RestoredBar state={state.clone()} />
            <LessonLinks dispatch={dispatch.clone()} />
            { unsaved.unwrap_or_default() }
        </>
    }
}

/// How long the page is open before it is kept for use without a connection, in milliseconds.
const UNTIL_KEPT_MS: u32 = 5_000;

/// Keeps the page for use without a connection (assets/fairlane-offline.js); not while it is developed.
#[hook]
fn use_offline_copy() {
    use_effect_with((), |()| {
        let register = || {
            let workers = gloo::utils::window().navigator().service_worker();
            // There are none where the connection is not secure.
            if !workers.is_undefined() {
                let _ = workers.register("fairlane-offline.js");
            }
        };
        let timer = (!cfg!(debug_assertions)).then(|| Timeout::new(UNTIL_KEPT_MS, register));
        move || drop(timer)
    });
}
