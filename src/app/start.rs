//! How the page starts: as the laboratory, or as a demo in a frame of another page.

use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::Renderer;

use super::deferred::{Fetch, Loading, Unreachable};
use super::demo::{self, Demo};
use super::panels::lessons;
use super::root::{App, AppProps};
use super::{persistence, stylesheet};
use crate::link::embed::Embed;

/// Starts a demo in an element; the query of the address says which.
pub type StartDemo = fn(Element, &str, Fetch);

/// Loads what only demos need.
pub type FetchDemo = fn() -> Loading<StartDemo>;

/// Loads the catalog.
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
    if !is_demo && !lessons::needs_more() {
        start_lab(root, fetch);
        return;
    }
    wasm_bindgen_futures::spawn_local(async move {
        // At the same time as the demo's part. What needs the catalog says so if it is not there.
        wasm_bindgen_futures::spawn_local(async move {
            let _ = fetch_catalog().await;
        });
        // What a generator makes needs the second program, which reads generators.
        if persistence::is_generated() {
            let _ = fetch.0().await;
        }
        if !is_demo {
            let _ = fetch_catalog().await;
            return start_lab(root, fetch);
        }
        let demo = fetch_demo().await;
        let _ = fetch_catalog().await;
        match demo {
            Ok(start) => start(root, &query, fetch),
            Err(Unreachable) => root.set_text_content(Some(NOT_LOADED)),
        }
    });
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
