//! The page's address and links to it.

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::store::Notice;

/// The part of the address from `#` on, or nothing.
pub fn fragment() -> String {
    gloo::utils::window().location().hash().unwrap_or_default()
}

/// Removes the fragment from the address without loading the page again.
pub fn remove_fragment() {
    let window = gloo::utils::window();
    if let (Ok(path), Ok(history)) = (window.location().pathname(), window.history()) {
        // Where the address cannot be changed the fragment stays, which does no harm.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&path));
    }
}

/// Copies a link with this fragment to the clipboard; the notice that reports it. `target` says what it leads to.
pub async fn copy_link(fragment: &str, target: &str) -> Notice {
    let window = gloo::utils::window();
    let href = window.location().href().unwrap_or_default();
    let address = format!("{}#{fragment}", href.split('#').next().unwrap_or_default());
    let title = match JsFuture::from(window.navigator().clipboard().write_text(&address)).await {
        Ok(_) => format!("The link to this {target} was copied"),
        Err(_) => format!("Copy this link to the {target}; the browser denied access to the clipboard"),
    };
    Notice { title, detail: address }
}
