//! The bar at the top: name, scenario, file, theme.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::app::store::{Action, Document, Origin};
use crate::app::theme::Mode;
use crate::scenario::catalog;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub document: Rc<Document>,
    pub open: Callback<web_sys::File>,
    pub send: Callback<Action>,
    pub mode: Mode,
    pub next_theme: Callback<()>,
}

#[component]
pub fn Header(props: &Props) -> Html {
    let input = use_node_ref();
    let onchange = {
        let send = props.send.clone();
        Callback::from(move |event: Event| {
            let select: Option<web_sys::HtmlSelectElement> =
                event.target().and_then(|target| target.dyn_into().ok());
            if let Some(entry) = select.and_then(|select| catalog::find(&select.value())) {
                send.emit(Action::Open(Rc::new(Document::from_catalog(entry))));
            }
        })
    };
    let onfile = {
        let open = props.open.clone();
        Callback::from(move |event: Event| {
            let Some(input) =
                event.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok())
            else {
                return;
            };
            if let Some(file) = input.files().and_then(|files| files.get(0)) {
                open.emit(file);
            }
            // So that the same file can be chosen again after it was mended.
            input.set_value("");
        })
    };
    let choose = {
        let input = input.clone();
        Callback::from(move |_| {
            if let Some(input) = input.cast::<web_sys::HtmlElement>() {
                input.click();
            }
        })
    };
    let next = props.next_theme.reform(|_: MouseEvent| ());
    let theme = match props.mode {
        Mode::System => "Theme: system",
        Mode::Light => "Theme: light",
        Mode::Dark => "Theme: dark",
    };
    html! {
        <header class="top">
            <h1 class="brand">
                <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 7h11M3 12h18M3 17h7" /></svg>
                { "Fairlane" }
            </h1>
            <label class="pick">
                <span class="sr">{ "Scenario" }</span>
                <select id="scenario" {onchange}>
                    if let Origin::File(name) = &props.document.origin {
                        <option selected=true value="">{ name }</option>
                    }
                    { for catalog::ENTRIES.iter().map(|entry| html! {
                        <option value={entry.name} selected={props.document.origin == Origin::Catalog(entry.name)}>{ entry.title }</option>
                    }) }
                </select>
            </label>
            <input ref={input} id="file" class="sr" type="file" accept=".json,application/json" onchange={onfile} tabindex="-1" aria-hidden="true" />
            <button id="open" onclick={choose} title="Open a scenario file; you can also drop one anywhere on the page">{ "Open file…" }</button>
            <span class="space"></span>
            <button id="theme" onclick={next} aria-label={format!("{theme}; switch")} title={theme}>
                <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="8" /><path class="solid" d="M12 4a8 8 0 0 1 0 16z" /></svg>
            </button>
        </header>
    }
}
