//! The browser's program. The page and its workers run the same one: it is loaded and compiled once.

#[cfg(target_arch = "wasm32")]
fn main() {
    use wasm_bindgen::JsCast;
    let global = wasm_bindgen::JsValue::from(js_sys::global());
    if global.has_type::<web_sys::Window>() {
        fairlane_page::app::root::mount();
    } else {
        fairlane_page::app::worker::serve();
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This is the page's program; build it with Trunk (see the README).");
}
