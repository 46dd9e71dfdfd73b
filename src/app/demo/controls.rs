//! What a demo does behind its schedules: the time controls, messages of the page around it, and the way to the lab.

use yew::prelude::*;

use super::host;
use crate::app::effects::{self, Dispatch};
use crate::store::State;
use fairlane_view::link::LinkBounds;
use fairlane_view::link::embed::Embed;

#[derive(Properties, PartialEq)]
pub struct ControlsProps {
    pub state: State,
    /// The origin whose messages are heeded; `None`: any, as long as it is the page around the frame.
    pub host: Option<String>,
    pub editable: bool,
    pub dispatch: Dispatch,
    /// Makes the demo follow another address.
    pub change: Callback<Embed>,
}

/// Renders nothing.
#[component]
pub fn Controls(props: &ControlsProps) -> Html {
    let ControlsProps { state, host, editable, dispatch, change } = props;
    effects::use_time_controls(state, dispatch.clone());
    host::use_messages(host.clone(), *editable, dispatch.clone(), change.clone());
    host::use_reports(state, host.clone());
    host::use_edits(state, host.clone());
    Html::default()
}

#[derive(Properties, PartialEq)]
pub struct LabLinkProps {
    pub state: State,
}

/// A link to the full page in the same state.
#[component]
pub fn LabLink(props: &LabLinkProps) -> Html {
    let session = use_memo(props.state.session(), |session| session.to_text(&LinkBounds::LINK).ok());
    // A scenario too long for a link: the page without it.
    let href = match &*session {
        Some(text) => format!("./#{text}"),
        None => "./".to_owned(),
    };
    html! { <a class="lab-link" {href} target="_blank" rel="noopener">{ "Open in the lab" }</a> }
}
