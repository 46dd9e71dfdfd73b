//! Files beside the page that its address names. The command `fairlane open` serves the page with such an address, and
//! announces when a log among them has grown.

use gloo::events::EventListener;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, Response};
use yew::prelude::*;

use super::effects::Dispatch;
use crate::browser::{address, fetch};
use crate::store::{Action, Opening, State, UiAction};
use crate::workers::pool::Pool;
use fairlane_view::link::{LinkedFile, Origin};

/// Opens the files that the address names when the page starts.
#[hook]
pub fn use_linked_files(open: Callback<Vec<File>>, dispatch: Dispatch) {
    use_effect_with((), move |()| {
        let Some(files) = LinkedFile::from_fragment(&address::fragment()) else { return };
        wasm_bindgen_futures::spawn_local(async move {
            let opening = |name: &str| dispatch.dispatch(Action::Ui(UiAction::Opening(Opening::named(name))));
            match fetch_all(files, opening).await {
                Ok(files) => open.emit(files),
                Err((name, why)) => dispatch.dispatch(Action::not_opened(&name, why)),
            }
        });
    });
}

/// What announces that the files have changed, and where they are listed then, as the page's address names them.
const CHANGED: &str = "fairlane-changed";
const LISTED: &str = "fairlane-files";
/// Most bytes of the list.
const MAX_LIST_BYTES: usize = 1 << 20;

/// What the name of a log ends with as long as its application runs.
const RUNNING: &str = ".inprogress";

/// Reads the log that the address names again when it has grown. What is shown of it stays. A log that the reader has
/// edited, or put another scenario in the place of, is left alone, and nothing changes while something is dragged.
#[hook]
pub fn use_growing_log(state: &State, pool: &Pool, dispatch: Dispatch) {
    let announced = use_state_eq(|| 0_u32);
    let followed = use_mut_ref(|| 0_u32);
    let first = use_memo((), |()| {
        let files = LinkedFile::from_fragment(&address::fragment())?;
        files.first().map(|file| file.name.trim_end_matches(RUNNING).to_owned())
    });
    {
        let (announced, count) = (announced.setter(), use_mut_ref(|| 0_u32));
        use_effect_with((), move |()| {
            let listener = EventListener::new(&gloo::utils::window(), CHANGED, move |_| {
                *count.borrow_mut() += 1;
                announced.set(*count.borrow());
            });
            move || drop(listener)
        });
    }
    let is_first = |name: &str| first.as_ref().as_ref().is_some_and(|first| name.starts_with(first.as_str()));
    let log = match &state.document.origin {
        Origin::File(name) if is_first(name) => state.document.unchanged_log(),
        _ => None,
    };
    let is_busy = state.ui.opening.is_some() || state.drag.is_some();
    let pool = pool.clone();
    use_effect_with((*announced, log, is_busy), move |(announced, log, is_busy)| {
        let Some((number, rules)) = log.clone().filter(|_| !is_busy && *followed.borrow() != *announced)
        else {
            return;
        };
        *followed.borrow_mut() = *announced;
        let opening = Opening::named("what has come since");
        dispatch.dispatch(Action::Ui(UiAction::Opening(opening)));
        wasm_bindgen_futures::spawn_local(async move {
            match grown().await {
                Ok(files) => pool.import_grown((number, rules), &files),
                Err((name, why)) => dispatch.dispatch(Action::not_opened(&name, why)),
            }
        });
    });
}

/// The files of the log as they are now.
async fn grown() -> Result<Vec<File>, (String, String)> {
    let list = fetch::text(LISTED, MAX_LIST_BYTES).await.map_err(|why| ("The log".to_owned(), why))?;
    let mut files = LinkedFile::from_fragment(&list).unwrap_or_default();
    // The rules of the import have the pools.
    files.retain(|file| !file.name.to_lowercase().ends_with(".xml"));
    fetch_all(files, |_| {}).await
}

/// Fetches files one after the other; an error comes with the name of the file.
async fn fetch_all(files: Vec<LinkedFile>, begin: impl Fn(&str)) -> Result<Vec<File>, (String, String)> {
    let mut fetched = Vec::new();
    for LinkedFile { address, name } in files {
        begin(&name);
        let file = fetch_file(&address, &name).await.map_err(|why| (name, why))?;
        fetched.push(file);
    }
    Ok(fetched)
}

/// Fetches a file; the browser keeps a large one on the disk.
async fn fetch_file(address: &str, name: &str) -> Result<File, String> {
    let unreachable = |_: JsValue| {
        "It could not be fetched. Start what serves the page again, such as fairlane open.".to_owned()
    };
    let response = JsFuture::from(gloo::utils::window().fetch_with_str(address)).await;
    let response: Response = response.map_err(unreachable)?.unchecked_into();
    if !response.ok() {
        return Err(format!("Its server answers with status {}. Check the address.", response.status()));
    }
    let content = JsFuture::from(response.blob().map_err(unreachable)?).await.map_err(unreachable)?;
    let content: Blob = content.unchecked_into();
    File::new_with_blob_sequence(&Array::of1(&content), name).map_err(unreachable)
}
