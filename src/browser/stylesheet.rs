//! Style sheets made by the program. They are constructed and not written into the page, as its content security policy
//! asks.

use std::rc::Rc;

use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;
use yew::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = CSSStyleSheet)]
    type StyleSheet;

    #[wasm_bindgen(constructor, js_class = "CSSStyleSheet")]
    fn new() -> StyleSheet;

    #[wasm_bindgen(method, js_name = replaceSync)]
    fn replace(this: &StyleSheet, rules: &str);
}

/// Applies rules to the page as long as the component is part of it.
#[hook]
pub fn use_stylesheet(rules: impl Into<AttrValue>) {
    let sheet = use_memo((), |()| StyleSheet::new());
    {
        let sheet = Rc::clone(&sheet);
        use_effect_with(rules.into(), move |rules| sheet.replace(rules));
    }
    use_effect_with((), move |()| {
        adopt(|sheets| sheets.concat(&Array::of1(&sheet)));
        move || adopt(|sheets| sheets.filter(&mut |other, _, _| !other.loose_eq(&sheet)))
    });
}

/// Changes the constructed sheets of the page.
fn adopt(change: impl FnOnce(Array) -> Array) {
    let (document, key) = (gloo::utils::document(), JsValue::from("adoptedStyleSheets"));
    let sheets = Reflect::get(&document, &key).map(|sheets| Array::from(&sheets));
    // A browser that has no such property shows the page with fewer colours.
    let _ = sheets.and_then(|sheets| Reflect::set(&document, &key, &change(sheets)));
}
