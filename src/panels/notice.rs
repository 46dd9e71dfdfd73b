//! Messages above the page: something failed, a file is being opened.

use yew::prelude::*;

use crate::store::{Notice, Opening};

/// `remedy` is what can be done about it, if that is a button.
pub fn notice_bar(notice: &Notice, remedy: Html, close: &Callback<()>) -> Html {
    html! {
        <div class="notice" role="alert">
            <div>
                <strong>{ &notice.title }</strong>
                <p>{ &notice.detail }</p>
            </div>
            { remedy }
            <button onclick={close.reform(|_| ())}>{ "Close" }</button>
        </div>
    }
}

/// The file that is being read and checked, and how much of it has been.
pub fn opening_bar(opening: Option<&Opening>) -> Html {
    let Some(Opening { name, part }) = opening else { return Html::default() };
    let value = part.map(|part| part.to_string());
    html! {
        <p class="opening late" role="status"><progress {value}
            aria-label={format!("Opening {name}")}></progress>{ format!("opening {name}…") }</p>
    }
}
