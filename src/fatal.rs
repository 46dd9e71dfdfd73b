//! The last resort: a panic of the page's own shows a message with a button to reload, instead of a dead page.

use std::sync::Once;

use wasm_bindgen::prelude::*;

/// The element that carries the message.
pub const ELEMENT: &str = "fairlane-fatal";

/// From now on a panic shows a message over the page.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let message = info.to_string();
            web_sys::console::error_1(&message.as_str().into());
            // What cannot be shown is in the console at least.
            let _ = show(
                "Fairlane has stopped because of a bug",
                "Your files are safe. Reload the page to continue; if it happens again, please report the message below.",
                &message,
            );
        }));
    });
}

/// Lays a message over the page, with what to do and perhaps a technical message, and a button that reloads it. Uses
/// the document alone, because after a panic the rest of the program is not to be relied on.
///
/// # Errors
/// What the browser refuses.
pub fn show(title: &str, advice: &str, message: &str) -> Result<(), JsValue> {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return Ok(()) };
    if document.get_element_by_id(ELEMENT).is_some() {
        return Ok(());
    }
    let element = |name: &str, text: &str| -> Result<web_sys::Element, JsValue> {
        let element = document.create_element(name)?;
        element.set_text_content(Some(text));
        Ok(element)
    };
    let cover = element("div", "")?;
    cover.set_id(ELEMENT);
    cover.set_class_name("fatal");
    cover.set_attribute("role", "alertdialog")?;
    cover.set_attribute("aria-label", "Fairlane stopped")?;
    let card = element("div", "")?;
    card.append_child(&*element("h1", title)?)?;
    card.append_child(&*element("p", advice)?)?;
    if !message.is_empty() {
        card.append_child(&*element("pre", message)?)?;
    }
    let button = element("button", "Reload the page")?;
    let reload = Closure::once_into_js(|| {
        if let Some(window) = web_sys::window() {
            let _ = window.location().reload();
        }
    });
    button.add_event_listener_with_callback("click", reload.unchecked_ref())?;
    card.append_child(&button)?;
    cover.append_child(&card)?;
    if let Some(body) = document.body() {
        body.append_child(&cover)?;
    }
    Ok(())
}
