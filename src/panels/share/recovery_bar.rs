//! What the reader can do about a saved page that was not restored, or that takes long.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::export::{save, save_scenario, saving};
use crate::panels::notice::notice_bar;
use crate::saved::session::{newcomers_state, recovery};
use crate::store::{Action, DocumentAction, Notice, Restored, State, ViewAction};
use crate::ui::send::use_send;

/// How long a restored page is simulated before the reader is asked whether to start without it, in milliseconds.
const PATIENCE_MS: u32 = 3000;

/// What can be done about a page that was set aside.
pub fn buttons(text: &Rc<str>, send: &Callback<Action>) -> Html {
    let open = {
        let (text, send) = (Rc::clone(text), send.clone());
        Callback::from(move |_: MouseEvent| match State::from_stored(&text) {
            Ok(state) => {
                send.emit(Action::Document(DocumentAction::Open(state.document)));
                send.emit(Action::View(ViewAction::Policies(state.view.policies)));
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
}

/// Says that the saved page was not restored, or offers a way out of one that takes long to simulate.
#[component]
pub fn RestoredBar(props: &RestoredBarProps) -> Html {
    let send = use_send();
    let RestoredBarProps { state } = props;
    let waits = state.ui.restored == Restored::Yes && !state.is_settled();
    let is_late = use_state_eq(|| false);
    {
        let is_late = is_late.setter();
        use_effect_with(waits, move |&waits| {
            is_late.set(false);
            // What is simulated no longer holds up the page, however long it takes.
            let timer = Timeout::new(PATIENCE_MS, move || {
                recovery::started();
                is_late.set(true);
            });
            let timer = if waits { Some(timer) } else { None };
            if timer.is_none() {
                recovery::started();
            }
            move || drop(timer)
        });
    }
    let closed = use_state_eq(|| false);
    let close = {
        let closed = closed.setter();
        Callback::from(move |()| closed.set(true))
    };
    if *closed {
        return Html::default();
    }
    match &state.ui.restored {
        Restored::Aside(notice) => {
            let remedy = recovery::text().map_or_else(Html::default, |text| buttons(&text, &send));
            notice_bar(notice, remedy, &close)
        }
        Restored::Yes if waits && *is_late => {
            let without = {
                let state = state.clone();
                send.reform(move |_: MouseEvent| {
                    if let Ok(text) = state.to_stored() {
                        recovery::set_aside(&text);
                    }
                    Action::Document(DocumentAction::StartWithout(newcomers_state().document))
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
