//! The page's address and links to it.

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

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

/// The address of the folder that the page is in, with a slash at the end.
pub fn folder() -> String {
    let href = gloo::utils::window().location().href().unwrap_or_default();
    let page = href.split(['?', '#']).next().unwrap_or_default();
    let end = page.rfind('/').map_or(0, |slash| slash + 1);
    page[..end].to_owned()
}

/// Copies text to the clipboard; whether the browser has allowed it.
pub async fn copy(text: &str) -> bool {
    JsFuture::from(gloo::utils::window().navigator().clipboard().write_text(text)).await.is_ok()
}
