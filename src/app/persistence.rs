//! The browser saves the page and restores it; a link shares it with others.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::effects::Dispatch;
use super::store::{Action, Document, Notice, State};
use super::{address, storage};
use crate::catalog;
use crate::link::{self, Bounds, Session};

/// Where the browser stores the page.
const KEY: &str = "fairlane.session";
/// How long the page waits for the next change before it is saved, in milliseconds.
const PAUSE_MS: u32 = 400;

/// The page as it starts: from the link in the address, else as it was saved, else the catalog's first entry; with
/// a notice if a link or what was saved cannot be read.
pub fn initial_state() -> State {
    let fragment = address::fragment();
    let session = match link::is_link(&fragment) {
        true => Some(Session::from_text(&fragment, &Bounds::LINK).map_err(|error| Notice {
            title: format!("The link {error}"),
            detail: error.remedy().to_owned(),
        })),
        false => storage::get(KEY).map(|text| {
            Session::from_text(&text, &Bounds::STORAGE).map_err(|error| Notice {
                title: format!("The page saved in this browser {error}"),
                detail: "The catalog's first scenario is shown instead.".to_owned(),
            })
        }),
    };
    let first = || State::new(Document::from_catalog(&catalog::ENTRIES[0]).into());
    match session {
        Some(Ok(session)) => State::from_session(session),
        Some(Err(notice)) => first().reduce(Action::Warn(notice)),
        None => first(),
    }
}

/// Has the browser save the page a moment after each change. A link in the address, once it has been read, is removed
/// from it, so that a reload brings what is on the page and not what was in the link.
#[hook]
pub fn use_persistence(state: &State, dispatch: Dispatch) {
    let warned = use_mut_ref(|| false);
    let timer: Rc<RefCell<Option<Timeout>>> = use_mut_ref(|| None);
    let parts =
        (state.document.clone(), state.ticked.clone(), state.playhead, state.window, state.drag.is_some());
    let state = state.clone();
    use_effect_with(parts, move |(.., dragging)| {
        if *dragging {
            return;
        }
        let save = move || {
            let failure = save(&state).err().filter(|_| !warned.replace(true));
            if let Some(detail) = failure {
                let title = "This browser cannot save the page; a reload will lose your changes".to_owned();
                dispatch.dispatch(Action::Warn(Notice { title, detail }));
            }
        };
        *timer.borrow_mut() = Some(Timeout::new(PAUSE_MS, save));
    });
    use_effect_with((), |()| {
        if link::is_link(&address::fragment()) {
            address::remove_fragment();
        }
    });
}

fn save(state: &State) -> Result<(), String> {
    let text = state
        .session()
        .to_text(&Bounds::STORAGE)
        .map_err(|error| format!("The page {error}. {}", error.remedy()))?;
    storage::set(KEY, &text).map_err(|error| error.to_string())
}

/// Copies a link to the page as it is to the clipboard; the notice that reports it.
pub async fn share(state: State) -> Notice {
    match state.session().to_text(&Bounds::LINK) {
        Ok(text) => address::copy_link(&text, "page").await,
        Err(error) => Notice { title: format!("A link {error}"), detail: error.remedy().to_owned() },
    }
}
