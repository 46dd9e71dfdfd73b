//! Locks of the browser, by which a page learns that one of its workers is gone (Web Locks API). Pages that were not
//! loaded over a secure connection have none.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["navigator", "locks"])]
    fn request(name: &str, options: &Object, granted: &JsValue) -> Result<Promise, JsValue>;
}

/// Waits until the holder of a lock lets go of it, as a worker does when it ends, however that comes about. `false` at
/// once if nobody holds it.
pub async fn is_released(name: &str) -> bool {
    let is_held = Rc::new(Cell::new(false));
    let held = Rc::clone(&is_held);
    let only_if_available = Object::new();
    // Properties of a plain object can be set.
    let _ = Reflect::set(&only_if_available, &"ifAvailable".into(), &true.into());
    let tried = Closure::once_into_js(move |lock: JsValue| held.set(lock.is_null()));
    let waited = Closure::once_into_js(|_: JsValue| {});
    let asked = async || {
        JsFuture::from(request(name, &only_if_available, &tried)?).await?;
        if is_held.get() {
            JsFuture::from(request(name, &Object::new(), &waited)?).await?;
        }
        Ok::<bool, JsValue>(is_held.get())
    };
    asked().await.unwrap_or(false)
}
