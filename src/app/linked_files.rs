//! Files beside the page that its address names. The command `fairlane open` serves the page with such an address.

use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, Response};
use yew::prelude::*;

use super::effects::Dispatch;
use crate::browser::address;
use crate::store::{Action, Opening};
use fairlane_view::link::LinkedFile;

/// Opens the files that the address names when the page starts.
#[hook]
pub fn use_linked_files(open: Callback<Vec<File>>, dispatch: Dispatch) {
    use_effect_with((), move |()| {
        let Some(files) = LinkedFile::from_fragment(&address::fragment()) else { return };
        wasm_bindgen_futures::spawn_local(async move {
            let mut fetched = Vec::new();
            for LinkedFile { address, name } in files {
                dispatch.dispatch(Action::Opening(Opening::named(name.as_str())));
                match fetch(&address, &name).await {
                    Ok(file) => fetched.push(file),
                    Err(why) => return dispatch.dispatch(Action::not_opened(&name, why)),
                }
            }
            open.emit(fetched);
        });
    });
}

/// Fetches a file; the browser keeps a large one on the disk.
async fn fetch(address: &str, name: &str) -> Result<File, String> {
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
