//! The page with what it shows as one file, which opens from the disk and asks no address for anything.

use wasm_bindgen::JsValue;
use yew::prelude::*;

use super::export::{file, save_blob};
use crate::browser::fetch;
use crate::store::{Action, Notice, State};
use crate::ui::send::Handlers;
use fairlane_view::export::one_document::{self, FILE, MAX_BYTES};

/// The item of the export menu that saves the document.
pub fn item(state: &State, send: &Callback<Action>) -> Html {
    let state = state.clone();
    let onclick = send.press_task(move || {
        let state = state.clone();
        async move {
            match save(&state).await {
                Ok(name) => {
                    let title = "The page was saved as one file".to_owned();
                    let detail = format!("{name} opens in a browser, without a server or a connection.");
                    Action::done(Notice { title, detail })
                }
                Err(detail) => {
                    Action::warn(Notice { title: "The page was not saved as one file".to_owned(), detail })
                }
            }
        }
    });
    html! { <button type="button" id="save-html" {onclick}>{ "The page as one file, HTML" }</button> }
}

/// Saves the document; its name, or why there is none, with the remedy.
async fn save(state: &State) -> Result<String, String> {
    let page = fetch::own_file(FILE, MAX_BYTES).await.map_err(|fault| format!("{FILE}: {fault}"))?;
    let document = one_document::fill(&page, &state.session()).map_err(|fault| format!("{fault}."))?;
    let name = file(state, ".html");
    let refused = |_: JsValue| "The browser refused. Allow downloads for this page and try again.".to_owned();
    let options = web_sys::BlobPropertyBag::new();
    options.set_type("text/html");
    let content = js_sys::Array::of1(&js_sys::Uint8Array::from(&document[..]));
    let blob = web_sys::Blob::new_with_u8_array_sequence_and_options(&content, &options).map_err(refused)?;
    save_blob(&name, &blob).map_err(refused)?;
    Ok(name)
}
