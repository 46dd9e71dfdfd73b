//! Files at an address, which the browser fetches; other servers than the page's own get no cookies.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStreamDefaultReader, RequestCredentials, RequestInit, Response};

/// The text behind an address of any server, which gets no cookies.
///
/// # Errors
/// Why it cannot be had, with the remedy.
pub async fn text(address: &str, most_bytes: usize) -> Result<String, String> {
    const UNREACHABLE: &str = "It could not be fetched. Check the address, and that its server allows other pages to read it (CORS).";
    let bytes = bytes(address, RequestCredentials::Omit, most_bytes, UNREACHABLE).await?;
    String::from_utf8(bytes).map_err(|_| "It is not text in UTF-8.".to_owned())
}

/// A file of the page's own server, by its address from the page's folder on.
///
/// # Errors
/// Why it cannot be had, with the remedy.
pub async fn own_file(address: &str, most_bytes: usize) -> Result<Vec<u8>, String> {
    const UNREACHABLE: &str = "It could not be fetched. Check your connection and try again.";
    bytes(address, RequestCredentials::SameOrigin, most_bytes, UNREACHABLE).await
}

/// The bytes behind an address, read piece by piece so that a large one costs no more than the limit.
async fn bytes(
    address: &str,
    credentials: RequestCredentials,
    most_bytes: usize,
    unreachable_words: &str,
) -> Result<Vec<u8>, String> {
    let unreachable = |_: JsValue| unreachable_words.to_owned();
    let options = RequestInit::new();
    options.set_credentials(credentials);
    let promise = gloo::utils::window().fetch_with_str_and_init(address, &options);
    let response: Response = JsFuture::from(promise).await.map_err(unreachable)?.unchecked_into();
    if !response.ok() {
        return Err(format!("Its server answers with status {}. Check the address.", response.status()));
    }
    let body = response.body().ok_or(unreachable_words)?;
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let mut bytes = Vec::new();
    loop {
        let piece = JsFuture::from(reader.read()).await.map_err(unreachable)?;
        let value = Reflect::get(&piece, &"value".into()).map_err(unreachable)?;
        let Ok(value) = value.dyn_into::<Uint8Array>() else { break };
        if bytes.len() + value.length() as usize > most_bytes {
            // What is still to be read is not wanted; the browser may know better.
            let _ = reader.cancel();
            return Err(format!("It is larger than the limit of {} MB.", most_bytes >> 20));
        }
        bytes.extend(value.to_vec());
    }
    Ok(bytes)
}
