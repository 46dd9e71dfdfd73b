//! Nothing is lost: the page keeps itself in the browser and comes back as it was; a link carries it to
//! others.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::effects::Dispatch;
use super::storage;
use super::store::{Action, Document, Notice, State};
use crate::link::{self, Bounds, Session};
use crate::scenario::catalog;

/// Where the page keeps itself.
const KEY: &str = "fairlane.session";
/// How long the page waits for the next change before it keeps itself, in milliseconds.
const PAUSE_MS: u32 = 400;

/// The page as it starts: from the link in the address, else as it was kept, else the catalog's first. With
/// a notice if a link or what was kept cannot be read.
pub fn first_state() -> State {
    let fragment = gloo::utils::window().location().hash().unwrap_or_default();
    if link::is_link(&fragment) {
        return match Session::from_text(&fragment, &Bounds::LINK) {
            Ok(session) => State::from_session(session),
            Err(error) => warned(format!("The link {error}"), error.remedy()),
        };
    }
    match storage::get(KEY).map(|text| Session::from_text(&text, &Bounds::STORAGE)) {
        Some(Ok(session)) => State::from_session(session),
        Some(Err(error)) => warned(
            format!("What this browser had kept of the page {error}"),
            "The catalog's first scenario is shown instead.",
        ),
        None => fresh(),
    }
}

fn fresh() -> State {
    State::new(Document::from_catalog(&catalog::ENTRIES[0]).into())
}

fn warned(title: String, remedy: &str) -> State {
    fresh().reduce(Action::Warn(Notice { title, detail: remedy.to_owned() }))
}

/// Keeps the page in the browser, a moment after each change. A link in the address, once it has been
/// read, is taken out of it, so that a reload brings what is on the page and not what was in the link.
#[hook]
pub fn use_keeping(state: &State, dispatch: Dispatch) {
    let told = use_mut_ref(|| false);
    let timer: Rc<RefCell<Option<Timeout>>> = use_mut_ref(|| None);
    let parts =
        (state.document.clone(), state.ticked.clone(), state.playhead, state.window, state.drag.is_some());
    let state = state.clone();
    use_effect_with(parts, move |(.., dragging)| {
        if *dragging {
            return;
        }
        let keep = move || {
            let fault = keep(&state).err().filter(|_| !told.replace(true));
            if let Some(detail) = fault {
                let title = "This browser cannot keep the page; a reload will lose your changes".to_owned();
                dispatch.dispatch(Action::Warn(Notice { title, detail }));
            }
        };
        *timer.borrow_mut() = Some(Timeout::new(PAUSE_MS, keep));
    });
    use_effect_with((), |()| {
        let window = gloo::utils::window();
        if link::is_link(&window.location().hash().unwrap_or_default()) {
            let path = window.location().pathname().unwrap_or_default();
            if let Ok(history) = window.history() {
                // Where the address cannot be changed the link stays in it, which does no harm.
                let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&path));
            }
        }
    });
}

fn keep(state: &State) -> Result<(), String> {
    let text = state
        .session()
        .to_text(&Bounds::STORAGE)
        .map_err(|error| format!("The page {error}. {}", error.remedy()))?;
    storage::set(KEY, &text).map_err(|error| error.to_string())
}

/// Puts a link to the page as it is into the clipboard; what is to be said of it.
pub async fn share(state: State) -> Notice {
    let text = match state.session().to_text(&Bounds::LINK) {
        Ok(text) => text,
        Err(error) => {
            return Notice { title: format!("A link {error}"), detail: error.remedy().to_owned() };
        }
    };
    let location = gloo::utils::window().location();
    let href = location.href().unwrap_or_default();
    let page = href.split('#').next().unwrap_or_default();
    let address = format!("{page}#{text}");
    let clipboard = gloo::utils::window().navigator().clipboard();
    match wasm_bindgen_futures::JsFuture::from(clipboard.write_text(&address)).await {
        Ok(_) => Notice { title: "The link to this page is in the clipboard".to_owned(), detail: address },
        Err(_) => Notice {
            title: "Copy this link to the page; the browser gave no access to the clipboard".to_owned(),
            detail: address,
        },
    }
}
