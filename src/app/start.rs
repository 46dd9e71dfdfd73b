//! How the page starts: as the laboratory, or as a demo in a frame of another page.

use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use yew::Renderer;

use super::demo::{self, Demo};
use crate::app::lab::App;
use crate::browser::{fatal, first_paint};
use crate::saved::session::recovery;
use fairlane_view::link::embed::Embed;

/// Starts what the address asks for in the element `#app`.
pub fn start() {
    first_paint::program();
    fatal::watch();
    // A page that can be left has not hung.
    EventListener::new(&gloo::utils::window(), "pagehide", |_| recovery::started()).forget();
    let document = gloo::utils::document();
    let root = document.get_element_by_id("app").unwrap_or_else(|| gloo::utils::body().unchecked_into());
    root.set_inner_html("");
    let query = gloo::utils::window().location().search().unwrap_or_default();
    match Embed::from_query(&query).transpose() {
        None => drop(Renderer::<App>::with_root(root).render()),
        Some(embed) => {
            wasm_bindgen_futures::spawn_local(async move {
                let start = demo::open(embed).await;
                Renderer::<Demo>::with_root_and_props(root, demo::DemoProps { start }).render();
            });
        }
    }
}
