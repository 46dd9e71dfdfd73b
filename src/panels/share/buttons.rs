//! Copying a link to the page, and the dialog with what shows it in another page.

use yew::prelude::*;

use super::embed::EmbedButton;
use super::link;
use crate::store::{Action, State};

#[derive(Properties, PartialEq)]
pub struct ShareProps {
    pub state: State,
    pub send: Callback<Action>,
}

#[component]
pub fn Share(props: &ShareProps) -> Html {
    html! {
        <>
            <button id="share" onclick={link::sharing(&props.state, &props.send)}
                title="Copy a link to this page as it is now">{ "Share" }</button>
            <EmbedButton state={props.state.clone()} send={props.send.clone()} />
        </>
    }
}
