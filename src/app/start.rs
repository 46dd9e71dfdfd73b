//! How the page starts: as the laboratory, or as a demo in a frame of another page.

use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::Renderer;

use super::deferred::{Fetch, Loading};
use super::demo::{self, Demo};
use super::root::{App, AppProps};
use super::{persistence, stylesheet};
use crate::catalog;
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
    let (needs_catalog, is_generated) = (needs_catalog(&query), persistence::is_generated());
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

/// Whether the page as it starts shows an entry of the catalog that is not available yet.
fn needs_catalog(query: &str) -> bool {
    let mut named = query.split('&').filter_map(|part| part.strip_prefix("scenario="));
    named.any(|name| catalog::find(name).is_none()) || persistence::needs_catalog()
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
