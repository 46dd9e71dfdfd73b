//! How the page starts: as the laboratory, or as a demo in a frame of another page.

use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::Renderer;

use super::deferred::{Fetch, Loading, Unreachable};
use super::demo::{self, Demo};
use super::root::{App, AppProps};
use super::{persistence, stylesheet};
use crate::catalog;
use crate::link::embed::Embed;

/// Starts a demo in an element; the query of the address says which.
pub type StartDemo = fn(Element, &str, Fetch);

/// Loads what only demos need.
pub type FetchDemo = fn() -> Loading<StartDemo>;

/// Loads the rest of the catalog.
pub type FetchCatalog = fn() -> Loading<()>;

/// Starts what the address asks for in the element `#app`; `fetch` brings the second program.
pub fn mount(fetch: Fetch, fetch_catalog: FetchCatalog, fetch_demo: FetchDemo) {
    super::instants::program();
    super::fatal::watch();
    super::pool::start_early();
    let document = gloo::utils::document();
    let root = document.get_element_by_id("app").unwrap_or_else(|| gloo::utils::body().unchecked_into());
    let query = gloo::utils::window().location().search().unwrap_or_default();
    let is_demo = query.starts_with("?embed");
    let (needs_catalog, is_generated) = (needs_catalog(&query), persistence::is_generated());
    if !is_demo && !needs_catalog && !is_generated {
        start_lab(root, fetch);
        return;
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
        if !is_demo {
            return start_lab(root, fetch);
        }
        match fetch_demo().await {
            Ok(start) => start(root, &query, fetch),
            Err(Unreachable) => root.set_text_content(Some(NOT_LOADED)),
        }
    });
}

/// Whether the page as it starts shows an entry of the catalog that is not available yet.
fn needs_catalog(query: &str) -> bool {
    let mut named = query.split('&').filter_map(|part| part.strip_prefix("scenario="));
    named.any(|name| catalog::find(name).is_none()) || persistence::needs_catalog()
}

const NOT_LOADED: &str = "This demo failed to load. Check your connection and reload the page.";

fn start_lab(root: Element, fetch: Fetch) {
    root.set_inner_html("");
    Renderer::<App>::with_root_and_props(root, AppProps { fetch }).render();
}

/// Starts a demo, or the laboratory if the query asks for none.
pub fn start_demo(root: Element, query: &str, fetch: Fetch) {
    match Embed::from_query(query).transpose() {
        None => start_lab(root, fetch),
        Some(embed) => {
            root.set_inner_html("");
            stylesheet::apply(include_str!("../../styles/demo.css"));
            Renderer::<Demo>::with_root_and_props(root, demo::Props { embed, fetch }).render();
        }
    }
}
