//! The page that the browser had saved: restored, or set aside where it cannot be. A page that does not come to its end
//! of restoring, whatever holds it up, is not restored a second time unasked: the lab can always be opened.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::{KEY, newcomers_state};
use crate::app::effects::Dispatch;
use crate::browser::storage;
use crate::panels::notice::notice_bar;
use crate::panels::share::export::{save, save_scenario, saving};
use crate::store::{Action, Notice, Restored, State};

/// Where the page is kept that was not restored.
const ASIDE: &str = "fairlane.set-aside";
/// Since when a page is being restored, in milliseconds.
const STARTING: &str = "fairlane.starting";
/// A page that was being restored this long ago, in milliseconds, and has not said since that it was, has hung.
const HUNG_MS: f64 = 3000.0;
/// How long a restored page is simulated before the reader is asked whether to start without it, in milliseconds.
const PATIENCE_MS: u32 = 3000;

/// The page that this browser has saved, or the opening one if that cannot be restored; `None` if there is none.
pub(super) fn restored() -> Option<State> {
    let text = storage::get_own(KEY)?;
    let now = js_sys::Date::now();
    let since = storage::get(STARTING).and_then(|since| since.parse::<f64>().ok());
    if since.is_some_and(|since| now - since > HUNG_MS) {
        let title = "The page saved in this browser did not open the last time".to_owned();
        return Some(instead(&text, title));
    }
    // Without storage there would be nothing to restore.
    let _ = storage::set(STARTING, &now.to_string());
    Some(match State::from_stored(&text) {
        Ok(state) => State { restored: Restored::Yes, ..state },
        Err(error) => instead(&text, format!("The page saved in this browser {error}")),
    })
}

/// The opening page, in place of one that stopped as it was opened.
pub(super) fn stopped() -> State {
    let title = "The page saved in this browser stopped as it was opened".to_owned();
    storage::get_own(KEY).map_or_else(newcomers_state, |text| instead(&text, title))
}

/// The opening page, with what was saved set aside.
fn instead(text: &str, title: String) -> State {
    set_aside(text);
    let detail = "The opening scenario is shown instead. What was saved stays under Mine.".to_owned();
    State { restored: Restored::Aside(Notice { title, detail }), ..newcomers_state() }
}

/// Keeps the text of a page that is not shown, in place of the one before.
fn set_aside(text: &str) {
    started();
    // There is room for it once.
    storage::remove_own(KEY);
    // If it fails nevertheless, what can be saved is still under Mine.
    let _ = storage::set(ASIDE, text);
}

/// The page has been restored, or is left by a reader who could leave it.
pub fn started() {
    storage::remove(STARTING);
}

/// The text of the page that was set aside, if there is one.
pub fn text() -> Option<Rc<str>> {
    storage::get(ASIDE).map(Rc::from)
}

/// What can be done about a page that was set aside.
pub fn buttons(text: &Rc<str>, send: &Callback<Action>) -> Html {
    let open = {
        let (text, send) = (Rc::clone(text), send.clone());
        Callback::from(move |_: MouseEvent| match State::from_stored(&text) {
            Ok(state) => {
                send.emit(Action::Open(state.document));
                send.emit(Action::Policies(state.ticked));
            }
            Err(error) => {
                let detail =
                    format!("It {error}. Save it as a file and open that with the version that made it.");
                send.emit(Action::not_opened("The page that was saved", detail));
            }
        })
    };
    let saved = Rc::clone(text);
    let save = saving(send, move || match State::from_stored(&saved) {
        Ok(state) => save_scenario(&state),
        Err(_) => save("fairlane-page.txt", "text/plain", &saved),
    });
    html! {
        <>
            <button type="button" class="small open-aside" onclick={open}>{ "Open it" }</button>{ " " }
            <button type="button" class="small save-aside" onclick={save}>{ "Save it as a file" }</button>
        </>
    }
}

#[derive(Properties, PartialEq)]
pub struct RestoredBarProps {
    pub state: State,
    pub dispatch: Dispatch,
}

/// Says that the saved page was not restored, or offers a way out of one that takes long to simulate.
#[component]
pub fn RestoredBar(props: &RestoredBarProps) -> Html {
    let RestoredBarProps { state, dispatch } = props;
    let waits = state.restored == Restored::Yes && !state.is_settled();
    let is_late = use_state_eq(|| false);
    {
        let is_late = is_late.setter();
        use_effect_with(waits, move |&waits| {
            is_late.set(false);
            // What is simulated no longer holds up the page, however long it takes.
            let timer = Timeout::new(PATIENCE_MS, move || {
                started();
                is_late.set(true);
            });
            let timer = if waits { Some(timer) } else { None };
            if timer.is_none() {
                started();
            }
            move || drop(timer)
        });
    }
    let closed = use_state_eq(|| false);
    let close = {
        let closed = closed.setter();
        Callback::from(move |()| closed.set(true))
    };
    let send = {
        let dispatch = dispatch.clone();
        Callback::from(move |action| dispatch.dispatch(action))
    };
    if *closed {
        return Html::default();
    }
    match &state.restored {
        Restored::Aside(notice) => {
            let remedy = text().map_or_else(Html::default, |text| buttons(&text, &send));
            notice_bar(notice, remedy, &close)
        }
        Restored::Yes if waits && *is_late => {
            let without = {
                let (state, send) = (state.clone(), send.clone());
                Callback::from(move |_: MouseEvent| {
                    if let Ok(text) = state.to_stored() {
                        set_aside(&text);
                    }
                    send.emit(Action::StartWithout(newcomers_state().document));
                })
            };
            let kept = state.clone();
            let save = saving(&send, move || save_scenario(&kept));
            let notice = Notice {
                title: "The page saved in this browser takes long to simulate".to_owned(),
                detail: "It goes on beside the page, which can be used meanwhile.".to_owned(),
            };
            let remedy = html! {
                <>
                    <button type="button" class="primary" id="start-without" onclick={without}>{ "Start without it" }</button>
                    <button type="button" id="save-restored" onclick={save}>{ "Save it as a file" }</button>
                </>
            };
            notice_bar(&notice, remedy, &close)
        }
        Restored::Yes | Restored::No => Html::default(),
    }
}
