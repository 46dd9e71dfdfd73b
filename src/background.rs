//! What runs behind the page once it is loaded: keys, the wheel, playing, saving.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::effects::{self, Dispatch};
use super::menus;
use super::panels::lessons;
use super::persistence;
use super::store::State;

#[derive(Properties, PartialEq)]
pub struct BackgroundProps {
    pub state: State,
    pub dispatch: Dispatch,
}

/// Renders nothing.
#[component]
pub fn Background(props: &BackgroundProps) -> Html {
    let BackgroundProps { state, dispatch } = props;
    // Before the keys of the page: an open menu takes Escape.
    menus::use_menus();
    effects::use_time_controls(state, dispatch.clone());
    persistence::use_persistence(state, dispatch.clone());
    persistence::use_library(state, dispatch.clone());
    effects::use_room_of_transport();
    lessons::use_keeping(state, dispatch.clone());
    use_offline_copy();
    Html::default()
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
