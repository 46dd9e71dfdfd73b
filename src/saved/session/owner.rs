//! Which tab writes to a record: the first one that wants to, as long as it is open. Held by the browser's locks, which
//! end with their tab however that ends, if not at once: a page that is being left may hold its own for a moment longer.
//! Where there are none, stamps alone tell tabs apart ([`KeptVersion`](crate::store::KeptVersion)).

use std::cell::RefCell;
use std::collections::BTreeSet;

use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::AbortSignal;

/// How long a page that has been left may hold its locks, in milliseconds; what is held for longer, an open tab holds.
const LEAVING_MS: f64 = 3000.0;

#[wasm_bindgen]
extern "C" {
    type LockManager;

    #[wasm_bindgen(method)]
    fn request(this: &LockManager, name: &str, options: &Object, granted: &JsValue) -> Promise;
}

thread_local! {
    static CLAIMED: RefCell<BTreeSet<u64>> = const { RefCell::new(BTreeSet::new()) };
}

/// Whether this tab is the one that writes to a record, from now on until it is closed.
pub async fn claim(id: u64) -> bool {
    if CLAIMED.with_borrow(|claimed| claimed.contains(&id)) {
        return true;
    }
    let navigator = gloo::utils::window().navigator();
    let locks = Reflect::get(&navigator, &"locks".into()).ok().filter(JsValue::is_object);
    let Some(locks) = locks.map(JsCast::unchecked_into::<LockManager>) else { return true };
    let answer = Promise::new(&mut |resolve, _| ask(&locks, id, resolve));
    let granted = JsFuture::from(answer).await.is_ok_and(|granted| granted.is_truthy());
    if granted {
        CLAIMED.with_borrow_mut(|claimed| claimed.insert(id));
    }
    granted
}

/// Asks for the lock and resolves with whether it was granted; it is then held for ever.
fn ask(locks: &LockManager, id: u64, resolve: Function) {
    let patience = AbortSignal::timeout_with_f64(LEAVING_MS);
    let options = Object::new();
    // A new object takes any field.
    let _ = Reflect::set(&options, &"signal".into(), &patience);
    let answer = resolve.clone();
    let granted = Closure::once_into_js(move |_: JsValue| {
        // A promise takes any answer.
        let _ = answer.call1(&JsValue::NULL, &true.into());
        Promise::new(&mut |_, _| {})
    });
    let request = locks.request(&format!("fairlane.record.{id}"), &options, &granted);
    spawn_local(async move {
        if JsFuture::from(request).await.is_err() {
            // A browser that denies its locks leaves the stamps.
            let is_denied = !patience.aborted();
            let _ = resolve.call1(&JsValue::NULL, &is_denied.into());
        }
    });
}
