//! Scenario files at an address, for demos.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStreamDefaultReader, RequestCredentials, RequestInit, Response};

use crate::store::{Document, Notice};
use fairlane::scenario::Scenario;
use fairlane_view::link::{LinkBounds, Origin};

/// Why a demo shows nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct DemoFault {
    /// What the reader is told.
    pub notice: Notice,
    /// Whether it says what is in a file, which is no business of a page of another origin.
    pub quotes_file: bool,
}

impl From<Notice> for DemoFault {
    fn from(notice: Notice) -> DemoFault {
        DemoFault { notice, quotes_file: false }
    }
}

/// Fetches a scenario file.
///
/// # Errors
/// Why it was not opened.
pub async fn open(address: &str) -> Result<Document, DemoFault> {
    let not_opened = |detail| Notice { title: format!("{address} was not opened"), detail };
    let text = fetched(address).await.map_err(not_opened)?;
    let scenario = Scenario::from_json(&text)
        .map_err(|error| DemoFault { notice: not_opened(error.to_string()), quotes_file: true })?;
    let name = address.split(['?', '#']).next().unwrap_or(address).rsplit('/').next().unwrap_or(address);
    Ok(Document::new(scenario, Origin::File(name.to_owned())))
}

/// The text behind an address, read piece by piece so that a large one costs no more than the limit.
async fn fetched(address: &str) -> Result<String, String> {
    const UNREACHABLE: &str = "It could not be fetched. Check the address, and that its server allows other pages to read it (CORS).";
    let unreachable = |_: JsValue| UNREACHABLE.to_owned();
    let options = RequestInit::new();
    options.set_credentials(RequestCredentials::Omit);
    let promise = gloo::utils::window().fetch_with_str_and_init(address, &options);
    let response: Response = JsFuture::from(promise).await.map_err(unreachable)?.unchecked_into();
    if !response.ok() {
        return Err(format!("Its server answers with status {}. Check the address.", response.status()));
    }
    let body = response.body().ok_or(UNREACHABLE)?;
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let mut bytes = Vec::new();
    loop {
        let piece = JsFuture::from(reader.read()).await.map_err(unreachable)?;
        let value = Reflect::get(&piece, &"value".into()).map_err(unreachable)?;
        let Ok(value) = value.dyn_into::<Uint8Array>() else { break };
        if bytes.len() + value.length() as usize > LinkBounds::LINK.scenario {
            // What is still to be read is not wanted; the browser may know better.
            let _ = reader.cancel();
            return Err(format!("It is larger than the limit of {} MB.", LinkBounds::LINK.scenario >> 20));
        }
        bytes.extend(value.to_vec());
    }
    String::from_utf8(bytes).map_err(|_| "It is not text in UTF-8.".to_owned())
}
