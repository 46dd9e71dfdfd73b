//! How the page starts: as the laboratory, or as a demo in a frame of another page.

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Element;
use yew::Renderer;

use super::deferred::{Fetch, Loading, Unreachable};
use super::demo::{self, Demo};
use super::instants::after_picture;
use super::picture::{self, First};
use super::root::{App, AppProps};
use super::shared::Shared;
use super::{address, cover, fatal, persistence, stylesheet};
use fairlane::catalog;
use fairlane_view::link;
use fairlane_view::link::embed::Embed;

/// Loads the rest of the catalog.
pub type FetchCatalog = fn() -> Loading<()>;

/// Renders the interface in an element: of the laboratory, or of a demo.
pub type Interface = fn(Element, Fetch, Option<First>);

/// Loads the interface.
pub type FetchInterface = fn() -> Loading<Interface>;

/// Starts what the address asks for in the element `#app`. `fetch` brings the second program.
pub fn start(fetch_interface: FetchInterface, fetch: Fetch, fetch_catalog: FetchCatalog) {
    super::instants::program();
    fatal::watch();
    let document = gloo::utils::document();
    let root = document.get_element_by_id("app").unwrap_or_else(|| gloo::utils::body().unchecked_into());
    let query = gloo::utils::window().location().search().unwrap_or_default();
    let demo = Embed::from_query(&query).transpose();
    let mut sessions = vec![address::fragment()];
    match demo {
        Some(_) => stylesheet::apply(include_str!("../styles/demo.css")),
        None => sessions.extend(persistence::stored()),
    }
    let is_generated = sessions.iter().any(|session| link::is_generated(session));
    let needs_catalog =
        names_later_entry(&query) || sessions.iter().any(|session| link::needs_catalog(session));
    wasm_bindgen_futures::spawn_local(async move {
        // What is made of a part that failed to load says so.
        if needs_catalog {
            let _ = fetch_catalog().await;
        }
        // The second program reads generators.
        if is_generated {
            let _ = fetch.0().await;
        }
        let mut first = None;
        if let Some(embed) = demo {
            let demo = picture::draw(&root, embed).await;
            if demo.picture.is_some() {
                painted().await;
            }
            first = Some(demo);
        }
        match fetch_interface().await {
            Ok(interface) => interface(root, fetch, first),
            // What cannot be shown cannot be helped.
            Err(Unreachable) => drop(fatal::show(
                "Fairlane did not load completely",
                "Check your connection and reload the page.",
                "",
            )),
        }
    });
}

/// Waits until the first picture is painted.
async fn painted() {
    let wait = |painted: js_sys::Function, _| {
        after_picture(move || drop(painted.call0(&JsValue::NULL)));
    };
    // It is never rejected.
    let _ = JsFuture::from(Promise::new(&mut { wait })).await;
}

/// Whether the query names an entry of the catalog that is not available yet.
fn names_later_entry(query: &str) -> bool {
    let mut named = query.split('&').filter_map(|part| part.strip_prefix("scenario="));
    named.any(|name| catalog::find(name).is_none())
}

/// The [`Interface`].
pub fn mount(root: Element, fetch: Fetch, first: Option<First>) {
    if let Some(picture) = first.as_ref().and_then(|first| first.picture.as_ref()) {
        // Where it cannot be laid over the page it is removed with the rest.
        let _ = cover::lay(&root, picture.state.panels());
    }
    root.set_inner_html("");
    match first.map(Shared::new) {
        None => {
            Renderer::<App>::with_root_and_props(root, AppProps { fetch }).render();
        }
        Some(first) => {
            Renderer::<Demo>::with_root_and_props(root, demo::Props { first, fetch }).render();
        }
    }
}
