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
    effects::use_time_controls(state, dispatch.clone());
    persistence::use_persistence(state, dispatch.clone());
    persistence::use_library(state);
    effects::use_room_of_transport();
    lessons::use_keeping(state, dispatch.clone());
    Html::default()
}
