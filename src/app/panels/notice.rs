//! A message about something that failed.

use yew::prelude::*;

use crate::app::store::Notice;

pub fn notice_bar(notice: &Notice, close: &Callback<()>) -> Html {
    html! {
        <div class="notice" role="alert">
            <div>
                <strong>{ &notice.title }</strong>
                <p>{ &notice.detail }</p>
            </div>
            <button onclick={close.reform(|_| ())}>{ "Close" }</button>
        </div>
    }
}
