//! A message about something that was done, over the page for a moment.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::store::{self, Action, DocumentAction, UiAction};
use crate::ui::send::{Handlers, use_send};

#[derive(Clone, Properties, PartialEq)]
pub struct ToastProps {
    pub toast: Option<store::Toast>,
}

/// How long it is shown, in milliseconds.
const SHOWN_MS: u32 = 8_000;

#[component]
pub fn Toast(props: &ToastProps) -> Html {
    let send = use_send();
    let undo = send.press(DocumentAction::Undo);
    let close = send.press(UiAction::Toast(None));
    use_effect_with(props.toast.clone(), move |toast| {
        let timer = toast
            .as_ref()
            .map(|_| Timeout::new(SHOWN_MS, move || send.emit(Action::Ui(UiAction::Toast(None)))));
        move || drop(timer)
    });
    html! {
        <div role="status" class="toasts">
            if let Some(toast) = &props.toast {
                <div class="toast">
                    { match toast {
                        store::Toast::Done(notice) => html!
                            { <><strong>{ &notice.title }</strong><p>{ &notice.detail }</p></> },
                        store::Toast::Deleted(what) => html! {
                            <>
                                <strong>{ format!("{what} was deleted") }</strong>
                                <button type="button" class="small" id="undo-deletion"
                                    onclick={undo}>{ "Undo" }</button>
                            </>
                        },
                    } }
                    <button type="button" class="small close" onclick={close}
                        aria-label="Close the message">{ "✕" }</button>
                </div>
            }
        </div>
    }
}
