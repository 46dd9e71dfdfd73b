//! A message about something that did not work.

use yew::prelude::*;

use crate::app::store::Notice;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub notice: Notice,
    pub close: Callback<()>,
}

#[component]
pub fn NoticeBar(props: &Props) -> Html {
    html! {
        <div class="notice" role="alert">
            <div>
                <strong>{ &props.notice.title }</strong>
                <p>{ &props.notice.detail }</p>
            </div>
            <button onclick={props.close.reform(|_| ())}>{ "Close" }</button>
        </div>
    }
}
