//! The question before a lesson is loaded from another server.

use yew::prelude::*;

use crate::ui::dialog::Dialog;

#[derive(Properties, PartialEq)]
pub struct LessonOfferProps {
    /// The address.
    pub from: String,
    pub accept: Callback<()>,
    pub close: Callback<()>,
}

/// Says where the lesson is and what opening it means.
#[component]
pub fn LessonOffer(props: &LessonOfferProps) -> Html {
    let accept = props.accept.reform(|_: MouseEvent| ());
    let close = props.close.reform(|_: MouseEvent| ());
    html! {
        <Dialog name="lesson-offer" class="report lesson-offer" title="Open this lesson?" first="#lesson-accept"
            opener="#stage" onclose={props.close.clone()}>
            <p>{ "The link leads to a lesson on another server:" }</p>
            <p class="address"><code>{ &props.from }</code></p>
            <p class="hint">{ "That server learns that somebody opens it, and nothing else. The lesson is kept in this \
                               browser, under Mine. Programs in it do not run before you have read them and press \
                               Run it." }</p>
            <div class="buttons">
                <button type="button" id="lesson-accept" class="go" onclick={accept}>{ "Open the lesson" }</button>
                <button type="button" id="lesson-refuse" onclick={close}>{ "Not now" }</button>
            </div>
        </Dialog>
    }
}
