//! Copying a link to the page, and the dialog with what shows it in another page.

use yew::prelude::*;

use super::embed::EmbedButton;
use super::link;
use crate::store::State;
use crate::ui::send::use_send;

#[derive(Clone, Properties, PartialEq)]
pub struct ShareProps {
    pub state: State,
}

#[component]
pub fn Share(props: &ShareProps) -> Html {
    let send = use_send();
    html! {
        <>
            <button id="share" onclick={link::sharing(&props.state, &send)}
                title="Copy a link to this page as it is now">{ "Share" }</button>
            <EmbedButton state={props.state.clone()} />
        </>
    }
}
