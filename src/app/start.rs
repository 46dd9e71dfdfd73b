//! How the page starts: as the laboratory, or as a demo in a frame of another page.

use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::Renderer;

use super::deferred::{Fetch, Loading};
use super::demo::{self, Demo};
use super::root::{App, AppProps};
use super::{address, persistence, stylesheet};
use crate::catalog;
use crate::link;
use crate::link::embed::Embed;

/// Loads the rest of the catalog.
pub type FetchCatalog = fn() -> Loading<()>;

/// Starts what the address asks for in the element `#app`; `fetch` brings the second program.
pub fn mount(fetch: Fetch, fetch_catalog: FetchCatalog) {
    super::instants::program();
    super::fatal::watch();
    super::pool::start_early();
    let document = gloo::utils::document();
    let root = document.get_element_by_id("app").unwrap_or_else(|| gloo::utils::body().unchecked_into());
    let query = gloo::utils::window().location().search().unwrap_or_default();
    let mut sessions = vec![address::fragment()];
    if !query.starts_with("?embed") {
        sessions.extend(persistence::stored());
    }
    let is_generated = sessions.iter().any(|session| link::is_generated(session));
    let needs_catalog =
        names_later_entry(&query) || sessions.iter().any(|session| link::needs_catalog(session));
    if !needs_catalog && !is_generated {
        return start(root, &query, fetch);
    }
    wasm_bindgen_futures::spawn_local(async move {
        // What is made of a part that failed to load says so.
        if needs_catalog {
            let _ = fetch_catalog().await;
        }
        // The second program reads generators.
        if is_generated {
            let _ = fetch.0().await;
        }
        start(root, &query, fetch);
    });
}

/// Whether the query names an entry of the catalog that is not available yet.
fn names_later_entry(query: &str) -> bool {
    let mut named = query.split('&').filter_map(|part| part.strip_prefix("scenario="));
    named.any(|name| catalog::find(name).is_none())
}

fn start(root: Element, query: &str, fetch: Fetch) {
    root.set_inner_html("");
    match Embed::from_query(query).transpose() {
        None => {
            Renderer::<App>::with_root_and_props(root, AppProps { fetch }).render();
        }
        Some(embed) => {
            stylesheet::apply(include_str!("../../styles/demo.css"));
            Renderer::<Demo>::with_root_and_props(root, demo::Props { embed, fetch }).render();
        }
    }
}
