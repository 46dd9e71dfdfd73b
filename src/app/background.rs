//! What runs behind the page once it is loaded: keys, the wheel, playing, saving.

use yew::prelude::*;

use super::effects::{self, Dispatch};
use super::panels::lessons;
use super::persistence;
use super::store::State;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub state: State,
    pub dispatch: Dispatch,
}

/// Renders nothing.
#[component]
pub fn Background(props: &Props) -> Html {
    let Props { state, dispatch } = props;
    let axis = state.axis();
    effects::use_playback(state.motion, dispatch.clone());
    effects::use_keys(axis, state.playhead, dispatch.clone());
    effects::use_wheel(axis, dispatch.clone());
    persistence::use_persistence(state, dispatch.clone());
    persistence::use_library(state);
    effects::use_room_of_transport();
    lessons::use_keeping(state, dispatch.clone());
    Html::default()
}
