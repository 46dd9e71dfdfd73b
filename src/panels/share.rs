//! Copying a link to the page, and the dialog with what shows it in another page.

use yew::prelude::*;

use super::embed::EmbedButton;
use crate::persistence;
use crate::store::{Action, State};

#[derive(Properties, PartialEq)]
pub struct ShareProps {
    pub state: State,
    pub send: Callback<Action>,
}

#[component]
pub fn Share(props: &ShareProps) -> Html {
    let (state, send) = (props.state.clone(), props.send.clone());
    let onclick = Callback::from(move |_: MouseEvent| {
        let (state, send) = (state.clone(), send.clone());
        wasm_bindgen_futures::spawn_local(async move { send.emit(persistence::share(state).await) });
    });
    html! {
        <>
            <button id="share" {onclick} title="Copy a link to this page as it is now">{ "Share" }</button>
            <EmbedButton state={props.state.clone()} send={props.send.clone()} />
        </>
    }
}
