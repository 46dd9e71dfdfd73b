//! The first picture over the interface, until that has painted all its charts, which takes more than a frame.

use std::cell::RefCell;

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsValue;
use web_sys::Element;

use fairlane::policy::PolicyId;

thread_local! {
    /// The picture, and the policies whose charts the interface has not painted yet.
    static COVER: RefCell<Option<(Element, Vec<PolicyId>)>> = const { RefCell::new(None) };
}

/// How long the picture covers the interface at most, in milliseconds.
const AT_MOST_MS: u32 = 2_000;

/// Takes what an element shows out of it and lays it over the page until the charts of these policies are painted.
///
/// # Errors
/// What the browser refuses.
pub fn lay(root: &Element, policies: Vec<PolicyId>) -> Result<(), JsValue> {
    let cover = gloo::utils::document().create_element("div")?;
    cover.set_class_name("picture");
    while let Some(node) = root.first_child() {
        cover.append_child(&node)?;
    }
    gloo::utils::body().append_child(&cover)?;
    COVER.set(Some((cover, policies)));
    Timeout::new(AT_MOST_MS, remove).forget();
    Ok(())
}

/// The interface has painted a policy's chart.
pub fn painted(policy: PolicyId) {
    let left = COVER.with_borrow_mut(|cover| {
        let (_, left) = cover.as_mut()?;
        left.retain(|other| *other != policy);
        Some(left.len())
    });
    if left == Some(0) {
        remove();
    }
}

fn remove() {
    if let Some((cover, _)) = COVER.take() {
        cover.remove();
    }
}
